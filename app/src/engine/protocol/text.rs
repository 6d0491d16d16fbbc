//! The text that a record carries: how it is named and laid out, and rows of it.

use super::{Checksum, CompilationKey, LogId, RecordIndex};
pub use dynascope_core::payload::colour::{Class, Language, Span};
use serde::{Deserialize, Serialize};

/// Names a text: what a record carries, in one of its forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TextKey {
    /// The log.
    pub log: LogId,
    /// The record that carries the payload.
    pub record: RecordIndex,
    /// How it is laid out.
    pub form: Form,
}

/// How a text is laid out in rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Form {
    /// Whether JSON is laid out anew, one item a line.
    pub is_pretty: bool,
    /// Bytes after which a line goes on in the next row, where lines are wrapped; [`MAX_ROW_BYTES`] where
    /// they are not.
    pub width: Option<u16>,
}

/// A stretch of a payload's text. A line longer than [`MAX_ROW_BYTES`] is cut into several rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextPage {
    /// The name of the artifact, or its kind.
    pub name: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// Bytes of the payload, as PyTorch wrote them.
    pub bytes: u64,
    /// Lines of the payload.
    pub lines: u64,
    /// Rows that its lines make.
    pub rows: u32,
    /// Line of the record in the file, from 1.
    pub file_line: u64,
    /// The first row here.
    pub first: u32,
    /// The rows.
    pub page: Vec<TextRow>,
    /// Whether the payload is what PyTorch wrote.
    pub checksum: Checksum,
    /// What it is written in.
    pub language: Language,
    /// What is wrong with its form, in a sentence: JSON that is none.
    pub trouble: Option<String>,
}

/// The longest row of text, in bytes; a longer line goes on in the next row.
pub const MAX_ROW_BYTES: usize = 2_000;

/// A row of text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextRow {
    /// Line number from 1; absent where this row goes on with the line of the row before.
    pub line: Option<u64>,
    /// The text. Bytes that are no UTF-8 show as U+FFFD.
    pub text: String,
    /// What its parts are, in order; plain parts are left out.
    pub spans: Vec<Span>,
}
