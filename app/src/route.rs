//! The address of a view: what stands behind the page's `#`, read and written.
//!
//! Start at [`Address`]. An address names what is on the screen and never holds anything of a log's
//! content, only its order, its file's name and ids. The form is `v=1&log=0&view=record&record=12`:
//! a version, then keys in a fixed order. Keys that this version does not know are kept, so that a
//! link survives a trip through an older page. Any text whatsoever is some address.

use std::fmt::Write as _;

use crate::engine::protocol::{
    Case, Column, CompilationKey, Direction, FrameKey, GuardFilter, LogId, Query, RecordIndex, Sort,
};

/// The version of the form that this page writes.
pub const VERSION: u32 = 1;

/// The order in which a table of compilations stands when nobody chose another.
pub const DEFAULT_SORT: Sort = Sort {
    column: Column::Id,
    direction: Direction::Ascending,
};

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
    /// What could not be read.
    Problems,
    /// What differs between two compilations.
    Diff(DiffPlace),
    /// A view that this page does not have, or that lacks what it needs.
    Unknown(String),
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
        match &self.place {
            Place::Landing => {}
            Place::Glossary => put(&mut out, "view", "glossary"),
            Place::Overview { sort, filter } => {
                put(&mut out, "view", "overview");
                if *sort != DEFAULT_SORT {
                    put(&mut out, "sort", &sort_text(*sort));
                }
                if !filter.is_empty() {
                    put(&mut out, "filter", filter);
                }
            }
            Place::Compilation(key) => {
                put(&mut out, "view", "compilation");
                put_key(&mut out, key);
            }
            Place::Diff(diff) => {
                put(&mut out, "view", "diff");
                put_key(&mut out, &diff.new);
                put(&mut out, "from", &diff.old);
                if let Some(text) = &diff.text {
                    put(&mut out, "text", text);
                }
                if diff.is_whole {
                    put(&mut out, "whole", "yes");
                }
            }
            Place::Frame(key) => {
                put(&mut out, "view", "frame");
                put_generation(&mut out, key.process, key.generation);
                if let Some(autograd) = key.autograd {
                    put(&mut out, "autograd", &autograd.to_string());
                }
                put(&mut out, "frame", &key.frame_id.to_string());
            }
            Place::Stacks => put(&mut out, "view", "stacks"),
            Place::Records { filter, text, hide } => {
                put(&mut out, "view", "records");
                if !filter.is_empty() {
                    put(&mut out, "filter", filter);
                }
                if !text.is_empty() {
                    put(&mut out, "text", text);
                }
                if !hide.is_empty() {
                    put(&mut out, "hide", &hide_text(hide));
                }
            }
            Place::Search { text, case } => {
                put(&mut out, "view", "search");
                if !text.is_empty() {
                    put(&mut out, "text", text);
                }
                if *case == Case::Matters {
                    put(&mut out, "case", "matters");
                }
            }
            Place::Outside => put(&mut out, "view", "outside"),
            Place::Text(text) => put_text(&mut out, text),
            Place::Record(record) => {
                put(&mut out, "view", "record");
                put(&mut out, "record", &record.to_string());
            }
            Place::Guards(guards) => put_guards(&mut out, guards),
            Place::Graph(graph) => put_graph(&mut out, graph),
            Place::Findings => put(&mut out, "view", "failures"),
            Place::Problems => put(&mut out, "view", "problems"),
            Place::Unknown(view) => put(&mut out, "view", view),
        }
        for (key, value) in &self.unknown {
            put(&mut out, key, value);
        }
        out
    }
}

/// The value of each key that this version knows.
#[derive(Default)]
struct Fields {
    version: Option<String>,
    log: Option<String>,
    name: Option<String>,
    view: Option<String>,
    sort: Option<String>,
    filter: Option<String>,
    process: Option<String>,
    generation: Option<String>,
    id: Option<String>,
    autograd: Option<String>,
    frame: Option<String>,
    record: Option<String>,
    lines: Option<String>,
    form: Option<String>,
    find: Option<String>,
    word: Option<String>,
    regex: Option<String>,
    text: Option<String>,
    case: Option<String>,
    hide: Option<String>,
    print: Option<String>,
    from: Option<String>,
    whole: Option<String>,
    class: Option<String>,
    mine: Option<String>,
    node: Option<String>,
    module: Option<String>,
    open: Option<String>,
    against: Option<String>,
}

