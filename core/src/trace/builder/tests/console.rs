//! Console logs, healthy and not.

use super::*;
use crate::trace::index::SegmentIndex;

const LOG: &str = "torch/_dynamo/output_graph.py:2987]";

/// Fronts that other programs write, prefixes, and messages that begin or go on.
const FRONTS: &[&str] = &[
    "",
    "",
    "[rank1]: ",
    "[rank0]:",
    "> ",
    "2024-05-01T12:00:00.1234567Z ",
    "2024-05-01T12:00:09.7Z ",
    "  5%|\u{258c}  | 1/20 [00:01<00:19]",
    "bar\r",
    "\u{1b}[36m(a pid=1)\u{1b}[0m ",
];
const PREFIXES: &[&str] = &[
    "V1129 11:41:47.772000 7 torch/_dynamo/guards.py:5630] [0/0] [__guards] ",
    "V1129 11:41:47.772000 7 torch/_dynamo/guards.py:5307] [0/0_1] [__guards] ",
    "V1129 11:41:47.773000 8 torch/_dynamo/guards.py:5307] [0/0] [__guards] ",
    "V1129 11:41:47.772000 7 torch/_dynamo/guards.py:6374] [__recompiles] ",
    "V1129 11:41:47.772000 7 torch/_dynamo/output_graph.py:2987] [0/1] [__graph_code] ",
    "I1129 11:41:47.772000 7 torch/fx/experimental/symbolic_shapes.py:4189] [1/0] ",
    "W1129 11:41:47.772000 140245677250560 torch/_dynamo/convert_frame.py:9] ",
    "[2026-11-29 12:08:29,931] [0/0] torch._dynamo.guards.__guards: [DEBUG] ",
    "[2026-11-29 12:08:29,932] torch._dynamo.convert_frame.__recompiles: [DEBUG] ",
    "[2026-11-29 12:08:29,931] torch._dynamo.symbolic_convert: [INFO] ",
    "DEBUG:torch._dynamo.guards.__guards:",
    "",
    "",
];
const TEXTS: &[&str] = &[
    "",
    "GUARDS:",
    "TREE_GUARD_MANAGER:",
    "+- RootGuardManager",
    "L['x'] == 3  # a.py:1 in f",
    "TRACED GRAPH",
    " ===== __compiled_fn_1 =====",
    "  File \"a.py\", line 3, in f",
    "Traceback (most recent call last):",
    "Recompiling function f in /a.py:3",
    "    triggered by the following guard failure(s):",
    "torch._dynamo hit config.cache_size_limit (8)",
    "Step 1: torchdynamo start tracing f /a.py:3",
    "Restarting analysis due to x",
    "create_env",
    "[0/0] no id",
    "{'a': 1}",
    "\ttab",
    "\u{e9}\r",
    "\u{1b}[34mdef\u{1b}[39;49;00m f\u{1b}[",
];

pub(super) fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let long = prop_oneof![
        8 => Just(0),
        1 => Just(SEARCHED - 60),
        1 => Just(SEARCHED),
        1 => Just(2 * SEARCHED),
    ];
    (
        prop::sample::select(FRONTS),
        prop::sample::select(PREFIXES),
        prop::sample::select(TEXTS),
        long.clone(),
        long,
        prop::sample::select(&["\n", "\n", "\n", "\r\n", ""][..]),
    )
        .prop_map(|(front, prefix, text, before, behind, end)| {
            let before = if front.is_empty() { 0 } else { before };
            format!(
                "{front}{}{prefix}{text}{}{end}",
                "-".repeat(before),
                "x".repeat(behind)
            )
            .into_bytes()
        })
}

/// What a record's payload says.
fn payload(trace: &Trace, text: &str, record: SegmentIndex) -> String {
    let segment = trace.segment(&text.as_bytes(), record).unwrap().unwrap();
    let payload = segment.payload.read(&text.as_bytes(), usize::MAX).unwrap();
    String::from_utf8(payload).unwrap()
}

