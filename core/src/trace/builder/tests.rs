mod console;

use super::*;
use crate::log::prefix::SEARCHED;
use crate::source::Source;
use crate::trace::compilation::{Cause, Status};
use crate::trace::{Checksum, Trace};
use alloc::format;
use alloc::vec;
use proptest::prelude::*;

const PREFIX: &str = "V1129 11:49:56.619000 7 torch/a.py:12] ";

/// The trace of a text.
fn read(text: &[u8]) -> Trace {
    let mut builder = Builder::default();
    builder.feed(text);
    builder.finish();
    builder.state.trace
}

fn head(process: u64, json: &str) -> String {
    format!("V1129 11:49:56.619000 {process} torch/a.py:12] {json}\n")
}

fn md5_of(text: &str) -> String {
    use md5::{Digest, Md5};
    let hash = Md5::digest(text.as_bytes());
    core::str::from_utf8(&crate::log::payload::hexadecimal(&hash))
        .unwrap()
        .into()
}

/// A record of process 7 with a payload.
fn artifact(id: &str, name: &str, payload: &str) -> String {
    let lines: String = payload
        .split('\n')
        .map(|line| format!("\t{line}\n"))
        .collect();
    head(
        7,
        &format!(
            r#"{{"artifact": {{"name": "{name}", "encoding": "string"}}{id}, "has_payload": "{}"}}"#,
            md5_of(payload)
        ),
    ) + &lines
}

