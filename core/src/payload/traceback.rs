//! Python tracebacks, as Python's traceback module and IPython print them, with what PyTorch adds.
//!
//! Start at [`read`]. A traceback is a chain of exceptions: the first one raised stands first, the one that
//! the program ended with last. PyTorch puts the line of the program that it was compiling, and advice,
//! behind the message (`augment_exc_message` in torch/_dynamo/exc.py, 2.0 to 2.15): both are taken out of
//! it. What a line is, is told by `lines`; what stands in a message, by `message`; where a traceback that
//! stands in other text ends, by `extent`. What people paste need not be whole: `paste` brings it into Python's
//! form; `pytest` does so with what pytest prints.

mod extent;
pub(super) mod lines;
mod message;
mod paste;
mod pytest;

use super::plain::Cursor;
use crate::log::escape;
use alloc::borrow::{Cow, ToOwned as _};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::ops::Range;
pub(super) use extent::{AHEAD, end, end_headless};
use lines::Line;
pub(crate) use message::inner;
use paste::Layout;
pub(super) use paste::begins as begins_headless;
pub(super) use pytest::{
    PIECE as PYTEST, begins as begins_pytest, end as end_pytest, start as start_of_pytest,
};
use serde::{Deserialize, Serialize};

/// Records whose payload is a traceback, by the names of their artifacts: `dynamo_error`
/// (torch/_dynamo/convert_frame.py, 2.6+) and `eager_compile_backwards_failure`
/// (torch/_functorch/_aot_autograd, 2.5+).
pub const ARTIFACTS: [&str; 2] = ["dynamo_error", "eager_compile_backwards_failure"];

/// Exceptions that were raised one out of the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traceback {
    /// In the order in which they stand: the last one is the one that came out.
    pub exceptions: Vec<Raised>,
}

/// An exception, and the way to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Raised {
    /// How it follows from the one before.
    pub link: Link,
    /// The calls that led to it, outermost first.
    pub frames: Vec<Frame>,
    /// Its type with its module, as it stands: `torch._dynamo.exc.Unsupported`. Empty where the text stops
    /// before it.
    pub kind: String,
    /// What it says, of one line or several, without what PyTorch appends. Notes of the program
    /// (`add_note`) stand at its end: Python does not mark them.
    pub message: String,
    /// Stacks that PyTorch put into or behind the message.
    pub stacks: Vec<Stack>,
    /// What PyTorch advises behind the message.
    pub advice: Advice,
    /// The row of its type, from 0, counted in the text that was read; of its heading, where it has no type.
    pub row: u32,
}

/// How an exception follows from the one that stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Link {
    /// It is the first one.
    #[default]
    First,
    /// `raise … from`: the one before is its cause.
    Cause,
    /// It was raised while the one before was handled.
    Context,
    /// The message of the one before quotes it, as that of another process.
    Quoted,
    /// It is a member of an exception group.
    Member,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// The file, as Python names it; `<string>` and the like for code without one.
    pub file: String,
    /// The line, from 1; absent where it is not said.
    pub line: Option<u32>,
    /// The function; absent for what does not compile and for cells of a notebook.
    pub function: Option<String>,
    /// The code of the call, without its indentation.
    pub code: Vec<CodeLine>,
    /// How often Python says that the calls up to here were repeated, beyond those that it prints.
    pub repeated: u32,
    /// The row where it stands, from 0.
    pub row: u32,
}

/// A line of code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeLine {
    /// What it says.
    pub text: String,
    /// What Python marks in it with `^` and `~`, in characters.
    pub marked: Option<Range<u32>>,
}

/// A stack within or behind a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stack {
    /// What it shows.
    pub kind: StackKind,
    /// Outermost first.
    pub frames: Vec<Frame>,
}

/// What a stack in a message shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StackKind {
    /// `from user code:`, the program's lines that Dynamo was tracing (all versions).
    Traced,
    /// `User stack:` (2.14+) and `User Stack (most recent call last):` (2.3+), the program's lines that
    /// need what could not be had.
    User,
    /// `The following call raised this error:` (2.5+, torch.export).
    Call,
    /// `Potential framework code culprit` (2.3 to 2.5), a line of PyTorch.
    Framework,
}

