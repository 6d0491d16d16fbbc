//! Graphs: payloads read in steps and parsed once, and what is shown of them.
//!
//! Start at [`Graphs::step`], then [`Graphs::view`]. [`picture`] draws, [`nodes`] lists and explains.

mod nodes;
mod picture;
#[cfg(test)]
mod tests;

use super::answers::{compilation_of, cut, title_of};
use super::protocol::{
    AgainstView, GraphNodeView, GraphNodesPage, GraphShown, GraphSummary, GraphTrouble, GraphView,
    NodeChange, RecordIndex, ValueView,
};
use super::shelf::{Shelf, Taken};
use crate::text::format;
use crate::text::graphs as words;
use crate::text::phases;
use dynascope_core::analysis::graph_diff::{Difference, GraphDiff};
use dynascope_core::analysis::graph_groups::Groups;
use dynascope_core::analysis::graph_summary::{self, Change};
use dynascope_core::analysis::recompiles::FrameKey;
use dynascope_core::layout::Reference;
use dynascope_core::payload::fx_graph::{FxGraph, ModuleId, NodeId};
use dynascope_core::source::Source;
use dynascope_core::trace::Trace;
use dynascope_core::trace::compilation::Compilation;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Lines that are not understood, as many as are named.
const WRONG: usize = 20;

/// Targets that are counted by name.
const TARGETS: usize = 40;

/// Tensors, copies and changes, as many as are named.
const NAMED: usize = 12;

/// Graphs of the same compilation or stage that are offered.
const OFFERED: usize = 60;

/// Modules of a payload that are offered.
const MODULES: usize = 500;

/// The longest text of a fact, in characters.
const FACT: usize = 20_000;

/// The graphs of a log that were shown last.
#[derive(Debug, Default)]
pub struct Graphs {
    shelf: Shelf<Read>,
    /// The last picture, so that the next one of the same graph lines up with it.
    last: Option<(Subject, Reference)>,
    /// The last comparison.
    diff: RefCell<Option<(Subject, Rc<GraphDiff>)>>,
}

/// A module of a graph.
type Shown<'a> = (&'a FxGraph, ModuleId);

/// What a picture is of: the record, the module, and the record that it is compared with.
type Subject = (RecordIndex, ModuleId, Option<RecordIndex>);

/// A payload that was read.
#[derive(Debug)]
pub(super) struct Read {
    graph: Result<FxGraph, GraphTrouble>,
    /// The groups of each module.
    groups: Vec<OnceCell<Groups>>,
}

/// A module of a graph, and what it is compared with.
pub(super) struct Scene<'a> {
    /// The graph.
    pub graph: &'a FxGraph,
    /// The module of it.
    pub module: ModuleId,
    /// What belongs together.
    pub groups: &'a Groups,
    /// What it is compared with.
    pub against: Option<Against<'a>>,
}

/// What a graph is compared with.
pub(super) struct Against<'a> {
    /// The old graph.
    pub graph: &'a FxGraph,
    /// The module of it.
    pub module: ModuleId,
    /// What differs.
    pub diff: Rc<GraphDiff>,
}

