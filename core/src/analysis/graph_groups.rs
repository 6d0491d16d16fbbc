//! Which nodes of a graph belong together: the parts of the model, or the lines of the program.
//!
//! Start at [`Groups::of`]. Where the names of a graph's parameters tell the module that owns them, groups are
//! modules; else they are calls of the user's functions and their lines, which FX notes behind `# File:`.
//! Groups hold what stands together in the code: a module that is called twice is two groups.

mod ways;

use super::repeats::repeats;
use crate::payload::fx_graph::{FxGraph, ModuleId, Node, NodeKind};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};
use core::ops::Range;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ways::{Step, appendix, by_lines, by_modules};

/// A group, by its place in [`Groups::groups`].
pub type GroupId = u32;

/// The groups of a module's nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Groups {
    /// The groups: one stands before those that lie in it.
    pub groups: Vec<Group>,
    /// For each node of the module, from its first on, the innermost group. Inputs and constants belong where
    /// all of their users are; those of several groups that have nothing in common, where the first one is.
    pub of: Vec<Option<GroupId>>,
}

/// Nodes that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The group that it lies in.
    pub parent: Option<GroupId>,
    /// What it is called.
    pub name: Name,
    /// Its calls, those of groups in it among them, as places within the module.
    pub nodes: Range<u32>,
    /// How often the same block stands in it; 1 where it is no repetition.
    pub times: u32,
    /// The same for groups of the same structure.
    pub structure: u64,
}

/// What a group is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Name {
    /// A part of the model: the attribute path below the group that holds it.
    Module(String),
    /// A call of a function of the program.
    Function {
        /// The file.
        file: String,
        /// The function's name (2.4+).
        function: Option<String>,
        /// The first and the last of its lines that the group holds, from 1.
        lines: Option<(u32, u32)>,
    },
    /// A line of the program.
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u32,
        /// What stands there.
        code: Option<String>,
    },
    /// The same block several times: the names of the first and of the last one.
    Repeated(alloc::boxed::Box<(Name, Name)>),
}

impl Groups {
    /// Groups the nodes of a module.
    #[must_use]
    pub fn of(graph: &FxGraph, module: ModuleId) -> Groups {
        let nodes: Vec<&Node> = graph.nodes_of(module).map(|(_, node)| node).collect();
        let ways = by_modules(graph, &nodes).unwrap_or_else(|| by_lines(graph, &nodes));
        // What is no call, such as a constant that stands in between, ends no group.
        let mut skipped: Vec<bool> = nodes
            .iter()
            .map(|node| !node.kind.is_call() && node.kind != NodeKind::Output)
            .collect();
        let homes = appendix(graph, &nodes, &Groups::along(&ways, &skipped).of);
        for (skip, home) in skipped.iter_mut().zip(&homes) {
            *skip |= home.is_some();
        }
        let mut groups = Groups::along(&ways, &skipped);
        groups.dissolve();
        let structures = structures(graph, module, &nodes);
        groups.measure(&structures, &skipped);
        groups.repeat();
        groups.take_home(&homes);
        groups.sink(graph, module, &nodes);
        groups.say_lines(graph, &nodes, &skipped);
        groups
    }

    /// The groups that hold a node, the outermost first.
    #[must_use]
    pub fn holders(&self, place: u32) -> Vec<GroupId> {
        let mut holders = Vec::new();
        let mut next = self.of.get(place as usize).copied().flatten();
        while let Some(group) = next {
            holders.push(group);
            next = self.get(group).and_then(|group| group.parent);
        }
        holders.reverse();
        holders
    }

    /// A group.
    #[must_use]
    pub fn get(&self, group: GroupId) -> Option<&Group> {
        self.groups.get(group as usize)
    }

    /// Puts inputs and constants where they are used.
    fn sink(&mut self, graph: &FxGraph, module: ModuleId, nodes: &[&Node]) {
        let first = graph.module(module).map_or(0, |module| module.nodes.start);
        for (place, node) in (0..).zip(nodes) {
            if !matches!(node.kind, NodeKind::Placeholder | NodeKind::GetAttr) {
                continue;
            }
            let mut shared: Option<Vec<GroupId>> = None;
            let mut first_user: Option<GroupId> = None;
            for (_, edge) in graph.users(first.saturating_add(place)) {
                // What a graph returns as well is still its users' own.
                let is_output = |node: &Node| node.kind == NodeKind::Output;
                if graph.node(edge.to).is_none_or(is_output) {
                    continue;
                }
                let holders = self.holders(edge.to.saturating_sub(first));
                if shared.is_none() {
                    first_user = holders.last().copied();
                }
                shared = Some(match shared {
                    None => holders,
                    Some(known) => known
                        .into_iter()
                        .zip(holders)
                        .take_while(|(left, right)| left == right)
                        .map(|(group, _)| group)
                        .collect(),
                });
                if shared.as_ref().is_some_and(Vec::is_empty) {
                    break;
                }
            }
            if let Some(slot) = self.of.get_mut(place as usize) {
                *slot = shared
                    .and_then(|shared| shared.last().copied())
                    .or(first_user);
            }
        }
    }

