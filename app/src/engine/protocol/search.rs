//! What a search through all logs, or through one text, finds.

use super::{CompilationKey, LogId, RecordIndex};
pub use dynascope_core::payload::find::{Case, Match, Query};
use serde::{Deserialize, Serialize};

/// Where a search stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchState {
    /// It goes on.
    Searching,
    /// All was searched.
    Done,
    /// It stopped at [`MAX_HITS`] or [`MAX_MATCHES`].
    Full,
    /// What was looked for cannot be: a sentence that says why.
    Refused(String),
}

/// Finding within a text stops at so many places.
pub const MAX_MATCHES: usize = 100_000;

/// A search stops at so many hits.
pub const MAX_HITS: usize = 5_000;

/// A line in which a search found its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The log.
    pub log: LogId,
    /// The record in which the line lies.
    pub record: RecordIndex,
    /// The record's name: that of the artifact, or its kind.
    pub name: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// Line in the file, from 1.
    pub file_line: u64,
    /// Line of the payload, from 1; 0 where the hit is in the record's own line.
    pub payload_line: u64,
    /// The line, or what surrounds the hit where it is long.
    pub text: String,
    /// Where the hit starts in `text`, in bytes, and how long it is.
    pub at: (u32, u32),
}
