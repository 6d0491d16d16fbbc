//! Rows of layers: what is side by side, and the knots of lines that pass between boxes.
//!
//! A layer is a row, unless it is too wide. Then the graph falls apart into what is connected by lines, and
//! the parts stand on shelves; a layer of one part that is still too wide is wrapped into several rows.

use super::Role;
use super::draw::ROW_GAP;
use super::place::COLUMN_GAP;
use super::rank::{Flat, LONGEST, Pin, Ranks};
use super::table::{Lists, Table, count};
use alloc::vec;
use alloc::vec::Vec;
use hashbrown::HashMap;

/// No row is called too wide that a screen can show, in pixels.
const SCREEN: f32 = 1600.0;
/// The lines that may pass between the boxes of a row.
const MOST_PASSING: u32 = 96;

/// The rows of a flat graph.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The knots of each row, in an order that is still to be found.
    pub(super) rows: Vec<Vec<u32>>,
    /// The boxes, as they were, then what lines pass through.
    pub(super) knots: Table<Knot>,
    /// The pieces of lines, each from a row to the next one.
    pub(super) pieces: Vec<Piece>,
    /// For each edge its way; `None` for one that is no line.
    pub(super) ways: Vec<Option<Way>>,
    /// For each value that passes rows the first of its knots, and how many there are, from the top.
    pub(super) stems: Vec<(u32, u32)>,
}

/// The way of a line. The lines of one value share what they pass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    /// The first knot that it passes.
    pub(super) first: u32,
    /// How many it passes.
    pub(super) passed: u32,
}

/// A box, or a place where a line passes a row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Knot {
    pub(super) row: u32,
    /// From its left side to its anchor.
    pub(super) left: f32,
    /// From its anchor to its right side.
    pub(super) right: f32,
    /// Whether only a line passes.
    pub(super) passing: bool,
    /// Whether it is on the longest chain.
    pub(super) spine: bool,
    /// Which part of the graph it is in; parts stand side by side.
    pub(super) part: u32,
    /// Its name in a reference; zero for none.
    pub(super) key: u64,
}

/// A piece of a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Piece {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) edge: u32,
}

/// Makes rows.
pub(super) fn rows(graph: &Flat, ranks: &Ranks) -> Rows {
    let widest = widest(graph);
    let mut lines = Lines::of(graph, ranks);
    let mut parts = Table::new(graph.boxes.len(), 0);
    if lines.width().any(|width| width > widest) {
        parts = shelves(graph, ranks, widest, &mut lines);
    }
    let rows = lines.wrap(graph, widest);
    knots(graph, ranks, &rows, &parts)
}

/// How wide a row may be, so that the drawing keeps the shape of a page.
fn widest(graph: &Flat) -> f32 {
    let area: f32 = graph
        .boxes
        .iter()
        .map(|part| (part.width + COLUMN_GAP) * (part.height + ROW_GAP))
        .sum();
    // Exact everywhere, unlike a root of floating point.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )]
    let side = (area as u64).isqrt() as f32;
    SCREEN.max(side)
}

/// For each box the line of boxes that it stands in.
struct Lines {
    of: Table<u32>,
    widths: Table<f32>,
}

impl Lines {
    fn of(graph: &Flat, ranks: &Ranks) -> Lines {
        let mut lines = Lines {
            of: ranks.of.clone(),
            widths: Table::default(),
        };
        lines.measure(graph);
        lines
    }

    fn measure(&mut self, graph: &Flat) {
        let last = self.of.0.iter().copied().max().unwrap_or(0);
        self.widths = Table::new(last as usize + 1, 0.0);
        for (at, part) in (0..).zip(&graph.boxes) {
            let line = self.of.at(at);
            self.widths
                .change(line, |width| width + part.width + COLUMN_GAP);
        }
    }

    fn width(&self) -> impl Iterator<Item = f32> {
        self.widths.0.iter().copied()
    }

    /// For each box its row. Lines that are too wide are several; sources stand in the lowest of them, near
    /// what uses them.
    fn wrap(&self, graph: &Flat, widest: f32) -> Table<u32> {
        let boxes = || (0..).zip(&graph.boxes);
        let line = |(at, _): (u32, _)| (self.of.at(at), at);
        let members = Lists::new(self.widths.len(), boxes().map(line));
        let mut rows = Table::new(graph.boxes.len(), 0);
        let mut row = 0;
        for line in 0..self.widths.len() {
            let mut used = 0.0;
            for sources in [false, true] {
                for &at in members.of(line) {
                    let part = graph.boxes.get(at as usize).copied().unwrap_or_default();
                    if (part.role == Role::Source) != sources {
                        continue;
                    }
                    let width = part.width + COLUMN_GAP;
                    if used > 0.0 && used + width > widest && self.widths.at(line) > widest {
                        row += 1;
                        used = 0.0;
                    }
                    used += width;
                    rows.set(at, row);
                }
            }
            if used > 0.0 {
                row += 1;
            }
        }
        rows
    }
}

