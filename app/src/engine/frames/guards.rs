//! The guards of a frame's cache entries: where a failed guard stands, what a compilation was made for, and
//! from when on any value is accepted.

use super::{entry_key, is_of_tensor};
use crate::engine::answers::guards_of;
use crate::engine::protocol::{GuardFailureKind, RecordIndex};
use dynascope_core::analysis::recompiles::{History, Series};
use dynascope_core::payload::guard_tree::{Check, GuardTree, normalise_source};
use dynascope_core::payload::recompile::GuardFailure;
use dynascope_core::source::{Source, SourceError};
use dynascope_core::trace::Trace;
use std::collections::BTreeMap;

/// Guards of so many compilations are read of a frame.
const MOST_TREES: usize = 256;
/// Bytes of guards that are read of a frame, and of one compilation.
const MOST_BYTES: u64 = 24 << 20;
const LONGEST_TREE: u64 = 1 << 20;
/// Different failed guards that are looked up in one tree.
const MOST_WANTED: usize = 64;

/// A failure in a history: step, reason, part.
pub(super) type At = (u32, u32, u32);

/// What the guards of a frame's compilations tell.
#[derive(Debug, Default)]
pub(super) struct Guards {
    /// Compilations whose guards are still to be read, the last one first.
    queue: Vec<usize>,
    bytes: u64,
    /// What is looked up in the guards of a compilation.
    wanted: BTreeMap<usize, Vec<Wanted>>,
    nodes: BTreeMap<At, (RecordIndex, u32)>,
    /// Which series are about a source.
    sources: BTreeMap<String, Vec<usize>>,
    /// Values that compilations were made for, by series and compilation.
    values: BTreeMap<(usize, u32), String>,
    /// The first compilation that accepts any value, by series.
    free: BTreeMap<usize, u32>,
}

/// A failed guard that is looked up.
#[derive(Debug)]
struct Wanted {
    source: String,
    /// The class of its leaf, where that and the source tell it; else its code does.
    class: &'static str,
    code: String,
    is_shape: bool,
    at: Vec<At>,
}

/// What a tree says of a series.
#[derive(Debug, Clone, PartialEq)]
enum Seen {
    Guarded,
    Free,
    Value(String),
}

impl Guards {
    /// What is to be looked up for a history.
    pub(super) fn of(trace: &Trace, history: &History) -> Guards {
        let mut guards = Guards::default();
        for (step_at, step) in (0u32..).zip(&history.steps) {
            guards.queue.push(step.compilation);
            let Some(compilation) = trace.compilations.get(step.compilation) else {
                continue;
            };
            for (reason_at, reason) in (0u32..).zip(&step.reasons) {
                let key = entry_key(compilation, reason);
                let Some((entry, _)) = key.and_then(|key| trace.compilation(&key)) else {
                    continue;
                };
                for (part_at, failure) in (0u32..).zip(&reason.parts) {
                    guards.want(entry, failure, (step_at, reason_at, part_at));
                }
            }
        }
        guards.queue.extend(guards.wanted.keys());
        guards.queue.sort_unstable();
        guards.queue.dedup();
        guards.queue.truncate(MOST_TREES);
        guards.queue.reverse();
        for (at, series) in history.series.iter().enumerate() {
            let source = normalise_source(&series.source);
            guards.sources.entry(source).or_default().push(at);
        }
        guards
    }

    fn want(&mut self, entry: usize, failure: &GuardFailure, at: At) {
        let class = match failure.kind {
            kind if is_of_tensor(kind) => "TENSOR_MATCH",
            GuardFailureKind::GlobalState if failure.guard.starts_with("GLOBAL_STATE") => {
                "GLOBAL_STATE"
            }
            _ => "",
        };
        let source = normalise_source(failure.source.as_deref().unwrap_or_default());
        let code = match class {
            "" => normalise_source(&failure.guard),
            _ => String::new(),
        };
        let wanted = self.wanted.entry(entry).or_default();
        let has_room = wanted.len() < MOST_WANTED;
        let same = wanted
            .iter_mut()
            .find(|known| known.class == class && known.source == source && known.code == code);
        match same {
            Some(known) => known.at.push(at),
            None if has_room => wanted.push(Wanted {
                source,
                class,
                code,
                is_shape: failure.kind == GuardFailureKind::Shape,
                at: vec![at],
            }),
            None => {}
        }
    }

    /// Reads the guards of the next compilation; says whether there was one.
    pub(super) fn step(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        history: &History,
    ) -> Result<bool, SourceError> {
        let Some(at) = self.queue.pop() else {
            return Ok(false);
        };
        if let Some((record, tree)) = self.tree(trace, source, at)? {
            let id = trace.compilations.get(at);
            let id = id.and_then(|compilation| compilation.key.id.frame_compile_id);
            self.look(at, id, record, &tree, history);
        }
        Ok(true)
    }

    /// The last guards that a compilation wrote.
    fn tree(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        at: usize,
    ) -> Result<Option<(RecordIndex, GuardTree)>, SourceError> {
        let compilation = trace.compilations.get(at);
        let last = compilation.and_then(|compilation| guards_of(trace, compilation));
        let Some((artifact, _)) = last.filter(|(artifact, is_json)| {
            !is_json && artifact.bytes <= LONGEST_TREE && self.bytes + artifact.bytes <= MOST_BYTES
        }) else {
            return Ok(None);
        };
        self.bytes += artifact.bytes;
        let Some(segment) = trace.segment(source, artifact.record)? else {
            return Ok(None);
        };
        let longest = usize::try_from(LONGEST_TREE).unwrap_or(usize::MAX);
        let text = segment.payload.read(source, longest)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(GuardTree::parse(text)
            .ok()
            .map(|tree| (artifact.record, tree)))
    }

