//! One compilation: how it ended and what to do, how the program came there, what was written.

use leptos::prelude::*;

use super::artifacts::artifacts;
use super::frame::{continued, reasons};
use super::stack::{called_from, stack};
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{
    Answer, CompilationKey, CompilationRow, CompilationView, EvidenceRow, FailureView,
    FrameCompilation, LogId, Question, RecordIndex, Status,
};
use crate::route::{DiffPlace, GraphPlace, GuardPlace, Place};
use crate::text;
use crate::text::format;
use crate::text::missing::{self, Missing, Origin};
use crate::text::paths;
use crate::text::phases;
use crate::text::words;
use crate::ui::asked::asked;
use crate::ui::heading::heading;
use crate::ui::marks::status_mark;
use crate::ui::trouble::trouble;
use crate::ui::visible::{lines, plain, visible};

/// A compilation beside this one, with its label.
type Neighbour = (CompilationKey, String);

/// The view.
pub(crate) fn compilation(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let growth = log.growth();
    let key = Memo::new(move |before: Option<&CompilationKey>| {
        workspace.address.with(|address| match &address.place {
            Place::Compilation(key) => key.clone(),
            _ => before.cloned().unwrap_or(CompilationKey {
                process: 0,
                generation: 0,
                id: String::new(),
            }),
        })
    });
    let question = Memo::new(move |_| Question::Compilation {
        log: id,
        key: key.get(),
    });
    let answer = asked(workspace.engine, question, growth, |answer| match answer {
        Answer::Compilation(view) => Some(*view),
        _ => None,
    });
    let shown = Memo::new(move |_| answer.good());
    let name = plain(&log.name);
    let title = move || {
        let what = shown.with(|shown| shown.as_ref().map(|view| named(&view.row)));
        format!(
            "{} · {name}",
            what.unwrap_or_else(|| format!("[{}]", key.get().id))
        )
    };
    let content = move || {
        shown.with(|shown| match shown {
            Some(view) => head_line(&view.row).into_any(),
            None => format!("[{}]", plain(&key.get().id)).into_any(),
        })
    };
    let why = {
        let log = log.clone();
        move || reasons::why(workspace, &log, &key.get())
    };
    let back = workspace.link(id, Place::overview());
    let log_name = visible(&log.name);
    let beside = part(shown, |view| (view.previous.clone(), view.next.clone()));
    let row = part(shown, |view| Some(view.row.clone()));
    let origin = move || row.with(|row| Origin::of(row.as_ref().is_some_and(|row| row.is_console)));
    let failures = part(shown, |view| view.failures.clone());
    let reasons = part(shown, |view| view.restart_reasons.clone());
    let list = part(shown, |view| view.artifacts.clone());
    let guards = part(shown, |view| view.guards);
    // Dynamo's own graph is the one that looks like the program; of the others any is better than none.
    let picture = part(shown, |view| {
        let mut graphs = view
            .artifacts
            .iter()
            .filter(|one| phases::holds_graph(&one.name));
        let first = graphs.clone().next().map(|one| one.record);
        graphs
            .rfind(|one| one.name == "dynamo_output_graph")
            .map(|one| one.record)
            .or(first)
    });
    let frames = part(shown, |view| view.stack.clone());
    let evidence = part(shown, |view| view.evidence.clone());
    let of_frame = part(shown, |view| {
        (
            Some(view.row.key.clone()),
            view.of_frame.clone(),
            view.of_frame_total,
        )
    });
    let called = part(shown, |view| view.caller.clone());
    view! {
        <div class="page wide" data-testid="compilation">
            <nav class="crumbs" aria-label="Where this is">
                <a href=back>{log_name}</a>
                {move || neighbours(workspace, id, beside.get())}
            </nav>
            {heading(workspace.arrival, title, answer.fresh.into(), content)}
            {move || trouble(answer.wrong())}
            // Nothing shows before all of it is there, so that nothing moves.
            <div class="stacked" class:away=move || row.with(Option::is_none)>
                {move || called.get().map(|frame| view! { <p class="caller" data-testid="caller">{called_from(&frame)}</p> })}
                {move || row.get().map(|row| status_card(&row, guards_link(workspace, id, guards.get()), graph_link(workspace, id, picture.get())))}
                {move || {
                    let (own, all, total) = of_frame.get();
                    own.map(|own| frame_strip(workspace, id, &own, &all, total))
                }}
                {why}
                {move || failures_section(workspace, id, failures.get())}
                {move || restarts(&reasons.get())}
                <section class="artifact-section">
                    <h2>"Artifacts"</h2>
                    {artifacts(workspace, id, list.into())}
                    <Show when=move || list.with(Vec::is_empty)>
                        <p class="dim" data-testid="no-artifacts">{move || missing::sentence(Missing::Artifacts, origin())}</p>
                    </Show>
                </section>
                <section>
                    <h2>"How the program came here"</h2>
                    {move || stack(workspace, id, frames.get(), origin())}
                </section>
                {move || evidence_section(workspace, id, evidence.get())}
            </div>
        </div>
    }
}

