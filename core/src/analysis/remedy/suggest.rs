//! What a failed guard suggests. The most likely first; several where the guard allows them.

use super::{Certainty, Known, Number, Remedy};
use crate::payload::recompile::{GlobalState, GuardFailure, GuardFailureKind};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use Certainty::{Certain, Guess};

type Suggestions = Vec<(Remedy, Certainty)>;

pub(super) fn suggest(failure: &GuardFailure, known: &Known<'_>) -> Suggestions {
    let source = || failure.source.clone().unwrap_or_default();
    let certain = |remedy: Remedy| vec![(remedy, Certain)];
    match failure.kind {
        GuardFailureKind::Size => size(failure, source()),
        GuardFailureKind::Shape => shape(failure, source()),
        GuardFailureKind::Value => value(failure, source(), known),
        GuardFailureKind::ObjectId => object(failure, source(), known),
        GuardFailureKind::DispatchKeys => dispatch_keys(failure, source()),
        GuardFailureKind::GlobalState => state(failure),
        GuardFailureKind::TensorType | GuardFailureKind::TypeId if is_optional(failure, known) => {
            certain(Remedy::OptionalArgument { source: source() })
        }
        GuardFailureKind::TensorType | GuardFailureKind::TypeId => {
            certain(Remedy::SameType { source: source() })
        }
        GuardFailureKind::IsNone | GuardFailureKind::NotNone => {
            certain(Remedy::OptionalArgument { source: source() })
        }
        GuardFailureKind::Stride => certain(Remedy::StableStrides { source: source() }),
        GuardFailureKind::Dtype => certain(Remedy::StableDtype { source: source() }),
        GuardFailureKind::Rank => certain(Remedy::StableRank { source: source() }),
        GuardFailureKind::RequiresGrad => certain(Remedy::StableRequiresGrad { source: source() }),
        GuardFailureKind::Device => certain(Remedy::StableDevice { source: source() }),
        GuardFailureKind::Length => certain(Remedy::SameLength { source: source() }),
        GuardFailureKind::DictKeys | GuardFailureKind::Contains => {
            certain(Remedy::SameKeys { source: source() })
        }
        // Any change of the dict fails this one.
        GuardFailureKind::DictVersion => vec![(Remedy::SameKeys { source: source() }, Guess)],
        GuardFailureKind::HasAttr if failure.guard.contains("_dynamo_") => {
            certain(Remedy::MarkConsistently { source: source() })
        }
        GuardFailureKind::HasAttr => certain(Remedy::SameAttributes { source: source() }),
        GuardFailureKind::Aliased | GuardFailureKind::NotAliased => {
            certain(Remedy::Aliasing { source: source() })
        }
        GuardFailureKind::Deallocated => certain(Remedy::CreateOnce { source: source() }),
        GuardFailureKind::Backend => certain(Remedy::StableBackend),
        GuardFailureKind::Unexpected
        | GuardFailureKind::NotFound
        | GuardFailureKind::NotReported
        | GuardFailureKind::Metadata
        | GuardFailureKind::Unknown => Vec::new(),
    }
}

fn is_optional(failure: &GuardFailure, known: &Known<'_>) -> bool {
    let none = |value: &Option<String>| value.as_deref() == Some("NoneType");
    none(&failure.actual)
        || none(&failure.class)
        || failure
            .source
            .as_deref()
            .is_some_and(|source| known.optional.contains(source))
}

fn hints(failure: &GuardFailure, text: &str) -> bool {
    failure
        .hint
        .as_deref()
        .is_some_and(|hint| hint.contains(text))
}

fn size(failure: &GuardFailure, source: String) -> Suggestions {
    let dim = failure.index.unwrap_or_default();
    if hints(failure, "force_parameter_static_shapes") {
        return vec![(Remedy::DynamicParameters { source }, Certain)];
    }
    let special = |value: &Option<String>| matches!(value.as_deref(), Some("0" | "1"));
    let dynamic = Remedy::MarkDynamic {
        source: source.clone(),
        dim,
    };
    if special(&failure.expected) || special(&failure.actual) {
        let unbacked = Remedy::MarkUnbacked {
            source,
            dim: Some(dim),
        };
        return vec![(unbacked, Certain), (dynamic, Guess)];
    }
    vec![(dynamic, Certain)]
}

fn shape(failure: &GuardFailure, source: String) -> Suggestions {
    let dim = failure.index;
    if hints(failure, "0/1 specialization") || hints(failure, "mark_unbacked") {
        let branch = Remedy::BranchOnSize {
            source: source.clone(),
            dim,
        };
        // With an upper bound beside it, the program's own branch is one of two causes.
        let bounded = failure.guard.matches("<").count() > 1;
        return vec![
            (Remedy::MarkUnbacked { source, dim }, Certain),
            (branch, if bounded { Certain } else { Guess }),
        ];
    }
    if hints(failure, "duck sizing") {
        return vec![(Remedy::DuckSizing { source, dim }, Certain)];
    }
    let equal_sizes = failure
        .expected
        .as_deref()
        .is_some_and(|expected| expected.contains(".size()["));
    if equal_sizes && failure.guard.contains(".size()[") && failure.user.is_none() {
        return vec![(Remedy::DuckSizing { source, dim }, Guess)];
    }
    let branch = Remedy::BranchOnSize {
        source: source.clone(),
        dim,
    };
    if failure.guard.starts_with("2 <= ") {
        // The bound that PyTorch adds by itself; up to 2.6 nothing says so.
        return vec![
            (branch, Certain),
            (Remedy::MarkUnbacked { source, dim }, Guess),
        ];
    }
    vec![(branch, Certain)]
}

