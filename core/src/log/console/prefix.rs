//! What stands before a message on the console.

use crate::log::prefix::{SEARCHED, parse, places};
use core::ops::Range;

/// How a prefix is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// `V1129 11:49:56.619000 11655 torch/_dynamo/guards.py:2170] [0/0] [__guards] `, 2.3 to 2.15.
    Glog,
    /// `[2023-10-12 17:04:05,123] [0/0] torch._dynamo.guards.__guards: [DEBUG] `, 2.1 and 2.2; without ids, and
    /// on the first line of a message only, 2.0.
    Dated,
    /// `DEBUG:torch._dynamo.guards.__guards:`, which `TORCH_LOGS_FORMAT=short` or `basic` write on the first
    /// line of a message (2.2 and later; `logging.BASIC_FORMAT`).
    Basic,
}

/// The prefix of a line. Ranges are relative to the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// How it is written.
    pub style: Style,
    /// Where it starts: behind what other programs put in front of the line.
    pub start: usize,
    /// The level: a letter, or its name.
    pub level: Range<usize>,
    /// The time as written: local time; glog's has no year. Empty where there is none.
    pub time: Range<usize>,
    /// The process id; in 2.3 and 2.4 the thread id.
    pub process: Option<u64>,
    /// The rank in torch.distributed, where PyTorch or torchrun write it.
    pub rank: Option<u32>,
    /// The source that wrote the message: a path, or a logger's name without that of the artifact.
    pub origin: Range<usize>,
    /// The line in that source; empty where only the logger is known.
    pub lineno: Range<usize>,
    /// The compile id with its attempt, without brackets; empty where there is none.
    pub id: Range<usize>,
    /// The artifact, without underscores; empty where the message is an ordinary one.
    pub artifact: Range<usize>,
    /// Where the message starts.
    pub message: usize,
}

impl Prefix {
    /// The level's name as Python's logging has it, where `line` carries the prefix.
    #[must_use]
    pub fn level_name<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let level = line.get(self.level.clone()).unwrap_or_default();
        let known = LEVELS.iter().find(|(letter, _)| letter.as_bytes() == level);
        known.map_or(level, |(_, name)| name.as_bytes())
    }

    /// Finds the prefix of a line, which may be cut anywhere behind [`SEARCHED`] bytes.
    ///
    /// `None` where the line is no message of PyTorch's loggers, or starts a record of `TORCH_TRACE`.
    #[must_use]
    pub fn find(line: &[u8]) -> Option<Prefix> {
        let line = line.get(..SEARCHED).unwrap_or(line);
        let mut found = None;
        for colon in memchr::memchr_iter(b':', line) {
            // HH:MM:SS is common to both forms.
            if line.get(colon + 3) != Some(&b':') {
                continue;
            }
            // A record of a trace: what its JSON holds is no message.
            if colon
                .checked_sub(8)
                .is_some_and(|start| parse(line, start).is_some())
            {
                return None;
            }
            found = glog(line, colon).or_else(|| dated(line, colon));
            if found.is_some() {
                break;
            }
        }
        let mut prefix = found.or_else(|| basic(line))?;
        prefix.take_rank(line);
        Some(prefix)
    }

    /// The rank that stands before the prefix: PyTorch's own belongs to it.
    fn take_rank(&mut self, line: &[u8]) {
        const RANK: &[u8] = b"[rank";
        let front = line.get(..self.start).unwrap_or_default();
        let Some(at) = memchr::memmem::rfind(front, RANK) else {
            return;
        };
        let digits = digits_at(front, at + RANK.len());
        let end = at + RANK.len() + digits;
        if digits == 0 || !front.get(end..).is_some_and(|rest| rest.starts_with(b"]")) {
            return;
        }
        self.rank = front
            .get(at + RANK.len()..end)
            .and_then(number)
            .and_then(|rank| u32::try_from(rank).ok());
        if front.get(end..) == Some(b"]:") && self.style != Style::Basic {
            self.start = at;
        }
    }
}

/// The levels of Python's logging, with the letters that PyTorch writes for them.
const LEVELS: [(&str, &str); 5] = [
    ("V", "DEBUG"),
    ("I", "INFO"),
    ("W", "WARNING"),
    ("E", "ERROR"),
    ("C", "CRITICAL"),
];

