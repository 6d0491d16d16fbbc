//! Makes characters visible that would hide or reorder text: control, format and bidirectional ones.
//!
//! Start at [`visible`], which every text out of a log goes through on its way to the page.

use leptos::prelude::*;

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text that shows as it is.
    Plain(String),
    /// A character that does not show, or changes how others show.
    Hidden(char),
}

/// Cuts a text at its hidden characters. Tabs show as they are.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut plain = String::new();
    for character in text.chars() {
        if is_hidden(character) {
            if !plain.is_empty() {
                out.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            out.push(Piece::Hidden(character));
        } else {
            plain.push(character);
        }
    }
    if !plain.is_empty() || out.is_empty() {
        out.push(Piece::Plain(plain));
    }
    out
}

/// Whether a character takes no place of its own or reorders its neighbours.
pub(crate) fn is_hidden(character: char) -> bool {
    match character {
        '\t' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // Soft hyphen, combining grapheme joiner, Arabic letter mark, Hangul fillers, Mongolian separators.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' => true,
        // Zero-width characters, direction marks, line separators, embeddings, isolates, invisible operators.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// What stands in a hidden character's place.
pub(crate) fn mark(character: char) -> String {
    match character {
        '\r' => "\\r".to_owned(),
        '\n' => "\\n".to_owned(),
        '\u{1b}' => "\\e".to_owned(),
        '\u{0}' => "\\0".to_owned(),
        _ => format!("U+{:04X}", u32::from(character)),
    }
}

/// A text out of a log, with its hidden characters made visible.
pub(crate) fn visible(text: &str) -> AnyView {
    if !text.chars().any(is_hidden) {
        return text.to_owned().into_any();
    }
    pieces(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Plain(text) => text.into_any(),
            Piece::Hidden(character) => {
                let title = format!("the hidden character U+{:04X}", u32::from(character));
                view! { <span class="hidden-character" title=title>{mark(character)}</span> }
                    .into_any()
            }
        })
        .collect_view()
        .into_any()
}

/// A text out of a log for places that hold no elements: titles, names for screen readers.
pub(crate) fn plain(text: &str) -> String {
    pieces(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Plain(text) => text,
            Piece::Hidden(character) => mark(character),
        })
        .collect()
}

/// Text of several lines: line ends stay line ends, other hidden characters show.
pub(crate) fn lines(text: &str) -> AnyView {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => view! { {visible(line)} "\n" }.into_any(),
            None => visible(line).into_any(),
        })
        .collect_view()
        .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_cut_out_and_named() {
        assert_eq!(pieces("a\tb"), [Piece::Plain("a\tb".to_owned())]);
        assert_eq!(pieces(""), [Piece::Plain(String::new())]);
        assert_eq!(
            pieces("x\u{202e}y\u{1b}"),
            [
                Piece::Plain("x".to_owned()),
                Piece::Hidden('\u{202e}'),
                Piece::Plain("y".to_owned()),
                Piece::Hidden('\u{1b}'),
            ]
        );
        assert_eq!(plain("x\u{202e}y\u{1b}[0m\r"), "xU+202Ey\\e[0m\\r");
        assert_eq!(
            plain("é ü 漢字 \u{1f600} \u{fffd}"),
            "é ü 漢字 \u{1f600} \u{fffd}"
        );
    }
}
