//! The printed result of `torch._dynamo.explain`.
//!
//! 2.0 returns a tuple, whose first and last strings are sentences (torch/_dynamo/eval_frame.py); 2.1 to
//! 2.15 print an `ExplainOutput` (torch/_dynamo/backends/debugging.py), with reasons in the words of their
//! version.

use super::compile_times::{self, CompileTime};
use super::plain::Cursor;
use super::recompile::python_string;
use super::traceback::{Frame, Frames};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// How 2.0 begins its sentence.
pub(super) const OLD: &str = "Dynamo produced ";

/// Rows in which the tuple of 2.0 is looked for: graphs and guards stand in it.
const LONGEST_TUPLE: u32 = 20_000;

/// Rows of the longest reason that is looked for.
const LONGEST_REASON: u32 = 2_000;

/// Rows that are looked at behind a result.
pub(super) const AHEAD: u32 = LONGEST_TUPLE;
const _: () = assert!(LONGEST_REASON <= LONGEST_TUPLE);

/// What `explain` found out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// How many graphs the function became.
    pub graphs: u64,
    /// How often a graph broke.
    pub breaks: u64,
    /// How many operations all graphs hold.
    pub ops: u64,
    /// Why graphs broke, in their order.
    pub reasons: Vec<BreakReason>,
    /// The operations of each graph, as Python prints them (2.1+).
    pub graph_ops: Vec<Vec<String>>,
    /// The guards of all graphs (2.1+).
    pub guards: Vec<ExplainedGuard>,
    /// How long the compiler took.
    pub compile_times: Vec<CompileTime>,
}

/// Why a graph broke.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BreakReason {
    /// The reason, of one line or several (2.7+).
    pub reason: String,
    /// The program's lines, outermost first.
    pub stack: Vec<Frame>,
}

/// A guard, as `Guard.__str__` of torch/_guards.py prints it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExplainedGuard {
    /// What is guarded; empty for the state of the program.
    pub name: String,
    /// Where it comes from: `local`, `global`, `shape_env`.
    pub source: String,
    /// What makes the guard: `TENSOR_MATCH`.
    pub create_function: String,
    /// Its checks, as Python prints the list; empty where there is none.
    pub code: String,
}

