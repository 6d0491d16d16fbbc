//! Code in colours: what each stretch of a row is, so that a page can show it.
//!
//! Start at [`line()`]. A lexer starts at any row, given the [`State`] in which the row before ended, so that
//! a screen's worth of a large text is coloured without the rest of it. Languages are read by their words
//! only, never by their grammar: any text is coloured somehow, and nothing fails. The words within code are
//! cut by `logos` (`python`, `cpp`, `json`); what may go on in the next row, strings and comments, is
//! followed by hand (`body`).
//!
//! Inductor's output code holds kernels as strings: `async_compile.triton('name', '''…''')`. Those strings
//! are read in the language that they are written in.

mod body;
mod cpp;
mod json;
mod language;
mod python;

pub use language::Language;

use alloc::vec::Vec;
use body::{Body, Tail, text_end};
use serde::{Deserialize, Serialize};

/// What a stretch of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Class {
    /// A word of the language: `def`, `return`; `true` and `null` too.
    Keyword,
    /// A name where it is given: of a function, a class, a variable, a node of a graph.
    Name,
    /// A name that the language or its library brings along: `len`, `self`.
    Builtin,
    /// A number.
    Number,
    /// A string with its quotes, or a part of one.
    String,
    /// A comment, or a part of one.
    Comment,
    /// An operator: `+`, `->`. Brackets, commas and the like are no span.
    Operator,
    /// A type: `int64_t`, the `float32` of `torch.float32`.
    Type,
    /// A decorator of Python, a directive of the C++ preprocessor.
    Decorator,
    /// What FX says of a value, with its quotes: `"f32[4, s0][s0, 1]cuda:0"`. [`super::annotation::parse`]
    /// reads it.
    Annotation,
    /// A key of a JSON object, with its quotes.
    Key,
}

/// A stretch of a row, in bytes from the row's start. Both ends are between characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// The byte behind its last one.
    pub end: u32,
    /// What it is.
    pub class: Class,
}

/// What a row starts within: nothing at a text's start (the default), or a string or comment that an
/// earlier row has opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State {
    mode: Mode,
    /// Within embedded code: what that code is within.
    inner: Mode,
    /// The language of the next string in triple quotes, where it is code.
    next: Option<Language>,
}

/// What a lexer is within.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// Code.
    #[default]
    Code,
    /// A string or comment.
    Body(Body),
    /// Python's quotes, one or two of them, at a row's end: three may open a string in the next row.
    Opening { quote: u8, quotes: u8 },
    /// Code of that language in a string in triple quotes.
    Embedded(Language, Tail),
}

impl Mode {
    /// What is left of it when the line ends.
    fn next_line(self) -> Self {
        match self {
            Mode::Code => self,
            Mode::Opening { .. } => Mode::Code,
            Mode::Body(body) => body.next_line().map_or(Mode::default(), Mode::Body),
            Mode::Embedded(language, tail) => Mode::Embedded(language, tail.next_line()),
        }
    }
}

/// Colours a row that starts a line: appends its spans to `spans`, in order and without overlap, and gives
/// the state for the row that follows. What is nothing in particular is no span.
///
/// `text` is one line or its beginning, without the line end. Takes time in proportion to its length.
pub fn line(language: Language, state: State, text: &str, spans: &mut Vec<Span>) -> State {
    let state = State {
        mode: state.mode.next_line(),
        inner: state.inner.next_line(),
        next: state.next,
    };
    colour(language, state, text, true, spans)
}

/// Colours a row that goes on with the line of the row before; otherwise like [`line()`].
///
/// Strings and comments go on as they were; a word that was cut in two may be taken for two words.
pub fn rest(language: Language, state: State, text: &str, spans: &mut Vec<Span>) -> State {
    colour(language, state, text, false, spans)
}

fn colour(
    language: Language,
    state: State,
    text: &str,
    starts_line: bool,
    spans: &mut Vec<Span>,
) -> State {
    let mut row = Row {
        text,
        at: 0,
        starts_line,
        kept: spans.len(),
        next: state.next,
        spans,
    };
    let (mut mode, mut inner) = (state.mode, state.inner);
    while row.at < text.len() {
        let before = (row.at, mode, inner);
        (mode, inner) = match mode {
            Mode::Embedded(language, tail) => row.embedded(language, tail, inner),
            mode => (row.step(language, mode), Mode::default()),
        };
        // Each step moves on; should one not, the rest stays plain rather than hang the page.
        if (row.at, mode, inner) == before {
            break;
        }
    }
    State {
        mode,
        inner,
        next: row.next,
    }
}

