//! Groups: each open one is a flat graph of its own, laid out before the one around it, which sees a box.
//!
//! A value that leaves an open group leaves it at one port of its frame, however many users it has outside,
//! and enters one at one port. An edge is then one piece in each graph that it goes through. If one of the
//! pieces is no line there, the whole edge is a pair of stubs.

mod edges;
mod groups;

use self::edges::Plan;
use self::groups::Groups;
use super::draw::{self, Placed, STUB};
use super::order::{Effort, order};
use super::place::place;
use super::rank::{Flat, Part, Pin, rank};
use super::reference::{Mark, Marks, Named, name, names};
use super::rows::rows;
use super::table::{Table, count};
use super::{Diagram, GroupId, Item, Layout, Point, Rect, Reference, Role, Route, Row};
use alloc::vec;
use alloc::vec::Vec;
use hashbrown::HashMap;

/// The largest size of a box, in pixels: sums stay exact enough.
const LARGEST: f32 = 100_000.0;

pub(super) fn lay_out(diagram: &Diagram, reference: Option<&Reference>) -> Layout {
    let mut nest = Nest::new(diagram, reference);
    nest.add_items();
    let plans = nest.add_edges();
    nest.offsets = Table::new(nest.spots.len(), 0.0);
    // A graph comes before those inside it, whose sizes it needs.
    let graphs = (0..count(nest.graphs.len())).rev();
    let mut placed: Vec<Placed> = graphs.map(|graph| nest.place(graph)).collect();
    placed.reverse();
    nest.rows.reverse();
    nest.finish(&plans, &placed)
}

/// Something that stands in a flat graph.
#[derive(Debug, Clone, Copy, Default)]
struct Spot {
    graph: u32,
    /// Its place among the graph's boxes.
    at: u32,
    /// The graph inside it, of an open group.
    inside: Option<u32>,
}

/// The flat graph of an open group, or that of the top.
#[derive(Debug, Default)]
struct Graph {
    group: Option<GroupId>,
    /// Its own box in the graph around it.
    spot: Option<u32>,
    depth: usize,
    flat: Flat,
    /// For each edge of the flat graph the spots of the ports that it starts and ends at.
    ports: Vec<(Option<u32>, Option<u32>)>,
    /// What the boxes are; `None` for ports.
    items: Vec<Option<Item>>,
    /// The boxes' spots.
    spots: Vec<u32>,
    entries: u32,
    exits: u32,
}

struct Nest<'a> {
    diagram: &'a Diagram,
    marks: Marks<'a>,
    effort: Effort,
    groups: Groups,
    node_names: Vec<u64>,
    group_names: Vec<u64>,
    graphs: Vec<Graph>,
    /// Spots of nodes that are shown, groups that are shown, and ports.
    spots: Vec<Spot>,
    spot_of_node: Table<Option<u32>>,
    spot_of_group: Table<Option<u32>>,
    /// Ports by graph, the spot whose value passes, and the direction.
    ports: HashMap<(u32, u32, Pin), u32>,
    /// The pieces of edges: graph and place among its edges.
    pieces: Vec<(u32, u32)>,
    /// For each port its x, from the anchor of the box that its graph is.
    offsets: Table<f32>,
    /// Rows by graph.
    rows: Vec<Vec<Row>>,
    known: Vec<Mark>,
    crossings: u64,
}

