use super::*;
use alloc::string::String;
use alloc::vec;
use proptest::prelude::*;

fn units(text: &[u16], encoding: Encoding) -> Vec<u8> {
    let bytes = |unit: &u16| match encoding {
        Encoding::Utf16Be => unit.to_be_bytes(),
        _ => unit.to_le_bytes(),
    };
    text.iter().flat_map(bytes).collect()
}

fn utf16(text: &str, encoding: Encoding) -> Vec<u8> {
    let text: Vec<u16> = text.encode_utf16().collect();
    units(&text, encoding)
}

/// Converts in pieces of the given lengths, then the rest.
fn convert(bytes: &[u8], lengths: &[usize]) -> (Vec<u8>, u64) {
    let (mut decoder, mut all, mut out) = (Decoder::new(), Vec::new(), Vec::new());
    let mut rest = bytes;
    for length in lengths {
        let (now, later) = rest.split_at((*length).min(rest.len()));
        all.extend_from_slice(decoder.decode(now, &mut out));
        rest = later;
    }
    all.extend_from_slice(decoder.decode(rest, &mut out));
    all.extend_from_slice(decoder.finish(&mut out));
    (all, decoder.replaced())
}

#[test]
fn first_bytes_tell_the_encoding() {
    let text = "V1129 12:00:00.000000 1 torch/x.py:1] {}\r\n";
    for (bytes, encoded, mark) in [
        (text.as_bytes().to_vec(), Encoding::Utf8, 0),
        (
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            Encoding::Utf8,
            3,
        ),
        (utf16(text, Encoding::Utf16Le), Encoding::Utf16Le, 0),
        (utf16(text, Encoding::Utf16Be), Encoding::Utf16Be, 0),
        (
            [b"\xff\xfe".as_slice(), &utf16("мир", Encoding::Utf16Le)].concat(),
            Encoding::Utf16Le,
            2,
        ),
        (
            [b"\xfe\xff".as_slice(), &utf16("мир", Encoding::Utf16Be)].concat(),
            Encoding::Utf16Be,
            2,
        ),
        // NULs, numbers of two bytes, and too little to tell.
        (vec![0; 100], Encoding::Utf8, 0),
        (
            (0..200_u16).flat_map(u16::to_le_bytes).collect(),
            Encoding::Utf8,
            0,
        ),
        (b"a\0".to_vec(), Encoding::Utf8, 0),
        (b"text with \0 one NUL".to_vec(), Encoding::Utf8, 0),
        (b"caf\xe9 au lait".to_vec(), Encoding::Utf8, 0),
        (Vec::new(), Encoding::Utf8, 0),
    ] {
        let beginning = encoding(&bytes);
        assert_eq!(
            (beginning.encoding, beginning.mark),
            (encoded, mark),
            "{bytes:?}"
        );
    }
}

#[test]
fn what_is_no_character_is_replaced_and_counted() {
    let mut text: Vec<u16> = "\u{feff}a".encode_utf16().collect();
    text.extend([0xd800, 0x62, 0xdc00, 0xd800, 0xd83d, 0xde00, 0xd801]);
    let mut bytes = units(&text, Encoding::Utf16Le);
    bytes.push(0x63);
    let (out, replaced) = convert(&bytes, &[]);
    let expected = "a\u{fffd}b\u{fffd}\u{fffd}\u{1f600}\u{fffd}\u{fffd}";
    assert_eq!((core::str::from_utf8(&out), replaced), (Ok(expected), 5));
}

#[test]
fn bytes_that_are_no_utf_8_stay() {
    let bytes = b"caf\xe9 \0 \xff\xfe \xed\xa0\x80";
    assert_eq!(convert(bytes, &[3, 1]), (bytes.to_vec(), 0));
}

proptest! {
    #[test]
    fn any_text_in_any_pieces_comes_out(
        text in any::<String>(),
        encoded in prop::sample::select(vec![Encoding::Utf16Le, Encoding::Utf16Be]),
        lengths in prop::collection::vec(0usize..700, 0..20),
        long in 0usize..60,
    ) {
        let text = text.repeat(long + 1);
        let bytes = utf16(&["\u{feff}", &text].concat(), encoded);
        let (out, replaced) = convert(&bytes, &lengths);
        prop_assert_eq!(out, text.as_bytes());
        prop_assert_eq!(replaced, 0);
    }

    #[test]
    fn any_units_are_what_the_standard_library_makes_of_them(
        text in prop::collection::vec(prop_oneof![any::<u16>(), 0xd7ff..0xe000_u16, 0x20..0x7f_u16], 0..600),
        lengths in prop::collection::vec(0usize..9, 0..200),
    ) {
        let mut marked = vec![0xfeff];
        marked.extend(&text);
        let (out, replaced) = convert(&units(&marked, Encoding::Utf16Be), &lengths);
        let expected: Vec<_> = char::decode_utf16(text).collect();
        let lone = expected.iter().filter(|c| c.is_err()).count();
        let expected: String = expected.into_iter().map(|c| c.unwrap_or('\u{fffd}')).collect();
        prop_assert_eq!(out, expected.as_bytes());
        prop_assert_eq!(replaced, lone as u64);
    }

    #[test]
    fn the_size_of_pieces_changes_nothing(
        bytes in prop::collection::vec(any::<u8>(), 0..1500),
        lengths in prop::collection::vec(0usize..600, 0..20),
    ) {
        prop_assert_eq!(convert(&bytes, &lengths), convert(&bytes, &[]));
    }
}
