//! What failed and what was warned: which component, the program's line, what to do, and the evidence.

mod warned;

use leptos::prelude::*;

use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{
    Answer, Certainty, CodeFrame, CompilationKey, Evidence, FailureReport, Findings, LogId,
    Occurrences, Question, RaisedView, Run,
};
use crate::route::{Place, TextPlace};
use crate::text::failures as words;
use crate::text::format::{count, counted};
use crate::text::paths;
use crate::ui::asked::{Asked, asked};
use crate::ui::copy::copy_button;
use crate::ui::heading::heading;
use crate::ui::trouble::trouble;
use crate::ui::visible::{lines, plain, visible};

/// Asks what failed and what was warned.
pub(super) fn ask(workspace: Workspace, log: &OpenLog) -> Asked<Findings> {
    let id = log.id;
    let question = Memo::new(move |_| Question::Findings { log: id });
    asked(
        workspace.engine,
        question,
        log.growth(),
        |answer| match answer {
            Answer::Findings(findings) => Some(*findings),
            _ => None,
        },
    )
}

/// The view.
pub(crate) fn failures(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let answer = ask(workspace, log);
    let shown = Memo::new(move |_| answer.good());
    let back = workspace.link(id, Place::overview());
    let title = format!("{} · {}", words::TITLE, plain(&log.name));
    let content =
        move || shown.with(|shown| shown.as_ref().map_or_else(|| words::TITLE.to_owned(), sum));
    let sections = move || {
        shown.with(|shown| {
            let findings = shown.as_ref()?;
            Some(if !findings.is_complete {
                view! { <p class="dim" data-testid="findings-wait">{words::NOT_YET}</p> }.into_any()
            } else if findings.is_empty() {
                view! { <p class="dim" data-testid="findings-none">{words::NOTHING}</p> }.into_any()
            } else {
                all(workspace, id, findings).into_any()
            })
        })
    };
    view! {
        <div class="page wide findings" data-testid="findings">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{visible(&log.name)}</a></nav>
            {heading(workspace.arrival, move || title.clone(), answer.fresh.into(), content)}
            <p class="lead">{words::LEAD}</p>
            {move || trouble(answer.wrong())}
            {sections}
        </div>
    }
}

/// How much of each there is, in a line.
pub(super) fn sum(findings: &Findings) -> String {
    let warnings: u64 = findings.warnings.iter().map(|group| group.count).sum();
    let parts = [
        (findings.failures.len() as u64, "failure", "failures"),
        (
            findings.limits.len() as u64,
            "limit reached",
            "limits reached",
        ),
        (warnings, "warning", "warnings"),
        (
            findings.explanations.len() as u64,
            "result of explain",
            "results of explain",
        ),
        (
            findings.times.len() as u64,
            "table of compile times",
            "tables of compile times",
        ),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| counted(number, one, many))
        .collect();
    if parts.is_empty() {
        words::TITLE.to_owned()
    } else {
        let more = if findings.left_out > 0 {
            ", and more"
        } else {
            ""
        };
        parts.join(", ") + more
    }
}

/// Which component failed, in a sentence.
pub(super) fn sentence(failure: &FailureReport) -> String {
    words::sentence(failure.component, failure.kind, failure.certainty)
}

fn all(workspace: Workspace, id: LogId, findings: &Findings) -> impl IntoView + use<> {
    let only_plain = findings.records == 0;
    let failures = findings
        .failures
        .iter()
        .map(|failure| one(workspace, id, failure).into_any())
        .collect_view();
    let has_failures = !findings.failures.is_empty();
    let left_out = (findings.left_out > 0).then(|| words::left_out(&count(findings.left_out)));
    let too_large = (findings.too_large > 0).then(|| words::too_large(&count(findings.too_large)));
    view! {
        {only_plain.then(|| view! { <p class="hint" data-testid="only-plain">{words::ONLY_PLAIN}</p> })}
        {has_failures.then(|| view! {
            <section aria-labelledby="failures-title">
                <h2 id="failures-title">{words::FAILED}</h2>
                {failures}
            </section>
        })}
        {warned::limits(workspace, id, &findings.limits)}
        {warned::warnings(workspace, id, &findings.warnings)}
        {warned::explanations(workspace, id, &findings.explanations)}
        {warned::times(workspace, id, &findings.times)}
        {left_out.map(|words| view! { <p class="dim" data-testid="left-out">{words}</p> })}
        {too_large.map(|words| view! { <p class="dim">{words}</p> })}
    }
}

