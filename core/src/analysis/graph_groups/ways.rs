//! The way to each node of a graph, from the outermost group to the innermost.
//!
//! [`by_modules`] goes by the names of parameters, [`by_lines`] by what FX notes of the program;
//! [`appendix`] finds what stands apart from the code that it belongs to.

use super::{GroupId, Name};
use crate::payload::fx_graph::{FxGraph, Node, NodeId, NodeKind, attribute_path};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

/// A step on the way from the outermost group to a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) name: Name,
    /// Which call of it: the same name with another number is another group.
    pub(super) call: u32,
}

/// The way to each node by the modules that own its parameters; `None` where too few are known.
pub(super) fn by_modules(graph: &FxGraph, nodes: &[&Node]) -> Option<Vec<Vec<Step>>> {
    let first = graph_start(graph, nodes)?;
    let owner = |node: &Node| -> Option<String> {
        let path = attribute_path(graph.target(node)).or_else(|| {
            matches!(node.kind, NodeKind::GetAttr | NodeKind::CallModule)
                .then(|| graph.target(node).to_owned())
        })?;
        if node.kind == NodeKind::CallModule {
            return Some(path);
        }
        path.rsplit_once('.').map(|(owner, _)| owner.to_owned())
    };
    let owners: Vec<Option<String>> = nodes.iter().map(|node| owner(node)).collect();
    // An operation belongs to the module whose parameter it takes.
    let of_operation = |node: &Node| -> Option<&str> {
        graph.inputs(node).iter().rev().find_map(|edge| {
            let place = edge.from.checked_sub(first)? as usize;
            owners.get(place)?.as_deref()
        })
    };
    let mut known: Vec<Option<&str>> = nodes
        .iter()
        .zip(&owners)
        .map(|(node, owner)| match node.kind {
            NodeKind::CallModule => owner.as_deref(),
            kind if kind.is_call() => of_operation(node),
            _ => None,
        })
        .collect();
    let calls = nodes.iter().filter(|node| node.kind.is_call()).count();
    let told = known.iter().flatten().count();
    if told < 2 || told * SHARE < calls {
        return None;
    }
    between(nodes, &mut known);
    Some(numbered(nodes, &known))
}

/// The way to each node by the user's functions and lines.
pub(super) fn by_lines(graph: &FxGraph, nodes: &[&Node]) -> Vec<Vec<Step>> {
    let located = |node: &Node| graph.location(node).filter(|_| node.kind.is_call());
    // Backward graphs go through the lines from the last to the first.
    let (mut rises, mut falls) = (0_usize, 0_usize);
    let mut before = None;
    for location in nodes.iter().filter_map(|node| located(node)) {
        let now = (
            graph.text(location.file),
            location.function.map(|name| graph.text(name)),
            location.line,
        );
        if let Some((file, function, line)) = before
            && (file, function) == (now.0, now.1)
        {
            rises += usize::from(now.2 > line);
            falls += usize::from(now.2 < line);
        }
        before = Some(now);
    }
    let is_backward = falls > rises;
    let mut call = 0;
    let mut before = None;
    let ways = nodes.iter().map(|node| {
        let Some(location) = located(node) else {
            return Vec::new();
        };
        let file = graph.text(location.file);
        let function = location.function.map(|name| graph.text(name));
        let line = location.line;
        // A line above the last one is the function's next call.
        if let Some((known_file, known_function, known_line)) = before {
            let is_other = (known_file, known_function) != (file, function);
            let is_again = if is_backward {
                line > known_line
            } else {
                line < known_line
            };
            call += u32::from(is_other || is_again);
        }
        before = Some((file, function, line));
        let whole = Step {
            name: Name::Function {
                file: file.to_owned(),
                function: function.map(ToOwned::to_owned),
                lines: None,
            },
            call,
        };
        let line = Step {
            name: Name::Line {
                file: file.to_owned(),
                line,
                code: location.code.map(|code| graph.text(code).to_owned()),
            },
            call: 0,
        };
        alloc::vec![whole, line]
    });
    ways.collect()
}