/// Puts the parts of the graph that lines connect on shelves, the tall ones first, and says for each box
/// which part it is in.
fn shelves(graph: &Flat, ranks: &Ranks, widest: f32, lines: &mut Lines) -> Table<u32> {
    let boxes = count(graph.boxes.len());
    let free = |at: u32| graph.boxes.get(at as usize).map(|part| part.pin) == Some(Pin::None);
    let mut roots = Roots::new(boxes);
    for (id, edge) in (0..).zip(&graph.edges) {
        if ranks.drawn.at(id) && free(edge.from) && free(edge.to) {
            roots.join(edge.from, edge.to);
        }
    }
    // Parts are numbered by their first box.
    let mut part_of = Table::new(boxes as usize, 0);
    let mut number = Table::new(boxes as usize, 0);
    let mut parts = 0;
    for at in (0..boxes).filter(|&at| free(at)) {
        let root = roots.find(at);
        if number.at(root) == 0 {
            parts += 1;
            number.set(root, parts);
        }
        part_of.set(at, number.at(root) - 1);
    }
    let pairs = (0..boxes).filter(|&at| free(at));
    let members = Lists::new(parts, pairs.map(|at| (part_of.at(at), at)));
    let sizes: Vec<Size> = (0..parts)
        .map(|part| Size::of(graph, ranks, members.of(part)))
        .collect();
    let mut order: Vec<(u32, Size)> = (0..).zip(sizes).collect();
    order.sort_by_key(|(_, size)| (size.sink, core::cmp::Reverse(size.lines)));
    let top = u32::from(graph.boxes.iter().any(|part| part.pin == Pin::Top));
    let mut shelf = top;
    let (mut used, mut height) = (0.0, 0);
    let mut place = Table::new(parts as usize, 0);
    for (position, (part, size)) in (0..).zip(order) {
        if used > 0.0 && (size.sink || used + size.width > widest) {
            shelf += height;
            (used, height) = (0.0, 0);
        }
        used += size.width;
        height = height.max(size.lines);
        for &at in members.of(part) {
            lines.of.set(at, ranks.of.at(at) - size.first + shelf);
        }
        place.set(part, position);
    }
    for (at, part) in (0..).zip(&graph.boxes) {
        match part.pin {
            Pin::Top => lines.of.set(at, 0),
            Pin::Bottom => lines.of.set(at, shelf + height),
            Pin::None => {
                part_of.change(at, |part| place.at(part));
            }
        }
    }
    lines.measure(graph);
    part_of
}

/// What a part of the graph takes.
struct Size {
    first: u32,
    lines: u32,
    width: f32,
    /// Whether it is an output that no line leads to, which stands below everything.
    sink: bool,
}

impl Size {
    fn of(graph: &Flat, ranks: &Ranks, members: &[u32]) -> Size {
        let role = |at: u32| graph.boxes.get(at as usize).map(|part| part.role);
        let ranks_of = || members.iter().map(|&at| ranks.of.at(at));
        let first = ranks_of().min().unwrap_or(0);
        // A part is connected by lines of at most LONGEST layers, and no longer than so many times its boxes.
        let lines = ranks_of().max().unwrap_or(0) - first + 1;
        let mut widths = Table::new(lines as usize, 0.0f32);
        for &at in members {
            let own = graph.boxes.get(at as usize).map_or(0.0, |part| part.width);
            widths.change(ranks.of.at(at) - first, |width| width + own + COLUMN_GAP);
        }
        Size {
            first,
            lines,
            width: widths.0.into_iter().fold(0.0, f32::max),
            sink: members.len() == 1 && members.iter().all(|&at| role(at) == Some(Role::Sink)),
        }
    }
}

/// Sets of boxes that are joined one by one.
struct Roots(Table<u32>);

impl Roots {
    fn new(len: u32) -> Roots {
        Roots(Table((0..len).collect()))
    }

    fn find(&mut self, mut at: u32) -> u32 {
        while self.0.at(at) != at {
            let above = self.0.at(self.0.at(at));
            self.0.set(at, above);
            at = above;
        }
        at
    }

    /// The lesser root stays one: the order of joining does not matter.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0.set(a.max(b), a.min(b));
    }
}

