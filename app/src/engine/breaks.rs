//! Where graphs broke, as a view model; read in steps, once a log was read.

use super::answers::{cut, labelled, sentence};
use super::evidence::{PLACES, bare_frame, frame};
use super::protocol::{
    BreakMessage, BreakRow, BreaksPage, CodeFrame, CompilationKey, Evidence, Occurrences,
    SkippedFrame,
};
use dynascope_core::analysis::graph_breaks::{Distinct, GraphBreaks};
use dynascope_core::payload::graph_break::message::Message;
use dynascope_core::source::Source;
use dynascope_core::trace::Trace;
use dynascope_core::trace::compilation::Compilation;
use std::collections::BTreeSet;

/// Characters of a part of a message.
const MESSAGE: usize = 4_000;
/// Compilations among which functions that are skipped are told apart.
const FUNCTIONS: usize = 1_000;

/// The graph breaks of a log.
#[derive(Debug, Default)]
pub struct Breaks {
    found: GraphBreaks,
}

impl Breaks {
    /// Reads on; says whether all of the log was read.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn step(&mut self, trace: &Trace, source: &dyn Source) -> Result<bool, String> {
        self.found.step(trace, source).map_err(sentence)
    }

    /// The first places.
    #[must_use]
    pub fn page(&self, trace: &Trace, count: u32) -> BreaksPage {
        let all = self.found.distinct();
        let known: u64 = all.iter().map(|known| u64::from(known.count)).sum();
        BreaksPage {
            is_complete: self.found.is_complete(),
            breaks: known + u64::from(self.found.left_out()),
            total: u32::try_from(all.len()).unwrap_or(u32::MAX),
            rows: all
                .iter()
                .take(count as usize)
                .map(|known| row(trace, known))
                .collect(),
            left_out: self.found.left_out(),
            unread: self.found.unread(),
        }
    }
}

fn row(trace: &Trace, known: &Distinct) -> BreakRow {
    let first = &known.first;
    let places = known.records.iter().take(PLACES).map(|&record| Evidence {
        record,
        lines: None,
        file_line: trace.index.get(record).map_or(0, |entry| entry.line.into()),
    });
    let mut callers: Vec<CodeFrame> = first.stack.iter().map(frame).collect();
    let is_same =
        |inner: &CodeFrame| Some(&inner.file) == first.file.as_ref() && inner.line == first.line;
    // The inner end of the stack is the place itself, with its code.
    let place = callers.pop_if(|inner| is_same(inner)).or_else(|| {
        let file = first.file.as_deref()?;
        Some(bare_frame(file, first.line, first.function.as_deref()))
    });
    BreakRow {
        kind: known.kind,
        place,
        callers,
        more_callers: known.more_calls,
        skipped: skipped(trace, known),
        is_inferred: known.is_inferred(),
        said: first.messages.iter().map(said).collect(),
        at: Occurrences {
            count: known.count.into(),
            places: places.collect(),
            compilations: labels(trace, &known.compilations),
        },
        resumed: u32::try_from(known.resumed.len()).unwrap_or(u32::MAX),
        behind: labels(trace, &known.resumed),
        seconds: known.seconds(trace),
    }
}

/// The first of these compilations, with their labels.
fn labels(trace: &Trace, compilations: &[usize]) -> Vec<(CompilationKey, String)> {
    let all = compilations.iter().filter_map(|&i| labelled(trace, i));
    all.take(PLACES).collect()
}

fn skipped(trace: &Trace, known: &Distinct) -> Option<SkippedFrame> {
    let all = known.skipped.iter().take(FUNCTIONS);
    let all = all.filter_map(|&i| trace.compilations.get(i));
    let named = |of: &'_ Compilation| (of.function.clone(), of.file.clone(), of.line);
    let first = all.clone().next().map(named);
    let functions: BTreeSet<_> = all.map(named).collect();
    let (function, file, line) = first.unwrap_or_default();
    (known.skips > 0).then(|| SkippedFrame {
        times: known.skips,
        function,
        file,
        line,
        others: u32::try_from(functions.len().saturating_sub(1)).unwrap_or(u32::MAX),
    })
}

