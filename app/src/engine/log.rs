//! A log that is open in the engine: its trace, its text, and how far it was read.

use super::answers;
use super::frames::Frames;
use super::protocol::{
    Answer, Hit, LogId, Match, Progress, Query, Question, ReadState, Sort, TextKey,
};
use super::source::FileSource;
use super::texts::{Saving, Texts, Wanted};
use dynascope_core::analysis::search::Search;
use dynascope_core::payload::find::Find;
use dynascope_core::source::Source;
use dynascope_core::source::blocks::Blocks;
use dynascope_core::trace::Builder;
use std::rc::Rc;

/// Where the text of a log is.
#[derive(Debug)]
pub enum Store {
    /// In the file itself.
    File(Rc<FileSource>),
    /// Expanded, in memory.
    Expanded(Blocks),
}

impl Store {
    fn source(&self) -> &dyn Source {
        match self {
            Store::File(file) => file.as_ref(),
            Store::Expanded(blocks) => blocks,
        }
    }
}

/// A log that is open.
#[derive(Debug)]
pub struct Log {
    name: String,
    /// Where its text is.
    pub store: Store,
    /// What is known of it.
    pub builder: Builder,
    /// Where reading stands.
    pub state: ReadState,
    total_bytes: u64,
    /// Bytes of the file that were read.
    pub read_bytes: u64,
    /// Seconds since reading began.
    pub seconds: f64,
    texts: Texts,
    order: Option<(Sort, String, usize, bool, Vec<u32>)>,
    /// The records that the last filter left, and how many there were.
    matching: Option<(String, usize, Vec<u32>)>,
    frames: Frames,
}

impl Log {
    /// A log of which nothing was read yet.
    #[must_use]
    pub fn new(name: String, file: Rc<FileSource>) -> Self {
        let total_bytes = file.len();
        Log {
            name,
            store: Store::File(file),
            builder: Builder::default(),
            state: ReadState::Reading,
            total_bytes,
            read_bytes: 0,
            seconds: 0.0,
            texts: Texts::default(),
            order: None,
            matching: None,
            frames: Frames::default(),
        }
    }

    /// Its name, with what goes wrong with it, as a sentence.
    #[must_use]
    pub fn complain(&self, what: &str) -> String {
        format!("“{}”: {what}", self.name)
    }

    /// How far it was read.
    #[must_use]
    pub fn progress(&self, log: LogId, memory_bytes: u64) -> Progress {
        let trace = self.builder.trace();
        Progress {
            log,
            name: self.name.clone(),
            state: self.state.clone(),
            total_bytes: self.total_bytes,
            read_bytes: self.read_bytes,
            text_bytes: trace.index.length,
            seconds: self.seconds,
            records: trace.records,
            compilations: u32::try_from(trace.compilations.len()).unwrap_or(u32::MAX),
            memory_bytes,
            index_bytes: trace.memory() as u64,
        }
    }

    /// Takes text that was expanded.
    pub fn push_expanded(&mut self, text: &[u8]) {
        if let Store::Expanded(blocks) = &mut self.store {
            blocks.push(text);
        }
        self.builder.feed(text);
    }

