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
use crate::payload::graph_break::{self, GraphBreak};
use crate::source::{Source, SourceError};
use crate::trace::Trace;
use crate::trace::index::SegmentIndex;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashMap;
pub use inferred::{Resume, resumes};

/// The artifact that says where and why a graph broke, and the record that a console message of it becomes.
pub const ARTIFACT: &str = "dynamo_graph_break_reason";

/// Records that a step looks at.
const RECORDS: u32 = 1 << 15;
/// Bytes of messages that a step reads, roughly.
const STEP: usize = 1 << 20;
/// Bytes that are read of one message: what it says stands at its beginning.
const LARGEST: usize = 256 << 10;
/// Places and reasons that are told apart; more are counted.
const MOST: usize = 4_096;

/// The graph breaks of a log.
#[derive(Debug, Default)]
pub struct GraphBreaks {
    next: SegmentIndex,
    is_done: bool,
    distinct: Vec<Distinct>,
    by: HashMap<(Option<String>, Option<u32>, String), usize>,
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
    /// What is said of it the first time.
    pub first: GraphBreak,
    /// How often the log says so; 0 where it does not say it at all.
    pub count: u32,
    /// The records that say so.
    pub records: Vec<SegmentIndex>,
    /// The compilations that broke there, as places in [`Trace::compilations`].
    pub compilations: Vec<usize>,
    /// How often a whole frame is not compiled for it, and the compilation that was given up the first time.
    pub skips: (u32, Option<usize>),
    /// Compilations of functions in which the program goes on behind it.
    pub resumed: Vec<usize>,
}

impl Distinct {
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
                self.distinct = inferred::complete(trace, core::mem::take(&mut self.distinct));
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

    /// The places, those that broke most often first; of equal ones in the order of the log.
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
        let Some(found) = graph_break::read(&String::from_utf8_lossy(&text)) else {
            self.unread = self.unread.saturating_add(1);
            return Ok(text.len());
        };
        let entry = trace.index.get(record);
        let compilation = entry.and_then(|entry| entry.compilation());
        let (is_skip, stack) = (found.is_skip, found.stack.clone());
        if let Some(distinct) = self.of(found) {
            // PyTorch leaves the stack out where a place was named before, perhaps in another log.
            if distinct.first.stack.is_empty() {
                distinct.first.stack = stack;
            }
            distinct.count = distinct.count.saturating_add(1);
            if is_skip {
                let (times, first) = distinct.skips;
                distinct.skips = (times.saturating_add(1), first.or(compilation));
            }
            distinct.records.push(record);
            if let Some(compilation) = compilation
                && distinct.compilations.last() != Some(&compilation)
            {
                distinct.compilations.push(compilation);
            }
        }
        Ok(text.len())
    }

    /// The place and reason of a break, which may be new.
    fn of(&mut self, found: GraphBreak) -> Option<&mut Distinct> {
        let reason = found.reason.clone().unwrap_or_default();
        let key = (found.file.clone(), found.line, reason);
        let place = match self.by.get(&key) {
            Some(place) => *place,
            None if self.distinct.len() >= MOST => {
                self.left_out = self.left_out.saturating_add(1);
                return None;
            }
            None => {
                self.by.insert(key, self.distinct.len());
                self.distinct.push(Distinct {
                    kind: BreakKind::of_all(&found.messages),
                    first: found,
                    count: 0,
                    records: Vec::new(),
                    compilations: Vec::new(),
                    skips: (0, None),
                    resumed: Vec::new(),
                });
                self.distinct.len() - 1
            }
        };
        self.distinct.get_mut(place)
    }
}
