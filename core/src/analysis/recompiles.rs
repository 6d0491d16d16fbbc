//! The frames of a program, and why each was compiled again and again.
//!
//! [`frames`] groups compilations by frame; it reads nothing. [`Reading`] reads the reasons of one frame,
//! a compilation a step; what it has so far is a [`History`]: reasons, and the values that each guard saw.
//! Both may be asked while the log is still being read. [`super::remedy`] tells what to do about it.

mod why;

use crate::payload::recompile::{GuardFailureKind, Reason};
use crate::source::{Source, SourceError};
use crate::trace::Trace;
use crate::trace::compilation::{Cause, Compilation};
use crate::trace::index::SegmentIndex;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashMap;
pub use why::{Why, reasons_of};

/// Names a frame for good: the same code of the same process, between two resets of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameKey {
    /// Which of the log's processes, from 0.
    pub process: u32,
    /// Which generation of ids, from 0.
    pub generation: u32,
    /// The compiled autograd graph that it runs under (2.7+).
    pub compiled_autograd_id: Option<u32>,
    /// The frame's id.
    pub frame_id: Option<u32>,
}

impl FrameKey {
    /// The frame of a compilation.
    #[must_use]
    pub fn of(compilation: &Compilation) -> FrameKey {
        let key = compilation.key;
        FrameKey {
            process: key.process,
            generation: key.generation,
            compiled_autograd_id: key.id.compiled_autograd_id,
            frame_id: key.id.frame_id,
        }
    }
}

/// A frame with its compilations.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Its name.
    pub key: FrameKey,
    /// Its compilations in the order in which they began, as indices into the trace's.
    pub compilations: Vec<usize>,
    /// How many of them compiled it again. A call that hit the limit is none.
    pub recompiles: u32,
    /// Attempts that were given up and started again, over all compilations.
    pub restarts: u32,
    /// Seconds spent on all of them, as far as metrics tell.
    pub seconds: f64,
    /// Whether the recompile limit was hit.
    pub limit: Option<Limit>,
}

/// That the recompile limit was hit: from there on the frame runs without being compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The call that hit it, as an index into the trace's compilations.
    pub compilation: usize,
    /// What tells.
    pub sign: LimitSign,
    /// The limit, where PyTorch says it: `(currently set to 8)`, 2.7+.
    pub limit: Option<u32>,
}

/// What tells that the recompile limit was hit. A trace of 2.3 and 2.4 does not show it at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSign {
    /// A failure that says so (2.7+), or the console's warning.
    Failure,
    /// Reasons under a new id, and no `dynamo_start` (2.5 and 2.6). A log that is cut there, or read no
    /// further yet, looks the same.
    NotStarted,
}

/// Groups a trace's compilations by frame, in the order of each frame's first. One pass.
#[must_use]
pub fn frames(trace: &Trace) -> Vec<Frame> {
    let mut places: HashMap<FrameKey, usize> = HashMap::new();
    let mut frames: Vec<Frame> = Vec::new();
    for (i, compilation) in trace.compilations.iter().enumerate() {
        let key = FrameKey::of(compilation);
        let place = *places.entry(key).or_insert(frames.len());
        if place == frames.len() {
            frames.push(Frame {
                key,
                compilations: Vec::new(),
                recompiles: 0,
                restarts: 0,
                seconds: 0.0,
                limit: None,
            });
        }
        if let Some(frame) = frames.get_mut(place) {
            frame.add(trace, i, compilation);
        }
    }
    frames
}

impl Frame {
    fn add(&mut self, trace: &Trace, i: usize, compilation: &Compilation) {
        self.compilations.push(i);
        self.recompiles += u32::from(compilation.is_recompile());
        self.restarts = self
            .restarts
            .saturating_add(compilation.attempts.saturating_sub(1));
        self.seconds += compilation.seconds().unwrap_or(0.0);
        if self
            .limit
            .is_none_or(|limit| limit.sign == LimitSign::NotStarted)
        {
            self.limit = limit(trace, i, compilation).or(self.limit);
        }
    }

