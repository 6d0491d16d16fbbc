use super::*;
use crate::engine::fixture::{open, read};
use crate::engine::protocol::RemedyKind;
use dynascope_core::source::SourceError;
use dynascope_core::trace::Builder;

fn key(frame_id: u32) -> FrameKey {
    FrameKey {
        process: 0,
        generation: 0,
        autograd: None,
        frame_id,
    }
}

fn ask(frames: &mut Frames, trace: &Trace, text: &dyn Source, question: &Question) -> usize {
    frames.begin(trace, question, true);
    let mut steps = 0;
    while !frames.step(trace, text, question).expect("readable") {
        steps += 1;
        assert!(steps < 100_000, "it ends");
    }
    steps
}

fn history(trace: &Trace, text: &dyn Source, key: FrameKey, only: Option<u32>) -> FrameHistoryView {
    let mut frames = Frames::default();
    let question = Question::Frame { log: 0, key, only };
    ask(&mut frames, trace, text, &question);
    frames.history(trace, key, only).expect("a history")
}

#[test]
fn the_history_of_a_frame_at_the_limit() {
    let (builder, text) = open("torch-2.5.1/rc_limit.log");
    let view = history(builder.trace(), &text, key(0), None);
    assert_eq!((view.facts.compilations, view.facts.recompiles), (8, 7));
    assert_eq!(view.is_recompile_limit, Some(false));
    let limit = view.facts.limit.expect("the limit");
    assert_eq!((limit.label.as_str(), limit.is_said), ("[0/8]", false));
    let roles: Vec<_> = view.steps.iter().map(|step| step.role).collect();
    assert_eq!(roles.first(), Some(&StepRole::First));
    assert_eq!(roles.last(), Some(&StepRole::Limit));
    assert_eq!(roles.len(), 9);
    // The third compilation tried two versions, the newest first.
    let step = &view.steps[2];
    let told: Vec<_> = step
        .reasons
        .iter()
        .map(|reason| {
            let failed = &reason.failures[0];
            (
                reason.entry.as_ref().map(|(_, label)| label.as_str()),
                failed.subject.source.as_str(),
                failed.subject.index,
                failed.expected.as_deref(),
                failed.actual.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (Some("[0/1]"), "x", Some(0), Some("3"), Some("4")),
            (Some("[0/0]"), "x", Some(0), Some("2"), Some("4")),
        ]
    );
    assert_eq!(step.brought.len(), 1);
    assert_eq!(step.brought[0].1, "4");
    let values: Vec<_> = view.series[0]
        .values
        .iter()
        .map(|(_, v)| v.as_str())
        .collect();
    assert_eq!(values, ["2", "3", "4", "5", "6", "7", "8", "9", "10"]);
    assert_eq!(view.series[0].free_since, None);
    let first = &view.advice[0];
    assert_eq!(
        (first.remedy, first.dim),
        (RemedyKind::MarkDynamic, Some(0))
    );
    assert!(first.is_certain && first.evidence.len() >= 5);
    assert_eq!(view.cause.expect("a cause").1[..3], ["2", "3", "4"]);
}

#[test]
fn a_failed_guard_is_found_in_the_tree_and_a_size_becomes_a_symbol() {
    let (builder, text) = open("torch-2.15.0/rc_shape.log.gz");
    let trace = builder.trace();
    let view = history(trace, &text, key(0), None);
    assert_eq!(view.is_recompile_limit, Some(true));
    let failed = &view.steps[1].reasons[0].failures[0];
    assert_eq!(failed.expected.as_deref(), Some("4"));
    assert_eq!(failed.actual.as_deref(), Some("5"));
    let (record, node) = failed.node.expect("the guard");
    let entry = trace.index.get(record).expect("a record");
    assert_eq!(
        trace.kinds.get(entry.kind).expect("a kind").kind,
        "dynamo_cpp_guards_str"
    );
    let segment = trace.segment(&text, record).expect("read").expect("there");
    let payload = segment.payload.read(&text, usize::MAX).expect("read");
    let tree = dynascope_core::payload::guard_tree::GuardTree::parse(
        String::from_utf8(payload).expect("text"),
    )
    .expect("a tree");
    assert_eq!(tree.class(node), Some("TENSOR_MATCH"));
    assert!(
        tree.code(node)
            .expect("code")
            .starts_with("check_tensor(L['x']")
    );
    // The second compilation accepts any size.
    assert_eq!(view.series[0].free_since, Some(1));
}

#[test]
fn one_compilation_alone_has_its_reasons() {
    let (builder, text) = open("torch-2.5.1/rc_limit.log");
    let trace = builder.trace();
    let view = history(trace, &text, key(0), Some(3));
    assert_eq!(view.steps.len(), 1);
    assert_eq!(view.steps[0].label, "[0/3]");
    assert_eq!(view.steps[0].role, StepRole::Again);
    assert_eq!(view.steps[0].reasons.len(), 3);
    let id = |id: &str| CompilationKey {
        process: 0,
        generation: 0,
        id: id.to_owned(),
    };
    assert_eq!(again(&id("0/3")), Some((key(0), 3)));
    assert_eq!(again(&id("0/0")), None);
    assert_eq!(again(&id("nonsense")), None);
}

#[test]
fn frames_are_listed_with_their_causes_and_kept() {
    let (builder, text) = open("torch-2.5.1/rc_limit.log");
    let trace = builder.trace();
    let mut frames = Frames::default();
    for order in [FrameOrder::Recompiles, FrameOrder::Seconds] {
        let question = Question::Frames {
            log: 0,
            order,
            first: 0,
            count: 20,
        };
        let steps = ask(&mut frames, trace, &text, &question);
        assert_eq!(
            steps > 0,
            order == FrameOrder::Recompiles,
            "causes are kept"
        );
        let page = frames.page(trace, order, 0, 20);
        assert_eq!((page.total, page.rows.len()), (1, 1));
        let (subject, values) = page.rows[0].cause.as_ref().expect("a cause");
        assert_eq!(
            (subject.kind, subject.source.as_str()),
            (GuardFailureKind::Size, "x")
        );
        assert!(values.len() > 3);
        let remedy = page.rows[0].remedy.as_ref().expect("a remedy");
        assert_eq!(remedy.remedy, RemedyKind::MarkDynamic);
        assert!(frames.page(trace, order, 1, 20).rows.is_empty());
    }
    let question = Question::Frame {
        log: 0,
        key: key(0),
        only: None,
    };
    assert!(ask(&mut frames, trace, &text, &question) > 0);
    assert_eq!(ask(&mut frames, trace, &text, &question), 0, "it is kept");
}

#[test]
fn what_calls_a_function_and_what_its_causes_cost_are_told() {
    let (builder, text) = open("torch-2.5.1/rc_limit.log");
    let view = history(builder.trace(), &text, key(0), None);
    // All nine calls come from one line.
    let [caller] = view.callers.as_slice() else {
        panic!("one caller: {:?}", view.callers)
    };
    assert_eq!(
        (caller.label.as_str(), caller.frame.line),
        ("[0/0]", Some(10))
    );
    assert_eq!(caller.frame.function, "<module>");
    let (builder, text) = open("torch-2.15.0/rc_shape.log.gz");
    let trace = builder.trace();
    let view = history(trace, &text, key(0), None);
    let again = view.facts.seconds_again.expect("times are logged");
    let cost = view.advice[0].seconds.expect("a cost");
    assert!(cost > 0.0 && cost <= again + 1e-9, "{cost} of {again}");
    let mut frames = Frames::default();
    let order = FrameOrder::Seconds;
    let question = Question::Frames {
        log: 0,
        order,
        first: 0,
        count: 20,
    };
    ask(&mut frames, trace, &text, &question);
    assert!(frames.page(trace, order, 0, 20).has_seconds);
    // Nobody said how long these took.
    let (builder, text) = with_reasons("0/0: x == 1");
    let trace = builder.trace();
    let view = history(trace, &text, key(0), None);
    assert_eq!(view.callers, []);
    assert!(view.advice.iter().all(|advice| advice.seconds.is_none()));
    let mut frames = Frames::default();
    ask(&mut frames, trace, &text, &question);
    let page = frames.page(trace, order, 0, 20);
    assert!(!page.rows.is_empty() && !page.has_seconds);
}

/// A text that nobody may read.
struct Closed;

impl Source for Closed {
    fn len(&self) -> u64 {
        u64::MAX
    }

    fn read_at(&self, offset: u64, _: &mut [u8]) -> Result<(), SourceError> {
        panic!("byte {offset} is read");
    }
}

#[test]
fn while_a_log_is_read_its_frames_are_listed_without_reading_it_again() {
    let (builder, text) = open("torch-2.5.1/rc_limit.log");
    let trace = builder.trace();
    let order = FrameOrder::Recompiles;
    let question = Question::Frames {
        log: 0,
        order,
        first: 0,
        count: 20,
    };
    let mut frames = Frames::default();
    frames.begin(trace, &question, false);
    assert!(frames.step(trace, &Closed, &question).expect("a list"));
    let reading = frames.page(trace, order, 0, 20).rows;
    assert_eq!(reading.len(), 1);
    assert_eq!(reading[0].facts.recompiles, 7);
    assert!(!reading[0].is_read && reading[0].cause.is_none());
    ask(&mut frames, trace, &text, &question);
    let done = frames.page(trace, order, 0, 20).rows;
    assert!(done[0].is_read && done[0].cause.is_some());
}

#[test]
fn a_frame_that_is_not_there_is_a_sentence() {
    let (builder, text) = open("torch-2.5.1/rc_limit.log");
    let mut frames = Frames::default();
    let question = Question::Frame {
        log: 0,
        key: key(77),
        only: None,
    };
    frames.begin(builder.trace(), &question, true);
    assert!(frames.step(builder.trace(), &text, &question).is_err());
    assert!(frames.history(builder.trace(), key(77), None).is_err());
}

/// A log of a frame whose second compilation had these reasons.
fn with_reasons(reasons: &str) -> (Builder, Vec<u8>) {
    let record = |metadata: &str| {
        format!("V1129 12:00:00.000000 4242 torch/_logging/structured.py:28] {metadata}\n")
    };
    let start = |n: u32| {
        let at = format!("\"frame_id\": 0, \"frame_compile_id\": {n}, \"attempt\": 0");
        record(&format!("{{\"dynamo_start\": {{\"stack\": []}}, {at}}}"))
    };
    let at = "\"frame_id\": 0, \"frame_compile_id\": 1, \"attempt\": 0";
    let artifact = "{\"name\": \"recompile_reasons\", \"encoding\": \"json\"}";
    let mut text = start(0);
    text += &record(&format!(
        "{{\"artifact\": {artifact}, {at}, \"has_payload\": \"0\"}}"
    ));
    for line in reasons.split('\n') {
        text += "\t";
        text += line;
        text += "\n";
    }
    text += &start(1);
    read(text.into_bytes())
}

#[test]
fn hostile_reasons_are_shown_as_they_stand_and_cut() {
    for reasons in [
        "[\"0/0: <script>alert(1)</script>",
        "{\"broken\": [1,",
        "\u{202e}\u{0}",
        "0/0: \"\"\"",
        "[[[[[[",
        &"0/0: x == 1; ".repeat(20_000),
        &format!("0/0: {}", "é".repeat(500_000)),
    ] {
        let (builder, text) = with_reasons(reasons);
        let view = history(builder.trace(), &text, key(0), None);
        assert_eq!(view.steps.len(), 2, "{:.40}", reasons);
        for failed in view.steps[1].reasons.iter().flat_map(|r| &r.failures) {
            assert!(failed.guard.chars().count() <= LONGEST + 1);
        }
        let (subject, _) = view.cause.expect("a cause");
        assert!(subject.source.chars().count() <= LONGEST + 1);
    }
    let (builder, text) = with_reasons("0/0: <b>something new</b>");
    let view = history(builder.trace(), &text, key(0), None);
    let failed = &view.steps[1].reasons[0].failures[0];
    assert_eq!(failed.subject.kind, GuardFailureKind::Unknown);
    assert_eq!(failed.guard, "<b>something new</b>");
}

#[test]
fn versions_tell_the_name_of_the_limit() {
    assert_eq!(has_recompile_limit("2.6.0"), Some(false));
    assert_eq!(has_recompile_limit("2.15.0+cu132"), Some(true));
    assert_eq!(has_recompile_limit("2.3 or 2.4"), Some(false));
    assert_eq!(has_recompile_limit("nightly"), None);
}
