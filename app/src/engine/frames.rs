//! Why frames were compiled again: histories, causes and remedies, read in steps and kept while a log does
//! not grow.
//!
//! Start at [`Frames`]. What reasons mean is told by `core::analysis::recompiles` and `remedy`; here it
//! becomes view models, and each failed guard is looked up in the guards of the cache entry that it failed in.

mod advice;
mod guards;

use super::answers::{caller, core_key, cut, sentence, stack};
use super::protocol::{
    AdviceView, CallerView, CompilationKey, FailedGuard, FrameFacts, FrameHistoryView, FrameKey,
    FrameOrder, FramePage, FrameRow, FrameView, GuardFailureKind, LimitView, Question, ReasonView,
    SeriesView, StepRole, StepView, Subject,
};
use crate::text::no_frame;
use advice::{advice_view, cause};
use dynascope_core::analysis::recompiles::{self, Frame, History, LimitSign, Reading, Step};
use dynascope_core::analysis::remedy::{Advice, remedies};
use dynascope_core::payload::recompile::{GuardFailure, Reason};
use dynascope_core::source::Source;
use dynascope_core::trace::Trace;
use dynascope_core::trace::compilation as core;
use guards::Guards;
use std::collections::BTreeMap;

/// Histories that are kept ready, and causes that are being read.
const KEPT: usize = 4;
/// Characters of a guard or value that are shown; the record holds all of it.
const LONGEST: usize = 2_000;
/// Failed guards that are shown of a frame.
const MOST_SHOWN: usize = 8_192;
/// Things that are named of what a call brought.
const MOST_BROUGHT: usize = 4;
/// Values of a guard that are shown.
const MOST_VALUES: usize = 64;
/// Guards whose values are shown.
const MOST_SERIES: usize = 64;
/// Lines that are named of those that called a frame, and stacks in which they are looked for.
const MOST_CALLERS: usize = 8;
const MOST_STACKS: usize = 64;

/// What is known of the frames of a log.
#[derive(Debug, Default)]
pub struct Frames {
    /// The records of which it was made.
    records: usize,
    /// Whether all of the log was read then.
    is_done: bool,
    groups: Vec<Frame>,
    /// The frames that were compiled again, by recompiles and by seconds.
    orders: [Vec<u32>; 2],
    /// Whether the log says of any of these what compiling it again took.
    has_seconds: bool,
    kept: Vec<Work>,
    causes: BTreeMap<FrameKey, Cause>,
    reading: Vec<(FrameKey, (usize, bool), Reading)>,
}

/// Why a frame was compiled again, in short.
#[derive(Debug)]
struct Cause {
    /// Compilations that were known when it was found, and whether that was all of the log.
    of: (usize, bool),
    subject: Option<(Subject, Vec<String>)>,
    remedy: Option<AdviceView>,
}

/// A history that is read, or was.
#[derive(Debug)]
struct Work {
    key: FrameKey,
    only: Option<u32>,
    /// The records of the log when reading it began, and whether that was all.
    of: (usize, bool),
    reading: Reading,
    guards: Option<Guards>,
    advice: Vec<Advice>,
    is_read: bool,
}

impl Frames {
    /// Prepares to answer a question about frames: what the log did not hold yet is read again.
    pub fn begin(&mut self, trace: &Trace, question: &Question, is_done: bool) {
        let now = (trace.index.len(), is_done);
        if (self.records, self.is_done) != now {
            (self.records, self.is_done) = now;
            self.groups = recompiles::frames(trace);
            self.orders = [
                self.sorted(trace, FrameOrder::Recompiles),
                self.sorted(trace, FrameOrder::Seconds),
            ];
            let [all, _] = &self.orders;
            let mut all = all.iter().filter_map(|&i| self.groups.get(i as usize));
            self.has_seconds = all.any(|frame| {
                let mut again = again_seconds(trace, frame);
                again.next().is_some()
            });
        }
        if let Question::Frame { key, only, .. } = question {
            // What is being read is read to its end, however fast the log grows.
            let goes_on = |work: &Work| !work.is_read && !is_done;
            self.kept
                .retain(|work| work.of == now || goes_on(work) || !work.is_of(*key, *only));
        }
    }

