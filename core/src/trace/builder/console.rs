//! Console messages → records and compilations.

use super::super::compilation::{Artifact, Cause, Compilation, CompilationFailure, CompilationKey};
use super::super::console::{
    FramePlace, Phase, Step, Subject, Unassigned, is_front_end, logger, name_length, settled,
};
use super::super::id::CompileId;
use super::super::index::{Entry, SegmentIndex};
use super::super::names::KindId;
use super::super::process;
use super::State;
use crate::log::console::{Style, front_of_process};
use crate::log::split::{Message, Tail, Want};
use crate::payload::recompile::heading;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hashbrown::HashMap;

/// How much of a message is looked at where its first line does not tell all.
const READ: usize = 2048;

/// How many compilations are searched for the one that a message without an id speaks of.
const LOOKED_BACK: usize = 1024;

/// How many fronts tell processes apart: what differs from line to line is none.
const MOST_FRONTS: usize = 1024;

/// What is known of the messages that have not ended, and of what they have in common.
#[derive(Debug, Default)]
pub(super) struct Messages {
    open: Vec<OpenMessage>,
    /// The kind of the messages of each logger, by what the prefix says of it.
    loggers: HashMap<Box<[u8]>, KindId>,
    /// What other programs put in front of lines, as numbers from 1.
    fronts: HashMap<Box<[u8]>, u32>,
}

/// A message that has not ended.
#[derive(Debug)]
struct OpenMessage {
    record: SegmentIndex,
    artifact: String,
    origin: String,
    is_limit: bool,
    process: u32,
    compilation: Option<usize>,
    /// The compilation is not known yet: the next one of its function is meant.
    is_unassigned: bool,
}

impl State {
    pub(super) fn console_message(&mut self, message: &Message<'_>) -> (SegmentIndex, Want) {
        let prefix = &message.prefix;
        let text = lossy(message.text());
        let origin = lossy(message.part(&prefix.origin));
        let own = lossy(message.part(&prefix.artifact));
        let artifact: &str = match own.as_ref() {
            "" if prefix.style == Style::Dated => implied_artifact(&text),
            own => own,
        };
        let front = self
            .console
            .front(message.head.get(..prefix.start).unwrap_or_default());
        let process = process::find(
            &mut self.trace.processes,
            &mut self.by_pid,
            prefix.process,
            prefix.rank,
            front,
        );
        self.last_process = process;
        if prefix
            .process
            .is_some_and(|number| number > process::LARGEST_PROCESS_ID)
        {
            self.trace.version.thread_id();
        }
        let (kind, is_artifact) = self.kind_of_message(artifact, &origin, &text, message);
        let id = core::str::from_utf8(message.part(&prefix.id)).ok();
        let (id, attempt) = id.map_or((None, 0), trace_id);
        let mut entry = Entry::new(message.offset, message.line, message.length, kind);
        entry.attempt = u16::try_from(attempt).unwrap_or(u16::MAX);
        let record = self.trace.index.push(entry);
        self.last = Some(record);
        self.open_payload = None;
        self.trace.kinds.count(kind);
        self.trace.records += 1;
        self.trace.console_messages += 1;

        self.note_version(message, &text, artifact, attempt);
        let phase = match artifact {
            "" => Phase::of_message(&text),
            "guards" if text == "GUARDS:" => Phase::Guards,
            "recompiles" | "recompiles_verbose" => Phase::Recompile,
            "bytecode" => Phase::of_bytecode(&text),
            "graph_breaks" => Phase::of_break(&text),
            _ => Phase::Other,
        };
        let compilation = match id {
            Some(id) => self.compilation_of_message(process, id, attempt, phase, &origin),
            None => self.compilation_without_id(process, phase, &origin),
        };
        if let Some(entry) = self.trace.index.get_mut(record) {
            entry.set_compilation(compilation);
        }
        self.take_phase(compilation, phase, &text, record);
        let is_limit = phase == Phase::Limit;
        if !is_artifact && !is_limit {
            return (record, Want::Nothing);
        }
        self.console.open.push(OpenMessage {
            record,
            artifact: artifact.into(),
            origin: origin.into_owned(),
            is_limit,
            process,
            is_unassigned: phase == Phase::Recompile && compilation.is_none(),
            compilation,
        });
        (record, Want::Bytes(READ))
    }

