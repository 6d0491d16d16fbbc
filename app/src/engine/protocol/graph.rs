//! What is said of graphs: a picture, its nodes as a list, one node, and what a name in code stands for.

use super::{CompilationKey, LogId, RecordIndex};
pub use dynascope_core::payload::fx_graph::ops::OpClass;
use serde::{Deserialize, Serialize};

/// Width of a letter, in pixels of a picture: the engine measures boxes in it, and the page draws in it.
pub const LETTER_WIDTH: f32 = 7.3;

/// Room between a box's edge and its text.
pub const TEXT_INSET: f32 = 8.0;

/// Height of the title of an open group.
pub const TITLE_HEIGHT: f32 = 24.0;

/// The baseline of a box's first line of text, or of a title, below its upper edge.
pub const FIRST_BASELINE: f32 = 16.0;

/// The baseline of a box's second line.
pub const SECOND_BASELINE: f32 = 31.0;

/// Which picture of which graph.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GraphShown {
    /// The log.
    pub log: LogId,
    /// The record that carries the graph.
    pub record: RecordIndex,
    /// Which of the modules that the payload prints, by its place among them.
    pub module: u32,
    /// The groups that are open; as many as stay readable where absent.
    pub open: Option<Vec<u32>>,
    /// The record whose graph it is compared with.
    pub against: Option<RecordIndex>,
}

/// A graph: what it holds, and its picture.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphView {
    /// The record that carries it.
    pub record: RecordIndex,
    /// Which of the payload's modules it is.
    pub module: u32,
    /// The artifact's name.
    pub name: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// The modules that the payload prints: the name and the number of nodes of each.
    pub modules: Vec<(String, u32)>,
    /// Why there is no picture.
    pub trouble: Option<GraphTrouble>,
    /// Lines that were not understood: how many.
    pub wrong: u32,
    /// The first of them: the line, from 1, and its text.
    pub wrong_lines: Vec<(u32, String)>,
    /// What is in it.
    pub summary: GraphSummary,
    /// The picture.
    pub picture: Picture,
    /// How many groups there are.
    pub groups: u32,
    /// The groups that are open in it.
    pub open: Vec<u32>,
    /// What it is compared with.
    pub against: Option<AgainstView>,
    /// Other graphs of the same compilation: the record, and what it is called.
    pub siblings: Vec<(RecordIndex, String)>,
    /// The same stage in other compilations of the function: the record, and the compilation's id.
    pub others: Vec<(RecordIndex, String)>,
}

impl GraphView {
    /// Whether some boxes stand for several nodes.
    #[must_use]
    pub fn is_sketch(&self) -> bool {
        let mut boxes = self.picture.boxes.iter();
        boxes.any(|one| matches!(one.what, What::Closed(_)))
    }
}

/// Why a graph cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphTrouble {
    /// A sentence for the reader.
    pub said: String,
    /// The line at which reading stopped, from 1.
    pub line: u32,
}

/// What is in a graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphSummary {
    /// Nodes, of all kinds.
    pub nodes: u32,
    /// Operations: nodes that compute.
    pub operations: u32,
    /// Inputs, constants among them.
    pub inputs: u32,
    /// Nodes by the kind of work that they do.
    pub by_class: Vec<(OpClass, u32)>,
    /// Operations by target, the most frequent first: the target, its class and how many.
    pub by_target: Vec<(String, OpClass, u32)>,
    /// How many targets there are in all.
    pub targets: u32,
    /// Element types with the number of tensors.
    pub dtypes: Vec<(String, u32)>,
    /// Devices with the number of tensors.
    pub devices: Vec<(String, u32)>,
    /// Bytes of the inputs whose size is known; absent where the text tells none.
    pub input_bytes: Option<u64>,
    /// Bytes of the results whose size is known; views count as any other. Absent where the text tells none.
    pub result_bytes: Option<u64>,
    /// Inputs and results whose size is not known: it holds symbols, or the text does not tell it.
    pub unknown_sizes: u32,
    /// The largest tensors: the node, its name and bytes.
    pub largest: Vec<(u32, String, u64)>,
    /// Nodes that change an element type or device, or copy.
    pub copies: Vec<(u32, String)>,
    /// How many such nodes there are in all.
    pub copies_in_all: u32,
}

