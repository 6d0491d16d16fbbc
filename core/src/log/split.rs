//! Splits the text of a log into segments that leave no byte out.
//!
//! Start at [`Splitter::feed`]: it takes pieces of any size, down to one byte, and tells a [`Sink`] of
//! each record and of everything between records. Only the first line of a record is ever kept whole;
//! a payload of gigabytes passes through. The grammar is that of `TorchLogsFormatter` for traces
//! (torch/_logging/_internal.py, 2.3 to 2.15): a line with prefix and JSON, then the payload's lines,
//! each behind one tab.

use super::console::{self, Decision, Streams};
use super::escape::Escapes;
use super::payload::{Learned, Strip};
use super::prefix::{self, Prefix, SEARCHED};
use alloc::vec::Vec;

/// A record's first line that is longer than this is not read.
pub const MAX_HEAD: usize = 256 << 20;

/// The first line of a record.
#[derive(Debug)]
pub struct Head<'a> {
    /// Byte of the text at which it starts.
    pub offset: u64,
    /// Its line, from 0.
    pub line: u64,
    /// The line without its line end.
    pub text: &'a [u8],
    /// Its prefix.
    pub prefix: Prefix,
    /// Bytes of the line with its line end.
    pub length: u64,
    /// What each line of the payload carries in front.
    pub strip: Strip,
}

impl<'a> Head<'a> {
    /// The record's JSON.
    #[must_use]
    pub fn json(&self) -> &'a [u8] {
        self.text.get(self.prefix.json..).unwrap_or_default()
    }
}

/// The first line of a console message.
#[derive(Debug)]
pub struct Message<'a> {
    /// Byte of the text at which it starts.
    pub offset: u64,
    /// Its line, from 0.
    pub line: u64,
    /// The line without its line end, or its first [`SEARCHED`] bytes.
    pub head: &'a [u8],
    /// Its prefix.
    pub prefix: console::Prefix,
    /// Bytes of the line with its line end, at most [`SEARCHED`].
    pub length: u64,
}

impl<'a> Message<'a> {
    /// What the first line says.
    #[must_use]
    pub fn text(&self) -> &'a [u8] {
        self.head.get(self.prefix.message..).unwrap_or_default()
    }

    /// A part of its prefix.
    #[must_use]
    pub fn part(&self, range: &core::ops::Range<usize>) -> &'a [u8] {
        self.head.get(range.clone()).unwrap_or_default()
    }
}

/// What a sink wants of a record's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// The record announces none: lines behind a tab that follow belong to another record.
    Nothing,
    /// Only its size.
    Size,
    /// Its first bytes, at most so many.
    Bytes(usize),
}

/// How a record ended.
#[derive(Debug)]
pub struct Tail<'a> {
    /// Bytes of the payload as PyTorch wrote it: without tabs, without the last line end.
    pub payload_bytes: u64,
    /// Lines of the payload.
    pub payload_lines: u64,
    /// The first bytes of the payload, as many as were wanted.
    pub kept: &'a [u8],
    /// Whether blanks stand in front of its lines in place of the tab: the text was changed after PyTorch
    /// wrote it.
    pub is_blank_led: bool,
}

/// Text that is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Other {
    /// What it is.
    pub kind: OtherKind,
    /// Byte of the text at which it starts.
    pub offset: u64,
    /// Its first line, from 0.
    pub line: u64,
}

/// What text that is no record can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherKind {
    /// Output of other programs.
    Text,
    /// Lines behind a tab that do not follow a record which announces a payload.
    Stray,
}