/// A part of the view, followed by itself: what did not change is not drawn again.
fn part<T: Default + PartialEq + Send + Sync + 'static>(
    shown: Memo<Option<CompilationView>>,
    take: fn(&CompilationView) -> T,
) -> Memo<T> {
    Memo::new(move |_| shown.with(|shown| shown.as_ref().map(take).unwrap_or_default()))
}

fn named(row: &CompilationRow) -> String {
    match &row.function {
        Some(function) => format!("{} {function}", row.label),
        None => row.label.clone(),
    }
}

fn head_line(row: &CompilationRow) -> impl IntoView + use<> {
    let function = row
        .function
        .as_deref()
        .map(|function| view! { " " <span class="code-font">{visible(function)}</span> });
    let continued = row.function.as_deref().and_then(continued);
    view! { <span class="label">{visible(&row.label)}</span> {function} {continued} }
}

fn neighbours(
    workspace: Workspace,
    id: LogId,
    (previous, next): (Option<Neighbour>, Option<Neighbour>),
) -> impl IntoView {
    let link = move |to: Option<Neighbour>, word: &'static str, test: &'static str| {
        to.map(|(key, label)| {
            let link = workspace.link(id, Place::Compilation(key));
            view! { <a href=link data-testid=test>{word} " " {visible(&label)}</a> }
        })
    };
    view! { <span class="beside">{link(previous, "Previous:", "previous")} {link(next, "Next:", "next")}</span> }
}

/// All compilations of the same frame, with how they ended, and the ones before and after this one.
fn frame_strip(
    workspace: Workspace,
    id: LogId,
    own: &CompilationKey,
    all: &[FrameCompilation],
    total: u32,
) -> impl IntoView + use<> {
    let here = all.iter().position(|one| one.key == *own)?;
    if all.len() < 2 {
        return None;
    }
    let link =
        move |one: &FrameCompilation| workspace.link(id, Place::Compilation(one.key.clone()));
    let marks = all
        .iter()
        .enumerate()
        .map(|(place, one)| {
            let words = words::status(one.status);
            let current = (place == here).then_some("page");
            view! {
                <li>
                    <a href=link(one) class="mark" data-testid="of-frame" data-status=words.key title=words.meaning aria-current=current>
                        {visible(&one.label)} <span class="only-read">" " {words.label}</span>
                    </a>
                </li>
            }
        })
        .collect_view();
    let beside = move |one: Option<&FrameCompilation>, word: &'static str, test: &'static str| {
        one.map(|one| {
            let key = text::KEY_OF_FRAME.get(usize::from(test == "frame-next")).copied();
            view! { <a href=link(one) data-testid=test title=key>{word} " " {visible(&one.label)}</a> }
        })
    };
    let previous = here.checked_sub(1).and_then(|place| all.get(place));
    let next = all.get(here.saturating_add(1));
    let many = format::counted(u64::from(total), "compilation", "compilations");
    let shown = all.len() as u64;
    let part = (u64::from(total) > shown).then(|| text::part_of_frame(&format::count(shown)));
    let compared = previous.map(|one| {
        let place = Place::Diff(DiffPlace {
            new: own.clone(),
            old: one.key.id.clone(),
            text: None,
            is_whole: false,
        });
        let link = workspace.link(id, place);
        view! { <a href=link data-testid="diff-link">{text::COMPARE} " " {visible(&one.label)}</a> }
    });
    Some(view! {
        <nav class="of-frame" aria-label=text::OF_FRAME data-testid="frame-strip">
            <p><span class="dim">{many} {text::OF_THIS_FRAME} {part} " " {compared}</span>
                <span class="beside">
                    {beside(previous, text::PREVIOUS_OF_FRAME, "frame-previous")}
                    {beside(next, text::NEXT_OF_FRAME, "frame-next")}
                </span>
            </p>
            <ol>{marks}</ol>
        </nav>
    })
}

fn guards_link(workspace: Workspace, id: LogId, record: Option<RecordIndex>) -> Option<String> {
    Some(workspace.link(id, Place::Guards(GuardPlace::of(record?))))
}

