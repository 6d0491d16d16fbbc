//! What differs between two compilations, and between two of their texts.

use super::{CompilationRow, FrameCompilation, GuardFailureKind, RecordIndex, Span};
pub use dynascope_core::analysis::text_diff::Side;
use serde::{Deserialize, Serialize};

/// What differs between two compilations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiffView {
    /// The compilation that is compared with.
    pub old: CompilationRow,
    /// The compilation that is compared.
    pub new: CompilationRow,
    /// The compilations of the new one's frame, to choose others from.
    pub of_frame: Vec<FrameCompilation>,
    /// Why the new one could not use the old one's code, as the log says.
    pub causes: Vec<CauseView>,
    /// Inputs that differ.
    pub inputs: Vec<Differing>,
    /// How many inputs do not.
    pub same_inputs: u32,
    /// Symbols for sizes and numbers that only one has, or that differ.
    pub symbols: Vec<Differing>,
    /// Guards that differ, the first [`MAX_DIFFERING`].
    pub guards: Vec<Differing>,
    /// How many guards differ.
    pub differing_guards: u32,
    /// The records of the guards.
    pub guard_records: (Option<RecordIndex>, Option<RecordIndex>),
    /// What kept the guards from being compared, in a sentence.
    pub guard_trouble: Option<String>,
    /// Texts that both have, in the order of the new one's log.
    pub texts: Vec<TextPair>,
}

/// So many differing inputs, symbols and guards are shown.
pub const MAX_DIFFERING: usize = 500;

/// A guard of the old compilation that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CauseView {
    /// What it checks.
    pub kind: GuardFailureKind,
    /// What is guarded.
    pub source: Option<String>,
    /// The dimension or place.
    pub index: Option<u32>,
    /// What was expected.
    pub expected: Option<String>,
    /// What came.
    pub actual: Option<String>,
    /// The guard as it stands.
    pub guard: String,
    /// The symbol that the new compilation uses in its place.
    pub symbol: Option<String>,
    /// The record that says so.
    pub record: Option<RecordIndex>,
}

/// Something of two compilations that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Differing {
    /// What it is about: a source, a symbol.
    pub name: String,
    /// What of it a guard is about, where that is not all: an attribute, a key.
    pub detail: String,
    /// The class of the guard; empty for inputs and symbols.
    pub class: String,
    /// Where it stands for the old compilation: a record, or the place of a guard in its tree. `None` where
    /// only the new one has it.
    pub old: Option<u32>,
    /// Where it stands for the new one.
    pub new: Option<u32>,
    /// What differs: the property, its old and its new value.
    pub differences: Vec<(String, Option<String>, Option<String>)>,
    /// Whether the program's own code caused it, where that is known.
    pub is_own: bool,
}

/// A text that two compilations have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextPair {
    /// The artifact's name.
    pub name: String,
    /// The old record.
    pub old: RecordIndex,
    /// The new record.
    pub new: RecordIndex,
    /// Whether they are the same, by their checksums.
    pub is_same: bool,
}

/// A stretch of two texts laid side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextDiffPage {
    /// Rows in all.
    pub total: u32,
    /// The first row here.
    pub first: u32,
    /// The rows.
    pub rows: Vec<DiffRow>,
    /// Lines that were removed.
    pub removed: u32,
    /// Lines that were added.
    pub added: u32,
}

/// A row of two texts laid side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiffRow {
    /// In which text the line stands.
    pub side: Side,
    /// Its number in the old text.
    pub old: Option<u32>,
    /// Its number in the new text.
    pub new: Option<u32>,
    /// The line, cut where it is long.
    pub text: String,
    /// What its parts are.
    pub spans: Vec<Span>,
    /// Where the words are that differ: start and end in bytes.
    pub words: Vec<(u32, u32)>,
    /// So many lines that are alike are left out here; 0 for a line.
    pub skipped: u32,
}
