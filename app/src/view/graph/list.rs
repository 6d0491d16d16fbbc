//! The nodes as a list: the same graph for those who cannot see a picture, and the way to look for a node.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::Graph;
use crate::engine::client::Ticket;
use crate::engine::protocol::{Answer, GraphNodeRow, NodeChange, Question};
use crate::text::format;
use crate::text::graphs as text;
use crate::text::paths;
use crate::ui::filter_box::{Words, filter_box};
use crate::ui::grid::{self, Grid};
use crate::ui::paged::{Paged, Source, Stretch};
use crate::ui::rows::Rows;
use crate::ui::table_copy::{Table, copy_table};
use crate::ui::visible::{plain, visible};
use crate::view::kept::keep;
use crate::view::workspace::OpenLog;

/// The box that filters.
const FILTER: Words = Words {
    mark: "graph-filter",
    name: "Find nodes",
    hint: "Find by name, operation, shape, line",
};

type Nodes = Paged<GraphNodeRow, u32>;

/// The box that looks for nodes, and the list of those that it finds.
pub(super) fn list(graph: Graph, log: &OpenLog) -> (impl IntoView + use<>, impl IntoView + use<>) {
    let paged: Nodes = Paged::new(graph.workspace.engine);
    let rows = Rows::new(paged.total.into(), grid::ROW, grid::ROW);
    let active = RwSignal::new(0_u64);
    let asked = Memo::new(move |_| {
        (
            graph.shown(),
            graph.place.with(|place| place.filter.clone()),
        )
    });
    Effect::new(move |before: Option<String>| {
        let (_, filter) = asked.get();
        paged.set_source(source(graph));
        if before.is_some_and(|before| before != filter) {
            rows.go_first(active);
        }
        filter
    });
    paged.retry(log.growth());
    paged.follow(rows);
    keep(graph.workspace, "graph nodes", rows, Some(active));
    let set = move |filter: String| graph.amend(|place| place.filter = filter);
    let value = Signal::derive(move || graph.place.with(|place| place.filter.clone()));
    let matching = move || {
        let shown = paged.total.get();
        match paged.head.get() {
            Some(Ok(all)) if u64::from(all) != shown => {
                format!(
                    "{} of {}",
                    format::count(shown),
                    format::counted(all.into(), "node", "nodes")
                )
            }
            Some(Ok(all)) => format::counted(all.into(), "node", "nodes"),
            Some(Err(why)) => why,
            None => String::new(),
        }
    };
    let table = Grid {
        name: "Nodes of the graph",
        mark: "graph-nodes",
        row_mark: "graph-row",
        rows,
        active,
    };
    let open = move |row: &GraphNodeRow| {
        graph.choose(row.node);
        if let Some(picture) = document().query_selector(".canvas-picture").ok().flatten() {
            picture.scroll_into_view_with_bool(false);
        }
    };
    // The key goes to the first node that was found; typing is over when it is pressed.
    let first = StoredValue::new_local(None::<Ticket>);
    let key = move |event: KeyboardEvent| {
        if event.key() != "Enter" {
            return;
        }
        event.prevent_default();
        let filter = event_target_value(&event);
        let question = Question::GraphNodes {
            graph: graph.shown(),
            filter: filter.clone(),
            first: 0,
            count: 1,
        };
        set(filter);
        let ticket = graph.workspace.engine.ask(question, move |answer| {
            if let Ok(Answer::GraphNodes(page)) = answer
                && let Some(row) = page.rows.first()
            {
                graph.choose(row.node);
            }
        });
        first.set_value(Some(ticket));
    };
    let search = view! {
        <span class="graph-search" on:keydown=key>
            {filter_box(FILTER, value, set)}
            <span class="table-count" role="status" data-testid="graph-matching">{matching}</span>
        </span>
    };
    let nodes = view! {
        <section class="graph-list" aria-labelledby="graph-list-title">
            <div class="table-tools">
                <h2 id="graph-list-title">"Nodes"</h2>
                <span class="table-count" aria-hidden="true">{matching}</span>
                {copy_table(graph.workspace.engine, text::COPY_NODES, move || copied(graph))}
            </div>
            {grid::grid(table, header(), move |place| paged.row(place), move |row| cells(graph, row).into_any(), open)}
            <Show when=move || { paged.total.get() == 0 && paged.head.get().is_some() }>
                <p class="nothing">{text::NO_NODE}</p>
            </Show>
        </section>
    };
    (search, nodes)
}

