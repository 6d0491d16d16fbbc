//! All records of a log, in the order of the file.

use leptos::prelude::*;

use super::kept::keep;
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Answer, LogId, Question, ReadState, RecordRow};
use crate::route::{Address, HIDEABLE, Place, RecordColumn};
use crate::text;
use crate::text::format;
use crate::ui::filter_box::{Words, filter_box};
use crate::ui::grid::{self, Grid};
use crate::ui::heading::heading;
use crate::ui::paged::{Paged, Source, Stretch};
use crate::ui::rows::Rows;
use crate::ui::table_copy::{Table, copy_table};
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// A column.
struct ColumnOf {
    /// Its mark, in the style sheet and in tests.
    key: &'static str,
    /// What stands above it.
    label: &'static str,
    /// What it is called where it can be hidden.
    column: Option<RecordColumn>,
    /// Its width, as a grid says it.
    width: &'static str,
    /// Its smallest width, in rem.
    least: f64,
}

/// The columns in their order. Kind and name, which say what a record is, always show.
static COLUMNS: [ColumnOf; 8] = [
    ColumnOf::new("line", "Line", Some(RecordColumn::Line), "6rem", 6.0),
    ColumnOf::new("time", "Time", Some(RecordColumn::Time), "11rem", 11.0),
    ColumnOf::new("kind", "Kind", None, "minmax(11rem, 1fr)", 11.0),
    ColumnOf::new("name", "Name", None, "minmax(12rem, 1.4fr)", 12.0),
    ColumnOf::new("id", "Id", Some(RecordColumn::Id), "6.5rem", 6.5),
    ColumnOf::new(
        "attempt",
        "Attempt",
        Some(RecordColumn::Attempt),
        "5rem",
        5.0,
    ),
    ColumnOf::new(
        "origin",
        "Written by",
        Some(RecordColumn::Origin),
        "minmax(14rem, 1.4fr)",
        14.0,
    ),
    ColumnOf::new("bytes", "Size", Some(RecordColumn::Size), "5.5rem", 5.5),
];

impl ColumnOf {
    const fn new(
        key: &'static str,
        label: &'static str,
        column: Option<RecordColumn>,
        width: &'static str,
        least: f64,
    ) -> Self {
        ColumnOf {
            key,
            label,
            column,
            width,
            least,
        }
    }

    fn shows(&self, hide: &[RecordColumn]) -> bool {
        self.column.is_none_or(|column| !hide.contains(&column))
    }
}

/// What the address asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Wanted {
    filter: String,
    text: String,
    hide: Vec<RecordColumn>,
}

impl Wanted {
    fn place(self) -> Place {
        Place::Records {
            filter: self.filter,
            text: self.text,
            hide: self.hide,
        }
    }
}

