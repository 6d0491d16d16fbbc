//! What the right side of a printed statement calls, and which names it uses.
//!
//! `emit_node` in `CodeGen._gen_python_code` of torch/fx/graph.py writes a handful of shapes: a call, an
//! attribute, an item, or one operator. Others are left to the caller, as not understood.

use super::build::Builder;
use super::lexer::{Token, TokenKind};
use super::{Argument, NodeKind, Span, Target};
use alloc::string::String;

/// `magic_methods` of torch/fx/graph.py: operators between two operands.
const BINARY: &[(&str, &str)] = &[
    ("+", "operator.add"),
    ("-", "operator.sub"),
    ("*", "operator.mul"),
    ("//", "operator.floordiv"),
    ("/", "operator.truediv"),
    ("%", "operator.mod"),
    ("**", "operator.pow"),
    ("<<", "operator.lshift"),
    (">>", "operator.rshift"),
    ("&", "operator.and_"),
    ("|", "operator.or_"),
    ("^", "operator.xor"),
    ("@", "operator.matmul"),
    ("==", "operator.eq"),
    ("!=", "operator.ne"),
    ("<", "operator.lt"),
    (">", "operator.gt"),
    ("<=", "operator.le"),
    (">=", "operator.ge"),
];

/// Operators before one operand.
const UNARY: &[(&str, &str)] = &[
    ("-", "operator.neg"),
    ("~", "operator.invert"),
    ("+", "operator.pos"),
];

/// `inplace_methods` of torch/fx/graph.py.
const IN_PLACE: &[(&str, &str)] = &[
    ("+=", "operator.iadd"),
    ("&=", "operator.iand"),
    ("//=", "operator.ifloordiv"),
    ("<<=", "operator.ilshift"),
    ("%=", "operator.imod"),
    ("*=", "operator.imul"),
    ("@=", "operator.imatmul"),
    ("|=", "operator.ior"),
    ("**=", "operator.ipow"),
    (">>=", "operator.irshift"),
    ("-=", "operator.isub"),
    ("/=", "operator.itruediv"),
    ("^=", "operator.ixor"),
];

fn operator(table: &[(&str, &'static str)], text: &str) -> Option<&'static str> {
    table
        .iter()
        .find_map(|&(sign, name)| (sign == text).then_some(name))
}

/// The function behind `+=` and its like.
pub(super) fn in_place(text: &str) -> Option<&'static str> {
    operator(IN_PLACE, text)
}

/// The name that tables give a function of Python's `operator`, with its module.
pub(super) fn of_operator_module(name: &str) -> Option<&'static str> {
    [BINARY, UNARY, IN_PLACE]
        .iter()
        .flat_map(|table| table.iter())
        .map(|&(_, full)| full)
        .chain(["operator.getitem", "operator.setitem"])
        .find(|full| full.strip_prefix("operator.") == Some(name))
}

/// A right side that is understood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'t> {
    pub(super) kind: NodeKind,
    pub(super) target: Target,
    pub(super) args: Option<Span>,
    pub(super) inputs: Inputs<'t>,
}

/// The tokens that name inputs, and in which arguments they stand.
#[derive(Debug, Clone, Copy)]
pub(super) enum Inputs<'t> {
    /// One operand after the other.
    Operands(&'t [Token], &'t [Token]),
    /// A first one, then arguments between commas.
    Call(&'t [Token], &'t [Token]),
}

/// The range from the first token to the last one.
pub(super) fn span(tokens: &[Token]) -> Span {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => Span {
            start: first.at.start,
            end: last.at.end,
        },
        _ => Span::default(),
    }
}

