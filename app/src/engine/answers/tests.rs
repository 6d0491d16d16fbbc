use super::records::record_row;
use super::*;
use crate::engine::diffs::Diffs;
use crate::engine::protocol::{Column, Direction, Form, FrameView, MAX_ROW_BYTES, Sort};
use crate::engine::texts::{Texts, Wanted};
use dynascope_core::trace::Builder;
use std::path::Path;

/// A log of tests/fixtures: its trace and its text.
fn open(path: &str) -> (Builder, Vec<u8>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/fixtures")
        .join(path);
    let text = std::fs::read(path).expect("a fixture");
    let mut builder = Builder::default();
    builder.feed(&text);
    builder.finish();
    (builder, text)
}

fn ids(trace: &Trace, column: Column, direction: Direction, filter: &str) -> Vec<String> {
    let order = order(trace, Sort { column, direction }, filter);
    let page = compilations(trace, &order, 0, 100);
    assert_eq!(page.matching as usize, page.rows.len());
    page.rows.into_iter().map(|row| row.label).collect()
}

#[test]
fn a_console_message_is_a_record_with_its_prefix_as_metadata() {
    let log = b"[rank3]: V1129 11:42:04.585000 7 torch/_dynamo/guards.py:5307] [0/1_2] [__graph_code] TRACED GRAPH\n\
        [rank3]: V1129 11:42:04.585000 7 torch/_dynamo/guards.py:5307] [0/1_2] [__graph_code] a = 1\n";
    let mut builder = Builder::default();
    builder.feed(log);
    builder.finish();
    let (trace, log) = (builder.trace(), log.to_vec());
    let view = record(trace, &log, 0).expect("a record");
    assert!(view.prefix.ends_with("[__graph_code]"), "{}", view.prefix);
    assert_eq!(view.payload_bytes, Some(18));
    assert_eq!(view.problems, [""; 0]);
    for member in [
        "\"level\": \"DEBUG\"",
        "\"compile_id\": \"0/1_2\"",
        "\"rank\": 3",
        "\"lineno\": 5307",
        "\"artifact\": \"graph_code\"",
    ] {
        assert!(
            view.metadata.contains(member),
            "{member}: {}",
            view.metadata
        );
    }
    let row = record_row(trace, &log, 0).expect("a row");
    assert_eq!(row.origin, "torch/_dynamo/guards.py:5307");
    assert_eq!(row.attempt, 2);
    assert_eq!(row.time, "1129 11:42:04.585000");
}

#[test]
fn the_table_is_sorted_and_filtered_by_the_engine() {
    let (builder, _) = open("torch-2.5.1/rc_limit.log");
    let trace = builder.trace();
    let all = [
        "[0/0]", "[0/1]", "[0/2]", "[0/3]", "[0/4]", "[0/5]", "[0/6]", "[0/7]", "[0/8]",
    ];
    assert_eq!(ids(trace, Column::Id, Direction::Ascending, ""), all);
    let mut reversed = all;
    reversed.reverse();
    assert_eq!(ids(trace, Column::Id, Direction::Descending, ""), reversed);
    assert_eq!(
        ids(trace, Column::Id, Direction::Ascending, "0/3 RC_limit ok"),
        ["[0/3]"]
    );
    assert_eq!(
        ids(trace, Column::Id, Direction::Ascending, "nowhere"),
        [""; 0]
    );
    let slowest = order(
        trace,
        Sort {
            column: Column::Seconds,
            direction: Direction::Descending,
        },
        "",
    );
    let seconds: Vec<_> = slowest
        .iter()
        .map(|&i| trace.compilations[i as usize].seconds().unwrap_or(-1.0))
        .collect();
    assert!(seconds.is_sorted_by(|a, b| a >= b), "{seconds:?}");
}

#[test]
fn a_page_of_the_table_is_a_stretch_of_it() {
    let (builder, _) = open("torch-2.5.1/rc_limit.log");
    let order: Vec<u32> = (0..9).collect();
    let page = compilations(builder.trace(), &order, 7, 10);
    assert_eq!(
        (page.total, page.matching, page.first, page.rows.len()),
        (9, 9, 7, 2)
    );
    assert!(
        compilations(builder.trace(), &order, 10, 10)
            .rows
            .is_empty()
    );
}

