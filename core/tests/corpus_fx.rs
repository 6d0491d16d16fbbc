//! Every graph in the folder that `DYNASCOPE_CORPUS` names: no line of it is unknown, it has as many nodes
//! as PyTorch counted, and its edges are those that Python's own parser finds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;
mod fx_records;

use dynascope_core::payload::fx_graph::{Form, FxGraph, ProblemKind};
use files::{collect, corpus, read};
use fx_records::{by_python, compare, graphs};
use std::collections::BTreeMap;

#[test]
fn every_graph_of_the_corpus_is_read() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    collect(
        &corpus,
        &[".log", ".log.gz", "log.txt", "log.txt.gz"],
        &mut files,
    );
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let (mut nodes, mut edges, mut counted) = (0, 0, 0);
    for path in &files {
        let text = read(path);
        let graphs = graphs(&text);
        let mut last: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for graph in graphs {
            if graph.kind == "compilation_metrics" {
                if let (Some(expected), Some(found)) =
                    (graph.counts, last.remove(&graph.compile_id))
                {
                    counted += 1;
                    let id = &graph.compile_id;
                    assert_eq!(found, expected, "{} {id}", path.display());
                }
                continue;
            }
            let read = match FxGraph::parse(graph.text.as_str()) {
                Ok(read) => read,
                Err(error) => panic!("{}: {error}", path.display()),
            };
            *kinds.entry(graph.kind.clone()).or_default() += 1;
            nodes += read.nodes().len();
            edges += read.edges().len();
            // What PyTorch could not finish returns nothing.
            let cut = graph.kind == "make_fx_fail_partial" || graph.kind == "exported_program";
            for problem in read.problems() {
                if !(cut && problem.kind == ProblemKind::NoOutput) {
                    let line = graph.text.lines().nth(problem.row as usize);
                    problems.push(format!("{} {problem:?}: {line:?}", path.display()));
                }
            }
            if graph.kind == "dynamo_output_graph" {
                last.insert(graph.compile_id.clone(), read.counts(0));
            }
            texts
                .entry(graph.text)
                .or_insert(path.display().to_string());
        }
    }
    println!(
        "{} logs, {} different texts, {nodes} nodes, {edges} edges, {counted} counts: {kinds:#?}",
        files.len(),
        texts.len()
    );
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(texts.len() > 1000 && counted > 300);

    let list: Vec<&str> = texts.keys().map(String::as_str).collect();
    let Some(answers) = by_python(&list) else {
        println!("skipped: no python3 to compare the edges with");
        return;
    };
    let mut refused = 0;
    for ((text, path), answer) in texts.iter().zip(answers) {
        if let Some(error) = answer.get("error") {
            refused += 1;
            println!("Python refuses a text of {path}: {error}");
        } else {
            compare(path, text, &answer);
        }
    }
    assert!(refused * 50 < list.len(), "{refused} of {}", list.len());
}

/// A graph of a console: the logger's name, and the text without what stands before each line.
struct Printed {
    logger: String,
    text: String,
}

/// The graphs that a console shows: for this test only.
fn printed(text: &str) -> Vec<Printed> {
    let mut all: Vec<Printed> = Vec::new();
    // Whether lines without a prefix go on with the last graph, as in 2.0.
    let mut bare = false;
    let mut logger = String::new();
    for line in text.lines() {
        let (tag, content) = match tagged(line) {
            Some(found) => {
                bare = found.0 == "output_graph";
                found
            }
            None if bare && !line.starts_with("[2") => ("output_graph", line),
            None => {
                logger.clear();
                bare = false;
                continue;
            }
        };
        let starts = content == "TRACED GRAPH" || content == "graph():";
        if starts || tag != logger {
            tag.clone_into(&mut logger);
            all.push(Printed {
                logger: logger.clone(),
                text: String::new(),
            });
        }
        let text = &mut all.last_mut().unwrap().text;
        text.push_str(content);
        text.push('\n');
    }
    all.retain(|printed| {
        let text = &printed.text;
        text.starts_with("TRACED GRAPH\n") || text.contains("graph():\n")
    });
    all
}

