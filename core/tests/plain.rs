//! What is read of output without a prefix: golden facts of the fixtures, and what the scripts of the corpus
//! provoke.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;

use dynascope_core::analysis::failure::{self, Component, FailureKind};
use dynascope_core::payload::plain::{Block, BlockKind, find};
use dynascope_core::payload::traceback::{self, Frame, StackKind};
use dynascope_core::payload::{compile_times, explain, limit_warning, warning};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The text without the prefixes of PyTorch's log, of any version, as who calls the readers removes them.
fn without_prefixes(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let _ = writeln!(out, "{}", without_prefix(line));
    }
    out
}

fn without_prefix(line: &str) -> &str {
    let new = line
        .get(..6)
        .is_some_and(|start| start.starts_with(['V', 'D', 'I', 'W', 'E']) && start.ends_with(' '));
    if new && let Some((_, mut rest)) = line.split_once("] ") {
        while rest.starts_with('[')
            && let Some((_, behind)) = rest.split_once("] ")
        {
            rest = behind;
        }
        return rest;
    }
    if line.starts_with("[2026-")
        && let Some((_, rest)) = line.split_once("] ")
    {
        let mut rest = rest;
        for level in ["[DEBUG] ", "[INFO] ", "[WARNING] ", "[ERROR] "] {
            if let Some((_, behind)) = rest.split_once(level) {
                rest = behind;
            }
        }
        return rest;
    }
    line
}

fn facts(text: &str) -> Vec<Value> {
    find(text).iter().map(|block| fact(block, text)).collect()
}

fn fact(block: &Block, text: &str) -> Value {
    let content = &text[block.bytes.clone()];
    let rows = format!("{}–{}", block.rows.start + 1, block.rows.end);
    let what = match block.kind {
        BlockKind::Traceback => failure_facts(content),
        BlockKind::Warning => {
            let warning = warning::read(content).expect("a warning");
            json!({
                "place": format!("{}:{}", file_name(&warning.file), warning.line.unwrap_or(0)),
                "category": warning.category,
                "kind": format!("{:?}", warning.kind),
                "message": warning.message,
                "code": warning.code,
                "stack": frames(&warning.stack),
            })
        }
        BlockKind::LimitWarning => {
            let warning = limit_warning::read(content).expect("a limit warning");
            json!({
                "setting": warning.setting,
                "limit": warning.limit,
                "function": warning.function,
                "place": format!("{}:{}", warning.file, warning.line.unwrap_or(0)),
                "reason": warning.reason,
                "reasons": warning.reasons.len(),
                "page": warning.page,
            })
        }
        BlockKind::Explain => explain_facts(content),
        BlockKind::CompileTimes => {
            let times: Vec<_> = compile_times::read(content)
                .into_iter()
                .map(|time| format!("{}: {:?}", time.name, time.seconds))
                .collect();
            json!(times)
        }
    };
    json!({"rows": rows, "kind": format!("{:?}", block.kind), "what": what})
}

fn failure_facts(content: &str) -> Value {
    let traceback = traceback::read(content);
    let failure = failure::of_traceback(&traceback);
    let exceptions: Vec<_> = traceback
        .exceptions
        .iter()
        .map(|raised| {
            json!({
                "link": format!("{:?}", raised.link),
                "kind": raised.kind,
                "message": raised.message,
                "frames": raised.frames.len(),
                "last frame": raised.frames.last().map(place),
                "stacks": raised.stacks.iter()
                    .map(|stack| json!({"kind": format!("{:?}", stack.kind), "frames": frames(&stack.frames)}))
                    .collect::<Vec<_>>(),
                "advice": format!("{:?}", raised.advice),
            })
        })
        .collect();
    json!({
        "component": format!("{:?}", failure.component),
        "kind": format!("{:?}", failure.kind),
        "certainty": format!("{:?}", failure.certainty),
        "exception": failure.exception,
        "backend": failure.backend,
        "user": frames(&failure.user),
        "runs": failure.runs.iter().map(|run| format!("{:?} {:?}", run.ablation, run.expected)).collect::<Vec<_>>(),
        "exceptions": exceptions,
    })
}

fn explain_facts(content: &str) -> Value {
    let explanation = explain::read(content).expect("a result of explain");
    let mut created: Vec<&str> = explanation
        .guards
        .iter()
        .map(|guard| guard.create_function.as_str())
        .collect();
    created.sort_unstable();
    created.dedup();
    json!({
        "graphs": explanation.graphs,
        "breaks": explanation.breaks,
        "ops": explanation.ops,
        "reasons": explanation.reasons.iter()
            .map(|reason| json!({"reason": reason.reason, "stack": frames(&reason.stack)}))
            .collect::<Vec<_>>(),
        "ops of graphs": explanation.graph_ops.iter().map(Vec::len).collect::<Vec<_>>(),
        "guards": explanation.guards.len(),
        "made by": created,
        "times": explanation.compile_times.iter()
            .map(|time| format!("{}: {:?}", time.name, time.seconds))
            .collect::<Vec<_>>(),
    })
}

fn frames(frames: &[Frame]) -> Vec<String> {
    frames.iter().map(place).collect()
}

fn place(frame: &Frame) -> String {
    let code: Vec<String> = frame
        .code
        .iter()
        .map(|code| match &code.marked {
            Some(marked) => format!("{} ({}..{})", code.text, marked.start, marked.end),
            None => code.text.clone(),
        })
        .collect();
    let file = file_name(&frame.file);
    let function = frame.function.as_deref().unwrap_or("-");
    format!(
        "{file}:{} {function}: {}",
        frame.line.unwrap_or(0),
        code.join(" / ")
    )
}

