//! Where graphs broke: each place once, with the program's line, what to do, and what PyTorch says.

use leptos::prelude::*;

use super::failures::{call, compilations, folded, https, places};
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{
    Answer, BreakKind, BreakMessage, BreakRow, BreaksPage, LogId, Question,
};
use crate::route::Place;
use crate::text::breaks as words;
use crate::text::failures::PAGE;
use crate::text::format::{count, counted};
use crate::text::paths;
use crate::ui::asked::{Asked, asked};
use crate::ui::copy::copy_button;
use crate::ui::heading::heading;
use crate::ui::more::more;
use crate::ui::trouble::trouble;
use crate::ui::visible::{lines, plain, visible};

/// Places that are shown at first, and more at each press.
const FIRST: u32 = 50;
const MORE: u32 = 200;
/// Places that the overview names.
const BRIEF: u32 = 5;

/// Asks for the first places.
fn ask(workspace: Workspace, log: &OpenLog, count: RwSignal<u32>) -> Asked<BreaksPage> {
    let id = log.id;
    let question = Memo::new(move |_| Question::Breaks {
        log: id,
        count: count.get(),
    });
    let pick = |answer| match answer {
        Answer::Breaks(page) => Some(*page),
        _ => None,
    };
    asked(workspace.engine, question, log.growth(), pick)
}

/// The view.
pub(crate) fn breaks(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let count = RwSignal::new(FIRST);
    let answer = ask(workspace, log, count);
    let shown = Memo::new(move |_| answer.good());
    let back = workspace.link(id, Place::overview());
    let title = format!("{} · {}", words::TITLE, plain(&log.name));
    let content = move || {
        shown.with(|page| match page {
            Some(page) if page.total > 0 => words::sum(page.total, page.breaks),
            _ => words::TITLE.to_owned(),
        })
    };
    let list = move || {
        shown.with(|page| {
            let page = page.as_ref()?;
            Some(if !page.is_complete {
                view! { <p class="dim" data-testid="breaks-wait">{words::NOT_YET}</p> }.into_any()
            } else if page.total == 0 {
                view! { <p class="dim" data-testid="breaks-none">{words::NONE}</p> }.into_any()
            } else {
                let rows = page.rows.iter();
                let rows = rows.map(|row| one(workspace, id, row)).collect_view();
                view! {
                    <section aria-labelledby="places-title">
                        <h2 id="places-title">{words::PLACES}</h2>
                        {rows}
                    </section>
                }
                .into_any()
            })
        })
    };
    let left = move || {
        shown.with(|page| {
            let here = |page: &BreaksPage| u32::try_from(page.rows.len()).unwrap_or(u32::MAX);
            page.as_ref()
                .map_or(0, |page| page.total.saturating_sub(here(page)))
        })
    };
    view! {
        <div class="page wide findings" data-testid="breaks">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{visible(&log.name)}</a></nav>
            {heading(workspace.arrival, move || title.clone(), answer.fresh.into(), content)}
            <p class="lead">{words::LEAD}</p>
            {move || trouble(answer.wrong())}
            {list}
            {more("breaks-more", left, |left| words::more(left.min(MORE)), count, MORE)}
            {move || shown.with(|page| page.as_ref().map(left_out))}
        </div>
    }
}

fn one(workspace: Workspace, id: LogId, row: &BreakRow) -> impl IntoView + use<> {
    let kind = words::of(row);
    let key = if row.is_inferred { "told" } else { "warned" };
    let own = row.place.as_ref().map(|place| {
        let number = row.callers.len() as u64 + u64::from(row.more_callers);
        let sum = counted(number, "call that led there", "calls that led there");
        let callers = folded(&row.callers, sum);
        view! { <div class="own-line" data-testid="break-place"><ol class="calls">{call(place)}</ol>{callers}</div> }
    });
    let skipped = row.skipped.as_ref().map(|skipped| {
        let function = skipped.function.as_deref().unwrap_or(words::UNNAMED);
        let place = paths::place(skipped.file.as_deref(), skipped.line);
        let whole = plain(&paths::whole_place(skipped.file.as_deref(), skipped.line));
        view! {
            <p class="hint" data-testid="break-skips">
                {words::skips(skipped.times, row.at.count)} " "
                <span class="code-font">{visible(function)}</span> " "
                <span class="dim code-font" title=whole>{visible(&place)}</span> " "
                {words::and_others(skipped.others)} {words::SKIP}
            </p>
        }
    });
    let inferred = row
        .is_inferred
        .then(|| view! { <p class="hint">{words::INFERRED}</p> });
    let next = if row.kind == BreakKind::Other && row.said.is_empty() {
        view! { <p class="dim">{words::NO_REASON}</p> }.into_any()
    } else {
        let code = (!kind.after.is_empty()).then(|| {
            let copy = copy_button("Copy", "Copy this code", || kind.after.to_owned());
            view! { <div class="command"><pre><code>{kind.after}</code></pre>{copy}</div> }
        });
        view! { <div class="next-step" data-testid="break-next"><h4>{words::NEXT}</h4><p>{kind.next}</p>{code}</div> }
            .into_any()
    };
    let behind = (row.resumed > 0).then(|| {
        let some = compilations(workspace, id, &row.behind);
        view! { <p data-testid="break-behind">{words::behind(row.resumed, row.seconds)} {some}</p> }
    });
    let evidence = (row.at.count > 0 || !row.at.compilations.is_empty())
        .then(|| places(workspace, id, &row.at));
    view! {
        <article class="finding" data-testid="break" data-certainty=key>
            <h3 data-testid="break-title">{title(row)}</h3>
            {own}
            {skipped}
            {inferred}
            {behind}
            {next}
            {said(&row.said)}
            {evidence}
        </article>
    }
    .into_any()
}