/// The view.
pub(crate) fn records(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let wanted = Memo::new(move |before: Option<&Wanted>| {
        workspace.address.with(|address| match &address.place {
            Place::Records { filter, text, hide } => Wanted {
                filter: filter.clone(),
                text: text.clone(),
                hide: hide.clone(),
            },
            _ => before.cloned().unwrap_or_default(),
        })
    });
    let filters =
        Memo::new(move |_| wanted.with(|wanted| (wanted.filter.clone(), wanted.text.clone())));
    let hide = Memo::new(move |_| wanted.with(|wanted| wanted.hide.clone()));
    let paged: Paged<RecordRow, u32> = Paged::new(workspace.engine);
    let rows = Rows::new(paged.total.into(), grid::ROW, grid::ROW);
    let active = RwSignal::new(0u64);
    // Metadata is read for its filter, which takes a while in a large log.
    let is_searching = RwSignal::new(false);
    Effect::new(move |before: Option<(String, String)>| {
        let (filter, metadata) = filters.get();
        is_searching.set(!metadata.is_empty());
        let now = (filter.clone(), metadata.clone());
        paged.set_source(Source {
            question: question(id, filter, metadata),
            pick,
        });
        if before.is_some_and(|before| before != now) {
            rows.go_first(active);
        }
        now
    });
    Effect::new(move |before: Option<()>| {
        paged.fresh.track();
        if before.is_some() {
            is_searching.set(false);
        }
    });
    paged.grow(log.growth());
    paged.follow(rows);
    keep(workspace, "records", rows, Some(active));
    let matching = move || match paged.head.get() {
        _ if is_searching.get() => text::SEARCHING_METADATA.to_owned(),
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
    let change = move |change: &dyn Fn(&mut Wanted)| {
        let mut wanted = wanted.get_untracked();
        change(&mut wanted);
        let address = workspace.address.get_untracked();
        workspace.amend(address.to(wanted.place()));
    };
    let words_box = filter_box(
        Words {
            mark: "records-filter",
            name: "Filter records",
            hint: "Filter by kind, name, id",
        },
        Signal::derive(move || filters.with(|(filter, _)| filter.clone())),
        move |filter| change(&|wanted| wanted.filter.clone_from(&filter)),
    );
    let text_box = filter_box(
        Words {
            mark: "records-text",
            name: "Text in the metadata of records",
            hint: "Text in metadata",
        },
        Signal::derive(move || filters.with(|(_, text)| text.clone())),
        move |text| change(&|wanted| wanted.text.clone_from(&text)),
    );
    let switch = move |column: RecordColumn| {
        change(&|wanted| {
            if wanted.hide.contains(&column) {
                wanted.hide.retain(|hidden| *hidden != column);
            } else {
                wanted.hide.push(column);
                // In the order in which the address has them.
                wanted.hide = HIDEABLE
                    .iter()
                    .map(|(column, _)| *column)
                    .filter(|column| wanted.hide.contains(column))
                    .collect();
            }
        });
    };
    let shown = move |hide: &[RecordColumn]| {
        COLUMNS
            .iter()
            .filter(|column| column.shows(hide))
            .collect::<Vec<_>>()
    };
    let template = move || {
        hide.with(|hide| {
            shown(hide)
                .iter()
                .map(|column| column.width)
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    // What lies beside the cells takes a rem.
    let least = move || {
        hide.with(|hide| {
            format!(
                "{}rem",
                1.0 + shown(hide).iter().map(|column| column.least).sum::<f64>()
            )
        })
    };
    let hidden = move || {
        hide.with(|hide| {
            COLUMNS
                .iter()
                .filter(|column| !column.shows(hide))
                .map(|column| column.key)
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    let nothing = move || {
        filters.with(
            |(filter, text)| match (filter.is_empty(), text.is_empty()) {
                (true, true) => text::NO_RECORD,
                (false, true) => text::NO_RECORD_MATCH,
                (_, false) => text::NO_RECORD_TEXT,
            },
        )
    };
    let progress = log.progress.clone();
    let is_plain = Memo::new(move |_| {
        progress.with(|progress| progress.records == 0 && progress.state == ReadState::Done)
    });
    let title = format!("Records · {}", plain(&log.name));
    let header = COLUMNS.iter().map(|ColumnOf { key, label, .. }| {
        let is_number = matches!(*key, "line" | "attempt" | "bytes");
        view! { <div role="columnheader" class="cell" class:number=is_number data-column=*key>{*label}</div> }
    });
    let header = view! { <div role="row" class="grid-row grid-head" aria-rowindex="1">{header.collect_view()}</div> };
    let table = Grid {
        name: "Records",
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
            {heading(workspace.arrival, move || title.clone(), paged.fresh.into(), "Records")}
            {move || is_plain.get().then(|| view! { <p class="lead" data-testid="records-plain">{text::NO_RECORD_PLAIN}</p> })}
            {move || trouble(paged.head.get().and_then(Result::err))}
            <div class="table-tools">
                {words_box}
                {text_box}
                <span class="table-count" role="status" data-testid="records-matching">{matching}</span>
                {copy_table(workspace.engine, text::COPY_RECORDS, move || copied(id, wanted.get_untracked()))}
                {chooser(hide, switch)}
            </div>
            <div class="all-records" data-hide=hidden style:--record-columns=template style:--record-width=least>
                {grid::grid(table, header, move |place| paged.row(place), move |row| cells(workspace, id, row), open)}
            </div>
            <Show when=move || paged.total.get() == 0 && paged.head.with(|head| matches!(head, Some(Ok(_))))>
                <p class="nothing">{nothing}</p>
            </Show>
        </div>
    }
}

fn question(id: LogId, filter: String, metadata: String) -> Box<dyn Fn(u32, u32) -> Question> {
    Box::new(move |first, count| Question::Records {
        log: id,
        filter: filter.clone(),
        metadata: metadata.clone(),
        first,
        count,
    })
}

/// The table as it is copied: the columns that show, numbers as they are.
fn copied(id: LogId, wanted: Wanted) -> Table<RecordRow> {
    let Wanted { filter, text, hide } = wanted;
    let shown: Vec<&'static ColumnOf> = COLUMNS
        .iter()
        .filter(|column| column.shows(&hide))
        .collect();
    Table {
        header: shown.iter().map(|column| column.label).collect(),
        source: Source {
            question: question(id, filter, text),
            pick,
        },
        line: Box::new(move |row| shown.iter().map(|column| cell(row, column.key)).collect()),
    }
}

fn cell(row: &RecordRow, key: &str) -> String {
    match key {
        "line" => row.line.to_string(),
        "time" => row.time.clone(),
        "kind" => row.kind.clone(),
        "name" => row.name.clone().unwrap_or_default(),
        "id" => row
            .compilation
            .as_ref()
            .map(|(_, label)| label.clone())
            .unwrap_or_default(),
        "attempt" => row.attempt.to_string(),
        "origin" => row.origin.clone(),
        _ => row.bytes.to_string(),
    }
}

fn pick(answer: Answer) -> Option<Stretch<RecordRow, u32>> {
    match answer {
        Answer::Records(page) => Some(Stretch {
            first: page.first,
            rows: page.rows,
            total: u64::from(page.matching),
            head: page.total,
        }),
        _ => None,
    }
}

/// Which columns show.
fn chooser(
    hide: Memo<Vec<RecordColumn>>,
    switch: impl Fn(RecordColumn) + Copy + Send + 'static,
) -> impl IntoView {
    let boxes = COLUMNS.iter().filter_map(|ColumnOf { key, label, column, .. }| {
        let column = (*column)?;
        let is_shown = move || hide.with(|hide| !hide.contains(&column));
        Some(view! {
            <label class="check">
                <input type="checkbox" data-testid=format!("column-{key}") prop:checked=is_shown on:change=move |_| switch(column) />
                {*label}
            </label>
        })
    });
    view! {
        <details class="columns-choice" data-testid="columns">
            <summary>"Columns"</summary>
            <fieldset>
                <legend class="only-read">{text::COLUMNS_SHOWN}</legend>
                {boxes.collect_view()}
            </fieldset>
        </details>
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
