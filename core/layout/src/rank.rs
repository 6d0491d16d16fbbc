//! In which layer each box of a flat graph stands, and which edges are lines.

use super::Role;
use super::table::{Lists, Table, count};
use alloc::vec;
use alloc::vec::Vec;

/// The layers that a line may go down; what is farther is hard to follow, and drawn as stubs.
pub(super) const LONGEST: u32 = 12;
/// The lines at one side of a box. The nearest are kept.
const MOST_LINES: u32 = 64;
/// The lines from a source: one that is used everywhere (a size, a learning rate) ties nothing together.
const MOST_OF_SOURCE: u32 = 8;
/// The lines to the output.
const MOST_OF_SINK: u32 = 16;

/// A graph without groups.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) boxes: Vec<Part>,
    pub(super) edges: Vec<Arc>,
}

/// A box of a flat graph.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part {
    pub(super) width: f32,
    pub(super) height: f32,
    /// From its left side to its anchor, the place that stands for it: the middle of a node, and of an open
    /// group where its longest chain goes down.
    pub(super) left: f32,
    pub(super) role: Role,
    pub(super) pin: Pin,
    /// The nodes in it.
    pub(super) weight: u32,
    /// Its name in a reference; zero for none.
    pub(super) key: u64,
}

/// Whether a box is a port of the frame around the graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) enum Pin {
    #[default]
    None,
    /// Where a value enters: above everything.
    Top,
    /// Where a value leaves: below everything.
    Bottom,
}

/// An edge of a flat graph. The offsets are those of the ports of an open group's box, from its anchor.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Arc {
    pub(super) from: u32,
    pub(super) to: u32,
    /// The name of the port that it starts at; zero for a box without ports. What starts at one port is one
    /// value.
    pub(super) value: u64,
    pub(super) out: f32,
    pub(super) into: Option<f32>,
}

/// Layers.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    /// For each box its layer, from the top.
    pub(super) of: Table<u32>,
    /// For each edge whether it is a line.
    pub(super) drawn: Table<bool>,
    /// For each box whether it is on the longest chain.
    pub(super) spine: Table<bool>,
    /// For each edge whether it is a piece of the longest chain, at most one between two boxes.
    pub(super) on_spine: Table<bool>,
}

/// Finds the layers.
pub(super) fn rank(graph: &Flat) -> Ranks {
    let boxes = count(graph.boxes.len());
    let leaving = Lists::new(
        boxes,
        (0..).zip(&graph.edges).map(|(id, edge)| (edge.from, id)),
    );
    let (order, forward) = sort(graph, &leaving);
    let arriving = Lists::new(
        boxes,
        (0..).zip(&graph.edges).map(|(id, edge)| (edge.to, id)),
    );
    let mut ranks = Ranks {
        of: Table::new(boxes as usize, 0),
        drawn: forward,
        spine: Table::new(boxes as usize, false),
        on_spine: Table::new(graph.edges.len(), false),
    };
    longest_paths(graph, &order, &arriving, &mut ranks);
    sink(graph, &order, &leaving, &arriving, &mut ranks);
    spine(graph, &order, &arriving, &mut ranks);
    for (id, edge) in (0..).zip(&graph.edges) {
        let span = ranks.of.at(edge.to).saturating_sub(ranks.of.at(edge.from));
        if span > LONGEST {
            ranks.drawn.set(id, false);
        }
    }
    thin(graph, &leaving, &mut ranks, |role| match role {
        Role::Source => MOST_OF_SOURCE,
        Role::Step | Role::Sink => MOST_LINES,
    });
    thin(graph, &arriving, &mut ranks, |role| match role {
        Role::Sink => MOST_OF_SINK,
        Role::Step | Role::Source => MOST_LINES,
    });
    ranks
}

/// A topological order, and for each edge whether it goes along it. What closes a cycle does not; boxes are
/// visited in their order, so that of a cycle the edge goes back that does so in the code, too.
fn sort(graph: &Flat, leaving: &Lists) -> (Vec<u32>, Table<bool>) {
    #[derive(Clone, Copy, Default, PartialEq)]
    enum State {
        #[default]
        New,
        Open,
        Done,
    }
    let mut state = Table::new(graph.boxes.len(), State::New);
    let mut next = Table::new(graph.boxes.len(), 0u32);
    let mut forward = Table::new(graph.edges.len(), true);
    let mut order = Vec::with_capacity(graph.boxes.len());
    let mut stack = Vec::new();
    for root in 0..count(graph.boxes.len()) {
        if state.at(root) == State::New {
            state.set(root, State::Open);
            stack.push(root);
        }
        while let Some(&top) = stack.last() {
            let at = next.change(top, |n| n + 1) as usize;
            let Some(&id) = leaving.of(top).get(at) else {
                state.set(top, State::Done);
                order.push(top);
                stack.pop();
                continue;
            };
            let to = graph.edges.get(id as usize).map_or(top, |edge| edge.to);
            match state.at(to) {
                State::New => {
                    state.set(to, State::Open);
                    stack.push(to);
                }
                State::Open => forward.set(id, false),
                State::Done => {}
            }
        }
    }
    order.reverse();
    (order, forward)
}

