//! Files → text: 'bytes at offset', whatever a file is kept in.
//!
//! [`Source`] is all that the rest of the crate asks of a file. [`blocks::Blocks`] keeps expanded text
//! readable at random; [`recognise`] tells what a file is by its first bytes; [`encoding`] makes UTF-8 of
//! what is UTF-16; [`returns`] makes line feeds of lone carriage returns; `gunzip` (feature `std`) opens gzip.

pub mod blocks;
pub mod encoding;
pub mod fingerprint;
#[cfg(feature = "std")]
pub mod gunzip;
pub mod recognise;
pub mod returns;

use core::fmt;

/// Something that holds text and gives bytes at an offset.
pub trait Source {
    /// Its length in bytes.
    fn len(&self) -> u64;

    /// Whether it holds nothing.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `out` with the bytes that start at `offset`.
    ///
    /// # Errors
    /// Where the source does not hold all of them, or cannot give them any longer.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError>;
}

/// Why a source gave no bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceError {
    /// What went wrong.
    pub kind: SourceErrorKind,
    /// The first byte that was asked for.
    pub offset: u64,
}

/// What can go wrong with a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceErrorKind {
    /// The source ends before.
    Beyond,
    /// The file was changed, moved or deleted since it was opened, or may not be read.
    Gone,
    /// What was kept in memory does not expand again.
    Damaged,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            SourceErrorKind::Beyond => "the file ends before",
            SourceErrorKind::Gone => {
                "the file was changed, moved or deleted since it was opened; open it again to go on at"
            }
            SourceErrorKind::Damaged => "the text kept in memory cannot be read at",
        };
        write!(f, "{what} byte {}", self.offset)
    }
}

impl core::error::Error for SourceError {}

impl Source for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let beyond = SourceError {
            kind: SourceErrorKind::Beyond,
            offset,
        };
        let start = usize::try_from(offset).map_err(|_| beyond)?;
        let bytes = start
            .checked_add(out.len())
            .and_then(|end| self.get(start..end))
            .ok_or(beyond)?;
        out.copy_from_slice(bytes);
        Ok(())
    }
}

impl<S: Source + ?Sized> Source for &S {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        (**self).read_at(offset, out)
    }
}

impl<S: Source + ?Sized> Source for alloc::rc::Rc<S> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        (**self).read_at(offset, out)
    }
}

impl Source for alloc::boxed::Box<dyn Source + '_> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        (**self).read_at(offset, out)
    }
}

impl Source for alloc::vec::Vec<u8> {
    fn len(&self) -> u64 {
        Source::len(self.as_slice())
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        self.as_slice().read_at(offset, out)
    }
}
