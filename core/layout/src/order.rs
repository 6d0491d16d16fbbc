//! The order within each row: few crossings, and a reference's order where there is one.

use super::reference::Marks;
use super::rows::Rows;
use super::table::{Lists, Table, count};
use alloc::vec::Vec;

/// Nodes up to which a diagram gets the many passes.
const SMALL: usize = 1_500;
const SWEEPS_OF_SMALL: usize = 16;
const SWEEPS: usize = 4;
/// Sweeps in a row that may make nothing better.
const PATIENCE: usize = 5;
/// Passes of exchanging neighbours, for small graphs.
const EXCHANGES: usize = 8;

/// How many passes the rows of a graph are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    Few,
    Many,
}

impl Effort {
    /// What a diagram of so many nodes and edges gets. It counts the whole: many small groups are much work, too.
    pub(super) fn of(nodes: usize, edges: usize) -> Effort {
        if nodes <= SMALL && edges <= 3 * SMALL {
            Effort::Many
        } else {
            Effort::Few
        }
    }
}

/// Arranges the rows, and says how many crossings are left.
pub(super) fn order(rows: &mut Rows, marks: &Marks<'_>, effort: Effort) -> u64 {
    let small = effort == Effort::Many;
    let mut work = Work::new(rows, marks);
    let mut best = (u64::MAX, Vec::new());
    let starts: &[Start] = if small {
        &[Start::Walk, Start::Code]
    } else {
        &[Start::Walk]
    };
    for &start in starts {
        work.start(start);
        let sweeps = if small { SWEEPS_OF_SMALL } else { SWEEPS };
        let (mut least, mut in_vain) = (u64::MAX, 0);
        for sweep in 0..=sweeps {
            let crossings = work.crossings();
            in_vain = if crossings < least { 0 } else { in_vain + 1 };
            least = least.min(crossings);
            if crossings < best.0 {
                best = (crossings, work.rows.clone());
            }
            if best.0 == 0 || sweep == sweeps || in_vain == PATIENCE {
                break;
            }
            work.sweep(if sweep % 2 == 0 {
                Side::Above
            } else {
                Side::Below
            });
            if small {
                work.exchange();
            }
        }
    }
    rows.rows = best.1;
    best.0
}

/// How the passes begin.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// In the order in which a walk along the lines meets the knots: what hangs together stands together.
    Walk,
    /// In the order of the diagram.
    Code,
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Above,
    Below,
}

struct Work {
    rows: Vec<Vec<u32>>,
    row_of: Table<u32>,
    /// For each knot its place in its row.
    position: Table<u32>,
    above: Lists,
    below: Lists,
    part: Table<u32>,
    /// For each knot its x in the reference.
    wanted: Table<Option<f32>>,
    has_reference: bool,
    /// Ends of lines left of a place, as a Fenwick tree.
    tree: Table<u32>,
}

impl Work {
    fn new(rows: &Rows, marks: &Marks<'_>) -> Work {
        let knots = &rows.knots.0;
        let len = rows.knots.len();
        let wanted: Vec<Option<f32>> = knots.iter().map(|knot| marks.x(knot.key)).collect();
        let widest = rows.rows.iter().map(Vec::len).max().unwrap_or(0);
        let pieces = &rows.pieces;
        Work {
            rows: rows.rows.clone(),
            row_of: Table(knots.iter().map(|knot| knot.row).collect()),
            position: Table::new(knots.len(), 0),
            above: Lists::new(len, pieces.iter().map(|piece| (piece.to, piece.from))),
            below: Lists::new(len, pieces.iter().map(|piece| (piece.from, piece.to))),
            part: Table(knots.iter().map(|knot| knot.part).collect()),
            has_reference: wanted.iter().any(Option::is_some),
            wanted: Table(wanted),
            tree: Table::new(widest + 1, 0),
        }
    }

    fn start(&mut self, start: Start) {
        let mut knots: Vec<u32> = (0..self.part.len()).collect();
        if start == Start::Walk {
            knots = self.walk();
        }
        for row in &mut self.rows {
            row.clear();
        }
        for knot in knots {
            if let Some(row) = self.rows.get_mut(self.row_of.at(knot) as usize) {
                row.push(knot);
            }
        }
        for at in 0..self.rows.len() {
            let mut row = self
                .rows
                .get_mut(at)
                .map(core::mem::take)
                .unwrap_or_default();
            row.sort_by_key(|&knot| self.part.at(knot));
            self.keep_reference(&mut row);
            self.put(at, row);
        }
    }

    /// All knots, each before what is met behind it.
    fn walk(&self) -> Vec<u32> {
        let mut met = Table::new(self.part.0.len(), false);
        let mut knots = Vec::with_capacity(self.part.0.len());
        let mut stack = Vec::new();
        for start in 0..self.part.len() {
            stack.push(start);
            while let Some(knot) = stack.pop() {
                if met.change(knot, |_| true) {
                    continue;
                }
                knots.push(knot);
                stack.extend(self.above.of(knot).iter().rev());
                stack.extend(self.below.of(knot).iter().rev());
            }
        }
        knots
    }

    fn put(&mut self, at: usize, row: Vec<u32>) {
        for (position, &knot) in (0..).zip(&row) {
            self.position.set(knot, position);
        }
        if let Some(slot) = self.rows.get_mut(at) {
            *slot = row;
        }
    }

