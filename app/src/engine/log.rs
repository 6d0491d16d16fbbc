//! A log that is open in the engine: its trace, its text, and how far it was read.

use super::answers;
use super::breaks::Breaks;
use super::diffs::Diffs;
use super::failures::Failures;
use super::frames::Frames;
use super::graphs::Graphs;
use super::guards::Guards;
use super::protocol::{
    Answer, Hit, LogId, Match, Progress, Query, Question, ReadState, Sort, TextKey,
};
use super::source::FileSource;
use super::texts::{Saving, Texts, Wanted};
use dynascope_core::analysis::metadata::MetadataSearch;
use dynascope_core::analysis::search::Search;
use dynascope_core::payload::find::Find;
use dynascope_core::source::Source;
use dynascope_core::source::blocks::Blocks;
use dynascope_core::source::fingerprint::fingerprint;
use dynascope_core::source::returns;
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
    fingerprint: Option<String>,
    texts: Texts,
    diffs: Diffs,
    guards: Guards,
    graphs: Graphs,
    failures: Failures,
    breaks: Breaks,
    order: Option<(Sort, String, usize, bool, Vec<u32>)>,
    /// The records that the last filters left, and how many there were.
    matching: Option<(String, String, usize, Vec<u32>)>,
    /// The last text that was looked for in metadata, and what was found.
    metadata: Option<(String, MetadataSearch)>,
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
            fingerprint: None,
            texts: Texts::default(),
            diffs: Diffs::default(),
            guards: Guards::default(),
            graphs: Graphs::default(),
            failures: Failures::default(),
            breaks: Breaks::default(),
            order: None,
            matching: None,
            metadata: None,
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
            fingerprint: self.fingerprint.clone(),
        }
    }

    /// All of it was read: takes its fingerprint. A file that vanished meanwhile has none.
    pub fn take_fingerprint(&mut self) {
        self.fingerprint = fingerprint(self.store.source()).ok();
    }

    /// Forgets what was read, where the text is one line because its lines end in carriage returns alone: it is to
    /// be read again with line feeds. Says whether that is so.
    pub fn begin_anew_where_returns_end_lines(&mut self) -> bool {
        if self.builder.lines() > 1 {
            return false;
        }
        let source = self.store.source();
        let length = usize::try_from(source.len()).unwrap_or(returns::HEAD);
        let mut head = vec![0; length.min(returns::HEAD)];
        let is_so = source.read_at(0, &mut head).is_ok() && returns::ends_lines(&head);
        if is_so {
            self.builder = Builder::default();
            self.read_bytes = 0;
        }
        is_so
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

    /// Looks on whether there is something to show: records, or else a failure, a warning or the like in plain
    /// text. `None` until that is known.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn has_findings(&mut self) -> Result<Option<bool>, String> {
        if self.builder.trace().records > 0 {
            return Ok(Some(true));
        }
        let is_done = self
            .failures
            .step(self.builder.trace(), self.store.source())?;
        Ok(match (self.failures.is_empty(), is_done) {
            (false, _) => Some(true),
            (true, true) => Some(false),
            (true, false) => None,
        })
    }

    /// Begins to answer a question: looks what the log holds by now.
    pub fn begin(&mut self, question: &Question) {
        if matches!(question, Question::Frame { .. } | Question::Frames { .. }) {
            let is_done = self.state != ReadState::Reading;
            self.frames.begin(self.builder.trace(), question, is_done);
        }
    }

    /// Prepares the answer to a question in steps; says whether all of it is ready.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn prepare(&mut self, question: &Question) -> Result<bool, String> {
        match question {
            Question::Text { text, first, .. } => self.read_text(*text, *first),
            Question::Lines { text, .. } => self.read_text(*text, 0),
            Question::Records { metadata, .. } => self.find_metadata(metadata),
            Question::Diff { old, new, .. } => {
                self.diffs
                    .read_compilations(self.builder.trace(), self.store.source(), old, new)
            }
            Question::TextDiff { old, new, .. } => {
                self.diffs
                    .read_texts(self.builder.trace(), self.store.source(), *old, *new)
            }
            Question::Guards { tree, .. } | Question::Guard { tree, .. } => {
                let source = self.store.source();
                self.guards.step(self.builder.trace(), source, tree.record)
            }
            Question::Graph { graph }
            | Question::GraphNodes { graph, .. }
            | Question::GraphNode { graph, .. } => {
                let (trace, source) = (self.builder.trace(), self.store.source());
                let is_read = self.graphs.step(trace, source, graph.record)?;
                match graph.against {
                    Some(old) if is_read => self.graphs.step(trace, source, old),
                    _ => Ok(is_read),
                }
            }
            Question::Value { record, .. } => {
                let source = self.store.source();
                self.graphs.step(self.builder.trace(), source, *record)
            }
            Question::Frame { .. } | Question::Frames { .. } => {
                let source = self.store.source();
                self.frames.step(self.builder.trace(), source, question)
            }
            // To read text again would hold up the reading of the log.
            Question::Findings { .. } if self.state != ReadState::Reading => {
                let source = self.store.source();
                self.failures.step(self.builder.trace(), source)
            }
            Question::Breaks { .. } if self.state != ReadState::Reading => {
                let source = self.store.source();
                self.breaks.step(self.builder.trace(), source)
            }
            _ => Ok(true),
        }
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

    /// Looks on for a text in the metadata of records; says whether all that are known were looked at.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn find_metadata(&mut self, text: &str) -> Result<bool, String> {
        if text.is_empty() {
            return Ok(true);
        }
        if self
            .metadata
            .as_ref()
            .is_none_or(|(known, _)| known != text)
        {
            self.metadata = Some((text.to_owned(), MetadataSearch::new(text)));
        }
        let Some((_, search)) = &mut self.metadata else {
            return Ok(true);
        };
        search
            .step(self.builder.trace(), self.store.source())
            .map_err(answers::sentence)
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

    /// Answers a question for which all is read ([`Log::prepare`]).
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
            Question::Diff { old, new, .. } => {
                Answer::Diff(Box::new(self.diffs.compilations(trace, source, old, new)?))
            }
            Question::TextDiff {
                old,
                new,
                is_whole,
                first,
                count,
                ..
            } => {
                let page = self.diffs.page((*old, *new), *is_whole, *first, *count);
                Answer::TextDiff(page?)
            }
            Question::Problems { .. } => Answer::Problems(answers::problems(trace)),
            Question::Stacks { .. } => Answer::Stacks(answers::stacks(trace)),
            Question::Records {
                filter,
                metadata,
                first,
                count,
                ..
            } => {
                let known = trace.index.len();
                let found = self
                    .metadata
                    .as_ref()
                    .filter(|(text, _)| text == metadata)
                    .map(|(_, search)| search.found());
                let is_same = |matching: &(String, String, usize, Vec<u32>)| {
                    matching.0 == *filter && matching.1 == *metadata && matching.2 == known
                };
                let matching = self.matching.take().filter(is_same).unwrap_or_else(|| {
                    (
                        filter.clone(),
                        metadata.clone(),
                        known,
                        answers::matching_records(trace, filter, found),
                    )
                });
                let page = answers::records(trace, source, &matching.3, *first, *count);
                self.matching = Some(matching);
                Answer::Records(page?)
            }
            Question::Guards { tree, first, count } => {
                Answer::Guards(Box::new(self.guards.page(trace, tree, *first, *count)?))
            }
            Question::Guard { tree, node } => {
                Answer::Guard(self.guards.node(tree, *node)?.map(Box::new))
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
            Question::Graph { graph } => Answer::Graph(Box::new(self.graphs.view(trace, graph)?)),
            Question::GraphNodes {
                graph,
                filter,
                first,
                count,
            } => Answer::GraphNodes(self.graphs.nodes(graph, filter, *first, *count)?),
            Question::GraphNode { graph, node } => {
                Answer::GraphNode(self.graphs.node(graph, *node)?.map(Box::new))
            }
            Question::Value {
                record, line, byte, ..
            } => Answer::Value(self.graphs.value(*record, *line, *byte)?.map(Box::new)),
            Question::Findings { .. } => Answer::Findings(Box::new(self.failures.findings(trace))),
            Question::Breaks { count, .. } => {
                Answer::Breaks(Box::new(self.breaks.page(trace, *count)))
            }
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
            | Question::Diff { log, .. }
            | Question::TextDiff { log, .. }
            | Question::Records { log, .. }
            | Question::Frame { log, .. }
            | Question::Frames { log, .. }
            | Question::Value { log, .. }
            | Question::Findings { log }
            | Question::Breaks { log, .. } => *log,
            Question::Graph { graph }
            | Question::GraphNodes { graph, .. }
            | Question::GraphNode { graph, .. } => graph.log,
            Question::Text { text, .. } | Question::Lines { text, .. } => text.log,
            Question::Guards { tree, .. } | Question::Guard { tree, .. } => tree.log,
        }
    }
}