/// Is told of the segments in the order of the text. A segment ends where the next one starts, so that
/// together they are the whole text.
pub trait Sink {
    /// A record starts; says what is wanted of its payload.
    fn record(&mut self, head: Head<'_>) -> Want;
    /// The record that started last has ended.
    fn record_end(&mut self, tail: Tail<'_>);
    /// Text that is no record starts. `first_line` is its first line or the beginning of it.
    fn other(&mut self, other: Other, first_line: &[u8]);
    /// Stray lines have ended: how long they are, as [`Tail::payload_bytes`].
    fn stray_end(&mut self, _payload_bytes: u64) {}
    /// A console message starts; gives the name by which it is told of again, and says what is wanted of it.
    fn message(&mut self, message: Message<'_>) -> (u32, Want);
    /// A console message goes on behind what others wrote.
    fn message_goes_on(&mut self, name: u32, offset: u64, line: u64);
    /// A console message has ended: its payload is the whole message. Others may have begun since it did.
    fn message_end(&mut self, name: u32, tail: Tail<'_>);
}

/// What the current segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment {
    None,
    /// A record; whether its payload is being read, and how much of it is wanted.
    Record(Want),
    Text,
    Stray,
    /// The console message of that stream.
    Message(usize),
}

/// A console message that may go on.
#[derive(Debug)]
struct Open {
    name: u32,
    want: Want,
    bytes: u64,
    lines: u64,
    kept: Vec<u8>,
    escapes: Escapes,
}

/// Splits text that comes in pieces. See the module's first lines.
#[derive(Debug)]
pub struct Splitter {
    segment: Segment,
    /// What came of the line that is not decided yet.
    carry: Vec<u8>,
    /// Whether the line in `carry` was found to start a record, and only its end is missing.
    carry_is_head: bool,
    /// Inside a line whose segment is known.
    inside: bool,
    offset: u64,
    line: u64,
    strip: Strip,
    /// Whether payloads were found behind tabs: then none stands behind blanks.
    has_tabs: bool,
    is_blank_led: bool,
    payload_bytes: u64,
    payload_lines: u64,
    kept: Vec<u8>,
    /// Blank lines behind a payload's line: they belong to it if it goes on.
    blank: Option<(u64, u64)>,
    /// Whether the last line has not ended.
    line_open: bool,
    /// A carriage return at the end of a piece: it is the payload's only if no line feed follows.
    held_return: bool,
    max_head: usize,
    streams: Streams,
    /// The message of each stream.
    open: Vec<Option<Open>>,
}

impl Default for Splitter {
    fn default() -> Self {
        Splitter::with_max_head(MAX_HEAD)
    }
}

impl Splitter {
    /// A splitter that reads first lines up to that many bytes.
    #[must_use]
    pub fn with_max_head(max_head: usize) -> Self {
        Splitter {
            segment: Segment::None,
            carry: Vec::new(),
            carry_is_head: false,
            inside: false,
            offset: 0,
            line: 0,
            strip: Strip::default(),
            has_tabs: false,
            is_blank_led: false,
            payload_bytes: 0,
            payload_lines: 0,
            kept: Vec::new(),
            blank: None,
            line_open: false,
            held_return: false,
            max_head,
            streams: Streams::default(),
            open: Vec::new(),
        }
    }

    /// The same splitter, for text whose first byte lies at that offset of its source.
    #[must_use]
    pub fn starting_at(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    /// Bytes taken so far, those of a line that is not decided yet among them.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.offset + self.carry.len() as u64
    }

    /// Lines taken so far.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.line + u64::from(self.line_open || !self.carry.is_empty())
    }

    /// Takes the next piece of the text.
    pub fn feed<S: Sink + ?Sized>(&mut self, mut piece: &[u8], sink: &mut S) {
        while !piece.is_empty() {
            let end = memchr::memchr(b'\n', piece).map(|i| i + 1);
            let (part, rest) = piece.split_at(end.unwrap_or(piece.len()));
            piece = rest;
            if self.inside {
                self.take(part, end.is_some());
            } else if self.carry.is_empty() && end.is_some() {
                self.whole_line(part, sink);
            } else {
                self.carry.extend_from_slice(part);
                let carry = core::mem::take(&mut self.carry);
                let decided = if end.is_some() {
                    self.whole_line(&carry, sink);
                    true
                } else {
                    self.part_of_line(&carry, sink)
                };
                self.carry = carry;
                if decided {
                    self.carry.clear();
                    self.carry_is_head = false;
                }
            }
        }
    }

    /// The text has ended.
    pub fn finish<S: Sink + ?Sized>(&mut self, sink: &mut S) {
        if !self.carry.is_empty() {
            let carry = core::mem::take(&mut self.carry);
            self.whole_line(&carry, sink);
        }
        self.end_segment(sink);
        // In the order in which they began.
        let mut open: Vec<Open> = self.open.drain(..).flatten().collect();
        open.sort_unstable_by_key(|open| open.name);
        for open in &open {
            end_message(open, sink);
        }
    }

    /// A line of which all is there; the last of a text may lack its line end.
    fn whole_line<S: Sink + ?Sized>(&mut self, line: &[u8], sink: &mut S) {
        let ended = line.last() == Some(&b'\n');
        // Each reader knows its lines; the one that read the line before is asked first.
        if matches!(self.segment, Segment::Message(_)) && self.console_line(line, ended, sink) {
            return;
        }
        if let Some(content) = self.payload_content(line, true) {
            self.go_on_with_payload(sink);
            self.payload_line(line, content, ended);
            return;
        }
        let text = strip_line_end(line);
        if text.is_empty() && matches!(self.segment, Segment::Record(w) if w != Want::Nothing) {
            // A blank line inside a payload, or behind it: what follows tells.
            self.blank.get_or_insert((self.offset, self.line));
            self.advance(line.len(), ended);
            return;
        }
        if line.len() <= self.max_head
            && let Some(prefix) = prefix::find(text)
        {
            self.head(line, text, prefix, sink);
            return;
        }
        if self.console_line(line, ended, sink) {
            return;
        }
        self.other_line(line, sink);
        self.advance(line.len(), ended);
    }

    /// Takes a line of a console message, or the beginning of a long one. Says whether it is one.
    fn console_line<S: Sink + ?Sized>(&mut self, line: &[u8], ended: bool, sink: &mut S) -> bool {
        let current = match self.segment {
            Segment::Message(i) => Some(i),
            _ => None,
        };
        let text = if ended { strip_line_end(line) } else { line };
        let text = text.get(..SEARCHED).unwrap_or(text);
        let (i, content) = match self.streams.decide(text, current) {
            None => return false,
            Some(Decision::GoesOn(i, content)) => {
                let open = self.open.get(i).and_then(Option::as_ref);
                if let Some(open) = open.filter(|_| current != Some(i)) {
                    let name = open.name;
                    self.end_segment(sink);
                    sink.message_goes_on(name, self.offset, self.line);
                }
                (i, content)
            }
            Some(Decision::Begins(i, prefix)) => {
                self.end_segment(sink);
                if let Some(place) = self.open.get_mut(i)
                    && let Some(open) = place.take()
                {
                    end_message(&open, sink);
                    self.kept = open.kept;
                }
                self.kept.clear();
                let content = prefix.message;
                let (name, want) = sink.message(Message {
                    offset: self.offset,
                    line: self.line,
                    head: text,
                    prefix,
                    length: line.len().min(SEARCHED) as u64,
                });
                let open = Open {
                    name,
                    want,
                    bytes: 0,
                    lines: 0,
                    kept: core::mem::take(&mut self.kept),
                    escapes: Escapes::default(),
                };
                self.open.resize_with(self.open.len().max(i + 1), || None);
                if let Some(place) = self.open.get_mut(i) {
                    *place = Some(open);
                }
                (i, content)
            }
        };
        self.segment = Segment::Message(i);
        if let Some(open) = self.open.get_mut(i).and_then(Option::as_mut) {
            open.lines += 1;
            open.escapes = Escapes::default();
            if open.lines > 1 {
                open.add(b"\n");
            }
        }
        self.advance(content, false);
        self.take(line.get(content..).unwrap_or_default(), ended);
        true
    }

    /// The beginning of a line whose end has not come. Says whether its segment is decided.
    fn part_of_line<S: Sink + ?Sized>(&mut self, part: &[u8], sink: &mut S) -> bool {
        // The same bytes decide here that decide when the line comes whole.
        if matches!(self.segment, Segment::Message(_)) {
            if part.len() < SEARCHED {
                return false;
            }
            if self.console_line(part, false, sink) {
                return true;
            }
        }
        if let Some(content) = self.payload_content(part, false) {
            self.go_on_with_payload(sink);
            self.payload_line(part, content, false);
            self.inside = true;
            return true;
        }
        if part.len() < SEARCHED {
            return false;
        }
        if !self.carry_is_head {
            self.carry_is_head = prefix::find(part).is_some();
        }
        if self.carry_is_head && part.len() <= self.max_head {
            return false;
        }
        if self.console_line(part, false, sink) {
            return true;
        }
        self.other_line(part, sink);
        self.advance(part.len(), false);
        self.inside = true;
        true
    }

    /// Where the content of a payload's line starts, if it is one. `is_whole` says whether all of the line is
    /// there; what is there decides alike where it is enough.
    fn payload_content(&mut self, line: &[u8], is_whole: bool) -> Option<usize> {
        let wanted = matches!(self.segment, Segment::Record(want) if want != Want::Nothing);
        if line.first() == Some(&b'\t') {
            self.has_tabs |= wanted;
            return Some(1);
        }
        if !matches!(self.segment, Segment::Record(_)) {
            return None;
        }
        let known = self.strip.content(line);
        if known.is_some() {
            self.has_tabs |= wanted && !self.is_blank_led;
            return known;
        }
        // Only the first line tells; one of blanks alone may be an empty line, of any text.
        let is_first = wanted && self.payload_lines == 0;
        if !is_first || strip_line_end(line).is_empty() {
            return None;
        }
        let mut strip = self.strip.clone();
        match strip.learn(line, is_whole)? {
            Learned::Nothing => return None,
            Learned::Blanks if self.has_tabs => return None,
            Learned::Blanks => self.is_blank_led = true,
            Learned::Tab => {}
        }
        self.strip = strip;
        self.strip.content(line)
    }

    /// Makes sure that the current segment takes payload lines, and gives it the blank lines before.
    fn go_on_with_payload<S: Sink + ?Sized>(&mut self, sink: &mut S) {
        self.blank = None;
        match self.segment {
            Segment::Record(want) if want != Want::Nothing => {}
            Segment::Stray => {}
            _ => {
                self.end_segment(sink);
                self.segment = Segment::Stray;
                self.payload_bytes = 0;
                self.payload_lines = 0;
                sink.other(
                    Other {
                        kind: OtherKind::Stray,
                        offset: self.offset,
                        line: self.line,
                    },
                    b"",
                );
            }
        }
    }

    fn payload_line(&mut self, line: &[u8], content: usize, ended: bool) {
        if self.payload_lines > 0 {
            self.add_payload(b"\n");
        }
        self.payload_lines += 1;
        self.advance(content, false);
        self.take(line.get(content..).unwrap_or_default(), ended);
    }

    /// Takes more of a line whose segment is known.
    fn take(&mut self, part: &[u8], ended: bool) {
        self.inside = !ended;
        if let Segment::Message(i) = self.segment {
            self.message_part(i, part, ended);
        } else if matches!(self.segment, Segment::Record(_) | Segment::Stray) {
            if core::mem::take(&mut self.held_return) && part != b"\n" {
                self.add_payload(b"\r");
            }
            let content = if ended {
                self.strip.line_end(part)
            } else {
                part
            };
            self.held_return =
                !ended && self.strip.carriage_return() && content.last() == Some(&b'\r');
            let own = content.len() - usize::from(self.held_return);
            self.add_payload(content.get(..own).unwrap_or_default());
        }
        self.advance(part.len(), ended);
    }

    /// Takes more of a line of a console message.
    fn message_part(&mut self, i: usize, part: &[u8], ended: bool) {
        let Some(open) = self.open.get_mut(i).and_then(Option::as_mut) else {
            return;
        };
        if core::mem::take(&mut self.held_return) && part != b"\n" {
            open.add(b"\r");
        }
        let content = if ended { strip_line_end(part) } else { part };
        self.held_return = !ended && content.last() == Some(&b'\r');
        let own = content.len() - usize::from(self.held_return);
        open.add(content.get(..own).unwrap_or_default());
    }

    fn add_payload(&mut self, content: &[u8]) {
        self.payload_bytes += content.len() as u64;
        if let Segment::Record(Want::Bytes(limit)) = self.segment {
            let room = limit.saturating_sub(self.kept.len());
            self.kept
                .extend_from_slice(content.get(..room).unwrap_or(content));
        }
    }

    fn head<S: Sink + ?Sized>(&mut self, line: &[u8], text: &[u8], prefix: Prefix, sink: &mut S) {
        self.end_segment(sink);
        self.strip = Strip::of_head(line, text, &prefix);
        self.is_blank_led = false;
        self.payload_bytes = 0;
        self.payload_lines = 0;
        self.kept.clear();
        let want = sink.record(Head {
            offset: self.offset,
            line: self.line,
            text,
            prefix,
            length: line.len() as u64,
            strip: self.strip.clone(),
        });
        self.segment = Segment::Record(want);
        self.advance(line.len(), line.last() == Some(&b'\n'));
    }

    fn other_line<S: Sink + ?Sized>(&mut self, line: &[u8], sink: &mut S) {
        if self.segment != Segment::Text {
            self.end_segment(sink);
        }
        // Blank lines behind a payload have begun the text already.
        if self.segment != Segment::Text {
            self.segment = Segment::Text;
            let first = strip_line_end(line);
            let first = first.get(..SEARCHED).unwrap_or(first);
            sink.other(
                Other {
                    kind: OtherKind::Text,
                    offset: self.offset,
                    line: self.line,
                },
                first,
            );
        }
    }

    fn end_segment<S: Sink + ?Sized>(&mut self, sink: &mut S) {
        if core::mem::take(&mut self.held_return) {
            match self.segment {
                Segment::Message(i) => {
                    if let Some(open) = self.open.get_mut(i).and_then(Option::as_mut) {
                        open.add(b"\r");
                    }
                }
                _ => self.add_payload(b"\r"),
            }
        }
        match self.segment {
            Segment::Record(_) => sink.record_end(Tail {
                payload_bytes: self.payload_bytes,
                payload_lines: self.payload_lines,
                kept: &self.kept,
                is_blank_led: self.is_blank_led,
            }),
            Segment::Stray => sink.stray_end(self.payload_bytes),
            Segment::None | Segment::Text | Segment::Message(_) => {}
        }
        self.segment = Segment::None;
        if let Some((offset, line)) = self.blank.take() {
            self.segment = Segment::Text;
            sink.other(
                Other {
                    kind: OtherKind::Text,
                    offset,
                    line,
                },
                b"",
            );
        }
    }

    fn advance(&mut self, bytes: usize, ended: bool) {
        self.offset += bytes as u64;
        self.line += u64::from(ended);
        self.line_open = !ended;
    }
}

impl Open {
    fn add(&mut self, content: &[u8]) {
        let Open {
            want, bytes, kept, ..
        } = self;
        self.escapes.filter(content, |part| {
            *bytes += part.len() as u64;
            if let Want::Bytes(limit) = want {
                let room = limit.saturating_sub(kept.len());
                kept.extend_from_slice(part.get(..room).unwrap_or(part));
            }
        });
    }
}

fn end_message<S: Sink + ?Sized>(open: &Open, sink: &mut S) {
    sink.message_end(
        open.name,
        Tail {
            payload_bytes: open.bytes,
            payload_lines: open.lines,
            kept: &open.kept,
            is_blank_led: false,
        },
    );
}

fn strip_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