/// All messages, in the order in which they begin: kind, compilation, text.
fn messages(text: &str) -> Vec<(String, Option<String>, String)> {
    let trace = read(text.as_bytes());
    let records = trace
        .index
        .iter()
        .filter(|(_, entry)| crate::trace::names::is_record(entry.kind));
    records
        .map(|(record, entry)| {
            let kind = trace.kind_of(record).unwrap();
            let compilation = entry.compilation().map(|i| &trace.compilations[i]);
            (
                kind.title().to_string(),
                compilation.map(|c| format!("{}", c.key.id)),
                payload(&trace, text, record),
            )
        })
        .collect()
}

/// A message as the console shows it.
fn message(prefix: &str, text: &str) -> Vec<String> {
    text.split('\n')
        .map(|line| format!("{prefix}{line}\n"))
        .collect()
}

proptest! {
    #[test]
    fn lines_of_processes_come_apart_in_any_order(
        order in prop::collection::vec(0usize..3, 0..60),
        texts in prop::collection::vec("[a-z =\\\\[\\\\]]{0,12}(\n[a-z ]{0,12}){0,4}", 9),
    ) {
        // Three ranks, one of them behind a front whose timestamps move; a progress bar stands in between.
        let mut queues: Vec<Vec<String>> = (0..3)
            .map(|rank| {
                let lines = (0..3).flat_map(|i| {
                    let prefix = format!("[rank{rank}]:V1129 11:41:47.77{i}000 7 {LOG} [0/0] [__graph_code] ");
                    message(&prefix, &format!("TRACED GRAPH\n{}", texts[3 * rank + i]))
                });
                let fronted = |(i, line)| if rank == 2 { format!("2024-05-01T12:00:{i:02}.5Z {line}") } else { line };
                let mut lines: Vec<String> = lines.enumerate().map(fronted).collect();
                lines.reverse();
                lines
            })
            .collect();
        let mut text = String::new();
        for (i, rank) in order.iter().chain(&[0, 1, 2].repeat(20)).enumerate() {
            text.extend(queues[*rank].pop());
            if i % 7 == 3 {
                text.push_str(" 10%|x | 1/10\n");
            }
        }
        let mut expected: Vec<String> = texts.iter().map(|text| format!("TRACED GRAPH\n{text}")).collect();
        let mut found: Vec<String> = messages(&text).into_iter().map(|(_, _, text)| text).collect();
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(read(text.as_bytes()).processes.len(), 3);
    }
}

