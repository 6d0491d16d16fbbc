//! The words of the view that compares two compilations.

use crate::engine::protocol::GuardFailureKind;

/// What a failed guard says, in a sentence: what was expected, what came, and what is so from then on.
#[must_use]
pub fn cause(cause: &Cause<'_>) -> String {
    let what = about(cause);
    let changed = match (cause.expected, cause.actual) {
        (Some(old), Some(new)) => format!("{what} was {old} and became {new}"),
        (Some(old), None) => format!("{what} was {old} and is something else now"),
        (None, Some(new)) => format!("{what} became {new}"),
        (None, None) => match cause.kind {
            GuardFailureKind::GlobalState => {
                "A setting of PyTorch (gradient mode, autocast, …) changed".to_owned()
            }
            GuardFailureKind::Deallocated => format!("{what} no longer exists"),
            GuardFailureKind::Aliased | GuardFailureKind::NotAliased => {
                format!("Which inputs are the same tensor changed: {}", cause.guard)
            }
            _ => format!("This guard failed: {}", cause.guard),
        },
    };
    let since = match (cause.symbol, cause.kind) {
        (Some(symbol), GuardFailureKind::Size | GuardFailureKind::Stride) => {
            format!("; the new code takes any size there ({symbol})")
        }
        (Some(symbol), _) => format!("; the new code takes any number there ({symbol})"),
        (
            None,
            GuardFailureKind::Size
            | GuardFailureKind::Value
            | GuardFailureKind::Shape
            | GuardFailureKind::Dtype
            | GuardFailureKind::Rank
            | GuardFailureKind::Stride,
        ) => "; the new code is for the new one only".to_owned(),
        _ => String::new(),
    };
    format!("{changed}{since}.")
}

/// A guard that failed, as the sentence needs it.
#[derive(Debug, Clone, Copy)]
pub struct Cause<'a> {
    /// What it checks.
    pub kind: GuardFailureKind,
    /// What is guarded.
    pub source: Option<&'a str>,
    /// The dimension.
    pub index: Option<u32>,
    /// What was expected.
    pub expected: Option<&'a str>,
    /// What came.
    pub actual: Option<&'a str>,
    /// The guard as it stands.
    pub guard: &'a str,
    /// The symbol that stands for it from then on.
    pub symbol: Option<&'a str>,
}

fn about(cause: &Cause<'_>) -> String {
    let source = cause.source.unwrap_or("Something");
    let of = |property: &str| format!("The {property} of {source}");
    match (cause.kind, cause.index) {
        (GuardFailureKind::Size, Some(index)) => format!("{source}.size()[{index}]"),
        (GuardFailureKind::Stride, Some(index)) => format!("{source}.stride()[{index}]"),
        (GuardFailureKind::Size, None) => of("size"),
        (GuardFailureKind::Stride, None) => of("stride"),
        (GuardFailureKind::Dtype, _) => of("dtype"),
        (GuardFailureKind::Rank, _) => of("number of dimensions"),
        (GuardFailureKind::RequiresGrad, _) => format!("{source}.requires_grad"),
        (GuardFailureKind::Device, _) => of("device"),
        (GuardFailureKind::DispatchKeys, _) => of("set of dispatch keys"),
        (GuardFailureKind::TypeId | GuardFailureKind::TensorType, _) => of("type"),
        (GuardFailureKind::Length, _) => format!("len({source})"),
        (GuardFailureKind::DictKeys | GuardFailureKind::Contains, _) => of("keys"),
        (GuardFailureKind::HasAttr, _) => of("attributes"),
        _ => source.to_owned(),
    }
}

/// The log says no reason.
pub const NO_CAUSE: &str =
    "The log does not say which guard of the older code failed. What differs is below.";

/// Only the first guard that failed is known; what else differs.
#[must_use]
pub fn others(names: &[&str]) -> String {
    let first = "PyTorch stops at the first guard that fails, so that others may have failed, too.";
    if names.is_empty() {
        return first.to_owned();
    }
    format!("{first} Guarded otherwise now: {}.", names.join(", "))
}

/// Nothing differs.
pub const NO_GUARDS_DIFFER: &str = "The guards of both are the same.";

/// No input differs.
pub const NO_INPUTS_DIFFER: &str = "The input tensors of both were the same.";

/// The log describes no input.
pub const NO_INPUTS_KNOWN: &str = "The log describes no input tensors of them.";

/// What the list of guards is.
pub const GUARDS_MEANING: &str = "What must hold for the compiled code to be used. Ids, addresses and the numbers of symbols are no difference.";

/// What the texts are.
pub const TEXTS_MEANING: &str = "Choose a text to see it line by line.";

/// Leads from two texts of a graph to one picture of both.
pub const AS_A_PICTURE: &str = "Both as one picture: which nodes are new, gone or changed";

/// There is nothing to compare.
pub const NO_TEXTS: &str = "No text is in both compilations.";

/// The texts are the same.
pub const SAME_TEXT: &str = "Both texts are the same.";

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Cause<'static> = Cause {
        kind: GuardFailureKind::Size,
        source: Some("x"),
        index: Some(0),
        expected: Some("4"),
        actual: Some("5"),
        guard: "tensor 'x' size mismatch at index 0. expected 4, actual 5",
        symbol: Some("s77"),
    };

    #[test]
    fn a_cause_is_said_in_a_sentence() {
        assert_eq!(
            cause(&SIZE),
            "x.size()[0] was 4 and became 5; the new code takes any size there (s77)."
        );
        let dtype = Cause {
            kind: GuardFailureKind::Dtype,
            index: None,
            expected: Some("Float"),
            actual: Some("Double"),
            symbol: None,
            ..SIZE
        };
        assert_eq!(
            cause(&dtype),
            "The dtype of x was Float and became Double; the new code is for the new one only."
        );
        let named_a = Cause {
            kind: GuardFailureKind::Value,
            source: Some("a"),
            index: None,
            expected: Some("1"),
            actual: None,
            symbol: None,
            ..SIZE
        };
        assert!(cause(&named_a).starts_with("a was 1 and is something else now"));
        let unknown = Cause {
            kind: GuardFailureKind::Unknown,
            source: None,
            index: None,
            expected: None,
            actual: None,
            guard: "oops(x)",
            symbol: None,
        };
        assert_eq!(cause(&unknown), "This guard failed: oops(x).");
    }
}
