//! Reads the values of an address: a view, and what it shows. A value that is none is left out.

use super::columns::{DEFAULT_SORT, hide_from, sort_from};
use super::{DiffPlace, GraphPlace, GuardPlace, Place, TextPlace};
use crate::engine::protocol::{Case, CompilationKey, FrameKey, GuardFilter, Query, RecordIndex};

/// Lines as an address or a reader writes them: `12`, or `12-20`, the smaller one first.
#[must_use]
pub fn lines_from(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first = number(Some(first.trim()))?.max(1);
    let last = number(Some(last.trim()))?.max(1);
    Some((first.min(last), first.max(last)))
}

/// The value of each key that this version knows.
#[derive(Default)]
pub(super) struct Fields {
    pub version: Option<String>,
    pub log: Option<String>,
    pub name: Option<String>,
    pub view: Option<String>,
    pub sort: Option<String>,
    pub filter: Option<String>,
    pub process: Option<String>,
    pub generation: Option<String>,
    pub id: Option<String>,
    pub autograd: Option<String>,
    pub frame: Option<String>,
    pub record: Option<String>,
    pub lines: Option<String>,
    pub form: Option<String>,
    pub find: Option<String>,
    pub word: Option<String>,
    pub regex: Option<String>,
    pub text: Option<String>,
    pub case: Option<String>,
    pub hide: Option<String>,
    pub print: Option<String>,
    pub from: Option<String>,
    pub whole: Option<String>,
    pub class: Option<String>,
    pub mine: Option<String>,
    pub node: Option<String>,
    pub module: Option<String>,
    pub open: Option<String>,
    pub against: Option<String>,
}

impl Fields {
    pub(super) fn slot(&mut self, key: &str) -> Option<&mut Option<String>> {
        Some(match key {
            "v" => &mut self.version,
            "log" => &mut self.log,
            "name" => &mut self.name,
            "view" => &mut self.view,
            "sort" => &mut self.sort,
            "filter" => &mut self.filter,
            "process" => &mut self.process,
            "generation" => &mut self.generation,
            "id" => &mut self.id,
            "autograd" => &mut self.autograd,
            "frame" => &mut self.frame,
            "record" => &mut self.record,
            "lines" => &mut self.lines,
            "form" => &mut self.form,
            "find" => &mut self.find,
            "word" => &mut self.word,
            "regex" => &mut self.regex,
            "text" => &mut self.text,
            "case" => &mut self.case,
            "hide" => &mut self.hide,
            "print" => &mut self.print,
            "from" => &mut self.from,
            "whole" => &mut self.whole,
            "class" => &mut self.class,
            "mine" => &mut self.mine,
            "node" => &mut self.node,
            "module" => &mut self.module,
            "open" => &mut self.open,
            "against" => &mut self.against,
            _ => return None,
        })
    }

    pub(super) fn place(&self, has_log: bool) -> Place {
        let Some(view) = self.view.as_deref() else {
            return if has_log {
                self.overview()
            } else {
                Place::Landing
            };
        };
        let found = match (view, has_log) {
            ("glossary", _) => Some(Place::Glossary),
            ("overview", true) => Some(self.overview()),
            ("compilation", true) => self.key().map(Place::Compilation),
            ("diff", true) => self.key().zip(self.from.clone()).map(|(new, old)| {
                Place::Diff(DiffPlace {
                    new,
                    old,
                    text: self.text.clone(),
                    is_whole: self.whole.as_deref() == Some("yes"),
                })
            }),
            ("frame", true) => number(self.frame.as_deref()).map(|frame_id| {
                Place::Frame(FrameKey {
                    process: number(self.process.as_deref()).unwrap_or(0),
                    generation: number(self.generation.as_deref()).unwrap_or(0),
                    autograd: number(self.autograd.as_deref()),
                    frame_id,
                })
            }),
            ("stacks", true) => Some(Place::Stacks),
            ("records", true) => Some(Place::Records {
                filter: self.filter.clone().unwrap_or_default(),
                text: self.text.clone().unwrap_or_default(),
                hide: self.hide.as_deref().map(hide_from).unwrap_or_default(),
            }),
            ("search", _) => Some(Place::Search {
                text: self.text.clone().unwrap_or_default(),
                case: self.case(),
            }),
            ("outside", true) => Some(Place::Outside),
            ("text", true) => number(self.record.as_deref()).map(|record| self.text(record)),
            ("record", true) => number(self.record.as_deref()).map(Place::Record),
            ("guards", true) => number(self.record.as_deref()).map(|record| self.guards(record)),
            ("graph", true) => number(self.record.as_deref()).map(|record| self.graph(record)),
            ("failures", true) => Some(Place::Findings),
            ("breaks", true) => Some(Place::Breaks),
            ("problems", true) => Some(Place::Problems),
            _ => None,
        };
        found.unwrap_or_else(|| Place::Unknown(view.to_owned()))
    }

    fn key(&self) -> Option<CompilationKey> {
        Some(CompilationKey {
            process: number(self.process.as_deref()).unwrap_or(0),
            generation: number(self.generation.as_deref()).unwrap_or(0),
            id: self.id.clone()?,
        })
    }

    fn text(&self, record: RecordIndex) -> Place {
        Place::Text(TextPlace {
            record,
            lines: self.lines.as_deref().and_then(lines_from),
            is_pretty: self.form.as_deref() == Some("pretty"),
            find: self.find.as_ref().map(|text| Query {
                text: text.clone(),
                case: self.case(),
                whole_word: self.word.as_deref() == Some("whole"),
                is_regex: self.regex.as_deref() == Some("yes"),
            }),
        })
    }

    fn guards(&self, record: RecordIndex) -> Place {
        Place::Guards(GuardPlace {
            record,
            filter: GuardFilter {
                text: self.text.clone().unwrap_or_default(),
                class: self.class.clone(),
                only_mine: self.mine.as_deref() == Some("yes"),
            },
            node: number(self.node.as_deref()),
        })
    }

    fn graph(&self, record: RecordIndex) -> Place {
        Place::Graph(GraphPlace {
            record,
            module: number(self.module.as_deref()).unwrap_or(0),
            open: self.open.as_deref().map(open_from),
            against: number(self.against.as_deref()),
            node: number(self.node.as_deref()),
            filter: self.filter.clone().unwrap_or_default(),
        })
    }

    fn case(&self) -> Case {
        match self.case.as_deref() {
            Some("matters") => Case::Matters,
            _ => Case::Ignored,
        }
    }

    fn overview(&self) -> Place {
        Place::Overview {
            sort: self
                .sort
                .as_deref()
                .and_then(sort_from)
                .unwrap_or(DEFAULT_SORT),
            filter: self.filter.clone().unwrap_or_default(),
        }
    }
}

/// Groups that an address may name: a person writes addresses, too.
const MOST_OPEN: usize = 1 << 20;

/// Groups as an address writes them: numbers and stretches of numbers between dots.
fn open_from(text: &str) -> Vec<u32> {
    let stretch = |one: &str| match one.split_once('-') {
        Some((first, last)) => Some(number(Some(first))?..=number(Some(last))?),
        None => number(Some(one)).map(|one| one..=one),
    };
    text.split('.')
        .filter_map(stretch)
        .flatten()
        .take(MOST_OPEN)
        .collect()
}

pub(super) fn number(text: Option<&str>) -> Option<u32> {
    text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?
        .parse()
        .ok()
}
