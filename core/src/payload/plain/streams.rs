//! Lines of several programs, apart: what others put in front of lines is taken away, and each program's
//! lines are put together.
//!
//! Start at [`Streams::separate`]. No program is known by name. What stands before the heading of a traceback,
//! such as `[rank0]: `, `worker-1  | `, `2026-11-29T12:00:00.1234567Z ` or `> `, is what one program's lines
//! carry; before a warning only what torch.distributed and torchrun write is: `[rank0]:`, `[default0]:`.

use super::super::traceback::lines;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use memchr::memmem;

/// Fronts that are kept apart, at most; lines with others stay where they are.
const MOST_FRONTS: usize = 64;

/// Bytes of the longest front.
const LONGEST_FRONT: usize = 200;

/// Lines that one program wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream<'a> {
    /// The lines, without what stood in front of them.
    pub text: Cow<'a, str>,
    /// The row of each line in the text from which they come; the same row where absent.
    rows: Option<Vec<u32>>,
}

impl Stream<'_> {
    /// Where rows of this stream stand in the text from which they come. Rows of others may lie between.
    #[must_use]
    pub fn origin(&self, rows: &Range<u32>) -> Range<u32> {
        let Some(all) = &self.rows else {
            return rows.clone();
        };
        let at = |row: u32| all.get(row as usize).copied().unwrap_or_default();
        let start = at(rows.start);
        let last = at(rows.end.saturating_sub(1));
        start..last.max(start).saturating_add(1)
    }
}

/// What stands in front of lines, as far as it is known.
#[derive(Debug, Clone, Default)]
pub struct Streams {
    fronts: Vec<Front>,
}

impl Streams {
    /// Puts lines together that have the same front, those without one first. What a carriage return has drawn
    /// over is left out. Fronts that were found stay known for the text that follows.
    #[must_use]
    pub fn separate<'a>(&mut self, text: &'a str) -> Vec<Stream<'a>> {
        self.learn(text);
        if self.fronts.is_empty() && !is_drawn_over(text) {
            return [Stream {
                text: Cow::Borrowed(text),
                rows: None,
            }]
            .into();
        }
        let mut streams: Vec<(String, Vec<u32>)> = Vec::new();
        streams.resize_with(self.fronts.len().saturating_add(1), Default::default);
        for (row, line) in (0_u32..).zip(text.split_inclusive('\n')) {
            let line = shown(line);
            let fronted = (1..)
                .zip(&self.fronts)
                .find_map(|(stream, front)| Some((stream, front.length(line)?)));
            let (stream, length) = fronted.unwrap_or((0, 0));
            if let Some((text, rows)) = streams.get_mut(stream) {
                text.push_str(line.get(length..).unwrap_or_default());
                rows.push(row);
            }
        }
        let streams = streams.into_iter().filter(|(_, rows)| !rows.is_empty());
        streams
            .map(|(text, rows)| Stream {
                text: Cow::Owned(text),
                rows: Some(rows),
            })
            .collect()
    }

    fn learn(&mut self, text: &str) {
        for at in memmem::find_iter(text.as_bytes(), lines::HEADING) {
            let (front, rest) = around(text, at);
            let rest = rest.get(lines::HEADING.len()..).unwrap_or_default();
            let is_heading = rest.trim_end() == ":";
            // Indentation and margins are the traceback's own.
            let is_own = front.trim().is_empty() || is_margin(front);
            // A logger writes in front of the first line of what it logs.
            let is_alone = || line_behind(text, at).is_some_and(is_frame);
            if let Some(quoted) = quoted(front) {
                self.push(quoted);
            } else if is_heading && !is_own && !is_alone() {
                self.push(front);
            }
        }
        // The heading of what is quoted may be missing.
        for at in memmem::find_iter(text.as_bytes(), "File \"") {
            let (front, _) = around(text, at);
            if let Some(quoted) = quoted(front).filter(|quoted| front.trim() == quoted.trim()) {
                self.push(quoted);
            }
        }
        for at in memmem::find_iter(text.as_bytes(), "Warning:") {
            let (before, _) = around(text, at);
            if let Some(end) = of_rank(before) {
                self.push(before.get(..end).unwrap_or_default());
            }
        }
    }

    fn push(&mut self, front: &str) {
        let front = Front::of(front);
        let is_new = !self.fronts.contains(&front);
        if is_new && self.fronts.len() < MOST_FRONTS {
            self.fronts.push(front);
            // Of two that a line may have, the longer one is its own.
            self.fronts
                .sort_by_key(|front| core::cmp::Reverse(front.pieces.len()));
        }
    }
}

