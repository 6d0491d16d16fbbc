//! What failed and what was warned: the parts of a log that can tell are looked through once, in steps.
//!
//! Start at [`Failures::step`]. Read are text between records, console messages without an artifact, and the
//! records that carry a traceback; of console messages only those that hold a piece of what is looked for.
//! [`found`] makes reports of what was found, [`text`] goes over text of any length.

mod found;
#[cfg(test)]
mod tests;
mod text;

use super::answers::sentence;
use super::protocol::{Evidence, Findings, RecordIndex};
use dynascope_core::log::payload::{Payload, Place};
use dynascope_core::payload::{plain, traceback, warning};
use dynascope_core::source::Source;
use dynascope_core::trace::Trace;
use dynascope_core::trace::names::{STRAY, TEXT};
use found::Found;
use std::collections::VecDeque;
use std::ops::Range;
use text::Run;

/// Bytes that are read in one step.
const STEP: u64 = 512 << 10;

/// Segments that are looked at in one step.
const SEGMENTS: u32 = 1 << 15;

/// A larger message is not looked through.
const LARGEST: u64 = 8 << 20;

/// Segments before a message's next part in which its beginning is looked for.
const NEAR: u32 = 64;

/// Bytes that are read of the message behind a warning about `.item()`.
const NEXT: usize = 64 << 10;

/// What a log was found to hold.
#[derive(Debug, Default)]
pub struct Failures {
    /// The segment to go on at.
    next: RecordIndex,
    run: Option<Run>,
    records: VecDeque<RecordIndex>,
    reading: Option<Reading>,
    window: Window,
    is_done: bool,
    found: Found,
}

/// A record whose payload is being read.
#[derive(Debug)]
struct Reading {
    record: RecordIndex,
    /// The line of the file at which the payload begins, from 1.
    file_line: u64,
    payload: Payload,
    place: Place,
    bytes: Vec<u8>,
}

/// What a segment can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Text that is no record.
    Text,
    /// A console message, or a part of one.
    Message,
    /// A traceback.
    Record,
    /// Nothing of this.
    Other,
}

