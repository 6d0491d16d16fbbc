//! The nodes of a graph as a list, and one of them explained.

use super::super::protocol::{
    GraphNodeRow, GraphNodeView, GraphNodesPage, NodeChange, Occurrence, UserLine, ValueView,
};
use super::picture::label;
use super::{FACT, Scene, count, cut};
use crate::text::graphs as words;
use dynascope_core::analysis::graph_summary::tensor_bytes;
use dynascope_core::payload::annotation::Annotation;
use dynascope_core::payload::fx_graph::{FxGraph, Node, NodeId, NodeKind, Role};

/// Neighbours of a node, and uses of a name, as many as are named.
const NEIGHBOURS: usize = 500;

/// The longest text of a row, in characters.
const ROW: usize = 200;

/// A stretch of the nodes that a filter leaves: words that must all stand in a node's name, target, annotation,
/// or line.
pub(super) fn page(scene: &Scene<'_>, filter: &str, first: u32, most: u32) -> GraphNodesPage {
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let all = numbers(scene);
    let total = count(all.len());
    let left: Vec<u32> = all
        .into_iter()
        .filter(|number| words.is_empty() || holds(scene, *number, &words))
        .collect();
    GraphNodesPage {
        first,
        rows: left
            .iter()
            .skip(first as usize)
            .take(most as usize)
            .filter_map(|number| row(scene, *number))
            .collect(),
        matching: count(left.len()),
        total,
    }
}

/// All nodes that are shown: those of the new graph, then those that only the old one has.
fn numbers(scene: &Scene<'_>) -> Vec<u32> {
    let own = scene.graph.nodes_of(scene.module);
    let mut all: Vec<u32> = own
        .filter(|(_, node)| is_shown(node))
        .map(|(id, _)| id)
        .collect();
    if let Some(against) = &scene.against {
        let old = against
            .graph
            .nodes_of(against.module)
            .zip(&against.diff.new_of);
        let gone = old.filter(|((_, node), new)| new.is_none() && is_shown(node));
        all.extend(gone.map(|((id, _), _)| scene.number_of_old(id)));
    }
    all
}

/// Whether a node is one of the graph, or a line that was not understood.
pub(super) fn is_shown(node: &Node) -> bool {
    node.kind.is_node() || node.kind == NodeKind::Opaque
}

fn holds(scene: &Scene<'_>, number: u32, words: &[String]) -> bool {
    let Some((graph, id, _)) = scene.node(number) else {
        return false;
    };
    let Some(node) = graph.node(id) else {
        return false;
    };
    let mut text = format!(
        "{} {} {} {} {}",
        graph.name(node),
        graph.target(node),
        annotation(graph, node).unwrap_or_default(),
        graph.op_class(node).name(),
        words::class(graph.op_class(node)).0,
    );
    if let Some(location) = graph.location(node) {
        let (function, code) = (location.function, location.code);
        text.push_str(&format!(
            " {}:{} {} {}",
            graph.text(location.file),
            location.line,
            graph.text(function.unwrap_or_default()),
            graph.text(code.unwrap_or_default())
        ));
    }
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

fn row(scene: &Scene<'_>, number: u32) -> Option<GraphNodeRow> {
    let (graph, id, is_old) = scene.node(number)?;
    let node = graph.node(id)?;
    let inputs: Vec<&str> = graph
        .inputs(node)
        .iter()
        .take(12)
        .filter_map(|edge| graph.node(edge.from).map(|from| graph.name(from)))
        .collect();
    Some(GraphNodeRow {
        node: number,
        name: cut(graph.name(node), ROW),
        label: cut(&label(graph, node), ROW),
        class: graph.op_class(node),
        annotation: cut(annotation(graph, node).unwrap_or_default(), ROW),
        inputs: cut(&inputs.join(", "), ROW),
        place: graph
            .location(node)
            .map(|location| (graph.text(location.file).to_owned(), location.line)),
        change: change(scene, id, is_old),
    })
}

fn change(scene: &Scene<'_>, id: NodeId, is_old: bool) -> NodeChange {
    if is_old {
        NodeChange::Removed
    } else {
        scene.change(id)
    }
}

/// What is printed as the type of a node, without quotes.
pub(super) fn annotation<'a>(graph: &'a FxGraph, node: &Node) -> Option<&'a str> {
    let text = graph.text(node.type_text?).trim_matches(['"', '\'']);
    (!text.is_empty()).then_some(text)
}

