//! What is taken from the metadata of a record of a trace, and what is to be made of its payload.

use super::super::compilation::MetricsKind;
use super::super::health::{Health, Problem};
use super::super::index::SegmentIndex;
use super::super::process::Lead;
use super::{Current, Reading, State};
use crate::log::envelope::{Envelope, Interned, Kind, Metadata};
use crate::log::field::Record;
use crate::log::metadata;
use alloc::string::{String, ToString};

impl State {
    /// Takes what the metadata of a record says; tells what is to be made of its payload.
    pub(super) fn read_metadata(
        &mut self,
        envelope: &Envelope<'_>,
        process: u32,
        compilation: Option<usize>,
        record: SegmentIndex,
    ) -> Reading {
        let kind = envelope.kind.as_ref();
        let metadata = &envelope.metadata;
        if let Some(metrics_kind) = MetricsKind::of_kind(kind) {
            let trace = &mut self.trace;
            metadata.read::<metadata::CompilationMetrics, _>(|metrics| {
                note_wrong(&mut trace.health, metrics.wrong_members(), record);
                trace.version.metrics(&metrics);
                if let Some(compilation) = compilation.and_then(|i| trace.compilations.get_mut(i)) {
                    compilation.add_metrics(metrics_kind, &metrics, record);
                }
            });
            return self.payload_reading(envelope);
        }
        match kind {
            "chromium_event" => {
                self.trace.chromium_events += 1;
                return Reading::Event;
            }
            "str" => self.intern(metadata, process, record),
            "dynamo_start" => self.start(metadata, process, compilation, record),
            "describe_storage" => {
                self.check_members::<metadata::DescribeStorage<'static>>(metadata, record);
            }
            "describe_tensor" => {
                self.check_members::<metadata::DescribeTensor<'static>>(metadata, record);
            }
            "describe_source" => {
                self.check_members::<metadata::DescribeSource<'static>>(metadata, record);
            }
            "inductor_output_code" => {
                self.check_members::<metadata::OutputCode<'static>>(metadata, record);
            }
            "dynamo_guards" => self.trace.version.flat_guards(),
            "dynamo_cpp_guards_str" => self.trace.version.since_2_4(),
            _ => {}
        }
        self.payload_reading(envelope)
    }

    /// Notes where in the program a record outside any compilation was logged.
    pub(super) fn outside_stack(
        &mut self,
        stack: &Metadata<'_>,
        process: u32,
        record: SegmentIndex,
    ) {
        let trace = &mut self.trace;
        stack.read::<metadata::Stack<'static>, _>(|stack| {
            let strings = &trace.strings;
            let file_of =
                |frame: &metadata::Frame<'_>| strings.get(process, *frame.filename.get()?);
            if let Some(node) = trace.stacks.insert(&stack.0.items, file_of) {
                trace.stacks.record(node, record);
            }
        });
    }

    /// Notes the event that says that Dynamo begins with an id, since 2.6: it stands before `dynamo_start`.
    pub(super) fn event(&mut self, current: &Current, head: &[u8]) {
        let (Some(id), Some(process)) = (
            current.id,
            self.trace.processes.get_mut(current.process as usize),
        ) else {
            return;
        };
        let begins = memchr::memmem::find(head, b"\"name\": \"dynamo\"").is_some()
            && memchr::memmem::find(head, b"\"ph\": \"B\"").is_some();
        if begins {
            process.lead = Some(Lead {
                id,
                records: [current.record].to_vec(),
            });
        }
    }

    fn payload_reading(&self, envelope: &Envelope<'_>) -> Reading {
        if !envelope.announces_payload() {
            // Links and metrics are read for what they say themselves.
            let own = envelope.kind == "link" || MetricsKind::of_kind(&envelope.kind).is_some();
            return if own {
                Reading::Metadata
            } else {
                Reading::Nothing
            };
        }
        if envelope.kind.is_empty() {
            return Reading::Nothing;
        }
        if envelope.kind != "artifact" {
            return Reading::Artifact;
        }
        envelope.metadata.read::<metadata::Artifact, _>(|artifact| {
            match artifact.name.get().map(AsRef::as_ref) {
                Some("torch_version") => Reading::TorchVersion,
                Some(name) if name.ends_with("_cache_hash") => Reading::CacheHash,
                _ => Reading::Artifact,
            }
        })
    }

    fn check_members<T>(&mut self, metadata: &Metadata<'_>, record: SegmentIndex)
    where
        T: Kind,
        for<'x> T::Of<'x>: Record,
    {
        let wrong = metadata.read::<T, _>(|read| Record::wrong_count(&read));
        for _ in 0..wrong {
            self.trace.health.note(Problem::WrongType, record);
        }
    }

    fn intern(&mut self, metadata: &Metadata<'_>, process: u32, record: SegmentIndex) {
        let trace = &mut self.trace;
        metadata.read::<Interned<'static>, _>(|interned| match (interned.text, interned.id) {
            (Some(text), Some(id)) => trace.strings.insert(process, id, &text),
            _ => trace.health.note(Problem::WrongType, record),
        });
    }

    fn start(
        &mut self,
        metadata: &Metadata<'_>,
        process: u32,
        compilation: Option<usize>,
        record: SegmentIndex,
    ) {
        let trace = &mut self.trace;
        metadata.read::<metadata::DynamoStart<'static>, _>(|start| {
            note_wrong(&mut trace.health, start.wrong_members(), record);
            for frame in &start.stack.items {
                note_wrong(&mut trace.health, frame.wrong_members(), record);
            }
            let strings = &trace.strings;
            let node = trace.stacks.insert(&start.stack.items, |frame| {
                strings.get(process, *frame.filename.get()?)
            });
            if let (Some(node), Some(compilation)) = (node, compilation) {
                trace.stacks.end(node, compilation);
            }
            let Some(compilation) = compilation.and_then(|i| trace.compilations.get_mut(i)) else {
                return;
            };
            compilation.starts.push(record);
            compilation.stack = compilation.stack.or(node);
            // Since 2.5 the last frame is the function itself; before, the stack ends in the frames that
            // called it, those of Dynamo's own entry last.
            let Some(own) = start
                .stack
                .items
                .last()
                .filter(|frame| !frame.loc.is_present())
            else {
                return;
            };
            let file = own
                .filename
                .get()
                .and_then(|id| trace.strings.get(process, *id));
            if file.is_some_and(is_entry_of_dynamo) || compilation.function.is_some() {
                return;
            }
            if trace
                .processes
                .get(process as usize)
                .is_some_and(|process| process.pid.is_none())
            {
                return;
            }
            compilation.function = own.name.get().map(|name| name.to_string());
            compilation.file = file.map(String::from);
            compilation.line = own.line.get().copied();
        });
    }
}

fn note_wrong(
    health: &mut Health,
    wrong: impl Iterator<Item = &'static str>,
    record: SegmentIndex,
) {
    for _ in wrong {
        health.note(Problem::WrongType, record);
    }
}

fn is_entry_of_dynamo(file: &str) -> bool {
    [
        "torch/_dynamo/eval_frame.py",
        "torch/_dynamo/convert_frame.py",
    ]
    .iter()
    .any(|entry| file.ends_with(entry))
}
