//! Tracebacks as people paste them: indented as a block of code, without the indentation that Python gives, or
//! without the heading, which is easily missed when lines are marked with the mouse.
//!
//! Start at [`Layout`], which brings lines into the form that Python prints, and [`exception_ahead`], which
//! tells a traceback without a heading: by the exception that stands behind its calls. Calls without one are
//! not told from the stacks that PyTorch and its warnings print.

use super::lines::{self, Line};
use crate::log::escape;
use crate::payload::plain::Cursor;
use alloc::borrow::{Cow, ToOwned as _};
use alloc::format;
use alloc::string::String;

/// Rows without a call that may stand in a notebook's traceback, which shows code around each call.
const NOTEBOOK_ROWS: u32 = 60;

/// How the lines of a traceback are set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// What stands in front of each line that is not blank.
    indent: String,
    /// Whether lines have lost their indentation.
    is_flat: bool,
    /// Rows since the last call, where lines have lost their indentation: its code.
    since_frame: Option<u32>,
}

/// A traceback that has no heading.
#[derive(Debug, Default)]
pub(super) struct Headless {
    pub(super) layout: Layout,
    /// Whether IPython printed it.
    pub(super) is_notebook: bool,
}

impl Layout {
    /// The layout of a traceback, as its heading and the next line show it. Python sets calls two columns
    /// deeper than the heading, whose own indentation is often not marked with the rest.
    pub(super) fn of_heading(heading: &str, next: Option<&str>) -> Layout {
        let next = next.map(escape::without).unwrap_or_default();
        if lines::python_frame(next.trim_start()).is_some() {
            let blanks = blanks(&next);
            return Layout {
                is_flat: blanks.is_empty(),
                indent: blanks.strip_suffix("  ").unwrap_or_default().to_owned(),
                since_frame: None,
            };
        }
        let own = blanks(heading);
        let own = match lines::heading(heading) {
            // The margin of a group begins two columns deeper.
            Some(heading) if heading.group => own.strip_suffix("  ").unwrap_or_default(),
            _ => own,
        };
        let indent = if next.starts_with(own) { own } else { "" };
        Layout {
            indent: indent.to_owned(),
            ..Layout::default()
        }
    }

    /// The line as Python prints it; `None` where it is less indented than those of the traceback.
    pub(super) fn line<'a>(&mut self, line: &'a str) -> Option<Cow<'a, str>> {
        if self.is_flat {
            return Some(self.deepened(line));
        }
        match line.strip_prefix(self.indent.as_str()) {
            Some(inside) => Some(Cow::Borrowed(inside)),
            None if line.trim().is_empty() => Some(Cow::Borrowed("")),
            None => None,
        }
    }

    fn deepened<'a>(&mut self, line: &'a str) -> Cow<'a, str> {
        let content = line.trim_start();
        let since = self.since_frame.take().map(|since| since.saturating_add(1));
        match lines::frame_line(content, false) {
            Line::Frame(_) => {
                self.since_frame = Some(0);
                Cow::Owned(format!("  {content}"))
            }
            Line::Repeated(_) => {
                self.since_frame = since;
                Cow::Owned(format!("  {content}"))
            }
            _ if since.is_some_and(|since| is_flat_code(content, since)) => {
                self.since_frame = since;
                Cow::Owned(format!("    {content}"))
            }
            _ => Cow::Borrowed(line),
        }
    }
}

/// Rows of code of one call, where nothing but the next call or the exception tells its end.
const CODE_ROWS: u32 = 12;

/// Whether a line that has lost its indentation is code of a call so many rows before: anything directly behind
/// it that is no exception for sure, and what follows that is no exception.
fn is_flat_code(content: &str, since: u32) -> bool {
    let is_raised = lines::raised(content).is_some() && (since > 1 || content.contains(": "));
    since <= CODE_ROWS && !is_raised && !content.is_empty() && lines::heading(content).is_none()
}

