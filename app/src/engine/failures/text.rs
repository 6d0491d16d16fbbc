//! Text that is no record, of any length: it is read in stretches, and what reaches over the end of one is
//! looked at again with the next.

use super::found::Found;
use super::{Evidence, STEP, sentence};
use dynascope_core::payload::plain::{self, Block, BlockKind, Streams};
use dynascope_core::source::Source;
use dynascope_core::trace::Trace;
use std::ops::Range;

/// Text that is kept because a block in it may go on.
const LONGEST: usize = 4 << 20;

/// A run of text between records.
#[derive(Debug)]
pub(super) struct Run {
    /// What is still to be read.
    left: Range<u64>,
    /// What was read and not yet looked through.
    text: Vec<u8>,
    /// Where that starts.
    start: u64,
    /// The line of the file in which that starts, from 0.
    line: u64,
    streams: Streams,
}

/// A block, and where it stands in the text that was read.
struct Hit {
    content: String,
    kind: BlockKind,
    rows: Range<u32>,
    /// Whether what follows may belong to it: parts of a traceback stand behind lines that only what follows
    /// them shows to be its own.
    may_go_on: bool,
}

impl Run {
    /// The text of a range that starts in that line of the file, from 0.
    pub(super) fn new(range: Range<u64>, line: u64) -> Self {
        Self {
            start: range.start,
            line,
            left: range,
            text: Vec::new(),
            streams: Streams::default(),
        }
    }

    /// Looks through the next stretch; says whether that was all.
    pub(super) fn step(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        found: &mut Found,
    ) -> Result<bool, String> {
        let length = (self.left.end - self.left.start).min(STEP);
        let old = self.text.len();
        self.text
            .resize(old + usize::try_from(length).unwrap_or(0), 0);
        if let Some(new) = self.text.get_mut(old..) {
            source.read_at(self.left.start, new).map_err(sentence)?;
        }
        self.left.start += length;
        let is_last = self.left.start >= self.left.end;
        // A line that is cut waits for its end.
        let whole = match self.text.iter().rposition(|byte| *byte == b'\n') {
            _ if is_last => self.text.len(),
            Some(end) => end + 1,
            None if self.text.len() < LONGEST => return Ok(false),
            None => self.text.len(),
        };
        let head = self.text.get(..whole).unwrap_or_default();
        let (hits, lines) = look(&mut self.streams, head);
        let is_free = !is_last && whole < LONGEST;
        let from = hits
            .iter()
            .filter(|hit| is_free && hit.may_go_on)
            .map(|hit| hit.rows.start)
            .min();
        let from = from.map_or(lines, |from| unbroken(&hits, from));
        let starts = line_starts(head);
        let at = |row: u32| starts.get(row as usize).copied().unwrap_or(whole);
        let mut whole_hits: Vec<&Hit> = hits.iter().filter(|hit| hit.rows.start < from).collect();
        whole_hits.sort_by_key(|hit| hit.rows.start);
        for hit in whole_hits {
            let offset = self.start + at(hit.rows.start) as u64;
            let line = self.line + u64::from(hit.rows.start);
            if let Some(at) = evidence(trace, offset, line, &hit.rows) {
                found.take(trace, hit.kind, &hit.content, at);
            }
        }
        let taken = at(from).min(whole);
        self.text.drain(..taken);
        self.start += taken as u64;
        self.line += u64::from(from);
        Ok(is_last)
    }
}

/// The blocks of a text, and how many lines it has.
fn look(streams: &mut Streams, text: &[u8]) -> (Vec<Hit>, u32) {
    let text = String::from_utf8_lossy(text);
    let count = |text: &str| u32::try_from(text.split_inclusive('\n').count()).unwrap_or(u32::MAX);
    let mut hits = Vec::new();
    for stream in streams.separate(&text) {
        let blocks = plain::find(&stream.text);
        let Some(last) = blocks.last().map(|last| last.rows.end) else {
            continue;
        };
        let lines = count(&stream.text);
        for Block { rows, bytes, kind } in blocks {
            hits.push(Hit {
                content: stream.text.get(bytes).unwrap_or_default().to_owned(),
                kind,
                may_go_on: rows.end == last && lines.saturating_sub(rows.end) <= kind.ahead(),
                rows: stream.origin(&rows),
            });
        }
    }
    (hits, count(&text))
}

/// The row from which all is looked at again, so that no block is cut.
fn unbroken(hits: &[Hit], mut from: u32) -> u32 {
    loop {
        let cut = hits
            .iter()
            .filter(|hit| hit.rows.contains(&from))
            .map(|hit| hit.rows.start)
            .min();
        match cut {
            Some(start) if start < from => from = start,
            _ => return from,
        }
    }
}

/// The byte at which each line starts.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0)
        .chain(ends.map(|(at, _)| at + 1))
        .collect()
}

/// Where rows stand that begin at a byte of the log, in that line of the file, from 0.
fn evidence(trace: &Trace, offset: u64, line: u64, rows: &Range<u32>) -> Option<Evidence> {
    let record = trace.index.at(offset)?;
    let before = line.saturating_sub(u64::from(trace.index.get(record)?.line));
    let first = u32::try_from(before.saturating_add(1)).unwrap_or(u32::MAX);
    let more = rows.end.saturating_sub(rows.start).saturating_sub(1);
    Some(Evidence {
        record,
        lines: Some((first, first.saturating_add(more))),
        file_line: line.saturating_add(1),
    })
}
