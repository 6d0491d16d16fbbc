//! The functions that were compiled again, on the overview: which, how often, at what cost, and why.

use leptos::prelude::*;

use super::frame::remedies::{Around, title};
use super::frame::{continued, function, place};
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Answer, FrameOrder, FramePage, FrameRow, LogId, Overview, Question};
use crate::route::Place;
use crate::text::format;
use crate::text::frames as words;
use crate::ui::asked::{Asked, asked};
use crate::ui::more::more;
use crate::ui::visible::{plain, visible};

/// Functions that are shown at first, and more at each press.
const FIRST: u32 = 20;
const MORE: u32 = 200;

/// What the engine says of these functions, and in which order it is asked.
#[derive(Clone, Copy)]
pub(super) struct Recompiled {
    order: RwSignal<FrameOrder>,
    count: RwSignal<u32>,
    answer: Asked<FramePage>,
}

/// Asks for them.
pub(super) fn ask(workspace: Workspace, log: &OpenLog) -> Recompiled {
    let id = log.id;
    let order = RwSignal::new(FrameOrder::Recompiles);
    let count = RwSignal::new(FIRST);
    let question = Memo::new(move |_| Question::Frames {
        log: id,
        order: order.get(),
        first: 0,
        count: count.get(),
    });
    let answer = asked(
        workspace.engine,
        question,
        log.growth(),
        |answer| match answer {
            Answer::Frames(page) => Some(page),
            _ => None,
        },
    );
    Recompiled {
        order,
        count,
        answer,
    }
}

impl Recompiled {
    /// The one that was compiled again most often.
    pub(super) fn worst(self) -> Memo<Option<FrameRow>> {
        Memo::new(move |_| {
            let page = self.answer.good()?;
            // Of equal ones the first.
            let rows = page.rows.into_iter().rev();
            rows.max_by_key(|row| row.facts.recompiles)
        })
    }
}

fn because(row: &FrameRow) -> String {
    match &row.cause {
        Some((subject, values)) => words::changes(subject, values),
        None if row.is_read => words::NO_REASON.to_owned(),
        None => words::NOT_READ.to_owned(),
    }
}

/// The worst one in a sentence below the headline. Its place is kept from the first on, so that nothing moves.
pub(super) fn worst_line(
    workspace: Workspace,
    id: LogId,
    overview: Signal<Option<Overview>>,
    worst: Memo<Option<FrameRow>>,
) -> impl IntoView {
    let is_there = Memo::new(move |_| {
        overview.with(|overview| {
            overview
                .as_ref()
                .is_some_and(|overview| overview.recompiles > 0)
        })
    });
    let sentence = move || {
        worst.get().map(|row| {
            let link = workspace.link(id, Place::Frame(row.facts.key));
            let times = words::times(row.facts.compilations);
            view! {
                <span class="code-font">{visible(&function(&row.facts))}</span>
                " was compiled " {times} ": " {visible(&because(&row))} " "
                <a href=link>"Why, and what to do"</a>
            }
        })
    };
    move || {
        is_there
            .get()
            .then(|| view! { <p class="worst" data-testid="worst">{sentence}</p> })
    }
}

/// The section.
pub(super) fn section(workspace: Workspace, id: LogId, recompiled: Recompiled) -> impl IntoView {
    let page = Memo::new(move |_| recompiled.answer.good());
    let has_any =
        Memo::new(move |_| page.with(|page| page.as_ref().is_some_and(|page| page.total > 0)));
    // A log that tells no times has no column for them.
    let has_seconds =
        Memo::new(move |_| page.with(|page| page.as_ref().is_some_and(|page| page.has_seconds)));
    let rows = move || {
        let rows = page.with(|page| page.as_ref().map(|page| page.rows.clone()));
        let rows = rows.unwrap_or_default();
        let has_seconds = has_seconds.get();
        rows.iter()
            .map(|row| one(workspace, id, row, has_seconds))
            .collect_view()
    };
    let left = move || {
        page.with(|page| {
            let shown = |page: &FramePage| u32::try_from(page.rows.len()).unwrap_or(u32::MAX);
            page.as_ref()
                .map_or(0, |page| page.total.saturating_sub(shown(page)))
        })
    };
    let sorted = move |order: FrameOrder, test: &'static str, label: &'static str| {
        let is_chosen = move || recompiled.order.get() == order;
        let aria = move || if is_chosen() { "descending" } else { "none" };
        view! {
            <th scope="col" class="number" aria-sort=aria>
                <button type="button" data-testid=test on:click=move |_| recompiled.order.set(order)>
                    {label}
                    <span class="sort-mark" aria-hidden="true">{move || if is_chosen() { "▼" } else { "" }}</span>
                </button>
            </th>
        }
    };
    move || {
        has_any.get().then(|| {
            view! {
                <section class="recompiled" data-testid="recompiled" aria-labelledby="recompiled-title">
                    <h2 id="recompiled-title">"Recompiled functions"</h2>
                    <p class="dim">{words::RECOMPILED}</p>
                    <table class="plain">
                        <thead><tr>
                            <th scope="col">"Function"</th>
                            {sorted(FrameOrder::Recompiles, "recompiled-by-count", "Recompiles")}
                            {move || has_seconds.get().then(|| sorted(FrameOrder::Seconds, "recompiled-by-seconds", "Time lost"))}
                            <th scope="col">"Why"</th>
                        </tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                    {more("recompiled-more", left, words_of_more, recompiled.count, MORE)}
                </section>
            }
        })
    }
}

fn words_of_more(left: u32) -> String {
    let left = u64::from(left);
    if left <= u64::from(MORE) {
        format!("Show all ({} more)", format::count(left))
    } else {
        format!("Show {MORE} more of {}", format::count(left))
    }
}

fn one(
    workspace: Workspace,
    id: LogId,
    row: &FrameRow,
    has_seconds: bool,
) -> impl IntoView + use<> {
    let facts = &row.facts;
    let link = workspace.link(id, Place::Frame(facts.key));
    let (place, whole) = place(facts);
    let why = because(row);
    let helps = row.remedy.as_ref().map(|advice| {
        let around = Around {
            function: facts.function.as_deref(),
            is_recompile_limit: None,
            history: None,
        };
        let title = title(advice, around);
        view! { <span class="helps dim">"What helps: " {visible(&title)}</span> }
    });
    let limit = facts
        .limit
        .as_ref()
        .map(|_| view! { <span class="helps warns">"The recompile limit was reached."</span> });
    view! {
        <tr data-testid="recompiled-row">
            <td>
                <a href=link.clone() class="code-font" data-testid="recompiled-function">{visible(&function(facts))}</a>
                {continued(&function(facts))}
                <span class="helps dim code-font" title=whole>{visible(&place)}</span>
            </td>
            <td class="number">{format::count(u64::from(facts.recompiles))}</td>
            {has_seconds.then(|| view! { <td class="number">{facts.seconds_again.map(format::seconds)}</td> })}
            <td>
                <a href=link class="because-link" title=plain(&why)>{visible(&why)}</a>
                {limit}
                {helps}
            </td>
        </tr>
    }
}