/// Reads a right side.
pub(super) fn read<'t>(builder: &mut Builder<'_>, tokens: &'t [Token]) -> Option<Reading<'t>> {
    let path = path(builder, tokens)?;
    let Some(path) = path else {
        return operation(builder, tokens);
    };
    let (head, rest) = tokens.split_at_checked(path.length)?;
    let first = head.first()?;
    let object = builder.lookup(builder.of(first)).is_some() && !path.built;
    let whole = |open: &str| {
        let (first, last) = (rest.first()?, rest.last()?);
        let closes = last.kind == TokenKind::Close && last.depth == first.depth;
        // The bracket that closes the first one is the last token.
        let inner = rest.get(1..rest.len().checked_sub(1)?)?;
        let whole = closes && inner.iter().all(|token| token.depth > first.depth);
        (builder.of(first) == open && whole).then_some(inner)
    };
    let between = |inner: &[Token]| Span {
        start: rest.first().map_or(0, |open| open.at.end),
        end: rest
            .last()
            .map_or(0, |close| close.at.start)
            .max(span(inner).end),
    };
    let is_self = !object && builder.of(first) == "self" || path.built;
    if rest.is_empty() {
        if is_self && head.len() > 2 {
            let target = attribute(builder, head, path.built);
            return Some(reading(NodeKind::GetAttr, target, None, head, &[]));
        }
        if object && head.len() >= 3 {
            let target = Target::Operator("getattr");
            let object = head.get(..1)?;
            let args = Some(span(head.get(2..)?));
            return Some(reading(NodeKind::CallFunction, target, args, object, &[]));
        }
        return None;
    }
    if let Some(inner) = whole("(") {
        let args = Some(between(inner));
        if is_self && head.len() > 2 {
            let target = attribute(builder, head, path.built);
            return Some(reading(NodeKind::CallModule, target, args, &[], inner));
        }
        if object && head.len() >= 3 {
            let target = Target::Text(span(head.get(2..)?));
            let object = head.get(..1)?;
            return Some(reading(NodeKind::CallMethod, target, args, object, inner));
        }
        let target = Target::Text(without_prefix(builder, span(head)));
        return Some(reading(NodeKind::CallFunction, target, args, &[], inner));
    }
    if object
        && head.len() == 1
        && let Some(inner) = whole("[")
    {
        return Some(Reading {
            kind: NodeKind::CallFunction,
            target: Target::Operator("operator.getitem"),
            args: Some(between(inner)),
            inputs: Inputs::Operands(head, inner),
        });
    }
    operation(builder, tokens)
}

fn reading<'t>(
    kind: NodeKind,
    target: Target,
    args: Option<Span>,
    object: &'t [Token],
    inner: &'t [Token],
) -> Reading<'t> {
    Reading {
        kind,
        target,
        args,
        inputs: Inputs::Call(object, inner),
    }
}

/// `torch.ops.aten.mm.default` is the operator `aten.mm.default`, as tables name it.
pub(super) fn without_prefix(builder: &Builder<'_>, target: Span) -> Span {
    const PREFIX: &str = "torch.ops.";
    if builder.slice(target).starts_with(PREFIX) {
        return Span {
            start: target.start + PREFIX.len() as u32,
            end: target.end,
        };
    }
    target
}

/// A dotted path at the start of the tokens.
struct Path {
    /// Its tokens.
    length: usize,
    /// Whether it holds `getattr(self.layers, "0")`, which Python needs where a part is no name.
    built: bool,
}

/// `Some(None)` where the tokens start with no path; `None` where they start with half a one.
fn path(builder: &Builder<'_>, tokens: &[Token]) -> Option<Option<Path>> {
    let is = |at: usize, kind: TokenKind| tokens.get(at).is_some_and(|token| token.kind == kind);
    let mut calls = 0usize;
    let mut at = 0;
    // `_format_target` nests the calls: `getattr(getattr(self.a, "0").b, "1")`.
    while is(at, TokenKind::Name)
        && is(at + 1, TokenKind::Open)
        && tokens.get(at).map(|token| builder.of(token)) == Some("getattr")
    {
        calls += 1;
        at += 2;
    }
    if !is(at, TokenKind::Name) {
        return (calls == 0).then_some(None);
    }
    let of_self = tokens.get(at).map(|token| builder.of(token)) == Some("self");
    if calls > 0 && !of_self {
        // A call of `getattr` with a default.
        return Some(Some(Path {
            length: 1,
            built: false,
        }));
    }
    at += 1;
    for call in 0..=calls {
        while is(at, TokenKind::Dot) && is(at + 1, TokenKind::Name) {
            at += 2;
        }
        if call < calls {
            let closed = is(at, TokenKind::Comma)
                && is(at + 1, TokenKind::Text)
                && is(at + 2, TokenKind::Close);
            if !closed {
                return None;
            }
            at += 3;
        }
    }
    Some(Some(Path {
        length: at,
        built: calls > 0,
    }))
}

