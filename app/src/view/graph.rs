//! A graph as a picture, with its nodes as a list beside it: what computes what, and from which line.
//!
//! Start at [`graph`]. The engine draws ([`Picture`](crate::engine::protocol::Picture)); [`crate::ui::canvas`]
//! shows it. What is chosen, open, compared and looked for stands in the address.

mod list;
mod node;
mod summary;
mod tools;

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use web_sys::MouseEvent;

use super::text_diff;
use super::workspace::{OpenLog, Workspace};
use crate::engine::client::Ticket;
use crate::engine::protocol::{
    Answer, GraphNodeView, GraphShown, GraphView, LogId, NodeChange, OpClass, Question, What,
};
use crate::route::{GraphPlace, Place, TextPlace};
use crate::text::format;
use crate::text::graphs as text;
use crate::ui::asked::asked;
use crate::ui::canvas::{Canvas, canvas_view};
use crate::ui::heading::heading;
use crate::ui::picture::{Reach, Walk};
use crate::ui::picture_export::titled;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// Nodes that a filter leaves, as many as stand out in the picture.
const LIT: u32 = 2_000;

/// A graph, as the address asks for it.
#[derive(Clone, Copy)]
pub(super) struct Graph {
    /// What all views share.
    pub workspace: Workspace,
    /// The log.
    pub log: LogId,
    /// The record, what is open, chosen and compared.
    pub place: Memo<GraphPlace>,
    /// What the engine says of it.
    pub view: Memo<Option<Arc<GraphView>>>,
    /// The picture.
    pub canvas: Canvas,
    /// The node that is chosen; nothing where the graph does not have it.
    pub chosen: RwSignal<Option<Option<GraphNodeView>>>,
    /// What stands out besides what the filter leaves.
    pub lit: RwSignal<Lit>,
}

/// What stands out in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lit {
    /// Nothing by itself.
    Nothing,
    /// What the chosen box is made of, or what is made of it.
    Reach(Reach),
    /// What lies between the chosen box and this one.
    Between(What),
}

impl Graph {
    /// Shows the same, but for a change.
    pub(super) fn amend(self, change: impl FnOnce(&mut GraphPlace)) {
        let mut place = self.place.get_untracked();
        change(&mut place);
        let address = self.workspace.address.get_untracked();
        self.workspace.amend(address.to(Place::Graph(place)));
    }

    /// Which picture the address asks for.
    pub(super) fn shown(self) -> GraphShown {
        self.place.with(|place| shown(self.log, place))
    }

    /// A press that chooses a node; with a modifier key the link is as any other.
    pub(super) fn chooses(self, node: u32) -> impl Fn(MouseEvent) + Copy + 'static {
        move |event: MouseEvent| {
            if event.ctrl_key() || event.meta_key() || event.shift_key() {
                return;
            }
            event.prevent_default();
            self.choose(node);
        }
    }

    /// Chooses a node.
    pub(super) fn choose(self, node: u32) {
        self.amend(|place| place.node = Some(node));
    }

    /// Opens a group that is closed, or closes one that is open. What is opened stays where it is.
    pub(super) fn toggle(self, what: What) {
        let (What::Closed(group) | What::Frame(group)) = what else {
            return;
        };
        let is_open = matches!(what, What::Frame(_));
        let mut open = self.open();
        open.retain(|other| *other != group);
        if !is_open {
            open.push(group);
            open.sort_unstable();
        }
        self.canvas.anchor(what);
        self.amend(|place| place.open = Some(open));
    }

    /// The groups that are open.
    pub(super) fn open(self) -> Vec<u32> {
        let view = self.view.get_untracked();
        view.map(|view| view.open.clone()).unwrap_or_default()
    }

    /// The address of the text, at a line.
    pub(super) fn text_link(self, record: u32, line: Option<u32>) -> String {
        let place = TextPlace {
            lines: line.map(|line| (line, line)),
            ..TextPlace::of(record)
        };
        self.workspace.link(self.log, Place::Text(place))
    }

    /// The address of another graph.
    pub(super) fn graph_link(self, place: GraphPlace) -> String {
        self.workspace.link(self.log, Place::Graph(place))
    }
}

