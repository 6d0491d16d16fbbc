//! JSON, with the words that Python adds to it.

use super::{Class, Mode, Row};
use logos::Logos;

#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n]+")]
enum Token {
    #[regex(r"true|false|null|NaN|-?Infinity")]
    Keyword,
    #[regex(r"-?[0-9]([0-9.]|[eE][+-]?)*")]
    Number,
    #[token("\"")]
    Quote,
    #[regex(r"[\[\]{},:]")]
    Mark,
    // So that `nullable` is not half a keyword.
    #[regex(
        r"[A-Za-z_\u{80}-\u{10FFFF}][0-9A-Za-z_\u{80}-\u{10FFFF}]*",
        priority = 1
    )]
    Word,
}

/// Goes on to a string that the row does not end, or to the row's end.
pub(super) fn code(row: &mut Row<'_>) -> Mode {
    let mut base = row.at;
    let mut lexer = Token::lexer(row.rest());
    while let Some(token) = lexer.next() {
        let start = base + lexer.span().start;
        row.at = base + lexer.span().end;
        match token {
            Ok(Token::Keyword) => row.span(start, row.at, Class::Keyword),
            Ok(Token::Number) => row.span(start, row.at, Class::Number),
            Ok(Token::Quote) => {
                let open = row.past_string(b'"');
                // A key is a string with a colon behind it; more would need the nesting.
                let class = if row.rest().trim_start().starts_with(':') {
                    Class::Key
                } else {
                    Class::String
                };
                row.span(start, row.at, class);
                if let Some(mode) = open {
                    return mode;
                }
                base = row.at;
                lexer = Token::lexer(row.rest());
            }
            Ok(Token::Mark | Token::Word) | Err(()) => {}
        }
    }
    row.at = row.text.len();
    Mode::default()
}
