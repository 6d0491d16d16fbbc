//! Edges through frames.

use super::Nest;
use crate::rank::{Arc, Part, Pin};
use crate::reference::{Named, name};
use crate::rows::mix;
use crate::table::count;
use crate::{EdgeId, Item};
use alloc::vec::Vec;
use hashbrown::HashMap;

/// The frames that an edge may go through; more are too many to follow.
const MOST_FRAMES: usize = 16;
/// The values that may enter or leave an open group as lines.
const MOST_PORTS: u32 = 64;

/// What is known of an edge before anything has a place.
pub(super) enum Plan {
    Hidden,
    Merged(EdgeId),
    /// The spots of its ends, and where its pieces stand in `Nest::pieces`.
    Drawn {
        from: u32,
        to: u32,
        pieces: (u32, u32),
    },
}

impl Nest<'_> {
    /// Cuts the edges into pieces.
    pub(super) fn add_edges(&mut self) -> Vec<Plan> {
        let mut known: HashMap<(u32, u32), EdgeId> = HashMap::new();
        let mut cut: HashMap<(u32, u32), u32> = HashMap::new();
        let mut plans = Vec::with_capacity(self.diagram.edges.len());
        for (id, link) in (0..).zip(&self.diagram.edges) {
            let ends = (
                self.spot_of_node.at(link.from),
                self.spot_of_node.at(link.to),
            );
            let (Some(from), Some(to)) = ends else {
                plans.push(Plan::Hidden);
                continue;
            };
            let is_node = link.from == link.to && self.item(from) == Some(Item::Node(link.from));
            if from == to && !is_node {
                plans.push(Plan::Hidden);
                continue;
            }
            let first = *known.entry((from, to)).or_insert(id);
            if first != id {
                plans.push(Plan::Merged(first));
                continue;
            }
            let start = count(self.pieces.len());
            if from != to {
                self.cut(from, to, &mut cut);
            }
            plans.push(Plan::Drawn {
                from,
                to,
                pieces: (start, count(self.pieces.len())),
            });
        }
        plans
    }

    fn item(&self, spot: u32) -> Option<Item> {
        let spot = self.spot(spot);
        let graph = self.graphs.get(spot.graph as usize)?;
        graph.items.get(spot.at as usize).copied().flatten()
    }

    /// Adds the pieces of an edge, from the source on; none if it goes through too many frames.
    fn cut(&mut self, from: u32, to: u32, cut: &mut HashMap<(u32, u32), u32>) {
        let Some((outwards, inwards)) = self.frames(from, to) else {
            return;
        };
        let start = self.pieces.len();
        // The box that stands for the source, and the port of it.
        let (mut at, mut port) = (from, None);
        for &graph in &outwards {
            let Some(exit) = self.port(graph, from, Pin::Bottom) else {
                return self.pieces.truncate(start);
            };
            self.add_piece((at, port), (exit, None), cut);
            at = self.spot_of_graph(graph);
            port = Some(exit);
        }
        for &graph in &inwards {
            let Some(entry) = self.port(graph, from, Pin::Top) else {
                return self.pieces.truncate(start);
            };
            self.add_piece((at, port), (self.spot_of_graph(graph), Some(entry)), cut);
            (at, port) = (entry, None);
        }
        self.add_piece((at, port), (to, None), cut);
    }

    /// The graphs that an edge leaves, from inside out, and those that it enters, from outside in.
    fn frames(&self, from: u32, to: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        let depth = |graph: u32| {
            self.graphs
                .get(graph as usize)
                .map_or(0, |graph| graph.depth)
        };
        let (mut left, mut right) = (self.spot(from).graph, self.spot(to).graph);
        let (mut outwards, mut inwards) = (Vec::new(), Vec::new());
        while left != right {
            if outwards.len() + inwards.len() >= MOST_FRAMES {
                return None;
            }
            if depth(left) >= depth(right) {
                outwards.push(left);
                left = self.spot(self.spot_of_graph(left)).graph;
            } else {
                inwards.push(right);
                right = self.spot(self.spot_of_graph(right)).graph;
            }
        }
        inwards.reverse();
        Some((outwards, inwards))
    }

    fn spot_of_graph(&self, graph: u32) -> u32 {
        let graph = self.graphs.get(graph as usize);
        graph.and_then(|graph| graph.spot).unwrap_or_default()
    }

    /// Where a spot's value enters or leaves a graph; `None` if too many do.
    fn port(&mut self, graph: u32, value: u32, pin: Pin) -> Option<u32> {
        if let Some(&port) = self.ports.get(&(graph, value, pin)) {
            return Some(port);
        }
        let slot = self.graphs.get_mut(graph as usize)?;
        let (ports, named) = match pin {
            Pin::Top => (&mut slot.entries, Named::Entry),
            Pin::Bottom | Pin::None => (&mut slot.exits, Named::Exit),
        };
        if *ports >= MOST_PORTS {
            return None;
        }
        *ports += 1;
        let around = slot
            .group
            .and_then(|group| self.group_names.get(group as usize));
        let part = Part {
            pin,
            key: match (self.key(value), around.copied().unwrap_or(0)) {
                (0, _) | (_, 0) => 0,
                (value, around) => name(mix(value, around), named),
            },
            ..Part::default()
        };
        let port = self.add_spot(graph, part, None);
        self.ports.insert((graph, value, pin), port);
        Some(port)
    }

    fn key(&self, spot: u32) -> u64 {
        let spot = self.spot(spot);
        let graph = self.graphs.get(spot.graph as usize);
        graph
            .and_then(|graph| graph.flat.boxes.get(spot.at as usize))
            .map_or(0, |part| part.key)
    }

    /// Adds a piece of an edge from box to box of one graph, each with the port that it uses of it.
    fn add_piece(
        &mut self,
        from: (u32, Option<u32>),
        to: (u32, Option<u32>),
        cut: &mut HashMap<(u32, u32), u32>,
    ) {
        let (start, end) = (self.spot(from.0), self.spot(to.0));
        // Ports without a name are told apart by their number.
        let value = from.1.map_or(0, |port| match self.key(port) {
            0 => u64::from(port) + 1,
            key => key,
        });
        let Some(graph) = self.graphs.get_mut(start.graph as usize) else {
            return;
        };
        let ends = (from.1.unwrap_or(from.0), to.1.unwrap_or(to.0));
        let piece = *cut.entry(ends).or_insert_with(|| {
            graph.ports.push((from.1, to.1));
            graph.flat.edges.push(Arc {
                from: start.at,
                to: end.at,
                value,
                out: 0.0,
                into: None,
            });
            count(graph.flat.edges.len()) - 1
        });
        self.pieces.push((start.graph, piece));
    }
}