    fn sorted(&self, trace: &Trace, order: FrameOrder) -> Vec<u32> {
        let again = |frame: &Frame| again_seconds(trace, frame).sum::<f64>();
        let mut frames: Vec<(u32, u32, f64)> = (0u32..)
            .zip(&self.groups)
            .filter(|(_, frame)| frame.recompiles > 0 || frame.limit.is_some())
            .filter(|(_, frame)| frame.key.frame_id.is_some())
            .map(|(i, frame)| (i, frame.recompiles, again(frame)))
            .collect();
        frames.sort_by(|(i, a, s), (j, b, t)| {
            let (by_count, by_time) = (b.cmp(a), t.total_cmp(s));
            match order {
                FrameOrder::Recompiles => by_count.then(by_time),
                FrameOrder::Seconds => by_time.then(by_count),
            }
            .then(i.cmp(j))
        });
        frames.into_iter().map(|(i, _, _)| i).collect()
    }

    /// Reads on; says whether the question can be answered.
    ///
    /// # Errors
    /// A sentence that says why it cannot.
    pub fn step(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        question: &Question,
    ) -> Result<bool, String> {
        match question {
            Question::Frame { key, only, .. } => self.read_history(trace, source, *key, *only),
            Question::Frames {
                order,
                first,
                count,
                ..
            } => self.read_cause(trace, source, *order, *first, *count),
            _ => Ok(true),
        }
    }

    fn read_history(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        key: FrameKey,
        only: Option<u32>,
    ) -> Result<bool, String> {
        if !self.kept.iter().any(|work| work.is_of(key, only)) {
            let mut frame = self.find(key)?.clone();
            if only.is_some() {
                let is_it = |&i: &usize| {
                    let compilation = trace.compilations.get(i);
                    compilation.is_some_and(|c| c.key.id.frame_compile_id == only)
                };
                frame.compilations.retain(is_it);
            }
            if self.kept.len() >= KEPT {
                self.kept.remove(0);
            }
            self.kept.push(Work {
                key,
                only,
                of: (self.records, self.is_done),
                reading: Reading::new(frame),
                guards: None,
                advice: Vec::new(),
                is_read: false,
            });
        }
        match self.kept.iter_mut().find(|work| work.is_of(key, only)) {
            Some(work) => work.step(trace, source),
            None => Ok(true),
        }
    }

    fn read_cause(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        order: FrameOrder,
        first: u32,
        count: u32,
    ) -> Result<bool, String> {
        // Reasons lie all over the file: to read them again would hold up the reading of the log.
        if !self.is_done {
            return Ok(true);
        }
        let unknown = self.shown(order, first, count).find_map(|frame| {
            let key = key_of(frame)?;
            let now = (frame.compilations.len(), self.is_done);
            let known = self.causes.get(&key).map(|cause| cause.of);
            (known != Some(now)).then_some((key, frame, now))
        });
        let Some((key, frame, now)) = unknown else {
            return Ok(true);
        };
        let is_it =
            |(of, known, _): &(FrameKey, (usize, bool), Reading)| (*of, *known) == (key, now);
        let place = match self.reading.iter().position(is_it) {
            Some(place) => place,
            None => {
                let reading = Reading::new(frame.clone());
                if self.reading.len() >= KEPT {
                    self.reading.remove(0);
                }
                self.reading.push((key, now, reading));
                self.reading.len() - 1
            }
        };
        let Some((_, _, reading)) = self.reading.get_mut(place) else {
            return Ok(true);
        };
        if reading.step(trace, source).map_err(sentence)? {
            return Ok(false);
        }
        let (advice, nothing) = (remedies(reading.history()), Guards::default());
        let cause = Cause {
            of: now,
            subject: cause(reading.history(), &nothing, &advice),
            remedy: advice
                .first()
                .map(|first| advice_view(trace, reading.history(), &nothing, first)),
        };
        self.reading.remove(place);
        self.causes.insert(key, cause);
        Ok(false)
    }

