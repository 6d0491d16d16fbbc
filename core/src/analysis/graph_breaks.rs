//! Where the graphs of a log broke: each place and reason once, with how often, and what was compiled behind it.
//!
//! Start at [`GraphBreaks::step`]. PyTorch 2.6 and later log each break; so does the console. What is not logged is
//! told by the names of the functions in which a program goes on behind a break (`torch_dynamo_resume_in_f_at_7`,
//! torch/_dynamo/resume_execution.py), and by the reasons for which an attempt was given up (`restart_reasons` of
//! the metrics, 2.4+).

mod inferred;
#[cfg(test)]
mod tests;

use crate::payload::graph_break::kinds::BreakKind;
use crate::payload::graph_break::message::Message;
use crate::payload::graph_break::{self, ARTIFACT, GraphBreak};
use crate::payload::traceback::Frame;
use crate::source::{Source, SourceError};
use crate::trace::Trace;
use crate::trace::index::SegmentIndex;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashMap;
pub use inferred::{Resume, resumes};

/// Records that a step looks at.
const RECORDS: u32 = 1 << 15;
/// Bytes of messages that a step reads, roughly.
const STEP: usize = 1 << 20;
/// Bytes that are read of one message: what it says stands at its beginning.
const LARGEST: usize = 256 << 10;
/// Bytes that are kept of a part of a message.
const LONGEST: usize = 8 << 10;
/// Calls that are kept of a stack, at its outer and its inner end; messages and hints that are kept of a break.
const CALLS: (usize, usize) = (60, 140);
const ITEMS: usize = 20;
/// Calls on the way to breaks that are remembered.
const MOST_CALLS: usize = 1 << 16;
/// Places and reasons that are told apart; more are counted.
const MOST: usize = 4_096;

/// The graph breaks of a log.
#[derive(Debug, Default)]
pub struct GraphBreaks {
    next: SegmentIndex,
    is_done: bool,
    distinct: Vec<Distinct>,
    by: HashMap<(Option<String>, Option<u32>, String), usize>,
    /// Calls on the way to a break: a graph that breaks in a function that was called breaks its callers' graphs, too,
    /// and the program goes on in them at these lines.
    on_way: HashMap<(String, u32), usize>,
    /// Breaks that are of none of [`Self::distinct`], because these are too many.
    left_out: u32,
    /// Records that say something else than what is known of breaks.
    unread: u32,
}

/// A place at which graphs broke for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distinct {
    /// What broke it.
    pub kind: BreakKind,
    /// What is said of it the first time; of huge messages and stacks the beginning, and the end of the stack.
    pub first: GraphBreak,
    /// Calls in the middle of its stack that are not kept.
    pub more_calls: u32,
    /// How often the log says so; 0 where it does not say it at all.
    pub count: u32,
    /// The records that say so.
    pub records: Vec<SegmentIndex>,
    /// The compilations that broke there, as places in [`Trace::compilations`].
    pub compilations: Vec<usize>,
    /// How often a whole frame is not compiled for it.
    pub skips: u32,
    /// The compilations that were given up for it.
    pub skipped: Vec<usize>,
    /// Compilations of functions in which the program goes on behind it.
    pub resumed: Vec<usize>,
}

impl Distinct {
    /// A place of which this break is the first one, not counted yet.
    fn new(first: GraphBreak) -> Distinct {
        Distinct {
            kind: BreakKind::of_all(&first.messages),
            first,
            more_calls: 0,
            count: 0,
            records: Vec::new(),
            compilations: Vec::new(),
            skips: 0,
            skipped: Vec::new(),
            resumed: Vec::new(),
        }
    }

    /// Whether no record says so, and it follows from the names of functions or from restarts.
    #[must_use]
    pub fn is_inferred(&self) -> bool {
        self.records.is_empty()
    }

    /// Seconds spent on compiling what follows behind it, where metrics tell.
    #[must_use]
    pub fn seconds(&self, trace: &Trace) -> Option<f64> {
        let seconds = self
            .resumed
            .iter()
            .filter_map(|&i| trace.compilations.get(i)?.seconds());
        seconds.reduce(|sum, more| sum + more)
    }
}

