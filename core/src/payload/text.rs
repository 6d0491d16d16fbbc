//! Any payload as rows of text: how large artifacts are shown without being held.
//!
//! [`Rows`] is built in steps, over a payload of any size; it keeps a place in every so many rows, from
//! which [`Rows::walk`] reads the rows that a screen shows. A line that is longer than a row goes on in
//! the next row.

use crate::log::payload::{Payload, Place, hexadecimal};
use crate::source::{Source, SourceError};
use alloc::string::String;
use alloc::vec::Vec;
use md5::{Digest, Md5};

/// Rows between two kept places.
const INTERVAL: u32 = 256;

/// Bytes of the text read at a time.
const STEP: usize = 512 << 10;

/// A row of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Line from 1; absent where this row goes on with the line of the row before.
    pub line: Option<u64>,
    /// The text. Bytes that are no UTF-8 become U+FFFD.
    pub text: String,
}

/// Where a row starts: a place in the payload, and how many clean bytes behind it.
#[derive(Debug, Clone, Copy)]
struct Mark {
    place: Place,
    skip: usize,
    line: u64,
    starts_line: bool,
}

impl Mark {
    /// The start of a payload.
    fn start() -> Self {
        Mark {
            place: Place::default(),
            skip: 0,
            line: 0,
            starts_line: true,
        }
    }
}

/// The rows of a payload.
#[derive(Debug)]
pub struct Rows {
    payload: Payload,
    width: usize,
    marks: Vec<Mark>,
    rows: u32,
    bytes: u64,
    hash: Md5,
    md5: Option<[u8; 32]>,
    reader: Reader,
}

/// Cuts clean text into rows, as it comes.
#[derive(Debug, Clone)]
struct Reader {
    place: Place,
    /// The place at which the bytes in `pending` start.
    pending_place: Place,
    pending: Vec<u8>,
    /// How much of `pending` has been given out.
    given: usize,
    line: u64,
    starts_line: bool,
    ended: bool,
}

impl Reader {
    fn new(mark: Mark) -> Self {
        Reader {
            place: mark.place,
            pending_place: mark.place,
            pending: Vec::new(),
            given: 0,
            line: mark.line,
            starts_line: mark.starts_line,
            ended: false,
        }
    }

    fn mark(&self) -> Mark {
        Mark {
            place: self.pending_place,
            skip: self.given,
            line: self.line,
            starts_line: self.starts_line,
        }
    }

    /// Reads one more step of the payload; gives the clean bytes that came.
    fn more(&mut self, payload: &Payload, source: &dyn Source) -> Result<&[u8], SourceError> {
        if self.given == self.pending.len() {
            self.pending.clear();
            self.given = 0;
            self.pending_place = self.place;
        }
        let before = self.pending.len();
        self.ended = !payload.clean(source, &mut self.place, &mut self.pending, STEP)?;
        Ok(self.pending.get(before..).unwrap_or_default())
    }

    /// The next row, of at most `width` bytes, if all of it is there.
    fn row(&mut self, width: usize) -> Option<(Option<u64>, &[u8])> {
        let rest = self.pending.get(self.given..).unwrap_or_default();
        let window = rest.get(..width + 1).unwrap_or(rest);
        let number = self.starts_line.then_some(self.line + 1);
        let (length, taken, line_ends) = match memchr::memchr(b'\n', window) {
            Some(end) => (end, end + 1, true),
            None if rest.len() > width => {
                let cut = character_start(rest, width);
                (cut, cut, false)
            }
            None if !self.ended => return None,
            // The last line has no line end; an empty payload is one empty line.
            None if !rest.is_empty() || self.starts_line => (rest.len(), rest.len(), false),
            None => return None,
        };
        // Behind the end nothing may be given a second time.
        if taken == 0 && self.ended {
            self.starts_line = false;
        } else {
            self.starts_line = line_ends;
        }
        self.line += u64::from(line_ends);
        let start = self.given;
        self.given += taken;
        Some((
            number,
            self.pending.get(start..start + length).unwrap_or_default(),
        ))
    }
}

/// The last place at or before `at` where a character of UTF-8 starts; `at` itself where none is near.
fn character_start(text: &[u8], at: usize) -> usize {
    (at.saturating_sub(3).max(1)..=at)
        .rev()
        .find(|&i| text.get(i).is_none_or(|b| b & 0xc0 != 0x80))
        .unwrap_or(at)
}

