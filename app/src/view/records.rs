//! All records of a log, in the order of the file.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Answer, LogId, Question, RecordRow};
use crate::route::{Address, Place};
use crate::text;
use crate::ui::asked::Growth;
use crate::ui::format;
use crate::ui::grid::{self, Grid};
use crate::ui::heading::heading;
use crate::ui::paged::{Paged, Source, Stretch};
use crate::ui::rows::Rows;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// How long the page waits for more typing in the filter, in milliseconds.
const TYPING: u32 = 120;

/// The columns with their words, in their order.
const COLUMNS: [(&str, &str); 8] = [
    ("line", "Line"),
    ("time", "Time"),
    ("kind", "Kind"),
    ("name", "Name"),
    ("id", "Id"),
    ("attempt", "Attempt"),
    ("origin", "Written by"),
    ("bytes", "Size"),
];

/// The view.
pub(crate) fn records(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let filter = Memo::new(move |before: Option<&String>| {
        workspace.address.with(|address| match &address.place {
            Place::Records { filter } => filter.clone(),
            _ => before.cloned().unwrap_or_default(),
        })
    });
    let paged: Paged<RecordRow, u32> = Paged::new(workspace.engine);
    let rows = Rows::new(paged.total.into(), grid::ROW, grid::ROW);
    let active = RwSignal::new(0u64);
    Effect::new(move |before: Option<String>| {
        let filter = filter.get();
        let asked = filter.clone();
        paged.set_source(Source {
            question: Box::new(move |first, count| Question::Records {
                log: id,
                filter: asked.clone(),
                first,
                count,
            }),
            pick: |answer| match answer {
                Answer::Records(page) => Some(Stretch {
                    first: page.first,
                    rows: page.rows,
                    total: u64::from(page.matching),
                    head: page.total,
                }),
                _ => None,
            },
        });
        if before.is_some_and(|before| before != filter) {
            active.set(0);
            rows.go(0.0);
        }
        filter
    });
    let growth = log.growth();
    Effect::new(move |before: Option<Growth>| {
        let now = growth.get();
        if before.is_some_and(|before| before != now) {
            paged.refresh(now);
        }
        now
    });
    let drawn = rows.drawn();
    Effect::new(move |_| paged.want(drawn.get()));
    let matching = move || match paged.head.get() {
        Some(Ok(all)) if u64::from(all) != paged.total.get() => {
            format!(
                "{} of {}",
                format::count(paged.total.get()),
                format::counted(u64::from(all), "record", "records")
            )
        }
        Some(Ok(all)) => format::counted(u64::from(all), "record", "records"),
        _ => String::new(),
    };
    let timer = StoredValue::new_local(None::<Timeout>);
    let typed = move |event| {
        let filter = event_target_value(&event);
        timer.set_value(Some(Timeout::new(TYPING, move || {
            let address = workspace.address.get_untracked();
            workspace.amend(address.to(Place::Records { filter }));
        })));
    };
    let nothing = move || match filter.with(String::is_empty) {
        true => text::NO_RECORD,
        false => text::NO_RECORD_MATCH,
    };
    let title = format!("All records · {}", plain(&log.name));
    let header = COLUMNS.map(|(key, label)| {
        let is_number = matches!(key, "line" | "attempt" | "bytes");
        view! { <div role="columnheader" class="cell" class:number=is_number data-column=key>{label}</div> }
    });
    let header = view! { <div role="row" class="grid-row grid-head" aria-rowindex="1">{header.into_iter().collect_view()}</div> };
    let table = Grid {
        name: "All records",
        mark: "records",
        row_mark: "record-row",
        rows,
        active,
    };
    let open = move |row: &RecordRow| {
        workspace.go(&Address::decode(
            &workspace.link(id, Place::Record(row.record)),
        ));
    };
    view! {
        <div class="page wide" data-testid="all-records">
            {heading(workspace.arrival, move || title.clone(), paged.fresh.into(), "All records")}
            {move || trouble(paged.head.get().and_then(Result::err))}
            <div class="table-tools">
                <input
                    type="search"
                    class="filter"
                    data-testid="records-filter"
                    aria-label="Filter records"
                    placeholder="Filter by kind, name, id"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=filter
                    on:input=typed
                />
                <span class="table-count" role="status" data-testid="records-matching">{matching}</span>
            </div>
            <div class="all-records">
                {grid::grid(table, header, move |place| paged.row(place), move |row| cells(workspace, id, row), open)}
            </div>
            <Show when=move || paged.total.get() == 0 && paged.head.with(|head| matches!(head, Some(Ok(_))))>
                <p class="nothing">{nothing}</p>
            </Show>
        </div>
    }
}

fn cells(workspace: Workspace, id: LogId, row: &RecordRow) -> AnyView {
    let raw = workspace.link(id, Place::Record(row.record));
    let compilation = row.compilation.clone().map(|(key, label)| {
        let link = workspace.link(id, Place::Compilation(key));
        view! { <a href=link tabindex="-1">{visible(&label)}</a> }
    });
    view! {
        <div role="gridcell" class="cell number" data-column="line"><a href=raw tabindex="-1">{format::count(row.line)}</a></div>
        <div role="gridcell" class="cell dim tabular" data-column="time">{visible(&row.time)}</div>
        <div role="gridcell" class="cell code-font" data-column="kind">{visible(&row.kind)}</div>
        <div role="gridcell" class="cell code-font" data-column="name">{row.name.as_deref().map(visible)}</div>
        <div role="gridcell" class="cell" data-column="id">{compilation}</div>
        <div role="gridcell" class="cell number" data-column="attempt">{format::count(u64::from(row.attempt))}</div>
        <div role="gridcell" class="cell code-font dim" data-column="origin" title=plain(&row.origin)>{visible(&row.origin)}</div>
        <div role="gridcell" class="cell number" data-column="bytes">{format::bytes(row.bytes)}</div>
    }
    .into_any()
}
