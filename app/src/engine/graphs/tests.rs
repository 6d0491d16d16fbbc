use super::*;
use crate::engine::fixture;
use crate::engine::protocol::{GraphShown, Picture, What};
use dynascope_core::trace::Builder;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A log with its graphs.
struct Log {
    builder: Builder,
    text: Vec<u8>,
    graphs: Graphs,
}

impl Log {
    fn of(text: Vec<u8>) -> Log {
        let mut builder = Builder::default();
        builder.feed(&text);
        builder.finish();
        Log {
            builder,
            text,
            graphs: Graphs::default(),
        }
    }

    /// A log of tests/fixtures.
    fn fixture(path: &str) -> Log {
        Log::of(fixture::open(path).1)
    }

    /// A log of a compilation for each of these graphs; the first one is record 0.
    fn with(graphs: &[&str]) -> Log {
        let mut text = String::new();
        for (number, graph) in graphs.iter().enumerate() {
            let graph = graph.replace('\n', "\n\t");
            let _ = writeln!(
                text,
                "V1129 12:00:00.000000 42 torch/_dynamo/output_graph.py:28] {{\"dynamo_output_graph\": {{}}, \"frame_id\": 0, \"frame_compile_id\": {number}, \"attempt\": 0, \"has_payload\": \"00\"}}\n\t{graph}"
            );
        }
        Log::of(text.into_bytes())
    }

    /// The records of a kind.
    fn records(&self, kind: &str) -> Vec<RecordIndex> {
        let trace = self.builder.trace();
        let all = trace.index.iter().filter(|(_, entry)| {
            trace
                .kinds
                .get(entry.kind)
                .is_some_and(|it| it.kind == kind)
        });
        all.map(|(index, _)| index).collect()
    }

    fn read(&mut self, record: RecordIndex) {
        while !self
            .graphs
            .step(self.builder.trace(), &self.text, record)
            .unwrap()
        {}
    }

    fn view(&mut self, shown: &GraphShown) -> GraphView {
        self.read(shown.record);
        if let Some(against) = shown.against {
            self.read(against);
        }
        self.graphs.view(self.builder.trace(), shown).unwrap()
    }
}

fn shown(record: RecordIndex) -> GraphShown {
    GraphShown {
        log: 0,
        record,
        module: 0,
        open: None,
        against: None,
    }
}

fn labels(picture: &Picture) -> Vec<String> {
    let boxes = picture.boxes.iter();
    boxes
        .map(|one| format!("{} {}", one.label, one.detail))
        .collect()
}

/// Blocks of operations, each a call of one function of four lines that do several things.
fn blocks(count: usize) -> String {
    let mut text =
        "class GraphModule(torch.nn.Module):\n    def forward(self, v0: \"f32[4]\"):\n".to_owned();
    let mut last = 0;
    for _ in 0..count {
        for line in 10..14 {
            let _ = writeln!(
                text,
                "         # File: /srv/model.py:{line} in block, code: x = step{line}(x)"
            );
            let mut ops = ["sin", "cos", "exp", "relu", "tanh", "abs"];
            ops.rotate_left(line - 10);
            for op in ops {
                let _ = writeln!(
                    text,
                    "        v{}: \"f32[4]\" = torch.ops.aten.{op}.default(v{last})",
                    last + 1
                );
                last += 1;
            }
        }
    }
    text + &format!("        return (v{last},)\n")
}

