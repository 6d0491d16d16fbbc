//! The guard that is chosen: what it demands, a tensor's facts, the line that caused it, its code.

use leptos::prelude::*;

use super::guards::Guards;
use crate::engine::protocol::{FrameView, GuardView};
use crate::text::frames::kept_value;
use crate::text::guards::{self as text, fact};
use crate::text::paths;
use crate::ui::visible::visible;

/// The pane.
pub(super) fn guard(guards: Guards, chosen: RwSignal<Option<Option<GuardView>>>) -> impl IntoView {
    let content = move || {
        chosen.with(|chosen| match chosen {
            None => view! { <p class="dim">{text::CHOOSE}</p> }.into_any(),
            Some(None) => view! { <p class="dim">{text::NO_NODE}</p> }.into_any(),
            Some(Some(guard)) => pane(guards, guard),
        })
    };
    view! {
        <section class="guard-pane" data-testid="guard" aria-label="The chosen guard" tabindex="0">{content}</section>
    }
}

fn pane(guards: Guards, guard: &GuardView) -> AnyView {
    let record = guards.place.get_untracked().record;
    let line = guard.line.map(|line| {
        let link = guards.text_link(record, Some(line));
        view! { <p><a href=link data-testid="guard-line">"Line " {line} " of the text"</a></p> }
    });
    let hidden = guard
        .row
        .is_none()
        .then(|| view! { <p class="dim">{text::FILTERED}</p> });
    let note = guard
        .note
        .clone()
        .map(|note| view! { <p class="dim">{note}</p> });
    let kept = kept_value(&guard.title).or_else(|| kept_value(&guard.sentence));
    let kept = kept.map(|kept| view! { <p class="dim" data-testid="kept-value">{kept}</p> });
    let tensor = (!guard.tensor.is_empty()).then(|| {
        let rows = guard
            .tensor
            .iter()
            .map(|(name, value)| view! { <tr><th scope="row">{name.clone()}</th><td class="code-font">{visible(value)}</td></tr> })
            .collect_view();
        view! { <table class="plain" data-testid="tensor" aria-label="The tensor"><tbody>{rows}</tbody></table> }
    });
    let cause = guard
        .cause
        .as_ref()
        .map(|frame| cause(frame, guard.is_mine));
    let facts = guard
        .facts
        .iter()
        .map(|(name, value)| view! { <dt>{name.clone()}</dt><dd class="code-font">{visible(value)}</dd> })
        .collect_view();
    view! {
        <h2 class="code-font">{visible(&guard.title)}</h2>
        <p data-testid="guard-sentence">{said(&guard.sentence)}</p>
        {kept}
        {note}
        {hidden}
        {tensor}
        <dl class="guard-facts">{cause} {facts}</dl>
        {line}
    }
    .into_any()
}

/// The line that caused a guard.
fn cause(frame: &FrameView, is_mine: bool) -> impl IntoView + use<> {
    let label = if is_mine {
        fact::CAUSE_MINE
    } else {
        fact::CAUSE
    };
    let place = paths::whole_place(frame.file.as_deref(), frame.line);
    let source = frame.source.as_deref().map(
        |source| view! { <dd class="code-font" data-testid="guard-source">{visible(source)}</dd> },
    );
    view! {
        <dt>{label}</dt>
        {source}
        <dd class="code-font" class:dim=!is_mine>{visible(&place)} " in " {visible(&frame.function)}</dd>
    }
}

/// A sentence of the engine: what stands between back-quotes is code.
pub(super) fn said(sentence: &str) -> AnyView {
    let parts = sentence.split('`').enumerate().map(|(at, part)| {
        if at % 2 == 1 {
            view! { <code>{visible(part)}</code> }.into_any()
        } else {
            visible(part)
        }
    });
    parts.collect_view().into_any()
}
