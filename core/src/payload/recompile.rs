//! Why a frame was compiled again: the reasons of torch/_dynamo/guards.py, 2.1 to 2.15.
//!
//! Start at [`reasons`], which reads every form: the payload of the artifact `recompile_reasons` (2.5+: a
//! JSON list, or one plain string although it is labelled JSON, 2.11+), `recompile_reason` of the metrics
//! (2.7+), and the messages of `TORCH_LOGS=recompiles` and `recompiles_verbose` as clean text. A reason
//! names a cache entry and the guards of it that failed; what a guard's text means is told by [`guard`];
//! what stands behind it is read by `trailer`.

pub mod guard;
mod kind;
mod scan;
mod trailer;

use crate::log::json::{self, FaultKind, Value};
use crate::trace::id::CompileId;
use alloc::string::String;
use alloc::vec::Vec;
pub use kind::{GlobalState, GuardFailureKind};
pub(super) use scan::python_string;
pub use trailer::UserLine;

/// Why one cache entry could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reason {
    /// The compilation that made the entry, since 2.5; before, PyTorch did not say.
    pub entry: Option<CompileId>,
    /// The guards that failed. PyTorch stops at the first one, but for `recompiles_verbose`.
    pub parts: Vec<GuardFailure>,
}

/// A guard that failed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GuardFailure {
    /// What it checks.
    pub kind: GuardFailureKind,
    /// What is guarded, with `L['x']` as `x`, which 2.7 and later write.
    pub source: Option<String>,
    /// The guard or PyTorch's message as it stands, without the place in the program behind it.
    pub guard: String,
    /// What the cache entry was compiled for, as it stands. Sizes and strides count elements; whether
    /// gradients are recorded is `True` or `False`.
    pub expected: Option<String>,
    /// What came instead, where the message says so.
    pub actual: Option<String>,
    /// The dimension, from 0; for keys of a dict, the place of the key.
    pub index: Option<u32>,
    /// The class of the guarded object, where the message names it (2.10+).
    pub class: Option<String>,
    /// What changed, where it is the global state; empty where PyTorch does not say (before 2.5).
    pub state: Vec<GlobalState>,
    /// The line of the program that the guard is due to.
    pub user: Option<UserLine>,
    /// How the program came to that line, outermost first, since 2.11.
    pub stack: Vec<UserLine>,
    /// What PyTorch advises, or says of the guard's origin.
    pub hint: Option<String>,
}

/// The function that was compiled again, from a message's first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading<'a> {
    /// Its name.
    pub function: &'a str,
    /// The file that defines it.
    pub file: &'a str,
    /// The line where it begins, from 1.
    pub line: u32,
}

/// Reads reasons in any form, in the order in which they stand. Never fails: text that is none of the
/// forms is one reason of the kind [`GuardFailureKind::Unknown`].
#[must_use]
pub fn reasons(text: &str) -> Vec<Reason> {
    let trimmed = text.trim();
    if let Some(reasons) = listed(trimmed) {
        return reasons;
    }
    let mut reader = Reader::default();
    if let Some(message) = tuple(trimmed) {
        let of = message.split_once(FAILURE).map_or(&*message, |(_, of)| of);
        reader.lines(of.trim_start_matches(':').trim_start());
    } else if let Some((_, failures)) =
        trimmed.split_once("triggered by the following guard failure(s):")
    {
        reader.grouping = Grouping::Lines;
        for line in failures.lines() {
            reader.message_line(line);
        }
    } else if trimmed.starts_with("torch._dynamo hit config.") {
        reader.lines(reason_of_warning(trimmed));
    } else {
        reader.lines(trimmed);
    }
    reader.finish()
}

/// The function that a message of `recompiles` is about.
#[must_use]
pub fn heading(message: &str) -> Option<Heading<'_>> {
    let line = message.trim_start().lines().next()?;
    let line = line.trim_start_matches(['(', '\'', '"']);
    // 2.1 writes a tuple of two strings.
    let end = ["', ", "\", "]
        .iter()
        .filter_map(|end| line.find(end))
        .min();
    let line = line.get(..end.unwrap_or(line.len()))?;
    let name = line.strip_prefix("Recompiling function ")?;
    // `<resume in f>` holds the word that ends other names.
    let end = name
        .strip_prefix('<')
        .and_then(|name| name.find('>'))
        .unwrap_or(0);
    let end = end + name.get(end..)?.find(" in ")?;
    let (function, place) = (name.get(..end)?, name.get(end + 4..)?);
    let (file, number) = place.trim_end().rsplit_once(':')?;
    Some(Heading {
        function,
        file,
        line: number.parse().ok()?,
    })
}

const FAILURE: &str = "triggered by the following guard failure";