fn source(graph: Graph) -> Source<GraphNodeRow, u32> {
    let (shown, filter) = graph
        .place
        .with_untracked(|place| (super::shown(graph.log, place), place.filter.clone()));
    Source {
        question: Box::new(move |first, count| Question::GraphNodes {
            graph: shown.clone(),
            filter: filter.clone(),
            first,
            count,
        }),
        pick: |answer| match answer {
            Answer::GraphNodes(page) => Some(Stretch {
                first: page.first,
                rows: page.rows,
                total: u64::from(page.matching),
                head: page.total,
            }),
            _ => None,
        },
    }
}

fn copied(graph: Graph) -> Table<GraphNodeRow> {
    Table {
        header: [
            "Name",
            "Operation",
            "Kind",
            "Tensor",
            "Inputs",
            "File",
            "Line",
            "Change",
        ]
        .into(),
        source: source(graph),
        line: Box::new(|row| {
            let (file, line) = row
                .place
                .clone()
                .map(|(file, line)| (file, line.to_string()))
                .unwrap_or_default();
            vec![
                row.name.clone(),
                row.label.clone(),
                text::class(row.class).0.to_owned(),
                row.annotation.clone(),
                row.inputs.clone(),
                file,
                line,
                change(row.change).to_owned(),
            ]
        }),
    }
}

fn change(change: NodeChange) -> &'static str {
    match change {
        NodeChange::Same => "",
        NodeChange::Added => "new",
        NodeChange::Removed => "gone",
        NodeChange::Changed => "changed",
    }
}

fn header() -> impl IntoView {
    let names = ["Name", "Operation", "Tensor", "Inputs", "Source line"];
    let all = names.map(|name| view! { <div role="columnheader" class="cell">{name}</div> });
    view! { <div role="row" class="grid-row grid-head" aria-rowindex="1">{all.into_iter().collect_view()}</div> }
}

fn cells(graph: Graph, row: &GraphNodeRow) -> impl IntoView + use<> {
    let link = graph.graph_link(crate::route::GraphPlace {
        node: Some(row.node),
        ..graph.place.get_untracked()
    });
    let line = row.place.as_ref().map(|(_, line)| i64::from(*line));
    let file = row.place.as_ref().map(|(file, _)| file.as_str());
    let whole = plain(&paths::whole_place(file, line));
    let short = row.place.as_ref().map(|_| paths::place(file, line));
    let mark = (row.change != NodeChange::Same).then(|| view! { <span class="change" data-change=change(row.change)>{change(row.change)}</span> " " });
    view! {
        <div role="gridcell" class="cell code-font" data-column="name"><a href=link tabindex="-1">{visible(&row.name)}</a></div>
        <div role="gridcell" class="cell code-font" data-column="label">
            {mark}
            <span class="swatch" data-class=row.class.name() title=text::class(row.class).0 aria-hidden="true"></span>
            " "
            {visible(&row.label)}
        </div>
        <div role="gridcell" class="cell code-font" data-column="tensor" title=plain(&row.annotation)>{visible(&row.annotation)}</div>
        <div role="gridcell" class="cell code-font dim" data-column="inputs" title=plain(&row.inputs)>{visible(&row.inputs)}</div>
        <div role="gridcell" class="cell code-font dim" data-column="place" title=whole>{short.map(|short| visible(&short))}</div>
    }
}
