//! The guards of a compilation: what must hold when the compiled code is called again.
//!
//! Start at [`GuardTree::parse`], which reads the text that PyTorch prints, then [`GuardTree::check`], which
//! says what a guard means. `torch/_dynamo/guards.py` and `torch/csrc/dynamo/guards.cpp` define the text:
//!
//! - trees, torch 2.4 to 2.15 (`GuardManagerWrapper.__str__`): managers that reach an object, leaves that
//!   check it. They are the payload of `dynamo_cpp_guards_str`, and what consoles print for `guards`;
//! - flat lists, torch 2.1 to 2.3 (`CheckFunctionManager.compile_check_fn`): `GUARDS:` and a line a guard;
//! - blocks of torch 2.0 (`torch/_guards.py`, `Guard.__str__`);
//! - the JSON of `dynamo_guards` records: see [`recorded`].
//!
//! **Invariant: nothing is lost.** [`GuardTree`] printed again (`Display`) is the text that was read. Text
//! that is not understood is kept, and counted among [`GuardTree::problems`].

mod check;
mod lines;
mod normal;
mod origin;
mod parse;
mod print;
pub mod recorded;
mod scan;
mod statistics;
#[cfg(test)]
mod tests;
mod trailer;

pub use check::Check;
pub use normal::{Field, Key, normalise_source};
pub use origin::{Origin, origin};
pub use statistics::{Statistics, Subtree};
pub use trailer::NoteKind;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// Names a node of a [`GuardTree`].
pub type NodeIndex = u32;

/// A range of bytes of the text. [`GuardTree::text`] gives what stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// With the text.
    Text,
    /// With a line feed.
    LineFeed,
    /// With carriage return and line feed.
    Both,
}

/// The guards of one compilation, as they were printed.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardTree {
    text: Box<str>,
    nodes: Vec<Node>,
    remarks: Vec<Remark>,
}

/// A line of a tree, or a guard of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The line of the text in which it starts, counted from 1.
    pub line: u32,
    /// How deep it stands, as its line says: the root and what no manager holds stand at 0.
    pub depth: u32,
    /// The node that holds it.
    pub parent: Option<NodeIndex>,
    /// The first node behind it and all that it holds. What it holds stands between.
    pub end: NodeIndex,
    /// What it is.
    pub kind: Kind,
    line_end: LineEnd,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Reaches an object, and holds what is checked of it.
    Manager(Manager),
    /// Holds the managers of a dictionary's key and of its value (`KeyValueManager pair at index=0`).
    Pair {
        /// The key's index in the dictionary's order, a number.
        index: Span,
    },
    /// Checks something.
    Leaf(Leaf),
    /// A guard as torch 2.0 prints it.
    Block(Block),
    /// A line of the tree that is not understood, from behind its `+- `.
    Opaque {
        /// What it says.
        text: Span,
    },
}

/// Whether a manager is one of a [`Kind::Pair`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is not.
    Object,
    /// It reaches the key.
    Key,
    /// It reaches the value.
    Value,
}

/// A guard manager: `GuardManager: source=L['x'], accessed_by=…`.
#[derive(Debug, Clone, PartialEq)]
pub struct Manager {
    /// Whether it is one of a pair.
    pub role: Role,
    /// `GuardManager`, `DictGuardManager`, `RootGuardManager`, …
    pub class: Span,
    /// The expression that gives the object; the root has none.
    pub source: Option<Span>,
    /// How the object is reached from the one above. Keys and values have none.
    pub accessor: Option<Accessor>,
    /// What torch 2.9 and later say of the object.
    pub object: Option<Object>,
}

/// How an object is reached: `GetAttrGuardAccessor(weight)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Accessor {
    /// Its class.
    pub name: Span,
    /// What stands in its parentheses, if it has any.
    pub argument: Option<Span>,
}

