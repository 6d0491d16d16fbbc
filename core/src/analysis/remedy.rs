//! What to do about a frame that is compiled again and again.
//!
//! [`remedies`] looks at a frame's [`History`] and names what fits, the most useful first. A remedy is a
//! name and what it is about; the words and examples are the page's. What each failed guard suggests is in
//! `suggest`; the guards are those of torch/_dynamo/guards.py, 2.1 to 2.15.

mod suggest;

use super::recompiles::{History, LimitSign};
use crate::payload::recompile::{GlobalState, GuardFailureKind};
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use hashbrown::{HashMap, HashSet};

/// Something that a user can do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Remedy {
    /// A learning rate that changes: make it a tensor, which an optimizer takes in place of a number.
    TensorLearningRate {
        /// The entry of `param_groups`, or the name.
        source: String,
    },
    /// A number that changes: pass it as a tensor.
    TensorInsteadOfNumber {
        /// The number.
        source: String,
        /// What kind of number. An integer argument becomes dynamic by itself after its first change.
        number: Number,
    },
    /// A global or a closure's variable that changes: pass it as an argument.
    PassAsArgument {
        /// The variable.
        source: String,
    },
    /// A value that was taken out of a tensor and handed over a graph break: keep it in the tensor.
    KeepInTensor {
        /// PyTorch's name for it, `___stack…`.
        source: String,
    },
    /// A size that changes: `mark_dynamic`, or `dynamic=None` where `dynamic=False` was asked for.
    MarkDynamic {
        /// The tensor.
        source: String,
        /// The dimension.
        dim: u32,
    },
    /// A size that is 0 or 1 at times, for which PyTorch always specializes: `mark_unbacked`.
    MarkUnbacked {
        /// The tensor.
        source: String,
        /// The dimension, where the guard names it.
        dim: Option<u32>,
    },
    /// The program branches on a size: avoid it, or state the bounds.
    BranchOnSize {
        /// The tensor or number.
        source: String,
        /// The dimension, where the guard names it.
        dim: Option<u32>,
    },
    /// Two sizes were equal by chance and taken for one: `use_duck_shape = False`, or mark one dynamic.
    DuckSizing {
        /// The tensor.
        source: String,
        /// The dimension.
        dim: Option<u32>,
    },
    /// A parameter's size changes: `force_parameter_static_shapes = False`.
    DynamicParameters {
        /// The parameter.
        source: String,
    },
    /// `mark_dynamic` and its like differ from call to call.
    MarkConsistently {
        /// The tensor.
        source: String,
    },
    /// Another object than before, as where it is new in each call: create it once, outside. Several
    /// instances that run the same code look the same.
    CreateOnce {
        /// The object.
        source: String,
    },
    /// A number on a module that changes: `allow_unspec_int_on_nn_module`, a buffer, or count outside.
    ModuleCounter {
        /// The attribute.
        source: String,
    },
    /// `train()` and `eval()` alternate: one compilation for each is right; do not switch in between.
    TrainEvalFlag {
        /// The flag.
        source: String,
    },
    /// A flag or a name with few values: one compilation for each.
    FewVariants {
        /// The value.
        source: String,
    },
    /// `None` at times, a value at others: one compilation for each, or always pass a value.
    OptionalArgument {
        /// The argument.
        source: String,
    },
    /// Containers of the same keys.
    SameKeys {
        /// The container.
        source: String,
    },
    /// Containers of the same length.
    SameLength {
        /// The container.
        source: String,
    },
    /// Objects of the same type.
    SameType {
        /// The object.
        source: String,
    },
    /// Objects that always have the attribute, or never.
    SameAttributes {
        /// The object.
        source: String,
    },
    /// Tensors of one dtype.
    StableDtype {
        /// The tensor.
        source: String,
    },
    /// Tensors of one layout: `contiguous()`.
    StableStrides {
        /// The tensor.
        source: String,
    },
    /// Tensors of one number of dimensions.
    StableRank {
        /// The tensor.
        source: String,
    },
    /// Tensors on one device.
    StableDevice {
        /// The tensor.
        source: String,
    },
    /// Tensors that all record gradients, or none.
    StableRequiresGrad {
        /// The tensor.
        source: String,
    },
    /// Grad mode flips between calls.
    StableGradMode,
    /// Autocast flips between calls.
    StableAutocast,
    /// Other state of the program changes between calls; `None` where PyTorch does not say which.
    StableState(Option<GlobalState>),
    /// The same tensor is passed twice at times.
    Aliasing {
        /// The first name.
        source: String,
    },
    /// The backend is another callable at each call of `torch.compile`.
    StableBackend,
    /// The variants are bounded: raise `recompile_limit` (before 2.7 `cache_size_limit`).
    RaiseLimit,
    /// Nothing bounds the variants and the limit is hit: leave the function out of compilation.
    DisableCompile,
}

