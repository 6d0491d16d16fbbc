//! The address of a view: what stands behind the page's `#`, read and written.
//!
//! Start at [`Address`]. An address names what is on the screen and never holds anything of a log's
//! content, only its order, its file's name and ids. The form is `v=1&log=0&view=record&record=12`:
//! a version, then keys in a fixed order. Keys that this version does not know are kept, so that a
//! link survives a trip through an older page. Any text whatsoever is some address.
//!
//! [`reading`] and [`writing`] know the keys of each view; [`columns`] names those of tables.

mod columns;
mod escape;
mod reading;
#[cfg(test)]
mod tests;
mod writing;

use std::fmt::Write as _;

use crate::engine::protocol::{
    Case, CompilationKey, FrameKey, GuardFilter, LogId, Query, RecordIndex, Sort,
};
pub use columns::{COLUMN_KEYS, DEFAULT_SORT, HIDEABLE, RecordColumn, column_key};
use escape::unescape;
pub use reading::lines_from;
use reading::{Fields, number};
use writing::{put, put_place};

/// The version of the form that this page writes.
pub const VERSION: u32 = 1;

/// What the page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The version that the address was written in: [`VERSION`], or that of a newer page.
    pub version: u32,
    /// The log, where the view belongs to one.
    pub log: Option<LogName>,
    /// The view.
    pub place: Place,
    /// Keys that this version does not know, with their values, in their order.
    pub unknown: Vec<(String, String)>,
}

impl Address {
    /// Where logs are opened.
    #[must_use]
    pub fn landing() -> Self {
        Self {
            version: VERSION,
            log: None,
            place: Place::Landing,
            unknown: Vec::new(),
        }
    }

    /// A view of a log.
    #[must_use]
    pub fn of(log: LogId, name: &str, place: Place) -> Self {
        Self {
            version: VERSION,
            log: Some(LogName {
                order: log,
                name: name.to_owned(),
                print: String::new(),
            }),
            place,
            unknown: Vec::new(),
        }
    }

    /// The same address with the fingerprint of its log.
    #[must_use]
    pub fn with_print(mut self, print: &str) -> Self {
        if let Some(log) = &mut self.log {
            print.clone_into(&mut log.print);
        }
        self
    }

    /// Another view of the same log.
    #[must_use]
    pub fn to(&self, place: Place) -> Self {
        Self {
            version: VERSION,
            log: self.log.clone(),
            place,
            unknown: Vec::new(),
        }
    }

    /// Reads what stands behind the `#`, with or without it. Any text is some address.
    #[must_use]
    pub fn decode(fragment: &str) -> Self {
        let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
        let mut fields = Fields::default();
        let mut unknown = Vec::new();
        for pair in fragment.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (key, value) = (unescape(key), unescape(value));
            match fields.slot(&key) {
                Some(slot) => {
                    slot.get_or_insert(value);
                }
                None => unknown.push((key, value)),
            }
        }
        let version = fields
            .version
            .as_deref()
            .and_then(|text| text.parse().ok())
            .unwrap_or(VERSION);
        let log = number(fields.log.as_deref()).map(|order| LogName {
            order,
            name: fields.name.clone().unwrap_or_default(),
            print: fields.print.clone().unwrap_or_default(),
        });
        let place = fields.place(log.is_some());
        Self {
            version,
            log,
            place,
            unknown,
        }
    }

    /// The address, with its `#`.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut out = String::from("#v=");
        // Writing into a String cannot fail.
        let _ = write!(out, "{}", self.version);
        if let Some(log) = &self.log {
            put(&mut out, "log", &log.order.to_string());
            if !log.name.is_empty() {
                put(&mut out, "name", &log.name);
            }
            if !log.print.is_empty() {
                put(&mut out, "print", &log.print);
            }
        }
        put_place(&mut out, &self.place);
        for (key, value) in &self.unknown {
            put(&mut out, key, value);
        }
        out
    }
}

/// A log, as an address names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogName {
    /// The order in which it was opened, from 0.
    pub order: LogId,
    /// The name of its file; empty where the address does not say it.
    pub name: String,
    /// The fingerprint of its text; empty where the address does not say it.
    pub print: String,
}

