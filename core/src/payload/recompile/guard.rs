//! What a guard's text checks: its kind, what is guarded, and the value that was expected.
//!
//! Messages come from `TensorCheck::check_verbose` and the guard managers of
//! torch/csrc/dynamo/guards.cpp, guards' own code from `GuardBuilder` in torch/_dynamo/guards.py, 2.1 to
//! 2.15. Start at [`read`]: the tables behind it name all messages and functions.

use super::GuardFailure;
use super::kind::{GlobalState, GuardFailureKind};
use super::scan::{call, first_argument, outside, without_local_scope};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Beginnings of the words behind `GLOBAL_STATE changed:`; the first that fits counts.
const STATES: [(&str, GlobalState); 9] = [
    ("grad_mode", GlobalState::GradMode),
    ("autocast_cache", GlobalState::AutocastCache),
    ("autocast", GlobalState::Autocast),
    ("torch_function", GlobalState::TorchFunction),
    ("deterministic", GlobalState::Deterministic),
    ("allow_", GlobalState::ReducedPrecision),
    ("num_threads", GlobalState::NumThreads),
    ("default_dtype", GlobalState::DefaultDtype),
    ("default_device", GlobalState::DefaultDevice),
];

/// What guards on global state begin with, before 2.5 and for what has a guard of its own.
const STATE_GUARDS: [(&str, &[GlobalState]); 11] = [
    ("___check_global_state", &[]),
    ("___is_grad_enabled", &[GlobalState::GradMode]),
    (
        "___are_deterministic_algorithms_enabled",
        &[GlobalState::Deterministic],
    ),
    (
        "___is_torch_function_enabled",
        &[GlobalState::TorchFunction],
    ),
    (
        "___check_torch_function_mode_stack",
        &[GlobalState::TorchFunction],
    ),
    ("utils_device.CURRENT_DEVICE", &[GlobalState::DefaultDevice]),
    ("torch._functorch", &[GlobalState::Transforms]),
    ("torch._C._functorch", &[GlobalState::Transforms]),
    ("torch.autograd.forward_ad", &[GlobalState::Transforms]),
    ("___needs_nopython", &[GlobalState::Other]),
    ("___skip_backend_check", &[GlobalState::Other]),
];

/// Functions that guards call on what they guard.
const FUNCTIONS: [(&str, GuardFailureKind); 19] = [
    ("___check_type_id", GuardFailureKind::TypeId),
    ("___check_obj_id", GuardFailureKind::ObjectId),
    ("___check_backend", GuardFailureKind::Backend),
    ("___check_current_backend", GuardFailureKind::Backend),
    ("___dict_contains", GuardFailureKind::Contains),
    ("___set_contains", GuardFailureKind::Contains),
    ("___dict_param_key_ids", GuardFailureKind::DictKeys),
    ("___key_to_id", GuardFailureKind::DictKeys),
    ("___dict_version", GuardFailureKind::DictVersion),
    ("___tuple_iterator_len", GuardFailureKind::Length),
    ("___normalize_range_iter", GuardFailureKind::Value),
    ("___check_no_aliasing", GuardFailureKind::Aliased),
    ("check_no_aliasing", GuardFailureKind::Aliased),
    ("hasattr", GuardFailureKind::HasAttr),
    ("len", GuardFailureKind::Length),
    ("__math_isnan", GuardFailureKind::Value),
    ("__numpy_isnan", GuardFailureKind::Value),
    ("str", GuardFailureKind::Value),
    ("type", GuardFailureKind::TypeId),
];

/// Reads one guard or message, without what stands behind it. Never fails.
#[must_use]
pub fn read(text: &str) -> GuardFailure {
    let (text, hint) = match text.split_once(". Guard failed on a parameter, ") {
        // Behind the message of a tensor check, 2.7+.
        Some((text, hint)) if text.starts_with("tensor '") => (text, Some(hint.into())),
        _ => (text, None),
    };
    let mut failure = message(text).or_else(|| code(text)).unwrap_or_default();
    failure.guard = text.into();
    failure.hint = hint;
    failure
}

fn of(kind: GuardFailureKind) -> GuardFailure {
    GuardFailure {
        kind,
        ..GuardFailure::default()
    }
}

fn guarded(kind: GuardFailureKind, source: &str) -> GuardFailure {
    GuardFailure {
        source: Some(without_local_scope(source.trim())),
        ..of(kind)
    }
}