fn one(workspace: Workspace, id: LogId, failure: &FailureReport) -> impl IntoView + use<> {
    let component = words::component(failure.component);
    let kind = words::kind(failure.kind);
    let (sure, why) = words::certainty(failure.certainty);
    let key = match failure.certainty {
        Certainty::Certain => "certain",
        Certainty::Guessed => "likely",
    };
    let backend = failure.backend.as_deref().map(|name| {
        view! { <p class="dim">"Backend: " <code>{visible(name)}</code></p> }
    });
    let own = failure.user.split_last().map(|(last, callers)| {
        let number = callers.len() as u64;
        let sum = counted(number, "line that led there", "lines that led there");
        let callers = folded(callers, sum);
        view! {
            <div class="own-line" data-testid="own-line">
                <h4>{words::OWN_LINE}</h4>
                <ol class="calls">{call(last)}</ol>
                {callers}
            </div>
        }
    });
    let telling = failure
        .telling()
        .map(|raised| exception(raised, "telling").into_any());
    let other = failure
        .surfaced()
        .filter(|_| (failure.telling as usize).saturating_add(1) < failure.exceptions.len())
        .map(|raised| {
            let name = raised.kind.rsplit('.').next().unwrap_or_default();
            let (before, behind) = words::SURFACED;
            view! { <p class="dim">{before} <code>{visible(name)}</code> {behind}</p> }
        });
    let page = failure.page.as_deref().map(|page| https(page, words::PAGE));
    let minifier = failure.minifier.as_deref().map(|path| {
        view! { <p>{words::MINIFIER} <code>{visible(path)}</code></p> }
    });
    view! {
        <article class="finding" data-testid="failure-report" data-component=component.name data-certainty=key>
            <h3>
                <span class="mark" data-certainty=key title=why>{sure}</span> " "
                <span data-testid="failure-sentence">{sentence(failure)}</span>
            </h3>
            <p class="dim">{component.text}</p>
            {backend}
            {own}
            {telling}
            {other}
            <div class="next-step" data-testid="next-step"><h4>{words::NEXT}</h4><p>{kind.next}</p>{page}{minifier}</div>
            {runs(&failure.runs)}
            {chain(failure)}
            {places(workspace, id, &failure.at)}
        </article>
    }
}

/// A link that leaves the page only where it is safe to.
pub(super) fn https(page: &str, words: &'static str) -> AnyView {
    if page.starts_with("https://") {
        let page = page.to_owned();
        view! { <p><a href=page rel="noreferrer noopener" target="_blank">{words}</a></p> }
            .into_any()
    } else {
        view! { <p>{visible(page)}</p> }.into_any()
    }
}

fn exception(raised: &RaisedView, test: &'static str) -> impl IntoView + use<> {
    let message = (!raised.message.is_empty()).then(|| message(&raised.message));
    let kind = match raised.kind.as_str() {
        "" => view! { <span class="dim">{words::CUT_OFF}</span> }.into_any(),
        kind => view! { <strong class="code-font">{visible(kind)}</strong> }.into_any(),
    };
    view! {
        <div class="exception" data-testid=test>
            <p>{kind}</p>
            {message}
        </div>
    }
}

/// A message of several lines, which scrolls where it is long.
pub(super) fn message(text: &str) -> impl IntoView + use<> {
    view! { <pre class="reason" tabindex="0" aria-label="Message">{lines(text)}</pre> }
}

/// The runs that would confirm it, as code to copy.
fn runs(all: &[Run]) -> impl IntoView + use<> {
    let list = all
        .iter()
        .map(|run| {
            let (argument, shows) = words::run(*run);
            let code = format!("torch.compile(f, {argument})");
            let copied = code.clone();
            let expected = words::expected(run.expected);
            view! {
                <li data-testid="run">
                    <div class="command"><code>{code}</code>{copy_button("Copy", "Copy this run", move || copied.clone())}</div>
                    <p>{shows} " " <span class="dim">{expected}</span></p>
                </li>
            }
        })
        .collect_view();
    (!all.is_empty()).then(|| {
        view! { <div class="runs"><h4>{words::RUNS_TITLE}</h4><p class="dim">{words::RUNS}</p><ol>{list}</ol></div> }
    })
}