/// A view, and what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Where logs are opened.
    Landing,
    /// What the words mean.
    Glossary,
    /// The run's facts and its compilations.
    Overview {
        /// The order of the table.
        sort: Sort,
        /// The words that its rows must hold.
        filter: String,
    },
    /// How the program reached its compilations.
    Stacks,
    /// All records of the log.
    Records {
        /// The words that a record must hold.
        filter: String,
        /// The text that its metadata must hold.
        text: String,
        /// The columns that do not show, in the order of [`HIDEABLE`].
        hide: Vec<RecordColumn>,
    },
    /// What a text was found in, in all open logs.
    Search {
        /// The text.
        text: String,
        /// Whether upper and lower case differ.
        case: Case,
    },
    /// One compilation.
    Compilation(CompilationKey),
    /// Why a frame was compiled again and again.
    Frame(FrameKey),
    /// What the log holds outside any compilation.
    Outside,
    /// A payload as text.
    Text(TextPlace),
    /// A record as it stands in the log.
    Record(RecordIndex),
    /// The guards that a record carries, as a tree.
    Guards(GuardPlace),
    /// The graph that a record carries, as a picture.
    Graph(GraphPlace),
    /// What failed and what was warned.
    Findings,
    /// Where graphs broke.
    Breaks,
    /// What could not be read.
    Problems,
    /// What differs between two compilations.
    Diff(DiffPlace),
    /// A view that this page does not have, or that lacks what it needs.
    Unknown(String),
}

impl Place {
    /// The overview as it stands when nobody sorted or filtered it.
    #[must_use]
    pub fn overview() -> Self {
        Self::Overview {
            sort: DEFAULT_SORT,
            filter: String::new(),
        }
    }

    /// All records, as they stand when nobody filtered them.
    #[must_use]
    pub fn records() -> Self {
        Self::Records {
            filter: String::new(),
            text: String::new(),
            hide: Vec::new(),
        }
    }
}

/// Two compilations of one frame, and which text of theirs is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPlace {
    /// The compilation that is compared.
    pub new: CompilationKey,
    /// The id of the one that it is compared with, of the same process and generation.
    pub old: String,
    /// The name of the text that is compared.
    pub text: Option<String>,
    /// Whether lines that are alike show, too.
    pub is_whole: bool,
}

/// A payload as text, and what of it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPlace {
    /// The record that carries it.
    pub record: RecordIndex,
    /// First and last line that are pointed at, from 1.
    pub lines: Option<(u32, u32)>,
    /// Whether JSON is laid out anew.
    pub is_pretty: bool,
    /// What is found in it.
    pub find: Option<Query>,
}

impl TextPlace {
    /// The text of a record, from its start.
    #[must_use]
    pub fn of(record: RecordIndex) -> Self {
        Self {
            record,
            lines: None,
            is_pretty: false,
            find: None,
        }
    }
}

/// A tree of guards, and what of it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardPlace {
    /// The record that carries it.
    pub record: RecordIndex,
    /// Which guards show.
    pub filter: GuardFilter,
    /// The node that is chosen.
    pub node: Option<u32>,
}

impl GuardPlace {
    /// The guards of a record, all of them.
    #[must_use]
    pub fn of(record: RecordIndex) -> Self {
        Self {
            record,
            filter: GuardFilter::default(),
            node: None,
        }
    }
}

/// The picture of a graph, and what of it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphPlace {
    /// The record that carries it.
    pub record: RecordIndex,
    /// Which of the graphs that the payload prints.
    pub module: u32,
    /// The groups that are open; those that stay readable where absent.
    pub open: Option<Vec<u32>>,
    /// The record whose graph it is compared with.
    pub against: Option<RecordIndex>,
    /// The node that is chosen.
    pub node: Option<u32>,
    /// The words that the nodes in the list must hold.
    pub filter: String,
}

impl GraphPlace {
    /// The graph of a record, as it stands when nobody opened or closed anything.
    #[must_use]
    pub fn of(record: RecordIndex) -> Self {
        Self {
            record,
            module: 0,
            open: None,
            against: None,
            node: None,
            filter: String::new(),
        }
    }
}
