//! Finds places in the rows of a payload: a text, a whole word, or a regular expression.
//!
//! [`Find::step`] goes on where it stopped, so that a payload of any size is searched in short steps. What is
//! found lies within a line; a line that makes several rows is searched as one.

use super::text::{Rows, Walk};
use crate::source::{Source, SourceError};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use memchr::memmem::Finder;
#[cfg(feature = "std")]
use regex_lite::{Regex, RegexBuilder};

/// Bytes that a step searches.
const STEP: usize = 256 << 10;

/// The same for a regular expression, which may take thousands of times as long.
#[cfg(feature = "std")]
const REGEX_STEP: usize = 16 << 10;

/// The longest part of a line that is searched at once, in bytes; of a regular expression [`REGEX_STEP`],
/// since it takes time in proportion to the part and to its own size, and is not interrupted meanwhile.
const LONGEST: usize = 64 << 10;

/// What is searched again where a longer line goes on, in bytes: no match is longer.
const OVERLAP: usize = 4 << 10;

/// Compiled regular expressions may take so many bytes, and nest so deep: patterns come from addresses, too.
#[cfg(feature = "std")]
const REGEX_SIZE: usize = 16 << 10;
#[cfg(feature = "std")]
const REGEX_DEPTH: u32 = 50;

/// Whether upper and lower case of ASCII differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Case {
    /// They do.
    Matters,
    /// They do not.
    Ignored,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Query {
    /// The text, or the regular expression.
    pub text: String,
    /// Whether upper and lower case differ.
    pub case: Case,
    /// Whether what is found must be whole words: no letter, digit or `_` stands beside it; beside what a
    /// regular expression finds, none of ASCII.
    pub whole_word: bool,
    /// Whether `text` is a regular expression, as the crate regex-lite reads it.
    pub is_regex: bool,
}

/// A text that is looked for in bytes, quickly.
#[derive(Debug, Clone)]
pub struct Literal {
    needle: Vec<u8>,
    finder: Finder<'static>,
    case: Case,
    /// The place in `needle` of the letter that is rarest in code.
    rarest: usize,
}

impl Literal {
    /// A text to look for.
    #[must_use]
    pub fn new(text: &str, case: Case) -> Self {
        let needle = text.as_bytes().to_vec();
        // Letters as they are frequent in English and in code; what is no letter is taken for rare enough.
        let frequency = |byte: &u8| {
            let order = b" etaoinsrlhdcumfpgwyb_0";
            let place = order.iter().position(|b| *b == byte.to_ascii_lowercase());
            place.map_or(0, |place| order.len() - place)
        };
        let rarest = needle
            .iter()
            .enumerate()
            .min_by_key(|(_, byte)| frequency(byte));
        Literal {
            rarest: rarest.map_or(0, |(place, _)| place),
            finder: Finder::new(&needle).into_owned(),
            needle,
            case,
        }
    }

    /// Bytes of the text.
    #[must_use]
    pub fn len(&self) -> usize {
        self.needle.len()
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.needle.is_empty()
    }

    /// Where the text stands first; never for an empty one.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        let letter = *self.needle.get(self.rarest)?;
        match self.case {
            Case::Matters => self.finder.find(text),
            Case::Ignored => {
                let (low, high) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
                let is_here = |at: &usize| {
                    text.get(*at..*at + self.needle.len())
                        .is_some_and(|there| there.eq_ignore_ascii_case(&self.needle))
                };
                let starts = |at: usize| at.checked_sub(self.rarest).filter(is_here);
                if low == high {
                    memchr::memchr_iter(low, text).find_map(starts)
                } else {
                    memchr::memchr2_iter(low, high, text).find_map(starts)
                }
            }
        }
    }
}

/// A query that is ready to be looked for.
#[derive(Debug, Clone)]
pub struct Pattern {
    kind: Kind,
    whole_word: bool,
}

#[derive(Debug, Clone)]
enum Kind {
    Text(alloc::boxed::Box<Literal>),
    #[cfg(feature = "std")]
    Regex(Regex),
}