/// What PyTorch advises behind a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// The script that reproduces the failure in small.
    pub minifier: Option<String>,
    /// The file with the recorded execution of the frame (2.0+, `replay_record_enabled`).
    pub replay: Option<String>,
    /// The page of this graph break (2.9+) or error (`UserError`).
    pub page: Option<String>,
    /// Whether `suppress_errors` is offered (2.0 to 2.6), which PyTorch does not with `fullgraph=True`.
    pub suppressible: bool,
    /// Whether a setting is named that would have printed more.
    pub verbose: bool,
}

impl Traceback {
    /// The exception that came out.
    #[must_use]
    pub fn surfaced(&self) -> Option<&Raised> {
        self.exceptions.last()
    }
}

impl Raised {
    /// Its type without its module.
    #[must_use]
    pub fn name(&self) -> &str {
        self.kind.rsplit('.').next().unwrap_or_default()
    }

    /// The first stack of a kind.
    #[must_use]
    pub fn stack(&self, kind: StackKind) -> Option<&[Frame]> {
        let stack = self.stacks.iter().find(|stack| stack.kind == kind)?;
        Some(&stack.frames)
    }
}

/// Reads a traceback that fills the text, in any of the forms in which [`plain::find`](super::plain::find) finds
/// one. Text before the first heading is left out; a traceback that stops early gives what it has.
#[must_use]
pub fn read(text: &str) -> Traceback {
    let mut reader = Reader::default();
    let mut cursor = Cursor::new(text);
    let mut layout = Layout::default();
    let first = text.lines().next().unwrap_or_default();
    let headless = if !begins(first) && paste::begins(first) {
        paste::exception_ahead(&mut cursor, &|_| false)
    } else {
        None
    };
    let heading = || text.lines().position(begins);
    if let Some(headless) = headless {
        layout = headless.layout;
        reader.at = At::Frames;
        reader.frames.notebook = headless.is_notebook;
    } else if let Some(row) = heading() {
        let mut lines = text.lines().skip(row);
        let heading = lines.next().unwrap_or_default();
        let next = lines.find(|line| !line.trim().is_empty());
        layout = Layout::of_heading(&escape::without(heading), next);
    } else if pytest::is_any(text) {
        for (row, line) in pytest::as_python(text) {
            reader.line(row, &line);
        }
        return reader.finish();
    }
    for (row, line) in (0..).zip(text.lines()) {
        let line = escape::without(line);
        let line = layout.line(&line).unwrap_or(Cow::Borrowed(&line));
        reader.line(row, &line);
    }
    reader.finish()
}

/// The exception of a type and a message, which is read as that of a traceback is: the program's lines and
/// advice are taken out of it. What is no name of a type stands as it is.
pub(crate) fn of_exception(kind: &str, message: &str) -> Traceback {
    let traceback = read(&format!("{}:\n{kind}: {message}\n", lines::HEADING));
    let is_read = |raised: &Raised| raised.kind == kind;
    if traceback.surfaced().is_some_and(is_read) {
        return traceback;
    }
    let raised = Raised {
        kind: kind.to_owned(),
        message: message.to_owned(),
        ..Raised::default()
    };
    Traceback {
        exceptions: [raised].into(),
    }
}

/// Whether a line is the heading of a traceback.
pub(super) fn begins(line: &str) -> bool {
    lines::heading(&escape::without(line)).is_some()
}

/// What a line holds that may begin a traceback without a heading.
pub(super) const HEADLESS: [&str; 5] = [
    "File ",
    "Cell In[",
    paste::MODULES[0],
    paste::MODULES[1],
    paste::MODULES[2],
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    /// Before a heading.
    #[default]
    Gap,
    Frames,
    Message,
}

#[derive(Debug, Default)]
struct Reader {
    exceptions: Vec<Raised>,
    at: At,
    link: Link,
    raised: Raised,
    frames: Frames,
    message: Vec<(u32, String)>,
    /// The type that IPython names in the heading.
    announced: Option<String>,
    /// Whether lines stand in the margin of an exception group.
    group: bool,
}

impl Reader {
    /// What was read.
    fn finish(mut self) -> Traceback {
        self.close();
        Traceback {
            exceptions: self.exceptions,
        }
    }

