//! The table of compilations, the page of one, and its artifacts.

use super::stacks::{caller, stack};
use super::{core_key, labelled, sentence};
use crate::engine::protocol::{
    ArtifactRow, Column, CompilationKey, CompilationPage, CompilationRow, CompilationView,
    Direction, EvidenceRow, FailureView, FrameCompilation, MAX_OF_FRAME, RecordIndex, Sort,
};
use crate::text::no_compilation;
use crate::text::phases::GUARDS;
use dynascope_core::analysis::recompiles::FrameKey;
use dynascope_core::log::metadata::Named;
use dynascope_core::source::Source;
use dynascope_core::trace::Trace;
use dynascope_core::trace::compilation::{
    self as core, Artifact, Cause, Compilation, CompilationFailure,
};
use std::cmp::Ordering;

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
    let stack = stack(trace, compilation);
    let beside = |index: Option<usize>| labelled(trace, index?);
    let (of_frame, of_frame_total) = of_frame(trace, index, compilation);
    Ok(CompilationView {
        row: row(trace, compilation),
        caller: caller(
            &stack,
            compilation.function.as_deref(),
            compilation.file.as_deref(),
        )
        .cloned(),
        stack,
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

pub(in crate::engine) fn row(trace: &Trace, compilation: &Compilation) -> CompilationRow {
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

/// The compilations of a compilation's frame, those around it, and how many there are.
pub(in crate::engine) fn of_frame(
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
pub(in crate::engine) fn guards_of(
    trace: &Trace,
    compilation: &Compilation,
) -> Option<(Artifact, bool)> {
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

fn failure_view(failure: &CompilationFailure) -> FailureView {
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

fn link(trace: &Trace, source: &dyn Source, record: RecordIndex) -> Result<Option<String>, String> {
    let Some(segment) = trace.segment(source, record).map_err(sentence)? else {
        return Ok(None);
    };
    Ok(segment
        .envelope()
        .metadata
        .read::<Named<'static>, _>(|link| link.url.get().map(|url| url.to_string())))
}
