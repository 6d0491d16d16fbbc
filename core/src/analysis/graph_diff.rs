//! What differs between two graphs: nodes that are new, gone, or changed.
//!
//! Start at [`GraphDiff::of`]. Nodes are aligned by what they do, in the order of the code (imara-diff), so
//! that names and their numbers make no difference; nor do symbols, as long as one stands for the same
//! dimension everywhere.

use crate::payload::fx_graph::{Argument, FxGraph, ModuleId, Node, NodeId, NodeKind};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::BuildHasher;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use imara_diff::{Algorithm, Diff, InternedInput};

/// Graphs whose nodes are compared by their order alone beyond this many.
const MOST: usize = 200_000;

/// The nodes of two modules, aligned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphDiff {
    /// For each node of the new module, from its first on, the node of the old one.
    pub old_of: Vec<Option<NodeId>>,
    /// For each node of the old module, the node of the new one.
    pub new_of: Vec<Option<NodeId>>,
    /// What differs between two nodes that are aligned, by the new node.
    pub changes: Vec<(NodeId, Vec<Difference>)>,
}

/// What differs between two nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Another operation: the old and the new target.
    Target(String, String),
    /// Another shape, type, stride or device: the old and the new annotation.
    Annotation(String, String),
    /// Other arguments that are no nodes: the old and the new ones, as they are printed.
    Arguments(String, String),
    /// Takes other nodes, or in other places.
    Inputs,
}

impl GraphDiff {
    /// Compares a module of a graph with one of another.
    #[must_use]
    pub fn of(old: (&FxGraph, ModuleId), new: (&FxGraph, ModuleId)) -> GraphDiff {
        let (olds, news) = (nodes(old), nodes(new));
        let mut diff = GraphDiff {
            old_of: alloc::vec![None; news.len()],
            new_of: alloc::vec![None; olds.len()],
            changes: Vec::new(),
        };
        diff.align(old.0, &olds, new.0, &news);
        diff.compare(old.0, &olds, new.0, &news);
        diff
    }

    /// Pairs nodes.
    fn align(
        &mut self,
        old: &FxGraph,
        olds: &[(NodeId, &Node)],
        new: &FxGraph,
        news: &[(NodeId, &Node)],
    ) {
        if olds.len() > MOST || news.len() > MOST {
            for (place, (left, right)) in olds.iter().zip(news).enumerate() {
                if work(old, left.1) == work(new, right.1) {
                    self.pair(place, *left, place, *right);
                }
            }
            return;
        }
        let mut input: InternedInput<u64> = InternedInput::default();
        input.update_before(olds.iter().map(|(_, node)| work(old, node)));
        input.update_after(news.iter().map(|(_, node)| work(new, node)));
        let diff = Diff::compute(Algorithm::Histogram, &input);
        let (mut left, mut right) = (0, 0);
        for hunk in diff.hunks() {
            let (before, after) = (hunk.before, hunk.after);
            self.pair_all(
                olds,
                left..before.start as usize,
                news,
                right..after.start as usize,
            );
            self.pair_changed(
                (old, olds, before.start as usize..before.end as usize),
                (new, news, after.start as usize..after.end as usize),
            );
            (left, right) = (before.end as usize, after.end as usize);
        }
        self.pair_all(olds, left..olds.len(), news, right..news.len());
    }

    fn pair(&mut self, left: usize, old: (NodeId, &Node), right: usize, new: (NodeId, &Node)) {
        if let Some(slot) = self.old_of.get_mut(right) {
            *slot = Some(old.0);
        }
        if let Some(slot) = self.new_of.get_mut(left) {
            *slot = Some(new.0);
        }
    }

    fn pair_all(
        &mut self,
        olds: &[(NodeId, &Node)],
        lefts: core::ops::Range<usize>,
        news: &[(NodeId, &Node)],
        rights: core::ops::Range<usize>,
    ) {
        for (left, right) in lefts.zip(rights) {
            if let (Some(old), Some(new)) = (olds.get(left), news.get(right)) {
                self.pair(left, *old, right, *new);
            }
        }
    }

    /// Within what differs, nodes of one name and kind are the same node with another target.
    fn pair_changed(
        &mut self,
        (old, olds, lefts): (&FxGraph, &[(NodeId, &Node)], core::ops::Range<usize>),
        (new, news, rights): (&FxGraph, &[(NodeId, &Node)], core::ops::Range<usize>),
    ) {
        let mut by_name: HashMap<(NodeKind, &str), usize> = HashMap::new();
        for left in lefts {
            if let Some((_, node)) = olds.get(left)
                && !old.name(node).is_empty()
            {
                by_name.entry((node.kind, old.name(node))).or_insert(left);
            }
        }
        for right in rights {
            let Some((id, node)) = news.get(right) else {
                continue;
            };
            if let Some(left) = by_name.remove(&(node.kind, new.name(node)))
                && let Some(known) = olds.get(left)
            {
                self.pair(left, *known, right, (*id, node));
            }
        }
    }

