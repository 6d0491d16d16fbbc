//! Printed graphs of each form and many versions, held against what was reviewed, against Python's own
//! parser, and against PyTorch's counts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;
mod fx_records;

use dynascope_core::analysis::graph_summary::summarise;
use dynascope_core::payload::fx_graph::{Argument, Form, FxGraph, Node};
use files::read;
use fx_records::{by_python, compare, graphs};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The graphs in fx_graphs, by their names.
fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fx_graphs");
    let mut paths: Vec<PathBuf> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[test]
fn printed_graphs_are_read_as_they_were_reviewed() {
    let texts = texts();
    assert!(texts.len() > 20);
    for (name, text) in texts {
        let graph = FxGraph::parse(text.as_str()).unwrap();
        insta::assert_snapshot!(name, said(&graph));
    }
}

#[test]
fn edges_are_those_that_python_finds() {
    let mut texts = texts();
    texts.retain(|(_, text)| {
        FxGraph::parse(text.as_str()).unwrap().modules()[0].form == Form::Python
    });
    for path in fixtures() {
        let graphs = graphs(&read(&path)).into_iter();
        let graphs = graphs.filter(|graph| graph.kind != "compilation_metrics");
        texts.extend(graphs.map(|graph| (path.display().to_string(), graph.text)));
    }
    let list: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let Some(answers) = by_python(&list) else {
        println!("skipped: no python3 to compare the edges with");
        return;
    };
    for ((name, text), answer) in texts.iter().zip(answers) {
        compare(name, text, &answer);
    }
}

#[test]
fn nodes_are_as_many_as_pytorch_counted() {
    let mut counted = 0;
    for path in fixtures() {
        let mut last = None;
        for record in graphs(&read(&path)) {
            if record.kind == "dynamo_output_graph" {
                let graph = FxGraph::parse(record.text.as_str()).unwrap();
                last = Some((record.compile_id, graph.counts(0)));
            } else if let Some(counts) = record.counts
                && let Some((_, found)) = last.take_if(|(id, _)| *id == record.compile_id)
            {
                assert_eq!(found, counts, "{} {}", path.display(), record.compile_id);
                counted += 1;
            }
        }
    }
    assert!(counted >= 15, "{counted}");
}

fn fixtures() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    [
        "torch-2.3.1/gb_datadep.log",
        "torch-2.3.1/rc_limit.log",
        "torch-2.5.1/gb_open.log",
        "torch-2.5.1/rc_limit.log",
        "torch-2.5.1/dedicated_log_torch_trace_rank_0_jcles7py.log",
        "torch-2.15.0/export_nonstrict.log",
        "torch-2.15.0/rc_shape.log.gz",
        "torch-2.15.0/small_all.log.gz",
        "torch-2.15.0/dedicated_log_torch_trace_rank_0_25t122cd.log",
    ]
    .map(|name| fixtures.join(name))
    .into()
}

fn said(graph: &FxGraph) -> String {
    let mut out = String::new();
    if let Some(title) = graph.title() {
        writeln!(out, "title {title}").unwrap();
    }
    for (id, module) in (0..).zip(graph.modules()) {
        let summary = summarise(graph, id);
        let name = graph.module_name(module);
        writeln!(
            out,
            "module {id} {name:?} in {:?}, {:?}, rows {:?}: {} nodes, {} calls",
            module.parent, module.form, module.rows, summary.nodes, summary.calls
        )
        .unwrap();
        for (_, node) in graph.nodes_of(id) {
            writeln!(out, "  {}", line(graph, node)).unwrap();
        }
        writeln!(out, "  classes {:?}", summary.classes).unwrap();
        writeln!(
            out,
            "  inputs {:?}, results {:?}",
            summary.inputs, summary.results
        )
        .unwrap();
        writeln!(
            out,
            "  devices {:?}, copies {:?}",
            summary.devices, summary.copies
        )
        .unwrap();
    }
    for problem in graph.problems() {
        writeln!(out, "problem {problem:?}").unwrap();
    }
    out
}

fn line(graph: &FxGraph, node: &Node) -> String {
    let mut out = format!("{} {:?} {}", node.row, node.kind, graph.name(node));
    let target = graph.target(node);
    if !target.is_empty() && target != graph.name(node) {
        write!(out, " = {target}").unwrap();
    }
    let inputs: Vec<String> = graph
        .inputs(node)
        .iter()
        .map(|edge| {
            let from = graph.name(graph.node(edge.from).unwrap());
            match edge.argument {
                Argument::Position(position) => format!("{position}: {from}"),
                Argument::Keyword(name) => format!("{}: {from}", graph.text(name)),
            }
        })
        .collect();
    if !inputs.is_empty() {
        write!(out, " ({})", inputs.join(", ")).unwrap();
    }
    if let Some(text) = node.type_text {
        write!(out, " {}", graph.text(text)).unwrap();
    }
    write!(out, " [{}]", graph.op_class(node).name()).unwrap();
    if let Some(location) = graph.location(node) {
        let file = graph.text(location.file).rsplit('/').next().unwrap();
        write!(out, " {file}:{}", location.line).unwrap();
    }
    if let Some(remark) = node.remark {
        write!(out, " # {}", graph.text(remark)).unwrap();
    }
    if let Some(module) = node.submodule {
        write!(out, " -> module {module}").unwrap();
    }
    for returned in graph.returned(node) {
        if let Some(remark) = returned.remark {
            let (value, remark) = (graph.text(returned.value), graph.text(remark));
            write!(out, "\n    {value} # {remark}").unwrap();
        }
    }
    let freed: Vec<&str> = graph
        .freed(node)
        .map(|id| graph.name(graph.node(id).unwrap()))
        .collect();
    if !freed.is_empty() {
        write!(out, " frees {}", freed.join(" ")).unwrap();
    }
    out
}
