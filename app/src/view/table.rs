//! The table of compilations: virtual rows, sorted and filtered by the engine.

use leptos::prelude::*;

use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{
    Answer, Column, CompilationRow, Direction, LogId, Overview, Question, Sort, Status,
};
use crate::route::{Address, DEFAULT_SORT, Place, column_key};
use crate::text;
use crate::text::format;
use crate::text::frames as words_of_frames;
use crate::text::paths;
use crate::text::words;
use crate::ui::filter_box::{Words, filter_box};
use crate::ui::grid::{self, Grid};
use crate::ui::marks::status_mark;
use crate::ui::paged::{Paged, Source, Stretch};
use crate::ui::rows::Rows;
use crate::ui::table_copy::{Table, copy_table};
use crate::ui::visible::{plain, visible};

/// The box that filters.
const FILTER: Words = Words {
    mark: "filter",
    name: "Filter compilations",
    hint: "Filter by id, function, file, status",
};

/// The columns with their words, in their order.
const COLUMNS: [(Column, &str, &str); 8] = [
    (Column::Id, "Id", "Order in which compilations began"),
    (Column::Function, "Function", "The function's name"),
    (
        Column::Place,
        "Place",
        "File and line that define the function",
    ),
    (Column::Status, "Status", "How the compilation ended"),
    (Column::Attempts, "Attempts", "How often it was started"),
    (Column::Ops, "Ops", "Operations in the graph"),
    (Column::Guards, "Guards", "Conditions for using it again"),
    (Column::Seconds, "Time", "Seconds that compiling took"),
];

type CompilationRows = Paged<CompilationRow, u32>;

/// The table, its filter and its legend.
pub(crate) fn table(
    workspace: Workspace,
    log: &OpenLog,
    overview: Signal<Option<Overview>>,
) -> impl IntoView + use<> {
    let id = log.id;
    // While another view takes this one's place the address is no longer an overview's.
    let asked = Memo::new(move |before: Option<&(Sort, String)>| {
        workspace.address.with(|address| match &address.place {
            Place::Overview { sort, filter } => (*sort, filter.clone()),
            _ => before.cloned().unwrap_or((DEFAULT_SORT, String::new())),
        })
    });
    let paged: CompilationRows = Paged::new(workspace.engine);
    Effect::new(move |_| paged.set_source(source(id, asked.get())));
    paged.grow(log.growth());
    let rows = Rows::new(paged.total.into(), grid::ROW, grid::ROW);
    paged.follow(rows);
    let active = RwSignal::new(0u64);
    remember(workspace, id, rows, active, paged.total.into());
    Effect::new(move |before: Option<(Sort, String)>| {
        let now = asked.get();
        if before.is_some_and(|before| before != now) {
            rows.go_first(active);
        }
        now
    });
    let set_filter = move |filter: String| {
        let address = workspace.address.get_untracked();
        workspace.amend(address.to(Place::Overview {
            sort: asked.get_untracked().0,
            filter,
        }));
    };
    let matching = move || {
        let shown = paged.total.get();
        match paged.head.get() {
            Some(Ok(all)) if u64::from(all) != shown => {
                format!(
                    "{} of {}",
                    format::count(shown),
                    format::counted(u64::from(all), "compilation", "compilations")
                )
            }
            Some(Ok(all)) => format::counted(u64::from(all), "compilation", "compilations"),
            Some(Err(why)) => why,
            None => String::new(),
        }
    };
    let table = Grid {
        name: "Compilations",
        mark: "compilations",
        row_mark: "row",
        rows,
        active,
    };
    let row = move |place| paged.row(place);
    let open = move |row: &CompilationRow| {
        let place = Place::Compilation(row.key.clone());
        workspace.go(&Address::decode(&workspace.link(id, place)));
    };
    let nothing = move || match asked.with(|(_, filter)| filter.is_empty()) {
        true => text::NO_COMPILATION,
        false => text::NO_MATCH,
    };
    view! {
        <section class="compilations" aria-labelledby="compilations-title">
            <div class="table-tools">
                <h2 id="compilations-title">"Compilations"</h2>
                {filter_box(FILTER, Signal::derive(move || asked.with(|(_, filter)| filter.clone())), set_filter)}
                <span class="table-count" role="status" data-testid="matching">{matching}</span>
                {copy_table(workspace.engine, text::COPY_COMPILATIONS, move || copied(source(id, asked.get_untracked())))}
                {legend(workspace, id, overview, asked)}
            </div>
            {grid::grid(table, header(workspace, id, asked), row, move |row| cells(workspace, id, row).into_any(), open)}
            <Show when=move || { paged.total.get() == 0 && paged.head.get().is_some() }>
                <p class="nothing">{nothing}</p>
            </Show>
        </section>
    }
}

fn source(id: LogId, (sort, filter): (Sort, String)) -> Source<CompilationRow, u32> {
    Source {
        question: Box::new(move |first, count| Question::Compilations {
            log: id,
            sort,
            filter: filter.clone(),
            first,
            count,
        }),
        pick: |answer| match answer {
            Answer::Compilations(page) => Some(Stretch {
                first: page.first,
                rows: page.rows,
                total: u64::from(page.matching),
                head: page.total,
            }),
            _ => None,
        },
    }
}

/// The table as it is copied: the same columns, numbers as they are, the place as file and line.
fn copied(source: Source<CompilationRow, u32>) -> Table<CompilationRow> {
    let number = |value: Option<i64>| value.map(|value| value.to_string()).unwrap_or_default();
    let header = [
        "Id", "Function", "File", "Line", "Status", "Attempts", "Ops", "Guards", "Seconds",
    ];
    Table {
        header: header.into(),
        source,
        line: Box::new(move |row| {
            vec![
                row.label.clone(),
                row.function.clone().unwrap_or_default(),
                row.file.clone().unwrap_or_default(),
                number(row.line),
                words::status(row.status).label.to_owned(),
                row.attempts.to_string(),
                number(row.ops),
                number(row.guards),
                row.seconds
                    .map(|value| value.to_string())
                    .unwrap_or_default(),
            ]
        }),
    }
}