/// All exceptions with their calls, folded.
fn chain(failure: &FailureReport) -> impl IntoView + use<> {
    let calls: usize = failure
        .exceptions
        .iter()
        .map(|raised| raised.frames.len())
        .sum();
    if calls == 0 {
        return None;
    }
    let skipped = (failure.more_exceptions > 0).then(|| {
        view! { <p class="dim">{words::earlier_exceptions(failure.more_exceptions)}</p> }
    });
    let all = failure
        .exceptions
        .iter()
        .map(|raised| {
            let link = words::link(raised.link);
            let link = (!link.is_empty()).then(|| view! { <p class="dim joins">{link}</p> });
            let stacks = raised
                .stacks
                .iter()
                .map(|(kind, frames)| {
                    let frames = frames.iter().map(call).collect_view();
                    view! { <p class="dim">{words::stack(*kind)}</p><ol class="calls">{frames}</ol> }
                })
                .collect_view();
            view! {
                {link}
                {calls_of(raised)}
                {exception(raised, "exception")}
                {stacks}
            }
        })
        .collect_view();
    Some(view! {
        <details data-testid="traceback">
            <summary>{words::whole_traceback(calls as u64)}</summary>
            {skipped}
            {all}
        </details>
    })
}

/// The calls, outermost first: the program's own stand open, a framework's are folded.
fn calls_of(raised: &RaisedView) -> impl IntoView + use<> {
    let mut runs: Vec<(bool, Vec<&CodeFrame>)> = Vec::new();
    for frame in &raised.frames {
        match runs.last_mut() {
            Some((is_own, run)) if *is_own == frame.is_own => run.push(frame),
            _ => runs.push((frame.is_own, vec![frame])),
        }
    }
    let runs = runs
        .into_iter()
        .map(|(is_own, run)| {
            let list = run.iter().map(|frame| call(frame)).collect_view();
            if is_own {
                return list.into_any();
            }
            let words = counted(run.len() as u64, "framework frame", "framework frames");
            view! { <li class="framework"><details><summary>{words}</summary><ol class="calls">{list}</ol></details></li> }
                .into_any()
        })
        .collect_view();
    let more = (raised.more_frames > 0).then(|| {
        view! { <p class="dim">{words::calls_between(raised.more_frames)}</p> }
    });
    (!raised.frames.is_empty()).then(|| view! { <ol class="calls">{runs}</ol>{more} })
}

/// A call: the place, the function, the code with what Python marks in it.
pub(super) fn call(frame: &CodeFrame) -> impl IntoView + use<> {
    let line = frame.line.map(i64::from);
    let place = paths::place(Some(&frame.file), line);
    let whole = plain(&paths::whole_place(Some(&frame.file), line));
    let function = frame
        .function
        .as_deref()
        .map(|name| view! { " in " <span class="frame-function">{visible(name)}</span> });
    let code = frame
        .code
        .iter()
        .map(|(text, marked)| view! { {marked_code(text, *marked)} "\n" })
        .collect_view();
    let code = (!frame.code.is_empty()).then(|| view! { <pre class="call-code">{code}</pre> });
    let repeated = (frame.repeated > 0).then(|| {
        view! { <p class="dim">"repeated " {count(u64::from(frame.repeated))} " more times"</p> }
    });
    view! {
        <li class="call" class:own=frame.is_own data-testid="call">
            <p><span class="code-font" title=whole>{visible(&place)}</span>{function}</p>
            {code}
            {repeated}
        </li>
    }
}

fn marked_code(text: &str, marked: Option<(u32, u32)>) -> AnyView {
    let byte = |character: u32| {
        let mut bytes = text.char_indices().map(|(byte, _)| byte);
        bytes.nth(character as usize).unwrap_or(text.len())
    };
    let parts = marked.and_then(|(start, end)| {
        let (start, end) = (byte(start), byte(end));
        Some((text.get(..start)?, text.get(start..end)?, text.get(end..)?))
    });
    match parts {
        Some((before, marked, after)) if !marked.is_empty() => {
            view! { {visible(before)}<mark>{visible(marked)}</mark>{visible(after)} }.into_any()
        }
        _ => visible(text).into_any(),
    }
}

