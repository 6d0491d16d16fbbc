//! The records that the console logs in tests/fixtures hold, one a line, held against what was reviewed; and that
//! other programs' prefixes, carriage returns and other lines between change nothing of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use dynascope_core::trace::Builder;
use dynascope_core::trace::names::is_record;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Versions and logs, with their text.
fn fixtures() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = folder.read_dir().into_iter().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut found = Vec::new();
    for version in below(&folder) {
        for log in below(&version.join("console")) {
            let mut text = String::new();
            flate2::read::GzDecoder::new(std::fs::File::open(&log).unwrap())
                .read_to_string(&mut text)
                .unwrap();
            let title = format!(
                "{}-{}",
                name(&version),
                name(&log).trim_end_matches(".txt.gz")
            );
            found.push((title, text));
        }
    }
    assert!(found.len() > 40, "fixtures are missing");
    found
}

fn read(text: &str) -> Builder {
    let mut builder = Builder::default();
    for piece in text.as_bytes().chunks(4093) {
        builder.feed(piece);
    }
    builder.finish();
    builder
}

/// Each record: kind, id and attempt, lines, the first two lines.
fn records(text: &str) -> String {
    let builder = read(text);
    let trace = builder.trace();
    let mut out = String::new();
    for (index, entry) in trace
        .index
        .iter()
        .filter(|(_, entry)| is_record(entry.kind))
    {
        let kind = trace.kind_of(index).unwrap();
        let segment = trace.segment(&text.as_bytes(), index).unwrap().unwrap();
        let payload = segment.payload.read(&text.as_bytes(), usize::MAX).unwrap();
        let payload = String::from_utf8(payload).unwrap();
        let id = entry
            .compilation()
            .map_or("-".into(), |i| trace.label(&trace.compilations[i].key));
        let mut lines = payload.split('\n');
        let mut first =
            |width: usize| -> String { lines.next().unwrap_or("").chars().take(width).collect() };
        let (one, two) = (first(90), first(50));
        let title = match &kind.name {
            Some(name) if kind.kind != "message" => format!("{} {name}", kind.kind),
            _ => kind.title().to_owned(),
        };
        writeln!(
            out,
            "{title} {id}_{} {}: {one} | {two}",
            entry.attempt,
            payload.split('\n').count()
        )
        .unwrap();
    }
    out
}

#[test]
fn records_of_every_console_log_are_those_that_were_reviewed() {
    for (title, text) in fixtures() {
        insta::assert_snapshot!(title, records(&text));
    }
}

/// Changes a line by its number.
type Change<'a> = &'a dyn Fn(usize, &str) -> String;

/// Each line changed by its number.
fn with_lines(text: &str, change: impl Fn(usize, &str) -> String) -> String {
    text.split_inclusive('\n')
        .enumerate()
        .map(|(number, line)| change(number, line))
        .collect()
}

#[test]
fn what_others_put_in_front_and_between_changes_no_record() {
    for (title, text) in fixtures() {
        let plain = records(&text);
        let fronted: [(&str, Change); 7] = [
            ("a container", &|_, line| format!("trainer-0  | {line}")),
            ("a quote", &|_, line| format!("> {line}")),
            ("colours", &|_, line| {
                format!("\u{1b}[36m(EngineCore pid=7)\u{1b}[0m {line}")
            }),
            ("timestamps", &|number, line| {
                format!(
                    "2026-11-29T12:{:02}:{:02}.{number}Z {line}",
                    number / 60 % 60,
                    number % 60
                )
            }),
            ("carriage returns", &|_, line| line.replace('\n', "\r\n")),
            ("bars", &|number, line| {
                let bar = "  5%|\u{258c}  | 1/20 [00:01<00:19,  1.0it/s]";
                format!("{}{line}", if number % 3 == 0 { bar } else { "" })
            }),
            ("other lines", &|number, line| {
                let other = "epoch 3 loss 0.1\n";
                format!("{}{line}", if number % 5 == 0 { other } else { "" })
            }),
        ];
        for (what, change) in fronted {
            let changed = records(&with_lines(&text, change));
            assert!(changed == plain, "{title} with {what}:\n{changed}");
        }
    }
}

#[test]
fn ranks_that_write_line_by_line_come_apart() {
    for (title, text) in fixtures() {
        let rank = |rank: u32| {
            let lines = text.split_inclusive('\n');
            lines.map(move |line| format!("[default{rank}]:{line}"))
        };
        let both: String = rank(0).zip(rank(1)).map(|(a, b)| a + &b).collect();
        // 2.3 to 2.5 and before write no process id, and the same one here: the front tells them apart.
        let mut plain: Vec<String> = records(&text).lines().map(str::to_owned).collect();
        plain.extend(plain.clone());
        let found = records(&both);
        let mut found: Vec<String> = found
            .lines()
            .map(|line| line.replace(" proc 1", "").replace(" proc 2", ""))
            .collect();
        plain.sort();
        found.sort();
        assert_eq!(found, plain, "{title}");
    }
}