impl Rows {
    /// The rows of a payload, each of at most `width` bytes; none is read yet.
    #[must_use]
    pub fn new(payload: Payload, width: usize) -> Self {
        Rows {
            payload,
            width: width.max(4),
            marks: Vec::new(),
            rows: 0,
            bytes: 0,
            hash: Md5::new(),
            md5: None,
            reader: Reader::new(Mark::start()),
        }
    }

    /// Reads on; says whether the payload has ended. One call reads some 512 KiB.
    ///
    /// # Errors
    /// What the source gives.
    pub fn step(&mut self, source: &dyn Source) -> Result<bool, SourceError> {
        if self.md5.is_some() {
            return Ok(true);
        }
        let new = self.reader.more(&self.payload, source)?;
        self.hash.update(new);
        self.bytes += new.len() as u64;
        loop {
            let mark = self.reader.mark();
            if self.reader.row(self.width).is_none() {
                break;
            }
            if self.rows.is_multiple_of(INTERVAL) {
                self.marks.push(mark);
            }
            self.rows = self.rows.saturating_add(1);
        }
        // What was given is not needed again.
        let given = self.reader.given;
        if self.reader.ended {
            self.md5 = Some(hexadecimal(&self.hash.clone().finalize()));
            self.reader.pending = Vec::new();
        } else if given == self.reader.pending.len() {
            self.reader.pending.clear();
            self.reader.given = 0;
            self.reader.pending_place = self.reader.place;
        }
        Ok(self.reader.ended)
    }

    /// The payload.
    #[must_use]
    pub fn payload(&self) -> &Payload {
        &self.payload
    }

    /// Rows found so far.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Lines found so far.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.reader.line + u64::from(self.md5.is_some())
    }

    /// Bytes of the payload found so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The MD5 of the payload in hexadecimal, once all of it was read.
    #[must_use]
    pub fn md5(&self) -> Option<&[u8; 32]> {
        self.md5.as_ref()
    }

    /// The row in which a line starts, lines counted from 1; `None` where no such line was found.
    ///
    /// # Errors
    /// What the source gives.
    pub fn row_of_line(&self, source: &dyn Source, line: u64) -> Result<Option<u32>, SourceError> {
        let Some(wanted) = line.checked_sub(1) else {
            return Ok(None);
        };
        // A mark may stand within the line before, or at the line's own start.
        let behind = self.marks.partition_point(|mark| {
            mark.line < wanted || (mark.line == wanted && mark.starts_line)
        });
        let mut row = u32::try_from(behind.saturating_sub(1)).unwrap_or(u32::MAX) * INTERVAL;
        let mut walk = self.walk(source, row)?;
        while let Some(next) = walk.next(self, source)? {
            if next.line == Some(line) {
                return Ok(Some(row));
            }
            if next.line.is_some_and(|number| number > line) {
                return Ok(None);
            }
            row = row.saturating_add(1);
        }
        Ok(None)
    }

    /// Goes through the rows from `first` on, one after the other.
    ///
    /// # Errors
    /// What the source gives.
    pub fn walk(&self, source: &dyn Source, first: u32) -> Result<Walk, SourceError> {
        let left = self.rows.saturating_sub(first);
        let mark = self.marks.get((first / INTERVAL) as usize);
        let Some(mark) = mark.filter(|_| left > 0) else {
            return Ok(Walk {
                reader: Reader::new(Mark::start()),
                left: 0,
            });
        };
        let mut reader = Reader::new(*mark);
        while reader.pending.len() < mark.skip && !reader.ended {
            reader.more(&self.payload, source)?;
        }
        reader.given = mark.skip;
        let passed = first % INTERVAL;
        let mut walk = Walk {
            reader,
            left: left.saturating_add(passed),
        };
        for _ in 0..passed {
            walk.next(self, source)?;
        }
        Ok(walk)
    }
}

/// A place between two rows, from which one row after the other is read.
#[derive(Debug, Clone)]
pub struct Walk {
    reader: Reader,
    /// Rows that are still to come.
    left: u32,
}

