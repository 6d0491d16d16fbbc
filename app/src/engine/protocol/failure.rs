//! What failed and what was warned: failures with their component, warnings, limits, what `explain` and
//! `compile_times` printed.

use super::{CompilationKey, RecordIndex};
pub use dynascope_core::analysis::failure::{Certainty, Component, FailureKind, Run};
pub use dynascope_core::payload::traceback::{Link, StackKind};
pub use dynascope_core::payload::warning::WarningKind;
use serde::{Deserialize, Serialize};

/// All that was found in a log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Whether all of the log was looked through; it is once the log was read.
    pub is_complete: bool,
    /// Failures, identical ones once, in the order in which they first occurred.
    pub failures: Vec<FailureReport>,
    /// Calls that hit the recompile limit.
    pub limits: Vec<LimitReport>,
    /// Warnings by what they are about, the most frequent first.
    pub warnings: Vec<WarningGroup>,
    /// What `torch._dynamo.explain` printed.
    pub explanations: Vec<ExplainReport>,
    /// What `torch._dynamo.utils.compile_times` gave.
    pub times: Vec<TimesReport>,
    /// What was found and is not shown, because there is too much of it.
    pub left_out: u64,
    /// Messages of the log that were not looked through, because they are too large.
    pub too_large: u64,
    /// Records of the log.
    pub records: u64,
}

impl Findings {
    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.failures.is_empty()
            && self.limits.is_empty()
            && self.warnings.is_empty()
            && self.explanations.is_empty()
            && self.times.is_empty()
    }
}

/// Where something stands in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The record, or the text between records.
    pub record: RecordIndex,
    /// First and last line in its text, from 1; absent where the record's own line says it.
    pub lines: Option<(u32, u32)>,
    /// Line in the file, from 1.
    pub file_line: u64,
}

/// Something that occurred once or more often.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Occurrences {
    /// How often.
    pub count: u64,
    /// Where, the first times.
    pub places: Vec<Evidence>,
    /// In which compilations, the first ones.
    pub compilations: Vec<(CompilationKey, String)>,
}

/// A failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureReport {
    /// What failed.
    pub component: Component,
    /// What it could not do.
    pub kind: FailureKind,
    /// Whether that is said or concluded.
    pub certainty: Certainty,
    /// The backend, where it is named.
    pub backend: Option<String>,
    /// The exception that shows it, as an index into `exceptions`.
    pub telling: u32,
    /// The program's own lines, outermost first.
    pub user: Vec<CodeFrame>,
    /// Runs that would confirm it, the most telling first.
    pub runs: Vec<Run>,
    /// The exceptions in their order: the last one came out.
    pub exceptions: Vec<RaisedView>,
    /// Exceptions that are not shown.
    pub more_exceptions: u32,
    /// PyTorch's page about it.
    pub page: Option<String>,
    /// The script that reproduces it in small.
    pub minifier: Option<String>,
    /// Where and how often.
    pub at: Occurrences,
}

impl FailureReport {
    /// The exception that the program ended with.
    #[must_use]
    pub fn surfaced(&self) -> Option<&RaisedView> {
        self.exceptions.last()
    }

    /// The exception that shows what failed.
    #[must_use]
    pub fn telling(&self) -> Option<&RaisedView> {
        self.exceptions
            .get(self.telling as usize)
            .or_else(|| self.surfaced())
    }
}

/// An exception, and the way to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RaisedView {
    /// How it follows from the one before.
    pub link: Link,
    /// Its type, with its module.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// The calls that led to it, outermost first.
    pub frames: Vec<CodeFrame>,
    /// Calls in the middle that are not shown.
    pub more_frames: u32,
    /// Stacks within or behind the message.
    pub stacks: Vec<(StackKind, Vec<CodeFrame>)>,
}

/// A call, with its code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFrame {
    /// The file, as Python names it.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The function.
    pub function: Option<String>,
    /// The code, line by line; and what of it Python marks, in characters.
    pub code: Vec<(String, Option<(u32, u32)>)>,
    /// How often the calls up to here were repeated.
    pub repeated: u32,
    /// Whether the file is the program's own.
    pub is_own: bool,
}

/// Calls that hit the recompile limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitReport {
    /// The setting: `recompile_limit`, `cache_size_limit` or one that begins with `accumulated_`.
    pub setting: String,
    /// Its value.
    pub limit: Option<u64>,
    /// The function.
    pub function: String,
    /// The file that defines it.
    pub file: String,
    /// The line where it begins.
    pub line: Option<u32>,
    /// Why the last call did not fit, as it stands.
    pub reason: String,
    /// PyTorch's page about it.
    pub page: Option<String>,
    /// Where and how often.
    pub at: Occurrences,
}

/// Warnings about the same thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WarningGroup {
    /// What they are about.
    pub kind: WarningKind,
    /// How many there are.
    pub count: u64,
    /// The different ones.
    pub warnings: Vec<WarningReport>,
    /// Different ones that are not shown.
    pub more: u32,
}

/// A warning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WarningReport {
    /// The category; empty where PyTorch logged it.
    pub category: String,
    /// What it says.
    pub message: String,
    /// The line that warned, where it is known.
    pub place: Option<CodeFrame>,
    /// The program's lines that PyTorch shows, outermost first.
    pub stack: Vec<CodeFrame>,
    /// Where and how often.
    pub at: Occurrences,
}

/// What `torch._dynamo.explain` printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainReport {
    /// How many graphs the function became.
    pub graphs: u64,
    /// How often a graph broke.
    pub breaks: u64,
    /// How many operations all graphs hold.
    pub ops: u64,
    /// Why graphs broke, and the program's lines, outermost first.
    pub reasons: Vec<(String, Vec<CodeFrame>)>,
    /// The operations of each graph: name and how often, in the order of their first use.
    pub graph_ops: Vec<Vec<(String, u32)>>,
    /// The guards of all graphs by what makes them, the most frequent first.
    pub guards: Vec<(String, u32)>,
    /// How long the compiler took.
    pub times: Vec<TimeRow>,
    /// Where it stands.
    pub at: Evidence,
}

/// A table of `compile_times`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimesReport {
    /// Its rows, the longest time first.
    pub rows: Vec<TimeRow>,
    /// Where it stands.
    pub at: Evidence,
}

/// A part of the compiler, and how long it ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeRow {
    /// Its name, as `dynamo_timed` has it.
    pub name: String,
    /// Seconds of all runs.
    pub seconds: f64,
    /// How often it ran, where more than the sum is known.
    pub runs: u32,
}