    /// Puts what stands apart from the group that it belongs to into that group.
    fn take_home(&mut self, homes: &[Option<u32>]) {
        for (place, home) in homes.iter().enumerate() {
            let Some(home) = home else { continue };
            let group = self.of.get(*home as usize).copied().flatten();
            if let Some(slot) = self.of.get_mut(place) {
                *slot = group;
            }
        }
    }

    /// Notes which lines of its function a group holds.
    fn say_lines(&mut self, graph: &FxGraph, nodes: &[&Node], skipped: &[bool]) {
        for group in &mut self.groups {
            let range = group.nodes.start as usize..group.nodes.end as usize;
            let name = match &mut group.name {
                Name::Repeated(ends) => &mut ends.0,
                name => name,
            };
            let Name::Function { file, lines, .. } = name else {
                continue;
            };
            let held = nodes.get(range.clone()).unwrap_or_default().iter();
            let held = held.zip(skipped.get(range).unwrap_or_default());
            let here = held
                .filter(|(_, skipped)| !**skipped)
                .filter_map(|(node, _)| graph.location(node))
                .filter(|location| graph.text(location.file) == file.as_str())
                .map(|location| location.line);
            for line in here {
                let (least, most) = lines.unwrap_or((line, line));
                *lines = Some((least.min(line), most.max(line)));
            }
        }
    }

    /// Makes groups of the ways to nodes: what neighbours share is one group. What is skipped has none, and
    /// ends none.
    fn along(ways: &[Vec<Step>], skipped: &[bool]) -> Groups {
        let mut groups = Groups::default();
        let mut open: Vec<(Step, GroupId)> = Vec::new();
        for ((place, way), skip) in (0..).zip(ways).zip(skipped) {
            if *skip {
                groups.of.push(None);
                continue;
            }
            let shared = open
                .iter()
                .zip(way)
                .take_while(|((known, _), step)| known == *step)
                .count();
            open.truncate(shared);
            for step in way.iter().skip(shared) {
                let id = groups.groups.len() as GroupId;
                groups.groups.push(Group {
                    parent: open.last().map(|(_, group)| *group),
                    name: step.name.clone(),
                    nodes: place..place,
                    times: 1,
                    structure: 0,
                });
                open.push((step.clone(), id));
            }
            for (_, group) in &open {
                if let Some(group) = groups.groups.get_mut(*group as usize) {
                    group.nodes.end = place + 1;
                }
            }
            groups.of.push(open.last().map(|(_, group)| *group));
        }
        groups
    }

    /// Takes groups away that say nothing: those of one node, and those that hold the same as the group around
    /// them, whose names become one.
    fn dissolve(&mut self) {
        let mut kept: Vec<Group> = Vec::new();
        let mut now: Vec<Option<GroupId>> = Vec::new();
        for group in &self.groups {
            let parent = group
                .parent
                .and_then(|parent| now.get(parent as usize).copied().flatten());
            let around = parent.and_then(|parent| kept.get_mut(parent as usize));
            if group.nodes.len() < 2 {
                now.push(parent);
                continue;
            }
            match around {
                Some(around) if around.nodes == group.nodes => {
                    around.name = joined(&around.name, &group.name);
                    now.push(parent);
                }
                _ => {
                    now.push(Some(kept.len() as GroupId));
                    kept.push(Group {
                        parent,
                        ..group.clone()
                    });
                }
            }
        }
        self.groups = kept;
        for of in &mut self.of {
            *of = of.and_then(|group| now.get(group as usize).copied().flatten());
        }
    }

    fn measure(&mut self, structures: &[u64], skipped: &[bool]) {
        for group in &mut self.groups {
            let range = group.nodes.start as usize..group.nodes.end as usize;
            let nodes = structures.get(range.clone()).unwrap_or_default();
            let nodes = nodes.iter().zip(skipped.get(range).unwrap_or_default());
            let held: Vec<u64> = nodes
                .filter(|(_, skipped)| !**skipped)
                .map(|(structure, _)| *structure)
                .collect();
            group.structure = hash(&held);
        }
    }

