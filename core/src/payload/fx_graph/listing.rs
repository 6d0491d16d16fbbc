//! `str(graph)`: `graph():`, and a line a node.
//!
//! `Graph.__str__` in torch/fx/graph.py and `Node.format_node` in torch/fx/node.py write it. Names of nodes
//! stand behind `%`; strings stand without quotes, so that a name without `%` is no node. Output code quotes
//! the lines of the nodes that a kernel was made of, as comments and without a head.

use super::build::{Builder, Draft};
use super::expression::without_prefix;
use super::lexer::{self, Token, TokenKind};
use super::{Argument, NodeKind, Span, Target};
use alloc::vec::Vec;

const KINDS: &[(&str, NodeKind)] = &[
    ("placeholder", NodeKind::Placeholder),
    // What a fragment in output code is given (2.9+).
    ("PlaceHolder", NodeKind::Placeholder),
    ("get_attr", NodeKind::GetAttr),
    ("call_function", NodeKind::CallFunction),
    ("call_method", NodeKind::CallMethod),
    ("call_module", NodeKind::CallModule),
    ("output", NodeKind::Output),
];

/// The kind behind an opcode of FX.
pub(super) fn kind(opcode: &str) -> Option<NodeKind> {
    let found = KINDS.iter().find(|(name, _)| *name == opcode)?;
    Some(found.1)
}

/// Whether a line begins a list.
pub(super) fn is_head(content: &str) -> bool {
    content.starts_with("graph(") && content.ends_with(':') && content.contains(')')
}

/// The name in `---submod_0 graph---`, which stands above the lists of `ddp_graphs`
/// (torch/_dynamo/backends/distributed.py, 2.0+).
pub(super) fn name(content: &str) -> Option<core::ops::Range<usize>> {
    let name = content.strip_prefix("---")?.strip_suffix(" graph---")?;
    (!name.is_empty()).then(|| 3..3 + name.len())
}

/// Whether a line is a node of a list.
pub(super) fn is_node(content: &str) -> bool {
    parts(content).is_some()
}

/// Placeholders in the head, which old versions write there: `graph(%x : torch.Tensor, %y):`.
pub(super) fn head(builder: &mut Builder<'_>, content: &str, at: usize) {
    let close = content.rfind(')').unwrap_or(content.len());
    let Some(inside) = content.get("graph(".len()..close) else {
        return;
    };
    let mut from = at + "graph(".len();
    for argument in inside.split(", ") {
        if let Some(rest) = argument.strip_prefix('%') {
            let length = lexer::end_of_name(rest.as_bytes(), 0);
            let name = sub(from + 1, 0..length);
            let mut draft = Draft::new(NodeKind::Placeholder, name, sub(from, 0..argument.len()));
            draft.target = Target::Text(name);
            let id = builder.node(draft);
            builder.bind(name, id);
        }
        from += argument.len() + 2;
    }
}

/// The parts of `%name : type [num_users=1] = opcode[target=target]rest`, as places in the line.
struct Parts {
    name: core::ops::Range<usize>,
    type_text: core::ops::Range<usize>,
    kind: NodeKind,
    target: core::ops::Range<usize>,
    rest: usize,
}

fn parts(content: &str) -> Option<Parts> {
    const TARGET: &str = "[target=";
    let name = 1..lexer::end_of_name(content.strip_prefix('%')?.as_bytes(), 0) + 1;
    let colon = name.end + content.get(name.end..)?.find(':')?;
    // A type may hold anything; the opcode tells where it ends.
    let (equal, kind, from) = content.match_indices(" = ").find_map(|(at, sign)| {
        let opcode = at + sign.len();
        let length = lexer::end_of_name(content.as_bytes(), opcode) - opcode;
        let (opcode, behind) = content.get(opcode..)?.split_at_checked(length)?;
        let kind = kind(opcode).filter(|_| behind.starts_with(TARGET))?;
        Some((at, kind, at + sign.len() + length + TARGET.len()))
    })?;
    let between = content.get(colon + 1..equal)?;
    let users = ["[num_users=", "[#users="]
        .iter()
        .find_map(|users| between.rfind(users));
    let type_text = colon + 1..users.map_or(equal, |users| colon + 1 + users);
    // A target may hold brackets itself.
    let behind = content.get(from..)?;
    let end = behind.find("](args = ").unwrap_or_else(|| {
        let default = behind.find("](default=");
        default.unwrap_or_else(|| behind.trim_end().len().saturating_sub(1))
    });
    Some(Parts {
        name,
        type_text,
        kind,
        target: from..from + end,
        rest: from + end + 1,
    })
}

