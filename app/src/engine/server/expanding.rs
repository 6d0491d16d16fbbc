//! Files whose text is not as it stands: it comes out of them step by step.

use crate::engine::source::{FileReader, FileSource};
use crate::text::opening;
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

/// A file in UTF-16, within the limit of what is kept.
pub(super) struct Utf16File {
    file: FileReader,
    limit: u64,
}

impl Utf16File {
    pub(super) fn new(file: FileReader, limits: Limits) -> Self {
        // Text of Latin letters becomes half as long.
        let limit = limits.total.saturating_mul(2);
        Utf16File { file, limit }
    }
}

/// A file whose lines end in carriage returns alone, within the limit of what is kept.
pub(super) struct ReturnsFile {
    file: FileReader<Returns<Rc<FileSource>>>,
    limit: u64,
}

impl ReturnsFile {
    pub(super) fn new(file: Rc<FileSource>, limits: Limits) -> Self {
        ReturnsFile {
            file: FileReader::new(Returns(file)),
            limit: limits.total,
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

impl Expand for ReturnsFile {
    fn expand(&mut self, out: &mut [u8]) -> Result<usize, String> {
        if self.file.taken() >= self.limit {
            return Err(opening::one_line_too_large(self.limit));
        }
        self.file.read(out).map_err(|error| error.to_string())
    }

    fn taken(&self) -> u64 {
        self.file.taken()
    }
}

impl Expand for Utf16File {
    fn expand(&mut self, out: &mut [u8]) -> Result<usize, String> {
        if self.file.taken() >= self.limit {
            return Err(opening::utf16_too_large(self.limit));
        }
        self.file.read(out).map_err(|error| error.to_string())
    }

    fn taken(&self) -> u64 {
        self.file.taken()
    }
}
