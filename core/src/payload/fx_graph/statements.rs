//! The statements of a `forward` that FX printed.
//!
//! `CodeGen._gen_python_code` in torch/fx/graph.py writes one statement a node, and behind a semicolon
//! which names end with it: `a: "f32[2]" = torch.sin(x);  x = None`. Two kinds of nodes take two
//! statements (`a += b;  iadd = a`, `a[i] = b;  setitem = a`). Where inputs come as nested containers
//! (`_PyTreeCodeGen`), placeholders are declared (`x: "f32[2]"; y: "Sym(s0)"`), then taken out of the
//! arguments of the function.

use super::build::{Builder, Draft};
use super::expression::{self, arguments, connect, names, span};
use super::lexer::{self, Token, TokenKind};
use super::query::Returned;
use super::{Argument, NodeId, NodeKind, Span, Target};
use alloc::vec::Vec;

/// Placeholders that were declared, and whose names still mean something else.
#[derive(Debug, Default)]
pub(super) struct Statements {
    declared: Vec<NodeId>,
}

/// An assignment's left side.
struct Left<'t> {
    name: &'t Token,
    type_text: &'t [Token],
}

impl Statements {
    /// The line of the function: its arguments are placeholders.
    pub(super) fn signature(&mut self, builder: &mut Builder<'_>, tokens: &[Token]) {
        // `def forward (`
        let inside = tokens.get(3..).unwrap_or_default();
        let end = inside
            .iter()
            .position(|token| token.kind == TokenKind::Close && token.depth == 0);
        let inside = inside
            .get(..end.unwrap_or(inside.len()))
            .unwrap_or_default();
        let is_comma = |token: &Token| token.kind == TokenKind::Comma && token.depth <= 1;
        let mut last = None;
        for (position, argument) in inside.split(is_comma).enumerate() {
            let mut argument = argument;
            // What is said of an argument stands behind its comma.
            while let [comment, rest @ ..] = argument
                && comment.kind == TokenKind::Comment
            {
                remark(builder, last, comment);
                argument = rest;
            }
            let stars = argument
                .iter()
                .take_while(|token| token.kind == TokenKind::Operator);
            let argument = argument.get(stars.count()..).unwrap_or_default();
            let Some(name) = argument.first().filter(|name| name.kind == TokenKind::Name) else {
                continue;
            };
            if position == 0 && builder.of(name) == "self" {
                continue;
            }
            let comment = argument
                .iter()
                .find(|token| token.kind == TokenKind::Comment);
            let end = argument
                .iter()
                .position(|token| token.kind == TokenKind::Comment);
            let argument = argument
                .get(..end.unwrap_or(argument.len()))
                .unwrap_or_default();
            let equal = argument
                .iter()
                .position(|token| token.kind == TokenKind::Equal && token.depth <= 1);
            let (left, default) = argument
                .split_at_checked(equal.unwrap_or(argument.len()))
                .unwrap_or((argument, &[]));
            let mut draft = Draft::new(NodeKind::Placeholder, name.at, span(argument));
            draft.target = Target::Text(name.at);
            draft.type_text = type_text(builder, left.get(2..).unwrap_or_default());
            draft.args = default.get(1..).filter(|args| !args.is_empty()).map(span);
            let id = builder.node(draft);
            builder.bind(name.at, id);
            last = Some(id);
            if let Some(comment) = comment {
                remark(builder, last, comment);
            }
        }
    }

    /// A line of the body.
    pub(super) fn line(&mut self, builder: &mut Builder<'_>, tokens: &[Token]) {
        let comment = tokens
            .last()
            .filter(|token| token.kind == TokenKind::Comment);
        let without: Vec<Token>;
        let tokens = if tokens.iter().any(|token| token.kind == TokenKind::Comment) {
            let is_code = |token: &&Token| token.kind != TokenKind::Comment;
            without = tokens.iter().filter(is_code).copied().collect();
            &without
        } else {
            tokens
        };
        let is_end = |token: &Token| token.kind == TokenKind::Semicolon && token.depth == 0;
        let mut parts = tokens.split(is_end).filter(|part| !part.is_empty());
        let mut part = parts.next();
        let mut is_first = true;
        let mut added = false;
        while let Some(statement) = part {
            part = parts.next();
            if is_delete(builder, statement, is_first) {
                for name in statement.iter().step_by(2) {
                    if let Some(node) = builder.lookup(builder.of(name)) {
                        builder.delete(node, name.at);
                    }
                }
            } else if let Some(next) = part
                && self.with_next(builder, statement, next)
            {
                part = parts.next();
                added = true;
            } else {
                self.statement(builder, statement);
                added = true;
            }
            is_first = false;
        }
        if let (Some(comment), true) = (comment, added) {
            let last = builder.last();
            remark(builder, last, comment);
        }
    }

