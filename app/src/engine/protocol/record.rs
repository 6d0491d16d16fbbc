//! What is said of records: a table of all, one as it stands, and whether its payload is whole.

use super::{CompilationKey, RecordIndex};
use serde::{Deserialize, Serialize};

/// A stretch of the table of all records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordPage {
    /// Records and stretches of other text in the log.
    pub total: u32,
    /// Those that the filter leaves.
    pub matching: u32,
    /// Place of the first row here among those that match.
    pub first: u32,
    /// The rows, in the order of the file.
    pub rows: Vec<RecordRow>,
}

/// A row of the table of all records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordRow {
    /// The record.
    pub record: RecordIndex,
    /// Line in the file, from 1.
    pub line: u64,
    /// Month, day and time as written: `1129 11:49:56.619000`; empty where it is no record.
    pub time: String,
    /// Its kind.
    pub kind: String,
    /// The name that it carries: the artifact's, the dumped file's.
    pub name: Option<String>,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// The attempt that wrote it.
    pub attempt: u32,
    /// The place in PyTorch's source that wrote it: `torch/_dynamo/utils.py:2473`.
    pub origin: String,
    /// Bytes of the file that it takes, its payload among them.
    pub bytes: u64,
}

/// One record as it stands in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordView {
    /// Its kind; "other text" or "damaged" where it is no record.
    pub kind: String,
    /// Line in the file, from 1.
    pub line: u64,
    /// Byte in the text at which it starts.
    pub offset: u64,
    /// What stands before the JSON: level, time, process and place in PyTorch's source.
    pub prefix: String,
    /// The metadata, one member a line, in its own order. Text as it stands where it is no JSON.
    pub metadata: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// Bytes of the payload; absent where there is none.
    pub payload_bytes: Option<u64>,
    /// Whether the payload is what PyTorch wrote.
    pub checksum: Checksum,
    /// What is wrong with it, in sentences.
    pub problems: Vec<String>,
    /// The record before it in the file.
    pub previous: Option<RecordIndex>,
    /// The record after it.
    pub next: Option<RecordIndex>,
}

/// Whether a payload is what PyTorch wrote, by the MD5 that the record carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Checksum {
    /// It is.
    Matches,
    /// It is not: bytes were changed, lost or added.
    Differs,
    /// The record carries no checksum that can be read.
    Unknown,
}
