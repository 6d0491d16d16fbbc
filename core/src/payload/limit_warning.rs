//! The warning that a function was compiled as often as it may be.
//!
//! From torch/_dynamo/convert_frame.py, 2.0 to 2.15; it is logged as a warning, and so printed without any
//! setting. What it gives as reason is read by [`recompile`](super::recompile).

use super::plain::Cursor;
use super::recompile::{self, Reason};
use alloc::string::String;
use alloc::vec::Vec;

/// How it begins.
pub(super) const START: &str = "torch._dynamo hit config.";

/// Rows of the longest reason that is looked for.
pub(super) const LONGEST: u32 = 500;

/// What the warning says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LimitWarning {
    /// The setting of `torch._dynamo.config`: `cache_size_limit` (until 2.6), `recompile_limit` (2.7+), or
    /// one of the two that count all versions of a code object, whose names begin with `accumulated_`.
    pub setting: String,
    /// Its value.
    pub limit: Option<u64>,
    /// The function.
    pub function: String,
    /// The file that defines it.
    pub file: String,
    /// The line where it begins, from 1.
    pub line: Option<u32>,
    /// Why the last call did not fit; empty where the warning does not say (2.1, unless asked for).
    pub reasons: Vec<Reason>,
    /// That reason as it stands.
    pub reason: String,
    /// The page that PyTorch points to.
    pub page: Option<String>,
}

/// Reads the warning; `None` where the text is none.
#[must_use]
pub fn read(text: &str) -> Option<LimitWarning> {
    let text = text.trim();
    let setting = text.strip_prefix(START)?;
    let end = setting.find([' ', '\n', '(']).unwrap_or(setting.len());
    let (setting, rest) = setting.split_at_checked(end)?;
    let limit = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|rest| rest.split(')').next()?.parse().ok());
    let mut warning = LimitWarning {
        setting: setting.into(),
        limit,
        ..LimitWarning::default()
    };
    for line in text.lines().skip(1) {
        if let Some(place) = line.trim_start().strip_prefix("function: ") {
            read_place(place.trim_end(), &mut warning);
            break;
        }
    }
    let start = ["\n   last reason: ", "\n   reasons: "]
        .iter()
        .find_map(|start| Some(text.find(start)? + start.len()));
    if let Some(start) = start {
        let reason = text.get(start..).unwrap_or_default();
        let end = ENDS.iter().filter_map(|end| reason.find(end)).min();
        let reason = reason
            .get(..end.unwrap_or(reason.len()))
            .unwrap_or_default();
        warning.reason = reason.trim().into();
        warning.reasons = recompile::reasons(text);
    }
    warning.page = text
        .rsplit_once("see ")
        .map(|(_, page)| page.trim().trim_end_matches('.'))
        .filter(|page| page.starts_with("http") && !page.contains(char::is_whitespace))
        .map(Into::into);
    Some(warning)
}

/// What stands behind the reason.
const ENDS: [&str; 2] = [
    "\nTo log all recompilation reasons",
    "\nto diagnose recompilation issues",
];

/// `'{function}' ({file}:{line})`.
fn read_place(place: &str, warning: &mut LimitWarning) {
    let Some((name, place)) = place.rsplit_once(" (") else {
        warning.function = place.trim_matches('\'').into();
        return;
    };
    warning.function = name.trim_matches('\'').into();
    let place = place.trim_end_matches(')');
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) if line.bytes().all(|b| b.is_ascii_digit()) => (file, line.parse().ok()),
        _ => (place, None),
    };
    warning.file = file.into();
    warning.line = line;
}

/// Whether a line begins such a warning.
pub(super) fn begins(line: &str) -> bool {
    line.starts_with(START)
}

/// Moves the cursor behind the warning: behind the line that points to a page, or else the lines that
/// belong to it by their form.
pub(super) fn end(cursor: &mut Cursor<'_>) {
    cursor.next();
    let start = cursor.row();
    let mut ahead = cursor.clone();
    while let Some(line) = ahead.next() {
        if ahead.row() - start > LONGEST || begins(line) {
            return;
        }
        if line.starts_with("To diagnose ") || line.starts_with("to diagnose ") {
            *cursor = ahead;
            return;
        }
        // Text that stops before that line.
        if cursor.row() + 1 == ahead.row()
            && (line.starts_with("   ") || line.starts_with("To log "))
        {
            *cursor = ahead.clone();
        }
    }
}

#[cfg(test)]
mod tests;