/// Where it stands in the log, how often, and in which compilations.
pub(super) fn places(workspace: Workspace, id: LogId, at: &Occurrences) -> impl IntoView + use<> {
    let shown = at.places.len() as u64;
    let times = (at.count > 1).then(|| {
        view! { <span data-testid="times">{counted(at.count, "time", "times")}</span> ": " }
    });
    let list = at
        .places
        .iter()
        .map(|place| view! { " " {evidence(workspace, id, place)} })
        .collect_view();
    let rest = (shown < at.count)
        .then(|| view! { " " <span class="dim">"the first " {count(shown)}</span> });
    let compilations = (!at.compilations.is_empty())
        .then(|| view! { <p>"Compilation" {compilations(workspace, id, &at.compilations)}</p> });
    view! { <div class="places"><p>{times} "In the log:" {list} {rest}</p>{compilations}</div> }
}

/// Calls behind a press; nothing where there are none.
pub(super) fn folded(calls: &[CodeFrame], sum: String) -> Option<AnyView> {
    (!calls.is_empty()).then(|| {
        let list = calls.iter().map(call).collect_view();
        view! { <details><summary>{sum}</summary><ol class="calls">{list}</ol></details> }
            .into_any()
    })
}

/// Links to compilations.
pub(super) fn compilations(
    workspace: Workspace,
    id: LogId,
    all: &[(CompilationKey, String)],
) -> AnyView {
    all.iter()
        .map(|(key, label)| {
            let link = workspace.link(id, Place::Compilation(key.clone()));
            view! { " " <a href=link class="label">{visible(label)}</a> }
        })
        .collect_view()
        .into_any()
}

/// A link to the lines of the log.
pub(super) fn evidence(workspace: Workspace, id: LogId, at: &Evidence) -> impl IntoView + use<> {
    let place = match at.lines {
        Some(lines) => Place::Text(TextPlace {
            lines: Some(lines),
            ..TextPlace::of(at.record)
        }),
        None => Place::Record(at.record),
    };
    let link = workspace.link(id, place);
    view! { <a href=link data-testid="evidence-line">"line " {count(at.file_line)}</a> }
}

/// The failure that the overview names: the first one, in a sentence with a link.
pub(super) fn first_line(
    workspace: Workspace,
    id: LogId,
    findings: Memo<Option<Findings>>,
) -> impl IntoView {
    let link = workspace.link(id, Place::Findings);
    move || {
        let link = link.clone();
        findings.with(|findings| {
            let findings = findings.as_ref().filter(|findings| !findings.is_empty())?;
            let first = findings.failures.first().map(|failure| {
                let own = failure.user.last().map(|frame| {
                    let place = paths::place(Some(&frame.file), frame.line.map(i64::from));
                    view! { " at " <span class="code-font">{visible(&place)}</span> }
                });
                view! { {sentence(failure)} {own} ". " }
            });
            let sum = sum(findings);
            let only_plain = (findings.records == 0)
                .then(|| view! { <p class="hint" data-testid="only-plain">{words::ONLY_PLAIN}</p> });
            Some(view! {
                {only_plain}
                <p class="worst" data-testid="findings-line">
                    {first} <a href=link data-testid="findings-link">{sum} ": what happened, and what to do"</a>
                </p>
            })
        })
    }
}

/// The headline of a log that holds no compilation: what failed, or what else is in it.
pub(super) fn headline(findings: &Findings) -> Option<String> {
    if findings.is_empty() {
        return None;
    }
    Some(
        findings
            .failures
            .first()
            .map_or_else(|| sum(findings), sentence),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::{Component, FailureKind};

    #[test]
    fn what_is_certain_and_what_is_concluded_read_differently() {
        let mut failure = FailureReport {
            component: Component::Inductor,
            kind: FailureKind::MissingCompiler,
            certainty: Certainty::Certain,
            backend: None,
            telling: 0,
            user: Vec::new(),
            runs: Vec::new(),
            exceptions: Vec::new(),
            more_exceptions: 0,
            page: None,
            minifier: None,
            at: Occurrences::default(),
        };
        assert_eq!(
            sentence(&failure),
            "Inductor: a compiler or its headers were not found"
        );
        failure.certainty = Certainty::Guessed;
        failure.component = Component::User;
        failure.kind = FailureKind::Raised;
        assert_eq!(
            sentence(&failure),
            "Most likely: the program raised an exception"
        );
        let findings = Findings {
            failures: vec![failure],
            ..Findings::default()
        };
        assert_eq!(sum(&findings), "1 failure");
        assert_eq!(headline(&Findings::default()), None);
    }
}