#[test]
fn the_overview_counts_what_the_log_holds() {
    let (builder, _) = open("torch-2.5.1/rc_limit.log");
    let overview = overview(builder.trace());
    assert_eq!(
        (overview.frames, overview.compilations, overview.recompiles),
        (1, 9, 7)
    );
    // The call that hit the limit left a reason, and was not compiled.
    assert_eq!(
        overview.by_status,
        [(Status::Ok, 8), (Status::NoMetrics, 1)]
    );
    assert_eq!(overview.torch_version.as_deref(), Some("2.5"));
    assert!(
        overview
            .compile_seconds
            .is_some_and(|seconds| seconds > 0.0)
    );
}

#[test]
fn a_compilation_knows_its_stack_its_failure_and_its_neighbours() {
    let (builder, text) = open("torch-2.5.1/err_backend.log");
    let key = CompilationKey {
        process: 0,
        generation: 0,
        id: "0/0".into(),
    };
    let view = compilation(builder.trace(), &text, &key).unwrap();
    assert_eq!(view.row.status, Status::Error);
    assert_eq!(
        view.failures[0].kind.as_deref(),
        Some("BackendCompilerFailed")
    );
    assert_eq!(view.stack.last().unwrap().function, "f");
    assert_eq!((view.previous, view.next), (None, None));
    let unknown = CompilationKey {
        process: 0,
        generation: 0,
        id: "9/9".into(),
    };
    assert_eq!(
        compilation(builder.trace(), &text, &unknown),
        Err("This log holds no compilation [9/9].".into())
    );
    let nonsense = CompilationKey {
        process: 0,
        generation: 0,
        id: "x".into(),
    };
    assert!(compilation(builder.trace(), &text, &nonsense).is_err());
}

#[test]
fn every_artifact_opens_as_text_of_the_size_that_the_list_says() {
    for path in [
        "torch-2.5.1/rc_limit.log",
        "torch-2.3.1/gb_datadep.log",
        "torch-2.15.0/err_backend.log",
    ] {
        let (builder, text) = open(path);
        let trace = builder.trace();
        let mut texts = Texts::default();
        for artifact in trace.compilations.iter().flat_map(|c| &c.artifacts) {
            let wanted = Wanted {
                record: artifact.record,
                form: Form::default(),
                first: 0,
            };
            while !texts.step(trace, &text, wanted).unwrap() {}
            let page = texts.page(trace, &text, wanted, 10).unwrap();
            assert!(page.rows > 0 && !page.page.is_empty(), "{path}");
            assert!(page.page.iter().all(|row| row.text.len() <= MAX_ROW_BYTES));
            if page.checksum == Checksum::Matches {
                assert_eq!(page.bytes, artifact.bytes, "{path}: {}", page.name);
            } else {
                // Metrics have no payload; their metadata is shown.
                assert!(page.name.ends_with("metrics"), "{path}: {}", page.name);
            }
        }
    }
}

#[test]
fn records_are_listed_in_the_order_of_the_file_and_read_back() {
    let (builder, text) = open("torch-2.3.1/gb_datadep.log");
    let trace = builder.trace();
    let all = matching_records(trace, "", None);
    let page = records(trace, &text, &all, 0, 1_000).unwrap();
    assert_eq!(page.rows.len(), trace.index.len());
    assert!(page.rows.is_sorted_by_key(|row| row.line));
    assert!(page.rows.iter().all(|row| row.origin.contains(".py:")));
    let graphs = matching_records(trace, "aot_forward_graph [1/0]", None);
    assert!(!graphs.is_empty());
    for row in records(trace, &text, &graphs, 0, 1_000).unwrap().rows {
        assert_eq!(row.kind, "aot_forward_graph");
        let view = record(trace, &text, row.record).unwrap();
        assert_eq!(
            (view.kind.as_str(), view.line, view.checksum),
            ("aot_forward_graph", row.line, Checksum::Matches)
        );
    }
    assert!(record(trace, &text, 1_000_000).is_err());
}

#[test]
fn the_stacks_hold_every_compilation_once() {
    let (builder, _) = open("torch-2.3.1/gb_datadep.log");
    let trie = stacks(builder.trace());
    let ends: usize = trie.nodes.iter().map(|node| node.ends.len()).sum();
    assert_eq!(
        ends + trie.unknown.len(),
        builder.trace().compilations.len()
    );
    for (i, node) in (0u32..).zip(&trie.nodes) {
        assert!(node.parent.is_none_or(|parent| parent < i));
    }
}

