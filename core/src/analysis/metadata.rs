//! Finds the records whose own line, which is their metadata, holds a text; in steps.
//!
//! Unlike [`super::search`] this passes payloads over, and gives records instead of lines. Where the log
//! grows, [`MetadataSearch::step`] goes on where it stopped.

use crate::payload::find::{Case, Literal};
use crate::source::{Source, SourceError};
use crate::trace::Trace;
use crate::trace::index::SegmentIndex;
use alloc::vec::Vec;

/// Bytes of the text that are read at a time. Records lie one behind the other, and text that was expanded
/// is dear to read in small pieces.
const WINDOW: u64 = 256 << 10;

/// Bytes that a step reads, roughly.
const STEP: u64 = 1 << 20;

/// Records that a step looks at.
const RECORDS: u32 = 20_000;

/// A search through the own lines of a log's records. Upper and lower case of ASCII do not differ.
#[derive(Debug)]
pub struct MetadataSearch {
    needle: Literal,
    /// The record at which the next step starts.
    next: SegmentIndex,
    /// Text that was read, and where it starts.
    window: (u64, Vec<u8>),
    found: Vec<SegmentIndex>,
}

impl MetadataSearch {
    /// A search for a text, as it stands in the file.
    #[must_use]
    pub fn new(text: &str) -> Self {
        MetadataSearch {
            needle: Literal::new(text, Case::Ignored),
            next: 0,
            window: (0, Vec::new()),
            found: Vec::new(),
        }
    }

    /// The records that were found so far, in the order of the file.
    #[must_use]
    pub fn found(&self) -> &[SegmentIndex] {
        &self.found
    }

    /// Searches on; says whether all records that are known were looked at.
    ///
    /// # Errors
    /// What the source gives.
    pub fn step(&mut self, trace: &Trace, source: &dyn Source) -> Result<bool, SourceError> {
        let mut left = STEP;
        for _ in 0..RECORDS {
            let Some(entry) = trace.index.get(self.next) else {
                self.window = (0, Vec::new());
                return Ok(true);
            };
            let (offset, head) = (entry.offset, u64::from(entry.head));
            if head > 0 {
                let read = self.read(trace, source, offset, head)?;
                left = left.saturating_sub(read);
                // Every line holds an empty text.
                if self.needle.is_empty() || self.needle.find(self.head(offset, head)).is_some() {
                    self.found.push(self.next);
                }
            }
            self.next = self.next.saturating_add(1);
            if left == 0 {
                break;
            }
        }
        Ok(trace.index.get(self.next).is_none())
    }

    /// Makes sure that a record's own line is in the window; gives how many bytes were read for that.
    fn read(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        offset: u64,
        head: u64,
    ) -> Result<u64, SourceError> {
        if self.head(offset, head).len() as u64 == head {
            return Ok(0);
        }
        let length = WINDOW
            .max(head)
            .min(trace.index.length.saturating_sub(offset))
            .max(head);
        let mut text = alloc::vec![0; usize::try_from(length).unwrap_or(0)];
        source.read_at(offset, &mut text)?;
        self.window = (offset, text);
        Ok(length)
    }

    fn head(&self, offset: u64, head: u64) -> &[u8] {
        let within = || {
            let start = usize::try_from(offset.checked_sub(self.window.0)?).ok()?;
            let end = start.checked_add(usize::try_from(head).ok()?)?;
            self.window.1.get(start..end)
        };
        within().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Builder;
    use alloc::format;
    use alloc::string::String;

    fn record(name: &str, payload: &str) -> String {
        format!(
            "V1129 12:00:00.000000 4242 torch/a.py:1] {{\"artifact\": {{\"name\": \"{name}\"}}, \
             \"has_payload\": \"0\"}}\n\t{payload}\n"
        )
    }

    fn all(text: &str, needle: &str) -> Vec<SegmentIndex> {
        let mut builder = Builder::default();
        let mut search = MetadataSearch::new(needle);
        // The log grows while it is searched.
        for piece in text.as_bytes().chunks(text.len() / 3 + 1) {
            builder.feed(piece);
            while !search.step(builder.trace(), &text.as_bytes()).unwrap() {}
        }
        builder.finish();
        while !search.step(builder.trace(), &text.as_bytes()).unwrap() {}
        search.found().to_vec()
    }

    #[test]
    fn records_are_found_by_their_own_line_and_not_by_their_payload() {
        let text = [
            record("first", "second"),
            record("Second", "x"),
            String::from("second, of another program\n"),
            record("third", "second"),
        ]
        .concat();
        assert_eq!(all(&text, "second"), [1]);
        assert_eq!(all(&text, "\"name\": \"THIRD\""), [3]);
        assert!(all(&text, "nowhere").is_empty());
    }

    #[test]
    fn lines_longer_than_the_window_and_payloads_beyond_it_are_passed() {
        let long = "x".repeat(600_000);
        let text = [
            record(&long, "a"),
            record("needle", &long),
            record("hay", &long),
            record(&format!("{long} needle"), "a"),
        ]
        .concat();
        assert_eq!(all(&text, "needle"), [1, 3]);
    }

    #[test]
    fn a_hundred_thousand_records_are_searched_in_steps() {
        let text: String = (0..100_000)
            .map(|at| record(&format!("n{at}"), "p"))
            .collect();
        assert_eq!(all(&text, "n99999\""), [99_999]);
    }
}