fn start(id: &str) -> String {
    head(7, &format!(r#"{{"dynamo_start": {{"stack": []}}{id}}}"#))
}

fn metrics(id: &str, members: &str) -> String {
    head(
        7,
        &format!(r#"{{"compilation_metrics": {{{members}}}{id}}}"#),
    )
}

fn event(id: &str, name: &str, phase: &str) -> String {
    let payload = format!("{{\n\"name\": \"{name}\",\n\"ts\": 1.5,\n\"ph\": \"{phase}\"\n}}");
    let lines: String = payload
        .split('\n')
        .map(|line| format!("\t{line}\n"))
        .collect();
    head(
        7,
        &format!(
            r#"{{"chromium_event": {{}}{id}, "has_payload": "{}"}}"#,
            md5_of(&payload)
        ),
    ) + &lines
}

/// A text as it stands in an editor that makes so many blanks of a tab.
fn without_tabs(text: &str, width: usize) -> String {
    text.replace('\t', &" ".repeat(width))
}

#[test]
fn payloads_behind_blanks_are_read_and_noted() {
    let payloads = [
        "class GraphModule(torch.nn.Module):\n    def forward(self):\n\n        return ()",
        " class joint(torch.nn.Module):\n    def forward(self):",
        "{\n\"a\": 1\n}",
        "one",
        "",
    ];
    let mut text = String::new();
    for payload in payloads {
        text += &start(A);
        text += &artifact(A, "note", payload);
    }
    for width in [2, 4, 8] {
        for front in ["", "    ", "> ", "\u{feff}"] {
            for ends in ["\n", "\r\n", "   \n"] {
                let mark = front.trim_end_matches(' ').starts_with('\u{feff}');
                let changed = without_tabs(&text, width);
                let changed: String = if mark {
                    format!("{front}{changed}")
                } else {
                    changed
                        .lines()
                        .map(|line| format!("{front}{line}\n"))
                        .collect()
                };
                // Blanks at the ends of payloads' lines would be theirs.
                let changed: String = changed
                    .lines()
                    .map(|line| match line.ends_with('}') && line.contains("] {") {
                        true => format!("{line}{ends}"),
                        false if ends == "\r\n" => format!("{line}\r\n"),
                        false => format!("{line}\n"),
                    })
                    .collect();
                let trace = read(changed.as_bytes());
                let lost = payloads.len() as u64;
                assert_eq!(problems(&trace), [("lost_tabs", lost)], "{changed}");
                let source = changed.as_bytes();
                for (index, _) in trace.index.iter() {
                    let checked = trace.check(&source, index).unwrap();
                    assert_ne!(checked, Checksum::Differs, "{index} {changed}");
                }
            }
        }
    }
}

#[test]
fn indented_lines_behind_records_of_a_trace_with_tabs_are_text() {
    let whole = artifact(A, "note", "a payload");
    let (missing, _) = whole.split_once('\n').unwrap();
    let text = format!("{whole}{missing}\n    warnings.warn(\n{whole}");
    let found = [("missing_payload", 1), ("other_text", 1)];
    assert_eq!(problems(&read(text.as_bytes())), found);
    // A record that announces nothing has no payload.
    let text = format!("{}    warnings.warn(\n", start(A));
    assert_eq!(problems(&read(text.as_bytes())), [("other_text", 1)]);
    // The first line of what is indented may have lost its blanks.
    let indented = format!("{whole}{whole}").replace('\n', "\n    ");
    assert_eq!(
        problems(&read(indented.trim().as_bytes())),
        [("cut_off", 1)]
    );
}

const A: &str = r#", "frame_id": 0, "frame_compile_id": 0, "attempt": 0"#;
const A1: &str = r#", "frame_id": 0, "frame_compile_id": 0, "attempt": 1"#;
const B: &str = r#", "frame_id": 1, "frame_compile_id": 0, "attempt": 0"#;

fn problems(trace: &Trace) -> Vec<(&'static str, u64)> {
    trace
        .health
        .found()
        .iter()
        .map(|found| (found.name(), found.count))
        .collect()
}

/// Ids, generations, attempts and names of artifacts.
fn shape(trace: &Trace) -> Vec<(String, u32, u32, Vec<String>)> {
    let names = |c: &Compilation| {
        let title = |a: &Artifact| {
            let kind = trace.index.get(a.record).unwrap().kind;
            trace.kinds.get(kind).unwrap().title().into()
        };
        c.artifacts.iter().map(title).collect()
    };
    trace
        .compilations
        .iter()
        .map(|c| (c.key.id.to_string(), c.key.generation, c.attempts, names(c)))
        .collect()
}

#[test]
fn a_start_that_repeats_id_and_attempt_opens_a_generation() {
    let text = [
        start(A),
        artifact(A, "first", "x"),
        start(B),
        start(A),
        artifact(A, "second", "y"),
        start(B),
    ]
    .concat();
    let trace = read(text.as_bytes());
    assert_eq!(
        shape(&trace),
        [
            ("0/0".into(), 0, 1, vec!["first".into()]),
            ("1/0".into(), 0, 1, vec![]),
            ("0/0".into(), 1, 1, vec!["second".into()]),
            ("1/0".into(), 1, 1, vec![]),
        ]
    );
    assert_eq!(trace.generations(), 2);
    assert_eq!(trace.label(&trace.compilations[2].key), "[0/0] gen 2");
}

#[test]
fn a_restart_is_an_attempt_and_no_generation() {
    let text = [start(A), start(A1), artifact(A1, "graph", "x")].concat();
    assert_eq!(
        shape(&read(text.as_bytes())),
        [("0/0".into(), 0, 2, vec!["graph".into()])]
    );
}

#[test]
fn what_is_logged_before_a_start_belongs_to_its_generation() {
    let text = [
        event(A, "dynamo", "B"),
        start(A),
        artifact(A, "old", "x"),
        event(A, "dynamo", "E"),
        event(A, "dynamo", "B"),
        artifact(A, "new", "y"),
        start(A),
    ]
    .concat();
    let trace = read(text.as_bytes());
    assert_eq!(
        shape(&trace),
        [
            ("0/0".into(), 0, 1, vec!["old".into()]),
            ("0/0".into(), 1, 1, vec!["new".into()])
        ]
    );
    let owners: Vec<_> = trace
        .index
        .iter()
        .map(|(_, entry)| entry.compilation().unwrap())
        .collect();
    assert_eq!(owners, [0, 0, 0, 0, 1, 1, 1]);
}

#[test]
fn a_backward_that_is_compiled_late_belongs_to_its_forward() {
    let text = [start(A), start(B), artifact(A, "aot_backward_graph", "x")].concat();
    assert_eq!(shape(&read(text.as_bytes()))[0].3, ["aot_backward_graph"]);
}

#[test]
fn a_graph_that_a_record_says_broke_is_broken_without_a_restart() {
    let broke = |members: &str| {
        let text = [
            start(A),
            artifact(
                A,
                "dynamo_graph_break_reason",
                "Graph break in user code at a.py:1",
            ),
            metrics(A, members),
        ]
        .concat();
        read(text.as_bytes()).compilations[0].status()
    };
    assert_eq!(broke(r#""graph_op_count": 3"#), Status::GraphBreak);
    assert_eq!(broke(r#""graph_op_count": 0"#), Status::GraphBreak);
    assert_eq!(broke(r#""fail_type": "x""#), Status::Error);
}

#[test]
fn status_is_that_of_the_last_metrics() {
    for (members, status) in [
        (r#""graph_op_count": 3, "restart_reasons": []"#, Status::Ok),
        (r#""graph_op_count": 3"#, Status::Ok),
        (
            r#""graph_op_count": 3, "restart_reasons": ["x"]"#,
            Status::GraphBreak,
        ),
        (
            r#""graph_op_count": 0, "restart_reasons": ["x"]"#,
            Status::Empty,
        ),
        (r#""restart_reasons": []"#, Status::Empty),
        (
            r#""graph_op_count": 3, "fail_type": "Unsupported""#,
            Status::Error,
        ),
        (
            r#""graph_op_count": null, "fail_type": null"#,
            Status::Empty,
        ),
    ] {
        let text = [start(A), metrics(A, members)].concat();
        assert_eq!(
            read(text.as_bytes()).compilations[0].status(),
            status,
            "{members}"
        );
    }
    assert_eq!(
        read(start(A).as_bytes()).compilations[0].status(),
        Status::NoMetrics
    );
    let text = [
        metrics(A, r#""fail_type": "X""#),
        metrics(A1, r#""graph_op_count": 1"#),
    ]
    .concat();
    assert_eq!(read(text.as_bytes()).compilations[0].status(), Status::Ok);
}

#[test]
fn a_failure_without_a_reason_is_a_failure() {
    let text = [
        start(A),
        metrics(A, r#""fail_type": "X", "fail_user_frame_lineno": 3"#),
    ]
    .concat();
    let trace = read(text.as_bytes());
    let failure = &trace.compilations[0].failures[0];
    let cause = Cause::Exception {
        kind: Some("X".into()),
        file: None,
        line: Some(3),
    };
    assert_eq!((&failure.cause, &failure.reason), (&cause, &None));
}

#[test]
fn one_field_of_a_wrong_type_costs_that_field() {
    for (members, wrong) in [
        (r#""graph_op_count": "three", "guard_count": 5"#, 1),
        (r#""co_name": 7, "guard_count": 5"#, 1),
        (r#""restart_reasons": [1, "x"], "guard_count": 5"#, 1),
        (r#""restart_reasons": "x", "guard_count": 5"#, 1),
        (r#""duration_us": NaN, "guard_count": 5"#, 0),
        (r#""co_name": "\ud800", "guard_count": 5"#, 0),
        (r#""guard_count": 5.0"#, 0),
        (r#""guard_count": 5, "guard_latency_us": 1e400"#, 0),
    ] {
        let text = [start(A), metrics(A, members)].concat();
        let trace = read(text.as_bytes());
        let compilation = &trace.compilations[0];
        assert_eq!(compilation.metrics.unwrap().guards, Some(5), "{members}");
        let expected = if wrong > 0 {
            vec![("wrong_type", wrong)]
        } else {
            vec![]
        };
        assert_eq!(problems(&trace), expected, "{members}");
    }
}

#[test]
fn a_file_id_of_minus_one_and_a_line_of_null_are_read() {
    let stack = r#"{"dynamo_start": {"stack": [{"line": null, "name": "f", "filename": -1}]}"#;
    let trace = read(head(7, &format!("{stack}{A}}}")).as_bytes());
    assert_eq!(problems(&trace), []);
    assert_eq!(trace.compilations[0].function.as_deref(), Some("f"));
    assert_eq!(trace.compilations[0].line, None);
}

#[test]
fn a_payload_stays_with_an_envelope_that_cannot_be_read() {
    let text = format!(
        "{PREFIX}{{\"artifact\": {{\"name\": \"x\", ?\n\tone\n\ttwo\n{}",
        start(A)
    );
    let trace = read(text.as_bytes());
    assert_eq!(problems(&trace), [("bad_json", 1)]);
    assert_eq!(trace.records, 2);
    let segment = trace.segment(&text.as_bytes(), 0).unwrap().unwrap();
    assert_eq!(
        segment.payload.read(&text.as_bytes(), 100).unwrap(),
        b"one\ntwo"
    );
    assert_eq!(segment.envelope().kind, "artifact");
}

#[test]
fn crlf_blank_lines_and_a_missing_line_end_change_no_payload() {
    let plain = artifact(A, "x", "one\n\ntwo\nthree");
    for text in [
        plain.replace('\n', "\r\n"),
        plain.replace("\ttwo", "\n\n\ttwo"),
        plain.trim_end_matches('\n').into(),
    ] {
        let trace = read(text.as_bytes());
        assert_eq!(
            trace.check(&text.as_bytes(), 0),
            Ok(Checksum::Matches),
            "{text:?}"
        );
        assert_eq!(trace.compilations[0].artifacts[0].bytes, 14, "{text:?}");
    }
    assert_eq!(
        problems(&read(plain.trim_end_matches('\n').as_bytes())),
        [("cut_off", 1)]
    );
}

#[test]
fn a_carriage_return_of_the_payload_itself_is_kept() {
    let text = artifact(A, "x", "one\r\ntwo\r");
    let trace = read(text.as_bytes());
    assert_eq!(trace.check(&text.as_bytes(), 0), Ok(Checksum::Matches));
}

#[test]
fn bytes_that_are_no_utf8_stay_in_the_payload() {
    let mut text = artifact(A, "x", "one").into_bytes();
    let at = text.len() - 2;
    text[at] = 0xff;
    let trace = read(&text);
    assert_eq!(trace.check(&text.as_slice(), 0), Ok(Checksum::Differs));
    let segment = trace.segment(&text.as_slice(), 0).unwrap().unwrap();
    assert_eq!(
        segment.payload.read(&text.as_slice(), 100).unwrap(),
        b"on\xff"
    );
}

#[test]
fn what_a_collector_puts_in_front_of_every_line_is_removed() {
    let text: String = artifact(A, "x", "one\ntwo")
        .lines()
        .map(|line| format!("[rank0]: {line}\n"))
        .collect();
    let trace = read(text.as_bytes());
    assert_eq!(problems(&trace), []);
    assert_eq!(trace.check(&text.as_bytes(), 0), Ok(Checksum::Matches));
}

#[test]
fn a_payload_that_another_process_interrupts_is_put_together() {
    let whole = artifact(A, "x", "one\ntwo\nthree");
    let (first, rest) = whole.split_at(whole.find("\ttwo").unwrap());
    let other = head(8, r#"{"str": ["f.py", 0]}"#);
    for between in [other.as_str(), "some other program's line\n"] {
        let text = [first, between, rest].concat();
        let trace = read(text.as_bytes());
        assert_eq!(
            trace.check(&text.as_bytes(), 0),
            Ok(Checksum::Matches),
            "{between}"
        );
        assert_eq!(trace.compilations[0].artifacts[0].bytes, 13);
        assert_eq!(
            trace
                .health
                .found()
                .iter()
                .filter(|f| f.name() == "stray_payload")
                .count(),
            0
        );
    }
}

#[test]
fn lines_of_a_payload_without_a_record_are_counted() {
    let text = format!("\tone\n{}\ttwo\n", head(7, r#"{"str": ["f.py", 0]}"#));
    let trace = read(text.as_bytes());
    assert_eq!(problems(&trace), [("stray_payload", 2)]);
    assert_eq!(trace.records, 1);
}

#[test]
fn processes_with_the_same_ids_do_not_mix() {
    let of = |process: u64, rank: u32| {
        head(
            process,
            &format!(r#"{{"dynamo_start": {{"stack": []}}, "rank": {rank}{A}}}"#),
        )
    };
    let trace = read([of(7, 0), of(8, 1), of(7, 2)].concat().as_bytes());
    assert_eq!(trace.processes.len(), 3);
    assert_eq!(trace.compilations.len(), 3);
    assert_eq!(trace.generations(), 1);
    assert_eq!(trace.label(&trace.compilations[1].key), "[0/0] proc 2");
}

#[test]
fn thread_ids_of_torch_2_3_are_one_process() {
    let of = |thread: u64, id: &str| {
        head(
            thread,
            &format!(r#"{{"dynamo_start": {{"stack": []}}{id}}}"#),
        )
    };
    let text = [of(140_245_677_250_560, A), of(140_245_677_250_999, B)].concat();
    assert_eq!(read(text.as_bytes()).processes.len(), 1);
}

#[test]
fn the_cache_is_told_by_name_or_by_the_hash_payload() {
    let text = [
        artifact(A, "fx_graph_cache_miss", "{}"),
        artifact(A, "fx_graph_cache_hash", "{\"cache_state\": \"hit\"}"),
        artifact(A, "aotautograd_cache_bypass", "{}"),
        artifact(A, "cache", "{}"),
    ]
    .concat();
    let trace = read(text.as_bytes());
    let caches: Vec<_> = trace.compilations[0]
        .artifacts
        .iter()
        .map(|a| a.cache)
        .collect();
    assert_eq!(
        caches,
        [
            Some(Cache::Miss),
            Some(Cache::Hit),
            Some(Cache::Bypass),
            None
        ]
    );
}

#[test]
fn a_missing_payload_is_a_problem_and_an_empty_one_is_none() {
    let missing = head(
        7,
        &format!(
            r#"{{"artifact": {{"name": "x"}}{A}, "has_payload": "{}"}}"#,
            md5_of("x")
        ),
    );
    assert_eq!(
        problems(&read(missing.as_bytes())),
        [("missing_payload", 1)]
    );
    assert_eq!(problems(&read(artifact(A, "x", "").as_bytes())), []);
    let bad = missing.replace(&md5_of("x"), "abc");
    assert_eq!(
        problems(&read((bad + "\tx\n").as_bytes())),
        [("bad_checksum", 1)]
    );
}

#[test]
fn other_programs_lines_are_kept_as_text() {
    let text = format!("hello\nworld\n{}bye", start(A));
    let trace = read(text.as_bytes());
    assert_eq!(problems(&trace), [("other_text", 2), ("cut_off", 1)]);
    let segment = trace.segment(&text.as_bytes(), 0).unwrap().unwrap();
    assert_eq!(
        segment.payload.read(&text.as_bytes(), 100).unwrap(),
        b"hello\nworld\n".trim_ascii_end()
    );
    assert_eq!(trace.first_text.as_deref(), Some("hello"));
}

#[test]
fn offsets_beyond_four_gigabytes_are_read_back() {
    /// Text that lies behind that many bytes of nothing.
    struct Behind<'a>(u64, &'a [u8]);
    impl Source for Behind<'_> {
        fn len(&self) -> u64 {
            self.0 + self.1.len() as u64
        }
        fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), crate::source::SourceError> {
            self.1.read_at(offset - self.0, out)
        }
    }
    let text = artifact(A, "x", "one\ntwo");
    let base = (1 << 33) + 5;
    let mut builder = Builder::new(Splitter::default().starting_at(base));
    builder.feed(text.as_bytes());
    builder.finish();
    let source = Behind(base, text.as_bytes());
    assert_eq!(builder.trace().check(&source, 0), Ok(Checksum::Matches));
}

/// Pieces of logs, healthy and not.
fn any_piece() -> impl Strategy<Value = Vec<u8>> {
    let ids = prop_oneof![Just(A), Just(A1), Just(B), Just("")];
    prop_oneof![
        (ids.clone(), "[a-z\n\t\r]{0,30}")
            .prop_map(|(id, text)| artifact(id, "x", &text).into_bytes()),
        (ids.clone(), "[a-z\n \r]{0,30}", 1_usize..10).prop_map(|(id, text, width)| without_tabs(
            &artifact(id, "x", &text),
            width
        )
        .into_bytes()),
        "[ ]{1,18}[a-z\t]{0,3}\r?\n".prop_map(String::into_bytes),
        ids.clone().prop_map(|id| start(id).into_bytes()),
        ids.prop_map(|id| event(id, "dynamo", "B").into_bytes()),
        "[ -~]{0,40}\n?".prop_map(String::into_bytes),
        "\t[ -~]{0,20}\n".prop_map(String::into_bytes),
        Just(b"\n".to_vec()),
        Just(b"\r\n\r\n".to_vec()),
        Just(format!("{PREFIX}{{\"bad").into_bytes()),
        Just(head(8, r#"{"str": ["f.py", 1]}"#).into_bytes()),
        Just([b"x".repeat(SEARCHED + 3), b"\n".to_vec()].concat()),
        Just(format!("{PREFIX}{{\"long\": \"{}\"}}\n", "y".repeat(2 * SEARCHED)).into_bytes()),
        prop::collection::vec(any::<u8>(), 0..60),
        console::any_line(),
        console::any_line(),
        console::any_line(),
    ]
}

/// All that a trace says, as text.
fn everything(trace: &Trace) -> String {
    format!(
        "{:?}{:?}{:?}{:?}{:?}",
        trace.index, trace.compilations, trace.outside, trace.health, trace.records
    )
}

proptest! {
    #[test]
    fn the_size_of_pieces_changes_nothing(
        pieces in prop::collection::vec(any_piece(), 0..25),
        sizes in prop::collection::vec(1usize..700, 1..6),
        small in any::<bool>(),
    ) {
        let text = pieces.concat();
        let whole = read(&text);
        let mut builder = Builder::default();
        let mut rest = text.as_slice();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let size = if small { 1 } else { *size };
            let (now, later) = rest.split_at(size.min(rest.len()));
            builder.feed(now);
            rest = later;
        }
        builder.finish();
        prop_assert_eq!(everything(builder.trace()), everything(&whole));
    }

    #[test]
    fn no_byte_is_left_out_and_every_segment_reads_back(pieces in prop::collection::vec(any_piece(), 0..25)) {
        let text = pieces.concat();
        let trace = read(&text);
        let mut at = 0;
        for (index, _) in trace.index.iter() {
            let range = trace.index.range(index).unwrap();
            prop_assert_eq!(range.start, at);
            prop_assert!(range.end > at);
            at = range.end;
            let segment = trace.segment(&text.as_slice(), index).unwrap().unwrap();
            let payload = segment.payload.read(&text.as_slice(), usize::MAX).unwrap();
            prop_assert!(payload.len() as u64 <= text.len() as u64);
            let _ = trace.check(&text.as_slice(), index).unwrap();
        }
        prop_assert_eq!(at, text.len() as u64);
    }

    #[test]
    fn an_artifacts_size_is_that_of_its_payload(pieces in prop::collection::vec(any_piece(), 0..25)) {
        let text = pieces.concat();
        let trace = read(&text);
        for artifact in trace.compilations.iter().flat_map(|c| &c.artifacts).chain(&trace.outside) {
            let segment = trace.segment(&text.as_slice(), artifact.record).unwrap().unwrap();
            if segment.payload.pieces.is_empty() {
                continue;
            }
            let payload = segment.payload.read(&text.as_slice(), usize::MAX).unwrap();
            prop_assert_eq!(artifact.bytes, payload.len() as u64, "{:?}", String::from_utf8_lossy(&text));
        }
    }
}
