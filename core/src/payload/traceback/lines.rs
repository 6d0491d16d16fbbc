//! What a line of a traceback is.

use super::{Frame, Link};
use alloc::string::String;

/// What every traceback begins with.
pub(in crate::payload) const HEADING: &str = "Traceback (most recent call last)";

/// A line between the heading and the exception.
#[derive(Debug)]
pub(super) enum Line<'a> {
    Frame(Frame),
    /// `[Previous line repeated 996 more times]`.
    Repeated(u32),
    /// IPython: a line of code with its number; an arrow marks the one that was running.
    Numbered {
        number: u32,
        code: &'a str,
        here: bool,
    },
    /// Code, marks, or anything else.
    Other,
}

/// A heading of a traceback.
#[derive(Debug)]
pub(super) struct Heading<'a> {
    /// The exception's type, which IPython names here.
    pub(super) announced: Option<&'a str>,
    /// Whether it is that of an exception group, whose members stand within a margin.
    pub(super) group: bool,
}

/// The line without the margin that Python draws around the members of an exception group.
pub(super) fn without_margin(line: &str) -> &str {
    match line.trim_start_matches(' ').strip_prefix('|') {
        Some(inside) => inside.strip_prefix(' ').unwrap_or(inside),
        None => line,
    }
}

/// A rule above a member of an exception group: `+-+---------------- 1 ----------------`.
pub(super) fn is_member(line: &str) -> bool {
    let content = line.trim_start_matches([' ', '|']);
    content.starts_with("+-") && content.contains("---------------- ")
}

/// The rule below the last member of an exception group: `+------------------------------------`.
pub(super) fn is_group_end(line: &str) -> bool {
    let content = line.trim_end().trim_start_matches([' ', '|']);
    content.len() > "+---".len()
        && content
            .strip_prefix('+')
            .is_some_and(|rule| rule.bytes().all(|byte| byte == b'-'))
}

/// Whether this is a line of an exception group.
pub(super) fn in_group(line: &str) -> bool {
    let content = line.trim_start_matches(' ');
    (content.starts_with('|') || content.starts_with('+')) && line.len() - content.len() >= 2
}

/// A heading.
pub(super) fn heading(line: &str) -> Option<Heading<'_>> {
    let (before, behind) = line.split_once(HEADING)?;
    let name = before.trim();
    let behind = behind.trim_end();
    let group = name == "+ Exception Group";
    if (name.is_empty() || group) && behind == ":" {
        return Some(Heading {
            announced: None,
            group,
        });
    }
    let is_name = !name.is_empty() && is_type(name) && before.ends_with(' ');
    (is_name && behind.is_empty()).then_some(Heading {
        announced: Some(name),
        group: false,
    })
}

/// A sentence between two exceptions.
pub(super) fn link(line: &str) -> Option<Link> {
    match line.trim() {
        "The above exception was the direct cause of the following exception:" => Some(Link::Cause),
        "During handling of the above exception, another exception occurred:" => {
            Some(Link::Context)
        }
        _ => None,
    }
}

/// Whether a line of a message says that a traceback follows in it.
pub(super) fn quotes(line: &str) -> bool {
    // `Name=…` stands below the sentence of SubprocException (torch/_inductor/compile_worker, 2.7+).
    line.trim_end().ends_with(':') || line.trim_start().starts_with("Name=")
}

/// The exception's type and what stands behind it on the line.
pub(in crate::payload) fn exception(line: &str) -> Option<(&str, &str)> {
    let (kind, message) = match line.split_once(':') {
        Some((kind, message)) if message.is_empty() || message.starts_with(' ') => {
            (kind, message.strip_prefix(' ').unwrap_or_default())
        }
        Some(_) => return None,
        None => (line.trim_end(), ""),
    };
    is_type(kind).then_some((kind, message))
}

/// The exception's type and what stands behind it, where the line alone must tell: the type is named as types of
/// exceptions are.
pub(super) fn raised(line: &str) -> Option<(&str, &str)> {
    let (kind, message) = exception(line)?;
    let name = kind.rsplit('.').next()?;
    let is_class = name
        .trim_start_matches('_')
        .starts_with(|c: char| c.is_ascii_uppercase());
    let is_qualified = kind.len() > name.len() && line.len() > kind.len();
    let is_named = NAMES.iter().any(|end| name.ends_with(end));
    let is_own = kind.starts_with("self.") || kind.starts_with("cls.");
    (is_class && (is_named || is_qualified) && !is_own).then_some((kind, message))
}

/// How names of exceptions end: Python's, and those of PyTorch that do not end in `Error`.
const NAMES: [&str; 14] = [
    "Error",
    "Exception",
    "ExceptionGroup",
    "Exit",
    "Interrupt",
    "Iteration",
    "Warning",
    "Unsupported",
    "Failed",
    "Required",
    "Exceeded",
    "OutOfResources",
    "DataDependentSymNode",
    "Missing",
];

