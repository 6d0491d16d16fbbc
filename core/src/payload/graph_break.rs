//! Where a graph broke, and why: messages of `graph_breaks` of torch 2.0 to 2.15, as clean text, and the payload
//! of `dynamo_graph_break_reason` (2.6+), which has their form.
//!
//! Written by torch/_dynamo/symbolic_convert.py (`log_graph_break`, before 2.6 `break_graph_if_unsupported`) and
//! convert_frame.py for frames that are skipped:
//!
//! - 2.0 to 2.2: `Graph break: REASON from user code at:`, then the user's stack;
//! - 2.3 to 2.5: `Graph break: from user code at:`, the stack, and a traceback whose last line is the reason;
//! - 2.6 and later: `Graph break in user code at FILE:LINE`, `Graph Break Reason: …` (2.6: `Reason: …`), the stack;
//! - where a backend raises what Dynamo falls back on, `WON'T CONVERT FUNCTION FILE line LINE` and the traceback comes
//!   first (exc.py, `unimplemented_with_warning`).
//!
//! What the reason says is read by [`message`]; [`kinds`] tells which kind it is of.

pub mod kinds;
pub mod message;

use super::traceback::{self, Frame};
use alloc::string::String;
use alloc::vec::Vec;
use message::Message;

/// The artifact that says where and why a graph broke (2.6+), and the record that a console message of it becomes.
pub const ARTIFACT: &str = "dynamo_graph_break_reason";

/// A place at which a graph broke.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphBreak {
    /// The user's file.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<u32>,
    /// The function; the heading of 2.6 and later does not name it, the stack does.
    pub function: Option<String>,
    /// Whether the whole frame runs without being compiled.
    pub is_skip: bool,
    /// All that is said of it; the second one and later are breaks that came of handling the one before.
    pub messages: Vec<Message>,
    /// The program's calls that led there, outermost first.
    pub stack: Vec<Frame>,
}

impl GraphBreak {
    /// What broke the graph, in one line: since 2.7 the type of the break (`Data-dependent branching`).
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.messages.first().map(|first| first.kind.as_str())
    }
}

/// Reads a message, or `None` where it is none of a graph break.
#[must_use]
pub fn read(text: &str) -> Option<GraphBreak> {
    let text = text.trim_start_matches('\n');
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim_end_matches('\r');
    let (rest, traceback) = match rest.find(TRACEBACK) {
        Some(at) if at == 0 || rest.get(..at).is_some_and(|before| before.ends_with('\n')) => {
            rest.split_at(at)
        }
        _ => (rest, ""),
    };
    let mut found = GraphBreak::default();
    if let Some(frame) = first.strip_prefix(NOT_CONVERTED) {
        let (function, file, line) = frame_of(frame)?;
        found.function = Some(function.into());
        found.file = Some(file.into());
        found.line = Some(line);
        found.is_skip = true;
        found.messages = raised(traceback);
        return Some(found);
    }
    if let Some(said) = first.strip_prefix("Graph break: ") {
        found.is_skip = said.starts_with("skip: ") || said.starts_with(SKIPPED);
        found.messages = match reason_in_line(text, said) {
            Some(reason) => message::read(reason),
            None => raised(traceback),
        };
        if found.messages.is_empty() && said.starts_with(SKIPPED) {
            found.messages = message::read(said);
        }
        // Up to 2.2 the stack begins in the line of the reason.
        let own = first.split_once(STACK).map_or("", |(_, frame)| frame);
        found.stack = frames([own].into_iter().chain(rest.lines()));
    } else {
        let (_, place) = first
            .strip_prefix("Graph break")?
            .split_once(" in user code at ")?;
        let (file, line) = place.rsplit_once(':')?;
        found.file = Some(file.into());
        found.line = line.trim_end().parse().ok();
        let said = behind(rest, &["Graph Break Reason: ", "Reason: "]);
        found.is_skip = said.is_some_and(|said| said.starts_with(UNHANDLED));
        found.messages = said.map(message::read).unwrap_or_default();
        found.stack = frames(behind(rest, &[USER]).unwrap_or_default().lines());
    }
    if let Some(last) = found.stack.last() {
        let is_there = found.file.is_none()
            || (found.file.as_deref() == Some(&last.file) && found.line == last.line);
        if is_there {
            found.file = Some(last.file.clone());
            found.line = last.line;
            found.function.clone_from(&last.function);
        }
    }
    if found.file.is_none()
        && let Some((function, file, line)) = skipped_frame(rest)
    {
        found.function = Some(function.into());
        found.file = Some(file.into());
        found.line = Some(line);
    }
    Some(found)
}