/// Reads the result; `None` where the text is none.
#[must_use]
pub fn read(text: &str) -> Option<Explanation> {
    let content = text.trim_start();
    if content.starts_with("Graph Count: ") {
        return Some(new(content));
    }
    if content.starts_with(OLD) {
        return old(content);
    }
    // The tuple: its last string says all that the first one does.
    let at = content.rfind(OLD)?;
    let quoted = content.get(at.checked_sub(1)?..)?;
    match python_string(quoted) {
        Some((sentence, _)) => old(&sentence),
        None => counts(content.strip_prefix("('")?),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Counts,
    Reasons,
    Ops,
    Guards,
    Times,
}

/// The lines that parts begin with.
const PARTS: [(&str, Part); 4] = [
    ("Break Reasons:", Part::Reasons),
    ("Ops per Graph:", Part::Ops),
    ("Out Guards:", Part::Guards),
    ("Compile Times: ", Part::Times),
];

fn part(line: &str) -> Option<Part> {
    let found = PARTS.iter().find(|(start, _)| line.starts_with(start));
    found.map(|(_, part)| *part)
}

fn new(text: &str) -> Explanation {
    let mut explanation = Explanation::default();
    let (mut at, mut in_stack) = (Part::Counts, false);
    let mut row = 0;
    let mut bytes = 0;
    for piece in text.split_inclusive('\n') {
        let line = piece.trim_end_matches(['\n', '\r']);
        bytes += piece.len();
        if let Some(part) = part(line) {
            at = part;
            if part == Part::Times {
                explanation.compile_times =
                    compile_times::read(text.get(bytes..).unwrap_or_default());
                break;
            }
            row += 1;
            continue;
        }
        match at {
            Part::Counts => count(line, &mut explanation),
            Part::Reasons => reason(row, line, &mut explanation.reasons, &mut in_stack),
            Part::Ops => op(line, &mut explanation.graph_ops),
            Part::Guards => guard(line, &mut explanation.guards),
            Part::Times => {}
        }
        row += 1;
    }
    for reason in &mut explanation.reasons {
        reason.reason.truncate(reason.reason.trim_end().len());
    }
    explanation
}

fn count(line: &str, explanation: &mut Explanation) {
    let Some((name, value)) = line.split_once(": ") else {
        return;
    };
    let value = value.trim().parse().unwrap_or_default();
    match name {
        "Graph Count" => explanation.graphs = value,
        "Graph Break Count" => explanation.breaks = value,
        "Op Count" => explanation.ops = value,
        _ => {}
    }
}

fn reason(row: u32, line: &str, reasons: &mut Vec<BreakReason>, in_stack: &mut bool) {
    if is_numbered(line, "  Break Reason ") {
        reasons.push(BreakReason::default());
        *in_stack = false;
        return;
    }
    let Some(last) = reasons.last_mut() else {
        return;
    };
    if line.trim_end() == "    User Stack:" {
        *in_stack = true;
    } else if *in_stack {
        last.stack.extend(summary(row, line));
    } else if last.reason.is_empty()
        && let Some(first) = line.strip_prefix("    Reason: ")
    {
        last.reason.push_str(first);
    } else {
        last.reason.push('\n');
        last.reason.push_str(line);
    }
}

/// `{start}{number}:`.
fn is_numbered(line: &str, start: &str) -> bool {
    let number = line
        .strip_prefix(start)
        .and_then(|rest| rest.trim_end().strip_suffix(':'));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// `<FrameSummary file {file}, line {line} in {function}>`.
fn summary(row: u32, line: &str) -> Option<Frame> {
    let inside = line.trim().strip_prefix("<FrameSummary file ")?;
    let (file, rest) = inside.strip_suffix('>')?.rsplit_once(", line ")?;
    let (number, function) = rest.split_once(" in ")?;
    Some(Frame {
        file: file.into(),
        line: number.parse().ok(),
        function: Some(function.into()),
        row,
        ..Frame::default()
    })
}

fn op(line: &str, graphs: &mut Vec<Vec<String>>) {
    if is_numbered(line, "  Ops ") {
        graphs.push(Vec::new());
    } else if let (Some(graph), Some(op)) = (graphs.last_mut(), line.strip_prefix("    ")) {
        graph.push(op.trim_end().into());
    }
}

fn guard(line: &str, guards: &mut Vec<ExplainedGuard>) {
    if is_numbered(line, "  Guard ") {
        guards.push(ExplainedGuard::default());
        return;
    }
    let (Some(guard), Some((name, value))) = (guards.last_mut(), line.trim().split_once(": "))
    else {
        return;
    };
    let value = value.trim();
    match name {
        "Name" => {
            let name = python_string(value).map(|(name, _)| name);
            guard.name = name.unwrap_or_else(|| value.to_string());
        }
        "Source" => guard.source = value.into(),
        "Create Function" => guard.create_function = value.into(),
        "Code List" if value != "None" => guard.code = value.into(),
        _ => {}
    }
}

/// `Dynamo produced {n} graphs with {n} graph break and {n} ops`, and what stands below it.
fn old(text: &str) -> Option<Explanation> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut explanation = counts(first)?;
    let (reasons, times) = rest.split_once(compile_times::TITLE).unwrap_or((rest, ""));
    explanation.compile_times = compile_times::read(times);
    let mut frames = Frames::default();
    let mut next = 1_u32;
    let mut started = false;
    for (row, line) in (1..).zip(reasons.lines()) {
        if !started {
            started = line.trim() == "Break reasons:";
            continue;
        }
        if let Some(reason) = numbered(line, next) {
            close(&mut frames, &mut explanation.reasons);
            next = next.saturating_add(1);
            explanation.reasons.push(BreakReason {
                reason: reason.into(),
                stack: Vec::new(),
            });
        } else if line.starts_with("  ") {
            frames.line(row, line);
        } else if !line.trim().is_empty()
            && let Some(last) = explanation.reasons.last_mut()
        {
            last.reason.push('\n');
            last.reason.push_str(line);
        }
    }
    close(&mut frames, &mut explanation.reasons);
    Some(explanation)
}

fn close(frames: &mut Frames, reasons: &mut [BreakReason]) {
    if let Some(last) = reasons.last_mut() {
        last.stack = core::mem::take(frames).finish();
    }
}

fn numbered(line: &str, number: u32) -> Option<&str> {
    let (n, reason) = line.split_once(". ")?;
    (n.parse() == Ok(number)).then_some(reason)
}

fn counts(line: &str) -> Option<Explanation> {
    let mut words = line.strip_prefix(OLD)?.split_whitespace();
    let mut number = |behind: &str| {
        let number = words.next()?.parse().ok()?;
        words.by_ref().find(|word| word.starts_with(behind))?;
        Some(number)
    };
    let graphs = number("with")?;
    let breaks = number("and")?;
    let ops = number("ops")?;
    Some(Explanation {
        graphs,
        breaks,
        ops,
        ..Explanation::default()
    })
}

/// Whether a line begins a result.
pub(super) fn begins(line: &str) -> bool {
    let is_count = |rest: &str| rest.trim_end().bytes().all(|b| b.is_ascii_digit());
    line.strip_prefix("Graph Count: ").is_some_and(is_count)
        || counts(line).is_some()
        || is_tuple(line)
}

fn is_tuple(line: &str) -> bool {
    line.strip_prefix("('")
        .is_some_and(|rest| counts(rest).is_some())
}

/// Moves the cursor behind the result.
pub(super) fn end(cursor: &mut Cursor<'_>) {
    let first = cursor.peek().unwrap_or_default();
    if is_tuple(first) {
        return end_of_tuple(cursor);
    }
    cursor.next();
    if first.starts_with(OLD) {
        return end_of_old(cursor);
    }
    let mut at = Part::Counts;
    let mut ahead = cursor.clone();
    let mut since = 0_u32;
    while let Some(line) = ahead.next() {
        since = since.saturating_add(1);
        if begins(line) {
            return;
        }
        if let Some(part) = part(line) {
            (at, since) = (part, 0);
            if part == Part::Times {
                *cursor = ahead.clone();
                // The first line of the table is behind the words.
                return compile_times::end_of_rows(cursor);
            }
        } else {
            let belongs = match at {
                Part::Counts => {
                    line.starts_with("Graph Break Count: ") || line.starts_with("Op Count: ")
                }
                // A reason is of any form; what closes it is its stack.
                Part::Reasons if since <= LONGEST_REASON => {
                    if line.starts_with("      <FrameSummary ")
                        || line.trim_end() == "    User Stack:"
                        || is_numbered(line, "  Break Reason ")
                    {
                        since = 0;
                    } else {
                        continue;
                    }
                    true
                }
                Part::Reasons => false,
                // The representation of an op may be of several lines.
                Part::Ops | Part::Guards => line.starts_with("  "),
                Part::Times => false,
            };
            if !belongs {
                return;
            }
        }
        *cursor = ahead.clone();
    }
}

fn end_of_old(cursor: &mut Cursor<'_>) {
    let mut ahead = cursor.clone();
    if ahead
        .next()
        .is_none_or(|line| line.trim() != "Break reasons:")
    {
        return;
    }
    *cursor = ahead.clone();
    let start = ahead.row();
    while let Some(line) = ahead.next() {
        if ahead.row().saturating_sub(start) > LONGEST_REASON || counts(line).is_some() {
            return;
        }
        if line.trim() == compile_times::TITLE {
            *cursor = ahead.clone();
            return compile_times::end_of_rows(cursor);
        }
        if line.starts_with("  ") || line.starts_with(|c: char| c.is_ascii_digit()) {
            *cursor = ahead.clone();
        }
    }
}

fn end_of_tuple(cursor: &mut Cursor<'_>) {
    let mut ahead = cursor.clone();
    let start = ahead.row();
    while let Some(line) = ahead.next() {
        if ahead.row().saturating_sub(start) > LONGEST_TUPLE {
            break;
        }
        let last = line.rfind(OLD).filter(|at| *at > 2);
        if last.is_some() && line.trim_end().ends_with(')') {
            *cursor = ahead;
            return;
        }
        if ahead.row() > start + 1 && begins(line) {
            break;
        }
    }
    cursor.next();
}

#[cfg(test)]
mod tests;
