//! Makes a [`Trace`] of records as they come.

mod console;
mod reading;
#[cfg(test)]
mod tests;

use super::compilation::{Artifact, Cache, Compilation, CompilationKey, MetricsKind};
use super::health::Problem;
use super::id::CompileId;
use super::index::{Entry, SegmentIndex};
use super::names::{DAMAGED, KindId, STRAY, TEXT};
use super::process::{self, LARGEST_PROCESS_ID, LONGEST_LEAD};
use super::{Trace, segment::parse_md5};
use crate::log::envelope::Envelope;
use crate::log::field::Field;
use crate::log::json;
use crate::log::metadata;
use crate::log::split::{Head, Message, Other, OtherKind, Sink, Splitter, Tail, Want};
use crate::payload::graph_break;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hashbrown::HashMap;

/// Makes a [`Trace`] of the text of a log, which comes in pieces of any size.
#[derive(Debug, Default)]
pub struct Builder {
    splitter: Splitter,
    state: State,
}

impl Builder {
    /// A builder that reads with that splitter.
    #[must_use]
    pub fn new(splitter: Splitter) -> Self {
        Builder {
            splitter,
            state: State::default(),
        }
    }

    /// Takes the next piece of the text.
    pub fn feed(&mut self, piece: &[u8]) {
        self.splitter.feed(piece, &mut self.state);
        self.state.trace.index.length = self.splitter.position();
        self.state.cut_off = piece
            .last()
            .map_or(self.state.cut_off, |last| *last != b'\n');
    }

    /// The text has ended.
    pub fn finish(&mut self) {
        self.splitter.finish(&mut self.state);
        self.state.end_console();
        self.state.trace.share_names();
        self.state.trace.index.shrink();
        self.state.trace.index.length = self.splitter.position();
        if let Some(last) = self.state.last.filter(|_| self.state.cut_off) {
            self.state.trace.health.note(Problem::CutOff, last);
        }
    }

    /// What is known so far.
    #[must_use]
    pub fn trace(&self) -> &Trace {
        &self.state.trace
    }

    /// Notes what checking a payload found, so that it counts as the log's health.
    pub fn note_checksum_differs(&mut self, record: SegmentIndex) {
        self.state
            .trace
            .health
            .note(Problem::ChecksumDiffers, record);
    }

    /// Lines of the text so far.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.splitter.lines()
    }
}

/// What is to be made of the payload of the record that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// It is an artifact.
    Artifact,
    /// The artifact is the metadata: there is no payload.
    Metadata,
    /// An artifact that says what a cache did in its payload.
    CacheHash,
    /// `torch_version`.
    TorchVersion,
    /// An event of the profiler, which may say that Dynamo begins.
    Event,
    /// There is nothing to make of it.
    Nothing,
}

/// The record that is being read.
#[derive(Debug, Clone, Copy)]
struct Current {
    record: SegmentIndex,
    process: u32,
    compilation: Option<usize>,
    reading: Reading,
    /// Bytes of its JSON.
    json_bytes: u64,
    /// Whether it announces a payload that is not empty.
    expects_payload: bool,
    id: Option<CompileId>,
}

#[derive(Debug, Default)]
struct State {
    trace: Trace,
    by_pid: HashMap<Option<u64>, Vec<u32>>,
    current: Option<Current>,
    last: Option<SegmentIndex>,
    /// The process that wrote the last record.
    last_process: u32,
    /// The last record, where it announced a payload.
    open_payload: Option<SegmentIndex>,
    /// The latest record that announced a payload, with its process, and the latest one of another process.
    announced: [Option<(u32, SegmentIndex)>; 2],
    /// The record that the stray lines being read belong to.
    stray_owner: Option<SegmentIndex>,
    cut_off: bool,
    console: console::Messages,
}

/// MD5 of nothing: a payload that is empty, of which one line with a tab is written.
const MD5_OF_NOTHING: &str = "d41d8cd98f00b204e9800998ecf8427e";
/// How much of an event is looked at: its name and, where it has few arguments, its phase.
const EVENT_HEAD: usize = 256;
/// `torch_version` and cache hashes are read up to this many bytes.
const LARGEST_READ: usize = 1 << 20;

