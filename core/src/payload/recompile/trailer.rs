//! What stands behind a guard: the line of the program that it is due to, and a hint.
//!
//! `  # {line of the program}  # {file}:{line} in {function} (HINT: …)`, from `get_verbose_code_part` in
//! torch/_dynamo/guards.py; and since 2.11 the lines below `User stack trace:`.

use alloc::string::String;
use alloc::vec::Vec;

/// A line of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserLine {
    /// The file. Behind a guard PyTorch shortens it to the part below `site-packages` or the root; in a
    /// stack it is whole.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function.
    pub function: String,
    /// What the line says.
    pub code: Option<String>,
}

/// Reads what stands behind a guard's `  # `: the program's line, where there is one, and a hint.
pub(super) fn read(text: &str) -> (Option<UserLine>, Option<String>) {
    let mut before = 0;
    for segment in text.split("  # ") {
        if let Some((mut user, behind)) = place(segment) {
            let code = text.get(..before).unwrap_or_default().trim();
            let code = code.strip_suffix("  #").unwrap_or(code).trim();
            // Sympy's frame stands in brackets before the line, without a line of its own.
            let code = match code.split_once(") and ") {
                Some((framework, code)) if framework.starts_with('(') => code,
                _ => code,
            };
            user.code = (!code.is_empty()).then(|| code.into());
            // A frame of PyTorch alone is no line of the program.
            let framework = user.code.is_none() && user.file.starts_with('_');
            return ((!framework).then_some(user), hint(behind));
        }
        before += segment.len() + 4;
    }
    let known =
        !text.is_empty() && !text.starts_with("<unknown>") && !text.starts_with("(unknown source");
    (None, known.then(|| text.trim().into()))
}

/// Whether a text ends in a place as it stands behind a guard.
pub(super) fn ends_in_place(text: &str) -> bool {
    const LOOKED_AT: usize = 1024;
    let mut start = text.len().saturating_sub(LOOKED_AT);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let end = text.get(start..).unwrap_or_default().trim_end();
    if end.ends_with("<unknown>") {
        return true;
    }
    let segment = end.rsplit("  # ").next().unwrap_or_default();
    place(segment).is_some_and(|(_, behind)| {
        let behind = behind.trim();
        behind.is_empty() || (behind.starts_with('(') && behind.ends_with(')'))
    })
}

/// Adds a line of a Python traceback.
pub(super) fn add_stack_line(stack: &mut Vec<UserLine>, line: &str) {
    let content = line.trim();
    if let Some(frame) = frame(content) {
        stack.push(frame);
    } else if let Some(last) = stack.last_mut() {
        // Lines below the first are the rest of an expression, or Python's marks beneath it.
        if last.code.is_none() {
            last.code = Some(content.into());
        }
    }
}

/// `File "{file}", line {line}, in {function}`.
fn frame(content: &str) -> Option<UserLine> {
    let (file, rest) = content.strip_prefix("File \"")?.rsplit_once("\", line ")?;
    let (line, function) = rest.split_once(", in ")?;
    Some(UserLine {
        file: file.into(),
        line: line.parse().ok()?,
        function: function.into(),
        code: None,
    })
}

/// Digits of the largest line number.
const LONGEST_LINE: usize = 10;

/// `{file}:{line} in {function}`, and what stands behind it.
fn place(segment: &str) -> Option<(UserLine, &str)> {
    if segment.starts_with('(') {
        return None;
    }
    for (at, _) in segment.match_indices(" in ") {
        let before = segment.get(..at)?;
        let digits = before
            .bytes()
            .rev()
            .take(LONGEST_LINE)
            .take_while(u8::is_ascii_digit)
            .count();
        let (file, line) = before.split_at_checked(before.len() - digits)?;
        let (Some(file), Ok(line)) = (file.strip_suffix(':'), line.parse()) else {
            continue;
        };
        let rest = segment.get(at + 4..)?;
        let end = if rest.starts_with('<') {
            rest.find('>').map(|end| end + 1)
        } else {
            rest.find([' ', ';'])
        };
        let end = end.unwrap_or(rest.len());
        let user = UserLine {
            file: file.trim().into(),
            line,
            function: rest.get(..end)?.into(),
            code: None,
        };
        return Some((user, rest.get(end..)?));
    }
    None
}

/// What PyTorch says in brackets behind a place.
fn hint(behind: &str) -> Option<String> {
    let behind = behind.trim();
    if let Some((_, hint)) = behind.split_once("(HINT: ") {
        return Some(hint.strip_suffix(')').unwrap_or(hint).into());
    }
    behind
        .strip_prefix('(')
        .filter(|hint| hint.starts_with("user code shown"))
        .map(|hint| {
            let end = hint.find("))").map_or(hint.len(), |end| end + 1);
            hint.get(..end).unwrap_or(hint).into()
        })
}
