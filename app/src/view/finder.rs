//! Finds places within the text that is shown: the box, its switches, how many there are, and where.

use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use leptos::html::Input;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use crate::engine::client::{EngineClient, Matched, Ticket};
use crate::engine::protocol::{Case, MAX_MATCHES, Match, Query, SearchState, TextKey};
use crate::text;
use crate::text::format;
use crate::ui::pieces::{Found, Mark};
use crate::ui::rows::Rows;

/// How long the page waits for more typing, in milliseconds.
const TYPING: u32 = 150;

/// Where finding stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// Nothing is looked for.
    Idle,
    /// It goes on: how many rows of how many were searched.
    Finding(u32, u32),
    /// All was searched.
    Done,
    /// It ended at the largest number of places.
    Full,
    /// The reader stopped it.
    Stopped,
    /// It cannot be looked for: a sentence.
    Refused(String),
}

/// What was found in a text. Copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Finder {
    engine: EngineClient,
    rows: Rows,
    matches: StoredValue<Vec<Match>>,
    /// Places, not their parts.
    count: RwSignal<usize>,
    /// The place where the reader is, among `matches`, and its number from 1.
    current: RwSignal<Option<(usize, usize)>>,
    state: RwSignal<State>,
    running: StoredValue<Option<Ticket>, LocalStorage>,
    version: RwSignal<u64>,
    /// The rows that are pointed at.
    chosen: RwSignal<Option<(u64, u64)>>,
    /// Whether the next place that is found does not move the rows.
    stays: StoredValue<bool>,
}

impl Finder {
    /// Finds what `query` says in `text`, and again when one of them changes. What is found is shown in `rows`,
    /// from those on that are `chosen`, unless the reader `stays` where he is. Nothing is looked for before the
    /// text `is_ready`.
    pub(crate) fn new(
        engine: EngineClient,
        rows: Rows,
        text: Memo<TextKey>,
        query: Memo<Option<Query>>,
        is_ready: Memo<bool>,
        chosen: RwSignal<Option<(u64, u64)>>,
        stays: impl Fn() -> bool + Copy + Send + Sync + 'static,
    ) -> Self {
        let finder = Self {
            engine,
            rows,
            matches: StoredValue::new(Vec::new()),
            count: RwSignal::new(0),
            current: RwSignal::new(None),
            state: RwSignal::new(State::Idle),
            running: StoredValue::new_local(None),
            version: RwSignal::new(0),
            chosen,
            stays: StoredValue::new(false),
        };
        Effect::new(move |_| {
            let (text, query) = (text.get(), query.get());
            finder.stays.set_value(stays());
            finder.start(text, query.filter(|_| is_ready.get()));
        });
        // A link that points at a line means the place in that line, whichever of the two is known first.
        Effect::new(move |_| {
            if let Some((row, _)) = chosen.get()
                && finder.count.get_untracked() > 0
            {
                finder.arrive(row);
            }
        });
        finder
    }

    /// What was found in a row.
    pub(crate) fn in_row(self, row: u64) -> Vec<Found> {
        self.version.track();
        let current = self.current.get().map(|(place, _)| place);
        self.matches.with_value(|matches| {
            let first = matches.partition_point(|found| u64::from(found.row) < row);
            let here = matches.iter().enumerate().skip(first);
            here.take_while(|(_, found)| u64::from(found.row) == row)
                .map(|(place, found)| Found {
                    start: found.start,
                    end: found.start.saturating_add(found.length),
                    mark: match current {
                        Some(current) if is_part(matches, current, place) => Mark::Current,
                        _ => Mark::Found,
                    },
                })
                .collect()
        })
    }

    fn start(self, text: TextKey, query: Option<Query>) {
        let old = self.running.try_update_value(Option::take);
        drop(old);
        self.matches.update_value(Vec::clear);
        self.count.set(0);
        self.current.set(None);
        self.version
            .update(|version| *version = version.wrapping_add(1));
        let Some(query) = query.filter(|query| !query.text.is_empty()) else {
            return self.state.set(State::Idle);
        };
        self.state.set(State::Finding(0, 0));
        let running = self
            .engine
            .find(text, query, move |matched| self.take(matched));
        self.running.set_value(Some(running));
    }

