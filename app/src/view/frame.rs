//! The history of a function: why it was compiled again and again, what that costs, and what to do.

pub(crate) mod reasons;
pub(crate) mod remedies;
mod strip;

use leptos::prelude::*;

use super::stack::called_from;
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{
    Answer, CallerView, FrameFacts, FrameHistoryView, FrameKey, LogId, Question, SeriesView,
    StepView,
};
use crate::route::Place;
use crate::text::format;
use crate::text::frames as words;
use crate::text::paths;
use crate::ui::asked::asked;
use crate::ui::heading::heading;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// The view.
pub(crate) fn frame(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let key = Memo::new(move |before: Option<&FrameKey>| {
        workspace.address.with(|address| match &address.place {
            Place::Frame(key) => *key,
            _ => before.copied().unwrap_or(FrameKey {
                process: 0,
                generation: 0,
                autograd: None,
                frame_id: 0,
            }),
        })
    });
    let question = Memo::new(move |_| Question::Frame {
        log: id,
        key: key.get(),
        only: None,
    });
    let answer = asked(
        workspace.engine,
        question,
        log.growth(),
        |answer| match answer {
            Answer::Frame(view) => Some(*view),
            _ => None,
        },
    );
    let shown = Memo::new(move |_| answer.good());
    let name = plain(&log.name);
    let called = move || {
        let name = shown.with(|shown| shown.as_ref().map(|view| function(&view.facts)));
        name.unwrap_or_else(|| format!("Frame {}", key.get().frame_id))
    };
    let title = move || format!("Why {} was compiled again · {name}", called());
    let content = move || {
        let times = shown.with(|shown| {
            let view = shown.as_ref()?;
            let times = words::times(view.facts.compilations);
            let limit = view.facts.limit.as_ref().filter(|limit| limit.is_said);
            let limit = limit.map_or("", |_| words::THEN_LIMIT);
            Some(format!(" was compiled {times}{limit}"))
        });
        let called = called();
        view! { <span class="code-font">{visible(&called)}</span> {times} {continued(&called)} }
    };
    let back = workspace.link(id, Place::overview());
    let log_name = visible(&log.name);
    view! {
        <div class="page wide" data-testid="frame-history">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{log_name}</a></nav>
            {heading(workspace.arrival, title, answer.fresh.into(), content)}
            {move || trouble(answer.wrong())}
            <div class="stacked" class:away=move || shown.with(Option::is_none)>
                {move || shown.with(|shown| shown.as_ref().map(|view| body(workspace, id, view)))}
            </div>
        </div>
    }
}

/// The function's name, or what stands for it.
pub(crate) fn function(facts: &FrameFacts) -> String {
    match &facts.function {
        Some(function) => function.clone(),
        None => format!("frame {}", facts.key.frame_id),
    }
}

/// What the name of a function means that PyTorch made, below it.
pub(crate) fn continued(function: &str) -> Option<impl IntoView + use<>> {
    words::continued(function).map(
        |words| view! { <span class="continued" data-testid="continued">{visible(&words)}</span> },
    )
}

/// Where a function is defined, with the whole path on hover.
pub(crate) fn place(facts: &FrameFacts) -> (String, String) {
    (
        paths::place(facts.file.as_deref(), facts.line),
        plain(&paths::whole_place(facts.file.as_deref(), facts.line)),
    )
}

