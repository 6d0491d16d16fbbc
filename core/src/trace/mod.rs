//! Records → the model: processes, compilations, artifacts, strings, health.
//!
//! [`Builder`] takes the text of a log as it comes; [`Builder::trace`] is what it knows so far. A
//! [`Trace`] holds an index, not the text: what a record says beyond that is read again from the source,
//! by [`Trace::segment`].

mod builder;
pub mod compilation;
mod console;
pub mod health;
pub mod id;
pub mod index;
pub mod names;
mod process;
mod segment;
pub mod stacks;
mod version;

pub use builder::Builder;
pub use process::Process;
pub use segment::{Checksum, Segment};

use alloc::string::String;
use alloc::vec::Vec;
use compilation::{Artifact, Cause, Compilation, CompilationFailure, CompilationKey, Status};
use hashbrown::HashMap;
use health::Health;
use index::{Index, SegmentIndex};
use names::{Kind, Kinds};
use process::Strings;

/// What is known of a log.
#[derive(Debug, Default)]
pub struct Trace {
    /// Where everything lies.
    pub index: Index,
    /// The kinds of records.
    pub kinds: Kinds,
    /// The processes that wrote into the log, in order of appearance.
    pub processes: Vec<Process>,
    /// The compilations, in the order in which they began.
    pub compilations: Vec<Compilation>,
    /// Artifacts that belong to no compilation.
    pub outside: Vec<Artifact>,
    /// What could not be read.
    pub health: Health,
    /// Number of records.
    pub records: u64,
    /// Number of `chromium_event` records.
    pub chromium_events: u64,
    /// Number of records that are messages of `TORCH_LOGS` on the console.
    pub console_messages: u64,
    /// The first line that is no record.
    pub first_text: Option<String>,
    /// How the program reached its compilations.
    pub stacks: stacks::Stacks,
    version: version::Evidence,
    strings: Strings,
    by_key: HashMap<CompilationKey, usize>,
    /// Payloads that go on behind segments of other processes: the record, and the stray segments.
    continued: HashMap<SegmentIndex, Vec<SegmentIndex>>,
}

impl Trace {
    /// The torch version that wrote the log: exact where the log says it (`2.15.0+cu132`), else the
    /// minor version that its records fit (`2.5`), if one does.
    #[must_use]
    pub fn torch_version(&self) -> Option<&str> {
        self.version.version()
    }

    /// A text that a process interned (records of the kind `str`): the name of a file.
    #[must_use]
    pub fn interned(&self, process: u32, id: i64) -> Option<&str> {
        self.strings.get(process, id)
    }

    /// Gives compilations whose function is not said the function of others of the same frame: a frame is one
    /// function, whoever names it.
    fn share_names(&mut self) {
        type Named = (Option<String>, Option<String>, Option<i64>);
        let frame = |key: &CompilationKey| {
            let id = &key.id;
            (
                key.process,
                key.generation,
                id.compiled_autograd_id,
                id.frame_id,
            )
        };
        let mut names: HashMap<_, Named> = HashMap::new();
        for compilation in &self.compilations {
            if compilation.function.is_some() && compilation.key.id.frame_id.is_some() {
                names.entry(frame(&compilation.key)).or_insert_with(|| {
                    let Compilation {
                        function,
                        file,
                        line,
                        ..
                    } = compilation;
                    (function.clone(), file.clone(), *line)
                });
            }
        }
        for compilation in &mut self.compilations {
            if compilation.function.is_none()
                && compilation.file.is_none()
                && let Some((function, file, line)) = names.get(&frame(&compilation.key))
            {
                compilation.function.clone_from(function);
                compilation.file.clone_from(file);
                compilation.line = *line;
            }
        }
    }

    /// What a record is; `None` where there is no such record.
    #[must_use]
    pub fn kind_of(&self, record: SegmentIndex) -> Option<&Kind> {
        self.kinds.get(self.index.get(record)?.kind)
    }

    /// A compilation by its name.
    #[must_use]
    pub fn compilation(&self, key: &CompilationKey) -> Option<(usize, &Compilation)> {
        let index = *self.by_key.get(key)?;
        self.compilations
            .get(index)
            .map(|compilation| (index, compilation))
    }

    /// How many generations of ids there are.
    #[must_use]
    pub fn generations(&self) -> u32 {
        self.processes
            .iter()
            .map(|process| process.generation + 1)
            .max()
            .unwrap_or(1)
    }

    /// All failures, with their compilations.
    pub fn failures(&self) -> impl Iterator<Item = (&Compilation, &CompilationFailure)> {
        self.compilations
            .iter()
            .flat_map(|c| c.failures.iter().map(move |failure| (c, failure)))
    }

    /// Compilations by how they ended, those that occur.
    #[must_use]
    pub fn by_status(&self) -> Vec<(Status, u32)> {
        let all = [
            Status::Ok,
            Status::GraphBreak,
            Status::Empty,
            Status::Error,
            Status::NoMetrics,
        ];
        all.into_iter()
            .map(|status| {
                (
                    status,
                    self.compilations
                        .iter()
                        .filter(|c| c.status() == status)
                        .count(),
                )
            })
            .filter(|(_, count)| *count > 0)
            .map(|(status, count)| (status, u32::try_from(count).unwrap_or(u32::MAX)))
            .collect()
    }

    /// A compilation's id as it is shown: `[0/1]`, with `process 2` and `generation 3` behind it where
    /// the log has more than one of them, so that it names one compilation only.
    #[must_use]
    pub fn label(&self, key: &CompilationKey) -> String {
        let mut label = alloc::format!("[{}]", key.id);
        if self.processes.len() > 1 {
            label.push_str(&alloc::format!(" proc {}", key.process + 1));
        }
        if self.generations() > 1 {
            label.push_str(&alloc::format!(" gen {}", key.generation + 1));
        }
        label
    }

    /// Bytes of memory that the index takes, roughly.
    #[must_use]
    pub fn memory(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::capacity);
        let compilations: usize = self
            .compilations
            .iter()
            .map(|c| {
                size_of::<Compilation>()
                    + c.artifacts.capacity() * size_of::<Artifact>()
                    + (c.starts.capacity() + c.metrics_records.capacity())
                        * size_of::<SegmentIndex>()
                    + c.restart_reasons
                        .iter()
                        .map(String::capacity)
                        .sum::<usize>()
                    + c.failures
                        .iter()
                        .map(|f| {
                            let cause = match &f.cause {
                                Cause::Exception { kind, file, .. } => text(kind) + text(file),
                                Cause::RecompileLimit => 0,
                            };
                            size_of::<CompilationFailure>() + text(&f.reason) + cause
                        })
                        .sum::<usize>()
                    + text(&c.function)
                    + text(&c.file)
                    + 2 * size_of::<(CompilationKey, usize)>()
            })
            .sum();
        let continued: usize = self
            .continued
            .values()
            .map(|more| {
                size_of::<(SegmentIndex, Vec<SegmentIndex>)>()
                    + more.capacity() * size_of::<SegmentIndex>()
            })
            .sum();
        self.index.memory()
            + continued
            + self.kinds.memory()
            + self.strings.memory()
            + self.stacks.memory()
            + compilations
            + self.outside.capacity() * size_of::<Artifact>()
    }
}
