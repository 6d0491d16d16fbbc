//! How the program reached its compilations: the stacks of all, and that of one.

use crate::engine::protocol::{FrameView, RecordIndex, StackEnd, StackNode, StackTrie};
use crate::text::paths;
use dynascope_core::trace::Trace;
use dynascope_core::trace::compilation::Compilation;
use dynascope_core::trace::stacks::{self, StackFrame};
use std::collections::BTreeMap;

/// How the program reached its compilations.
pub fn stacks(trace: &Trace) -> StackTrie {
    let end = |compilation: &Compilation| StackEnd {
        key: (&compilation.key).into(),
        label: trace.label(&compilation.key),
        status: compilation.status().into(),
    };
    let all = trace.stacks.nodes().iter();
    let dumped = Dumped::of(trace, all.filter_map(|node| trace.stacks.frame(node)));
    let node = |node: &stacks::Node| {
        // Which process a frame is of, its compilations say.
        let process = node
            .compilations
            .first()
            .and_then(|&index| trace.compilations.get(index as usize))
            .map(|compilation| compilation.key.process);
        Some(StackNode {
            parent: node.parent,
            frame: frame(trace.stacks.frame(node)?, &dumped, process),
            ends: node
                .compilations
                .iter()
                .filter_map(|&index| trace.compilations.get(index as usize))
                .map(end)
                .collect(),
            records: node.records.clone(),
        })
    };
    StackTrie {
        nodes: trace.stacks.nodes().iter().filter_map(node).collect(),
        unknown: trace
            .compilations
            .iter()
            .filter(|c| c.stack.is_none())
            .map(end)
            .collect(),
    }
}

/// How the program came to a compilation, outermost frame first.
pub(in crate::engine) fn stack(trace: &Trace, compilation: &Compilation) -> Vec<FrameView> {
    let path = compilation.stack.map(|node| trace.stacks.path(node));
    let path = path.unwrap_or_default();
    let dumped = Dumped::of(trace, path.iter().copied());
    path.into_iter()
        .map(|one| frame(one, &dumped, Some(compilation.key.process)))
        .collect()
}

/// The call that caused a compilation of a function that a file defines: the innermost of the program's own frames that called it.
pub(in crate::engine) fn caller<'a>(
    frames: &'a [FrameView],
    function: Option<&str>,
    file: Option<&str>,
) -> Option<&'a FrameView> {
    // Since 2.5 the function itself stands last, without its source.
    let is_itself = |frame: &FrameView| {
        frame.source.is_none()
            && function == Some(frame.function.as_str())
            && file == frame.file.as_deref()
    };
    let callers = match frames.split_last() {
        Some((last, callers)) if is_itself(last) => callers,
        _ => frames,
    };
    callers.iter().rev().find(|frame| {
        frame
            .file
            .as_deref()
            .is_some_and(|file| !paths::is_framework(file) && !paths::is_generated(file))
    })
}

/// The records that hold files which torch.fx generated.
struct Dumped<'t> {
    /// By the file's name: the process that wrote it, where that is known, and the record.
    files: BTreeMap<&'t str, Vec<(Option<u32>, RecordIndex)>>,
}

impl<'t> Dumped<'t> {
    /// Looks for them where one of the frames lies in such a file.
    fn of<'f>(trace: &'t Trace, mut frames: impl Iterator<Item = &'f StackFrame>) -> Self {
        let mut files = BTreeMap::<&str, Vec<_>>::new();
        if frames.any(|frame| frame.file.as_deref().is_some_and(is_generated)) {
            for (record, entry) in trace.index.iter() {
                let kind = trace.kinds.get(entry.kind);
                let Some(name) = kind
                    .filter(|kind| kind.kind == "dump_file")
                    .and_then(|kind| kind.name.as_deref())
                else {
                    continue;
                };
                let process = entry
                    .compilation()
                    .and_then(|index| trace.compilations.get(index))
                    .map(|compilation| compilation.key.process);
                let file = files.entry(generated_name(name)).or_default();
                file.push((process, record));
            }
        }
        Dumped { files }
    }

    /// The record that holds a file; each process counts its files for itself.
    fn record(&self, file: &str, process: Option<u32>) -> Option<RecordIndex> {
        let found = self.files.get(generated_name(file))?;
        let same = found.iter().find(|(of, _)| of.is_some() && *of == process);
        same.or(found.first()).map(|(_, record)| *record)
    }
}

fn is_generated(file: &str) -> bool {
    file.starts_with("<eval_with_key>")
}

/// The name of a generated file without where it was generated: `<eval_with_key>.0 from …`.
fn generated_name(file: &str) -> &str {
    file.split_once(" from ").map_or(file, |(name, _)| name)
}

fn frame(frame: &StackFrame, dumped: &Dumped<'_>, process: Option<u32>) -> FrameView {
    let file = frame.file.as_deref();
    FrameView {
        file: file.map(str::to_owned),
        line: frame.line,
        function: frame.function.to_string(),
        source: frame.source.as_deref().map(str::to_owned),
        dumped: file
            .filter(|file| is_generated(file))
            .and_then(|file| dumped.record(file, process)),
    }
}
