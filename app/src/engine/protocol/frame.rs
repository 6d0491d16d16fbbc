//! What is said of frames that were compiled again: a table of them, the history of one, what to do.

use super::{CompilationKey, FrameView, RecordIndex, Status};
pub use dynascope_core::payload::recompile::{GlobalState, GuardFailureKind};
use serde::{Deserialize, Serialize};

/// Names a frame within a log: a function of a process, between two resets of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FrameKey {
    /// Which of the log's processes, from 0.
    pub process: u32,
    /// Which generation of ids, from 0.
    pub generation: u32,
    /// The compiled autograd graph that it runs under.
    pub autograd: Option<u32>,
    /// The frame's id.
    pub frame_id: u32,
}

/// In which order frames stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FrameOrder {
    /// Those that were compiled again most often first.
    Recompiles,
    /// Those on which most seconds were spent in compiling again first.
    Seconds,
}

/// A stretch of the frames that were compiled again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FramePage {
    /// Frames that were compiled again.
    pub total: u32,
    /// Place of the first row here.
    pub first: u32,
    /// The rows.
    pub rows: Vec<FrameRow>,
    /// Whether the log says of any of all these frames what compiling it again took.
    pub has_seconds: bool,
}

/// What is known of a frame without reading its reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameFacts {
    /// Its name within the log.
    pub key: FrameKey,
    /// The function's name, where the log says it.
    pub function: Option<String>,
    /// The file that defines it.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<i64>,
    /// Compilations; a call that hit the limit is none.
    pub compilations: u32,
    /// Compilations that compiled it again.
    pub recompiles: u32,
    /// Attempts that were given up and started again.
    pub restarts: u32,
    /// Seconds spent on all of them; absent where no metrics tell.
    pub seconds: Option<f64>,
    /// Seconds spent on compiling it again.
    pub seconds_again: Option<f64>,
    /// Whether the recompile limit was hit.
    pub limit: Option<LimitView>,
}

/// That the recompile limit was hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitView {
    /// The call that hit it.
    pub key: CompilationKey,
    /// Its id as it is shown.
    pub label: String,
    /// The limit, where PyTorch says it.
    pub limit: Option<u32>,
    /// Whether the log says so. Otherwise it looks like it, and a log that is cut there looks the same.
    pub is_said: bool,
}

/// A frame that was compiled again, in a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameRow {
    /// What is known of it.
    pub facts: FrameFacts,
    /// The failed guard that speaks for the first remedy, or the first one of all, and the values that it saw.
    pub cause: Option<(Subject, Vec<String>)>,
    /// What helps most.
    pub remedy: Option<AdviceView>,
    /// Whether its reasons were read; they are when all of the log is.
    pub is_read: bool,
}

/// What a guard is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// What it checks.
    pub kind: GuardFailureKind,
    /// What is guarded; the guard as it stands where that is no single thing.
    pub source: String,
    /// The dimension or place.
    pub index: Option<u32>,
    /// What changed, where it is the global state.
    pub state: Vec<GlobalState>,
}

/// Why a frame was compiled again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameHistoryView {
    /// What is known of it.
    pub facts: FrameFacts,
    /// The lines of the program that called it, each with the first compilation that it led to.
    pub callers: Vec<CallerView>,
    /// Its compilations in their order, those whose reasons were read.
    pub steps: Vec<StepView>,
    /// Compilations whose reasons were not read, because there are too many.
    pub unread: u32,
    /// The failed guard that speaks for the first remedy, or the first one of all, and the values that it saw.
    pub cause: Option<(Subject, Vec<String>)>,
    /// What failing guards saw over time.
    pub series: Vec<SeriesView>,
    /// What to do, the most useful first.
    pub advice: Vec<AdviceView>,
    /// Whether this PyTorch calls the limit `recompile_limit` (2.7+) and not `cache_size_limit`; absent
    /// where the version is not known.
    pub is_recompile_limit: Option<bool>,
}

/// A line of the program that called a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallerView {
    /// The line.
    pub frame: FrameView,
    /// The first compilation that it led to.
    pub key: CompilationKey,
    /// Its id as it is shown.
    pub label: String,
}

