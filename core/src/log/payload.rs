//! What belongs to a record beside its JSON: where it lies, and how it becomes what PyTorch wrote.

use crate::source::{Source, SourceError};
use alloc::vec::Vec;
use core::ops::Range;
use md5::{Digest, Md5};

use super::console;
use super::escape::Escapes;
use super::prefix;
use super::prefix::{Prefix, SEARCHED};

/// What each line of a payload carries that is not its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strip {
    /// What other programs put in front of every line. Behind it comes the tab that PyTorch writes;
    /// a line that starts with the tab itself is taken too.
    lead: Vec<u8>,
    /// Whether lines end in CR LF, as Python's text mode writes them on Windows.
    carriage_return: bool,
    /// Whether lines carry nothing: text that is no payload.
    nothing: bool,
    /// What each line begins with instead of the tab alone, where the text was changed after PyTorch wrote it.
    indent: Vec<u8>,
    /// The prefix of a console message's first line, with what stands in front of it: the other lines
    /// carry the like.
    console: Option<Vec<u8>>,
}

impl Strip {
    /// What the payload of a record carries, as its first line shows it.
    #[must_use]
    pub fn of_head(line: &[u8], text: &[u8], prefix: &Prefix) -> Strip {
        Strip {
            lead: text.get(..prefix.start).unwrap_or_default().to_vec(),
            carriage_return: line.ends_with(b"\r\n"),
            ..Strip::default()
        }
    }

    /// What the lines of a console message carry, as its first line shows it.
    #[must_use]
    pub fn of_message(line: &[u8], prefix: &console::Prefix) -> Strip {
        Strip {
            lead: console::stable_front(line.get(..prefix.start).unwrap_or_default()),
            carriage_return: true,
            nothing: false,
            indent: Vec::new(),
            console: Some(line.get(..prefix.message).unwrap_or_default().to_vec()),
        }
    }

    /// What text carries that is no payload: nothing.
    #[must_use]
    pub fn nothing() -> Strip {
        Strip {
            nothing: true,
            ..Strip::default()
        }
    }

    /// Learns from the first line of a payload, or from its beginning, what its lines begin with where that is
    /// no tab: editors and web pages make blanks of tabs, and indent what is pasted. Says what was learned;
    /// `None` where more of the line would tell.
    pub fn learn(&mut self, line: &[u8], is_whole: bool) -> Option<Learned> {
        let lead = match line.starts_with(&self.lead) {
            true => self.lead.len(),
            false if !is_whole && self.lead.starts_with(line) => return None,
            // The mark of UTF-8 stands in front of the first line of a text alone.
            false if self.lead == MARK => 0,
            false => return Some(Learned::Nothing),
        };
        let rest = line.get(lead..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
        if blanks > WIDEST || blanks == 0 && !rest.is_empty() {
            return Some(Learned::Nothing);
        }
        let behind = rest.get(blanks..).unwrap_or_default();
        if behind.len() < HEAD_SHAPE.len() && !is_whole && behind.first() != Some(&b'\t') {
            return None;
        }
        if behind.first() == Some(&b'\t') {
            let end = lead.saturating_add(blanks).saturating_add(1);
            self.indent = line.get(..end).unwrap_or_default().to_vec();
            return Some(Learned::Tab);
        }
        // A record may stand there whose own first line is indented.
        let is_head = prefix::has_shape(behind, HEAD_SHAPE);
        let width = WIDTHS.into_iter().find(|width| *width <= blanks);
        let Some(width) = width.filter(|_| !is_head) else {
            return Some(Learned::Nothing);
        };
        let end = lead.saturating_add(width);
        self.indent = line.get(..end).unwrap_or_default().to_vec();
        Some(Learned::Blanks)
    }

    /// Where the content of a line starts, or `None` where it is no line of a payload.
    #[must_use]
    pub fn content(&self, line: &[u8]) -> Option<usize> {
        if self.nothing {
            return Some(0);
        }
        if let Some(whole) = &self.console {
            return Some(console::text_of(line, whole, &self.lead));
        }
        if line.first() == Some(&b'\t') {
            return Some(1);
        }
        if !self.indent.is_empty() {
            return line.starts_with(&self.indent).then_some(self.indent.len());
        }
        if self.lead.is_empty() {
            return None;
        }
        (line.starts_with(&self.lead) && line.get(self.lead.len()) == Some(&b'\t'))
            .then(|| self.lead.len() + 1)
    }

    /// A line's content without its line end.
    #[must_use]
    pub fn line_end<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if self.carriage_return {
            line.strip_suffix(b"\r").unwrap_or(line)
        } else {
            line
        }
    }

    /// Whether lines end in CR LF.
    #[must_use]
    pub fn carriage_return(&self) -> bool {
        self.carriage_return
    }
}

/// What the first line of a payload tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learned {
    /// It is none, or begins as PyTorch writes it.
    Nothing,
    /// The tab stands behind blanks.
    Tab,
    /// Blanks stand in place of the tab.
    Blanks,
}

/// What some editors write in front of text in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// How many blanks editors make of a tab, the most first. A payload's first line may have blanks of its own.
const WIDTHS: [usize; 4] = [8, 4, 2, 1];

/// Blanks of a payload's first line, at most: those of a tab, and its own.
const WIDEST: usize = 16;

