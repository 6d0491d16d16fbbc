//! What to do: the first remedy open, the others folded.

use leptos::prelude::*;

use crate::engine::protocol::{
    AdviceView, FrameHistoryView, GuardFailureKind, LogId, SeriesView, StepView,
};
use crate::route::Place;
use crate::text::format;
use crate::text::frames as words;
use crate::text::remedies::{
    COPY_EXAMPLE, Change, EXAMPLE, as_written, changed_lines, fill, last_name, remedy,
};
use crate::ui::copy::copy_button;
use crate::ui::visible::visible;
use crate::view::workspace::Workspace;

/// Remedies that are drawn.
const DRAWN: usize = 24;
/// Values that are named.
const VALUES: usize = 6;

/// What the program's example is filled with beside the remedy itself.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// The function.
    pub function: Option<&'a str>,
    /// Whether this PyTorch calls the limit `recompile_limit`.
    pub is_recompile_limit: Option<bool>,
    /// The whole history, where it is shown.
    pub history: Option<&'a FrameHistoryView>,
}

impl Around<'_> {
    /// The compilation from which on PyTorch accepts any value of what a remedy is about.
    fn free_since(self, advice: &AdviceView) -> Option<String> {
        let history = self.history?;
        let is_about = |series: &&SeriesView| {
            series.subject.source == advice.source
                && series.subject.index == advice.dim
                && matches!(
                    series.subject.kind,
                    GuardFailureKind::Size | GuardFailureKind::Value
                )
        };
        let number = history.series.iter().find(is_about)?.free_since?;
        Some(label_of(&history.steps, number))
    }
}

/// How a compilation of a frame is shown, by its number within the frame.
pub(super) fn label_of(steps: &[StepView], number: u32) -> String {
    let end = format!("/{number}");
    let step = steps.iter().find(|step| step.key.id.ends_with(&end));
    step.map_or_else(|| number.to_string(), |step| step.label.clone())
}

/// The remedies.
pub(super) fn remedies(workspace: Workspace, id: LogId, view: &FrameHistoryView) -> AnyView {
    let around = Around {
        function: view.facts.function.as_deref(),
        is_recompile_limit: view.is_recompile_limit,
        history: Some(view),
    };
    let Some((first, others)) = view.advice.split_first() else {
        let says = (view.facts.recompiles > 0)
            .then(|| view! { <p class="dim" data-testid="no-advice">{words::NO_ADVICE}</p> });
        return says.into_any();
    };
    let count = others.len();
    let others = others
        .iter()
        .take(DRAWN)
        .map(|advice| {
            let title = fill(remedy(advice.remedy).title, |gap| {
                value(advice, around, gap)
            });
            view! {
                <details class="remedy-fold">
                    <summary>{visible(&title)} " " {certainty(advice)}</summary>
                    {content(workspace, id, advice, around)}
                </details>
            }
        })
        .collect_view();
    let others = (count > 0).then(|| {
        view! {
            <h3>{format::counted(count as u64, "other thing to do", "other things to do")}</h3>
            <div class="remedy-folds" data-testid="other-remedies">{others}</div>
        }
    });
    let title = title(first, around);
    view! {
        <section data-testid="remedies">
            <h2>"What to do"</h2>
            <article class="card remedy" data-testid="remedy">
                <h3>{visible(&title)} " " {certainty(first)}</h3>
                {content(workspace, id, first, around)}
            </article>
            {others}
        </section>
    }
    .into_any()
}

/// What to do, in a line.
pub(crate) fn title(advice: &AdviceView, around: Around<'_>) -> String {
    fill(remedy(advice.remedy).title, |gap| {
        value(advice, around, gap)
    })
}

/// How sure a remedy is, and what its cause cost.
fn certainty(advice: &AdviceView) -> impl IntoView + use<> {
    // What the frame as a whole suggests has no evidence of its own.
    (!advice.evidence.is_empty()).then(|| {
        let (key, word, meaning) = if advice.is_certain {
            ("good", words::CERTAIN, words::CERTAIN_MEANS)
        } else {
            ("none", words::GUESSED, words::GUESSED_MEANS)
        };
        let cost = advice.seconds.map(|seconds| {
            let cost = words::cost(&format::seconds(seconds));
            view! { " " <span class="cost" title=words::COST_MEANS data-testid="cost">{cost}</span> }
        });
        view! { <span class="mark" data-checksum=key title=meaning>{word}</span> {cost} }
    })
}