/// Sentences in place of a guard's code.
fn message(text: &str) -> Option<GuardFailure> {
    if let Some(rest) = text.strip_prefix("tensor '") {
        return tensor(rest);
    }
    if let Some(rest) = text.strip_prefix("expected type of '") {
        // The quotes are PyTorch's own.
        let (source, found) = rest.split_once("' to be a tensor type, ' but found ")?;
        return Some(GuardFailure {
            actual: Some(class(found).into()),
            ..guarded(GuardFailureKind::TensorType, source)
        });
    }
    if let Some(fields) = text.strip_prefix("GLOBAL_STATE changed:") {
        let state = |word: &str| {
            let known = STATES.iter().find(|(start, _)| word.starts_with(start));
            known.map_or(GlobalState::Other, |(_, state)| *state)
        };
        let mut state: Vec<_> = fields.split_whitespace().map(state).collect();
        state.dedup();
        return Some(GuardFailure {
            state,
            ..of(GuardFailureKind::GlobalState)
        });
    }
    if let Some(rest) = text.strip_prefix("Duplicate tensors found: ") {
        return Some(duplicates(rest));
    }
    if let Some(rest) = text.strip_prefix("Duplicate tensor found where not expected! ") {
        let source = rest
            .split_once("should not alias")
            .map_or(rest, |(source, _)| source);
        return Some(guarded(GuardFailureKind::Aliased, source));
    }
    if let Some(rest) = text.strip_prefix("Cache line invalidated because ") {
        let source = rest.strip_suffix(" got deallocated").unwrap_or(rest);
        return Some(guarded(GuardFailureKind::Deallocated, source));
    }
    if let Some(rest) = text.strip_prefix("BACKEND_MATCH failure:") {
        let between = |start: &str, end: &str| {
            let (_, value) = rest.split_once(start)?;
            Some(
                value
                    .split_once(end)
                    .map_or(value, |(value, _)| value)
                    .to_string(),
            )
        };
        return Some(GuardFailure {
            expected: between("Cached backend: ", ". New backend: "),
            actual: between("New backend: ", ". If this"),
            ..of(GuardFailureKind::Backend)
        });
    }
    [
        ("___guarded_code.valid", GuardFailureKind::Deallocated),
        ("Unexpected recompilation:", GuardFailureKind::Unexpected),
        (
            "Unable to find recompilation reasons",
            GuardFailureKind::NotFound,
        ),
        (
            "set env var TORCHDYNAMO_REPORT_GUARD_FAILURES",
            GuardFailureKind::NotReported,
        ),
    ]
    .into_iter()
    .find_map(|(start, kind)| text.starts_with(start).then(|| of(kind)))
}

/// `{name}' {what} mismatch{…}. expected {…}, actual {…}`.
fn tensor(rest: &str) -> Option<GuardFailure> {
    const WHAT: [(&str, GuardFailureKind); 7] = [
        ("' size mismatch at index ", GuardFailureKind::Size),
        ("' stride mismatch at index ", GuardFailureKind::Stride),
        ("' dtype mismatch. expected ", GuardFailureKind::Dtype),
        ("' rank mismatch. expected ", GuardFailureKind::Rank),
        (
            "' requires_grad mismatch. expected requires_grad=",
            GuardFailureKind::RequiresGrad,
        ),
        (
            "' Tensor device index mismatch. Expected device index to be ",
            GuardFailureKind::Device,
        ),
        (
            "' dispatch key set mismatch. expected ",
            GuardFailureKind::DispatchKeys,
        ),
    ];
    let (at, marker, kind) = WHAT
        .iter()
        .find_map(|(marker, kind)| Some((rest.find(marker)?, *marker, *kind)))?;
    let mut failure = guarded(kind, rest.get(..at)?);
    let mut values = rest.get(at + marker.len()..)?;
    if matches!(kind, GuardFailureKind::Size | GuardFailureKind::Stride) {
        let (index, behind) = values.split_once(". expected ")?;
        failure.index = index.parse().ok();
        values = behind;
    }
    let (expected, actual) = match values.split_once(", actual ") {
        Some((expected, actual)) => (expected, Some(actual)),
        None => (values, None),
    };
    if kind == GuardFailureKind::RequiresGrad {
        let truth = |yes: bool| Some(if yes { "True" } else { "False" }.into());
        let yes = expected.trim() == "1";
        (failure.expected, failure.actual) = (truth(yes), truth(!yes));
    } else {
        failure.expected = Some(expected.trim().into());
        failure.actual = actual.map(|actual| actual.trim().into());
    }
    Some(failure)
}

