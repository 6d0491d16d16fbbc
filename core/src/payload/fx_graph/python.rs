//! Goes through a text line by line: finds where graphs begin, and gives each line to what reads it.
//!
//! `_print_readable` in torch/fx/graph_module.py puts a class around `def forward`, and behind that the
//! classes of submodules, one indentation deeper. `GraphModule.code` is the function alone.

use super::build::Builder;
use super::lexer::{self, End, Token};
use super::location::{self, Comment};
use super::statements::Statements;
use super::{Form, ModuleId, ProblemKind, Span, listing, table};
use alloc::vec::Vec;

/// A class whose text may go on.
#[derive(Debug, Clone, Copy)]
struct Class {
    indent: usize,
    module: ModuleId,
    name: Span,
}

/// What the next lines may belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// No graph.
    Nothing,
    /// A class, whose function has not come yet.
    Class,
    /// The function `forward`, and how far it is indented.
    Forward { indent: usize },
    /// Another function.
    Function { indent: usize },
    /// A list of nodes.
    List,
}

struct Reader<'b, 'a> {
    builder: &'b mut Builder<'a>,
    classes: Vec<Class>,
    inside: Inside,
    statements: Statements,
    tokens: Vec<Token>,
    /// The module of the list that is being read.
    list: Option<ModuleId>,
    /// What the line above calls the list below it.
    name_of_list: Option<Span>,
}

/// Reads all graphs of a text.
pub(super) fn read(builder: &mut Builder<'_>) {
    let length = builder.text.len();
    let mut reader = Reader {
        builder,
        classes: Vec::new(),
        inside: Inside::Nothing,
        statements: Statements::default(),
        tokens: Vec::new(),
        list: None,
        name_of_list: None,
    };
    let mut at = 0;
    while at < length {
        at = reader.line(at);
    }
    reader.statements.settle(reader.builder);
}

