//! Where a traceback that stands in other text ends.
//!
//! Nothing marks the end of an exception's message. What PyTorch writes behind messages, and what joins
//! exceptions, is looked for; without such a sign a message ends at the first blank line.

use super::{lines, message};
use crate::log::escape;
use crate::payload::plain::Cursor;
use alloc::string::String;

/// Rows of a message that are taken without a blank line or a sign.
const PLAIN_ROWS: u32 = 40;

/// Rows in which the next sign of a message is looked for: compilers' output stands in messages.
const SIGN_ROWS: u32 = 4000;

/// Rows in which a sign is looked for behind another one.
const NEXT_SIGN_ROWS: u32 = 60;

/// Rows between two frames of IPython, which shows code around each.
const NOTEBOOK_ROWS: u32 = 60;

/// Rows that are looked at behind a traceback: for a sign, and from a sentence that joins two exceptions on for
/// the heading of the next one.
pub(in crate::payload) const AHEAD: u32 = SIGN_ROWS + NEXT_SIGN_ROWS;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Frames,
    /// Behind a sentence that joins two exceptions.
    Between,
    Message,
}

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
    let mut group = heading.group;
    let mut announced = heading.announced.map(String::from);
    let mut at = At::Frames;
    let (mut since, mut window, mut quotes) = (0_u32, SIGN_ROWS, false);
    // Whether lines are still of the message without a sign.
    let (mut direct, mut below_sign) = (true, false);
    while let Some(raw) = ahead.next() {
        let line = escape::without(raw);
        if group && !lines::in_group(&line) {
            group = false;
            if at != At::Message || lines::link(&line).is_none() && !line.trim().is_empty() {
                return;
            }
        }
        let line = if group {
            lines::without_margin(&line)
        } else {
            &line
        };
        since = since.saturating_add(1);
        let blank = line.trim().is_empty();
        let heading = lines::heading(line);
        if let Some(heading) = heading {
            // One that follows without a sentence is another traceback, but for one that is quoted.
            if !(at == At::Between || group || at == At::Message && quotes) {
                return;
            }
            announced = heading.announced.map(String::from);
            group |= heading.group;
            (at, since) = (At::Frames, 0);
            *cursor = ahead.clone();
            continue;
        }
        match at {
            At::Between if blank => {}
            At::Between => return,
            At::Frames => {
                let exception = match &announced {
                    Some(name) => lines::announced(line, name).is_some(),
                    None => lines::exception(line).is_some(),
                };
                if exception {
                    (at, since, window, direct) = (At::Message, 0, SIGN_ROWS, true);
                    (below_sign, quotes) = (false, false);
                } else if announced.is_some() {
                    if !matches!(lines::frame_line(line, true), lines::Line::Other) {
                        since = 0;
                    } else if since > NOTEBOOK_ROWS {
                        return;
                    }
                    if blank {
                        continue;
                    }
                } else if !group && !line.starts_with([' ', '\t']) {
                    return;
                }
                *cursor = ahead.clone();
            }
            At::Message => {
                if starts(raw) || since > window {
                    return;
                }
                if lines::link(line).is_some() {
                    at = At::Between;
                    continue;
                }
                let sign = message::belongs(line);
                if sign {
                    (since, window, direct, below_sign) = (0, NEXT_SIGN_ROWS, false, true);
                    quotes = false;
                } else if blank {
                    direct = false;
                    // A member of a group is told by its margin.
                    below_sign &= !group;
                    if !group {
                        continue;
                    }
                } else {
                    quotes = lines::quotes(line);
                }
                let indented = line.starts_with([' ', '\t']);
                if sign || group || direct && since <= PLAIN_ROWS || below_sign && indented {
                    *cursor = ahead.clone();
                } else {
                    below_sign = false;
                }
            }
        }
    }
}
