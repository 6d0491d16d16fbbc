//! A segment read again from the source: everything that a record says.

use super::Trace;
use super::index::SegmentIndex;
use super::names::{STRAY, is_record};
use super::process::LARGEST_PROCESS_ID;
use crate::log::console;
use crate::log::envelope::Envelope;
use crate::log::field::Field;
use crate::log::payload::{Payload, Strip};
use crate::log::prefix::{self, Prefix};
use crate::source::{Source, SourceError};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::ops::Range;

/// A segment of a log.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Its first line with its line end, where it is a record; else its first bytes.
    pub head: Vec<u8>,
    /// Its prefix, where it is a record of a trace.
    pub prefix: Option<Prefix>,
    /// Its prefix, where it is a console message. Its payload is all of the message.
    pub message: Option<console::Prefix>,
    described: Vec<u8>,
    /// What belongs to it beside its JSON: all lines, where it is no record.
    pub payload: Payload,
}

/// Whether a payload is what PyTorch wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// Its MD5 is the one that the record carries.
    Matches,
    /// It is another.
    Differs,
    /// The record carries none.
    Unknown,
}

/// How much of text that is no record is read as its head.
const TEXT_HEAD: u64 = 64 << 10;

impl Segment {
    /// The first line without its line end.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        let text = self.head.strip_suffix(b"\n").unwrap_or(&self.head);
        text.strip_suffix(b"\r").unwrap_or(text)
    }

    /// The record's JSON; of a console message, what its prefix says as JSON; empty where it is no record.
    #[must_use]
    pub fn json(&self) -> &[u8] {
        if self.message.is_some() {
            return &self.described;
        }
        self.prefix
            .as_ref()
            .and_then(|prefix| self.text().get(prefix.json..))
            .unwrap_or_default()
    }

    /// What the record says; nothing where it is a console message.
    #[must_use]
    pub fn envelope(&self) -> Envelope<'_> {
        Envelope::parse(if self.message.is_some() {
            b"{}"
        } else {
            self.json()
        })
    }

    /// The MD5 that the record carries, in lower-case hexadecimal.
    #[must_use]
    pub fn md5(&self) -> Option<[u8; 32]> {
        match self.envelope().has_payload {
            Field::Value(text) => parse_md5(&text),
            _ => None,
        }
    }

    /// Compares the payload's MD5 with the one that the record carries.
    #[must_use]
    pub fn compare(&self, md5: &[u8; 32]) -> Checksum {
        match self.md5() {
            None => Checksum::Unknown,
            Some(own) if own == *md5 => Checksum::Matches,
            Some(_) => Checksum::Differs,
        }
    }
}

/// What a message's prefix says, as JSON, by the names that Python's logging gives.
fn describe(line: &[u8], prefix: &console::Prefix) -> Vec<u8> {
    let part = |range: &Range<usize>| {
        let text = line.get(range.clone()).unwrap_or_default();
        (!text.is_empty()).then(|| String::from_utf8_lossy(text))
    };
    let (front, _) = line.split_at(prefix.start.min(line.len()));
    let members = [
        (
            "level",
            Some(String::from_utf8_lossy(prefix.level_name(line))),
        ),
        ("time", part(&prefix.time)),
        ("front", part(&(0..front.len()))),
        (
            "logger",
            part(&prefix.origin).filter(|_| prefix.lineno.is_empty()),
        ),
        (
            "path",
            part(&prefix.origin).filter(|_| !prefix.lineno.is_empty()),
        ),
        ("compile_id", part(&prefix.id)),
        ("artifact", part(&prefix.artifact)),
    ];
    let line_number = part(&prefix.lineno).and_then(|number| number.parse().ok());
    let numbers = [
        ("lineno", line_number),
        (
            "process",
            prefix.process.filter(|n| *n <= LARGEST_PROCESS_ID),
        ),
        ("thread", prefix.process.filter(|n| *n > LARGEST_PROCESS_ID)),
        ("rank", prefix.rank.map(u64::from)),
    ];
    let mut out = String::from("{");
    let mut comma = "";
    for (name, value) in members {
        if let Some(value) = value {
            let value = serde_json::to_string(&value).unwrap_or_default();
            let _ = write!(out, "{comma}\"{name}\": {value}");
            comma = ", ";
        }
    }
    for (name, value) in numbers {
        if let Some(value) = value {
            let _ = write!(out, "{comma}\"{name}\": {value}");
            comma = ", ";
        }
    }
    out.push('}');
    out.into_bytes()
}

