//! Every console log in the folder that `DYNASCOPE_CORPUS` names: no panic, no byte left out, and what PyTorch
//! itself counted in that very process (MANIFEST.tsv), as far as the options of `TORCH_LOGS` let it be seen.
//! Where a script has a trace of the same version too, both give the same breaks and reasons.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;
mod reasons;

#[allow(dead_code)]
#[path = "../examples/facts.rs"]
mod facts;

use reasons::{Order, text};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

struct Log {
    path: String,
    torch: String,
    /// The value of `TORCH_LOGS`.
    setting: String,
    script: String,
    expected: Map<String, Value>,
    facts: Value,
}

fn logs(corpus: &std::path::Path, of: fn(&str) -> bool) -> Vec<Log> {
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).expect("MANIFEST.tsv");
    let rows = manifest.lines().skip(1);
    rows.filter_map(|row| {
        let columns: Vec<&str> = row.split('\t').collect();
        let path = columns[0];
        if !of(path) {
            return None;
        }
        let parts: Vec<&str> = path.split('/').collect();
        let script = parts[parts.len() - 1].split('.').next().unwrap();
        let facts = facts::facts(&corpus.join(path)).unwrap_or_else(|error| {
            // Whatever is refused must hold no message.
            let text = std::fs::read_to_string(corpus.join(path)).unwrap_or_default();
            assert!(
                !text.contains("torch/_dynamo/") || !text.contains("] [__"),
                "{path}: {error}"
            );
            Value::Null
        });
        Some(Log {
            path: path.into(),
            torch: columns[1].into(),
            setting: parts[parts.len() - 2].into(),
            script: script.into(),
            expected: serde_json::from_str(columns[4]).expect(path),
            facts,
        })
    })
    .collect()
}

fn is_console(path: &str) -> bool {
    path.contains("/text/") && path.contains(".txt") && !path.contains(".stdout.")
}

#[test]
fn every_console_log_of_the_corpus_says_what_its_manifest_says() {
    let Some(corpus) = files::corpus() else {
        return;
    };
    let logs = logs(&corpus, is_console);
    let number = logs.len();
    for log in logs.iter().filter(|log| !log.facts.is_null()) {
        check(log);
    }
    assert!(number > 150, "only {number} logs were found");
}

impl Log {
    fn has(&self, option: &str) -> bool {
        self.setting.split(',').any(|own| own == option)
            || (self.setting == "+dynamo"
                && ["graph_breaks", "guards", "graph_code"].contains(&option))
    }

    fn array(&self, key: &str) -> &[Value] {
        self.facts[key].as_array().unwrap()
    }

    fn artifacts(&self) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        let outside = self.array("outside").iter();
        let within = self.array("compilations").iter();
        let within = within.flat_map(|c| c["artifacts"].as_array().unwrap());
        for artifact in within.chain(outside) {
            *found.entry(text(&artifact["name"])).or_default() += 1;
        }
        found
    }

    fn number(&self, key: &str) -> u64 {
        self.expected.get(key).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Ids of compilations, those that were made up left out.
    fn ids(&self) -> BTreeSet<String> {
        let ids = self.array("compilations").iter().map(|c| text(&c["id"]));
        ids.filter(|id| !id.contains('?')).collect()
    }
}

fn check(log: &Log) {
    let (path, facts) = (&log.path, &log.facts);
    let bytes = |key: &str| facts["bytes"][key].as_u64().unwrap();
    assert_eq!(bytes("total"), bytes("records") + bytes("other"), "{path}");
    let known = ["other_text"];
    for problem in facts["health"].as_object().unwrap().keys() {
        assert!(known.contains(&problem.as_str()), "{path}: {problem}");
    }
    // No script of the corpus that has a console log resets the compiler.
    for compilation in log.array("compilations") {
        assert_eq!(compilation["generation"], 0, "{path}");
    }
    if let Some(version) = facts["torch_version"].as_str() {
        assert!(log.torch.starts_with(version), "{path}: {version}");
    }
    let artifacts = log.artifacts();
    let count = |name: &str| artifacts.get(name).copied().unwrap_or(0);
    if log.has("graph_code") {
        assert_eq!(
            count("dynamo_output_graph"),
            log.number("unique_graphs"),
            "{path}"
        );
    }
    check_ids(log);
    if log.has("guards") {
        // A frame that compiles to nothing has guards, and one that is skipped has none.
        let guards = count("dynamo_cpp_guards_str");
        let ok = log.expected["frames"]["ok"].as_u64().unwrap_or(0);
        let graphs = log.number("unique_graphs");
        let most = log.array("compilations").len() as u64;
        assert!(
            graphs <= guards && guards <= most.max(ok),
            "{path}: {guards}"
        );
    }
    check_breaks(log);
    check_recompiles(log);
}

