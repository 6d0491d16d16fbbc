//! Rows of text with line numbers, as many as there may be, with colours and with marks on what was found.

use gloo_timers::callback::Timeout;
use leptos::html;
use leptos::prelude::*;

use super::annotations::explained;
use super::pieces::{Found, Mark, Piece, pieces};
use super::rows::Rows;
use super::visible::visible;
use crate::engine::protocol::{Class, Span, TextRow};

/// Height of a row of text, in pixels; `--code-row` in the style sheet is the same.
pub(crate) const ROW: f64 = 20.0;

/// How long the window's width must stay before lines are wrapped anew, in milliseconds.
const RESIZING: u32 = 150;

/// Characters of the text by which a character's width is measured.
const MEASURED: f64 = 50.0;

/// What stands beside the text in a row, in pixels: the line number's and the text's own margins.
const MARGINS: f64 = 50.0;

/// A pane of text.
#[derive(Clone, Copy)]
pub(crate) struct Pane {
    /// The rows behind the pane.
    pub rows: Rows,
    /// What the pane is, for screen readers.
    pub name: &'static str,
    /// How many lines there are: sets the width of the line numbers.
    pub lines: Signal<u64>,
    /// The rows that are pointed at: the first, and the one behind the last.
    pub chosen: Signal<Option<(u64, u64)>>,
    /// How many characters fit beside the line numbers, once that is known.
    pub columns: RwSignal<Option<u16>>,
    /// Characters of the widest row so far: the width only grows, so that the scroll bar does not jump.
    pub widest: RwSignal<usize>,
}

impl Pane {
    /// A pane in which nothing is pointed at.
    pub(crate) fn plain(rows: Rows, name: &'static str, lines: Signal<u64>) -> Self {
        Self {
            rows,
            name,
            lines,
            chosen: Signal::stored(None),
            columns: RwSignal::new(None),
            widest: RwSignal::new(0),
        }
    }
}

/// What a row shows: its text, and the places in it that were found.
#[derive(Clone, PartialEq)]
struct Shown {
    row: TextRow,
    found: Vec<Found>,
}

/// The pane. `row` gives a row's text where it is there, `found` what was found in it; `choose` is told when
/// a line number is pressed, and whether the shift key was held.
pub(crate) fn pane(
    pane: Pane,
    row: impl Fn(u64) -> Option<TextRow> + Copy + Send + Sync + 'static,
    found: impl Fn(u64) -> Vec<Found> + Copy + Send + Sync + 'static,
    choose: impl Fn(u64, bool) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let Pane {
        rows,
        name,
        lines,
        chosen,
        columns,
        widest,
    } = pane;
    let digits = Memo::new(move |_| lines.get().max(1).ilog10() + 1);
    let measured = NodeRef::<html::Span>::new();
    let timer = StoredValue::new_local(None::<Timeout>);
    Effect::new(move |before: Option<()>| {
        let (width, digits) = (rows.width.get(), digits.get());
        let Some(measured) = measured.get() else {
            return;
        };
        let measure = move || {
            let character = f64::from(measured.offset_width()) / MEASURED;
            if let Some(fitting) = fitting(width, character, digits)
                && columns.try_get_untracked() != Some(Some(fitting))
            {
                let _ = columns.try_set(Some(fitting));
            }
        };
        if before.is_some() && columns.get_untracked().is_some() {
            timer.set_value(Some(Timeout::new(RESIZING, measure)));
        } else {
            measure();
        }
    });
    let width = move || format!("{}ch", widest.get());
    let one = move |place: u64| {
        let shown = Memo::new(move |_| {
            row(place).map(|row| Shown {
                row,
                found: found(place),
            })
        });
        Effect::new(move |_| {
            let length = shown.with(|shown| {
                shown
                    .as_ref()
                    .map_or(0, |shown| shown.row.text.chars().count())
            });
            if length > widest.get_untracked() {
                widest.set(length);
            }
        });
        let number = move || shown.with(|shown| shown.as_ref().and_then(|shown| shown.row.line));
        let label = move || number().map(|line| format!("Line {line}"));
        let is_chosen = move || {
            chosen
                .get()
                .is_some_and(|(first, behind)| (first..behind).contains(&place))
        };
        view! {
            <div
                class="code-row"
                data-testid="text-row"
                data-row=place.to_string()
                class:chosen=is_chosen
                class:waiting=move || shown.with(Option::is_none)
            >
                <button
                    type="button"
                    tabindex="-1"
                    class="code-line"
                    aria-label=label
                    on:click=move |event| choose(place, event.shift_key())
                >
                    {move || number().map(|line| line.to_string())}
                </button>
                <span class="code-text">{move || shown.with(|shown| shown.as_ref().map(|shown| content(&shown.row.text, &shown.row.spans, &shown.found)))}</span>
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
            style:--digits=move || format!("{}ch", digits.get())
            style:--widest=width
            on:scroll=move |_| rows.on_scroll()
            on:keydown=move |event| {
                rows.on_key(&event);
            }
        >
            <span class="code-measure" aria-hidden="true" node_ref=measured>{"0".repeat(50)}</span>
            {rows.body(one)}
        </div>
    }
}

/// How many characters fit into a window; `None` where it has no width yet.
fn fitting(width: f64, character: f64, digits: u32) -> Option<u16> {
    if character <= 0.0 || width <= 0.0 {
        return None;
    }
    let columns = ((width - MARGINS) / character).floor() - f64::from(digits);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Between the two bounds.
    Some(columns.clamp(20.0, 2_000.0) as u16)
}

/// A row's text with its colours and what was found in it.
pub(crate) fn content(text: &str, spans: &[Span], found: &[Found]) -> AnyView {
    if spans.is_empty() && found.is_empty() {
        return visible(text);
    }
    pieces(text, spans, found)
        .iter()
        .map(coloured)
        .collect_view()
        .into_any()
}

fn coloured(piece: &Piece<'_>) -> AnyView {
    let text = visible(piece.text);
    let text = match piece.class {
        None => text,
        Some(Class::Annotation) => {
            let title = explained(piece.text);
            view! { <span class=class_name(Class::Annotation) title=title>{text}</span> }.into_any()
        }
        Some(class) => view! { <span class=class_name(class)>{text}</span> }.into_any(),
    };
    match piece.mark {
        Mark::None => text,
        Mark::Found => view! { <mark>{text}</mark> }.into_any(),
        Mark::Current => {
            view! { <mark class="current" data-testid="match">{text}</mark> }.into_any()
        }
        Mark::Definition => {
            view! { <mark class="definition" data-testid="definition">{text}</mark> }.into_any()
        }
        Mark::Use => view! { <mark class="use" data-testid="use">{text}</mark> }.into_any(),
    }
}

/// The name of a class in the style sheet.
fn class_name(class: Class) -> &'static str {
    match class {
        Class::Keyword => "c-keyword",
        Class::Name => "c-name",
        Class::Builtin => "c-builtin",
        Class::Number => "c-number",
        Class::String => "c-string",
        Class::Comment => "c-comment",
        Class::Operator => "c-operator",
        Class::Type => "c-type",
        Class::Decorator => "c-decorator",
        Class::Annotation => "c-annotation",
        Class::Key => "c-key",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_characters_fit_as_the_window_is_wide() {
        assert_eq!(fitting(850.0, 8.0, 4), Some(96));
        assert_eq!(fitting(100.0, 8.0, 4), Some(20));
        assert_eq!(fitting(0.0, 8.0, 4), None);
        assert_eq!(fitting(800.0, 0.0, 4), None);
    }
}
