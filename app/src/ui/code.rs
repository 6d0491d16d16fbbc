//! Rows of text with line numbers, as many as there may be.

use leptos::prelude::*;

use super::rows::Rows;
use super::visible::visible;
use crate::engine::protocol::TextRow;

/// Height of a row of text, in pixels; `--code-row` in the style sheet is the same.
pub(crate) const ROW: f64 = 20.0;

/// A pane of text.
#[derive(Clone, Copy)]
pub(crate) struct Pane {
    /// The rows behind the pane.
    pub rows: Rows,
    /// What the pane is, for screen readers.
    pub name: &'static str,
    /// How many lines there are: sets the width of the line numbers.
    pub lines: Signal<u64>,
    /// The row that is pointed at.
    pub chosen: Signal<Option<u64>>,
}

/// The pane. `row` gives a row's text where it is there; `choose` is told when a line number is pressed.
pub(crate) fn pane(
    pane: Pane,
    row: impl Fn(u64) -> Option<TextRow> + Copy + Send + Sync + 'static,
    choose: impl Fn(u64) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let Pane {
        rows,
        name,
        lines,
        chosen,
    } = pane;
    // The widest row so far: the width only grows, so that the scroll bar does not jump.
    let widest = RwSignal::new(0usize);
    let digits = move || format!("{}ch", lines.get().max(1).ilog10() + 1);
    let width = move || format!("{}ch", widest.get());
    let one = move |place: u64| {
        let text = Memo::new(move |_| row(place));
        Effect::new(move |_| {
            let length =
                text.with(|text| text.as_ref().map_or(0, |text| text.text.chars().count()));
            if length > widest.get_untracked() {
                widest.set(length);
            }
        });
        let number = move || text.with(|text| text.as_ref().and_then(|text| text.line));
        let label = move || number().map(|line| format!("Line {line}"));
        view! {
            <div
                class="code-row"
                data-testid="text-row"
                data-row=place.to_string()
                class:chosen=move || chosen.get() == Some(place)
                class:waiting=move || text.with(Option::is_none)
            >
                <button type="button" tabindex="-1" class="code-line" aria-label=label on:click=move |_| choose(place)>
                    {move || number().map(|line| line.to_string())}
                </button>
                <span class="code-text">{move || text.with(|text| text.as_ref().map(|text| visible(&text.text)))}</span>
            </div>
        }
    };
    view! {
        <div
            class="code"
            role="region"
            aria-label=name
            tabindex="0"
            node_ref=rows.node
            style:--digits=digits
            style:--widest=width
            on:scroll=move |_| rows.on_scroll()
            on:keydown=move |event| {
                rows.on_key(&event);
            }
        >
            {rows.body(one)}
        </div>
    }
}