/// What stands before a byte in its line, without what was drawn over, and what stands from it on.
fn around(text: &str, at: usize) -> (&str, &str) {
    let start = super::cursor::line_start(text, at);
    let before = text.get(start..at).unwrap_or_default();
    let before = before.rsplit('\r').next().unwrap_or_default();
    let rest = text.get(at..).unwrap_or_default();
    let before = if before.len() > LONGEST_FRONT {
        ""
    } else {
        before
    };
    (before, rest.lines().next().unwrap_or_default())
}

/// The marks of a quotation with which a line begins: `> `, `> > `, `>> `.
fn quoted(line: &str) -> Option<&str> {
    let inside = line.trim_start_matches(['>', ' ']);
    let marks = line.get(..line.len().saturating_sub(inside.len()))?;
    // Blanks behind the mark's own are the text's.
    let end = marks.rfind('>')?.saturating_add(1);
    let end = end.saturating_add(usize::from(marks.get(end..)?.starts_with(' ')));
    line.get(..end).filter(|marks| marks.starts_with('>'))
}

/// The line behind the one that holds a byte.
fn line_behind(text: &str, at: usize) -> Option<&str> {
    text.get(at..)?.lines().nth(1)
}

/// Whether a line is a call of a traceback, with nothing in front of it.
fn is_frame(line: &str) -> bool {
    lines::python_frame(line.trim_start()).is_some()
}

/// Whether it is the margin of an exception group.
fn is_margin(front: &str) -> bool {
    let is_drawn = |c: char| matches!(c, ' ' | '\t' | '|' | '+' | '-');
    front.contains(['|', '+'])
        && front
            .trim_end_matches("Exception Group ")
            .chars()
            .all(is_drawn)
}

/// Where the front of a rank ends: `[rank0]:`, `[default12]:`, `[trainer0]: `.
fn of_rank(line: &str) -> Option<usize> {
    let rest = line.strip_prefix('[')?;
    let (name, _) = rest.split_once("]:")?;
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_name = digits.len() < name.len()
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    let end = name.len().saturating_add("[]:".len());
    let blank = line.get(end..).is_some_and(|rest| rest.starts_with(' '));
    is_name.then_some(end.saturating_add(usize::from(blank)))
}

/// Whether a carriage return stands within a line.
fn is_drawn_over(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes)
        .any(|at| !matches!(bytes.get(at.saturating_add(1)), None | Some(b'\n')))
}

/// What a terminal shows of a line: what stands behind the last carriage return, which may end it.
fn shown(line: &str) -> &str {
    let content = line.trim_end_matches(['\r', '\n']);
    let start = content.rfind('\r').map_or(0, |at| at.saturating_add(1));
    line.get(start..).unwrap_or(line)
}

/// What stands in front of each line of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Front {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Byte(u8),
    /// A date with a time, which moves on.
    Time,
}

impl Front {
    fn of(front: &str) -> Front {
        let (mut pieces, mut rest) = (Vec::new(), front.as_bytes());
        while let Some((&byte, behind)) = rest.split_first() {
            match timestamp(rest) {
                Some(length) => {
                    pieces.push(Piece::Time);
                    rest = rest.get(length..).unwrap_or_default();
                }
                None => {
                    pieces.push(Piece::Byte(byte));
                    rest = behind;
                }
            }
        }
        Front { pieces }
    }

    /// How long it is on a line, if the line has it. Editors take blanks at the end of a line away.
    fn length(&self, line: &str) -> Option<usize> {
        let content = line.trim_end_matches(['\r', '\n']).as_bytes();
        let mut at = 0_usize;
        for piece in &self.pieces {
            let rest = content.get(at..).unwrap_or_default();
            let taken = match piece {
                Piece::Time => timestamp(rest)?,
                Piece::Byte(byte) if rest.first() == Some(byte) => 1,
                Piece::Byte(b' ') if rest.is_empty() && at > 0 => 0,
                Piece::Byte(_) => return None,
            };
            at = at.saturating_add(taken);
        }
        line.is_char_boundary(at).then_some(at)
    }
}

/// The length of a date with a time: `2026-05-01T12:00:00.1234567Z`, or with a blank, a comma and an offset.
fn timestamp(text: &[u8]) -> Option<usize> {
    const SHAPE: &[u8; 19] = b"0000-00-00T00:00:00";
    let head = text.get(..SHAPE.len())?;
    let fits = SHAPE.iter().zip(head).all(|(shape, byte)| match shape {
        b'0' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b' '),
        other => other == byte,
    });
    let rest = text.get(SHAPE.len()..).filter(|_| fits)?;
    let tail = rest
        .iter()
        .take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b':' | b'+' | b'-' | b'Z'))
        .count();
    Some(SHAPE.len().saturating_add(tail))
}