/// Where the type stands: within the quotes of `Tensor "f32[2]cpu"` (2.9+), or all of it.
fn type_of(builder: &Builder<'_>, place: Span) -> Option<Span> {
    let all = trimmed(builder, place)?;
    let text = builder.slice(all);
    match text.split_once('"') {
        Some((before, quoted)) if quoted.ends_with('"') && quoted.len() > 1 => Some(Span {
            start: all.start + before.len() as u32 + 1,
            end: all.end - 1,
        }),
        _ => Some(all),
    }
}

fn sub(at: usize, range: core::ops::Range<usize>) -> Span {
    // The caller has seen that the text is shorter than 4 GiB.
    Span {
        start: (at + range.start) as u32,
        end: (at + range.end) as u32,
    }
}

/// Without the spaces around it.
fn trimmed(builder: &Builder<'_>, span: Span) -> Option<Span> {
    let text = builder.slice(span);
    let start = span.start + (text.len() - text.trim_start().len()) as u32;
    let end = start + text.trim().len() as u32;
    (start < end).then_some(Span { start, end })
}

/// Reads a node's line, which starts at a byte of the text.
pub(super) fn node(builder: &mut Builder<'_>, content: &str, at: usize, tokens: &mut Vec<Token>) {
    let Some(parts) = parts(content) else { return };
    let name = sub(at, parts.name);
    let mut draft = Draft::new(parts.kind, name, sub(at, 0..content.trim_end().len()));
    draft.type_text = type_of(builder, sub(at, parts.type_text));
    draft.target = Target::Text(without_prefix(builder, sub(at, parts.target)));
    let rest = content.get(parts.rest..).unwrap_or_default();
    let args = rest
        .strip_prefix("(args = ")
        .map(|args| (args, "(args = ".len()));
    let kwargs = args.and_then(|(args, from)| Some((from + args.rfind(", kwargs = ")?, from)));
    if let Some((end, from)) = kwargs {
        draft.args = Some(sub(at + parts.rest, from..end));
    } else if let Some(default) = rest.strip_prefix("(default=") {
        let from = "(default=".len();
        let end = from + default.trim_end().trim_end_matches(')').len();
        draft.args = Some(sub(at + parts.rest, from..end));
    }
    let id = builder.node(draft);
    if let Some((end, from)) = kwargs {
        let (args, kwargs) = (at + parts.rest + from, at + parts.rest + end);
        inputs(builder, args, kwargs, tokens);
        let kwargs = kwargs + ", kwargs = ".len();
        inputs(builder, kwargs, at + content.len(), tokens);
    }
    builder.bind(name, id);
}

/// Adds the inputs in `(%a, [%b, 2])` or in `{dim: %c}`.
fn inputs(builder: &mut Builder<'_>, start: usize, end: usize, tokens: &mut Vec<Token>) {
    let text = builder.text.get(..end).unwrap_or_default();
    lexer::line(text, start, tokens);
    let mut position = 0;
    let mut keyword = None;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Comma if token.depth <= 1 => {
                position += 1;
                keyword = None;
            }
            TokenKind::Name => {
                let next = tokens.get(at + 1).map(|token| token.kind);
                let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                if token.depth == 1 && next == Some(TokenKind::Colon) {
                    keyword = Some(token.at);
                } else if before.is_some_and(|before| builder.of(before) == "%")
                    && let Some(node) = builder.lookup(builder.of(token))
                {
                    let argument = keyword.map_or(Argument::Position(position), Argument::Keyword);
                    builder.edge(node, token.at, argument);
                }
            }
            _ => {}
        }
    }
}

/// Reads `return (add,)`, in which names stand as they are; fragments write `return %add,%mul`.
pub(super) fn output(builder: &mut Builder<'_>, content: &str, at: usize) {
    let value = content.strip_prefix("return").unwrap_or_default();
    let mut draft = Draft::new(NodeKind::Output, Span::default(), sub(at, 0..content.len()));
    draft.args = trimmed(
        builder,
        sub(at + content.len() - value.len(), 0..value.len()),
    );
    builder.node(draft);
    let mut tokens = Vec::new();
    let text = builder.text.get(..at + content.len()).unwrap_or_default();
    lexer::line(text, at + content.len() - value.len(), &mut tokens);
    let mut position = 0;
    for token in &tokens {
        match token.kind {
            TokenKind::Comma if token.depth <= 1 => position += 1,
            TokenKind::Name => {
                if let Some(node) = builder.lookup(builder.of(token)) {
                    builder.edge(node, token.at, Argument::Position(position));
                }
            }
            _ => {}
        }
    }
}