impl Graphs {
    /// Reads on at a record's graph; says whether all of it is read.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn step(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        record: RecordIndex,
    ) -> Result<bool, String> {
        self.shelf.step(trace, source, record, Read::parse)
    }

    /// A graph that was read, with its picture. One that cannot be read has a trouble and no picture.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn view(&mut self, trace: &Trace, shown: &GraphShown) -> Result<GraphView, String> {
        let mut view = GraphView {
            record: shown.record,
            module: shown.module,
            name: title_of(trace, shown.record),
            compilation: compilation_of(trace, shown.record),
            siblings: siblings(trace, shown.record),
            others: others(trace, shown.record),
            ..GraphView::default()
        };
        let read = self.ready(shown.record)?;
        let graph = match &read.graph {
            Ok(graph) => graph,
            Err(trouble) => {
                view.trouble = Some(trouble.clone());
                return Ok(view);
            }
        };
        let scene = self.scene(shown)?;
        view.modules = (0..)
            .zip(graph.modules())
            .take(MODULES)
            .map(|(id, module)| {
                let name = match graph.module_name(module) {
                    "" => graph.title().unwrap_or_default(),
                    name => name,
                };
                (name.to_owned(), count(graph.counts(id).0))
            })
            .collect();
        view.groups = count(scene.groups.groups.len());
        view.wrong = count(graph.problems().len());
        view.wrong_lines = wrong_lines(graph);
        view.summary = summary(graph, scene.module);
        view.against = against(trace, shown, &scene);
        let key = (shown.record, shown.module, shown.against);
        let reference = self.last.as_ref().filter(|(known, _)| *known == key);
        let drawn = picture::draw(&scene, shown.open.as_deref(), reference.map(|(_, it)| it));
        view.open = drawn.open;
        view.picture = drawn.picture;
        self.last = Some((key, drawn.reference));
        Ok(view)
    }

    /// A stretch of the nodes that a filter leaves.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn nodes(
        &self,
        shown: &GraphShown,
        filter: &str,
        first: u32,
        count: u32,
    ) -> Result<GraphNodesPage, String> {
        Ok(nodes::page(&self.scene(shown)?, filter, first, count))
    }

    /// One node; `None` where there is none of that number.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn node(&self, shown: &GraphShown, node: u32) -> Result<Option<GraphNodeView>, String> {
        Ok(nodes::view(&self.scene(shown)?, node))
    }

    /// What the name at a place of the text stands for: the line, from 1, and a byte of it; the first name
    /// that the line defines where there is no byte.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn value(
        &self,
        record: RecordIndex,
        line: u32,
        byte: Option<u32>,
    ) -> Result<Option<ValueView>, String> {
        let read = self.ready(record)?;
        let Ok(graph) = &read.graph else {
            return Ok(None);
        };
        let row = line.saturating_sub(1);
        let at = |byte| graph.at(row, byte).map(|found| found.node);
        let first = || {
            let nodes = (0..).zip(graph.nodes());
            let mut of_row = nodes.filter(|(_, node)| node.row == row && node.kind.is_node());
            of_row.next().map(|(node, _)| node)
        };
        let found = byte.map_or_else(first, at);
        Ok(found.and_then(|found| {
            let module = graph.node(found)?.module;
            let scene = Scene {
                graph,
                module,
                groups: read.groups(module)?,
                against: None,
            };
            nodes::value(&scene, found)
        }))
    }

    fn ready(&self, record: RecordIndex) -> Result<&Read, String> {
        self.shelf
            .get(record)
            .ok_or_else(|| words::NOT_READ.to_owned())
    }

    /// What differs between two modules: every page of the list and every node that is chosen asks for it.
    fn diff(&self, subject: Subject, (old, new): (Shown<'_>, Shown<'_>)) -> Rc<GraphDiff> {
        let mut last = self.diff.borrow_mut();
        match &*last {
            Some((known, diff)) if *known == subject => Rc::clone(diff),
            _ => {
                let diff = Rc::new(GraphDiff::of(old, new));
                *last = Some((subject, Rc::clone(&diff)));
                diff
            }
        }
    }

    fn scene(&self, shown: &GraphShown) -> Result<Scene<'_>, String> {
        let read = self.ready(shown.record)?;
        let graph = read
            .graph
            .as_ref()
            .map_err(|trouble| trouble.said.clone())?;
        let groups = read
            .groups(shown.module)
            .ok_or_else(|| words::no_module(shown.module))?;
        let against = match shown.against {
            Some(record) => match &self.ready(record)?.graph {
                Ok(old) => {
                    let old_module = module_like(graph, shown.module, old);
                    let pair = ((old, old_module), (graph, shown.module));
                    Some(Against {
                        graph: old,
                        module: old_module,
                        diff: self.diff((shown.record, shown.module, shown.against), pair),
                    })
                }
                Err(trouble) => return Err(words::no_comparison(record, &trouble.said)),
            },
            None => None,
        };
        Ok(Scene {
            graph,
            module: shown.module,
            groups,
            against,
        })
    }
}

impl Read {
    fn parse(taken: Taken) -> Read {
        let graph = match taken {
            Taken::Whole(bytes) => {
                let text = String::from_utf8(bytes)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
                FxGraph::parse(text).map_err(|error| GraphTrouble {
                    said: words::no_graph(&error),
                    line: error.row.saturating_add(1),
                })
            }
            Taken::TooLarge(size) => Err(GraphTrouble {
                said: words::too_large(&format::bytes(size)),
                line: 1,
            }),
        };
        let modules = graph.as_ref().map_or(0, |graph| graph.modules().len());
        Read {
            graph,
            groups: vec![OnceCell::new(); modules],
        }
    }

