//! Text in any encoding that logs come in → text in UTF-8.
//!
//! PyTorch writes UTF-8. PowerShell's `>` makes UTF-16 of it, editors of Windows put a mark in front.
//! [`encoding`] tells them apart by the first bytes; [`Decoder`] converts piece by piece. Bytes that are no
//! UTF-8, such as Latin-1 that a program printed, and NULs stay as they are: whoever shows text replaces
//! them there.

use alloc::vec::Vec;

/// How text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Encoding {
    /// UTF-8, or bytes that are to be taken for it.
    Utf8,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
}

/// What the first bytes of a text say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beginning {
    /// How it is encoded.
    pub encoding: Encoding,
    /// Bytes of the mark in front, which is no part of the text.
    pub mark: usize,
}

/// How many of a text's first bytes tell its encoding.
pub const HEAD: usize = 512;

/// The marks that may stand in front of text.
const MARKS: [(&[u8], Encoding); 3] = [
    (b"\xef\xbb\xbf", Encoding::Utf8),
    (b"\xff\xfe", Encoding::Utf16Le),
    (b"\xfe\xff", Encoding::Utf16Be),
];

/// Tells the encoding of a text by its first [`HEAD`] bytes, or all that it has. Without a mark it is UTF-16
/// where every second byte is NUL, as in text of Latin letters, and the others are letters.
#[must_use]
pub fn encoding(head: &[u8]) -> Beginning {
    for (mark, encoding) in MARKS {
        if head.starts_with(mark) {
            let mark = mark.len();
            return Beginning { encoding, mark };
        }
    }
    let head = head.get(..HEAD).unwrap_or(head);
    let encoding = [Encoding::Utf16Le, Encoding::Utf16Be]
        .into_iter()
        .find(|encoding| looks_like(head, *encoding));
    Beginning {
        encoding: encoding.unwrap_or(Encoding::Utf8),
        mark: 0,
    }
}

/// Pairs of bytes without which nothing is told.
const FEWEST: usize = 4;

fn looks_like(head: &[u8], encoding: Encoding) -> bool {
    let (mut pairs, mut latin, mut letters) = (0, 0, 0);
    for pair in head.chunks_exact(2) {
        let unit = unit(encoding, pair.first(), pair.get(1));
        pairs += 1;
        if (1..=0xff).contains(&unit) {
            latin += 1;
            letters +=
                usize::from(matches!(unit, 0x09 | 0x0a | 0x0d | 0x1b | 0x20..=0x7e | 0xa0..));
        }
    }
    // Three of four: names of files and what programs print may be of any script.
    pairs >= FEWEST && latin * 4 >= pairs * 3 && letters * 20 >= latin * 19
}

fn unit(encoding: Encoding, first: Option<&u8>, second: Option<&u8>) -> u16 {
    let pair = [*first.unwrap_or(&0), *second.unwrap_or(&0)];
    match encoding {
        Encoding::Utf16Be => u16::from_be_bytes(pair),
        _ => u16::from_le_bytes(pair),
    }
}

/// Converts text to UTF-8, in pieces of any size.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    /// The first byte of a pair whose second one is still to come.
    half: Option<u8>,
    /// A high surrogate whose low one is still to come.
    high: Option<u16>,
    replaced: u64,
}

#[derive(Debug)]
enum State {
    /// The first bytes, as long as they are too few to tell.
    Undecided(Vec<u8>),
    Decided(Encoding),
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new()
    }
}

impl Decoder {
    /// A decoder that tells the encoding by itself, from the first bytes.
    #[must_use]
    pub fn new() -> Self {
        Decoder {
            state: State::Undecided(Vec::new()),
            half: None,
            high: None,
            replaced: 0,
        }
    }

    /// The encoding; absent until enough of the text came.
    #[must_use]
    pub fn encoding(&self) -> Option<Encoding> {
        match self.state {
            State::Undecided(_) => None,
            State::Decided(encoding) => Some(encoding),
        }
    }

    /// How many parts of the text were no characters and became U+FFFD: surrogates without their other half,
    /// and a byte that was left over at the end.
    #[must_use]
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Converts a piece. What is UTF-8 already is given back as it is; anything else is written to `out`,
    /// which is cleared before. A piece becomes at most one and a half times as long, and some more once the
    /// encoding is told.
    pub fn decode<'a>(&mut self, piece: &'a [u8], out: &'a mut Vec<u8>) -> &'a [u8] {
        out.clear();
        match &mut self.state {
            State::Decided(Encoding::Utf8) => return piece,
            State::Decided(_) => self.convert(piece, out),
            State::Undecided(head) => {
                head.extend_from_slice(piece);
                if head.len() >= HEAD {
                    self.decide(out);
                }
            }
        }
        out
    }

    /// Ends the text: gives what is left of it.
    pub fn finish<'a>(&mut self, out: &'a mut Vec<u8>) -> &'a [u8] {
        out.clear();
        if matches!(self.state, State::Undecided(_)) {
            self.decide(out);
        }
        if self.high.take().is_some() {
            self.replace(out);
        }
        if self.half.take().is_some() {
            self.replace(out);
        }
        out
    }

    fn decide(&mut self, out: &mut Vec<u8>) {
        let State::Undecided(head) = &mut self.state else {
            return;
        };
        let head = core::mem::take(head);
        let beginning = encoding(&head);
        self.state = State::Decided(beginning.encoding);
        let text = head.get(beginning.mark..).unwrap_or_default();
        match beginning.encoding {
            Encoding::Utf8 => out.extend_from_slice(text),
            _ => self.convert(text, out),
        }
    }

    fn convert(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let Some(encoding) = self.encoding() else {
            return;
        };
        out.reserve(piece.len());
        let mut bytes = piece;
        if let Some(half) = self.half.take() {
            let Some((first, rest)) = bytes.split_first() else {
                self.half = Some(half);
                return;
            };
            self.take(unit(encoding, Some(&half), Some(first)), out);
            bytes = rest;
        }
        let mut pairs = bytes.chunks_exact(2);
        for pair in &mut pairs {
            let unit = unit(encoding, pair.first(), pair.get(1));
            match u8::try_from(unit) {
                Ok(byte) if byte < 0x80 && self.high.is_none() => out.push(byte),
                _ => self.take(unit, out),
            }
        }
        self.half = pairs.remainder().first().copied();
    }

    fn take(&mut self, unit: u16, out: &mut Vec<u8>) {
        match (self.high.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                let (high, low) = (u32::from(high & 0x3ff), u32::from(unit & 0x3ff));
                self.write(0x1_0000 + (high << 10 | low), out);
            }
            (high, _) => {
                if high.is_some() {
                    self.replace(out);
                }
                match unit {
                    0xd800..=0xdbff => self.high = Some(unit),
                    _ => self.write(unit.into(), out),
                }
            }
        }
    }

    fn write(&mut self, character: u32, out: &mut Vec<u8>) {
        match char::from_u32(character) {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self.replace(out),
        }
    }

    fn replace(&mut self, out: &mut Vec<u8>) {
        self.replaced += 1;
        out.extend_from_slice("\u{fffd}".as_bytes());
    }
}

#[cfg(test)]
mod tests;