    /// The names of declared placeholders count from here on.
    pub(super) fn settle(&mut self, builder: &mut Builder<'_>) {
        for id in self.declared.drain(..) {
            if let Some(name) = builder.get(id).map(|node| node.name) {
                builder.bind(name, id);
            }
        }
    }

    fn statement(&mut self, builder: &mut Builder<'_>, tokens: &[Token]) {
        let equal = tokens
            .iter()
            .position(|token| token.kind == TokenKind::Equal && token.depth == 0);
        if let Some(equal) = equal
            && let Some((left, [_, right @ ..])) = tokens.split_at_checked(equal)
        {
            if let Some(left) = left_side(left) {
                self.settle(builder);
                return assign(builder, &left, right, tokens);
            }
            if is_names(left) {
                return self.unpack(builder, left, right, tokens);
            }
        } else if let Some(left) = left_side(tokens)
            && !left.type_text.is_empty()
        {
            let mut draft = Draft::new(NodeKind::Placeholder, left.name.at, span(tokens));
            draft.target = Target::Text(left.name.at);
            draft.type_text = type_text(builder, left.type_text);
            let id = builder.node(draft);
            self.declared.push(id);
            return;
        }
        self.settle(builder);
        let Some((first, rest)) = tokens.split_first() else {
            return;
        };
        match builder.of(first) {
            "return" => returns(builder, rest, tokens),
            "pass" if rest.is_empty() => {}
            "with" => {
                let mut draft = Draft::new(NodeKind::Context, Span::default(), span(tokens));
                draft.args = Some(span(rest));
                builder.node(draft);
                names(builder, rest, Argument::Position(0));
            }
            _ => {
                opaque(builder, tokens, tokens);
            }
        }
    }

    /// `x, y, = fx_pytree.tree_flatten_spec([args], self._in_spec)`: what is taken out are placeholders,
    /// what holds them is none.
    fn unpack(
        &mut self,
        builder: &mut Builder<'_>,
        left: &[Token],
        right: &[Token],
        tokens: &[Token],
    ) {
        let flattens = right
            .iter()
            .take(5)
            .any(|token| token.kind == TokenKind::Name && builder.of(token) == "tree_flatten_spec");
        if !flattens {
            self.settle(builder);
            let id = opaque(builder, right, tokens);
            if let (Some(first), Some(node)) = (left.first(), builder.node_mut(id)) {
                node.name = first.at;
            }
            for name in left.iter().step_by(2) {
                builder.bind(name.at, id);
            }
            return;
        }
        for token in right.iter().filter(|token| token.kind == TokenKind::Name) {
            if let Some(id) = builder.lookup(builder.of(token)) {
                builder.echo(id, token.at);
                if let Some(node) = builder.node_mut(id) {
                    node.kind = NodeKind::Parameter;
                }
            }
        }
        self.settle(builder);
        for name in left.iter().step_by(2) {
            let known = builder.lookup(builder.of(name));
            let is_placeholder =
                |id: &NodeId| builder.get(*id).map(|node| node.kind) == Some(NodeKind::Placeholder);
            if let Some(id) = known.filter(is_placeholder) {
                builder.echo(id, name.at);
                continue;
            }
            let mut draft = Draft::new(NodeKind::Placeholder, name.at, name.at);
            draft.target = Target::Text(name.at);
            let id = builder.node(draft);
            builder.bind(name.at, id);
        }
    }

    /// Two statements that are one node. Says whether they are.
    fn with_next(
        &mut self,
        builder: &mut Builder<'_>,
        statement: &[Token],
        next: &[Token],
    ) -> bool {
        let Some(two) = Two::read(builder, statement, next) else {
            return false;
        };
        self.settle(builder);
        let text = Span {
            start: span(statement).start,
            end: span(next).end,
        };
        let mut draft = Draft::new(NodeKind::CallFunction, two.left.name.at, text);
        draft.type_text = type_text(builder, two.left.type_text);
        draft.target = Target::Operator(two.target);
        draft.args = Some(span(statement));
        let id = builder.node(draft);
        for (position, operand) in (0..).zip(two.operands) {
            names(builder, operand, Argument::Position(position));
        }
        if let Some(node) = builder.lookup(builder.of(two.again)) {
            builder.echo(node, two.again.at);
        }
        builder.bind(two.left.name.at, id);
        true
    }
}