/// One node.
pub(super) fn view(scene: &Scene<'_>, number: u32) -> Option<GraphNodeView> {
    let (graph, id, is_old) = scene.node(number)?;
    let node = graph.node(id)?;
    let named = |other: NodeId| {
        let it = graph.node(other)?;
        let number = if is_old {
            old_or_partner(scene, other)
        } else {
            other
        };
        let annotation = annotation(graph, it).unwrap_or_default();
        Some((number, cut(graph.name(it), ROW), cut(annotation, ROW)))
    };
    let mut inputs: Vec<NodeId> = Vec::new();
    for edge in graph.inputs(node) {
        if inputs.len() < NEIGHBOURS && !inputs.contains(&edge.from) {
            inputs.push(edge.from);
        }
    }
    let mut users: Vec<NodeId> = graph
        .users(id)
        .map(|(_, edge)| edge.to)
        .take(NEIGHBOURS)
        .collect();
    users.dedup();
    let holders = if is_old {
        Vec::new()
    } else {
        scene.groups.holders(id.saturating_sub(scene.first()))
    };
    let differences = if is_old { &[] } else { scene.differences(id) };
    Some(GraphNodeView {
        node: number,
        name: cut(graph.name(node), FACT),
        kind: words::kind(node.kind).to_owned(),
        target: cut(graph.target(node), FACT),
        class: graph.op_class(node),
        annotation: annotation(graph, node).map(|text| cut(text, FACT)),
        arguments: cut(
            node.args.map(|args| graph.text(args)).unwrap_or_default(),
            FACT,
        ),
        inputs: inputs.into_iter().filter_map(named).collect(),
        users: users.into_iter().filter_map(named).collect(),
        place: place(graph, node),
        line: graph.place(node.text).row.saturating_add(1),
        holders,
        bytes: match graph.annotation(node) {
            Some(Annotation::Tensor(tensor)) => tensor_bytes(&tensor),
            _ => None,
        },
        calls: calls(graph, node),
        is_old,
        change: change(scene, id, is_old),
        differences: differences.iter().map(words::difference).collect(),
    })
}

/// The modules that a node calls, each once.
fn calls(graph: &FxGraph, node: &Node) -> Vec<(u32, String)> {
    let mut calls: Vec<(u32, String)> = Vec::new();
    for module in graph.submodules(node) {
        if let Some(found) = graph.module(module)
            && calls.iter().all(|(known, _)| *known != module)
        {
            calls.push((module, graph.module_name(found).to_owned()));
        }
    }
    calls
}

/// The number in the picture of a node of the old graph: that of its partner, where it has one.
fn old_or_partner(scene: &Scene<'_>, old: NodeId) -> u32 {
    let partner = scene.against.as_ref().and_then(|against| {
        let first = against.graph.module(against.module)?.nodes.start;
        let place = old.checked_sub(first)? as usize;
        against.diff.new_of.get(place).copied().flatten()
    });
    partner.unwrap_or_else(|| scene.number_of_old(old))
}

fn place(graph: &FxGraph, node: &Node) -> Option<UserLine> {
    let location = graph.location(node)?;
    let text = |span| cut(graph.text(span), FACT);
    Some(UserLine {
        file: text(location.file),
        line: location.line,
        function: location.function.map(text),
        code: location.code.map(text),
    })
}

/// What a name in the code stands for.
pub(super) fn value(scene: &Scene<'_>, node: NodeId) -> Option<ValueView> {
    let graph = scene.graph;
    let all = graph.occurrences(node);
    let at = |occurrence: &dynascope_core::payload::fx_graph::Occurrence| {
        let place = graph.place(occurrence.at);
        Occurrence {
            line: place.row.saturating_add(1),
            start: place.start,
            end: place.end,
        }
    };
    let definition = all.iter().find(|it| it.role == Role::Definition);
    Some(ValueView {
        module: scene.module,
        definition: definition.map(at),
        uses: all
            .iter()
            .filter(|it| it.role != Role::Definition)
            .take(NEIGHBOURS)
            .map(at)
            .collect(),
        node: view(scene, node)?,
    })
}
