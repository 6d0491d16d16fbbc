//! What is said of guards: what of a tree is asked for, its rows, one node.

use super::{CompilationKey, FrameView, LogId, RecordIndex};
use serde::{Deserialize, Serialize};

/// A tree of guards, and what of it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardsShown {
    /// The log.
    pub log: LogId,
    /// The record that carries the guards.
    pub record: RecordIndex,
    /// Which guards show.
    pub filter: GuardFilter,
    /// Which nodes are folded.
    pub folds: GuardFolds,
}

/// Which guards of a tree show. What holds them shows, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GuardFilter {
    /// Words that a guard must all hold: in its code, its sentence, its place. Empty: any guard.
    pub text: String,
    /// The class of guard.
    pub class: Option<String>,
    /// Whether only guards show that a file outside PyTorch caused.
    pub only_mine: bool,
}

/// Which nodes of a tree are folded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardFolds {
    /// Whether all nodes are, but the outermost ones.
    pub all: bool,
    /// The nodes that are not as `all` says.
    pub but: Vec<u32>,
}

/// A stretch of a tree of guards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardPage {
    /// What is said of all of it.
    pub head: GuardHead,
    /// Rows that show with this filter and these folds.
    pub total: u32,
    /// Place of the first row here.
    pub first: u32,
    /// The rows, from top to bottom.
    pub rows: Vec<GuardRow>,
}

/// What is said of a tree of guards as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardHead {
    /// The record's name.
    pub name: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// Guards.
    pub leaves: u32,
    /// Guards that a file outside PyTorch caused.
    pub mine: u32,
    /// Guards that the filter leaves.
    pub matching: u32,
    /// Objects that are reached to be checked.
    pub managers: u32,
    /// Guards by class, the most frequent first; rare ones are left out where there are very many.
    pub by_class: Vec<(String, u32)>,
    /// Seconds that one check of all guards takes, where the log says it.
    pub latency: Option<f64>,
    /// The objects that most guards hang on: node, name, guards.
    pub largest: Vec<(u32, String, u32)>,
    /// Lines that are not understood.
    pub wrong: u32,
    /// The first of them: line, from 1, and text.
    pub wrong_lines: Vec<(u32, String)>,
    /// What else is wrong, as a sentence: a payload that holds no guards.
    pub trouble: Option<String>,
}

/// What a node of a tree of guards is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GuardKind {
    /// An object, or a pair of a key and a value, with what hangs on it.
    Object,
    /// A guard.
    Guard,
    /// A line that is not understood.
    Unreadable,
}

/// A row of a tree of guards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardRow {
    /// The node.
    pub node: u32,
    /// How many nodes hold it, plus one.
    pub level: u32,
    /// Its place among its siblings that show, from 1, and how many they are.
    pub place: (u32, u32),
    /// The row that it hangs below; its own where it hangs below none.
    pub above: u32,
    /// Whether rows below it show; `None` where it has none.
    pub is_open: Option<bool>,
    /// What it is.
    pub kind: GuardKind,
    /// The object, or the guard's class.
    pub title: String,
    /// The object's type, or what the guard demands, as a sentence; a line as it stands.
    pub text: String,
    /// Guards below it that the filter leaves.
    pub below: u32,
    /// File and line that caused the guard.
    pub cause: Option<(String, u32)>,
    /// Whether that file is not PyTorch's.
    pub is_mine: bool,
}

/// One node of a tree of guards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardView {
    /// Its row, where the filter leaves it: with what holds it unfolded.
    pub row: Option<u32>,
    /// What holds it, outermost first.
    pub holders: Vec<u32>,
    /// The object, or the guard's class.
    pub title: String,
    /// What is demanded, as a sentence.
    pub sentence: String,
    /// What else PyTorch notes, as a sentence.
    pub note: Option<String>,
    /// The tensor's facts: name and value.
    pub tensor: Vec<(String, String)>,
    /// What else is known: name and value.
    pub facts: Vec<(String, String)>,
    /// The line that caused it.
    pub cause: Option<FrameView>,
    /// Whether that is not in PyTorch.
    pub is_mine: bool,
    /// Its line in the record's text, where it is known.
    pub line: Option<u32>,
}