/// What torch 2.9 and later say of a manager's object.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// Its type, as Python prints it: `<class 'torch.Tensor'>`.
    pub pytype: Span,
    /// Whether a dictionary's tag shows that nothing below has changed, so that checks can be left out.
    pub tag_safe: bool,
    /// Whether it is the root of such a part of the tree.
    pub tag_safe_root: bool,
}

/// A guard: `TENSOR_MATCH: check_tensor(…)  # return x + y  # x.py:5 in f`.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// Its class in the words of guards.cpp. Lists have none.
    pub class: Option<Span>,
    /// What is checked, mostly a Python expression. `None` where a guard of several objects is named again.
    pub code: Option<Span>,
    /// Where the guard comes from.
    pub trailer: Option<Trailer>,
    /// PyTorch's hint: `type tuple`, `guard on "var".attr`.
    pub hint: Option<Span>,
    /// Spaces behind the code.
    padding: u32,
}

/// Where a guard comes from: what stands behind `  # `.
#[derive(Debug, Clone, PartialEq)]
pub struct Trailer {
    /// The line of the program that made PyTorch guard. Frames of the framework come without it, and so does
    /// a trailer of more than 1024 characters.
    pub source: Option<Span>,
    /// The frame.
    pub frame: Option<Frame>,
    /// What stands behind the frame, or in its place. [`GuardTree::note_kind`] knows some of them.
    pub note: Option<Span>,
}

/// A frame of a trailer: `nn/modules/linear.py:134 in forward`.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The file, without what its path and PyTorch's have in common.
    pub file: Span,
    /// The line in it.
    pub line: u32,
    /// The function.
    pub function: Span,
}

/// A guard as torch 2.0 prints it; each part as Python prints it.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Where the name is looked up: `local`, `global`, `shape_env`, …
    pub scope: Span,
    /// The name, in quotes.
    pub name: Span,
    /// The guard's type: `TENSOR_MATCH`, …
    pub create: Span,
    /// `guard_types`, a list or `None`.
    pub guard_types: Span,
    /// `code`, a list of expressions or `None`.
    pub code: Span,
    /// `obj_weakref`, the object.
    pub object: Span,
    /// `guarded_class`, its class.
    pub class: Span,
    inner_end: LineEnd,
}

/// A line, or several, that is no guard.
#[derive(Debug, Clone, PartialEq)]
pub struct Remark {
    /// The line of the text in which it starts, counted from 1.
    pub line: u32,
    /// What it is.
    pub kind: RemarkKind,
    line_end: LineEnd,
}

/// What a [`Remark`] is.
#[derive(Debug, Clone, PartialEq)]
pub enum RemarkKind {
    /// Nothing but spaces.
    Blank(Span),
    /// `GUARDS:`.
    Guards,
    /// `TREE_GUARD_MANAGER:`.
    Tree,
    /// How long one check of all guards takes: `Guard latency = 103.25 us` in records of 2.6 and later,
    /// `Guard eval latency` on consoles.
    Latency {
        /// `Guard latency` or `Guard eval latency`.
        label: Span,
        /// The number, in microseconds.
        microseconds: Span,
    },
    /// The function that checks shapes (2.7 and later), heading included.
    ShapeFunction {
        /// Whether it is C++, not Python.
        is_cpp: bool,
        /// Its text.
        text: Span,
    },
    /// Not understood.
    Opaque(Span),
}

/// Why a text gives no [`GuardTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The byte at which it was noticed.
    pub offset: usize,
}

/// What can be wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no guard in it, and no heading of guards.
    NoGuards,
    /// It has 4 GiB or more.
    TooLong,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ErrorKind::NoGuards => "no guards in this text",
            ErrorKind::TooLong => "more text than a list of guards can have",
        };
        write!(f, "{what}, at its byte {}", self.offset)
    }
}

impl core::error::Error for Error {}

impl GuardTree {
    /// Reads guards: a tree, a list, or both one after the other.
    ///
    /// Lines of a list are taken for guards behind `GUARDS:`; without that heading, where they look like
    /// guards.
    ///
    /// # Errors
    /// [`ErrorKind::NoGuards`] where no line is a guard or a heading, at the first byte that is no space.
    /// [`ErrorKind::TooLong`].
    pub fn parse(text: impl Into<Box<str>>) -> Result<GuardTree, Error> {
        parse::parse(text.into())
    }

