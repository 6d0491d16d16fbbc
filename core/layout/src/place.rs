//! Where the knots of a flat graph stand in their rows.
//!
//! Each pass moves the knots of a row to the mean of what they are connected with, as near as their order
//! and distances allow: the least sum of squares, which merging neighbours finds in linear time. The
//! longest chain is a column that nothing moves.

use super::draw::{Placed, draw};
use super::rank::Flat;
use super::reference::Marks;
use super::rows::Rows;
use super::table::{Lists, Table};
use alloc::vec::Vec;
use core::ops::Range;

/// Between boxes side by side, in pixels.
pub(super) const COLUMN_GAP: f32 = 20.0;
/// Between lines that pass a row, in pixels.
pub(super) const DUMMY_GAP: f32 = 12.0;
/// Places are multiples of this, in pixels.
const GRID: f32 = 0.25;
/// How much a place in a reference counts, to a line between two boxes.
const WEIGHT_OF_REFERENCE: f32 = 64.0;
/// How much it counts to stay where one is, for what no line holds.
const WEIGHT_OF_LOOSE: f32 = 0.1;
/// Passes down and up.
const PASSES: usize = 6;

/// Finds the coordinates. `least` is the least distance of the graph's middle from the left.
pub(super) fn place(graph: &Flat, rows: &Rows, marks: &Marks<'_>, least: f32) -> Placed {
    let mut columns = Columns::new(graph, rows, marks);
    columns.pack();
    for pass in 0..PASSES {
        columns.pass(match pass {
            5 => Look::Both,
            _ if pass % 2 == 0 => Look::Up,
            _ => Look::Down,
        });
    }
    columns.straighten();
    draw(graph, rows, columns.x, least)
}

/// On which side a pass looks.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Up,
    Down,
    Both,
}

struct Columns<'a> {
    graph: &'a Flat,
    rows: &'a Rows,
    /// For each knot its anchor.
    x: Table<f32>,
    left: Table<f32>,
    right: Table<f32>,
    passing: Table<bool>,
    /// Knots that stay where they are.
    spine: Table<bool>,
    wanted: Table<Option<f32>>,
    /// For each knot its pieces of lines.
    above: Lists,
    below: Lists,
}

/// A knot that looks for its place.
#[derive(Clone, Copy, Default)]
struct Wish {
    x: f32,
    weight: f32,
    /// From the anchor of the knot before, at least.
    distance: f32,
}

impl<'a> Columns<'a> {
    fn new(graph: &'a Flat, rows: &'a Rows, marks: &Marks<'_>) -> Columns<'a> {
        let knots = &rows.knots.0;
        let len = rows.knots.len();
        let pieces = || (0..).zip(&rows.pieces);
        Columns {
            graph,
            rows,
            x: Table::new(knots.len(), 0.0),
            left: Table(knots.iter().map(|knot| knot.left).collect()),
            right: Table(knots.iter().map(|knot| knot.right).collect()),
            passing: Table(knots.iter().map(|knot| knot.passing).collect()),
            spine: Table(knots.iter().map(|knot| knot.spine).collect()),
            wanted: Table(knots.iter().map(|knot| marks.x(knot.key)).collect()),
            above: Lists::new(len, pieces().map(|(id, piece)| (piece.to, id))),
            below: Lists::new(len, pieces().map(|(id, piece)| (piece.from, id))),
        }
    }

    /// The least distance between the anchors of two neighbours.
    fn distance(&self, left: u32, right: u32) -> f32 {
        let gap = if self.passing.at(left) && self.passing.at(right) {
            DUMMY_GAP
        } else {
            COLUMN_GAP
        };
        self.right.at(left) + self.left.at(right) + gap
    }

    /// Where to start from: side by side, around the longest chain.
    fn pack(&mut self) {
        for row in &self.rows.rows {
            let mut x = 0.0;
            let mut middle = None;
            let mut before = None;
            for &knot in row {
                if let Some(before) = before {
                    x += self.distance(before, knot);
                }
                before = Some(knot);
                self.x.set(knot, x);
                if self.spine.at(knot) {
                    middle = Some(x);
                }
            }
            let middle = middle.unwrap_or(x / 2.0);
            for &knot in row {
                self.x.change(knot, |x| x - middle);
            }
        }
    }

    fn pass(&mut self, look: Look) {
        let rows = self.rows;
        let len = rows.rows.len();
        let mut wishes = Vec::new();
        let mut blocks = Vec::new();
        for step in 0..len {
            let at = if look == Look::Down {
                len - 1 - step
            } else {
                step
            };
            let Some(row) = rows.rows.get(at) else {
                continue;
            };
            let spine = row.iter().position(|&knot| self.spine.at(knot));
            let (left, right) = row.split_at(spine.unwrap_or(0));
            let fixed = spine.is_some();
            // To the left as in a mirror.
            let (start, right) = match right.split_first() {
                Some((first, rest)) if fixed => (Some(*first), rest),
                _ => (None, right),
            };
            self.settle(
                left.iter().rev(),
                look,
                start,
                -1.0,
                &mut wishes,
                &mut blocks,
            );
            self.settle(right.iter(), look, start, 1.0, &mut wishes, &mut blocks);
        }
    }

    /// Places the knots from one that is fixed on outwards, or all of a row that has none.
    fn settle<'k>(
        &mut self,
        knots: impl Iterator<Item = &'k u32> + Clone,
        look: Look,
        start: Option<u32>,
        sign: f32,
        wishes: &mut Vec<Wish>,
        blocks: &mut Vec<Block>,
    ) {
        wishes.clear();
        let mut before = start;
        for &knot in knots.clone() {
            let (x, weight) = self.wish(knot, look);
            let mut distance = before.map_or(0.0, |before| {
                let (left, right) = if sign > 0.0 {
                    (before, knot)
                } else {
                    (knot, before)
                };
                self.distance(left, right)
            });
            if self.wanted.at(knot).is_some()
                && before.is_some_and(|before| self.wanted.at(before).is_some())
            {
                distance -= 2.0 * GRID;
            }
            wishes.push(Wish {
                x: x * sign,
                weight,
                distance,
            });
            before = Some(knot);
        }
        nearest(wishes, start.is_some().then_some(0.0), blocks);
        for (&knot, wish) in knots.zip(wishes.iter()) {
            let x = wish.x * sign;
            let known = self.wanted.at(knot).is_some();
            self.x.set(knot, if known { x } else { on_grid(x) });
        }
    }