impl Failures {
    /// Looks on; says whether all of the log was looked through.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn step(&mut self, trace: &Trace, source: &dyn Source) -> Result<bool, String> {
        if self.is_done {
            return Ok(true);
        }
        if self.reading.is_some() || !self.records.is_empty() {
            self.read_record(trace, source)?;
        } else if let Some(run) = &mut self.run {
            if run.step(trace, source, &mut self.found)? {
                self.run = None;
            }
        } else {
            self.walk(trace, source)?;
        }
        Ok(false)
    }

    /// Whether nothing was found so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What was found, with what the metrics say of failures.
    #[must_use]
    pub fn findings(&self, trace: &Trace) -> Findings {
        self.found.findings(trace, self.is_done)
    }

    /// Goes over segments until something is to be read.
    fn walk(&mut self, trace: &Trace, source: &dyn Source) -> Result<(), String> {
        for _ in 0..SEGMENTS {
            let first = self.next;
            let class = class(trace, first);
            match class {
                None => {
                    self.is_done = true;
                    return Ok(());
                }
                Some(Class::Other) => self.next = first.saturating_add(1),
                Some(Class::Record) => {
                    self.next = first.saturating_add(1);
                    self.records.push_back(first);
                    return Ok(());
                }
                Some(Class::Text) => {
                    let line = trace.index.get(first).map_or(0, |entry| entry.line);
                    let range = self.stretch(trace, first, Class::Text, u64::MAX);
                    self.run = range.map(|range| Run::new(range, line.into()));
                    return Ok(());
                }
                Some(Class::Message) => {
                    let Some(range) = self.stretch(trace, first, Class::Message, STEP) else {
                        continue;
                    };
                    if range.end - range.start > LARGEST {
                        self.found.note_too_large();
                        continue;
                    }
                    let is_read = self.window.fill(source, &range)?;
                    let hints = plain::hints(self.window.get(&range));
                    self.queue(trace, source, range.start, &hints)?;
                    if is_read || !self.records.is_empty() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// The bytes of segments of one class from the first on, until there are `most`; moves on behind them.
    fn stretch(
        &mut self,
        trace: &Trace,
        first: RecordIndex,
        of: Class,
        most: u64,
    ) -> Option<Range<u64>> {
        let mut range = trace.index.range(first)?;
        self.next = first.saturating_add(1);
        for _ in 0..SEGMENTS {
            if class(trace, self.next) != Some(of) {
                break;
            }
            let more = trace.index.range(self.next)?;
            if more.end - range.start > most {
                break;
            }
            range.end = more.end;
            self.next = self.next.saturating_add(1);
        }
        Some(range)
    }

    /// Puts the messages on the list that hold these bytes.
    fn queue(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        start: u64,
        hints: &[usize],
    ) -> Result<(), String> {
        let mut last = None;
        for hint in hints {
            let at = start.saturating_add(*hint as u64);
            let segment = trace.index.at(at);
            if segment == last {
                continue;
            }
            last = segment;
            let Some(segment) = segment else { continue };
            let record = if trace.index.get(segment).is_some_and(|e| e.kind == STRAY) {
                beginning(trace, source, segment, at)?
            } else {
                Some(segment)
            };
            if let Some(record) = record.filter(|record| !self.records.contains(record)) {
                self.records.push_back(record);
            }
        }
        Ok(())
    }

    fn read_record(&mut self, trace: &Trace, source: &dyn Source) -> Result<(), String> {
        if self.reading.is_none()
            && let Some(record) = self.records.pop_front()
        {
            self.reading = Reading::open(trace, source, record)?;
            if let Some(reading) = &self.reading
                && reading.payload.bytes() > LARGEST
            {
                self.found.note_too_large();
                self.reading = None;
            }
            return Ok(());
        }
        let Some(reading) = &mut self.reading else {
            return Ok(());
        };
        let step = usize::try_from(STEP).unwrap_or(usize::MAX);
        if reading
            .payload
            .clean(source, &mut reading.place, &mut reading.bytes, step)
            .map_err(sentence)?
        {
            return Ok(());
        }
        if let Some(reading) = self.reading.take() {
            let mut text = String::from_utf8_lossy(&reading.bytes);
            if let Some(stack) = stack_behind(trace, source, reading.record, &text)? {
                text.to_mut().push_str(&stack);
            }
            for block in plain::find(&text) {
                let at = reading.evidence(&block.rows);
                let content = text.get(block.bytes.clone()).unwrap_or_default();
                self.found.take(trace, block.kind, content, at);
            }
        }
        Ok(())
    }
}

impl Reading {
    /// Begins to read a record; `None` where it tells of nothing that the reader would want to know: Dynamo
    /// notes each exception that ends in a graph break, for those who look for it.
    fn open(
        trace: &Trace,
        source: &dyn Source,
        record: RecordIndex,
    ) -> Result<Option<Self>, String> {
        let segment = trace.segment(source, record).map_err(sentence)?;
        let Some(segment) = segment else {
            return Ok(None);
        };
        let line = trace.index.get(record).map_or(0, |entry| entry.line);
        let mut file_line = u64::from(line).saturating_add(1);
        match &segment.message {
            Some(prefix) => {
                let level = prefix.level_name(segment.text());
                if !matches!(level, b"WARNING" | b"ERROR" | b"CRITICAL") {
                    return Ok(None);
                }
            }
            None => file_line = file_line.saturating_add(1),
        }
        Ok(Some(Self {
            record,
            file_line,
            payload: segment.payload,
            place: Place::default(),
            bytes: Vec::new(),
        }))
    }

    fn evidence(&self, rows: &Range<u32>) -> Evidence {
        Evidence {
            record: self.record,
            lines: Some((rows.start.saturating_add(1), rows.end)),
            file_line: self.file_line.saturating_add(u64::from(rows.start)),
        }
    }
}

/// What a segment can hold; `None` where there is no such segment.
fn class(trace: &Trace, segment: RecordIndex) -> Option<Class> {
    let id = trace.index.get(segment)?.kind;
    let has_messages = trace.console_messages > 0;
    let has_traces = trace.records > trace.console_messages;
    if id == TEXT {
        return Some(Class::Text);
    }
    if id == STRAY {
        // Behind a tab, and in a log without messages or payloads: a line like any other.
        return Some(match (has_messages, has_traces) {
            (true, _) => Class::Message,
            (false, true) => Class::Other,
            (false, false) => Class::Text,
        });
    }
    let kind = trace.kinds.get(id)?;
    let name = kind.name.as_deref().unwrap_or_default();
    Some(match kind.kind.as_str() {
        "message" if has_messages => Class::Message,
        "artifact" if traceback::ARTIFACTS.contains(&name) => Class::Record,
        _ => Class::Other,
    })
}

/// The message that goes on with a byte, which lies in a later segment.
fn beginning(
    trace: &Trace,
    source: &dyn Source,
    segment: RecordIndex,
    at: u64,
) -> Result<Option<RecordIndex>, String> {
    for record in (segment.saturating_sub(NEAR)..segment).rev() {
        let is_message = trace.kind_of(record).is_some_and(|k| k.kind == "message");
        if !is_message {
            continue;
        }
        let found = trace.segment(source, record).map_err(sentence)?;
        if found.is_some_and(|found| found.payload.pieces.iter().any(|p| p.contains(&at))) {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// The stack of a warning about `.item()`, which stands in the message behind it.
fn stack_behind(
    trace: &Trace,
    source: &dyn Source,
    record: RecordIndex,
    text: &str,
) -> Result<Option<String>, String> {
    if !warning::lacks_stack(text) {
        return Ok(None);
    }
    let next = record.saturating_add(1);
    let is_its = trace.kind_of(next) == trace.kind_of(record);
    let Some(segment) = trace
        .segment(source, next)
        .map_err(sentence)?
        .filter(|_| is_its)
    else {
        return Ok(None);
    };
    let stack = segment.payload.read(source, NEXT).map_err(sentence)?;
    let stack = String::from_utf8_lossy(&stack);
    Ok(warning::is_stack(&stack).then(|| format!("\n{stack}")))
}

/// Bytes of the text that were read last: stretches lie close to each other.
#[derive(Debug, Default)]
struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// Reads a range, and what follows it; says whether anything had to be read.
    fn fill(&mut self, source: &dyn Source, range: &Range<u64>) -> Result<bool, String> {
        let end = self.start.saturating_add(self.bytes.len() as u64);
        if range.start >= self.start && range.end <= end {
            return Ok(false);
        }
        let length = (range.end.saturating_sub(range.start)).max(STEP);
        let length = length.min(source.len().saturating_sub(range.start));
        self.start = range.start;
        self.bytes.clear();
        self.bytes.resize(usize::try_from(length).unwrap_or(0), 0);
        source
            .read_at(range.start, &mut self.bytes)
            .map_err(sentence)?;
        Ok(true)
    }

    fn get(&self, range: &Range<u64>) -> &[u8] {
        let at = |byte: u64| usize::try_from(byte.saturating_sub(self.start)).unwrap_or(usize::MAX);
        self.bytes
            .get(at(range.start)..at(range.end))
            .unwrap_or_default()
    }
}