fn body(workspace: Workspace, id: LogId, view: &FrameHistoryView) -> AnyView {
    let facts = &view.facts;
    let (_, whole) = place(facts);
    let setting = words::setting(view.is_recompile_limit);
    let limit = facts.limit.as_ref().map(|limit| {
        let sentence = words::limit(&limit.label, limit.limit, setting, limit.is_said);
        view! { <p data-testid="limit">{visible(&sentence)}</p> }
    });
    let because = match &view.cause {
        Some((subject, values)) => words::because(subject, values),
        None if facts.recompiles == 0 => words::NOT_AGAIN.to_owned(),
        None => format!("Why is not known: {}.", words::NO_REASON),
    };
    let number = |number: u32| format::count(u64::from(number));
    let time =
        |seconds: Option<f64>| seconds.map_or_else(|| "not logged".to_owned(), format::seconds);
    let numbers = [
        ("Recompiles", number(facts.recompiles)),
        ("Restarts", number(facts.restarts)),
        ("Compile time", time(facts.seconds)),
        ("Of that for recompiles", time(facts.seconds_again)),
    ];
    let numbers =
        numbers.map(|(label, value)| view! { <div><dt>{label}</dt><dd>{value}</dd></div> });
    let unread = (view.unread > 0).then(|| {
        let unread = format::counted(u64::from(view.unread), "later compilation", "later compilations");
        view! { <p class="dim">"The reasons of " {unread} " were not read, because there are too many."</p> }
    });
    view! {
        <p class="whole-place code-font">{visible(&whole)}</p>
        {callers(workspace, id, &view.callers)}
        <div class="status-card answer-card" data-status="break" data-testid="because">
            <p class="because">{visible(&because)}</p>
            {limit}
            <dl class="numbers">{numbers.into_iter().collect_view()}</dl>
        </div>
        {remedies::remedies(workspace, id, view)}
        {strip::strip(workspace, id, facts, &view.steps)}
        {unread}
        {reasons::section(workspace, id, &view.steps)}
        {series_section(&view.series, &view.steps)}
        {evidence(workspace, id, &view.steps)}
    }
    .into_any()
}

/// The lines of the program that called the function, each with the way to its whole stack.
fn callers(workspace: Workspace, id: LogId, callers: &[CallerView]) -> impl IntoView + use<> {
    let lines = callers.iter().map(|caller| {
        let link = workspace.link(id, Place::Compilation(caller.key.clone()));
        view! {
            <p class="caller" data-testid="caller">
                {called_from(&caller.frame)} " · "
                <a href=link data-testid="caller-stack">{visible(&words::whole_stack(&caller.label))}</a>
            </p>
        }
    });
    lines.collect_view()
}

/// Values over time.
fn series_section(all: &[SeriesView], steps: &[StepView]) -> Option<AnyView> {
    let label = |id: u32| remedies::label_of(steps, id);
    let rows = all
        .iter()
        .filter(|series| {
            let first = series.values.first().map(|(_, value)| value);
            let differs = series.values.iter().any(|(_, value)| Some(value) != first);
            differs || series.free_since.is_some()
        })
        .map(|series| {
            let values = series.values.iter().map(|(id, value)| {
                let title = plain(&format!("{}: {value}", label(*id)));
                view! { <li title=title><span class="dim">{visible(&label(*id))}</span> " " <span class="code-font">{visible(value)}</span></li> }
            });
            let left = series.total.saturating_sub(u32::try_from(series.values.len()).unwrap_or(u32::MAX));
            let more = (left > 0).then(|| view! { <li class="dim">{format!("and {left} more")}</li> });
            let free = series.free_since.map(|id| view! { <p class="dim">{visible(&words::free_since(&label(id)))}</p> });
            view! {
                <div class="series" data-testid="series">
                    <h3 class="code-font">{visible(&words::named(&series.subject))}</h3>
                    <ol class="values">{values.collect_view()} {more}</ol>
                    {free}
                </div>
            }
        })
        .collect_view();
    (!rows.is_empty()).then(|| {
        view! {
            <section data-testid="values-over-time">
                <h2>"Values over time"</h2>
                <p class="dim">{words::SERIES}</p>
                {rows}
            </section>
        }
        .into_any()
    })
}

/// Records that say all this, at most so many.
const MOST_EVIDENCE: usize = 100;

fn evidence(workspace: Workspace, id: LogId, steps: &[StepView]) -> Option<AnyView> {
    let links = steps
        .iter()
        .filter_map(|step| Some((step, step.record?)))
        .take(MOST_EVIDENCE)
        .map(|(step, record)| {
            let link = workspace.link(id, Place::Record(record));
            view! { <li><a href=link>{visible(&step.label)}</a></li> }
        })
        .collect_view();
    (!links.is_empty()).then(|| {
        view! {
            <section data-testid="frame-evidence">
                <h2>"Records behind these reasons"</h2>
                <ul class="examples">{links}</ul>
            </section>
        }
        .into_any()
    })
}
