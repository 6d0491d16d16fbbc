//! A log says the same in every encoding, and with bytes in it that are no text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code)]
#[path = "../examples/facts.rs"]
mod facts;

use dynascope_core::trace::Builder;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::{Path, PathBuf};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/torch-2.5.1/gb_open.log")
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_log_says_the_same_in_every_encoding() {
    let text = std::fs::read_to_string(fixture()).unwrap();
    let expected = facts::facts(&fixture()).unwrap();
    let little =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let big = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
    let marked = format!("\u{feff}{text}");
    let forms = [
        ("utf-8 with a mark", marked.clone().into_bytes()),
        ("carriage returns", text.replace('\n', "\r").into_bytes()),
        (
            "carriage returns in utf-16le",
            little(&text.replace('\n', "\r")),
        ),
        ("utf-16le", little(&text)),
        ("utf-16be", big(&text)),
        ("utf-16le with a mark", little(&marked)),
        ("utf-16be with a mark", big(&marked)),
    ];
    let folder = std::env::temp_dir().join(format!("dynascope-encodings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("gb_open.log");
    for (name, bytes) in forms {
        for bytes in [bytes.clone(), gzip(&bytes)] {
            std::fs::write(&file, bytes).unwrap();
            let found = facts::facts(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(found, expected, "{name}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn bytes_that_are_no_text_cost_no_record() {
    let text = std::fs::read(fixture()).unwrap();
    let records = |text: &[u8]| {
        let mut builder = Builder::default();
        builder.feed(text);
        builder.finish();
        let trace = builder.trace();
        (trace.records, trace.compilations.len(), trace.index.length)
    };
    let (expected, compilations, length) = records(&text);
    // Between records, and at the end of each line of a payload.
    for noise in [b"caf\xe9\0\n".as_slice(), b"\0\0\0\n", b"\xff\xfe\xfd\n"] {
        let found = records(&[noise, &text, noise].concat());
        let added = 2 * noise.len() as u64;
        assert_eq!(found, (expected, compilations, length + added), "{noise:?}");
    }
    let mut inside = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line
            .strip_prefix(b"\t")
            .and_then(|line| line.strip_suffix(b"\n"))
        {
            Some(payload) => {
                inside.extend_from_slice(b"\t");
                inside.extend_from_slice(payload);
                inside.extend_from_slice(b"\0\xe9\n");
            }
            None => inside.extend_from_slice(line),
        }
    }
    let (found, found_compilations, _) = records(&inside);
    assert!(inside.len() > text.len());
    assert_eq!((found, found_compilations), (expected, compilations));
}
