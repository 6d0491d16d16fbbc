//! Two compilations, or two texts, laid side by side.

use super::answers::{core_key, guards_of, of_frame, row, sentence};
use super::protocol::{
    CauseView, CompilationKey, DiffRow, DiffView, Differing, Language, MAX_DIFFERING,
    MAX_ROW_BYTES, RecordIndex, Side, Span, TextDiffPage, TextPair,
};
use crate::text::{no_compilation, no_record};
use dynascope_core::analysis::guard_diff::{self, Ids};
use dynascope_core::analysis::inputs::{Inputs, Symbol, inputs};
use dynascope_core::analysis::recompiles::reasons_of;
use dynascope_core::analysis::text_diff::{Line, TextDiff};
use dynascope_core::log::payload::Place;
use dynascope_core::payload::colour::{self, State};
use dynascope_core::payload::guard_tree::{GuardTree, NodeIndex, Origin, recorded};
use dynascope_core::payload::recompile::{GuardFailure, GuardFailureKind, Reason};
use dynascope_core::source::Source;
use dynascope_core::trace::Trace;
use dynascope_core::trace::compilation::Compilation;
use dynascope_core::trace::names::Kind;
use std::collections::BTreeMap;

/// Bytes of a payload that are read in one step.
const STEP: usize = 256 << 10;

/// The longest guards that are compared, in bytes: the comparison holds both, and works in one piece.
const LONGEST: usize = 4 << 20;

/// The longest text that is compared line by line, in bytes.
const LONGEST_TEXT: usize = 1 << 20;

/// Why texts are not compared.
const TOO_LONG: &str = "Texts of more than 1 MB are not compared line by line.";

/// Bytes of reasons that are read of one compilation.
const REASONS: usize = 256 << 10;

/// Lines that are alike and are shown before and behind those that are not.
const AROUND: usize = 3;

/// Texts that are kept ready.
const KEPT: usize = 6;

/// Names of artifacts that are not compared as text: they are compared as what they say, or are no text of
/// the compilation.
const NOT_COMPARED: [&str; 5] = [
    "compilation_metrics",
    "chromium_event",
    "dynamo_cpp_guards_str",
    "dynamo_guards",
    "recompile_reasons",
];

/// What was compared last, and the texts for it.
#[derive(Debug, Default)]
pub struct Diffs {
    kept: Vec<(RecordIndex, Vec<u8>)>,
    /// Texts that are being read, and where reading goes on.
    loading: Vec<(RecordIndex, Place, Vec<u8>)>,
    texts: Option<((RecordIndex, RecordIndex), Compared)>,
}

/// Two texts that were compared.
#[derive(Debug)]
struct Compared {
    diff: TextDiff,
    spans: Vec<Vec<Span>>,
    /// The places of lines that differ and of those around them, and how many lines stand before each that are
    /// left out.
    parts: Vec<(usize, u32)>,
    /// How many lines are left out behind the last one.
    rest: u32,
}

