//! Two texts laid side by side: which lines were removed and added, and which words in them differ.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use imara_diff::{Algorithm, Diff, InternedInput};

/// The longest pair of lines whose words are compared, in bytes.
const LONGEST_LINE: usize = 4_000;

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Side {
    /// In both texts.
    Both,
    /// In the old one only.
    Old,
    /// In the new one only.
    New,
}

/// Places of words in a line, in bytes.
pub type Words = Vec<Range<u32>>;

/// A line of the two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Where it stands.
    pub side: Side,
    /// Its number in the old text, from 1.
    pub old: Option<u32>,
    /// Its number in the new text, from 1.
    pub new: Option<u32>,
    /// Where the words in it are that differ from its counterpart, in bytes of the line; empty where the line
    /// has none, or all of it differs.
    pub words: Words,
}

/// Two texts and how they differ.
#[derive(Debug, Clone)]
pub struct TextDiff {
    old: String,
    new: String,
    old_lines: Vec<Range<usize>>,
    new_lines: Vec<Range<usize>>,
    lines: Vec<Line>,
}

impl TextDiff {
    /// Compares two texts. Takes time in proportion to their lengths where they are alike; where they are not,
    /// the comparison settles for a longer description.
    #[must_use]
    pub fn new(old: String, new: String) -> TextDiff {
        let (old_lines, new_lines) = (lines_of(&old), lines_of(&new));
        let text = |text: &str, range: &Range<usize>| -> String {
            text.get(range.clone()).unwrap_or_default().into()
        };
        let mut input = InternedInput::default();
        input.update_before(old_lines.iter().map(|range| text(&old, range)));
        input.update_after(new_lines.iter().map(|range| text(&new, range)));
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_lines(&input);
        let mut out = TextDiff {
            old,
            new,
            old_lines,
            new_lines,
            lines: Vec::new(),
        };
        let (mut before, mut after) = (0, 0);
        for hunk in diff.hunks() {
            out.push_same(&mut before, &mut after, hunk.before.start);
            out.push_hunk(hunk.before.clone(), hunk.after.clone());
            (before, after) = (hunk.before.end, hunk.after.end);
        }
        let end = u32::try_from(out.old_lines.len()).unwrap_or(u32::MAX);
        out.push_same(&mut before, &mut after, end);
        out
    }

    /// The lines, in order; what was removed stands before what was added in its place.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The text of a line, without its end.
    #[must_use]
    pub fn text(&self, line: &Line) -> &str {
        match (line.side, line.old, line.new) {
            (Side::New, _, Some(new)) => self.line_of(false, new - 1),
            (_, Some(old), _) => self.line_of(true, old - 1),
            _ => "",
        }
    }

    /// How many lines were removed and added.
    #[must_use]
    pub fn counts(&self) -> (u32, u32) {
        let count = |side| self.lines.iter().filter(|line| line.side == side).count();
        let count = |side| u32::try_from(count(side)).unwrap_or(u32::MAX);
        (count(Side::Old), count(Side::New))
    }

    fn line_of(&self, is_old: bool, place: u32) -> &str {
        let (text, lines) = if is_old {
            (&self.old, &self.old_lines)
        } else {
            (&self.new, &self.new_lines)
        };
        lines
            .get(place as usize)
            .and_then(|range| text.get(range.clone()))
            .unwrap_or_default()
    }

    fn push_same(&mut self, before: &mut u32, after: &mut u32, end: u32) {
        while *before < end {
            self.lines.push(Line {
                side: Side::Both,
                old: Some(*before + 1),
                new: Some(*after + 1),
                words: Vec::new(),
            });
            *before += 1;
            *after += 1;
        }
    }

    fn push_hunk(&mut self, before: Range<u32>, after: Range<u32>) {
        let mut pairs: Vec<(Words, Words)> = before
            .clone()
            .zip(after.clone())
            .map(|(old, new)| words(self.line_of(true, old), self.line_of(false, new)))
            .collect();
        let mut take = |place: u32, is_old: bool| {
            let pair = pairs.get_mut(place as usize);
            pair.map(|pair| core::mem::take(if is_old { &mut pair.0 } else { &mut pair.1 }))
                .unwrap_or_default()
        };
        for old in before.clone() {
            let words = take(old - before.start, true);
            self.lines.push(Line {
                side: Side::Old,
                old: Some(old + 1),
                new: None,
                words,
            });
        }
        for new in after.clone() {
            let words = take(new - after.start, false);
            self.lines.push(Line {
                side: Side::New,
                old: None,
                new: Some(new + 1),
                words,
            });
        }
    }
}

