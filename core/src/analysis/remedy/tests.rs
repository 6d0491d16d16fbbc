use super::*;
use crate::analysis::recompiles::{Frame, FrameKey, Limit, Reading, Step};
use crate::payload::recompile::reasons;
use alloc::format;

/// A history of a frame whose compilations had these reasons, the first compilation aside.
fn history(why: &[&str]) -> History {
    let frame = Frame {
        key: FrameKey {
            process: 0,
            generation: 0,
            compiled_autograd_id: None,
            frame_id: Some(0),
        },
        compilations: (0..=why.len()).collect(),
        recompiles: u32::try_from(why.len()).unwrap(),
        restarts: 0,
        seconds: 0.0,
        limit: None,
    };
    let mut history = Reading::new(frame).history().clone();
    for (i, text) in why.iter().enumerate() {
        history.steps.push(Step {
            compilation: i + 1,
            frame_compile_id: Some(u32::try_from(i + 1).unwrap()),
            seconds: None,
            reasons: reasons(text),
            record: None,
            whole: true,
        });
    }
    history
}

fn first(why: &[&str]) -> Remedy {
    remedies(&history(why)).swap_remove(0).remedy
}

#[test]
fn each_guard_has_its_remedy() {
    let source = || String::from("x");
    for (why, remedy) in [
        (
            "tensor 'x' size mismatch at index 1. expected 4, actual 5",
            Remedy::MarkDynamic {
                source: source(),
                dim: 1,
            },
        ),
        (
            "tensor 'x' size mismatch at index 1. expected 1, actual 5",
            Remedy::MarkUnbacked {
                source: source(),
                dim: Some(1),
            },
        ),
        (
            "tensor 'x' dtype mismatch. expected Float, actual Half",
            Remedy::StableDtype { source: source() },
        ),
        (
            "tensor 'x' stride mismatch at index 0. expected 4, actual 1",
            Remedy::StableStrides { source: source() },
        ),
        (
            "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU), actual DispatchKeySet(CPU, AutocastCPU)",
            Remedy::StableAutocast,
        ),
        (
            "x == 0.5",
            Remedy::TensorInsteadOfNumber {
                source: source(),
                number: Number::Float,
            },
        ),
        (
            "x == 5",
            Remedy::TensorInsteadOfNumber {
                source: source(),
                number: Number::Int,
            },
        ),
        ("x == 'sin'", Remedy::FewVariants { source: source() }),
        ("x is None", Remedy::OptionalArgument { source: source() }),
        ("len(x) == 2", Remedy::SameLength { source: source() }),
        (
            "set(x.keys()) == {'a'}",
            Remedy::SameKeys { source: source() },
        ),
        ("x is y", Remedy::Aliasing { source: source() }),
        (
            "Cache line invalidated because x got deallocated",
            Remedy::CreateOnce { source: source() },
        ),
        (
            "___check_obj_id(x, 1), type=<class 'A'>",
            Remedy::CreateOnce { source: source() },
        ),
        (
            "___check_type_id(x, 1)",
            Remedy::SameType { source: source() },
        ),
        (
            "hasattr(x, '_dynamo_dynamic_indices') == False",
            Remedy::MarkConsistently { source: source() },
        ),
        (
            "4 <= x.size()[1] <= 9",
            Remedy::BranchOnSize {
                source: source(),
                dim: Some(1),
            },
        ),
        ("GLOBAL_STATE changed: grad_mode ", Remedy::StableGradMode),
        (
            "GLOBAL_STATE changed: num_threads ",
            Remedy::StableState(Some(GlobalState::NumThreads)),
        ),
        (
            "self.param_groups[0]['lr'] == 0.01",
            Remedy::TensorLearningRate {
                source: "self.param_groups[0]['lr']".into(),
            },
        ),
        // An entry of any other dictionary may be anything.
        (
            "G['CONFIG']['lr'] == 0.01",
            Remedy::TensorInsteadOfNumber {
                source: "G['CONFIG']['lr']".into(),
                number: Number::Float,
            },
        ),
        (
            "self.count == 1",
            Remedy::ModuleCounter {
                source: "self.count".into(),
            },
        ),
        (
            "self.drop.training == True",
            Remedy::TrainEvalFlag {
                source: "self.drop.training".into(),
            },
        ),
        (
            "___check_obj_id(L['self'].drop.training, 7)",
            Remedy::TrainEvalFlag {
                source: "self.drop.training".into(),
            },
        ),
        (
            "G['SCALE'] == 3",
            Remedy::PassAsArgument {
                source: "G['SCALE']".into(),
            },
        ),
        (
            "___stack1 == 0.5",
            Remedy::KeepInTensor {
                source: "___stack1".into(),
            },
        ),
    ] {
        assert_eq!(first(&[why]), remedy, "{why}");
    }
    assert_eq!(remedies(&history(&["nobody knows what this is for"])), []);
    assert_eq!(remedies(&history(&[])), []);
}

