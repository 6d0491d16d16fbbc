//! Questions → view models: what each view shows, made of a log's trace and its source.
//!
//! Nothing here knows a browser; it is tested natively. Payloads as text are made in [`super::texts`],
//! since they are read in steps.

mod compilations;
mod overview;
mod records;
mod stacks;
#[cfg(test)]
mod tests;

use super::protocol::{Cache, Checksum, CompilationKey, Hit, LogId, RecordIndex, Status};
pub use compilations::{artifacts, compilation, compilations, order};
pub(super) use compilations::{guards_of, of_frame, row};
use dynascope_core::analysis::search;
use dynascope_core::log::json;
use dynascope_core::trace::compilation as core;
use dynascope_core::trace::id::CompileId;
use dynascope_core::trace::{self, Trace};
pub use overview::{overview, problems};
pub use records::{matching_records, record, records};
pub use stacks::stacks;
pub(in crate::engine) use stacks::{caller, stack};

/// The compilation that a record belongs to, with its label.
pub fn compilation_of(trace: &Trace, record: RecordIndex) -> Option<(CompilationKey, String)> {
    labelled(trace, trace.index.get(record)?.compilation()?)
}

/// A compilation by its place in the trace, with its label.
pub(super) fn labelled(trace: &Trace, index: usize) -> Option<(CompilationKey, String)> {
    let compilation = trace.compilations.get(index)?;
    Some(((&compilation.key).into(), trace.label(&compilation.key)))
}

/// What a record is called: the artifact's name, or the kind.
pub fn title_of(trace: &Trace, record: RecordIndex) -> String {
    let kind = trace.kind_of(record);
    kind.map(|kind| kind.title().to_owned()).unwrap_or_default()
}

/// What a search found, as a view shows it.
pub fn hit(trace: &Trace, log: LogId, hit: search::Hit) -> Hit {
    let kind = trace.kind_of(hit.segment);
    let place = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    Hit {
        log,
        record: hit.segment,
        name: kind.map(|kind| kind.title().to_owned()).unwrap_or_default(),
        compilation: compilation_of(trace, hit.segment),
        file_line: hit.line + 1,
        payload_line: hit.line_in_segment,
        at: (place(hit.start), place(hit.length)),
        text: hit.text,
    }
}

/// What is said of JSON that could not be laid out to its end.
pub fn layout_trouble(fault: &json::Fault) -> String {
    sentence(format!(
        "this JSON cannot be laid out as a whole: {fault}; what follows stands as it is"
    ))
}

/// An error as a sentence for the reader.
pub fn sentence(error: impl std::fmt::Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", letters.as_str())
}

/// A text, or its first characters and a sign that there are more.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

pub(super) fn core_key(key: &CompilationKey) -> Option<core::CompilationKey> {
    Some(core::CompilationKey {
        process: key.process,
        generation: key.generation,
        id: CompileId::parse(&key.id)?,
    })
}

impl From<&core::CompilationKey> for CompilationKey {
    fn from(key: &core::CompilationKey) -> Self {
        CompilationKey {
            process: key.process,
            generation: key.generation,
            id: key.id.to_string(),
        }
    }
}

impl From<core::Status> for Status {
    fn from(status: core::Status) -> Self {
        match status {
            core::Status::Ok => Status::Ok,
            core::Status::GraphBreak => Status::GraphBreak,
            core::Status::Empty => Status::Empty,
            core::Status::Error => Status::Error,
            core::Status::NoMetrics => Status::NoMetrics,
        }
    }
}

impl From<core::Cache> for Cache {
    fn from(cache: core::Cache) -> Self {
        match cache {
            core::Cache::Hit => Cache::Hit,
            core::Cache::Miss => Cache::Miss,
            core::Cache::Bypass => Cache::Bypass,
        }
    }
}

impl From<trace::Checksum> for Checksum {
    fn from(checksum: trace::Checksum) -> Self {
        match checksum {
            trace::Checksum::Matches => Checksum::Matches,
            trace::Checksum::Differs => Checksum::Differs,
            trace::Checksum::Unknown => Checksum::Unknown,
        }
    }
}
