//! Heights of rows, and lines, of a flat graph whose knots have their places in the rows.

use super::Point;
use super::rank::{Arc, Flat};
use super::rows::{Rows, Way};
use super::table::{Table, count};
use alloc::vec::Vec;

/// Between rows, at least, in pixels.
pub(super) const ROW_GAP: f32 = 40.0;
/// What is added between rows where lines run far to the side, at most.
const MORE_ROW_GAP: f32 = 60.0;
/// From the side of a box to the nearest end of a line, in pixels.
const PORT_INSET: f32 = 6.0;
/// How far the marks of stubs stand out, in pixels.
pub(super) const STUB: f32 = 12.0;
/// Around everything, in pixels.
const MARGIN: f32 = 16.0;

/// A flat graph with coordinates.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) width: f32,
    pub(super) height: f32,
    /// For each knot its anchor, from the graph's own middle.
    pub(super) x: Table<f32>,
    /// For each box its upper side.
    pub(super) y: Table<f32>,
    /// For each edge its line, from the upper left corner; empty for one that is none.
    pub(super) lines: Vec<Vec<Point>>,
    /// How far the graph's own middle, where the longest chain stands, is from the left.
    pub(super) middle: f32,
}

/// Gives the rows their heights and moves all to the upper left corner.
pub(super) fn draw(graph: &Flat, rows: &Rows, x: Table<f32>, least: f32) -> Placed {
    let len = rows.rows.len();
    let left = (0..)
        .zip(&rows.knots.0)
        .map(|(at, knot)| x.at(at) - knot.left);
    let middle = (MARGIN - left.fold(0.0, f32::min)).max(least);
    let right = (0..)
        .zip(&rows.knots.0)
        .map(|(at, knot)| x.at(at) + knot.right);
    let width = middle + right.fold(0.0, f32::max) + MARGIN;
    let mut heights = Table::new(len, 0.0f32);
    for (at, part) in (0..).zip(&graph.boxes) {
        heights.change(rows.knots.at(at).row, |height| height.max(part.height));
    }
    let mut reach = Table::new(len, 0.0f32);
    for piece in &rows.pieces {
        let far = (x.at(piece.from) - x.at(piece.to)).abs();
        reach.change(rows.knots.at(piece.from).row, |reach| reach.max(far));
    }
    let mut tops = Table::new(len, 0.0f32);
    let mut y = MARGIN;
    for row in 0..count(len) {
        tops.set(row, y);
        let gap = ROW_GAP + (reach.at(row) / 16.0).min(MORE_ROW_GAP);
        y += heights.at(row) + if row + 1 == count(len) { 0.0 } else { gap };
    }
    let mut placed = Placed {
        width,
        height: y + MARGIN,
        y: Table::new(graph.boxes.len(), 0.0),
        x,
        lines: Vec::with_capacity(graph.edges.len()),
        middle,
    };
    for (at, part) in (0..).zip(&graph.boxes) {
        let row = rows.knots.at(at).row;
        placed
            .y
            .set(at, tops.at(row) + (heights.at(row) - part.height) / 2.0);
    }
    for (edge, way) in graph.edges.iter().zip(&rows.ways) {
        let line = way.map(|way| {
            line(
                graph,
                rows,
                &placed,
                edge,
                way,
                &Bands {
                    tops: &tops,
                    heights: &heights,
                },
            )
        });
        placed.lines.push(line.unwrap_or_default());
    }
    placed
}

/// Where rows stand.
struct Bands<'a> {
    tops: &'a Table<f32>,
    heights: &'a Table<f32>,
}

fn line(
    graph: &Flat,
    rows: &Rows,
    placed: &Placed,
    edge: &Arc,
    way: Way,
    bands: &Bands<'_>,
) -> Vec<Point> {
    let part = |at: u32| graph.boxes.get(at as usize).copied().unwrap_or_default();
    let top = |row: u32| bands.tops.at(row);
    let bottom = |row: u32| bands.tops.at(row) + bands.heights.at(row);
    let mut points = Vec::with_capacity(2 * way.passed as usize + 4);
    let place = |knot: u32| placed.middle + placed.x.at(knot);
    let mut x = place(edge.from) + edge.out;
    let mut row = rows.knots.at(edge.from).row;
    let start = placed.y.at(edge.from) + part(edge.from).height;
    add(&mut points, Point { x, y: start });
    for knot in way.first..way.first + way.passed {
        add(&mut points, Point { x, y: bottom(row) });
        x = place(knot);
        row += 1;
        add(&mut points, Point { x, y: top(row) });
    }
    add(&mut points, Point { x, y: bottom(row) });
    let target = place(edge.to);
    x = match edge.into {
        Some(offset) => target + offset,
        None => {
            let (left, width) = (part(edge.to).left, part(edge.to).width);
            let (left, right) = (left - PORT_INSET, width - left - PORT_INSET);
            x.max(target - left.max(0.0)).min(target + right.max(0.0))
        }
    };
    add(&mut points, Point { x, y: top(row + 1) });
    add(
        &mut points,
        Point {
            x,
            y: placed.y.at(edge.to),
        },
    );
    points
}

/// Adds a point to a line, without those that change nothing.
pub(super) fn add(points: &mut Vec<Point>, point: Point) {
    if points.last() == Some(&point) {
        return;
    }
    #[allow(clippy::float_cmp)] // Verticals are exact.
    if let [.., before, last] = points.as_slice()
        && before.x == last.x
        && last.x == point.x
    {
        points.pop();
    }
    points.push(point);
}