#[cfg(test)]
mod tests {
    use super::super::{Block, find};
    use super::*;
    use alloc::format;
    use proptest::prelude::*;

    const SHORT: &str = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nRuntimeError: no\n";

    fn blocks(text: &str) -> Vec<(String, Range<u32>)> {
        let mut found = Vec::new();
        for stream in Streams::default().separate(text) {
            for Block { rows, bytes, .. } in find(&stream.text) {
                found.push((stream.text[bytes].into(), stream.origin(&rows)));
            }
        }
        found
    }

    fn fronted(front: &str, text: &str) -> String {
        text.lines()
            .map(|line| format!("{front}{line}\n"))
            .collect()
    }

    #[test]
    fn whatever_stands_in_front_of_a_traceback_is_taken_away() {
        for front in [
            "[rank0]: ",
            "[default12]:",
            "worker-1  | ",
            "2026-11-29T12:00:00.1234567Z ",
            "> ",
            "(EngineCore_0 pid=7) ",
        ] {
            let text = format!("epoch 1\n{}epoch 2\n", fronted(front, SHORT));
            let expected = (String::from(SHORT.trim_end()), 1..5);
            assert_eq!(blocks(&text), [expected], "{front}");
        }
    }

    #[test]
    fn ranks_that_write_between_each_other_are_separated() {
        let ranks = [0, 1].map(|rank| fronted(&format!("[rank{rank}]: "), SHORT));
        let lines = ranks[0].lines().zip(ranks[1].lines());
        let text: String = lines.map(|(a, b)| format!("{a}\n{b}\n")).collect();
        let found = blocks(&text);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(text, _)| text == SHORT.trim_end()));
        assert_eq!((&found[0].1, &found[1].1), (&(0..7), &(1..8)));
    }

    #[test]
    fn times_move_on_and_blanks_at_the_end_may_be_gone() {
        let mut text = String::new();
        let message = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nRuntimeError: a\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"b.py\", line 1, in f\nValueError: b\n";
        for (second, line) in message.lines().enumerate() {
            text += format!("2026-11-29 12:00:0{second},123 {line}").trim_end();
            text.push('\n');
        }
        let found = blocks(&text);
        assert_eq!(found.len(), 1);
        assert!(found[0].0.ends_with("ValueError: b"));
    }

    #[test]
    fn what_a_bar_was_drawn_over_is_left_out() {
        let text = format!(" 5%|x | 1/20\r10%|xx| 2/20\r{SHORT}\ndone\r\n");
        assert_eq!(blocks(&text), [(String::from(SHORT.trim_end()), 0..4)]);
    }

    #[test]
    fn warnings_of_ranks_are_found_and_groups_and_notebooks_are_left_whole() {
        let text = "[rank1]:/srv/a.py:3: UserWarning: slow\n[rank1]:  f()\n";
        assert_eq!(blocks(text).len(), 1);
        assert!(blocks(text)[0].0.starts_with("/srv/a.py:3"));
        let group = "  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 1, in f\n  | ExceptionGroup: two (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"a.py\", line 2, in g\n    | ValueError: x\n    +------------------------------------\n";
        assert_eq!(blocks(group), [(String::from(group.trim_end()), 0..8)]);
        let notebook = "---------------------------------------------------------------------------\nRuntimeError                              Traceback (most recent call last)\nCell In[1], line 1\n----> 1 f()\n\nRuntimeError: no\n";
        assert_eq!(Streams::default().separate(notebook).len(), 1);
    }

    proptest! {
        #[test]
        fn each_line_is_in_one_stream(text in "([ab:\\]\\[>0 \r]{0,6}|Traceback \\(most recent call last\\):|UserWarning: |\n){0,40}") {
            let mut rows: Vec<u32> = Vec::new();
            let mut streams = Streams::default();
            for stream in streams.separate(&text) {
                let lines = stream.text.split_inclusive('\n').count();
                for row in 0..u32::try_from(lines).unwrap() {
                    rows.push(stream.origin(&(row..row + 1)).start);
                }
            }
            rows.sort_unstable();
            let lines = text.split_inclusive('\n').count();
            // A last line without an end may be nothing but its front.
            prop_assert!(rows.len() <= lines && lines <= rows.len() + 1);
            prop_assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
