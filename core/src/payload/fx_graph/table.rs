//! `Graph.print_tabular`: a row a node, under `opcode  name  target  args  kwargs`.
//!
//! The package tabulate writes it. The line of dashes says which columns a cell has, counted in
//! characters. Arguments are Python's `repr`, in which nodes stand by their names.

use super::build::{Builder, Draft};
use super::expression::{self, of_operator_module, without_prefix};
use super::lexer::{self, Token, TokenKind};
use super::{Argument, Form, NodeKind, Span, Target, listing};
use alloc::vec::Vec;
use core::ops::Range;

/// Where the cells of a row lie, in characters.
pub(super) type Columns = [Range<usize>; 5];

/// The columns of a table whose head is `line`, where `behind` starts with its line of dashes.
pub(super) fn columns(line: &str, behind: &str) -> Option<Columns> {
    let heads = ["opcode", "name", "target", "args", "kwargs"];
    let head = line.get(line.rfind("opcode")?..)?;
    if !head.split_whitespace().eq(heads) {
        return None;
    }
    let dashes = behind.get(..memchr::memchr(b'\n', behind.as_bytes()).unwrap_or(behind.len()))?;
    let dashes = dashes.trim_end();
    let mut columns = Vec::new();
    let mut start = 0;
    for part in dashes.split(' ') {
        if !part.is_empty() {
            if part.bytes().any(|byte| byte != b'-') {
                return None;
            }
            columns.push(start..start + part.len());
        }
        start += part.len() + 1;
    }
    columns.try_into().ok()
}

/// The graph's name, which 2.0 to 2.2 write in front of the head: `__compiled_fn_0 <eval_with_key>.1 opcode`.
pub(super) fn title(content: &str) -> Option<&str> {
    let (before, _) = content.split_once("opcode")?;
    let name = before.split_whitespace().next()?;
    (!name.contains(['/', '\\', '<'])).then_some(name)
}

/// Reads the rows of a table, whose head starts at a byte; gives where the line behind it starts.
pub(super) fn read(
    builder: &mut Builder<'_>,
    columns: &Columns,
    head: usize,
    dashes: usize,
) -> usize {
    let text = builder.text;
    builder.module(None, None, Form::Table, head as u32);
    let mut tokens = Vec::new();
    let line_at = |start: usize| {
        let rest = text.get(start..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        rest.get(..length).unwrap_or_default()
    };
    let mut start = dashes + line_at(dashes).len() + 1;
    while start < text.len() {
        let line = line_at(start);
        let Some(row) = Row::read(line, columns) else {
            break;
        };
        let kind = listing::kind(row.opcode);
        add(builder, &row, kind, start, &mut tokens);
        start += line.len() + 1;
        if kind == Some(NodeKind::Output) {
            break;
        }
    }
    start
}

/// The cells of a row, as places in the line.
struct Row<'a> {
    opcode: &'a str,
    name: Range<usize>,
    target: Range<usize>,
    args: Range<usize>,
    kwargs: Range<usize>,
    end: usize,
}

