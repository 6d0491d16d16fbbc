use super::*;
use crate::trace::Builder;
use alloc::format;
use alloc::string::ToString as _;

/// The breaks of a log, a line each.
fn breaks(log: &str) -> Vec<String> {
    let mut builder = Builder::default();
    builder.feed(log.as_bytes());
    builder.finish();
    let mut breaks = GraphBreaks::default();
    while !breaks.step(builder.trace(), &log.as_bytes()).unwrap() {}
    let part = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_string());
    breaks
        .distinct()
        .iter()
        .map(|known| {
            format!(
                "{}:{} {} {:?} {}x{} resumed {}{}",
                part(&known.first.file),
                known
                    .first
                    .line
                    .map_or("-".to_string(), |line| line.to_string()),
                part(&known.first.function),
                known.kind,
                known.count,
                if known.skips > 0 { " skip" } else { "" },
                known.resumed.len(),
                if known.is_inferred() { " inferred" } else { "" },
            )
        })
        .collect()
}

fn record(metadata: &str, payload: &str) -> String {
    let payload: String = payload.lines().map(|line| format!("\t{line}\n")).collect();
    let has = if payload.is_empty() {
        ""
    } else {
        ", \"has_payload\": \"0\""
    };
    format!("V1129 11:49:59.332000 7 torch/_dynamo/x.py:1] {{{metadata}{has}}}\n{payload}")
}

fn broke(frame: u32, place: &str, reason: &str) -> String {
    record(
        &format!(
            "\"artifact\": {{\"name\": \"dynamo_graph_break_reason\", \"encoding\": \"string\"}}, \"frame_id\": {frame}, \"frame_compile_id\": 0, \"attempt\": 0"
        ),
        &format!(
            "Graph break in user code at {place}\nGraph Break Reason: {reason}\n\nUser code traceback:\n  File \"a.py\", line 9, in main\n    f(x)\n"
        ),
    )
}

fn compiled(frame: u32, function: &str, line: u32, restarts: &str) -> String {
    record(
        &format!(
            "\"compilation_metrics\": {{\"co_name\": \"{function}\", \"co_filename\": \"a.py\", \"co_firstlineno\": {line}, \"restart_reasons\": [{restarts}], \"graph_op_count\": 1}}, \"frame_id\": {frame}, \"frame_compile_id\": 0, \"attempt\": 0"
        ),
        "",
    )
}

#[test]
fn a_place_stands_once_with_what_was_compiled_behind_it() {
    let log = [
        broke(0, "a.py:7", "Data-dependent branching"),
        broke(1, "a.py:3", "Tensor.item"),
        broke(2, "a.py:7", "Data-dependent branching"),
        broke(3, "a.py:7", "Tensor.item"),
        compiled(4, "torch_dynamo_resume_in_f_at_7", 7, ""),
    ]
    .concat();
    assert_eq!(
        breaks(&log),
        [
            "a.py:7 - Branch 2x resumed 1",
            "a.py:3 - Item 1x resumed 0",
            "a.py:7 - Item 1x resumed 0",
        ]
    );
}

#[test]
fn a_frame_that_is_skipped_is_said_to_be() {
    let reason = "Failed to handle graph break gracefully. Skipping the function and falling back to eager. Graph break encountered:\n\nTensor.item\n\n*** While handling this graph break, another graph break occurred: ***\n\ngraph break in loop";
    assert_eq!(
        breaks(&broke(0, "a.py:7", reason)),
        ["a.py:7 - Item 1x skip resumed 0"]
    );
}

