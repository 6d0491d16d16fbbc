//! Cuts a text into lines that know their place.

use super::LineEnd;

/// A line without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its number, counted from 1.
    pub(super) number: u32,
    /// Its first byte's place in the text.
    pub(super) start: usize,
    pub(super) text: &'a str,
    pub(super) end: LineEnd,
}

#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: u32,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lines {
            text,
            at: 0,
            number: 0,
        }
    }

    /// The next line, without going on to it.
    pub(super) fn peek(&self) -> Option<Line<'a>> {
        self.clone().next()
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let start = self.at;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        self.number = self.number.saturating_add(1);
        let (line, end) = match memchr::memchr(b'\n', rest.as_bytes()) {
            None => {
                self.at = self.text.len();
                (rest, LineEnd::Text)
            }
            Some(length) => {
                self.at = start + length + 1;
                let line = rest.get(..length).unwrap_or_default();
                match line.strip_suffix('\r') {
                    Some(line) => (line, LineEnd::Both),
                    None => (line, LineEnd::LineFeed),
                }
            }
        };
        Some(Line {
            number: self.number,
            start,
            text: line,
            end,
        })
    }
}