/// The attribute path of `self.a.b`, or of `getattr(self.a, "0").b`: `a.0.b`.
fn attribute(builder: &mut Builder<'_>, head: &[Token], built: bool) -> Target {
    if !built {
        return Target::Text(span(head.get(2..).unwrap_or_default()));
    }
    let mut path = String::new();
    for token in head {
        let part = match token.kind {
            TokenKind::Name => builder.of(token),
            TokenKind::Text => builder.of(token).trim_matches(['"', '\'']),
            _ => continue,
        };
        if part == "self" || part == "getattr" {
            continue;
        }
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(part);
    }
    builder.target(path)
}

/// One operator with one or two operands.
fn operation<'t>(builder: &Builder<'_>, tokens: &'t [Token]) -> Option<Reading<'t>> {
    let base = tokens.first()?.depth;
    let is_operator = |token: &Token| token.kind == TokenKind::Operator && token.depth == base;
    // A sign belongs to its operand where nothing, or another operator, stands before it.
    let mut between = tokens.iter().enumerate().filter(|&(at, token)| {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        is_operator(token) && before.is_some_and(|before| !is_operator(before))
    });
    let target;
    let inputs;
    match (between.next(), between.next()) {
        (Some((at, sign)), None) => {
            target = operator(BINARY, builder.of(sign))?;
            let (left, right) = (tokens.get(..at)?, tokens.get(at + 1..)?);
            if right.is_empty() || !is_operand(left) || !is_operand(right) {
                return None;
            }
            inputs = Inputs::Operands(left, right);
        }
        (None, None) => {
            let (sign, operand) = tokens.split_first()?;
            let is_number = operand.first()?.kind == TokenKind::Number;
            if !is_operator(sign) || is_number || !is_operand(operand) {
                return None;
            }
            target = operator(UNARY, builder.of(sign))?;
            inputs = Inputs::Operands(operand, &[]);
        }
        _ => return None,
    }
    Some(Reading {
        kind: NodeKind::CallFunction,
        target: Target::Operator(target),
        args: Some(span(tokens)),
        inputs,
    })
}

/// Whether the tokens can be one operand: a number or string with signs, a name, or something in brackets.
fn is_operand(tokens: &[Token]) -> bool {
    let is_sign = |token: &&Token| token.kind == TokenKind::Operator;
    let signs = tokens.iter().take_while(is_sign).count();
    let mut parts = tokens.iter().skip(signs);
    let Some(first) = parts.next() else {
        return false;
    };
    match first.kind {
        TokenKind::Number | TokenKind::Text => parts.next().is_none(),
        TokenKind::Name => true,
        TokenKind::Open => parts
            .enumerate()
            .all(|(at, token)| token.depth > first.depth || at + 2 + signs == tokens.len()),
        _ => false,
    }
}

/// Adds the inputs to the node that was added last.
pub(super) fn connect(builder: &mut Builder<'_>, inputs: Inputs<'_>) {
    match inputs {
        Inputs::Operands(left, right) => {
            names(builder, left, Argument::Position(0));
            names(builder, right, Argument::Position(1));
        }
        Inputs::Call(object, inner) => {
            names(builder, object, Argument::Position(0));
            arguments(builder, inner, u32::from(!object.is_empty()));
        }
    }
}

/// Adds the inputs among arguments that stand between commas, counted from `position` on.
pub(super) fn arguments(builder: &mut Builder<'_>, tokens: &[Token], position: u32) {
    let Some(base) = tokens.first().map(|token| token.depth) else {
        return;
    };
    let is_comma = |token: &Token| token.kind == TokenKind::Comma && token.depth <= base;
    let mut position = position;
    for argument in tokens.split(is_comma) {
        let argument = match argument {
            [name, equal, value @ ..]
                if name.kind == TokenKind::Name && equal.kind == TokenKind::Equal =>
            {
                names(builder, value, Argument::Keyword(name.at));
                continue;
            }
            argument => argument,
        };
        names(builder, argument, Argument::Position(position));
        position = position.saturating_add(1);
    }
}

/// Adds the names among tokens that stand for nodes.
pub(super) fn names(builder: &mut Builder<'_>, tokens: &[Token], argument: Argument) {
    let mut before = None;
    for (at, token) in tokens.iter().enumerate() {
        let attribute = before.replace(token.kind) == Some(TokenKind::Dot);
        if token.kind != TokenKind::Name || attribute {
            continue;
        }
        // The name of a keyword argument of a call within.
        if tokens.get(at + 1).map(|next| next.kind) == Some(TokenKind::Equal) {
            continue;
        }
        if let Some(node) = builder.lookup(builder.of(token)) {
            builder.edge(node, token.at, argument);
        }
    }
}
