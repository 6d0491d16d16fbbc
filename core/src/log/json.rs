//! A JSON reader that loses only what is broken.
//!
//! serde_json reads the records of a healthy log; this reader takes over where it fails: `NaN` and
//! `Infinity` (Python writes them), lone surrogates, bytes that are no UTF-8, control characters in
//! strings, text that stops in the middle. Start at [`parse`]. [`Value`] keeps members in their own
//! order, so that metadata can be shown as it was written, and is itself a serde deserializer, so that
//! the types of [`super::metadata`] read from either.

mod deserialize;
#[cfg(test)]
mod tests;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};
pub use deserialize::Mismatch;

/// Nesting beyond this depth is not followed; what lies deeper becomes [`Value::Null`].
pub const MAX_DEPTH: usize = 128;

/// A JSON value, its objects in the order in which they were written.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it was written: `1`, `-0.5e3`, and Python's `NaN`, `Infinity`, `-Infinity`.
    Number(&'a str),
    /// A string, with its escapes resolved.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object. A key that is repeated stands here twice.
    Object(Vec<(Cow<'a, str>, Value<'a>)>),
}

/// What was wrong with a text, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What was wrong.
    pub kind: FaultKind,
    /// The byte at which it was noticed.
    pub offset: usize,
}

/// What can be wrong with a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The text stops before the value ends.
    Cut,
    /// A byte that cannot stand there.
    Unexpected,
    /// Something follows the value.
    Trailing,
    /// Deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            FaultKind::Cut => "the JSON stops before its end",
            FaultKind::Unexpected => "a character that cannot stand there in JSON",
            FaultKind::Trailing => "text behind the JSON",
            FaultKind::TooDeep => "JSON nested too deeply",
        };
        write!(f, "{what}, at its byte {}", self.offset)
    }
}

/// Reads one value, and says what stopped it, if anything did. What was read until then is kept.
///
/// Never fails: no text at all gives [`Value::Null`] and a fault.
#[must_use]
pub fn parse(text: &[u8]) -> (Value<'_>, Option<Fault>) {
    let mut reader = Reader {
        text,
        at: 0,
        fault: None,
    };
    let value = reader.document();
    if reader.fault.is_none() {
        reader.space();
        if reader.at < text.len() {
            reader.fail(FaultKind::Trailing);
        }
    }
    (value, reader.fault)
}