#[test]
fn what_another_reason_tells_decides_between_guesses() {
    let optional = Remedy::OptionalArgument {
        source: "mask".into(),
    };
    let guesses = remedies(&history(&["___check_obj_id(L['mask'], 7)"]));
    assert_eq!(
        guesses.iter().map(|a| a.certainty).collect::<Vec<_>>(),
        [Certainty::Guess; 2]
    );
    let known = remedies(&history(&[
        "___check_obj_id(L['mask'], 7)",
        "expected type of 'L['mask']' to be a tensor type, ' but found <class 'NoneType'>",
    ]));
    assert_eq!(known.len(), 1);
    assert_eq!(
        (&known[0].remedy, known[0].certainty),
        (&optional, Certainty::Certain)
    );
}

#[test]
fn what_fails_against_the_newest_entry_comes_first() {
    let why = r#"["0/1: mask is None", "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5"]"#;
    let advice = remedies(&history(&[why, why]));
    assert_eq!(
        advice[0].remedy,
        Remedy::OptionalArgument {
            source: "mask".into()
        }
    );
    assert_eq!((advice[0].recompiles, advice[0].evidence.len()), (2, 2));
    assert_eq!(
        advice[0].evidence[1],
        Evidence {
            step: 1,
            reason: 0,
            part: 0
        }
    );
}

#[test]
fn what_costs_most_comes_first_where_times_are_known() {
    let size = "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5";
    let dtype = "0/0: tensor 'y' dtype mismatch. expected Float, actual Half";
    let older = r#"["0/1: tensor 'x' size mismatch at index 0. expected 4, actual 6", "0/0: mask is None"]"#;
    let mut history = history(&[size, dtype, older]);
    let order = |history: &History| {
        let advice = remedies(history).into_iter();
        advice
            .map(|advice| (advice.seconds, advice.recompiles))
            .collect::<Vec<_>>()
    };
    assert_eq!(order(&history), [(None, 2), (None, 1), (None, 1)]);
    for (step, seconds) in history.steps.iter_mut().zip([1.0, 9.5, 2.0]) {
        step.seconds = Some(seconds);
    }
    // What only an older entry did not accept cost nothing by itself.
    assert_eq!(order(&history), [(Some(9.5), 1), (Some(3.0), 2), (None, 1)]);
    // The call that hit the limit compiled nothing.
    history.frame.limit = Some(Limit {
        compilation: 2,
        sign: LimitSign::Failure,
        limit: None,
    });
    assert_eq!(order(&history)[0], (Some(3.0), 2));
    history.frame.limit = None;
    // A log whose numbers are none does not upset the order.
    history.steps[1].seconds = Some(f64::NAN);
    assert_eq!(order(&history)[0], (Some(3.0), 2));
}

#[test]
fn the_limit_is_worth_raising_where_variants_are_bounded() {
    let last = |why: &str| {
        let mut history = history(&[why]);
        history.frame.limit = Some(Limit {
            compilation: 1,
            sign: LimitSign::Failure,
            limit: Some(8),
        });
        remedies(&history)
            .into_iter()
            .map(|a| a.remedy)
            .skip(1)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        last("x == 'sin'"),
        [Remedy::RaiseLimit, Remedy::DisableCompile]
    );
    assert_eq!(last("x == 0.5"), [Remedy::DisableCompile]);
}

#[test]
fn evidence_is_bounded() {
    let why: Vec<String> = (0..100).map(|i| format!("0/{i}: x == {i}.5")).collect();
    let why: Vec<&str> = why.iter().map(String::as_str).collect();
    let advice = &remedies(&history(&why))[0];
    assert_eq!(
        (advice.recompiles, advice.evidence.len()),
        (100, MOST_EVIDENCE)
    );
    assert!(advice.values.is_empty());
}