impl Diffs {
    /// Reads on at what two compilations need to be compared; says whether all is there.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn read_compilations(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        old: &CompilationKey,
        new: &CompilationKey,
    ) -> Result<bool, String> {
        for key in [old, new] {
            let (_, compilation) = found(trace, key)?;
            if let Some((guards, _)) = guards_of(trace, compilation)
                && !self.read(trace, source, guards.record)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads on at two texts, and compares them; says whether that is done.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn read_texts(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        old: RecordIndex,
        new: RecordIndex,
    ) -> Result<bool, String> {
        if self
            .texts
            .as_ref()
            .is_some_and(|(pair, _)| *pair == (old, new))
        {
            return Ok(true);
        }
        for record in [old, new] {
            if !self.read(trace, source, record)? {
                return Ok(false);
            }
        }
        let (Some(before), Some(after)) = (self.text(old), self.text(new)) else {
            return Err(TOO_LONG.to_owned());
        };
        if before.len().max(after.len()) > LONGEST_TEXT {
            return Err(TOO_LONG.to_owned());
        }
        let compared = Compared::new(before, after, title(trace, new));
        self.texts = Some(((old, new), compared));
        Ok(true)
    }

    /// Reads on at a payload; says whether all of it is there.
    fn read(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        record: RecordIndex,
    ) -> Result<bool, String> {
        if self.kept.iter().any(|(kept, _)| *kept == record) {
            return Ok(true);
        }
        let begun = self
            .loading
            .iter()
            .position(|(loading, ..)| *loading == record);
        let (mut place, mut text) = match begun {
            Some(at) => {
                let (_, place, text) = self.loading.swap_remove(at);
                (place, text)
            }
            None => (Place::default(), Vec::new()),
        };
        let segment = trace
            .segment(source, record)
            .map_err(sentence)?
            .ok_or_else(|| no_record(record))?;
        let more = segment
            .payload
            .clean(source, &mut place, &mut text, STEP)
            .map_err(sentence)?;
        if more && text.len() <= LONGEST {
            if self.loading.len() >= KEPT {
                self.loading.remove(0);
            }
            self.loading.push((record, place, text));
            return Ok(false);
        }
        if self.kept.len() >= KEPT {
            self.kept.remove(0);
        }
        self.kept.push((record, text));
        Ok(true)
    }

    fn bytes(&self, record: RecordIndex) -> Option<&[u8]> {
        let (_, text) = self.kept.iter().find(|(kept, _)| *kept == record)?;
        (text.len() <= LONGEST).then_some(text.as_slice())
    }

    fn text(&self, record: RecordIndex) -> Option<String> {
        let bytes = self.bytes(record)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// What differs between two compilations. What it needs must have been read.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn compilations(
        &self,
        trace: &Trace,
        source: &dyn Source,
        old: &CompilationKey,
        new: &CompilationKey,
    ) -> Result<DiffView, String> {
        let (old_index, old) = found(trace, old)?;
        let (new_index, new) = found(trace, new)?;
        let before = inputs(trace, source, old_index).map_err(sentence)?;
        let after = inputs(trace, source, new_index).map_err(sentence)?;
        let why = reasons_of(trace, source, new, REASONS).map_err(sentence)?;
        let causes = of_entry(&why.reasons, old)
            .map(|failure| cause(failure, &after, why.record))
            .collect();
        let (tensors, same_inputs) = tensors(&before, &after);
        let mut view = DiffView {
            old: row(trace, old),
            new: row(trace, new),
            of_frame: of_frame(trace, new_index, new).0,
            causes,
            inputs: tensors,
            same_inputs,
            symbols: symbols(&before, &after),
            guards: Vec::new(),
            differing_guards: 0,
            guard_records: (
                guards_of(trace, old).map(|(guards, _)| guards.record),
                guards_of(trace, new).map(|(guards, _)| guards.record),
            ),
            guard_trouble: None,
            texts: pairs(trace, source, old, new)?,
        };
        match (self.tree(trace, old), self.tree(trace, new)) {
            (Ok(before), Ok(after)) => {
                let ids = if old.key.process == new.key.process {
                    Ids::Compare
                } else {
                    Ids::Ignore
                };
                let changes = guard_diff::compare_with(&before, &after, ids);
                view.differing_guards = u32::try_from(changes.len()).unwrap_or(u32::MAX);
                let shown = changes.iter().take(MAX_DIFFERING);
                view.guards = shown.map(|change| guard(change, &before, &after)).collect();
            }
            (Err(why), _) | (_, Err(why)) => view.guard_trouble = Some(why),
        }
        Ok(view)
    }

    fn tree(&self, trace: &Trace, compilation: &Compilation) -> Result<GuardTree, String> {
        let label = trace.label(&compilation.key);
        let (guards, is_json) = guards_of(trace, compilation)
            .ok_or_else(|| format!("The log holds no guards of {label}."))?;
        let bytes = self
            .bytes(guards.record)
            .ok_or_else(|| format!("The guards of {label} are too long to be compared."))?;
        let wrong = |error| sentence(format!("the guards of {label}: {error}"));
        if is_json {
            let file_of = |id| trace.interned(compilation.key.process, id);
            return recorded::read(bytes).to_tree(file_of).map_err(wrong);
        }
        GuardTree::parse(String::from_utf8_lossy(bytes).into_owned()).map_err(wrong)
    }

    /// A stretch of the two texts that were compared last.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn page(
        &self,
        pair: (RecordIndex, RecordIndex),
        is_whole: bool,
        first: u32,
        count: u32,
    ) -> Result<TextDiffPage, String> {
        let compared = self
            .texts
            .as_ref()
            .filter(|(compared, _)| *compared == pair);
        let (_, compared) = compared.ok_or("These texts are not compared yet.")?;
        let (removed, added) = compared.diff.counts();
        let (total, rows) = compared.rows(is_whole, first as usize, count as usize);
        Ok(TextDiffPage {
            total: u32::try_from(total).unwrap_or(u32::MAX),
            first,
            rows,
            removed,
            added,
        })
    }
}

