//! Why compilations were needed: the failed guard of every cache entry that was tried.

use leptos::prelude::*;

use super::strip::more;
use crate::engine::frames::again;
use crate::engine::protocol::{
    Answer, CompilationKey, FailedGuard, GuardFailureKind, LogId, Question, ReasonView,
    RecordIndex, StepRole, StepView,
};
use crate::route::{GuardPlace, Place};
use crate::text::format;
use crate::text::frames as words;
use crate::text::paths;
use crate::ui::asked::asked;
use crate::ui::visible::{plain, visible};
use crate::view::workspace::{OpenLog, Workspace};

/// Compilations that are drawn at first, and more at each press.
const DRAWN: usize = 20;
/// Cache entries that are drawn of a compilation.
const ENTRIES: usize = 32;

/// Each compilation of a frame with its reasons.
pub(super) fn section(workspace: Workspace, id: LogId, steps: &[StepView]) -> AnyView {
    let steps: Vec<StepView> = steps
        .iter()
        .filter(|step| step.role != StepRole::First || !step.reasons.is_empty())
        .cloned()
        .collect();
    if steps.is_empty() {
        return ().into_any();
    }
    let note = has_single(&steps)
        .then(|| view! { <p class="dim" data-testid="only-first">{words::ONLY_FIRST}</p> });
    let steps = StoredValue::new(steps);
    let drawn = RwSignal::new(DRAWN);
    let list = move || {
        steps.with_value(|steps| {
            let shown = steps.iter().take(drawn.get());
            shown.map(|step| one(workspace, id, step)).collect_view()
        })
    };
    let left = move || steps.with_value(Vec::len).saturating_sub(drawn.get());
    view! {
        <section>
            <h2>"Why, each time"</h2>
            {note}
            <ol class="why-list">{list}</ol>
            {more(left, move || drawn.update(|drawn| *drawn += DRAWN))}
        </section>
    }
    .into_any()
}

/// A section of a compilation's page: why it was compiled again. Nothing for a function's first one.
pub(crate) fn why(workspace: Workspace, log: &OpenLog, key: &CompilationKey) -> Option<AnyView> {
    let id = log.id;
    let (frame, number) = again(key)?;
    let question = Memo::new(move |_| Question::Frame {
        log: id,
        key: frame,
        only: Some(number),
    });
    let answer = asked(
        workspace.engine,
        question,
        log.growth(),
        |answer| match answer {
            Answer::Frame(view) => Some(view.steps),
            _ => None,
        },
    );
    let link = workspace.link(id, Place::Frame(frame));
    let content = move || {
        let steps = answer.good().unwrap_or_default();
        let note = has_single(&steps).then(|| view! { <p class="dim">{words::ONLY_FIRST}</p> });
        let list = steps
            .iter()
            .map(|step| reasons(workspace, id, step))
            .collect_view();
        view! { {note} {list} }
    };
    Some(
        view! {
            <section data-testid="why-again">
                <h2>"Why it was compiled again"</h2>
                {content}
                <p><a href=link data-testid="frame-link">"The whole history of this function, and what to do"</a></p>
            </section>
        }
        .into_any(),
    )
}

fn has_single(steps: &[StepView]) -> bool {
    let mut reasons = steps.iter().flat_map(|step| &step.reasons);
    reasons.any(|reason| reason.failures.len() == 1)
}

fn one(workspace: Workspace, id: LogId, step: &StepView) -> impl IntoView + use<> {
    let link = workspace.link(id, Place::Compilation(step.key.clone()));
    let seconds = step
        .seconds
        .map(|seconds| format!(" · {}", format::seconds(seconds)));
    view! {
        <li class="why" data-testid="why">
            <h3><a href=link>{visible(&step.label)}</a> <span class="dim">" " {words::role(step.role)} {seconds}</span></h3>
            {reasons(workspace, id, step)}
        </li>
    }
}

