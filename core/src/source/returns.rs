//! Text whose lines end in a carriage return alone, as on the Mac of old and in what some terminals and editors
//! save, → text whose lines end in a line feed, of the same length.
//!
//! Such a text is one line to whoever reads it ([`Builder::lines`](crate::trace::Builder::lines)); then
//! [`ends_lines`] tells it, and [`Returns`] gives it anew. In text that has line feeds, a carriage return draws
//! over what stands before it, as bars of progress do.

use super::{Source, SourceError};

/// How many of a text's first bytes [`ends_lines`] looks at.
pub const HEAD: usize = 64 << 10;

/// Whether carriage returns end the lines of a text that begins so; all of it, or [`HEAD`] bytes.
#[must_use]
pub fn ends_lines(head: &[u8]) -> bool {
    let head = head.get(..HEAD).unwrap_or(head);
    // A last one may be the first half of a line end of Windows.
    let within = head.get(..head.len().saturating_sub(1)).unwrap_or_default();
    memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', within).is_some()
}

/// A source whose text has line feeds where that of another one has carriage returns.
#[derive(Debug, Clone)]
pub struct Returns<S>(pub S);

impl<S: Source> Source for Returns<S> {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        self.0.read_at(offset, out)?;
        let mut next = [0];
        let end = offset.saturating_add(out.len() as u64);
        if out.last() == Some(&b'\r') && end < self.0.len() {
            self.0.read_at(end, &mut next)?;
        }
        let [next] = next;
        convert(out, next);
        Ok(())
    }
}

/// Makes line feeds of the carriage returns behind which none stands; `next` is the byte behind the text.
fn convert(text: &mut [u8], next: u8) {
    let mut next = next;
    for byte in text.iter_mut().rev() {
        let own = *byte;
        if own == b'\r' && next != b'\n' {
            *byte = b'\n';
        }
        next = own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use proptest::prelude::*;

    #[test]
    fn only_text_without_line_feeds_is_told() {
        for (head, expected) in [
            ("a\rb", true),
            ("a\rb\r", true),
            ("\r\r", true),
            ("a\r", false),
            ("a", false),
            ("", false),
            ("a\r\nb", false),
            ("10%|x\r20%|xx\ndone", false),
        ] {
            assert_eq!(ends_lines(head.as_bytes()), expected, "{head:?}");
        }
        let late = alloc::format!("{}\n", "bar\r".repeat(HEAD));
        assert!(ends_lines(late.as_bytes()));
    }

    fn naive(text: &str) -> String {
        text.replace("\r\n", "\0")
            .replace('\r', "\n")
            .replace('\0', "\r\n")
    }

    proptest! {
        #[test]
        fn it_is_the_same_from_any_place(
            text in "[ab\r\n]{0,40}",
            size in 1_usize..5,
            at in 0_usize..40,
        ) {
            let expected = naive(&text);
            let source = Returns(text.as_bytes());
            let at = at.min(text.len());
            let mut read = alloc::vec![0; size.min(text.len() - at)];
            source.read_at(at as u64, &mut read).unwrap();
            prop_assert_eq!(&read, &expected.as_bytes()[at..at + read.len()]);
        }
    }
}
