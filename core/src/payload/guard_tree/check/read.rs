//! Reads the Python that guards are printed as.

use super::super::scan::{arguments, call, inside, split_once, unquoted};
use super::Check;
use alloc::vec::Vec;

impl<'a> Check<'a> {
    /// Reads a leaf's code. Lists do not print the class. Never fails.
    #[must_use]
    pub fn read(class: Option<&str>, code: &'a str, hint: Option<&'a str>) -> Check<'a> {
        let class = class.unwrap_or_default();
        let (positive, body) = match code.strip_prefix("not ") {
            Some(body) => (false, body),
            None => (true, code),
        };
        function(positive, body, hint)
            .or_else(|| sequence(class, positive, body))
            .or_else(|| special(positive, body))
            .or_else(|| comparison(class, positive, code))
            .unwrap_or(Check::Other { code })
    }
}

/// Calls of PyTorch's own helpers.
fn function<'a>(positive: bool, body: &'a str, hint: Option<&'a str>) -> Option<Check<'a>> {
    let two = |name: &str| {
        let (inside, rest) = call(body, name)?;
        let mut arguments = arguments(inside);
        Some((arguments.next()?, arguments.next()?, rest))
    };
    let printed_type = |rest: &'a str| rest.strip_prefix(", type=");
    if let Some((inside, _)) = call(body, "check_tensor") {
        return tensor(inside);
    }
    if let Some((source, id, rest)) = two("___check_type_id") {
        let name = printed_type(rest).or_else(|| hint?.strip_prefix("type "));
        return Some(Check::Type {
            source,
            id,
            name,
            fake_script: false,
        });
    }
    if let Some((source, id, rest)) = two("___check_fake_script_type") {
        return Some(Check::Type {
            source,
            id,
            name: printed_type(rest),
            fake_script: true,
        });
    }
    if let Some((source, id, rest)) = two("___check_obj_id") {
        return Some(Check::Identity {
            source,
            id,
            object: printed_type(rest),
            hint,
        });
    }
    if let Some((key, source, _)) = two("___dict_contains") {
        return Some(Check::DictContains {
            source,
            key,
            is_in: positive,
        });
    }
    if let Some((source, item, _)) = two("set.__contains__") {
        return Some(Check::SetContains {
            source,
            item,
            is_in: positive,
        });
    }
    if let Some((source, attribute, rest)) = two("hasattr") {
        let present = positive != (rest.trim() == "== False");
        return Some(Check::HasAttr {
            source,
            attribute: unquoted(attribute),
            present,
        });
    }
    if let Some((inside, _)) = call(body, "check_no_aliasing") {
        return Some(Check::NoAliasing {
            sources: arguments(inside).collect(),
        });
    }
    if let Some((_, rest)) = call(body, "___check_global_state") {
        return Some(Check::GlobalState {
            against: rest.strip_prefix(" against "),
        });
    }
    if call(body, "___check_torch_function_mode_stack").is_some() {
        return Some(Check::TorchFunctionModeStack);
    }
    if let Some((id, _)) = call(body, "___check_current_backend") {
        return Some(Check::Backend { id });
    }
    for name in ["math.isnan", "__math_isnan", "__numpy_isnan"] {
        if let Some((source, _)) = call(body, name) {
            return Some(Check::IsNan {
                source,
                is_nan: positive,
            });
        }
    }
    if let Some((states, _)) = call(body, "torch._functorch.pyfunctorch.compare_functorch_state") {
        return Some(Check::FunctorchStack { states });
    }
    if ["___check_metadata_", "__dtensor_spec_"]
        .into_iter()
        .any(|start| body.starts_with(start))
    {
        return Some(Check::Metadata);
    }
    // `___is_grad_enabled()` and its like have no arguments.
    let name = body.strip_prefix("___")?.strip_suffix("()")?;
    let is_word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_word.then_some(Check::Setting { name, on: positive })
}

