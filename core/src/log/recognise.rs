//! Which kind of log a text is, by its first lines.
//!
//! The splitter reads every kind in one text all the same: what this tells is what to call it.

use super::console;
use super::prefix;
use crate::source::returns;

/// A kind of log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// Records of `TORCH_TRACE`, 2.3 and later.
    Trace,
    /// Messages of `TORCH_LOGS`, or of torch 2.0's loggers.
    Console,
}

/// Lines that are looked at, at most: a program may write much before it compiles.
pub const LINES: usize = 10_000;

/// The kind of a text that begins so: that of the first line that is of one. `None` where none of its first
/// [`LINES`] lines is.
#[must_use]
pub fn recognise(text: &[u8]) -> Option<LogKind> {
    let end = if returns::ends_lines(text) {
        b'\r'
    } else {
        b'\n'
    };
    let lines = text.split(|byte| *byte == end).take(LINES);
    lines.into_iter().find_map(|line| {
        if prefix::find(line).is_some() {
            Some(LogKind::Trace)
        } else if console::Prefix::find(line).is_some() {
            Some(LogKind::Console)
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_is_of_a_kind_tells() {
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
        assert_eq!(
            of(&alloc::format!("x\n{console}").replace('\n', "\r")),
            Some(LogKind::Console)
        );
        assert_eq!(of("epoch 1\nepoch 2"), None);
        assert_eq!(of(""), None);
    }
}
