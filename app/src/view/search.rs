//! One box that looks through everything in all open logs; what is found comes as it is found.

use gloo_timers::callback::Timeout;
use leptos::html::Input;
use leptos::prelude::*;

use super::kept::keep;
use super::logs::short_name;
use super::workspace::{OpenLog, Workspace};
use crate::engine::client::{Found, Ticket};
use crate::engine::protocol::{
    Case, Hit, LogId, MAX_HITS, Query, ReadState, RecordIndex, SearchState,
};
use crate::route::{Address, Place, TextPlace};
use crate::text;
use crate::text::format;
use crate::ui::grid::{self, Grid};
use crate::ui::heading::heading;
use crate::ui::rows::Rows;
use crate::ui::visible::{plain, visible};

/// How long the page waits for more typing, in milliseconds.
const TYPING: u32 = 200;

/// A row of the list.
#[derive(Debug, Clone, PartialEq)]
enum Row {
    /// The record in which the hits below lie.
    Record(Hit),
    /// A hit.
    Hit(Hit),
}

/// How far the search is.
#[derive(Debug, Clone, PartialEq)]
struct Progress {
    hits: u64,
    searched: u64,
    total: u64,
    state: State,
    /// Why it broke off, where it did.
    why: String,
}

/// Where the search stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It goes on.
    Searching,
    /// All was searched.
    Done,
    /// It ended at the largest number of hits.
    Full,
    /// The reader stopped it.
    Stopped,
    /// The engine broke off.
    Failed,
}

impl State {
    /// The word for it in test marks.
    fn key(self) -> &'static str {
        match self {
            State::Searching => "searching",
            State::Done => "done",
            State::Full => "full",
            State::Stopped => "stopped",
            State::Failed => "failed",
        }
    }
}

/// What a search found, kept while other views are shown.
#[derive(Debug, Clone)]
pub(crate) struct Searched {
    asked: (String, Case),
    logs: Vec<(LogId, bool)>,
    list: Vec<Row>,
    progress: Progress,
}

type Running = StoredValue<Option<Ticket>, LocalStorage>;

/// The view.
pub(crate) fn search(workspace: Workspace) -> impl IntoView {
    let asked = Memo::new(move |before: Option<&(String, Case)>| {
        workspace.address.with(|address| match &address.place {
            Place::Search { text, case } => (text.clone(), *case),
            _ => before.cloned().unwrap_or((String::new(), Case::Ignored)),
        })
    });
    let list = RwSignal::new(Vec::<Row>::new());
    let progress = RwSignal::new(None::<Progress>);
    let total = Signal::derive(move || list.with(Vec::len) as u64);
    let rows = Rows::new(total, grid::ROW, 0.0);
    let active = RwSignal::new(0u64);
    let running: Running = StoredValue::new_local(None);
    run(workspace, asked, running, list, progress, move || {
        active.set(0);
        rows.go(0.0);
    });
    keep(workspace, "hits", rows, Some(active));
    let stop = move |_| {
        let ticket = running.try_update_value(Option::take);
        drop(ticket);
        progress.update(|progress| {
            if let Some(progress) = progress {
                progress.state = State::Stopped;
            }
        });
    };
    let state =
        Memo::new(move |_| progress.with(|progress| progress.as_ref().map(|now| now.state)));
    let is_searching = move || state.get() == Some(State::Searching);
    let has_logs = Memo::new(move |_| workspace.logs.with(|logs| !logs.is_empty()));
    let nothing = move || {
        if !has_logs.get() {
            return Some(text::SEARCH_NO_LOG);
        }
        let is_empty = state.get() == Some(State::Done) && total.get() == 0;
        is_empty.then(|| match asked.get().1 {
            Case::Ignored => text::SEARCH_NOTHING,
            Case::Matters => text::SEARCH_NOTHING_CASE,
        })
    };
    // Who comes here without a text wants to type one.
    let input = NodeRef::<Input>::new();
    let focus = StoredValue::new_local(None::<Timeout>);
    Effect::new(move |_| {
        let Some(input) = input.get() else { return };
        if asked.with_untracked(|(text, _)| text.is_empty()) {
            // After the heading, which takes the focus where the reader arrives.
            focus.set_value(Some(Timeout::new(0, move || {
                let _ = input.focus();
            })));
        }
    });
    let change = move |text: String, case: Case| {
        let address = workspace.address.get_untracked();
        workspace.amend(address.to(Place::Search { text, case }));
    };
    let timer = StoredValue::new_local(None::<Timeout>);
    let typed = move |event| {
        let text = event_target_value(&event);
        timer.set_value(Some(Timeout::new(TYPING, move || {
            change(text, asked.get_untracked().1);
        })));
    };
    let case = move |event| {
        let case = if event_target_checked(&event) {
            Case::Matters
        } else {
            Case::Ignored
        };
        change(asked.get_untracked().0, case);
    };
    let words = move || {
        progress
            .get()
            .map_or_else(|| text::SEARCH_HINT.to_owned(), |progress| said(&progress))
    };
    let table = Grid {
        name: "Hits",
        mark: "hits",
        row_mark: "search-row",
        rows,
        active,
    };
    let row = move |place: u64| {
        list.with(|list| {
            usize::try_from(place)
                .ok()
                .and_then(|place| list.get(place).cloned())
        })
    };
    let open = move |row: &Row| workspace.go(&Address::decode(&target(workspace, row)));
    let title = move || format!("Search {}", asked.get().0).trim().to_owned();
    view! {
        <div class="page wide" data-testid="search">
            {heading(workspace.arrival, title, Signal::stored(0), "Search all open logs")}
            <div class="table-tools">
                <input
                    type="search"
                    class="filter"
                    data-testid="search-box"
                    node_ref=input
                    aria-label="Text to look for"
                    placeholder="Text in any payload or metadata"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || asked.with(|(text, _)| text.clone())
                    on:input=typed
                />
                <label class="check">
                    <input
                        type="checkbox"
                        data-testid="search-case"
                        prop:checked=move || asked.with(|(_, case)| *case == Case::Matters)
                        on:change=case
                    />
                    "Match case"
                </label>
                <button type="button" data-testid="search-stop" class:away=move || !is_searching() on:click=stop>"Stop"</button>
                <span
                    class="table-count"
                    role="status"
                    data-testid="search-state"
                    data-state=move || state.get().map(State::key)
                >
                    {words}
                </span>
            </div>
            {move || nothing().map(|words| view! { <p class="nothing" data-testid="search-nothing">{words}</p> })}
            <div class="hits" class:away=move || total.get() == 0>
                {grid::grid(table, (), row, move |row| cells(workspace, row), open)}
            </div>
        </div>
    }
}