    /// What stands at a span; nothing where the span is another tree's.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// The nodes; a parent stands before its children, and children stand in their order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    #[must_use]
    pub fn node(&self, index: NodeIndex) -> Option<&Node> {
        self.nodes.get(index as usize)
    }

    /// The lines that are no guards.
    #[must_use]
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// The nodes that no node holds: the root, and guards beside the tree.
    pub fn roots(&self) -> impl Iterator<Item = NodeIndex> {
        self.siblings(0, self.nodes.len())
    }

    /// The children of a node, in their order.
    pub fn children(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let end = self.node(index).map_or(0, |node| node.end as usize);
        self.siblings((index as usize).saturating_add(1), end)
    }

    fn siblings(&self, start: usize, end: usize) -> impl Iterator<Item = NodeIndex> {
        let mut next = start;
        core::iter::from_fn(move || {
            let here = next;
            let node = self.nodes.get(here).filter(|_| here < end)?;
            next = (node.end as usize).max(here + 1);
            NodeIndex::try_from(here).ok()
        })
    }

    /// The leaves, and guards of 2.0, in their order.
    pub fn leaves(&self) -> impl Iterator<Item = NodeIndex> {
        (0..).zip(&self.nodes).filter_map(|(index, node)| {
            matches!(node.kind, Kind::Leaf(_) | Kind::Block(_)).then_some(index)
        })
    }

    /// What a leaf means; `None` for other nodes, and where a guard of several objects is named again.
    #[must_use]
    pub fn check(&self, index: NodeIndex) -> Option<Check<'_>> {
        match &self.node(index)?.kind {
            Kind::Leaf(leaf) => Some(Check::read(
                leaf.class.map(|class| self.text(class)),
                self.text(leaf.code?),
                leaf.hint.map(|hint| self.text(hint)),
            )),
            Kind::Block(block) => Some(Check::Named {
                class: self.text(block.create),
                source: scan::unquoted(self.text(block.name)),
                code: self.text(block.code),
            }),
            _ => None,
        }
    }

    /// The code of a leaf.
    #[must_use]
    pub fn code(&self, index: NodeIndex) -> Option<&str> {
        match &self.node(index)?.kind {
            Kind::Leaf(leaf) => leaf.code.map(|code| self.text(code)),
            Kind::Block(block) => Some(self.text(block.code)),
            _ => None,
        }
    }

    /// The class of a leaf as it is printed. Lists do not print it: the check's own name then.
    #[must_use]
    pub fn class(&self, index: NodeIndex) -> Option<&str> {
        match &self.node(index)?.kind {
            Kind::Leaf(Leaf {
                class: Some(class), ..
            }) => Some(self.text(*class)),
            Kind::Leaf(_) => self.check(index).map(|check| check.class()),
            Kind::Block(block) => Some(self.text(block.create)),
            Kind::Manager(manager) => Some(self.text(manager.class)),
            _ => None,
        }
    }

    /// Microseconds that one check of all guards takes, where the text says it.
    #[must_use]
    pub fn latency(&self) -> Option<f64> {
        self.remarks.iter().find_map(|remark| match &remark.kind {
            RemarkKind::Latency { microseconds, .. } => self.text(*microseconds).parse().ok(),
            _ => None,
        })
    }

    /// What is not understood: the line, counted from 1, and its text.
    pub fn problems(&self) -> impl Iterator<Item = (u32, &str)> {
        let nodes = self.nodes.iter().filter_map(|node| match &node.kind {
            Kind::Opaque { text } => Some((node.line, self.text(*text))),
            _ => None,
        });
        let remarks = self.remarks.iter().filter_map(|remark| match &remark.kind {
            RemarkKind::Opaque(text) => Some((remark.line, self.text(*text))),
            _ => None,
        });
        nodes.chain(remarks)
    }
}