fn shown(log: LogId, place: &GraphPlace) -> GraphShown {
    GraphShown {
        log,
        record: place.record,
        module: place.module,
        open: place.open.clone(),
        against: place.against,
    }
}

/// The view.
pub(crate) fn graph(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let place = Memo::new(move |before: Option<&GraphPlace>| {
        workspace.address.with(|address| match &address.place {
            Place::Graph(graph) => graph.clone(),
            _ => before.cloned().unwrap_or(GraphPlace::of(0)),
        })
    });
    let question = Memo::new(move |_| Question::Graph {
        graph: place.with(|place| shown(id, place)),
    });
    let answer = asked(
        workspace.engine,
        question,
        log.growth(),
        |answer| match answer {
            Answer::Graph(view) => Some(Arc::new(*view)),
            _ => None,
        },
    );
    let view = Memo::new(move |_| answer.good());
    let walk = RwSignal::new(None::<Arc<Walk>>);
    let graph = Graph {
        workspace,
        log: id,
        place,
        view,
        canvas: Canvas::new(walk.into(), move || workspace.theme.track()),
        chosen: RwSignal::new(None),
        lit: RwSignal::new(Lit::Nothing),
    };
    Effect::new(move |before: Option<Option<(u32, u32)>>| {
        let view = view.get();
        let subject = view.as_ref().map(|view| (view.record, view.module));
        if subject != before.flatten() {
            graph.canvas.begin_anew();
            if !matches!(
                graph.canvas.chosen.get_untracked(),
                None | Some(What::Node(_))
            ) {
                graph.canvas.chosen.set(None);
            }
            graph.lit.set(Lit::Nothing);
        }
        walk.set(view.map(|view| Arc::new(Walk::new(view.picture.clone()))));
        subject
    });
    follow_choice(graph);
    light(graph);
    let name = plain(&log.name);
    let label =
        move || view.with(|view| view.as_ref()?.compilation.clone().map(|(_, label)| label));
    let artifact = move || {
        view.with(|view| {
            view.as_ref()
                .map(|view| view.name.clone())
                .unwrap_or_default()
        })
    };
    let title = move || {
        format!(
            "Graph {} {} · {name}",
            artifact(),
            label().unwrap_or_default()
        )
    };
    let content = move || {
        let label =
            label().map(|label| view! { " of " <span class="label">{visible(&label)}</span> });
        view! { <span class="code-font">{visible(&artifact())}</span> {label} }
    };
    let back = workspace.link(id, Place::overview());
    let log_name = visible(&log.name);
    let crumb = move || {
        let compilation = view.with(|view| view.as_ref()?.compilation.clone());
        compilation.map(|(key, label)| {
            let link = workspace.link(id, Place::Compilation(key));
            view! { <a href=link>{visible(&label)}</a> }
        })
    };
    let is_drawn = Memo::new(move |_| {
        view.with(|view| view.as_ref().is_some_and(|view| view.trouble.is_none()))
    });
    let fresh = Signal::derive(move || answer.fresh.get());
    let open = move |what| graph.toggle(what);
    let said = move |box_| said(graph, box_);
    let (search, nodes) = list::list(graph, log);
    let (tools_open, colours_open) = (RwSignal::new(false), RwSignal::new(false));
    view! {
        <div class="page wide graph" data-testid="graph">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{log_name}</a> {crumb}</nav>
            {heading(workspace.arrival, title, fresh, content)}
            {move || trouble(answer.wrong())}
            {summary::head(graph)}
            <div class="stacked" class:gone=move || !is_drawn.get()>
                <div class="table-tools graph-tools">
                    {search}
                    {tools::fold(text::TOOLS, "graph-fold-tools", tools_open)}
                    {tools::fold(text::COLOURS, "graph-fold-colours", colours_open)}
                    <div class="foldable" class:unfolded=tools_open>{tools::tools(graph)}</div>
                </div>
                <div class="foldable" class:unfolded=colours_open>{legend(graph)}</div>
                <div class="graph-panes">
                    <div class="graph-picture">
                        {canvas_view(graph.canvas, open, said)}
                        <p class="graph-said" data-testid="hovered">{move || hovered(graph)}</p>
                    </div>
                    {node::node(graph)}
                </div>
                {nodes}
                {side_by_side(graph)}
                {summary::summary(graph)}
            </div>
        </div>
    }
}

