//! Questions → view models: what each view shows, made of a log's trace and its source.
//!
//! Nothing here knows a browser; it is tested natively. Payloads as text are made in [`super::texts`],
//! since they are read in steps.

use super::protocol::{
    ArtifactRow, Cache, Checksum, Column, CompilationKey, CompilationPage, CompilationRow,
    CompilationView, Direction, EvidenceRow, FailureView, FrameCompilation, FrameView, Hit, LogId,
    MAX_OF_FRAME, Overview, ProblemRow, RecordIndex, RecordPage, RecordRow, RecordView, Sort,
    StackEnd, StackNode, StackTrie, Status,
};
use crate::text::phases::{self, GUARDS};
use crate::text::{no_compilation, no_record};
use dynascope_core::analysis::recompiles::FrameKey;
use dynascope_core::analysis::search;
use dynascope_core::log::json;
use dynascope_core::log::metadata::Named;
use dynascope_core::source::Source;
use dynascope_core::trace::compilation::{self as core, Artifact, Cause, Compilation, Failure};
use dynascope_core::trace::health::Found;
use dynascope_core::trace::id::CompileId;
use dynascope_core::trace::index::Entry;
use dynascope_core::trace::names::is_record;
use dynascope_core::trace::stacks::{self, StackFrame};
use dynascope_core::trace::{self, Trace};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The run's facts.
pub fn overview(trace: &Trace) -> Overview {
    let all = &trace.compilations;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let frames: BTreeSet<FrameKey> = all.iter().map(FrameKey::of).collect();
    let mut caches = [0u32; 3];
    for artifact in all.iter().flat_map(|c| &c.artifacts).chain(&trace.outside) {
        if let Some(slot) = artifact
            .cache
            .and_then(|cache| caches.get_mut(cache as usize))
        {
            *slot += 1;
        }
    }
    let [cache_hits, cache_misses, cache_bypasses] = caches;
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for kind in trace.kinds.records() {
        *kinds.entry(&kind.kind).or_default() += kind.count;
    }
    let mut kinds: Vec<(String, u64)> = kinds
        .into_iter()
        .map(|(kind, count)| (kind.to_owned(), count))
        .collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let seconds: Vec<f64> = all.iter().filter_map(Compilation::seconds).collect();
    Overview {
        torch_version: trace.torch_version().map(str::to_owned),
        ranks: trace
            .processes
            .iter()
            .filter_map(|p| p.rank)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
        processes: count(trace.processes.len()),
        generations: trace.generations(),
        frames: count(frames.len()),
        compilations: count(all.len()),
        by_status: trace
            .by_status()
            .into_iter()
            .map(|(status, count)| (status.into(), count))
            .collect(),
        attempts: all.iter().map(|c| c.attempts).fold(0, u32::saturating_add),
        restarts: all.iter().map(restarts).fold(0, u32::saturating_add),
        recompiles: count(all.iter().filter(|c| c.is_recompile()).count()),
        failures: count(
            all.iter()
                .filter(|c| c.status() == core::Status::Error)
                .count(),
        ),
        compile_seconds: (!seconds.is_empty()).then(|| seconds.iter().sum()),
        cache_hits,
        cache_misses,
        cache_bypasses,
        chromium_events: trace.chromium_events,
        records: trace.records,
        console_messages: trace.console_messages,
        outside_artifacts: count(trace.outside.len()),
        kinds,
        problems: problems(trace),
        graph_breaks: trace
            .kinds
            .records()
            .filter(|kind| kind.title() == phases::GRAPH_BREAK)
            .map(|kind| kind.count)
            .sum(),
    }
}

/// Attempts that were given up: as many as the metrics give reasons for, or as the log shows.
fn restarts(compilation: &Compilation) -> u32 {
    let reasons = u32::try_from(compilation.restart_reasons.len()).unwrap_or(u32::MAX);
    reasons.max(compilation.attempts - 1)
}

