//! Goes over text line by line, and remembers the row.

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
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)
}

/// Whether a line has the prefix of a log of PyTorch, of any version: `V1129 12:40:25.430000 …` or
/// `[2026-11-29 12:31:13,032] …`.
pub(super) fn is_logged(line: &str) -> bool {
    let shape = |text: &str, shape: &str| {
        text.len() >= shape.len()
            && text
                .bytes()
                .zip(shape.bytes())
                .all(|(byte, form)| match form {
                    b'0' => byte.is_ascii_digit(),
                    form => byte == form,
                })
    };
    match line.split_at_checked(1) {
        Some(("V" | "D" | "I" | "W" | "E" | "C", rest)) => shape(rest, "0000 00:00:00."),
        Some(("[", rest)) => shape(rest, "0000-00-00 00:00:00,"),
        _ => false,
    }
}