/// Where each line lies, without its end. A text without a line end is one line; an empty text has none.
fn lines_of(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        out.push(start..end);
        start = end + 1;
    }
    if start < text.len() {
        out.push(start..text.len());
    }
    out
}

/// Which words of two lines differ. Nothing where too little is alike for that to help.
fn words(old: &str, new: &str) -> (Words, Words) {
    if old.len() + new.len() > LONGEST_LINE {
        return Default::default();
    }
    let (before, after) = (tokens(old), tokens(new));
    let text = |text: &str, range: &Range<u32>| -> String {
        let range = range.start as usize..range.end as usize;
        text.get(range).unwrap_or_default().into()
    };
    let mut input = InternedInput::default();
    input.update_before(before.iter().map(|range| text(old, range)));
    input.update_after(after.iter().map(|range| text(new, range)));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let differing = |tokens: &[Range<u32>], differs: &dyn Fn(u32) -> bool| {
        let mut out: Vec<Range<u32>> = Vec::new();
        for (place, token) in (0..).zip(tokens) {
            if !differs(place) {
                continue;
            }
            match out.last_mut() {
                Some(last) if last.end == token.start => last.end = token.end,
                _ => out.push(token.clone()),
            }
        }
        out
    };
    let removed = differing(&before, &|place| diff.is_removed(place));
    let added = differing(&after, &|place| diff.is_added(place));
    let bytes =
        |words: &[Range<u32>]| -> u32 { words.iter().map(|word| word.end - word.start).sum() };
    let differ = bytes(&removed) as usize + bytes(&added) as usize;
    if differ * 4 > (old.len() + new.len()) * 3 {
        return Default::default();
    }
    (removed, added)
}

/// Words, numbers and single other characters.
fn tokens(text: &str) -> Vec<Range<u32>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out: Vec<Range<u32>> = Vec::new();
    let mut in_word = false;
    for (start, character) in text.char_indices() {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let end = place(start + character.len_utf8());
        match out.last_mut() {
            Some(last) if in_word && is_word(character) => last.end = end,
            _ => out.push(place(start)..end),
        }
        in_word = is_word(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::format;
    use proptest::prelude::*;

    fn shown(old: &str, new: &str) -> Vec<String> {
        let diff = TextDiff::new(old.to_owned(), new.to_owned());
        diff.lines()
            .iter()
            .map(|line| {
                let text = diff.text(line);
                let words: Vec<&str> = line
                    .words
                    .iter()
                    .map(|word| &text[word.start as usize..word.end as usize])
                    .collect();
                let mark = match line.side {
                    Side::Both => ' ',
                    Side::Old => '-',
                    Side::New => '+',
                };
                format!("{mark}{text} {words:?}")
            })
            .collect()
    }

    #[test]
    fn changed_lines_stand_below_each_other_with_their_words() {
        let old = "def f(x: f32[4, 3]):\n    a = x + 1\n    return a";
        let new = "def f(x: f32[s77, 3]):\n    a = x + 1\n    b = a * 2\n    return a";
        assert_eq!(
            shown(old, new),
            [
                "-def f(x: f32[4, 3]): [\"4\"]",
                "+def f(x: f32[s77, 3]): [\"s77\"]",
                "     a = x + 1 []",
                "+    b = a * 2 []",
                "     return a []",
            ]
        );
        assert!(shown("", "").is_empty());
        assert_eq!(shown("a", ""), ["-a []"]);
    }

    proptest! {
        #[test]
        fn both_texts_can_be_put_together_again(
            old in prop::collection::vec("[abé ]{0,6}", 0..30),
            new in prop::collection::vec("[abé ]{0,6}", 0..30),
        ) {
            let (old, new) = (old.join("\n"), new.join("\n"));
            let diff = TextDiff::new(old.clone(), new.clone());
            let joined = |side| {
                let lines = diff.lines().iter().filter(|line| line.side == Side::Both || line.side == side);
                lines.map(|line| diff.text(line).to_owned()).collect::<Vec<_>>().join("\n")
            };
            prop_assert_eq!(joined(Side::Old), old.strip_suffix('\n').unwrap_or(&old));
            prop_assert_eq!(joined(Side::New), new.strip_suffix('\n').unwrap_or(&new));
            for line in diff.lines() {
                for word in &line.words {
                    prop_assert!(diff.text(line).get(word.start as usize..word.end as usize).is_some());
                }
            }
        }
    }
}