fn tensor(inside: &str) -> Option<Check<'_>> {
    let mut arguments = arguments(inside);
    let (source, class) = (arguments.next()?, arguments.next()?);
    let (keys, dtype) = (arguments.next()?, arguments.next()?);
    let mut check = (None, None, Vec::new(), Vec::new());
    for argument in arguments {
        let Some((name, value)) = argument.split_once('=') else {
            continue;
        };
        match name {
            "device" => check.0 = Some(value).filter(|value| *value != "None"),
            "requires_grad" => {
                check.1 = match value {
                    "True" | "1" => Some(true),
                    "False" | "0" => Some(false),
                    _ => None,
                }
            }
            "size" => check.2 = numbers(value),
            "stride" => check.3 = numbers(value),
            _ => {}
        }
    }
    let (device, requires_grad, size, stride) = check;
    let keys = call(keys, "DispatchKeySet").map_or(keys, |(keys, _)| keys);
    let dispatch_keys = arguments_of(keys);
    Some(Check::TensorMatch {
        source,
        class,
        dispatch_keys,
        dtype,
        device,
        requires_grad,
        size,
        stride,
    })
}

fn arguments_of(text: &str) -> Vec<&str> {
    arguments(text).collect()
}

/// `[4, None]`: what is no number may be any.
fn numbers(list: &str) -> Vec<Option<i64>> {
    arguments(inside(list, '[', ']').unwrap_or(list))
        .map(|item| item.parse().ok())
        .collect()
}

/// Lengths and keys.
fn sequence<'a>(class: &str, positive: bool, body: &'a str) -> Option<Check<'a>> {
    let length = |source: &'a str, length: &'a str| {
        if class == "DICT_LENGTH" {
            Check::DictLength { source, length }
        } else {
            Check::Length { source, length }
        }
    };
    if let Some((source, rest)) = call(body, "len") {
        return Some(length(source, rest.strip_prefix(" == ")?));
    }
    if let Some((source, rest)) = call(body, "___tuple_iterator_len") {
        return Some(Check::TupleIteratorLen {
            source,
            length: rest.strip_prefix(" == ")?,
        });
    }
    if let Some((source, rest)) = call(body, "___normalize_range_iter") {
        return Some(Check::RangeIterator {
            source,
            range: rest.strip_prefix(" == ")?,
        });
    }
    if let Some((source, rest)) = call(body, "___dict_version") {
        return Some(Check::DictVersion {
            source,
            version: rest.strip_prefix(" == ")?,
        });
    }
    for function in ["list", "set", "___key_to_id"] {
        if let Some((inside, rest)) = call(body, function)
            && let Some(keys) = rest.strip_prefix(" == ")
        {
            let source = inside.strip_suffix(".keys()").or_else(|| {
                let (source, rest) = call(inside, "dict.keys")?;
                rest.is_empty().then_some(source)
            });
            let source = source.or(Some(inside).filter(|_| function == "___key_to_id"))?;
            return Some(Check::MappingKeys { source, keys });
        }
    }
    // `not L['kwargs']`: an empty sequence. A condition on sizes has operators.
    let is_source = body.starts_with("L[") || body.starts_with("G[") || class.contains("LENGTH");
    let is_plain = split_once(body, " ").is_none();
    (!positive && is_source && is_plain).then(|| length(body, "0"))
}

/// Forms that stand once in a set of guards, and those with parentheses around.
fn special(positive: bool, body: &str) -> Option<Check<'_>> {
    if let Some(device) = body.strip_prefix("utils_device.CURRENT_DEVICE == ") {
        return Some(Check::DefaultDevice { device });
    }
    if let Some(level) = body.strip_prefix("torch.autograd.forward_ad._current_level == ") {
        return Some(Check::DualLevel { level });
    }
    let hooks = "torch._functorch.aot_autograd.utils.top_saved_tensors_hooks ids == ";
    if let Some(ids) = body.strip_prefix(hooks) {
        return Some(Check::SavedTensorsHooks { ids });
    }
    let inner = inside(body, '(', ')')?;
    // (type(x) is float and __math_isnan(x))
    if let Some((_, test)) = inner.split_once(" and __") {
        for name in ["math_isnan", "numpy_isnan"] {
            if let Some((source, "")) = call(test, name) {
                return Some(Check::IsNan {
                    source,
                    is_nan: positive,
                });
            }
        }
    }
    // (___skip_backend_check() or ___current_backend() == ___lookup_backend(id)), 2.2
    if let Some((_, lookup)) = inner.split_once(" == ___lookup_backend") {
        return Some(Check::Backend {
            id: inside(lookup, '(', ')')?,
        });
    }
    let (test, _) = split_once(inner, " if hasattr(")?;
    dynamic(inside(test, '(', ')')?)
}

