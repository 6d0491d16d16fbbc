//! What `TORCH_LOGS` writes to the console: lines, their prefixes, and the records that they make up.
//!
//! Start at [`Prefix::find`], which reads what stands before a message in all the forms that torch 2.0 to
//! 2.15 write. `Streams` puts lines together to records: every line of a message carries the same prefix
//! (`TorchLogsFormatter` in torch/_logging/_internal.py), so that lines of several processes which were
//! written between each other come apart again. Where only the first line of a message has a prefix (2.0,
//! `TORCH_LOGS_FORMAT`), what follows belongs to it as far as its first line says.

mod front;
mod message;
mod prefix;
mod streams;

pub(crate) use message::{AROUND_GUARDS, is_of_shapes};
pub use prefix::{Prefix, Style};
pub(super) use streams::{Decision, Streams};

use alloc::vec::Vec;

/// What of the front of a line is the same for all lines of its process.
pub(super) fn stable_front(front: &[u8]) -> Vec<u8> {
    let mut stable = Vec::new();
    front::stable(front, &mut stable);
    stable
}

/// What of the front of a line tells its process from others; nothing where it is a timestamp alone.
pub(crate) fn front_of_process(front: &[u8]) -> Vec<u8> {
    let mut stable = stable_front(front);
    if front::is_clock(&stable) {
        stable.clear();
    }
    stable
}

/// Where the text of a message's line starts: `whole` is what its first line carries, `front` what is stable
/// of what other programs put there.
pub(super) fn text_of(line: &[u8], whole: &[u8], front: &[u8]) -> usize {
    if line.starts_with(whole) {
        return whole.len();
    }
    match Prefix::find(line) {
        Some(prefix) => prefix.message,
        None => front::length(line, front).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests;
