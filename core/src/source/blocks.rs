//! Expanded text, kept compressed in small blocks that are readable one by one.
//!
//! A gzip stream can only be read from its start. What comes out of it is kept here: blocks of 64 KiB,
//! each compressed for itself with LZ4, which gives back gigabytes a second.

use super::{Source, SourceError, SourceErrorKind};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Bytes of text in a block.
pub const BLOCK: usize = 64 << 10;

/// Text that was expanded. Append to it with [`Blocks::push`], read it as a [`Source`].
#[derive(Debug, Default)]
pub struct Blocks {
    full: Vec<Box<[u8]>>,
    /// The block that is not full yet, as it is.
    last: Vec<u8>,
    kept: usize,
}

impl Blocks {
    /// Appends text.
    pub fn push(&mut self, mut text: &[u8]) {
        while !text.is_empty() {
            let room = BLOCK - self.last.len();
            let (now, later) = text.split_at(room.min(text.len()));
            self.last.extend_from_slice(now);
            text = later;
            if self.last.len() == BLOCK {
                let block = lz4_flex::block::compress(&self.last).into_boxed_slice();
                self.kept += block.len();
                self.full.push(block);
                self.last.clear();
            }
        }
    }

    /// Bytes of memory that the text takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.kept + self.last.capacity() + self.full.capacity() * size_of::<Box<[u8]>>()
    }
}

impl Source for Blocks {
    fn len(&self) -> u64 {
        (self.full.len() * BLOCK + self.last.len()) as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let error = |kind| SourceError { kind, offset };
        let start = usize::try_from(offset).map_err(|_| error(SourceErrorKind::Beyond))?;
        let (mut index, mut within) = (start / BLOCK, start % BLOCK);
        let mut out = out;
        while !out.is_empty() {
            let expanded;
            let block: &[u8] = match self.full.get(index) {
                Some(block) => {
                    expanded = lz4_flex::block::decompress(block, BLOCK)
                        .map_err(|_| error(SourceErrorKind::Damaged))?;
                    &expanded
                }
                None if index == self.full.len() => &self.last,
                None => return Err(error(SourceErrorKind::Beyond)),
            };
            let bytes = block.get(within..).unwrap_or_default();
            if bytes.is_empty() {
                return Err(error(SourceErrorKind::Beyond));
            }
            let length = bytes.len().min(out.len());
            let (now, later) = out.split_at_mut(length);
            now.copy_from_slice(bytes.get(..length).unwrap_or_default());
            out = later;
            index += 1;
            within = 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_range_reads_back(
            text in prop::collection::vec(any::<u8>(), 0..3 * BLOCK),
            pieces in prop::collection::vec(1usize..BLOCK, 1..8),
            start in 0usize..3 * BLOCK,
            length in 0usize..2 * BLOCK,
        ) {
            let mut blocks = Blocks::default();
            let mut rest = text.as_slice();
            for piece in pieces {
                let (now, later) = rest.split_at(piece.min(rest.len()));
                blocks.push(now);
                rest = later;
            }
            blocks.push(rest);
            prop_assert_eq!(blocks.len(), text.len() as u64);
            let mut out = alloc::vec![0; length];
            let read = blocks.read_at(start as u64, &mut out);
            match text.get(start..start + length) {
                Some(expected) => {
                    prop_assert_eq!(read, Ok(()));
                    prop_assert_eq!(out.as_slice(), expected);
                }
                None => prop_assert!(read.is_err() || length == 0),
            }
        }
    }
}