/// Marks of dimensions, tested where the tensor has them: `x._dynamo_dynamic_indices.issubset({0})`; since
/// 2.9 `getattr(x, '_dynamo_dynamic_indices', set()).issubset({0})`, or ` == None` behind it.
fn dynamic(test: &str) -> Option<Check<'_>> {
    let (source, attribute, rest) = match call(test, "getattr") {
        Some((inside, rest)) => {
            let mut arguments = arguments(inside);
            (arguments.next()?, unquoted(arguments.next()?), rest)
        }
        None => {
            let (object, _) = test.split_once(".issubset(")?;
            let (source, attribute) = object.rsplit_once('.')?;
            (source, attribute, test.get(object.len()..)?)
        }
    };
    if let Some(value) = rest.strip_prefix(" == ") {
        return Some(Check::DynamicMark {
            source,
            attribute,
            value,
        });
    }
    Some(Check::DynamicIndices {
        source,
        attribute,
        indices: call(rest, ".issubset")?.0,
    })
}

/// Comparisons, which are conditions on sizes or on values.
fn comparison<'a>(class: &str, positive: bool, code: &'a str) -> Option<Check<'a>> {
    let is_lambda = matches!(
        class,
        "LAMBDA_GUARD" | "SYMBOLIC_SHAPE_GUARD" | "STORAGE_OVERLAPPING"
    );
    if let Some((source, "None")) = split_once(code, " is not ") {
        return Some(if source.ends_with("()") {
            Check::WeakrefAlive { source }
        } else {
            Check::NotNone { source }
        });
    }
    if let Some((a, b)) = split_once(code, " is ") {
        return Some(match b {
            "None" => Check::None { source: a },
            "True" | "False" => Check::Bool {
                source: a,
                value: b == "True",
            },
            _ => Check::ObjectAliasing { a, b },
        });
    }
    if is_lambda {
        return is_condition(code).then_some(Check::ShapeGuard { expression: code });
    }
    if class.is_empty() && is_about_sizes(code) {
        return Some(Check::ShapeGuard { expression: code });
    }
    let (source, value) = split_once(code, " == ").filter(|_| positive)?;
    if let Some(source) = source.strip_suffix(".raw_repr()") {
        let keys = value.strip_suffix(".raw_repr()").unwrap_or(value);
        return Some(Check::DispatchKeySet { source, keys });
    }
    if let Some(source) = source.strip_suffix(".data_ptr()") {
        return Some(Check::DataPtr {
            source,
            address: value,
        });
    }
    Some(match value {
        "True" | "False" => Check::Bool {
            source,
            value: value == "True",
        },
        _ => Check::Equals { source, value },
    })
}

fn is_condition(code: &str) -> bool {
    let operators = ["==", "!=", "<", ">", "Eq(", "Ne(", "Mod(", "L["];
    operators
        .into_iter()
        .any(|operator| code.contains(operator))
}

/// Whether a line of a list is a condition on sizes: it names one, or compares otherwise than by `==`.
fn is_about_sizes(code: &str) -> bool {
    let properties = [".size()[", ".stride()[", ".storage_offset()"];
    let functions = ["Eq(", "Ne(", "Mod("];
    let operators = [" <= ", " < ", " >= ", " > ", " != "];
    properties
        .into_iter()
        .any(|property| code.contains(property))
        || functions
            .into_iter()
            .any(|function| code.starts_with(function))
        || code.contains("L[")
            && operators
                .into_iter()
                .any(|operator| split_once(code, operator).is_some())
}
