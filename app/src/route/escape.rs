//! Percent-escapes, which keep any text within one value of an address.

use std::fmt::Write as _;

/// Percent-escapes everything but letters, digits and marks that no browser changes in a fragment.
pub(super) fn escape(out: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!:@,*".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// Undoes [`escape`]; a `%` that starts no escape stays, bytes that are no UTF-8 become U+FFFD.
pub(super) fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let escaped = match (first, after) {
            (b'%', [high, low, tail @ ..]) => hex(*high)
                .zip(hex(*low))
                .map(|(high, low)| (high * 16 + low, tail)),
            _ => None,
        };
        match escaped {
            Some((byte, tail)) => {
                bytes.push(byte);
                rest = tail;
            }
            None => bytes.push(*first),
        }
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}