impl Pattern {
    /// Reads a query.
    ///
    /// # Errors
    /// What is wrong with a regular expression, in the words of regex-lite. Without the feature `std` every
    /// regular expression is refused.
    pub fn new(query: &Query) -> Result<Self, String> {
        let kind = if query.is_regex {
            Self::regex(query)?
        } else {
            Kind::Text(Literal::new(&query.text, query.case).into())
        };
        Ok(Pattern {
            kind,
            whole_word: query.whole_word,
        })
    }

    #[cfg(feature = "std")]
    fn regex(query: &Query) -> Result<Kind, String> {
        let build = |text: &str| {
            let regex = RegexBuilder::new(text)
                .case_insensitive(query.case == Case::Ignored)
                .size_limit(REGEX_SIZE)
                .nest_limit(REGEX_DEPTH)
                .build();
            regex.map_err(|error| alloc::string::ToString::to_string(&error))
        };
        let regex = build(&query.text)?;
        if !query.whole_word {
            return Ok(Kind::Regex(regex));
        }
        // Whole words are part of the expression: to try again behind each one that is none would take the
        // square of the time.
        build(&alloc::format!(r"\b(?:{})\b", query.text)).map(Kind::Regex)
    }

    #[cfg(not(feature = "std"))]
    fn regex(_: &Query) -> Result<Kind, String> {
        Err("regular expressions need the feature `std`".into())
    }

    /// Bytes that are searched at a time, and the longest part of a line that is.
    fn limits(&self) -> (usize, usize) {
        match &self.kind {
            Kind::Text(_) => (STEP, LONGEST),
            #[cfg(feature = "std")]
            Kind::Regex(_) => (REGEX_STEP, REGEX_STEP),
        }
    }

    /// The first place at or behind `from`; what is empty is never found.
    #[must_use]
    pub fn find_at(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let mut from = from;
        loop {
            let found = match &self.kind {
                Kind::Text(literal) => {
                    let start = from + literal.find(text.as_bytes().get(from..)?)?;
                    start..start + literal.len()
                }
                #[cfg(feature = "std")]
                Kind::Regex(regex) => regex.find_at(text, from)?.range(),
            };
            let is_word = !self.whole_word
                || !matches!(self.kind, Kind::Text(_))
                || is_whole_word(text, &found);
            if !found.is_empty() && is_word {
                return Some(found);
            }
            let next = text.get(found.start..)?.chars().next()?;
            from = found.start + next.len_utf8();
        }
    }
}

fn is_whole_word(text: &str, found: &Range<usize>) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text.get(..found.start).and_then(|t| t.chars().next_back());
    let behind = text.get(found.end..).and_then(|t| t.chars().next());
    !before.is_some_and(is_word) && !behind.is_some_and(is_word)
}

/// A part of a row that belongs to what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Match {
    /// The row, from 0.
    pub row: u32,
    /// Where it starts in the row's text, in bytes.
    pub start: u32,
    /// Its length in bytes.
    pub length: u32,
    /// Whether it goes on with what began in the row before.
    pub goes_on: bool,
}

/// A search through the rows of one payload.
#[derive(Debug)]
pub struct Find {
    pattern: Pattern,
    walk: Walk,
    /// The line that is being put together.
    line: String,
    /// Where each of its rows starts in it: byte and row.
    starts: Vec<(usize, u32)>,
    /// Bytes of the line in which matches were given out already.
    done: usize,
    row: u32,
    ended: bool,
}

impl Find {
    /// A search through rows that were all found.
    ///
    /// # Errors
    /// What the source gives.
    pub fn new(pattern: Pattern, rows: &Rows, source: &dyn Source) -> Result<Self, SourceError> {
        Ok(Find {
            pattern,
            walk: rows.walk(source, 0)?,
            line: String::new(),
            starts: Vec::new(),
            done: 0,
            row: 0,
            ended: false,
        })
    }

    /// Rows that were searched.
    #[must_use]
    pub fn searched(&self) -> u32 {
        self.row
    }

