//! FX graphs as PyTorch prints them.
//!
//! Start at [`FxGraph::parse`]. Three forms are read, from traces and from console logs alike, with
//! whatever stands in front and behind; torch/fx/graph.py and torch/fx/node.py define them, 2.0 to 2.15:
//!
//! - Python (`GraphModule.print_readable`, `GraphModule.code`): a class, `def forward`, a statement a node,
//!   the classes of submodules behind. Most records hold it: see `statements`;
//! - a table (`Graph.print_tabular`): see `table`;
//! - a list (`str(graph)`): `graph():` and a line `%x : [num_users=1] = placeholder[target=x]` a node: see
//!   `listing`.
//!
//! Nodes, edges and modules are numbered over the whole text, in its order. Texts are ranges of the text
//! ([`Span`]); [`FxGraph::place`] says in which row of the payload they stand.
//!
//! **Invariant: no line is lost silently.** A line of a graph that is not understood is a node of the kind
//! [`NodeKind::Opaque`] and one of [`FxGraph::problems`].

mod attribute;
mod build;
mod escapes;
mod expression;
mod lexer;
mod listing;
mod location;
pub mod ops;
mod python;
mod query;
mod statements;
mod table;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
pub use attribute::attribute_path;
use core::fmt;
use core::ops::Range;
pub use query::{Occurrence, Place, Returned, Role};

/// Names a node of an [`FxGraph`].
pub type NodeId = u32;
/// Names a module of an [`FxGraph`].
pub type ModuleId = u32;
/// Names an edge of an [`FxGraph`].
pub type EdgeId = u32;

/// A range of bytes of the text. [`FxGraph::text`] gives what stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

/// A printed graph with the graphs that it calls.
#[derive(Debug, Clone)]
pub struct FxGraph {
    text: Box<str>,
    /// Bytes that were taken out of the text: where, and how many up to there.
    escapes: Vec<(u32, u32)>,
    /// Where each row of the text starts.
    rows: Vec<u32>,
    title: Option<Span>,
    modules: Vec<Module>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    deletes: Vec<Mention>,
    echoes: Vec<Mention>,
    locations: Vec<Location>,
    /// Targets that stand nowhere in the text as they are.
    targets: Vec<String>,
    /// Edges by the node that they come from: `users[starts[node]..starts[node + 1]]`.
    starts: Vec<u32>,
    users: Vec<EdgeId>,
    problems: Vec<Problem>,
}

/// In which form a module was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Python.
    Python,
    /// A table.
    Table,
    /// A list.
    List,
    /// Lines of a list without its head, which output code quotes as comments: the part of a graph that a
    /// kernel was made of. Inputs that are not among its lines are left out.
    Fragment,
}

/// A graph: the root, or one that another graph calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// The name of its class, which for all but the root is the attribute that holds it. Absent where the
    /// form has none.
    pub name: Option<Span>,
    /// The module that it is printed in.
    pub parent: Option<ModuleId>,
    /// In which form it was printed.
    pub form: Form,
    /// Its nodes, in the order of the text.
    pub nodes: Range<NodeId>,
    /// Its rows of the payload, from 0, without those of the modules behind.
    pub rows: Range<u32>,
}

/// What a node is: the opcodes of torch/fx/node.py, and what only the text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeKind {
    /// An input.
    Placeholder,
    /// A parameter, buffer, constant or submodule, by its attribute path.
    GetAttr,
    /// A call of a function.
    CallFunction,
    /// A call of a method of its first input.
    CallMethod,
    /// A call of a submodule.
    CallModule,
    /// What is returned.
    Output,
    /// An argument of `forward` that holds several placeholders (`primals`), and is no node of the graph.
    Parameter,
    /// A `with` line, which is no node of the graph.
    Context,
    /// A statement that is not understood.
    Opaque,
}

impl NodeKind {
    /// Whether FX counts it among the nodes of a graph (`graph_node_count`).
    #[must_use]
    pub fn is_node(self) -> bool {
        !matches!(self, Self::Parameter | Self::Context | Self::Opaque)
    }

    /// Whether FX counts it among the calls of a graph (`graph_op_count`).
    #[must_use]
    pub fn is_call(self) -> bool {
        matches!(
            self,
            Self::CallFunction | Self::CallMethod | Self::CallModule
        )
    }
}

