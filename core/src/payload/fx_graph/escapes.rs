//! The colours of a terminal (`print_readable(colored=True)`, 2.4+) are taken out before anything is read.

use crate::log::escape;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// The text without escape sequences, and where they were: the place in the text that is left, and how
/// many bytes were taken out up to there.
pub(super) fn remove(text: Box<str>) -> (Box<str>, Vec<(u32, u32)>) {
    let mut removed = Vec::new();
    if !text.contains('\x1b') {
        return (text, removed);
    }
    let mut out = String::with_capacity(text.len());
    let (mut total, mut rest) = (0, &*text);
    while let Some(at) = rest.find('\x1b') {
        let (plain, sequence) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        let length = escape::length(sequence.as_bytes());
        total += length;
        // The caller has seen that the text is shorter than 4 GiB.
        removed.push((out.len() as u32, total as u32));
        rest = sequence.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    (out.into(), removed)
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
