//! Files whose text is not as it stands: it comes out of them step by step.

use crate::engine::source::{FileReader, FileSource};
use crate::text::opening;
use dynascope_core::source::Source;
use dynascope_core::source::gunzip::{Gunzip, Limits};
use dynascope_core::source::returns::Returns;
use std::io::Read as _;
use std::rc::Rc;

/// A file whose text comes out of it step by step.
pub(super) trait Expand {
    /// Puts the next stretch into `out`; gives its length, 0 at the end.
    fn expand(&mut self, out: &mut [u8]) -> Result<usize, String>;

    /// Bytes of the file that were taken so far.
    fn taken(&self) -> u64;
}

/// A file that is kept, within a limit.
pub(super) struct KeptFile<S> {
    file: FileReader<S>,
    limit: u64,
    /// What is said of a file beyond the limit.
    too_large: fn(u64) -> String,
}

impl KeptFile<Rc<FileSource>> {
    /// A file in UTF-16.
    pub(super) fn utf16(file: Rc<FileSource>, limits: Limits) -> Self {
        KeptFile {
            file: FileReader::new(file),
            // Text of Latin letters becomes half as long.
            limit: limits.total.saturating_mul(2),
            too_large: opening::utf16_too_large,
        }
    }
}

impl KeptFile<Returns<Rc<FileSource>>> {
    /// A file whose lines end in carriage returns alone.
    pub(super) fn with_line_feeds(file: Rc<FileSource>, limits: Limits) -> Self {
        KeptFile {
            file: FileReader::new(Returns(file)),
            limit: limits.total,
            too_large: opening::one_line_too_large,
        }
    }
}

impl Expand for Gunzip<FileReader> {
    fn expand(&mut self, out: &mut [u8]) -> Result<usize, String> {
        self.read(out).map_err(|error| error.to_string())
    }

    fn taken(&self) -> u64 {
        Gunzip::taken(self)
    }
}

impl<S: Source> Expand for KeptFile<S> {
    fn expand(&mut self, out: &mut [u8]) -> Result<usize, String> {
        if self.file.taken() >= self.limit {
            return Err((self.too_large)(self.limit));
        }
        self.file.read(out).map_err(|error| error.to_string())
    }

    fn taken(&self) -> u64 {
        self.file.taken()
    }
}
