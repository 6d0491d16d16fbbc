//! What may go on in the next row: strings and comments.
//!
//! Each is followed byte by byte, so that it can stop at any row's end, and in the middle of what closes it.

use super::Class;

/// A string or comment that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// A string with escapes, or one of Python's raw strings, in which a backslash keeps a quote from
    /// closing the string as well. In triple quotes it goes on over lines.
    Text {
        /// Whether three quotes close it.
        triple: bool,
        /// How it stands at the row's end.
        tail: Tail,
    },
    /// A raw string of C++.
    Raw(Raw),
    /// `/* … */`; whether the row ends in `*`.
    Block(bool),
    /// A comment to the line's end.
    Line {
        /// Whether a backslash takes the line's end from it, as in C++.
        continues: bool,
        /// Whether the row ends in such a backslash.
        escaped: bool,
    },
}

/// How a string stands at a row's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tail {
    /// The quote that opened it.
    pub quote: u8,
    /// Whether the byte that follows is escaped.
    pub escaped: bool,
    /// How many of three closing quotes were seen.
    pub quotes: u8,
}

/// The longest delimiter that C++ allows.
const DELIMITER: usize = 16;

/// A raw string: `R"delimiter(… )delimiter"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Raw {
    delimiter: [u8; DELIMITER],
    length: u8,
    /// How much of what closes it was seen.
    seen: u8,
}

impl Raw {
    /// The string that this opening begins: `R"delimiter(`, with or without a prefix.
    pub(super) fn new(opening: &str) -> Raw {
        let text = opening
            .split_once('"')
            .map_or("", |(_, text)| text.strip_suffix('(').unwrap_or(text));
        let mut delimiter = [0; DELIMITER];
        let mut length = 0;
        for (to, &from) in delimiter.iter_mut().zip(text.as_bytes()) {
            *to = from;
            length += 1;
        }
        Raw {
            delimiter,
            length,
            seen: 0,
        }
    }

    /// Behind the closing quote; or how far it was closed.
    fn end(mut self, text: &[u8]) -> Result<usize, Raw> {
        for (at, &byte) in text.iter().enumerate() {
            let wanted = match self.seen {
                0 => b')',
                seen if seen <= self.length => {
                    *self.delimiter.get(usize::from(seen) - 1).unwrap_or(&b'"')
                }
                _ => b'"',
            };
            if byte != wanted {
                // A delimiter holds no parenthesis, so that only this byte can be a new start.
                self.seen = u8::from(byte == b')');
            } else if self.seen > self.length {
                return Ok(at + 1);
            } else {
                self.seen += 1;
            }
        }
        Err(self)
    }
}

impl Body {
    /// How many bytes there are up to its end, closing mark included; or itself as it stands where the
    /// text ends.
    pub(super) fn end(self, text: &[u8]) -> Result<usize, Body> {
        match self {
            Body::Text { triple, tail } => text_end(text, if triple { 3 } else { 1 }, tail)
                .map_err(|tail| Body::Text { triple, tail }),
            Body::Raw(raw) => raw.end(text).map_err(Body::Raw),
            Body::Block(star) => block_end(text, star).map_err(Body::Block),
            Body::Line { continues, escaped } => Err(Body::Line {
                continues,
                escaped: match text.last() {
                    Some(last) => continues && *last == b'\\',
                    None => escaped,
                },
            }),
        }
    }

    /// What is left of it when the line ends.
    pub(super) fn next_line(self) -> Option<Body> {
        match self {
            // An escaped line end is a part of the string.
            Body::Text { triple, tail } => (triple || tail.escaped).then_some(Body::Text {
                triple,
                tail: tail.next_line(),
            }),
            Body::Raw(raw) => Some(Body::Raw(Raw { seen: 0, ..raw })),
            Body::Block(_) => Some(Body::Block(false)),
            Body::Line { continues, escaped } => escaped.then_some(Body::Line {
                continues,
                escaped: false,
            }),
        }
    }

    pub(super) fn class(self) -> Class {
        match self {
            Body::Text { .. } | Body::Raw(_) => Class::String,
            Body::Block(_) | Body::Line { .. } => Class::Comment,
        }
    }
}

impl Tail {
    /// A string that this quote has just opened.
    pub(super) fn new(quote: u8) -> Tail {
        Tail {
            quote,
            ..Tail::default()
        }
    }

    pub(super) fn next_line(self) -> Tail {
        Tail::new(self.quote)
    }
}

/// Behind the quotes that close a string, as many as `width`; or how it stands where the text ends.
pub(super) fn text_end(text: &[u8], width: u8, tail: Tail) -> Result<usize, Tail> {
    if text.is_empty() {
        return Err(tail);
    }
    let quote = tail.quote;
    let mut at = usize::from(tail.escaped);
    let mut quotes = if tail.escaped { 0 } else { tail.quotes };
    loop {
        while text.get(at) == Some(&quote) {
            at += 1;
            quotes += 1;
            if quotes >= width {
                return Ok(at);
            }
        }
        let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) else {
            return Err(Tail {
                quotes,
                ..Tail::new(quote)
            });
        };
        quotes = 0;
        let Some(length) = memchr::memchr2(quote, b'\\', rest) else {
            return Err(Tail::new(quote));
        };
        at += length;
        if text.get(at) == Some(&b'\\') {
            at += 2;
        }
        if at > text.len() {
            return Err(Tail {
                escaped: true,
                ..Tail::new(quote)
            });
        }
    }
}

/// Behind `*/`; or whether the text ends in `*`.
fn block_end(text: &[u8], star: bool) -> Result<usize, bool> {
    if star && text.first() == Some(&b'/') {
        return Ok(1);
    }
    match memchr::memmem::find(text, b"*/") {
        Some(at) => Ok(at + 2),
        None => Err(text.last().map_or(star, |&last| last == b'*')),
    }
}
