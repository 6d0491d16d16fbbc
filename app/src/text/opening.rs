//! What is said of a file that is no log, or holds none.

use crate::text::format::counted;
use dynascope_core::source::recognise::FileKind;

/// What a file should be, for the sentences that refuse one.
const EXPECTED: &str = "Expected is a log that TORCH_TRACE or TORCH_LOGS wrote, or output that holds a traceback, a warning or a result of torch.compile, as text or gzip.";

/// Why a file of that kind is not read.
#[must_use]
pub fn refusal(kind: FileKind) -> String {
    match kind {
        FileKind::Empty => format!("the file is empty. {EXPECTED}"),
        FileKind::Archive(what) => {
            format!("the file is a {what}. Unpack it, and open the logs in it. {EXPECTED}")
        }
        FileKind::Foreign(what) => format!("the file is a {what}. {EXPECTED}"),
        FileKind::Gzip | FileKind::Text | FileKind::Utf16 => EXPECTED.to_owned(),
    }
}

/// Why a file in UTF-16 is not read to its end: it has more bytes than this.
#[must_use]
pub fn utf16_too_large(limit: u64) -> String {
    format!(
        "the file is text in UTF-16 of more than {} GB, which is what is kept of such a file; convert it to UTF-8 and open that file, which is read from disk and not kept",
        limit >> 30
    )
}

/// Why a file whose lines end in carriage returns alone is not read to its end: it has more bytes than this.
#[must_use]
pub fn one_line_too_large(limit: u64) -> String {
    format!(
        "the file has no line feeds, only carriage returns, and is larger than {} GB, which is what is kept of such a file; make line feeds of them and open that file",
        limit >> 30
    )
}

/// Why a text is no log that was read to its end: how many lines it has, and the first that is not blank.
#[must_use]
pub fn without_records(lines: u64, first: Option<&str>) -> String {
    match first {
        Some(first) => format!(
            "{} of text, and no record, traceback or warning in it. It begins: “{first}”. {EXPECTED}",
            counted(lines, "line", "lines")
        ),
        None => format!("nothing but blank lines. {EXPECTED}"),
    }
}

/// Why a text is no log whose reading broke off, for the reason in the sentence.
#[must_use]
pub fn broke_off_without_records(sentence: &str) -> String {
    format!("{sentence} No record was found until there.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_says_what_is_expected() {
        let kinds = [
            FileKind::Empty,
            FileKind::Archive("zip archive"),
            FileKind::Foreign("PNG image"),
            FileKind::Text,
        ];
        for kind in kinds {
            assert!(refusal(kind).ends_with(EXPECTED));
        }
        assert!(refusal(FileKind::Archive("zip archive")).contains("a zip archive. Unpack"));
        assert!(refusal(FileKind::Foreign("PNG image")).contains("a PNG image."));
        assert!(without_records(2, None).ends_with(EXPECTED));
    }

    #[test]
    fn a_text_without_records_is_counted_and_quoted() {
        let said = without_records(1, Some("hello"));
        assert!(said.starts_with("1 line of text") && said.contains("“hello”"));
        assert!(without_records(1_200, Some("hello")).contains(" lines of text"));
        assert!(utf16_too_large(8 << 30).contains("more than 8 GB"));
        assert!(one_line_too_large(8 << 30).contains("larger than 8 GB"));
        assert_eq!(
            broke_off_without_records("It ends too early."),
            "It ends too early. No record was found until there."
        );
    }
}
