//! Finds the graphs in a log.

use dynascope_core::payload::fx_graph::{Argument, FxGraph};
use dynascope_core::trace::Builder;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A record that holds a graph, or counts of one.
pub(crate) struct GraphRecord {
    /// Its kind, or the name of the artifact.
    pub(crate) kind: String,
    /// The compilation that wrote it, with its attempt.
    pub(crate) compile_id: String,
    /// Nodes and calls of a compilation's graph, where it is the record of its metrics.
    pub(crate) counts: Option<(usize, usize)>,
    pub(crate) text: String,
}

/// Kinds and artifacts whose payloads are graphs. `graph_dump` holds C++ as well.
fn is_graph(kind: &str) -> bool {
    const OTHERS: &[&str] = &[
        "exported_program",
        "make_fx_fail_partial",
        "dump_file",
        "fx_graph_runnable",
    ];
    let recompiled = kind.starts_with("before_recompile_") || kind.starts_with("after_recompile_");
    (kind.ends_with("_graph") || kind.ends_with("_split_child") || recompiled)
        || OTHERS.contains(&kind)
        || kind == "graph_dump"
}

/// Whether a text holds a graph that is printed as Python.
fn holds_graph(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start().starts_with("def forward("))
}

/// The graphs of a trace and the metrics of its compilations, in their order.
pub(crate) fn graphs(text: &[u8]) -> Vec<GraphRecord> {
    let mut builder = Builder::default();
    builder.feed(text);
    builder.finish();
    let trace = builder.trace();
    let mut graphs = Vec::new();
    for (index, entry) in trace.index.iter() {
        let Some(kind) = trace.kinds.get(entry.kind) else {
            continue;
        };
        let counts = kind.kind == "compilation_metrics";
        let graph = is_graph(&kind.kind) || is_graph(kind.title());
        let kind = match kind.kind.as_str() {
            "artifact" => kind.title(),
            kind => kind,
        };
        if !counts && !graph {
            continue;
        }
        let segment = trace.segment(&text, index).unwrap().unwrap();
        let metadata: Value = serde_json::from_slice(segment.json()).unwrap_or_default();
        let payload = segment.payload.read(&text, usize::MAX).unwrap();
        let payload = String::from_utf8_lossy(&payload).into_owned();
        if counts || holds_graph(&payload) {
            graphs.push(GraphRecord {
                kind: kind.to_owned(),
                compile_id: compile_id(&metadata),
                counts: counts_of(&metadata),
                text: payload,
            });
        }
    }
    graphs
}

fn counts_of(record: &Value) -> Option<(usize, usize)> {
    let metrics = record.get("compilation_metrics")?;
    let count = |name: &str| usize::try_from(metrics[name].as_u64()?).ok();
    Some((count("graph_node_count")?, count("graph_op_count")?))
}

/// The id of a record's compilation, with its attempt.
fn compile_id(record: &Value) -> String {
    let ids = [
        "rank",
        "compiled_autograd_id",
        "frame_id",
        "frame_compile_id",
        "attempt",
    ];
    ids.map(|id| record[id].to_string()).join("/")
}

/// A graph in the words of tools/fx_edges.py.
fn dump(graph: &FxGraph) -> Value {
    let modules = graph.modules().iter().zip(0..).map(|(module, id)| {
        let nodes: Vec<Value> = graph
            .nodes_of(id)
            .map(|(_, node)| {
                let inputs: Vec<Value> = graph
                    .inputs(node)
                    .iter()
                    .map(|edge| {
                        let from = graph.node(edge.from).unwrap();
                        let argument = match edge.argument {
                            Argument::Position(position) => position.to_string(),
                            Argument::Keyword(name) => graph.text(name).to_owned(),
                        };
                        json!([graph.name(from), from.version, argument])
                    })
                    .collect();
                let kind = format!("{:?}", node.kind);
                json!([
                    graph.name(node),
                    node.version,
                    kind,
                    graph.target(node),
                    inputs
                ])
            })
            .collect();
        json!({ "name": graph.module_name(module), "parent": module.parent, "nodes": nodes })
    });
    Value::Array(modules.collect())
}

/// What the tool in tools/fx_edges.py says of each text; `None` where there is no Python.
pub(crate) fn by_python(texts: &[&str]) -> Option<Vec<Value>> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/fx_edges.py");
    let mut child = Command::new("python3")
        .arg(tool)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take().unwrap();
    let lines: Vec<String> = texts
        .iter()
        .map(|text| serde_json::to_string(text).unwrap())
        .collect();
    let writer = std::thread::spawn(move || {
        for line in lines {
            writeln!(input, "{line}").unwrap();
        }
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), texts.len());
    Some(answers)
}

/// Sees that a text is read as Python reads it.
pub(crate) fn compare(name: &str, text: &str, by_python: &Value) {
    let ours = dump(&FxGraph::parse(text).unwrap());
    if ours != *by_python {
        let (ours, theirs) = (format!("{ours:#}"), format!("{by_python:#}"));
        let differs = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        panic!("{name}: {differs:?}\n{text}\n{ours}\n{theirs}");
    }
}
