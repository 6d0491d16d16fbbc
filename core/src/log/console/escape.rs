//! Colours: PyTorch writes graphs with them where stdout is a terminal, although the log goes to a file (2.5+).

/// Where in an escape sequence of a terminal a text stands, which comes in pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::log) enum Escapes {
    /// In none.
    #[default]
    Outside,
    /// Behind its first byte.
    Begun,
    /// In its parameters.
    Inside,
}

impl Escapes {
    /// Gives the parts of the next piece that are no escape sequences.
    pub(in crate::log) fn filter<'a>(
        &mut self,
        mut piece: &'a [u8],
        mut give: impl FnMut(&'a [u8]),
    ) {
        while !piece.is_empty() {
            match self {
                Escapes::Outside => {
                    let Some(at) = memchr::memchr(0x1b, piece) else {
                        give(piece);
                        return;
                    };
                    give(piece.get(..at).unwrap_or_default());
                    piece = piece.get(at + 1..).unwrap_or_default();
                    *self = Escapes::Begun;
                }
                Escapes::Begun => {
                    *self = if piece.first() == Some(&b'[') {
                        Escapes::Inside
                    } else {
                        Escapes::Outside
                    };
                    piece = piece.get(1..).unwrap_or_default();
                }
                Escapes::Inside => {
                    let parameters = piece.iter().take_while(|b| (0x20..0x40).contains(*b));
                    let length = parameters.count();
                    if length < piece.len() {
                        *self = Escapes::Outside;
                    }
                    piece = piece.get(length + 1..).unwrap_or_default();
                }
            }
        }
    }
}
