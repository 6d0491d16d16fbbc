//! What stands before a record's JSON: level, time, process and place in PyTorch's source.
//!
//! Written by `TorchLogsFormatter` in torch/_logging/_internal.py, 2.3 to 2.15:
//! `V1129 11:49:56.619000 11655 torch/_dynamo/utils.py:2473] {…}`.

use super::console::Prefix as Console;
use core::ops::Range;

/// A record's prefix. Byte ranges are relative to its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// Where the prefix starts: behind what other programs put in front of the line.
    pub start: usize,
    /// The level's letter: `V`, `I`, `W`, `E` or `C`. PyTorch always writes `V` here.
    pub level: u8,
    /// Month and day, then the time of day, as written: local time, no year.
    pub time: Range<usize>,
    /// The process id; up to torch 2.4 the thread id.
    pub process: u64,
    /// Path of the source that wrote the record.
    pub path: Range<usize>,
    /// Line in that source.
    pub lineno: Range<usize>,
    /// Where the JSON starts.
    pub json: usize,
}

/// How far into a line a prefix is looked for.
pub const SEARCHED: usize = 4096;

/// Finds the prefix of a record in a line, which may be cut anywhere behind [`SEARCHED`] bytes.
///
/// `None` where the line starts no record: other programs' output, or a console message, whose prefix
/// looks the same but which is not followed by an object.
#[must_use]
pub fn find(line: &[u8]) -> Option<Prefix> {
    let line = line.get(..SEARCHED).unwrap_or(line);
    if let Some(prefix) = parse(line, 0) {
        return Some(prefix);
    }
    // Cheap refusal first: a record has its JSON behind "] {".
    memchr::memmem::find(line, b"] {")?;
    let found = (1..line.len()).find_map(|start| parse(line, start))?;
    // A console message may speak of a record.
    let front = line.get(..found.start).unwrap_or_default();
    Console::find(front).is_none().then_some(found)
}

/// Reads a prefix that starts exactly there.
pub(super) fn parse(line: &[u8], start: usize) -> Option<Prefix> {
    let head = line.get(start..start.checked_add(22)?)?;
    // L MMDD HH:MM:SS.ffffff and a space.
    const SHAPE: &[u8; 22] = b"?dddd dd:dd:dd.dddddd ";
    if !has_shape(head, SHAPE) {
        return None;
    }
    let level = *head.first()?;
    let process_start = start + SHAPE.len();
    let digits = digits_at(line, process_start);
    if digits == 0 {
        return None;
    }
    let path_start = process_start + digits;
    let process = number(line.get(process_start..path_start)?);
    let (lineno, json) = place_end(line, path_start)?;
    let spaces = line
        .get(path_start..)?
        .iter()
        .take_while(|b| **b == b' ')
        .count();
    Some(Prefix {
        start,
        level,
        time: start + 1..process_start - 1,
        process,
        path: (path_start + spaces).min(lineno.start - 1)..lineno.start - 1,
        lineno,
        json,
    })
}

/// Whether a text begins with a shape: `d` stands for a digit, `?` for the letter of a level, `.` for either sign
/// before fractions of a second.
pub(super) fn has_shape(text: &[u8], shape: &[u8]) -> bool {
    let fits = |(shape, byte): (&u8, &u8)| match shape {
        b'?' => matches!(byte, b'V' | b'I' | b'W' | b'E' | b'C'),
        b'd' => byte.is_ascii_digit(),
        b'.' => matches!(byte, b'.' | b','),
        other => other == byte,
    };
    text.len() >= shape.len() && shape.iter().zip(text).all(fits)
}

/// Finds `:123] {` from `from` on. A path may hold blanks, colons and brackets, so that only all of it
/// counts as the end.
fn place_end(line: &[u8], from: usize) -> Option<(Range<usize>, usize)> {
    let rest = line.get(from..)?;
    for (path, lineno, behind) in places(rest) {
        let blanks = rest
            .get(behind..)?
            .iter()
            .take_while(|b| **b == b' ')
            .count();
        let json = behind + blanks;
        let object = rest.get(json) == Some(&b'{') && rest.get(json + 1) != Some(&b'\'');
        if blanks > 0 && object {
            return Some((from + lineno.start..from + lineno.end, from + json));
        }
        // Behind a Python file stands the JSON, or it is a console message, which may hold anything.
        if blanks > 0 && path.ends_with(b".py") {
            return None;
        }
    }
    None
}

/// The places `path:123]` that may stand in a line: the path, where the number is, and what follows the bracket.
pub(super) fn places(line: &[u8]) -> impl Iterator<Item = (&[u8], Range<usize>, usize)> {
    memchr::memchr_iter(b']', line).filter_map(move |bracket| {
        let before = line.get(..bracket)?;
        let digits = before
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_digit())
            .count();
        let path = before.get(..bracket - digits)?.strip_suffix(b":")?;
        (digits > 0).then_some((path, bracket - digits..bracket, bracket + 1))
    })
}

fn digits_at(line: &[u8], at: usize) -> usize {
    line.get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .count()
}

fn number(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |sum: u64, b| {
        sum.saturating_mul(10).saturating_add(u64::from(b - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, process: u64, path: &str, lineno: &str) {
        let prefix = find(line.as_bytes()).expect(line);
        assert_eq!(prefix.process, process);
        assert_eq!(&line[prefix.path], path);
        assert_eq!(&line[prefix.lineno], lineno);
        assert!(line[prefix.json..].starts_with('{'));
    }

    #[test]
    fn every_generation_is_read() {
        check(
            "V1129 11:49:56.619000 11655 torch/_dynamo/utils.py:2473] {}",
            11655,
            "torch/_dynamo/utils.py",
            "2473",
        );
        check(
            "V0403 07:28:48.051000 139877824898048 torch/_logging/structured.py:19] {\"str\": []}",
            139_877_824_898_048,
            "torch/_logging/structured.py",
            "19",
        );
    }

    #[test]
    fn a_path_may_hold_blanks_colons_and_brackets() {
        check(
            "V1129 11:49:56.619000 7 C:\\my files\\a.py:12] {}",
            7,
            "C:\\my files\\a.py",
            "12",
        );
        check(
            "V1129 11:49:56.619000 7 a[1:2] b.py:12] {}",
            7,
            "a[1:2] b.py",
            "12",
        );
    }

    #[test]
    fn what_others_put_in_front_is_passed_over() {
        check(
            "[rank0]: V1129 11:49:56.619000 7 a.py:12] {}",
            7,
            "a.py",
            "12",
        );
        check(
            "worker V1 | V1129 11:49:56,619000 7 a.py:12] {}",
            7,
            "a.py",
            "12",
        );
    }

    #[test]
    fn lines_that_start_no_record_are_refused() {
        for line in [
            "",
            "{}",
            "D1129 11:49:56.619000 7 a.py:12] {}",
            "V1129 11:49:56.619 7 a.py:12] {}",
            "V1129 11:49:56.619000 7 a.py:12] x{}",
            "V1129 11:49:56.619000 7 a.py:12]{}",
            "V1129 11:49:56.619000 7 a.py:12] [0/0] [__guards] GUARDS:",
            "V1129 11:49:56.619000 a.py:12] {}",
            "V1129 11:49:56.619000 7 a.py] {}",
        ] {
            assert_eq!(find(line.as_bytes()), None, "{line}");
        }
    }
}
