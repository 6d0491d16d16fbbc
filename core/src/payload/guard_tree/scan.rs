//! Looks through Python expressions without parsing them: strings and brackets are passed over.
//!
//! Everything here goes through a text once, and counts depth in place of recursing.

/// One byte of an expression, and how deep in brackets it stands; bytes of strings are left out.
pub(super) struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: i32,
    quote: Option<u8>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Walk {
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            quote: None,
        }
    }

    /// Brackets that are open.
    pub(super) fn depth(&self) -> i32 {
        self.depth
    }

    /// Whether a string is open.
    pub(super) fn in_string(&self) -> bool {
        self.quote.is_some()
    }
}

impl Iterator for Walk<'_> {
    /// The place, the byte, and the depth before an opening and behind a closing bracket.
    type Item = (usize, u8, i32);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.at;
            let &byte = self.bytes.get(at)?;
            self.at += 1;
            match (self.quote, byte) {
                (Some(_), b'\\') => self.at += 1,
                (Some(quote), _) if quote == byte => self.quote = None,
                (Some(_), _) => {}
                (None, b'\'' | b'"') => self.quote = Some(byte),
                (None, b'(' | b'[' | b'{') => {
                    self.depth = self.depth.saturating_add(1);
                    return Some((at, byte, self.depth.saturating_sub(1)));
                }
                (None, b')' | b']' | b'}') => {
                    self.depth = self.depth.saturating_sub(1);
                    return Some((at, byte, self.depth));
                }
                (None, _) => return Some((at, byte, self.depth)),
            }
        }
    }
}

/// Where `what` stands outside strings, at whatever depth. Where a string does not end, quotes tell
/// nothing, and the first place counts.
pub(super) fn find_outside_strings(text: &str, what: &str) -> Option<usize> {
    let first = *what.as_bytes().first()?;
    let mut walk = Walk::new(text);
    let found = walk.find(|&(at, byte, _)| byte == first && starts(text, at, what));
    match found {
        Some((at, ..)) => Some(at),
        None if walk.in_string() => text.find(what),
        None => None,
    }
}

/// What stands before and behind `what`, where it stands outside strings and brackets.
pub(super) fn split_once<'a>(text: &'a str, what: &str) -> Option<(&'a str, &'a str)> {
    let first = *what.as_bytes().first()?;
    let (at, ..) = Walk::new(text)
        .find(|&(at, byte, depth)| depth == 0 && byte == first && starts(text, at, what))?;
    Some((text.get(..at)?, text.get(at + what.len()..)?))
}

/// The parts between commas outside strings and brackets, without spaces around them. Nothing has none.
pub(super) fn arguments(text: &str) -> impl Iterator<Item = &str> {
    let mut walk = Walk::new(text);
    let mut start = Some(0).filter(|_| !text.trim().is_empty());
    core::iter::from_fn(move || {
        let from = start?;
        let comma = walk.find(|&(_, byte, depth)| byte == b',' && depth <= 0);
        let end = comma.map_or(text.len(), |(at, ..)| at);
        start = comma.map(|(at, ..)| at + 1);
        Some(text.get(from..end).unwrap_or_default().trim())
    })
}

/// What stands in the parentheses of a call of `function` that the text starts with, and behind it.
pub(super) fn call<'a>(text: &'a str, function: &str) -> Option<(&'a str, &'a str)> {
    let rest = text.strip_prefix(function)?;
    let inside = rest.strip_prefix('(')?;
    let (close, ..) = Walk::new(rest)
        .find(|&(_, byte, depth)| depth == 0 && matches!(byte, b')' | b']' | b'}'))?;
    Some((inside.get(..close.checked_sub(1)?)?, rest.get(close + 1..)?))
}

/// The text without the brackets around all of it.
pub(super) fn inside(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// The text without the quotes around it.
pub(super) fn unquoted(text: &str) -> &str {
    inside(text, '\'', '\'')
        .or_else(|| inside(text, '"', '"'))
        .unwrap_or(text)
}

fn starts(text: &str, at: usize, what: &str) -> bool {
    text.as_bytes()
        .get(at..)
        .is_some_and(|rest| rest.starts_with(what.as_bytes()))
}
