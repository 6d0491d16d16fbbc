//! Two texts laid side by side, line by line, with the words marked that differ.

use leptos::prelude::*;

use super::diff::compared;
use super::workspace::Workspace;
use crate::engine::protocol::{
    Answer, DiffRow, LogId, Question, RecordIndex, Side, TextDiffPage, TextPair,
};
use crate::route::{DiffPlace, GraphPlace, Place};
use crate::text::differences as words;
use crate::text::format;
use crate::text::phases;
use crate::ui::code;
use crate::ui::paged::{Paged, Source, Stretch};
use crate::ui::pieces::{Found, Mark};
use crate::ui::rows::Rows;
use crate::ui::trouble::trouble;
use crate::ui::visible::plain;

/// Which lines of two texts are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// What differs, with what is around it.
    Differing,
    /// All of both.
    All,
}

/// How many lines were removed and added.
type Counts = (u32, u32);

/// The choice of a text, and the text that is chosen.
pub(super) fn text_diff(
    workspace: Workspace,
    id: LogId,
    place: Memo<DiffPlace>,
    texts: Memo<Vec<TextPair>>,
) -> impl IntoView {
    let chosen = Memo::new(move |_| {
        let name = place.with(|place| place.text.clone());
        texts.with(|texts| compared(texts, name.as_deref()).cloned())
    });
    let is_whole = Memo::new(move |_| place.with(|place| place.is_whole));
    let go = move |change: &dyn Fn(&mut DiffPlace)| {
        let mut place = place.get_untracked();
        change(&mut place);
        let address = workspace.address.get_untracked();
        workspace.amend(address.to(Place::Diff(place)));
    };
    let buttons = move || {
        texts.with(|texts| {
            texts
                .iter()
                .map(|pair| {
                    let name = pair.name.clone();
                    let is_chosen = {
                        let name = name.clone();
                        move || {
                            let is_it = chosen.with(|chosen| {
                                chosen.as_ref().is_some_and(|chosen| chosen.name == name)
                            });
                            is_it.to_string()
                        }
                    };
                    let word = if pair.is_same { "same" } else { "differs" };
                    let shown = plain(&name);
                    let press = move |_| go(&|place: &mut DiffPlace| place.text = Some(name.clone()));
                    view! {
                        <li>
                            <button type="button" class="phase" aria-pressed=is_chosen data-testid="diff-text" on:click=press>
                                <span class="code-font">{shown}</span> " " <span class="dim">{word}</span>
                            </button>
                        </li>
                    }
                })
                .collect_view()
        })
    };
    let whole = move |event| {
        let is_whole = event_target_checked(&event);
        go(&|place: &mut DiffPlace| place.is_whole = is_whole);
    };
    let has_none = Memo::new(move |_| texts.with(Vec::is_empty));
    view! {
        <p class="dim">{move || if has_none.get() { words::NO_TEXTS } else { words::TEXTS_MEANING }}</p>
        <ul class="diff-choice">{buttons}</ul>
        <label class="check" class:away=has_none>
            <input type="checkbox" data-testid="diff-whole" prop:checked=is_whole on:change=whole />
            "Show lines that are alike"
        </label>
        {move || {
            chosen.get().map(|TextPair { name, old, new, is_same }| {
                let picture = (!is_same && phases::holds_graph(&name)).then(|| {
                    let graph = GraphPlace {
                        against: Some(old),
                        ..GraphPlace::of(new)
                    };
                    let link = workspace.link(id, Place::Graph(graph));
                    view! { <p><a href=link data-testid="diff-picture">{words::AS_A_PICTURE}</a></p> }
                });
                if is_same && !is_whole.get() {
                    view! { <p class="dim" data-testid="same-text">{words::SAME_TEXT}</p> }.into_any()
                } else {
                    let lines = if is_whole.get() { Lines::All } else { Lines::Differing };
                    view! { {picture} {pane(workspace, id, (old, new), lines)} }.into_any()
                }
            })
        }}
    }
}

/// Two records' texts side by side.
pub(super) fn pane(
    workspace: Workspace,
    log: LogId,
    (old, new): (RecordIndex, RecordIndex),
    lines: Lines,
) -> impl IntoView {
    let paged: Paged<DiffRow, Counts> = Paged::new(workspace.engine);
    paged.set_source(Source {
        question: Box::new(move |first, count| Question::TextDiff {
            log,
            old,
            new,
            is_whole: lines == Lines::All,
            first,
            count,
        }),
        pick: |answer| match answer {
            Answer::TextDiff(page) => Some(stretch(page)),
            _ => None,
        },
    });
    let rows = Rows::new(paged.total.into(), code::ROW, 0.0);
    paged.follow(rows);
    let counts = move || {
        let counts = paged.head.get().and_then(Result::ok);
        counts.map(|(removed, added)| {
            let lines = |count: u32| format::counted(u64::from(count), "line", "lines");
            format!("{} removed, {} added", lines(removed), lines(added))
        })
    };
    let wrong = move || paged.head.get().and_then(Result::err);
    let one = move |place: u64| {
        let row = Memo::new(move |_| paged.row(place));
        move || row.with(|row| row.as_ref().map(line))
    };
    view! {
        <p class="dim" role="status" data-testid="diff-counts">{counts}</p>
        {move || trouble(wrong())}
        <div
            class="code diff-pane"
            role="region"
            aria-label="The texts side by side"
            tabindex="0"
            node_ref=rows.node
            on:scroll=move |_| rows.on_scroll()
            on:keydown=move |event| {
                rows.on_key(&event);
            }
        >
            {rows.body(one)}
        </div>
    }
}

fn line(row: &DiffRow) -> AnyView {
    if row.skipped > 0 {
        let many = format::counted(u64::from(row.skipped), "line that is", "lines that are");
        return view! { <div class="code-row diff-skipped">"… " {many} " alike"</div> }.into_any();
    }
    let (side, sign, said) = match row.side {
        Side::Both => ("both", " ", ""),
        Side::Old => ("old", "-", "removed"),
        Side::New => ("new", "+", "added"),
    };
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let words: Vec<Found> = row
        .words
        .iter()
        .map(|(start, end)| Found {
            start: *start,
            end: *end,
            mark: Mark::Found,
        })
        .collect();
    view! {
        <div class="code-row" data-side=side data-testid="diff-row">
            <span class="diff-number">{number(row.old)}</span>
            <span class="diff-number">{number(row.new)}</span>
            <span class="diff-sign"><span aria-hidden="true">{sign}</span><span class="only-read">{said}</span></span>
            <span class="code-text">{code::content(&row.text, &row.spans, &words)}</span>
        </div>
    }
    .into_any()
}

fn stretch(page: TextDiffPage) -> Stretch<DiffRow, Counts> {
    Stretch {
        first: page.first,
        rows: page.rows,
        total: u64::from(page.total),
        head: (page.removed, page.added),
    }
}
