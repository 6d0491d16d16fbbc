//! What a file is, by its first bytes. Names are not asked: `log.txt` may be gzip, and `x.gz` text.

use super::encoding::{Encoding, encoding};

/// What a file can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Nothing is in it.
    Empty,
    /// A gzip stream.
    Gzip,
    /// Text, as far as its first bytes show: a log may be in it.
    Text,
    /// Text in UTF-16, which [`Decoder`](super::encoding::Decoder) converts.
    Utf16,
    /// An archive or a compressed stream of another kind, by the name that people know.
    Archive(&'static str),
    /// Something that holds no log, by the name that people know.
    Foreign(&'static str),
}

/// First bytes, and what they mean. Longer ones stand before shorter ones that they start with.
const SIGNATURES: &[(&[u8], FileKind)] = &[
    (b"\x1f\x8b", FileKind::Gzip),
    (b"PK\x03\x04", FileKind::Archive("zip archive")),
    (b"PK\x05\x06", FileKind::Archive("empty zip archive")),
    (b"\x28\xb5\x2f\xfd", FileKind::Archive("zstd stream")),
    (b"BZh", FileKind::Archive("bzip2 stream")),
    (b"\xfd7zXZ\x00", FileKind::Archive("xz stream")),
    (b"7z\xbc\xaf\x27\x1c", FileKind::Archive("7-Zip archive")),
    (b"Rar!\x1a\x07", FileKind::Archive("RAR archive")),
    (b"\x89PNG\r\n\x1a\n", FileKind::Foreign("PNG image")),
    (b"\xff\xd8\xff", FileKind::Foreign("JPEG image")),
    (b"GIF8", FileKind::Foreign("GIF image")),
    (b"RIFF", FileKind::Foreign("RIFF file (WebP, WAV or AVI)")),
    (b"%PDF-", FileKind::Foreign("PDF document")),
    (b"\x7fELF", FileKind::Foreign("ELF program or library")),
    (
        b"\xcf\xfa\xed\xfe",
        FileKind::Foreign("Mach-O program or library"),
    ),
    (b"MZ\x90", FileKind::Foreign("Windows program or library")),
    (b"\x00asm", FileKind::Foreign("WebAssembly module")),
    (b"SQLite format 3\x00", FileKind::Foreign("SQLite database")),
    (b"\x93NUMPY", FileKind::Foreign("NumPy array")),
    (b"\x80\x02", FileKind::Foreign("Python pickle")),
    (b"\x80\x04", FileKind::Foreign("Python pickle")),
    (b"\x80\x05", FileKind::Foreign("Python pickle")),
    // It begins with the mark of UTF-16.
    (b"\xff\xfe\x00\x00", FileKind::Foreign("text in UTF-32")),
];

/// How many of a file's first bytes [`recognise`] looks at.
pub const HEAD: usize = 512;

/// Tells what a file is by its first [`HEAD`] bytes, or all that it has.
#[must_use]
pub fn recognise(head: &[u8]) -> FileKind {
    if head.is_empty() {
        return FileKind::Empty;
    }
    if let Some((_, kind)) = SIGNATURES
        .iter()
        .find(|(signature, _)| head.starts_with(signature))
    {
        return *kind;
    }
    if head.get(257..262) == Some(b"ustar") {
        return FileKind::Archive("tar archive");
    }
    match encoding(head).encoding {
        Encoding::Utf8 => FileKind::Text,
        Encoding::Utf16Le | Encoding::Utf16Be => FileKind::Utf16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_what_a_file_is() {
        let mut tar = [b'a'; 300];
        tar[257..262].copy_from_slice(b"ustar");
        for (head, kind) in [
            (b"".as_slice(), FileKind::Empty),
            (b"\x1f\x8b\x08", FileKind::Gzip),
            (b"PK\x03\x04rest", FileKind::Archive("zip archive")),
            (b"\x89PNG\r\n\x1a\nrest", FileKind::Foreign("PNG image")),
            (&tar, FileKind::Archive("tar archive")),
            (b"V", FileKind::Text),
            (b"\xef\xbb\xbfV", FileKind::Text),
            (b"\xff\xfeV\x00", FileKind::Utf16),
            (b"\xfe\xff\x00V", FileKind::Utf16),
            (b"V\x001\x001\x002\x009\x00", FileKind::Utf16),
            (b"\xff\xfe\x00\x00V", FileKind::Foreign("text in UTF-32")),
            (b"\x00\x01\x02", FileKind::Text),
        ] {
            assert_eq!(recognise(head), kind);
        }
    }
}
