use super::*;
use crate::analysis::remedy::{Certainty, Remedy, remedies};
use crate::trace::Builder;
use alloc::format;
use alloc::vec;
use proptest::prelude::*;

fn record(json: &str) -> String {
    format!("V1129 11:49:56.619000 7 torch/a.py:12] {json}\n")
}

fn start(id: u32) -> String {
    record(&format!(
        r#"{{"dynamo_start": {{"stack": []}}, "frame_id": 0, "frame_compile_id": {id}, "attempt": 0}}"#
    ))
}

fn why(id: u32, payload: &str) -> String {
    let lines: String = payload.lines().map(|line| format!("\t{line}\n")).collect();
    record(&format!(
        r#"{{"artifact": {{"name": "recompile_reasons", "encoding": "json"}}, "frame_id": 0, "frame_compile_id": {id}, "attempt": 0, "has_payload": "0123456789abcdef0123456789abcdef"}}"#
    )) + &lines
}

fn metrics(id: u32, members: &str) -> String {
    record(&format!(
        r#"{{"compilation_metrics": {{"co_name": "f", {members}}}, "frame_id": 0, "frame_compile_id": {id}, "attempt": 0}}"#
    ))
}

fn histories(text: &str) -> Vec<History> {
    let mut builder = Builder::default();
    builder.feed(text.as_bytes());
    builder.finish();
    let trace = builder.trace();
    frames(trace)
        .into_iter()
        .map(|frame| history(trace, &text.as_bytes(), frame).unwrap())
        .collect()
}

const SIZE_0: &str = "0/0: tensor 'x' size mismatch at index 0. expected 2, actual 3";
const SIZE_1: &str = "0/1: tensor 'x' size mismatch at index 0. expected 3, actual 4";

