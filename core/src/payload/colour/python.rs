//! Python: graphs of FX, Triton's kernels, Inductor's output code.

use super::body::{Body, Tail};
use super::{Class, Language, Mode, Row};
use crate::payload::annotation;
use logos::Logos;

#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0c]+")]
enum Token {
    // Any character beyond ASCII may stand in a name: Python's own table would be larger than the lexer.
    #[regex(r"[A-Za-z_\u{80}-\u{10FFFF}][0-9A-Za-z_\u{80}-\u{10FFFF}]*")]
    Word,
    #[regex(r"\.?[0-9]([0-9A-Za-z_.]|[eE][+-])*")]
    Number,
    #[regex(r#"([rR][bBfFtT]?|[bBfFtT][rR]?|[uU])?('''|"""|'|")"#)]
    Quote,
    #[token("#")]
    Comment,
    #[regex(r"@[A-Za-z_][0-9A-Za-z_.]*")]
    Decorator,
    #[regex(r"[-+*/%@&|^~<>=!]")]
    Operator,
    // The name of graphs that have none.
    #[token("<lambda>")]
    Lambda,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,
    #[regex(r"[()\[\]{},;\\`$?]")]
    Mark,
}

/// What stood before, as far as it says what stands behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// `def`, `class`.
    Definition,
    /// `async_compile`, and the dot behind it.
    Compiler,
    CompilerDot,
    Dot,
    Colon,
}

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

const BUILTINS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "bytes",
    "callable",
    "cls",
    "dict",
    "dir",
    "enumerate",
    "filter",
    "float",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "id",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "locals",
    "map",
    "max",
    "min",
    "next",
    "object",
    "open",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "self",
    "set",
    "setattr",
    "slice",
    "sorted",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
    "__file__",
    "__name__",
];

/// Names of dtypes in torch and Triton, and Triton's own types.
const TYPES: &[&str] = &[
    "bfloat16",
    "bool",
    "complex128",
    "complex32",
    "complex64",
    "constexpr",
    "float16",
    "float32",
    "float64",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float8e4nv",
    "float8e5",
    "int1",
    "int16",
    "int32",
    "int64",
    "int8",
    "tensor_descriptor",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "pointer_type",
];

/// Goes on to where a string or comment opens that the row may not end, or to the row's end.
pub(super) fn code(row: &mut Row<'_>) -> Mode {
    let first = row.first();
    let mut before = Before::Nothing;
    let mut base = row.at;
    let mut lexer = Token::lexer(row.rest());
    while let Some(token) = lexer.next() {
        let (start, word) = (base + lexer.span().start, lexer.slice());
        row.at = base + lexer.span().end;
        let leads = first == Some(start);
        let mut class = None;
        let mut now = Before::Nothing;
        match token {
            Ok(Token::Word) => {
                // A statement at the margin: the call that a string was awaited for is over.
                if leads && start == 0 {
                    row.next = None;
                }
                row.next = embedded(before, word).or(row.next);
                class = word_class(before, word, leads && is_given(row.rest()))
                    .filter(|class| *class != Class::Builtin || !is_keyword(row.rest()));
                now = match word {
                    "def" | "class" => Before::Definition,
                    "async_compile" => Before::Compiler,
                    _ => Before::Nothing,
                };
            }
            Ok(Token::Number) => class = Some(Class::Number),
            Ok(Token::Lambda) => class = Some(Class::Name),
            Ok(Token::Operator) => class = Some(Class::Operator),
            Ok(Token::Decorator) if leads => class = Some(Class::Decorator),
            Ok(Token::Decorator) => row.span(start, start + 1, Class::Operator),
            Ok(Token::Dot) if before == Before::Compiler => now = Before::CompilerDot,
            Ok(Token::Dot) => now = Before::Dot,
            Ok(Token::Colon) => now = Before::Colon,
            Ok(Token::Comment) => {
                row.span(start, row.at, Class::Comment);
                return Mode::Body(Body::Line {
                    continues: false,
                    escaped: false,
                });
            }
            Ok(Token::Quote) => {
                if let Some(mode) = string(row, start, word, before) {
                    return mode;
                }
                base = row.at;
                lexer = Token::lexer(row.rest());
            }
            Ok(Token::Mark) | Err(()) => {}
        }
        if let Some(class) = class {
            row.span(start, row.at, class);
        }
        before = now;
    }
    row.at = row.text.len();
    Mode::default()
}