impl<'a> Row<'a> {
    fn read(line: &'a str, columns: &Columns) -> Option<Row<'a>> {
        let line = line.trim_end();
        let [_, name, target, args, kwargs] = columns;
        // The first character of each cell; the last cell ends with the line.
        let wanted = [name.start, target.start, args.start, kwargs.start];
        let mut starts = [0; 4];
        if line.is_ascii() {
            starts = wanted;
        } else {
            let mut next = 0;
            for (count, (at, _)) in line.char_indices().enumerate() {
                if wanted.get(next) == Some(&count) {
                    *starts.get_mut(next)? = at;
                    next += 1;
                }
            }
            if next < wanted.len() {
                return None;
            }
        }
        let [name, target, args, kwargs] = starts;
        let cell = |range: Range<usize>| {
            let text = line.get(range.clone())?;
            let start = range.start + (text.len() - text.trim_start().len());
            Some(start..start + text.trim().len())
        };
        let opcode = line.get(..name)?;
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        let opcode = Some(opcode.trim()).filter(|opcode| !opcode.is_empty())?;
        if !opcode.bytes().all(is_word) {
            return None;
        }
        Some(Row {
            opcode,
            name: cell(name..target)?,
            target: cell(target..args)?,
            args: cell(args..kwargs)?,
            kwargs: cell(kwargs..line.len())?,
            end: line.len(),
        })
    }
}

fn add(
    builder: &mut Builder<'_>,
    row: &Row<'_>,
    kind: Option<NodeKind>,
    start: usize,
    tokens: &mut Vec<Token>,
) {
    let place = |range: &Range<usize>| Span {
        // The caller has seen that the text is shorter than 4 GiB.
        start: (start + range.start) as u32,
        end: (start + range.end) as u32,
    };
    let kind = kind.unwrap_or(NodeKind::Opaque);
    let name = place(&row.name);
    let mut draft = Draft::new(kind, name, place(&(0..row.end)));
    draft.args = Some(place(&row.args));
    draft.target = match kind {
        NodeKind::Output | NodeKind::Opaque => Target::None,
        NodeKind::CallFunction => function(builder, place(&row.target)),
        _ => Target::Text(place(&row.target)),
    };
    let id = builder.node(draft);
    lexer::line(
        builder.text.get(..start + row.args.end).unwrap_or_default(),
        start + row.args.start,
        tokens,
    );
    let mut inside = within(tokens);
    if kind == NodeKind::Output
        && inside
            .first()
            .is_some_and(|open| open.kind == TokenKind::Open)
    {
        // `((a, b),)`: the only argument is what is returned.
        let end = inside
            .iter()
            .rposition(|token| token.kind == TokenKind::Close)
            .unwrap_or(inside.len());
        inside = inside.get(1..end).unwrap_or_default();
    }
    expression::arguments(builder, inside, 0);
    keywords(builder, place(&row.kwargs), tokens);
    builder.bind(name, id);
}

/// The tokens between the outermost brackets.
fn within(tokens: &[Token]) -> &[Token] {
    match tokens {
        [_, inner @ .., _] => inner,
        _ => &[],
    }
}

/// Adds the inputs in `{'dim': x}`.
fn keywords(builder: &mut Builder<'_>, place: Span, tokens: &mut Vec<Token>) {
    let text = builder.text.get(..place.end as usize).unwrap_or_default();
    lexer::line(text, place.start as usize, tokens);
    let is_comma = |token: &Token| token.kind == TokenKind::Comma && token.depth <= 1;
    for item in within(tokens).split(is_comma) {
        if let [key, colon, value @ ..] = item
            && key.kind == TokenKind::Text
            && colon.kind == TokenKind::Colon
        {
            let name = Span {
                start: key.at.start + 1,
                end: key.at.end.saturating_sub(1).max(key.at.start + 1),
            };
            expression::names(builder, value, Argument::Keyword(name));
        }
    }
}

/// What a function is called in the other forms, as far as its `repr` says:
/// `<built-in method sin of type object at 0x7f…>`, `<function relu at 0x7f…>`, `<built-in function add>`.
fn function(builder: &Builder<'_>, cell: Span) -> Target {
    const KINDS: &[&str] = &["<built-in method ", "<built-in function ", "<function "];
    let text = builder.slice(cell);
    let Some(kind) = KINDS.iter().find(|kind| text.starts_with(**kind)) else {
        return Target::Text(without_prefix(builder, cell));
    };
    let rest = text.get(kind.len()..).unwrap_or_default();
    let name = rest.get(..rest.find([' ', '>']).unwrap_or(rest.len()));
    let name = name.unwrap_or_default();
    let is_operator = *kind == "<built-in function ";
    if let Some(full) = of_operator_module(name).filter(|_| is_operator) {
        return Target::Operator(full);
    }
    let start = cell.start + kind.len() as u32;
    Target::Text(Span {
        start,
        end: start + name.len() as u32,
    })
}