impl Fields {
    fn slot(&mut self, key: &str) -> Option<&mut Option<String>> {
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

    fn place(&self, has_log: bool) -> Place {
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

fn put_key(out: &mut String, key: &CompilationKey) {
    put_generation(out, key.process, key.generation);
    put(out, "id", &key.id);
}

/// The process and the generation, where there may be more than one.
fn put_generation(out: &mut String, process: u32, generation: u32) {
    if process != 0 {
        put(out, "process", &process.to_string());
    }
    if generation != 0 {
        put(out, "generation", &generation.to_string());
    }
}

fn put_text(out: &mut String, text: &TextPlace) {
    put(out, "view", "text");
    put(out, "record", &text.record.to_string());
    if let Some((first, last)) = text.lines {
        let lines = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        put(out, "lines", &lines);
    }
    if text.is_pretty {
        put(out, "form", "pretty");
    }
    if let Some(find) = &text.find {
        put(out, "find", &find.text);
        if find.case == Case::Matters {
            put(out, "case", "matters");
        }
        if find.whole_word {
            put(out, "word", "whole");
        }
        if find.is_regex {
            put(out, "regex", "yes");
        }
    }
}

fn put_guards(out: &mut String, guards: &GuardPlace) {
    put(out, "view", "guards");
    put(out, "record", &guards.record.to_string());
    let filter = &guards.filter;
    if !filter.text.is_empty() {
        put(out, "text", &filter.text);
    }
    if let Some(class) = &filter.class {
        put(out, "class", class);
    }
    if filter.only_mine {
        put(out, "mine", "yes");
    }
    if let Some(node) = guards.node {
        put(out, "node", &node.to_string());
    }
}

fn put_graph(out: &mut String, graph: &GraphPlace) {
    put(out, "view", "graph");
    put(out, "record", &graph.record.to_string());
    if graph.module != 0 {
        put(out, "module", &graph.module.to_string());
    }
    if let Some(open) = &graph.open {
        let open: Vec<String> = open.iter().map(u32::to_string).collect();
        put(out, "open", &open.join("."));
    }
    if let Some(against) = graph.against {
        put(out, "against", &against.to_string());
    }
    if let Some(node) = graph.node {
        put(out, "node", &node.to_string());
    }
    if !graph.filter.is_empty() {
        put(out, "filter", &graph.filter);
    }
}

/// Groups as an address writes them: numbers between dots.
fn open_from(text: &str) -> Vec<u32> {
    text.split('.')
        .filter_map(|one| number(Some(one)))
        .collect()
}

/// Lines as an address or a reader writes them: `12`, or `12-20`, the smaller one first.
#[must_use]
pub fn lines_from(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first = number(Some(first.trim()))?.max(1);
    let last = number(Some(last.trim()))?.max(1);
    Some((first.min(last), first.max(last)))
}

/// All columns, with the words that addresses and test marks use for them.
pub const COLUMN_KEYS: [(Column, &str); 8] = [
    (Column::Id, "id"),
    (Column::Function, "function"),
    (Column::Place, "place"),
    (Column::Status, "status"),
    (Column::Attempts, "attempts"),
    (Column::Ops, "ops"),
    (Column::Guards, "guards"),
    (Column::Seconds, "seconds"),
];

/// A column of the table of records that need not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordColumn {
    /// When it was written.
    Time,
    /// Its line in the file.
    Line,
    /// The compilation that it belongs to.
    Id,
    /// The attempt that wrote it.
    Attempt,
    /// The place in PyTorch's source that wrote it.
    Origin,
    /// Bytes of the file that it takes.
    Size,
}

/// The columns of the table of records that can be hidden, with the words that addresses use for them.
pub const HIDEABLE: [(RecordColumn, &str); 6] = [
    (RecordColumn::Line, "line"),
    (RecordColumn::Time, "time"),
    (RecordColumn::Id, "id"),
    (RecordColumn::Attempt, "attempt"),
    (RecordColumn::Origin, "origin"),
    (RecordColumn::Size, "size"),
];

fn hide_text(hide: &[RecordColumn]) -> String {
    let words = HIDEABLE
        .iter()
        .filter(|(column, _)| hide.contains(column))
        .map(|(_, word)| *word);
    words.collect::<Vec<_>>().join(",")
}

fn hide_from(text: &str) -> Vec<RecordColumn> {
    HIDEABLE
        .iter()
        .filter(|(_, word)| text.split(',').any(|part| part == *word))
        .map(|(column, _)| *column)
        .collect()
}

/// The word for a column in addresses.
#[must_use]
pub fn column_key(column: Column) -> &'static str {
    COLUMN_KEYS
        .iter()
        .find(|(known, _)| *known == column)
        .map_or("id", |(_, key)| key)
}

fn sort_text(sort: Sort) -> String {
    let direction = match sort.direction {
        Direction::Ascending => "up",
        Direction::Descending => "down",
    };
    format!("{}-{direction}", column_key(sort.column))
}

fn sort_from(text: &str) -> Option<Sort> {
    let (key, direction) = text.split_once('-')?;
    let (column, _) = COLUMN_KEYS.iter().find(|(_, known)| *known == key)?;
    let direction = match direction {
        "up" => Direction::Ascending,
        "down" => Direction::Descending,
        _ => return None,
    };
    Some(Sort {
        column: *column,
        direction,
    })
}

fn number(text: Option<&str>) -> Option<u32> {
    text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?
        .parse()
        .ok()
}

fn put(out: &mut String, key: &str, value: &str) {
    out.push('&');
    escape(out, key);
    out.push('=');
    escape(out, value);
}

/// Percent-escapes everything but letters, digits and marks that no browser changes in a fragment.
fn escape(out: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!:@,*".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// Undoes [`escape`]; a `%` that starts no escape stays, bytes that are no UTF-8 become U+FFFD.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let escaped = match (first, after) {
            (b'%', [high, low, tail @ ..]) => hex(*high)
                .zip(hex(*low))
                .map(|(high, low)| (high * 16 + low, tail)),
            _ => None,
        };
        match escaped {
            Some((byte, tail)) => {
                bytes.push(byte);
                rest = tail;
            }
            None => bytes.push(*first),
        }
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(address: &Address, text: &str) {
        assert_eq!(address.encode(), text);
        assert_eq!(&Address::decode(text), address);
    }