/// `LMMDD HH:MM:SS.ffffff PID PATH:LINE] [ID] [__ARTIFACT] `, where `colon` is the first one in the time.
fn glog(line: &[u8], colon: usize) -> Option<Prefix> {
    let date = colon.checked_sub(7)?;
    if !fits(line, date, b"dddd dd:dd:dd.dddddd ") {
        return None;
    }
    let level = level_before(line, date)?;
    let number_at = date + 21;
    let digits = digits_at(line, number_at);
    let process = line.get(number_at..number_at + digits).and_then(number)?;
    let path = number_at + digits + 1;
    if line.get(path - 1) != Some(&b' ') {
        return None;
    }
    let (lineno, end) = place(line, path)?;
    let origin = path..lineno.start - 1;
    let mut prefix = Prefix {
        style: Style::Glog,
        start: level.start,
        level,
        time: date..number_at - 1,
        process: Some(process),
        rank: None,
        origin,
        lineno,
        id: 0..0,
        artifact: 0..0,
        message: end,
    };
    prefix.id = bracketed(line, &mut prefix.message, is_id);
    prefix.artifact = bracketed(line, &mut prefix.message, is_artifact);
    if !prefix.artifact.is_empty() {
        prefix.artifact.start += 2;
    }
    let rest = line.get(prefix.message..).unwrap_or_default();
    prefix.message += usize::from(rest.first() == Some(&b' '));
    let own = !prefix.id.is_empty() || !prefix.artifact.is_empty();
    // Other programs write glog's prefix too, with the file's name alone.
    let path = line.get(prefix.origin.clone()).unwrap_or_default();
    if !own && memchr::memchr2(b'/', b'\\', path).is_none() {
        return None;
    }
    Some(prefix)
}

/// The level that ends where the date begins. Behind other text only its letter is one.
fn level_before(line: &[u8], date: usize) -> Option<Range<usize>> {
    let before = line.get(..date)?;
    let letters = before
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_uppercase())
        .count();
    let word = date - letters..date;
    if letters > 1
        && before
            .get(..word.start)?
            .last()
            .is_none_or(|b| !b.is_ascii_alphanumeric())
    {
        let known = LEVELS
            .iter()
            .any(|(letter, _)| before.ends_with(letter.as_bytes()));
        // `CODE1129` is a level of its own; `ETAV1129` is text before a letter.
        if !known || before.get(word.clone())? == b"CODE" {
            return Some(word);
        }
    }
    let letter = before.last()?;
    b"VIWEC".contains(letter).then(|| date - 1..date)
}

/// `[YYYY-MM-DD HH:MM:SS,mmm] [ID] NAME: [LEVEL] `.
fn dated(line: &[u8], colon: usize) -> Option<Prefix> {
    let start = colon.checked_sub(14)?;
    if !fits(line, start, b"[dddd-dd-dd dd:dd:dd,ddd]") {
        return None;
    }
    let mut at = start + 25;
    let id = bracketed(line, &mut at, is_id);
    let name = at + 1;
    if line.get(at) != Some(&b' ') {
        return None;
    }
    let length = name_at(line, name);
    let end = name + length;
    let rest = line.get(end..)?.strip_prefix(b": [")?;
    let level = rest.iter().take_while(|b| b.is_ascii_uppercase()).count();
    if length == 0 || level == 0 || rest.get(level) != Some(&b']') {
        return None;
    }
    let message = end + 3 + level + 1;
    let blank = usize::from(line.get(message) == Some(&b' '));
    let (origin, artifact) = name_parts(line, name..end);
    Some(Prefix {
        style: Style::Dated,
        start,
        level: end + 3..end + 3 + level,
        time: start + 1..start + 24,
        process: None,
        rank: None,
        origin,
        lineno: 0..0,
        id,
        artifact,
        message: message + blank,
    })
}

