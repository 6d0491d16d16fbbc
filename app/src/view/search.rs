//! One box that looks through everything in all open logs; what is found comes as it is found.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use super::logs::short_name;
use super::workspace::Workspace;
use crate::engine::client::{Found, Ticket};
use crate::engine::protocol::{Case, Hit, LogId, RecordIndex, SearchState};
use crate::route::{Address, Place};
use crate::text;
use crate::ui::format;
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
    state: SearchState,
}

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
    run(workspace, asked, list, progress, move || {
        active.set(0);
        rows.go(0.0);
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
        row_mark: "hit-row",
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
                    data-testid="search-text"
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
                <span class="table-count" role="status" data-testid="search-state">{words}</span>
            </div>
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
    list: RwSignal<Vec<Row>>,
    progress: RwSignal<Option<Progress>>,
    start: impl Fn() + 'static,
) {
    let ticket = StoredValue::new_local(None::<Ticket>);
    let logs = Memo::new(move |_| {
        workspace
            .logs
            .with(|logs| logs.iter().map(|log| log.id).collect::<Vec<_>>())
    });
    Effect::new(move |_| {
        let (text, case) = asked.get();
        let has_logs = logs.with(|logs| !logs.is_empty());
        let old = ticket.try_update_value(Option::take);
        drop(old);
        list.set(Vec::new());
        progress.set(None);
        start();
        if text.is_empty() || !has_logs {
            return;
        }
        let searching = workspace
            .engine
            .search(text, case, move |found| take(found, list, progress));
        ticket.set_value(Some(searching));
    });
}

fn take(found: Found, list: RwSignal<Vec<Row>>, progress: RwSignal<Option<Progress>>) {
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
            state: found.state,
        });
    });
}

fn said(progress: &Progress) -> String {
    let hits = format::counted(progress.hits, "line", "lines");
    match progress.state {
        SearchState::Searching => {
            let percent = format::percent(progress.searched, progress.total);
            format!(
                "{hits} so far · {percent} % of {}",
                format::bytes(progress.total)
            )
        }
        SearchState::Done => format!("{hits} in {}", format::bytes(progress.total)),
        SearchState::Full => format!("the first {hits}; a longer text finds less"),
    }
}

/// Where a row leads: to the line of the payload, or to the record.
fn target(workspace: Workspace, row: &Row) -> String {
    let link = |log: LogId, record: RecordIndex, line: u64| {
        // Rows and lines differ only behind a line of more than MAX_ROW_BYTES.
        let place = match u32::try_from(line)
            .ok()
            .and_then(|line| line.checked_sub(1))
        {
            Some(row) => Place::Text {
                record,
                row: Some(row),
            },
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
                <div role="gridcell" class="cell hit-record">
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
                <div role="gridcell" class="cell hit-line">
                    <a href=to class="number dim" tabindex="-1">
                        {if hit.payload_line > 0 { format::count(hit.payload_line) } else { "metadata".to_owned() }}
                    </a>
                    <span class="code-font hit-text">{visible(before)} <mark>{visible(there)}</mark> {visible(after)}</span>
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
