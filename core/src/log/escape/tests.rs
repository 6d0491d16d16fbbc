use super::*;
use alloc::vec::Vec;
use proptest::prelude::*;

/// What is left of a text that comes in pieces of a size.
fn left(text: &[u8], size: usize) -> Vec<u8> {
    let mut escapes = Escapes::default();
    let mut out = Vec::new();
    for piece in text.chunks(size) {
        escapes.filter(piece, |part| out.extend_from_slice(part));
    }
    out
}

#[test]
fn each_kind_of_sequence_is_taken_out() {
    for (text, plain) in [
        ("no sequence", "no sequence"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[1;34;48:5:7mx\x1b[m", "x"),
        ("\x1b[2K\x1b[?25lx", "x"),
        ("\x1b(Bx\x1b=y\x1bMz", "xyz"),
        ("\x1b]8;;https://example.org/é\x07link\x1b]8;;\x07", "link"),
        ("\x1b]8;;file:///a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b\x1b[31mx", "x"),
    ] {
        assert_eq!(without(text), plain, "{text:?}");
    }
}

#[test]
fn what_is_no_sequence_stays() {
    for (text, plain) in [
        // One that does not end takes nothing of the next line, and no letter that it cannot hold.
        ("a\x1b[31\nb", "a\nb"),
        ("a\x1b]8;;b\nc", "a\nc"),
        ("a\x1b\nb", "a\nb"),
        ("a\x1bé", "aé"),
        ("a\x1b[1é", "aé"),
        ("a\x1b[1", "a"),
        ("a\x1b", "a"),
        ("[31m", "[31m"),
    ] {
        assert_eq!(without(text), plain, "{text:?}");
    }
}

#[test]
fn a_sequence_has_a_length() {
    assert_eq!(length(b"\x1b[0mx"), 4);
    assert_eq!(length(b"\x1b[0m\x1b[1m"), 4);
    assert_eq!(length(b"x\x1b[0m"), 0);
    assert_eq!(length(b""), 0);
}

proptest! {
    #[test]
    fn the_size_of_the_pieces_changes_nothing(
        text in "([a-zé\n]|\x1b|\x1b\\[|\x1b\\]|[0-9;m\x07(\\\\]){0,40}",
        size in 1_usize..8,
    ) {
        let plain = without(&text);
        prop_assert_eq!(left(text.as_bytes(), size), plain.as_bytes());
        prop_assert!(!plain.contains('\x1b'));
        prop_assert_eq!(plain.matches('\n').count(), text.matches('\n').count());
    }
}