    /// What a message tells of the version. Since 2.3 prefixes are of another form, and tell nothing.
    fn note_version(&mut self, message: &Message<'_>, text: &str, artifact: &str, attempt: u32) {
        if message.prefix.style != Style::Dated {
            return;
        }
        let version = &mut self.trace.version;
        if artifact.starts_with("recompiles") {
            // 2.1 logs a tuple; 2.2 a message.
            version.minor(if text.starts_with('(') { "2.1" } else { "2.2" });
        } else if attempt > 0 {
            version.minor("2.2");
        } else if message.prefix.id.is_empty()
            && matches!(Phase::of_message(text), Phase::StartTracing(place) if !place.contains(':'))
        {
            version.minor("2.0");
        }
    }

    pub(super) fn end_console_message(&mut self, record: SegmentIndex, tail: &Tail<'_>) {
        let place = self
            .console
            .open
            .iter()
            .position(|open| open.record == record);
        let Some(open) = place.map(|place| self.console.open.swap_remove(place)) else {
            return;
        };
        let text = String::from_utf8_lossy(tail.kept);
        if open.is_limit {
            self.limit(&open, &text);
            return;
        }
        if let Some((kind, name)) = settled(&open.artifact, &open.origin, &text) {
            if kind == "dynamo_cpp_guards_str" {
                if text.contains("TREE_GUARD_MANAGER:") {
                    self.trace.version.since_2_4();
                } else {
                    self.trace.version.flat_guards();
                }
            }
            let kind = self.trace.kinds.id(kind, name.as_deref());
            if let Some(entry) = self.trace.index.get_mut(record) {
                self.trace.kinds.recount(entry.kind, kind);
                entry.kind = kind;
            }
        } else if tail.payload_lines < 2 && !self.is_counterpart(record) {
            // A line that says one thing is shown where it stands.
            return;
        }
        if open.is_unassigned {
            self.assume_unassigned(open.process);
            if let Some(process) = self.trace.processes.get_mut(open.process as usize) {
                process.progress.unassigned = Some(Unassigned {
                    record,
                    bytes: tail.payload_bytes,
                    place: place_of(&text),
                });
            }
            return;
        }
        self.add_artifact(record, tail.payload_bytes);
    }

    /// Adds a message to what there is to read of its compilation.
    fn add_artifact(&mut self, record: SegmentIndex, bytes: u64) {
        let artifact = Artifact {
            record,
            bytes,
            cache: None,
        };
        let compilation = self.trace.index.get(record).and_then(Entry::compilation);
        let artifacts = self.artifacts_mut(compilation);
        // Messages end in another order than they begin where processes write between each other.
        let at = artifacts.partition_point(|before| before.record < record);
        artifacts.insert(at, artifact);
        self.note_break(record, compilation);
    }

    /// Whether a message corresponds to a record of another name than its artifact.
    fn is_counterpart(&self, record: SegmentIndex) -> bool {
        let kind = self.trace.index.get(record).map(|entry| entry.kind);
        kind.and_then(|kind| self.trace.kinds.get(kind))
            .is_some_and(Subject::is_counterpart)
    }

    /// The text has ended.
    pub(super) fn end_console(&mut self) {
        for process in 0..self.trace.processes.len() {
            self.assume_unassigned(u32::try_from(process).unwrap_or(u32::MAX));
        }
    }