impl<'a> Reader<'_, 'a> {
    /// Reads the line that starts at a byte, and those that belong to it; gives where the next one starts.
    fn line(&mut self, start: usize) -> usize {
        let text: &'a str = self.builder.text;
        let rest = text.get(start..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default().trim_end();
        let content = line.trim_start();
        let indent = line.len() - content.len();
        let next = start + length + 1;
        let at = start + indent;
        if content.is_empty() {
            return next;
        }
        if let Some(comment) = content.strip_prefix('#') {
            let node = comment.trim_start();
            // Output code quotes the nodes that a kernel was made of.
            let from = at + content.len() - node.len();
            if listing::is_node(node) {
                self.node_of_list(node, from);
            } else if self.inside == Inside::List && node.starts_with("return %") {
                listing::output(self.builder, node, from);
                self.leave();
            } else {
                self.comment(content, at);
            }
            return next;
        }
        let outside = self.is_outside(indent);
        if let Some(found) = class_name(content, outside) {
            self.class(indent, at, found);
            return next;
        }
        if let Some(from) = function(content, outside) {
            return self.function(indent, at + from);
        }
        match self.inside {
            Inside::Forward { indent: outer } if indent > outer => {
                return self.statement(start);
            }
            Inside::Function { indent: outer } if indent > outer => return next,
            _ => {}
        }
        if listing::is_node(content) {
            self.node_of_list(content, at);
            return next;
        }
        let returns = content == "return" || content.starts_with("return ");
        if self.inside == Inside::List && returns {
            listing::output(self.builder, content, at);
            self.leave();
            return next;
        }
        self.leave();
        if listing::is_head(content) {
            self.inside = Inside::List;
            let name = self.name_of_list.take();
            self.list = Some(self.builder.module(name, None, Form::List, at as u32));
            listing::head(self.builder, content, at);
        } else if let Some(columns) =
            table::columns(line, rest.get(length + 1..).unwrap_or_default())
        {
            if let Some(title) = table::title(content) {
                let end = (at + title.len()) as u32;
                self.builder.title(Span {
                    start: at as u32,
                    end,
                });
            }
            return table::read(self.builder, &columns, at, next);
        } else if let Some(name) = listing::name(content) {
            self.name_of_list = Some(Span {
                start: (at + name.start) as u32,
                end: (at + name.end) as u32,
            });
        } else if let Some(title) = title(content) {
            let start = (at + title.start) as u32;
            let end = (at + title.end) as u32;
            self.builder.title(Span { start, end });
        }
        next
    }

    /// Whether a line that is indented like this belongs to no function.
    fn is_outside(&self, indent: usize) -> bool {
        match self.inside {
            Inside::Forward { indent: outer } | Inside::Function { indent: outer } => {
                indent <= outer
            }
            Inside::Nothing | Inside::Class | Inside::List => true,
        }
    }

    fn leave(&mut self) {
        self.statements.settle(self.builder);
        self.inside = Inside::Nothing;
        self.list = None;
    }

    fn comment(&mut self, content: &str, at: usize) {
        if matches!(self.inside, Inside::Forward { .. }) {
            let row = self.builder.row(at as u32);
            match location::comment(content, at as u32, row) {
                Comment::Location(location) => self.builder.locate(Some(location)),
                Comment::Nowhere => self.builder.locate(None),
                Comment::Other => {}
            }
        }
    }

    fn class(&mut self, indent: usize, at: usize, found: Found) {
        self.leave();
        let indent = if found.first { indent } else { 0 };
        while self
            .classes
            .last()
            .is_some_and(|class| class.indent >= indent)
        {
            self.classes.pop();
        }
        let name = Span {
            start: (at + found.name.start) as u32,
            end: (at + found.name.end) as u32,
        };
        let parent = self.classes.last().map(|class| class.module);
        let module = self
            .builder
            .module(Some(name), parent, Form::Python, at as u32);
        self.classes.push(Class {
            indent,
            module,
            name,
        });
        self.inside = Inside::Class;
    }

    /// A function that starts at a byte.
    fn function(&mut self, indent: usize, at: usize) -> usize {
        self.statements.settle(self.builder);
        let text = self.builder.text;
        let (next, end) = lexer::line(text, at, &mut self.tokens);
        let name = self.tokens.get(1).map(|token| self.builder.of(token));
        if name != Some("forward") {
            self.inside = Inside::Function { indent };
            return next;
        }
        while self
            .classes
            .last()
            .is_some_and(|class| class.indent >= indent)
        {
            self.classes.pop();
        }
        let class = self.classes.last().copied();
        // What stands between may be anything: `Repro.__init__` prints modules line by line.
        let module = class.map(|class| class.module);
        let goes_on = module.is_some() && module == self.builder.current();
        if !(goes_on && self.builder.is_fresh()) {
            let name = class.map(|class| class.name);
            self.builder.module(name, None, Form::Python, at as u32);
        }
        if end == End::Unclosed {
            self.builder.problem(at as u32, ProblemKind::Unclosed);
        }
        self.builder.extend(next.saturating_sub(1).max(at) as u32);
        self.statements.signature(self.builder, &self.tokens);
        self.inside = Inside::Forward { indent };
        next
    }

    fn statement(&mut self, start: usize) -> usize {
        let text = self.builder.text;
        let (next, end) = lexer::line(text, start, &mut self.tokens);
        if end == End::Unclosed {
            self.builder.problem(start as u32, ProblemKind::Unclosed);
        }
        self.statements.line(self.builder, &self.tokens);
        self.builder
            .extend(next.saturating_sub(1).max(start) as u32);
        next
    }

    fn node_of_list(&mut self, content: &str, at: usize) {
        if self.list.is_none() || self.list != self.builder.current() {
            self.leave();
            self.list = Some(self.builder.module(None, None, Form::Fragment, at as u32));
        }
        self.inside = Inside::List;
        listing::node(self.builder, content, at, &mut self.tokens);
    }
}

/// The name in a class line, and whether the line starts with it.
struct Found {
    name: core::ops::Range<usize>,
    first: bool,
}

/// `class GraphModule(torch.nn.Module):`, behind the name of a file where no graph is being read.
fn class_name(content: &str, outside: bool) -> Option<Found> {
    const WORD: &str = "class ";
    let head = content.strip_suffix(':')?.strip_suffix(')')?;
    let word = match head.starts_with(WORD) {
        true => 0,
        false if outside => head.rfind(" class ")? + 1,
        false => return None,
    };
    let from = word + WORD.len();
    let open = from + head.get(from..)?.rfind('(')?;
    let name = head.get(from..open)?;
    let base = head.get(open..)?;
    let fits = !name.is_empty() && !name.contains([' ', '"', '\'', '(']);
    (fits && base.ends_with("Module")).then_some(Found {
        name: from..open,
        first: word == 0,
    })
}

/// Where `def` stands in a line that begins a function.
fn function(content: &str, outside: bool) -> Option<usize> {
    if content.starts_with("def ") {
        return Some(0);
    }
    let word = " def forward(self";
    outside.then(|| content.find(word).map(|at| at + 1))?
}

/// What stands between the marks of ` ===== Forward graph 0 =====`.
fn title(content: &str) -> Option<core::ops::Range<usize>> {
    const MARK: &str = "=====";
    let inner = content.strip_prefix(MARK)?.strip_suffix(MARK)?;
    let title = inner.trim();
    let start = MARK.len() + inner.find(title)?;
    (!title.is_empty()).then(|| start..start + title.len())
}
