//! What was found, as reports: identical failures and warnings are counted once.

use super::super::answers::cut;
use super::super::evidence::{CODE, bare_frame, frames, note};
use super::super::protocol::{
    CodeFrame, Evidence, ExplainReport, FailureReport, Findings, LimitReport, Occurrences,
    RaisedView, TimeRow, TimesReport, WarningGroup, WarningKind, WarningReport,
};
use dynascope_core::analysis::failure::{self, Failure};
use dynascope_core::payload::compile_times::{self, CompileTime};
use dynascope_core::payload::explain::{self, Explanation};
use dynascope_core::payload::limit_warning;
use dynascope_core::payload::plain::BlockKind;
use dynascope_core::payload::traceback::{self, Raised, Traceback};
use dynascope_core::payload::warning::{self, Warning};
use dynascope_core::trace::Trace;
use dynascope_core::trace::compilation::Cause;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Different failures that are shown.
const FAILURES: usize = 100;
/// Different limits, and groups of warnings, that are shown.
const OTHERS: usize = 200;
/// Different warnings of a group that are shown.
const WARNINGS: usize = 20;
/// Results of `explain`, and tables of times, that are shown.
const RESULTS: usize = 40;
/// Exceptions of a chain.
const EXCEPTIONS: usize = 20;
/// Characters of a message.
const MESSAGE: usize = 20_000;
/// Graphs, operations of each, reasons and guards of a result of `explain`; rows of a table.
const ITEMS: usize = 300;
/// Failures in the metrics that are looked at.
const METRICS: usize = 20_000;

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Found {
    failures: Vec<FailureReport>,
    limits: Vec<LimitReport>,
    warnings: Vec<WarningGroup>,
    explanations: Vec<ExplainReport>,
    times: Vec<TimesReport>,
    /// Where a failure, a limit or a group of warnings stands in its list.
    known: HashMap<String, usize>,
    left_out: u64,
    too_large: u64,
}

impl Found {
    /// A message was too large.
    pub(super) fn note_too_large(&mut self) {
        self.too_large += 1;
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.failures.is_empty()
            && self.limits.is_empty()
            && self.warnings.is_empty()
            && self.explanations.is_empty()
            && self.times.is_empty()
    }

    /// Takes a block.
    pub(super) fn take(&mut self, trace: &Trace, kind: BlockKind, text: &str, at: Evidence) {
        match kind {
            BlockKind::Traceback => {
                let traceback = traceback::read(text);
                // A traceback that was cut still says where the program was.
                let says_something =
                    |raised: &Raised| !raised.kind.is_empty() || !raised.frames.is_empty();
                if traceback.exceptions.iter().any(says_something) {
                    self.failure(trace, &traceback, at);
                }
            }
            BlockKind::Warning => {
                if let Some(warning) = warning::read(text) {
                    self.warning(trace, &warning, at);
                }
            }
            BlockKind::LimitWarning => self.limit(trace, text, at),
            BlockKind::Explain => {
                let result = explain::read(text).map(|result| explain_report(&result, at));
                if self.has_room(self.explanations.len()) {
                    self.explanations.extend(result);
                }
            }
            BlockKind::CompileTimes => {
                let rows = time_rows(&compile_times::read(text));
                if !rows.is_empty() && self.has_room(self.times.len()) {
                    self.times.push(TimesReport { rows, at });
                }
            }
        }
    }

    fn has_room(&mut self, results: usize) -> bool {
        let has_room = results < RESULTS;
        self.left_out += u64::from(!has_room);
        has_room
    }

    fn failure(&mut self, trace: &Trace, traceback: &Traceback, at: Evidence) {
        let failure = failure::of_traceback(traceback);
        let key = failure_key(&failure, traceback);
        let place = self.known.get(&key).copied();
        if let Some(known) = place.and_then(|place| self.failures.get_mut(place)) {
            note(&mut known.at, trace, at);
        } else if self.failures.len() < FAILURES {
            self.known.insert(key, self.failures.len());
            let mut report = failure_report(&failure, traceback);
            note(&mut report.at, trace, at);
            self.failures.push(report);
        } else {
            self.left_out += 1;
        }
    }

