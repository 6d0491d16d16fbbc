//! Reads the lines of a text one after the other.

use super::lines::{Line, Lines};
use super::print::{BLOCK_INDENT, BLOCK_PARTS, GUARDS, TREE};
use super::trailer::{self, span, span_in};
use super::{
    Accessor, Block, Check, Error, ErrorKind, GuardTree, Kind, Leaf, LineEnd, Manager, Node,
    NodeIndex, Object, Remark, RemarkKind, Role, Span, scan,
};
use alloc::boxed::Box;
use alloc::vec::Vec;

pub(super) fn parse(text: Box<str>) -> Result<GuardTree, Error> {
    if u32::try_from(text.len()).is_err() {
        return Err(Error {
            kind: ErrorKind::TooLong,
            offset: u32::MAX as usize,
        });
    }
    let mut parser = Parser {
        text: &text,
        lines: Lines::new(&text),
        nodes: Vec::new(),
        remarks: Vec::new(),
        open: Vec::new(),
        part: Part::Before,
    };
    while let Some(line) = parser.lines.next() {
        parser.line(line);
    }
    parser.close(0);
    let (nodes, remarks) = (parser.nodes, parser.remarks);
    let is_heading = |remark: &Remark| {
        !matches!(
            remark.kind,
            RemarkKind::Blank(_) | RemarkKind::Opaque(_) | RemarkKind::Latency { .. }
        )
    };
    let is_guard = |node: &Node| !matches!(node.kind, Kind::Opaque { .. });
    if !nodes.iter().any(is_guard) && !remarks.iter().any(is_heading) {
        let offset = text.len() - text.trim_start().len();
        return Err(Error {
            kind: ErrorKind::NoGuards,
            offset,
        });
    }
    Ok(GuardTree {
        text,
        nodes,
        remarks,
    })
}

/// Where in the text a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Before any heading.
    Before,
    /// Behind `GUARDS:`.
    List,
    /// In a tree, or behind it.
    Tree,
}

struct Parser<'a> {
    text: &'a str,
    lines: Lines<'a>,
    nodes: Vec<Node>,
    remarks: Vec<Remark>,
    /// The nodes that the next line may stand in, each a level deeper.
    open: Vec<NodeIndex>,
    part: Part,
}

impl<'a> Parser<'a> {
    fn line(&mut self, line: Line<'a>) {
        let text = line.text;
        if let Some((depth, inner)) = branch(text) {
            self.part = Part::Tree;
            let (kind, end) = self.branch(line, inner);
            return self.push(Line { end, ..line }, depth, kind);
        }
        if text.trim_matches(' ').is_empty() {
            return self.remark(line, RemarkKind::Blank(whole(line)));
        }
        if let Some(kind) = heading(line) {
            self.part = match kind {
                RemarkKind::Guards => Part::List,
                _ => Part::Tree,
            };
            return self.remark(line, kind);
        }
        if let Some(is_cpp) = shape_function(text) {
            return self.shape_function(line, is_cpp);
        }
        if let Some(latency) = latency(line) {
            return self.remark(line, latency);
        }
        if text == " - " && self.block(line) {
            return;
        }
        let leaf = trailer::leaf(text, line.start);
        let is_guard = match self.part {
            Part::List => true,
            Part::Tree => false,
            Part::Before => looks_like_guard(text, &leaf),
        };
        if is_guard {
            self.push(line, 0, Kind::Leaf(leaf));
        } else {
            self.remark(line, RemarkKind::Opaque(whole(line)));
        }
    }

    fn remark(&mut self, line: Line<'_>, kind: RemarkKind) {
        self.remarks.push(Remark {
            line: line.number,
            kind,
            line_end: line.end,
        });
    }

    fn push(&mut self, line: Line<'_>, depth: u32, kind: Kind) {
        self.close(depth as usize);
        let index = last(self.nodes.len());
        // A line that stands deeper than there are nodes to hold it is held by the last one.
        let parent = self.open.last().copied();
        self.open.push(index);
        self.nodes.push(Node {
            line: line.number,
            depth,
            parent,
            end: index,
            kind,
            line_end: line.end,
        });
    }

    /// Ends the nodes at `depth` and deeper.
    fn close(&mut self, depth: usize) {
        let end = last(self.nodes.len());
        while let Some(&index) = self.open.last() {
            let Some(node) = self.nodes.get_mut(index as usize) else {
                break;
            };
            if (node.depth as usize) < depth {
                break;
            }
            node.end = end;
            self.open.pop();
        }
    }

    /// What stands behind the branches of a tree's line, and how its last line ends.
    fn branch(&mut self, line: Line<'a>, inner: &'a str) -> (Kind, LineEnd) {
        if let Some((class, code)) = inner.split_once(": ")
            && is_leaf_class(class)
        {
            let class = span_in(line.text, line.start, class);
            let start = span_in(line.text, line.start, code).start as usize;
            let (code, end) = self.continued(line, start).unwrap_or((code, line.end));
            let leaf = Leaf {
                class: Some(class),
                ..trailer::leaf(code, start)
            };
            return (Kind::Leaf(leaf), end);
        }
        (whole_line(line, inner), line.end)
    }