    #[test]
    fn each_place_has_one_address_and_reads_back() {
        check(&Address::landing(), "#v=1");
        check(
            &Address {
                place: Place::Glossary,
                ..Address::landing()
            },
            "#v=1&view=glossary",
        );
        let overview = Place::Overview {
            sort: DEFAULT_SORT,
            filter: String::new(),
        };
        check(
            &Address::of(0, "a.log", overview),
            "#v=1&log=0&name=a.log&view=overview",
        );
        let sorted = Place::Overview {
            sort: Sort {
                column: Column::Seconds,
                direction: Direction::Descending,
            },
            filter: "a&b = c%".to_owned(),
        };
        check(
            &Address::of(2, "", sorted),
            "#v=1&log=2&view=overview&sort=seconds-down&filter=a%26b%20%3D%20c%25",
        );
        let key = CompilationKey {
            process: 0,
            generation: 3,
            id: "!3/0/0".to_owned(),
        };
        check(
            &Address::of(1, "rank 0/trace.log", Place::Compilation(key)),
            "#v=1&log=1&name=rank%200/trace.log&view=compilation&generation=3&id=!3/0/0",
        );
        let key = FrameKey {
            process: 0,
            generation: 0,
            autograd: None,
            frame_id: 3,
        };
        check(
            &Address::of(0, "a.log", Place::Frame(key)),
            "#v=1&log=0&name=a.log&view=frame&frame=3",
        );
        let key = FrameKey {
            process: 1,
            generation: 2,
            autograd: Some(0),
            ..key
        };
        check(
            &Address::of(0, "", Place::Frame(key)),
            "#v=1&log=0&view=frame&process=1&generation=2&autograd=0&frame=3",
        );
        check(
            &Address::of(0, "", Place::Text(TextPlace::of(7))),
            "#v=1&log=0&view=text&record=7",
        );
        check(
            &Address::of(
                0,
                "",
                Place::Text(TextPlace {
                    lines: Some((3, 9)),
                    is_pretty: true,
                    find: Some(Query {
                        text: "a b".to_owned(),
                        case: Case::Matters,
                        whole_word: true,
                        is_regex: true,
                    }),
                    ..TextPlace::of(7)
                }),
            ),
            "#v=1&log=0&view=text&record=7&lines=3-9&form=pretty&find=a%20b&case=matters&word=whole&regex=yes",
        );
        check(
            &Address::of(0, "", Place::Guards(GuardPlace::of(7))),
            "#v=1&log=0&view=guards&record=7",
        );
        check(
            &Address::of(
                0,
                "",
                Place::Guards(GuardPlace {
                    record: 7,
                    filter: GuardFilter {
                        text: "a b".to_owned(),
                        class: Some("TENSOR_MATCH".to_owned()),
                        only_mine: true,
                    },
                    node: Some(3),
                }),
            ),
            "#v=1&log=0&view=guards&record=7&text=a%20b&class=TENSOR_MATCH&mine=yes&node=3",
        );
        check(
            &Address::of(0, "", Place::Record(u32::MAX)),
            "#v=1&log=0&view=record&record=4294967295",
        );
        check(
            &Address::of(0, "", Place::Outside),
            "#v=1&log=0&view=outside",
        );
        check(
            &Address::of(0, "", Place::Problems),
            "#v=1&log=0&view=problems",
        );
        check(
            &Address::of(0, "", Place::Findings),
            "#v=1&log=0&view=failures",
        );
    }

