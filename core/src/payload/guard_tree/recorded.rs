//! The guards that torch 2.3 and later record as JSON: the payload of `dynamo_guards`.
//!
//! `compile_check_fn` of `torch/_dynamo/guards.py` writes a list of objects `{code, stack, user_stack}`. It is
//! empty, or not written at all, where the guards are a tree.

use super::{Error, GuardTree};
use crate::log::json::{self, Fault, Value};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A guard as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedGuard<'a> {
    /// What is checked, an expression as in a [`super::Leaf`].
    pub code: Cow<'a, str>,
    /// Where in the framework the guard was made, outermost frame first.
    pub stack: Option<Vec<RecordedFrame<'a>>>,
    /// Where in the program, outermost frame first.
    pub user_stack: Option<Vec<RecordedFrame<'a>>>,
}

/// A frame of a recorded guard's stacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedFrame<'a> {
    /// The line.
    pub line: Option<i64>,
    /// The function.
    pub name: Option<Cow<'a, str>>,
    /// The file.
    pub file: RecordedFile<'a>,
    /// The line's source.
    pub source: Option<Cow<'a, str>>,
}

/// How a frame names its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedFile<'a> {
    /// By an id of the log's string table (records of the kind `str`).
    Interned(i64),
    /// In full.
    Name(Cow<'a, str>),
    /// Not at all.
    Unknown,
}

/// What a `dynamo_guards` record carries.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedGuards<'a> {
    /// The guards that could be read.
    pub guards: Vec<RecordedGuard<'a>>,
    /// Items that are no guards.
    pub wrong: u32,
    /// What stopped the reading, if anything did.
    pub fault: Option<Fault>,
}

/// Reads the payload of a `dynamo_guards` record. Never fails; what was read until a fault is kept.
#[must_use]
pub fn read(payload: &[u8]) -> RecordedGuards<'_> {
    let (value, fault) = json::parse(payload);
    let mut read = RecordedGuards {
        guards: Vec::new(),
        wrong: 0,
        fault,
    };
    let items = match value {
        Value::Array(items) => items,
        Value::Null if fault.is_some() => Vec::new(),
        other => Vec::from([other]),
    };
    for item in items {
        match guard(item) {
            Some(guard) => read.guards.push(guard),
            None => read.wrong = read.wrong.saturating_add(1),
        }
    }
    read
}

fn guard(item: Value<'_>) -> Option<RecordedGuard<'_>> {
    let Value::Object(members) = item else {
        return None;
    };
    let (mut code, mut stack, mut user_stack) = (None, None, None);
    for (name, value) in members {
        match (name.as_ref(), value) {
            ("code", Value::String(text)) => code = Some(text),
            ("stack", Value::Array(frames)) => stack = Some(self::stack(frames)),
            ("user_stack", Value::Array(frames)) => user_stack = Some(self::stack(frames)),
            _ => {}
        }
    }
    Some(RecordedGuard {
        code: code?,
        stack,
        user_stack,
    })
}

fn stack(frames: Vec<Value<'_>>) -> Vec<RecordedFrame<'_>> {
    frames.into_iter().map(frame).collect()
}

fn frame(value: Value<'_>) -> RecordedFrame<'_> {
    let mut frame = RecordedFrame {
        line: None,
        name: None,
        file: RecordedFile::Unknown,
        source: None,
    };
    let Value::Object(members) = value else {
        return frame;
    };
    for (name, value) in members {
        match (name.as_ref(), value) {
            ("line", Value::Number(number)) => frame.line = number.parse().ok(),
            ("name", Value::String(text)) => frame.name = Some(text),
            ("loc", Value::String(text)) => frame.source = Some(text),
            ("filename", Value::Number(number)) => {
                frame.file = number
                    .parse()
                    .map_or(RecordedFile::Unknown, RecordedFile::Interned);
            }
            ("filename" | "uninterned_filename", Value::String(text)) => {
                frame.file = RecordedFile::Name(text);
            }
            _ => {}
        }
    }
    frame
}

impl RecordedGuards<'_> {
    /// The guards as the list that consoles print for them, so that they can be counted and compared as any
    /// others. `file_of` gives the file for an id. Guard `i` stands in the tree's node `i`.
    ///
    /// # Errors
    /// As [`GuardTree::parse`].
    pub fn to_tree<'s>(
        &self,
        file_of: impl Fn(i64) -> Option<&'s str>,
    ) -> Result<GuardTree, Error> {
        let mut text = String::from("GUARDS:\n");
        for guard in &self.guards {
            let user = guard.user_stack.as_ref().and_then(|stack| stack.last());
            let frame = user.or_else(|| guard.stack.as_ref()?.last());
            // A guard is one line here, as it is in a list.
            text.push_str(&format!("{:<60}", one_line(&guard.code)));
            if let Some(frame) = frame {
                let file = match &frame.file {
                    RecordedFile::Interned(id) => file_of(*id).unwrap_or("<unknown>"),
                    RecordedFile::Name(name) => name,
                    RecordedFile::Unknown => "<unknown>",
                };
                if let Some(source) = frame.source.as_ref().filter(|_| user.is_some()) {
                    text.push_str(&format!("  # {}", one_line(source)));
                }
                let (line, name) = (frame.line.unwrap_or(0), frame.name.as_deref());
                let name = one_line(name.unwrap_or("<unknown>"));
                text.push_str(&format!("  # {}:{line} in {name}", one_line(file)));
            }
            text.push('\n');
        }
        GuardTree::parse(text)
    }
}

fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) {
        Cow::Owned(text.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(text)
    }
}
