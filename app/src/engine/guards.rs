//! Guards as a tree: payloads read in steps and parsed once, the latest ones kept ready.
//!
//! Start at [`Guards::step`]. Which rows show is reckoned once for a filter and its folds; a page takes a
//! stretch of them. Nothing here recurses: a tree may be as deep as a log says.

use super::answers::{compilation_of, cut, title_of};
use super::protocol::{
    CompilationKey, FrameView, GuardFilter, GuardFolds, GuardHead, GuardKind, GuardPage, GuardRow,
    GuardView, GuardsShown, RecordIndex,
};
use super::shelf::{Shelf, Taken};
use crate::text::format;
use crate::text::guards::{self as words, fact};
use dynascope_core::payload::guard_tree::{
    GuardTree, Kind, Leaf, Manager, Node, Origin, Role, Span, Statistics, Subtree, recorded,
};
use dynascope_core::source::Source;
use dynascope_core::trace::Trace;

/// Classes that are named; rarer ones are found by their text.
const CLASSES: usize = 60;

/// Objects that most guards hang on, as many as are named.
const SUBTREES: usize = 8;

/// Lines that are not understood, as many as are named.
const WRONG: usize = 20;

/// The longest text of a row, in characters.
const ROW: usize = 400;

/// The longest value of a guard's facts, in characters.
const FACT: usize = 20_000;

/// The trees of a log that were shown last.
#[derive(Debug, Default)]
pub struct Guards {
    shelf: Shelf<Read>,
}

/// A tree that was read.
#[derive(Debug)]
struct Read {
    tree: Option<GuardTree>,
    statistics: Statistics,
    largest: Vec<(u32, String, u32)>,
    /// Whether the tree's lines are those of the record's text.
    has_lines: bool,
    trouble: Option<String>,
    /// What the words of a filter are looked for in, by node, in lower case; made for the first filter.
    texts: Vec<String>,
    view: Option<View>,
}

/// What shows with a filter and folds.
#[derive(Debug)]
struct View {
    filter: GuardFilter,
    folds: GuardFolds,
    /// Whether the filter leaves a node.
    is_left: Vec<bool>,
    /// Guards that the filter leaves before each node, and behind the last.
    before: Vec<u32>,
    lines: Vec<Line>,
}

/// A row, by numbers.
#[derive(Debug, Clone, Copy)]
struct Line {
    node: u32,
    level: u32,
    place: (u32, u32),
    above: u32,
    is_open: Option<bool>,
}

impl Guards {
    /// Reads on at a record's guards; says whether all of them are read.
    ///
    /// # Errors
    /// A sentence that says why they cannot be read.
    pub fn step(
        &mut self,
        trace: &Trace,
        source: &dyn Source,
        record: RecordIndex,
    ) -> Result<bool, String> {
        self.shelf.step(trace, source, record, |taken| match taken {
            Taken::Whole(bytes) => parse(trace, record, bytes),
            Taken::TooLarge(size) => Read::new(None, Some(words::too_large(&format::bytes(size)))),
        })
    }

    fn ready(&mut self, record: RecordIndex) -> Result<&mut Read, String> {
        self.shelf
            .get_mut(record)
            .ok_or_else(|| "These guards are not read yet.".to_owned())
    }

    /// A stretch of a tree that was read.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn page(
        &mut self,
        trace: &Trace,
        shown: &GuardsShown,
        first: u32,
        count: u32,
    ) -> Result<GuardPage, String> {
        let compilation = compilation_of(trace, shown.record);
        let name = title_of(trace, shown.record);
        let read = self.ready(shown.record)?;
        read.look(&shown.filter, &shown.folds);
        Ok(read.page(&name, compilation, first, count))
    }

    /// A node of a tree that was read; `None` where there is none.
    ///
    /// # Errors
    /// A sentence for the reader.
    pub fn node(&mut self, shown: &GuardsShown, node: u32) -> Result<Option<GuardView>, String> {
        let read = self.ready(shown.record)?;
        Ok(read.node(&shown.filter, &shown.folds, node))
    }
}