/// Bytes of a payload that tell what its lines begin with.
const BEGINNING: u64 = 4 << 10;

/// Learns from the first line of a payload, which begins there, what its lines begin with.
fn learn(
    strip: &mut Strip,
    source: &dyn Source,
    piece: Option<&Range<u64>>,
) -> Result<(), SourceError> {
    let Some(piece) = piece else { return Ok(()) };
    let length = piece.end.saturating_sub(piece.start).min(BEGINNING);
    let mut text = alloc::vec![0; usize::try_from(length).unwrap_or(0)];
    source.read_at(piece.start, &mut text)?;
    let mut lines = text.split(|byte| *byte == b'\n');
    let first = lines.find(|line| !matches!(line, [] | [b'\r']));
    if let Some(first) = first
        && strip.content(first).is_none()
    {
        strip.learn(first, true);
    }
    Ok(())
}

/// An MD5 in hexadecimal, in lower case.
pub(super) fn parse_md5(text: &str) -> Option<[u8; 32]> {
    let mut md5: [u8; 32] = text.as_bytes().try_into().ok()?;
    md5.make_ascii_lowercase();
    md5.iter().all(u8::is_ascii_hexdigit).then_some(md5)
}

impl Trace {
    /// Reads a segment again.
    ///
    /// # Errors
    /// What the source gives; [`None`] where there is no such segment.
    pub fn segment(
        &self,
        source: &dyn Source,
        index: SegmentIndex,
    ) -> Result<Option<Segment>, SourceError> {
        let (Some(entry), Some(range)) = (self.index.get(index), self.index.range(index)) else {
            return Ok(None);
        };
        let record = is_record(entry.kind);
        let length = if record {
            u64::from(entry.head)
        } else {
            (range.end - range.start).min(TEXT_HEAD)
        };
        let mut head = alloc::vec![0; usize::try_from(length).unwrap_or(0)];
        source.read_at(range.start, &mut head)?;
        let mut segment = Segment {
            head,
            prefix: None,
            message: None,
            described: Vec::new(),
            payload: Payload::default(),
        };
        if !record {
            let strip = if entry.kind == STRAY {
                Strip::default()
            } else {
                Strip::nothing()
            };
            segment.payload = Payload {
                pieces: [range].to_vec(),
                strip,
            };
            return Ok(Some(segment));
        }
        let prefix = prefix::find(segment.text());
        if prefix.is_none()
            && let Some(message) = console::Prefix::find(segment.text())
        {
            segment.payload = Payload {
                strip: Strip::of_message(segment.text(), &message),
                pieces: [range].into_iter().chain(self.more_of(index)).collect(),
            };
            segment.described = describe(segment.text(), &message);
            segment.message = Some(message);
            return Ok(Some(segment));
        }
        let strip = prefix
            .as_ref()
            .map(|prefix| Strip::of_head(&segment.head, segment.text(), prefix));
        let mut pieces = Vec::new();
        if range.start + length < range.end {
            pieces.push(range.start + length..range.end);
        }
        pieces.extend(self.more_of(index));
        let mut strip = strip.unwrap_or_default();
        learn(&mut strip, source, pieces.first())?;
        segment.payload = Payload { pieces, strip };
        segment.prefix = prefix;
        Ok(Some(segment))
    }

    /// Where a record goes on behind segments of others.
    fn more_of(&self, index: SegmentIndex) -> impl Iterator<Item = Range<u64>> {
        let more = self.continued.get(&index).into_iter().flatten();
        more.filter_map(|&more| self.index.range(more))
    }

    /// Computes the payload's MD5 and compares it.
    ///
    /// # Errors
    /// What the source gives.
    pub fn check(&self, source: &dyn Source, index: SegmentIndex) -> Result<Checksum, SourceError> {
        match self.segment(source, index)? {
            Some(segment) if segment.md5().is_some() => {
                Ok(segment.compare(&segment.payload.md5(source)?))
            }
            _ => Ok(Checksum::Unknown),
        }
    }

    /// The segment before or after another.
    #[must_use]
    pub fn neighbour(&self, index: SegmentIndex, forward: bool) -> Option<SegmentIndex> {
        let beside = if forward {
            index.checked_add(1)?
        } else {
            index.checked_sub(1)?
        };
        self.index.get(beside).map(|_| beside)
    }
}