/// What broke it, in a line: PyTorch's own word where no kind is known.
fn title(row: &BreakRow) -> String {
    match (row.kind, row.said.first()) {
        (BreakKind::Other, Some(first)) => plain(&first.kind),
        (BreakKind::Other, None) => words::UNKNOWN.to_owned(),
        _ => words::of(row).title.to_owned(),
    }
}

/// What PyTorch says: its hints at once, the rest behind a press.
fn said(messages: &[BreakMessage]) -> Option<AnyView> {
    let (first, rest) = messages.split_first()?;
    let hints = first
        .hints
        .iter()
        .map(|hint| view! { <li>{lines(hint)}</li> })
        .collect_view();
    let hints = (!first.hints.is_empty()).then(|| {
        view! { <div data-testid="break-hints"><h4>{words::HINTS}</h4><ul class="hints">{hints}</ul></div> }
    });
    let page = first.page.as_deref().map(|page| https(page, PAGE));
    let rest = rest
        .iter()
        .map(|message| view! { <p class="dim">{words::THEN}</p>{message_text(message)} })
        .collect_view();
    Some(
        view! {
            {hints}
            {page}
            <details data-testid="break-said"><summary>{words::SAID}</summary>{message_text(first)}{rest}</details>
        }
        .into_any(),
    )
}

fn message_text(message: &BreakMessage) -> impl IntoView + use<> {
    let explanation = message
        .explanation
        .as_deref()
        .map(|text| view! { <pre class="reason" tabindex="0" aria-label="Explanation">{lines(text)}</pre> });
    let context = message.context.as_deref().map(|text| {
        view! { <p class="dim">{words::CONTEXT} ": " <code>{visible(text)}</code></p> }
    });
    view! { <p><strong class="code-font">{visible(&message.kind)}</strong></p>{explanation}{context} }
}

fn left_out(page: &BreaksPage) -> impl IntoView + use<> {
    let left_out = (page.left_out > 0).then(|| words::left_out(page.left_out));
    let unread = (page.unread > 0).then(|| words::unread(page.unread));
    [left_out, unread]
        .into_iter()
        .flatten()
        .map(|note| view! { <p class="dim">{note}</p> })
        .collect_view()
}

/// The first places on the overview: where, what, how often.
pub(super) fn section(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let answer = ask(workspace, log, RwSignal::new(BRIEF));
    let link = workspace.link(log.id, Place::Breaks);
    move || {
        let page = answer.good().filter(|page| page.total > 0)?;
        let rows = page.rows.iter().map(|row| brief(&link, row)).collect_view();
        let sum = words::sum(page.total, page.breaks);
        Some(view! {
            <section class="recompiled" data-testid="breaks-section" aria-labelledby="breaks-title">
                <h2 id="breaks-title">{words::TITLE}</h2>
                <table class="plain">
                    <thead><tr><th scope="col">"Line"</th><th scope="col" class="number">"Times"</th><th scope="col">"Why"</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
                <p><a href=link.clone() data-testid="breaks-all">{sum} ": what to do about each"</a></p>
            </section>
        })
    }
}

fn brief(link: &str, row: &BreakRow) -> impl IntoView + use<> {
    let place = row.place.as_ref().map(|place| {
        let line = place.line.map(i64::from);
        let code = place.code.first().map(|(code, _)| view! { <code>{visible(code)}</code> });
        let whole = plain(&paths::whole_place(Some(&place.file), line));
        view! { {code} <span class="helps dim code-font" title=whole>{visible(&paths::place(Some(&place.file), line))}</span> }
    });
    let times = (row.at.count > 0).then(|| count(row.at.count));
    let skip = row.skipped.as_ref().map(|skipped| {
        let function = skipped.function.as_deref().unwrap_or(words::UNNAMED);
        view! { <span class="helps warns"><span class="code-font">{visible(function)}</span> " " {words::SKIPPED}</span> }
    });
    view! {
        <tr data-testid="break-row">
            <td>{place}</td>
            <td class="number">{times}</td>
            <td><a href=link.to_owned() class="because-link">{title(row)}</a>{skip}</td>
        </tr>
    }
}
