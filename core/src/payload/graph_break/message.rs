//! What PyTorch says of a graph break: torch/_dynamo/exc.py `format_graph_break_message`, 2.7 to 2.15.
//!
//! A type, an explanation, hints, the developers' context and, since 2.9, a page. Before 2.7 it is free text of a
//! line, which is read as a type without the rest.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// What is said of a break.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// Its type (`Data-dependent branching`), or the sentence that PyTorch before 2.7 says.
    pub kind: String,
    /// What it means.
    pub explanation: Option<String>,
    /// What PyTorch advises.
    pub hints: Vec<String>,
    /// What helps the developers of PyTorch: the operation and its arguments.
    pub context: Option<String>,
    /// The page about it, which begins with `https://`.
    pub page: Option<String>,
}

/// Stands between a break and the one that came of handling it (2.11+).
const NESTED: &str = "*** While handling this graph break, another graph break occurred: ***";
const PAGE: &str = "For more details about this graph break, please visit: ";
/// Headings of what stands behind a message.
const BEHIND: [&str; 2] = ["User code traceback:", "Stack variable source attribution:"];
const PARTS: [(&str, Part); 3] = [
    ("  Explanation:", Part::Explanation),
    ("  Hint:", Part::Hint),
    ("  Developer debug context:", Part::Context),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Kind,
    Explanation,
    Hint,
    Context,
}

/// Reads what is said: of the break first, then of those that came of handling it.
#[must_use]
pub fn read(text: &str) -> Vec<Message> {
    let end = |line: &&str| !BEHIND.contains(&line.trim_end());
    let mut lines = text.lines().take_while(end).peekable();
    let mut all = Vec::new();
    while lines.peek().is_some() {
        let block: Vec<&str> = lines
            .by_ref()
            .take_while(|line| line.trim() != NESTED)
            .collect();
        let message = one(&block);
        if !message.kind.is_empty() {
            all.push(message);
        }
    }
    all
}

fn one(lines: &[&str]) -> Message {
    let mut message = Message::default();
    let mut lines = lines
        .iter()
        .map(|line| line.trim_end())
        .skip_while(|line| line.is_empty())
        .peekable();
    let mut first = lines.next().unwrap_or_default().trim_start();
    if first.ends_with(':') && lines.next_if(|line| line.is_empty()).is_some() {
        // A sentence about the instruction, and the type in the next paragraph (2.10+).
        first = lines
            .next_if(|line| !line.is_empty())
            .map_or(first, str::trim_start);
    }
    message.kind = first.trim_start_matches("Unsupported: ").to_string();
    let mut part = Part::Kind;
    for line in lines {
        if let Some(page) = line.trim_start().strip_prefix(PAGE) {
            message.page = Some(page.trim())
                .filter(|page| page.starts_with("https://"))
                .map(String::from);
            break;
        }
        let begun = PARTS.iter().find_map(|(heading, part)| {
            let content = line.strip_prefix(heading)?;
            Some((*part, content.trim()))
        });
        if let Some((begun, content)) = begun {
            part = begun;
            match part {
                Part::Hint => message.hints.push(content.to_string()),
                Part::Explanation => message.explanation = Some(content.to_string()),
                Part::Context => message.context = Some(content.to_string()),
                Part::Kind => {}
            }
            continue;
        }
        let open = match part {
            Part::Kind => None,
            Part::Explanation => message.explanation.as_mut(),
            Part::Hint => message.hints.last_mut(),
            Part::Context => message.context.as_mut(),
        };
        if let Some(open) = open {
            open.push('\n');
            // Lines that go on are indented by four spaces.
            open.push_str(line.strip_prefix("    ").unwrap_or(line));
        }
    }
    let texts = message.explanation.iter_mut().chain(&mut message.context);
    for text in texts.chain(&mut message.hints) {
        text.truncate(text.trim_end().len());
    }
    message.hints.retain(|hint| !hint.is_empty());
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINT: &str = "Failed to trace builtin operator\n  Explanation: Dynamo does not know\n    print.\n  Hint: Avoid it.\n  Hint: Or\n    not.\n\n  Developer debug context: builtin print [] False\n\n For more details about this graph break, please visit: https://example.org/gb0059.html\n";

    #[test]
    fn a_message_has_its_parts() {
        let [message] = &read(PRINT)[..] else {
            panic!("not one")
        };
        assert_eq!(message.kind, "Failed to trace builtin operator");
        assert_eq!(
            message.explanation.as_deref(),
            Some("Dynamo does not know\nprint.")
        );
        assert_eq!(message.hints, ["Avoid it.", "Or\nnot."]);
        assert_eq!(message.context.as_deref(), Some("builtin print [] False"));
        assert_eq!(
            message.page.as_deref(),
            Some("https://example.org/gb0059.html")
        );
    }

    #[test]
    fn a_sentence_about_the_instruction_is_left_out_and_a_nested_break_follows() {
        let text = alloc::format!(
            "Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):\n\n{PRINT}\n{NESTED}\n\ngraph break in loop\n  Explanation: a loop\n\n  Developer debug context: frame\n\nUser code traceback:\n  File \"a.py\", line 1, in f\n"
        );
        let all = read(&text);
        let kinds: Vec<&str> = all.iter().map(|message| message.kind.as_str()).collect();
        assert_eq!(
            kinds,
            ["Failed to trace builtin operator", "graph break in loop"]
        );
        assert_eq!(all[1].context.as_deref(), Some("frame"));
        assert_eq!(all[1].hints, [""; 0]);
    }

    #[test]
    fn blank_lines_and_deeper_blocks_stay_in_an_explanation() {
        let text = "Data-dependent branching\n  Explanation: Detected.\n\n      The branch:\n        # File x\n    \n  Hint: Use torch.cond\n";
        let all = read(text);
        assert_eq!(
            all[0].explanation.as_deref(),
            Some("Detected.\n\n  The branch:\n    # File x")
        );
        assert_eq!(all[0].hints, ["Use torch.cond"]);
    }

    #[test]
    fn old_free_text_is_a_type_and_nothing_is_nothing() {
        assert_eq!(read("Tensor.item")[0].kind, "Tensor.item");
        assert_eq!(
            read("Unsupported: builtin: print")[0].kind,
            "builtin: print"
        );
        for text in ["", "\n\n", "User code traceback:\nx", NESTED] {
            assert_eq!(read(text), [], "{text}");
        }
        // A page that is none is not led to.
        let text = alloc::format!("x\n {PAGE}javascript:alert(1)");
        assert_eq!(read(&text)[0].page, None);
    }
}