    fn look(
        &mut self,
        at: usize,
        id: Option<u32>,
        record: RecordIndex,
        tree: &GuardTree,
        history: &History,
    ) {
        let wanted = self.wanted.remove(&at).unwrap_or_default();
        // How well the best leaf fits, and which it is.
        let mut found: Vec<(u8, u32)> = vec![(0, 0); wanted.len()];
        let mut seen: BTreeMap<usize, Seen> = BTreeMap::new();
        for leaf in tree.leaves() {
            let Some(check) = tree.check(leaf) else {
                continue;
            };
            let source = check.source().map(normalise_source).unwrap_or_default();
            for place in self.sources.get(&source).into_iter().flatten() {
                let series = history.series.get(*place);
                if let Some(now) = series.and_then(|series| says(&check, series)) {
                    let entry = seen.entry(*place).or_insert_with(|| now.clone());
                    // That a value is fixed says more than that its type is.
                    if *entry == Seen::Free && now != Seen::Free {
                        *entry = now;
                    }
                }
            }
            if wanted.is_empty() {
                continue;
            }
            let code = normalise_source(tree.code(leaf).unwrap_or_default());
            for (wanted, best) in wanted.iter().zip(&mut found) {
                let is_about = !source.is_empty() && source == wanted.source;
                let fits = if wanted.class.is_empty() {
                    code == wanted.code
                } else {
                    check.class() == wanted.class && (is_about || wanted.source.is_empty())
                };
                let rank = match (fits, is_about && !wanted.is_shape) {
                    (true, _) => 2,
                    (_, true) => 1,
                    _ => 0,
                };
                if rank > best.0 {
                    *best = (rank, leaf);
                }
            }
        }
        for (wanted, (rank, leaf)) in wanted.into_iter().zip(found) {
            if rank > 0 {
                let places = wanted.at.into_iter();
                self.nodes.extend(places.map(|at| (at, (record, leaf))));
            }
        }
        let Some(id) = id else { return };
        for (series, seen) in seen {
            match seen {
                Seen::Value(value) => {
                    self.values.insert((series, id), value);
                }
                Seen::Free => {
                    let first = self.free.entry(series).or_insert(id);
                    *first = id.min(*first);
                }
                Seen::Guarded => {}
            }
        }
    }

    /// Where a failed guard stands: the record, and the node in its tree.
    pub(super) fn node(&self, at: At) -> Option<(RecordIndex, u32)> {
        self.nodes.get(&at).copied()
    }

    /// What a compilation met where a guard failed, where the reason itself does not say it.
    pub(super) fn met<'a>(
        &'a self,
        history: &'a History,
        failure: &GuardFailure,
        id: u32,
    ) -> Option<&'a str> {
        let at = place(history, failure)?;
        let known = history.series.get(at)?.values.get(&id);
        known
            .or_else(|| self.values.get(&(at, id)))
            .map(String::as_str)
    }

    /// All values that a failed guard's series saw; nothing where only the reasons tell them.
    pub(super) fn all_values<'a>(
        &'a self,
        history: &'a History,
        failure: &GuardFailure,
    ) -> Option<Vec<&'a str>> {
        let at = place(history, failure)?;
        let values = self.values(at, history.series.get(at)?);
        Some(values.into_values().collect())
    }

    /// The values of a series, with those that only the guards tell.
    pub(super) fn values<'a>(&'a self, at: usize, series: &'a Series) -> BTreeMap<u32, &'a str> {
        let mut values: BTreeMap<u32, &str> = self
            .values
            .range((at, 0)..=(at, u32::MAX))
            .map(|((_, id), value)| (*id, value.as_str()))
            .collect();
        values.extend(
            series
                .values
                .iter()
                .map(|(id, value)| (*id, value.as_str())),
        );
        values
    }

    /// The compilation from which on a series' value may be any.
    pub(super) fn free_since(&self, at: usize) -> Option<u32> {
        self.free.get(&at).copied().filter(|id| *id > 0)
    }
}

/// The series that a failed guard belongs to.
fn place(history: &History, failure: &GuardFailure) -> Option<usize> {
    let source = failure.source.as_deref()?;
    history.series.iter().position(|series| {
        series.kind == failure.kind && series.index == failure.index && series.source == source
    })
}

/// What a guard on a series' source says of the series.
fn says(check: &Check<'_>, series: &Series) -> Option<Seen> {
    let any = |sizes: &[Option<i64>]| {
        let size = sizes.get(usize::try_from(series.index?).ok()?)?;
        Some(match size {
            Some(_) => Seen::Guarded,
            None => Seen::Free,
        })
    };
    match (series.kind, check) {
        (GuardFailureKind::Size, Check::TensorMatch { size, .. }) => any(size),
        (GuardFailureKind::Stride, Check::TensorMatch { stride, .. }) => any(stride),
        (GuardFailureKind::Value, Check::Equals { value, .. }) => {
            Some(Seen::Value((*value).to_owned()))
        }
        (GuardFailureKind::Value, Check::Bool { value, .. }) => Some(Seen::Value(
            if *value { "True" } else { "False" }.to_owned(),
        )),
        (GuardFailureKind::Value, Check::None { .. }) => Some(Seen::Value("None".to_owned())),
        (GuardFailureKind::Value, Check::Type { .. }) => Some(Seen::Free),
        (GuardFailureKind::Value, _) => Some(Seen::Guarded),
        _ => None,
    }
}