#[track_caller]
fn check(text: &str, expected: &[(&str, &str, &str)]) {
    let found = messages(text);
    let found: Vec<_> = found
        .iter()
        .map(|(kind, id, text)| (kind.as_str(), id.as_deref().unwrap_or("-"), text.as_str()))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn successive_messages_of_one_place_are_told_apart() {
    let prefix =
        "I1129 11:28:34.197000 30880 torch/fx/experimental/symbolic_shapes.py:6064] [0/0] ";
    check(
        &format!(
            "{prefix}create_symbol s77 = 4 for L['x'].size()[0] [2, int_oo] x\n\
             {prefix}create_symbol s27 = 2 for L['x'].size()[1] [2, int_oo] x\n\
             {prefix}eval Eq(s77, 4) [guard added] if x\n{prefix}  more of it\n\
             {prefix}set_replacement s77 = 4 (range_refined_to_singleton) VR[4, 4]\n\
             {prefix}produce_guards\n"
        ),
        &[
            (
                "create_symbol",
                "0/0",
                "create_symbol s77 = 4 for L['x'].size()[0] [2, int_oo] x",
            ),
            (
                "create_symbol",
                "0/0",
                "create_symbol s27 = 2 for L['x'].size()[1] [2, int_oo] x",
            ),
            (
                "guard_added",
                "0/0",
                "eval Eq(s77, 4) [guard added] if x\n  more of it",
            ),
            (
                "symbolic_shape_specialization",
                "0/0",
                "set_replacement s77 = 4 (range_refined_to_singleton) VR[4, 4]",
            ),
            (
                "torch.fx.experimental.symbolic_shapes",
                "0/0",
                "produce_guards",
            ),
        ],
    );
}

#[test]
fn guards_are_one_record_whatever_they_are_written_as() {
    let tree = "V1129 11:42:04.585000 7 torch/_dynamo/guards.py:5307] [0/0] [__guards]";
    let flat = "[0/0] torch._dynamo.guards.__guards: [DEBUG]";
    check(
        &format!(
            "V1129 11:42:04.562000 7 torch/_dynamo/guards.py:5630] [0/0] [__guards] GUARDS:\n\
             {tree} \n{tree} TREE_GUARD_MANAGER:\n{tree} +- RootGuardManager\n{tree}\n\
             V1129 11:42:04.782000 7 torch/_dynamo/guards.py:5350] [0/0] [__guards] Guard eval latency = 3.4 us\n"
        ),
        &[
            ("guards", "0/0", "GUARDS:"),
            (
                "dynamo_cpp_guards_str",
                "0/0",
                "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n",
            ),
            ("guards", "0/0", "Guard eval latency = 3.4 us"),
        ],
    );
    check(
        &format!(
            "[2026-11-29 12:04:39,060] {flat} GUARDS:\n[2026-11-29 12:04:39,117] {flat} a\n\
             [2026-11-29 12:04:39,118] {flat} b\n[2026-11-29 12:04:40,205] {flat} GUARDS:\n"
        ),
        &[
            ("dynamo_cpp_guards_str", "0/0", "GUARDS:\na\nb"),
            ("guards", "0/0", "GUARDS:"),
        ],
    );
}

#[test]
fn a_reason_without_an_id_goes_to_the_compilation_that_follows_or_to_one_of_its_own() {
    let recompiles =
        "V1129 12:24:35.939000 140651071010496 torch/_dynamo/guards.py:1425] [__recompiles]";
    let guards = "V1129 12:24:36.939000 140651071010496 torch/_dynamo/guards.py:1076]";
    let reason =
        |function: &str| format!("{recompiles} Recompiling function {function} in /a.py:3\n");
    let text = format!(
        "{guards} [0/0] [__guards] GUARDS:\n{}{guards} [0/1] [__guards] GUARDS:\n{}{}",
        reason("f"),
        reason("g"),
        reason("f")
    );
    let trace = read(text.as_bytes());
    let shown: Vec<_> = trace
        .compilations
        .iter()
        .map(|c| {
            format!(
                "{} {} {}",
                c.key.id,
                c.function.as_deref().unwrap_or("-"),
                c.artifacts.len()
            )
        })
        .collect();
    // What is known of f's ids tells the last one's; of g nothing is known.
    assert_eq!(shown, ["0/0 f 0", "0/1 f 1", "?0/1 g 1", "0/2 f 1"]);
}

#[test]
fn without_ids_an_attempt_that_was_given_up_goes_on_as_the_same_compilation() {
    let start = |f: &str| {
        format!(
            "INFO:torch._dynamo.symbolic_convert:Step 1: torchdynamo start tracing {f} /srv/demo/a.py:3\n"
        )
    };
    let restart = "INFO:torch._dynamo.convert_frame:Restarting analysis due to _dynamo/symbolic_convert.py:249 in fail_and_restart_analysis\n";
    let text = [
        start("f"),
        restart.into(),
        start("f"),
        restart.into(),
        start("g"),
        start("f"),
    ]
    .concat();
    let trace = read(text.as_bytes());
    let compilations = trace.compilations.iter();
    let shown: Vec<_> = compilations
        .map(|c| format!("{} {} {}", c.key.id, c.attempts, c.restart_reasons.len()))
        .collect();
    assert_eq!(shown, ["?0/0 2 2", "?1/0 1 0", "?0/1 1 0"]);
}

#[test]
fn a_type_of_break_is_no_message_of_its_own() {
    let prefix =
        "V1130 00:05:46.947000 7 torch/_dynamo/symbolic_convert.py:5124] [5/0] [__graph_breaks] ";
    let text = "Graph break in user code at /srv/demo/a.py:42\n\
        Graph Break Reason: Failed to handle graph break gracefully. Graph break encountered:\n\n\
        Call to `torch._dynamo.graph_break()`\n\n\
        *** While handling this graph break, another graph break occurred: ***\n\n\
        Graph break under GenericContextWrappingVariable\n\
        Graph break in inlined function\n  Explanation: x";
    let next = "Graph break (user stack suppressed due to duplicate graph break) in user code at /srv/demo/a.py:42";
    let written = message(prefix, text).concat() + &message(prefix, next).concat();
    let kind = "dynamo_graph_break_reason";
    check(&written, &[(kind, "5/0", text), (kind, "5/0", next)]);
}

#[test]
fn a_frame_that_is_skipped_after_attempts_begins_no_generation() {
    // Since 2.9 the message comes when the attempt's id is no longer set.
    let broke = |id: &str| {
        format!(
            "V1129 23:56:22.629000 9 torch/_dynamo/symbolic_convert.py:611] [{id}] [__graph_breaks] Graph break in user code at /srv/demo/a.py:3\n"
        )
    };
    let skip = "V1129 23:56:22.647000 9 torch/_dynamo/convert_frame.py:1689] [0/0] [__graph_breaks] Graph break: skip: from user code at:\n";
    let guards =
        "V1129 23:56:22.650000 9 torch/_dynamo/guards.py:1076] [0/0_1] [__guards] GUARDS:\n";
    let generations = |messages: &[String]| {
        let trace = read(messages.concat().as_bytes());
        let compilations = trace.compilations.iter();
        let shown =
            compilations.map(|c| format!("{} {} {}", c.key.generation, c.key.id, c.attempts));
        shown.collect::<Vec<_>>()
    };
    let tried = [broke("0/0"), broke("0/0_1"), skip.into()];
    assert_eq!(generations(&tried), ["0 0/0 2"]);
    // Nor does what is still said of the last attempt, as far as that may be.
    let late = [broke("0/0"), guards.into(), skip.into(), broke("0/0_1")];
    assert_eq!(generations(&late), ["0 0/0 2"]);
    // An id that was left is another one's all the same.
    let again = [broke("0/0"), broke("1/0"), skip.into()];
    assert_eq!(generations(&again), ["0 0/0 1", "0 1/0 1", "1 0/0 1"]);
}

#[test]
fn ids_that_start_again_are_another_generation() {
    let prefix = |id: &str| {
        format!("V1129 12:24:36.939000 7 torch/_dynamo/guards.py:1076] [{id}] [__guards] ")
    };
    let backward = "I1129 12:24:37.000000 7 torch/_inductor/compile_fx.py:1] [0/0] x\n";
    let guards = |id: &str| format!("{}GUARDS:\n", prefix(id));
    let text = [
        guards("0/0"),
        guards("1/0"),
        backward.into(),
        guards("1/1"),
        guards("1/1"),
        guards("0/0_1"),
        guards("1/0"),
        guards("0/0"),
    ]
    .concat();
    let trace = read(text.as_bytes());
    let shown: Vec<_> = trace
        .compilations
        .iter()
        .map(|c| format!("{} {}", c.key.generation, c.key.id))
        .collect();
    assert_eq!(
        shown,
        [
            "0 0/0", "0 1/0", "0 1/1", "1 1/1", "1 0/0", "1 1/0", "2 0/0"
        ]
    );
}

#[test]
fn only_first_lines_have_a_prefix_in_2_0_and_in_short_form() {
    check(
        "[2026-11-29 12:31:09,182] torch._dynamo.symbolic_convert: [INFO] Step 1: torchdynamo start tracing gb\n\
         [2026-11-29 12:31:09,188] torch._dynamo.symbolic_convert: [DEBUG] triggered compile\n\
         Traceback (most recent call last):\n  File \"x.py\", line 3\nUnsupported: y\n\
         [2026-11-29 12:31:09,206] torch._dynamo.output_graph: [INFO] TRACED GRAPH\n __compiled_fn_0\n\na\n\
         [2026-11-29 12:31:10,206] torch._dynamo.output_graph: [INFO] one\nnot of it\n\
         [2026-11-29 12:31:10,206] torch._dynamo.output_graph: [INFO] two\n\
         [2026-11-29 12:31:10,206] torch._dynamo.convert_frame: [INFO] ORIGINAL BYTECODE <graph break in f> /a.py line 3 \n x\n\n y\n",
        &[
            (
                "torch._dynamo.symbolic_convert",
                "?0/0",
                "Step 1: torchdynamo start tracing gb",
            ),
            (
                "torch._dynamo.symbolic_convert",
                "?0/0",
                "triggered compile\nTraceback (most recent call last):\n  File \"x.py\", line 3\nUnsupported: y",
            ),
            ("graph", "?0/0", "TRACED GRAPH\n __compiled_fn_0\n\na"),
            ("torch._dynamo.output_graph", "?0/0", "one"),
            ("torch._dynamo.output_graph", "?0/0", "two"),
            (
                "<graph break in f>_ORIGINAL_BYTECODE",
                "?0/0",
                "ORIGINAL BYTECODE <graph break in f> /a.py line 3 \n x\n\n y",
            ),
        ],
    );
    check(
        "DEBUG:torch._dynamo.guards.__guards:GUARDS:\nDEBUG:torch._dynamo.guards.__guards:\nTREE_GUARD_MANAGER:\n\
         +- RootGuardManager\n\nDEBUG:torch._dynamo.convert_frame:skipping: a\nDEBUG:torch._dynamo.convert_frame:skipping: b\nhello\n",
        &[
            ("guards", "-", "GUARDS:"),
            (
                "dynamo_cpp_guards_str",
                "-",
                "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n",
            ),
            ("torch._dynamo.convert_frame", "-", "skipping: a"),
            ("torch._dynamo.convert_frame", "-", "skipping: b"),
        ],
    );
}

#[test]
fn what_a_program_left_in_front_of_a_first_line_is_no_process() {
    let prefix =
        "V1129 11:41:47.772000 7 torch/_dynamo/output_graph.py:2987] [0/0] [__graph_code] ";
    let later = "V1129 11:41:48.772000 7 torch/_dynamo/output_graph.py:2987] [0/1] [__graph_code] ";
    for front in [
        "loss 0.25 ",
        "[2025-08-12 03:18:23.088] ",
        "  7%",
        "\u{1b}[1m12 ",
    ] {
        let text =
            format!("{front}{prefix}TRACED GRAPH\n{prefix}a\n{later}TRACED GRAPH\n{later}b\n");
        check(
            &text,
            &[
                ("graph_code", "0/0", "TRACED GRAPH\na"),
                ("graph_code", "0/1", "TRACED GRAPH\nb"),
            ],
        );
        assert_eq!(read(text.as_bytes()).processes.len(), 1, "{front}");
    }
}

#[test]
fn colours_are_no_part_of_a_message() {
    let prefix = "\u{1b}[33mV1129 11:41:47.772000 7 torch/_dynamo/output_graph.py:2987] [0/0] [__graph_code] ";
    check(
        &format!(
            "{prefix}TRACED GRAPH\u{1b}[0m\n{prefix} ===== __compiled_fn_1 =====\u{1b}[0m\n\
             {prefix}    \u{1b}[34mdef\u{1b}[39;49;00m f():\u{1b}[0m\n"
        ),
        &[(
            "dynamo_output_graph",
            "0/0",
            "TRACED GRAPH\n ===== __compiled_fn_1 =====\n    def f():",
        )],
    );
}

#[test]
fn records_of_a_trace_inside_a_console_log_stay_what_they_are() {
    let console =
        "V1129 11:41:47.772000 7 torch/_dynamo/output_graph.py:2987] [0/0] [__graph_code]";
    let text = format!(
        "{console} TRACED GRAPH\n{}{console} a[0:1] {{\n",
        artifact(
            r#", "frame_id": 0, "frame_compile_id": 0, "attempt": 0"#,
            "x",
            "one\ntwo"
        )
    );
    check(
        &text,
        &[
            ("graph_code", "0/0", "TRACED GRAPH\na[0:1] {"),
            ("x", "0/0", "one\ntwo"),
        ],
    );
}
