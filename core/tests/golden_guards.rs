//! What the core reads of the guards in tests/fixtures, held against what was reviewed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;
mod guard_records;

use dynascope_core::analysis::guard_diff::{ChangeKind, compare};
use dynascope_core::payload::guard_tree::{GuardTree, Kind, NodeIndex, recorded};
use files::read;
use guard_records::payloads;
use std::fmt::Write;
use std::path::Path;

#[test]
fn guards_of_fixtures_are_those_that_were_reviewed() {
    for name in [
        "torch-2.3.1/gb_datadep.log",
        "torch-2.3.1/rc_limit.log",
        "torch-2.5.1/gb_open.log",
        "torch-2.5.1/rc_limit.log",
        "torch-2.11.0/console/recompiles,guards.rc_adam_lr.txt.gz",
        "torch-2.15.0/rc_shape.log.gz",
        "torch-2.15.0/small_all.log.gz",
        "torch-2.15.0/dedicated_log_torch_trace_rank_0_25t122cd.log",
    ] {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
        let (texts, recorded) = payloads(read(&fixtures.join(name)));
        let mut trees: Vec<GuardTree> = Vec::new();
        for text in texts {
            let tree = GuardTree::parse(text.as_str()).unwrap();
            assert_eq!(tree.to_string(), text);
            trees.push(tree);
        }
        for payload in recorded {
            let guards = recorded::read(&payload);
            trees.push(guards.to_tree(|_| None).unwrap());
        }
        assert!(!trees.is_empty(), "{name}");
        insta::assert_snapshot!(name.replace('/', "-"), dump(&trees));
    }
}

fn dump(trees: &[GuardTree]) -> String {
    let mut out = String::new();
    for (number, tree) in trees.iter().enumerate() {
        let statistics = tree.statistics();
        writeln!(out, "== record {number}: {statistics:?}").unwrap();
        writeln!(out, "latency {:?} us", tree.latency()).unwrap();
        for subtree in tree.largest(4) {
            let Kind::Manager(manager) = &tree.node(subtree.node).unwrap().kind else {
                panic!("{subtree:?}");
            };
            let source = manager
                .source
                .map_or("the root", |source| tree.text(source));
            writeln!(out, "{} leaves below {source}", subtree.leaves).unwrap();
        }
        // The first two whole; of the others what differs.
        if number < 2 {
            for index in tree.leaves() {
                writeln!(out, "{}", leaf(tree, index)).unwrap();
            }
        }
        if let Some(before) = number.checked_sub(1).and_then(|before| trees.get(before)) {
            for change in compare(before, tree) {
                let key = &change.key;
                let kind = change.kind();
                let (class, detail) = (&key.class, &key.detail);
                writeln!(out, "{kind:?} {class} {:?} {detail:?}", key.source).unwrap();
                if kind != ChangeKind::Changed {
                    continue;
                }
                for difference in change.differences {
                    let of = |value: Option<String>| value.unwrap_or_else(|| "-".into());
                    let (old, new) = (of(difference.old), of(difference.new));
                    writeln!(out, "    {}: {old} → {new}", difference.field).unwrap();
                }
            }
        }
    }
    out
}

fn leaf(tree: &GuardTree, index: NodeIndex) -> String {
    let node = tree.node(index).unwrap();
    let Some(check) = tree.check(index) else {
        return format!("{} {} again", node.line, tree.class(index).unwrap());
    };
    let key = check.key();
    let mut out = format!("{} {} {:?}", node.line, check.class(), key.source);
    if !key.detail.is_empty() {
        write!(out, " {:?}", key.detail).unwrap();
    }
    for (field, value) in check.fields() {
        write!(out, "; {field} {value}").unwrap();
    }
    if let Kind::Leaf(leaf) = &node.kind {
        if let Some(frame) = leaf
            .trailer
            .as_ref()
            .and_then(|trailer| trailer.frame.as_ref())
        {
            let (file, function) = (tree.text(frame.file), tree.text(frame.function));
            write!(
                out,
                " [{:?}: {file}:{} {function}]",
                tree.origin(index),
                frame.line
            )
            .unwrap();
        }
        if let Some(source) = leaf.trailer.as_ref().and_then(|trailer| trailer.source) {
            write!(out, " `{}`", tree.text(source)).unwrap();
        }
        if let Some(note) = leaf.trailer.as_ref().and_then(|trailer| trailer.note) {
            write!(out, " note {:?}", tree.note_kind(note)).unwrap();
        }
        if let Some(hint) = leaf.hint {
            write!(out, " hint {}", tree.text(hint)).unwrap();
        }
    }
    out
}
