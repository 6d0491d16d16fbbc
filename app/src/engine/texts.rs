//! Artifacts as rows of text: payloads of any size, read in steps, the latest ones kept ready.

use super::answers::{compilation_of, sentence};
use super::protocol::{Checksum, MAX_ROW_BYTES, RecordIndex, TextPage, TextRow};
use dynascope_core::log::json;
use dynascope_core::log::payload::{Payload, Strip};
use dynascope_core::payload::text::Rows;
use dynascope_core::source::Source;
use dynascope_core::trace::{Segment, Trace};

/// How many texts are kept ready.
const KEPT: usize = 8;

/// The texts of a log that were shown last, the latest one last.
#[derive(Debug, Default)]
pub struct Texts {
    kept: Vec<Text>,
}

#[derive(Debug)]
struct Text {
    record: RecordIndex,
    segment: Segment,
    /// What is shown of a record without a payload: its metadata.
    own: Option<Vec<u8>>,
    rows: Rows,
}

impl Texts {
    /// Reads on at a record's text; says whether all of it was read.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn step(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        record: RecordIndex,
    ) -> Result<bool, String> {
        let text = match self.kept.iter().position(|text| text.record == record) {
            Some(at) => {
                let text = self.kept.remove(at);
                self.kept.push(text);
                self.kept.last_mut()
            }
            None => {
                self.kept.push(Text::open(trace, source, record)?);
                if self.kept.len() > KEPT {
                    self.kept.remove(0);
                }
                self.kept.last_mut()
            }
        };
        let Some(text) = text else { return Ok(true) };
        match &text.own {
            Some(own) => text.rows.step(own),
            None => text.rows.step(source),
        }
        .map_err(sentence)
    }

    /// A stretch of a text that was read.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn page(
        &self,
        trace: &Trace,
        source: &dyn Source,
        record: RecordIndex,
        first: u32,
        count: u32,
    ) -> Result<TextPage, String> {
        let text = self
            .kept
            .iter()
            .find(|text| text.record == record)
            .ok_or("This text is not read yet.")?;
        let rows = match &text.own {
            Some(own) => text.rows.page(own, first, count),
            None => text.rows.page(source, first, count),
        };
        let checksum = match text.rows.md5() {
            Some(md5) if text.own.is_none() => text.segment.compare(md5).into(),
            _ => Checksum::Unknown,
        };
        let entry = trace.index.get(record);
        Ok(TextPage {
            name: entry
                .and_then(|e| trace.kinds.get(e.kind))
                .map(|kind| kind.title().to_owned())
                .unwrap_or_default(),
            compilation: compilation_of(trace, record),
            bytes: text.rows.bytes(),
            lines: text.rows.lines(),
            rows: text.rows.rows(),
            file_line: entry.map_or(0, |entry| u64::from(entry.line) + 1),
            first,
            page: rows
                .map_err(sentence)?
                .into_iter()
                .map(|row| TextRow {
                    line: row.line,
                    text: row.text,
                })
                .collect(),
            checksum,
        })
    }
}

impl Text {
    fn open(trace: &Trace, source: &dyn Source, record: RecordIndex) -> Result<Text, String> {
        let segment = trace
            .segment(source, record)
            .map_err(sentence)?
            .ok_or_else(|| format!("This log holds no record {record}."))?;
        if segment.payload.pieces.is_empty() {
            let (value, _) = json::parse(segment.json());
            let own = value.pretty().into_bytes();
            let payload = Payload {
                pieces: std::iter::once(0..own.len() as u64).collect(),
                strip: Strip::nothing(),
            };
            return Ok(Text {
                record,
                segment,
                own: Some(own),
                rows: Rows::new(payload, MAX_ROW_BYTES),
            });
        }
        let rows = Rows::new(segment.payload.clone(), MAX_ROW_BYTES);
        Ok(Text {
            record,
            segment,
            own: None,
            rows,
        })
    }
}
