//! What other programs put in front of lines: ranks, containers, timestamps, quotes, colours, bars.
//!
//! None of them is known by name. Lines of one process have the same front, but for what moves in it: a
//! timestamp, and a progress bar that was drawn on the line before.

use crate::log::escape;
use alloc::vec::Vec;

/// What of a front stays the same from line to line: without what a carriage return has drawn over, colours,
/// a progress bar, and the digits of timestamps. Nothing of text that a program left behind without ending its
/// line: it ends with a number.
pub(super) fn stable(front: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut rest = match memchr::memrchr(b'\r', front) {
        Some(at) => front.get(at + 1..).unwrap_or_default(),
        None => front,
    };
    if let Some(bar) = bar_end(rest) {
        rest = rest.get(bar..).unwrap_or_default();
    }
    while let Some((&byte, behind)) = rest.split_first() {
        let escape = escape::length(rest);
        if escape > 0 {
            rest = rest.get(escape..).unwrap_or_default();
        } else if let Some(length) = timestamp(rest) {
            out.push(b'@');
            rest = rest.get(length..).unwrap_or_default();
        } else {
            out.push(byte);
            rest = behind;
        }
    }
    let last = out.trim_ascii_end().last();
    if last.is_some_and(|last| last.is_ascii_digit() || *last == b'%') {
        out.clear();
    }
}

/// Whether a front is a timestamp and nothing that tells processes apart: some collectors write it in front
/// of the first line of a message only.
pub(super) fn is_clock(stable: &[u8]) -> bool {
    memchr::memchr(b'@', stable).is_some() && !stable.iter().any(u8::is_ascii_alphanumeric)
}

/// Where a line's own text starts, if the line has a front that is stable the same.
pub(super) fn length(line: &[u8], stable: &[u8]) -> Option<usize> {
    let (mut at, mut left) = (0, stable);
    while let Some((&expected, behind)) = left.split_first() {
        let rest = line.get(at..).unwrap_or_default();
        let escape = escape::length(rest);
        if escape > 0 {
            at += escape;
            continue;
        }
        match (expected, timestamp(rest)) {
            (b'@', Some(length)) => at += length,
            _ if rest.first() == Some(&expected) => at += 1,
            _ => return None,
        }
        left = behind;
    }
    Some(at)
}

/// The length of a timestamp: `2024-05-01T12:00:00.1234567Z`, or with a blank, a comma and an offset.
fn timestamp(text: &[u8]) -> Option<usize> {
    const SHAPE: &[u8; 19] = b"dddd-dd-ddTdd:dd:dd";
    let head = text.get(..SHAPE.len())?;
    let fits = SHAPE.iter().zip(head).all(|(shape, byte)| match shape {
        b'd' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b' ' | b't'),
        other => other == byte,
    });
    if !fits {
        return None;
    }
    let rest = text.get(SHAPE.len()..)?;
    let tail = rest
        .iter()
        .take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b':' | b'+' | b'-' | b'Z'))
        .count();
    Some(SHAPE.len() + tail)
}

/// Where a progress bar ends: `  5%|▌  | 1/20 [00:01<00:19,  1.0it/s]`.
fn bar_end(front: &[u8]) -> Option<usize> {
    let bar = memchr::memmem::rfind(front, b"%|")?;
    let rest = front.get(bar..)?;
    memchr::memchr(b'<', rest)?;
    Some(bar + memchr::memchr(b']', rest)? + 1)
}