#[test]
fn the_compilations_of_a_frame_stand_together_at_most_200_around_one() {
    let (builder, text) = open("torch-2.5.1/rc_limit.log");
    let key = |id: &str| CompilationKey {
        process: 0,
        generation: 0,
        id: id.to_owned(),
    };
    let view = compilation(builder.trace(), &text, &key("0/3")).unwrap();
    let labels: Vec<_> = view.of_frame.iter().map(|one| one.label.as_str()).collect();
    assert_eq!(view.of_frame_total as usize, labels.len());
    assert_eq!(labels.first(), Some(&"[0/0]"));
    assert!(labels.contains(&"[0/3]"));

    let mut log = String::new();
    for number in 0..500 {
        for frame in [3, 4] {
            log += &format!(
                "V1129 12:00:00.000000 4242 torch/a.py:1] {{\"dynamo_start\": {{\"stack\": []}}, \
                 \"frame_id\": {frame}, \"frame_compile_id\": {number}, \"attempt\": 0}}\n"
            );
        }
    }
    let mut builder = Builder::default();
    builder.feed(log.as_bytes());
    builder.finish();
    let trace = builder.trace();
    let text = log.into_bytes();
    for (id, first, last) in [
        ("3/0", "[3/0]", "[3/199]"),
        ("3/250", "[3/150]", "[3/349]"),
        ("3/499", "[3/300]", "[3/499]"),
    ] {
        let view = compilation(trace, &text, &key(id)).unwrap();
        assert_eq!((view.of_frame.len(), view.of_frame_total), (200, 500));
        assert_eq!(view.of_frame[0].label, first);
        assert_eq!(view.of_frame[199].label, last);
        assert!(view.of_frame.iter().any(|one| one.key == key(id)));
    }
}

