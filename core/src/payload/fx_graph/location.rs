//! The comments above nodes, which say where the program made them.
//!
//! `append_stacktrace_summary` in `CodeGen._gen_python_code` of torch/fx/graph.py writes
//! `# File: {path}:{line} in {function}, code: {code}`, without the function before 2.3; 2.12 and later put
//! notes in front. `# No stacktrace found for following nodes` ends what the comment above said.

use super::{Location, Span};

/// What a comment says of the nodes below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Comment {
    Location(Location),
    /// Nobody knows where they come from.
    Nowhere,
    /// Nothing.
    Other,
}

/// Reads a comment that starts with `#`, at a byte and a row of the text.
pub(super) fn comment(text: &str, start: u32, row: u32) -> Comment {
    match location(text, start, row) {
        Some(location) => Comment::Location(location),
        None if text.contains("No stacktrace found") => Comment::Nowhere,
        None => Comment::Other,
    }
}

fn location(text: &str, start: u32, row: u32) -> Option<Location> {
    const FILE: &str = "File: ";
    const CODE: &str = ", code:";
    let text = text.trim_end();
    let span = |from: usize, to: usize| Span {
        start: start + from as u32,
        end: start + to as u32,
    };
    let word = text.find(FILE)?;
    let from = word + FILE.len();
    let code = text.get(from..)?.find(CODE).map(|at| from + at);
    let head = text.get(from..code.unwrap_or(text.len()))?;
    // A path may hold both a colon and ` in `.
    let (path, line, function) = head
        .match_indices(" in ")
        .find_map(|(at, found)| {
            let (path, line) = path_and_line(head.get(..at)?)?;
            Some((path, line, Some(at + found.len())))
        })
        .or_else(|| path_and_line(head).map(|(path, line)| (path, line, None)))?;
    let note = text.get(..word)?;
    let indent = note.len() - note.trim_start_matches(['#', ' ']).len();
    let note_end = note.trim_end().len();
    Some(Location {
        row,
        file: span(from, from + path),
        line,
        function: function.map(|function| span(from + function, from + head.len())),
        code: code.and_then(|code| {
            let behind = text.get(code + CODE.len()..)?;
            let from = text.len() - behind.trim_start().len();
            (from < text.len()).then(|| span(from, text.len()))
        }),
        note: (indent < note_end).then(|| span(indent, note_end)),
    })
}

/// The length of the path in `path:line`, and the line. Looks at no more than the digits and the colon, since
/// it is asked for each ` in ` of a line.
fn path_and_line(text: &str) -> Option<(usize, u32)> {
    let before = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let line = text.get(before.len()..)?.parse().ok()?;
    Some((before.strip_suffix(':')?.len(), line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::{String, ToString};

    fn said(text: &str) -> String {
        let of = |span: Span| &text[span.start as usize..span.end as usize];
        match comment(text, 0, 3) {
            Comment::Location(l) => format!(
                "{} {} {:?} {:?} {:?}",
                of(l.file),
                l.line,
                l.function.map(of),
                l.code.map(of),
                l.note.map(of)
            ),
            Comment::Nowhere => "nowhere".to_string(),
            Comment::Other => "other".to_string(),
        }
    }

    #[test]
    fn the_comments_that_fx_writes_are_read() {
        for (text, expected) in [
            (
                "# File: /a/b.py:5 in f, code: y = x[0]  # in g, code: z",
                r#"/a/b.py 5 Some("f") Some("y = x[0]  # in g, code: z") None"#,
            ),
            ("# File: b.py:5, code: y", r#"b.py 5 None Some("y") None"#),
            (
                r"# File: C:\a in b\c.py:12 in <lambda>, code: ",
                r#"C:\a in b\c.py 12 Some("<lambda>") None None"#,
            ),
            (
                "# File: <eval_with_key>.0:7 in forward",
                r#"<eval_with_key>.0 7 Some("forward") None None"#,
            ),
            (
                "# Backward of forward node: File: b.py:5 in f, code: y",
                r#"b.py 5 Some("f") Some("y") Some("Backward of forward node:")"#,
            ),
            (
                "# Annotation: {'a': 1} File: b.py:5 in f, code: y",
                r#"b.py 5 Some("f") Some("y") Some("Annotation: {'a': 1}")"#,
            ),
            ("# No stacktrace found for following nodes", "nowhere"),
            ("# graph id: 140", "other"),
            ("# File: b.py", "other"),
            ("# File: b.py:x in f", "other"),
            ("#", "other"),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }
}
