//! JSON made readable: one item a line, in its own order, without ever holding it.
//!
//! [`Pretty`] is fed bytes in pieces of any size and gives out indented text. Strings and numbers stay byte
//! for byte; only the white space between them is made anew, which also makes dumps with `indent=0`
//! (torch/_logging/_internal.py, `json.dumps(payload, default=str, indent=0)`) readable. What is no JSON
//! passes through as it stands, and [`Pretty::finish`] says where it began. Memory is a constant: a byte
//! for each level, at most [`MAX_DEPTH`] of them, and one line of an array that may be short.

use crate::log::json::{Fault, FaultKind, MAX_DEPTH};
use alloc::vec::Vec;

/// An array of scalars stays on one line up to this column.
const COLUMNS: usize = 100;

/// Makes JSON readable as it comes.
#[derive(Debug, Clone, Default)]
pub struct Pretty {
    open: Vec<Container>,
    expect: Expect,
    token: Token,
    offset: usize,
    /// Bytes given out since the last line end.
    column: usize,
    short: Option<Short>,
    fault: Option<Fault>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

/// What may stand next between tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Expect {
    #[default]
    Value,
    /// An item, or the end of the array that was just opened.
    FirstItem,
    /// A key, or the end of the object that was just opened.
    FirstKey,
    Key,
    Colon,
    /// A comma, or the end of the container.
    Next,
    /// The value is complete: white space only.
    Nothing,
}

/// The token that the piece before has stopped in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Token {
    #[default]
    None,
    String {
        key: bool,
        escaped: bool,
    },
    Number(Number),
    /// A word, and how much of it was read.
    Word(&'static [u8], usize),
}

/// Where in the grammar of numbers a number has got to (RFC 8259, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    Sign,
    Power,
}

impl Number {
    /// The state behind one more byte; `None` where the byte does not belong to the number.
    fn next(self, byte: u8) -> Option<Number> {
        match (self, byte) {
            (Number::Minus, b'0') => Some(Number::Zero),
            (Number::Minus | Number::Integer, b'0'..=b'9') => Some(Number::Integer),
            (Number::Zero | Number::Integer, b'.') => Some(Number::Point),
            (Number::Point | Number::Fraction, b'0'..=b'9') => Some(Number::Fraction),
            (Number::Zero | Number::Integer | Number::Fraction, b'e' | b'E') => {
                Some(Number::Exponent)
            }
            (Number::Exponent, b'+' | b'-') => Some(Number::Sign),
            (Number::Exponent | Number::Sign | Number::Power, b'0'..=b'9') => Some(Number::Power),
            _ => None,
        }
    }

    fn is_complete(self) -> bool {
        matches!(
            self,
            Number::Zero | Number::Integer | Number::Fraction | Number::Power
        )
    }
}

/// An array that is kept back as long as it may fit on one line. It holds scalars only.
#[derive(Debug, Clone, Default)]
struct Short {
    text: Vec<u8>,
    /// Where in `text` each item starts.
    items: Vec<usize>,
    /// Whether a comma followed the last item.
    comma: bool,
}

