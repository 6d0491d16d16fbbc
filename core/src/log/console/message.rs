//! Which lines make up one message.
//!
//! Consecutive messages can carry the same prefix: they were written in the same millisecond from the same
//! line of PyTorch. What tells them apart is how messages of that place begin.

use super::prefix::{Prefix, Style};

/// How the messages of a place begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    /// All with the same word, since they have one template.
    SameWord,
    /// With one of these.
    OneOf(&'static [&'static str]),
    /// Each line is a message.
    EachLine,
    /// Guards have a grammar of their own.
    Guards(Guards),
}

/// What a message of the artifact `guards` is so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guards {
    /// `GUARDS:` alone.
    Heading,
    /// A list of guards, each of which is a record of its own (2.1 to 2.3).
    List,
    /// A tree of guards, of which so many lines were seen, up to 2.
    Tree(u8),
    /// What stands around them.
    Other,
}

/// Messages of artifacts that do not all begin with one word, or hold lines that begin with it.
const BEGINNINGS: &[(&str, &[&str])] = &[
    // Types of breaks begin with the same words: `Graph break in inlined function`.
    (
        "graph_breaks",
        &[
            "Graph break in user code at ",
            "Graph break (",
            "Graph break: ",
            "WON'T CONVERT ",
        ],
    ),
    (
        "recompiles",
        &[
            "Recompiling function ",
            "('Recompiling",
            "(\"Recompiling",
            "Current config does not match",
        ],
    ),
    ("recompiles_verbose", &["Recompiling function "]),
];

/// How messages of the symbolic shapes' logger begin (torch/fx/experimental/symbolic_shapes.py): several
/// templates begin with what the caller passes.
const SHAPES: &[&str] = &[
    "create_",
    "eval ",
    "runtime_assert ",
    "set_replacement ",
    "skipped set_replacement ",
    "track_sym",
    "Skipping guard ",
    "produce_guards",
    "_constrain_symbol_range ",
    "constrain_symbol_range ",
    "_update_var_to_range ",
    "add_var_to_val ",
    "add_backed_var_to_val ",
    "compute_unbacked_bindings ",
    "rebind_unbacked",
    "could not evaluate ",
    "propagate_real_tensors ",
    "Ignored guard ",
    "Failing guard ",
    "failed during evaluate_expr",
    "oblivious_size ",
    "Specializing ",
    "marking ",
    "SPECIALIZATION",
    "update_",
    "lru_cache_stats ",
    "evaluate_expr ",
    "maybe_evaluate_static ",
    "defer_runtime_assert ",
    "bind_symbols ",
    "simplify ",
    "runtime assert ",
];

/// Which lines without a prefix belong to a message, where only first lines have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plain {
    /// What is indented, and a traceback.
    Indented,
    /// Blank lines, too.
    Blank,
    /// All lines.
    Any,
    /// None: something else has begun.
    Ended,
}

/// Beginnings of messages of torch 2.0 that are longer than others, and what they are made of.
const LONG: &[(&str, Plain)] = &[
    ("TRACED GRAPH", Plain::Any),
    ("ORIGINAL BYTECODE", Plain::Blank),
    ("MODIFIED BYTECODE", Plain::Blank),
    ("GUARDS:", Plain::Blank),
    // The advice of `Tensor.item()`, and the stack behind it.
    ("Graph break from ", Plain::Any),
    ("Graph break", Plain::Blank),
    ("Output code", Plain::Any),
    ("torch._dynamo hit config.", Plain::Any),
    ("TorchDynamo compilation metrics", Plain::Any),
    ("TorchDynamo attempted to trace", Plain::Any),
    ("WON'T CONVERT", Plain::Any),
    ("Error while creating guard", Plain::Any),
    ("Created at:", Plain::Blank),
    ("Failing guard allocated", Plain::Blank),
    ("Traceback (most recent call last)", Plain::Any),
    ("torchdynamo start compiling", Plain::Blank),
];

/// What is known of a message by its lines so far.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    style: Style,
    beginning: Beginning,
    /// The first word of the message; empty where it begins with a blank.
    word: [u8; Shape::WORD],
    word_length: u8,
    /// Which lines without a prefix belong to it.
    plain: Plain,
}

impl Shape {
    /// Longer words are compared by their beginning.
    const WORD: usize = 40;

    /// The shape of a message by its prefix and its first line.
    pub(super) fn new(line: &[u8], prefix: &Prefix, text: &[u8]) -> Shape {
        let part = |range: &core::ops::Range<usize>| line.get(range.clone()).unwrap_or_default();
        let (artifact, origin) = (part(&prefix.artifact), part(&prefix.origin));
        let table = BEGINNINGS
            .iter()
            .find(|(name, _)| name.as_bytes() == artifact);
        let beginning = if artifact == b"guards" {
            Beginning::Guards(Guards::of(text))
        } else if let Some((_, beginnings)) = table {
            Beginning::OneOf(beginnings)
        } else if artifact == b"sym_node"
            || artifact == b"trace_shape_events"
            || origin.ends_with(b"sym_node.py")
        {
            Beginning::EachLine
        } else if artifact.is_empty() && is_of_shapes(origin) {
            Beginning::OneOf(SHAPES)
        } else {
            Beginning::SameWord
        };
        let mut shape = Shape {
            style: prefix.style,
            beginning,
            word: [0; Shape::WORD],
            word_length: 0,
            plain: Plain::Indented,
        };
        if shape.has_plain_lines() {
            let long = LONG
                .iter()
                .find(|(start, _)| text.starts_with(start.as_bytes()));
            // Artifacts are blocks, but for what is traced line by line.
            let block = !artifact.is_empty() && !artifact.starts_with(b"trace_");
            if block || text.is_empty() {
                shape.plain = Plain::Any;
            } else if let Some((_, plain)) = long {
                shape.plain = *plain;
            }
        }
        let word = first_word(text);
        for (to, from) in shape.word.iter_mut().zip(word) {
            *to = *from;
            shape.word_length += 1;
        }
        shape
    }