/// Goes past a string that opens here; gives the mode where the row does not end it.
fn string(row: &mut Row<'_>, start: usize, opening: &str, before: Before) -> Option<Mode> {
    let quote = opening.bytes().next_back().unwrap_or(b'"');
    let triple = opening.bytes().filter(|&b| b == quote).count() == 3;
    if triple {
        row.span(start, row.at, Class::String);
        return Some(in_triple_quotes(row, quote));
    }
    let at_end = |row: &Row<'_>| row.at == row.text.len();
    if at_end(row) {
        row.span(start, row.at, Class::String);
        return Some(Mode::Opening { quote, quotes: 1 });
    }
    let inside = row.at;
    if let Some(mode) = row.past_string(quote) {
        row.span(start, row.at, Class::String);
        return Some(mode);
    }
    let text = row.text.get(start..row.at).unwrap_or_default();
    let annotates = before == Before::Colon && annotation::parse(text).is_some();
    let class = if annotates {
        Class::Annotation
    } else {
        Class::String
    };
    row.span(start, row.at, class);
    let empty = row.at == inside + 1 && at_end(row);
    empty.then_some(Mode::Opening { quote, quotes: 2 })
}

fn in_triple_quotes(row: &mut Row<'_>, quote: u8) -> Mode {
    let tail = Tail::new(quote);
    match row.next.take() {
        Some(language) => Mode::Embedded(language, tail),
        None => Mode::Body(Body::Text { triple: true, tail }),
    }
}

/// Goes on with a string of which the row before has one or two opening quotes.
pub(super) fn opening(row: &mut Row<'_>, quote: u8, quotes: u8) -> Mode {
    let more = row
        .rest()
        .bytes()
        .take_while(|&b| b == quote)
        .take(2)
        .count();
    match (quotes, more) {
        (1, 0) => Mode::Body(Body::Text {
            triple: false,
            tail: Tail::new(quote),
        }),
        (1, 1) => {
            row.take(1, Class::String);
            if row.rest().is_empty() {
                Mode::Opening { quote, quotes: 2 }
            } else {
                Mode::Code
            }
        }
        (1, _) => {
            row.take(2, Class::String);
            in_triple_quotes(row, quote)
        }
        (_, 0) => Mode::Code,
        _ => {
            row.take(1, Class::String);
            in_triple_quotes(row, quote)
        }
    }
}

fn word_class(before: Before, word: &str, given: bool) -> Option<Class> {
    let one_of = |words: &[&str], class| words.contains(&word).then_some(class);
    match before {
        Before::Definition => Some(Class::Name),
        // Behind a dot stand attributes, whatever else the word means.
        Before::Dot | Before::CompilerDot => one_of(TYPES, Class::Type),
        _ => one_of(KEYWORDS, Class::Keyword)
            .or(given.then_some(Class::Name))
            .or_else(|| one_of(BUILTINS, Class::Builtin))
            .or_else(|| one_of(TYPES, Class::Type)),
    }
}

/// Whether the line's first word is given a value or an annotation: `mul: "f32[4]" = …`, `buf0 = …`.
fn is_given(rest: &str) -> bool {
    let mut bytes = rest.trim_start_matches(' ').bytes();
    match bytes.next() {
        Some(b'=') => bytes.next() != Some(b'='),
        Some(b':') => true,
        _ => false,
    }
}

/// Whether a word is the name of an argument: the `type` of `f(type='cuda')`.
fn is_keyword(rest: &str) -> bool {
    rest.starts_with('=') && !rest.starts_with("==")
}

/// The language of the code that a string behind this word holds: the compilers of
/// torch/_inductor/async_compile.py, and what torch/_inductor/codegen wraps code of C++ and Metal in.
fn embedded(before: Before, word: &str) -> Option<Language> {
    match (before, word) {
        (Before::CompilerDot, "cpp" | "cpp_pybinding" | "cuda" | "rocm" | "xpu" | "metal") => {
            Some(Language::Cpp)
        }
        (Before::CompilerDot, "triton" | "halide" | "pallas" | "cutedsl" | "nv_universal_gemm") => {
            Some(Language::Python)
        }
        (_, "compile_mps_shader" | "cpp_wrapper_src") => Some(Language::Cpp),
        _ => None,
    }
}