/// The reasons of a JSON list of strings, or of a JSON string.
fn listed(text: &str) -> Option<Vec<Reason>> {
    if !text.starts_with(['[', '"']) {
        return None;
    }
    let (value, fault) = json::parse(text.as_bytes());
    let mut items = match value {
        Value::Array(items) => items,
        string @ Value::String(_) if fault.is_none() => [string].into(),
        _ => return None,
    };
    // What stands in brackets may be no JSON at all.
    if fault.is_some() && !items.iter().any(|item| item.as_str().is_some()) {
        return None;
    }
    let cut = fault.is_some_and(|fault| fault.kind == FaultKind::Cut);
    // The last string of a text that stops is not all of it.
    if cut && items.len() > 1 {
        items.pop();
    }
    let mut reader = Reader::default();
    for item in items.iter().filter_map(Value::as_str) {
        reader.close();
        reader.lines(item);
    }
    Some(reader.finish())
}

/// The reason in the warning at the recompile limit, from torch/_dynamo/convert_frame.py; empty where it
/// gives none (2.1, unless the program was asked to report).
fn reason_of_warning(text: &str) -> &str {
    let found = ["\n   last reason: ", "\n   reasons:"]
        .into_iter()
        .find_map(|start| text.split_once(start));
    let reason = found.map_or("", |(_, reason)| reason);
    let end = ["\nTo log all ", "\nto diagnose "]
        .into_iter()
        .filter_map(|end| reason.find(end))
        .min();
    reason
        .get(..end.unwrap_or(reason.len()))
        .unwrap_or_default()
}

/// The second string of the tuple that 2.1 logs in place of a message.
fn tuple(text: &str) -> Option<String> {
    let rest = text.strip_prefix('(')?;
    if !rest.get(1..)?.starts_with("Recompiling function ") {
        return None;
    }
    let (_, rest) = scan::python_string(rest)?;
    let (message, _) = scan::python_string(rest.trim_start_matches([',', ' ']))?;
    Some(message)
}

/// What a line that names no cache entry belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Grouping {
    /// To the reason before it.
    #[default]
    Reason,
    /// To none: it is a reason of its own, as in `recompiles` before 2.5.
    Lines,
}

/// Collects reasons line by line.
#[derive(Debug, Default)]
struct Reader {
    reasons: Vec<Reason>,
    grouping: Grouping,
    /// Whether the last reason goes on.
    open: bool,
    in_stack: bool,
    /// A guard whose object is printed over several lines.
    object: Option<Object>,
}

/// A guard that is not whole: 2.10 to 2.12 print the object itself behind `, type=`, as Python does, and an optimizer or
/// a module takes many lines.
#[derive(Debug, Default)]
struct Object {
    text: String,
    /// How many brackets are open.
    depth: i32,
}

impl Object {
    /// The beginning of a guard whose object goes on behind its line.
    fn begin(text: &str) -> Option<Object> {
        let (_, object) = text.split_once(", type=")?;
        let depth = open_brackets(object);
        let goes_on = depth > 0 || object.trim_end().ends_with(" containing:");
        (goes_on && !object.contains("  # ")).then(|| Object {
            text: text.into(),
            depth,
        })
    }

    /// Takes one more line; says whether it is the last one.
    fn ends_with(&mut self, line: &str) -> bool {
        self.text.push('\n');
        self.text.push_str(line);
        let object = line.split_once("  # ").map_or(line, |(object, _)| object);
        self.depth = self.depth.saturating_add(open_brackets(object));
        self.depth <= 0
    }
}

/// How many brackets more a text opens than it closes.
fn open_brackets(text: &str) -> i32 {
    text.bytes().fold(0, |depth: i32, byte| match byte {
        b'(' | b'[' | b'{' => depth.saturating_add(1),
        b')' | b']' | b'}' => depth.saturating_sub(1),
        _ => depth,
    })
}

impl Reader {
    fn close(&mut self) {
        self.end_object();
        self.open = false;
        self.in_stack = false;
    }

    /// Gives the last reason the guard whose object was printed over several lines.
    fn end_object(&mut self) {
        if let (Some(object), Some(last)) = (self.object.take(), self.reasons.last_mut()) {
            last.parts.extend(parts(&object.text));
        }
    }

    /// The guards of a line, but for one that goes on.
    fn parts_of_line(&mut self, line: &str) -> Vec<GuardFailure> {
        self.object = Object::begin(line.trim());
        match self.object {
            Some(_) => Vec::new(),
            None => parts(line),
        }
    }

    fn lines(&mut self, text: &str) {
        for line in text.lines() {
            self.line(line);
        }
    }

    /// A line of a message of `TORCH_LOGS`: `    - ` stands before each line of a reason.
    fn message_line(&mut self, line: &str) {
        let content = line.trim_start();
        if content.starts_with("guard ") && content.trim_end().ends_with(" failures:") {
            self.grouping = Grouping::Reason;
            self.close();
        } else if let Some(reason) = content.strip_prefix("- ") {
            self.line(reason);
        } else if content != "-" {
            self.line(line);
        }
    }