fn longest_paths(graph: &Flat, order: &[u32], arriving: &Lists, ranks: &mut Ranks) {
    let has = |pin| graph.boxes.iter().any(|part| part.pin == pin);
    let first = u32::from(has(Pin::Top));
    let mut last = first;
    for &at in order {
        match pin(graph, at) {
            Pin::Top | Pin::Bottom => continue,
            Pin::None => {}
        }
        let above = sources(graph, arriving, ranks, at).map(|from| ranks.of.at(from) + 1);
        let rank = above.max().unwrap_or(0).max(first);
        ranks.of.set(at, rank);
        last = last.max(rank);
    }
    for (at, part) in (0..).zip(&graph.boxes) {
        if part.pin == Pin::Bottom {
            ranks.of.set(at, last + 1);
        } else if part.role == Role::Sink && arriving.of(at).is_empty() {
            ranks.of.set(at, last);
        }
    }
}

/// Moves boxes down where that makes lines shorter: sources, and what is made of them alone, to their first
/// use. What has more uses than inputs follows its uses, too.
fn sink(graph: &Flat, order: &[u32], leaving: &Lists, arriving: &Lists, ranks: &mut Ranks) {
    let mut follows = Table::new(graph.boxes.len(), false);
    for &at in order {
        let is_source = graph.boxes.get(at as usize).map(|part| part.role) == Some(Role::Source);
        let alone = leaving.of(at).len() <= 1;
        let free = pin(graph, at) == Pin::None
            && (is_source || alone)
            && sources(graph, arriving, ranks, at).all(|from| follows.at(from));
        follows.set(at, free);
    }
    for &at in order.iter().rev() {
        if pin(graph, at) != Pin::None {
            continue;
        }
        let targets = || {
            let edges = leaving.of(at).iter().filter(|&&id| ranks.drawn.at(id));
            edges.filter_map(|&id| Some(graph.edges.get(id as usize)?.to))
        };
        let fixed = sources(graph, arriving, ranks, at)
            .filter(|&from| !follows.at(from))
            .count();
        // A port of the frame is no reason to leave one's inputs.
        let nearest = targets()
            .filter(|&to| fixed == 0 || pin(graph, to) == Pin::None)
            .map(|to| ranks.of.at(to))
            .min();
        if let Some(nearest) = nearest
            && fixed < targets().count()
        {
            ranks
                .of
                .change(at, |rank| rank.max(nearest.saturating_sub(1)));
        }
    }
}

/// The longest chain, of those as long the one with most nodes in its boxes.
fn spine(graph: &Flat, order: &[u32], arriving: &Lists, ranks: &mut Ranks) {
    let mut weight = Table::new(graph.boxes.len(), (0u32, 0u64));
    let mut arrives_by = Table::new(graph.boxes.len(), None);
    let from = |id: u32| graph.edges.get(id as usize).map_or(0, |edge| edge.from);
    for &at in order {
        let above = arriving
            .of(at)
            .iter()
            .copied()
            .filter(|&id| ranks.drawn.at(id) && ranks.of.at(from(id)) + 1 == ranks.of.at(at));
        // Of those that weigh the same the first one.
        let best = above.rev().max_by_key(|&id| weight.at(from(id)));
        let before = best.map_or((0, 0), |id| weight.at(from(id)));
        let own = graph.boxes.get(at as usize).map_or(0, |part| part.weight);
        weight.set(at, (before.0 + 1, before.1 + u64::from(own)));
        arrives_by.set(at, best);
    }
    let mut end = (0..count(graph.boxes.len()))
        .rev()
        .max_by_key(|&at| weight.at(at));
    while let Some(at) = end {
        ranks.spine.set(at, true);
        end = arrives_by.at(at).map(|id| {
            ranks.on_spine.set(id, true);
            from(id)
        });
    }
}

/// Keeps the shortest lines at each box, as many as may be.
fn thin(graph: &Flat, at_box: &Lists, ranks: &mut Ranks, most: impl Fn(Role) -> u32) {
    let mut by_span = vec![0u32; LONGEST as usize + 1];
    for (at, part) in (0..).zip(&graph.boxes) {
        let most = most(part.role);
        let edges = at_box.of(at);
        if edges.len() <= most as usize {
            continue;
        }
        let span = |ranks: &Ranks, id: u32| {
            let edge = graph.edges.get(id as usize).copied().unwrap_or_default();
            ranks.of.at(edge.to).saturating_sub(ranks.of.at(edge.from))
        };
        by_span.fill(0);
        for &id in edges.iter().filter(|&&id| ranks.drawn.at(id)) {
            if let Some(slot) = by_span.get_mut(span(ranks, id) as usize) {
                *slot += 1;
            }
        }
        // How many of each span may stay.
        let mut left = most;
        for slot in &mut by_span {
            *slot = (*slot).min(left);
            left -= *slot;
        }
        for &id in edges {
            if !ranks.drawn.at(id) {
                continue;
            }
            match by_span.get_mut(span(ranks, id) as usize) {
                Some(slot) if *slot > 0 => *slot -= 1,
                _ => ranks.drawn.set(id, ranks.on_spine.at(id)),
            }
        }
    }
}

fn pin(graph: &Flat, at: u32) -> Pin {
    graph
        .boxes
        .get(at as usize)
        .map_or(Pin::None, |part| part.pin)
}

/// Where the lines to a box come from.
fn sources(graph: &Flat, arriving: &Lists, ranks: &Ranks, at: u32) -> impl Iterator<Item = u32> {
    let edges = arriving.of(at).iter().filter(|&&id| ranks.drawn.at(id));
    edges.filter_map(|&id| Some(graph.edges.get(id as usize)?.from))
}