fn reasons(workspace: Workspace, id: LogId, step: &StepView) -> AnyView {
    if step.reasons.is_empty() {
        return view! { <p class="dim" data-testid="no-reason">{words::NO_REASON_HERE}</p> }
            .into_any();
    }
    let list = step
        .reasons
        .iter()
        .take(ENTRIES)
        .flat_map(|reason| reason.failures.iter().map(move |failure| (reason, failure)))
        .map(|(reason, failure)| failed(workspace, id, reason, failure))
        .collect_view();
    let is_whole = step.is_whole && step.reasons.len() <= ENTRIES;
    let notes = [
        (!is_whole).then_some(words::NOT_WHOLE),
        step.is_of_metrics.then_some(words::ONLY_METRICS),
    ];
    let notes = notes
        .into_iter()
        .flatten()
        .map(|note| view! { <p class="dim">{note}</p> });
    let record = step.record.map(|record| {
        let link = workspace.link(id, Place::Record(record));
        view! { <p class="failed-links"><a href=link>"The record that says so"</a></p> }
    });
    view! { <ul class="failed-list">{list}</ul> {notes.collect_view()} {record} }.into_any()
}

fn failed(
    workspace: Workspace,
    id: LogId,
    reason: &ReasonView,
    failure: &FailedGuard,
) -> impl IntoView + use<> {
    let entry = reason.entry.as_ref().map(|(key, label)| {
        let link = workspace.link(id, Place::Compilation(key.clone()));
        view! { "The version of " <a href=link>{visible(label)}</a> " did not fit: " }
    });
    let name = words::named(&failure.subject);
    let source = (!failure.subject.source.is_empty()).then(|| failure.subject.source.clone());
    let told = failure.is_inferred.then_some(words::INFERRED);
    let facts = [
        ("Source", source, None),
        ("Compiled for", failure.expected.clone(), None),
        ("What came", failure.actual.clone(), told),
    ];
    let facts = facts.map(|(label, value, title)| {
        let value = value.map_or_else(
            || view! { <span class="dim">{words::NOT_SAID}</span> }.into_any(),
            |value| {
                let title = title.map_or_else(|| plain(&value), str::to_owned);
                view! { <span class="code-font cut" title=title>{visible(&value)}</span> }
                    .into_any()
            },
        );
        view! { <div><dt>{label}</dt><dd>{value}</dd></div> }
    });
    let is_said = failure.subject.kind != GuardFailureKind::GlobalState;
    let facts =
        is_said.then(|| view! { <dl class="numbers">{facts.into_iter().collect_view()}</dl> });
    let user = failure.user.as_ref().map(|user| {
        let place = paths::place(user.file.as_deref(), user.line);
        let whole = plain(&paths::whole_place(user.file.as_deref(), user.line));
        let code = user.source.as_deref().map(|code| view! { <code class="cut" title=plain(code)>{visible(code)}</code> });
        view! {
            <p class="user-line" data-testid="user-line">
                {code} <span class="code-font dim" title=whole>{visible(&place)} " in " {visible(&user.function)}</span>
            </p>
        }
    });
    let kept = words::kept_value(&failure.subject.source)
        .map(|kept| view! { <p class="dim" data-testid="kept-value">{visible(&kept)}</p> });
    let hint = failure
        .hint
        .as_deref()
        .map(|hint| view! { <p class="dim">"PyTorch adds: " {visible(hint)}</p> });
    let node = failure.node.map(|(record, node)| {
        let link = guard_link(workspace, id, record, node);
        view! { <p class="failed-links"><a href=link data-testid="guard-link">"This guard among the version's guards"</a></p> }
    });
    view! {
        <li class="failed" data-testid="failed-guard">
            <p>{entry} <strong class="code-font">{visible(&name)}</strong> <span class="dim">" (" {words::checks(failure.subject.kind)} ")"</span></p>
            {kept}
            {facts}
            <pre class="guard-text">{visible(&failure.guard)}</pre>
            {user}
            {hint}
            {node}
        </li>
    }
}

/// The address of a guard in the tree of its compilation's guards.
fn guard_link(workspace: Workspace, id: LogId, record: RecordIndex, node: u32) -> String {
    let place = GuardPlace {
        node: Some(node),
        ..GuardPlace::of(record)
    };
    workspace.link(id, Place::Guards(place))
}
