//! Where something stands in a log, and the calls that led to it, as views show them.

use super::answers::{self, cut};
use super::protocol::{CodeFrame, Evidence, Occurrences};
use dynascope_core::analysis::failure::owner;
use dynascope_core::payload::traceback::Frame;
use dynascope_core::trace::Trace;
use std::ops::Range;

/// Places and compilations that are named of each.
pub(super) const PLACES: usize = 20;
/// Calls at the outer and at the inner end of a stack.
const FRAMES: (usize, usize) = (60, 140);
/// Characters of a line of code.
pub(super) const CODE: usize = 1_000;
/// Lines of code of a call.
const CODE_LINES: usize = 40;

/// Counts an occurrence; the first ones are named.
pub(super) fn note(occurrences: &mut Occurrences, trace: &Trace, at: Evidence) {
    occurrences.count += 1;
    if occurrences.places.len() < PLACES {
        occurrences.places.push(at);
    }
    if occurrences.compilations.len() < PLACES
        && let Some(compilation) = answers::compilation_of(trace, at.record)
        && !occurrences.compilations.contains(&compilation)
    {
        occurrences.compilations.push(compilation);
    }
}

/// The calls at both ends, and how many lie between them.
pub(super) fn frames(all: &[Frame]) -> (Vec<CodeFrame>, u32) {
    let (outer, inner) = FRAMES;
    if all.len() <= outer + inner {
        return (all.iter().map(frame).collect(), 0);
    }
    let behind = all.len() - inner;
    let shown = all.iter().take(outer).chain(all.iter().skip(behind));
    (
        shown.map(frame).collect(),
        u32::try_from(behind - outer).unwrap_or(u32::MAX),
    )
}

/// A call with its code.
pub(super) fn frame(frame: &Frame) -> CodeFrame {
    let marked = |range: &Range<u32>| (range.start, range.end);
    CodeFrame {
        file: cut(&frame.file, CODE),
        line: frame.line,
        function: frame.function.as_deref().map(|name| cut(name, CODE)),
        code: frame
            .code
            .iter()
            .take(CODE_LINES)
            .map(|code| (cut(&code.text, CODE), code.marked.as_ref().map(marked)))
            .collect(),
        repeated: frame.repeated,
        is_own: owner::owner(&frame.file) == owner::Owner::User,
    }
}

/// A line of a file, of which no code is known.
pub(super) fn bare_frame(file: &str, line: Option<u32>, function: Option<&str>) -> CodeFrame {
    CodeFrame {
        file: cut(file, CODE),
        line,
        function: function.map(|name| cut(name, CODE)),
        code: Vec::new(),
        repeated: 0,
        is_own: owner::owner(file) == owner::Owner::User,
    }
}