impl Walk {
    /// The next row; `None` behind the last one that was found.
    ///
    /// # Errors
    /// What the source gives.
    pub fn next(&mut self, rows: &Rows, source: &dyn Source) -> Result<Option<Row>, SourceError> {
        while self.left > 0 {
            if let Some((line, text)) = self.reader.row(rows.width) {
                self.left -= 1;
                let text = String::from_utf8_lossy(text).into_owned();
                return Ok(Some(Row { line, text }));
            }
            if self.reader.ended {
                break;
            }
            self.reader.more(&rows.payload, source)?;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::format;
    use alloc::string::ToString;
    use proptest::prelude::*;

    /// A payload whose text is `text`, as a trace holds it.
    fn source(text: &str) -> (Vec<u8>, Payload) {
        let mut bytes: Vec<u8> = b"head\n".to_vec();
        for line in text.split('\n') {
            bytes.extend_from_slice(format!("\t{line}\n").as_bytes());
        }
        let payload = Payload {
            pieces: core::iter::once(5..bytes.len() as u64).collect(),
            ..Payload::default()
        };
        (bytes, payload)
    }

    /// Rows from `first` on, at most `count`.
    fn read(
        rows: &Rows,
        source: &dyn Source,
        first: u32,
        count: usize,
    ) -> Result<Vec<Row>, SourceError> {
        let mut walk = rows.walk(source, first)?;
        let next = || walk.next(rows, source).transpose();
        core::iter::from_fn(next).take(count).collect()
    }

    /// Cuts text into rows in the plainest way.
    fn plain(text: &str, width: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        for (i, mut line) in text.split('\n').enumerate() {
            let mut number = Some(i as u64 + 1);
            loop {
                let cut = if line.len() > width {
                    line.floor_char_boundary(width)
                } else {
                    line.len()
                };
                rows.push(Row {
                    line: number.take(),
                    text: line[..cut].to_owned(),
                });
                line = &line[cut..];
                if line.is_empty() {
                    break;
                }
            }
        }
        rows
    }

    proptest! {
        #[test]
        fn rows_are_those_of_the_plain_text(
            lines in prop::collection::vec("[a-zäß€😀]{0,40}", 1..700),
            width in 8usize..40,
            first in 0u32..900,
        ) {
            let text = lines.join("\n");
            let (bytes, payload) = source(&text);
            let mut rows = Rows::new(payload.clone(), width);
            while !rows.step(&bytes).unwrap() {}
            let expected = plain(&text, width);
            prop_assert_eq!(rows.rows() as usize, expected.len());
            prop_assert_eq!(rows.lines(), lines.len() as u64);
            prop_assert_eq!(rows.bytes(), text.len() as u64);
            prop_assert_eq!(rows.md5().copied(), payload.md5(&bytes).ok());
            let line = u64::from(first) + 1;
            let row = expected.iter().position(|row| row.line == Some(line));
            prop_assert_eq!(rows.row_of_line(&bytes, line).unwrap().map(|row| row as usize), row);
            let page = read(&rows, &bytes, first, 50).unwrap();
            let end = expected.len().min(first as usize + 50);
            prop_assert_eq!(page.as_slice(), expected.get(first as usize..end).unwrap_or_default());
        }
    }

    #[test]
    fn one_line_of_megabytes_is_many_rows() {
        let text = "x".repeat(5 << 20);
        let (bytes, payload) = source(&text);
        let mut rows = Rows::new(payload, 2000);
        while !rows.step(&bytes).unwrap() {}
        assert_eq!(rows.rows(), (5u32 << 20).div_ceil(2000));
        assert_eq!(rows.lines(), 1);
        let page = read(&rows, &bytes, 1000, 1).unwrap();
        assert_eq!(page[0].text.len(), 2000);
        assert_eq!(page[0].line, None);
        assert_eq!(read(&rows, &bytes, 0, 1).unwrap()[0].line, Some(1));
    }

    #[test]
    fn an_empty_payload_is_one_empty_line() {
        let (bytes, payload) = source("");
        let mut rows = Rows::new(payload, 80);
        while !rows.step(&bytes).unwrap() {}
        assert_eq!((rows.rows(), rows.lines(), rows.bytes()), (1, 1, 0));
        assert_eq!(
            core::str::from_utf8(rows.md5().unwrap()).unwrap(),
            "d41d8cd98f00b204e9800998ecf8427e"
        );
        assert_eq!(
            read(&rows, &bytes, 0, 5).unwrap(),
            [Row {
                line: Some(1),
                text: "".to_string()
            }]
        );
    }
}