/// The frame that is skipped, where no stack says where: `torch.compile will skip tracing the frame FUNCTION
/// (FILE line LINE) and fall back to eager.`, 2.10 and later.
fn skipped_frame(text: &str) -> Option<(&str, &str, u32)> {
    let frame = text
        .lines()
        .find_map(|line| line.strip_prefix("torch.compile will skip tracing the frame "))?;
    let (frame, _) = frame.rsplit_once(") and fall back")?;
    let (place, line) = frame.rsplit_once(" line ")?;
    let (function, file) = place.split_once(" (")?;
    Some((function, file, line.parse().ok()?))
}

const TRACEBACK: &str = "Traceback (most recent call last):";
/// 2.10 and later.
pub(crate) const SKIPPED: &str = "torch.compile cannot properly resume from this graph break";
/// 2.11 and later.
const UNHANDLED: &str = "Failed to handle graph break gracefully. Skipping the function";
const NOT_CONVERTED: &str = "WON'T CONVERT ";
const STACK: &str = " from user code at";
const USER: &str = "User code traceback:";

/// The reason between `Graph break: ` and the stack, which may take several lines.
fn reason_in_line<'a>(text: &'a str, first: &'a str) -> Option<&'a str> {
    let reason = match first.find(STACK) {
        Some(at) => first.get(..at)?,
        None if text.contains(STACK) => first,
        None => return None,
    };
    let reason = reason.trim_end().trim_start_matches("skip:");
    (!reason.is_empty() && !first.starts_with("from user code")).then_some(reason.trim())
}

/// What stands behind the first line that begins with one of these headings.
fn behind<'a>(text: &'a str, headings: &[&str]) -> Option<&'a str> {
    let mut rest = text;
    loop {
        if let Some(said) = headings
            .iter()
            .find_map(|heading| rest.strip_prefix(heading))
        {
            return Some(said);
        }
        (_, rest) = rest.split_once('\n')?;
    }
}

/// What the exception says that a traceback ends with.
fn raised(traceback: &str) -> Vec<Message> {
    let traceback = traceback::read(traceback);
    let Some(raised) = traceback.surfaced() else {
        return Vec::new();
    };
    let mut messages = message::read(&raised.message);
    if messages.is_empty() && !raised.kind.is_empty() {
        messages = message::read(&raised.kind);
    }
    if let Some(last) = messages.last_mut() {
        // The page stands behind the message, where tracebacks are read.
        last.page = last.page.take().or_else(|| raised.advice.page.clone());
    }
    messages
}

/// The calls that lines show.
fn frames<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Frame> {
    let mut frames = traceback::Frames::default();
    for (row, line) in (0..).zip(lines) {
        frames.line(row, line);
    }
    frames.finish()
}