    /// Sorts each row by the middle of what its knots are connected with on one side, from that side on.
    fn sweep(&mut self, side: Side) {
        let rows = self.rows.len();
        let mut keyed: Vec<(u32, f32, u32)> = Vec::new();
        for step in 0..rows {
            let at = match side {
                Side::Above => step,
                Side::Below => rows - 1 - step,
            };
            let mut row = self
                .rows
                .get_mut(at)
                .map(core::mem::take)
                .unwrap_or_default();
            keyed.clear();
            let middle = |knot: u32| self.middle(knot, side);
            keyed.extend(
                row.iter()
                    .filter_map(|&knot| Some((self.part.at(knot), middle(knot)?, knot))),
            );
            keyed.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            // What is connected with nothing on that side keeps its place.
            let mut sorted = keyed.iter();
            for slot in &mut row {
                if self.is_connected(*slot, side)
                    && let Some(&(_, _, knot)) = sorted.next()
                {
                    *slot = knot;
                }
            }
            self.keep_reference(&mut row);
            self.put(at, row);
        }
    }

    fn is_connected(&self, knot: u32, side: Side) -> bool {
        !self.beside(knot, side).is_empty()
    }

    fn beside(&self, knot: u32, side: Side) -> &[u32] {
        match side {
            Side::Above => self.above.of(knot),
            Side::Below => self.below.of(knot),
        }
    }

    fn middle(&self, knot: u32, side: Side) -> Option<f32> {
        let others = self.beside(knot, side);
        let sum: u64 = others
            .iter()
            .map(|&other| u64::from(self.position.at(other)))
            .sum();
        #[allow(clippy::cast_precision_loss)] // Places in a row are small.
        (!others.is_empty()).then(|| sum as f32 / others.len() as f32)
    }

    /// Gives the places of those knots that the reference knows to them in its order.
    fn keep_reference(&self, row: &mut [u32]) {
        if !self.has_reference {
            return;
        }
        let wanted = |knot: u32| Some((self.wanted.at(knot)?, knot));
        let mut known: Vec<_> = row.iter().filter_map(|&knot| wanted(knot)).collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut known = known.into_iter();
        for slot in row {
            if self.wanted.at(*slot).is_some()
                && let Some((_, knot)) = known.next()
            {
                *slot = knot;
            }
        }
    }

    /// Exchanges neighbours wherever fewer lines cross then.
    fn exchange(&mut self) {
        for _ in 0..EXCHANGES {
            let mut changed = false;
            for at in 0..self.rows.len() {
                changed |= self.exchange_in(at);
            }
            if !changed {
                break;
            }
        }
    }

    fn exchange_in(&mut self, at: usize) -> bool {
        let mut row = self
            .rows
            .get_mut(at)
            .map(core::mem::take)
            .unwrap_or_default();
        for &knot in &row {
            let position = &self.position;
            let by_place = |other: &u32| position.at(*other);
            self.above.of_mut(knot).sort_unstable_by_key(by_place);
            self.below.of_mut(knot).sort_unstable_by_key(by_place);
        }
        let mut changed = false;
        for left in 0..row.len().saturating_sub(1) {
            let (Some(&a), Some(&b)) = (row.get(left), row.get(left + 1)) else {
                break;
            };
            let known = self.wanted.at(a).is_some() && self.wanted.at(b).is_some();
            if known || self.part.at(a) != self.part.at(b) {
                continue;
            }
            let now = self.between(a, b);
            if now > 0 && self.between(b, a) < now {
                row.swap(left, left + 1);
                changed = true;
            }
        }
        self.put(at, row);
        changed
    }

    /// The crossings of the lines of two neighbours, the first one at the left.
    fn between(&self, left: u32, right: u32) -> usize {
        [Side::Above, Side::Below]
            .into_iter()
            .map(|side| {
                let (left, right) = (self.beside(left, side), self.beside(right, side));
                let mut passed = 0;
                left.iter().fold(0, |sum, &end| {
                    let end = self.position.at(end);
                    while right
                        .get(passed)
                        .is_some_and(|&other| self.position.at(other) < end)
                    {
                        passed += 1;
                    }
                    sum + passed
                })
            })
            .sum()
    }

    /// All crossings between neighbouring rows.
    fn crossings(&mut self) -> u64 {
        let mut sum = 0;
        let mut ends: Vec<u32> = Vec::new();
        let mut counted: Vec<u32> = Vec::new();
        for row in &self.rows {
            counted.clear();
            for &knot in row {
                ends.clear();
                ends.extend(self.below.of(knot).iter().map(|&end| self.position.at(end)));
                ends.sort_unstable();
                for &end in &ends {
                    // Those from further left that end further right.
                    sum += u64::from(count(counted.len()) - up_to(&self.tree, end));
                    counted.push(end);
                    add(&mut self.tree, end, 1);
                }
            }
            for &end in &counted {
                add(&mut self.tree, end, u32::MAX);
            }
        }
        sum
    }
}

/// Adds to the count at a place of a Fenwick tree, in arithmetic that wraps.
fn add(tree: &mut Table<u32>, at: u32, amount: u32) {
    let mut at = at + 1;
    while at < tree.len() {
        tree.change(at, |n| n.wrapping_add(amount));
        at += at & at.wrapping_neg();
    }
}

/// The sum of the counts up to a place, itself among them.
fn up_to(tree: &Table<u32>, at: u32) -> u32 {
    let mut at = at + 1;
    let mut sum = 0u32;
    while at > 0 {
        sum = sum.wrapping_add(tree.at(at));
        at &= at - 1;
    }
    sum
}