/// A node of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// The module that it stands in.
    pub module: ModuleId,
    /// Its name where it is defined; empty where it has none. [`FxGraph::name`] names those, too.
    pub name: Span,
    /// How often the name was bound before in its module: 0, but where code uses a name again.
    pub version: u32,
    /// The row of the payload, from 0, in which it is defined. [`FxGraph::place`] tells of other texts.
    pub row: u32,
    /// All of its statement, or its part of the line, without what is deleted behind it.
    pub text: Span,
    /// What stands in the parentheses of its call, or what is returned, or a placeholder's default.
    pub args: Option<Span>,
    /// What stands as its type. [`FxGraph::annotation`] reads it.
    pub type_text: Option<Span>,
    /// What PyTorch says behind it as a comment: `PlainAOTInput(idx=0)` (2.12+).
    pub remark: Option<Span>,
    /// Its inputs.
    pub edges: Range<EdgeId>,
    /// Where the program made it, as an index into [`FxGraph::locations`].
    pub location: Option<u32>,
    /// The node after which Python forgets it. Text says so since 2.0, but in tables and lists.
    pub freed_by: Option<NodeId>,
    /// The module that it reads or calls as an attribute, where that is printed as well.
    pub submodule: Option<ModuleId>,
    target: Target,
    deletes: Range<u32>,
}

/// What is called or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    None,
    Text(Span),
    /// Something that Python writes as an operator.
    Operator(&'static str),
    /// One of [`FxGraph::targets`].
    Built(u32),
}

/// An input of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The node that is used. It stands in the same module.
    pub from: NodeId,
    /// The node that uses it.
    pub to: NodeId,
    /// Where it is used.
    pub at: Span,
    /// As what it is used.
    pub argument: Argument,
}

/// In which argument an input stands, at whatever depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// A positional argument, from 0. The object of a method is 0; of what is returned it is the place in
    /// the tuple or list.
    Position(u32),
    /// A keyword argument.
    Keyword(Span),
}

/// A place where a node is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention {
    node: NodeId,
    at: Span,
}

/// Where the program made nodes: `# File: x.py:5 in f, code: y = x + 1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The row of the payload, from 0.
    pub row: u32,
    /// The file.
    pub file: Span,
    /// The line in it, from 1.
    pub line: u32,
    /// The function (2.3+).
    pub function: Option<Span>,
    /// The line of code.
    pub code: Option<Span>,
    /// What stands in front: `Backward of forward node:`, `Annotation: {…}`, …
    pub note: Option<Span>,
}

/// Something that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// The row of the payload, from 0.
    pub row: u32,
    /// What it is.
    pub kind: ProblemKind,
}

/// What could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// A statement that is not understood.
    Opaque,
    /// A bracket that is not closed in its statement.
    Unclosed,
    /// A module that returns nothing: its text was cut, or PyTorch failed on the way.
    NoOutput,
}

/// Why a text is no graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The row of the payload at which reading stopped, from 0.
    pub row: u32,
    /// How the text begins, or the line at which reading stopped: at most 80 characters.
    pub found: String,
}

/// What is wrong with a text that is no graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// No graph begins in it.
    NoGraph,
    /// It has 4 GiB or more.
    TooLong,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::NoGraph => write!(f, "no graph up to row {}: {}", self.row, self.found),
            ErrorKind::TooLong => f.write_str("a graph of 4 GiB or more"),
        }
    }
}

impl core::error::Error for Error {}

impl FxGraph {
    /// Reads a payload, or the clean text of a console's record.
    ///
    /// # Errors
    /// Where no graph begins in it.
    pub fn parse(text: impl Into<Box<str>>) -> Result<FxGraph, Error> {
        let text = text.into();
        if u32::try_from(text.len()).is_err() {
            return Err(Error {
                kind: ErrorKind::TooLong,
                row: 0,
                found: String::new(),
            });
        }
        let (text, escapes) = escapes::remove(text);
        let mut builder = build::Builder::new(&text);
        python::read(&mut builder);
        let parts = builder.finish()?;
        Ok(parts.into_graph(text, escapes))
    }
}