/// The line that ends IPython's traceback.
pub(super) fn announced<'a>(line: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let behind = line.strip_prefix(name)?;
    let message = behind
        .strip_prefix(':')
        .or(behind.is_empty().then_some(""))?;
    Some((line.get(..name.len())?, message.trim_start()))
}

/// Whether this can be the name of a type, with its module or without.
fn is_type(name: &str) -> bool {
    let starts = name
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '<' | '>');
    starts && name.len() <= LONGEST_TYPE && !name.ends_with('.') && name.chars().all(fits)
}

/// Bytes of the longest type that is looked for.
const LONGEST_TYPE: usize = 300;

/// What a line between heading and exception is.
pub(super) fn frame_line(line: &str, notebook: bool) -> Line<'_> {
    let content = line.trim_start();
    if let Some(frame) = python_frame(content) {
        return Line::Frame(frame);
    }
    if let Some(times) = content.strip_prefix("[Previous line repeated ") {
        let times = times.split(' ').next().and_then(|n| n.parse().ok());
        return Line::Repeated(times.unwrap_or(1));
    }
    if !notebook {
        return Line::Other;
    }
    // `[... skipping similar frames: f at line 3 (996 times)]`, of IPython.
    if content.starts_with("[... skipping similar frames: ") {
        let times = content
            .rsplit_once('(')
            .and_then(|(_, n)| leading_number(n));
        return Line::Repeated(times.unwrap_or(1));
    }
    if let Some(frame) = notebook_frame(line) {
        return Line::Frame(frame);
    }
    numbered(content).unwrap_or(Line::Other)
}

/// `File "{file}", line {line}, in {function}`; the function is absent in a `SyntaxError`.
pub(in crate::payload) fn python_frame(content: &str) -> Option<Frame> {
    let (file, rest) = content.strip_prefix("File \"")?.rsplit_once("\", line ")?;
    let (line, function) = match rest.split_once(", in ") {
        Some((line, function)) => (line, Some(function.trim_end())),
        None => (rest.trim_end(), None),
    };
    Some(Frame {
        file: file.into(),
        line: Some(line.parse().ok()?),
        function: function.map(Into::into),
        ..Frame::default()
    })
}

/// What IPython writes above the code of a frame, since version 5: `Cell In[3], line 5`,
/// `Input In [3], in f(x)`, `<ipython-input-3-…> in f(x)`, `File {file}:{line}, in {function}({arguments})`,
/// `{file} in {function}({arguments})`.
fn notebook_frame(line: &str) -> Option<Frame> {
    let frame = |file: &str, line: Option<u32>, function: Option<&str>| Frame {
        file: file.into(),
        line,
        function: function
            .map(|f| f.split('(').next().unwrap_or_default().trim().into())
            .filter(|f: &String| !f.is_empty()),
        ..Frame::default()
    };
    let line = line.trim_end();
    if line.starts_with("Cell In") || line.starts_with("Input In") {
        let end = line.find(']')?;
        let (cell, rest) = (line.get(..=end)?, line.get(end + 1..)?);
        let number = rest
            .split_once(", line ")
            .or_else(|| rest.split_once("line "))
            .and_then(|(_, n)| leading_number(n));
        let function = rest
            .split_once(", in ")
            .map(|(_, f)| f.trim_start_matches("<cell line: "));
        let function = function.filter(|f| !f.starts_with(|c: char| c.is_ascii_digit()));
        return Some(frame(cell, number, function));
    }
    if let Some(place) = line.strip_prefix("File ") {
        let (place, function) = match place.split_once(", in ") {
            Some((place, function)) => (place, Some(function)),
            None => (place, None),
        };
        let (file, number) = place.rsplit_once(':')?;
        return Some(frame(file, Some(leading_number(number)?), function));
    }
    let (file, function) = line.split_once(" in ")?;
    let is_file = file.starts_with("<ipython-input-")
        || ((file.starts_with(['/', '~']) || file.get(1..3) == Some(":\\"))
            && file.ends_with(".py"));
    is_file.then(|| frame(file, None, Some(function)))
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.get(..end.unwrap_or(text.len()))?.parse().ok()
}

/// `---> 12     code`, `     13     code`.
fn numbered(content: &str) -> Option<Line<'_>> {
    let dashes = content.len() - content.trim_start_matches('-').len();
    let (here, rest) = match content.get(dashes..)?.strip_prefix("> ") {
        Some(rest) if dashes > 0 => (true, rest),
        _ if dashes > 0 => return None,
        _ => (false, content),
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let number = rest.get(..end)?.parse().ok()?;
    let code = rest.get(end..)?;
    (code.is_empty() || code.starts_with(' ')).then_some(Line::Numbered { number, code, here })
}

/// How many characters a line of marks covers.
pub(super) fn marks(content: &str) -> Option<u32> {
    let content = content.trim_end();
    let fits = content.bytes().all(|b| matches!(b, b'^' | b'~' | b' '));
    (fits && content.starts_with(['^', '~']))
        .then(|| u32::try_from(content.len()).unwrap_or(u32::MAX))
}