    /// What is known of the function: the compilation that names it.
    #[must_use]
    pub fn function<'a>(&self, trace: &'a Trace) -> Option<&'a Compilation> {
        self.compilations
            .iter()
            .filter_map(|&i| trace.compilations.get(i))
            .find(|compilation| compilation.function.is_some())
    }
}

/// What failures at the limit say, in `torch/_dynamo/convert_frame.py` and `exc.py`.
const AT_THE_LIMIT: [&str; 5] = [
    "torch._dynamo hit config.",
    "recompile limit exceeded",
    "cache limit exceeded",
    "recompile_limit reached",
    "cache_size_limit reached",
];

fn limit(trace: &Trace, i: usize, compilation: &Compilation) -> Option<Limit> {
    let said = compilation.failures.iter().find_map(|failure| {
        let reason = failure.reason.as_deref().unwrap_or_default();
        let by_type = match &failure.cause {
            Cause::Exception { kind, .. } => matches!(
                kind.as_deref(),
                Some("RecompileLimitExceeded" | "FailOnRecompileLimitHit")
            ),
            Cause::RecompileLimit => true,
        };
        (by_type || AT_THE_LIMIT.iter().any(|text| reason.contains(text))).then_some(reason)
    });
    if let Some(reason) = said {
        // The console's warning: `torch._dynamo hit config.recompile_limit (8)`.
        let number = ["currently set to ", "_limit ("]
            .iter()
            .find_map(|before| reason.split_once(before))
            .and_then(|(_, rest)| rest.split_once(')'));
        return Some(Limit {
            compilation: i,
            sign: LimitSign::Failure,
            limit: number.and_then(|(number, _)| number.parse().ok()),
        });
    }
    // The console tells of the limit in words.
    let not_started = !compilation.is_console
        && compilation.starts.is_empty()
        && compilation.metrics.is_none()
        && why::artifact(trace, compilation).is_some();
    not_started.then_some(Limit {
        compilation: i,
        sign: LimitSign::NotStarted,
        limit: None,
    })
}

/// A compilation of a frame, and why it came to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The compilation, as an index into the trace's.
    pub compilation: usize,
    /// Which compilation of the frame, from 0.
    pub frame_compile_id: Option<u32>,
    /// Seconds spent on it; absent where no metrics tell.
    pub seconds: Option<f64>,
    /// Why each cache entry could not be used, in PyTorch's order: the newest first.
    pub reasons: Vec<Reason>,
    /// The record that says so: the artifact `recompile_reasons` (2.5+), else the metrics (2.7+).
    pub record: Option<SegmentIndex>,
    /// Whether these are all reasons of the record. The metrics only ever tell the first.
    pub whole: bool,
}

/// What a guard saw over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What is guarded.
    pub source: String,
    /// What the guard checks.
    pub kind: GuardFailureKind,
    /// The dimension or place.
    pub index: Option<u32>,
    /// The value that each compilation of the frame met, by `frame_compile_id`. A value is known from the
    /// guard that it left behind, or where a later reason says what came. At most [`LONGEST_SERIES`].
    pub values: BTreeMap<u32, String>,
}

/// Values that are kept of one guard.
pub const LONGEST_SERIES: usize = 1024;
/// Compilations of a frame whose reasons are read.
pub const MOST_READ: usize = 1024;
/// Bytes of reasons that are read of one frame: the compilations share them.
const READ_OF_FRAME: usize = 8 << 20;
/// Bytes of reasons that are read of one compilation, at most.
const READ_OF_COMPILATION: usize = 256 << 10;
/// Failures that are kept of one frame; of each compilation at least the first reason is.
const MOST_FAILURES: usize = 1 << 16;
/// Failures that are kept of one reason.
const MOST_PARTS: usize = 16;
/// Guards whose values are kept.
pub const MOST_SERIES: usize = 1024;
/// A frame's compilations, with reasons and values as far as they were read.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The frame.
    pub frame: Frame,
    /// Its compilations in their order, those that were read.
    pub steps: Vec<Step>,
    /// What failing guards saw, in the order in which they failed first. At most [`MOST_SERIES`].
    pub series: Vec<Series>,
}

impl History {
    /// What one guard saw.
    #[must_use]
    pub fn series_of(
        &self,
        kind: GuardFailureKind,
        source: &str,
        index: Option<u32>,
    ) -> Option<&Series> {
        self.series
            .iter()
            .find(|series| series.kind == kind && series.source == source && series.index == index)
    }
}