    /// The kind of a message, and whether there is something to read in it.
    fn kind_of_message(
        &mut self,
        artifact: &str,
        origin: &str,
        text: &str,
        message: &Message<'_>,
    ) -> (KindId, bool) {
        let subject = Subject::of(artifact, origin, text);
        if subject.is_ordinary() {
            let place = message.part(&message.prefix.origin);
            if let Some(kind) = self.console.loggers.get(place) {
                return (*kind, false);
            }
            let kind = self.trace.kinds.id(subject.kind, Some(&logger(origin)));
            self.console.loggers.insert(place.into(), kind);
            return (kind, false);
        }
        let kind = self.trace.kinds.id(subject.kind, subject.name);
        (kind, subject.is_artifact)
    }

    /// The compilation that a message with an id belongs to.
    fn compilation_of_message(
        &mut self,
        process: u32,
        id: CompileId,
        attempt: u32,
        phase: Phase<'_>,
        origin: &str,
    ) -> Option<usize> {
        let state = self.trace.processes.get_mut(process as usize)?;
        let known = state.latest.get(&id).copied();
        let mut begins = known.is_none();
        let is_front_end = is_front_end(origin) || phase.step() == Step::First;
        if is_front_end && state.progress.begins_generation(id, attempt, phase.step()) {
            state.generation += 1;
        }
        let generation = state.generation;
        let generation_of = |i: usize| self.trace.compilations.get(i).map(|c| c.key.generation);
        begins |= is_front_end
            && known
                .and_then(generation_of)
                .is_some_and(|g| g < generation);
        let compilation = match known.filter(|_| !begins) {
            Some(known) => known,
            None => {
                let key = CompilationKey {
                    process,
                    generation,
                    id,
                };
                let index = self.open_compilation(key)?;
                if id.frame_compile_id.is_some_and(|id| id > 0) {
                    self.assign_to(process, index);
                } else {
                    self.assume_unassigned(process);
                }
                index
            }
        };
        let known = self.trace.compilations.get_mut(compilation)?;
        known.attempts = known.attempts.max(attempt.saturating_add(1));
        Some(compilation)
    }

    fn open_compilation(&mut self, key: CompilationKey) -> Option<usize> {
        let index = self.trace.compilations.len();
        let mut compilation = Compilation::new(key);
        compilation.is_console = true;
        self.trace.compilations.push(compilation);
        self.trace.by_key.insert(key, index);
        let state = self.trace.processes.get_mut(key.process as usize)?;
        state.latest.insert(key.id, index);
        Some(index)
    }

    /// The compilation that a message without an id belongs to: torch 2.0 writes none, and begins each with
    /// the first step.
    fn compilation_without_id(
        &mut self,
        process: u32,
        phase: Phase<'_>,
        origin: &str,
    ) -> Option<usize> {
        if let Phase::StartTracing(place) = phase {
            let place = function_and_place(place);
            let place = FramePlace {
                function: place.0.to_string(),
                file: place.1.unwrap_or_default().to_string(),
                line: place.2.unwrap_or(0),
            };
            if self.starts_again(process, &place) {
                return self
                    .trace
                    .processes
                    .get(process as usize)?
                    .progress
                    .without_id;
            }
            let compilation = self.assumed_compilation(process, place, 0)?;
            let state = self.trace.processes.get_mut(process as usize)?;
            state.progress.without_id = Some(compilation);
        }
        let state = self.trace.processes.get_mut(process as usize)?;
        state.progress.restarts |= matches!(phase, Phase::Restart(_));
        state
            .progress
            .without_id
            .filter(|_| origin.contains("_dynamo") || origin.contains("_inductor"))
    }

    /// Whether tracing of a frame is one more attempt of the compilation that messages without ids belong to, which
    /// is counted then.
    fn starts_again(&mut self, process: u32, place: &FramePlace) -> bool {
        let Some(state) = self.trace.processes.get_mut(process as usize) else {
            return false;
        };
        let restarts = core::mem::take(&mut state.progress.restarts);
        let known = state
            .progress
            .without_id
            .and_then(|known| self.trace.compilations.get_mut(known));
        let Some(known) = known.filter(|known| {
            restarts
                && known.function.as_ref() == Some(&place.function)
                && known.file.as_deref().unwrap_or_default() == place.file
                && known.line.unwrap_or(0) == place.line
        }) else {
            return false;
        };
        known.attempts = known.attempts.saturating_add(1);
        true
    }

