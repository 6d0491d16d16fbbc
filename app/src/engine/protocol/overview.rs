//! What is said of a log as a whole: how far it was read, its facts, what could not be read.

use super::{LogId, RecordIndex, Status};
use serde::{Deserialize, Serialize};

/// How far a log was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The log.
    pub log: LogId,
    /// The file's name, with its folders where a folder was dropped.
    pub name: String,
    /// Reading, done, stopped or failed.
    pub state: ReadState,
    /// Bytes of the file.
    pub total_bytes: u64,
    /// Bytes of the file that were read.
    pub read_bytes: u64,
    /// Bytes of text: more than were read where the file is compressed.
    pub text_bytes: u64,
    /// Seconds since reading began.
    pub seconds: f64,
    /// Records found.
    pub records: u64,
    /// Compilations found.
    pub compilations: u32,
    /// Bytes that the engine's memory takes as a whole.
    pub memory_bytes: u64,
    /// Bytes that this log's index takes.
    pub index_bytes: u64,
    /// What tells its text from another's; known when all of it was read.
    pub fingerprint: Option<String>,
}

/// Where reading stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ReadState {
    /// More is to come.
    Reading,
    /// All of the file was read.
    Done,
    /// A person stopped it; what was read is shown.
    Stopped,
    /// The file cannot be read, or holds no log. Nothing of it is shown.
    Refused(String),
    /// Reading broke off (a cut-off gzip, a limit, a file that vanished); what was read is shown.
    BrokeOff(String),
}

/// The run's facts, as far as they were read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// The torch version that wrote the log, exact where the log says it ("2.15.0+cu132"), else the
    /// range that its records fit ("2.3 or 2.4").
    pub torch_version: Option<String>,
    /// Ranks of torch.distributed that wrote into the log.
    pub ranks: Vec<u32>,
    /// Processes that wrote into the log.
    pub processes: u32,
    /// How often the program reset the compiler, so that ids started again, plus one.
    pub generations: u32,
    /// Functions that were compiled (frames, by generation).
    pub frames: u32,
    /// Compilations.
    pub compilations: u32,
    /// Compilations by status, in the order of [`Status`], those that occur.
    pub by_status: Vec<(Status, u32)>,
    /// Attempts, restarted ones among them.
    pub attempts: u32,
    /// Attempts that were given up to start again.
    pub restarts: u32,
    /// Compilations of a frame that had been compiled before.
    pub recompiles: u32,
    /// Compilations that failed.
    pub failures: u32,
    /// Seconds spent in compiling, as the metrics say; absent where no metrics were logged.
    pub compile_seconds: Option<f64>,
    /// Artifacts that report a cache hit.
    pub cache_hits: u32,
    /// Artifacts that report a cache miss.
    pub cache_misses: u32,
    /// Artifacts that report a bypassed cache.
    pub cache_bypasses: u32,
    /// Events of the compiler's own profiler.
    pub chromium_events: u64,
    /// Records.
    pub records: u64,
    /// Records that are messages of `TORCH_LOGS` on the console.
    pub console_messages: u64,
    /// Records that carry no compile id and are not part of a compilation, with a payload.
    pub outside_artifacts: u32,
    /// Records by kind, most frequent first.
    pub kinds: Vec<(String, u64)>,
    /// How many times each problem occurred, most frequent first.
    pub problems: Vec<ProblemRow>,
    /// Records that say why a graph broke (2.6+, and console output of all versions).
    pub graph_breaks: u64,
}

/// A problem that reading met, and how often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// Its name in `facts`.
    pub name: String,
    /// What it means, in a sentence.
    pub meaning: String,
    /// How often it occurred.
    pub count: u64,
    /// Where: lines in the file with their record, the first few.
    pub examples: Vec<(u64, RecordIndex)>,
}