/// The statuses that occur, each a filter.
fn legend(
    workspace: Workspace,
    id: LogId,
    overview: Signal<Option<Overview>>,
    asked: Memo<(Sort, String)>,
) -> impl IntoView {
    let statuses = Memo::new(move |_| {
        overview.with(|overview| {
            overview
                .as_ref()
                .map(|overview| overview.by_status.clone())
                .unwrap_or_default()
        })
    });
    let one = move |(status, number): (Status, u32)| {
        let link = move || {
            let (sort, filter) = asked.get();
            let label = words::status(status).label;
            // A second press takes the filter away again.
            let filter = if filter == label {
                String::new()
            } else {
                label.to_owned()
            };
            workspace.link(id, Place::Overview { sort, filter })
        };
        let is_chosen = move || {
            asked
                .with(|(_, filter)| filter == words::status(status).label)
                .then_some("true")
        };
        view! { <li><a href=link aria-current=is_chosen>{status_mark(status)} " " {format::count(u64::from(number))}</a></li> }
    };
    view! {
        <ul class="legend" aria-label="Show only one status">
            <For each=move || statuses.get() key=|(status, number)| format!("{} {number}", words::status(*status).key) children=one />
        </ul>
    }
}

fn header(workspace: Workspace, id: LogId, asked: Memo<(Sort, String)>) -> impl IntoView {
    let columns = COLUMNS.map(|(column, label, meaning)| {
        let direction = Memo::new(move |_| {
            asked.with(|(sort, _)| (sort.column == column).then_some(sort.direction))
        });
        let aria = move || match direction.get() {
            Some(Direction::Ascending) => "ascending",
            Some(Direction::Descending) => "descending",
            None => "none",
        };
        let sort = move |_| {
            let direction = match direction.get_untracked() {
                Some(Direction::Ascending) => Direction::Descending,
                Some(Direction::Descending) => Direction::Ascending,
                // Of numbers the largest are looked for, of words the first.
                None if matches!(
                    column,
                    Column::Attempts | Column::Ops | Column::Guards | Column::Seconds
                ) =>
                {
                    Direction::Descending
                }
                None => Direction::Ascending,
            };
            let filter = asked.get_untracked().1;
            let address = Address::decode(&workspace.link(
                id,
                Place::Overview {
                    sort: Sort { column, direction },
                    filter,
                },
            ));
            workspace.amend(address);
        };
        let test = format!("sort-{}", column_key(column));
        view! {
            <div role="columnheader" class="cell" data-column=column_key(column) aria-sort=aria>
                <button type="button" data-testid=test title=meaning on:click=sort>
                    {label}
                    <span class="sort-mark" aria-hidden="true">
                        {move || match direction.get() {
                            Some(Direction::Ascending) => "▲",
                            Some(Direction::Descending) => "▼",
                            None => "",
                        }}
                    </span>
                </button>
            </div>
        }
    });
    view! { <div role="row" class="grid-row grid-head" aria-rowindex="1">{columns.into_iter().collect_view()}</div> }
}

fn cells(workspace: Workspace, id: LogId, row: &CompilationRow) -> impl IntoView + use<> {
    let link = workspace.link(id, Place::Compilation(row.key.clone()));
    let whole = plain(&paths::whole_place(row.file.as_deref(), row.line));
    let file = visible(&paths::place(row.file.as_deref(), row.line));
    let function = row.function.as_deref().map(visible);
    let title = row.function.as_deref().map(|function| {
        let continued = words_of_frames::continued(function);
        plain(&continued.map_or_else(|| function.to_owned(), |said| format!("{function}: {said}")))
    });
    let number = |value: Option<i64>| value.map(format::signed).unwrap_or_default();
    view! {
        <div role="gridcell" class="cell" data-column="id"><a href=link tabindex="-1">{visible(&row.label)}</a></div>
        <div role="gridcell" class="cell code-font" data-column="function" title=title>{function}</div>
        <div role="gridcell" class="cell code-font dim" data-column="place" title=whole>{file}</div>
        <div role="gridcell" class="cell" data-column="status">{status_mark(row.status)}</div>
        <div role="gridcell" class="cell number" data-column="attempts">{format::count(u64::from(row.attempts))}</div>
        <div role="gridcell" class="cell number" data-column="ops">{number(row.ops)}</div>
        <div role="gridcell" class="cell number" data-column="guards">{number(row.guards)}</div>
        <div role="gridcell" class="cell number" data-column="seconds">{row.seconds.map(format::seconds)}</div>
    }
}

/// Where the reader was in the table, so that coming back shows the same rows.
fn remember(
    workspace: Workspace,
    id: LogId,
    rows: Rows,
    active: RwSignal<u64>,
    total: Signal<u64>,
) {
    let before = workspace.remembered(id);
    let is_restored = StoredValue::new(before.is_none());
    let drawn = rows.drawn();
    Effect::new(move |_| {
        drawn.track();
        let (total, chosen) = (total.get(), active.get());
        if is_restored.get_value() {
            workspace.remember(id, (chosen, rows.top()));
        } else if let Some((chosen, top)) = before
            && total > 0
        {
            is_restored.set_value(true);
            active.set(chosen.min(total.saturating_sub(1)));
            rows.go(top);
        }
    });
}
