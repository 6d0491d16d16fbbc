//! C++, with what CUDA and Metal add to it.

use super::body::{Body, Raw};
use super::{Class, Mode, Row};
use logos::Logos;

#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0c]+")]
enum Token {
    #[regex(r"[A-Za-z_\u{80}-\u{10FFFF}][0-9A-Za-z_\u{80}-\u{10FFFF}]*")]
    Word,
    #[regex(r"\.?[0-9]([0-9A-Za-z_.]|'[0-9A-Za-z]|[eEpP][+-])*")]
    Number,
    #[regex(r#"(u8|[uUL])?["']"#)]
    Quote,
    #[regex(r#"(u8|[uUL])?R"[^()\\ \t\r\n"\u{80}-\u{10FFFF}]{0,16}\("#)]
    Raw,
    #[token("//")]
    Line,
    #[token("/*")]
    Block,
    #[regex(r"#[ \t]*[a-z]+")]
    Directive,
    #[regex(r"[-+%|^~<>=!?/]")]
    Operator,
    // These may belong to a type that a name follows.
    #[regex(r"[*&]")]
    Pointer,
    #[regex(r"[()\[\]{},;:.\\#@`$]")]
    Mark,
}

/// What stood before, as far as it says what stands behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Type,
    /// `namespace`, `struct` and the like.
    Definition,
}

const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "auto",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "extern",
    "false",
    "final",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "nullptr",
    "operator",
    "override",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "return",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "union",
    "using",
    "virtual",
    "volatile",
    "while",
    "__device__",
    "__forceinline__",
    "__global__",
    "__host__",
    "__launch_bounds__",
    "__restrict__",
    "__shared__",
    "threadgroup",
];

const TYPES: &[&str] = &[
    "bfloat", "bfloat16", "bool", "char", "double", "float", "float2", "float4", "half", "int",
    "long", "short", "signed", "uint", "unsigned", "void",
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
        let mut class = None;
        let mut now = Before::Nothing;
        match token {
            Ok(Token::Word) => (class, now) = word_class(before, word, row.rest()),
            Ok(Token::Number) => class = Some(Class::Number),
            Ok(Token::Operator) => class = Some(Class::Operator),
            Ok(Token::Pointer) => {
                class = Some(Class::Operator);
                if before == Before::Type {
                    now = Before::Type;
                }
            }
            Ok(Token::Directive) if first == Some(start) => {
                row.span(start, row.at, Class::Decorator);
                if word.ends_with("include") {
                    header(row);
                    base = row.at;
                    lexer = Token::lexer(row.rest());
                }
            }
            Ok(Token::Line) => {
                row.span(start, row.at, Class::Comment);
                return Mode::Body(Body::Line {
                    continues: true,
                    escaped: false,
                });
            }
            Ok(Token::Block) => {
                row.span(start, row.at, Class::Comment);
                return Mode::Body(Body::Block(false));
            }
            Ok(Token::Raw) => {
                row.span(start, row.at, Class::String);
                return Mode::Body(Body::Raw(Raw::new(word)));
            }
            Ok(Token::Quote) => {
                let open = row.past_string(word.bytes().next_back().unwrap_or(b'"'));
                row.span(start, row.at, Class::String);
                if let Some(mode) = open {
                    return mode;
                }
                base = row.at;
                lexer = Token::lexer(row.rest());
            }
            Ok(Token::Directive | Token::Mark) | Err(()) => {}
        }
        if let Some(class) = class {
            row.span(start, row.at, class);
        }
        before = now;
    }
    row.at = row.text.len();
    Mode::default()
}

fn word_class(before: Before, word: &str, rest: &str) -> (Option<Class>, Before) {
    match word {
        "auto" => (Some(Class::Keyword), Before::Type),
        "class" | "enum" | "namespace" | "struct" | "union" => {
            (Some(Class::Keyword), Before::Definition)
        }
        // A type goes on behind it.
        "const" | "__restrict__" => (Some(Class::Keyword), before),
        _ if KEYWORDS.contains(&word) => (Some(Class::Keyword), Before::Nothing),
        _ if word.ends_with("_t") || TYPES.contains(&word) => (Some(Class::Type), Before::Type),
        _ if before == Before::Definition => (Some(Class::Name), Before::Nothing),
        _ if before == Before::Type && is_given(rest) => (Some(Class::Name), Before::Nothing),
        _ => (None, Before::Nothing),
    }
}

/// Whether what follows a type and a name makes the name one that is declared here.
fn is_given(rest: &str) -> bool {
    rest.trim_start_matches(' ')
        .starts_with(['=', '(', ')', ',', ';', '{', '['])
        || rest.is_empty()
}

/// The header of an `#include`, where it stands in angle brackets.
fn header(row: &mut Row<'_>) {
    let rest = row.rest();
    let space = rest.len() - rest.trim_start().len();
    if rest.get(space..).is_some_and(|name| name.starts_with('<'))
        && let Some(end) = rest.find('>')
    {
        row.at += space;
        row.take(end + 1 - space, Class::String);
    }
}