#[test]
fn a_graph_of_a_real_log_is_drawn_whole() {
    let mut log = Log::fixture("torch-2.15.0/rc_shape.log.gz");
    let record = log.records("dynamo_output_graph")[0];
    let view = log.view(&shown(record));
    assert_eq!(view.name, "dynamo_output_graph");
    assert_eq!(view.compilation.as_ref().unwrap().1, "[0/0]");
    assert_eq!(
        (view.record, view.module, &view.trouble),
        (record, 0, &None)
    );
    assert_eq!((view.summary.operations, view.summary.inputs), (3, 2));
    assert!(!view.is_sketch());
    assert_eq!(
        labels(&view.picture),
        [
            "f · rc_shape.py:7 3 operations",
            "l_x_ f32[4, 3]",
            "l_y_ f32[4, 3]",
            "mul f32[4, 3]",
            "add f32[4, 3]",
            "relu f32[4, 3]",
            "output "
        ]
    );
    let links: BTreeSet<(u32, u32)> = view
        .picture
        .links
        .iter()
        .map(|it| (it.from, it.to))
        .collect();
    assert_eq!(
        links,
        BTreeSet::from([(1, 3), (2, 4), (3, 4), (4, 5), (5, 6)])
    );
    // The other compilation of the function is offered for comparison, and the stages of this one.
    assert_eq!(
        view.others
            .iter()
            .map(|it| it.1.as_str())
            .collect::<Vec<_>>(),
        ["[0/1]"]
    );
    assert!(
        view.siblings
            .iter()
            .any(|(_, name)| name == "inductor_post_grad_graph")
    );
}

#[test]
fn a_large_graph_is_a_sketch_whose_blocks_open() {
    let mut log = Log::with(&[&blocks(12)]);
    let view = log.view(&shown(0));
    assert!(view.is_sketch());
    // The block with how often it is repeated, and the first of them open.
    let (first, times) = ("block · model.py:10–13", 12);
    let boxes = &view.picture.boxes;
    let found: Vec<_> = boxes.iter().filter(|it| it.label == first).collect();
    assert_eq!(found.len(), 1 + times, "{:?}", labels(&view.picture));
    assert_eq!(
        (found[0].times, found[0].detail.as_str()),
        (12, "288 operations")
    );
    assert_eq!(
        (found[1].times, found[1].detail.as_str()),
        (1, "24 operations")
    );
    assert!(matches!(found[0].what, What::Frame(_)) && matches!(found[1].what, What::Frame(_)));
    assert!(
        boxes
            .iter()
            .any(|it| it.label == "13: x = step13(x)" && it.detail == "6 operations")
    );
    assert!(boxes.len() < 25);
    // Another block opens where it is.
    let What::Closed(group) = found[2].what else {
        panic!("{:?}", found[2].what)
    };
    let mut open = view.open.clone();
    open.push(group);
    let opened = log.view(&GraphShown {
        open: Some(open),
        ..shown(0)
    });
    assert!(
        opened
            .picture
            .boxes
            .iter()
            .any(|it| it.what == What::Frame(group))
    );
    assert_eq!(opened.picture.boxes.len(), boxes.len() + 4);
    // With all open, every node is a box; with none, all of the work is one or two.
    let all = log.view(&GraphShown {
        open: Some((0..view.groups).collect()),
        ..shown(0)
    });
    let nodes = all
        .picture
        .boxes
        .iter()
        .filter(|it| matches!(it.what, What::Node(_)));
    assert_eq!(nodes.count(), 12 * 24 + 2);
    let none = log.view(&GraphShown {
        open: Some(Vec::new()),
        ..shown(0)
    });
    assert!(none.picture.boxes.len() <= 4, "{:?}", labels(&none.picture));
    // Groups that are not there are no trouble.
    let odd = log.view(&GraphShown {
        open: Some(vec![9_999, u32::MAX]),
        ..shown(0)
    });
    assert_eq!(odd.picture.boxes.len(), none.picture.boxes.len());
}