fn said(message: &Message) -> BreakMessage {
    let part = |text: &String| cut(text, MESSAGE);
    BreakMessage {
        kind: part(&message.kind),
        explanation: message.explanation.as_ref().map(part),
        hints: message.hints.iter().map(part).collect(),
        context: message.context.as_ref().map(part),
        page: message.page.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fixture;
    use crate::engine::protocol::BreakKind;

    /// The breaks of a fixture.
    fn of(path: &str) -> BreaksPage {
        let (builder, text) = fixture::open(path);
        let mut breaks = Breaks::default();
        while !breaks.step(builder.trace(), &text).expect("readable") {}
        breaks.page(builder.trace(), 100)
    }

    /// A break in a line: kind, file and line, how often, and what is known only in another way.
    fn line(row: &BreakRow) -> String {
        let place = row.place.as_ref().map_or_else(String::new, |place| {
            let name = place.file.rsplit('/').next().unwrap_or_default();
            let line = place.line.map_or("-".to_owned(), |line| line.to_string());
            format!("{name}:{line}")
        });
        let skip = if row.skipped.is_some() { " skip" } else { "" };
        let inferred = if row.is_inferred { " inferred" } else { "" };
        format!("{:?} {place} {}x{skip}{inferred}", row.kind, row.at.count)
    }

    /// Traces of 2.3 hold neither reasons nor names of functions.
    const EXPECTED: &str = "
torch-2.15.0/console/graph_breaks.gb_mixed.txt.gz
Print gb_mixed.py:15 2x skip
Branch gb_mixed.py:16 1x
Item gb_mixed.py:19 1x
Skipped gb_mixed.py:35 1x
Intentional gb_mixed.py:41 1x skip
Other gb_mixed.py:56 1x skip
DynamicShape gb_mixed.py:59 1x
Branch gb_mixed.py:64 1x
torch-2.5.1/gb_open.log
Other gb_open.py:7 0x inferred
torch-2.5.1/console/graph_breaks.gb_datadep.txt.gz
Item gb_datadep.py:12 1x
torch-2.3.1/gb_datadep.log
torch-2.3.1/console/graph_breaks,recompiles.gb_mixed.txt.gz
Item gb_mixed.py:19 1x
Print gb_mixed.py:15 1x
Skipped gb_mixed.py:35 1x
Other gb_mixed.py:53 1x
Other gb_mixed.py:55 1x
DynamicShape gb_mixed.py:59 1x
torch-2.1.2/console/graph_breaks,recompiles.gb_mixed.txt.gz
Item gb_mixed.py:19 1x
Print gb_mixed.py:15 1x
Skipped gb_mixed.py:35 1x
Other gb_mixed.py:53 1x
Other gb_mixed.py:55 1x
DynamicShape gb_mixed.py:59 1x
";

    #[test]
    fn breaks_of_all_versions_are_told_by_kind_and_line() {
        let found: Vec<String> = [
            "torch-2.15.0/console/graph_breaks.gb_mixed.txt.gz",
            "torch-2.5.1/gb_open.log",
            "torch-2.5.1/console/graph_breaks.gb_datadep.txt.gz",
            "torch-2.3.1/gb_datadep.log",
            "torch-2.3.1/console/graph_breaks,recompiles.gb_mixed.txt.gz",
            "torch-2.1.2/console/graph_breaks,recompiles.gb_mixed.txt.gz",
        ]
        .iter()
        .flat_map(|path| {
            let page = of(path);
            assert!(page.is_complete, "{path}");
            let lines = page.rows.iter().map(line).collect::<Vec<_>>();
            std::iter::once(path.to_string()).chain(lines)
        })
        .collect();
        assert_eq!(found.join("\n"), EXPECTED.trim());
    }

    #[test]
    fn a_break_has_its_line_of_code_and_what_pytorch_advises() {
        let page = of("torch-2.15.0/console/graph_breaks.gb_mixed.txt.gz");
        let row = page
            .rows
            .iter()
            .find(|row| row.kind == BreakKind::Print)
            .expect("a print");
        let place = row.place.as_ref().expect("a place");
        assert_eq!(place.code[0].0, "print(\"block\", self.i)");
        assert!(place.is_own);
        assert!(!row.said[0].hints.is_empty());
        assert!(row.said[0].page.is_some());
        assert!(!row.callers.is_empty());
        assert_ne!(row.callers.last(), Some(place));
    }
}