    /// Reads on at a text; says whether all of it was read, and colours are known from row `first` on.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn read_text(&mut self, text: TextKey, first: u32) -> Result<bool, String> {
        self.texts.step(
            self.builder.trace(),
            self.store.source(),
            wanted(text, first),
        )
    }

    /// Begins to read the reasons that a question about frames is after.
    pub fn begin_frames(&mut self, question: &Question) {
        let is_done = self.state != ReadState::Reading;
        self.frames.begin(self.builder.trace(), question, is_done);
    }

    /// Reads on at them; says whether all of them were read.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn read_frames(&mut self, question: &Question) -> Result<bool, String> {
        let trace = self.builder.trace();
        self.frames.step(trace, self.store.source(), question)
    }

    /// Begins to find places in a text that was read.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn find(&self, text: TextKey, query: &Query) -> Result<Find, String> {
        self.texts
            .find(self.store.source(), text.record, text.form, query)
    }

    /// Finds on: at most `room` places in all are put behind `out`. Says how many rows the text has, and
    /// whether there is more to search.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn find_on(
        &self,
        text: TextKey,
        find: &mut Find,
        out: &mut Vec<Match>,
        room: usize,
    ) -> Result<(u32, bool), String> {
        let source = self.store.source();
        self.texts
            .find_on(source, text.record, text.form, find, out, room)
    }

    /// Begins to give a text that was read.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn save(&self, text: TextKey, lines: Option<(u32, u32)>) -> Result<Saving, String> {
        let source = self.store.source();
        self.texts.save(source, text.record, text.form, lines)
    }

    /// Gives the next bytes of a text; `None` behind the last.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn save_on(&self, text: TextKey, saving: &mut Saving) -> Result<Option<Vec<u8>>, String> {
        let source = self.store.source();
        self.texts.save_on(source, text.record, text.form, saving)
    }

    /// Checks the payload of the next records from `index` on, some bytes at a time; gives the index to go
    /// on at, or `None` at the end.
    pub fn check_some(&mut self, index: u32) -> Option<u32> {
        let mut index = index;
        let trace = self.builder.trace();
        let mut left: u64 = 1 << 20;
        let mut differs = None;
        while differs.is_none() && left > 0 {
            let range = trace.index.range(index)?;
            left = left.saturating_sub(range.end - range.start + 512);
            if let Ok(dynascope_core::trace::Checksum::Differs) =
                trace.check(self.store.source(), index)
            {
                differs = Some(index);
            }
            index = index.checked_add(1)?;
        }
        if let Some(record) = differs {
            self.builder.note_checksum_differs(record);
        }
        Some(index)
    }

    /// Searches on; gives what was found, or `None` behind the end. A log that cannot be read any longer has
    /// nothing more to find.
    pub fn search(&mut self, log: LogId, search: &mut Search) -> Option<Vec<Hit>> {
        let trace = self.builder.trace();
        let found = search.step(trace, self.store.source()).ok()??;
        Some(
            found
                .into_iter()
                .map(|hit| answers::hit(trace, log, hit))
                .collect(),
        )
    }

    /// Bytes of text that are known so far.
    #[must_use]
    pub fn text_bytes(&self) -> u64 {
        self.builder.trace().index.length
    }

    /// Answers a question. A text must have been read before ([`Log::read_text`]), and so must the reasons of
    /// frames ([`Log::read_frames`]).
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn answer(&mut self, question: &Question) -> Result<Answer, String> {
        let trace = self.builder.trace();
        let source = self.store.source();
        Ok(match question {
            Question::Overview { .. } => Answer::Overview(Box::new(answers::overview(trace))),
            Question::Compilations {
                sort,
                filter,
                first,
                count,
                ..
            } => {
                let done = self.state != ReadState::Reading;
                let known = trace.compilations.len();
                let order = match self.order.take() {
                    // While reading goes on, rows change without becoming more.
                    Some(order)
                        if order.0 == *sort
                            && order.1 == *filter
                            && order.2 == known
                            && order.3 == done
                            && done =>
                    {
                        order
                    }
                    _ => (
                        *sort,
                        filter.clone(),
                        known,
                        done,
                        answers::order(trace, *sort, filter),
                    ),
                };
                let page = answers::compilations(trace, &order.4, *first, *count);
                self.order = Some(order);
                Answer::Compilations(page)
            }
            Question::Compilation { key, .. } => {
                Answer::Compilation(Box::new(answers::compilation(trace, source, key)?))
            }
            Question::Outside { .. } => {
                Answer::Artifacts(answers::artifacts(trace, source, &trace.outside)?)
            }
            Question::Text { text, first, count } => {
                let page = self
                    .texts
                    .page(trace, source, wanted(*text, *first), *count);
                Answer::Text(page?)
            }
            Question::Lines { text, lines } => {
                Answer::Lines(self.texts.lines(source, text.record, text.form, *lines)?)
            }
            Question::Record { record, .. } => {
                Answer::Record(Box::new(answers::record(trace, source, *record)?))
            }
            Question::Problems { .. } => Answer::Problems(answers::problems(trace)),
            Question::Stacks { .. } => Answer::Stacks(answers::stacks(trace)),
            Question::Records {
                filter,
                first,
                count,
                ..
            } => {
                let known = trace.index.len();
                let matching = match self.matching.take() {
                    Some(matching) if matching.0 == *filter && matching.1 == known => matching,
                    _ => (
                        filter.clone(),
                        known,
                        answers::matching_records(trace, filter),
                    ),
                };
                let page = answers::records(trace, source, &matching.2, *first, *count);
                self.matching = Some(matching);
                Answer::Records(page?)
            }
            Question::Frame { key, only, .. } => {
                Answer::Frame(Box::new(self.frames.history(trace, *key, *only)?))
            }
            Question::Frames {
                order,
                first,
                count,
                ..
            } => Answer::Frames(self.frames.page(trace, *order, *first, *count)),
        })
    }
}

fn wanted(text: TextKey, first: u32) -> Wanted {
    Wanted {
        record: text.record,
        form: text.form,
        first,
    }
}

impl Question {
    /// The text that must be read before it can be answered, and the first row of it that is wanted.
    #[must_use]
    pub fn text(&self) -> Option<(TextKey, u32)> {
        match self {
            Question::Text { text, first, .. } => Some((*text, *first)),
            Question::Lines { text, .. } => Some((*text, 0)),
            _ => None,
        }
    }

    /// Whether reasons of frames must be read before it can be answered.
    #[must_use]
    pub fn is_about_frames(&self) -> bool {
        matches!(self, Question::Frame { .. } | Question::Frames { .. })
    }

    /// The log that it is about.
    #[must_use]
    pub fn log(&self) -> LogId {
        match self {
            Question::Overview { log }
            | Question::Compilations { log, .. }
            | Question::Compilation { log, .. }
            | Question::Outside { log }
            | Question::Record { log, .. }
            | Question::Problems { log }
            | Question::Stacks { log }
            | Question::Records { log, .. }
            | Question::Frame { log, .. }
            | Question::Frames { log, .. } => *log,
            Question::Text { text, .. } | Question::Lines { text, .. } => text.log,
        }
    }
}