/// The compilations that a filter leaves, in the order asked for, as indexes into the trace's.
pub fn order(trace: &Trace, sort: Sort, filter: &str) -> Vec<u32> {
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let matches = |compilation: &Compilation| {
        if words.is_empty() {
            return true;
        }
        let row = format!(
            "{} {} {}:{} {}",
            trace.label(&compilation.key),
            compilation.function.as_deref().unwrap_or_default(),
            compilation.file.as_deref().unwrap_or_default(),
            compilation.line.unwrap_or_default(),
            compilation.status().name(),
        )
        .to_lowercase();
        words.iter().all(|word| row.contains(word.as_str()))
    };
    let mut order: Vec<(u32, &Compilation)> = (0u32..)
        .zip(&trace.compilations)
        .filter(|(_, compilation)| matches(compilation))
        .collect();
    order.sort_by(|(i, a), (j, b)| {
        let ordering = compare(sort, a, b);
        // Rows without a difference keep the order in which they began.
        ordering.then(i.cmp(j))
    });
    order.into_iter().map(|(index, _)| index).collect()
}

fn compare(sort: Sort, a: &Compilation, b: &Compilation) -> Ordering {
    let by = |a: Option<f64>, b: Option<f64>| directed(sort.direction, a, b, |a, b| a.total_cmp(b));
    let number = |n: Option<i64>| n.map(|n| n as f64);
    match sort.column {
        // The order of the trace is that in which compilations began.
        Column::Id if sort.direction == Direction::Ascending => Ordering::Equal,
        Column::Id => compare_keys(&b.key, &a.key),
        Column::Function => directed(
            sort.direction,
            a.function.as_ref(),
            b.function.as_ref(),
            Ord::cmp,
        ),
        Column::Place => {
            let place = |c: &Compilation| c.file.clone().map(|file| (file, c.line));
            directed(sort.direction, place(a), place(b), Ord::cmp)
        }
        Column::Status => directed(sort.direction, Some(a.status()), Some(b.status()), Ord::cmp),
        Column::Attempts => by(Some(f64::from(a.attempts)), Some(f64::from(b.attempts))),
        Column::Ops => by(
            number(a.metrics.and_then(|m| m.ops)),
            number(b.metrics.and_then(|m| m.ops)),
        ),
        Column::Guards => by(
            number(a.metrics.and_then(|m| m.guards)),
            number(b.metrics.and_then(|m| m.guards)),
        ),
        Column::Seconds => by(a.seconds(), b.seconds()),
    }
}

fn compare_keys(a: &core::CompilationKey, b: &core::CompilationKey) -> Ordering {
    (a.process, a.generation, a.id).cmp(&(b.process, b.generation, b.id))
}