/// The code of two graphs that are compared.
fn side_by_side(graph: Graph) -> impl IntoView {
    let pair = Memo::new(move |_| {
        let compared = graph
            .view
            .with(|view| view.as_ref()?.against.as_ref().map(|it| it.record));
        compared.map(|old| (old, graph.place.with(|place| place.record)))
    });
    move || {
        pair.get().map(|pair| {
            view! {
                <section data-testid="graph-code">
                    <h2>"The code side by side"</h2>
                    {text_diff::pane(graph.workspace, graph.log, pair, text_diff::Lines::Differing)}
                </section>
            }
        })
    }
}

/// What is chosen in the picture stands in the address, and what the address names is chosen in the picture,
/// with the groups around it opened.
fn follow_choice(graph: Graph) {
    let canvas = graph.canvas;
    Effect::new(move |before: Option<Option<What>>| {
        let chosen = canvas.chosen.get();
        let node_of = |what: Option<What>| match what {
            Some(What::Node(node)) => Some(node),
            _ => None,
        };
        if let Some(before) = before
            && node_of(before) != node_of(chosen)
        {
            let node = node_of(chosen);
            if graph.place.with_untracked(|place| place.node) != node {
                graph.amend(|place| place.node = node);
            }
        }
        chosen
    });
    let waiting = StoredValue::new_local(None::<Ticket>);
    // A node is brought into sight once: who closes its group afterwards wants it closed.
    let revealed = StoredValue::new(None);
    let asked = Memo::new(move |_| {
        graph
            .place
            .with(|place| (place.record, place.module, place.against, place.node))
    });
    Effect::new(move |_| {
        let now = asked.get();
        let (.., node) = now;
        // The graph is read first.
        let place = graph.place.get_untracked();
        let is_read = graph.view.with(|view| {
            view.as_ref().is_some_and(|view| {
                view.trouble.is_none() && (view.record, view.module) == (place.record, place.module)
            })
        });
        let Some(node) = node.filter(|_| is_read) else {
            waiting.set_value(None);
            // Going back leaves what was chosen.
            let canvas = graph.canvas;
            if is_read && matches!(canvas.chosen.get_untracked(), Some(What::Node(_))) {
                canvas.chosen.set(None);
            }
            return graph.chosen.set(None);
        };
        let question = Question::GraphNode {
            graph: graph.place.with_untracked(|place| shown(graph.log, place)),
            node,
        };
        let ticket = graph.workspace.engine.ask(question, move |answer| {
            let found = match answer {
                Ok(Answer::GraphNode(found)) => found.map(|found| *found),
                _ => None,
            };
            if let Some(found) = &found
                && revealed.try_get_value() != Some(Some(now))
                && reveal(graph, found)
            {
                revealed.set_value(Some(now));
            }
            let _ = graph.chosen.try_set(Some(found));
        });
        waiting.set_value(Some(ticket));
    });
}

/// Brings a node into sight, or opens what hides it, so that the next picture shows it. Says whether it is seen.
fn reveal(graph: Graph, node: &GraphNodeView) -> bool {
    let canvas = graph.canvas;
    let what = What::Node(node.node);
    let place = canvas
        .walk
        .with_untracked(|walk| walk.as_ref().and_then(|walk| walk.place(what)));
    if let Some(place) = place {
        let is_new = canvas.chosen.get_untracked() != Some(what);
        canvas.chosen.set(Some(what));
        if is_new {
            canvas.show(place);
        }
        return true;
    }
    let open: BTreeSet<u32> = graph
        .open()
        .into_iter()
        .chain(node.holders.iter().copied())
        .collect();
    if open.len() > graph.open().len() {
        graph.amend(|place| place.open = Some(open.into_iter().collect()));
    }
    false
}