#[test]
fn boxes_do_not_overlap() {
    let mut log = Log::with(&[&blocks(12)]);
    let groups = log.view(&shown(0)).groups;
    for open in [None, Some(Vec::new()), Some((0..groups).collect())] {
        let view = log.view(&GraphShown { open, ..shown(0) });
        let boxes: Vec<[f32; 4]> = view
            .picture
            .boxes
            .iter()
            .filter(|it| !matches!(it.what, What::Frame(_)))
            .map(|it| it.at)
            .collect();
        for (at, one) in boxes.iter().enumerate() {
            for other in &boxes[at + 1..] {
                let apart = |side: usize| {
                    one[side] + one[side + 2] <= other[side]
                        || other[side] + other[side + 2] <= one[side]
                };
                assert!(apart(0) || apart(1), "{one:?} {other:?}");
            }
        }
    }
}

#[test]
fn words_leave_the_nodes_that_hold_them_all() {
    let mut log = Log::with(&[&blocks(2)]);
    let view = log.view(&shown(0));
    let found = |filter: &str| log.graphs.nodes(&shown(0), filter, 0, 100).unwrap();
    assert_eq!(
        (found("").matching, found("").total),
        (view.summary.nodes, view.summary.nodes)
    );
    assert_eq!(found("SIN").matching, 8);
    assert_eq!(found("sin step11").matching, 2);
    assert_eq!(found("model.py:12").matching, 12);
    assert_eq!(found("f32[4] block").matching, 48);
    assert_eq!(found("input").matching, 1);
    assert_eq!(found("nowhere").matching, 0);
    let page = log.graphs.nodes(&shown(0), "step13", 3, 2).unwrap();
    assert_eq!((page.first, page.rows.len(), page.matching), (3, 2, 12));
    assert_eq!(page.rows[0].label, "sin");
    assert_eq!(page.rows[0].place, Some(("/srv/model.py".to_owned(), 13)));
}

#[test]
fn a_node_says_what_it_takes_who_takes_it_and_where_it_stands() {
    let mut log = Log::fixture("torch-2.15.0/rc_shape.log.gz");
    let record = log.records("dynamo_output_graph")[0];
    let view = log.view(&shown(record));
    let add = view
        .picture
        .boxes
        .iter()
        .find(|it| it.label == "add")
        .unwrap();
    let What::Node(number) = add.what else {
        panic!("{:?}", add.what)
    };
    let node = log.graphs.node(&shown(record), number).unwrap().unwrap();
    assert_eq!(
        (node.name.as_str(), node.kind.as_str()),
        ("add", "call_function")
    );
    assert_eq!(node.annotation.as_deref(), Some("f32[4, 3][3, 1]cpu"));
    assert_eq!(node.bytes, Some(48));
    let names =
        |all: &[(u32, String, String)]| all.iter().map(|it| it.1.clone()).collect::<Vec<_>>();
    assert_eq!(names(&node.inputs), ["mul", "l_y_"]);
    assert_eq!(names(&node.users), ["relu"]);
    let place = node.place.unwrap();
    assert_eq!(
        (place.file.as_str(), place.line),
        ("/srv/demo/rc_shape.py", 7)
    );
    assert_eq!(place.code.as_deref(), Some("return (x * 2 + y).relu()"));
    // Its line, and the name at a place of the text.
    let value = log
        .graphs
        .value(record, node.line, Some(8))
        .unwrap()
        .unwrap();
    assert_eq!(value.node.name, "add");
    assert_eq!(value.definition.unwrap().line, node.line);
    assert_eq!(value.uses[0].line, node.line + 1);
    assert_eq!(log.graphs.value(record, 1, Some(0)).unwrap(), None);
    assert_eq!(
        log.graphs.value(record, u32::MAX, Some(u32::MAX)).unwrap(),
        None
    );
    assert_eq!(log.graphs.node(&shown(record), u32::MAX).unwrap(), None);
}

