//! Which kinds of log a text is, by its first lines.
//!
//! Each reader is shown the lines one after the other and says whether they are its own, are not, or that it
//! wants more. The splitter reads every kind in one text all the same: what this tells is what to call it.

use super::console;
use super::prefix;

/// A kind of log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// Records of `TORCH_TRACE`, 2.3 and later.
    Trace,
    /// Messages of `TORCH_LOGS`, or of torch 2.0's loggers.
    Console,
}

/// What a reader says of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The text is of its kind.
    Mine,
    /// The text is of another kind.
    NotMine,
    /// The line tells nothing.
    More,
}

/// A reader's look at a line.
type Reader = fn(&[u8]) -> Verdict;

const READERS: [(LogKind, Reader); 2] = [
    (LogKind::Trace, |line| {
        if prefix::find(line).is_some() {
            Verdict::Mine
        } else if console::Prefix::find(line).is_some() {
            Verdict::NotMine
        } else {
            Verdict::More
        }
    }),
    (LogKind::Console, |line| {
        if console::Prefix::find(line).is_some() {
            Verdict::Mine
        } else if prefix::find(line).is_some() {
            Verdict::NotMine
        } else {
            Verdict::More
        }
    }),
];

/// Lines that are shown to the readers, at most: a program may write much before it compiles.
pub const LINES: usize = 10_000;

/// The kind of a text that begins so; `None` where no reader knows it by its first [`LINES`] lines.
#[must_use]
pub fn recognise(text: &[u8]) -> Option<LogKind> {
    let mut asked = READERS.map(Some);
    for line in text.split(|byte| *byte == b'\n').take(LINES) {
        for reader in &mut asked {
            let Some((kind, verdict)) = reader.map(|(kind, look)| (kind, look(line))) else {
                continue;
            };
            match verdict {
                Verdict::Mine => return Some(kind),
                Verdict::NotMine => *reader = None,
                Verdict::More => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_a_reader_knows_tells() {
        let trace = "V1129 11:49:56.619000 7 torch/a.py:12] {\"str\": []}\n";
        let console = "V1129 11:49:56.619000 7 torch/a.py:12] [0/0] text\n";
        let of = |text: &str| recognise(text.as_bytes());
        assert_eq!(
            of(&alloc::format!("epoch 1\n{trace}{console}")),
            Some(LogKind::Trace)
        );
        assert_eq!(
            of(&alloc::format!("\r\nx\n{console}{trace}")),
            Some(LogKind::Console)
        );
        assert_eq!(of("epoch 1\nepoch 2"), None);
        assert_eq!(of(""), None);
    }
}
