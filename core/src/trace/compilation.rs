//! A compilation: one `frame_compile`, with its attempts inside it.

use super::id::CompileId;
use super::index::SegmentIndex;
use super::stacks::NodeIndex;
use crate::log::metadata::CompilationMetrics;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// Names a compilation within a trace for good: ids repeat when a program resets the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CompilationKey {
    /// Which of the log's processes, from 0.
    pub process: u32,
    /// Which generation of ids, from 0.
    pub generation: u32,
    /// The id.
    pub id: CompileId,
}

/// How a compilation ended: that of its last attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// A graph was compiled, with no break.
    Ok,
    /// The graph broke, and compiling was started again.
    GraphBreak,
    /// The graph holds no operation.
    Empty,
    /// Compiling failed.
    Error,
    /// The log holds no metrics of it.
    NoMetrics,
}

impl Status {
    /// Its name in `facts`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::GraphBreak => "graph break",
            Status::Empty => "empty",
            Status::Error => "error",
            Status::NoMetrics => "no metrics",
        }
    }
}

/// What an artifact says of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    /// Found.
    Hit,
    /// Not found.
    Miss,
    /// Not asked.
    Bypass,
}

impl Cache {
    /// Its name in `facts`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Cache::Hit => "hit",
            Cache::Miss => "miss",
            Cache::Bypass => "bypass",
        }
    }

    /// What the name of an artifact says, such as `fx_graph_cache_hit`.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Cache> {
        [
            ("cache_hit", Cache::Hit),
            ("cache_miss", Cache::Miss),
            ("cache_bypass", Cache::Bypass),
        ]
        .into_iter()
        .find_map(|(part, cache)| name.contains(part).then_some(cache))
    }

    /// What `cache_state` says in the payload of a `…_cache_hash` artifact of 2.4 to 2.6.
    #[must_use]
    pub fn of_state(state: &str) -> Option<Cache> {
        match state {
            "hit" => Some(Cache::Hit),
            "miss" => Some(Cache::Miss),
            "bypass" => Some(Cache::Bypass),
            _ => None,
        }
    }
}

/// An artifact: a record with something to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Artifact {
    /// The record.
    pub record: SegmentIndex,
    /// Bytes of its payload, as PyTorch wrote them.
    pub bytes: u64,
    /// What it says of a cache.
    pub cache: Option<Cache>,
}

/// Why a compilation failed.
#[derive(Debug, Clone, PartialEq)]
pub struct CompilationFailure {
    /// What ended it.
    pub cause: Cause,
    /// What it said.
    pub reason: Option<String>,
    /// The record that says so.
    pub record: SegmentIndex,
}

/// What ended a compilation that failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
    /// An exception, which its metrics name.
    Exception {
        /// Its type, where the metrics say it.
        kind: Option<String>,
        /// The user's file that it points to.
        file: Option<String>,
        /// The line in it, from 1.
        line: Option<i64>,
    },
    /// The recompile limit, of which the console warns: nothing was raised.
    RecompileLimit,
}

/// What the metrics say of the last attempt.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Metrics {
    /// Operations in the graph.
    pub ops: Option<i64>,
    /// Guards.
    pub guards: Option<i64>,
    /// Seconds for the whole frame.
    pub seconds: Option<f64>,
    /// Whether it failed.
    pub failed: bool,
    /// Whether attempts before it were given up.
    pub restarted: bool,
}

/// A compilation.
#[derive(Debug, Clone)]
pub struct Compilation {
    /// Its name.
    pub key: CompilationKey,
    /// Number of attempts.
    pub attempts: u32,
    /// The function's name.
    pub function: Option<String>,
    /// The file that defines it.
    pub file: Option<String>,
    /// The line where it begins.
    pub line: Option<i64>,
    /// What the last `compilation_metrics` says.
    pub metrics: Option<Metrics>,
    /// Seconds that compiling its backward took.
    pub backward_seconds: f64,
    /// Whether compiling its backward failed.
    pub backward_failed: bool,
    /// Why attempts were given up.
    pub restart_reasons: Vec<String>,
    /// Why it failed.
    pub failures: Vec<CompilationFailure>,
    /// Its artifacts, in the order of the log.
    pub artifacts: Vec<Artifact>,
    /// The stack of its first start, as a node of the trace's stacks.
    pub stack: Option<NodeIndex>,
    /// The `dynamo_start` of each attempt, in the order of the log.
    pub starts: Vec<SegmentIndex>,
    /// Its metrics of any kind, in the order of the log.
    pub metrics_records: Vec<SegmentIndex>,
    /// Whether it is known from console messages, which hold no metrics.
    pub is_console: bool,
    /// Whether a record says that its graph broke: a branch on what a tensor holds needs no restart.
    pub broke: bool,
}

