//! Python's tokens, as far as printed graphs need them.

use super::Span;
use alloc::vec::Vec;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) at: Span,
    /// Brackets that are open before it; a bracket and its partner have the same depth.
    pub(super) depth: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    Text,
    /// `(`, `[`, `{`
    Open,
    Close,
    Comma,
    Semicolon,
    Colon,
    Dot,
    /// `=`
    Equal,
    Operator,
    Comment,
    Other,
}

/// How a statement's lines ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// All brackets were closed.
    Closed,
    /// A bracket was still open.
    Unclosed,
}

const OPERATORS: &[&str] = &[
    "**=", "//=", "<<=", ">>=", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "->", ":=", "+=",
    "-=", "*=", "/=", "@=", "%=", "&=", "|=", "^=", "+", "-", "*", "/", "@", "%", "&", "|", "^",
    "~", "<", ">",
];

/// Words that begin a line of their own only. One of them ends a statement in which a bracket was lost.
const STARTS: &[&str] = &["class ", "def ", "return ", "# File: "];

/// The tokens of the statement line that starts at `start`, which goes on as long as brackets are open.
/// Gives where the next line starts.
pub(super) fn line(text: &str, start: usize, tokens: &mut Vec<Token>) -> (usize, End) {
    tokens.clear();
    let bytes = text.as_bytes();
    let mut at = start;
    let mut depth = 0u32;
    while let Some(&byte) = bytes.get(at) {
        let from = at;
        let kind = match byte {
            b'\n' => {
                at += 1;
                if depth == 0 {
                    return (at, End::Closed);
                }
                let rest = text.get(at..).unwrap_or_default().trim_start_matches(' ');
                if STARTS.iter().any(|word| rest.starts_with(word)) {
                    return (at, End::Unclosed);
                }
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'#' => {
                at = memchr::memchr(b'\n', bytes.get(at..).unwrap_or_default())
                    .map_or(bytes.len(), |length| at + length);
                TokenKind::Comment
            }
            b'\'' | b'"' => {
                at = string(bytes, at);
                TokenKind::Text
            }
            b'(' | b'[' | b'{' => {
                at += 1;
                TokenKind::Open
            }
            b')' | b']' | b'}' => {
                at += 1;
                depth = depth.saturating_sub(1);
                TokenKind::Close
            }
            b',' => single(&mut at, TokenKind::Comma),
            b';' => single(&mut at, TokenKind::Semicolon),
            b'0'..=b'9' => {
                at = number(bytes, at);
                TokenKind::Number
            }
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                at = number(bytes, at);
                TokenKind::Number
            }
            b'.' => single(&mut at, TokenKind::Dot),
            _ if is_name(byte) => {
                at = end_of_name(bytes, at);
                TokenKind::Name
            }
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                let operator = OPERATORS
                    .iter()
                    .find(|operator| rest.starts_with(operator.as_bytes()));
                at += operator.map_or(1, |operator| operator.len());
                match byte {
                    _ if operator.is_some() => TokenKind::Operator,
                    b'=' => TokenKind::Equal,
                    b':' => TokenKind::Colon,
                    _ => TokenKind::Other,
                }
            }
        };
        tokens.push(Token {
            kind,
            // The caller has seen that the text is shorter than 4 GiB.
            at: Span {
                start: from as u32,
                end: at as u32,
            },
            depth,
        });
        if kind == TokenKind::Open {
            depth = depth.saturating_add(1);
        }
    }
    let end = if depth == 0 {
        End::Closed
    } else {
        End::Unclosed
    };
    (at, end)
}

fn single(at: &mut usize, kind: TokenKind) -> TokenKind {
    *at += 1;
    kind
}

/// Whether a name may hold it. Names of other scripts are let through.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub(super) fn end_of_name(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().take_while(|&&byte| is_name(byte)).count()
}

/// A number with its exponent: `1e-05`, `0x10`, `2.5j`.
fn number(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut before = 0;
    while let Some(&byte) = bytes.get(at) {
        let sign = matches!(byte, b'+' | b'-')
            && matches!(before, b'e' | b'E')
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || sign) {
            break;
        }
        before = byte;
        at += 1;
    }
    at
}

/// Behind the string that starts here. One that is not closed ends with its line.
pub(super) fn string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes.get(start).copied().unwrap_or_default();
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1).is_some_and(|&next| next != b'\n') => at += 2,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}