/// A row that is being coloured.
struct Row<'a> {
    text: &'a str,
    at: usize,
    starts_line: bool,
    /// How many spans belong to other rows.
    kept: usize,
    /// The language of the next string in triple quotes, where it is code.
    next: Option<Language>,
    spans: &'a mut Vec<Span>,
}

impl<'a> Row<'a> {
    /// Goes on to where the mode changes, or to the row's end.
    fn step(&mut self, language: Language, mode: Mode) -> Mode {
        match mode {
            Mode::Code => match language {
                Language::Python => python::code(self),
                Language::Cpp => cpp::code(self),
                Language::Json => json::code(self),
                Language::Plain => {
                    self.at = self.text.len();
                    Mode::default()
                }
            },
            Mode::Body(body) => self.body(body),
            Mode::Opening { quote, quotes } => python::opening(self, quote, quotes),
            // Code within code within code is a string.
            Mode::Embedded(_, tail) => Mode::Body(Body::Text { triple: true, tail }),
        }
    }

    /// Goes on to the end of a string or comment.
    fn body(&mut self, body: Body) -> Mode {
        match body.end(self.rest().as_bytes()) {
            Ok(length) => {
                self.take(length, body.class());
                Mode::default()
            }
            Err(body) => {
                self.take(self.rest().len(), body.class());
                Mode::Body(body)
            }
        }
    }

    /// Goes on to the end of code in a string.
    fn embedded(&mut self, language: Language, tail: Tail, mut inner: Mode) -> (Mode, Mode) {
        let (length, quotes, tail) = match body::text_end(self.rest().as_bytes(), 3, tail) {
            // Some of the closing quotes may stand in the row before.
            Ok(end) => (end.saturating_sub(3), end.min(3), None),
            Err(tail) => (self.rest().len(), 0, Some(tail)),
        };
        let end = self.at + length;
        let mut row = Row {
            text: self.text.get(..end).unwrap_or_default(),
            at: self.at,
            starts_line: self.starts_line,
            kept: self.kept,
            next: None,
            spans: self.spans,
        };
        while row.at < end {
            let before = (row.at, inner);
            inner = row.step(language, inner);
            if (row.at, inner) == before {
                break;
            }
        }
        self.at = end;
        match tail {
            Some(tail) => (Mode::Embedded(language, tail), inner),
            None => {
                self.take(quotes, Class::String);
                Default::default()
            }
        }
    }

    /// The text from here on.
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The place at which the line's first word starts, if the row starts a line.
    fn first(&self) -> Option<usize> {
        self.starts_line
            .then(|| self.text.len() - self.text.trim_start().len())
    }

    /// A span from here on, and goes on behind it.
    fn take(&mut self, length: usize, class: Class) {
        self.span(self.at, self.at + length, class);
        self.at += length;
    }

    /// Goes past a string whose opening quote was passed; gives the mode where the row does not end it.
    fn past_string(&mut self, quote: u8) -> Option<Mode> {
        match text_end(self.rest().as_bytes(), 1, Tail::new(quote)) {
            Ok(length) => {
                self.at += length;
                None
            }
            Err(tail) => {
                self.at = self.text.len();
                Some(Mode::Body(Body::Text {
                    triple: false,
                    tail,
                }))
            }
        }
    }

    /// A span. One that goes on with its neighbour becomes one with it.
    fn span(&mut self, start: usize, end: usize, class: Class) {
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
            return;
        };
        let joins = matches!(class, Class::String | Class::Comment | Class::Operator);
        let own = self.spans.get_mut(self.kept..).unwrap_or_default();
        match own.last_mut() {
            _ if start == end => {}
            Some(last) if joins && last.class == class && last.end == start => last.end = end,
            _ => self.spans.push(Span { start, end, class }),
        }
    }
}

#[cfg(test)]
mod tests;