    /// A compilation whose id the log does not hold: the next one of that frame, from `first` on.
    fn assumed_compilation(
        &mut self,
        process: u32,
        place: FramePlace,
        first: u32,
    ) -> Option<usize> {
        let key = match self.next_of_frame(process, &place) {
            Some(key) => key,
            None => {
                let state = self.trace.processes.get_mut(process as usize)?;
                CompilationKey {
                    process,
                    generation: state.generation,
                    id: state.progress.assume(&place, first),
                }
            }
        };
        let FramePlace {
            function,
            file,
            line,
        } = place;
        let index = self.open_compilation(key)?;
        let compilation = self.trace.compilations.get_mut(index)?;
        compilation.function = Some(function);
        compilation.file = Some(file).filter(|file| !file.is_empty());
        compilation.line = Some(line).filter(|line| *line > 0);
        Some(index)
    }

    /// The name of a frame's next compilation, where an id of the frame is known: ids count up.
    fn next_of_frame(&self, process: u32, place: &FramePlace) -> Option<CompilationKey> {
        let state = self.trace.processes.get(process as usize)?;
        let of_frame = |known: &&Compilation| {
            known.key.process == process
                && known.key.generation == state.generation
                && !known.key.id.is_assumed()
                && known.function.as_ref() == Some(&place.function)
                && known.file.as_ref() == Some(&place.file)
                && known.line == Some(place.line)
        };
        // Frames that are compiled again were compiled not long ago.
        let known = self
            .trace
            .compilations
            .iter()
            .rev()
            .take(LOOKED_BACK)
            .find(of_frame)?;
        let next = known.key.id.frame_compile_id?.saturating_add(1);
        let id = CompileId {
            frame_compile_id: Some(next),
            ..known.key.id
        };
        (!state.latest.contains_key(&id)).then_some(CompilationKey { id, ..known.key })
    }

    /// Takes what a message tells of its compilation.
    fn take_phase(
        &mut self,
        compilation: Option<usize>,
        phase: Phase<'_>,
        text: &str,
        record: SegmentIndex,
    ) {
        let place = match phase {
            Phase::StartCompiling(place) | Phase::StartTracing(place) => function_and_place(place),
            Phase::Recompile => match heading(text) {
                Some(heading) => (
                    heading.function,
                    Some(heading.file),
                    Some(i64::from(heading.line)),
                ),
                None => return,
            },
            Phase::Bytecode(function, file, line) => (function, Some(file), Some(line)),
            Phase::Restart(reason) => {
                if let Some(known) = compilation.and_then(|i| self.trace.compilations.get_mut(i)) {
                    known.restart_reasons.push(reason.to_string());
                }
                return;
            }
            _ => return,
        };
        let Some(known) = compilation.and_then(|i| self.trace.compilations.get_mut(i)) else {
            return;
        };
        if matches!(phase, Phase::StartTracing(_)) {
            known.starts.push(record);
        }
        if known.function.is_none() {
            known.function = Some(place.0.to_string());
        }
        if known.file.is_none() {
            known.file = place.1.map(ToString::to_string);
            known.line = place.2;
        }
    }

    /// Gives a compilation the reason that was written before its id was known.
    fn assign_to(&mut self, process: u32, compilation: usize) {
        let Some(state) = self.trace.processes.get_mut(process as usize) else {
            return;
        };
        let Some(unassigned) = state.progress.unassigned.take() else {
            return;
        };
        if let Some(entry) = self.trace.index.get_mut(unassigned.record) {
            entry.set_compilation(Some(compilation));
        }
        if let (Some(known), Some(place)) = (
            self.trace.compilations.get_mut(compilation),
            unassigned.place,
        ) && known.function.is_none()
        {
            known.function = Some(place.function);
            known.file = Some(place.file);
            known.line = Some(place.line);
        }
        self.add_artifact(unassigned.record, unassigned.bytes);
    }

