//! A function's compilations as a strip: first, again, and behind them the call that hit the limit.

use leptos::prelude::*;

use crate::engine::protocol::{FrameFacts, LogId, StepRole, StepView};
use crate::route::Place;
use crate::text::format;
use crate::text::frames as words;
use crate::ui::visible::{plain, visible};
use crate::view::workspace::Workspace;

/// Boxes that are drawn at first, and more at each press.
const DRAWN: usize = 200;

/// The strip.
pub(super) fn strip(
    workspace: Workspace,
    id: LogId,
    facts: &FrameFacts,
    steps: &[StepView],
) -> AnyView {
    let is_limited = facts.limit.is_some();
    let steps = StoredValue::new(steps.to_vec());
    let drawn = RwSignal::new(DRAWN);
    let boxes = move || {
        steps.with_value(|steps| {
            let boxes = steps.iter().take(drawn.get());
            boxes.map(|step| one(workspace, id, step)).collect_view()
        })
    };
    let left = move || steps.with_value(Vec::len).saturating_sub(drawn.get());
    let end = move || {
        (is_limited && left() == 0).then(|| {
            view! { <li class="step" data-role="eager" data-testid="step"><span class="step-role">"runs as plain Python since"</span></li> }
        })
    };
    view! {
        <section>
            <h2>{words::in_order(facts.compilations)}</h2>
            <p class="dim">{words::STRIP} {is_limited.then_some(" ")} {is_limited.then_some(words::STRIP_LIMIT)}</p>
            <ol class="strip" data-testid="strip">{boxes} {end}</ol>
            {more(left, move || drawn.update(|drawn| *drawn += DRAWN))}
        </section>
    }
    .into_any()
}

/// A button that draws more, as long as something is left.
pub(super) fn more(
    left: impl Fn() -> usize + Copy + Send + Sync + 'static,
    press: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    move || {
        let left = left();
        (left > 0).then(|| {
            view! {
                <p><button type="button" class="more" data-testid="show-more" on:click=move |_| press()>
                    {format!("Show more ({} left)", format::count(left as u64))}
                </button></p>
            }
        })
    }
}

fn one(workspace: Workspace, id: LogId, step: &StepView) -> impl IntoView + use<> {
    let link = workspace.link(id, Place::Compilation(step.key.clone()));
    let (key, word) = match step.role {
        StepRole::First => ("first", words::role(step.role)),
        StepRole::Again => ("again", words::role(step.role)),
        StepRole::Limit => ("limit", words::role(step.role)),
    };
    let restarts = (step.restarts > 0).then(|| {
        format!(
            " · {}",
            format::counted(u64::from(step.restarts), "restart", "restarts")
        )
    });
    let seconds = step
        .seconds
        .map(|seconds| format!(" · {}", format::seconds(seconds)));
    let brought = step.brought.iter().map(|(subject, value)| {
        let name = words::named(subject);
        let text = match value.as_str() {
            "" => format!("{name} changed"),
            value => format!("{name} = {value}"),
        };
        view! { <span class="brought code-font" title=plain(&text)>{visible(&text)}</span> }
    });
    view! {
        <li class="step" data-role=key data-testid="step">
            <a href=link>{visible(&step.label)}</a>
            <span class="step-role">{word} {restarts} {seconds}</span>
            {brought.collect_view()}
        </li>
    }
}