/// The logger of a line and what it says, where it is one that prints graphs.
fn tagged(line: &str) -> Option<(&str, &str)> {
    const LOGGERS: &[&str] = &[
        "graph_code",
        "graph",
        "aot_graphs",
        "aot_joint_graph",
        "pre_grad_graphs",
        "post_grad_graphs",
        "compiled_autograd",
    ];
    for logger in LOGGERS {
        for mark in [format!("[__{logger}] "), format!("[__{logger}_verbose] ")] {
            if let Some((_, content)) = line.split_once(&mark) {
                return Some((logger, content));
            }
        }
        for level in ["INFO", "DEBUG"] {
            for colon in [": ", ":"] {
                let mark = format!(".__{logger}{colon}[{level}] ");
                if let Some((_, content)) = line.split_once(&mark) {
                    return Some((logger, content));
                }
            }
        }
    }
    if let Some((_, content)) = line.split_once("torch._dynamo.output_graph: [INFO] ") {
        return Some(("output_graph", content));
    }
    if let Some((_, content)) = line.split_once("torch._inductor.bounds: [DEBUG] ") {
        return Some(("bounds", content));
    }
    let (_, rest) = line.split_once("torch/_inductor/bounds.py:")?;
    let (_, rest) = rest.split_once("] ")?;
    let (_, content) = rest.split_once("] ")?;
    Some(("bounds", content))
}

#[test]
fn every_console_log_of_the_corpus_is_read() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    collect(&corpus, &[".txt", ".txt.gz", ".log"], &mut files);
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut problems = Vec::new();
    let (mut counted, mut compared) = (0, 0);
    for path in &files {
        let version = path.strip_prefix(&corpus).unwrap().iter().next().unwrap();
        let version = version.to_string_lossy().into_owned();
        if !version.starts_with("torch-") {
            continue;
        }
        let text = String::from_utf8_lossy(&read(path)).into_owned();
        // Calls of the graphs that were compiled, by the logger.
        let mut calls: BTreeMap<String, u64> = BTreeMap::new();
        let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut codes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for printed in printed(&text) {
            let Ok(graph) = FxGraph::parse(printed.text.as_str()) else {
                panic!("{}: {}", path.display(), printed.text);
            };
            for problem in graph.problems() {
                let line = printed.text.lines().nth(problem.row as usize);
                problems.push(format!("{} {problem:?}: {line:?}", path.display()));
            }
            let form = format!("{:?}", graph.modules()[0].form);
            *seen.entry((version.clone(), form)).or_default() += 1;
            if graph
                .title()
                .is_some_and(|title| title.starts_with("__compiled_fn"))
            {
                let edges = match graph.modules()[0].form {
                    Form::Table => &mut tables,
                    _ => &mut codes,
                };
                edges.insert(graph.title().unwrap().to_owned(), names_of_edges(&graph));
                *calls.entry(printed.logger).or_default() += graph.counts(0).1 as u64;
            }
        }
        for (title, edges) in tables {
            if let Some(code) = codes.get(&title) {
                compared += 1;
                assert_eq!(edges, *code, "{} {title}", path.display());
            }
        }
        let facts = path.with_extension("").with_extension("facts.json");
        if let Ok(facts) = std::fs::read(facts) {
            let facts: serde_json::Value = serde_json::from_slice(&facts).unwrap();
            let captured = facts["counters"]["stats"]["calls_captured"].as_u64();
            for (logger, calls) in calls {
                if let Some(captured) = captured {
                    counted += 1;
                    assert_eq!(calls, captured, "{} {logger}", path.display());
                }
            }
        }
    }
    println!("{counted} sums of calls, {compared} tables that stand beside their code, {seen:#?}");
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(counted > 30 && compared > 5);
}

/// Each node of the root, its kind and its inputs.
fn names_of_edges(graph: &FxGraph) -> Vec<String> {
    let nodes = graph.nodes_of(0).map(|(_, node)| {
        let inputs = graph.inputs(node).iter().map(|edge| {
            let from = graph.node(edge.from).unwrap();
            let keyword = graph.keyword(edge).unwrap_or_default();
            format!("{} {keyword}", graph.name(from))
        });
        let inputs: Vec<String> = inputs.collect();
        format!("{} {:?} {inputs:?}", graph.name(node), node.kind)
    });
    nodes.collect()
}
