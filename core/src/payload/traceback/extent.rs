//! Where a traceback that stands in other text ends.
//!
//! Nothing marks the end of an exception's message. What PyTorch writes behind messages, and what joins
//! exceptions, is looked for; without such a sign a message goes on only with lines that have the form of a
//! message's next line ([`message::goes_on`]), and ends at a blank line. A program that catches an exception
//! prints on right behind it: what has no such form stays text, which is read as any other.

use super::paste::{self, Layout};
use super::{lines, message};
use crate::log::escape;
use crate::payload::plain::Cursor;
use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;

/// Rows of a message that are taken without a sign, by their form.
const PLAIN_ROWS: u32 = 400;

/// Rows of a message at the margin that are taken without a blank line or a sign.
const PARAGRAPH_ROWS: u32 = 40;

/// Rows in which the next sign of a message is looked for: compilers' output stands in messages.
const SIGN_ROWS: u32 = 4000;

/// Rows in which a sign is looked for behind another one.
const NEXT_SIGN_ROWS: u32 = 60;

/// Rows between two frames of IPython, which shows code around each.
const NOTEBOOK_ROWS: u32 = 60;

/// Rows that are looked at behind a traceback: for a sign, and from a sentence that joins two exceptions on for
/// the heading of the next one.
pub(in crate::payload) const AHEAD: u32 = SIGN_ROWS + NEXT_SIGN_ROWS;

/// Moves the cursor, which stands on a heading, behind the traceback. `starts` says which lines begin
/// something else.
pub(in crate::payload) fn end(cursor: &mut Cursor<'_>, starts: impl Fn(&str) -> bool) {
    let mut ahead = cursor.clone();
    let Some(first) = ahead.next() else { return };
    *cursor = ahead.clone();
    let first = escape::without(first);
    let Some(heading) = lines::heading(&first) else {
        return;
    };
    let layout = Layout::of_heading(&first, ahead.peek_beyond_blanks());
    let mut extent = Extent::new(layout, At::Frames);
    extent.heading(&heading);
    extent.run(cursor, ahead, starts);
}

/// Moves the cursor, which stands on the first frame of a traceback without a heading, or on an exception,
/// behind it. Says whether it is one: else the cursor is moved behind what was looked at, which holds nothing.
pub(in crate::payload) fn end_headless(
    cursor: &mut Cursor<'_>,
    starts: impl Fn(&str) -> bool,
) -> bool {
    let mut ahead = cursor.clone();
    let found = paste::exception_ahead(&mut ahead, &starts);
    let raised = found.and_then(|headless| Some((headless, ahead.next()?)));
    *cursor = ahead.clone();
    let Some((headless, raised)) = raised else {
        return false;
    };
    let mut extent = Extent::new(headless.layout, At::Message);
    extent.raised(escape::without(raised).trim());
    extent.run(cursor, ahead, starts);
    true
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Frames,
    /// Behind a sentence that joins two exceptions.
    Between,
    Message,
}

/// What to do with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The traceback reaches up to it.
    Take,
    /// What follows tells whether it belongs to it.
    Look,
    /// It ended before.
    End,
}

struct Extent {
    layout: Layout,
    at: At,
    group: bool,
    /// Whether the rule was read that ends a group: more may follow in a group around it.
    is_group_ended: bool,
    announced: Option<String>,
    /// Rows since the last that tells, and how many may be looked at.
    since: u32,
    window: u32,
    quotes: bool,
    /// Whether lines are still of the message without a sign.
    direct: bool,
    below_sign: bool,
    /// Whether the message begins below its type, at the margin: then all lines up to a blank one are its own.
    is_paragraph: bool,
    /// The line before, of a message.
    previous: String,
}

impl Extent {
    fn new(layout: Layout, at: At) -> Self {
        Extent {
            layout,
            at,
            group: false,
            is_group_ended: false,
            announced: None,
            since: 0,
            window: SIGN_ROWS,
            quotes: false,
            direct: true,
            below_sign: false,
            is_paragraph: false,
            previous: String::new(),
        }
    }

    fn heading(&mut self, heading: &lines::Heading<'_>) {
        self.announced = heading.announced.map(String::from);
        self.group |= heading.group;
        (self.at, self.since) = (At::Frames, 0);
    }