    fn shown(&self, order: FrameOrder, first: u32, count: u32) -> impl Iterator<Item = &Frame> {
        let [by_count, by_time] = &self.orders;
        let order = match order {
            FrameOrder::Recompiles => by_count,
            FrameOrder::Seconds => by_time,
        };
        let shown = order.iter().skip(first as usize).take(count as usize);
        shown.filter_map(|&i| self.groups.get(i as usize))
    }

    fn find(&self, key: FrameKey) -> Result<&Frame, String> {
        self.groups
            .iter()
            .find(|frame| key_of(frame) == Some(key))
            .ok_or_else(|| no_frame(key.frame_id))
    }

    /// A stretch of the frames that were compiled again, with their causes as far as they were read.
    #[must_use]
    pub fn page(&self, trace: &Trace, order: FrameOrder, first: u32, count: u32) -> FramePage {
        let row = |frame: &Frame| {
            let facts = facts(trace, frame)?;
            let cause = self.causes.get(&facts.key);
            Some(FrameRow {
                cause: cause.and_then(|cause| cause.subject.clone()),
                remedy: cause.and_then(|cause| cause.remedy.clone()),
                is_read: cause.is_some(),
                facts,
            })
        };
        let [all, _] = &self.orders;
        FramePage {
            total: small(all.len()),
            first,
            rows: self.shown(order, first, count).filter_map(row).collect(),
            has_seconds: self.has_seconds,
        }
    }

    /// A frame's history that was read.
    ///
    /// # Errors
    /// A sentence that says why there is none.
    pub fn history(
        &self,
        trace: &Trace,
        key: FrameKey,
        only: Option<u32>,
    ) -> Result<FrameHistoryView, String> {
        let frame = self.find(key)?;
        let work = self.kept.iter().find(|work| work.is_of(key, only));
        let work = work.ok_or("This frame's history is not read yet.")?;
        let history = work.reading.history();
        let nothing = Guards::default();
        let guards = work.guards.as_ref().unwrap_or(&nothing);
        let facts = facts(trace, frame).ok_or_else(|| no_frame(key.frame_id))?;
        let mut room = MOST_SHOWN;
        let steps: Vec<StepView> = (0u32..)
            .zip(&history.steps)
            .filter_map(|(at, step)| {
                step_view(trace, frame, history, guards, (at, step), &mut room)
            })
            .collect();
        let unread = history.frame.compilations.len() - history.steps.len();
        Ok(FrameHistoryView {
            callers: callers(trace, frame),
            unread: small(unread),
            cause: cause(history, guards, &work.advice),
            series: series(history, guards),
            advice: work
                .advice
                .iter()
                .map(|advice| advice_view(trace, history, guards, advice))
                .collect(),
            is_recompile_limit: trace.torch_version().and_then(has_recompile_limit),
            facts,
            steps,
        })
    }
}

impl Work {
    fn is_of(&self, key: FrameKey, only: Option<u32>) -> bool {
        self.key == key && self.only == only
    }

    fn step(&mut self, trace: &Trace, source: &dyn Source) -> Result<bool, String> {
        if self.is_read {
            return Ok(true);
        }
        let Some(guards) = &mut self.guards else {
            if !self.reading.step(trace, source).map_err(sentence)? {
                self.guards = Some(Guards::of(trace, self.reading.history()));
            }
            return Ok(false);
        };
        if guards
            .step(trace, source, self.reading.history())
            .map_err(sentence)?
        {
            return Ok(false);
        }
        self.advice = remedies(self.reading.history());
        self.is_read = true;
        Ok(true)
    }
}

