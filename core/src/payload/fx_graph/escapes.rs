//! The colours of a terminal (`print_readable(colored=True)`, 2.4+) are taken out before anything is read.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// The text without escape sequences, and where they were: the place in the text that is left, and how
/// many bytes were taken out up to there.
pub(super) fn remove(text: Box<str>) -> (Box<str>, Vec<(u32, u32)>) {
    let mut removed = Vec::new();
    let Some(first) = text.find('\x1b') else {
        return (text, removed);
    };
    let mut out = String::with_capacity(text.len());
    let mut total = 0;
    let (head, mut rest) = text.split_at_checked(first).unwrap_or(("", &text));
    out.push_str(head);
    while !rest.is_empty() {
        match length(rest) {
            0 => {}
            length => {
                total += length;
                // The caller has seen that the text is shorter than 4 GiB.
                removed.push((out.len() as u32, total as u32));
                rest = rest.get(length..).unwrap_or_default();
                continue;
            }
        }
        let end = rest
            .char_indices()
            .skip(1)
            .find(|&(_, c)| c == '\x1b')
            .map_or(rest.len(), |(at, _)| at);
        let (plain, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        out.push_str(plain);
        rest = behind;
    }
    (out.into(), removed)
}

/// Bytes of the escape sequence (`ESC [ … m`) that the text starts with; 0 where it starts with none.
fn length(text: &str) -> usize {
    let Some(inside) = text.strip_prefix("\x1b[") else {
        return 0;
    };
    let digits = inside
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b';')
        .count();
    match inside.as_bytes().get(digits) {
        Some(b'm') => digits + 3,
        _ => 0,
    }
}

/// The place in the text as it came of a place in the text without escape sequences.
pub(super) fn original(removed: &[(u32, u32)], at: u32) -> u32 {
    let behind = removed.partition_point(|&(place, _)| place <= at);
    let shift = behind
        .checked_sub(1)
        .and_then(|last| removed.get(last))
        .map_or(0, |&(_, total)| total);
    at.saturating_add(shift)
}

/// The place in the text without escape sequences of a place in the text as it came.
pub(super) fn clean(removed: &[(u32, u32)], at: u32) -> u32 {
    let behind = removed.partition_point(|&(place, total)| place.saturating_add(total) <= at);
    let (shift, next) = (
        behind
            .checked_sub(1)
            .and_then(|last| removed.get(last))
            .map_or(0, |&(_, total)| total),
        removed.get(behind).map_or(u32::MAX, |&(place, _)| place),
    );
    at.saturating_sub(shift).min(next)
}