/// Lights what the filter leaves, or what belongs to the chosen box.
fn light(graph: Graph) {
    let canvas = graph.canvas;
    let hits = RwSignal::new(Vec::<u32>::new());
    let waiting = StoredValue::new_local(None::<Ticket>);
    let asked = Memo::new(move |_| {
        let filter = graph.place.with(|place| place.filter.clone());
        (graph.shown(), filter)
    });
    Effect::new(move |_| {
        let (shown, filter) = asked.get();
        let is_read = graph.view.with(Option::is_some);
        if filter.trim().is_empty() || !is_read {
            waiting.set_value(None);
            return hits.set(Vec::new());
        }
        let question = Question::GraphNodes {
            graph: shown,
            filter,
            first: 0,
            count: LIT,
        };
        let ticket = graph.workspace.engine.ask(question, move |answer| {
            if let Ok(Answer::GraphNodes(page)) = answer {
                let _ = hits.try_set(page.rows.iter().map(|row| row.node).collect());
            }
        });
        waiting.set_value(Some(ticket));
    });
    Effect::new(move |_| {
        let (lit, hits) = (graph.lit.get(), hits.get());
        canvas.chosen.track();
        let Some(walk) = canvas.walk.get() else {
            return;
        };
        let chosen = canvas.chosen_box();
        let boxes = match (lit, chosen) {
            (Lit::Reach(reach), Some(chosen)) => walk.reach(chosen, reach),
            (Lit::Between(other), Some(chosen)) => walk
                .place(other)
                .map(|other| walk.between(chosen, other))
                .unwrap_or_default(),
            _ => hits
                .iter()
                .filter_map(|node| walk.place(What::Node(*node)))
                .collect(),
        };
        if canvas.lit.with_untracked(|before| **before != boxes) {
            canvas.lit.set(Arc::new(boxes));
        }
    });
}

/// What screen readers hear of a box.
fn said(graph: Graph, place: u32) -> String {
    let said = graph.canvas.walk.with(|walk| {
        let walk = walk.as_ref()?;
        let one = walk.get(place)?;
        let (into, out) = walk.links(place);
        let class = text::class(one.class).0;
        Some(plain(&format!(
            "{}, {class}, {}, takes {}, is taken by {}",
            titled(one),
            one.detail,
            into.len(),
            out.len()
        )))
    });
    said.unwrap_or_default()
}

fn hovered(graph: Graph) -> Option<impl IntoView + use<>> {
    let place = graph.canvas.hovered.get()?;
    graph.canvas.walk.with(|walk| {
        let one = walk.as_ref()?.get(place)?;
        let (label, detail) = (titled(one), one.detail.clone());
        let class = text::class(one.class).0;
        Some(view! { <span class="code-font">{visible(&label)}</span> " " <span class="code-font">{visible(&detail)}</span> " · " {class} })
    })
}

/// What the colours mean, and how many nodes there are of each: pressing one shows where they are.
fn legend(graph: Graph) -> impl IntoView {
    let classes = Memo::new(move |_| {
        let view = graph.view.get();
        view.map(|view| view.summary.by_class.clone())
            .unwrap_or_default()
    });
    let changes = Memo::new(move |_| {
        graph.canvas.walk.with(|walk| {
            let boxes = walk.iter().flat_map(|walk| &walk.picture.boxes);
            let has = |change| boxes.clone().any(|one| one.change == change);
            [NodeChange::Added, NodeChange::Removed, NodeChange::Changed].map(has)
        })
    });
    let one = move |(class, nodes): (OpClass, u32)| {
        let (name, meaning) = text::class(class);
        let is_on = move || {
            graph
                .place
                .with(|place| place.filter.trim() == class.name())
        };
        let press = move |_| {
            let filter = if is_on() { "" } else { class.name() };
            graph.amend(|place| filter.clone_into(&mut place.filter));
        };
        view! {
            <li>
                <button type="button" class="legend-item" title=meaning data-class=class.name() aria-pressed=move || is_on().to_string() on:click=press>
                    <span class="swatch" data-class=class.name() aria-hidden="true"></span> " " {name} " " <span class="dim">{format::count(nodes.into())}</span>
                </button>
            </li>
        }
    };
    let words = [
        ("added", "new"),
        ("removed", "gone"),
        ("changed", "changed"),
    ];
    let change = move |at: usize| {
        let (key, word) = words[at];
        changes.get()[at].then(|| view! { <li><span class="swatch outline" data-change=key aria-hidden="true"></span> {word}</li> })
    };
    view! {
        <ul class="legend graph-legend" aria-label="What the colours mean" data-testid="graph-legend">
            {move || classes.get().into_iter().map(one).collect_view()}
            {move || (0..3).filter_map(change).collect_view()}
        </ul>
    }
}
