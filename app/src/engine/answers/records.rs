//! The table of all records, and one as it stands in the log.

use super::{compilation_of, sentence};
use crate::engine::protocol::{Checksum, RecordIndex, RecordPage, RecordRow, RecordView};
use crate::text::no_record;
use dynascope_core::log::json;
use dynascope_core::source::Source;
use dynascope_core::trace::index::Entry;
use dynascope_core::trace::names::is_record;
use dynascope_core::trace::{self, Trace};

/// A payload larger than this is not read through for a record's page; its text's page does that.
const CHECKED_AT_ONCE: u64 = 4 << 20;

/// The records that a filter leaves, in the order of the file; only of those in `among`, where that is said.
pub fn matching_records(
    trace: &Trace,
    filter: &str,
    among: Option<&[RecordIndex]>,
) -> Vec<RecordIndex> {
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let matches = |entry: &Entry| {
        if words.is_empty() {
            return true;
        }
        let kind = trace.kinds.get(entry.kind);
        let id = entry
            .compilation()
            .and_then(|index| trace.compilations.get(index));
        let text = format!(
            "{} {} {}",
            kind.map_or("", |kind| kind.kind.as_str()),
            kind.and_then(|kind| kind.name.as_deref())
                .unwrap_or_default(),
            id.map(|compilation| trace.label(&compilation.key))
                .unwrap_or_default(),
        )
        .to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    match among {
        Some(among) => among
            .iter()
            .copied()
            .filter(|&index| trace.index.get(index).is_some_and(matches))
            .collect(),
        None => trace
            .index
            .iter()
            .filter(|(_, entry)| matches(entry))
            .map(|(index, _)| index)
            .collect(),
    }
}

/// A stretch of the table of all records. Only its rows are read again, for time and origin.
pub fn records(
    trace: &Trace,
    source: &dyn Source,
    matching: &[RecordIndex],
    first: u32,
    count: u32,
) -> Result<RecordPage, String> {
    let shown = matching.iter().skip(first as usize).take(count as usize);
    let rows: Result<Vec<_>, _> = shown
        .map(|&index| record_row(trace, source, index))
        .collect();
    Ok(RecordPage {
        total: u32::try_from(trace.index.len()).unwrap_or(u32::MAX),
        matching: u32::try_from(matching.len()).unwrap_or(u32::MAX),
        first,
        rows: rows?,
    })
}

/// One record as it stands in the log.
pub fn record(
    trace: &Trace,
    source: &dyn Source,
    index: RecordIndex,
) -> Result<RecordView, String> {
    let entry = trace.index.get(index).ok_or_else(|| no_record(index))?;
    let segment = trace
        .segment(source, index)
        .map_err(sentence)?
        .ok_or_else(|| no_record(index))?;
    let is_record = is_record(entry.kind);
    let envelope = segment.envelope();
    let text = String::from_utf8_lossy(segment.text());
    let json_at = match (&segment.prefix, &segment.message) {
        (Some(prefix), _) => prefix.json,
        (None, Some(message)) => message.message,
        (None, None) => 0,
    };
    let has_payload = is_record && !segment.payload.pieces.is_empty();
    let (payload_bytes, checksum) = if has_payload {
        payload_facts(&segment, source)?
    } else {
        (None, Checksum::Unknown)
    };
    let mut problems = Vec::new();
    if is_record {
        problems.extend(
            envelope
                .fault
                .map(|fault| format!("Reading it stopped here: {fault}.")),
        );
        problems.extend(
            envelope
                .wrong_members()
                .map(|name| format!("{name} is of another type than PyTorch writes.")),
        );
    }
    if checksum == Checksum::Differs {
        problems.push("The payload's MD5 differs from the one that the record carries.".to_owned());
    }
    let metadata = if is_record {
        let (value, fault) = json::parse(segment.json());
        // What cannot be read shows as it stands.
        if fault.is_some() {
            String::from_utf8_lossy(segment.json()).into_owned()
        } else {
            value.pretty()
        }
    } else {
        text.to_string()
    };
    Ok(RecordView {
        kind: trace
            .kinds
            .get(entry.kind)
            .map(|kind| kind.title().to_owned())
            .unwrap_or_default(),
        line: u64::from(entry.line) + 1,
        offset: entry.offset,
        prefix: if is_record {
            text.get(..json_at)
                .unwrap_or_default()
                .trim_end()
                .to_owned()
        } else {
            String::new()
        },
        metadata,
        compilation: compilation_of(trace, index),
        payload_bytes,
        checksum,
        problems,
        previous: trace.neighbour(index, false),
        next: trace.neighbour(index, true),
    })
}

pub(super) fn record_row(
    trace: &Trace,
    source: &dyn Source,
    index: RecordIndex,
) -> Result<RecordRow, String> {
    let missing = || no_record(index);
    let entry = trace.index.get(index).ok_or_else(missing)?;
    let range = trace.index.range(index).ok_or_else(missing)?;
    let segment = trace
        .segment(source, index)
        .map_err(sentence)?
        .ok_or_else(missing)?;
    let kind = trace.kinds.get(entry.kind);
    let part = |range: &std::ops::Range<usize>| {
        String::from_utf8_lossy(segment.head.get(range.clone()).unwrap_or_default()).into_owned()
    };
    // A console message names its logger where it names no place.
    let (time, origin) = match (&segment.prefix, &segment.message) {
        (Some(prefix), _) => (
            part(&prefix.time),
            format!("{}:{}", part(&prefix.path), part(&prefix.lineno)),
        ),
        (None, Some(message)) if message.lineno.is_empty() => {
            (part(&message.time), part(&message.origin))
        }
        (None, Some(message)) => (
            part(&message.time),
            format!("{}:{}", part(&message.origin), part(&message.lineno)),
        ),
        (None, None) => Default::default(),
    };
    Ok(RecordRow {
        record: index,
        line: u64::from(entry.line) + 1,
        time,
        kind: kind.map(|kind| kind.kind.clone()).unwrap_or_default(),
        name: kind.and_then(|kind| kind.name.clone()),
        compilation: compilation_of(trace, index),
        attempt: u32::from(entry.attempt),
        origin,
        bytes: range.end - range.start,
    })
}

fn payload_facts(
    segment: &trace::Segment,
    source: &dyn Source,
) -> Result<(Option<u64>, Checksum), String> {
    let length: u64 = segment
        .payload
        .pieces
        .iter()
        .map(|piece| piece.end - piece.start)
        .sum();
    if length > CHECKED_AT_ONCE {
        return Ok((Some(length), Checksum::Unknown));
    }
    let payload = segment.payload.read(source, usize::MAX).map_err(sentence)?;
    let md5 = segment.payload.md5(source).map_err(sentence)?;
    Ok((Some(payload.len() as u64), segment.compare(&md5).into()))
}
