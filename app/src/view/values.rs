//! What a name in the code of a graph stands for: where it is defined, where it is used, what it holds.
//!
//! Start at [`Values::new`]. A name that the pointer rests on is explained until it leaves; one that is pressed
//! stays, and so does the one that a line defines which the address points at.

use std::sync::Arc;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

use super::payload::Head;
use super::workspace::Workspace;
use crate::engine::client::Ticket;
use crate::engine::protocol::{Answer, LogId, Occurrence, OpClass, Question, TextRow, ValueView};
use crate::route::{GraphPlace, Place};
use crate::text::format;
use crate::text::graphs as text;
use crate::text::paths;
use crate::ui::annotations::explained;
use crate::ui::paged::Paged;
use crate::ui::pieces::{Found, Mark};
use crate::ui::rows::Rows;
use crate::ui::visible::visible;

/// How long the pointer rests on a name before it is explained, in milliseconds.
const RESTING: u32 = 180;

/// Rows above a row in which the line that it belongs to is looked for.
const HIGHEST: u64 = 4_096;

/// The values of a text. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Values {
    workspace: Workspace,
    log: LogId,
    rows: Rows,
    paged: Paged<TextRow, Head>,
    is_graph: Memo<bool>,
    record: Memo<u32>,
    /// What was pressed, or pointed at by the address.
    pinned: RwSignal<Option<Arc<ValueView>>>,
    /// What the pointer rests on.
    hovered: RwSignal<Option<Arc<ValueView>>>,
    waiting: StoredValue<Waiting, LocalStorage>,
}

/// How long a value is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stay {
    /// Until the pointer leaves it.
    Hovered,
    /// Until another one takes its place.
    Pinned,
}

#[derive(Default)]
struct Waiting {
    timer: Option<Timeout>,
    ticket: Option<Ticket>,
    /// The place that was asked for last.
    asked: Option<(u32, u32)>,
}

impl Values {
    /// The values of the record's text that is shown in the rows; only where it `is_graph`.
    pub(super) fn new(
        workspace: Workspace,
        log: LogId,
        rows: Rows,
        paged: Paged<TextRow, Head>,
        is_graph: Memo<bool>,
        lines: Memo<Option<(u32, u32)>>,
        record: Memo<u32>,
    ) -> Self {
        let values = Self {
            workspace,
            log,
            rows,
            paged,
            is_graph,
            record,
            pinned: RwSignal::new(None),
            hovered: RwSignal::new(None),
            waiting: StoredValue::new_local(Waiting::default()),
        };
        Effect::new(move |before: Option<u32>| {
            let record = record.get();
            if before.is_some_and(|before| before != record) {
                values.pinned.set(None);
                values.hovered.set(None);
            }
            record
        });
        // A line that is pointed at means the value that it defines.
        Effect::new(move |_| {
            let single = lines.get().filter(|(first, last)| first == last);
            if let (Some((line, _)), true) = (single, is_graph.get()) {
                values.ask(line, None, Stay::Pinned);
            }
        });
        values
    }

    /// What is marked in a row.
    pub(super) fn in_row(self, row: u64) -> Vec<Found> {
        let value = self.hovered.get().or_else(|| self.pinned.get());
        let Some(value) = value else {
            return Vec::new();
        };
        let (Some((line, start)), Some(shown)) = (self.line_at(row), self.paged.peek(row)) else {
            return Vec::new();
        };
        let length = u32::try_from(shown.text.len()).unwrap_or(u32::MAX);
        let here = |occurrence: &Occurrence, mark| {
            let is_here = occurrence.line == line
                && occurrence.end > start
                && occurrence.start < start.saturating_add(length);
            is_here.then(|| Found {
                start: occurrence.start.saturating_sub(start),
                end: occurrence.end.saturating_sub(start).min(length),
                mark,
            })
        };
        let definition = value
            .definition
            .iter()
            .filter_map(|it| here(it, Mark::Definition));
        let uses = value.uses.iter().filter_map(|it| here(it, Mark::Use));
        let mut all: Vec<Found> = definition.chain(uses).collect();
        all.sort_unstable_by_key(|found| found.start);
        all
    }

    /// The line that a row belongs to, and the byte of it at which the row starts.
    fn line_at(self, row: u64) -> Option<(u32, u32)> {
        let mut start = 0_u32;
        let lowest = row.saturating_sub(HIGHEST);
        for place in (lowest..=row).rev() {
            let shown = self.paged.peek(place)?;
            if place != row {
                start = start.saturating_add(u32::try_from(shown.text.len()).ok()?);
            }
            if let Some(line) = shown.line {
                return Some((u32::try_from(line).ok()?, start));
            }
        }
        None
    }

    /// The pointer moved over the text.
    pub(super) fn hover(self, event: &MouseEvent) {
        if !self.is_graph.get_untracked() {
            return;
        }
        let place = self.place(event);
        let is_same = self.waiting.with_value(|waiting| waiting.asked == place);
        if is_same && place.is_some() {
            return;
        }
        if place.is_none() {
            return self.leave();
        }
        let timer = Timeout::new(RESTING, move || {
            if let Some((line, byte)) = place {
                self.ask(line, Some(byte), Stay::Hovered);
            }
        });
        self.waiting.update_value(|waiting| {
            waiting.asked = place;
            waiting.timer = Some(timer);
        });
    }

    /// The pointer left the text.
    pub(super) fn leave(self) {
        self.waiting.update_value(|waiting| {
            waiting.timer = None;
            waiting.asked = None;
        });
        if self.hovered.with_untracked(Option::is_some) {
            self.hovered.set(None);
        }
    }