    /// Searches on; says whether there is more. What is found is put behind `out`, at most `room` places.
    ///
    /// # Errors
    /// What the source gives.
    pub fn step(
        &mut self,
        rows: &Rows,
        source: &dyn Source,
        out: &mut Vec<Match>,
        room: usize,
    ) -> Result<bool, SourceError> {
        let (step, longest) = self.pattern.limits();
        let mut taken = 0;
        while taken < step && !self.ended && out.len() < room {
            match self.walk.next(rows, source)? {
                Some(row) => {
                    if row.line.is_some() {
                        self.search(out, true);
                    } else if self.line.len() >= longest {
                        self.search(out, false);
                    }
                    taken += row.text.len() + 1;
                    self.starts.push((self.line.len(), self.row));
                    self.line.push_str(&row.text);
                    self.row = self.row.saturating_add(1);
                }
                None => {
                    self.search(out, true);
                    self.ended = true;
                }
            }
        }
        out.truncate(room);
        Ok(!self.ended)
    }

    /// Searches the line as far as it was put together.
    fn search(&mut self, out: &mut Vec<Match>, is_whole: bool) {
        let mut from = self.done;
        let mut line_end = self.line.len();
        if !is_whole {
            // What is cut off here may be longer.
            line_end = line_end.saturating_sub(OVERLAP);
        }
        while let Some(found) = self.pattern.find_at(&self.line, from) {
            if !is_whole && found.start >= line_end {
                break;
            }
            from = found.end;
            self.give(out, &found);
        }
        if is_whole {
            self.line.clear();
            self.starts.clear();
            self.done = 0;
            return;
        }
        // Whole rows are dropped; the last ones stay, since something may begin in them.
        let keep = line_end.max(from);
        let row = self.starts.partition_point(|(start, _)| *start <= keep);
        let first = row.saturating_sub(1);
        let cut = self.starts.get(first).map_or(0, |(start, _)| *start);
        self.line.drain(..cut);
        self.starts.drain(..first);
        self.starts.iter_mut().for_each(|(start, _)| *start -= cut);
        self.done = keep - cut;
        while !self.line.is_char_boundary(self.done) {
            self.done -= 1;
        }
    }

