//! What is said of compilations: a table of them, the page of one, its artifacts.

use super::{FrameView, RecordIndex};
use serde::{Deserialize, Serialize};

/// Names a compilation within a log.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CompilationKey {
    /// Which of the log's processes, from 0 in order of appearance.
    pub process: u32,
    /// Which generation of ids, from 0.
    pub generation: u32,
    /// The compile id without brackets and attempt, as PyTorch writes it: `0/1`, `!3/0/0`.
    pub id: String,
}

/// How a compilation ended: that of its last attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Status {
    /// A graph was compiled, with no break.
    Ok,
    /// The graph broke: compiling was started again and ended before the function's end.
    GraphBreak,
    /// Nothing was to be compiled: the graph holds no operation.
    Empty,
    /// Compiling failed.
    Error,
    /// The log holds no metrics of it, so that its end is not known.
    NoMetrics,
}

/// A column to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    /// The column.
    pub column: Column,
    /// The direction.
    pub direction: Direction,
}

/// A column of the table of compilations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Column {
    /// The order in which compilations began.
    Id,
    /// The function's name.
    Function,
    /// File, then line.
    Place,
    /// How it ended.
    Status,
    /// Number of attempts.
    Attempts,
    /// Operations in the graph.
    Ops,
    /// Guards.
    Guards,
    /// Compile time.
    Seconds,
}

/// A direction to sort in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// Smallest first; rows without a value last.
    Ascending,
    /// Largest first; rows without a value last.
    Descending,
}

/// A stretch of the table of compilations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompilationPage {
    /// Compilations of the log.
    pub total: u32,
    /// Those that the filter leaves.
    pub matching: u32,
    /// Place of the first row here among those that match.
    pub first: u32,
    /// The rows.
    pub rows: Vec<CompilationRow>,
}

/// A row of the table of compilations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompilationRow {
    /// Its name within the log.
    pub key: CompilationKey,
    /// The id as it is shown: `[0/1]`, with the generation or process where there is more than one.
    pub label: String,
    /// The function's name, where the log says it.
    pub function: Option<String>,
    /// The file that defines the function.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<i64>,
    /// How it ended.
    pub status: Status,
    /// Number of attempts.
    pub attempts: u32,
    /// Operations in the graph.
    pub ops: Option<i64>,
    /// Guards.
    pub guards: Option<i64>,
    /// Seconds that compiling took.
    pub seconds: Option<f64>,
    /// Whether it is known from console messages, which hold no metrics.
    pub is_console: bool,
}

/// A compilation's page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompilationView {
    /// The same facts as in the table.
    pub row: CompilationRow,
    /// How the program reached the function, outermost first; empty where the log does not say.
    pub stack: Vec<FrameView>,
    /// The call that caused it: the innermost of the program's own frames that called the function.
    pub caller: Option<FrameView>,
    /// Why it failed, where it failed.
    pub failures: Vec<FailureView>,
    /// Why attempts were given up, in order.
    pub restart_reasons: Vec<String>,
    /// Its artifacts in the order of the log.
    pub artifacts: Vec<ArtifactRow>,
    /// Other records of it that were read into the facts above: its start, its metrics.
    pub evidence: Vec<EvidenceRow>,
    /// The previous compilation in the order in which they began.
    pub previous: Option<(CompilationKey, String)>,
    /// The next one.
    pub next: Option<(CompilationKey, String)>,
    /// The compilations of the same frame in the order in which they began, this one among them: at most
    /// [`MAX_OF_FRAME`] around it.
    pub of_frame: Vec<FrameCompilation>,
    /// How many compilations of the same frame there are in all.
    pub of_frame_total: u32,
    /// The record of its guards.
    pub guards: Option<RecordIndex>,
}

/// So many compilations of the same frame are named on a compilation's page.
pub const MAX_OF_FRAME: usize = 200;

/// A compilation of the same frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameCompilation {
    /// Its name within the log.
    pub key: CompilationKey,
    /// Its id as it is shown.
    pub label: String,
    /// How it ended.
    pub status: Status,
}

/// Why a compilation failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureView {
    /// The exception's type; `None` where the console warned of the recompile limit, and where the metrics
    /// name none.
    pub kind: Option<String>,
    /// What it said.
    pub reason: Option<String>,
    /// The user's file, where the metrics name it.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<i64>,
    /// The record that says so.
    pub record: RecordIndex,
}

/// An artifact: a record with something to read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactRow {
    /// The record.
    pub record: RecordIndex,
    /// Its name: that of the artifact, or its kind.
    pub name: String,
    /// The attempt that wrote it.
    pub attempt: u32,
    /// Bytes of its payload, as PyTorch wrote them.
    pub bytes: u64,
    /// What it says of a cache.
    pub cache: Option<Cache>,
    /// Line in the file, from 1.
    pub line: u64,
    /// For a `link`: where it points. Shown as text; followed only where it is `https:`.
    pub url: Option<String>,
}

/// What an artifact says of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cache {
    /// Found.
    Hit,
    /// Not found, compiled anew.
    Miss,
    /// Not asked.
    Bypass,
}

/// A record that a claim on the page comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRow {
    /// The record.
    pub record: RecordIndex,
    /// Its kind.
    pub kind: String,
    /// The attempt that wrote it.
    pub attempt: u32,
    /// Line in the file, from 1.
    pub line: u64,
}