    /// Puts siblings that repeat the same block into one group.
    fn repeat(&mut self) {
        let mut siblings: HashMap<Option<GroupId>, Vec<GroupId>> = HashMap::new();
        for (id, group) in (0..).zip(&self.groups) {
            siblings.entry(group.parent).or_default().push(id);
        }
        // The new group of each old one that gets one, and what is new before each place.
        let mut around: Vec<Option<(GroupId, GroupId, u32)>> = alloc::vec![None; self.groups.len()];
        for members in siblings.values() {
            let structures: Vec<u64> = members
                .iter()
                .map(|id| self.get(*id).map_or(0, |group| group.structure))
                .collect();
            for run in repeats(&structures).iter().filter(|run| run.times > 1) {
                let block = members
                    .get(run.start..run.start + run.siblings())
                    .unwrap_or_default();
                let (Some(first), Some(last)) = (block.first(), block.last()) else {
                    continue;
                };
                if !self.is_unbroken(block) {
                    continue;
                }
                for member in block {
                    if let Some(slot) = around.get_mut(*member as usize) {
                        *slot = Some((*first, *last, run.times as u32));
                    }
                }
            }
        }
        self.insert(&around);
    }

    /// Whether nothing stands between groups.
    fn is_unbroken(&self, groups: &[GroupId]) -> bool {
        groups.windows(2).all(|pair| match pair {
            [left, right] => {
                let nodes = |id: &GroupId| self.get(*id).map(|group| group.nodes.clone());
                matches!((nodes(left), nodes(right)), (Some(left), Some(right)) if left.end == right.start)
            }
            _ => false,
        })
    }

    /// Puts a group around the groups that name the same first and last one.
    fn insert(&mut self, around: &[Option<(GroupId, GroupId, u32)>]) {
        let mut all: Vec<Group> = Vec::new();
        let mut now: Vec<GroupId> = Vec::new();
        // The group around, by the first in it.
        let mut made: HashMap<GroupId, GroupId> = HashMap::new();
        for (id, group) in (0..).zip(&self.groups) {
            let mut parent = group
                .parent
                .and_then(|parent| now.get(parent as usize).copied());
            if let Some((first, last, times)) = around.get(id as usize).copied().flatten() {
                let outer = *made.entry(first).or_insert_with(|| {
                    let end = self
                        .get(last)
                        .map_or(group.nodes.end, |last| last.nodes.end);
                    let last = self.get(last).map_or(&group.name, |last| &last.name);
                    all.push(Group {
                        parent,
                        name: Name::Repeated((group.name.clone(), last.clone()).into()),
                        nodes: group.nodes.start..end,
                        times,
                        structure: group.structure,
                    });
                    (all.len() - 1) as GroupId
                });
                parent = Some(outer);
            }
            now.push(all.len() as GroupId);
            all.push(Group {
                parent,
                ..group.clone()
            });
        }
        self.groups = all;
        for of in &mut self.of {
            *of = of.and_then(|group| now.get(group as usize).copied());
        }
    }
}

/// The name of a group that holds no more than one group.
fn joined(outer: &Name, inner: &Name) -> Name {
    match (outer, inner) {
        (Name::Module(outer), Name::Module(inner)) => Name::Module(format!("{outer}.{inner}")),
        // Of a function and its only line the function says more.
        (outer, _) => outer.clone(),
    }
}

/// For each node a number that is the same where nodes do the same with inputs at the same distance.
fn structures(graph: &FxGraph, module: ModuleId, nodes: &[&Node]) -> Vec<u64> {
    let first = graph.module(module).map_or(0, |module| module.nodes.start);
    let structures = (first..).zip(nodes).map(|(id, node)| {
        let kind = node.type_text.map(|text| graph.text(text));
        let distances: Vec<u32> = graph
            .inputs(node)
            .iter()
            // What comes from far, such as parameters, is another one in each block.
            .map(|edge| {
                Some(id.saturating_sub(edge.from))
                    .filter(|far| *far < 8)
                    .unwrap_or(0)
            })
            .collect();
        hash(&(graph.target(node), kind, node.kind, distances))
    });
    structures.collect()
}

fn hash(value: &impl Hash) -> u64 {
    FixedState::default().hash_one(value)
}

#[cfg(test)]
mod tests;