    /// Looks what differs between nodes that are paired.
    fn compare(
        &mut self,
        old: &FxGraph,
        olds: &[(NodeId, &Node)],
        new: &FxGraph,
        news: &[(NodeId, &Node)],
    ) {
        let first = olds.first().map_or(0, |(id, _)| *id);
        let start = news.first().map_or(0, |(id, _)| *id);
        let mut symbols = Symbols::default();
        for (right, (id, node)) in news.iter().enumerate() {
            let Some(known) = self.old_of.get(right).copied().flatten() else {
                continue;
            };
            let Some((_, before)) = olds.get(known.saturating_sub(first) as usize) else {
                continue;
            };
            let mut differences = Vec::new();
            let targets = (old.target(before), new.target(node));
            if node.kind != NodeKind::Placeholder && targets.0 != targets.1 {
                differences.push(Difference::Target(
                    targets.0.to_owned(),
                    targets.1.to_owned(),
                ));
            }
            let of = |graph: &FxGraph, node: &Node| {
                node.type_text
                    .map(|text| graph.text(text).trim_matches(['"', '\'']).to_owned())
                    .unwrap_or_default()
            };
            let (left, right) = (of(old, before), of(new, node));
            if !symbols.are_alike(&left, &right) {
                differences.push(Difference::Annotation(left, right));
            }
            let (left, right) = (constants(old, before), constants(new, node));
            if !symbols.are_alike(&left, &right) {
                let shown = |graph: &FxGraph, node: &Node| {
                    node.args
                        .map(|args| graph.text(args).to_owned())
                        .unwrap_or_default()
                };
                differences.push(Difference::Arguments(shown(old, before), shown(new, node)));
            } else if !self.takes_the_same(old, before, new, node, start) {
                differences.push(Difference::Inputs);
            }
            if !differences.is_empty() {
                self.changes.push((*id, differences));
            }
        }
    }

    fn takes_the_same(
        &self,
        old: &FxGraph,
        before: &Node,
        new: &FxGraph,
        node: &Node,
        start: NodeId,
    ) -> bool {
        let (lefts, rights) = (old.inputs(before), new.inputs(node));
        lefts.len() == rights.len()
            && lefts.iter().zip(rights).all(|(left, right)| {
                let known = self
                    .old_of
                    .get(right.from.saturating_sub(start) as usize)
                    .copied()
                    .flatten();
                let place = match (left.argument, right.argument) {
                    (Argument::Position(left), Argument::Position(right)) => left == right,
                    (Argument::Keyword(left), Argument::Keyword(right)) => {
                        old.text(left) == new.text(right)
                    }
                    _ => false,
                };
                place && known == Some(left.from)
            })
    }
}

fn nodes((graph, module): (&FxGraph, ModuleId)) -> Vec<(NodeId, &Node)> {
    graph.nodes_of(module).collect()
}

/// A number that is the same for nodes that do the same kind of work.
fn work(graph: &FxGraph, node: &Node) -> u64 {
    let target = match node.kind {
        // What names an input differs from graph to graph; which one it is says its type.
        NodeKind::Placeholder | NodeKind::Parameter | NodeKind::Output => "",
        _ => graph.target(node),
    };
    let inputs = match node.kind {
        NodeKind::Output => 0,
        _ => graph.inputs(node).len(),
    };
    // A size that is given as a number of its own is no tensor, wherever it stands.
    let is_symbol = node.kind == NodeKind::Placeholder
        && node.type_text.is_some_and(|text| {
            let text = graph.text(text).trim_matches(['"', '\'']);
            text.starts_with("Sym(") || text.starts_with("SymInt") || text.starts_with("SymFloat")
        });
    FixedState::default().hash_one((node.kind, target, inputs, is_symbol))
}

/// A node's arguments with each node's name replaced by a sign.
fn constants(graph: &FxGraph, node: &Node) -> String {
    let Some(args) = node.args.filter(|_| node.kind.is_call()) else {
        return String::new();
    };
    let mut out = String::new();
    let mut at = args.start;
    for edge in graph.inputs(node) {
        if edge.at.start < at || edge.at.end > args.end {
            continue;
        }
        out.push_str(graph.text(crate::payload::fx_graph::Span {
            start: at,
            end: edge.at.start,
        }));
        out.push('%');
        at = edge.at.end;
    }
    out.push_str(graph.text(crate::payload::fx_graph::Span {
        start: at,
        end: args.end,
    }));
    out
}

/// Which symbol of one graph is which of the other.
#[derive(Default)]
struct Symbols {
    new_of: HashMap<String, String>,
    old_of: HashMap<String, String>,
}

impl Symbols {
    /// Whether two texts differ in no more than the numbers of symbols, which must pair up.
    fn are_alike(&mut self, old: &str, new: &str) -> bool {
        if old == new && !old.bytes().any(|byte| matches!(byte, b's' | b'u')) {
            return true;
        }
        let (mut lefts, mut rights) = (words(old), words(new));
        let mut pairs = Vec::new();
        loop {
            match (lefts.next(), rights.next()) {
                (None, None) => break,
                (Some(left), Some(right)) if is_symbol(left) && is_symbol(right) => {
                    pairs.push((left, right));
                }
                (Some(left), Some(right)) if left == right => {}
                _ => return false,
            }
        }
        pairs.into_iter().all(|(left, right)| {
            let known = self
                .new_of
                .entry(left.to_owned())
                .or_insert_with(|| right.to_owned());
            let reverse = self
                .old_of
                .entry(right.to_owned())
                .or_insert_with(|| left.to_owned());
            known == right && reverse == left
        })
    }
}

/// Cuts a text into words and what stands between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    core::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let end = if is_word(first) {
            rest.find(|character| !is_word(character))
                .unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}

/// Whether a word is a symbol as `torch.fx.experimental.symbolic_shapes` names them: `s77`, `u0`.
fn is_symbol(word: &str) -> bool {
    let number = word.strip_prefix(['s', 'u']);
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests;