    fn give(&self, out: &mut Vec<Match>, found: &Range<usize>) {
        let first = self
            .starts
            .partition_point(|(start, _)| *start <= found.start);
        let rows = self
            .starts
            .get(first.saturating_sub(1)..)
            .unwrap_or_default();
        let ends = rows.iter().skip(1).map(|(start, _)| *start);
        for ((start, row), end) in rows.iter().zip(ends.chain([self.line.len()])) {
            let from = found.start.max(*start);
            let to = found.end.min(end);
            if from >= to {
                break;
            }
            let place = |at: usize| u32::try_from(at - start).unwrap_or(u32::MAX);
            out.push(Match {
                row: *row,
                start: place(from),
                length: place(to) - place(from),
                goes_on: from > found.start,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::payload::{Payload, Strip};
    use alloc::borrow::ToOwned;
    use alloc::vec;
    use proptest::prelude::*;

    fn find(text: &str, width: usize, query: &Query) -> Result<Vec<Match>, String> {
        let source = text.as_bytes().to_vec();
        let payload = Payload {
            pieces: core::iter::once(0..source.len() as u64).collect(),
            strip: Strip::nothing(),
        };
        let mut rows = Rows::new(payload, width);
        while !rows.step(&source).unwrap() {}
        let mut find = Find::new(Pattern::new(query)?, &rows, &source).unwrap();
        let mut out = Vec::new();
        while find.step(&rows, &source, &mut out, usize::MAX).unwrap() {}
        assert_eq!(find.searched(), rows.rows());
        Ok(out)
    }

    fn query(text: &str) -> Query {
        Query {
            text: text.to_owned(),
            case: Case::Ignored,
            whole_word: false,
            is_regex: false,
        }
    }

    fn places(text: &str, query: &Query) -> Vec<(u32, u32, u32)> {
        let found = find(text, 2000, query).unwrap();
        found.iter().map(|m| (m.row, m.start, m.length)).collect()
    }

    #[test]
    fn text_word_case_and_regex_find_what_they_say() {
        let text = "relu = torch.relu(x)\nrelu_1 = Relu\n";
        let mut query = query("relu");
        assert_eq!(
            places(text, &query),
            [(0, 0, 4), (0, 13, 4), (1, 0, 4), (1, 9, 4)]
        );
        query.case = Case::Matters;
        assert_eq!(places(text, &query), [(0, 0, 4), (0, 13, 4), (1, 0, 4)]);
        query.whole_word = true;
        assert_eq!(places(text, &query), [(0, 0, 4), (0, 13, 4)]);
        query.is_regex = true;
        query.text = r"relu\w*$".to_owned();
        query.case = Case::Ignored;
        assert_eq!(places(text, &query), [(1, 9, 4)]);
        query.text = "x*".to_owned();
        query.whole_word = false;
        assert_eq!(places(text, &query), [(0, 18, 1)]);
        query.text = "(".to_owned();
        assert!(find(text, 80, &query).is_err());
        query.text = String::new();
        assert_eq!(places(text, &query), []);
    }

    #[test]
    fn what_lies_across_rows_is_found_in_its_parts() {
        let found = find("abcdefghij", 4, &query("cdefghi")).unwrap();
        let parts: Vec<_> = found
            .iter()
            .map(|m| (m.row, m.start, m.length, m.goes_on))
            .collect();
        assert_eq!(parts, [(0, 2, 2, false), (1, 0, 4, true), (2, 0, 1, true)]);
    }

    #[test]
    fn a_long_line_is_searched_across_its_parts_wherever_they_are_cut() {
        for shift in 0..12 {
            let mut text = vec![b'x'; 4 * LONGEST];
            // Rows are put together until the part is long enough; what is kept for the next one starts before.
            let part = LONGEST.next_multiple_of(2000);
            let small = REGEX_STEP.next_multiple_of(2000);
            let places = [
                shift,
                small - OVERLAP - 6 + shift,
                small - 6 + shift,
                part - OVERLAP - 6 + shift,
                part - 6 + shift,
                part + 1000,
                4 * LONGEST - 5,
            ];
            for place in places {
                text[place..place + 5].copy_from_slice(b"hello");
            }
            let text = String::from_utf8(text).unwrap();
            let mut query = query("hello");
            for is_regex in [false, true] {
                query.is_regex = is_regex;
                let found = find(&text, 2000, &query).unwrap();
                let at: Vec<usize> = found
                    .iter()
                    .filter(|m| !m.goes_on)
                    .map(|m| m.row as usize * 2000 + m.start as usize)
                    .collect();
                assert_eq!(at, places, "{shift}");
            }
        }
    }

    #[test]
    fn whole_words_of_an_expression_are_part_of_it() {
        let mut query = query("a.*b");
        (query.whole_word, query.is_regex) = (true, true);
        assert_eq!(find(&"a".repeat(1 << 20), 2000, &query).unwrap(), []);
        assert_eq!(places("xa b ab a_b", &query), [(0, 5, 6)]);
        query.text = "a)|(b".to_owned();
        assert!(find("x", 80, &query).is_err());
    }

    proptest! {
        #[test]
        fn every_place_is_found_whatever_the_width(
            lines in prop::collection::vec("[abAé ]{0,30}", 0..20),
            needle in "[abé]{1,3}",
            width in 4usize..40,
            whole_word: bool,
        ) {
            let query = Query { text: needle.clone(), case: Case::Ignored, whole_word, is_regex: false };
            let mut regex = query.clone();
            regex.is_regex = true;
            let text = lines.join("\n");
            let found = find(&text, width, &query).unwrap();
            if !whole_word {
                prop_assert_eq!(&found, &find(&text, width, &regex).unwrap());
                let plain: usize = lines
                    .iter()
                    .map(|line| line.to_ascii_lowercase().matches(&needle).count())
                    .sum();
                prop_assert_eq!(found.iter().filter(|m| !m.goes_on).count(), plain);
            }
        }

        #[test]
        fn any_pattern_gives_places_or_an_error(text in "\\PC{0,60}", pattern in "\\PC{0,12}") {
            let query = Query { text: pattern, case: Case::Ignored, whole_word: false, is_regex: true };
            let _ = find(&text, 8, &query);
        }
    }
}