    /// Whether a line with the same prefix belongs to the message, rather than to the next one.
    pub(super) fn goes_on_with(&mut self, text: &[u8]) -> bool {
        if self.style == Style::Basic {
            return self.lists_on_with(text);
        }
        match &mut self.beginning {
            Beginning::Guards(guards) => guards.go_on_with(text),
            Beginning::OneOf(beginnings) => !begins_with(text, beginnings),
            Beginning::EachLine => text.first().is_none_or(u8::is_ascii_whitespace),
            Beginning::SameWord => {
                let word = first_word(text);
                let word = word.get(..Shape::WORD).unwrap_or(word);
                word.is_empty() || Some(word) != self.word.get(..usize::from(self.word_length))
            }
        }
    }

    /// Whether a message with another prefix, but of the same artifact, compilation and process, is one more
    /// guard of a list.
    pub(super) fn lists_on_with(&mut self, text: &[u8]) -> bool {
        match &mut self.beginning {
            Beginning::Guards(guards @ (Guards::Heading | Guards::List)) if !text.is_empty() => {
                guards.go_on_with(text)
            }
            _ => false,
        }
    }

    /// Whether lines without a prefix can belong to the message.
    pub(super) fn has_plain_lines(&self) -> bool {
        self.style != Style::Glog
    }

    /// Whether a line without a prefix belongs to the message.
    pub(super) fn takes_plain(&mut self, text: &[u8]) -> bool {
        if !self.has_plain_lines() {
            return false;
        }
        if is_warning(text) {
            self.plain = Plain::Ended;
        } else if self.plain != Plain::Ended
            && text.starts_with(b"Traceback (most recent call last)")
        {
            // What `logging` writes of an exception.
            self.plain = Plain::Any;
        }
        match self.plain {
            Plain::Indented => text.first().is_some_and(|b| matches!(b, b' ' | b'\t')),
            Plain::Blank => text.first().is_none_or(|b| matches!(b, b' ' | b'\t')),
            Plain::Any => true,
            Plain::Ended => false,
        }
    }
}

/// Whether a line is one of Python's `warnings`: `FILE.py:LINE: UserWarning: …`.
fn is_warning(text: &[u8]) -> bool {
    memchr::memmem::find(text, b".py:").is_some_and(|at| {
        let rest = text.get(at + 4..).unwrap_or_default();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let class = rest.get(digits..).and_then(|rest| rest.strip_prefix(b": "));
        let word = class.map(first_word);
        digits > 0 && word.is_some_and(|word| word.ends_with(b"Warning:"))
    })
}

impl Guards {
    fn of(text: &[u8]) -> Guards {
        match text {
            b"GUARDS:" => Guards::Heading,
            b"" => Guards::Tree(1),
            b"TREE_GUARD_MANAGER:" => Guards::Tree(2),
            _ if begins_with(text, AROUND_GUARDS) => Guards::Other,
            _ if text.starts_with(b"GUARDS:") => Guards::Other,
            _ => Guards::List,
        }
    }

    fn go_on_with(&mut self, text: &[u8]) -> bool {
        let heading = text == b"GUARDS:" || begins_with(text, AROUND_GUARDS);
        let tree = text == b"TREE_GUARD_MANAGER:";
        match self {
            _ if heading => false,
            Guards::Heading | Guards::List => {
                *self = Guards::List;
                !tree && !text.is_empty()
            }
            Guards::Tree(1) if tree => {
                *self = Guards::Tree(2);
                true
            }
            Guards::Tree(_) => !tree,
            Guards::Other => true,
        }
    }
}

/// Messages of the artifact `guards` that are none.
pub(crate) const AROUND_GUARDS: &[&str] = &[
    "Guard eval latency",
    "Python shape guard function:",
    "C++ shape guard function:",
];

/// Whether a source or logger is the one of symbolic shapes.
pub(crate) fn is_of_shapes(origin: &[u8]) -> bool {
    origin.ends_with(b"symbolic_shapes.py") || origin.ends_with(b"symbolic_shapes")
}

fn begins_with(text: &[u8], beginnings: &[&str]) -> bool {
    beginnings
        .iter()
        .any(|start| text.starts_with(start.as_bytes()))
}

fn first_word(text: &[u8]) -> &[u8] {
    let end = text.iter().position(u8::is_ascii_whitespace);
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}