/// Reads a payload, by what it starts with: JSON or the text of a tree.
fn parse(trace: &Trace, record: RecordIndex, bytes: Vec<u8>) -> Read {
    let is_list = bytes.trim_ascii_start().first() == Some(&b'[');
    if !is_list {
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        return match GuardTree::parse(text) {
            Ok(tree) => Read::new(Some(tree), None),
            Err(_) => Read::new(None, Some(words::NO_GUARDS.to_owned())),
        };
    }
    let process = compilation_of(trace, record).map_or(0, |(key, _)| key.process);
    let list = recorded::read(&bytes);
    let mut troubles = Vec::new();
    if let Some(fault) = &list.fault {
        troubles.push(words::broken_json(&fault.to_string()));
    }
    if list.wrong > 0 {
        troubles.push(words::wrong_items(list.wrong));
    }
    if list.guards.is_empty() {
        troubles.push(words::NO_GUARDS.to_owned());
    }
    let tree = list.to_tree(|id| trace.interned(process, id));
    let tree = tree.ok().filter(|_| !list.guards.is_empty());
    let mut read = Read::new(tree, Some(troubles.join(" ")).filter(|all| !all.is_empty()));
    // PyTorch writes `[`, then a line for each guard: as many lines as the list of them has.
    let lines = bytes.split(|byte| *byte == b'\n');
    let starts = lines.filter(|line| line.trim_ascii_start().starts_with(b"{"));
    read.has_lines =
        read.trouble.is_none() && bytes.starts_with(b"[\n") && starts.count() == list.guards.len();
    read
}

impl Read {
    fn new(tree: Option<GuardTree>, trouble: Option<String>) -> Read {
        let mut read = Read {
            statistics: tree.as_ref().map(GuardTree::statistics).unwrap_or_default(),
            largest: Vec::new(),
            has_lines: true,
            trouble,
            texts: Vec::new(),
            view: None,
            tree,
        };
        if let Some(tree) = &read.tree {
            read.largest = largest(tree);
        }
        read
    }

    /// Reckons which rows show, where that is not known yet.
    fn look(&mut self, filter: &GuardFilter, folds: &GuardFolds) {
        let Some(tree) = &self.tree else { return };
        let view = self.view.take();
        let view = match view {
            Some(view) if view.filter == *filter && view.folds == *folds => view,
            // Folds leave what the filter left.
            Some(view) if view.filter == *filter => View {
                lines: lines(tree, &view.is_left, folds),
                folds: folds.clone(),
                ..view
            },
            _ => {
                if !filter.text.trim().is_empty() && self.texts.is_empty() {
                    self.texts = (0..)
                        .zip(tree.nodes())
                        .map(|(index, node)| searched(tree, index, node))
                        .collect();
                }
                let (is_left, before) = left(tree, filter, &self.texts);
                View {
                    lines: lines(tree, &is_left, folds),
                    filter: filter.clone(),
                    folds: folds.clone(),
                    is_left,
                    before,
                }
            }
        };
        self.view = Some(view);
    }

    fn page(
        &self,
        name: &str,
        compilation: Option<(CompilationKey, String)>,
        first: u32,
        count: u32,
    ) -> GuardPage {
        let lines = self.view.as_ref().map_or(&[][..], |view| &view.lines);
        let rows = lines.iter().skip(first as usize).take(count as usize);
        let matching = self.view.as_ref().and_then(|view| view.before.last());
        let wrong_lines = self.tree.iter().flat_map(GuardTree::problems).take(WRONG);
        GuardPage {
            head: GuardHead {
                name: name.to_owned(),
                compilation,
                leaves: self.statistics.leaves,
                mine: self.statistics.from_user,
                matching: matching.copied().unwrap_or(0),
                managers: self.statistics.managers,
                by_class: self
                    .statistics
                    .by_class
                    .iter()
                    .take(CLASSES)
                    .cloned()
                    .collect(),
                latency: self
                    .tree
                    .as_ref()
                    .and_then(GuardTree::latency)
                    .map(|microseconds| microseconds / 1e6),
                largest: self.largest.clone(),
                wrong: self.statistics.problems,
                wrong_lines: wrong_lines
                    .map(|(line, text)| (line, cut(text, ROW)))
                    .collect(),
                trouble: self.trouble.clone(),
            },
            total: u32::try_from(lines.len()).unwrap_or(u32::MAX),
            first,
            rows: rows.filter_map(|line| self.row(*line)).collect(),
        }
    }

