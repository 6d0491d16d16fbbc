//! Every trace in the folder that `DYNASCOPE_CORPUS` names: no panic, no byte left out, and the facts that
//! PyTorch itself counted (MANIFEST.tsv).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;
mod reasons;

#[allow(dead_code)]
#[path = "../examples/facts.rs"]
mod facts;

use reasons::{Order, text};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn every_trace_of_the_corpus_says_what_its_manifest_says() {
    let Some(corpus) = files::corpus() else {
        return;
    };
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).expect("MANIFEST.tsv");
    let mut seen = 0;
    for row in manifest.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let (path, torch) = (columns[0], columns[1]);
        if !is_trace(path) {
            continue;
        }
        seen += 1;
        let expected: Map<String, Value> = serde_json::from_str(columns[4]).expect(path);
        let facts =
            facts::facts(&corpus.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        check(path, torch, &expected, &facts);
    }
    assert!(seen > 100, "only {seen} traces were found");
}

fn is_trace(path: &str) -> bool {
    let ours = ["/trace/", "/dist/", "/tlparse/", "/draft_export/"]
        .iter()
        .any(|folder| path.contains(folder))
        && Path::new(path)
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("dedicated_log"));
    let theirs =
        path.starts_with("tlparse/") && (path.ends_with(".log") || path.ends_with("log.txt"));
    ours || theirs
}

fn check(path: &str, torch: &str, expected: &Map<String, Value>, facts: &Value) {
    let bytes = |key: &str| facts["bytes"][key].as_u64().unwrap();
    assert_eq!(bytes("total"), bytes("records") + bytes("other"), "{path}");
    if !path.starts_with("tlparse/") {
        let cut = path.contains("truncated") || path.contains("partial");
        assert!(
            cut || facts["health"].as_object().unwrap().is_empty(),
            "{path}: {}",
            facts["health"]
        );
    }
    if let Some(version) = facts["torch_version"].as_str() {
        let minor = torch.rsplit_once('.').map_or(torch, |(minor, _)| minor);
        assert!(
            torch == "?" || version.starts_with(minor),
            "{path}: {version}"
        );
    }
    let compilations = facts["compilations"].as_array().unwrap();
    if let Some(ids) = expected.get("compile_ids").and_then(Value::as_object) {
        let mut ours: BTreeMap<&str, u64> = BTreeMap::new();
        for compilation in compilations {
            let id = compilation["id"].as_str().unwrap().trim_matches(['[', ']']);
            *ours.entry(id).or_default() += compilation["metrics_records"].as_u64().unwrap();
        }
        // Metrics without a compilation are counted as None; 2.3 counts by frame and writes none.
        let theirs: Vec<_> = ids
            .iter()
            .filter(|(id, _)| id.contains('/') && !id.contains("frame_key"))
            .collect();
        for (id, count) in theirs {
            assert_eq!(
                ours.get(id.as_str()).copied(),
                count.as_u64(),
                "{path}: {id}"
            );
        }
    }
    if let Some(failed) = expected.get("failed_frames").and_then(Value::as_array) {
        let named = |frame: &&Value| !frame[0].as_str().unwrap_or_default().contains("frame_key");
        let mut theirs: Vec<String> = failed
            .iter()
            .filter(named)
            .map(|frame| format!("[{}] {}", text(&frame[0]), text(&frame[2])))
            .collect();
        let mut ours: Vec<String> = facts["failures"]
            .as_array()
            .unwrap()
            .iter()
            .map(|failure| format!("{} {}", text(&failure["id"]), text(&failure["type"])))
            .collect();
        theirs.sort();
        ours.sort();
        assert!(
            theirs.is_empty() || ours == theirs,
            "{path}: {ours:?} {theirs:?}"
        );
    }
    if let Some(artifacts) = expected.get("artifacts").and_then(Value::as_object) {
        let mut ours: BTreeMap<String, usize> = BTreeMap::new();
        // tlparse does not know the metrics of what ran first.
        let known = |artifact: &&Value| !text(&artifact["name"]).ends_with("_runtime");
        for compilation in compilations {
            let artifacts = compilation["artifacts"].as_array().unwrap();
            *ours.entry(text(&compilation["id"])).or_default() +=
                artifacts.iter().filter(known).count();
        }
        ours.insert("[-/-]".into(), facts["outside"].as_array().unwrap().len());
        // tlparse lists attempts apart, passes over exported programs and writes vLLM's configuration twice.
        let comparable = !["comp_metrics", "export", "vllm"]
            .iter()
            .any(|name| path.contains(name));
        for (id, count) in artifacts.iter().filter(|_| comparable) {
            assert_eq!(
                ours.get(id).map(|n| *n as u64),
                count.as_u64(),
                "{path}: {id}"
            );
        }
    }
    check_recompiles(path, expected, facts);
    if let Some(status) = expected.get("status").and_then(Value::as_object) {
        for compilation in compilations {
            let (id, ours) = (text(&compilation["id"]), text(&compilation["status"]));
            let theirs = status.get(&id).map(text).map(|s| {
                if s == "break" {
                    "graph break".into()
                } else {
                    s
                }
            });
            assert!(
                theirs.is_none() || theirs == Some(ours.clone()),
                "{path}: {id} is {ours}"
            );
        }
    }
}

/// The manifest's `recompile_reasons` are what the metrics say: id, function, and the first 160 characters
/// of the newest cache entry's reason, one for each recompile and for each call that hit the limit.
fn check_recompiles(path: &str, expected: &Map<String, Value>, facts: &Value) {
    let recompiles = facts["recompiles"].as_array().unwrap();
    for part in recompiles.iter().flat_map(parts) {
        assert_ne!(part["kind"], "unknown", "{path}: {}", part["guard"]);
    }
    let Some(theirs) = expected.get("recompile_reasons").and_then(Value::as_array) else {
        return;
    };
    reasons::compare(path, recompiles, theirs, Order::Checked);
}

fn parts(recompile: &Value) -> impl Iterator<Item = &Value> {
    let reasons = recompile["reasons"].as_array().unwrap();
    reasons
        .iter()
        .flat_map(|reason| reason["parts"].as_array().unwrap())
}