fn key_of(frame: &Frame) -> Option<FrameKey> {
    Some(FrameKey {
        process: frame.key.process,
        generation: frame.key.generation,
        autograd: frame.key.compiled_autograd_id,
        frame_id: frame.key.frame_id?,
    })
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The frame that a compilation belongs to, and its number within it, where it compiled the frame again.
#[must_use]
pub fn again(key: &CompilationKey) -> Option<(FrameKey, u32)> {
    let id = core_key(key)?.id;
    let number = id.frame_compile_id.filter(|number| *number > 0)?;
    let key = FrameKey {
        process: key.process,
        generation: key.generation,
        autograd: id.compiled_autograd_id,
        frame_id: id.frame_id?,
    };
    Some((key, number))
}

/// Whether a version calls the limit `recompile_limit`: 2.7 does first.
fn has_recompile_limit(version: &str) -> Option<bool> {
    let minor = version.strip_prefix("2.")?;
    let end = minor
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(minor.len());
    let minor: u32 = minor.get(..end)?.parse().ok()?;
    Some(minor >= 7)
}

/// What each compilation that compiled a frame again took, where metrics tell.
fn again_seconds<'a>(trace: &'a Trace, frame: &'a Frame) -> impl Iterator<Item = f64> + 'a {
    let all = frame.compilations.iter();
    let all = all.filter_map(|&i| trace.compilations.get(i));
    all.filter(|compilation| compilation.is_recompile())
        .filter_map(core::Compilation::seconds)
}

/// The lines of the program that called a frame, in the order in which they first did.
fn callers(trace: &Trace, frame: &Frame) -> Vec<CallerView> {
    let mut seen = Vec::new();
    let mut callers: Vec<CallerView> = Vec::new();
    for &i in &frame.compilations {
        let Some(compilation) = trace.compilations.get(i) else {
            continue;
        };
        // Most calls come the same way.
        if compilation.stack.is_none() || seen.contains(&compilation.stack) {
            continue;
        }
        if callers.len() >= MOST_CALLERS || seen.len() >= MOST_STACKS {
            break;
        }
        seen.push(compilation.stack);
        let frames = stack(trace, compilation);
        let caller = caller(
            &frames,
            compilation.function.as_deref(),
            compilation.file.as_deref(),
        );
        if let Some(caller) = caller
            && !callers.iter().any(|known| known.frame == *caller)
        {
            callers.push(CallerView {
                frame: caller.clone(),
                key: (&compilation.key).into(),
                label: trace.label(&compilation.key),
            });
        }
    }
    callers
}

fn facts(trace: &Trace, frame: &Frame) -> Option<FrameFacts> {
    let all = || {
        let all = frame.compilations.iter();
        all.filter_map(|&i| trace.compilations.get(i))
    };
    let sum = |seconds: Vec<f64>| (!seconds.is_empty()).then(|| seconds.iter().sum());
    let seconds = all().filter_map(core::Compilation::seconds).collect();
    let again = again_seconds(trace, frame).collect();
    let function = frame.function(trace);
    let limit = frame.limit.and_then(|limit| {
        let compilation = trace.compilations.get(limit.compilation)?;
        Some(LimitView {
            key: (&compilation.key).into(),
            label: trace.label(&compilation.key),
            limit: limit.limit,
            is_said: limit.sign == LimitSign::Failure,
        })
    });
    Some(FrameFacts {
        key: key_of(frame)?,
        function: function.and_then(|c| c.function.clone()),
        file: function.and_then(|c| c.file.clone()),
        line: function.and_then(|c| c.line),
        compilations: small(frame.compilations.len()) - u32::from(limit.is_some()),
        recompiles: frame.recompiles,
        restarts: frame.restarts,
        seconds: sum(seconds),
        seconds_again: sum(again),
        limit,
    })
}

/// A guard or value as far as it is shown.
fn as_shown(text: &str) -> String {
    cut(text, LONGEST)
}

fn subject(failure: &GuardFailure) -> Subject {
    Subject {
        kind: failure.kind,
        source: as_shown(failure.source.as_deref().unwrap_or_default()),
        index: failure.index,
        state: failure.state.clone(),
    }
}

fn step_view(
    trace: &Trace,
    frame: &Frame,
    history: &History,
    guards: &Guards,
    (at, step): (u32, &Step),
    room: &mut usize,
) -> Option<StepView> {
    let compilation = trace.compilations.get(step.compilation)?;
    let is_limit = frame
        .limit
        .is_some_and(|limit| limit.compilation == step.compilation);
    // A console log may not tell of the first one.
    let is_first =
        frame.compilations.first() == Some(&step.compilation) && !compilation.is_recompile();
    let mut brought: Vec<(Subject, String)> = Vec::new();
    let mut reasons = Vec::new();
    for (reason_at, reason) in (0u32..).zip(&step.reasons) {
        let mut failures = Vec::new();
        for (part_at, failure) in (0u32..).zip(&reason.parts) {
            if *room == 0 {
                break;
            }
            *room -= 1;
            let met = step
                .frame_compile_id
                .and_then(|id| guards.met(history, failure, id));
            let subject = subject(failure);
            if brought.len() < MOST_BROUGHT && !brought.iter().any(|(known, _)| *known == subject) {
                let value = failure.actual.as_deref().or(met).unwrap_or_default();
                brought.push((subject.clone(), as_shown(value)));
            }
            failures.push(FailedGuard {
                subject,
                guard: as_shown(&failure.guard),
                expected: failure.expected.as_deref().map(as_shown),
                actual: failure.actual.as_deref().or(met).map(as_shown),
                is_inferred: failure.actual.is_none() && met.is_some(),
                user: failure.user.as_ref().map(|user| FrameView {
                    file: Some(as_shown(&user.file)),
                    line: Some(i64::from(user.line)),
                    function: as_shown(&user.function),
                    source: user.code.as_deref().map(as_shown),
                    dumped: None,
                }),
                hint: failure.hint.as_deref().map(as_shown),
                node: guards.node((at, reason_at, part_at)),
            });
        }
        if !failures.is_empty() {
            let entry = entry(trace, compilation, reason);
            reasons.push(ReasonView { entry, failures });
        }
    }
    let is_of_metrics = step
        .record
        .is_some_and(|record| compilation.metrics_records.contains(&record));
    Some(StepView {
        key: (&compilation.key).into(),
        label: trace.label(&compilation.key),
        status: compilation.status().into(),
        role: match (is_limit, is_first) {
            (true, _) => StepRole::Limit,
            (_, true) => StepRole::First,
            _ => StepRole::Again,
        },
        restarts: compilation.attempts.saturating_sub(1),
        seconds: compilation.seconds(),
        brought,
        is_whole: step.whole && reasons.len() == step.reasons.len(),
        reasons,
        record: step.record,
        is_of_metrics,
    })
}

/// The key of the cache entry that a reason is about.
fn entry_key(compilation: &core::Compilation, reason: &Reason) -> Option<core::CompilationKey> {
    Some(core::CompilationKey {
        id: reason.entry?,
        ..compilation.key
    })
}

fn entry(
    trace: &Trace,
    compilation: &core::Compilation,
    reason: &Reason,
) -> Option<(CompilationKey, String)> {
    let key = entry_key(compilation, reason)?;
    Some(((&key).into(), trace.label(&key)))
}

fn series(history: &History, guards: &Guards) -> Vec<SeriesView> {
    let all = history.series.iter().enumerate().take(MOST_SERIES);
    all.map(|(at, series)| {
        let values = guards.values(at, series);
        SeriesView {
            subject: Subject {
                kind: series.kind,
                source: as_shown(&series.source),
                index: series.index,
                state: Vec::new(),
            },
            total: small(values.len()),
            free_since: guards.free_since(at),
            values: values
                .into_iter()
                .take(MOST_VALUES)
                .map(|(id, value)| (id, as_shown(value)))
                .collect(),
        }
    })
    .collect()
}

/// Whether a failure is of a kind that is looked up in a tensor's guard.
fn is_of_tensor(kind: GuardFailureKind) -> bool {
    matches!(
        kind,
        GuardFailureKind::Size
            | GuardFailureKind::Stride
            | GuardFailureKind::Dtype
            | GuardFailureKind::Rank
            | GuardFailureKind::RequiresGrad
            | GuardFailureKind::Device
            | GuardFailureKind::DispatchKeys
            | GuardFailureKind::TensorType
    )
}

#[cfg(test)]
mod tests;