impl Sink for State {
    fn record(&mut self, head: Head<'_>) -> Want {
        let envelope = Envelope::parse(head.json());
        let number = head.prefix.process;
        let process = process::find(
            &mut self.trace.processes,
            &mut self.by_pid,
            Some(number),
            envelope.rank.get().copied(),
            0,
        );
        self.last_process = process;
        if number > LARGEST_PROCESS_ID {
            self.trace.version.thread_id();
        }
        let kind = self.kind_of(&envelope);
        let mut entry = Entry::new(head.offset, head.line, head.length, kind);
        let attempt = envelope.attempt.get().copied().unwrap_or(0);
        entry.attempt = u16::try_from(attempt).unwrap_or(u16::MAX);
        let record = self.trace.index.push(entry);
        self.last = Some(record);
        self.trace.kinds.count(kind);
        self.trace.records += 1;
        self.note_problems(&envelope, record);

        let id = CompileId::of(&envelope);
        let compilation = id.map(|id| self.compilation_of(process, id, &envelope, attempt, record));
        if let Some(entry) = self.trace.index.get_mut(record) {
            entry.set_compilation(compilation);
        }
        if let Some(compilation) = compilation.and_then(|i| self.trace.compilations.get_mut(i)) {
            compilation.attempts = compilation.attempts.max(attempt.saturating_add(1));
        }
        if compilation.is_none() {
            self.outside_stack(&envelope.stack, process, record);
        }
        let reading = self.read_metadata(&envelope, process, compilation, record);
        let announces = envelope.announces_payload();
        self.current = Some(Current {
            record,
            process,
            compilation,
            reading,
            json_bytes: head.json().len() as u64,
            expects_payload: envelope
                .has_payload
                .get()
                .is_some_and(|md5| md5 != MD5_OF_NOTHING),
            id,
        });
        self.open_payload = announces.then_some(record);
        if announces {
            if self.announced[0].is_some_and(|(of, _)| of != process) {
                self.announced[1] = self.announced[0];
            }
            self.announced[0] = Some((process, record));
        }
        match reading {
            _ if !announces => Want::Nothing,
            Reading::Event => Want::Bytes(EVENT_HEAD),
            Reading::CacheHash | Reading::TorchVersion => Want::Bytes(LARGEST_READ),
            Reading::Artifact | Reading::Metadata | Reading::Nothing => Want::Size,
        }
    }

    fn record_end(&mut self, tail: Tail<'_>) {
        let Some(current) = self.current.take() else {
            return;
        };
        if tail.payload_lines == 0 && current.expects_payload {
            self.trace
                .health
                .note(Problem::MissingPayload, current.record);
        }
        if tail.is_blank_led {
            let health = &mut self.trace.health;
            health.note(Problem::LostTabs, current.record);
        }
        match current.reading {
            Reading::Nothing => {}
            Reading::Event => self.event(&current, tail.kept),
            Reading::Metadata => self.artifact(&current, current.json_bytes, None),
            Reading::Artifact => {
                // Read as its name says.
                let cache = self.title(current.record).and_then(Cache::of_name);
                self.artifact(&current, tail.payload_bytes, cache);
            }
            Reading::CacheHash => {
                let (value, _) = json::parse(tail.kept);
                let cache = value
                    .get("cache_state")
                    .and_then(json::Value::as_str)
                    .and_then(Cache::of_state);
                self.artifact(&current, tail.payload_bytes, cache);
            }
            Reading::TorchVersion => {
                let (value, _) = json::parse(tail.kept);
                if let Some(version) = value.get("pytorch_version").and_then(json::Value::as_str) {
                    self.trace.version.exact(version);
                }
                self.artifact(&current, tail.payload_bytes, None);
            }
        }
    }

