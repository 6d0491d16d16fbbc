//! A graph → coordinates: layers from top to bottom, made for what FX graphs are.
//!
//! Start at [`lay_out`]. A [`Diagram`] says what there is, with sizes in pixels; a [`Layout`] says where it
//! stands. Nothing here knows what a node means. What makes FX graphs special: hundreds of placeholders
//! stand far from their use, a few values are used everywhere, and the rest is one long chain with branches.
//! So sources stand next to their first use, what is too far to follow with the eye is a pair of labelled
//! stubs instead of a line, and the longest chain goes straight down.
//!
//! The work goes through these steps, each a file: `nest` makes one flat graph of each open group, `rank`
//! says in which layer a node stands, `rows` makes rows of layers (and several of one that is too wide),
//! `order` arranges each row so that few lines cross, `place` finds the places in it, `draw` the lines. Each takes a fixed
//! number of passes, so that the time is linear in nodes and edges but for sorting within rows. All sums
//! run in a fixed order, and hash maps are only looked up: the same diagram gives the same layout everywhere.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod draw;
mod nest;
mod order;
mod place;
mod rank;
mod reference;
mod rows;
mod table;

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

pub use reference::Reference;

/// A node, by its place in [`Diagram::nodes`].
pub type NodeId = u32;
/// A group, by its place in [`Diagram::groups`].
pub type GroupId = u32;
/// An edge, by its place in [`Diagram::edges`].
pub type EdgeId = u32;

/// What is to be drawn. Any value has a layout: ids that name nothing are ignored, groups that contain
/// themselves stand at the top, and sizes that are no finite positive number are zero.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagram {
    /// The nodes, in an order that the layout falls back to: that of the graph's code.
    pub nodes: Vec<Shape>,
    /// The edges. Several between the same two nodes are drawn once.
    pub edges: Vec<Link>,
    /// The groups that nodes are in, in any order.
    pub groups: Vec<Group>,
}

/// A node.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shape {
    /// In pixels.
    pub width: f32,
    /// In pixels.
    pub height: f32,
    /// What it is in the flow of data.
    pub role: Role,
    /// The group that it is in; `None` at the top.
    pub group: Option<GroupId>,
    /// What names it in related diagrams too, for [`Reference`]. A key that stands for several nodes names none.
    pub key: u64,
}

/// What a node is in the flow of data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// A placeholder or constant: stands right above its first use.
    Source,
    /// Anything else.
    #[default]
    Step,
    /// The graph's output, which often takes hundreds of values from everywhere.
    Sink,
}

/// A group of nodes and groups.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Group {
    /// The group that it is in; `None` at the top.
    pub parent: Option<GroupId>,
    /// Whether its members are shown, in a frame. A closed group is one box that hides them.
    pub open: bool,
    /// Its width when it is closed, and its least width when it is open, in pixels.
    pub width: f32,
    /// Its height when it is closed, in pixels.
    pub height: f32,
    /// The height that its title takes when it is open, in pixels.
    pub title: f32,
    /// As [`Shape::key`], apart from those of nodes.
    pub key: u64,
}

/// An edge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Link {
    /// The node whose value is used.
    pub from: NodeId,
    /// The node that uses it.
    pub to: NodeId,
}

/// A place, in pixels from the upper left corner of the drawing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Down.
    pub y: f32,
}

/// A box, in pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// The left side.
    pub x: f32,
    /// The upper side.
    pub y: f32,
    /// To the right side.
    pub width: f32,
    /// To the lower side.
    pub height: f32,
}

/// How an edge is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Route {
    /// A line from the source's lower side to the target's upper side. It never goes up, and is inclined
    /// only between two rows, where no box stands; a line with the points as its knots may be curved there.
    Line(Vec<Point>),
    /// Too far, against the flow, or one of too many: a mark below the source that says where the value
    /// goes, and a mark above the target that says where it comes from. All marks of a box on one side are
    /// at the same place.
    Stubs {
        /// From the source's lower side, down.
        leaves: [Point; 2],
        /// To the target's upper side, down.
        arrives: [Point; 2],
    },
    /// Drawn already, as the edge named here, between the same two boxes.
    Merged(EdgeId),
    /// Not drawn: within one closed group, or an end names no node.
    Hidden,
}

/// What a box stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Item {
    /// A node.
    Node(NodeId),
    /// A group, open or closed.
    Group(GroupId),
}

/// Boxes side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The open group whose members these are; `None` at the top.
    pub group: Option<GroupId>,
    /// From left to right.
    pub items: Vec<Item>,
}

/// Where everything stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layout {
    /// For each node its box; `None` where a closed group hides it.
    pub boxes: Vec<Option<Rect>>,
    /// For each group its box, or frame if it is open; `None` where a closed group hides it.
    pub groups: Vec<Option<Rect>>,
    /// For each edge how it is drawn.
    pub edges: Vec<Route>,
    /// The drawing's width, in pixels.
    pub width: f32,
    /// The drawing's height, in pixels.
    pub height: f32,
    /// The rows of the top and of each open group, from top to bottom: what arrow keys walk on.
    pub rows: Vec<Row>,
    /// How often lines cross, lines of one edge in several groups counted for each.
    pub crossings: u64,
    /// What [`Reference`] remembers.
    marks: Vec<reference::Mark>,
}

/// Finds a place for everything. With the layout of a related diagram as reference, boxes of the same key
/// keep their order within a row, and their x as far as the other boxes leave room.
#[must_use]
pub fn lay_out(diagram: &Diagram, reference: Option<&Reference>) -> Layout {
    nest::lay_out(diagram, reference)
}

#[cfg(test)]
mod tests;
