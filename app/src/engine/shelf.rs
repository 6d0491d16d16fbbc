//! Payloads that were read as a whole and parsed, the latest ones kept ready.

use super::answers::sentence;
use super::protocol::RecordIndex;
use crate::text::no_record;
use dynascope_core::log::payload::{Payload, Place};
use dynascope_core::source::Source;
use dynascope_core::trace::Trace;

/// How many are kept ready.
const KEPT: usize = 6;

/// Bytes of a payload that are read in one step.
const STEP: usize = 256 << 10;

/// A larger payload is shown as text only.
pub const LARGEST: usize = 64 << 20;

/// A payload that is to be parsed.
#[derive(Debug)]
pub enum Taken {
    /// All of it.
    Whole(Vec<u8>),
    /// It has more than [`LARGEST`] bytes: how many.
    TooLarge(u64),
}

/// The payloads of a log that were parsed last, the latest one last.
#[derive(Debug)]
pub struct Shelf<T> {
    kept: Vec<Kept<T>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf { kept: Vec::new() }
    }
}

#[derive(Debug)]
struct Kept<T> {
    record: RecordIndex,
    payload: Payload,
    place: Place,
    bytes: Vec<u8>,
    parsed: Option<T>,
}

impl<T> Shelf<T> {
    /// Reads on at a record's payload, and parses it at the end; says whether that is done.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn step(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        record: RecordIndex,
        parse: impl FnOnce(Taken) -> T,
    ) -> Result<bool, String> {
        match self.kept.iter().position(|kept| kept.record == record) {
            Some(at) => {
                let kept = self.kept.remove(at);
                self.kept.push(kept);
            }
            None => {
                self.kept.push(Kept::open(trace, source, record)?);
                if self.kept.len() > KEPT {
                    self.kept.remove(0);
                }
            }
        }
        match self.kept.last_mut() {
            Some(kept) => kept.step(source, parse),
            None => Ok(true),
        }
    }

    /// What was parsed of a record.
    pub fn get(&self, record: RecordIndex) -> Option<&T> {
        let kept = self.kept.iter().find(|kept| kept.record == record)?;
        kept.parsed.as_ref()
    }

    /// The same, to change what is remembered beside it.
    pub fn get_mut(&mut self, record: RecordIndex) -> Option<&mut T> {
        let kept = self.kept.iter_mut().find(|kept| kept.record == record)?;
        kept.parsed.as_mut()
    }
}

impl<T> Kept<T> {
    fn open(trace: &Trace, source: &dyn Source, record: RecordIndex) -> Result<Self, String> {
        let segment = trace
            .segment(source, record)
            .map_err(sentence)?
            .ok_or_else(|| no_record(record))?;
        Ok(Kept {
            record,
            payload: segment.payload,
            place: Place::default(),
            bytes: Vec::new(),
            parsed: None,
        })
    }

    fn step(
        &mut self,
        source: &dyn Source,
        parse: impl FnOnce(Taken) -> T,
    ) -> Result<bool, String> {
        if self.parsed.is_some() {
            return Ok(true);
        }
        let more = self
            .payload
            .clean(source, &mut self.place, &mut self.bytes, STEP)
            .map_err(sentence)?;
        let taken = if self.bytes.len() > LARGEST {
            self.bytes = Vec::new();
            Taken::TooLarge(self.payload.bytes())
        } else if more {
            return Ok(false);
        } else {
            Taken::Whole(std::mem::take(&mut self.bytes))
        };
        self.parsed = Some(parse(taken));
        Ok(true)
    }
}