    fn groups(&self, module: ModuleId) -> Option<&Groups> {
        let graph = self.graph.as_ref().ok()?;
        let cell = self.groups.get(module as usize)?;
        Some(cell.get_or_init(|| Groups::of(graph, module)))
    }
}

impl<'a> Scene<'a> {
    /// What became of a node of the new graph.
    pub(super) fn change(&self, node: NodeId) -> NodeChange {
        let Some(against) = &self.against else {
            return NodeChange::Same;
        };
        let place = node.saturating_sub(self.first()) as usize;
        if against.diff.old_of.get(place).copied().flatten().is_none() {
            NodeChange::Added
        } else if self.differences(node).is_empty() {
            NodeChange::Same
        } else {
            NodeChange::Changed
        }
    }

    /// What differs between a node of the new graph and the one of the old.
    pub(super) fn differences(&self, node: NodeId) -> &[Difference] {
        self.against
            .as_ref()
            .and_then(|against| {
                let changes = &against.diff.changes;
                let found = changes
                    .binary_search_by_key(&node, |(node, _)| *node)
                    .ok()?;
                changes.get(found)
            })
            .map_or(&[], |(_, differences)| differences.as_slice())
    }

    /// The module's first node.
    pub(super) fn first(&self) -> NodeId {
        let module = self.graph.module(self.module);
        module.map_or(0, |module| module.nodes.start)
    }

    /// The number in the picture of a node that only the old graph has.
    pub(super) fn number_of_old(&self, old: NodeId) -> u32 {
        count(self.graph.nodes().len()).saturating_add(old)
    }

    /// The graph and the node of it that a number in the picture stands for, and whether it is one of the old
    /// graph.
    pub(super) fn node(&self, number: u32) -> Option<(&'a FxGraph, NodeId, bool)> {
        let own = count(self.graph.nodes().len());
        let module = |graph: &'a FxGraph, node: NodeId| graph.node(node).map(|node| node.module);
        if number < own {
            let is_shown = module(self.graph, number) == Some(self.module);
            return is_shown.then_some((self.graph, number, false));
        }
        let against = self.against.as_ref()?;
        let old = number - own;
        let is_shown = module(against.graph, old) == Some(against.module);
        is_shown.then_some((against.graph, old, true))
    }
}

/// The module of the old graph that has the same name; the root is what it is, whatever it is called.
fn module_like(graph: &FxGraph, module: ModuleId, old: &FxGraph) -> ModuleId {
    if module == 0 {
        return 0;
    }
    let wanted = graph.module(module).map(|it| graph.module_name(it));
    let mut modules = (0..).zip(old.modules());
    let same = modules.find(|(_, it)| Some(old.module_name(it)) == wanted);
    same.map_or(0, |(id, _)| id)
}

fn against(trace: &Trace, shown: &GraphShown, scene: &Scene<'_>) -> Option<AgainstView> {
    let against = scene.against.as_ref()?;
    let record = shown.against?;
    let is_node =
        |graph: &FxGraph, node: NodeId| graph.node(node).is_some_and(|node| node.kind.is_node());
    let gone = |graph: &FxGraph, first: NodeId, partners: &[Option<NodeId>]| {
        let alone = (first..)
            .zip(partners)
            .filter(|(node, it)| it.is_none() && is_node(graph, *node));
        count(alone.count())
    };
    let start = against
        .graph
        .module(against.module)
        .map_or(0, |module| module.nodes.start);
    let changed = &against.diff.changes;
    let changes = changed.iter().take(NAMED).map(|(node, differences)| {
        let name = scene
            .graph
            .node(*node)
            .map(|node| scene.graph.name(node))
            .unwrap_or_default();
        let said: Vec<String> = differences.iter().map(words::difference).collect();
        (*node, format!("{name}: {}", said.join("; ")))
    });
    Some(AgainstView {
        record,
        name: title_of(trace, record),
        compilation: compilation_of(trace, record),
        added: gone(scene.graph, scene.first(), &against.diff.old_of),
        removed: gone(against.graph, start, &against.diff.new_of),
        changed: count(changed.len()),
        changes: changes.collect(),
    })
}