/// `FUNCTION FILE line LINE`, the code that is not compiled.
fn frame_of(heading: &str) -> Option<(&str, &str, u32)> {
    let (place, line) = heading.trim_end().rsplit_once(" line ")?;
    // `<lambda>` and `<resume in f>` are names, too.
    let from = place
        .strip_prefix('<')
        .and_then(|name| name.find('>'))
        .unwrap_or(0);
    let blank = from + place.get(from..)?.find(' ')?;
    Some((
        place.get(..blank)?,
        place.get(blank + 1..)?,
        line.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = read(text).map(|found| {
            let part = |text: &Option<String>| text.clone().unwrap_or("-".into());
            let line = found.line.map_or("-".into(), |line| format!("{line}"));
            let skip = if found.is_skip { "skip " } else { "" };
            format!(
                "{skip}{}:{line} {}: {}",
                part(&found.file),
                part(&found.function),
                found.reason().unwrap_or("-")
            )
        });
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{text}");
    }

    const STACK_OF_F: &str = "  File \"/a.py\", line 9, in main\n    f(x)\n  File \"/a.py\", line 3, in f\n    print(1)\n";

    #[test]
    fn every_version_says_where_and_why() {
        check(
            "Graph break: call_function BuiltinVariable(print) [] {} from user code at   File \"/a.py\", line 3, in f\n    print(1)\n",
            "/a.py:3 f: call_function BuiltinVariable(print) [] {}",
        );
        check(
            &format!("Graph break: Tensor.item from user code at:\n{STACK_OF_F}"),
            "/a.py:3 f: Tensor.item",
        );
        let traceback = "Traceback (most recent call last):\n  File \"/torch/x.py\", line 1, in wrapper\n    raise\ntorch._dynamo.exc.Unsupported: Tensor.item\n\nfrom user code:\n";
        check(
            &format!("Graph break: from user code at:\n{STACK_OF_F}\n{traceback}"),
            "/a.py:3 f: Tensor.item",
        );
        check(
            &format!("Graph break: skip: from user code at:\n{STACK_OF_F}{traceback}"),
            "skip /a.py:3 f: Tensor.item",
        );
        check(
            &format!(
                "Graph break in user code at /a.py:3\nReason: Unsupported: builtin: print [] False\nUser code traceback:\n{STACK_OF_F}"
            ),
            "/a.py:3 f: builtin: print [] False",
        );
        check(
            &format!(
                "Graph break in user code at /a.py:3\nGraph Break Reason: Data-dependent branching\n  Explanation: x\n\nUser code traceback:\n{STACK_OF_F}"
            ),
            "/a.py:3 f: Data-dependent branching",
        );
        check(
            &format!(
                "Graph break in user code at /a.py:3\nGraph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):\n\nCall to a time function\n  Explanation: x\n\nUser code traceback:\n{STACK_OF_F}"
            ),
            "/a.py:3 f: Call to a time function",
        );
        check(
            "Graph break (user stack suppressed due to duplicate graph break) in user code at /a.py:3\nGraph Break Reason: x",
            "/a.py:3 -: x",
        );
        check(
            &format!(
                "Graph break: torch.compile cannot properly resume from this graph break, which results in a skip.\ntorch.compile will skip tracing the frame f (/a.py line 1) and fall back to eager.\nThe graph break occurred in the following user code:\n{STACK_OF_F}"
            ),
            "skip /a.py:3 f: torch.compile cannot properly resume from this graph break, which results in a skip.",
        );
    }

    #[test]
    fn a_frame_that_is_skipped_is_named_where_no_stack_is() {
        check(
            "Graph break: torch.compile cannot properly resume from this graph break, which results in a skip.\ntorch.compile will skip tracing the frame f (/my dir (2)/a.py line 14) and fall back to eager.\nThe graph break occurred in the following user code:\n\n",
            "skip /my dir (2)/a.py:14 f: torch.compile cannot properly resume from this graph break, which results in a skip.",
        );
    }

    #[test]
    fn a_backend_that_fails_names_the_frame_and_the_exception() {
        let traceback = "========== TorchDynamo Stack Trace ==========\nTraceback (most recent call last):\n  File \"/b.py\", line 6, in backend\n    raise\ntorch._subclasses.fake_tensor.UnsupportedOperatorException: aten.cos.default\n\n";
        check(
            &format!(
                "WON'T CONVERT torch_dynamo_resume_in_f_at_11 /my dir/a.py line 11\n{traceback}"
            ),
            "skip /my dir/a.py:11 torch_dynamo_resume_in_f_at_11: aten.cos.default",
        );
        check(
            &format!("WON'T CONVERT <resume in f> /a.py line 11\n{traceback}"),
            "skip /a.py:11 <resume in f>: aten.cos.default",
        );
        check(
            &format!(
                "Graph break in user code at /a.py:3\nGraph Break Reason: Failed to handle graph break gracefully. Skipping the function and falling back to eager. Graph break encountered:\n\nBackend compiler exception\n  Explanation: x\n\nUser code traceback:\n{STACK_OF_F}"
            ),
            "skip /a.py:3 f: Backend compiler exception",
        );
    }

    #[test]
    fn other_text_is_none() {
        for text in [
            "",
            "x",
            "Graph break",
            "Graph break from `Tensor.item()`, consider setting:",
            "Graph break in user code at x",
            "WON'T CONVERT f",
            "WON'T CONVERT f /a.py line x",
        ] {
            check(text, "none");
        }
    }
}
