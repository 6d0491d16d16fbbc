//! The run's facts, and what could not be read.

use crate::engine::protocol::{Overview, ProblemRow, RecordIndex};
use crate::text::phases;
use dynascope_core::analysis::recompiles::FrameKey;
use dynascope_core::trace::Trace;
use dynascope_core::trace::compilation::{Compilation, Status};
use dynascope_core::trace::health::Found;
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
        failures: count(all.iter().filter(|c| c.status() == Status::Error).count()),
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

/// Attempts that were given up: as many as the metrics give reasons for, or as the log shows.
fn restarts(compilation: &Compilation) -> u32 {
    let reasons = u32::try_from(compilation.restart_reasons.len()).unwrap_or(u32::MAX);
    reasons.max(compilation.attempts - 1)
}
