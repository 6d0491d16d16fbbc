//! What pytest prints of an exception (`_pytest/_code/code.py`, pytest 6 to 9; `--tb=auto`, `long`, `short`
//! and `line`; `native` is Python's own form).
//!
//! The exception stands behind `E`, in the long form in each of its lines. Calls are `{file}:{line}: in
//! {function}` with their code below; those that are shown long have it above, marked with `>`, and a place
//! without a function, or with the exception's type, below. [`as_python`] makes of it what Python would print.

use super::lines::{self, HEADING};
use crate::log::escape;
use crate::payload::plain::{Cursor, line_start};
use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Rows between the first call and the exception, or two exceptions: functions are shown as far as they ran.
const ROWS: usize = 400;

/// What a line that may begin a traceback of pytest's holds: its exception is told, the calls above it are not.
pub(in crate::payload) const PIECE: &str = "E   ";

/// Whether a line is the first one of an exception.
pub(in crate::payload) fn begins(line: &str) -> bool {
    marked(line).is_some_and(|content| !content.trim().is_empty())
}

/// Whether there is such a line.
pub(super) fn is_any(text: &str) -> bool {
    text.lines().any(begins)
}

/// Where the traceback starts whose exception stands at a byte: at the title of its test or the first of its
/// calls, and not before `floor`.
pub(in crate::payload) fn start(text: &str, at: usize, floor: usize) -> usize {
    let (mut start, mut row) = (at, at);
    for _ in 0..ROWS {
        let Some(end) = row.checked_sub(1).filter(|end| *end >= floor) else {
            break;
        };
        row = line_start(text, end);
        let line = text.get(row..end).unwrap_or_default().trim_end();
        if row < floor || is_rule(line, '=') || is_rule(line, '-') {
            break;
        }
        if is_rule(line, '_') {
            return row;
        }
        if place(line).is_some() || function(line).is_some() || line.starts_with("> ") {
            start = row;
        }
    }
    start
}

/// Moves the cursor, which stands where [`start`] says, behind the traceback. Says whether it is one: whether
/// its exception has a type.
pub(in crate::payload) fn end(cursor: &mut Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    let (mut at, mut is_told, mut rows) = (At::Calls, false, 0);
    while let Some(line) = ahead.next() {
        rows += 1;
        let is_blank = line.trim().is_empty();
        match at {
            At::Calls if begins(line) => {
                let content = marked(line).unwrap_or_default().trim_start();
                is_told |= lines::raised(content).is_some() || is_assertion(content);
                (at, rows) = (At::Message, 0);
            }
            At::Calls if rows > ROWS || is_rule(line, '=') => return is_told,
            At::Calls => continue,
            At::Message if marked(line).is_some() || line.starts_with("    ") => {}
            At::Message | At::Ended if is_blank => continue,
            At::Message | At::Ended => match place(line) {
                Some((.., Behind::Type(_))) if at == At::Message => {
                    (at, is_told) = (At::Ended, true);
                }
                _ if lines::link(line).is_some() => {
                    (at, rows) = (At::Calls, 0);
                    continue;
                }
                _ => {
                    if !is_told {
                        *cursor = ahead;
                    }
                    return is_told;
                }
            },
        }
        *cursor = ahead.clone();
    }
    is_told
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before an exception.
    Calls,
    /// In an exception or behind it.
    Message,
    /// Behind the place that ends it.
    Ended,
}

/// The lines of the traceback as Python prints them, with the rows from which they come.
pub(super) fn as_python(text: &str) -> Vec<(u32, String)> {
    let mut writer = Writer::default();
    writer.out.push((0, format!("{HEADING}:")));
    for (row, line) in (0..).zip(text.lines()) {
        writer.line(row, &escape::without(line));
    }
    writer.flush();
    writer.out
}

#[derive(Debug, Default)]
struct Writer {
    out: Vec<(u32, String)>,
    /// The function that is shown long, and its line that was running.
    function: Option<String>,
    running: Option<String>,
    /// Whether lines of code stand below a call.
    is_below_call: bool,
    message: Vec<(u32, String)>,
    /// The columns before the text of the exception.
    margin: usize,
    kind: Option<String>,
}