    fn line(&mut self, row: u32, line: &str) {
        let is_in_group = self.group && lines::in_group(line);
        // Python draws no margin in front of a message's further lines.
        self.group &= is_in_group || self.at == At::Message;
        if is_in_group && lines::is_group_end(line) {
            self.close();
            return;
        }
        let line = if is_in_group {
            lines::without_margin(line)
        } else {
            line
        };
        if let Some(link) = lines::link(line) {
            self.close();
            self.link = link;
            return;
        }
        if let Some(heading) = lines::heading(line) {
            if self.at == At::Message && self.message_quotes() {
                self.close();
                self.link = Link::Quoted;
            }
            self.close();
            self.raised.row = row;
            self.raised.link = self.link_of_next();
            self.announced = heading.announced.map(String::from);
            self.frames.notebook = self.announced.is_some();
            self.group |= heading.group;
            self.at = At::Frames;
            return;
        }
        match self.at {
            At::Gap => {
                if lines::is_member(line) {
                    self.link = Link::Member;
                }
            }
            At::Message if lines::is_member(line) => {
                self.close();
                self.link = Link::Member;
            }
            At::Message => self.message.push((row, line.to_string())),
            At::Frames => self.frame_line(row, line),
        }
    }

    fn frame_line(&mut self, row: u32, line: &str) {
        let exception = match &self.announced {
            Some(name) => lines::announced(line, name),
            None => lines::exception(line),
        };
        match exception {
            Some((kind, message)) => {
                self.raised.kind = kind.to_string();
                self.raised.row = row;
                self.message.push((row, message.to_string()));
                self.at = At::Message;
            }
            None => self.frames.line(row, line),
        }
    }

    /// Whether the message says that what follows is quoted.
    fn message_quotes(&self) -> bool {
        let last = self
            .message
            .iter()
            .skip(1)
            .rev()
            .find(|(_, line)| !line.trim().is_empty());
        last.is_some_and(|(_, line)| lines::quotes(line))
    }

    fn link_of_next(&mut self) -> Link {
        match core::mem::take(&mut self.link) {
            Link::First if !self.exceptions.is_empty() => Link::Context,
            link => link,
        }
    }

    /// Puts the exception that was read behind the others.
    fn close(&mut self) {
        if self.at == At::Gap {
            return;
        }
        self.at = At::Gap;
        let mut raised = core::mem::take(&mut self.raised);
        raised.frames = core::mem::take(&mut self.frames).finish();
        message::split(core::mem::take(&mut self.message), &mut raised);
        self.exceptions.push(raised);
    }
}

/// Collects frames line by line.
#[derive(Debug, Default)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// Whether IPython printed them: there lines of code have numbers.
    notebook: bool,
    /// The columns before the code of the last frame.
    margin: Option<usize>,
}

impl Frames {
    /// Takes a line; one that belongs to no frame is left out.
    pub(super) fn line(&mut self, row: u32, line: &str) {
        match lines::frame_line(line, self.notebook) {
            Line::Frame(mut frame) => {
                frame.row = row;
                self.margin = None;
                self.frames.push(frame);
            }
            Line::Repeated(times) => {
                if let Some(last) = self.frames.last_mut() {
                    last.repeated = times;
                }
            }
            Line::Numbered { number, code, here } => {
                if let Some(last) = self.frames.last_mut().filter(|_| here) {
                    last.line = last.line.or(Some(number));
                    last.code.push(CodeLine {
                        text: code.trim().to_string(),
                        marked: None,
                    });
                }
            }
            Line::Other => self.code(line),
        }
    }

    fn code(&mut self, line: &str) {
        let Some(last) = self.frames.last_mut() else {
            return;
        };
        let content = line.trim_start_matches([' ', '\t']);
        if content.is_empty() || content.len() == line.len() {
            return;
        }
        let indented = line.len() - content.len();
        if let Some(marks) = lines::marks(content) {
            let margin = self.margin.unwrap_or(indented);
            if let Some(code) = last.code.last_mut() {
                let start = u32::try_from(indented.saturating_sub(margin)).unwrap_or(u32::MAX);
                code.marked = Some(start..start.saturating_add(marks));
            }
            return;
        }
        let margin = *self.margin.get_or_insert(indented);
        // Lines of one expression keep their indentation towards each other.
        let text = line.get(margin.min(indented)..).unwrap_or(content);
        last.code.push(CodeLine {
            text: text.trim_end().to_string(),
            marked: None,
        });
    }

    /// What was collected.
    pub(super) fn finish(self) -> Vec<Frame> {
        self.frames
    }
}

#[cfg(test)]
mod tests;
