//! Goes over text line by line, and remembers the row.

/// Blank lines that are looked beyond.
const MOST_BLANKS: usize = 4;

/// A place between two lines of a text.
#[derive(Debug, Clone)]
pub(in crate::payload) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    row: u32,
}

impl<'a> Cursor<'a> {
    pub(in crate::payload) fn new(text: &'a str) -> Self {
        Cursor {
            text,
            at: 0,
            row: 0,
        }
    }

    /// The byte at which the next line starts.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// How many lines lie before, at most `u32::MAX`.
    pub(in crate::payload) fn row(&self) -> u32 {
        self.row
    }

    /// The next line, without its end.
    pub(in crate::payload) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// The next line that is not blank, of the next few.
    pub(in crate::payload) fn peek_beyond_blanks(&self) -> Option<&'a str> {
        let mut ahead = self.clone();
        let mut lines = core::iter::from_fn(|| ahead.next()).take(MOST_BLANKS);
        lines.find(|line| !line.trim().is_empty())
    }

    /// Takes the next line.
    pub(in crate::payload) fn next(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest.as_bytes());
        self.row = self.row.saturating_add(1);
        self.at += end.map_or(rest.len(), |end| end + 1);
        let line = rest.get(..end.unwrap_or(rest.len()))?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// Goes on to a byte at which a line starts.
    pub(super) fn skip_to(&mut self, at: usize) {
        let between = self.text.as_bytes().get(self.at..at).unwrap_or_default();
        let rows = memchr::memchr_iter(b'\n', between).count();
        self.row = self
            .row
            .saturating_add(u32::try_from(rows).unwrap_or(u32::MAX));
        self.at = self.at.max(at);
    }

    /// The byte behind the line that was taken last, without its end.
    pub(super) fn end_of_last(&self) -> usize {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.strip_suffix('\n').unwrap_or(before);
        line.strip_suffix('\r').unwrap_or(line).len()
    }
}

/// The byte at which the line that holds a byte starts.
pub(in crate::payload) fn line_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)
}