    /// A leaf's text, from `start` on, where it goes on behind its line, and how the last line ends.
    ///
    /// ID_MATCH prints objects as Python does (2.10 to 2.12), and a module takes many lines: the text goes on until its
    /// brackets are closed. What opens none goes on to the next guard: `Parameter containing:`. No line is looked
    /// at by two leaves, because a leaf's line ends the search.
    fn continued(&mut self, line: Line<'a>, start: usize) -> Option<(&'a str, LineEnd)> {
        let mut end = line.start + line.text.len();
        let code = self.text.get(start..end)?;
        let prints_object = code
            .split_once(", type=")
            .is_some_and(|(_, object)| !object.starts_with("<class '"));
        let mut depth = open_brackets(code).filter(|depth| *depth > 0 || prints_object)?;
        if scan::find_outside_strings(code, trailer::SEPARATOR).is_some() {
            return None;
        }
        let mut lines = self.lines.clone();
        let mut last = None;
        while let Some(next) = lines.peek() {
            let text = next.text;
            let is_other = branch(text).is_some()
                || heading(next).is_some()
                || latency(next).is_some()
                || shape_function(text).is_some();
            if is_other || (depth <= 0 && text.trim_matches(' ').is_empty()) {
                break;
            }
            lines.next();
            end = next.start + next.text.len();
            let cut = scan::find_outside_strings(text, trailer::SEPARATOR);
            let part = text.get(..cut.unwrap_or(text.len()))?;
            depth = depth.saturating_add(open_brackets(part).unwrap_or(0));
            last = (depth <= 0).then_some(next.end);
            if depth <= 0 && (cut.is_some() || !prints_object) {
                break;
            }
        }
        let last = last?;
        self.lines = lines;
        Some((self.text.get(start..end)?, last))
    }

    fn shape_function(&mut self, line: Line<'a>, is_cpp: bool) {
        let (mut end, mut line_end) = (line.start + line.text.len(), line.end);
        while let Some(next) = self.lines.peek() {
            let ends = branch(next.text).is_some()
                || heading(next).is_some()
                || latency(next).is_some()
                || shape_function(next.text).is_some()
                || !(is_cpp || next.text.starts_with("    ") || next.text.starts_with("def "));
            if ends {
                break;
            }
            self.lines.next();
            (end, line_end) = (next.start + next.text.len(), next.end);
        }
        let text = span(line.start, end - line.start);
        let kind = RemarkKind::ShapeFunction { is_cpp, text };
        self.remark(
            Line {
                end: line_end,
                ..line
            },
            kind,
        );
    }

    /// Reads a guard of torch 2.0, whose first line this is. Says whether it is one.
    fn block(&mut self, line: Line<'a>) -> bool {
        let mut lines = self.lines.clone();
        let Some((block, end)) = block(line, &mut lines) else {
            return false;
        };
        self.lines = lines;
        self.push(Line { end, ..line }, 0, Kind::Block(block));
        true
    }
}

/// How deep a line of a tree stands, and what it says.
fn branch(text: &str) -> Option<(u32, &str)> {
    let mut rest = text;
    let mut depth: u32 = 0;
    while let Some(deeper) = rest.strip_prefix("| ") {
        rest = deeper;
        depth = depth.saturating_add(1);
    }
    Some((depth, rest.strip_prefix("+- ")?))
}

/// What a tree's line says that is no leaf with code.
fn whole_line(line: Line<'_>, inner: &str) -> Kind {
    let place = |part: &str| span_in(line.text, line.start, part);
    if let Some(index) = inner.strip_prefix("KeyValueManager pair at index=")
        && !index.is_empty()
        && index.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Kind::Pair {
            index: place(index),
        };
    }
    let roles = [Role::Key, Role::Value, Role::Object];
    let manager = roles
        .into_iter()
        .find_map(|role| Some((role, inner.strip_prefix(role.as_str())?)))
        .and_then(|(role, text)| manager(role, text, &place));
    if let Some(manager) = manager {
        return Kind::Manager(manager);
    }
    if is_leaf_class(inner) {
        return Kind::Leaf(Leaf {
            class: Some(place(inner)),
            code: None,
            trailer: None,
            hint: None,
            padding: 0,
        });
    }
    Kind::Opaque { text: place(inner) }
}

fn heading(line: Line<'_>) -> Option<RemarkKind> {
    match line.text {
        GUARDS => Some(RemarkKind::Guards),
        TREE => Some(RemarkKind::Tree),
        _ => None,
    }
}

/// Whether a shape function starts here, and whether it is C++.
fn shape_function(text: &str) -> Option<bool> {
    if text.starts_with("Python shape guard function:") {
        Some(false)
    } else if text.starts_with("C++ shape guard function:") {
        Some(true)
    } else {
        None
    }
}

