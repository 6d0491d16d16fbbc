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
const FUNCTIONS: [(&str, GuardFailureKind); 21] = [
    ("___check_type_id", GuardFailureKind::TypeId),
    ("___check_obj_id", GuardFailureKind::ObjectId),
    ("___check_backend", GuardFailureKind::Backend),
    ("___check_current_backend", GuardFailureKind::Backend),
    ("___dict_contains", GuardFailureKind::Contains),
    ("___set_contains", GuardFailureKind::Contains),
    (SET_CONTAINS, GuardFailureKind::Contains),
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
    ("math.isnan", GuardFailureKind::Value),
    ("__numpy_isnan", GuardFailureKind::Value),
    ("str", GuardFailureKind::Value),
    ("type", GuardFailureKind::TypeId),
];

/// Unlike the functions of PyTorch, it names the container first (2.9+).
const SET_CONTAINS: &str = "set.__contains__";

/// What accessors say where what is guarded cannot be reached (torch/csrc/dynamo/guards.cpp, 2.4+), with what
/// stands behind it.
const ACCESSES: [(&str, GuardFailureKind, Behind); 12] = [
    (
        "getattr failed on source ",
        GuardFailureKind::HasAttr,
        Behind::Member,
    ),
    ("KeyError on ", GuardFailureKind::Contains, Behind::Member),
    ("IndexError on ", GuardFailureKind::Length, Behind::Member),
    (
        "IndexError TupleIteratorGetItemAccessor(",
        GuardFailureKind::Length,
        Behind::Other,
    ),
    ("TYPE_MISMATCH(", GuardFailureKind::TypeId, Behind::Source),
    (
        "Not a callable obj ",
        GuardFailureKind::TypeId,
        Behind::Source,
    ),
    (
        "null type dict on ",
        GuardFailureKind::TypeId,
        Behind::Source,
    ),
    (
        "not a tensor - grad field is accessed ",
        GuardFailureKind::TensorType,
        Behind::Member,
    ),
    ("not a tensor", GuardFailureKind::TensorType, Behind::Source),
    (
        "Not a weakref obj ",
        GuardFailureKind::Deallocated,
        Behind::Source,
    ),
    (
        "Not a weakref ",
        GuardFailureKind::Deallocated,
        Behind::Source,
    ),
    (
        "Weakref_GetRef failed ",
        GuardFailureKind::Deallocated,
        Behind::Source,
    ),
];