fn file_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or_default()
}

#[test]
fn blocks_of_every_fixture_are_those_that_were_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plain");
    let mut seen = 0;
    let mut versions: Vec<PathBuf> = children(&folder);
    versions.retain(|path| path.to_string_lossy().contains("torch-"));
    for version in versions {
        for file in children(&version) {
            let text = without_prefixes(&std::fs::read_to_string(&file).unwrap());
            let name = format!(
                "{}-{}",
                version.file_name().unwrap().to_string_lossy(),
                file.file_name().unwrap().to_string_lossy()
            );
            insta::assert_json_snapshot!(name, facts(&text));
            seen += 1;
        }
    }
    assert!(seen >= 20, "only {seen} fixtures were found");
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// What each script of the corpus provokes: its last traceback says so.
const PROVOKED: [(&str, Component, FailureKind); 9] = [
    (
        "err_backend",
        Component::Backend,
        FailureKind::BackendRaised,
    ),
    (
        "err_suppress",
        Component::Backend,
        FailureKind::BackendRaised,
    ),
    ("err_cxx", Component::Inductor, FailureKind::MissingCompiler),
    (
        "err_fullgraph_print",
        Component::Dynamo,
        FailureKind::GraphBreak,
    ),
    ("err_fullgraph", Component::Dynamo, FailureKind::GraphBreak),
    (
        "dyn_constraint",
        Component::Dynamo,
        FailureKind::ConstraintViolation,
    ),
    ("bad_torch_logs_name", Component::User, FailureKind::Setting),
    (
        "after_dynamo",
        Component::Backend,
        FailureKind::BackendRaised,
    ),
    ("after_aot", Component::Inductor, FailureKind::CppCompile),
];

#[test]
fn tracebacks_of_the_corpus_say_what_their_scripts_provoke() {
    let Some(corpus) = files::corpus() else {
        return;
    };
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).expect("MANIFEST.tsv");
    let mut seen = 0;
    for row in manifest.lines().skip(1) {
        let path = row.split('\t').next().unwrap();
        let folder = path.contains("/plain/") || path.contains("/repro/");
        if !folder || !path.ends_with(".stderr.txt") {
            continue;
        }
        let text = without_prefixes(&std::fs::read_to_string(corpus.join(path)).unwrap());
        let blocks = find(&text);
        let script = file_name(path).trim_end_matches(".stderr.txt");
        let Some((_, component, kind)) = PROVOKED.iter().find(|(known, ..)| *known == script)
        else {
            println!(
                "{path}: {:?}",
                blocks
                    .iter()
                    .map(|b| (b.kind, b.rows.clone()))
                    .collect::<Vec<_>>()
            );
            continue;
        };
        let last = blocks
            .iter()
            .rev()
            .find(|block| block.kind == BlockKind::Traceback)
            .unwrap_or_else(|| panic!("{path}: no traceback"));
        let failure = failure::of_traceback(&traceback::read(&text[last.bytes.clone()]));
        // 2.1 to 2.6 call a branch on a tensor an error of the user.
        let kind_fits = failure.kind == *kind
            || script == "err_fullgraph" && failure.kind == FailureKind::UserError;
        println!(
            "{path}: {:?} {:?} {:?}",
            failure.component, failure.kind, failure.certainty
        );
        assert!(
            failure.component == *component && kind_fits,
            "{path}: {failure:?}"
        );
        if script.starts_with("err_fullgraph") {
            let traced = traceback::read(&text[last.bytes.clone()]);
            let traced = traced
                .surfaced()
                .and_then(|raised| raised.stack(StackKind::Traced));
            assert!(traced.is_some_and(|frames| !frames.is_empty()), "{path}");
        }
        seen += 1;
    }
    assert!(seen >= 28, "only {seen} tracebacks were found");
}

#[test]
fn every_console_log_of_the_corpus_is_gone_over() {
    let Some(corpus) = files::corpus() else {
        return;
    };
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).expect("MANIFEST.tsv");
    let (mut logs, mut tracebacks, mut told) = (0, 0, 0);
    for row in manifest.lines().skip(1) {
        let path = row.split('\t').next().unwrap();
        if !path.starts_with("torch-") || !path.ends_with(".txt") {
            continue;
        }
        let text = std::fs::read(corpus.join(path)).unwrap();
        let text = without_prefixes(&String::from_utf8_lossy(&text));
        logs += 1;
        let mut end = 0;
        for block in find(&text) {
            assert!(
                block.bytes.start >= end && block.rows.start < block.rows.end,
                "{path}"
            );
            end = block.bytes.end;
            let _ = fact(&block, &text);
            if block.kind != BlockKind::Traceback {
                continue;
            }
            let traceback = traceback::read(&text[block.bytes.clone()]);
            let whole = traceback
                .exceptions
                .iter()
                .all(|raised| !raised.kind.is_empty());
            let failure = failure::of_traceback(&traceback);
            tracebacks += 1;
            told += usize::from(failure.component != Component::Unknown);
            if !whole || failure.component == Component::Unknown {
                println!(
                    "{path} {:?} whole {whole} {:?}",
                    block.rows, failure.component
                );
            }
            let cut = path.contains("truncated") || path.contains("partial");
            assert!(whole || cut, "{path} {:?}", block.rows);
        }
    }
    println!("{logs} logs, {tracebacks} tracebacks, {told} told");
    assert!(logs > 100 && tracebacks > 100 && told == tracebacks);
}
