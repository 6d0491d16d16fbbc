//! Escape sequences of a terminal: the one grammar of them, which all that reads text takes them out by.
//!
//! Colours stand wherever a program believes that it writes to a terminal: PyTorch colours graphs where stdout is
//! one, although the log goes to a file (2.5+), `print_readable(colored=True)` (2.4+) and the tracebacks of Python
//! 3.13+ and IPython are coloured, and so are the fronts that launchers write. The grammar is ECMA-48's, with the
//! bell that ends a command in most terminals. No sequence goes beyond the end of its line.

use alloc::borrow::Cow;
use alloc::string::String;

#[cfg(test)]
mod tests;

/// What every sequence begins with.
const ESCAPE: u8 = 0x1b;

/// Where in an escape sequence a text stands, which comes in pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Escapes {
    /// In none.
    #[default]
    Outside,
    /// Behind its first byte, or between that and its last one: `ESC ( B`.
    Begun,
    /// In the parameters of a control sequence: `ESC [ 1 ; 31 m`.
    Control,
    /// In an operating system command, which a bell ends or the next sequence: `ESC ] 8 ; ; address BEL`.
    Command,
}

impl Escapes {
    /// Gives the parts of the next piece that are no escape sequences.
    pub(super) fn filter<'a>(&mut self, mut piece: &'a [u8], mut give: impl FnMut(&'a [u8])) {
        while !piece.is_empty() {
            if *self == Escapes::Outside {
                let at = memchr::memchr(ESCAPE, piece).unwrap_or(piece.len());
                let (text, rest) = piece.split_at_checked(at).unwrap_or((piece, &[]));
                give(text);
                piece = rest;
            }
            let taken = self.take(piece);
            piece = piece.get(taken..).unwrap_or_default();
        }
    }

    /// How many bytes of the next piece the sequence takes, or one that begins there.
    fn take(&mut self, piece: &[u8]) -> usize {
        let mut taken = 0;
        for &byte in piece {
            if !self.takes(byte) {
                break;
            }
            taken += 1;
            if *self == Escapes::Outside {
                break;
            }
        }
        taken
    }

    /// Whether the next byte belongs to the sequence, or begins one. One that it cannot belong to ends it.
    fn takes(&mut self, byte: u8) -> bool {
        let next = match (*self, byte) {
            (_, ESCAPE) => Some(Escapes::Begun),
            (Escapes::Begun, b'[') => Some(Escapes::Control),
            (Escapes::Begun, b']') => Some(Escapes::Command),
            (Escapes::Begun, 0x20..=0x2f) => Some(Escapes::Begun),
            (Escapes::Control, 0x20..=0x3f) => Some(Escapes::Control),
            (Escapes::Begun | Escapes::Control, 0x30..=0x7e) | (Escapes::Command, 0x07) => {
                Some(Escapes::Outside)
            }
            (Escapes::Command, 0x20..) => Some(Escapes::Command),
            _ => None,
        };
        *self = next.unwrap_or_default();
        next.is_some()
    }
}

/// Bytes of the escape sequence that a text starts with; 0 where it starts with none. Behind them, a text that was
/// UTF-8 still is.
pub(crate) fn length(text: &[u8]) -> usize {
    Escapes::default().take(text)
}

/// A text without its escape sequences.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    if !text.as_bytes().contains(&ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(char::from(ESCAPE)) {
        let (plain, sequence) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        rest = sequence
            .get(length(sequence.as_bytes())..)
            .unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}