/// A compilation of a frame, and why it came to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    /// The compilation.
    pub key: CompilationKey,
    /// Its id as it is shown.
    pub label: String,
    /// How it ended.
    pub status: Status,
    /// What it is to the frame.
    pub role: StepRole,
    /// Attempts that were given up and started again.
    pub restarts: u32,
    /// Seconds that it took.
    pub seconds: Option<f64>,
    /// What the call brought that no cache entry accepted.
    pub brought: Vec<(Subject, String)>,
    /// Why each cache entry could not be used, in PyTorch's order: the newest first.
    pub reasons: Vec<ReasonView>,
    /// The record that says so.
    pub record: Option<RecordIndex>,
    /// Whether these are all that the log says.
    pub is_whole: bool,
    /// Whether only the metrics tell, which name one cache entry.
    pub is_of_metrics: bool,
}

/// What a compilation is to its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepRole {
    /// The first one.
    First,
    /// It compiled the frame again.
    Again,
    /// The call that hit the limit.
    Limit,
}

/// Why one cache entry could not be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReasonView {
    /// The compilation that made the entry, with its label, where the log names it.
    pub entry: Option<(CompilationKey, String)>,
    /// The guards that failed.
    pub failures: Vec<FailedGuard>,
}

/// A guard that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailedGuard {
    /// What it is about.
    pub subject: Subject,
    /// The guard or PyTorch's message as it stands; long ones are cut.
    pub guard: String,
    /// What the cache entry was compiled for.
    pub expected: Option<String>,
    /// What came instead.
    pub actual: Option<String>,
    /// Whether that is not said with the reason, but by the guards of the compilation that followed.
    pub is_inferred: bool,
    /// The line of the program that the guard is due to.
    pub user: Option<FrameView>,
    /// What PyTorch advises.
    pub hint: Option<String>,
    /// Where the guard stands: the record of the entry's guards, and the node in their tree.
    pub node: Option<(RecordIndex, u32)>,
}

/// What a guard saw over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesView {
    /// What it is about.
    pub subject: Subject,
    /// Values, by the number of the compilation within the frame: the first ones.
    pub values: Vec<(u32, String)>,
    /// Values in all.
    pub total: u32,
    /// The compilation from which on any value is accepted.
    pub free_since: Option<u32>,
}

/// What a person can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdviceView {
    /// What.
    pub remedy: RemedyKind,
    /// What it is about; empty where that is no single thing.
    pub source: String,
    /// PyTorch's own word for it: the name of a variable in a closure.
    pub variable: Option<String>,
    /// The dimension.
    pub dim: Option<u32>,
    /// What state of the program.
    pub state: Option<GlobalState>,
    /// Whether the guard says it, or allows other explanations.
    pub is_certain: bool,
    /// How many compilations have such a reason.
    pub recompiles: u32,
    /// Seconds spent on those in which the newest version failed for it; absent where no metrics tell.
    pub seconds: Option<f64>,
    /// Values that the guards saw.
    pub values: Vec<String>,
    /// Compilations that speak for it, with the record that says so.
    pub evidence: Vec<(String, Option<RecordIndex>)>,
}

/// A way to have fewer recompiles: those of `core::analysis::remedy`, numbers apart by their kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // Each is explained to the reader in text/remedies.rs.
pub enum RemedyKind {
    TensorLearningRate,
    TensorInsteadOfInt,
    TensorInsteadOfFloat,
    PassAsArgument,
    KeepInTensor,
    MarkDynamic,
    MarkUnbacked,
    BranchOnSize,
    DuckSizing,
    DynamicParameters,
    MarkConsistently,
    CreateOnce,
    ModuleCounter,
    TrainEvalFlag,
    FewVariants,
    OptionalArgument,
    SameKeys,
    SameLength,
    SameType,
    SameAttributes,
    StableDtype,
    StableStrides,
    StableRank,
    StableDevice,
    StableRequiresGrad,
    StableGradMode,
    StableAutocast,
    StableState,
    Aliasing,
    StableBackend,
    RaiseLimit,
    DisableCompile,
    /// Set an attribute before the first call.
    SetOnce,
}