/// Runs the search that the address asks for, and again when it asks for another one or another log opens.
fn run(
    workspace: Workspace,
    asked: Memo<(String, Case)>,
    running: Running,
    list: RwSignal<Vec<Row>>,
    progress: RwSignal<Option<Progress>>,
    start: impl Fn() + 'static,
) {
    // A log that was read further may hold more; once, when reading ends, is often enough.
    let logs = Memo::new(move |_| {
        let is_reading = |log: &OpenLog| {
            log.progress
                .with(|progress| progress.state == ReadState::Reading)
        };
        workspace.logs.with(|logs| {
            logs.iter()
                .map(|log| (log.id, is_reading(log)))
                .collect::<Vec<_>>()
        })
    });
    Effect::new(move |_| {
        let (text, case) = asked.get();
        let has_logs = logs.with(|logs| !logs.is_empty());
        let old = running.try_update_value(Option::take);
        drop(old);
        list.set(Vec::new());
        progress.set(None);
        start();
        if text.is_empty() || !has_logs {
            return;
        }
        // Who comes back finds what was found before.
        let known = workspace.searched.with_value(|searched| {
            searched
                .as_ref()
                .filter(|known| known.asked == (text.clone(), case))
                .filter(|known| logs.with_untracked(|logs| *logs == known.logs))
                .cloned()
        });
        if let Some(known) = known {
            list.set(known.list);
            progress.set(Some(known.progress));
            return;
        }
        progress.set(Some(Progress {
            hits: 0,
            searched: 0,
            total: 0,
            state: State::Searching,
            why: String::new(),
        }));
        let searching = workspace
            .engine
            .search(text, case, move |found| take(found, list, progress));
        running.set_value(Some(searching));
    });
    Effect::new(move |_| {
        let Some(progress) = progress.get() else {
            return;
        };
        if matches!(progress.state, State::Done | State::Full) {
            workspace.searched.set_value(Some(Searched {
                asked: asked.get_untracked(),
                logs: logs.get_untracked(),
                list: list.get_untracked(),
                progress,
            }));
        }
    });
}

fn take(
    found: Result<Found, String>,
    list: RwSignal<Vec<Row>>,
    progress: RwSignal<Option<Progress>>,
) {
    let mut found = match found {
        Ok(found) => found,
        Err(why) => {
            let _ = progress.try_update(|progress| {
                if let Some(progress) = progress {
                    progress.state = State::Failed;
                    progress.why = why;
                }
            });
            return;
        }
    };
    // What comes last may hold more than there is room for.
    let before = progress
        .try_with_untracked(|progress| progress.as_ref().map_or(0, |progress| progress.hits));
    let room = (MAX_HITS as u64).saturating_sub(before.unwrap_or(0));
    found
        .hits
        .truncate(usize::try_from(room).unwrap_or(MAX_HITS));
    let count = found.hits.len() as u64;
    if count > 0 {
        let _ = list.try_update(|list| {
            for hit in found.hits {
                let record = |row: &Row| match row {
                    Row::Record(hit) | Row::Hit(hit) => (hit.log, hit.record),
                };
                if list.last().map(record) != Some((hit.log, hit.record)) {
                    list.push(Row::Record(hit.clone()));
                }
                list.push(Row::Hit(hit));
            }
        });
    }
    let _ = progress.try_update(|progress| {
        let before = progress.as_ref().map_or(0, |progress| progress.hits);
        *progress = Some(Progress {
            hits: before.saturating_add(count),
            searched: found.searched_bytes,
            total: found.total_bytes,
            state: match found.state {
                SearchState::Searching => State::Searching,
                SearchState::Done => State::Done,
                SearchState::Full => State::Full,
                SearchState::Refused(_) => State::Stopped,
            },
            why: String::new(),
        });
    });
}