    /// Where a knot wants to be, and how much.
    fn wish(&self, knot: u32, look: Look) -> (f32, f32) {
        if let Some(x) = self.wanted.at(knot) {
            return (x, WEIGHT_OF_REFERENCE);
        }
        let (mut sum, mut weight) = (0.0, 0.0);
        if look != Look::Down {
            for &id in self.above.of(knot) {
                let (other, line) = self.other_end(id, knot);
                sum += other * line;
                weight += line;
            }
        }
        if look != Look::Up {
            for &id in self.below.of(knot) {
                let (other, line) = self.other_end(id, knot);
                sum += other * line;
                weight += line;
            }
        }
        if weight > 0.0 {
            (sum / weight, weight)
        } else {
            (self.x.at(knot), WEIGHT_OF_LOOSE)
        }
    }

    /// Where a knot would have to be for a piece of a line to be straight, and how much that matters.
    fn other_end(&self, id: u32, knot: u32) -> (f32, f32) {
        let piece = self
            .rows
            .pieces
            .get(id as usize)
            .copied()
            .unwrap_or_default();
        let other = if piece.from == knot {
            piece.to
        } else {
            piece.from
        };
        let weight = match (self.passing.at(knot), self.passing.at(other)) {
            (true, true) => 8.0,
            (false, false) => 1.0,
            _ => 2.0,
        };
        let (out, into) = self.ports(id);
        let offset = if piece.from == knot {
            into - out
        } else {
            out - into
        };
        (self.x.at(other) + offset, weight)
    }

    /// From the anchors of a piece's ends, where the line starts and ends.
    fn ports(&self, id: u32) -> (f32, f32) {
        let piece = self
            .rows
            .pieces
            .get(id as usize)
            .copied()
            .unwrap_or_default();
        let edge = self
            .graph
            .edges
            .get(piece.edge as usize)
            .copied()
            .unwrap_or_default();
        let out = if self.passing.at(piece.from) {
            0.0
        } else {
            edge.out
        };
        let into = if self.passing.at(piece.to) {
            0.0
        } else {
            edge.into.unwrap_or(0.0)
        };
        (out, into)
    }

    /// Makes lines straight that nothing is in the way of: first boxes that hang on a single line, then what
    /// passes rows.
    fn straighten(&mut self) {
        let rows = self.rows;
        let neighbours = Neighbours::new(rows);
        for row in &rows.rows {
            self.hang(row, &neighbours, Look::Up);
        }
        for row in rows.rows.iter().rev() {
            self.hang(row, &neighbours, Look::Down);
        }
        for &(first, len) in &rows.stems {
            // Runs that can be straight, as long as they go.
            let Some(&id) = self.above.of(first).first().filter(|_| len > 0) else {
                continue;
            };
            let mut from = self.start_of(id);
            let mut run = first..first;
            let mut room = (f32::NEG_INFINITY, f32::INFINITY);
            for knot in first..first + len {
                let own = self.room(knot, &neighbours);
                let both = (room.0.max(own.0), room.1.min(own.1));
                if both.0 > both.1 {
                    from = self.line_up(run, room, from);
                    run = knot..knot;
                    room = own;
                } else {
                    room = both;
                }
                run.end = knot + 1;
            }
            self.line_up(run, room, from);
        }
    }