/// `a += b;  iadd: "f32[2]" = a` and `a[i] = b;  setitem = a`.
struct Two<'t> {
    target: &'static str,
    operands: [&'t [Token]; 3],
    left: Left<'t>,
    /// The object, as the second statement names it.
    again: &'t Token,
}

impl<'t> Two<'t> {
    fn read(builder: &Builder<'_>, statement: &'t [Token], next: &'t [Token]) -> Option<Two<'t>> {
        let object = statement
            .first()
            .filter(|name| name.kind == TokenKind::Name)?;
        let (head, again) = next.split_at_checked(next.len().checked_sub(2)?)?;
        let [equal, again] = again else { return None };
        let fits = equal.kind == TokenKind::Equal && builder.of(again) == builder.of(object);
        let left = left_side(head).filter(|_| fits)?;
        let second = statement.get(1)?;
        if second.kind == TokenKind::Operator {
            let target = expression::in_place(builder.of(second))?;
            let operands = [statement.get(..1)?, statement.get(2..)?, &[]];
            return Some(Two {
                target,
                operands,
                left,
                again,
            });
        }
        let equal = statement
            .iter()
            .position(|token| token.kind == TokenKind::Equal && token.depth == 0)?;
        let index = statement.get(1..equal)?;
        if builder.of(second) != "[" || index.last()?.kind != TokenKind::Close {
            return None;
        }
        let operands = [statement.get(..1)?, index, statement.get(equal + 1..)?];
        Some(Two {
            target: "operator.setitem",
            operands,
            left,
            again,
        })
    }
}

fn remark(builder: &mut Builder<'_>, node: Option<NodeId>, comment: &Token) {
    let text = comment_text(builder.text, comment);
    if let Some(node) = node.and_then(|node| builder.node_mut(node)) {
        node.remark = Some(text);
    }
}

/// A comment without its sign.
fn comment_text(text: &str, comment: &Token) -> Span {
    let Span { start, end } = comment.at;
    let text = text.get(start as usize..end as usize).unwrap_or_default();
    let inside = text.trim_start_matches(['#', ' ']);
    let start = start + (text.len() - inside.len()) as u32;
    Span {
        start,
        end: start + inside.trim_end().len() as u32,
    }
}

/// `a = b = None`, behind another statement, or of names that are known.
fn is_delete(builder: &Builder<'_>, tokens: &[Token], is_first: bool) -> bool {
    let Some((last, names)) = tokens.split_last() else {
        return false;
    };
    builder.of(last) == "None"
        && !names.is_empty()
        && names.len() % 2 == 0
        && names.chunks(2).all(|pair| match pair {
            [name, equal] => {
                name.kind == TokenKind::Name
                    && equal.kind == TokenKind::Equal
                    && (!is_first || builder.lookup(builder.of(name)).is_some())
            }
            _ => false,
        })
}

/// `name` or `name: type`.
fn left_side(tokens: &[Token]) -> Option<Left<'_>> {
    match tokens {
        [name] if name.kind == TokenKind::Name => Some(Left {
            name,
            type_text: &[],
        }),
        [name, colon, type_text @ ..]
            if name.kind == TokenKind::Name && colon.kind == TokenKind::Colon =>
        {
            Some(Left { name, type_text })
        }
        _ => None,
    }
}

/// `a, b` or `a, b,`.
fn is_names(tokens: &[Token]) -> bool {
    tokens.len() > 1
        && tokens.iter().enumerate().all(|(at, token)| {
            let expected = [TokenKind::Name, TokenKind::Comma];
            expected.get(at % 2) == Some(&token.kind)
        })
}

/// A type without the quotes that FX puts around its own.
fn type_text(builder: &Builder<'_>, tokens: &[Token]) -> Option<Span> {
    let all = span(tokens);
    let text = builder.slice(all);
    let is_quoted = tokens.len() == 1
        && text.len() > 1
        && ['"', '\'']
            .iter()
            .any(|&q| text.starts_with(q) && text.ends_with(q));
    match tokens {
        [] => None,
        _ if is_quoted => Some(Span {
            start: all.start + 1,
            end: all.end - 1,
        }),
        _ => Some(all),
    }
}