fn said(progress: &Progress) -> String {
    let hits = format::counted(progress.hits, "line", "lines");
    match progress.state {
        State::Searching if progress.total == 0 => "Searching".to_owned(),
        State::Searching => {
            let percent = format::percent(progress.searched, progress.total);
            format!(
                "{hits} so far · {percent} % of {}",
                format::bytes(progress.total)
            )
        }
        State::Done => format!("{hits} in {}", format::bytes(progress.total)),
        State::Full => text::search_full(&format::counted(progress.hits, "hit", "hits")),
        State::Failed => progress.why.clone(),
        State::Stopped => format!(
            "{hits} in the {} that were searched before you stopped",
            format::bytes(progress.searched)
        ),
    }
}

/// What is found within the text that a hit leads to.
fn query(text: &str, case: Case) -> Query {
    Query {
        text: text.to_owned(),
        case,
        whole_word: false,
        is_regex: false,
    }
}

/// Where a row leads: to the line of the payload, or to the record.
fn target(workspace: Workspace, row: &Row) -> String {
    let sought = || {
        workspace
            .address
            .with_untracked(|address| match &address.place {
                Place::Search { text, case } => query(text, *case),
                _ => query("", Case::Ignored),
            })
    };
    let link = |log: LogId, record: RecordIndex, line: u64| {
        let place = match u32::try_from(line).ok().filter(|line| *line > 0) {
            Some(line) => Place::Text(TextPlace {
                lines: Some((line, line)),
                find: Some(sought()),
                ..TextPlace::of(record)
            }),
            None => Place::Record(record),
        };
        workspace.link(log, place)
    };
    match row {
        Row::Record(hit) => link(hit.log, hit.record, 0),
        Row::Hit(hit) => link(hit.log, hit.record, hit.payload_line),
    }
}

fn cells(workspace: Workspace, row: &Row) -> AnyView {
    let to = target(workspace, row);
    match row {
        Row::Record(hit) => {
            let name = workspace
                .log(hit.log)
                .map(|log| plain(&short_name(&log.name)));
            let compilation = hit.compilation.clone().map(|(key, label)| {
                let link = workspace.link(hit.log, Place::Compilation(key));
                view! { <a href=link tabindex="-1">{visible(&label)}</a> }
            });
            view! {
                <div role="gridcell" class="cell hit-record" data-testid="search-record">
                    <a href=to class="code-font" tabindex="-1">{visible(&hit.name)}</a>
                    " "
                    {compilation}
                    " "
                    <span class="dim">{name} " · line " {format::count(hit.file_line)}</span>
                </div>
            }
            .into_any()
        }
        Row::Hit(hit) => {
            let (before, there, after) = parts(hit);
            view! {
                <div role="gridcell" class="cell hit-line" data-testid="search-hit">
                    <a href=to class="number dim" tabindex="-1">
                        {if hit.payload_line > 0 { format::count(hit.payload_line) } else { "metadata".to_owned() }}
                    </a>
                    <span class="code-font hit-text">{visible(before)}<mark>{visible(there)}</mark>{visible(after)}</span>
                </div>
            }
            .into_any()
        }
    }
}

/// What stands before the hit, the hit, and what stands after it.
fn parts(hit: &Hit) -> (&str, &str, &str) {
    let text = hit.text.as_str();
    let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    let start = place(hit.at.0);
    let end = start.saturating_add(place(hit.at.1));
    match (text.get(..start), text.get(start..end), text.get(end..)) {
        (Some(before), Some(there), Some(after)) => (before, there, after),
        _ => (text, "", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_is_cut_out_of_its_line_and_a_wrong_place_does_no_harm() {
        let mut hit = Hit {
            log: 0,
            record: 0,
            name: String::new(),
            compilation: None,
            file_line: 1,
            payload_line: 1,
            text: "é = sin(x)".to_owned(),
            at: (5, 3),
        };
        assert_eq!(parts(&hit), ("é = ", "sin", "(x)"));
        hit.at = (1, 3);
        assert_eq!(parts(&hit), ("é = sin(x)", "", ""));
        hit.at = (u32::MAX, u32::MAX);
        assert_eq!(parts(&hit).1, "");
    }
}