/// Every id was given by PyTorch; where each compilation says something, all ids are there.
fn check_ids(log: &Log) {
    let path = &log.path;
    let theirs: BTreeSet<String> = log
        .expected
        .get("compile_ids")
        .and_then(Value::as_object)
        .map(|ids| {
            ids.keys()
                .filter(|id| !id.contains("frame_key") && id.contains('/'))
        })
        .map(|ids| ids.map(|id| format!("[{id}]")).collect())
        .unwrap_or_default();
    let ours = log.ids();
    if theirs.is_empty() {
        // 2.1 and 2.3 count frames.
        let frames = log
            .expected
            .get("frames")
            .and_then(|frames| frames["total"].as_u64());
        let keys = log.expected.get("compile_ids").and_then(Value::as_object);
        let keys = keys.map_or(0, Map::len) as u64;
        let most = frames.unwrap_or(u64::MAX).max(keys);
        assert!(ours.len() as u64 <= most, "{path}: {ours:?}");
        return;
    }
    // At the limit an id is given and nothing compiled: 2.5 writes no metrics of it.
    let beyond = ours.difference(&theirs).count();
    assert!(beyond <= 1, "{path}: {ours:?} {theirs:?}");
    let tells_all = log.setting == "+dynamo"
        || log.setting == "bytecode" && log.torch == "2.15.0"
        || log.setting.contains("trace_source");
    if tells_all {
        assert!(theirs.is_subset(&ours), "{path}: {ours:?} {theirs:?}");
    }
}

/// Breaks of the console: 2.6 and later print each. Before, data-dependent branches are none of them, and what
/// the counter counts by reason may be printed once only.
fn check_breaks(log: &Log) {
    let (path, breaks) = (&log.path, log.array("graph_breaks"));
    if !log.has("graph_breaks") {
        assert!(breaks.is_empty(), "{path}");
        return;
    }
    let artifacts = log.artifacts();
    let records = artifacts
        .get("dynamo_graph_break_reason")
        .copied()
        .unwrap_or(0);
    assert_eq!(
        breaks.len() as u64,
        records,
        "{path}: a message was not understood"
    );
    for found in breaks {
        for member in ["file", "line", "reason"] {
            assert!(!found[member].is_null(), "{path}: {found}");
        }
    }
    let counted = log
        .expected
        .get("graph_break_reasons")
        .and_then(Value::as_object);
    // The counter cuts reasons, and names other words for some.
    if breaks_are_recorded(&log.torch) {
        for reason in counted.into_iter().flat_map(Map::keys) {
            let found = breaks
                .iter()
                .any(|b| same_reason(&text(&b["reason"]), reason));
            assert!(found, "{path}: {reason} is missing");
        }
        assert!(records >= log.number("graph_break_total"), "{path}");
        return;
    }
    // Before, each that is printed is counted.
    for found in breaks.iter().filter(|found| found["skip"] == false) {
        let reason = text(&found["reason"]);
        let counted = counted.into_iter().flat_map(Map::keys);
        let is_counted = counted
            .into_iter()
            .any(|counted| same_reason(&reason, counted));
        assert!(is_counted, "{path}: {reason}");
    }
}

fn minor(torch: &str) -> u32 {
    torch.split('.').nth(1).unwrap().parse().unwrap()
}

/// Whether traces of a version record breaks.
fn breaks_are_recorded(torch: &str) -> bool {
    minor(torch) >= 7
}

/// Whether they record frames that are skipped as breaks, too.
fn skips_are_recorded(torch: &str) -> bool {
    minor(torch) >= 11
}

fn same_reason(ours: &str, theirs: &str) -> bool {
    ours.starts_with(theirs) || theirs.starts_with(ours) || theirs.contains(ours)
}

/// The manifest's reasons are cut to 160 characters and come from the metrics (2.7+), which tell the newest
/// cache entry's.
fn check_recompiles(log: &Log) {
    let path = &log.path;
    let recompiles = log.array("recompiles");
    let parts = recompiles.iter().flat_map(|recompile| {
        let reasons = recompile["reasons"].as_array().unwrap();
        reasons
            .iter()
            .flat_map(|reason| reason["parts"].as_array().unwrap())
    });
    for part in parts {
        assert_ne!(part["kind"], "unknown", "{path}: {}", part["guard"]);
    }
    let verbose = log.has("recompiles_verbose");
    if !log.has("recompiles") && !verbose {
        return;
    }
    for recompile in recompiles {
        assert!(recompile["function"].is_string(), "{path}: {recompile}");
    }
    let expect = |key: &str| {
        log.expected
            .get("expect")
            .and_then(|expect| expect[key].as_u64())
    };
    if log.script == "rc_limit" && log.torch != "2.1.2" {
        assert_eq!(recompiles.len(), 8, "{path}");
        assert_eq!(
            log.array("failures").len(),
            1,
            "{path}: the limit's warning"
        );
    } else if let Some(expected) = expect("recompiles_of_f").filter(|_| log.script == "rc_shape") {
        assert_eq!(recompiles.len() as u64, expected, "{path}");
    }
    let Some(theirs) = log
        .expected
        .get("recompile_reasons")
        .and_then(Value::as_array)
    else {
        return;
    };
    // All guards that fail are checked where the log is verbose, in another order.
    let order = if verbose { Order::Any } else { Order::Checked };
    reasons::compare(path, recompiles, theirs, order);
}