impl Writer {
    fn line(&mut self, row: u32, line: &str) {
        let is_below_call = core::mem::take(&mut self.is_below_call);
        if let Some(content) = marked(line) {
            let first = self.message.is_empty();
            let text = content.trim_start_matches(' ');
            let columns = content.len().saturating_sub(text.len());
            if first {
                self.margin = columns;
            }
            let text = content.get(self.margin.min(columns)..).unwrap_or_default();
            self.message.push((row, text.to_owned()));
        } else if lines::link(line).is_some() {
            self.flush();
            self.out.push((row, line.to_owned()));
            self.out.push((row, format!("{HEADING}:")));
        } else if let Some((file, number, behind)) = place(line) {
            match behind {
                Behind::Function(name) => {
                    self.out
                        .push((row, format!("  File \"{file}\", line {number}, in {name}")));
                    self.is_below_call = true;
                    return;
                }
                Behind::Type(kind) => self.kind = Some(kind.to_owned()),
                Behind::Nothing => {}
            }
            let name = self.function.take();
            let name = name.as_deref().unwrap_or("<module>");
            self.out
                .push((row, format!("  File \"{file}\", line {number}, in {name}")));
            if let Some(code) = self.running.take() {
                self.out.push((row, format!("    {code}")));
            }
        } else if is_below_call && line.starts_with("    ") {
            self.out.push((row, line.to_owned()));
            self.is_below_call = true;
        } else if !self.message.is_empty() {
            // The short form marks the first line of a message alone.
            if let Some(text) = line.strip_prefix("    ") {
                self.message.push((row, text.to_owned()));
            } else if line.trim().is_empty() {
                self.message.push((row, String::new()));
            }
        } else if let Some(code) = line.strip_prefix('>').filter(|code| code.starts_with(' ')) {
            self.running = Some(code.trim().to_owned());
        } else if let Some(name) = function(line) {
            self.function = Some(name.to_owned());
        }
    }

    /// Puts the exception behind its calls, the last of which stands below it.
    fn flush(&mut self) {
        let is_assertion = |(_, text): &(u32, String)| is_assertion(text);
        let is_assertion = self.message.first().is_some_and(is_assertion);
        let assertion = is_assertion.then(|| ASSERTION.to_owned());
        let kind = self.kind.take().or(assertion);
        for (number, (row, text)) in self.message.drain(..).enumerate() {
            match &kind {
                Some(kind) if number == 0 && lines::raised(&text).is_none() => {
                    self.out.push((row, format!("{kind}: {text}")));
                }
                _ => self.out.push((row, text)),
            }
        }
        self.function = None;
        self.running = None;
    }
}

/// What `assert` raises.
const ASSERTION: &str = "AssertionError";

/// Whether it is an assertion as pytest writes it, which does not name its type.
fn is_assertion(content: &str) -> bool {
    content.starts_with("assert ")
}

/// What stands behind `E`, with the blanks of its margin.
fn marked(line: &str) -> Option<&str> {
    let content = line.strip_prefix('E')?;
    (content.starts_with("   ") || content.trim().is_empty()).then_some(content)
}

/// What stands behind a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind<'a> {
    Nothing,
    Function(&'a str),
    Type(&'a str),
}

/// `{file}.py:{line}: in {function}`, `{file}.py:{line}: {type}` or `{file}.py:{line}: `.
fn place(line: &str) -> Option<(&str, u32, Behind<'_>)> {
    const SUFFIX: &str = ".py";
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let end = line.find(".py:")?.saturating_add(SUFFIX.len());
    let (file, rest) = line.split_at_checked(end)?;
    let (number, rest) = rest.strip_prefix(':')?.split_once(':')?;
    let number = number.parse().ok()?;
    let rest = rest.trim();
    let behind = match rest.strip_prefix("in ") {
        Some(function) => Behind::Function(function),
        None if rest.is_empty() => Behind::Nothing,
        // The form `line` repeats the message.
        None if is_assertion(rest) => Behind::Type(ASSERTION),
        None => match lines::exception(rest)? {
            (kind, "") => Behind::Type(kind),
            _ => Behind::Type(lines::raised(rest)?.0),
        },
    };
    Some((file, number, behind))
}

/// The name of the function that a line of code defines.
fn function(line: &str) -> Option<&str> {
    let code = line.strip_prefix('>').unwrap_or(line).trim_start();
    let code = code.strip_prefix("async ").unwrap_or(code);
    let name = code.strip_prefix("def ")?;
    name.get(..name.find('(')?)
}

/// Whether a line is a rule, of that character alone or with a title in it.
fn is_rule(line: &str, of: char) -> bool {
    let ends = |text: &str| text.chars().take(3).filter(|c| *c == of).count() == 3;
    ends(line) && line.chars().rev().take(3).filter(|c| *c == of).count() == 3
}