    fn row(&self, line: Line) -> Option<GuardRow> {
        let tree = self.tree.as_ref()?;
        let node = tree.node(line.node)?;
        let (kind, title, text) = match &node.kind {
            Kind::Manager(manager) => {
                let type_of = manager.object.as_ref().map(|object| object.pytype);
                let type_of = type_of.map(|pytype| words::type_name(tree.text(pytype)));
                (
                    GuardKind::Object,
                    title(tree, node),
                    type_of.unwrap_or_default().to_owned(),
                )
            }
            Kind::Pair { .. } => (GuardKind::Object, title(tree, node), String::new()),
            Kind::Leaf(_) | Kind::Block(_) => (
                GuardKind::Guard,
                tree.class(line.node).unwrap_or_default().to_owned(),
                said(tree, line.node),
            ),
            Kind::Opaque { text } => (
                GuardKind::Unreadable,
                words::UNREADABLE_TITLE.to_owned(),
                tree.text(*text).to_owned(),
            ),
        };
        let frame = frame(tree, node);
        Some(GuardRow {
            node: line.node,
            level: line.level,
            place: line.place,
            above: line.above,
            is_open: line.is_open,
            kind,
            title: cut(&title, ROW),
            text: cut(&text, ROW),
            below: self.below(line.node, node),
            cause: frame.and_then(|frame| Some((frame.file?, u32::try_from(frame.line?).ok()?))),
            is_mine: tree.origin(line.node) == Origin::User,
        })
    }

    /// Guards below a node that the filter leaves.
    fn below(&self, index: u32, node: &Node) -> u32 {
        let Some(view) = &self.view else { return 0 };
        let before = |at: u32| view.before.get(at as usize).copied().unwrap_or(0);
        match node.kind {
            Kind::Manager(_) | Kind::Pair { .. } => before(node.end).saturating_sub(before(index)),
            _ => 0,
        }
    }

    fn node(&mut self, filter: &GuardFilter, folds: &GuardFolds, index: u32) -> Option<GuardView> {
        let tree = self.tree.as_ref()?;
        tree.node(index)?;
        let holders = holders(tree, index);
        let mut folds = folds.clone();
        for (level, holder) in (1..).zip(&holders) {
            folds.open(*holder, level);
        }
        self.look(filter, &folds);
        let lines = self.view.as_ref().map_or(&[][..], |view| &view.lines);
        // Rows stand in the order of the nodes.
        let row = lines.binary_search_by_key(&index, |line| line.node).ok();
        let tree = self.tree.as_ref()?;
        let node = tree.node(index)?;
        let check = tree.check(index);
        let below = self.below(index, node);
        Some(GuardView {
            row: row.and_then(|row| u32::try_from(row).ok()),
            holders,
            title: cut(
                &match &node.kind {
                    Kind::Leaf(_) | Kind::Block(_) => {
                        tree.class(index).unwrap_or_default().to_owned()
                    }
                    _ => title(tree, node),
                },
                ROW,
            ),
            sentence: match &node.kind {
                Kind::Manager(Manager { source: None, .. }) => words::ROOT_SENTENCE.to_owned(),
                Kind::Manager(_) | Kind::Pair { .. } => words::object(below),
                Kind::Opaque { .. } => words::UNREADABLE.to_owned(),
                _ => said(tree, index),
            },
            note: note(tree, node),
            tensor: check.as_ref().map(words::tensor).unwrap_or_default(),
            facts: facts(tree, node),
            cause: frame(tree, node),
            is_mine: tree.origin(index) == Origin::User,
            line: Some(node.line).filter(|_| self.has_lines),
        })
    }
}

impl GuardFolds {
    /// Whether a node is folded, at a level that is 1 for the outermost ones.
    fn folds(&self, node: u32, level: u32) -> bool {
        (self.all && level > 1) != self.but.contains(&node)
    }

    /// Opens a node.
    pub fn open(&mut self, node: u32, level: u32) {
        if self.folds(node, level) {
            self.turn(node);
        }
    }

    /// Folds a node that is open, and the other way round.
    pub fn turn(&mut self, node: u32) {
        match self.but.iter().position(|but| *but == node) {
            Some(at) => {
                self.but.swap_remove(at);
            }
            None => self.but.push(node),
        }
    }
}

