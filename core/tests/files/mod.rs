//! Finds and reads the logs that tests go over.

#![allow(dead_code)] // Each test uses a part of it.

use dynascope_core::source::gunzip::{Gunzip, Limits};
use dynascope_core::source::recognise::{FileKind, recognise};
use std::path::{Path, PathBuf};

/// The folder that `DYNASCOPE_CORPUS` names; says where there is none.
pub(crate) fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("DYNASCOPE_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        println!("skipped: DYNASCOPE_CORPUS names no folder of logs");
    }
    corpus
}

/// Files below a folder whose names end in one of `endings`, in the order of their names.
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