/// How a record's first line begins: the level's letter, and the month and day.
const HEAD_SHAPE: &[u8; 6] = b"?dddd ";

/// A record's payload: ranges of the text, and what each line in them carries that is not its own.
///
/// There is more than one range where records of another process were written into it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payload {
    /// Where it lies, in the order of the text.
    pub pieces: Vec<Range<u64>>,
    /// What is removed from each line.
    pub strip: Strip,
}

/// How many bytes of the text [`Payload::read`] asks for at a time.
const STEP: usize = 256 << 10;

impl Payload {
    /// How many bytes of the text it takes, with what is removed from its lines.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let pieces = self.pieces.iter();
        pieces
            .map(|piece| piece.end.saturating_sub(piece.start))
            .sum()
    }

    /// The payload as PyTorch wrote it, or its first `limit` bytes.
    ///
    /// # Errors
    /// What the source gives.
    pub fn read(&self, source: &dyn Source, limit: usize) -> Result<Vec<u8>, SourceError> {
        let mut out = Vec::new();
        let mut place = Place::default();
        while out.len() < limit && self.clean(source, &mut place, &mut out, STEP)? {}
        out.truncate(limit);
        Ok(out)
    }

    /// The MD5 of the payload, in hexadecimal, as `has_payload` holds it.
    ///
    /// # Errors
    /// What the source gives.
    pub fn md5(&self, source: &dyn Source) -> Result<[u8; 32], SourceError> {
        let mut hash = Md5::new();
        let mut place = Place::default();
        let mut out = Vec::new();
        while self.clean(source, &mut place, &mut out, STEP)? {
            hash.update(&out);
            out.clear();
        }
        Ok(hexadecimal(&hash.finalize()))
    }

    /// Appends what the next `step` bytes of the text hold of the payload, and moves on. Says whether
    /// there was more of the text. `step` is at least [`SEARCHED`] bytes, in effect.
    ///
    /// # Errors
    /// What the source gives; the place is not moved then.
    pub fn clean(
        &self,
        source: &dyn Source,
        place: &mut Place,
        out: &mut Vec<u8>,
        step: usize,
    ) -> Result<bool, SourceError> {
        let Some(piece) = self.pieces.get(place.piece) else {
            return Ok(false);
        };
        let start = piece.start + place.taken;
        let length = piece
            .end
            .saturating_sub(start)
            .min(step.max(2 * SEARCHED) as u64);
        let last = start + length >= piece.end;
        // At most `step` bytes, which fit.
        let mut text = alloc::vec![0; usize::try_from(length).unwrap_or(0)];
        source.read_at(start, &mut text)?;
        place.taken += self.clean_text(&text, last, place, out) as u64;
        if last {
            place.piece += 1;
            place.taken = 0;
            place.in_line = false;
        }
        Ok(true)
    }

    /// Appends what `text` holds of the payload; gives how much of it was taken. What is not taken is
    /// too short to tell, and not the `last` of its piece.
    fn clean_text(&self, text: &[u8], last: bool, place: &mut Place, out: &mut Vec<u8>) -> usize {
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let end = memchr::memchr(b'\n', rest).map(|i| i + 1);
            let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let mut skipped = 0;
            if !place.in_line {
                if self.strip.console.is_some() && end.is_none() && !last && line.len() < SEARCHED {
                    return at;
                }
                match self.strip.content(line) {
                    Some(content) => skipped = content,
                    // Too short to tell what it carries.
                    None if end.is_none() && !last => return at,
                    // A blank line that something put between the payload's lines.
                    None if line.iter().all(|b| matches!(b, b'\r' | b'\n')) => {
                        at += line.len();
                        continue;
                    }
                    None => {}
                }
                if place.any {
                    out.push(b'\n');
                }
                place.any = true;
                place.in_line = true;
                place.escapes = Escapes::default();
            }
            let mut content = line.get(skipped..).unwrap_or_default();
            if end.is_some() {
                content = self.strip.line_end(content);
                place.in_line = false;
            } else if !last && self.strip.carriage_return && content.last() == Some(&b'\r') {
                // A line feed may follow.
                content = content.get(..content.len() - 1).unwrap_or_default();
                self.take(content, place, out);
                return at + skipped + content.len();
            }
            self.take(content, place, out);
            at += line.len();
        }
        at
    }

    /// Appends the content of a line, or a part of it.
    fn take(&self, content: &[u8], place: &mut Place, out: &mut Vec<u8>) {
        if self.strip.console.is_some() {
            place
                .escapes
                .filter(content, |part| out.extend_from_slice(part));
        } else {
            out.extend_from_slice(content);
        }
    }
}

/// A place in a payload's text, at which [`Payload::clean`] goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    piece: usize,
    taken: u64,
    in_line: bool,
    any: bool,
    escapes: Escapes,
}

/// Bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hexadecimal(hash: &[u8]) -> [u8; 32] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = [b'0'; 32];
    for (pair, byte) in out.chunks_exact_mut(2).zip(hash) {
        for (digit, shift) in pair.iter_mut().zip([4, 0]) {
            *digit = DIGITS
                .get(usize::from(byte >> shift & 15))
                .copied()
                .unwrap_or(b'0');
        }
    }
    out
}
