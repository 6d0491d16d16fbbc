//! Graph breaks that no record tells of: functions in which a program goes on, and restarts.

use super::{Distinct, MOST, shorten};
use crate::payload::graph_break::kinds::BreakKind;
use crate::payload::graph_break::{GraphBreak, message};
use crate::trace::Trace;
use crate::trace::compilation::Compilation;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::{HashMap, HashSet};

/// A reason for a restart that says nothing.
const UNKNOWN: &str = "Unknown fail_and_restart_analysis";

/// What stands before and behind the function's name up to 2.2.
const OLD: [(&str, &str); 2] = [("<resume in ", ">"), ("<graph break in ", ">")];
/// Reasons of one function that are told apart.
const MOST_REASONS: usize = 64;

/// The function in which a program goes on behind a graph break, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resume<'a> {
    /// The function of the program that broke.
    pub function: &'a str,
    /// The line at which it goes on, from 1; since 2.3.
    pub line: Option<u32>,
}

/// Reads the name of such a function: `torch_dynamo_resume_in_f_at_7` (2.3+), `<resume in f>` (2.1),
/// `<graph break in f>` (2.0); not `resume_in_f` (2.2), as a program may call its own functions. Where a function broke again behind a break, the last line counts.
#[must_use]
pub fn resumes(name: &str) -> Option<Resume<'_>> {
    let mut function = name;
    let mut line = None;
    loop {
        let old = OLD
            .iter()
            .find_map(|(before, behind)| function.strip_prefix(before)?.strip_suffix(behind));
        let now = function
            .strip_prefix("torch_dynamo_resume_in_")
            .and_then(|rest| rest.rsplit_once("_at_"));
        function = match (old, now) {
            (Some(inner), _) => inner,
            (None, Some((inner, at))) => {
                line = line.or(Some(at.parse().ok()?));
                inner
            }
            (None, None) => break,
        };
    }
    (function.len() < name.len()).then_some(Resume { function, line })
}

/// A file and the name of a function of the program in it.
type Function<'a> = (Option<&'a str>, &'a str);

/// Adds to the breaks that records tell of what was compiled behind them, and those that no record tells of. `on_way`
/// are the calls that led to them. Gives how many places are left out, because there are too many.
pub(super) fn complete(
    trace: &Trace,
    distinct: &mut Vec<Distinct>,
    on_way: &HashMap<(String, u32), usize>,
) -> u32 {
    let reported = distinct.len();
    let has_record: HashSet<usize> = distinct
        .iter()
        .flat_map(|known| known.compilations.iter().copied())
        .collect();
    let mut at: HashMap<(Option<String>, Option<u32>), usize> = HashMap::new();
    for (place, known) in distinct.iter().enumerate() {
        let key = (known.first.file.clone(), known.first.line);
        at.entry(key).or_insert(place);
    }
    let mut left_out = 0_u32;
    let mut lines_of: HashMap<Function<'_>, Vec<usize>> = HashMap::new();
    let mut listed = HashSet::new();
    for (number, compilation) in trace.compilations.iter().enumerate() {
        let Some(resume) = resume_of(trace, compilation) else {
            continue;
        };
        let file = compilation.file.as_deref();
        // The code object of such a function begins at the line where it goes on.
        let begins = || compilation.line.and_then(|line| u32::try_from(line).ok());
        let line = resume.line.or_else(begins);
        let key = (file.map(String::from), line);
        let caller = || on_way.get(&(String::from(file?), line?)).copied();
        let place = match at.get(&key).copied().or_else(caller) {
            Some(place) => place,
            None if distinct.len() >= MOST => {
                left_out = left_out.saturating_add(1);
                continue;
            }
            None => {
                distinct.push(Distinct::new(GraphBreak {
                    file: file.map(String::from),
                    line,
                    function: Some(resume.function.into()),
                    ..GraphBreak::default()
                }));
                at.insert(key, distinct.len() - 1);
                distinct.len() - 1
            }
        };
        if let Some(known) = distinct.get_mut(place) {
            known.resumed.push(number);
        }
        if listed.insert(place) {
            lines_of
                .entry((file, resume.function))
                .or_default()
                .push(place);
        }
    }
    for (function, restarted) in restarts(trace, &has_record) {
        let lines = lines_of.get(&function).map_or(&[][..], Vec::as_slice);
        let unexplained: Vec<usize> = lines.iter().copied().filter(|i| *i >= reported).collect();
        match (&unexplained[..], &restarted[..]) {
            // One reason and one place belong together; which of several do is not said.
            ([place], [restart]) => {
                if let Some(known) = distinct.get_mut(*place) {
                    restart.explain(known);
                }
            }
            ([], _) if lines.is_empty() => {
                for restart in &restarted {
                    if distinct.len() >= MOST {
                        left_out = left_out.saturating_add(1);
                        continue;
                    }
                    let mut known = Distinct::new(GraphBreak {
                        file: function.0.map(String::from),
                        function: Some(function.1.into()),
                        ..GraphBreak::default()
                    });
                    restart.explain(&mut known);
                    distinct.push(known);
                }
            }
            _ => {}
        }
    }
    distinct.sort_by_key(|known| core::cmp::Reverse((known.count, known.resumed.len())));
    left_out
}