    fn limit(&mut self, trace: &Trace, text: &str, at: Evidence) {
        let Some(limit) = limit_warning::read(text) else {
            return;
        };
        let line = limit.line.unwrap_or_default();
        let key = format!(
            "limit {} {line} {} {}",
            limit.setting, limit.function, limit.file
        );
        let place = self.known.get(&key).copied();
        if let Some(known) = place.and_then(|place| self.limits.get_mut(place)) {
            note(&mut known.at, trace, at);
        } else if self.limits.len() < OTHERS {
            self.known.insert(key, self.limits.len());
            let mut report = LimitReport {
                setting: cut(&limit.setting, CODE),
                limit: limit.limit,
                function: cut(&limit.function, CODE),
                file: cut(&limit.file, CODE),
                line: limit.line,
                reason: cut(&limit.reason, MESSAGE),
                page: limit.page,
                at: Occurrences::default(),
            };
            note(&mut report.at, trace, at);
            self.limits.push(report);
        } else {
            self.left_out += 1;
        }
    }

    fn warning(&mut self, trace: &Trace, warning: &Warning, at: Evidence) {
        // What no kind is known for is told apart by its first line.
        let is_common = matches!(warning.kind, WarningKind::Torch | WarningKind::Other);
        let first = warning.message.lines().next().unwrap_or_default();
        let about = if is_common { first } else { "" };
        let key = format!("warning {:?} {} {about}", warning.kind, warning.category);
        let group = match self.known.get(&key).copied() {
            Some(place) => place,
            None if self.warnings.len() < OTHERS => {
                self.known.insert(key, self.warnings.len());
                self.warnings.push(WarningGroup {
                    kind: warning.kind,
                    count: 0,
                    warnings: Vec::new(),
                    more: 0,
                });
                self.warnings.len() - 1
            }
            None => {
                self.left_out += 1;
                return;
            }
        };
        let Some(group) = self.warnings.get_mut(group) else {
            return;
        };
        group.count += 1;
        let report = warning_report(warning);
        let is_same = |known: &&mut WarningReport| {
            known.message == report.message
                && known.place == report.place
                && known.stack == report.stack
        };
        if let Some(known) = group.warnings.iter_mut().find(is_same) {
            note(&mut known.at, trace, at);
        } else if group.warnings.len() < WARNINGS {
            let mut report = report;
            note(&mut report.at, trace, at);
            group.warnings.push(report);
        } else {
            group.more = group.more.saturating_add(1);
        }
    }

    /// All of it, with what the metrics say of failures.
    pub(super) fn findings(&self, trace: &Trace, is_complete: bool) -> Findings {
        let mut findings = Findings {
            is_complete,
            failures: self.failures.clone(),
            limits: self.limits.clone(),
            warnings: self.warnings.clone(),
            explanations: self.explanations.clone(),
            times: self.times.clone(),
            left_out: self.left_out,
            too_large: self.too_large,
            records: trace.records,
        };
        if is_complete {
            of_metrics(trace, &mut findings);
        }
        findings
            .failures
            .sort_by_key(|failure| failure.at.places.first().map_or(0, |at| at.file_line));
        findings.warnings.sort_by_key(|group| Reverse(group.count));
        findings
    }
}

/// Adds what the metrics say of failures whose traceback the log does not hold.
fn of_metrics(trace: &Trace, findings: &mut Findings) {
    let mut known: HashMap<String, usize> = HashMap::new();
    for (compilation, failure) in trace.failures().take(METRICS) {
        let (kind, file, user_line) = match &failure.cause {
            Cause::Exception { kind, file, line } => (kind.as_deref(), file, *line),
            // The warning itself is shown.
            Cause::RecompileLimit => continue,
        };
        let key = (&compilation.key).into();
        let name = kind.and_then(|kind| kind.rsplit('.').next());
        let is_shown = findings.failures.iter().any(|report| {
            let mut compilations = report.at.compilations.iter();
            // What the metrics do not name is the exception of their compilation.
            let raised = |raised: &RaisedView| name.is_none_or(|name| raised.kind.ends_with(name));
            compilations.any(|(of, _)| *of == key) && report.exceptions.iter().any(raised)
        });
        if is_shown {
            continue;
        }
        let reason = failure.reason.as_deref().unwrap_or_default();
        let line = trace.index.get(failure.record).map_or(0, |e| e.line);
        let at = Evidence {
            record: failure.record,
            lines: None,
            file_line: u64::from(line) + 1,
        };
        let (what, traceback) = failure::of_exception(kind.unwrap_or_default(), reason);
        let key = failure_key(&what, &traceback);
        if let Some(report) = known.get(&key).and_then(|i| findings.failures.get_mut(*i)) {
            note(&mut report.at, trace, at);
        } else if findings.failures.len() < FAILURES {
            known.insert(key, findings.failures.len());
            let mut report = failure_report(&what, &traceback);
            if report.user.is_empty()
                && let Some(file) = file
            {
                let user_line = user_line.and_then(|line| u32::try_from(line).ok());
                report.user.push(CodeFrame {
                    is_own: true,
                    ..bare_frame(file, user_line, None)
                });
            }
            note(&mut report.at, trace, at);
            findings.failures.push(report);
        } else {
            findings.left_out += 1;
        }
    }
}

