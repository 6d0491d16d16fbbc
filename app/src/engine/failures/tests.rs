use super::*;
use crate::engine::protocol::{Certainty, Component, FailureKind, WarningKind};
use dynascope_core::trace::Builder;
use std::path::Path;

/// What a text holds.
fn of_text(text: &[u8]) -> Findings {
    let mut builder = Builder::default();
    builder.feed(text);
    builder.finish();
    let mut failures = Failures::default();
    let mut steps = 0;
    while !failures.step(builder.trace(), &text).expect("readable") {
        steps += 1;
        assert!(steps < 1_000_000, "it ends");
    }
    failures.findings(builder.trace())
}

fn file(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn plain(path: &str) -> Findings {
    of_text(&file(&format!("core/tests/plain/{path}")))
}

#[test]
fn each_component_that_fails_is_named_with_the_line_of_the_program() {
    let expected = [
        (
            "torch-2.15.0/err_fullgraph.stderr.txt",
            Component::Dynamo,
            FailureKind::GraphBreak,
            ("err_fullgraph.py", 6),
        ),
        (
            "torch-2.5.1/err_backend.stderr.txt",
            Component::Backend,
            FailureKind::BackendRaised,
            ("err_backend.py", 5),
        ),
        (
            "torch-2.5.1/err_cxx.stderr.txt",
            Component::Inductor,
            FailureKind::MissingCompiler,
            ("err_cxx.py", 0),
        ),
        (
            "torch-2.15.0/dyn_constraint.stderr.txt",
            Component::Dynamo,
            FailureKind::ConstraintViolation,
            ("dyn_constraint.py", 0),
        ),
    ];
    for (path, component, kind, (name, line)) in expected {
        let findings = plain(path);
        assert_eq!(findings.failures.len(), 1, "{path}");
        let failure = &findings.failures[0];
        assert_eq!(
            (failure.component, failure.kind),
            (component, kind),
            "{path}"
        );
        let user = failure.user.last().expect("a line of the program");
        assert!(user.file.ends_with(name), "{path}: {}", user.file);
        if line > 0 {
            assert_eq!(user.line, Some(line), "{path}");
        }
        assert_eq!(
            failure.at.places[0].file_line,
            u64::from(failure.at.places[0].lines.unwrap().0)
        );
        assert!(findings.is_complete);
    }
}

#[test]
fn warnings_and_limits_are_found_in_console_messages() {
    let findings = plain("torch-2.15.0/gb_mixed.stderr.txt");
    let item = findings
        .warnings
        .iter()
        .find(|group| group.kind == WarningKind::CaptureScalarOutputs);
    let item = item.expect("the warning about .item()");
    assert_eq!(item.warnings[0].stack.last().unwrap().line, Some(19));
    let findings = plain("torch-2.15.0/rc_limit.stderr.txt");
    assert!(findings.failures.is_empty(), "{:#?}", findings.failures);
    let limit = &findings.limits[0];
    assert_eq!(
        (limit.setting.as_str(), limit.limit),
        ("recompile_limit", Some(8))
    );
    assert_eq!((limit.function.as_str(), limit.line), ("f", Some(5)));
    assert!(limit.reason.contains("expected 9, actual 10"));
    assert_eq!(limit.at.places[0].file_line, 1);
}

#[test]
fn explain_and_its_times_are_read() {
    let findings = plain("torch-2.8.0/explain.stdout.txt");
    let explain = &findings.explanations[0];
    assert!(explain.graphs > 0 && !explain.graph_ops.is_empty() && !explain.guards.is_empty());
    let times = &explain.times;
    assert!(times.is_sorted_by(|a, b| a.seconds >= b.seconds));
}

#[test]
fn the_traceback_in_a_trace_is_that_of_its_compilation_and_metrics_do_not_repeat_it() {
    let findings = of_text(&file("tests/fixtures/torch-2.15.0/err_fullgraph.log"));
    assert_eq!(findings.failures.len(), 1, "{:#?}", findings.failures);
    let failure = &findings.failures[0];
    assert_eq!(
        (failure.component, failure.certainty),
        (Component::Dynamo, Certainty::Certain)
    );
    assert_eq!(failure.at.compilations[0].1, "[0/0]");
    assert!(
        failure
            .exceptions
            .iter()
            .any(|raised| !raised.frames.is_empty())
    );
    // 2.5 writes no traceback: the metrics tell.
    let findings = of_text(&file("tests/fixtures/torch-2.5.1/err_backend.log"));
    let failure = &findings.failures[0];
    assert_eq!(
        (findings.failures.len(), failure.component),
        (1, Component::Backend)
    );
    assert_eq!(failure.backend.as_deref(), Some("my_backend"));
    assert!(failure.exceptions[0].message.contains("cannot handle"));
}

#[test]
fn identical_failures_are_counted_once_however_they_are_cut_into_stretches() {
    let one =
        String::from_utf8(file("core/tests/plain/torch-2.5.1/err_backend.stderr.txt")).unwrap();
    let step = usize::try_from(STEP).unwrap();
    let noise = "epoch 1 loss 0.5 and a line of some length\n".repeat(step / 43 * 3 / 4);
    let mut text = String::new();
    for i in 0..7 {
        // Addresses differ, and so does where each of them is cut.
        let one = one.replace(
            "my_backend cannot",
            &format!("<object at 0x7f{i:04}> cannot"),
        );
        text += &one;
        text += "\n";
        text += noise.get(i * 4_300..).unwrap();
    }
    let findings = of_text(text.as_bytes());
    assert_eq!(findings.failures.len(), 1);
    let at = &findings.failures[0].at;
    assert_eq!((at.count, at.places.len()), (7, 7));
    let lines: Vec<&str> = text.lines().collect();
    for place in &at.places {
        let line = usize::try_from(place.file_line).unwrap();
        assert!(lines[line - 1].starts_with("Traceback"), "line {line}");
        let last = usize::try_from(place.lines.unwrap().1).unwrap();
        let after = lines[last..]
            .iter()
            .find(|line| !line.trim().is_empty())
            .unwrap();
        assert!(
            after.starts_with("epoch") || after.starts_with("You can"),
            "{after}"
        );
    }
}

#[test]
fn ranks_that_fail_alike_are_one_failure() {
    let one = String::from_utf8(file(
        "core/tests/plain/torch-2.15.0/err_fullgraph.stderr.txt",
    ))
    .unwrap();
    let mut text = String::new();
    for line in one.lines() {
        for rank in 0..4 {
            text += &format!("[rank{rank}]: {line}\n");
        }
    }
    let findings = of_text(text.as_bytes());
    assert_eq!(findings.failures.len(), 1);
    assert_eq!(findings.failures[0].at.count, 4);
}

#[test]
fn what_dynamo_notes_of_graph_breaks_for_those_who_look_is_no_failure() {
    let text = "V1129 12:02:43.732000 25010 torch/_dynamo/symbolic_convert.py:1] [0/0] [__graph_breaks] Graph break: from user code at:\nV1129 12:02:43.732000 25010 torch/_dynamo/symbolic_convert.py:1] [0/0] [__graph_breaks] Traceback (most recent call last):\nV1129 12:02:43.732000 25010 torch/_dynamo/symbolic_convert.py:1] [0/0] [__graph_breaks] torch._dynamo.exc.Unsupported: no\nV1129 12:02:43.732000 25010 torch/_dynamo/symbolic_convert.py:2] [0/0] Traceback (most recent call last):\nV1129 12:02:43.732000 25010 torch/_dynamo/symbolic_convert.py:2] [0/0] ValueError: no\nE1129 12:02:43.732000 25010 torch/_dynamo/convert_frame.py:3] [0/0] WON'T CONVERT f\nE1129 12:02:43.732000 25010 torch/_dynamo/convert_frame.py:3] [0/0] Traceback (most recent call last):\nE1129 12:02:43.732000 25010 torch/_dynamo/convert_frame.py:3] [0/0] ValueError: yes\n";
    let findings = of_text(text.as_bytes());
    assert_eq!(findings.failures.len(), 1, "{:#?}", findings.failures);
    assert_eq!(findings.failures[0].exceptions[0].message, "yes");
    assert_eq!(findings.failures[0].at.places[0].file_line, 7);
}

#[test]
fn what_holds_nothing_has_nothing() {
    for text in ["", "epoch 1\n", "Traceback (most recent call last):\n"] {
        assert!(of_text(text.as_bytes()).is_empty(), "{text}");
    }
}

#[test]
fn a_traceback_that_is_cut_still_says_where_the_program_was() {
    let findings = of_text(
        b"Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in g\n    f()\n",
    );
    assert_eq!(findings.failures.len(), 1);
    let user = findings.failures[0].user.last().expect("a line");
    assert_eq!((user.file.as_str(), user.line), ("/srv/a.py", Some(3)));
    assert_eq!(findings.failures[0].exceptions[0].kind, "");
}