/// What a message ends in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// The object itself.
    Source,
    /// A member of the object: `d['key']`, `o.attribute`.
    Member,
    /// Nothing that names an object.
    Other,
}

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
        // 2.14 and later name the class that was expected.
        if let Some((source, classes)) = rest.split_once("' to be <")
            && let Some((expected, found)) = classes.split_once(">, but found ")
        {
            let expected = expected.strip_prefix("class '").unwrap_or(expected);
            return Some(GuardFailure {
                expected: Some(expected.trim_end_matches('\'').into()),
                actual: Some(class(found).into()),
                ..guarded(GuardFailureKind::TypeId, source)
            });
        }
        let (source, found) = rest.split_once("' to be a tensor type, ")?;
        // The quotes are PyTorch's own. It may not know the type: `but found a different type`.
        let found = found.strip_prefix("' but found ");
        return Some(GuardFailure {
            actual: found.map(|found| class(found).into()),
            ..guarded(GuardFailureKind::TensorType, source)
        });
    }
    if let Some(failure) = access(text).or_else(|| marking(text)) {
        return Some(failure);
    }
    if let Some(values) = text.strip_prefix("Shape guard failed with values: ") {
        // C++ guards of symbolic shapes (2.6+) give the numbers, and not which relation they break.
        return Some(GuardFailure {
            actual: Some(values.trim().into()),
            ..of(GuardFailureKind::Shape)
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

/// Marks of a tensor's dimensions (`mark_dynamic` and others) are not those of when it was compiled:
/// `DIMENSION_DYNAMIC_MARKING_GUARD` of guards.cpp, 2.13+. The messages do not say which tensor it is.
fn marking(text: &str) -> Option<GuardFailure> {
    let attribute = text.split([' ', ':']).next().unwrap_or_default();
    if !attribute.starts_with("_dynamo_") && !attribute.starts_with("_has_dynamo_") {
        return None;
    }
    let behind = text.get(attribute.len()..).unwrap_or_default();
    let between = |start: &str, end: &str| {
        let (_, value) = behind.split_once(start)?;
        let value = value.split_once(end).map_or(value, |(value, _)| value);
        Some(value.trim().to_string())
    };
    let truth = |present: bool| Some(if present { "True" } else { "False" }.to_string());
    let (expected, actual) = if behind.contains(" but attribute is absent on runtime tensor") {
        (truth(true), truth(false))
    } else if behind.contains("present on runtime tensor") {
        (truth(false), truth(true))
    } else if behind.contains(" is not a subset of compiled ") {
        let actual = between(" not a subset: runtime ", " is not a subset of compiled ");
        (between(" is not a subset of compiled ", "\n"), actual)
    } else {
        (between(" mismatch: expected ", ", "), None)
    };
    Some(GuardFailure {
        expected,
        actual,
        ..of(GuardFailureKind::HasAttr)
    })
}

/// The tensor whose marks are tested: `((x._dynamo_dynamic_indices.issubset({0})) if hasattr(x, '…') else True)`
/// (2.2 to 2.12), with the marks that were expected.
fn marked(code: &str) -> Option<GuardFailure> {
    let (test, behind) = code.split_once(" if hasattr(")?;
    let (source, attribute) = first_argument(behind);
    let attribute = attribute?;
    let names_mark = attribute.starts_with("'_dynamo_") || attribute.starts_with("\"_dynamo_");
    let expected = test
        .split_once(".issubset(")
        .or_else(|| test.split_once(" == "))
        .map(|(_, marks)| marks.trim_end_matches(')').to_string());
    names_mark.then(|| GuardFailure {
        expected,
        ..guarded(GuardFailureKind::HasAttr, source)
    })
}

/// What is guarded cannot be reached.
fn access(text: &str) -> Option<GuardFailure> {
    // Defaults, code and closure of what is no function: `CodeGuardAccessor: Not a function on f.__code__`.
    if let Some((accessor, rest)) = text.split_once(": Not a function on ")
        && accessor.bytes().all(|b| b.is_ascii_alphanumeric())
    {
        return Some(guarded(GuardFailureKind::TypeId, owner(rest)));
    }
    let (rest, kind, behind) = ACCESSES
        .iter()
        .find_map(|(start, kind, behind)| Some((text.strip_prefix(start)?, *kind, *behind)))?;
    let source = match behind {
        Behind::Other => return Some(of(kind)),
        Behind::Source => rest.strip_suffix(')').filter(|_| text.starts_with("TYPE_")),
        Behind::Member => Some(owner(rest)),
    };
    let mut failure = guarded(kind, source.unwrap_or(rest));
    if matches!(kind, GuardFailureKind::HasAttr | GuardFailureKind::Contains) {
        failure.expected = Some("True".into());
    }
    Some(failure)
}

/// What has the member that a source ends in: `d` of `d['key']`, `a.b` of `a.b.c`.
fn owner(source: &str) -> &str {
    let source = source.trim();
    let mut end = 0;
    let mut from = 0;
    let is_member = |rest: &[u8]| matches!(rest.first(), Some(b'.' | b'['));
    while let Some(at) = source.get(from..).and_then(|rest| outside(rest, is_member)) {
        end = from + at;
        from = end + 1;
        // A dot or bracket within a subscript is part of the key.
        if source.get(end..from) == Some("[") {
            let close = source
                .get(from..)
                .and_then(|rest| outside(rest, |rest| rest.first() == Some(&b']')));
            let Some(close) = close else { break };
            from += close + 1;
        }
    }
    // `L['x']` is a name.
    match source.get(..end) {
        Some("" | "L" | "G") | None => source,
        Some(owner) => owner,
    }
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
    if let Some(failure) = marked(text) {
        return Some(failure);
    }
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

/// Beginnings of the names under which guards on the metadata of tensor subclasses are installed, 2.5+:
/// `___check_metadata_140138427953408_c15/0`. They say neither source nor value.
const METADATA: [&str; 2] = ["___check_metadata_", "__dtensor_spec_"];

/// A guard that compares nothing.
fn bare(body: &str, negated: bool, truth: Option<String>) -> Option<GuardFailure> {
    if METADATA.iter().any(|start| body.starts_with(start)) {
        return Some(of(GuardFailureKind::Metadata));
    }
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
            GuardFailureKind::Contains if name == SET_CONTAINS => GuardFailure {
                expected: truth,
                ..guarded(kind, first)
            },
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

/// `<class 'x.Y'>` without what Python puts around it. Of an object that is printed over several lines (2.10 to 2.12), the
/// beginning, which names its class: `Adam (`.
fn class(text: &str) -> &str {
    let text = text.trim();
    let text = text.split_once('\n').map_or(text, |(first, _)| {
        let first = first.trim_end_matches([' ', '(', '[', '{', ':']);
        first.strip_suffix(" containing").unwrap_or(first)
    });
    text.strip_prefix("<class '")
        .and_then(|text| text.strip_suffix("'>"))
        .unwrap_or(text)
}