/// What stands apart from the code that it belongs to: the calls at the end of a graph that write a buffer
/// back (`copy_`), or make what the backward graph needs of a value. Only the output takes them, and all that
/// they take was made in one group. For each such node, a node of that group.
pub(super) fn appendix(
    graph: &FxGraph,
    nodes: &[&Node],
    of: &[Option<GroupId>],
) -> Vec<Option<u32>> {
    let mut homes: Vec<Option<u32>> = alloc::vec![None; nodes.len()];
    let Some(first) = graph_start(graph, nodes) else {
        return homes;
    };
    let line = |place: usize| {
        let location = graph.location(nodes.get(place)?)?;
        Some((graph.text(location.file), location.line))
    };
    // From the last one on: whether a node leads to nothing but the output, by way of its own line.
    let mut is_last = alloc::vec![false; nodes.len()];
    for (place, node) in nodes.iter().enumerate().rev() {
        if !node.kind.is_call() {
            continue;
        }
        let own = line(place);
        let is_for_output = |user: NodeId| {
            let user = user.saturating_sub(first) as usize;
            nodes
                .get(user)
                .is_some_and(|node| node.kind == NodeKind::Output)
                || (is_last.get(user) == Some(&true)
                    && own.is_some_and(|own| line(user).is_none_or(|it| it == own)))
        };
        let all = graph
            .users(first.saturating_add(place as u32))
            .all(|(_, edge)| is_for_output(edge.to));
        if let Some(slot) = is_last.get_mut(place) {
            *slot = all;
        }
    }
    for (place, node) in nodes.iter().enumerate() {
        if is_last.get(place) != Some(&true) {
            continue;
        }
        let own = line(place);
        let mut home: Option<u32> = None;
        let group = |place: u32| of.get(place as usize).copied().flatten();
        if own.is_none() && group(place as u32).is_some() {
            continue;
        }
        let is_one = graph.inputs(node).iter().all(|edge| {
            let from = edge.from.saturating_sub(first);
            if nodes.get(from as usize).is_none_or(|it| !it.kind.is_call()) {
                return true;
            }
            let from_home = homes.get(from as usize).copied().flatten().unwrap_or(from);
            let is_same_line = own.is_none() || line(from as usize) == own;
            let known = *home.get_or_insert(from_home);
            is_same_line && group(from_home).is_some() && group(known) == group(from_home)
        });
        let is_apart = |home: u32| group(home) != group(place as u32);
        if let (true, Some(found)) = (is_one, home.filter(|home| is_apart(*home)))
            && let Some(slot) = homes.get_mut(place)
        {
            *slot = Some(found);
        }
    }
    homes
}

/// Groups are nested no deeper than this; what is deeper lies in the last one.
const DEEPEST: usize = 12;

/// Modules tell the structure where at least one in so many operations has one.
const SHARE: usize = 8;

fn graph_start(graph: &FxGraph, nodes: &[&Node]) -> Option<NodeId> {
    let node = nodes.first()?;
    graph.module(node.module).map(|module| module.nodes.start)
}

/// An operation without parameters belongs to what the ones around it have in common.
fn between<'a>(nodes: &[&Node], known: &mut [Option<&'a str>]) {
    let mut next: Vec<Option<&'a str>> = Vec::with_capacity(known.len());
    let mut latest = None;
    for owner in known.iter().rev() {
        latest = owner.or(latest);
        next.push(latest);
    }
    next.reverse();
    let mut before = None;
    for ((node, owner), behind) in nodes.iter().zip(known.iter_mut()).zip(next) {
        if owner.is_some() {
            before = *owner;
        } else if node.kind.is_call()
            && let (Some(before), Some(behind)) = (before, behind)
        {
            *owner = Some(in_common(before, behind)).filter(|path| !path.is_empty());
        }
    }
}

/// The attribute path that two paths begin with. What stands behind an item of a list, and before the next
/// one, belongs to that item: the addition and the ReLU at the end of a block.
pub(super) fn in_common<'a>(left: &'a str, right: &str) -> &'a str {
    let mut end = 0;
    let mut at = 0;
    let mut others = right.split('.');
    for part in left.split('.') {
        let is_same = others.next() == Some(part);
        let is_item = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if is_same || is_item {
            end = at + part.len();
        }
        if !is_same {
            break;
        }
        at = end + 1;
    }
    left.get(..end).unwrap_or_default()
}

fn numbered(nodes: &[&Node], owners: &[Option<&str>]) -> Vec<Vec<Step>> {
    let ways = nodes.iter().zip(owners).map(|(node, owner)| {
        let Some(owner) = owner.filter(|_| node.kind.is_call()) else {
            return Vec::new();
        };
        let parts = owner
            .split('.')
            .filter(|part| !part.is_empty())
            .take(DEEPEST);
        let steps = parts.map(|part| Step {
            name: Name::Module(part.to_owned()),
            call: 0,
        });
        steps.collect()
    });
    ways.collect()
}