fn latency(line: Line<'_>) -> Option<RemarkKind> {
    let (label, rest) = line.text.split_once(" = ")?;
    let number = rest.strip_suffix(" us")?;
    if !matches!(label, "Guard latency" | "Guard eval latency") || number.parse::<f64>().is_err() {
        return None;
    }
    let place = |part: &str| span_in(line.text, line.start, part);
    Some(RemarkKind::Latency {
        label: place(label),
        microseconds: place(number),
    })
}

fn manager(role: Role, text: &str, place: &impl Fn(&str) -> Span) -> Option<Manager> {
    let (class, rest) = match text.split_once(": source=") {
        Some((class, rest)) => (class, Some(rest)),
        None => (text, None),
    };
    let is_word = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !class.ends_with("Manager") || !is_word(class) {
        return None;
    }
    let class = place(class);
    let Some(rest) = rest else {
        return Some(Manager {
            role,
            class,
            source: None,
            accessor: None,
            object: None,
        });
    };
    let (rest, object) = match object(rest, place) {
        Some((rest, object)) => (rest, Some(object)),
        None => (rest, None),
    };
    let (source, accessor) = match rest.rsplit_once(", accessed_by=") {
        Some((source, accessor)) => (source, Some(accessor)),
        None => (rest, None),
    };
    let accessor =
        accessor.map(
            |text| match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
                Some((name, argument)) => Accessor {
                    name: place(name),
                    argument: Some(place(argument)),
                },
                None => Accessor {
                    name: place(text),
                    argument: None,
                },
            },
        );
    Some(Manager {
        role,
        class,
        source: Some(place(source)),
        accessor,
        object,
    })
}

/// Takes `, type=…, tag_safe=(…, …)` from the end of a manager's text.
fn object<'a>(text: &'a str, place: &impl Fn(&str) -> Span) -> Option<(&'a str, Object)> {
    let (before, tags) = text.strip_suffix(')')?.rsplit_once(", tag_safe=(")?;
    let (before, pytype) = before.rsplit_once(", type=")?;
    let (safe, root) = tags.split_once(", ")?;
    let python = |text: &str| match text {
        "True" => Some(true),
        "False" => Some(false),
        _ => None,
    };
    let object = Object {
        pytype: place(pytype),
        tag_safe: python(safe)?,
        tag_safe_root: python(root)?,
    };
    Some((before, object))
}

/// guards.cpp names leaf classes in capitals; `LeafGuard` and `RelationalGuard` are their bases.
fn is_leaf_class(class: &str) -> bool {
    let capitals = class
        .bytes()
        .all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
    !class.is_empty() && capitals || matches!(class, "LeafGuard" | "RelationalGuard")
}

/// Whether a line without any heading is a guard of a list.
fn looks_like_guard(text: &str, leaf: &Leaf) -> bool {
    if leaf
        .trailer
        .as_ref()
        .is_some_and(|trailer| trailer.frame.is_some())
    {
        return true;
    }
    !matches!(
        Check::read(None, text.trim_end(), None),
        Check::Other { .. }
    )
}

/// The lines of a block behind its first one, and how the last one ends.
fn block<'a>(first: Line<'a>, lines: &mut Lines<'a>) -> Option<(Block, LineEnd)> {
    let mut next = |ends_as: LineEnd| lines.next().filter(|line| line.end == ends_as);
    let names = next(first.end)?;
    let (scope, rest) = names.text.strip_prefix(BLOCK_INDENT)?.split_once(' ')?;
    let (name, create) = rest.rsplit_once(' ')?;
    let place = |line: Line<'_>, part: &str| span_in(line.text, line.start, part);
    let brace = next(first.end)?;
    if brace.text.strip_prefix(BLOCK_INDENT)? != "{" {
        return None;
    }
    let mut parts = [Span::default(); 4];
    for ((before, after), part) in BLOCK_PARTS.into_iter().zip(&mut parts) {
        let line = next(first.end)?;
        let text = line.text.strip_prefix(before)?.strip_suffix(after)?;
        *part = place(line, text);
    }
    if next(first.end)?.text.strip_prefix(BLOCK_INDENT)? != "}" {
        return None;
    }
    let last = lines.next().filter(|line| line.text == BLOCK_INDENT)?;
    let [guard_types, code, object, class] = parts;
    let block = Block {
        scope: place(names, scope),
        name: place(names, name),
        create: place(names, create),
        guard_types,
        code,
        object,
        class,
        inner_end: first.end,
    };
    Some((block, last.end))
}

fn whole(line: Line<'_>) -> Span {
    span(line.start, line.text.len())
}

/// How many brackets more a text opens than it closes; `None` where it ends within a string.
fn open_brackets(text: &str) -> Option<i32> {
    let mut walk = scan::Walk::new(text);
    walk.by_ref().for_each(drop);
    (!walk.in_string()).then(|| walk.depth())
}

fn last(length: usize) -> NodeIndex {
    NodeIndex::try_from(length).unwrap_or(NodeIndex::MAX)
}