#[test]
fn values_are_those_of_entries_and_of_what_came() {
    let text = start(0)
        + &why(1, SIZE_0)
        + &start(1)
        + &why(
            2,
            &format!(
                r#"["{SIZE_1}", "{}"]"#,
                SIZE_0.replace("actual 3", "actual 4")
            ),
        )
        + &start(2)
        + &metrics(2, r#""entire_frame_compile_time_s": 1.5"#);
    let history = &histories(&text)[0];
    assert_eq!((history.frame.recompiles, history.frame.seconds), (2, 1.5));
    assert_eq!(history.frame.limit, None);
    assert_eq!(
        history
            .steps
            .iter()
            .map(|s| s.reasons.len())
            .collect::<Vec<_>>(),
        [0, 1, 2]
    );
    let series = history
        .series_of(GuardFailureKind::Size, "x", Some(0))
        .unwrap();
    let values: Vec<_> = series
        .values
        .iter()
        .map(|(id, v)| (*id, v.as_str()))
        .collect();
    assert_eq!(values, [(0, "2"), (1, "3"), (2, "4")]);
}

#[test]
fn metrics_tell_where_no_artifact_does() {
    let text = start(0)
        + &start(1)
        + &metrics(1, &format!(r#""recompile_reason": "{SIZE_0}""#))
        + &start(2)
        + &metrics(2, r#""recompile_reason": null"#);
    let history = &histories(&text)[0];
    assert_eq!(history.steps[1].reasons.len(), 1);
    assert!(history.steps[1].record.is_some());
    assert_eq!(
        (history.steps[2].reasons.len(), history.steps[2].record),
        (0, None)
    );
}

#[test]
fn the_limit_shows_as_a_failure_or_as_reasons_without_a_start() {
    let not_started = start(0) + &why(1, SIZE_0);
    let limit = histories(&not_started)[0].frame.limit.unwrap();
    assert_eq!(
        (limit.compilation, limit.sign, limit.limit),
        (1, LimitSign::NotStarted, None)
    );
    let failed = not_started
        + &metrics(
            1,
            r#""fail_type": "Unsupported", "fail_reason": "Dynamo recompile limit exceeded\n  Explanation: (currently set to 8). More""#,
        );
    let limit = histories(&failed)[0].frame.limit.unwrap();
    assert_eq!((limit.sign, limit.limit), (LimitSign::Failure, Some(8)));
    // It runs through, so that it was none.
    let began = start(0) + &why(1, SIZE_0) + &start(1);
    assert_eq!(histories(&began)[0].frame.limit, None);
}

#[test]
fn reasons_behind_a_start_are_not_its_own() {
    let text = start(0) + &start(1) + &why(1, SIZE_0);
    assert_eq!(histories(&text)[0].steps[1].reasons, []);
}

#[test]
fn reasons_after_a_reset_belong_to_the_new_generation() {
    let other = "0/0: alpha == 0.5";
    let text = start(0) + &why(1, SIZE_0) + &start(1) + &start(0) + &why(1, other) + &start(1);
    let kinds: Vec<_> = histories(&text)
        .iter()
        .map(|history| history.steps[1].reasons[0].parts[0].kind)
        .collect();
    assert_eq!(kinds, [GuardFailureKind::Size, GuardFailureKind::Value]);
}

#[test]
fn a_history_may_be_asked_for_at_any_time() {
    let text = start(0) + &why(1, SIZE_0) + &start(1) + &why(2, SIZE_1) + &start(2);
    let mut builder = Builder::default();
    for piece in text.as_bytes().chunks(7) {
        builder.feed(piece);
        let trace = builder.trace();
        for frame in frames(trace) {
            let read = history(trace, &text.as_bytes(), frame).unwrap();
            let _ = remedies(&read);
        }
    }
}

#[test]
fn many_compilations_of_a_frame_are_read_within_limits() {
    let long = format!(r#"["{SIZE_1}", "{SIZE_0}"]"#).repeat(1);
    let text: String = (0..20_000).map(|id| why(id, &long) + &start(id)).collect();
    let history = &histories(&text)[0];
    assert_eq!(history.frame.compilations.len(), 20_000);
    assert_eq!(history.steps.len(), MOST_READ);
    assert!(history.series[0].values.len() <= LONGEST_SERIES);
    let advice = remedies(history);
    assert_eq!(
        advice[0].remedy,
        Remedy::MarkDynamic {
            source: "x".into(),
            dim: 0
        }
    );
    assert_eq!(advice[0].certainty, Certainty::Certain);
}

#[test]
fn reasons_longer_than_a_share_are_cut_at_a_whole_one() {
    let list = format!("[{}]", vec![format!("\"{SIZE_0}\""); 10_000].join(", "));
    let text = start(0) + &why(1, &list) + &start(1);
    let history = &histories(&text)[0];
    let read = history.steps[1].reasons.len();
    assert!(read > 1000 && read < 10_000, "{read}");
    assert!(
        history.steps[1]
            .reasons
            .iter()
            .all(|r| r.parts[0].actual.as_deref() == Some("3"))
    );
}

#[test]
fn reasons_without_end_are_kept_within_limits() {
    let parts = vec!["x"; 50_000].join("; ");
    let names: Vec<_> = (0..3_000)
        .map(|i| format!("\"0/0: v{i} == {i}\""))
        .collect();
    let names = format!("[{}]", names.join(", "));
    let text: String = (0..200)
        .map(|id| why(id, if id % 2 == 0 { &parts } else { &names }) + &start(id))
        .collect();
    let history = &histories(&text)[0];
    let failures = |step: &Step| step.reasons.iter().map(|r| r.parts.len()).sum::<usize>();
    let kept: usize = history.steps.iter().map(failures).sum();
    assert!(
        kept <= MOST_FAILURES + history.steps.len() * MOST_PARTS,
        "{kept}"
    );
    assert_eq!(history.series.len(), MOST_SERIES);
    assert!(
        history
            .steps
            .iter()
            .all(|step| !step.whole && !step.reasons.is_empty())
    );
    assert!(remedies(history).len() <= crate::analysis::remedy::MOST_ADVICE + 2);
}

proptest! {
    #[test]
    fn any_order_of_records_gives_a_value(
        records in prop::collection::vec((0_u32..4, 0_u8..4), 0..40),
    ) {
        let text: String = records
            .iter()
            .map(|&(id, what)| match what {
                0 => start(id),
                1 => why(id, SIZE_0),
                2 => why(id, "[\"0/1: alpha == 0.5\", \"0/0: alpha == 0.25"),
                _ => metrics(id, r#""recompile_reason": "0/0: mask is None""#),
            })
            .collect();
        for history in histories(&text) {
            prop_assert_eq!(history.steps.len(), history.frame.compilations.len());
            for advice in remedies(&history) {
                prop_assert!(!advice.evidence.is_empty()
                    || matches!(advice.remedy, Remedy::RaiseLimit | Remedy::DisableCompile));
            }
        }
    }
}

#[test]
fn the_console_tells_of_recompiles_and_of_the_limit_in_words() {
    let recompiles = |id: &str, entry: &str| {
        let prefix =
            format!("V1129 11:42:11.500000 7 torch/_dynamo/guards.py:6374] [{id}] [__recompiles]");
        format!(
            "{prefix} Recompiling function f in /a.py:3\n\
             {prefix}     triggered by the following guard failure(s):\n\
             {prefix}     - {entry}: tensor 'x' size mismatch at index 0. expected 2, actual 3\n"
        )
    };
    let warning = "W1129 11:42:12.500000 7 torch/_dynamo/convert_frame.py:9] [0/2]";
    let text = format!(
        "{}{}{warning} torch._dynamo hit config.recompile_limit (2)\n{warning}    function: 'f' (/a.py:3)\n",
        recompiles("0/1", "0/0"),
        recompiles("0/2", "0/1")
    );
    let mut builder = Builder::default();
    builder.feed(text.as_bytes());
    builder.finish();
    let frames = frames(builder.trace());
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].recompiles, 1);
    let limit = frames[0].limit.unwrap();
    assert_eq!((limit.compilation, limit.limit), (1, Some(2)));
    let history = history(builder.trace(), &text.as_bytes(), frames[0].clone()).unwrap();
    assert!(history.steps.iter().all(|step| step.reasons.len() == 1));
    let series = history
        .series_of(GuardFailureKind::Size, "x", Some(0))
        .unwrap();
    assert_eq!(series.values.len(), 3);
}