    /// A reason for which no compilation with an id came: it gets one whose id is made up.
    fn assume_unassigned(&mut self, process: u32) -> Option<usize> {
        let state = self.trace.processes.get_mut(process as usize)?;
        let unassigned = state.progress.unassigned.as_mut()?;
        let place = unassigned.place.take();
        let Some(place) = place else {
            let unassigned = state.progress.unassigned.take()?;
            self.add_artifact(unassigned.record, unassigned.bytes);
            return None;
        };
        // The frame's first compilation needed no reason.
        let compilation = self.assumed_compilation(process, place, 1)?;
        self.assign_to(process, compilation);
        Some(compilation)
    }

    /// The frame hit the recompile limit: it runs without being compiled from here on.
    fn limit(&mut self, open: &OpenMessage, text: &str) {
        let compilation = open
            .compilation
            .or_else(|| self.assume_unassigned(open.process));
        let Some(known) = compilation.and_then(|i| self.trace.compilations.get_mut(i)) else {
            return;
        };
        known.failures.push(CompilationFailure {
            cause: Cause::RecompileLimit,
            reason: Some(text.to_string()),
            record: open.record,
        });
    }
}

impl Messages {
    /// A number for what other programs put in front of a line; 0 where there is nothing.
    fn front(&mut self, front: &[u8]) -> u32 {
        if front.is_empty() {
            return 0;
        }
        let front = front_of_process(front);
        if front.is_empty() {
            return 0;
        }
        if self.fronts.len() >= MOST_FRONTS {
            return self.fronts.get(front.as_slice()).copied().unwrap_or(0);
        }
        let next = u32::try_from(self.fronts.len() + 1).unwrap_or(u32::MAX);
        *self.fronts.entry(front.into()).or_insert(next)
    }
}

/// Text, which nearly always is UTF-8.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match core::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// The artifact that torch 2.0, which has none, means.
fn implied_artifact(text: &str) -> &'static str {
    const IMPLIED: [(&str, &str); 5] = [
        ("GUARDS:", "guards"),
        ("TRACED GRAPH", "graph"),
        ("ORIGINAL BYTECODE", "bytecode"),
        ("MODIFIED BYTECODE", "bytecode"),
        ("Graph break: ", "graph_breaks"),
    ];
    IMPLIED
        .iter()
        .find(|(start, _)| text.starts_with(start))
        .map_or("", |(_, artifact)| artifact)
}

/// Reads `0/1_2`: the id and the attempt.
fn trace_id(text: &str) -> (Option<CompileId>, u32) {
    let (id, attempt) = match text.split_once('_') {
        Some((id, attempt)) => (id, attempt.parse().unwrap_or(0)),
        None => (text, 0),
    };
    (CompileId::parse(id), attempt)
}

/// Reads `FUNCTION FILE:LINE`, or the function alone.
fn function_and_place(text: &str) -> (&str, Option<&str>, Option<i64>) {
    let text = text.lines().next().unwrap_or_default().trim_end();
    let blank = name_length(text);
    let (Some(function), Some(place)) = (
        blank.and_then(|at| text.get(..at)),
        blank.and_then(|at| text.get(at + 1..)),
    ) else {
        return (text, None, None);
    };
    match place.rsplit_once(':') {
        Some((file, line)) => (function, Some(file), line.parse().ok()),
        None => (function, Some(place), None),
    }
}

fn place_of(message: &str) -> Option<FramePlace> {
    let heading = heading(message)?;
    Some(FramePlace {
        function: heading.function.into(),
        file: heading.file.into(),
        line: i64::from(heading.line),
    })
}
