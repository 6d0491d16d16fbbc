//! Which siblings are the same block again and again: the 24 layers of a model are one, '× 24'.

use alloc::vec::Vec;

/// The longest block that is found, in siblings.
const LONGEST_BLOCK: usize = 16;

/// A stretch of siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// The first sibling.
    pub(super) start: usize,
    /// Siblings in a block: 2 in ABABAB.
    pub(super) block: usize,
    /// How often the block stands there; 1 for siblings that repeat nothing.
    pub(super) times: usize,
}

impl Run {
    /// How many siblings are in it.
    pub(super) fn siblings(&self) -> usize {
        self.block.saturating_mul(self.times)
    }
}

/// Finds the repeated blocks among siblings, given the hash of each one's structure. The runs are all siblings
/// in order. Where several runs could start, that which covers most is taken, and of those the one with the
/// shortest block; a repetition that an earlier run takes a part of is found from what is left of it. The time
/// is linear: each sibling is compared once for each length of block, of which there are 16.
pub(super) fn repeats(structures: &[u64]) -> Vec<Run> {
    // For each length of block, how far from each sibling on everything equals what stands a block further.
    let mut same: Vec<Vec<u32>> = Vec::new();
    for block in 1..=LONGEST_BLOCK {
        let mut lengths: Vec<u32> = Vec::with_capacity(structures.len());
        let mut length = 0u32;
        for (at, structure) in structures.iter().enumerate().rev() {
            let equal = structures.get(at + block) == Some(structure);
            length = if equal { length + 1 } else { 0 };
            lengths.push(length);
        }
        lengths.reverse();
        same.push(lengths);
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut at = 0;
    while at < structures.len() {
        let mut best = Run {
            start: at,
            block: 1,
            times: 1,
        };
        for (block, lengths) in (1..).zip(&same) {
            let length = lengths.get(at).copied().unwrap_or(0) as usize;
            let run = Run {
                start: at,
                block,
                times: length / block + 1,
            };
            if run.times > 1 && run.siblings() > best.siblings() {
                best = run;
            }
        }
        at += best.siblings();
        match runs.last_mut() {
            // What repeats nothing is one stretch.
            Some(last) if last.times == 1 && best.times == 1 => last.block += 1,
            _ => runs.push(best),
        }
    }
    runs
}

#[cfg(test)]
mod tests;