    fn line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        if let Some(object) = &mut self.object
            && entry(line.trim_start()).is_none()
        {
            if object.ends_with(line) {
                self.end_object();
            }
            return;
        }
        self.end_object();
        if line.trim() == "User stack trace:" && self.open {
            self.in_stack = true;
            return;
        }
        let last = self.reasons.last_mut().filter(|_| self.open);
        if self.in_stack && line.starts_with([' ', '\t']) {
            if let Some(failure) = last.and_then(|reason| reason.parts.last_mut()) {
                trailer::add_stack_line(&mut failure.stack, line);
            }
            return;
        }
        self.in_stack = false;
        match (entry(line.trim_start()), last) {
            (None, Some(last)) if self.grouping == Grouping::Reason || last.entry.is_some() => {
                let parts = self.parts_of_line(line);
                if let Some(last) = self.reasons.last_mut() {
                    last.parts.extend(parts);
                }
            }
            (entry, _) => {
                let (entry, body) = entry.map_or((None, line), |(id, body)| (Some(id), body));
                let parts = self.parts_of_line(body);
                self.reasons.push(Reason { entry, parts });
                self.open = true;
            }
        }
    }

    fn finish(mut self) -> Vec<Reason> {
        self.end_object();
        for failure in self.reasons.iter_mut().flat_map(|reason| &mut reason.parts) {
            if let Some(innermost) = failure.stack.last() {
                // The stack names whole paths; the guard's own trailer shortens them.
                let code = failure.user.take().and_then(|user| user.code);
                failure.user = Some(UserLine {
                    code: innermost.code.clone().or(code),
                    ..innermost.clone()
                });
            }
        }
        self.reasons
    }
}

/// The longest that a compile id is looked for.
const LONGEST_ID: usize = 40;

/// The cache entry that a line begins with: `0/1: …`.
fn entry(line: &str) -> Option<(CompileId, &str)> {
    let end = line.bytes().take(LONGEST_ID).position(|b| b == b':')?;
    let id = CompileId::parse(line.get(..end)?)?;
    let body = line.get(end + 1..)?;
    (body.is_empty() || body.starts_with(' ')).then(|| (id, body.trim_start()))
}

/// The failures that are joined by `; ` (2.5 to 2.6 join what several guards say).
fn parts(text: &str) -> Vec<GuardFailure> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let end = end_of_part(rest);
        let part = rest.get(..end).unwrap_or_default();
        if !part.trim().is_empty() {
            parts.push(failure(part));
        }
        match rest.get(end..).and_then(|behind| behind.strip_prefix("; ")) {
            Some(behind) => rest = behind.trim_start(),
            None => return parts,
        }
    }
}

/// Messages that are sentences, or that stand alone: `; ` in them joins nothing.
const WHOLE: [&str; 5] = [
    "BACKEND_MATCH failure:",
    "Unexpected recompilation:",
    "Cache line invalidated because",
    "Unable to find recompilation reasons",
    "set env var TORCHDYNAMO_REPORT_GUARD_FAILURES",
];

fn end_of_part(text: &str) -> usize {
    let behind = |at: usize| {
        let found = text.get(at..).and_then(|rest| rest.find("; "));
        found.map_or(text.len(), |found| at + found)
    };
    if WHOLE.iter().any(|start| text.starts_with(start)) {
        return text.len();
    }
    // The name between the message's quotes may hold quotes and anything else.
    for (start, marker) in [
        ("tensor '", " mismatch"),
        ("expected type of '", "' to be "),
        ("GLOBAL_STATE changed:", ""),
        ("Duplicate tensor", ""),
    ] {
        if text.starts_with(start) {
            return text.find(marker).map_or(text.len(), behind);
        }
    }
    match scan::outside(text, |rest| {
        rest.starts_with(b"; ") || rest.starts_with(b"  # ")
    }) {
        None => text.len(),
        Some(at) if text.get(at..).is_some_and(|rest| rest.starts_with("; ")) => at,
        // Behind the guard stands a line of the program, in which anything may occur.
        Some(at) => {
            let mut from = at;
            loop {
                let end = behind(from);
                if end == text.len() || text.get(..end).is_some_and(trailer::ends_in_place) {
                    return end;
                }
                from = end + 2;
            }
        }
    }
}

fn failure(part: &str) -> GuardFailure {
    let sentence = WHOLE.iter().any(|start| part.starts_with(start));
    let at = (!sentence)
        .then(|| scan::outside(part, |rest| rest.starts_with(b"  # ")))
        .flatten();
    let (code, behind) = match at {
        Some(at) => (
            part.get(..at).unwrap_or_default(),
            part.get(at + 4..).unwrap_or_default(),
        ),
        None => (part, ""),
    };
    let mut failure = guard::read(code.trim());
    let (user, hint) = trailer::read(behind);
    failure.user = user;
    failure.hint = failure.hint.or(hint);
    failure
}

#[cfg(test)]
mod tests;