    fn take(self, matched: Matched) {
        let is_first = self.count.try_get_untracked() == Some(0);
        let new = matched
            .matches
            .iter()
            .filter(|found| !found.goes_on)
            .count();
        let _ = self
            .matches
            .try_update_value(|matches| matches.extend(matched.matches));
        let state = match matched.state {
            SearchState::Searching => State::Finding(matched.searched_rows, matched.total_rows),
            SearchState::Done => State::Done,
            SearchState::Full => State::Full,
            SearchState::Refused(why) => State::Refused(why),
        };
        let _ = self.state.try_set(state);
        if new > 0 {
            let _ = self
                .count
                .try_update(|count| *count = count.saturating_add(new));
            let _ = self
                .version
                .try_update(|version| *version = version.wrapping_add(1));
            if is_first {
                let chosen = self.chosen.try_get_untracked().flatten();
                self.arrive(chosen.map_or_else(|| self.rows.first_whole(), |(row, _)| row));
            }
        }
    }

    /// Goes to the first place at or behind a row.
    pub(crate) fn go_near(self, row: u64) {
        self.go_to(self.near(row));
    }

    /// The same, but that the rows stay where they are for a reader who came back to them.
    fn arrive(self, row: u64) {
        if self.stays.try_get_value() == Some(true) {
            self.point_at(self.near(row));
        } else {
            self.go_near(row);
        }
    }

    /// The first place at or behind a row; the first of all where there is none.
    fn near(self, row: u64) -> Option<usize> {
        self.matches.with_value(|matches| {
            let behind = matches.partition_point(|found| u64::from(found.row) < row);
            let is_start = |place: &usize| matches.get(*place).is_some_and(|found| !found.goes_on);
            (behind..matches.len())
                .find(is_start)
                .or_else(|| (0..matches.len()).find(is_start))
        })
    }

    /// Goes to the next place, or the one before; from the last one to the first.
    pub(crate) fn step(self, is_forward: bool) {
        let current = self.current.get_untracked().map(|(place, _)| place);
        let place = self.matches.with_value(|matches| {
            let is_start = |place: &usize| matches.get(*place).is_some_and(|found| !found.goes_on);
            let all = 0..matches.len();
            match (current, is_forward) {
                (Some(current), true) => (current + 1..matches.len()).find(is_start),
                (Some(current), false) => (0..current).rev().find(is_start),
                (None, _) => None,
            }
            .or_else(|| {
                if is_forward {
                    all.clone().find(is_start)
                } else {
                    all.rev().find(is_start)
                }
            })
        });
        self.go_to(place);
    }

    fn go_to(self, place: Option<usize>) {
        let Some(row) = self.point_at(place) else {
            return;
        };
        if !self.rows.shows(row) {
            self.rows.center(row);
        }
        self.rows.reveal_across("mark.current");
    }

    /// Makes a place the current one; gives its row.
    fn point_at(self, place: Option<usize>) -> Option<u64> {
        let place = place?;
        let (row, number) = self.matches.with_value(|matches| {
            let before = matches.iter().take(place + 1);
            let number = before.filter(|found| !found.goes_on).count();
            (matches.get(place).map(|found| found.row), number)
        });
        let _ = self.current.try_set(Some((place, number)));
        row.map(u64::from)
    }

    fn words(self) -> String {
        let count = self.count.get();
        let shown = format::count(count as u64);
        let at = self.current.get().map(|(_, number)| number as u64);
        let places = match at {
            Some(at) => format!("{} of {shown}", format::count(at)),
            None => shown,
        };
        match self.state.get() {
            State::Idle => String::new(),
            State::Finding(_, 0) => "Finding".to_owned(),
            State::Finding(searched, total) => format!(
                "{places} so far · {} %",
                format::percent(searched.into(), total.into())
            ),
            State::Done if count == 0 => text::FIND_NOTHING.to_owned(),
            State::Done => places,
            State::Stopped => format!("{places} until you stopped"),
            State::Full => format!("{places}, {}", text::find_full(MAX_MATCHES)),
            State::Refused(why) => why,
        }
    }

    /// The word for the state in test marks.
    fn key(self) -> &'static str {
        match self.state.get() {
            State::Idle => "idle",
            State::Finding(..) => "finding",
            State::Done => "done",
            State::Full => "full",
            State::Stopped => "stopped",
            State::Refused(_) => "refused",
        }
    }

    fn stop(self) {
        let ticket = self.running.try_update_value(Option::take);
        drop(ticket);
        self.state.set(State::Stopped);
    }
}

/// Whether `place` is `current`, or a part of the same place in a row below.
fn is_part(matches: &[Match], current: usize, place: usize) -> bool {
    place >= current
        && matches
            .get(current + 1..=place)
            .is_none_or(|between| between.iter().all(|found| found.goes_on))
}