/// What makes two failures the same: all but addresses in memory, which differ between processes.
fn failure_key(failure: &Failure, traceback: &Traceback) -> String {
    let mut key = String::from("failure");
    for raised in &traceback.exceptions {
        key.push('\n');
        key.push_str(&raised.kind);
        let mut parts = raised.message.split("0x");
        key.push_str(parts.next().unwrap_or_default());
        for part in parts {
            key.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
        }
    }
    if let Some(frame) = failure.user.last() {
        key.push_str(&format!("\n{}:{:?}", frame.file, frame.line));
    }
    key
}

fn failure_report(failure: &Failure, traceback: &Traceback) -> FailureReport {
    let all = &traceback.exceptions;
    // The one that came out and those near it tell most.
    let skipped = all.len().saturating_sub(EXCEPTIONS);
    let advice = || all.iter().rev().map(|raised| &raised.advice);
    FailureReport {
        component: failure.component,
        kind: failure.kind,
        certainty: failure.certainty,
        backend: failure.backend.as_deref().map(|name| cut(name, CODE)),
        telling: clamp(failure.exception.saturating_sub(skipped)),
        user: frames(&failure.user).0,
        runs: failure.runs.clone(),
        exceptions: all.iter().skip(skipped).map(raised_view).collect(),
        more_exceptions: clamp(skipped),
        page: advice().find_map(|advice| advice.page.clone()),
        minifier: advice().find_map(|advice| advice.minifier.clone()),
        at: Occurrences::default(),
    }
}

fn raised_view(raised: &Raised) -> RaisedView {
    let (shown, more_frames) = frames(&raised.frames);
    RaisedView {
        link: raised.link,
        kind: cut(&raised.kind, CODE),
        message: cut(&raised.message, MESSAGE),
        frames: shown,
        more_frames,
        stacks: raised
            .stacks
            .iter()
            .map(|stack| (stack.kind, frames(&stack.frames).0))
            .collect(),
    }
}

fn warning_report(warning: &Warning) -> WarningReport {
    let code = warning.code.as_deref().map(|code| (cut(code, CODE), None));
    WarningReport {
        category: cut(&warning.category, CODE),
        message: cut(&warning.message, MESSAGE),
        place: (!warning.file.is_empty()).then(|| CodeFrame {
            code: code.into_iter().collect(),
            ..bare_frame(&warning.file, warning.line, None)
        }),
        stack: frames(&warning.stack).0,
        at: Occurrences::default(),
    }
}

fn explain_report(result: &Explanation, at: Evidence) -> ExplainReport {
    let mut guards: Vec<(String, u32)> = Vec::new();
    let made = result
        .guards
        .iter()
        .map(|guard| guard.create_function.as_str());
    count_names(made, &mut guards);
    guards.sort_by_key(|(_, count)| Reverse(*count));
    let ops = |ops: &Vec<String>| {
        let mut counted = Vec::new();
        count_names(ops.iter().map(String::as_str), &mut counted);
        counted
    };
    ExplainReport {
        graphs: result.graphs,
        breaks: result.breaks,
        ops: result.ops,
        reasons: result
            .reasons
            .iter()
            .take(ITEMS)
            .map(|reason| (cut(&reason.reason, MESSAGE), frames(&reason.stack).0))
            .collect(),
        graph_ops: result.graph_ops.iter().take(ITEMS).map(ops).collect(),
        guards,
        times: time_rows(&result.compile_times),
        at,
    }
}

/// Counts names, in the order in which they come first.
fn count_names<'a>(names: impl Iterator<Item = &'a str>, counted: &mut Vec<(String, u32)>) {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for name in names {
        if let Some((_, count)) = places.get(name).and_then(|at| counted.get_mut(*at)) {
            *count = count.saturating_add(1);
        } else if counted.len() < ITEMS {
            places.insert(name, counted.len());
            counted.push((cut(name, CODE), 1));
        }
    }
}

/// The rows of a table, the longest time first.
fn time_rows(times: &[CompileTime]) -> Vec<TimeRow> {
    let mut rows: Vec<TimeRow> = times
        .iter()
        .map(|time| TimeRow {
            name: cut(&time.name, CODE),
            seconds: time.seconds.iter().sum(),
            runs: clamp(time.seconds.len()),
        })
        .collect();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(a.name.cmp(&b.name)));
    rows.truncate(ITEMS);
    rows
}

fn clamp(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
