//! Looking through Python text that somebody else wrote: outside of quotes and brackets.

use alloc::string::String;

/// The first place outside quotes and brackets at which `found` says so of the bytes from there on. One
/// pass; a quote that is never closed hides all behind it.
pub(super) fn outside(text: &str, found: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut quote, mut depth, mut at) = (None, 0_u32, 0);
    while let Some(&byte) = bytes.get(at) {
        match quote {
            Some(_) if byte == b'\\' => at += 1,
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None => {
                if depth == 0 && bytes.get(at..).is_some_and(&found) {
                    return Some(at);
                }
                match byte {
                    b'\'' | b'"' => quote = Some(byte),
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
        at += 1;
    }
    None
}

/// A call that the text begins with: the function's name, its arguments, and what stands behind.
pub(super) fn call(text: &str) -> Option<(&str, &str, &str)> {
    let open = text.find('(')?;
    let name = text.get(..open)?;
    if name.is_empty()
        || !name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
    {
        return None;
    }
    let inside = text.get(open + 1..)?;
    let close = outside(inside, |rest| rest.first() == Some(&b')'))?;
    Some((name, inside.get(..close)?, inside.get(close + 1..)?))
}

/// The first argument, and those behind it.
pub(super) fn first_argument(arguments: &str) -> (&str, Option<&str>) {
    match outside(arguments, |rest| rest.first() == Some(&b',')) {
        Some(comma) => (
            arguments.get(..comma).unwrap_or_default().trim(),
            arguments.get(comma + 1..).map(str::trim),
        ),
        None => (arguments.trim(), None),
    }
}

/// A string literal as Python's `repr` writes it, and what stands behind it.
pub(in crate::payload) fn python_string(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                c @ ('\'' | '"' | '\\') => out.push(c),
                // Other escapes stay as they stand.
                c => {
                    out.push('\\');
                    out.push(c);
                }
            },
            c if c == quote => return Some((out, text.get(at + 1..)?)),
            c => out.push(c),
        }
    }
    None
}

/// The text with `L['x']` as `x`: 2.7 and later write it so (`strip_local_scope` in
/// torch/_dynamo/source.py).
pub(super) fn without_local_scope(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("L[") {
        let (before, behind) = (
            rest.get(..at).unwrap_or_default(),
            rest.get(at + 2..).unwrap_or_default(),
        );
        let name_before = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let name = behind
            .chars()
            .next()
            .filter(|c| matches!(c, '\'' | '"') && !name_before)
            .and_then(|quote| {
                let name = behind.get(1..)?;
                let end = name.find([quote, ' ', '[', '('])?;
                let behind = name.get(end..)?.strip_prefix(quote)?.strip_prefix(']')?;
                Some((name.get(..end)?, behind))
            });
        out.push_str(before);
        match name {
            Some((name, behind)) => {
                out.push_str(name);
                rest = behind;
            }
            None => {
                out.push_str("L[");
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}