    #[test]
    fn an_address_carries_the_fingerprint_of_its_log_through_all_its_views() {
        let text = "#v=1&log=1&name=a.log&print=0123456789abcdef&view=stacks";
        let address = Address::of(1, "a.log", Place::Stacks).with_print("0123456789abcdef");
        check(&address, text);
        assert_eq!(
            address.to(Place::Problems).encode(),
            "#v=1&log=1&name=a.log&print=0123456789abcdef&view=problems"
        );
        // Without a log there is nothing to tell apart.
        assert_eq!(Address::landing().with_print("01"), Address::landing());
    }

    #[test]
    fn the_records_name_their_filters_and_the_columns_that_do_not_show() {
        check(
            &Address::of(0, "", Place::records()),
            "#v=1&log=0&view=records",
        );
        check(
            &Address::of(
                0,
                "",
                Place::Records {
                    filter: "artifact 0/1".to_owned(),
                    text: "\"attempt\": 1".to_owned(),
                    hide: vec![RecordColumn::Time, RecordColumn::Origin],
                },
            ),
            "#v=1&log=0&view=records&filter=artifact%200/1&text=%22attempt%22:%201&hide=time,origin",
        );
        let address = Address::decode("#log=0&view=records&hide=kind,size,nonsense,time");
        assert_eq!(address.encode(), "#v=1&log=0&view=records&hide=time,size");
    }

    #[test]
    fn unknown_keys_and_a_newer_version_are_kept_in_order() {
        let text = "#v=7&log=0&view=problems&zoom=2&fold=a%2Cb&zoom=3";
        let address = Address::decode(text);
        assert_eq!(address.version, 7);
        assert_eq!(address.unknown.len(), 3);
        assert_eq!(
            address.encode(),
            "#v=7&log=0&view=problems&zoom=2&fold=a,b&zoom=3"
        );
    }

    #[test]
    fn a_log_without_a_view_is_its_overview_and_nothing_is_the_landing() {
        assert!(matches!(
            Address::decode("#v=1&log=0").place,
            Place::Overview { .. }
        ));
        assert_eq!(Address::decode(""), Address::landing());
        assert_eq!(Address::decode("#"), Address::landing());
        assert_eq!(Address::decode("#main").place, Place::Landing);
    }

    #[test]
    fn a_view_that_lacks_what_it_needs_is_unknown_and_never_a_wrong_one() {
        for text in [
            "view=record",
            "log=0&view=record",
            "log=0&view=record&record=-1",
            "log=0&view=record&record=4294967296",
            "log=0&view=compilation",
            "log=0&view=frame",
            "log=0&view=frame&frame=x",
            "log=x&view=problems",
            "log=0&view=nonsense",
            "view=",
            "log=+1&view=problems",
        ] {
            assert!(
                matches!(Address::decode(text).place, Place::Unknown(_)),
                "{text}"
            );
        }
    }

    #[test]
    fn broken_escapes_stay_as_they_are() {
        assert_eq!(unescape("%"), "%");
        assert_eq!(unescape("%4"), "%4");
        assert_eq!(unescape("%zz%41%"), "%zzA%");
        assert_eq!(unescape("%ff"), "\u{fffd}");
        assert_eq!(unescape("%é"), "%é");
    }