/// Compares in a direction; what is absent comes last in both.
fn directed<T>(
    direction: Direction,
    a: Option<T>,
    b: Option<T>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Ordering {
    match (&a, &b) {
        (Some(a), Some(b)) if direction == Direction::Ascending => compare(a, b),
        (Some(a), Some(b)) => compare(b, a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// A stretch of the table.
pub fn compilations(trace: &Trace, order: &[u32], first: u32, count: u32) -> CompilationPage {
    let rows = order
        .iter()
        .skip(first as usize)
        .take(count as usize)
        .filter_map(|&index| trace.compilations.get(index as usize))
        .map(|compilation| row(trace, compilation))
        .collect();
    CompilationPage {
        total: u32::try_from(trace.compilations.len()).unwrap_or(u32::MAX),
        matching: u32::try_from(order.len()).unwrap_or(u32::MAX),
        first,
        rows,
    }
}

pub(super) fn row(trace: &Trace, compilation: &Compilation) -> CompilationRow {
    CompilationRow {
        key: (&compilation.key).into(),
        label: trace.label(&compilation.key),
        function: compilation.function.clone(),
        file: compilation.file.clone(),
        line: compilation.line,
        status: compilation.status().into(),
        attempts: compilation.attempts,
        ops: compilation.metrics.and_then(|metrics| metrics.ops),
        guards: compilation.metrics.and_then(|metrics| metrics.guards),
        seconds: compilation.seconds(),
        is_console: compilation.is_console,
    }
}

/// One compilation's page.
pub fn compilation(
    trace: &Trace,
    source: &dyn Source,
    key: &CompilationKey,
) -> Result<CompilationView, String> {
    let found = core_key(key).and_then(|key| trace.compilation(&key));
    let Some((index, compilation)) = found else {
        return Err(no_compilation(&key.id));
    };
    let beside = |index: Option<usize>| {
        let compilation = trace.compilations.get(index?)?;
        Some(((&compilation.key).into(), trace.label(&compilation.key)))
    };
    let (of_frame, of_frame_total) = of_frame(trace, index, compilation);
    Ok(CompilationView {
        row: row(trace, compilation),
        stack: stack(trace, compilation),
        failures: compilation.failures.iter().map(failure_view).collect(),
        restart_reasons: compilation.restart_reasons.clone(),
        artifacts: artifacts(trace, source, &compilation.artifacts)?,
        evidence: evidence(trace, compilation),
        previous: beside(index.checked_sub(1)),
        next: beside(index.checked_add(1)),
        of_frame,
        of_frame_total,
        guards: guards_of(trace, compilation).map(|(guards, _)| guards.record),
    })
}

fn failure_view(failure: &Failure) -> FailureView {
    let (kind, file, line) = match &failure.cause {
        Cause::Exception { kind, file, line } => (kind.clone(), file.clone(), *line),
        Cause::RecompileLimit => (None, None, None),
    };
    FailureView {
        kind,
        reason: failure.reason.clone(),
        file,
        line,
        record: failure.record,
    }
}

/// The compilations of a compilation's frame, those around it, and how many there are.
pub(super) fn of_frame(
    trace: &Trace,
    index: usize,
    compilation: &Compilation,
) -> (Vec<FrameCompilation>, u32) {
    let own = FrameKey::of(compilation);
    let is_same = |(at, other): &(usize, &Compilation)| {
        // What has no frame, as the capture of a compiled autograd graph, stands alone.
        *at == index || (own.frame_id.is_some() && FrameKey::of(other) == own)
    };
    let all: Vec<(usize, &Compilation)> = trace
        .compilations
        .iter()
        .enumerate()
        .filter(is_same)
        .collect();
    let place = all.iter().position(|(at, _)| *at == index).unwrap_or(0);
    let first = place
        .saturating_sub(MAX_OF_FRAME / 2)
        .min(all.len().saturating_sub(MAX_OF_FRAME));
    let shown = all
        .iter()
        .skip(first)
        .take(MAX_OF_FRAME)
        .map(|(_, compilation)| FrameCompilation {
            key: (&compilation.key).into(),
            label: trace.label(&compilation.key),
            status: compilation.status().into(),
        });
    (
        shown.collect(),
        u32::try_from(all.len()).unwrap_or(u32::MAX),
    )
}

/// A compilation's guards, the last ones that it wrote, and whether they are JSON: the tree where there is one.
pub(super) fn guards_of(trace: &Trace, compilation: &Compilation) -> Option<(Artifact, bool)> {
    let last = |name: &str| {
        let is_it = |artifact: &&Artifact| {
            let kind = trace.kind_of(artifact.record);
            kind.is_some_and(|kind| kind.title() == name)
        };
        compilation.artifacts.iter().rfind(is_it).copied()
    };
    // Where there is a tree, the list is `[]` or missing.
    let [list, tree] = GUARDS;
    let tree = last(tree).map(|artifact| (artifact, false));
    tree.or_else(|| Some((last(list).filter(|artifact| artifact.bytes > 2)?, true)))
}

fn stack(trace: &Trace, compilation: &Compilation) -> Vec<FrameView> {
    let path = compilation.stack.map(|node| trace.stacks.path(node));
    let path = path.unwrap_or_default();
    let dumped = Dumped::of(trace, path.iter().copied());
    path.into_iter()
        .map(|one| frame(one, &dumped, Some(compilation.key.process)))
        .collect()
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

/// The records that a filter leaves, in the order of the file; only of those in `among`, where that is said.
pub fn matching_records(
    trace: &Trace,
    filter: &str,
    among: Option<&[RecordIndex]>,
) -> Vec<RecordIndex> {
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let matches = |entry: &Entry| {
        if words.is_empty() {
            return true;
        }
        let kind = trace.kinds.get(entry.kind);
        let id = entry
            .compilation()
            .and_then(|index| trace.compilations.get(index));
        let text = format!(
            "{} {} {}",
            kind.map_or("", |kind| kind.kind.as_str()),
            kind.and_then(|kind| kind.name.as_deref())
                .unwrap_or_default(),
            id.map(|compilation| trace.label(&compilation.key))
                .unwrap_or_default(),
        )
        .to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    match among {
        Some(among) => among
            .iter()
            .copied()
            .filter(|&index| trace.index.get(index).is_some_and(matches))
            .collect(),
        None => trace
            .index
            .iter()
            .filter(|(_, entry)| matches(entry))
            .map(|(index, _)| index)
            .collect(),
    }
}

/// A stretch of the table of all records. Only its rows are read again, for time and origin.
pub fn records(
    trace: &Trace,
    source: &dyn Source,
    matching: &[RecordIndex],
    first: u32,
    count: u32,
) -> Result<RecordPage, String> {
    let shown = matching.iter().skip(first as usize).take(count as usize);
    let rows: Result<Vec<_>, _> = shown
        .map(|&index| record_row(trace, source, index))
        .collect();
    Ok(RecordPage {
        total: u32::try_from(trace.index.len()).unwrap_or(u32::MAX),
        matching: u32::try_from(matching.len()).unwrap_or(u32::MAX),
        first,
        rows: rows?,
    })
}

fn record_row(trace: &Trace, source: &dyn Source, index: RecordIndex) -> Result<RecordRow, String> {
    let missing = || no_record(index);
    let entry = trace.index.get(index).ok_or_else(missing)?;
    let range = trace.index.range(index).ok_or_else(missing)?;
    let segment = trace
        .segment(source, index)
        .map_err(sentence)?
        .ok_or_else(missing)?;
    let kind = trace.kinds.get(entry.kind);
    let part = |range: &std::ops::Range<usize>| {
        String::from_utf8_lossy(segment.head.get(range.clone()).unwrap_or_default()).into_owned()
    };
    // A console message names its logger where it names no place.
    let (time, origin) = match (&segment.prefix, &segment.message) {
        (Some(prefix), _) => (
            part(&prefix.time),
            format!("{}:{}", part(&prefix.path), part(&prefix.lineno)),
        ),
        (None, Some(message)) if message.lineno.is_empty() => {
            (part(&message.time), part(&message.origin))
        }
        (None, Some(message)) => (
            part(&message.time),
            format!("{}:{}", part(&message.origin), part(&message.lineno)),
        ),
        (None, None) => Default::default(),
    };
    Ok(RecordRow {
        record: index,
        line: u64::from(entry.line) + 1,
        time,
        kind: kind.map(|kind| kind.kind.clone()).unwrap_or_default(),
        name: kind.and_then(|kind| kind.name.clone()),
        compilation: compilation_of(trace, index),
        attempt: u32::from(entry.attempt),
        origin,
        bytes: range.end - range.start,
    })
}

fn evidence(trace: &Trace, compilation: &Compilation) -> Vec<EvidenceRow> {
    let mut records: Vec<_> = compilation
        .starts
        .iter()
        .chain(&compilation.metrics_records)
        .copied()
        .collect();
    records.sort_unstable();
    let row = |record: RecordIndex| {
        let entry = trace.index.get(record)?;
        Some(EvidenceRow {
            record,
            kind: trace.kinds.get(entry.kind)?.kind.clone(),
            attempt: u32::from(entry.attempt),
            line: u64::from(entry.line) + 1,
        })
    };
    records.into_iter().filter_map(row).collect()
}

/// Artifacts as rows. Only links are read again, for where they point.
pub fn artifacts(
    trace: &Trace,
    source: &dyn Source,
    artifacts: &[Artifact],
) -> Result<Vec<ArtifactRow>, String> {
    let mut rows = Vec::new();
    for artifact in artifacts {
        let Some(entry) = trace.index.get(artifact.record) else {
            continue;
        };
        let Some(kind) = trace.kinds.get(entry.kind) else {
            continue;
        };
        let url = if kind.kind == "link" {
            link(trace, source, artifact.record)?
        } else {
            None
        };
        rows.push(ArtifactRow {
            record: artifact.record,
            name: kind.title().to_owned(),
            attempt: u32::from(entry.attempt),
            bytes: artifact.bytes,
            cache: artifact.cache.map(Into::into),
            line: u64::from(entry.line) + 1,
            url,
        });
    }
    Ok(rows)
}

fn link(trace: &Trace, source: &dyn Source, record: RecordIndex) -> Result<Option<String>, String> {
    let Some(segment) = trace.segment(source, record).map_err(sentence)? else {
        return Ok(None);
    };
    Ok(segment
        .envelope()
        .metadata
        .read::<Named<'static>, _>(|link| link.url.get().map(|url| url.to_string())))
}

/// What could not be read.
pub fn problems(trace: &Trace) -> Vec<ProblemRow> {
    let example =
        |&record: &RecordIndex| Some((u64::from(trace.index.get(record)?.line) + 1, record));
    let row = |found: &Found| ProblemRow {
        name: found.name().to_owned(),
        meaning: found.meaning().to_owned(),
        count: found.count,
        examples: found.examples.iter().filter_map(example).collect(),
    };
    trace.health.found().into_iter().map(row).collect()
}

/// One record as it stands in the log.
pub fn record(
    trace: &Trace,
    source: &dyn Source,
    index: RecordIndex,
) -> Result<RecordView, String> {
    let entry = trace.index.get(index).ok_or_else(|| no_record(index))?;
    let segment = trace
        .segment(source, index)
        .map_err(sentence)?
        .ok_or_else(|| no_record(index))?;
    let is_record = is_record(entry.kind);
    let envelope = segment.envelope();
    let text = String::from_utf8_lossy(segment.text());
    let json_at = match (&segment.prefix, &segment.message) {
        (Some(prefix), _) => prefix.json,
        (None, Some(message)) => message.message,
        (None, None) => 0,
    };
    let has_payload = is_record && !segment.payload.pieces.is_empty();
    let (payload_bytes, checksum) = if has_payload {
        payload_facts(&segment, source)?
    } else {
        (None, Checksum::Unknown)
    };
    let mut problems = Vec::new();
    if is_record {
        problems.extend(
            envelope
                .fault
                .map(|fault| format!("Reading it stopped here: {fault}.")),
        );
        problems.extend(
            envelope
                .wrong_members()
                .map(|name| format!("{name} is of another type than PyTorch writes.")),
        );
    }
    if checksum == Checksum::Differs {
        problems.push("The payload's MD5 differs from the one that the record carries.".to_owned());
    }
    let metadata = if is_record {
        let (value, fault) = json::parse(segment.json());
        // What cannot be read shows as it stands.
        if fault.is_some() {
            String::from_utf8_lossy(segment.json()).into_owned()
        } else {
            value.pretty()
        }
    } else {
        text.to_string()
    };
    Ok(RecordView {
        kind: trace
            .kinds
            .get(entry.kind)
            .map(|kind| kind.title().to_owned())
            .unwrap_or_default(),
        line: u64::from(entry.line) + 1,
        offset: entry.offset,
        prefix: if is_record {
            text.get(..json_at)
                .unwrap_or_default()
                .trim_end()
                .to_owned()
        } else {
            String::new()
        },
        metadata,
        compilation: compilation_of(trace, index),
        payload_bytes,
        checksum,
        problems,
        previous: trace.neighbour(index, false),
        next: trace.neighbour(index, true),
    })
}

/// A payload larger than this is not read through for a record's page; its text's page does that.
const CHECKED_AT_ONCE: u64 = 4 << 20;

fn payload_facts(
    segment: &trace::Segment,
    source: &dyn Source,
) -> Result<(Option<u64>, Checksum), String> {
    let length: u64 = segment
        .payload
        .pieces
        .iter()
        .map(|piece| piece.end - piece.start)
        .sum();
    if length > CHECKED_AT_ONCE {
        return Ok((Some(length), Checksum::Unknown));
    }
    let payload = segment.payload.read(source, usize::MAX).map_err(sentence)?;
    let md5 = segment.payload.md5(source).map_err(sentence)?;
    Ok((Some(payload.len() as u64), segment.compare(&md5).into()))
}

/// The compilation that a record belongs to, with its label.
pub fn compilation_of(trace: &Trace, record: RecordIndex) -> Option<(CompilationKey, String)> {
    let compilation = trace
        .compilations
        .get(trace.index.get(record)?.compilation()?)?;
    Some(((&compilation.key).into(), trace.label(&compilation.key)))
}

/// What a record is called: the artifact's name, or the kind.
pub fn title_of(trace: &Trace, record: RecordIndex) -> String {
    let kind = trace.kind_of(record);
    kind.map(|kind| kind.title().to_owned()).unwrap_or_default()
}

/// What a search found, as a view shows it.
pub fn hit(trace: &Trace, log: LogId, hit: search::Hit) -> Hit {
    let kind = trace.kind_of(hit.segment);
    let place = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    Hit {
        log,
        record: hit.segment,
        name: kind.map(|kind| kind.title().to_owned()).unwrap_or_default(),
        compilation: compilation_of(trace, hit.segment),
        file_line: hit.line + 1,
        payload_line: hit.line_in_segment,
        at: (place(hit.start), place(hit.length)),
        text: hit.text,
    }
}

/// What is said of JSON that could not be laid out to its end.
pub fn layout_trouble(fault: &json::Fault) -> String {
    sentence(format!(
        "this JSON cannot be laid out as a whole: {fault}; what follows stands as it is"
    ))
}

/// An error as a sentence for the reader.
pub fn sentence(error: impl std::fmt::Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", letters.as_str())
}

/// A text, or its first characters and a sign that there are more.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

pub(super) fn core_key(key: &CompilationKey) -> Option<core::CompilationKey> {
    Some(core::CompilationKey {
        process: key.process,
        generation: key.generation,
        id: CompileId::parse(&key.id)?,
    })
}

impl From<&core::CompilationKey> for CompilationKey {
    fn from(key: &core::CompilationKey) -> Self {
        CompilationKey {
            process: key.process,
            generation: key.generation,
            id: key.id.to_string(),
        }
    }
}

impl From<core::Status> for Status {
    fn from(status: core::Status) -> Self {
        match status {
            core::Status::Ok => Status::Ok,
            core::Status::GraphBreak => Status::GraphBreak,
            core::Status::Empty => Status::Empty,
            core::Status::Error => Status::Error,
            core::Status::NoMetrics => Status::NoMetrics,
        }
    }
}

impl From<core::Cache> for Cache {
    fn from(cache: core::Cache) -> Self {
        match cache {
            core::Cache::Hit => Cache::Hit,
            core::Cache::Miss => Cache::Miss,
            core::Cache::Bypass => Cache::Bypass,
        }
    }
}

impl From<trace::Checksum> for Checksum {
    fn from(checksum: trace::Checksum) -> Self {
        match checksum {
            trace::Checksum::Matches => Checksum::Matches,
            trace::Checksum::Differs => Checksum::Differs,
            trace::Checksum::Unknown => Checksum::Unknown,
        }
    }
}

#[cfg(test)]
mod tests;