/// The function in which the program goes on that a compilation compiled. A function of a program may be called as those
/// of 2.2 are.
fn resume_of<'a>(trace: &Trace, compilation: &'a Compilation) -> Option<Resume<'a>> {
    let name = compilation.function.as_deref()?;
    let is_old = trace
        .torch_version()
        .is_none_or(|version| version.starts_with("2.2."));
    let old = || {
        let function = name.strip_prefix("resume_in_").filter(|_| is_old)?;
        let function = resumes(function).map_or(function, |inner| inner.function);
        Some(Resume {
            function,
            line: None,
        })
    };
    resumes(name).or_else(old)
}

/// A reason for which attempts of compilations were given up.
struct Restart<'a> {
    reason: &'a str,
    compilations: Vec<usize>,
}

impl Restart<'_> {
    fn explain(&self, known: &mut Distinct) {
        known.first.messages = message::read(self.reason);
        shorten(&mut known.first.messages);
        known.kind = BreakKind::of_all(&known.first.messages);
        known.compilations.clone_from(&self.compilations);
    }
}

/// The restarts of compilations of which no record says where they broke, by function, in the order of the log.
fn restarts<'a>(
    trace: &'a Trace,
    has_record: &HashSet<usize>,
) -> Vec<(Function<'a>, Vec<Restart<'a>>)> {
    let mut all: Vec<(Function<'a>, Vec<Restart<'a>>)> = Vec::new();
    let mut places: HashMap<Function<'a>, usize> = HashMap::new();
    for (number, compilation) in trace.compilations.iter().enumerate() {
        if has_record.contains(&number) {
            continue;
        }
        let Some(function) = function_of(trace, compilation) else {
            continue;
        };
        for reason in compilation
            .restart_reasons
            .iter()
            .filter(|reason| *reason != UNKNOWN)
        {
            let place = *places.entry(function).or_insert_with(|| {
                all.push((function, Vec::new()));
                all.len() - 1
            });
            let Some((_, restarts)) = all.get_mut(place) else {
                continue;
            };
            let is_full = restarts.len() >= MOST_REASONS;
            match restarts.iter_mut().find(|restart| restart.reason == reason) {
                Some(restart) => restart.compilations.push(number),
                None if is_full => {}
                None => restarts.push(Restart {
                    reason,
                    compilations: [number].into(),
                }),
            }
        }
    }
    all
}

fn function_of<'a>(trace: &Trace, compilation: &'a Compilation) -> Option<Function<'a>> {
    let name = compilation.function.as_deref()?;
    let function = resume_of(trace, compilation).map_or(name, |resume| resume.function);
    Some((compilation.file.as_deref(), function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_versions_are_read() {
        let known = [
            ("torch_dynamo_resume_in_f_at_7", Some(("f", Some(7)))),
            (
                "torch_dynamo_resume_in_look_at_me_at_12",
                Some(("look_at_me", Some(12))),
            ),
            (
                "torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_10_at_12",
                Some(("f", Some(12))),
            ),
            ("<resume in f>", Some(("f", None))),
            ("<resume in <resume in f>>", Some(("f", None))),
            ("<graph break in f>", Some(("f", None))),
            ("f", None),
            ("torch_dynamo_resume_in_f", None),
            ("torch_dynamo_resume_in_f_at_x", None),
            ("resume_in_place", None),
        ];
        for (name, expected) in known {
            let found = resumes(name).map(|resume| (resume.function, resume.line));
            assert_eq!(found, expected, "{name}");
        }
    }
}
