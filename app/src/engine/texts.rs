//! Artifacts as rows of text: payloads of any size, read in steps, the latest ones kept ready.

use super::answers::{self, compilation_of, sentence};
use super::protocol::{
    Checksum, Form, Language, MAX_ROW_BYTES, Match, Query, RecordIndex, Span, TextPage, TextRow,
};
use crate::text::no_record;
use dynascope_core::log::json;
use dynascope_core::log::payload::{Payload, Place, Strip};
use dynascope_core::payload::colour::{self, State};
use dynascope_core::payload::find::{Find, Pattern};
use dynascope_core::payload::pretty::Pretty;
use dynascope_core::payload::text::{Row, Rows, Walk};
use dynascope_core::source::Source;
use dynascope_core::source::blocks::Blocks;
use dynascope_core::trace::{Segment, Trace};

/// How many texts are kept ready.
const KEPT: usize = 8;

/// Bytes of a payload that are laid out anew in one step.
const STEP: usize = 256 << 10;

/// Rows between two places at which the state of the colours is kept.
const INTERVAL: u32 = 256;

/// How many such places are gone through for a page far below the coloured part. Beyond, colours begin anew
/// there: a triple-quoted string that began above is not seen then.
const AHEAD: usize = 64;

/// The longest start of a text by which its language is told.
const HEAD: usize = 4 << 10;

/// The texts of a log that were shown last, the latest one last.
#[derive(Debug, Default)]
pub struct Texts {
    kept: Vec<Text>,
}

/// How far a text must be ready.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The record that carries it.
    pub record: RecordIndex,
    /// How it is laid out.
    pub form: Form,
    /// The row from which on colours are wanted.
    pub first: u32,
}

#[derive(Debug)]
struct Text {
    record: RecordIndex,
    form: Form,
    segment: Segment,
    name: String,
    language: Language,
    own: Own,
    /// The layout that goes on.
    layout: Option<Layout>,
    trouble: Option<String>,
    rows: Rows,
    /// What the colours start within, at every so many rows.
    states: Vec<State>,
}

/// What is shown, where it is not the payload itself.
#[derive(Debug)]
enum Own {
    /// The payload is shown.
    Nothing,
    /// The metadata of a record without a payload.
    Metadata(Vec<u8>),
    /// What was laid out anew.
    Pretty(Blocks),
}

#[derive(Debug)]
struct Layout {
    pretty: Pretty,
    place: Place,
}