/// Which nodes a filter leaves, and how many guards it leaves before each.
fn left(tree: &GuardTree, filter: &GuardFilter, texts: &[String]) -> (Vec<bool>, Vec<u32>) {
    let words: Vec<String> = filter
        .text
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    let is_open = words.is_empty() && filter.class.is_none() && !filter.only_mine;
    let nodes = tree.nodes();
    let mut is_left = vec![is_open; nodes.len()];
    let mut before = Vec::with_capacity(nodes.len() + 1);
    let mut leaves = 0;
    before.push(0);
    for (index, node) in (0..).zip(nodes) {
        let is_guard = matches!(node.kind, Kind::Leaf(_) | Kind::Block(_));
        let text = || texts.get(index as usize).map_or("", String::as_str);
        let matches = is_open
            || (is_guard || matches!(node.kind, Kind::Opaque { .. }))
                && words.iter().all(|word| text().contains(word.as_str()))
                && (filter.class.as_deref())
                    .is_none_or(|class| is_guard && tree.class(index).unwrap_or_default() == class)
                && (!filter.only_mine || tree.origin(index) == Origin::User);
        if let Some(slot) = is_left.get_mut(index as usize) {
            *slot = matches;
        }
        leaves += u32::from(matches && is_guard);
        before.push(leaves);
    }
    // What holds a node that is left is left. A parent stands before its children.
    for (index, node) in nodes.iter().enumerate().rev() {
        if is_left.get(index).copied().unwrap_or(false)
            && let Some(slot) = node.parent.and_then(|at| is_left.get_mut(at as usize))
        {
            *slot = true;
        }
    }
    (is_left, before)
}

