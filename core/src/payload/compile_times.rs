//! What `torch._dynamo.utils.compile_times()` gives: how long parts of the compiler ran.
//!
//! From torch/_dynamo/utils.py, 2.0 to 2.15. `repr="str"` is a table, drawn by `tabulate` where that is
//! installed and else with commas; the program's end logs it with sums. `repr="csv"` is a tuple of two
//! lists: names, and times with six digits. Names are those of `dynamo_timed`.

use super::plain::Cursor;
use super::recompile::python_string;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// The line above the table.
pub(super) const TITLE: &str = "TorchDynamo compilation metrics:";

/// The words above the columns.
pub(super) const HEADINGS: &str = "Runtimes (s)";

/// How the tuple goes on between names and times.
pub(super) const CSV: &str = "'], ['";

/// A part of the compiler, and how long it ran.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompileTime {
    /// Its name, as `dynamo_timed` has it.
    pub name: String,
    /// Seconds of each run, or their sum alone.
    pub seconds: Vec<f64>,
}

/// Reads the times in any form; lines that are none are left out.
#[must_use]
pub fn read(text: &str) -> Vec<CompileTime> {
    let content = text.trim_start();
    if content.starts_with('(') {
        return csv(content).unwrap_or_default();
    }
    content.lines().filter_map(row).collect()
}

/// Whether a line begins such a table.
pub(super) fn begins(line: &str) -> bool {
    line.trim() == TITLE || is_heading(line) || csv(line).is_some()
}

/// Moves the cursor behind the table.
pub(super) fn end(cursor: &mut Cursor<'_>) {
    let first = cursor.next().unwrap_or_default();
    if !first.trim().ends_with(TITLE) && !is_heading(first) {
        return;
    }
    end_of_rows(cursor);
}

/// Moves the cursor, which stands behind the title, behind the table.
pub(super) fn end_of_rows(cursor: &mut Cursor<'_>) {
    let mut ahead = cursor.clone();
    while let Some(line) = ahead.next() {
        if !(is_heading(line) || is_rule(line) || row(line).is_some()) {
            return;
        }
        *cursor = ahead.clone();
    }
}

fn is_heading(line: &str) -> bool {
    line.trim().strip_prefix("Function").is_some_and(|rest| {
        rest.starts_with([',', ' ']) && rest.trim_start_matches([',', ' ']) == HEADINGS
    })
}

fn is_rule(line: &str) -> bool {
    line.starts_with("--") && line.bytes().all(|b| matches!(b, b'-' | b' '))
}

/// `{name}  {times}` of the drawn table, or `{name}, {times}`.
fn row(line: &str) -> Option<CompileTime> {
    let mut rest = line.trim();
    let mut seconds = Vec::new();
    // From the end, so that each item is looked at once.
    let name = loop {
        let (before, item) = match rest.rsplit_once(", ") {
            Some((before, item)) => (Some(before), item),
            None => (None, rest),
        };
        match (time(item), before) {
            (Some(time), Some(before)) => {
                seconds.push(time);
                rest = before;
            }
            (Some(_), None) => return None,
            (None, _) => {
                let drawn = rest.rsplit_once("  ");
                break match drawn.and_then(|(name, item)| Some((name, time(item)?))) {
                    Some((name, time)) => {
                        seconds.push(time);
                        name.trim_end()
                    }
                    None => rest,
                };
            }
        }
    };
    if seconds.is_empty() || name.is_empty() || name.contains([' ', '\t', ',']) {
        return None;
    }
    seconds.reverse();
    Some(CompileTime {
        name: name.to_string(),
        seconds,
    })
}

fn time(item: &str) -> Option<f64> {
    let item = item.trim();
    let fits = item.bytes().all(|b| b.is_ascii_digit() || b == b'.') && item.contains('.');
    if fits { item.parse().ok() } else { None }
}

/// `(['{name}', …], ['{times}', …])`.
fn csv(text: &str) -> Option<Vec<CompileTime>> {
    let (names, rest) = list(text.trim().strip_prefix('(')?)?;
    let (values, rest) = list(rest.strip_prefix(", ")?)?;
    if rest != ")" || names.is_empty() || names.len() != values.len() {
        return None;
    }
    let time = |(name, value): (String, String)| {
        let seconds = value.split(", ").map(self::time).collect::<Option<_>>()?;
        Some(CompileTime { name, seconds })
    };
    names.into_iter().zip(values).map(time).collect()
}

fn list(text: &str) -> Option<(Vec<String>, &str)> {
    let mut rest = text.strip_prefix('[')?;
    let mut items = Vec::new();
    while let Some((item, behind)) = python_string(rest) {
        items.push(item);
        rest = behind;
        match rest.strip_prefix(", ") {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    Some((items, rest.strip_prefix(']')?))
}

#[cfg(test)]
mod tests;