impl Compared {
    fn new(old: String, new: String, name: &str) -> Self {
        let language = Language::of(name, start_of(&new, 4096));
        let diff = TextDiff::new(old, new);
        // Each side is coloured for itself, since a string may begin in a line that only one has.
        let (mut before, mut after) = (State::default(), State::default());
        let mut spans = Vec::with_capacity(diff.lines().len());
        for line in diff.lines() {
            let mut own = Vec::new();
            let text = diff.text(line);
            if line.side != Side::New {
                before = colour::line(language, before, text, &mut own);
            }
            if line.side != Side::Old {
                own.clear();
                after = colour::line(language, after, text, &mut own);
            }
            // What is cut off needs no colours.
            own.retain(|span| span.end as usize <= MAX_ROW_BYTES);
            spans.push(own);
        }
        let (parts, rest) = parts(diff.lines());
        Compared {
            diff,
            spans,
            parts,
            rest,
        }
    }

    /// How many rows there are, and a stretch of them.
    fn rows(&self, is_whole: bool, first: usize, count: usize) -> (usize, Vec<DiffRow>) {
        if is_whole {
            let total = self.diff.lines().len();
            let places = first..total.min(first.saturating_add(count));
            return (total, places.filter_map(|place| self.line(place)).collect());
        }
        // A stretch that is left out is a row of its own.
        let mut rows = Vec::new();
        let mut at = 0;
        let mut put = |row: &dyn Fn() -> Option<DiffRow>| {
            if at >= first && rows.len() < count {
                rows.extend(row());
            }
            at += 1;
        };
        for (place, before) in &self.parts {
            if *before > 0 {
                put(&|| Some(skipped(*before)));
            }
            put(&|| self.line(*place));
        }
        if self.rest > 0 {
            put(&|| Some(skipped(self.rest)));
        }
        (at, rows)
    }

    fn line(&self, place: usize) -> Option<DiffRow> {
        let line = self.diff.lines().get(place)?;
        let text = self.diff.text(line);
        let start = start_of(text, MAX_ROW_BYTES);
        let mut shown = start.to_owned();
        if start.len() < text.len() {
            shown.push('…');
        }
        Some(DiffRow {
            side: line.side,
            old: line.old,
            new: line.new,
            text: shown,
            spans: self.spans.get(place).cloned().unwrap_or_default(),
            words: line
                .words
                .iter()
                .filter(|word| word.end as usize <= MAX_ROW_BYTES)
                .map(|word| (word.start, word.end))
                .collect(),
            skipped: 0,
        })
    }
}

