//! How the program reached its compilations: all stacks, put together from their outer ends.

use super::index::SegmentIndex;
use crate::log::metadata::Frame;
use alloc::boxed::Box;
use alloc::vec::Vec;
use hashbrown::HashMap;

/// Names a node of [`Stacks`].
pub type NodeIndex = u32;

/// A frame of a stack, its file resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StackFrame {
    /// File, as the log names it; `None` where the log does not know it.
    pub file: Option<Box<str>>,
    /// Line in it.
    pub line: Option<i64>,
    /// Function.
    pub function: Box<str>,
    /// The line's source, where the log has it.
    pub source: Option<Box<str>>,
}

/// A frame, where it stands in the stacks of the log.
#[derive(Debug)]
pub struct Node {
    /// The frame that called this one; it stands before this node.
    pub parent: Option<NodeIndex>,
    /// The frame, as an index into [`Stacks::frames`].
    frame: u32,
    /// Compilations that began here, by their index.
    pub compilations: Vec<u32>,
    /// Records outside any compilation that were logged here.
    pub records: Vec<SegmentIndex>,
}

/// The stacks of a log as a trie.
#[derive(Debug, Default)]
pub struct Stacks {
    frames: Vec<StackFrame>,
    by_frame: HashMap<StackFrame, u32>,
    nodes: Vec<Node>,
    children: HashMap<(Option<NodeIndex>, u32), NodeIndex>,
}

impl Stacks {
    /// The nodes; a parent stands before its children.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The frame of a node.
    #[must_use]
    pub fn frame(&self, node: &Node) -> Option<&StackFrame> {
        self.frames.get(node.frame as usize)
    }

    /// The frames that lead to a node, outermost first.
    #[must_use]
    pub fn path(&self, node: NodeIndex) -> Vec<&StackFrame> {
        let mut path = Vec::new();
        let mut next = Some(node);
        // A parent stands before its children, so that this ends.
        while let Some(node) = next.and_then(|index| self.nodes.get(index as usize)) {
            path.extend(self.frame(node));
            next = node.parent;
        }
        path.reverse();
        path
    }

    /// Puts a stack in; gives the node of its innermost frame, or `None` for an empty one.
    pub(super) fn insert<'s>(
        &mut self,
        frames: &[Frame<'_>],
        file_of: impl Fn(&Frame<'_>) -> Option<&'s str>,
    ) -> Option<NodeIndex> {
        let mut at = None;
        for frame in frames {
            let name = |text: Option<&alloc::borrow::Cow<'_, str>>| {
                text.map(|text| Box::from(text.as_ref()))
            };
            let frame = StackFrame {
                file: name(frame.uninterned_filename.get())
                    .or_else(|| file_of(frame).map(Box::from)),
                line: frame.line.get().copied(),
                function: name(frame.name.get()).unwrap_or_default(),
                source: name(frame.loc.get()),
            };
            at = Some(self.child(at, frame));
        }
        at
    }

    fn child(&mut self, parent: Option<NodeIndex>, frame: StackFrame) -> NodeIndex {
        let frames = &mut self.frames;
        let frame = *self.by_frame.entry(frame).or_insert_with_key(|frame| {
            frames.push(frame.clone());
            last(frames.len())
        });
        let nodes = &mut self.nodes;
        *self.children.entry((parent, frame)).or_insert_with(|| {
            nodes.push(Node {
                parent,
                frame,
                compilations: Vec::new(),
                records: Vec::new(),
            });
            last(nodes.len())
        })
    }

    pub(super) fn end(&mut self, node: NodeIndex, compilation: usize) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            let compilation = u32::try_from(compilation).unwrap_or(u32::MAX);
            // Attempts of one compilation come one after the other.
            if node.compilations.last() != Some(&compilation) {
                node.compilations.push(compilation);
            }
        }
    }

    pub(super) fn record(&mut self, node: NodeIndex, record: SegmentIndex) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.records.push(record);
        }
    }

    pub(super) fn memory(&self) -> usize {
        let text = |text: &Option<Box<str>>| text.as_ref().map_or(0, |text| text.len());
        let frames: usize = self
            .frames
            .iter()
            .map(|f| 2 * (96 + f.function.len() + text(&f.file) + text(&f.source)))
            .sum();
        frames + self.nodes.len() * (size_of::<Node>() + 48)
    }
}

fn last(length: usize) -> u32 {
    u32::try_from(length - 1).unwrap_or(u32::MAX)
}