#[test]
fn a_trace_and_a_console_log_of_one_script_say_the_same() {
    let Some(corpus) = files::corpus() else {
        return;
    };
    let traces = logs(&corpus, |path| {
        path.contains("/trace/") && path.contains("dedicated_log")
    });
    let mut compared = 0;
    for console in logs(&corpus, is_console)
        .iter()
        .filter(|log| !log.facts.is_null())
    {
        let trace = traces.iter().find(|trace| {
            trace.torch == console.torch
                && trace.setting == console.script
                && !trace.facts.is_null()
        });
        let Some(trace) = trace else { continue };
        compared += compare(trace, console);
    }
    assert!(compared > 30, "only {compared} were compared");
}

/// Compares what both can tell; says of how many things.
fn compare(trace: &Log, console: &Log) -> usize {
    let path = &console.path;
    let mut compared = 0;
    // 2.3 and 2.5 record no breaks in traces.
    if console.has("graph_breaks") && breaks_are_recorded(&console.torch) {
        let shown = |log: &Log| -> Vec<String> {
            let breaks = log.array("graph_breaks").iter();
            // Before, traces tell of frames that are skipped as failures only.
            let breaks = breaks.filter(|b| b["skip"] == false || skips_are_recorded(&log.torch));
            let mut all: Vec<String> = breaks
                .map(|b| {
                    format!(
                        "{}_{} {}:{} {} {}",
                        text(&b["id"]),
                        b["attempt"],
                        text(&b["file"]),
                        b["line"],
                        text(&b["reason"]),
                        b["skip"]
                    )
                })
                .collect();
            all.sort();
            all
        };
        assert_eq!(shown(console), shown(trace), "{path}");
        compared += 1;
    }
    // 2.3 records no reasons in traces.
    if console.has("recompiles") && console.torch != "2.3.1" {
        let shown = |log: &Log| -> Vec<String> {
            let recompiles = log.array("recompiles").iter();
            let mut all: Vec<String> = recompiles
                .map(|r| {
                    let reasons = r["reasons"].as_array().unwrap().iter().map(|reason| {
                        let parts = reason["parts"].as_array().unwrap().iter();
                        let parts: Vec<String> = parts.map(part).collect();
                        format!("{} {parts:?}", text(&reason["entry"]))
                    });
                    format!("{} {:?}", text(&r["id"]), reasons.collect::<Vec<_>>())
                })
                .collect();
            all.sort();
            all
        };
        assert_eq!(shown(console), shown(trace), "{path}");
        compared += 1;
    }
    if console.has("guards") && console.torch != "2.3.1" {
        let shown = |log: &Log| -> Vec<String> {
            let compilations = log.array("compilations").iter();
            let guarded = compilations.filter(|c| {
                let artifacts = c["artifacts"].as_array().unwrap();
                artifacts
                    .iter()
                    .any(|a| a["name"] == "dynamo_cpp_guards_str")
            });
            guarded.map(|c| text(&c["id"])).collect()
        };
        assert_eq!(shown(console), shown(trace), "{path}");
        compared += 1;
    }
    compared
}

/// A part of a reason; addresses of objects differ from process to process.
fn part(part: &Value) -> String {
    let kind = text(&part["kind"]);
    let value = |key: &str| match text(&part[key]) {
        number if number.len() > 9 && number.bytes().all(|b| b.is_ascii_digit()) => {
            "address".into()
        }
        value => value,
    };
    format!(
        "{kind} {} {} {} {}",
        text(&part["source"]),
        value("expected"),
        value("actual"),
        part["index"]
    )
}

#[test]
fn samples_of_other_versions_are_read_whole() {
    let Some(corpus) = files::corpus() else {
        return;
    };
    for version in ["2.0.1", "2.2.2", "2.4.1", "2.8.0", "2.12.1"] {
        let folder = corpus.join(format!("torch-{version}/samples"));
        for name in ["debug.log", "gb_recomp_guards.log", "graphs_dynamic.log"] {
            let path = folder.join(name);
            if !path.exists() {
                continue;
            }
            let facts = facts::facts(&path).unwrap();
            let shown = path.display();
            let compilations = facts["compilations"].as_array().unwrap();
            assert!(!compilations.is_empty(), "{shown}");
            let breaks = facts["graph_breaks"].as_array().unwrap();
            let recompiles = facts["recompiles"].as_array().unwrap();
            if name == "gb_recomp_guards.log" {
                assert!(!breaks.is_empty() && !recompiles.is_empty(), "{shown}");
            }
            for found in breaks {
                assert!(
                    !found["line"].is_null() && !found["reason"].is_null(),
                    "{shown}: {found}"
                );
            }
            if let Some(found) = facts["torch_version"].as_str() {
                assert!(version.starts_with(found), "{shown}: {found}");
            }
        }
    }
}