/// A kind of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Number {
    /// An integer.
    Int,
    /// A floating-point number.
    Float,
}

/// How sure it is that a remedy fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The guard allows other explanations.
    Guess,
    /// The guard says it.
    Certain,
}

/// A remedy for a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// What to do.
    pub remedy: Remedy,
    /// How sure that is.
    pub certainty: Certainty,
    /// The reasons that speak for it, in the order of the history: the first [`MOST_EVIDENCE`]. None for
    /// [`Remedy::RaiseLimit`] and [`Remedy::DisableCompile`], which the frame as a whole suggests.
    pub evidence: Vec<Evidence>,
    /// How many compilations have such a reason.
    pub recompiles: u32,
    /// Seconds spent on the compilations in which the newest cache entry failed for such a reason; absent where no
    /// metrics tell, and where only older entries did. What the newest entry did not accept is what cost the
    /// compilation: older ones differ from the call in what changed since, too.
    pub seconds: Option<f64>,
    /// Values that the guards saw, in the order of compilations: the first [`MOST_VALUES`] that differ.
    pub values: Vec<String>,
    /// How much it would help: reasons that name the newest cache entry count most.
    weight: u32,
    last_step: Option<usize>,
}

/// A failure in a history: `steps[step].reasons[reason].parts[part]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// The step.
    pub step: usize,
    /// The reason in it.
    pub reason: usize,
    /// The part of it.
    pub part: usize,
}

/// Remedies that are named for one frame.
pub const MOST_ADVICE: usize = 256;
/// Reasons that are kept with a remedy.
pub const MOST_EVIDENCE: usize = 16;
/// Values that are kept with a remedy.
pub const MOST_VALUES: usize = 16;

/// The remedies for a frame, the most useful first: by the seconds that their causes cost where times are known,
/// else by how many compilations have such a reason. Empty where no reason is known.
#[must_use]
pub fn remedies(history: &History) -> Vec<Advice> {
    let known = Known::of(history);
    let mut places: HashMap<Remedy, usize> = HashMap::new();
    let mut all: Vec<Advice> = Vec::new();
    for (step, known_step) in history.steps.iter().enumerate() {
        for (reason, known_reason) in known_step.reasons.iter().enumerate() {
            for (part, failure) in known_reason.parts.iter().enumerate() {
                for (remedy, certainty) in suggest::suggest(failure, &known) {
                    // A place beyond the last one stands for none.
                    let place = *places.entry_ref(&remedy).or_insert(all.len());
                    if place == all.len() && place < MOST_ADVICE {
                        all.push(Advice::new(remedy));
                    }
                    if let Some(advice) = all.get_mut(place) {
                        advice.add(
                            Evidence { step, reason, part },
                            certainty,
                            failure.kind,
                            history,
                        );
                    }
                }
            }
        }
    }
    all.sort_by(|a, b| b.compare(a));
    last_resorts(history, &mut all);
    all
}

impl Advice {
    fn new(remedy: Remedy) -> Self {
        Advice {
            remedy,
            certainty: Certainty::Guess,
            evidence: Vec::new(),
            recompiles: 0,
            seconds: None,
            values: Vec::new(),
            weight: 0,
            last_step: None,
        }
    }

    fn add(
        &mut self,
        at: Evidence,
        certainty: Certainty,
        kind: GuardFailureKind,
        history: &History,
    ) {
        self.certainty = self.certainty.max(certainty);
        if self.evidence.is_empty() {
            self.values = values(at, kind, history);
        }
        if self.evidence.len() < MOST_EVIDENCE {
            self.evidence.push(at);
        }
        if self.last_step != Some(at.step) {
            self.last_step = Some(at.step);
            self.recompiles += 1;
            // The newest entry is the one most like the call: what differs from it is what changes now.
            self.weight += if at.reason == 0 { 4 } else { 1 };
            if at.reason == 0
                && let Some(seconds) = cost(history, at.step)
            {
                self.seconds = Some(self.seconds.unwrap_or(0.0) + seconds);
            }
        }
    }

    /// Which of two is more useful. Unknown seconds come last, and are equal where no times are known at all.
    fn compare(&self, other: &Self) -> Ordering {
        let seconds = |advice: &Self| advice.seconds.unwrap_or(-1.0);
        seconds(self)
            .total_cmp(&seconds(other))
            .then_with(|| self.usefulness().cmp(&other.usefulness()))
    }