fn assign(builder: &mut Builder<'_>, left: &Left<'_>, right: &[Token], tokens: &[Token]) {
    let name = left.name.at;
    // `l_x_ = L_x_`: a placeholder whose name is not that of the argument.
    if let [argument] = right
        && left.type_text.is_empty()
        && let Some(id) = builder.lookup(builder.of(argument))
        && let Some(node) = builder.get(id)
        && node.kind == NodeKind::Placeholder
        && node.target == Target::Text(node.name)
    {
        builder.echo(id, argument.at);
        if let Some(node) = builder.node_mut(id) {
            node.name = name;
        }
        builder.bind(name, id);
        return;
    }
    let Some(reading) = expression::read(builder, right) else {
        let id = opaque(builder, right, tokens);
        if let Some(node) = builder.node_mut(id) {
            node.name = name;
        }
        builder.bind(name, id);
        return;
    };
    let mut draft = Draft::new(reading.kind, name, span(tokens));
    draft.target = reading.target;
    draft.args = reading.args;
    draft.type_text = type_text(builder, left.type_text);
    let id = builder.node(draft);
    connect(builder, reading.inputs);
    builder.bind(name, id);
}

/// A statement that is not understood still uses what it names.
fn opaque(builder: &mut Builder<'_>, uses: &[Token], tokens: &[Token]) -> NodeId {
    let id = builder.node(Draft::new(NodeKind::Opaque, Span::default(), span(tokens)));
    names(builder, uses, Argument::Position(0));
    id
}

fn returns(builder: &mut Builder<'_>, value: &[Token], tokens: &[Token]) {
    let mut draft = Draft::new(NodeKind::Output, Span::default(), span(tokens));
    draft.args = Some(span(value)).filter(|_| !value.is_empty());
    builder.node(draft);
    match values(builder.text, value) {
        Values::Several(inner) => arguments(builder, inner, 0),
        Values::One(value) => names(builder, value, Argument::Position(0)),
    }
}

/// What stands behind `return`.
enum Values<'t> {
    /// A tuple or list, without its brackets.
    Several(&'t [Token]),
    /// Anything else.
    One(&'t [Token]),
}

fn values<'t>(text: &str, value: &'t [Token]) -> Values<'t> {
    let value = returned(text, value).unwrap_or(value);
    let all = |inner: &[Token], depth| inner.iter().all(|token| token.depth > depth);
    match value {
        [open, inner @ .., close]
            if open.kind == TokenKind::Open
                && close.kind == TokenKind::Close
                && all(inner, open.depth) =>
        {
            Values::Several(inner)
        }
        value => Values::One(value),
    }
}

/// The values between the brackets of what is returned, with the comments behind them.
pub(super) fn returned_values(text: &str, args: Span) -> Vec<Returned> {
    let mut tokens = Vec::new();
    let text = text.get(..args.end as usize).unwrap_or_default();
    lexer::line(text, args.start as usize, &mut tokens);
    let inner = match values(text, &tokens) {
        Values::Several(inner) => inner,
        Values::One([]) => return Vec::new(),
        Values::One(value) => {
            let value = span(value);
            return Vec::from([Returned {
                value,
                remark: None,
            }]);
        }
    };
    let base = inner.first().map_or(0, |token| token.depth);
    let is_comma = |token: &Token| token.kind == TokenKind::Comma && token.depth <= base;
    let mut all: Vec<Returned> = Vec::new();
    for part in inner.split(is_comma) {
        let is_comment = |token: &&Token| token.kind == TokenKind::Comment;
        let comments = part.iter().take_while(is_comment).count();
        // A comment stands behind the comma of what it is about.
        if let (Some(last), Some(comment)) = (all.last_mut(), part.first())
            && comments > 0
        {
            last.remark = Some(comment_text(text, comment));
        }
        let value = part.get(comments..).unwrap_or_default();
        let end = value.iter().position(|token| is_comment(&token));
        let code = value.get(..end.unwrap_or(value.len())).unwrap_or_default();
        if !code.is_empty() {
            let remark = end.and_then(|end| value.get(end));
            all.push(Returned {
                value: span(code),
                remark: remark.map(|comment| comment_text(text, comment)),
            });
        }
    }
    all
}

/// The first argument of `pytree.tree_unflatten([…], self._out_spec)`.
fn returned<'t>(text: &str, value: &'t [Token]) -> Option<&'t [Token]> {
    let of = |token: &Token| text.get(token.at.start as usize..token.at.end as usize);
    let [pytree, _, function, open, inner @ ..] = value else {
        return None;
    };
    let is_call = of(pytree) == Some("pytree") && of(function) == Some("tree_unflatten");
    let end = inner
        .iter()
        .position(|token| token.kind == TokenKind::Comma && token.depth <= open.depth + 1)?;
    inner.get(..end).filter(|_| is_call)
}
