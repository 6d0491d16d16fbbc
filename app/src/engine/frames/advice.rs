//! Remedies as they are shown, and the cause that the first one fights.

use super::guards::Guards;
use super::{as_shown, subject};
use crate::engine::protocol::{AdviceView, RecordIndex, RemedyKind, Subject};
use dynascope_core::analysis::recompiles::{History, Step};
use dynascope_core::analysis::remedy::{Advice, Certainty, Evidence, Number, Remedy};
use dynascope_core::payload::recompile::{GlobalState, GuardFailure};
use dynascope_core::trace::Trace;

/// Values that are named with a remedy.
const MOST_VALUES: usize = 16;

/// The failed guard that speaks for the first remedy, or the first one of all, and the values that it saw.
pub(super) fn cause(
    history: &History,
    guards: &Guards,
    advice: &[Advice],
) -> Option<(Subject, Vec<String>)> {
    let first = advice.first();
    let failure = first
        .and_then(|advice| Some(of(history, advice.evidence.first()?)?.1))
        .or_else(|| {
            let reasons = history.steps.iter().flat_map(|step| &step.reasons);
            reasons.flat_map(|reason| &reason.parts).next()
        })?;
    let mut subject = subject(failure);
    if subject.source.is_empty() && subject.state.is_empty() {
        subject.source = as_shown(&failure.guard);
    }
    let values = first.map(|advice| values(history, guards, advice));
    Some((subject, values.unwrap_or_default()))
}

/// Values that the guards behind a remedy saw: those of the reasons, or with those that the guards of the
/// compilations tell.
fn values(history: &History, guards: &Guards, advice: &Advice) -> Vec<String> {
    let failure = advice.evidence.first().and_then(|at| of(history, at));
    let more = failure.and_then(|(_, failure)| guards.all_values(history, failure));
    let mut values: Vec<String> = Vec::new();
    let all = more.unwrap_or_else(|| advice.values.iter().map(String::as_str).collect());
    for value in all {
        if values.len() < MOST_VALUES && !values.iter().any(|known| known == value) {
            values.push(as_shown(value));
        }
    }
    values
}

/// The step and the failure that a piece of evidence names.
fn of<'a>(history: &'a History, at: &Evidence) -> Option<(&'a Step, &'a GuardFailure)> {
    let step = history.steps.get(at.step)?;
    Some((step, step.reasons.get(at.reason)?.parts.get(at.part)?))
}

/// A remedy as it is shown.
pub(super) fn advice_view(
    trace: &Trace,
    history: &History,
    guards: &Guards,
    advice: &Advice,
) -> AdviceView {
    let (remedy, source, dim, state) = flat(&advice.remedy);
    let variable = advice.evidence.iter().find_map(|at| {
        let hint = of(history, at)?.1.hint.as_deref()?;
        let (name, _) = hint.strip_prefix("guard on \"")?.split_once('"')?;
        Some(as_shown(name))
    });
    let mut evidence: Vec<(String, Option<RecordIndex>)> = Vec::new();
    for (step, _) in advice.evidence.iter().filter_map(|at| of(history, at)) {
        let Some(compilation) = trace.compilations.get(step.compilation) else {
            continue;
        };
        let label = trace.label(&compilation.key);
        if evidence.last().is_none_or(|(last, _)| *last != label) {
            evidence.push((label, step.record));
        }
    }
    AdviceView {
        remedy,
        source: as_shown(source),
        variable,
        dim,
        state,
        is_certain: advice.certainty == Certainty::Certain,
        recompiles: advice.recompiles,
        seconds: advice.seconds,
        values: values(history, guards, advice),
        evidence,
    }
}

fn about(kind: RemedyKind, source: &str) -> (RemedyKind, &str, Option<u32>, Option<GlobalState>) {
    (kind, source, None, None)
}

/// A remedy as its kind, what it is about, the dimension and the state.
fn flat(remedy: &Remedy) -> (RemedyKind, &str, Option<u32>, Option<GlobalState>) {
    use RemedyKind as Kind;
    match remedy {
        Remedy::TensorLearningRate { source } => about(Kind::TensorLearningRate, source),
        Remedy::TensorInsteadOfNumber { source, number } => match number {
            Number::Int => about(Kind::TensorInsteadOfInt, source),
            Number::Float => about(Kind::TensorInsteadOfFloat, source),
        },
        Remedy::PassAsArgument { source } => about(Kind::PassAsArgument, source),
        Remedy::KeepInTensor { source } => about(Kind::KeepInTensor, source),
        Remedy::MarkDynamic { source, dim } => (Kind::MarkDynamic, source, Some(*dim), None),
        Remedy::MarkUnbacked { source, dim } => (Kind::MarkUnbacked, source, *dim, None),
        Remedy::BranchOnSize { source, dim } => (Kind::BranchOnSize, source, *dim, None),
        Remedy::DuckSizing { source, dim } => (Kind::DuckSizing, source, *dim, None),
        Remedy::DynamicParameters { source } => about(Kind::DynamicParameters, source),
        Remedy::MarkConsistently { source } => about(Kind::MarkConsistently, source),
        Remedy::CreateOnce { source } => about(Kind::CreateOnce, source),
        Remedy::ModuleCounter { source } => about(Kind::ModuleCounter, source),
        Remedy::TrainEvalFlag { source } => about(Kind::TrainEvalFlag, source),
        Remedy::FewVariants { source } => about(Kind::FewVariants, source),
        // What is None on an object is no argument that could be passed.
        Remedy::OptionalArgument { source } if source.contains('.') => about(Kind::SetOnce, source),
        Remedy::OptionalArgument { source } => about(Kind::OptionalArgument, source),
        Remedy::SameKeys { source } => about(Kind::SameKeys, source),
        Remedy::SameLength { source } => about(Kind::SameLength, source),
        Remedy::SameType { source } => about(Kind::SameType, source),
        Remedy::SameAttributes { source } => about(Kind::SameAttributes, source),
        Remedy::StableDtype { source } => about(Kind::StableDtype, source),
        Remedy::StableStrides { source } => about(Kind::StableStrides, source),
        Remedy::StableRank { source } => about(Kind::StableRank, source),
        Remedy::StableDevice { source } => about(Kind::StableDevice, source),
        Remedy::StableRequiresGrad { source } => about(Kind::StableRequiresGrad, source),
        Remedy::Aliasing { source } => about(Kind::Aliasing, source),
        Remedy::StableGradMode => about(Kind::StableGradMode, ""),
        Remedy::StableAutocast => about(Kind::StableAutocast, ""),
        Remedy::StableState(state) => (Kind::StableState, "", None, *state),
        Remedy::StableBackend => about(Kind::StableBackend, ""),
        Remedy::RaiseLimit => about(Kind::RaiseLimit, ""),
        Remedy::DisableCompile => about(Kind::DisableCompile, ""),
    }
}