    fn run<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        mut ahead: Cursor<'a>,
        starts: impl Fn(&str) -> bool,
    ) {
        while let Some(raw) = ahead.next() {
            let line = escape::without(raw);
            // Less indented than the rest: another text.
            let Some(line) = self.layout.line(&line).map(Cow::into_owned) else {
                return;
            };
            match self.line(&line, &starts) {
                Step::Take => *cursor = ahead.clone(),
                Step::Look => {}
                Step::End => return,
            }
        }
    }

    fn line(&mut self, line: &str, starts: &impl Fn(&str) -> bool) -> Step {
        let is_in_group = self.group && lines::in_group(line);
        if is_in_group {
            self.is_group_ended = lines::is_group_end(line);
        } else if self.group && self.at == At::Message && !self.is_group_ended {
            // Python draws no margin in front of a message's further lines.
            if starts(line) || self.since > NEXT_SIGN_ROWS || lines::heading(line).is_some() {
                return Step::End;
            }
            self.since = self.since.saturating_add(1);
            self.group = false;
            let step = self.message_line(line);
            self.group = true;
            return step;
        } else if self.group {
            self.group = false;
            if self.at != At::Message || lines::link(line).is_none() && !line.trim().is_empty() {
                return Step::End;
            }
        }
        let line = if self.group {
            lines::without_margin(line)
        } else {
            line
        };
        self.since = self.since.saturating_add(1);
        if let Some(heading) = lines::heading(line) {
            // One that follows without a sentence is another traceback, but for one that is quoted.
            let is_own =
                self.at == At::Between || self.group || self.at == At::Message && self.quotes;
            if !is_own {
                return Step::End;
            }
            self.heading(&heading);
            return Step::Take;
        }
        match self.at {
            At::Between if line.trim().is_empty() => Step::Look,
            At::Between => Step::End,
            At::Frames => self.frame_line(line),
            At::Message if starts(line) || self.since > self.window => Step::End,
            At::Message => self.message_line(line),
        }
    }

    fn frame_line(&mut self, line: &str) -> Step {
        let exception = match &self.announced {
            Some(name) => lines::announced(line, name).is_some(),
            None => lines::exception(line).is_some(),
        };
        if exception {
            (self.at, self.since, self.window) = (At::Message, 0, SIGN_ROWS);
            (self.direct, self.below_sign, self.quotes) = (true, false, false);
            self.raised(line);
        } else if self.announced.is_some() {
            if !matches!(lines::frame_line(line, true), lines::Line::Other) {
                self.since = 0;
            } else if self.since > NOTEBOOK_ROWS {
                return Step::End;
            }
            if line.trim().is_empty() {
                return Step::Look;
            }
        } else if !self.group && !line.starts_with([' ', '\t']) {
            return Step::End;
        }
        Step::Take
    }

    /// Takes the line of the exception.
    fn raised(&mut self, line: &str) {
        line.trim_end().clone_into(&mut self.previous);
        self.is_paragraph = self.previous.ends_with(':')
            && lines::exception(line).is_some_and(|(_, message)| message.trim().is_empty());
    }

    fn message_line(&mut self, line: &str) -> Step {
        if lines::link(line).is_some() {
            self.at = At::Between;
            return Step::Look;
        }
        if paste::is_of_torch(line) && !self.group && !message::goes_on(&self.previous, line) {
            return Step::End;
        }
        let sign = message::belongs(line);
        if sign {
            (self.since, self.window) = (0, NEXT_SIGN_ROWS);
            (self.direct, self.below_sign, self.quotes) = (false, true, false);
        } else if line.trim().is_empty() {
            self.direct &= message::goes_on_behind_blanks(&self.previous);
            self.is_paragraph = false;
            // A member of a group is told by its margin.
            self.below_sign &= !self.group;
            if !self.group {
                return Step::Look;
            }
        } else {
            self.quotes = lines::quotes(line);
            // Where its first line is set deeper, the others are, too.
            let is_deep = line.starts_with([' ', '\t']) && self.since <= 1;
            self.is_paragraph &= self.since <= PARAGRAPH_ROWS && !is_deep;
            let goes_on = self.is_paragraph || message::goes_on(&self.previous, line);
            self.direct &= goes_on && self.since <= PLAIN_ROWS;
        }
        line.trim_end().clone_into(&mut self.previous);
        let indented = line.starts_with([' ', '\t']);
        if sign || self.group || self.direct || self.below_sign && indented {
            return Step::Take;
        }
        self.below_sign = false;
        Step::Look
    }
}
