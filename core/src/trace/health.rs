//! What reading met that it could not make sense of. Nothing of it stops the reading.

use super::index::SegmentIndex;
use alloc::vec::Vec;

/// A problem that a log can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// A record's JSON cannot be read to its end.
    BadJson,
    /// A record's JSON names no kind.
    NoKind,
    /// A member is of another type than PyTorch documents.
    WrongType,
    /// A record announces a payload and none follows.
    MissingPayload,
    /// What announces a payload is no MD5.
    BadChecksum,
    /// The payload is not what PyTorch wrote: its MD5 differs.
    ChecksumDiffers,
    /// A payload's lines follow no record that announces them.
    StrayPayload,
    /// Lines of other programs.
    OtherText,
    /// The text ends in the middle of a line.
    CutOff,
    /// A payload's lines stand behind blanks in place of the tab.
    LostTabs,
}

/// Each problem with its name in `facts` and its meaning.
pub const PROBLEMS: [(Problem, &str, &str); 10] = [
    (
        Problem::BadJson,
        "bad_json",
        "The JSON of a record cannot be read to its end. What stands before the fault is used, and its payload is kept with it.",
    ),
    (
        Problem::NoKind,
        "no_kind",
        "The JSON of a record does not say what kind of record it is.",
    ),
    (
        Problem::WrongType,
        "wrong_type",
        "A member of a record is of another type than PyTorch writes. Only that member is left out.",
    ),
    (
        Problem::MissingPayload,
        "missing_payload",
        "A record announces a payload, and none follows it.",
    ),
    (
        Problem::BadChecksum,
        "bad_checksum",
        "What a record says of its payload is no MD5 checksum, so that the payload cannot be checked.",
    ),
    (
        Problem::ChecksumDiffers,
        "payload_checksum",
        "A payload is not what PyTorch wrote: its MD5 differs from the one that its record carries.",
    ),
    (
        Problem::StrayPayload,
        "stray_payload",
        "Lines of a payload that follow no record which announces one.",
    ),
    (
        Problem::OtherText,
        "other_text",
        "Text between the records that PyTorch did not write as a record: another program's output.",
    ),
    (
        Problem::CutOff,
        "cut_off",
        "The text ends in the middle of a line: the program was ended while it wrote, or the file was cut.",
    ),
    (
        Problem::LostTabs,
        "lost_tabs",
        "The lines of a payload begin with blanks where PyTorch writes a tab: an editor or a web page changed the text. They are read all the same; tabs within lines are lost, so that checksums may differ.",
    ),
];

/// How many places of each problem are kept.
pub const EXAMPLES: usize = 20;

/// How often each problem occurred, and where first.
#[derive(Debug, Clone, Default)]
pub struct Health {
    found: Vec<Found>,
}

/// A problem that occurred.
#[derive(Debug, Clone)]
pub struct Found {
    /// The problem.
    pub problem: Problem,
    /// How often.
    pub count: u64,
    /// Where, the first [`EXAMPLES`] times.
    pub examples: Vec<SegmentIndex>,
}

impl Found {
    /// Its name in `facts`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.row().1
    }

    /// What it means, in a sentence.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        self.row().2
    }

    fn row(&self) -> (Problem, &'static str, &'static str) {
        PROBLEMS
            .iter()
            .find(|row| row.0 == self.problem)
            .copied()
            .unwrap_or((self.problem, "", ""))
    }
}

impl Health {
    /// Notes that a problem occurred.
    pub fn note(&mut self, problem: Problem, at: SegmentIndex) {
        let found = match self.found.iter().position(|found| found.problem == problem) {
            Some(i) => self.found.get_mut(i),
            None => {
                self.found.push(Found {
                    problem,
                    count: 0,
                    examples: Vec::new(),
                });
                self.found.last_mut()
            }
        };
        if let Some(found) = found {
            found.count += 1;
            if found.examples.len() < EXAMPLES {
                found.examples.push(at);
            }
        }
    }

    /// What occurred, most frequent first.
    #[must_use]
    pub fn found(&self) -> Vec<&Found> {
        let mut found: Vec<&Found> = self.found.iter().collect();
        found.sort_by_key(|found| (core::cmp::Reverse(found.count), found.problem));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_a_name_and_a_meaning() {
        for problem in [
            Problem::BadJson,
            Problem::NoKind,
            Problem::WrongType,
            Problem::MissingPayload,
            Problem::BadChecksum,
            Problem::ChecksumDiffers,
            Problem::StrayPayload,
            Problem::OtherText,
            Problem::CutOff,
            Problem::LostTabs,
        ] {
            let mut health = Health::default();
            health.note(problem, 3);
            let found = health.found();
            assert!(
                !found[0].name().is_empty() && found[0].meaning().ends_with('.'),
                "{problem:?}"
            );
        }
    }
}