impl Compilation {
    /// A compilation of which nothing is known yet.
    #[must_use]
    pub fn new(key: CompilationKey) -> Self {
        Compilation {
            key,
            attempts: 1,
            function: None,
            file: None,
            line: None,
            metrics: None,
            backward_seconds: 0.0,
            backward_failed: false,
            restart_reasons: Vec::new(),
            failures: Vec::new(),
            artifacts: Vec::new(),
            stack: None,
            starts: Vec::new(),
            metrics_records: Vec::new(),
            is_console: false,
            broke: false,
        }
    }

    /// How it ended.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.metrics {
            None => Status::NoMetrics,
            Some(metrics) if metrics.failed || self.backward_failed => Status::Error,
            Some(_) if self.broke => Status::GraphBreak,
            Some(metrics) if metrics.ops.unwrap_or(0) <= 0 => Status::Empty,
            Some(metrics) if metrics.restarted => Status::GraphBreak,
            Some(_) => Status::Ok,
        }
    }

    /// Seconds spent on it, forward and backward; absent where no metrics tell.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        let forward = self.metrics.and_then(|metrics| metrics.seconds);
        (forward.is_some() || self.backward_seconds > 0.0)
            .then(|| forward.unwrap_or(0.0) + self.backward_seconds)
    }

    /// Whether it compiled a frame that had been compiled before. A call that hit the recompile limit has
    /// an id too, but compiling did not begin.
    #[must_use]
    pub fn is_recompile(&self) -> bool {
        let began = !self.starts.is_empty()
            || self.metrics.is_some_and(|metrics| !metrics.failed)
            || (self.is_console && self.failures.is_empty());
        began && self.key.id.frame_compile_id.is_some_and(|id| id > 0)
    }

    /// Takes what a record of metrics says.
    pub fn add_metrics(
        &mut self,
        kind: MetricsKind,
        metrics: &CompilationMetrics<'_>,
        record: SegmentIndex,
    ) {
        self.metrics_records.push(record);
        let owned = |text: Option<&Cow<'_, str>>| text.map(|text| String::from(text.as_ref()));
        let seconds = metrics
            .entire_frame_compile_time_s
            .get()
            .copied()
            .or_else(|| metrics.duration_us.get().map(|us| us / 1e6))
            .or_else(|| metrics.inductor_compile_time_s.get().copied())
            .filter(|seconds| seconds.is_finite());
        // Metrics without a type of failure but with a reason fail all the same.
        let failed = metrics.fail_type.get().is_some() || metrics.fail_reason.get().is_some();
        if failed {
            self.failures.push(CompilationFailure {
                cause: Cause::Exception {
                    kind: owned(metrics.fail_type.get()),
                    file: owned(metrics.fail_user_frame_filename.get()),
                    line: metrics.fail_user_frame_lineno.get().copied(),
                },
                reason: owned(metrics.fail_reason.get()),
                record,
            });
        }
        match kind {
            MetricsKind::Runtime => {}
            MetricsKind::Backward => {
                self.backward_seconds += seconds.unwrap_or(0.0);
                self.backward_failed |= failed;
            }
            MetricsKind::Forward => {
                self.function = owned(metrics.co_name.get()).or(self.function.take());
                self.file = owned(metrics.co_filename.get()).or(self.file.take());
                self.line = metrics.co_firstlineno.get().copied().or(self.line);
                self.restart_reasons.extend(
                    metrics
                        .restart_reasons
                        .items
                        .iter()
                        .map(|r| String::from(r.as_ref())),
                );
                self.metrics = Some(Metrics {
                    ops: metrics.graph_op_count.get().copied(),
                    guards: metrics.guard_count.get().copied(),
                    seconds,
                    failed,
                    restarted: !metrics.restart_reasons.items.is_empty(),
                });
            }
        }
    }
}

/// Which part of a compilation a record of metrics is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsKind {
    /// `compilation_metrics`.
    Forward,
    /// `bwd_compilation_metrics`.
    Backward,
    /// What was measured when the compiled code ran first: `…_runtime`, since 2.7.
    Runtime,
}

impl MetricsKind {
    /// The part that a record of that kind is about, where it is a record of metrics.
    #[must_use]
    pub fn of_kind(kind: &str) -> Option<MetricsKind> {
        match kind {
            "compilation_metrics" => Some(MetricsKind::Forward),
            "bwd_compilation_metrics" | "aot_autograd_backward_compilation_metrics" => {
                Some(MetricsKind::Backward)
            }
            "compilation_metrics_runtime" | "bwd_compilation_metrics_runtime" => {
                Some(MetricsKind::Runtime)
            }
            _ => None,
        }
    }
}
