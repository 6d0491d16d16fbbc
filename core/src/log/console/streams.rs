//! Lines → messages: each process that writes has its message, to which its next line may belong.

use super::front;
use super::message::Shape;
use super::prefix::{Prefix, Style};
use crate::log::prefix::SEARCHED;
use alloc::vec::Vec;

/// What a line is to the messages before it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It belongs to the message of that stream; its text starts there.
    GoesOn(usize, usize),
    /// It begins a message, as the next one of that stream.
    Begins(usize, Prefix),
}

/// How many processes may write at a time. Beyond that, the one that was silent longest is forgotten.
const MOST_STREAMS: usize = 64;

/// The messages that may go on.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    streams: Vec<Stream>,
    /// Counts lines, to tell which stream was silent longest.
    clock: u64,
    /// Whether each line has a prefix where dates are written: all but torch 2.0 do so.
    each_line: bool,
    scratch: Vec<u8>,
}

/// What a process writes.
#[derive(Debug)]
struct Stream {
    /// What other programs put in front of its lines, as far as it stays the same.
    front: Vec<u8>,
    /// The process or thread.
    number: Option<u64>,
    rank: Option<u32>,
    style: Style,
    /// The beginning of the message's first line, up to the message, and what it is made of.
    whole: Vec<u8>,
    prefix: Option<Prefix>,
    /// The part that says whose and which artifact's the message is, without time and place.
    subject: Vec<u8>,
    shape: Option<Shape>,
    /// Whether a whole prefix may be cut short: another line could hold an id behind it.
    bare: bool,
    used: u64,
}

impl Streams {
    /// Tells what a line is; `current` is the stream whose message the line before belongs to.
    pub(crate) fn decide(&mut self, line: &[u8], current: Option<usize>) -> Option<Decision> {
        let line = line.get(..SEARCHED).unwrap_or(line);
        self.clock += 1;
        if let Some(decision) = current.and_then(|i| self.like_the_last(line, i)) {
            return Some(decision);
        }
        let Some(prefix) = Prefix::find(line) else {
            return self.plain(line, current);
        };
        let i = self.stream_of(line, &prefix);
        let clock = self.clock;
        let stream = self.streams.get_mut(i)?;
        stream.used = clock;
        let text = line.get(prefix.message..).unwrap_or_default();
        let same = stream.has_prefix(line, &prefix);
        let first_only = prefix.style == Style::Dated && !self.each_line;
        let goes_on = match &mut stream.shape {
            None => false,
            // Torch 2.0 writes the prefix in front of first lines, which do not begin with blanks.
            Some(_) if same && first_only => text.first().is_none_or(u8::is_ascii_whitespace),
            Some(shape) if same => shape.goes_on_with(text),
            Some(shape) => is_subject(line, &prefix, &stream.subject) && shape.lists_on_with(text),
        };
        self.each_line |= prefix.style == Style::Dated
            && (!prefix.id.is_empty() || !prefix.artifact.is_empty() || goes_on);
        Some(if goes_on {
            Decision::GoesOn(i, prefix.message)
        } else {
            stream.begin(line, &prefix);
            Decision::Begins(i, prefix)
        })
    }

    /// The quick way: the line has, byte for byte, the prefix of the line before.
    fn like_the_last(&mut self, line: &[u8], i: usize) -> Option<Decision> {
        let clock = self.clock;
        let stream = self.streams.get_mut(i)?;
        let text = line.strip_prefix(stream.whole.as_slice())?;
        // An id or an artifact may follow.
        if stream.bare && text.first() == Some(&b'[') {
            return None;
        }
        stream.used = clock;
        let goes_on = if stream.style == Style::Dated && !self.each_line {
            text.first().is_none_or(u8::is_ascii_whitespace)
        } else {
            stream.shape.as_mut()?.goes_on_with(text)
        };
        if goes_on {
            self.each_line |= stream.style == Style::Dated;
            return Some(Decision::GoesOn(i, stream.whole.len()));
        }
        let prefix = stream.prefix.clone()?;
        stream.shape = Some(Shape::new(line, &prefix, text));
        Some(Decision::Begins(i, prefix))
    }