/// `LEVEL:NAME:`, for PyTorch's own loggers: other programs write the same form.
fn basic(line: &[u8]) -> Option<Prefix> {
    for colon in memchr::memmem::find_iter(line, b":torch") {
        let before = line.get(..colon)?;
        let Some((_, level)) = LEVELS
            .iter()
            .find(|(_, level)| before.ends_with(level.as_bytes()))
        else {
            continue;
        };
        let name = colon + 1;
        let end = name + name_at(line, name);
        let own = line.get(name + 5).is_some_and(|b| matches!(b, b'.' | b':'));
        if !own || line.get(end) != Some(&b':') {
            continue;
        }
        let start = colon - level.len();
        let (origin, artifact) = name_parts(line, name..end);
        return Some(Prefix {
            style: Style::Basic,
            start,
            level: start..colon,
            time: 0..0,
            process: None,
            rank: None,
            origin,
            lineno: 0..0,
            id: 0..0,
            artifact,
            message: end + 1,
        });
    }
    None
}

/// Parts the name of a logger: `torch._dynamo.guards.__guards` is the artifact `guards` of a module.
fn name_parts(line: &[u8], name: Range<usize>) -> (Range<usize>, Range<usize>) {
    let text = line.get(name.clone()).unwrap_or_default();
    match memchr::memmem::rfind(text, b".__") {
        Some(at) if at + 3 < text.len() => {
            (name.start..name.start + at, name.start + at + 3..name.end)
        }
        _ => (name, 0..0),
    }
}

/// Finds `:123] ` from `from` on. A path may hold blanks, colons and brackets; the first place behind a
/// Python file is the one, since a message may hold more.
fn place(line: &[u8], from: usize) -> Option<(Range<usize>, usize)> {
    let rest = line.get(from..)?;
    let is_python = |path: &[u8]| {
        let ends: [&[u8]; 3] = [b".py", b">", b".pyc"];
        ends.iter().any(|end| path.ends_with(end))
    };
    places(rest).find_map(|(path, lineno, behind)| {
        let is_end = rest.get(behind).is_none_or(u8::is_ascii_whitespace);
        (is_end && is_python(path))
            .then_some((from + lineno.start..from + lineno.end, from + behind))
    })
}

/// What stands in brackets behind a blank at `at`, if it is such a thing; moves on behind it.
fn bracketed(line: &[u8], at: &mut usize, is: fn(&[u8]) -> bool) -> Range<usize> {
    const LONGEST: usize = 96;
    let found = || {
        let rest = line.get(*at..)?.strip_prefix(b" [")?;
        let rest = rest.get(..LONGEST).unwrap_or(rest);
        let end = memchr::memchr(b']', rest)?;
        is(rest.get(..end)?).then(|| *at + 2..*at + 2 + end)
    };
    match found() {
        Some(range) => {
            *at = range.end + 1;
            range
        }
        None => 0..0,
    }
}

/// `0/1`, `0/1_2`, `!3`, `!3/0/0_1`; parts that are unknown are `-`.
fn is_id(text: &[u8]) -> bool {
    let body = text.strip_prefix(b"!").unwrap_or(text);
    let digit = body.iter().any(u8::is_ascii_digit);
    let known = |b: &u8| b.is_ascii_digit() || matches!(b, b'/' | b'_' | b'-');
    digit
        && body.iter().all(known)
        && (body.len() < text.len() || memchr::memchr(b'/', body).is_some())
}

fn is_artifact(text: &[u8]) -> bool {
    text.strip_prefix(b"__").is_some_and(|name| {
        !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
    })
}

/// Whether bytes have a shape in which 'd' stands for a digit, and a dot for one or a comma.
fn fits(line: &[u8], at: usize, shape: &[u8]) -> bool {
    line.get(at..).is_some_and(|text| {
        text.len() >= shape.len()
            && shape.iter().zip(text).all(|(shape, byte)| match shape {
                b'd' => byte.is_ascii_digit(),
                b'.' => matches!(byte, b'.' | b','),
                other => other == byte,
            })
    })
}

fn name_at(line: &[u8], at: usize) -> usize {
    let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
    line.get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(part)
        .count()
}

fn digits_at(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    rest.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn number(digits: &[u8]) -> Option<u64> {
    (!digits.is_empty()).then(|| {
        digits.iter().fold(0, |sum: u64, b| {
            sum.saturating_mul(10)
                .saturating_add(u64::from(b.wrapping_sub(b'0')))
        })
    })
}
