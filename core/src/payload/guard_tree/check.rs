//! What a guard means: a typed reading of a leaf's code.
//!
//! The code is Python that nobody runs; `GuardBuilder` in `torch/_dynamo/guards.py` writes it, one method a
//! form. A form that is not known is [`Check::Other`].

use super::scan::{arguments, call, inside, split_once, unquoted};
use alloc::vec::Vec;

/// What a guard checks. Text is as it stands in the code; [`super::normalise_source`] makes sources comparable.
#[derive(Debug, Clone, PartialEq)]
pub enum Check<'a> {
    /// A tensor's properties (`TENSOR_MATCH`).
    TensorMatch {
        /// The tensor.
        source: &'a str,
        /// Its Python class: `Tensor`, `Parameter`.
        class: &'a str,
        /// Its dispatch keys: `CPU`, `AutogradCPU`, …
        dispatch_keys: Vec<&'a str>,
        /// Its dtype: `torch.float32`.
        dtype: &'a str,
        /// Index of its device; `None` where its kind of device has none.
        device: Option<&'a str>,
        /// Whether it takes part in autograd; `None` where that could not be read.
        requires_grad: Option<bool>,
        /// Its sizes, in elements; `None` for a size that may be any.
        size: Vec<Option<i64>>,
        /// Its strides, in elements; `None` for one that may be any.
        stride: Vec<Option<i64>>,
    },
    /// A value (`EQUALS_MATCH`).
    Equals {
        /// What is compared.
        source: &'a str,
        /// The value, as Python prints it.
        value: &'a str,
    },
    /// The type of an object, by the type's id (`TYPE_MATCH`, `FAKE_SCRIPT_TYPE_MATCH`).
    Type {
        /// The object.
        source: &'a str,
        /// Address of the type; another one in each process.
        id: &'a str,
        /// The type, where the text names it: `<class 'tuple'>`, or the hint's `tuple`.
        name: Option<&'a str>,
        /// Whether the check passes over fake objects (`FAKE_SCRIPT_TYPE_MATCH`).
        fake_script: bool,
    },
    /// An object itself, by its id (`ID_MATCH`).
    Identity {
        /// The object.
        source: &'a str,
        /// Its address; another one in each process.
        id: &'a str,
        /// The object or its type, as 2.10 and later print it.
        object: Option<&'a str>,
        /// PyTorch's hint.
        hint: Option<&'a str>,
    },
    /// How many items there are (`LENGTH_CHECK`).
    Length {
        /// The sequence.
        source: &'a str,
        /// Items.
        length: &'a str,
    },
    /// How many items there are in a dictionary (`DICT_LENGTH`).
    DictLength {
        /// The dictionary.
        source: &'a str,
        /// Items.
        length: &'a str,
    },
    /// Whether a dictionary has a key (`DICT_CONTAINS`).
    DictContains {
        /// The dictionary.
        source: &'a str,
        /// The key, as Python prints it.
        key: &'a str,
        /// Whether it must be there.
        is_in: bool,
    },
    /// Whether a set has an item (`SET_CONTAINS`).
    SetContains {
        /// The set.
        source: &'a str,
        /// The item, as Python prints it.
        item: &'a str,
        /// Whether it must be there.
        is_in: bool,
    },
    /// The keys of a mapping, in their order (`MAPPING_KEYS_MATCH`, `DICT_KEYS`).
    MappingKeys {
        /// The mapping.
        source: &'a str,
        /// The keys, as Python prints them.
        keys: &'a str,
    },
    /// `is None` (`NONE_MATCH`).
    None {
        /// What is compared.
        source: &'a str,
    },
    /// `is not None` (`NOT_NONE`).
    NotNone {
        /// What is compared.
        source: &'a str,
    },
    /// That what a weak reference names still lives (`WEAKREF_ALIVE`, printed as `NOT_NONE`).
    WeakrefAlive {
        /// The reference, called.
        source: &'a str,
    },
    /// A boolean (`TRUE_MATCH`, `FALSE_MATCH`).
    Bool {
        /// What is compared.
        source: &'a str,
        /// What it must be.
        value: bool,
    },
    /// Whether an object has an attribute (`NO_HASATTR`, `DIMENSION_DYNAMIC_MARKING_GUARD`).
    HasAttr {
        /// The object.
        source: &'a str,
        /// The attribute.
        attribute: &'a str,
        /// Whether it must be there.
        present: bool,
    },
    /// That no two of these tensors are the same (`NO_TENSOR_ALIASING`).
    NoAliasing {
        /// The tensors.
        sources: Vec<&'a str>,
    },
    /// That two expressions give the same object (`OBJECT_ALIASING`).
    ObjectAliasing {
        /// One.
        a: &'a str,
        /// The other.
        b: &'a str,
    },
    /// Settings of the process (`GLOBAL_STATE`).
    GlobalState {
        /// What they must be, as JSON, since 2.8.
        against: Option<&'a str>,
    },
    /// One setting of the process, as lists of 2.1 and 2.2 print it: `___is_grad_enabled()`.
    Setting {
        /// Its name, without underscores before it.
        name: &'a str,
        /// Whether it must be on.
        on: bool,
    },
    /// The compiler's backend (2.3 and before).
    Backend {
        /// Its address.
        id: &'a str,
    },
    /// The modes that override torch functions (`TORCH_FUNCTION_MODE_STACK`).
    TorchFunctionModeStack,
    /// The default device (`DEFAULT_DEVICE`).
    DefaultDevice {
        /// The device or `None`, as Python prints it.
        device: &'a str,
    },
    /// The dimensions that were marked dynamic (`DYNAMIC_INDICES`).
    DynamicIndices {
        /// The tensor.
        source: &'a str,
        /// The attribute that holds them.
        attribute: &'a str,
        /// The dimensions, as Python prints the set.
        indices: &'a str,
    },
    /// What a range's iterator will still give (`RANGE_ITERATOR_MATCH`).
    RangeIterator {
        /// The iterator.
        source: &'a str,
        /// Start, stop and step, as Python prints them.
        range: &'a str,
    },
    /// Items that a tuple's iterator will still give (`TUPLE_ITERATOR_LEN`).
    TupleIteratorLen {
        /// The iterator.
        source: &'a str,
        /// Items.
        length: &'a str,
    },
    /// A set of dispatch keys (`DISPATCH_KEY_SET_MATCH`).
    DispatchKeySet {
        /// The set.
        source: &'a str,
        /// What it must be.
        keys: &'a str,
    },
    /// A dictionary's version, a counter of the process (`DICT_VERSION`).
    DictVersion {
        /// The dictionary.
        source: &'a str,
        /// Its version.
        version: &'a str,
    },
    /// A tensor's memory (`DATA_PTR_MATCH`, to 2.7).
    DataPtr {
        /// The tensor.
        source: &'a str,
        /// Address of its memory.
        address: &'a str,
    },
    /// The level of forward-mode autograd (`DUAL_LEVEL_MATCH`).
    DualLevel {
        /// The level; -1 for none.
        level: &'a str,
    },
    /// Whether a number is NaN (`FLOAT_IS_NAN`, `COMPLEX_IS_NAN`).
    IsNan {
        /// The number.
        source: &'a str,
        /// Whether it must be.
        is_nan: bool,
    },
    /// Hooks for saved tensors (2.8 and later).
    SavedTensorsHooks {
        /// Their addresses, or `None`.
        ids: &'a str,
    },
    /// Transforms of torch.func that are active.
    FunctorchStack {
        /// Their states, as Python prints them.
        states: &'a str,
    },
    /// What sizes and other symbols must satisfy (`LAMBDA_GUARD`, `SYMBOLIC_SHAPE_GUARD`, and lists).
    ShapeGuard {
        /// The condition.
        expression: &'a str,
    },
    /// A guard of torch 2.0, which names an object and not what is checked.
    Named {
        /// The guard's type.
        class: &'a str,
        /// The object.
        source: &'a str,
        /// Expressions, or `None`.
        code: &'a str,
    },
    /// Something else.
    Other {
        /// The code.
        code: &'a str,
    },
}

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

    /// The class of guards.cpp that checks this, or PyTorch's own word where there is none.
    #[must_use]
    pub fn class(&self) -> &'a str {
        match self {
            Check::TensorMatch { .. } => "TENSOR_MATCH",
            Check::Equals { .. } => "EQUALS_MATCH",
            Check::Type {
                fake_script: false, ..
            } => "TYPE_MATCH",
            Check::Type {
                fake_script: true, ..
            } => "FAKE_SCRIPT_TYPE_MATCH",
            Check::Identity { .. } => "ID_MATCH",
            Check::Length { .. } => "LENGTH_CHECK",
            Check::DictLength { .. } => "DICT_LENGTH",
            Check::DictContains { .. } => "DICT_CONTAINS",
            Check::SetContains { .. } => "SET_CONTAINS",
            Check::MappingKeys { .. } => "MAPPING_KEYS_MATCH",
            Check::None { .. } => "NONE_MATCH",
            Check::NotNone { .. } => "NOT_NONE",
            Check::WeakrefAlive { .. } => "WEAKREF_ALIVE",
            Check::Bool { .. } => "BOOL_MATCH",
            Check::HasAttr { .. } => "HASATTR",
            Check::NoAliasing { .. } => "NO_TENSOR_ALIASING",
            Check::ObjectAliasing { .. } => "OBJECT_ALIASING",
            Check::GlobalState { .. } | Check::Setting { .. } => "GLOBAL_STATE",
            Check::Backend { .. } => "BACKEND_MATCH",
            Check::TorchFunctionModeStack => "TORCH_FUNCTION_MODE_STACK",
            Check::DefaultDevice { .. } => "DEFAULT_DEVICE",
            Check::DynamicIndices { .. } => "DYNAMIC_INDICES",
            Check::RangeIterator { .. } => "RANGE_ITERATOR_MATCH",
            Check::TupleIteratorLen { .. } => "TUPLE_ITERATOR_LEN",
            Check::DispatchKeySet { .. } => "DISPATCH_KEY_SET_MATCH",
            Check::DictVersion { .. } => "DICT_VERSION",
            Check::DataPtr { .. } => "DATA_PTR_MATCH",
            Check::DualLevel { .. } => "DUAL_LEVEL_MATCH",
            Check::IsNan { .. } => "FLOAT_IS_NAN",
            Check::SavedTensorsHooks { .. } => "AUTOGRAD_SAVED_TENSORS_HOOKS",
            Check::FunctorchStack { .. } => "FUNCTORCH_STACK_MATCH",
            Check::ShapeGuard { .. } => "SHAPE_ENV",
            Check::Named { class, .. } => class,
            Check::Other { .. } => "",
        }
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
    // ((x._dynamo_dynamic_indices.issubset({0})) if hasattr(x, '…') else True)
    let (test, _) = split_once(inner, " if hasattr(")?;
    let (object, rest) = inside(test, '(', ')')?.split_once(".issubset(")?;
    let (source, attribute) = object.rsplit_once('.')?;
    Some(Check::DynamicIndices {
        source,
        attribute,
        indices: rest.strip_suffix(')')?,
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