    /// A line without a prefix: it may belong to a message of which only the first line has one.
    fn plain(&mut self, line: &[u8], current: Option<usize>) -> Option<Decision> {
        let (clock, each_line) = (self.clock, self.each_line);
        let take = |i: usize, stream: &mut Stream| {
            let at = front::length(line, &stream.front)?;
            let text = line.get(at..).unwrap_or_default();
            let prefixed = stream.style == Style::Dated && each_line;
            if prefixed || !stream.shape.as_mut()?.takes_plain(text) {
                return None;
            }
            stream.used = clock;
            Some(Decision::GoesOn(i, at))
        };
        let current = current?;
        if let Some(decision) = self.streams.get_mut(current).and_then(|s| take(current, s)) {
            return Some(decision);
        }
        // Lines of several processes between each other are told apart by what stands in front.
        let mut others = self.streams.iter_mut().enumerate();
        others.find_map(|(i, stream)| {
            let fronted = i != current && !stream.front.is_empty();
            fronted.then(|| take(i, stream)).flatten()
        })
    }

    fn stream_of(&mut self, line: &[u8], prefix: &Prefix) -> usize {
        let mut key = core::mem::take(&mut self.scratch);
        front::stable(line.get(..prefix.start).unwrap_or_default(), &mut key);
        let clocked = key.is_empty() || front::is_clock(&key);
        let known = self.streams.iter().position(|stream| {
            let same_front = stream.front == key
                || (clocked && (stream.front.is_empty() || front::is_clock(&stream.front)));
            stream.number == prefix.process
                && stream.rank == prefix.rank
                && stream.style == prefix.style
                && same_front
        });
        self.scratch = key;
        if let Some(known) = known {
            return known;
        }
        let stream = Stream {
            front: self.scratch.clone(),
            number: prefix.process,
            rank: prefix.rank,
            style: prefix.style,
            whole: Vec::new(),
            prefix: None,
            subject: Vec::new(),
            shape: None,
            bare: false,
            used: 0,
        };
        if self.streams.len() < MOST_STREAMS {
            self.streams.push(stream);
            return self.streams.len() - 1;
        }
        let oldest = (0..self.streams.len()).min_by_key(|i| self.streams.get(*i).map(|s| s.used));
        let oldest = oldest.unwrap_or(0);
        if let Some(place) = self.streams.get_mut(oldest) {
            *place = stream;
        }
        oldest
    }
}

impl Stream {
    /// Whether a line has the prefix of the message's first line, whatever stands in front of it. Editors
    /// take the blank behind an empty line's prefix away.
    fn has_prefix(&self, line: &[u8], prefix: &Prefix) -> bool {
        let own = line.get(prefix.start..prefix.message);
        let known = self
            .prefix
            .as_ref()
            .and_then(|known| self.whole.get(known.start..));
        own.map(<[u8]>::trim_ascii_end) == known.map(<[u8]>::trim_ascii_end)
    }

    fn begin(&mut self, line: &[u8], prefix: &Prefix) {
        self.whole.clear();
        self.whole
            .extend_from_slice(line.get(..prefix.message).unwrap_or_default());
        self.prefix = Some(prefix.clone());
        self.subject.clear();
        for range in [&prefix.level, &prefix.id, &prefix.artifact] {
            self.subject
                .extend_from_slice(line.get(range.clone()).unwrap_or_default());
            self.subject.push(b' ');
        }
        let text = line.get(prefix.message..).unwrap_or_default();
        self.shape = Some(Shape::new(line, prefix, text));
        self.bare = prefix.artifact.is_empty() && prefix.style == Style::Glog;
    }
}

/// Whether a line's message has the subject of another.
fn is_subject(line: &[u8], prefix: &Prefix, subject: &[u8]) -> bool {
    let mut rest = subject;
    for range in [&prefix.level, &prefix.id, &prefix.artifact] {
        let part = line.get(range.clone()).unwrap_or_default();
        match rest
            .strip_prefix(part)
            .and_then(|rest| rest.strip_prefix(b" "))
        {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.is_empty()
}