/// The start of a text, of at most so many bytes.
fn start_of(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

fn skipped(lines: u32) -> DiffRow {
    DiffRow {
        side: Side::Both,
        old: None,
        new: None,
        text: String::new(),
        spans: Vec::new(),
        words: Vec::new(),
        skipped: lines,
    }
}

/// The lines that differ, with those around them.
fn parts(lines: &[Line]) -> (Vec<(usize, u32)>, u32) {
    let mut shown = vec![false; lines.len()];
    for (place, line) in lines.iter().enumerate() {
        if line.side != Side::Both {
            let around = place.saturating_sub(AROUND)..lines.len().min(place + AROUND + 1);
            shown
                .get_mut(around)
                .into_iter()
                .flatten()
                .for_each(|shown| *shown = true);
        }
    }
    let mut out = Vec::new();
    let mut left_out = 0;
    for (place, shown) in shown.into_iter().enumerate() {
        if shown {
            out.push((place, std::mem::take(&mut left_out)));
        } else {
            left_out += 1;
        }
    }
    (out, left_out)
}

fn found<'a>(trace: &'a Trace, key: &CompilationKey) -> Result<(usize, &'a Compilation), String> {
    core_key(key)
        .and_then(|key| trace.compilation(&key))
        .ok_or_else(|| no_compilation(&key.id))
}

fn title(trace: &Trace, record: RecordIndex) -> &str {
    trace.kind_of(record).map_or("", Kind::title)
}

/// Why the code of one cache entry could not be used; where no reason names an entry, all of them.
fn of_entry<'a>(
    reasons: &'a [Reason],
    old: &'a Compilation,
) -> impl Iterator<Item = &'a GuardFailure> {
    let is_named = reasons.iter().any(|reason| reason.entry.is_some());
    reasons
        .iter()
        .filter(move |reason| !is_named || reason.entry == Some(old.key.id))
        .flat_map(|reason| &reason.parts)
}

fn cause(failure: &GuardFailure, after: &Inputs, record: Option<RecordIndex>) -> CauseView {
    let source = failure.source.clone().unwrap_or_default();
    let stands_for = match (failure.kind, failure.index) {
        (GuardFailureKind::Size, Some(index)) => format!("{source}.size()[{index}]"),
        (GuardFailureKind::Stride, Some(index)) => format!("{source}.stride()[{index}]"),
        _ => source,
    };
    let symbol = after
        .symbols
        .iter()
        .find(|symbol| symbol.source == stands_for);
    CauseView {
        kind: failure.kind,
        source: failure.source.clone(),
        index: failure.index,
        expected: failure.expected.clone(),
        actual: failure.actual.clone(),
        guard: failure.guard.clone(),
        symbol: symbol.map(|symbol| symbol.name.clone()),
        record,
    }
}

type Properties = Vec<(String, Option<String>, Option<String>)>;