impl Texts {
    /// Reads on at a record's text; says whether all of it is ready that is wanted.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn step(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        wanted: Wanted,
    ) -> Result<bool, String> {
        let Wanted { record, form, .. } = wanted;
        let is_it = |text: &Text| text.record == record && text.form == form;
        match self.kept.iter().position(is_it) {
            Some(at) => {
                let text = self.kept.remove(at);
                self.kept.push(text);
            }
            None => {
                self.kept.push(Text::open(trace, source, record, form)?);
                if self.kept.len() > KEPT {
                    self.kept.remove(0);
                }
            }
        }
        let Some(text) = self.kept.last_mut() else {
            return Ok(true);
        };
        text.step(source, wanted.first)
    }

    fn ready(&self, record: RecordIndex, form: Form) -> Result<&Text, String> {
        self.kept
            .iter()
            .find(|text| text.record == record && text.form == form)
            .ok_or_else(|| "This text is not read yet.".to_owned())
    }

    /// A stretch of a text that was read.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn page(
        &self,
        trace: &Trace,
        source: &dyn Source,
        wanted: Wanted,
        count: u32,
    ) -> Result<TextPage, String> {
        let text = self.ready(wanted.record, wanted.form)?;
        let checksum = match text.rows.md5() {
            Some(md5) if matches!(text.own, Own::Nothing) => text.segment.compare(md5).into(),
            _ => Checksum::Unknown,
        };
        let entry = trace.index.get(wanted.record);
        Ok(TextPage {
            name: text.name.clone(),
            compilation: compilation_of(trace, wanted.record),
            bytes: text.rows.bytes(),
            lines: text.rows.lines(),
            rows: text.rows.rows(),
            file_line: entry.map_or(0, |entry| u64::from(entry.line) + 1),
            first: wanted.first,
            page: text.page(source, wanted.first, count)?,
            checksum,
            language: text.language,
            trouble: text.trouble.clone(),
        })
    }

    /// The rows in which lines lie: the first one, and the one behind the last.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn lines(
        &self,
        source: &dyn Source,
        record: RecordIndex,
        form: Form,
        lines: (u32, u32),
    ) -> Result<Option<(u32, u32)>, String> {
        let text = self.ready(record, form)?;
        let source = text.source(source);
        let row = |line: u32| text.rows.row_of_line(source, line.into()).map_err(sentence);
        let Some(first) = row(lines.0)? else {
            return Ok(None);
        };
        let behind = row(lines.1.saturating_add(1))?;
        Ok(Some((
            first,
            behind.unwrap_or(text.rows.rows()).max(first + 1),
        )))
    }

    /// Begins to find places in a text that was read.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read, or what is wrong with the query.
    pub fn find(
        &self,
        source: &dyn Source,
        record: RecordIndex,
        form: Form,
        query: &Query,
    ) -> Result<Find, String> {
        let text = self.ready(record, form)?;
        let pattern = Pattern::new(query)?;
        Find::new(pattern, &text.rows, text.source(source)).map_err(sentence)
    }

    /// Finds on; says how many rows there are, and whether there is more to search.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn find_on(
        &self,
        source: &dyn Source,
        record: RecordIndex,
        form: Form,
        find: &mut Find,
        out: &mut Vec<Match>,
        room: usize,
    ) -> Result<(u32, bool), String> {
        let text = self.ready(record, form)?;
        let more = find.step(&text.rows, text.source(source), out, room);
        Ok((text.rows.rows(), more.map_err(sentence)?))
    }

    /// Begins to give a text that was read, or lines of it.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn save(
        &self,
        source: &dyn Source,
        record: RecordIndex,
        form: Form,
        lines: Option<(u32, u32)>,
    ) -> Result<Saving, String> {
        let text = self.ready(record, form)?;
        let Some(lines) = lines else {
            return Ok(Saving::Whole(Place::default()));
        };
        let (first, behind) = self.lines(source, record, form, lines)?.unwrap_or_default();
        let walk = text.rows.walk(text.source(source), first);
        Ok(Saving::Lines {
            walk: walk.map_err(sentence)?,
            left: behind - first,
            is_first: true,
        })
    }

    /// Gives the next bytes; `None` behind the last.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn save_on(
        &self,
        source: &dyn Source,
        record: RecordIndex,
        form: Form,
        saving: &mut Saving,
    ) -> Result<Option<Vec<u8>>, String> {
        let text = self.ready(record, form)?;
        let source = text.source(source);
        let mut out = Vec::new();
        match saving {
            Saving::Whole(place) => {
                let payload = text.rows.payload();
                let more = payload.clean(source, place, &mut out, STEP);
                Ok((more.map_err(sentence)? || !out.is_empty()).then_some(out))
            }
            Saving::Lines {
                walk,
                left,
                is_first,
            } => {
                while out.len() < STEP && *left > 0 {
                    let Some(row) = walk.next(&text.rows, source).map_err(sentence)? else {
                        break;
                    };
                    *left -= 1;
                    // A row without a number goes on with the line before.
                    if !std::mem::take(is_first) && row.line.is_some() {
                        out.push(b'\n');
                    }
                    out.extend_from_slice(row.text.as_bytes());
                }
                Ok((!out.is_empty()).then_some(out))
            }
        }
    }
}

/// How far a text was given.
#[derive(Debug)]
pub enum Saving {
    /// All of it, from here on.
    Whole(Place),
    /// Some lines.
    Lines {
        /// Where the next row lies.
        walk: Walk,
        /// Rows that are still to be given.
        left: u32,
        /// Whether none was given yet.
        is_first: bool,
    },
}

impl Text {
    fn open(
        trace: &Trace,
        source: &dyn Source,
        record: RecordIndex,
        form: Form,
    ) -> Result<Text, String> {
        let segment = trace
            .segment(source, record)
            .map_err(sentence)?
            .ok_or_else(|| no_record(record))?;
        let name = trace
            .kind_of(record)
            .map(|kind| kind.title().to_owned())
            .unwrap_or_default();
        let width = form.width.map_or(MAX_ROW_BYTES, usize::from);
        let (mut payload, mut own) = (segment.payload.clone(), Own::Nothing);
        let mut language = Language::Json;
        if payload.pieces.is_empty() {
            let (value, _) = json::parse(segment.json());
            let bytes = value.pretty().into_bytes();
            payload = all_of(bytes.len() as u64);
            own = Own::Metadata(bytes);
        } else {
            let head = payload.read(source, HEAD).map_err(sentence)?;
            language = Language::of(&name, &String::from_utf8_lossy(&head));
        }
        let is_new = form.is_pretty && matches!(own, Own::Nothing);
        if is_new {
            own = Own::Pretty(Blocks::default());
        }
        Ok(Text {
            record,
            form,
            segment,
            name,
            language,
            own,
            layout: is_new.then(|| Layout {
                pretty: Pretty::new(),
                place: Place::default(),
            }),
            trouble: None,
            rows: Rows::new(payload, width),
            states: vec![State::default()],
        })
    }

