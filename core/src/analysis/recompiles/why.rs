//! Where a log says why a compilation was needed: an artifact, or the metrics.

use crate::log::metadata::CompilationMetrics;
use crate::log::payload::{Payload, Place};
use crate::payload::recompile::{Reason, reasons};
use crate::source::{Source, SourceError};
use crate::trace::Trace;
use crate::trace::compilation::{Compilation, CompilationKey};
use crate::trace::index::SegmentIndex;
use alloc::string::String;
use alloc::vec::Vec;

/// Why a compilation was needed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Why {
    /// Why each cache entry could not be used.
    pub reasons: Vec<Reason>,
    /// The record that says so.
    pub record: Option<SegmentIndex>,
    /// Whether all of the record's reasons were read.
    pub whole: bool,
}

/// Bytes of the longest first line of a record that is read for its reasons; metrics have some 10,000.
const LONGEST_HEAD: u32 = 1 << 20;

/// Why a compilation was needed, from at most `limit` bytes of reasons.
///
/// # Errors
/// What the source gives.
pub fn reasons_of(
    trace: &Trace,
    source: &dyn Source,
    compilation: &Compilation,
    limit: usize,
) -> Result<Why, SourceError> {
    let readable = |record: &SegmentIndex| {
        let head = trace
            .index
            .get(*record)
            .map_or(u32::MAX, |entry| entry.head);
        head <= LONGEST_HEAD
    };
    if let Some(record) = artifact(trace, compilation).filter(readable) {
        let text = match trace.segment(source, record)? {
            Some(segment) => read(&segment.payload, source, limit)?,
            None => Vec::new(),
        };
        let reasons = reasons(&String::from_utf8_lossy(&text));
        if !reasons.is_empty() {
            return Ok(Why {
                reasons,
                record: Some(record),
                whole: text.len() < limit,
            });
        }
    }
    // The first compilation of a frame has no reason; its metrics need not be read.
    let again = compilation.key.id.frame_compile_id != Some(0);
    for &record in compilation.metrics_records.iter().filter(|_| again) {
        if !readable(&record) {
            continue;
        }
        let Some(segment) = trace.segment(source, record)? else {
            continue;
        };
        let reasons = segment
            .envelope()
            .metadata
            .read::<CompilationMetrics<'static>, _>(|metrics| {
                metrics.recompile_reason.get().map(|text| reasons(text))
            });
        if let Some(reasons) = reasons {
            return Ok(Why {
                reasons,
                record: Some(record),
                whole: true,
            });
        }
    }
    Ok(Why {
        whole: true,
        ..Why::default()
    })
}

/// The first `limit` bytes of a payload, and not much more of the text than that.
fn read(payload: &Payload, source: &dyn Source, limit: usize) -> Result<Vec<u8>, SourceError> {
    let (mut out, mut place) = (Vec::new(), Place::default());
    while out.len() < limit && payload.clean(source, &mut place, &mut out, limit)? {}
    out.truncate(limit);
    Ok(out)
}

/// A compilation's artifact `recompile_reasons`. It stands before `dynamo_start`; one behind it was
/// written for the same id after a reset, before its own `dynamo_start` told that there was one.
pub(super) fn artifact(trace: &Trace, compilation: &Compilation) -> Option<SegmentIndex> {
    let start = compilation.starts.first().copied();
    let own = compilation
        .artifacts
        .iter()
        .map(|artifact| artifact.record)
        .take_while(|&record| start.is_none_or(|start| record < start))
        .find(|&record| is_reasons(trace, record));
    own.or_else(|| taken_for_older(trace, compilation, start?))
}

/// Generations and artifacts that are gone back through.
const FAR: usize = 64;

/// The artifact where it was given to the compilation of the same id in a generation before.
fn taken_for_older(
    trace: &Trace,
    compilation: &Compilation,
    start: SegmentIndex,
) -> Option<SegmentIndex> {
    let key = compilation.key;
    let (_, older) = (0..key.generation)
        .rev()
        .take(FAR)
        .find_map(|generation| trace.compilation(&CompilationKey { generation, ..key }))?;
    let older_start = *older.starts.first()?;
    let behind = older
        .artifacts
        .partition_point(|artifact| artifact.record < start);
    let artifacts = older.artifacts.get(..behind)?.iter().rev().take(FAR);
    artifacts
        .map(|artifact| artifact.record)
        .take_while(|&record| record > older_start)
        .find(|&record| is_reasons(trace, record))
}

fn is_reasons(trace: &Trace, record: SegmentIndex) -> bool {
    trace
        .kind_of(record)
        .is_some_and(|kind| kind.name.as_deref() == Some("recompile_reasons"))
}
