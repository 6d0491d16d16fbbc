//! What is said of stacks: a frame, and how the program reached its compilations.

use super::{CompilationKey, RecordIndex, Status};
use serde::{Deserialize, Serialize};

/// A frame of a stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameView {
    /// File, as the log names it; `None` where the log does not know it.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<i64>,
    /// Function.
    pub function: String,
    /// The line's source, where the log has it.
    pub source: Option<String>,
    /// For Python that torch.fx generated: the record that holds the file, where one does.
    pub dumped: Option<RecordIndex>,
}

/// How the program reached its compilations: the stacks of all of them, put together from their outer ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StackTrie {
    /// The frames. A frame's parent stands before it; children stand in the order in which they were met.
    pub nodes: Vec<StackNode>,
    /// Compilations of which the log says no stack.
    pub unknown: Vec<StackEnd>,
}

/// A frame in the stacks of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StackNode {
    /// The frame that called this one, as an index into [`StackTrie::nodes`].
    pub parent: Option<u32>,
    /// The frame.
    pub frame: FrameView,
    /// Compilations that began here.
    pub ends: Vec<StackEnd>,
    /// Records outside any compilation that were logged here.
    pub records: Vec<RecordIndex>,
}

/// A compilation at the end of a stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StackEnd {
    /// The compilation.
    pub key: CompilationKey,
    /// Its id as it is shown.
    pub label: String,
    /// How it ended.
    pub status: Status,
}