#[test]
fn what_is_not_logged_follows_from_resume_functions_and_restarts() {
    let log = [
        compiled(0, "f", 1, "\"Tensor.item\""),
        compiled(1, "torch_dynamo_resume_in_f_at_4", 4, ""),
        // Of two places and one reason it is not said which belong together.
        compiled(2, "g", 10, "\"builtin: print []\""),
        compiled(3, "torch_dynamo_resume_in_g_at_12", 12, ""),
        compiled(
            4,
            "torch_dynamo_resume_in_torch_dynamo_resume_in_g_at_12_at_14",
            14,
            "",
        ),
        // No place, but a reason.
        compiled(
            5,
            "h",
            20,
            "\"builtin: print []\", \"Unknown fail_and_restart_analysis\"",
        ),
    ]
    .concat();
    assert_eq!(
        breaks(&log),
        [
            "a.py:4 f Item 0x resumed 1 inferred",
            "a.py:12 g Other 0x resumed 1 inferred",
            "a.py:14 g Other 0x resumed 1 inferred",
            "a.py:- h Print 0x resumed 0 inferred",
        ]
    );
}

#[test]
fn a_compilation_that_a_record_tells_of_has_no_inferred_break() {
    let log = [
        broke(0, "a.py:4", "Tensor.item"),
        compiled(0, "f", 1, "\"Tensor.item\""),
        record("\"artifact\": {\"name\": \"dynamo_graph_break_reason\", \"encoding\": \"string\"}, \"frame_id\": 0", "something else"),
    ]
    .concat();
    assert_eq!(breaks(&log), ["a.py:4 - Item 1x resumed 0"]);
}

#[test]
fn no_break_is_no_break() {
    assert!(breaks("").is_empty());
    assert!(breaks(&compiled(0, "f", 1, "")).is_empty());
}

#[test]
fn what_callers_go_on_with_belongs_to_the_break_in_the_function_that_they_called() {
    let stack = "  File \"a.py\", line 25, in outer\n    inner(x)\n  File \"a.py\", line 18, in inner\n    print(1)\n";
    let said = format!(
        "Graph break in user code at a.py:18\nGraph Break Reason: Tensor.item\n\nUser code traceback:\n{stack}"
    );
    let metadata = "\"artifact\": {\"name\": \"dynamo_graph_break_reason\", \"encoding\": \"string\"}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0";
    let log = [
        record(metadata, &said),
        compiled(1, "torch_dynamo_resume_in_inner_at_18", 18, ""),
        compiled(2, "torch_dynamo_resume_in_outer_at_25", 25, ""),
    ]
    .concat();
    assert_eq!(breaks(&log), ["a.py:18 inner Item 1x resumed 2"]);
}

#[test]
fn the_places_that_broke_most_often_stand_first() {
    let resumes = (0..5).map(|frame| compiled(10 + frame, "torch_dynamo_resume_in_f_at_3", 3, ""));
    let log: String = [
        broke(0, "a.py:3", "Tensor.item"),
        broke(1, "a.py:7", "Tensor.item"),
        broke(2, "a.py:7", "Tensor.item"),
    ]
    .into_iter()
    .chain(resumes)
    .collect();
    assert_eq!(
        breaks(&log),
        ["a.py:7 - Item 2x resumed 0", "a.py:3 - Item 1x resumed 5"]
    );
}

#[test]
fn of_huge_messages_and_stacks_the_beginning_is_kept() {
    let hints = "  Hint: x\n".repeat(10_000);
    let stack = "  File \"a.py\", line 1, in f\n".repeat(5_000);
    let said = format!(
        "Graph break in user code at a.py:1\nGraph Break Reason: {}\n{hints}\nUser code traceback:\n{stack}",
        "é".repeat(20_000)
    );
    let metadata = "\"artifact\": {\"name\": \"dynamo_graph_break_reason\", \"encoding\": \"string\"}, \"frame_id\": 0";
    let log = record(metadata, &said);
    let mut builder = Builder::default();
    builder.feed(log.as_bytes());
    builder.finish();
    let mut breaks = GraphBreaks::default();
    while !breaks.step(builder.trace(), &log.as_bytes()).unwrap() {}
    let [known] = breaks.distinct() else {
        panic!("not one")
    };
    assert!(known.first.reason().unwrap().len() <= LONGEST);
    assert!(known.first.messages[0].hints.len() <= ITEMS);
    assert_eq!(known.first.stack.len(), CALLS.0 + CALLS.1);
    assert!(known.more_calls > 0);
}