    fn any_place() -> impl Strategy<Value = Place> {
        let sort = (0..COLUMN_KEYS.len(), any::<bool>()).prop_map(|(column, up)| Sort {
            column: COLUMN_KEYS[column].0,
            direction: if up {
                Direction::Ascending
            } else {
                Direction::Descending
            },
        });
        prop_oneof![
            (sort, any::<String>()).prop_map(|(sort, filter)| Place::Overview { sort, filter }),
            (any::<u32>(), any::<u32>(), any::<String>()).prop_map(|(process, generation, id)| {
                Place::Compilation(CompilationKey {
                    process,
                    generation,
                    id,
                })
            }),
            (any::<[u32; 3]>(), any::<Option<u32>>()).prop_map(
                |([process, generation, frame_id], autograd)| {
                    Place::Frame(FrameKey {
                        process,
                        generation,
                        autograd,
                        frame_id,
                    })
                }
            ),
            Just(Place::Outside),
            Just(Place::Stacks),
            (any::<String>(), any::<String>(), any::<u8>()).prop_map(|(filter, text, bits)| {
                let is_hidden = |place: &usize| bits & (1 << place) != 0;
                let hide = (0..HIDEABLE.len()).filter(is_hidden);
                Place::Records {
                    filter,
                    text,
                    hide: hide.map(|place| HIDEABLE[place].0).collect(),
                }
            }),
            (any::<String>(), any::<bool>()).prop_map(|(text, matters)| Place::Search {
                text,
                case: if matters {
                    Case::Matters
                } else {
                    Case::Ignored
                },
            }),
            any_text().prop_map(Place::Text),
            (
                any::<(u32, u32, String)>(),
                any::<String>(),
                any::<Option<String>>(),
                any::<bool>()
            )
                .prop_map(|((process, generation, id), old, text, is_whole)| {
                    Place::Diff(DiffPlace {
                        new: CompilationKey {
                            process,
                            generation,
                            id,
                        },
                        old,
                        text,
                        is_whole,
                    })
                }),
            any_guards().prop_map(Place::Guards),
            any_graph().prop_map(Place::Graph),
            any::<u32>().prop_map(Place::Record),
            Just(Place::Problems),
            Just(Place::Findings),
        ]
    }

    fn any_text() -> impl Strategy<Value = TextPlace> {
        let lines = proptest::option::of((1u32.., 1u32..));
        let find = proptest::option::of((any::<String>(), any::<[bool; 3]>()));
        (any::<u32>(), lines, any::<bool>(), find).prop_map(|(record, lines, is_pretty, find)| {
            TextPlace {
                record,
                lines: lines.map(|(first, last)| (first.min(last), first.max(last))),
                is_pretty,
                find: find.map(|(text, [matters, whole_word, is_regex])| Query {
                    text,
                    case: if matters {
                        Case::Matters
                    } else {
                        Case::Ignored
                    },
                    whole_word,
                    is_regex,
                }),
            }
        })
    }

    fn any_guards() -> impl Strategy<Value = GuardPlace> {
        let filter = (any::<String>(), any::<Option<String>>(), any::<bool>());
        let filter = filter.prop_map(|(text, class, only_mine)| GuardFilter {
            text,
            class,
            only_mine,
        });
        (any::<u32>(), filter, any::<Option<u32>>()).prop_map(|(record, filter, node)| GuardPlace {
            record,
            filter,
            node,
        })
    }

    fn any_graph() -> impl Strategy<Value = GraphPlace> {
        any::<(u32, u32, Option<Vec<u32>>, Option<u32>, Option<u32>, String)>().prop_map(
            |(record, module, open, against, node, filter)| GraphPlace {
                record,
                module,
                open,
                against,
                node,
                filter,
            },
        )
    }

    #[test]
    fn lines_read_as_a_reader_writes_them() {
        assert_eq!(lines_from("12"), Some((12, 12)));
        assert_eq!(lines_from(" 20 - 12 "), Some((12, 20)));
        assert_eq!(lines_from("0"), Some((1, 1)));
        for wrong in ["", "-", "a", "1-b", "1-2-3", "-5"] {
            assert_eq!(lines_from(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn every_address_reads_back_as_itself(
            version in any::<u32>(), log in any::<u32>(), name in any::<String>(), print in any::<String>(), place in any_place(),
            unknown in proptest::collection::vec(("x[^\\x00]*", any::<String>()), 0..4),
        ) {
            let address = Address { version, log: Some(LogName { order: log, name, print }), place, unknown };
            prop_assert_eq!(Address::decode(&address.encode()), address);
        }

        #[test]
        fn any_text_is_an_address_that_reads_back(text in any::<String>()) {
            let address = Address::decode(&text);
            prop_assert_eq!(Address::decode(&address.encode()), address);
        }

        #[test]
        fn texts_near_an_address_are_addresses_too(text in "#?(&|=|%|v|log|view|record|id|text|compilation|0|9|é|\\+){0,24}") {
            let address = Address::decode(&text);
            prop_assert_eq!(Address::decode(&address.encode()), address);
        }
    }
}