/// What a graph is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgainstView {
    /// The record.
    pub record: RecordIndex,
    /// The artifact's name.
    pub name: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// Nodes that only the new graph has.
    pub added: u32,
    /// Nodes that only the old graph has.
    pub removed: u32,
    /// Nodes that both have, with a difference.
    pub changed: u32,
    /// The first differences in words: the node in the picture, and what differs.
    pub changes: Vec<(u32, String)>,
}

/// What became of a node between two graphs.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum NodeChange {
    /// Nothing, or nothing is compared.
    #[default]
    Same,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is another one in shape, type, arguments or target.
    Changed,
}

/// A picture: boxes and what leads from one to another, in pixels of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Its width.
    pub width: f32,
    /// Its height.
    pub height: f32,
    /// Boxes. A frame stands before all that lies in it.
    pub boxes: Vec<PictureBox>,
    /// Edges.
    pub links: Vec<PictureLink>,
}

/// A box of a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PictureBox {
    /// What it stands for.
    pub what: What,
    /// Its left, top, width and height.
    pub at: [f32; 4],
    /// What stands in it.
    pub label: String,
    /// What stands below: shape and type, or how many nodes it holds.
    pub detail: String,
    /// The kind of operation, by which it is coloured; that of most of its nodes for a group.
    pub class: OpClass,
    /// What became of it.
    pub change: NodeChange,
    /// How often the same block is repeated; 1 where it is not.
    pub times: u32,
}

/// What a box stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum What {
    /// A node.
    Node(u32),
    /// A group that is closed: one box for all of its nodes.
    Closed(u32),
    /// The frame of a group that is open.
    Frame(u32),
}

/// An edge of a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PictureLink {
    /// The box from which it comes, by its place among the boxes.
    pub from: u32,
    /// The box to which it leads.
    pub to: u32,
    /// Its bends, from first to last.
    pub points: Vec<[f32; 2]>,
    /// Whether it is cut: it leaves a box as a stub and comes into another as one. `points` then holds two
    /// points at the first box, and two at the other.
    pub is_cut: bool,
}

/// A stretch of the nodes of a graph, in the order of the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphNodesPage {
    /// Place of the first row.
    pub first: u32,
    /// The rows.
    pub rows: Vec<GraphNodeRow>,
    /// Nodes that the filter leaves.
    pub matching: u32,
    /// All nodes.
    pub total: u32,
}

/// A node as a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphNodeRow {
    /// The node.
    pub node: u32,
    /// Its name.
    pub name: String,
    /// What it does: the target, short.
    pub label: String,
    /// The kind of operation.
    pub class: OpClass,
    /// Its annotation as it is printed.
    pub annotation: String,
    /// The names of its inputs.
    pub inputs: String,
    /// The user's line: file and line.
    pub place: Option<(String, u32)>,
    /// What became of it.
    pub change: NodeChange,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphNodeView {
    /// The node.
    pub node: u32,
    /// Its name.
    pub name: String,
    /// The kind of node (`call_function`).
    pub kind: String,
    /// The target as it is printed.
    pub target: String,
    /// The kind of operation.
    pub class: OpClass,
    /// Its annotation as it is printed.
    pub annotation: Option<String>,
    /// Its arguments as they are printed.
    pub arguments: String,
    /// Nodes that it takes: the node, its name and annotation.
    pub inputs: Vec<(u32, String, String)>,
    /// Nodes that take it.
    pub users: Vec<(u32, String, String)>,
    /// The user's line.
    pub place: Option<UserLine>,
    /// Its line in the text, from 1.
    pub line: u32,
    /// The groups that hold it, the outermost first.
    pub holders: Vec<u32>,
    /// Bytes of the tensor, where the size is known.
    pub bytes: Option<u64>,
    /// Modules that it calls: the place among the payload's modules, and the name.
    pub calls: Vec<(u32, String)>,
    /// Whether only the old graph has it; its line is one of that graph's text then.
    pub is_old: bool,
    /// What became of it.
    pub change: NodeChange,
    /// What differs, in words.
    pub differences: Vec<String>,
}

/// A line of the user's program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserLine {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function.
    pub function: Option<String>,
    /// The line's text.
    pub code: Option<String>,
}

/// What a name in the code of a graph stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueView {
    /// The node.
    pub node: GraphNodeView,
    /// The module, by its place among the payload's.
    pub module: u32,
    /// Where it is defined.
    pub definition: Option<Occurrence>,
    /// Where else it is named: used, or forgotten, in the order of the text.
    pub uses: Vec<Occurrence>,
}

/// A name in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The line, from 1.
    pub line: u32,
    /// First byte within the line.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}