#[test]
fn sizes_that_became_symbols_are_changes_and_renumbering_is_none() {
    let mut log = Log::fixture("torch-2.15.0/rc_shape.log.gz");
    let records = log.records("dynamo_output_graph");
    let view = log.view(&GraphShown {
        against: Some(records[0]),
        ..shown(records[1])
    });
    let against = view.against.unwrap();
    assert_eq!((against.record, against.removed), (records[0], 0));
    assert_eq!(against.compilation.unwrap().1, "[0/0]");
    let changed = |label: &str| {
        let one = view
            .picture
            .boxes
            .iter()
            .find(|it| it.label == label)
            .unwrap();
        (one.change, one.detail.clone())
    };
    assert_eq!(
        changed("mul"),
        (NodeChange::Changed, "f32[4, 3] → f32[s17, 3]".to_owned())
    );
    assert_eq!(changed("output").0, NodeChange::Same);
    // With itself nothing differs.
    let same = log.view(&GraphShown {
        against: Some(records[1]),
        ..shown(records[1])
    });
    let against = same.against.unwrap();
    assert_eq!((against.added, against.removed, against.changed), (0, 0, 0));
}

#[test]
fn what_is_gone_stays_in_the_picture() {
    let graph = |body: &str| {
        format!(
            "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n{body}"
        )
    };
    let old = graph(
        "        sin: \"f32[4]\" = torch.sin(x)\n        cos: \"f32[4]\" = torch.cos(sin)\n        exp: \"f32[4]\" = torch.exp(cos)\n        return (exp,)\n",
    );
    let new = graph(
        "        sin: \"f32[4]\" = torch.sin(x)\n        exp: \"f32[4]\" = torch.exp(sin)\n        neg: \"f32[4]\" = torch.neg(exp)\n        return (neg,)\n",
    );
    let mut log = Log::with(&[&old, &new]);
    let compared = GraphShown {
        against: Some(0),
        ..shown(1)
    };
    let view = log.view(&compared);
    let against = view.against.as_ref().unwrap();
    assert_eq!((against.added, against.removed), (1, 1));
    let of = |change| {
        let boxes = view
            .picture
            .boxes
            .iter()
            .filter(move |it| it.change == change);
        boxes.map(|it| it.label.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(NodeChange::Added), ["neg"]);
    assert_eq!(of(NodeChange::Removed), ["cos"]);
    // What is gone leads where it led: from `sin` to `exp`, which are in both.
    let gone = view
        .picture
        .boxes
        .iter()
        .position(|it| it.label == "cos")
        .unwrap();
    let place = |label: &str| {
        view.picture
            .boxes
            .iter()
            .position(|it| it.label == label)
            .unwrap()
    };
    let ends: BTreeSet<(usize, usize)> = view
        .picture
        .links
        .iter()
        .map(|it| (it.from as usize, it.to as usize))
        .collect();
    assert!(ends.contains(&(place("sin"), gone)) && ends.contains(&(gone, place("exp"))));
    let What::Node(number) = view.picture.boxes[gone].what else {
        panic!("a node")
    };
    let node = log.graphs.node(&compared, number).unwrap().unwrap();
    assert!(node.is_old && node.change == NodeChange::Removed);
    assert_eq!(node.inputs[0].1, "sin");
    // The list holds it too.
    let page = log.graphs.nodes(&compared, "cos", 0, 10).unwrap();
    assert_eq!(page.rows[0].node, number);
    // Without the comparison there is no such node.
    assert_eq!(log.graphs.node(&shown(1), number).unwrap(), None);
}

#[test]
fn text_that_is_no_graph_says_where_reading_stopped() {
    let mut log = Log::with(&["import torch\nprint('no graph')\n"]);
    let view = log.view(&shown(0));
    let trouble = view.trouble.expect("a trouble");
    assert!(
        trouble.line >= 1 && trouble.said.contains(&format!("line {}", trouble.line)),
        "{trouble:?}"
    );
    assert!(view.picture.boxes.is_empty());
    assert_eq!(log.graphs.value(0, 1, Some(0)).unwrap(), None);
    log.graphs.nodes(&shown(0), "", 0, 10).unwrap_err();
    // A line that is not understood is shown as it is, and named.
    let mut log = Log::with(&[
        "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4]\"):\n        ??? what is this\n        return (x,)\n",
    ]);
    let view = log.view(&shown(0));
    assert_eq!((view.wrong, view.trouble), (1, None));
    assert_eq!(view.wrong_lines, [(3, "??? what is this".to_owned())]);
    assert!(
        view.picture
            .boxes
            .iter()
            .any(|it| it.label == "??? what is this")
    );
}

#[test]
fn a_graph_that_was_not_read_and_a_module_that_is_not_there_are_said() {
    let mut log = Log::with(&[&blocks(1)]);
    assert_eq!(
        log.graphs.view(log.builder.trace(), &shown(0)).unwrap_err(),
        words::NOT_READ
    );
    log.read(0);
    let nowhere = GraphShown {
        module: 7,
        ..shown(0)
    };
    assert_eq!(
        log.graphs.view(log.builder.trace(), &nowhere).unwrap_err(),
        words::no_module(7)
    );
    log.graphs.node(&nowhere, 0).unwrap_err();
}

#[test]
fn a_payload_of_several_modules_shows_each() {
    let text = "class GraphModule(torch.nn.Module):
    def forward(self, x: \"f32[4]\"):
        true_graph_0 = self.true_graph_0
        cond = torch.ops.higher_order.cond(x, true_graph_0, true_graph_0, [x])
        return (cond,)
    class true_graph_0(torch.nn.Module):
        def forward(self, y: \"f32[4]\"):
            sin: \"f32[4]\" = torch.sin(y)
            return (sin,)
";
    let mut log = Log::with(&[text]);
    let view = log.view(&shown(0));
    assert_eq!(view.modules.len(), 2);
    let cond = view
        .picture
        .boxes
        .iter()
        .find(|it| it.label == "cond")
        .unwrap();
    let What::Node(number) = cond.what else {
        panic!("a node")
    };
    let node = log.graphs.node(&shown(0), number).unwrap().unwrap();
    assert_eq!(node.calls, [(1, view.modules[1].0.clone())]);
    let inner = log.view(&GraphShown {
        module: 1,
        ..shown(0)
    });
    assert_eq!(
        labels(&inner.picture),
        ["y f32[4]", "sin f32[4]", "output "]
    );
    // The outer graph's nodes are none of the inner one.
    assert_eq!(
        log.graphs
            .node(
                &GraphShown {
                    module: 1,
                    ..shown(0)
                },
                number
            )
            .unwrap(),
        None
    );
}

#[test]
fn hostile_names_and_huge_labels_are_cut_and_kept_as_text() {
    let long = "x".repeat(50_000);
    let text = format!(
        "class GraphModule(torch.nn.Module):\n    def forward(self, {long}: \"f32[4]\"):\n         # File: /srv/<script>alert(1)</script>.py:1 in f, code: \u{202e}evil()\n        b: \"{long}\" = torch.ops.{long}.default({long}, '<img src=x>')\n        return (b,)\n"
    );
    let mut log = Log::with(&[&text]);
    let view = log.view(&shown(0));
    assert_eq!(view.trouble, None);
    for one in &view.picture.boxes {
        assert!(one.label.chars().count() <= 40 && one.detail.chars().count() <= 40);
        assert!(one.at[2] <= 300.0);
    }
    let page = log.graphs.nodes(&shown(0), "", 0, 10).unwrap();
    assert!(page.rows.iter().all(|row| row.name.chars().count() <= 201));
    let place = page.rows[1].place.clone().unwrap();
    assert_eq!(place.0, "/srv/<script>alert(1)</script>.py");
}

#[test]
fn the_same_graph_opened_further_keeps_its_order() {
    let mut log = Log::with(&[&blocks(12)]);
    let first = log.view(&shown(0));
    let again = log.view(&shown(0));
    assert_eq!(first.picture, again.picture);
}
