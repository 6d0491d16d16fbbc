//! Searches the text of a log, line by line, in steps.
//!
//! [`Search::step`] reads a stretch of the text and gives the lines in which the text was found, with the
//! segments that they lie in. Metadata and payloads are searched alike, as they stand in the file.

use crate::payload::find::{Case, Literal};
use crate::source::{Source, SourceError};
use crate::trace::Trace;
use crate::trace::index::SegmentIndex;
use alloc::string::String;
use alloc::vec::Vec;

/// Bytes of the text that a step reads.
pub const STEP: usize = 1 << 20;

/// Bytes of a line that are given before and behind what was found.
const AROUND: usize = 160;

/// A line in which the text was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The segment that the line lies in.
    pub segment: SegmentIndex,
    /// Line of the file, from 0.
    pub line: u64,
    /// Lines between the segment's first line and this one.
    pub line_in_segment: u64,
    /// The line, or what surrounds the first place in it where it is long.
    pub text: String,
    /// Where the first place starts in `text`, in bytes.
    pub start: usize,
    /// Its length in `text`, in bytes.
    pub length: usize,
}

/// A search through one log.
#[derive(Debug)]
pub struct Search {
    needle: Literal,
    /// Byte of the text at which the next step starts.
    at: u64,
    /// Line at `at`, from 0.
    line: u64,
}

impl Search {
    /// A search for a text, which lies within one line.
    #[must_use]
    pub fn new(text: &str, case: Case) -> Self {
        Search {
            needle: Literal::new(text, case),
            at: 0,
            line: 0,
        }
    }

    /// Bytes of the text that were searched.
    #[must_use]
    pub fn searched(&self) -> u64 {
        self.at
    }

    /// Searches on; gives what was found, and `None` behind the end.
    ///
    /// # Errors
    /// What the source gives.
    pub fn step(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
    ) -> Result<Option<Vec<Hit>>, SourceError> {
        let left = trace.index.length.saturating_sub(self.at);
        if left == 0 || self.needle.is_empty() {
            return Ok(None);
        }
        let length = usize::try_from(left).unwrap_or(STEP).min(STEP);
        let mut text = alloc::vec![0; length];
        source.read_at(self.at, &mut text)?;
        // A step ends behind a line, so that no line is cut; or, in a line of megabytes, before what could
        // be the beginning of the text.
        let end = match memchr::memrchr(b'\n', &text) {
            _ if length as u64 == left => length,
            Some(end) => end + 1,
            None => (length + 1 - self.needle.len().min(length)).max(1),
        };
        text.truncate(if text.get(..end).is_some_and(|t| t.ends_with(b"\n")) {
            end
        } else {
            length
        });
        let mut hits = Vec::new();
        let (mut from, mut counted) = (0, 0);
        while let Some(found) = self.needle.find(text.get(from..).unwrap_or_default()) {
            let found = from + found;
            self.line += newlines(text.get(counted..found).unwrap_or_default());
            counted = found;
            hits.extend(self.hit(trace, &text, found));
            from = match memchr::memchr(b'\n', text.get(found..).unwrap_or_default()) {
                Some(end) => found + end + 1,
                None => break,
            };
        }
        self.line += newlines(text.get(counted..end).unwrap_or_default());
        self.at += end as u64;
        Ok(Some(hits))
    }

    fn hit(&self, trace: &Trace, text: &[u8], found: usize) -> Option<Hit> {
        let segment = trace.index.at(self.at + found as u64)?;
        let first_line = u64::from(trace.index.get(segment)?.line);
        let before = text.get(..found)?;
        let start = memchr::memrchr(b'\n', before)
            .map_or(0, |end| end + 1)
            .max(found.saturating_sub(AROUND));
        let behind = text.get(found..)?;
        let length = self.needle.len();
        let end = memchr::memchr(b'\n', behind)
            .unwrap_or(behind.len())
            .min(length + AROUND);
        let lossy =
            |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
        let mut shown = String::from(lossy(text.get(start..found)).trim_start_matches('\t'));
        let start = shown.len();
        shown.push_str(&lossy(behind.get(..length)));
        let shown_length = shown.len() - start;
        shown.push_str(lossy(behind.get(length.min(end)..end)).trim_end_matches('\r'));
        Some(Hit {
            segment,
            line: self.line,
            line_in_segment: self.line.saturating_sub(first_line),
            text: shown,
            start,
            length: shown_length,
        })
    }
}

fn newlines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Builder;
    use alloc::format;
    use alloc::vec;
    use proptest::prelude::*;

    fn search(text: &[u8], needle: &str, case: Case) -> Vec<Hit> {
        let mut builder = Builder::default();
        builder.feed(text);
        builder.finish();
        let mut search = Search::new(needle, case);
        let mut hits = Vec::new();
        while let Some(more) = search.step(builder.trace(), &text).unwrap() {
            hits.extend(more);
        }
        hits
    }

    #[test]
    fn a_hit_names_its_record_and_lines() {
        let head = "V1129 11:49:56.619000 7 a.py:1] {\"artifact\": {\"name\": \"x\"}, \"has_payload\": \"y\"}\n";
        let text = format!("hello\n{head}\tone\n\ttwo Relu\n{head}\trelu\n");
        let hits = search(text.as_bytes(), "relu", Case::Ignored);
        let places: Vec<_> = hits
            .iter()
            .map(|hit| {
                (
                    hit.segment,
                    hit.line,
                    hit.line_in_segment,
                    hit.text.as_str(),
                    hit.start,
                )
            })
            .collect();
        assert_eq!(places, [(1, 3, 2, "two Relu", 4), (2, 5, 1, "relu", 0)]);
        assert_eq!(search(text.as_bytes(), "relu", Case::Matters).len(), 1);
        assert_eq!(search(text.as_bytes(), "", Case::Matters), []);
    }

    #[test]
    fn a_line_of_megabytes_is_searched_across_steps() {
        let mut text = vec![b'x'; 3 * STEP];
        text[STEP - 2..STEP + 3].copy_from_slice(b"hello");
        let hits = search(&text, "hello", Case::Matters);
        assert_eq!(hits.len(), 1);
        assert_eq!(&hits[0].text[hits[0].start..][..hits[0].length], "hello");
        assert!(hits[0].text.len() <= 5 + 2 * AROUND);
    }

    proptest! {
        #[test]
        fn every_line_that_holds_the_text_is_found(
            lines in prop::collection::vec("[ab\t]{0,6}", 0..60),
            needle in "[ab]{1,3}",
        ) {
            let text = lines.join("\n");
            let hits = search(text.as_bytes(), &needle, Case::Matters);
            let found: Vec<u64> = hits.iter().map(|hit| hit.line).collect();
            let expected: Vec<u64> = (0..)
                .zip(text.split('\n'))
                .filter(|(_, line)| line.contains(&needle))
                .map(|(i, _)| i)
                .collect();
            prop_assert_eq!(found, expected);
            for hit in hits {
                prop_assert_eq!(&hit.text[hit.start..hit.start + hit.length], needle.as_str());
            }
        }
    }
}