    fn usefulness(&self) -> (u32, u32) {
        let certain = if self.certainty == Certainty::Certain {
            2
        } else {
            1
        };
        (self.weight * certain, self.recompiles)
    }
}

/// Seconds that a step cost, where metrics tell. The call that hit the limit compiled nothing.
fn cost(history: &History, step: usize) -> Option<f64> {
    let step = history.steps.get(step)?;
    let limit = history.frame.limit.map(|limit| limit.compilation);
    step.seconds
        .filter(|seconds| seconds.is_finite() && limit != Some(step.compilation))
}

fn values(at: Evidence, kind: GuardFailureKind, history: &History) -> Vec<String> {
    let failure = history
        .steps
        .get(at.step)
        .and_then(|step| step.reasons.get(at.reason)?.parts.get(at.part));
    let series = failure
        .and_then(|failure| history.series_of(kind, failure.source.as_deref()?, failure.index));
    let mut values: Vec<String> = Vec::new();
    for value in series.into_iter().flat_map(|series| series.values.values()) {
        if values.len() < MOST_VALUES && !values.contains(value) {
            values.push(value.clone());
        }
    }
    values
}

/// What other reasons of a frame tell about a source.
struct Known<'a> {
    /// Sources that were `None` at times.
    optional: HashSet<&'a str>,
    /// Sources of which two different values are known.
    changing: HashSet<(GuardFailureKind, &'a str)>,
    /// Ids of `True` and `False`: before 2.8 flags are guarded by identity, `training` among them.
    flags: HashSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(history: &'a History) -> Self {
        let none = |value: &Option<String>| value.as_deref() == Some("NoneType");
        let failures = || {
            let reasons = history.steps.iter().flat_map(|step| &step.reasons);
            reasons.flat_map(|reason| &reason.parts)
        };
        let is_flag = |source: &&String| source.ends_with(".training");
        let flags = failures()
            .filter(|failure| failure.kind == GuardFailureKind::ObjectId)
            .filter(|failure| failure.source.as_ref().filter(is_flag).is_some())
            .filter_map(|failure| failure.expected.as_deref())
            .collect();
        let optional = failures()
            .filter(|failure| {
                matches!(
                    failure.kind,
                    GuardFailureKind::IsNone | GuardFailureKind::NotNone
                ) || (failure.kind == GuardFailureKind::TensorType && none(&failure.actual))
                    || none(&failure.class)
            })
            .filter_map(|failure| failure.source.as_deref())
            .collect();
        let changing = history
            .series
            .iter()
            .filter(|series| {
                let mut values = series.values.values();
                let first = values.next();
                values.any(|value| Some(value) != first)
            })
            .map(|series| (series.kind, series.source.as_str()))
            .collect();
        Known {
            optional,
            changing,
            flags,
        }
    }
}

/// Compilations from which a frame counts as one that hits the limit: PyTorch's default since 2.2.
const MANY: u32 = 8;

/// What remains where the limit is hit: to raise it if all variants are of a bounded kind; to give up.
fn last_resorts(history: &History, all: &mut Vec<Advice>) {
    // A log that ends in reasons without a start may only be cut there.
    let limit = history.frame.limit;
    let hit = limit.is_some_and(|limit| limit.sign == LimitSign::Failure)
        || history.frame.recompiles.saturating_add(1) >= MANY;
    if !hit || all.is_empty() {
        return;
    }
    let bounded = |remedy: &Remedy| {
        use Remedy::{
            Aliasing, FewVariants, OptionalArgument, SameKeys, SameLength, SameType,
            StableAutocast, StableDevice, StableDtype, StableGradMode, StableRank,
            StableRequiresGrad, StableState, TrainEvalFlag,
        };
        matches!(
            remedy,
            FewVariants { .. }
                | OptionalArgument { .. }
                | TrainEvalFlag { .. }
                | SameKeys { .. }
                | SameLength { .. }
                | SameType { .. }
                | StableDtype { .. }
                | StableRank { .. }
                | StableDevice { .. }
                | StableRequiresGrad { .. }
                | Aliasing { .. }
                | StableGradMode
                | StableAutocast
                | StableState(_)
        )
    };
    if all.iter().all(|advice| bounded(&advice.remedy)) {
        all.push(Advice::new(Remedy::RaiseLimit));
    }
    all.push(Advice::new(Remedy::DisableCompile));
}

#[cfg(test)]
mod tests;