    fn other(&mut self, other: Other, first_line: &[u8]) {
        let (kind, problem) = match other.kind {
            OtherKind::Text => (TEXT, Problem::OtherText),
            OtherKind::Stray => (STRAY, Problem::StrayPayload),
        };
        let index = self
            .trace
            .index
            .push(Entry::new(other.offset, other.line, 0, kind));
        self.trace.kinds.count(kind);
        if other.kind == OtherKind::Stray {
            // A payload goes on here where another process wrote into it, or another program did.
            self.stray_owner = self.interrupted();
            match self.stray_owner {
                Some(record) => self.trace.continued.entry(record).or_default().push(index),
                None => self.trace.health.note(problem, index),
            }
        } else if !first_line.is_empty() {
            self.trace.health.note(problem, index);
        }
        if self.trace.first_text.is_none() && !first_line.is_empty() {
            let shown = first_line.get(..200).unwrap_or(first_line);
            self.trace.first_text = Some(String::from_utf8_lossy(shown).into_owned());
        }
        self.last = Some(index);
    }

    fn message(&mut self, message: Message<'_>) -> (u32, Want) {
        self.console_message(&message)
    }

    fn message_goes_on(&mut self, name: u32, offset: u64, line: u64) {
        let mut entry = Entry::new(offset, line, 0, STRAY);
        entry.set_compilation(self.trace.index.get(name).and_then(Entry::compilation));
        let index = self.trace.index.push(entry);
        self.trace.kinds.count(STRAY);
        self.trace.continued.entry(name).or_default().push(index);
        self.last = Some(index);
    }

    fn message_end(&mut self, name: u32, tail: Tail<'_>) {
        self.end_console_message(name, &tail);
    }

    fn stray_end(&mut self, payload_bytes: u64) {
        let Some(record) = self.stray_owner.take() else {
            return;
        };
        let Some(pieces) = self.trace.continued.get(&record) else {
            return;
        };
        let own = self
            .trace
            .index
            .range(record)
            .map_or(0, |range| range.end - range.start);
        let head = self
            .trace
            .index
            .get(record)
            .map_or(0, |entry| u64::from(entry.head));
        // The line end between two pieces is the payload's own.
        let joint = u64::from(pieces.len() > 1 || own > head);
        let compilation = self.trace.index.get(record).and_then(Entry::compilation);
        let artifacts = self.artifacts_mut(compilation);
        let place = artifacts.binary_search_by_key(&record, |artifact| artifact.record);
        if let Some(artifact) = place.ok().and_then(|place| artifacts.get_mut(place)) {
            artifact.bytes += payload_bytes + joint;
        }
    }
}

impl State {
    /// The record whose payload was interrupted: by another program's text, then it is the last record; or
    /// by a record of another process.
    fn interrupted(&self) -> Option<SegmentIndex> {
        let last = self.last.and_then(|last| self.trace.index.get(last));
        if last.is_some_and(|last| last.kind == TEXT) {
            return self.open_payload;
        }
        let of_others = |announced: &&(u32, SegmentIndex)| announced.0 != self.last_process;
        self.announced
            .iter()
            .flatten()
            .find(of_others)
            .map(|(_, record)| *record)
    }

    fn title(&self, record: SegmentIndex) -> Option<&str> {
        Some(
            self.trace
                .kinds
                .get(self.trace.index.get(record)?.kind)?
                .title(),
        )
    }

    fn kind_of(&mut self, envelope: &Envelope<'_>) -> KindId {
        if envelope.kind.is_empty() {
            return DAMAGED;
        }
        let kind = envelope.kind.as_ref();
        let name =
            match kind {
                "artifact" => envelope
                    .metadata
                    .read::<metadata::Artifact, _>(|a| owned(&a.name)),
                "graph_dump" | "dump_file" | "optimize_ddp_split_child" | "link" => envelope
                    .metadata
                    .read::<metadata::Named, _>(|n| owned(&n.name)),
                _ => None,
            };
        self.trace.kinds.id(kind, name.as_deref())
    }

    fn note_problems(&mut self, envelope: &Envelope<'_>, record: SegmentIndex) {
        let health = &mut self.trace.health;
        if envelope.fault.is_some() {
            health.note(Problem::BadJson, record);
        } else if envelope.kind.is_empty() {
            health.note(Problem::NoKind, record);
        }
        for _ in envelope.wrong_members() {
            health.note(Problem::WrongType, record);
        }
        if envelope
            .has_payload
            .get()
            .is_some_and(|text| parse_md5(text).is_none())
        {
            health.note(Problem::BadChecksum, record);
        }
    }