/// Cuts lines into pieces from row to row.
fn knots(graph: &Flat, ranks: &Ranks, rows: &Table<u32>, parts: &Table<u32>) -> Rows {
    let last = rows.0.iter().copied().max().map_or(0, |row| row + 1);
    let mut result = Rows {
        rows: vec![Vec::new(); last as usize],
        ..Rows::default()
    };
    for (at, part) in (0..).zip(&graph.boxes) {
        result.knots.push(Knot {
            row: rows.at(at),
            left: part.left,
            right: part.width - part.left,
            passing: false,
            spine: ranks.spine.at(at),
            part: parts.at(at),
            key: part.key,
        });
    }
    let stems = Stems::new(graph, ranks, rows, last);
    for stem in &stems.all {
        result.add_stem(stem, rows, parts);
    }
    for (id, edge) in (0..).zip(&graph.edges) {
        let stem = result.stems.get(stems.of_edge.at(id) as usize).copied();
        let way = stem.filter(|_| stems.drawn.at(id)).map(|(first, _)| Way {
            first,
            passed: rows.at(edge.to) - rows.at(edge.from) - 1,
        });
        result.ways.push(way);
        if let Some(way) = way {
            result.pieces.push(Piece {
                from: match way.passed {
                    0 => edge.from,
                    passed => way.first + passed - 1,
                },
                to: edge.to,
                edge: id,
            });
        }
    }
    for (at, knot) in (0..).zip(&result.knots.0) {
        if let Some(row) = result.rows.get_mut(knot.row as usize) {
            row.push(at);
        }
    }
    result
}

impl Rows {
    /// Adds the knots that the lines of a value pass.
    fn add_stem(&mut self, stem: &Stem, rows: &Table<u32>, parts: &Table<u32>) {
        let first = self.knots.len();
        let mut from = stem.from;
        let start = rows.at(stem.from);
        for row in start + 1..=stem.reach {
            let knot = self.knots.push(Knot {
                row,
                left: 0.0,
                right: 0.0,
                passing: true,
                spine: row < stem.spine,
                part: parts.at(stem.from),
                key: match stem.key {
                    0 => 0,
                    key => mix(key, u64::from(row - start)),
                },
            });
            self.pieces.push(Piece {
                from,
                to: knot,
                edge: stem.edge,
            });
            from = knot;
        }
        self.stems.push((first, self.knots.len() - first));
    }
}

/// What the lines of one value share.
struct Stem {
    from: u32,
    /// One of its edges.
    edge: u32,
    /// The last row that it passes; that of its box if it passes none.
    reach: u32,
    /// The row where the longest chain goes on, if that is along this stem.
    spine: u32,
    /// Its name in a reference.
    key: u64,
}

struct Stems {
    all: Vec<Stem>,
    /// For each edge its stem.
    of_edge: Table<u32>,
    /// For each edge whether it is a line.
    drawn: Table<bool>,
}

impl Stems {
    /// Short lines come first where more would pass a row than may.
    fn new(graph: &Flat, ranks: &Ranks, rows: &Table<u32>, last: u32) -> Stems {
        let mut stems = Stems {
            all: Vec::new(),
            of_edge: Table::new(graph.edges.len(), 0),
            drawn: Table::new(graph.edges.len(), false),
        };
        let mut known: HashMap<(u32, u64), u32> = HashMap::new();
        let key = |at: u32| graph.boxes.get(at as usize).map_or(0, |part| part.key);
        for (id, edge) in (0..).zip(&graph.edges) {
            let next = count(stems.all.len());
            let stem = *known.entry((edge.from, edge.value)).or_insert(next);
            if stem == next {
                stems.all.push(Stem {
                    from: edge.from,
                    edge: id,
                    reach: rows.at(edge.from),
                    spine: 0,
                    key: match key(edge.from) {
                        0 => 0,
                        key => mix(key, edge.value),
                    },
                });
            }
            stems.of_edge.set(id, stem);
        }
        let span = |id: u32| {
            let edge = graph.edges.get(id as usize).copied().unwrap_or_default();
            let span = rows.at(edge.to).saturating_sub(rows.at(edge.from));
            span.min(LONGEST + 1)
        };
        let lines = (0..count(graph.edges.len())).filter(|&id| ranks.drawn.at(id));
        let by_span = Lists::new(LONGEST + 2, lines.map(|id| (span(id), id)));
        let mut passing = Table::new(last as usize, 0u32);
        for class in 1..=LONGEST + 1 {
            for &id in by_span.of(class) {
                let to = graph.edges.get(id as usize).map_or(0, |edge| edge.to);
                let Some(stem) = stems.all.get_mut(stems.of_edge.at(id) as usize) else {
                    continue;
                };
                let more = || stem.reach + 1..rows.at(to);
                let fits = class <= LONGEST && more().all(|row| passing.at(row) < MOST_PASSING);
                let spine = ranks.on_spine.at(id);
                if fits || spine {
                    stems.drawn.set(id, true);
                    more().for_each(|row| {
                        passing.change(row, |n| n + 1);
                    });
                    stem.reach = stem.reach.max(rows.at(to).saturating_sub(1));
                    if spine {
                        stem.spine = rows.at(to);
                    }
                }
            }
        }
        stems
    }
}

/// A name made of two, never zero.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    // Multipliers of a common 64-bit finalizer: every bit of both counts in every bit of the result.
    let mut hash = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.rotate_left(32);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (hash ^ (hash >> 31)).max(1)
}