/// What differs between two lists of properties.
fn differing(
    old: Option<&[(&'static str, String)]>,
    new: Option<&[(&'static str, String)]>,
) -> Properties {
    let mut out: BTreeMap<&str, (Option<String>, Option<String>)> = BTreeMap::new();
    for (name, value) in old.unwrap_or_default() {
        out.entry(name).or_default().0 = Some(value.clone());
    }
    for (name, value) in new.unwrap_or_default() {
        out.entry(name).or_default().1 = Some(value.clone());
    }
    out.into_iter()
        .filter(|(_, (old, new))| old != new)
        .map(|(name, (old, new))| (name.to_owned(), old, new))
        .collect()
}

/// Input tensors that differ, those of the new compilation first, and how many do not.
fn tensors(before: &Inputs, after: &Inputs) -> (Vec<Differing>, u32) {
    let old: BTreeMap<&str, _> = before
        .tensors
        .iter()
        .map(|input| (input.source.as_str(), input))
        .collect();
    let new: BTreeMap<&str, ()> = after
        .tensors
        .iter()
        .map(|input| (input.source.as_str(), ()))
        .collect();
    let mut same = 0;
    let mut out = Vec::new();
    for input in &after.tensors {
        let old = old.get(input.source.as_str());
        let differences = differing(
            old.map(|old| old.properties.as_slice()),
            Some(&input.properties),
        );
        if differences.is_empty() {
            same += 1;
        } else {
            let old = old.map(|old| old.record);
            out.push(one(&input.source, old, Some(input.record), differences));
        }
    }
    for input in &before.tensors {
        if !new.contains_key(input.source.as_str()) {
            let differences = differing(Some(&input.properties), None);
            out.push(one(&input.source, Some(input.record), None, differences));
        }
    }
    out.truncate(MAX_DIFFERING);
    (out, same)
}

/// Symbols, by what they stand for: their names are no difference.
fn symbols(before: &Inputs, after: &Inputs) -> Vec<Differing> {
    let (old, new) = (by_source(before), by_source(after));
    let value = |symbol: &Symbol| format!("{} in {}", symbol.value, symbol.range);
    let named = |symbol: &Symbol| format!("{} = {}", symbol.name, symbol.source);
    let mut out = Vec::new();
    for symbol in &after.symbols {
        let before = old.get(symbol.source.as_str()).copied();
        if before.map(value) != Some(value(symbol)) {
            let differences = vec![("value".to_owned(), before.map(value), Some(value(symbol)))];
            let record = before.map(|symbol| symbol.record);
            out.push(one(
                &named(symbol),
                record,
                Some(symbol.record),
                differences,
            ));
        }
    }
    for symbol in &before.symbols {
        if !new.contains_key(symbol.source.as_str()) {
            let differences = vec![("value".to_owned(), Some(value(symbol)), None)];
            out.push(one(&named(symbol), Some(symbol.record), None, differences));
        }
    }
    out.truncate(MAX_DIFFERING);
    out
}

fn by_source(inputs: &Inputs) -> BTreeMap<&str, &Symbol> {
    let symbols = inputs.symbols.iter();
    symbols
        .map(|symbol| (symbol.source.as_str(), symbol))
        .collect()
}

fn one(name: &str, old: Option<u32>, new: Option<u32>, differences: Properties) -> Differing {
    Differing {
        name: name.to_owned(),
        detail: String::new(),
        class: String::new(),
        old,
        new,
        differences,
        is_own: false,
    }
}

fn guard(change: &guard_diff::Change, before: &GuardTree, after: &GuardTree) -> Differing {
    let differences = change.differences.iter().map(|difference| {
        (
            difference.field.to_string(),
            difference.old.clone(),
            difference.new.clone(),
        )
    });
    let is_own = |tree: &GuardTree, node: Option<NodeIndex>| {
        node.is_some_and(|node| tree.origin(node) == Origin::User)
    };
    Differing {
        name: change.key.source.clone(),
        detail: change.key.detail.clone(),
        class: change.key.class.clone(),
        old: change.old,
        new: change.new,
        differences: differences.collect(),
        is_own: is_own(before, change.old) || is_own(after, change.new),
    }
}

/// The texts that both compilations have: of each name the last one of both.
fn pairs(
    trace: &Trace,
    source: &dyn Source,
    old: &Compilation,
    new: &Compilation,
) -> Result<Vec<TextPair>, String> {
    let last = |compilation: &Compilation| -> BTreeMap<&str, RecordIndex> {
        let artifacts = compilation.artifacts.iter();
        let named = artifacts.map(|artifact| (title(trace, artifact.record), artifact.record));
        named.collect()
    };
    let md5 = |record| -> Result<Option<[u8; 32]>, String> {
        let segment = trace.segment(source, record).map_err(sentence)?;
        Ok(segment.and_then(|segment| segment.md5()))
    };
    let before = last(old);
    let mut both: Vec<(RecordIndex, RecordIndex, &str)> = last(new)
        .into_iter()
        .filter(|(name, _)| !NOT_COMPARED.contains(name))
        .filter_map(|(name, new)| Some((new, *before.get(name)?, name)))
        .collect();
    both.sort_unstable();
    let mut out = Vec::new();
    for (new, old, name) in both.into_iter().take(MAX_DIFFERING) {
        // What has no payload is no text.
        if let Some(after) = md5(new)? {
            out.push(TextPair {
                name: name.to_owned(),
                old,
                new,
                is_same: md5(old)? == Some(after),
            });
        }
    }
    Ok(out)
}