/// Reads a frame's history, a compilation a step.
#[derive(Debug)]
pub struct Reading {
    history: History,
    places: HashMap<(GuardFailureKind, Option<u32>), HashMap<String, usize>>,
    /// Bytes that are read of each compilation.
    share: usize,
    /// Failures that may still be kept.
    room: usize,
}

impl Reading {
    /// Begins to read. Frames with more than [`MOST_READ`] compilations are read as far as that.
    #[must_use]
    pub fn new(frame: Frame) -> Self {
        let read = frame.compilations.len().clamp(1, MOST_READ);
        Reading {
            share: (READ_OF_FRAME / read).min(READ_OF_COMPILATION),
            history: History {
                frame,
                steps: Vec::new(),
                series: Vec::new(),
            },
            places: HashMap::new(),
            room: MOST_FAILURES,
        }
    }

    /// Reads the next compilation; says whether there was one.
    ///
    /// # Errors
    /// What the source gives; the same compilation is tried again then.
    pub fn step(&mut self, trace: &Trace, source: &dyn Source) -> Result<bool, SourceError> {
        let at = self.history.steps.len();
        let next = self
            .history
            .frame
            .compilations
            .get(at)
            .filter(|_| at < MOST_READ);
        let Some((&i, compilation)) = next.and_then(|i| Some((i, trace.compilations.get(*i)?)))
        else {
            return Ok(false);
        };
        let mut why = reasons_of(trace, source, compilation, self.share)?;
        self.shorten(&mut why);
        let id = compilation.key.id.frame_compile_id;
        for reason in &why.reasons {
            self.note(id, reason);
        }
        self.history.steps.push(Step {
            compilation: i,
            frame_compile_id: id,
            seconds: compilation.seconds(),
            reasons: why.reasons,
            record: why.record,
            whole: why.whole,
        });
        Ok(true)
    }

    /// What was read so far.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Leaves out what a hostile log has too many of.
    fn shorten(&mut self, why: &mut Why) {
        let mut keep = 0;
        for reason in &mut why.reasons {
            why.whole &= reason.parts.len() <= MOST_PARTS;
            reason.parts.truncate(MOST_PARTS);
            if keep > 0 && self.room < reason.parts.len().max(1) {
                break;
            }
            self.room = self.room.saturating_sub(reason.parts.len().max(1));
            keep += 1;
        }
        why.whole &= keep == why.reasons.len();
        why.reasons.truncate(keep);
        why.reasons.shrink_to_fit();
    }

    /// Adds what a reason of compilation `id` says to the series.
    fn note(&mut self, id: Option<u32>, reason: &Reason) {
        let entry = reason.entry.and_then(|entry| entry.frame_compile_id);
        for failure in &reason.parts {
            let Some(source) = &failure.source else {
                continue;
            };
            if failure.expected.is_none() && failure.actual.is_none() {
                continue;
            }
            let next = self.history.series.len();
            // A place beyond the last one stands for none.
            let places = self
                .places
                .entry((failure.kind, failure.index))
                .or_default();
            let place = *places.entry_ref(source.as_str()).or_insert(next);
            if place == next && next < MOST_SERIES {
                self.history.series.push(Series {
                    source: source.clone(),
                    kind: failure.kind,
                    index: failure.index,
                    values: BTreeMap::new(),
                });
            }
            let Some(series) = self.history.series.get_mut(place) else {
                continue;
            };
            for (id, value) in [(entry, &failure.expected), (id, &failure.actual)] {
                let (Some(id), Some(value)) = (id, value) else {
                    continue;
                };
                if series.values.len() < LONGEST_SERIES && !series.values.contains_key(&id) {
                    series.values.insert(id, value.clone());
                }
            }
        }
    }
}

/// Reads a frame's history at once.
///
/// # Errors
/// What the source gives.
pub fn history(trace: &Trace, source: &dyn Source, frame: Frame) -> Result<History, SourceError> {
    let mut reading = Reading::new(frame);
    while reading.step(trace, source)? {}
    Ok(reading.history)
}

#[cfg(test)]
mod tests;