/// The number that a constant is, if it is one.
fn number(text: &str) -> Option<Number> {
    if text.parse::<i128>().is_ok() {
        return Some(Number::Int);
    }
    let float = text.trim_start_matches("float('").trim_end_matches("')");
    float.parse::<f64>().is_ok().then_some(Number::Float)
}

fn value(failure: &GuardFailure, source: String, known: &Known<'_>) -> Suggestions {
    let expected = failure.expected.as_deref().unwrap_or_default();
    let changes = known
        .changing
        .contains(&(GuardFailureKind::Value, source.as_str()));
    let sure = if changes { Certain } else { Guess };
    // A check for not-a-number compares nothing.
    let number =
        number(expected).or_else(|| failure.guard.contains("isnan").then_some(Number::Float));
    if source.ends_with(".training") {
        return vec![(Remedy::TrainEvalFlag { source }, Certain)];
    }
    let Some(number) = number else {
        let remedy = if expected == "None" {
            Remedy::OptionalArgument { source }
        } else {
            Remedy::FewVariants { source }
        };
        return vec![(remedy, Certain)];
    };
    if source.starts_with("___stack") {
        return vec![(Remedy::KeepInTensor { source }, Certain)];
    }
    if is_learning_rate(&source) {
        return vec![(Remedy::TensorLearningRate { source }, Certain)];
    }
    if hints(failure, "allow_unspec_int_on_nn_module") {
        return vec![(Remedy::ModuleCounter { source }, Certain)];
    }
    let tensor = Remedy::TensorInsteadOfNumber {
        source: source.clone(),
        number,
    };
    let attribute = source.starts_with("self.");
    let outside = source.starts_with("G[") || source.contains("__closure__");
    match number {
        Number::Float => vec![(tensor, Certain)],
        Number::Int if attribute => vec![(Remedy::ModuleCounter { source }, sure), (tensor, Guess)],
        Number::Int if outside => {
            vec![(Remedy::PassAsArgument { source }, Certain), (tensor, sure)]
        }
        Number::Int => vec![(tensor, sure)],
    }
}

/// Whether a source is a learning rate: an entry of an optimizer, or a variable or attribute called so. An entry of
/// another dictionary may be anything.
fn is_learning_rate(source: &str) -> bool {
    let last = source.rsplit(['.', '[']).next().unwrap_or_default();
    let name = last.trim_matches(['\'', '"', ']']);
    let is_entry = last.ends_with(']');
    let is_of_optimizer = ["param_groups", "defaults", "optim"]
        .iter()
        .any(|part| source.contains(part));
    matches!(name, "lr" | "learning_rate") && (!is_entry || is_of_optimizer)
}

fn object(failure: &GuardFailure, source: String, known: &Known<'_>) -> Suggestions {
    if source.ends_with(".training") {
        return vec![(Remedy::TrainEvalFlag { source }, Certain)];
    }
    if is_optional(failure, known) {
        return vec![(Remedy::OptionalArgument { source }, Certain)];
    }
    let changes = known
        .changing
        .contains(&(GuardFailureKind::ObjectId, source.as_str()));
    let once = Remedy::CreateOnce {
        source: source.clone(),
    };
    let id = failure.expected.as_deref();
    if id.is_some_and(|id| known.flags.contains(id)) {
        return vec![(Remedy::FewVariants { source }, Certain)];
    }
    let instance = matches!(source.as_str(), "self" | "args[0]");
    if failure.class.is_some() || changes || instance {
        return vec![(once, if changes { Certain } else { Guess })];
    }
    // Before 2.8 flags and `None` are told apart from other objects by nothing.
    let other = if source.contains('.') {
        Remedy::FewVariants { source }
    } else {
        Remedy::OptionalArgument { source }
    };
    vec![(other, Guess), (once, Guess)]
}

fn dispatch_keys(failure: &GuardFailure, source: String) -> Suggestions {
    let differ = |key: &str| {
        let has =
            |value: &Option<String>| value.as_deref().is_some_and(|value| value.contains(key));
        has(&failure.expected) != has(&failure.actual)
    };
    if differ("Autocast") {
        return vec![(Remedy::StableAutocast, Certain)];
    }
    if differ("ADInplaceOrView") {
        // Inference mode makes tensors without it.
        return vec![(Remedy::StableGradMode, Guess)];
    }
    vec![(Remedy::SameType { source }, Guess)]
}

fn state(failure: &GuardFailure) -> Suggestions {
    if failure.state.is_empty() {
        return vec![
            (Remedy::StableState(None), Guess),
            (Remedy::StableGradMode, Guess),
        ];
    }
    failure
        .state
        .iter()
        .map(|state| match state {
            GlobalState::GradMode => (Remedy::StableGradMode, Certain),
            GlobalState::Autocast | GlobalState::AutocastCache => (Remedy::StableAutocast, Certain),
            other => (Remedy::StableState(Some(*other)), Certain),
        })
        .collect()
}
