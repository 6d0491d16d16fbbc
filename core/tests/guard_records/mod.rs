//! Finds the records of guards in a log.

use dynascope_core::source::gunzip::{Gunzip, Limits};
use dynascope_core::source::recognise::{FileKind, recognise};
use dynascope_core::trace::Builder;
use std::path::{Path, PathBuf};

/// Files below a folder whose names hold one of `endings`, in the order of their names.
pub(crate) fn collect(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.to_string_lossy();
        if path.is_dir() {
            collect(&path, endings, files);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            files.push(path);
        }
    }
}

/// The bytes of a file; what a gzip stream holds.
pub(crate) fn read(path: &Path) -> Vec<u8> {
    let file = std::fs::read(path).unwrap();
    if recognise(&file) != FileKind::Gzip {
        return file;
    }
    let mut out = Vec::new();
    let mut gunzip = Gunzip::new(file.as_slice(), Limits::default());
    let mut buffer = vec![0; 1 << 20];
    while let Ok(length @ 1..) = gunzip.read(&mut buffer) {
        out.extend_from_slice(&buffer[..length]);
    }
    out
}

/// The payloads of all records of a kind, in their order.
pub(crate) fn payloads(text: &Vec<u8>, kind: &str) -> Vec<Vec<u8>> {
    let mut builder = Builder::default();
    builder.feed(text);
    builder.finish();
    let trace = builder.trace();
    let of_kind = trace.index.iter().filter(|(_, entry)| {
        trace
            .kinds
            .get(entry.kind)
            .is_some_and(|named| named.kind == kind)
    });
    of_kind
        .map(|(index, _)| {
            let segment = trace.segment(text, index).unwrap().unwrap();
            segment.payload.read(text, usize::MAX).unwrap()
        })
        .collect()
}