/// The box and what stands beside it. `change` takes another query.
pub(crate) fn finder_box(
    finder: Finder,
    query: Memo<Option<Query>>,
    change: impl Fn(Query) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    let now = move || query.get_untracked().unwrap_or_else(nothing);
    let timer = StoredValue::new_local(None::<Timeout>);
    let typed = move |event| {
        let text = event_target_value(&event);
        timer.set_value(Some(Timeout::new(TYPING, move || {
            if query.try_get_untracked().is_some() {
                change(Query { text, ..now() });
            }
        })));
    };
    let pressed = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => {
            event.prevent_default();
            finder.step(!event.shift_key());
        }
        "Escape" => {
            if let Some(node) = finder.rows.node.get_untracked() {
                let _ = node.focus();
            }
        }
        _ => {}
    };
    take_find_key(input);
    let switch = move |label: &'static str,
                       mark: &'static str,
                       is_on: fn(&Query) -> bool,
                       set: fn(Query, bool) -> Query| {
        view! {
            <label class="check">
                <input
                    type="checkbox"
                    data-testid=mark
                    prop:checked=move || query.with(|query| query.as_ref().is_some_and(is_on))
                    on:change=move |event| change(set(now(), event_target_checked(&event)))
                />
                {label}
            </label>
        }
    };
    let has_none = move || finder.count.get() == 0;
    let is_finding = move || matches!(finder.state.get(), State::Finding(..));
    view! {
        <div class="finder" role="search" aria-label="Find in this text">
            <input
                type="search"
                class="filter"
                data-testid="find"
                node_ref=input
                aria-label="Find in this text"
                placeholder="Find in this text"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || query.with(|query| query.as_ref().map(|query| query.text.clone()).unwrap_or_default())
                on:input=typed
                on:keydown=pressed
            />
            <button type="button" aria-label="Previous place" title="Previous place (Shift+Enter)" data-testid="find-previous" disabled=has_none on:click=move |_| finder.step(false)>"↑"</button>
            <button type="button" aria-label="Next place" title="Next place (Enter)" data-testid="find-next" disabled=has_none on:click=move |_| finder.step(true)>"↓"</button>
            {switch("Match case", "find-case", |query| query.case == Case::Matters, |query, is_on| Query {
                case: if is_on { Case::Matters } else { Case::Ignored },
                ..query
            })}
            {switch("Whole word", "find-word", |query| query.whole_word, |query, whole_word| Query { whole_word, ..query })}
            {switch("Regex", "find-regex", |query| query.is_regex, |query, is_regex| Query { is_regex, ..query })}
            <button type="button" data-testid="find-stop" class:away=move || !is_finding() on:click=move |_| finder.stop()>"Stop"</button>
            <span class="table-count" role="status" data-testid="find-state" data-state=move || finder.key()>{move || finder.words()}</span>
        </div>
    }
}

/// The query that finds nothing.
pub(crate) fn nothing() -> Query {
    Query {
        text: String::new(),
        case: Case::Ignored,
        whole_word: false,
        is_regex: false,
    }
}

/// Ctrl+F goes to the box, since the browser's own search sees only the rows that are drawn. Pressed a second
/// time it is the browser's.
fn take_find_key(input: NodeRef<Input>) {
    let listener = StoredValue::new_local(None::<EventListener>);
    let Some(window) = web_sys::window() else {
        return;
    };
    let options = EventListenerOptions::enable_prevent_default();
    let listen = EventListener::new_with_options(&window, "keydown", options, move |event| {
        let Some(key) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        let is_find = (key.ctrl_key() || key.meta_key()) && key.key().eq_ignore_ascii_case("f");
        let Some(input) = input.try_get_untracked().flatten() else {
            return;
        };
        let is_there = event
            .target()
            .is_some_and(|target| target == *AsRef::<web_sys::EventTarget>::as_ref(&input));
        if is_find && !is_there {
            event.prevent_default();
            let _ = input.focus();
            input.select();
        }
    });
    listener.set_value(Some(listen));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_several_rows_is_one() {
        let part = |row, goes_on| Match {
            row,
            start: 0,
            length: 1,
            goes_on,
        };
        let matches = [part(0, false), part(1, true), part(2, true), part(2, false)];
        let of_first: Vec<bool> = (0..4).map(|place| is_part(&matches, 0, place)).collect();
        assert_eq!(of_first, [true, true, true, false]);
        assert!(is_part(&matches, 3, 3));
        assert!(!is_part(&matches, 3, 1));
    }
}