#[test]
fn a_frame_in_generated_code_leads_to_the_record_that_holds_it() {
    let line = |json: &str| format!("V1129 12:00:00.000000 4242 torch/a.py:1] {json}\n");
    let at = r#""frame_id": 1, "frame_compile_id": 0, "attempt": 0"#;
    let log = [
        line(r#"{"str": ["<eval_with_key>.8 from /srv/a.py:12 in forward", 0]}"#),
        line(r#"{"str": ["/srv/train.py", 1]}"#),
        line(r#"{"str": ["<eval_with_key>.9", 2]}"#),
        line(&format!(
            r#"{{"dynamo_start": {{"stack": [{{"line": 3, "name": "main", "filename": 1}}, {{"line": 2, "name": "g", "filename": 2}}, {{"line": 5, "name": "forward", "filename": 0}}]}}, {at}}}"#
        )),
        line(&format!(r#"{{"dump_file": {{"name": "<eval_with_key>.8"}}, {at}, "has_payload": "0"}}"#)),
        "\tdef forward(self):\n".to_owned(),
    ]
    .concat();
    let mut builder = Builder::default();
    builder.feed(log.as_bytes());
    builder.finish();
    let trace = builder.trace();
    let key = (&trace.compilations[0].key).into();
    let view = compilation(trace, &log.into_bytes(), &key).unwrap();
    let dumped: Vec<_> = view.stack.iter().map(|frame| frame.dumped).collect();
    assert_eq!(dumped, [None, None, Some(4)]);
    let nodes = stacks(trace).nodes;
    assert_eq!(nodes[2].frame.dumped, Some(4));
}

#[test]
fn lines_are_given_without_what_follows_them_however_long_lines_are() {
    let head = "V1129 11:49:56.619000 7 torch/a.py:1] {\"artifact\": {\"name\": \"note\"}, \"has_payload\": \"0\"}\n";
    let lines = [
        "first".to_owned(),
        "x".repeat(5 * MAX_ROW_BYTES),
        "third".to_owned(),
    ];
    let text = format!("{head}\t{}\n", lines.join("\n\t")).into_bytes();
    let mut builder = Builder::default();
    builder.feed(&text);
    builder.finish();
    let trace = builder.trace();
    let form = Form::default();
    let wanted = Wanted {
        record: 0,
        form,
        first: 0,
    };
    let mut texts = Texts::default();
    while !texts.step(trace, &text, wanted).unwrap() {}
    let given = |first: u32, last: u32| {
        let mut saving = texts.save(&text, 0, form, Some((first, last))).unwrap();
        let mut out = Vec::new();
        while let Some(more) = texts.save_on(&text, 0, form, &mut saving).unwrap() {
            out.extend(more);
        }
        String::from_utf8(out).unwrap()
    };
    for first in 1..=3u32 {
        for last in first..=3 {
            let expected = lines[first as usize - 1..last as usize].join("\n");
            assert!(given(first, last) == expected, "lines {first} to {last}");
        }
    }
}

#[test]
fn frames_of_compiled_autograd_are_not_those_of_the_program() {
    let mut text = String::new();
    for id in [
        "\"frame_id\": 0, \"frame_compile_id\": 0",
        "\"compiled_autograd_id\": 3, \"frame_id\": 0, \"frame_compile_id\": 0",
        "\"frame_id\": 0, \"frame_compile_id\": 1",
    ] {
        text.push_str(&format!(
            "V1129 11:49:56.619000 7 torch/a.py:1] {{\"dynamo_start\": {{\"stack\": []}}, {id}, \"attempt\": 0}}\n"
        ));
    }
    let text = text.into_bytes();
    let mut builder = Builder::default();
    builder.feed(&text);
    builder.finish();
    let trace = builder.trace();
    let strip = |id: &str| {
        let key = CompilationKey {
            process: 0,
            generation: 0,
            id: id.to_owned(),
        };
        let view = compilation(trace, &text, &key).unwrap();
        let of_frame = view.of_frame.iter().map(|one| one.key.id.clone());
        of_frame.collect::<Vec<_>>()
    };
    assert_eq!(strip("0/1"), ["0/0", "0/1"]);
    assert_eq!(strip("!3/0/0"), ["!3/0/0"]);
    assert_eq!(overview(trace).frames, 2);
}

#[test]
fn recorded_guards_that_are_compared_say_whose_code_caused_them() {
    // Lists name files by the numbers that the process gave them.
    let prefix = "V1129 11:49:56.619000 7 torch/a.py:1] ";
    let mut text = format!("{prefix}{{\"str\": [\"/srv/demo/train.py\", 5]}}\n");
    for (number, value) in [(0, "2"), (1, "3")] {
        let at = format!("\"frame_id\": 0, \"frame_compile_id\": {number}, \"attempt\": 0");
        text.push_str(&format!(
            "{prefix}{{\"dynamo_start\": {{\"stack\": []}}, {at}}}\n\
             {prefix}{{\"dynamo_guards\": {{}}, {at}, \"has_payload\": \"0\"}}\n\
             \t[\n\
             \t{{\"code\": \"L['n'] == {value}\", \"stack\": null, \
             \"user_stack\": [{{\"line\": 3, \"name\": \"step\", \"filename\": 5}}]}}\n\
             \t]\n"
        ));
    }
    let text = text.into_bytes();
    let mut builder = Builder::default();
    builder.feed(&text);
    builder.finish();
    let trace = builder.trace();
    let key = |number: u32| CompilationKey {
        process: 0,
        generation: 0,
        id: format!("0/{number}"),
    };
    let mut diffs = Diffs::default();
    let (old, new) = (key(0), key(1));
    while !diffs.read_compilations(trace, &text, &old, &new).unwrap() {}
    let view = diffs.compilations(trace, &text, &old, &new).unwrap();
    assert_eq!(view.guard_trouble, None);
    let guards: Vec<_> = view
        .guards
        .iter()
        .map(|guard| (guard.name.as_str(), guard.is_own))
        .collect();
    assert_eq!(guards, [("n", true)]);
}

#[test]
fn the_innermost_own_frame_that_called_the_function_is_its_caller() {
    let frame = |file: &str, line, function: &str, source: Option<&str>| FrameView {
        file: Some(file.to_owned()),
        line: Some(line),
        function: function.to_owned(),
        source: source.map(str::to_owned),
        dumped: None,
    };
    let of_forward =
        |frames: &[FrameView]| caller(frames, Some("forward"), Some("/srv/model.py")).cloned();
    let main = frame("/srv/train.py", 41, "train_step", Some("loss = net(x)"));
    let torch = frame("/x/site-packages/torch/a.py", 1, "call", Some("f()"));
    let generated = frame("<eval_with_key>.8", 5, "forward", Some("g()"));
    let own = frame("/srv/model.py", 27, "forward", None);
    let stack = [main.clone(), torch.clone(), generated, own.clone()];
    assert_eq!(of_forward(&stack), Some(main.clone()));
    // Before 2.5 no frame has its source, and Dynamo's own stands last.
    let old = [frame("/srv/train.py", 9, "<module>", None), torch];
    assert_eq!(of_forward(&old), Some(old[0].clone()));
    // A function that calls itself is its own caller.
    let again = frame("/srv/model.py", 30, "forward", Some("self(x)"));
    let stack = [main, again.clone(), own];
    assert_eq!(of_forward(&stack), Some(again));
    assert_eq!(of_forward(&[]), None);
}