/// Whether a line may begin a traceback without a heading: a call, or an exception of PyTorch's.
pub(in crate::payload) fn begins(line: &str) -> bool {
    let line = escape::without(line);
    let content = line.trim_start();
    is_frame(content).is_some() || is_of_torch(content)
}

/// Whether it is a call: whether one that IPython prints.
fn is_frame(content: &str) -> Option<bool> {
    if lines::python_frame(content).is_some() {
        return Some(false);
    }
    let is_cell = content.starts_with("Cell In[") || content.starts_with("File ");
    let is_frame = is_cell && matches!(lines::frame_line(content, true), Line::Frame(_));
    is_frame.then_some(true)
}

/// Modules of PyTorch whose exceptions stand for themselves, without any call above them.
pub(super) const MODULES: [&str; 3] = [
    "torch._dynamo.exc.",
    "torch._inductor.exc.",
    "torch.fx.experimental.symbolic_shapes.",
];

/// Whether a line is an exception of PyTorch's with its message.
pub(super) fn is_of_torch(content: &str) -> bool {
    let told = |(_, message): (&str, &str)| !message.trim().is_empty();
    MODULES.iter().any(|module| content.starts_with(module))
        && lines::raised(content).is_some_and(told)
}

/// Moves on from the first call, or from an exception of PyTorch's, to the line of the exception. `None` where
/// none follows the calls; the cursor then stands behind at least one line, and behind none that may begin
/// something. `starts` says which lines begin something else.
pub(super) fn exception_ahead(
    cursor: &mut Cursor<'_>,
    starts: &impl Fn(&str) -> bool,
) -> Option<Headless> {
    let (mut frame, mut is_notebook) = (None, false);
    // Rows since the last call.
    let mut since = 0_u32;
    let first = cursor.row();
    while let Some(raw) = cursor.peek() {
        let line = escape::without(raw);
        let content = line.trim_start();
        let indent = line.len().saturating_sub(content.len());
        since = since.saturating_add(1);
        if lines::heading(&line).is_some() || starts(raw) || since > NOTEBOOK_ROWS {
            break;
        }
        if let Some(of_notebook) = is_frame(content) {
            is_notebook |= of_notebook;
            (frame, since) = (Some(indent), 0);
        } else if is_raised(content, indent, frame, is_notebook, since) {
            return Some(Headless {
                layout: Layout {
                    indent: blanks(&line).to_owned(),
                    is_flat: frame == Some(0) && indent == 0 && !is_notebook,
                    since_frame: None,
                },
                is_notebook,
            });
        } else {
            let is_code = frame.is_some_and(|frame| indent > frame)
                || since == 1
                || frame == Some(0) && is_flat_code(content, since)
                || lines::marks(content).is_some()
                || matches!(lines::frame_line(content, false), Line::Repeated(_));
            if frame.is_none() || !is_notebook && (content.is_empty() || !is_code) {
                break;
            }
        }
        cursor.next();
    }
    if cursor.row() == first {
        cursor.next();
    }
    None
}

/// Whether a line is the exception behind calls of which the last one is so deep and stands so many rows before.
fn is_raised(
    content: &str,
    indent: usize,
    frame: Option<usize>,
    is_notebook: bool,
    since: u32,
) -> bool {
    let Some(frame) = frame else {
        return is_of_torch(content);
    };
    let is_in_place = match frame {
        // As deep as its calls where the indentation is lost, which may be that of the first line alone.
        0 => indent == 0,
        _ if is_notebook => indent <= frame,
        _ => indent < frame,
    };
    // Code that has lost its indentation may look like a type that says nothing.
    let is_sure = frame > 0 || since > 1 || content.contains(": ");
    is_in_place && is_sure && lines::raised(content).is_some()
}

fn blanks(line: &str) -> &str {
    let content = line.trim_start_matches([' ', '\t']);
    line.get(..line.len().saturating_sub(content.len()))
        .unwrap_or_default()
}