/// `["a", "b"]`: the names of one tensor. The first is the source, the others what it turned out to be.
fn duplicates(names: &str) -> GuardFailure {
    let names = names.trim().trim_start_matches('[').trim_end_matches(']');
    let mut names = names.split(", ").map(|name| name.trim_matches('"'));
    let mut failure = guarded(GuardFailureKind::Aliased, names.next().unwrap_or_default());
    let others: Vec<_> = names.map(without_local_scope).collect();
    failure.actual = (!others.is_empty()).then(|| others.join(", "));
    failure
}

/// Code of a guard.
fn code(text: &str) -> Option<GuardFailure> {
    let (negated, body) = match text.strip_prefix("not ") {
        Some(body) => (true, body.trim()),
        None => (false, text),
    };
    let truth = || Some(String::from(if negated { "False" } else { "True" }));
    if let Some((_, state)) = STATE_GUARDS
        .iter()
        .find(|(start, _)| body.starts_with(start))
    {
        return Some(GuardFailure {
            state: state.to_vec(),
            expected: (!state.is_empty()).then(truth).flatten(),
            ..of(GuardFailureKind::GlobalState)
        });
    }
    let comparison = comparison(body);
    if is_about_sizes(body)
        && !comparison.is_some_and(|(_, _, right)| right.starts_with(['\'', '"']))
    {
        return Some(shape(body, comparison));
    }
    let Some((left, operator, right)) = comparison else {
        return bare(body, negated, truth());
    };
    let word = |side: &str| outside(side, |rest| rest.first() == Some(&b' ')).is_none();
    if matches!(operator, "is" | "is not" | "in" | "not in") && !(word(left) && word(right)) {
        // A sentence rather than code.
        return None;
    }
    let expected = Some(right.to_string());
    match (operator, right) {
        ("is", "None") => {
            return Some(GuardFailure {
                expected,
                ..guarded(GuardFailureKind::IsNone, left)
            });
        }
        ("is not", "None") => return Some(guarded(GuardFailureKind::NotNone, left)),
        ("is", "True" | "False") => {
            return Some(GuardFailure {
                expected,
                ..guarded(GuardFailureKind::Value, left)
            });
        }
        ("is" | "is not", _) => {
            let kind = if operator == "is" {
                GuardFailureKind::NotAliased
            } else {
                GuardFailureKind::Aliased
            };
            let expected = Some(without_local_scope(right));
            return Some(GuardFailure {
                expected,
                ..guarded(kind, left)
            });
        }
        _ => {}
    }
    if let Some((source, index)) = keys(left) {
        return Some(GuardFailure {
            index,
            expected,
            ..guarded(GuardFailureKind::DictKeys, source)
        });
    }
    if let Some((name, arguments, "")) = call(left) {
        let (source, _) = first_argument(arguments);
        let known = FUNCTIONS.iter().find(|(function, _)| *function == name);
        // What is wrapped around a value, such as `__as_tensor(x)`, is not what is guarded.
        let kind = known.map_or(GuardFailureKind::Value, |(_, kind)| *kind);
        if known.is_some() || name.starts_with("__") {
            return Some(GuardFailure {
                expected,
                ..guarded(kind, source)
            });
        }
    }
    match operator {
        "==" if word(left) => Some(GuardFailure {
            expected,
            ..guarded(GuardFailureKind::Value, left)
        }),
        "in" | "not in" => Some(GuardFailure {
            expected: Some(left.into()),
            ..guarded(GuardFailureKind::Contains, right)
        }),
        _ => Some(shape(body, Some((left, operator, right)))),
    }
}

