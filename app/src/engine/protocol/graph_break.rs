//! What is said of graph breaks: places at which graphs broke, each once.

use super::{CodeFrame, CompilationKey, Occurrences};
pub use dynascope_core::payload::graph_break::kinds::BreakKind;
use serde::{Deserialize, Serialize};

/// The graph breaks of a log, as far as they are shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BreaksPage {
    /// Whether all of the log was looked through; it is once the log was read.
    pub is_complete: bool,
    /// Breaks that the log tells of, at all places together.
    pub breaks: u64,
    /// Places and reasons that were told apart, those that no record tells of too.
    pub total: u32,
    /// The first ones, those that broke most often first.
    pub rows: Vec<BreakRow>,
    /// Breaks at places that are not told apart, because there are too many.
    pub left_out: u32,
    /// Records of breaks that could not be read.
    pub unread: u32,
}

/// A place at which graphs broke for one reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BreakRow {
    /// What broke it.
    pub kind: BreakKind,
    /// The line of the program, where it is known.
    pub place: Option<CodeFrame>,
    /// The program's calls that led there, outermost first.
    pub callers: Vec<CodeFrame>,
    /// Calls in the middle that are not shown.
    pub more_callers: u32,
    /// Whole functions that run without being compiled for it.
    pub skipped: Option<SkippedFrame>,
    /// Whether no record tells of it: it follows from the names of functions, or from restarts.
    pub is_inferred: bool,
    /// What PyTorch says; the second one and later are breaks that came of handling the one before.
    pub said: Vec<BreakMessage>,
    /// Where and how often.
    pub at: Occurrences,
    /// How many compilations compiled what follows behind it.
    pub resumed: u32,
    /// The first ones of them.
    pub behind: Vec<(CompilationKey, String)>,
    /// Seconds spent on them, where metrics tell.
    pub seconds: Option<f64>,
}

/// A function that is not compiled, because a graph broke where it cannot go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SkippedFrame {
    /// How often that happened.
    pub times: u32,
    /// The function's name, of the first time, where the log says it.
    pub function: Option<String>,
    /// The file that defines it.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<i64>,
    /// Other functions that are not compiled for it.
    pub others: u32,
}

/// What PyTorch says of a break.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BreakMessage {
    /// Its type; a sentence before 2.7.
    pub kind: String,
    /// What it means.
    pub explanation: Option<String>,
    /// What PyTorch advises.
    pub hints: Vec<String>,
    /// What helps the developers of PyTorch.
    pub context: Option<String>,
    /// PyTorch's page about it.
    pub page: Option<String>,
}
