//! Logs of tests/fixtures, for the tests of this side.

use dynascope_core::source::gunzip::{Gunzip, Limits};
use dynascope_core::trace::Builder;
use std::path::Path;

/// A log: its trace and its text.
pub(super) fn read(text: Vec<u8>) -> (Builder, Vec<u8>) {
    let mut builder = Builder::default();
    builder.feed(&text);
    builder.finish();
    (builder, text)
}

/// A log of tests/fixtures, expanded where it is compressed.
pub(super) fn open(path: &str) -> (Builder, Vec<u8>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/fixtures")
        .join(path);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if path.extension().is_none_or(|end| end != "gz") {
        return read(bytes);
    }
    let mut gunzip = Gunzip::new(bytes.as_slice(), Limits::default());
    let (mut text, mut part) = (Vec::new(), vec![0; 1 << 16]);
    while let length @ 1.. = gunzip.read(&mut part).expect("gzip") {
        text.extend_from_slice(&part[..length]);
    }
    read(text)
}