/// A container that is not closed yet.
enum Open<'a> {
    Array(Vec<Value<'a>>),
    Object(Vec<(Cow<'a, str>, Value<'a>)>, Option<Cow<'a, str>>),
}

impl<'a> Open<'a> {
    fn close(self) -> Value<'a> {
        match self {
            Open::Array(items) => Value::Array(items),
            Open::Object(members, None) => Value::Object(members),
            // The text stopped behind a key: the key is kept, its value is not known.
            Open::Object(mut members, Some(key)) => {
                members.push((key, Value::Null));
                Value::Object(members)
            }
        }
    }

    fn add(&mut self, value: Value<'a>) {
        match self {
            Open::Array(items) => items.push(value),
            Open::Object(members, key) => {
                if let Some(key) = key.take() {
                    members.push((key, value));
                }
            }
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    fault: Option<Fault>,
}

impl<'a> Reader<'a> {
    fn fail(&mut self, kind: FaultKind) {
        if self.fault.is_none() {
            self.fault = Some(Fault {
                kind,
                offset: self.at,
            });
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Reads a value with a stack of its own, so that no input can exhaust the program's.
    fn document(&mut self) -> Value<'a> {
        let mut open: Vec<Open<'a>> = Vec::new();
        loop {
            let value = match open.last_mut() {
                None => self.value(&mut open),
                Some(Open::Array(items)) => {
                    let empty = items.is_empty();
                    self.item(&mut open, empty)
                }
                Some(Open::Object(members, _)) => {
                    let empty = members.is_empty();
                    self.member(&mut open, empty)
                }
            };
            if self.fault.is_some() {
                // Close what is open around what was read.
                let mut value = value;
                while let Some(mut container) = open.pop() {
                    if let Some(value) = value.take() {
                        container.add(value);
                    }
                    value = Some(container.close());
                }
                return value.unwrap_or(Value::Null);
            }
            let Some(value) = value else { continue };
            match open.last_mut() {
                Some(container) => container.add(value),
                None => return value,
            }
        }
    }

    /// The next item of an array, or the array itself where it ends.
    fn item(&mut self, open: &mut Vec<Open<'a>>, empty: bool) -> Option<Value<'a>> {
        self.space();
        match self.peek() {
            Some(b']') => {
                self.at += 1;
                return open.pop().map(Open::close);
            }
            Some(b',') if !empty => self.at += 1,
            Some(_) if empty => {}
            None => {
                self.fail(FaultKind::Cut);
                return None;
            }
            Some(_) => {
                self.fail(FaultKind::Unexpected);
                return None;
            }
        }
        self.value(open)
    }

    /// The next member's value, with its key noted; or the object itself where it ends.
    fn member(&mut self, open: &mut Vec<Open<'a>>, empty: bool) -> Option<Value<'a>> {
        self.space();
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                return open.pop().map(Open::close);
            }
            Some(b',') if !empty => {
                self.at += 1;
                self.space();
            }
            _ => {}
        }
        match self.peek() {
            Some(b'"') => {}
            None => {
                self.fail(FaultKind::Cut);
                return None;
            }
            Some(_) => {
                self.fail(FaultKind::Unexpected);
                return None;
            }
        }
        let key = self.string();
        if self.fault.is_some() {
            return None;
        }
        self.space();
        let colon = self.peek();
        if let Some(Open::Object(_, pending)) = open.last_mut() {
            *pending = Some(key);
        }
        match colon {
            Some(b':') => self.at += 1,
            None => {
                self.fail(FaultKind::Cut);
                return None;
            }
            Some(_) => {
                self.fail(FaultKind::Unexpected);
                return None;
            }
        }
        self.value(open)
    }

    /// A scalar; or `None` where a container was opened or nothing could be read.
    fn value(&mut self, open: &mut Vec<Open<'a>>) -> Option<Value<'a>> {
        self.space();
        let Some(byte) = self.peek() else {
            self.fail(FaultKind::Cut);
            return None;
        };
        match byte {
            b'{' | b'[' => {
                if open.len() >= MAX_DEPTH {
                    self.fail(FaultKind::TooDeep);
                    return None;
                }
                self.at += 1;
                open.push(if byte == b'{' {
                    Open::Object(Vec::new(), None)
                } else {
                    Open::Array(Vec::new())
                });
                None
            }
            b'"' => Some(Value::String(self.string())),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            b'N' => self.word("NaN", Value::Number("NaN")),
            b'I' => self.word("Infinity", Value::Number("Infinity")),
            b'-' if self.text.get(self.at + 1) == Some(&b'I') => {
                self.word("-Infinity", Value::Number("-Infinity"))
            }
            b'-' | b'0'..=b'9' => self.number(!open.is_empty()),
            _ => {
                self.fail(FaultKind::Unexpected);
                None
            }
        }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Option<Value<'a>> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Some(value);
        }
        self.fail(if word.as_bytes().starts_with(rest) {
            FaultKind::Cut
        } else {
            FaultKind::Unexpected
        });
        None
    }

    fn number(&mut self, enclosed: bool) -> Option<Value<'a>> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|b| !matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
            .unwrap_or(rest.len());
        let written = rest
            .get(..length)
            .and_then(|b| core::str::from_utf8(b).ok())
            .unwrap_or_default();
        // A number that the end of the text cuts may have had more digits.
        if length == rest.len() && enclosed {
            self.fail(FaultKind::Cut);
            self.at += length;
            return None;
        }
        if written.parse::<f64>().is_err() {
            self.fail(FaultKind::Unexpected);
            return None;
        }
        self.at += length;
        Some(Value::Number(written))
    }

    /// A string, from its opening quote on. Where the text stops inside, what there is of it.
    fn string(&mut self) -> Cow<'a, str> {
        self.at += 1;
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        let end = memchr::memchr2(b'"', b'\\', rest);
        if let Some(length) = end
            && rest.get(length) == Some(&b'"')
        {
            self.at += length + 1;
            return String::from_utf8_lossy(rest.get(..length).unwrap_or_default());
        }
        self.escaped(rest)
    }

    fn escaped(&mut self, rest: &'a [u8]) -> Cow<'a, str> {
        let mut out = String::new();
        let mut i = 0;
        loop {
            let tail = rest.get(i..).unwrap_or_default();
            let Some(length) = memchr::memchr2(b'"', b'\\', tail) else {
                out.push_str(&String::from_utf8_lossy(tail));
                self.at += rest.len();
                self.fail(FaultKind::Cut);
                return Cow::Owned(out);
            };
            out.push_str(&String::from_utf8_lossy(
                tail.get(..length).unwrap_or_default(),
            ));
            i += length;
            if rest.get(i) == Some(&b'"') {
                self.at += i + 1;
                return Cow::Owned(out);
            }
            let Some(&escape) = rest.get(i + 1) else {
                self.at += rest.len();
                self.fail(FaultKind::Cut);
                return Cow::Owned(out);
            };
            i += 2;
            match escape {
                b'n' => out.push('\n'),
                b't' => out.push('\t'),
                b'r' => out.push('\r'),
                b'b' => out.push('\u{8}'),
                b'f' => out.push('\u{c}'),
                b'"' | b'\\' | b'/' => out.push(char::from(escape)),
                b'u' => i = unicode_escape(rest, i, &mut out),
                // An escape that JSON does not know stays as it stands.
                other => {
                    out.push('\\');
                    if other.is_ascii() {
                        out.push(char::from(other));
                    } else {
                        i -= 1;
                    }
                }
            }
        }
    }
}

/// Resolves `\uXXXX` (its digits start at `i`), with the second half of a surrogate pair where there is
/// one. A lone surrogate becomes U+FFFD. Gives the place behind it.
fn unicode_escape(rest: &[u8], i: usize, out: &mut String) -> usize {
    let Some(unit) = hex4(rest, i) else {
        out.push_str("\\u");
        return i;
    };
    if (0xd800..0xdc00).contains(&unit)
        && rest.get(i + 4..i + 6) == Some(b"\\u")
        && let Some(low) = hex4(rest, i + 6)
        && (0xdc00..0xe000).contains(&low)
    {
        let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        return i + 10;
    }
    out.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
    i + 4
}

fn hex4(rest: &[u8], i: usize) -> Option<u32> {
    let digits = rest.get(i..i + 4)?;
    digits
        .iter()
        .try_fold(0, |sum, &b| Some(sum * 16 + char::from(b).to_digit(16)?))
}

impl<'a> Value<'a> {
    /// The member of that name, the last one where it is repeated; `None` too where this is no object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        match self {
            Value::Object(members) => members.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value with one member or item a line, each level indented by two spaces.
    #[must_use]
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write_pretty(&mut out, 0);
        out
    }

    // Depth is at most MAX_DEPTH by construction, so that recursion is safe here.
    fn write_pretty(&self, out: &mut String, depth: usize) {
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Value::Number(n) => out.push_str(n),
            Value::String(s) => write_string(out, s),
            Value::Array(items) if items.iter().all(Value::is_scalar) && items.len() <= 16 => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    item.write_pretty(out, depth);
                }
                out.push(']');
            }
            Value::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    line(out, i, depth + 1);
                    item.write_pretty(out, depth + 1);
                }
                end(out, items.is_empty(), depth, ']');
            }
            Value::Object(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    line(out, i, depth + 1);
                    write_string(out, key);
                    out.push_str(": ");
                    value.write_pretty(out, depth + 1);
                }
                end(out, members.is_empty(), depth, '}');
            }
        }
    }

    fn is_scalar(&self) -> bool {
        !matches!(self, Value::Array(_) | Value::Object(_))
    }
}

fn line(out: &mut String, i: usize, depth: usize) {
    out.push_str(if i == 0 { "\n" } else { ",\n" });
    out.extend(core::iter::repeat_n("  ", depth));
}

fn end(out: &mut String, empty: bool, depth: usize, close: char) {
    if !empty {
        out.push('\n');
        out.extend(core::iter::repeat_n("  ", depth));
    }
    out.push(close);
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x20 => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