impl Pretty {
    /// Nothing was read yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads on, and appends what became readable to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while !rest.is_empty() && self.fault.is_none() {
            let taken = match self.token {
                Token::None => self.between(rest, out),
                Token::String { key, escaped } => self.string(key, escaped, rest, out),
                Token::Number(number) => self.number(number, rest, out),
                Token::Word(word, at) => self.word(word, at, rest, out),
            };
            self.offset += taken;
            rest = rest.get(taken..).unwrap_or_default();
        }
        if self.fault.is_some() {
            self.offset += rest.len();
            out.extend_from_slice(rest);
        }
    }

    /// Ends the text: appends what was kept back, and says where the text ceased to be JSON, if it did.
    ///
    /// Strings are taken as they stand, with any escape and any byte in them.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Option<Fault> {
        if let Token::Number(number) = self.token
            && number.is_complete()
        {
            self.end_value();
        }
        if self.fault.is_none() && self.expect != Expect::Nothing {
            self.fail(FaultKind::Cut, out);
        }
        self.fault
    }

    /// Where the text ceased to be JSON, as far as it was read.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// One step between tokens.
    fn between(&mut self, rest: &[u8], out: &mut Vec<u8>) -> usize {
        let space = rest
            .iter()
            .position(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t'))
            .unwrap_or(rest.len());
        if space > 0 {
            return space;
        }
        let Some(&byte) = rest.first() else {
            return 0;
        };
        match (self.expect, byte) {
            (Expect::FirstItem, b']') | (Expect::FirstKey, b'}') => self.close(byte, out),
            (Expect::Next, b']') if self.open.last() == Some(&Container::Array) => {
                self.close(byte, out);
            }
            (Expect::Next, b'}') if self.open.last() == Some(&Container::Object) => {
                self.close(byte, out);
            }
            (Expect::Next, b',') => self.comma(out),
            (Expect::FirstKey | Expect::Key, b'"') => {
                self.line(out);
                self.put(b"\"", out);
                self.token = Token::String {
                    key: true,
                    escaped: false,
                };
            }
            (Expect::Colon, b':') => {
                self.put(b": ", out);
                self.expect = Expect::Value;
            }
            (Expect::Value | Expect::FirstItem, _) => return self.value(byte, out),
            (Expect::Nothing, _) => {
                self.fail(FaultKind::Trailing, out);
                return 0;
            }
            _ => {
                self.fail(FaultKind::Unexpected, out);
                return 0;
            }
        }
        1
    }

    /// A value starts with this byte.
    fn value(&mut self, byte: u8, out: &mut Vec<u8>) -> usize {
        let token = match byte {
            b'[' | b'{' => {
                if self.open.len() >= MAX_DEPTH {
                    self.fail(FaultKind::TooDeep, out);
                    return 0;
                }
                self.break_up(out);
                self.item(out);
                if byte == b'[' {
                    self.open.push(Container::Array);
                    self.expect = Expect::FirstItem;
                    self.short = Some(Short::default());
                } else {
                    self.open.push(Container::Object);
                    self.expect = Expect::FirstKey;
                    self.put(b"{", out);
                }
                return 1;
            }
            b'"' => Token::String {
                key: false,
                escaped: false,
            },
            b'-' => Token::Number(Number::Minus),
            b'0' => Token::Number(Number::Zero),
            b'1'..=b'9' => Token::Number(Number::Integer),
            b't' => Token::Word(b"true", 1),
            b'f' => Token::Word(b"false", 1),
            b'n' => Token::Word(b"null", 1),
            // Python writes these.
            b'N' => Token::Word(b"NaN", 1),
            b'I' => Token::Word(b"Infinity", 1),
            _ => {
                self.fail(FaultKind::Unexpected, out);
                return 0;
            }
        };
        self.item(out);
        self.put(&[byte], out);
        self.token = token;
        1
    }

    /// Begins an item, if it is an item of an array that starts.
    fn item(&mut self, out: &mut Vec<u8>) {
        if let Some(short) = &mut self.short {
            short.items.push(short.text.len());
            short.comma = false;
        } else if self.open.last() == Some(&Container::Array) {
            self.line(out);
        }
    }

    fn comma(&mut self, out: &mut Vec<u8>) {
        if let Some(short) = &mut self.short {
            short.comma = true;
        } else {
            self.put(b",", out);
        }
        self.expect = if self.open.last() == Some(&Container::Array) {
            Expect::Value
        } else {
            Expect::Key
        };
    }

    fn close(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.open.pop();
        if let Some(short) = self.short.take() {
            self.put(b"[", out);
            for (i, item) in short.pieces().enumerate() {
                self.put(if i == 0 { b"" } else { b", " }, out);
                self.put(item, out);
            }
        } else if self.expect != Expect::FirstKey {
            self.line(out);
        }
        self.put(&[byte], out);
        self.end_value();
    }

    /// A value is complete.
    fn end_value(&mut self) {
        self.token = Token::None;
        self.expect = if self.open.is_empty() {
            Expect::Nothing
        } else {
            Expect::Next
        };
    }

    fn string(&mut self, key: bool, escaped: bool, rest: &[u8], out: &mut Vec<u8>) -> usize {
        // The byte behind a backslash means nothing.
        let start = usize::from(escaped);
        let tail = rest.get(start..).unwrap_or_default();
        let (length, next) = match memchr::memchr2(b'"', b'\\', tail) {
            None => (rest.len(), Some(false)),
            Some(at) if tail.get(at) == Some(&b'\\') => (start + at + 1, Some(true)),
            Some(at) => (start + at + 1, None),
        };
        self.put(rest.get(..length).unwrap_or_default(), out);
        match next {
            Some(escaped) => self.token = Token::String { key, escaped },
            None if key => {
                self.token = Token::None;
                self.expect = Expect::Colon;
            }
            None => self.end_value(),
        }
        length
    }

    fn number(&mut self, mut number: Number, rest: &[u8], out: &mut Vec<u8>) -> usize {
        let mut taken = 0;
        for &byte in rest {
            match number.next(byte) {
                Some(next) => number = next,
                None if number == Number::Minus && byte == b'I' => {
                    self.put(b"I", out);
                    self.token = Token::Word(b"Infinity", 1);
                    return taken + 1;
                }
                None => {
                    self.put(rest.get(..taken).unwrap_or_default(), out);
                    if number.is_complete() {
                        self.end_value();
                    } else {
                        self.offset += taken;
                        self.fail(FaultKind::Unexpected, out);
                        self.offset -= taken;
                    }
                    return taken;
                }
            }
            taken += 1;
        }
        self.put(rest, out);
        self.token = Token::Number(number);
        taken
    }

    fn word(&mut self, word: &'static [u8], at: usize, rest: &[u8], out: &mut Vec<u8>) -> usize {
        if word.get(at) != rest.first() {
            self.fail(FaultKind::Unexpected, out);
            return 0;
        }
        self.put(rest.get(..1).unwrap_or_default(), out);
        if at + 1 == word.len() {
            self.end_value();
        } else {
            self.token = Token::Word(word, at + 1);
        }
        1
    }

    /// Gives text out, or keeps it back while it may belong to a short array.
    fn put(&mut self, text: &[u8], out: &mut Vec<u8>) {
        let Some(short) = &mut self.short else {
            self.column += text.len();
            out.extend_from_slice(text);
            return;
        };
        // A long piece is not worth keeping: what it belongs to is no short array.
        let fits = self.column + short.width() + text.len() <= COLUMNS;
        if fits {
            short.text.extend_from_slice(text);
        } else {
            self.break_up(out);
            self.column += text.len();
            out.extend_from_slice(text);
        }
    }

    /// Gives out an array that was kept back, one item a line.
    fn break_up(&mut self, out: &mut Vec<u8>) {
        let Some(short) = self.short.take() else {
            return;
        };
        self.put(b"[", out);
        for (i, item) in short.pieces().enumerate() {
            self.put(if i == 0 { b"" } else { b"," }, out);
            self.line(out);
            self.put(item, out);
        }
        if short.comma {
            self.put(b",", out);
        }
    }

    /// A new line, indented for what is open.
    fn line(&mut self, out: &mut Vec<u8>) {
        let indentation = 2 * self.open.len();
        out.push(b'\n');
        out.resize(out.len() + indentation, b' ');
        self.column = indentation;
    }

    /// The text is no JSON from here on.
    fn fail(&mut self, kind: FaultKind, out: &mut Vec<u8>) {
        self.break_up(out);
        self.fault = Some(Fault {
            kind,
            offset: self.offset,
        });
    }
}

impl Short {
    fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let ends = self.items.iter().skip(1).copied();
        self.items
            .iter()
            .zip(ends.chain(core::iter::once(self.text.len())))
            .map(|(&start, end)| self.text.get(start..end).unwrap_or_default())
    }

    /// Columns that the array takes with its brackets and commas.
    fn width(&self) -> usize {
        self.text.len() + 2 * self.items.len()
    }
}

#[cfg(test)]
mod tests;