    /// Moves boxes that have one line on a side below or above its other end, if there is room. Those with
    /// a line above hang on that one.
    fn hang(&mut self, row: &[u32], neighbours: &Neighbours, look: Look) {
        for &knot in row {
            let (above, below) = (self.above.of(knot), self.below.of(knot));
            let id = match (look, above, below) {
                (Look::Up, &[id], _) | (Look::Down, &[], &[id]) => id,
                _ => continue,
            };
            if self.passing.at(knot) {
                continue;
            }
            let (x, _) = self.other_end(id, knot);
            let (low, high) = self.room(knot, neighbours);
            if low <= x && x <= high {
                self.x.set(knot, x);
            }
        }
    }

    /// Where a knot may be moved to; nowhere if it has its place.
    fn room(&self, knot: u32, neighbours: &Neighbours) -> (f32, f32) {
        if self.spine.at(knot) || self.wanted.at(knot).is_some() {
            return (self.x.at(knot), self.x.at(knot));
        }
        let left = neighbours.left.at(knot);
        let right = neighbours.right.at(knot);
        (
            left.map_or(f32::NEG_INFINITY, |left| {
                self.x.at(left) + self.distance(left, knot)
            }),
            right.map_or(f32::INFINITY, |right| {
                self.x.at(right) - self.distance(knot, right)
            }),
        )
    }

    /// Where a piece of a line starts.
    fn start_of(&self, id: u32) -> f32 {
        let piece = self
            .rows
            .pieces
            .get(id as usize)
            .copied()
            .unwrap_or_default();
        self.x.at(piece.from) + self.ports(id).0
    }

    /// Puts knots on one vertical within the room, nearest to where the line comes from, and returns it.
    fn line_up(&mut self, run: Range<u32>, room: (f32, f32), from: f32) -> f32 {
        let x = from.max(room.0).min(room.1);
        for knot in run {
            // Rounding may leave no room at all.
            if room.0 <= room.1 {
                self.x.set(knot, x);
            }
        }
        x
    }
}

/// What stands beside each knot.
struct Neighbours {
    left: Table<Option<u32>>,
    right: Table<Option<u32>>,
}

impl Neighbours {
    fn new(rows: &Rows) -> Neighbours {
        let knots = rows.knots.0.len();
        let mut neighbours = Neighbours {
            left: Table::new(knots, None),
            right: Table::new(knots, None),
        };
        for row in &rows.rows {
            for (&left, &right) in row.iter().zip(row.iter().skip(1)) {
                neighbours.left.set(right, Some(left));
                neighbours.right.set(left, Some(right));
            }
        }
        neighbours
    }
}

/// Knots that touch one another.
#[derive(Clone, Copy, Default)]
struct Block {
    sum: f64,
    weight: f64,
    knots: usize,
}

impl Block {
    fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Moves the wishes to the places that are nearest to them by the sum of weighted squares, in their order
/// and with their distances, and none before the start if there is one.
fn nearest(wishes: &mut [Wish], start: Option<f32>, blocks: &mut Vec<Block>) {
    blocks.clear();
    let mut offset = 0.0f64;
    for wish in wishes.iter() {
        offset += f64::from(wish.distance);
        let weight = f64::from(wish.weight);
        let mut block = Block {
            sum: (f64::from(wish.x) - offset) * weight,
            weight,
            knots: 1,
        };
        while let Some(before) = blocks.last().copied()
            && before.mean() >= block.mean()
        {
            blocks.pop();
            block = Block {
                sum: before.sum + block.sum,
                weight: before.weight + block.weight,
                knots: before.knots + block.knots,
            };
        }
        blocks.push(block);
    }
    let mut offset = 0.0f64;
    let mut wishes = wishes.iter_mut();
    for block in blocks.iter() {
        let mut base = block.mean();
        if let Some(start) = start {
            base = base.max(f64::from(start));
        }
        for wish in wishes.by_ref().take(block.knots) {
            offset += f64::from(wish.distance);
            #[allow(clippy::cast_possible_truncation)] // Coordinates are far below what f32 holds.
            {
                wish.x = (base + offset) as f32;
            }
        }
    }
}

/// The nearest place on a grid so fine that nobody sees it: what was placed once is placed there again.
fn on_grid(x: f32) -> f32 {
    let half = if x < 0.0 { -0.5 } else { 0.5 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    let steps = (x / GRID + half) as i32 as f32;
    steps * GRID
}