fn content(
    workspace: Workspace,
    id: LogId,
    advice: &AdviceView,
    around: Around<'_>,
) -> impl IntoView + use<> {
    let words_of = remedy(advice.remedy);
    let filled = |text: &str| fill(text, |gap| value(advice, around, gap));
    let (before, after) = (filled(words_of.before), filled(words_of.after));
    let lines = changed_lines(&before, &after)
        .into_iter()
        .map(change)
        .collect_view();
    let copied = after.trim_end().to_owned();
    let example = view! {
        <figure class="example" data-testid="example">
            <figcaption class="dim">{EXAMPLE} {copy_button("Copy", COPY_EXAMPLE, move || copied.clone())}</figcaption>
            <pre class="guard-text">{lines}</pre>
        </figure>
    };
    let guess = (!advice.evidence.is_empty() && !advice.is_certain)
        .then(|| view! { <p class="dim">{words::GUESSED_MEANS}</p> });
    let evidence = advice.evidence.iter().map(|(label, record)| match record {
        Some(record) => {
            let link = workspace.link(id, Place::Record(*record));
            view! { " " <a href=link>{visible(label)}</a> }.into_any()
        }
        None => view! { " " {visible(label)} }.into_any(),
    });
    let evidence = (!advice.evidence.is_empty()).then(|| {
        let count = format::counted(u64::from(advice.recompiles), "compilation", "compilations");
        let named = u32::try_from(advice.evidence.len()).unwrap_or(u32::MAX);
        let more = (named < advice.recompiles).then_some(" …");
        view! { <p class="failed-links dim">"Speaks for it: the reasons of " {count} ":" {evidence.collect_view()} {more}</p> }
    });
    let by_itself = around.free_since(advice).map(|label| {
        view! { <p data-testid="by-itself">{visible(&words::by_itself(&label))}</p> }
    });
    view! {
        <p class="remedy-text">{visible(&filled(words_of.text))}</p>
        {by_itself}
        {guess}
        {example}
        {evidence}
    }
}

/// A line of an example; marks and words say what becomes of it, not the colour alone.
fn change((change, line): (Change, &str)) -> impl IntoView + use<> {
    let (side, sign, said) = match change {
        Change::Stays => (None, " ", ""),
        Change::Removed => (Some("old"), "−", "removed: "),
        Change::Added => (Some("new"), "+", "added: "),
    };
    view! {
        <span class="change-line" data-side=side>
            <span class="change-sign"><span aria-hidden="true">{sign}</span><span class="only-read">{said}</span></span>
            {visible(line)}
        </span>
    }
}

/// What fills a gap.
fn value(advice: &AdviceView, around: Around<'_>, gap: &str) -> Option<String> {
    let source = || as_written(&advice.source, advice.variable.as_deref());
    let dim = || {
        advice
            .dim
            .map_or_else(|| "d".to_owned(), |dim| dim.to_string())
    };
    let at = |place: usize, otherwise: &str| {
        let value = advice.values.get(place).map(String::as_str);
        value.unwrap_or(otherwise).to_owned()
    };
    Some(match gap {
        "source" => source(),
        "name" => last_name(&source()),
        "dim" => dim(),
        "dims" => match advice.dim {
            Some(dim) => format!("dimension {dim}"),
            None => "a dimension".to_owned(),
        },
        "value" => at(0, "a_value"),
        "other" => at(1, "another_value"),
        "values" if advice.values.is_empty() => "see below".to_owned(),
        "values" => {
            let shown: Vec<&str> = advice
                .values
                .iter()
                .take(VALUES)
                .map(String::as_str)
                .collect();
            let more = if advice.values.len() > VALUES {
                " …"
            } else {
                ""
            };
            format!("{}{more}", shown.join(", "))
        }
        "function" => around.function.map_or_else(|| "f".to_owned(), last_name),
        "limit" => words::setting(around.is_recompile_limit).to_owned(),
        "state" => words::state(advice.state).to_owned(),
        _ => return None,
    })
}