/// The rows that show.
fn lines(tree: &GuardTree, is_left: &[bool], folds: &GuardFolds) -> Vec<Line> {
    let nodes = tree.nodes();
    let left = |index: usize| is_left.get(index).copied().unwrap_or(false);
    let at = |parent: Option<u32>| parent.map_or(0, |parent| parent as usize + 1);
    // Children that are left, by parent plus 1; those without a parent at 0.
    let mut children = vec![0_u32; nodes.len() + 1];
    for (index, node) in nodes.iter().enumerate().filter(|(index, _)| left(*index)) {
        debug_assert!(node.parent.is_none_or(|parent| (parent as usize) < index));
        if let Some(count) = children.get_mut(at(node.parent)) {
            *count += 1;
        }
    }
    let mut passed = vec![0_u32; nodes.len() + 1];
    // What holds the node that comes next: where it ends, and its row.
    let mut holding: Vec<(u32, u32)> = Vec::new();
    let mut out = Vec::new();
    let mut next = 0;
    while let Some(node) = nodes.get(next) {
        let here = next;
        next += 1;
        let Ok(index) = u32::try_from(here) else {
            break;
        };
        if !left(here) {
            continue;
        }
        while holding.last().is_some_and(|(end, _)| *end <= index) {
            holding.pop();
        }
        let level = u32::try_from(holding.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        let row = u32::try_from(out.len()).unwrap_or(u32::MAX);
        let siblings = children.get(at(node.parent)).copied().unwrap_or(1);
        let place = passed.get_mut(at(node.parent)).map_or(1, |passed| {
            *passed += 1;
            *passed
        });
        let has_children = children.get(here + 1).is_some_and(|count| *count > 0);
        let is_open = has_children.then(|| !folds.folds(index, level));
        out.push(Line {
            node: index,
            level,
            place: (place, siblings),
            above: holding.last().map_or(row, |(_, row)| *row),
            is_open,
        });
        match is_open {
            Some(true) => holding.push((node.end, row)),
            Some(false) => next = (node.end as usize).max(next),
            None => {}
        }
    }
    out
}

/// What holds a node, outermost first.
fn holders(tree: &GuardTree, index: u32) -> Vec<u32> {
    let parent = |index: u32| tree.node(index).and_then(|node| node.parent);
    let mut all: Vec<u32> = std::iter::successors(parent(index), |at| parent(*at)).collect();
    all.reverse();
    all
}

/// The objects that most guards hang on. One that adds nothing to the one below it is left out.
fn largest(tree: &GuardTree) -> Vec<(u32, String, u32)> {
    let all = tree.largest(SUBTREES * 4);
    let is_shown = |found: &Subtree| {
        let node = tree.node(found.node);
        let has_source = node.is_some_and(
            |node| matches!(&node.kind, Kind::Manager(manager) if manager.source.is_some()),
        );
        let is_within =
            |inner: u32| inner > found.node && node.is_some_and(|node| inner < node.end);
        let adds = !all
            .iter()
            .any(|other| other.leaves == found.leaves && is_within(other.node));
        has_source && found.leaves > 1 && adds
    };
    let named = |found: &Subtree| {
        let name = title(tree, tree.node(found.node)?);
        Some((found.node, cut(&name, ROW), found.leaves))
    };
    all.iter()
        .filter(|found| is_shown(found))
        .filter_map(named)
        .take(SUBTREES)
        .collect()
}

/// What an object is called.
fn title(tree: &GuardTree, node: &Node) -> String {
    match &node.kind {
        Kind::Manager(manager) => match manager.source {
            Some(source) => words::source(tree.text(source)),
            None => words::ROOT.to_owned(),
        },
        Kind::Pair { index } => words::pair(tree.text(*index)),
        _ => words::UNREADABLE_TITLE.to_owned(),
    }
}

/// What a guard demands.
fn said(tree: &GuardTree, index: u32) -> String {
    match tree.check(index) {
        Some(check) => words::sentence(&check),
        None => words::again(tree.class(index).unwrap_or_default()),
    }
}

/// The line that caused a guard.
fn frame(tree: &GuardTree, node: &Node) -> Option<FrameView> {
    let Kind::Leaf(leaf) = &node.kind else {
        return None;
    };
    let trailer = leaf.trailer.as_ref()?;
    let frame = trailer.frame.as_ref()?;
    Some(FrameView {
        file: Some(cut(tree.text(frame.file), ROW)),
        line: Some(frame.line.into()),
        function: cut(tree.text(frame.function), ROW),
        source: trailer.source.map(|source| cut(tree.text(source), FACT)),
        dumped: None,
    })
}

fn note(tree: &GuardTree, node: &Node) -> Option<String> {
    let Kind::Leaf(Leaf {
        trailer: Some(trailer),
        ..
    }) = &node.kind
    else {
        return None;
    };
    words::note(tree.note_kind(trailer.note?)).map(str::to_owned)
}

/// What else is known of a node, as it stands in the text.
fn facts(tree: &GuardTree, node: &Node) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut put = |name: &str, span: Option<Span>| {
        if let Some(span) = span {
            out.push((name.to_owned(), cut(tree.text(span), FACT)));
        }
    };
    match &node.kind {
        Kind::Manager(manager) => {
            put(fact::SOURCE, manager.source);
            put(
                fact::TYPE,
                manager.object.as_ref().map(|object| object.pytype),
            );
            let accessor = manager.accessor.as_ref();
            put(fact::REACHED, accessor.map(|accessor| accessor.name));
            put(fact::WITH, accessor.and_then(|accessor| accessor.argument));
            put(fact::CHECKED, Some(manager.class));
            let mut say = |name: &str, value: &str| out.push((name.to_owned(), value.to_owned()));
            if manager
                .object
                .as_ref()
                .is_some_and(|object| object.tag_safe)
            {
                say(fact::TAG_SAFE.0, fact::TAG_SAFE.1);
            }
            match manager.role {
                Role::Object => {}
                Role::Key => say(fact::KEY.0, fact::KEY.1),
                Role::Value => say(fact::VALUE.0, fact::VALUE.1),
            }
        }
        Kind::Pair { .. } => {}
        Kind::Leaf(leaf) => {
            put(fact::GUARD, leaf.code);
            put(fact::HINT, leaf.hint);
            put(
                fact::NOTE,
                leaf.trailer.as_ref().and_then(|trailer| trailer.note),
            );
        }
        Kind::Block(block) => {
            put(fact::GUARD, Some(block.code));
            put(fact::SOURCE, Some(block.name));
            put(fact::SCOPE, Some(block.scope));
            put(fact::TYPE, Some(block.class));
            put(fact::OBJECT, Some(block.object));
        }
        Kind::Opaque { text } => put(fact::LINE, Some(*text)),
    }
    out
}

/// What the words of a filter are looked for in, in lower case.
fn searched(tree: &GuardTree, index: u32, node: &Node) -> String {
    let mut text = match &node.kind {
        Kind::Leaf(_) | Kind::Block(_) => format!(
            "{} {} {}",
            tree.class(index).unwrap_or_default(),
            said(tree, index),
            tree.code(index).unwrap_or_default()
        ),
        Kind::Opaque { text } => tree.text(*text).to_owned(),
        _ => return String::new(),
    };
    if let Some(frame) = frame(tree, node) {
        let (file, source) = (frame.file.as_deref(), frame.source.as_deref());
        let parts = [
            file.unwrap_or_default(),
            &frame.function,
            source.unwrap_or_default(),
        ];
        for part in parts {
            text.push(' ');
            text.push_str(part);
        }
    }
    text.to_lowercase()
}

#[cfg(test)]
mod tests;