fn graph_link(workspace: Workspace, id: LogId, record: Option<RecordIndex>) -> Option<String> {
    Some(workspace.link(id, Place::Graph(GraphPlace::of(record?))))
}

/// How it ended, what that means, what to do next; and its numbers.
fn status_card(
    row: &CompilationRow,
    guards: Option<String>,
    graph: Option<String>,
) -> impl IntoView + use<> {
    let words = words::status(row.status);
    let whole = plain(&paths::whole_place(row.file.as_deref(), row.line));
    let numbers = [
        (
            "Attempts",
            Some(format::count(u64::from(row.attempts))),
            None,
        ),
        (
            "Operations",
            row.ops.map(format::signed),
            graph.map(|link| (link, "as a picture", "graph-picture")),
        ),
        (
            "Guards",
            row.guards.map(format::signed),
            guards.map(|link| (link, "as a tree", "guards-count")),
        ),
        ("Compile time", row.seconds.map(format::seconds), None),
    ];
    let numbers = numbers.map(|(label, value, link)| {
        let value = match (value, link) {
            (Some(value), Some((link, word, mark))) => {
                view! { {value} " " <a href=link data-testid=mark>{word}</a> }.into_any()
            }
            (None, Some((link, word, mark))) => {
                view! { <a href=link data-testid=mark>{word}</a> }.into_any()
            }
            (value, None) => value.unwrap_or_else(|| "not logged".to_owned()).into_any(),
        };
        view! { <div><dt>{label}</dt><dd>{value}</dd></div> }
    });
    let lacking = missing::of_row(row)
        .into_iter()
        .map(|what| {
            let words = missing::sentence(what, Origin::of(row.is_console));
            view! { <p class="dim" data-testid="missing">{words}</p> }
        })
        .collect_view();
    let next = match row.status {
        Status::NoMetrics if row.is_console => missing::CONSOLE_STATUS,
        _ => words.next,
    };
    view! {
        <p class="whole-place code-font">{visible(&whole)}</p>
        <div class="status-card" data-status=words.key data-testid="status">
            <p>{status_mark(row.status)} " " {words.meaning} " " <span class="dim">{next}</span></p>
            <dl class="numbers">{numbers.into_iter().collect_view()}</dl>
            {lacking}
        </div>
    }
}

fn failures_section(workspace: Workspace, id: LogId, failures: Vec<FailureView>) -> impl IntoView {
    let list = failures
        .iter()
        .map(|failure| {
            let raw = workspace.link(id, Place::Record(failure.record));
            let place = paths::whole_place(failure.file.as_deref(), failure.line);
            let place = (!place.is_empty()).then(|| view! { <span class="code-font dim">{visible(&place)}</span> });
            let reason = failure.reason.as_deref().map(|reason| view! { <pre class="reason" tabindex="0" aria-label="Reason">{lines(reason)}</pre> });
            let kind = failure.kind.as_deref().map(|kind| view! { <strong class="code-font">{visible(kind)}</strong> });
            view! {
                <li data-testid="failure">
                    <p>{kind} " " {place} " " <a href=raw>"the record that says so"</a></p>
                    {reason}
                </li>
            }
        })
        .collect_view();
    (!failures.is_empty()).then(
        || view! { <section><h2>"Why it failed"</h2><ul class="failures">{list}</ul></section> },
    )
}

fn restarts(reasons: &[String]) -> impl IntoView + use<> {
    let list = reasons
        .iter()
        .map(|reason| view! { <li><pre class="reason">{lines(reason)}</pre></li> })
        .collect_view();
    (!reasons.is_empty()).then(|| {
        view! {
            <section data-testid="restarts">
                <h2>"Why attempts were given up"</h2>
                <ol class="restarts">{list}</ol>
            </section>
        }
    })
}

fn evidence_section(workspace: Workspace, id: LogId, evidence: Vec<EvidenceRow>) -> impl IntoView {
    let rows = evidence
        .iter()
        .map(|row| {
            let raw = workspace.link(id, Place::Record(row.record));
            view! {
                <tr>
                    <td><a href=raw class="code-font">{visible(&row.kind)}</a></td>
                    <td class="number">{format::count(u64::from(row.attempt))}</td>
                    <td class="number">{format::count(row.line)}</td>
                </tr>
            }
        })
        .collect_view();
    (!evidence.is_empty()).then(|| {
        view! {
            <section data-testid="evidence">
                <h2>"Records behind these facts"</h2>
                <table class="plain">
                    <thead><tr><th scope="col">"Record"</th><th scope="col" class="number">"Attempt"</th><th scope="col" class="number">"Line"</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </section>
        }
    })
}