    fn source<'a>(&'a self, source: &'a dyn Source) -> &'a dyn Source {
        match &self.own {
            Own::Nothing => source,
            Own::Metadata(bytes) => bytes,
            Own::Pretty(blocks) => blocks,
        }
    }

    fn step(&mut self, source: &dyn Source, first: u32) -> Result<bool, String> {
        if self.layout.is_some() {
            self.lay_out(source)?;
            return Ok(false);
        }
        let read = match &self.own {
            Own::Nothing => self.rows.step(source),
            Own::Metadata(bytes) => self.rows.step(bytes),
            Own::Pretty(blocks) => self.rows.step(blocks),
        };
        if !read.map_err(sentence)? {
            return Ok(false);
        }
        let place = (first.min(self.rows.rows()) / INTERVAL) as usize;
        if place < self.states.len() || place > self.states.len() + AHEAD {
            return Ok(true);
        }
        self.colour_on(source)?;
        Ok(place < self.states.len())
    }

    /// Lays out the next bytes of the payload.
    fn lay_out(&mut self, source: &dyn Source) -> Result<(), String> {
        let (Some(layout), Own::Pretty(blocks)) = (&mut self.layout, &mut self.own) else {
            return Ok(());
        };
        let mut text = Vec::new();
        let payload = &self.segment.payload;
        let more = payload.clean(source, &mut layout.place, &mut text, STEP);
        let more = more.map_err(sentence)?;
        let mut out = Vec::new();
        layout.pretty.feed(&text, &mut out);
        if !more {
            if let Some(fault) = layout.pretty.finish(&mut out) {
                self.trouble = Some(answers::layout_trouble(&fault));
            }
            self.layout = None;
        }
        blocks.push(&out);
        if self.layout.is_none() {
            let width = self.form.width.map_or(MAX_ROW_BYTES, usize::from);
            self.rows = Rows::new(all_of(blocks.len()), width);
        }
        Ok(())
    }

    /// Goes through the rows up to the next place at which the state of the colours is kept.
    fn colour_on(&mut self, source: &dyn Source) -> Result<(), String> {
        let from = u32::try_from(self.states.len() - 1).unwrap_or(u32::MAX) * INTERVAL;
        let mut state = self.states.last().copied().unwrap_or_default();
        let mut spans = Vec::new();
        let source = self.source(source);
        let mut walk = self.rows.walk(source, from).map_err(sentence)?;
        for _ in 0..INTERVAL {
            let Some(row) = walk.next(&self.rows, source).map_err(sentence)? else {
                break;
            };
            spans.clear();
            state = self.colour(state, &row, &mut spans);
        }
        self.states.push(state);
        Ok(())
    }

    fn page(&self, source: &dyn Source, first: u32, count: u32) -> Result<Vec<TextRow>, String> {
        let source = self.source(source);
        let place = first / INTERVAL;
        let (from, mut state) = match self.states.get(place as usize) {
            Some(state) => (place * INTERVAL, *state),
            None => (first, State::default()),
        };
        let mut walk = self.rows.walk(source, from).map_err(sentence)?;
        let mut out = Vec::new();
        for place in from..first.saturating_add(count) {
            let Some(row) = walk.next(&self.rows, source).map_err(sentence)? else {
                break;
            };
            let mut spans = Vec::new();
            state = self.colour(state, &row, &mut spans);
            if place >= first {
                let Row { line, text } = row;
                out.push(TextRow { line, text, spans });
            }
        }
        Ok(out)
    }

    fn colour(&self, state: State, row: &Row, spans: &mut Vec<Span>) -> State {
        match row.line {
            Some(_) => colour::line(self.language, state, &row.text, spans),
            None => colour::rest(self.language, state, &row.text, spans),
        }
    }
}

/// All of a text that is no payload.
fn all_of(length: u64) -> Payload {
    Payload {
        pieces: std::iter::once(0..length).collect(),
        strip: Strip::nothing(),
    }
}
