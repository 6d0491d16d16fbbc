//! Where the segments of a log lie: all that is kept of each, in 24 bytes.

use super::names::KindId;
use alloc::vec::Vec;
use core::ops::Range;

/// Names a segment of a log, by its place in the text.
pub type SegmentIndex = u32;

/// What is kept of a segment. It ends where the next one starts.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Byte of the text at which it starts.
    pub offset: u64,
    /// Its first line, from 0; lines beyond 2^32 are counted as that.
    pub line: u32,
    /// Bytes of its first line with the line end; 0 where it is no record.
    pub head: u32,
    /// The compilation that it belongs to, plus 1; 0 where it belongs to none.
    owner: u32,
    /// Its kind.
    pub kind: KindId,
    /// The attempt that wrote it.
    pub attempt: u16,
}

impl Entry {
    /// An entry that belongs to no compilation yet.
    #[must_use]
    pub fn new(offset: u64, line: u64, head: u64, kind: KindId) -> Self {
        Entry {
            offset,
            line: clamp(line),
            head: clamp(head),
            owner: 0,
            kind,
            attempt: 0,
        }
    }

    /// The compilation that it belongs to, as an index into the trace's compilations.
    #[must_use]
    pub fn compilation(&self) -> Option<usize> {
        (self.owner as usize).checked_sub(1)
    }

    /// Gives it to a compilation.
    pub fn set_compilation(&mut self, compilation: Option<usize>) {
        self.owner = compilation.map_or(0, |i| clamp(i as u64 + 1));
    }
}

fn clamp(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The segments of a log, in the order of the text.
#[derive(Debug, Default)]
pub struct Index {
    entries: Vec<Entry>,
    /// Bytes of text that were read.
    pub length: u64,
}

impl Index {
    /// Adds a segment; gives its name.
    pub fn push(&mut self, entry: Entry) -> SegmentIndex {
        self.entries.push(entry);
        clamp(self.entries.len() as u64 - 1)
    }

    /// Gives memory back that no segment needs: none will be added.
    pub(super) fn shrink(&mut self) {
        self.entries.shrink_to_fit();
    }

    /// A segment.
    #[must_use]
    pub fn get(&self, index: SegmentIndex) -> Option<&Entry> {
        self.entries.get(index as usize)
    }

    /// A segment, to change what it belongs to.
    pub fn get_mut(&mut self, index: SegmentIndex) -> Option<&mut Entry> {
        self.entries.get_mut(index as usize)
    }

    /// The bytes of the text that a segment takes.
    #[must_use]
    pub fn range(&self, index: SegmentIndex) -> Option<Range<u64>> {
        let start = self.get(index)?.offset;
        let end = index
            .checked_add(1)
            .and_then(|next| self.get(next))
            .map_or(self.length, |next| next.offset);
        Some(start..end.max(start))
    }

    /// The segment that a byte of the text lies in.
    #[must_use]
    pub fn at(&self, offset: u64) -> Option<SegmentIndex> {
        let behind = self.entries.partition_point(|entry| entry.offset <= offset);
        (offset < self.length)
            .then(|| behind.checked_sub(1).map(|i| clamp(i as u64)))
            .flatten()
    }

    /// Number of segments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All segments with their names.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (SegmentIndex, &Entry)> {
        self.entries
            .iter()
            .enumerate()
            .map(|(i, entry)| (clamp(i as u64), entry))
    }

    /// Bytes of memory that it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }
}