/// A guard that compares nothing.
fn bare(body: &str, negated: bool, truth: Option<String>) -> Option<GuardFailure> {
    if let Some((name, arguments, behind)) = call(body) {
        if matches!(
            name,
            "Eq" | "Ne" | "Lt" | "Le" | "Gt" | "Ge" | "Mod" | "And" | "Or"
        ) {
            return Some(shape(body, None));
        }
        let kind = FUNCTIONS.iter().find(|(function, _)| *function == name)?.1;
        let (first, second) = first_argument(arguments);
        let class = behind
            .trim_start_matches(", ")
            .strip_prefix("type=")
            .map(class);
        return Some(match kind {
            // The key comes first.
            GuardFailureKind::Contains => GuardFailure {
                expected: truth,
                ..guarded(kind, second.unwrap_or(first))
            },
            GuardFailureKind::HasAttr => GuardFailure {
                expected: truth,
                ..guarded(kind, first)
            },
            GuardFailureKind::TypeId => GuardFailure {
                expected: class.or(second).map(String::from),
                class: class.map(String::from),
                ..guarded(kind, first)
            },
            GuardFailureKind::Backend => of(kind),
            _ => GuardFailure {
                expected: second.map(String::from),
                class: class.map(String::from),
                ..guarded(kind, first)
            },
        });
    }
    // An empty container is guarded by its truth.
    let source =
        negated && !body.is_empty() && outside(body, |rest| rest.first() == Some(&b' ')).is_none();
    source.then(|| GuardFailure {
        expected: Some("0".into()),
        ..guarded(GuardFailureKind::Length, body)
    })
}

/// Parts of guards on sizes that sympy printed.
const SIZES: [(&str, bool); 3] = [
    (".size()[", true),
    (".stride()[", true),
    (".storage_offset()", false),
];

fn is_about_sizes(text: &str) -> bool {
    SIZES.iter().any(|(part, _)| text.contains(part))
}

/// A relation between symbolic numbers. Its source is the first tensor in it.
fn shape(text: &str, comparison: Option<(&str, &str, &str)>) -> GuardFailure {
    let first = SIZES
        .iter()
        .filter_map(|(part, indexed)| Some((text.find(part)?, part.len(), *indexed)))
        .min();
    let mut failure = of(GuardFailureKind::Shape);
    match first {
        Some((at, length, indexed)) => {
            let before = text.get(..at).unwrap_or_default();
            let start = before
                .rfind([' ', '(', '*', '+', '-', '/', ','])
                .map_or(0, |start| start + 1);
            failure = guarded(
                GuardFailureKind::Shape,
                before.get(start..).unwrap_or_default(),
            );
            let digits = text.get(at + length..).filter(|_| indexed);
            failure.index = digits.and_then(|d| d.split_once(']')?.0.parse().ok());
        }
        None => {
            if let Some((left, _, right)) = comparison {
                let number = left.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                failure = guarded(GuardFailureKind::Shape, if number { right } else { left });
            }
        }
    }
    if let Some((_, "==", right)) = comparison {
        failure.expected = Some(without_local_scope(right));
    }
    failure
}

/// What the keys of are compared: `list(d.keys())`, `set(d.keys())`, `list(dict.keys(d))[0]`.
fn keys(left: &str) -> Option<(&str, Option<u32>)> {
    let index = left
        .strip_suffix(']')
        .and_then(|left| left.rsplit_once(")["))
        .and_then(|(_, index)| index.parse().ok());
    let inner = match call(left) {
        Some(("list" | "set" | "tuple", inner, _)) => inner,
        _ => left,
    };
    if let Some(source) = inner.strip_suffix(".keys()") {
        return Some((source, index));
    }
    match call(inner)? {
        ("dict.keys", source, "") => Some((source, index)),
        _ => None,
    }
}

/// Splits a comparison at its first operator outside quotes and brackets.
fn comparison(text: &str) -> Option<(&str, &'static str, &str)> {
    const OPERATORS: [&str; 10] = [
        "==", "!=", "<=", ">=", "<", ">", "is not", "is", "not in", "in",
    ];
    let operator = |rest: &[u8]| {
        let rest = rest.strip_prefix(b" ")?;
        OPERATORS.into_iter().find(|operator| {
            rest.strip_prefix(operator.as_bytes())
                .is_some_and(|behind| behind.first() == Some(&b' '))
        })
    };
    let at = outside(text, |rest| operator(rest).is_some())?;
    let operator = operator(text.as_bytes().get(at..)?)?;
    let right = text.get(at + 1 + operator.len()..)?;
    Some((text.get(..at)?.trim(), operator, right.trim()))
}

/// `<class 'x.Y'>` without what Python puts around it.
fn class(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("<class '")
        .and_then(|text| text.strip_suffix("'>"))
        .unwrap_or(text)
}
