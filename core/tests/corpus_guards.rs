//! Every guard in the folder that `DYNASCOPE_CORPUS` names: trees and lists print as they were read, and no
//! line of them is unknown.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;
mod guard_records;

use dynascope_core::payload::guard_tree::{Check, ErrorKind, GuardTree, Kind, NoteKind, recorded};
use files::{collect, corpus, read};
use guard_records::payloads;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Debug, Default)]
struct Seen {
    texts: usize,
    nodes: usize,
    leaves: usize,
    opaque: Vec<String>,
    /// Trailers that name no frame and say nothing that is known.
    strange: Vec<String>,
    /// Leaves whose code has no typed reading, by class.
    other: BTreeMap<String, usize>,
}

impl Seen {
    fn text(&mut self, path: &Path, text: String) {
        let tree = match GuardTree::parse(text.clone()) {
            Ok(tree) => tree,
            Err(error) => panic!("{}: {error}: {text}", path.display()),
        };
        assert_eq!(tree.to_string(), text, "{}", path.display());
        self.texts += 1;
        self.nodes += tree.nodes().len();
        for (line, text) in tree.problems() {
            self.opaque
                .push(format!("{}: {line}: {text}", path.display()));
        }
        for index in tree.leaves() {
            self.leaves += 1;
            if let Kind::Leaf(leaf) = &tree.node(index).unwrap().kind
                && let Some(trailer) = &leaf.trailer
                && trailer.frame.is_none()
                && let Some(note) = trailer.note
                && tree.note_kind(note) == NoteKind::Other
            {
                self.strange.push(tree.text(note).to_owned());
            }
            if let Some(Check::Other { code }) = tree.check(index) {
                let class = tree.class(index).unwrap_or_default();
                *self.other.entry(format!("{class}: {code}")).or_default() += 1;
            }
        }
    }
}

#[test]
fn every_guard_record_of_the_corpus_is_read() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    collect(
        &corpus,
        &[".log", ".log.gz", "log.txt", "log.txt.gz"],
        &mut files,
    );
    let (mut trees, mut lists) = (Seen::default(), Seen::default());
    let mut guards = 0;
    for path in files {
        let (texts, recorded) = payloads(read(&path));
        for text in texts {
            trees.text(&path, text);
        }
        for payload in recorded {
            let read = recorded::read(&payload);
            let cut = path.to_string_lossy().contains("partial")
                || path.to_string_lossy().contains("truncated");
            assert!(
                cut || (read.fault.is_none() && read.wrong == 0),
                "{}: {read:?}",
                path.display()
            );
            guards += read.guards.len();
            let list = read.to_tree(|_| Some("x.py")).unwrap();
            let leaves = list
                .nodes()
                .iter()
                .filter(|node| matches!(node.kind, Kind::Leaf(_)));
            assert_eq!(leaves.count(), read.guards.len(), "{}", path.display());
            lists.text(&path, list.to_string());
        }
    }
    println!(
        "trees: {} texts, {} nodes, {} leaves; unread code: {:#?}",
        trees.texts, trees.nodes, trees.leaves, trees.other
    );
    println!(
        "recorded lists: {} texts, {guards} guards; unread code: {:#?}",
        lists.texts, lists.other
    );
    assert!(trees.opaque.is_empty(), "{:#?}", trees.opaque);
    assert!(trees.strange.is_empty(), "{:#?}", trees.strange);
    assert!(lists.opaque.is_empty(), "{:#?}", lists.opaque);
    assert!(trees.other.is_empty() && lists.other.is_empty());
    assert!(trees.texts > 500 && lists.texts > 50);
}

/// What consoles print, without what stands before each line: for this test only.
fn console_guards(text: &str) -> Vec<String> {
    let marks = [
        "[__guards] ",
        "torch._dynamo.guards.__guards: [DEBUG] ",
        "torch._dynamo.guards.__guards:[DEBUG] ",
    ];
    let mut texts: Vec<String> = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        let mut content = marks
            .into_iter()
            .find_map(|mark| Some(line.split_once(mark)?.1));
        // 2.0 puts nothing before the lines of a record but the first.
        if let Some((_, "GUARDS:")) = line.split_once("torch._dynamo.convert_frame: [INFO] ") {
            content = Some("GUARDS:");
            in_block = true;
        } else if in_block && (line == " - " || line.starts_with("            ")) {
            content = Some(line);
        } else {
            in_block = false;
        }
        let Some(content) = content else { continue };
        let starts = content == "GUARDS:" || content.starts_with("Python shape guard function");
        let after_shapes = texts
            .last()
            .is_some_and(|text| text.starts_with("Python") && !text.contains("GUARDS:"));
        if texts.is_empty() || (starts && !(after_shapes && content == "GUARDS:")) {
            texts.push(String::new());
        }
        let text = texts.last_mut().unwrap();
        text.push_str(content);
        text.push('\n');
    }
    texts
}

#[test]
fn every_console_log_of_the_corpus_is_read() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    collect(&corpus, &[".txt", ".txt.gz", ".log"], &mut files);
    let mut by_version: BTreeMap<String, Seen> = BTreeMap::new();
    for path in files {
        let Some(version) = path.strip_prefix(&corpus).unwrap().iter().next() else {
            continue;
        };
        let version = version.to_string_lossy().into_owned();
        if !version.starts_with("torch-") {
            continue;
        }
        let text = String::from_utf8_lossy(&read(&path)).into_owned();
        for text in console_guards(&text) {
            by_version
                .entry(version.clone())
                .or_default()
                .text(&path, text);
        }
    }
    for (version, seen) in &by_version {
        println!(
            "{version}: {} texts, {} nodes, {} leaves; unread code: {:#?}",
            seen.texts, seen.nodes, seen.leaves, seen.other
        );
        assert!(seen.opaque.is_empty(), "{version}: {:#?}", seen.opaque);
        assert!(seen.other.is_empty(), "{version}: {:#?}", seen.other);
    }
    assert!(by_version.len() >= 7, "{:?}", by_version.keys());
    // The empty text between two records is no guard.
    let empty = GuardTree::parse("\n").unwrap_err();
    assert_eq!((empty.kind, empty.offset), (ErrorKind::NoGuards, 1));
}