    /// Finds the compilation that a record belongs to, and tells where a new one begins.
    fn compilation_of(
        &mut self,
        process: u32,
        id: CompileId,
        envelope: &Envelope<'_>,
        attempt: u32,
        record: SegmentIndex,
    ) -> usize {
        let starts = envelope.kind == "dynamo_start";
        let ends = MetricsKind::of_kind(&envelope.kind) == Some(MetricsKind::Forward);
        let Some(state) = self.trace.processes.get_mut(process as usize) else {
            return 0;
        };
        let known = state.latest.get(&id).copied();
        let lead = state.lead.as_ref().is_some_and(|lead| lead.id == id);
        let generation_of = |i: usize| self.trace.compilations.get(i).map(|c| c.key.generation);
        let mut begins = known.is_none();
        if starts {
            if !state.started.insert((id, attempt)) {
                state.generation += 1;
                state.started.clear();
                state.started.insert((id, attempt));
            }
            begins |= known
                .and_then(generation_of)
                .is_some_and(|g| g < state.generation);
        } else if ends && lead {
            // A compilation that ended before `dynamo_start` could be written: at the recompile limit.
            begins |= known
                .and_then(generation_of)
                .is_some_and(|g| g < state.generation);
        }
        let generation = state.generation;
        let lead = if starts || ends {
            state.lead.take().filter(|_| lead)
        } else {
            None
        };
        if !starts
            && !ends
            && let Some(lead) = &mut state.lead
        {
            if lead.id == id && lead.records.len() < LONGEST_LEAD {
                lead.records.push(record);
            } else if lead.id == id {
                state.lead = None;
            }
        }
        if let Some(known) = known.filter(|_| !begins) {
            return known;
        }
        let key = CompilationKey {
            process,
            generation,
            id,
        };
        let index = self.trace.compilations.len();
        self.trace.compilations.push(Compilation::new(key));
        self.trace.by_key.insert(key, index);
        if let Some(state) = self.trace.processes.get_mut(process as usize) {
            state.latest.insert(id, index);
        }
        if let (Some(lead), Some(known)) = (lead, known) {
            self.move_records(&lead.records, known, index);
        }
        index
    }

    /// Gives records that were taken for the end of one compilation to the next one of the same id.
    fn move_records(&mut self, records: &[SegmentIndex], from: usize, to: usize) {
        for &record in records {
            if let Some(entry) = self.trace.index.get_mut(record) {
                entry.set_compilation(Some(to));
            }
        }
        let Some(first) = records.first() else { return };
        let Some(old) = self.trace.compilations.get_mut(from) else {
            return;
        };
        let at = old
            .artifacts
            .partition_point(|artifact| artifact.record < *first);
        let moved = old.artifacts.split_off(at);
        if let Some(new) = self.trace.compilations.get_mut(to) {
            new.artifacts = moved;
        }
    }

    fn artifacts_mut(&mut self, compilation: Option<usize>) -> &mut Vec<Artifact> {
        match compilation.and_then(|i| self.trace.compilations.get_mut(i)) {
            Some(compilation) => &mut compilation.artifacts,
            None => &mut self.trace.outside,
        }
    }

    fn artifact(&mut self, current: &Current, bytes: u64, cache: Option<Cache>) {
        let artifact = Artifact {
            record: current.record,
            bytes,
            cache,
        };
        self.artifacts_mut(current.compilation).push(artifact);
        self.note_break(current.record, current.compilation);
    }

    /// Notes of a compilation that its graph broke, where this record says so.
    fn note_break(&mut self, record: SegmentIndex, compilation: Option<usize>) {
        let kind = self.trace.kind_of(record);
        let broke = kind.is_some_and(|kind| kind.name.as_deref() == Some(graph_break::ARTIFACT));
        if let Some(compilation) = compilation.and_then(|i| self.trace.compilations.get_mut(i)) {
            compilation.broke |= broke;
        }
    }
}

fn owned(field: &Field<Cow<'_, str>>) -> Option<String> {
    field.get().map(|text| text.to_string())
}
