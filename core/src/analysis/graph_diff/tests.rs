use super::*;

fn graph(body: &str, arguments: &str) -> FxGraph {
    FxGraph::parse(format!(
        "class GraphModule(torch.nn.Module):\n    def forward(self, {arguments}):\n{}",
        body.lines()
            .map(|line| format!("        {line}\n"))
            .collect::<String>()
    ))
    .unwrap()
}

use alloc::format;

fn diff(old: &FxGraph, new: &FxGraph) -> GraphDiff {
    GraphDiff::of((old, 0), (new, 0))
}

fn named(graph: &FxGraph, id: NodeId) -> &str {
    graph.name(graph.node(id).unwrap())
}

#[test]
fn renumbering_is_no_difference() {
    let old = graph(
        "sin: \"f32[4, s0]\" = torch.sin(x);  x = None\nreturn (sin,)",
        "x: \"f32[4, s0]\"",
    );
    let new = graph(
        "sin_1: \"f32[4, s77]\" = torch.sin(y);  y = None\nreturn (sin_1,)",
        "y: \"f32[4, s77]\"",
    );
    let diff = diff(&old, &new);
    assert!(diff.changes.is_empty(), "{:?}", diff.changes);
    assert!(diff.old_of.iter().all(Option::is_some));
    assert!(diff.new_of.iter().all(Option::is_some));
}

#[test]
fn a_dimension_that_became_a_symbol_is_named() {
    let old = graph(
        "sin: \"f32[4, 8]\" = torch.sin(x)\nreturn (sin,)",
        "x: \"f32[4, 8]\"",
    );
    let new = graph(
        "sin: \"f32[s0, 8]\" = torch.sin(x)\nreturn (sin,)",
        "x: \"f32[s0, 8]\"",
    );
    let diff = diff(&old, &new);
    let changed: Vec<(&str, &[Difference])> = diff
        .changes
        .iter()
        .map(|(id, what)| (named(&new, *id), what.as_slice()))
        .collect();
    let change = [Difference::Annotation(
        "f32[4, 8]".to_owned(),
        "f32[s0, 8]".to_owned(),
    )];
    assert_eq!(
        changed,
        [("x", change.as_slice()), ("sin", change.as_slice())]
    );
}

#[test]
fn a_size_that_is_given_apart_is_new_and_the_tensor_stays_the_same_one() {
    let old = graph(
        "sin: \"f32[4]\" = torch.sin(x)\nreturn (sin,)",
        "x: \"f32[4]\"",
    );
    let new = graph(
        "sin: \"f32[s77]\" = torch.sin(x)\nreturn (sin,)",
        "s77: \"Sym(s77)\", x: \"f32[s77]\"",
    );
    let diff = diff(&old, &new);
    assert_eq!(diff.old_of, [None, Some(0), Some(1), Some(2)]);
    let changed: Vec<&str> = diff
        .changes
        .iter()
        .map(|(id, _)| named(&new, *id))
        .collect();
    assert_eq!(changed, ["x", "sin"]);
}

#[test]
fn one_symbol_for_two_is_a_difference() {
    let old = graph(
        "a: \"f32[s0, s1]\" = torch.sin(x)\nreturn (a,)",
        "x: \"f32[s0, s1]\"",
    );
    let new = graph(
        "a: \"f32[s0, s0]\" = torch.sin(x)\nreturn (a,)",
        "x: \"f32[s0, s0]\"",
    );
    assert_eq!(diff(&old, &new).changes.len(), 2);
}

#[test]
fn nodes_that_are_new_or_gone_have_no_partner() {
    let old = graph(
        "a: \"f32[4]\" = torch.sin(x)\nb: \"f32[4]\" = torch.cos(a)\nreturn (b,)",
        "x: \"f32[4]\"",
    );
    let new = graph(
        "a: \"f32[4]\" = torch.sin(x)\nt: \"f32[4]\" = torch.tanh(a)\nb: \"f32[4]\" = torch.cos(t)\nreturn (b,)",
        "x: \"f32[4]\"",
    );
    let there = diff(&old, &new);
    let added: Vec<_> = new
        .nodes_of(0)
        .zip(&there.old_of)
        .filter(|(_, old)| old.is_none())
        .map(|((id, _), _)| named(&new, id))
        .collect();
    assert_eq!(added, ["t"]);
    // What takes the new node takes another one.
    assert_eq!(there.changes.len(), 1);
    assert_eq!(named(&new, there.changes[0].0), "b");
    assert_eq!(there.changes[0].1, [Difference::Inputs]);
    let back = diff(&new, &old);
    assert_eq!(back.new_of.iter().filter(|new| new.is_none()).count(), 1);
}

#[test]
fn other_constants_and_other_targets_are_named() {
    let old = graph(
        "a: \"f32[4]\" = torch.add(x, 1, alpha = 2)\nb: \"f32[4]\" = torch.sin(a)\nreturn (b,)",
        "x: \"f32[4]\"",
    );
    let new = graph(
        "a: \"f32[4]\" = torch.add(x, 3, alpha = 2)\nb: \"f32[4]\" = torch.cos(a)\nreturn (b,)",
        "x: \"f32[4]\"",
    );
    let there = diff(&old, &new);
    assert!(
        matches!(&there.changes[0].1[..], [Difference::Arguments(old, new)] if old.contains('1') && new.contains('3'))
    );
    assert_eq!(
        there.changes[1].1,
        [Difference::Target(
            "torch.sin".to_owned(),
            "torch.cos".to_owned()
        )]
    );
}