impl GraphBreaks {
    /// Reads on; says whether all of the log was read.
    ///
    /// # Errors
    /// What the source gives.
    pub fn step(&mut self, trace: &Trace, source: &dyn Source) -> Result<bool, SourceError> {
        let mut left = STEP;
        for _ in 0..RECORDS {
            if self.is_done || left == 0 {
                break;
            }
            let record = self.next;
            if trace.index.get(record).is_none() {
                self.left_out = self.left_out.saturating_add(inferred::complete(
                    trace,
                    &mut self.distinct,
                    &self.on_way,
                ));
                (self.by, self.on_way) = (HashMap::new(), HashMap::new());
                self.is_done = true;
                break;
            }
            self.next = record.saturating_add(1);
            let kind = trace.kind_of(record);
            if kind.is_some_and(|kind| kind.name.as_deref() == Some(ARTIFACT)) {
                left = left.saturating_sub(self.read(trace, source, record)?);
            }
        }
        Ok(self.is_done)
    }

    /// Whether all of the log was read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_done
    }

    /// The places, those that broke most often first; of equal ones those behind which most was compiled.
    #[must_use]
    pub fn distinct(&self) -> &[Distinct] {
        &self.distinct
    }

    /// Breaks that are in none of [`GraphBreaks::distinct`], because there are too many places.
    #[must_use]
    pub fn left_out(&self) -> u32 {
        self.left_out
    }

    /// Records of breaks that could not be read.
    #[must_use]
    pub fn unread(&self) -> u32 {
        self.unread
    }

    /// Reads what a record says; gives the bytes that were read for it.
    fn read(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        record: SegmentIndex,
    ) -> Result<usize, SourceError> {
        let Some(segment) = trace.segment(source, record)? else {
            return Ok(0);
        };
        let text = segment.payload.read(source, LARGEST)?;
        let Some(mut found) = graph_break::read(&String::from_utf8_lossy(&text)) else {
            self.unread = self.unread.saturating_add(1);
            return Ok(text.len());
        };
        shorten(&mut found.messages);
        let more_calls = shorten_stack(&mut found.stack);
        let Some(place) = self.place_of(&found) else {
            return Ok(text.len());
        };
        for call in &found.stack {
            if let (Some(line), true) = (call.line, self.on_way.len() < MOST_CALLS) {
                self.on_way
                    .entry((call.file.clone(), line))
                    .or_insert(place);
            }
        }
        let entry = trace.index.get(record);
        let compilation = entry.and_then(|entry| entry.compilation());
        if let Some(distinct) = self.distinct.get_mut(place) {
            distinct.count = distinct.count.saturating_add(1);
            distinct.records.push(record);
            if found.is_skip {
                distinct.skips = distinct.skips.saturating_add(1);
                distinct.skipped.extend(compilation);
            }
            if let Some(compilation) = compilation
                && distinct.compilations.last() != Some(&compilation)
            {
                distinct.compilations.push(compilation);
            }
            // PyTorch leaves the stack out where a place was named before, perhaps in another log.
            if distinct.first.stack.is_empty() {
                (distinct.first.stack, distinct.more_calls) = (found.stack, more_calls);
            }
        }
        Ok(text.len())
    }

    /// The place and reason of a break, which may be new; `None` where there are too many.
    fn place_of(&mut self, found: &GraphBreak) -> Option<usize> {
        let reason = found.reason().unwrap_or_default();
        let key = (found.file.clone(), found.line, String::from(reason));
        if let Some(place) = self.by.get(&key) {
            return Some(*place);
        }
        let place = self.distinct.len();
        if place >= MOST {
            self.left_out = self.left_out.saturating_add(1);
            return None;
        }
        self.by.insert(key, place);
        // Its stack is that of the first record that has one.
        self.distinct.push(Distinct::new(GraphBreak {
            stack: Vec::new(),
            ..found.clone()
        }));
        Some(place)
    }
}

/// Keeps of messages what a person reads: a hostile log holds thousands of large ones.
fn shorten(messages: &mut Vec<Message>) {
    let cut = |text: &mut String| {
        let ends = 0..=LONGEST.min(text.len());
        let end = ends.rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
    };
    messages.truncate(ITEMS);
    for message in messages {
        message.hints.truncate(ITEMS);
        let parts = message.explanation.iter_mut().chain(&mut message.context);
        let parts = parts.chain(&mut message.page).chain(&mut message.hints);
        parts.chain([&mut message.kind]).for_each(cut);
    }
}

/// Keeps both ends of a stack; gives how many calls are left out.
fn shorten_stack(stack: &mut Vec<Frame>) -> u32 {
    let (outer, inner) = CALLS;
    let left_out = stack.len().saturating_sub(outer + inner);
    if left_out > 0 {
        stack.drain(outer..outer + left_out);
    }
    u32::try_from(left_out).unwrap_or(u32::MAX)
}