impl<'a> Nest<'a> {
    fn new(diagram: &'a Diagram, reference: Option<&'a Reference>) -> Nest<'a> {
        let (node_names, group_names) = names(diagram);
        Nest {
            diagram,
            marks: Marks { reference },
            effort: Effort::of(diagram.nodes.len(), diagram.edges.len()),
            groups: Groups::new(&diagram.groups),
            node_names,
            group_names,
            graphs: vec![Graph::default()],
            spots: Vec::new(),
            spot_of_node: Table::new(diagram.nodes.len(), None),
            spot_of_group: Table::new(diagram.groups.len(), None),
            ports: HashMap::new(),
            pieces: Vec::new(),
            offsets: Table::default(),
            rows: Vec::new(),
            known: Vec::new(),
            crossings: 0,
        }
    }

    /// Gives everything that is shown its spot: groups where their first node stands, those without one last.
    fn add_items(&mut self) {
        let diagram = self.diagram;
        for (id, shape) in (0..).zip(&diagram.nodes) {
            let group = shape
                .group
                .filter(|&group| (group as usize) < diagram.groups.len());
            let around = match group {
                Some(group) => self.add_group(group),
                None => Some(0),
            };
            match around {
                Some(graph) => {
                    let part = Part {
                        width: sane(shape.width),
                        height: sane(shape.height),
                        left: sane(shape.width) / 2.0,
                        role: shape.role,
                        pin: Pin::None,
                        weight: 1,
                        key: self.node_names.get(id as usize).copied().unwrap_or(0),
                    };
                    let spot = self.add_spot(graph, part, Some(Item::Node(id)));
                    self.spot_of_node.set(id, Some(spot));
                }
                None => {
                    let cover = group.and_then(|group| self.groups.cover(group));
                    let spot = cover.and_then(|cover| self.spot_of_group.at(cover));
                    self.spot_of_node.set(id, spot);
                    if let Some(spot) = spot.and_then(|spot| self.spots.get(spot as usize))
                        && let Some(graph) = self.graphs.get_mut(spot.graph as usize)
                        && let Some(part) = graph.flat.boxes.get_mut(spot.at as usize)
                    {
                        part.weight = part.weight.saturating_add(1);
                    }
                }
            }
        }
        for group in 0..count(diagram.groups.len()) {
            self.add_group(group);
        }
    }

    /// Gives a group and what is around it their spots; returns its graph if its members are shown.
    fn add_group(&mut self, group: GroupId) -> Option<u32> {
        let mut missing = Vec::new();
        let mut graph = Some(0);
        let mut at = Some(self.groups.cover(group).unwrap_or(group));
        while let Some(group) = at {
            if let Some(spot) = self.spot_of_group.at(group) {
                graph = self.spot(spot).inside;
                break;
            }
            missing.push(group);
            at = self.groups.parent(group);
        }
        while let Some(group) = missing.pop() {
            let around = graph?;
            let Some(shape) = self.diagram.groups.get(group as usize) else {
                break;
            };
            let part = Part {
                width: sane(shape.width),
                height: sane(shape.height),
                left: sane(shape.width) / 2.0,
                role: Role::Step,
                pin: Pin::None,
                weight: 0,
                key: self.group_names.get(group as usize).copied().unwrap_or(0),
            };
            let spot = self.add_spot(around, part, Some(Item::Group(group)));
            self.spot_of_group.set(group, Some(spot));
            graph = None;
            if shape.open {
                let inside = count(self.graphs.len());
                let depth = self
                    .graphs
                    .get(around as usize)
                    .map_or(0, |graph| graph.depth);
                self.graphs.push(Graph {
                    group: Some(group),
                    spot: Some(spot),
                    depth: depth + 1,
                    ..Graph::default()
                });
                if let Some(spot) = self.spots.get_mut(spot as usize) {
                    spot.inside = Some(inside);
                }
                graph = Some(inside);
            }
        }
        graph
    }

    fn add_spot(&mut self, graph: u32, part: Part, item: Option<Item>) -> u32 {
        let spot = count(self.spots.len());
        if let Some(slot) = self.graphs.get_mut(graph as usize) {
            self.spots.push(Spot {
                graph,
                at: count(slot.flat.boxes.len()),
                inside: None,
            });
            slot.flat.boxes.push(part);
            slot.items.push(item);
            slot.spots.push(spot);
        }
        spot
    }

    fn spot(&self, spot: u32) -> Spot {
        self.spots.get(spot as usize).copied().unwrap_or_default()
    }

    /// Finds the places in one graph, and tells the graph around it how large it is.
    fn place(&mut self, at: u32) -> Placed {
        let mut graph = match self.graphs.get_mut(at as usize) {
            Some(graph) => core::mem::take(graph),
            None => return Placed::default(),
        };
        for (edge, &(out, into)) in graph.flat.edges.iter_mut().zip(&graph.ports) {
            edge.out = out.map_or(0.0, |port| self.offsets.at(port));
            edge.into = into.map(|port| self.offsets.at(port));
        }
        let key = graph.group.map_or(1, |group| self.group_name(group));
        let middle = if key == 0 {
            0
        } else {
            name(key, Named::Middle)
        };
        let ranks = rank(&graph.flat);
        let mut rows = rows(&graph.flat, &ranks);
        self.crossings += order(&mut rows, &self.marks, self.effort);
        let least = self.marks.x(middle).unwrap_or(0.0);
        let placed = place(&graph.flat, &rows, &self.marks, least);
        let mut remember = |name: u64, x: f32| {
            if name != 0 {
                self.known.push(Mark { name, x });
            }
        };
        remember(middle, placed.middle);
        for (id, knot) in (0..).zip(&rows.knots.0) {
            remember(knot.key, placed.x.at(id));
        }
        let item = |&knot: &u32| graph.items.get(knot as usize).copied().flatten();
        let row = |row: &Vec<u32>| Row {
            group: graph.group,
            items: row.iter().filter_map(item).collect(),
        };
        let shown = rows
            .rows
            .iter()
            .map(row)
            .filter(|row| !row.items.is_empty());
        self.rows.push(shown.collect());
        self.enclose(&graph, &placed);
        if let Some(slot) = self.graphs.get_mut(at as usize) {
            *slot = graph;
        }
        placed
    }

    /// Makes a placed graph the box that it is in the graph around it.
    fn enclose(&mut self, graph: &Graph, placed: &Placed) {
        let (Some(group), Some(spot)) = (graph.group, graph.spot) else {
            return;
        };
        let title = self.title(group);
        let spot = self.spot(spot);
        let around = self.graphs.get_mut(spot.graph as usize);
        let Some(part) = around.and_then(|around| around.flat.boxes.get_mut(spot.at as usize))
        else {
            return;
        };
        part.width = part.width.max(placed.width);
        part.height = placed.height + title;
        part.left = (part.width - placed.width) / 2.0 + placed.middle;
        part.weight = graph
            .flat
            .boxes
            .iter()
            .fold(0, |sum, inner| sum.saturating_add(inner.weight));
        for (at, inner) in (0..).zip(&graph.flat.boxes) {
            if inner.pin != Pin::None
                && let Some(&port) = graph.spots.get(at as usize)
            {
                self.offsets.set(port, placed.x.at(at));
            }
        }
    }

    fn group_name(&self, group: GroupId) -> u64 {
        self.group_names.get(group as usize).copied().unwrap_or(0)
    }

    fn title(&self, group: GroupId) -> f32 {
        self.diagram
            .groups
            .get(group as usize)
            .map_or(0.0, |group| sane(group.title))
    }

    /// Puts the graphs into one another.
    fn finish(self, plans: &[Plan], placed: &[Placed]) -> Layout {
        let mut layout = Layout {
            boxes: vec![None; self.diagram.nodes.len()],
            groups: vec![None; self.diagram.groups.len()],
            width: placed.first().map_or(0.0, |top| top.width),
            height: placed.first().map_or(0.0, |top| top.height),
            crossings: self.crossings,
            ..Layout::default()
        };
        let mut rects = Table::new(self.spots.len(), Rect::default());
        let mut origins: Vec<Point> = Vec::with_capacity(placed.len());
        for (graph, placed) in self.graphs.iter().zip(placed) {
            let origin = match (graph.group, graph.spot) {
                (Some(group), Some(spot)) => {
                    let frame = rects.at(spot);
                    Point {
                        x: frame.x + (frame.width - placed.width) / 2.0,
                        y: frame.y + self.title(group),
                    }
                }
                _ => Point::default(),
            };
            origins.push(origin);
            for (((at, part), &item), &spot) in (0..)
                .zip(&graph.flat.boxes)
                .zip(&graph.items)
                .zip(&graph.spots)
            {
                let rect = Rect {
                    x: origin.x + placed.middle + placed.x.at(at) - part.left,
                    y: origin.y + placed.y.at(at),
                    width: part.width,
                    height: part.height,
                };
                rects.set(spot, rect);
                let slot = match item {
                    Some(Item::Node(node)) => layout.boxes.get_mut(node as usize),
                    Some(Item::Group(group)) => layout.groups.get_mut(group as usize),
                    None => None,
                };
                if let Some(slot) = slot {
                    *slot = Some(rect);
                }
            }
        }
        layout.edges = plans
            .iter()
            .map(|plan| match *plan {
                Plan::Hidden => Route::Hidden,
                Plan::Merged(edge) => Route::Merged(edge),
                Plan::Drawn { from, to, pieces } => {
                    let pieces = self.pieces.get(pieces.0 as usize..pieces.1 as usize);
                    join(pieces.unwrap_or(&[]), placed, &origins)
                        .map_or_else(|| stubs(rects.at(from), rects.at(to)), Route::Line)
                }
            })
            .collect();
        layout.rows = self.rows.into_iter().flatten().collect();
        layout.marks = self.known;
        layout
    }
}

/// The line of an edge, if it is one in every graph that it goes through.
fn join(pieces: &[(u32, u32)], placed: &[Placed], origins: &[Point]) -> Option<Vec<Point>> {
    let mut points = Vec::new();
    for &(graph, edge) in pieces {
        let origin = origins.get(graph as usize)?;
        let line = placed.get(graph as usize)?.lines.get(edge as usize)?;
        if line.is_empty() {
            return None;
        }
        points.reserve(line.len());
        for point in line {
            let point = Point {
                x: origin.x + point.x,
                y: origin.y + point.y,
            };
            draw::add(&mut points, point);
        }
    }
    (!points.is_empty()).then_some(points)
}

/// Marks at the right of the lower side of one box and at the left of the upper side of another.
fn stubs(from: Rect, to: Rect) -> Route {
    let down = |x: f32, y: f32| [Point { x, y }, Point { x, y: y + STUB }];
    Route::Stubs {
        leaves: down(from.x + from.width * 0.75, from.y + from.height),
        arrives: down(to.x + to.width * 0.25, to.y - STUB),
    }
}

/// A size that sums can be made of.
fn sane(size: f32) -> f32 {
    if size > 0.0 { size.min(LARGEST) } else { 0.0 }
}