    /// The text was pressed.
    pub(super) fn press(self, event: &MouseEvent) {
        let selects = web_sys::window()
            .and_then(|window| window.get_selection().ok().flatten())
            .is_some_and(|selection| !selection.is_collapsed());
        if selects || !self.is_graph.get_untracked() {
            return;
        }
        if let Some((line, byte)) = self.place(event) {
            self.ask(line, Some(byte), Stay::Pinned);
        }
    }

    fn ask(self, line: u32, byte: Option<u32>, stay: Stay) {
        let question = Question::Value {
            log: self.log,
            record: self.record.get_untracked(),
            line,
            byte,
        };
        let ticket = self.workspace.engine.ask(question, move |answer| {
            let found = match answer {
                Ok(Answer::Value(found)) => found.map(|found| Arc::new(*found)),
                _ => None,
            };
            let _ = self.hovered.try_set(None);
            match stay {
                Stay::Hovered => {
                    let _ = self.hovered.try_set(found);
                }
                Stay::Pinned if found.is_some() => {
                    let _ = self.pinned.try_set(found);
                }
                Stay::Pinned => {}
            }
        });
        self.waiting
            .update_value(|waiting| waiting.ticket = Some(ticket));
    }

    /// The line and the byte of it at which an event happened.
    fn place(self, event: &MouseEvent) -> Option<(u32, u32)> {
        let target = event.target()?.dyn_into::<Element>().ok()?;
        let code = target.closest(".code-text").ok()??;
        let row: u64 = code
            .closest(".code-row")
            .ok()??
            .get_attribute("data-row")?
            .parse()
            .ok()?;
        #[allow(clippy::cast_precision_loss)] // Pixels of a screen.
        let (x, y) = (event.client_x() as f32, event.client_y() as f32);
        let caret = document().caret_position_from_point(x, y)?;
        let range = document().create_range().ok()?;
        range.set_start(&code, 0).ok()?;
        range.set_end(&caret.offset_node()?, caret.offset()).ok()?;
        let before = String::from(range.to_string());
        let (line, start) = self.line_at(row)?;
        let byte = u32::try_from(before.len()).ok()?;
        Some((line, start.saturating_add(byte)))
    }

    /// Goes to a place of the text.
    fn go(self, line: u32) {
        let question = Question::Lines {
            text: crate::engine::protocol::TextKey {
                log: self.log,
                record: self.record.get_untracked(),
                form: Default::default(),
            },
            lines: (line, line),
        };
        let ticket = self.workspace.engine.ask(question, move |answer| {
            if let Ok(Answer::Lines(Some((row, _)))) = answer
                && !self.rows.shows(row.into())
            {
                self.rows.center(row.into());
            }
        });
        self.waiting
            .update_value(|waiting| waiting.ticket = Some(ticket));
    }
}

/// What is known of the value: its place is kept where a text is a graph, so that nothing moves.
pub(super) fn value_bar(values: Values) -> impl IntoView {
    let content = move || match values.hovered.get().or_else(|| values.pinned.get()) {
        Some(value) => said(values, &value),
        None => view! { <p class="dim">{text::PRESS_A_NAME}</p> }.into_any(),
    };
    move || {
        values
            .is_graph
            .get()
            .then(|| view! { <div class="value-bar" data-testid="value-bar" aria-live="polite">{content}</div> })
    }
}

fn said(values: Values, value: &Arc<ValueView>) -> AnyView {
    let node = &value.node;
    let (class, meaning) = text::class(node.class);
    let annotation = node.annotation.as_ref().map(|annotation| {
        view! { <code title=explained(annotation)>{visible(annotation)}</code> }
    });
    let place = node.place.as_ref().map(|place| {
        let whole = paths::whole_place(Some(&place.file), Some(place.line.into()));
        let short = paths::place(Some(&place.file), Some(place.line.into()));
        let code = place
            .code
            .as_ref()
            .map(|code| view! { " " <code data-testid="value-code">{visible(code)}</code> });
        view! { <p class="dim" title=whole>{visible(&short)} {code}</p> }
    });
    let meaning_of_input = match node.class {
        OpClass::Input => text::input_meaning(&node.name),
        _ => None,
    };
    let meaning_of_input = meaning_of_input.map(|meaning| view! { <p class="dim">{meaning}</p> });
    let definition = value.definition.map(|definition| {
        view! { <button type="button" class="quiet" data-testid="go-definition" on:click=move |_| values.go(definition.line)>"Definition, line " {format::count(definition.line.into())}</button> }
    });
    let uses: Vec<u32> = value.uses.iter().map(|it| it.line).collect();
    let at = StoredValue::new(0_usize);
    let next = {
        let uses = uses.clone();
        move |_| {
            let place = at.get_value();
            if let Some(line) = uses.get(place % uses.len().max(1)) {
                values.go(*line);
            }
            at.set_value(place.wrapping_add(1));
        }
    };
    let count = format::counted(node.users.len() as u64, "user", "users");
    let next = (!uses.is_empty()).then(|| {
        view! { <button type="button" class="quiet" data-testid="go-use" on:click=next>{count} ", go to the next"</button> }
    });
    let picture = values.workspace.link(
        values.log,
        Place::Graph(GraphPlace {
            module: value.module,
            node: Some(node.node),
            ..GraphPlace::of(values.record.get_untracked())
        }),
    );
    view! {
        <p>
            <span class="swatch" data-class=node.class.name() title=meaning aria-hidden="true"></span>
            " "
            <code class="value-name" data-testid="value-name">{visible(&node.name)}</code>
            " "
            <span class="dim">{class}</span>
            " "
            <code>{visible(&node.target)}</code>
        </p>
        {annotation}
        {meaning_of_input}
        {place}
        {definition}
        {next}
        <a href=picture data-testid="value-picture">"In the picture"</a>
    }
    .into_any()
}