fn summary(graph: &FxGraph, module: ModuleId) -> GraphSummary {
    let summary = graph_summary::summarise(graph, module);
    let name = |node: NodeId| {
        graph
            .node(node)
            .map(|node| graph.name(node).to_owned())
            .unwrap_or_default()
    };
    let copies = summary.copies.iter().take(NAMED).map(|copied| {
        let what = match &copied.change {
            Change::Cast(from, to) | Change::Transfer(from, to) => format!("{from} → {to}"),
            Change::Same => words::COPY.to_owned(),
        };
        (copied.node, format!("{}: {what}", name(copied.node)))
    });
    GraphSummary {
        nodes: count(summary.nodes),
        operations: count(summary.calls),
        inputs: count(summary.inputs.tensors + summary.untold_inputs),
        by_class: summary
            .classes
            .iter()
            .map(|(class, nodes)| (*class, count(*nodes)))
            .collect(),
        by_target: summary
            .ops
            .iter()
            .take(TARGETS)
            .map(|op| (op.target.clone(), op.class, count(op.count)))
            .collect(),
        targets: count(summary.ops.len()),
        dtypes: summary
            .dtypes
            .iter()
            .map(|(dtype, bytes)| (dtype.clone(), count(bytes.tensors)))
            .collect(),
        devices: summary
            .devices
            .iter()
            .map(|(device, tensors)| (device.clone(), count(*tensors)))
            .collect(),
        input_bytes: summary.input_bytes(),
        result_bytes: summary.result_bytes(),
        unknown_sizes: count(
            summary.inputs.unknown
                + summary.results.unknown
                + summary.untold_inputs
                + summary.untold_results,
        ),
        largest: summary
            .largest
            .iter()
            .take(NAMED)
            .map(|(node, bytes)| (*node, name(*node), *bytes))
            .collect(),
        copies: copies.collect(),
        copies_in_all: count(summary.copies.len()),
    }
}

fn wrong_lines(graph: &FxGraph) -> Vec<(u32, String)> {
    let rows: Vec<u32> = graph
        .problems()
        .iter()
        .map(|problem| problem.row)
        .take(WRONG)
        .collect();
    let lines = graph.source().lines();
    let mut wrong = Vec::new();
    for (row, line) in (0..).zip(lines) {
        if rows.contains(&row) {
            wrong.push((row + 1, cut(line.trim(), 200)));
        }
    }
    wrong
}

/// The graphs of the compilation that a record belongs to, in the order of the log; names that stand there
/// several times, for forward and backward, are numbered.
fn siblings(trace: &Trace, record: RecordIndex) -> Vec<(RecordIndex, String)> {
    let Some(compilation) = owner(trace, record) else {
        return Vec::new();
    };
    let named = named_graphs(trace, compilation);
    let all = named.iter().map(|(record, name)| {
        let of_name = || named.iter().filter(|(_, other)| other == name);
        let total = of_name().count();
        let place = of_name().take_while(|(other, _)| other != record).count() + 1;
        let name = match total {
            1 => name.clone(),
            _ => words::one_of_several(name, count(place), count(total)),
        };
        (*record, name)
    });
    all.take(OFFERED).collect()
}

/// The same stage in the other compilations of the function, in the order of the log: of a name that stands
/// there several times, for forward and backward, the same one.
fn others(trace: &Trace, record: RecordIndex) -> Vec<(RecordIndex, String)> {
    let Some(own) = owner(trace, record) else {
        return Vec::new();
    };
    let (frame, name) = (FrameKey::of(own), title_of(trace, record));
    let of_name = |compilation| -> Vec<RecordIndex> {
        let named = named_graphs(trace, compilation).into_iter();
        let same = named.filter(|(_, other)| *other == name);
        same.map(|(record, _)| record).collect()
    };
    let place = of_name(own).iter().position(|other| *other == record);
    let others = trace.compilations.iter();
    others
        .filter(|other| FrameKey::of(other) == frame && other.key != own.key)
        .filter_map(|other| {
            let found = *of_name(other).get(place?)?;
            Some((found, trace.label(&other.key)))
        })
        .take(OFFERED)
        .collect()
}

fn owner(trace: &Trace, record: RecordIndex) -> Option<&Compilation> {
    let owner = trace.index.get(record)?.compilation()?;
    trace.compilations.get(owner)
}

/// The graphs of a compilation with their names, in the order of the log.
fn named_graphs(trace: &Trace, compilation: &Compilation) -> Vec<(RecordIndex, String)> {
    let artifacts = compilation.artifacts.iter();
    artifacts
        .map(|artifact| (artifact.record, title_of(trace, artifact.record)))
        .filter(|(_, name)| phases::holds_graph(name))
        .collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
