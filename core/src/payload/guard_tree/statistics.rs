//! Counts guards.

use super::{GuardTree, Kind, NodeIndex, Origin};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use hashbrown::HashMap;

/// How many guards there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Leaves, and guards of 2.0. A guard of several objects counts once at each of them.
    pub leaves: u32,
    /// Managers.
    pub managers: u32,
    /// How deep the deepest node stands.
    pub depth: u32,
    /// Leaves by class, the most frequent first, then by name.
    pub by_class: Vec<(String, u32)>,
    /// Leaves that a file outside PyTorch caused.
    pub from_user: u32,
    /// Lines that are not understood.
    pub problems: u32,
}

/// A manager and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subtree {
    /// The manager.
    pub node: NodeIndex,
    /// Leaves that it holds, at any depth.
    pub leaves: u32,
}

impl GuardTree {
    /// Counts the guards.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        let mut classes: HashMap<&str, u32> = HashMap::new();
        for (index, node) in (0..).zip(&self.nodes) {
            statistics.depth = statistics.depth.max(node.depth);
            match node.kind {
                Kind::Leaf(_) | Kind::Block(_) => {
                    statistics.leaves += 1;
                    *classes
                        .entry(self.class(index).unwrap_or_default())
                        .or_default() += 1;
                    statistics.from_user += u32::from(self.origin(index) == Origin::User);
                }
                Kind::Manager(_) => statistics.managers += 1,
                Kind::Pair { .. } | Kind::Opaque { .. } => {}
            }
        }
        statistics.problems = u32::try_from(self.problems().count()).unwrap_or(u32::MAX);
        statistics.by_class = classes
            .into_iter()
            .map(|(class, count)| (class.to_owned(), count))
            .collect();
        statistics
            .by_class
            .sort_unstable_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
        statistics
    }

    /// The managers that hold most leaves, at most `count`: the most first, then in their order.
    #[must_use]
    pub fn largest(&self, count: usize) -> Vec<Subtree> {
        // Leaves before each node, so that a subtree is counted by its two ends.
        let mut before: Vec<u32> = Vec::with_capacity(self.nodes.len() + 1);
        let mut leaves = 0;
        before.push(0);
        for node in &self.nodes {
            leaves += u32::from(matches!(node.kind, Kind::Leaf(_)));
            before.push(leaves);
        }
        let at = |index: NodeIndex| before.get(index as usize).copied().unwrap_or(leaves);
        let mut subtrees: Vec<Subtree> = (0..)
            .zip(&self.nodes)
            .filter(|(_, node)| matches!(node.kind, Kind::Manager(_)))
            .map(|(index, node)| Subtree {
                node: index,
                leaves: at(node.end) - at(index),
            })
            .collect();
        subtrees.sort_by_key(|subtree| Reverse(subtree.leaves));
        subtrees.truncate(count);
        subtrees
    }

    /// The leaves that a file outside PyTorch caused.
    pub fn caused_by_user(&self) -> impl Iterator<Item = NodeIndex> {
        self.leaves()
            .filter(|&index| self.origin(index) == Origin::User)
    }
}
