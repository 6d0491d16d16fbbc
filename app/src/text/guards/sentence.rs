//! What a guard demands, by its kind, as a sentence and as the facts of a tensor.

use dynascope_core::payload::guard_tree::{Check, normalise_source};

/// The longest piece of a program within a sentence, in characters.
pub(super) const LONGEST: usize = 120;

/// What a guard demands.
#[must_use]
pub fn sentence(check: &Check<'_>) -> String {
    match check {
        Check::TensorMatch { source, .. } => {
            format!("{} must be {}.", name(source), tensor_words(check))
        }
        Check::Equals { source, value } => format!("{} must equal {}.", name(source), code(value)),
        Check::Type {
            source,
            name: known,
            fake_script,
            ..
        } => {
            let but = if *fake_script {
                "; fake objects are let through"
            } else {
                ""
            };
            match known {
                Some(known) => format!(
                    "{} must be exactly of the type {}{but}.",
                    name(source),
                    code(type_name(known))
                ),
                None => format!(
                    "{} must be exactly of the type that it had when this was compiled{but}.",
                    name(source)
                ),
            }
        }
        Check::Identity { source, object, .. } => {
            let object = object.map(|object| format!(", {}", code(type_name(object))));
            format!(
                "{} must be the same object as when this was compiled{}.",
                name(source),
                object.unwrap_or_default()
            )
        }
        Check::Length { source, length } => must_hold(&name(source), length),
        Check::DictLength { source, length } => {
            must_hold(&format!("The dictionary {}", name(source)), length)
        }
        Check::DictContains { source, key, is_in } => format!(
            "The dictionary {} must {}have the key {}.",
            name(source),
            not(*is_in),
            code(key)
        ),
        Check::SetContains {
            source,
            item,
            is_in,
        } => format!(
            "The set {} must {}hold {}.",
            name(source),
            not(*is_in),
            code(item)
        ),
        Check::MappingKeys { source, keys } => format!(
            "The keys of {} must be {}, in this order.",
            name(source),
            code(keys)
        ),
        Check::None { source } => format!("{} must be {}.", name(source), code("None")),
        Check::NotNone { source } => format!("{} must not be {}.", name(source), code("None")),
        Check::WeakrefAlive { source } => {
            format!("What {} refers to must still exist.", name(source))
        }
        Check::Bool { source, value } => {
            format!("{} must be {}.", name(source), code(python(*value)))
        }
        Check::HasAttr {
            source,
            attribute,
            present,
        } => {
            let mark = dimension_mark(attribute).filter(|_| !present);
            match mark {
                Some(mark) => format!("No dimension of {} may be {mark}.", name(source)),
                None => format!(
                    "{} must {}have the attribute {}.",
                    name(source),
                    not(*present),
                    code(attribute)
                ),
            }
        }
        Check::NoAliasing { sources } => format!(
            "These must be different tensors: {}.",
            sources
                .iter()
                .take(8)
                .map(|source| name(source))
                .chain((sources.len() > 8).then(|| format!("and {} more", sources.len() - 8)))
                .collect::<Vec<_>>()
                .join(", ")
        ),
        Check::ObjectAliasing { a, b } => {
            format!("{} and {} must be the same object.", name(a), name(b))
        }
        Check::GlobalState { .. } => "PyTorch's global settings must be as when this was compiled: gradients, autocast, deterministic algorithms, threads, the default dtype.".to_owned(),
        Check::Setting { name, on } => format!(
            "The setting {} of PyTorch must be {}.",
            code(name),
            if *on { "on" } else { "off" }
        ),
        Check::Backend { .. } => {
            "The backend of torch.compile must be the one that compiled this.".to_owned()
        }
        Check::TorchFunctionModeStack => "The active modes that override torch functions must be the same as when this was compiled.".to_owned(),
        Check::DefaultDevice { device: "None" } => {
            "No default device may be set for new tensors.".to_owned()
        }
        Check::DefaultDevice { device } => {
            format!("The default device for new tensors must be {}.", code(device))
        }
        Check::DynamicIndices {
            source,
            attribute,
            indices,
        } => format!(
            "Of {}, only the dimensions {} may be {}.",
            name(source),
            code(indices),
            dimension_mark(attribute).unwrap_or("marked")
        ),
        Check::DynamicMark {
            source,
            attribute,
            value,
        } => format!(
            "What the program said of the dimensions of {} ({}) must be {}.",
            name(source),
            code(attribute),
            code(value)
        ),
        Check::RangeIterator { source, range } => format!(
            "The range iterator {} must go on with start, stop and step {}.",
            name(source),
            code(range)
        ),
        Check::TupleIteratorLen { source, length } => format!(
            "The tuple iterator {} must have {} left.",
            name(source),
            items(length)
        ),
        Check::DispatchKeySet { source, keys } => format!(
            "The dispatch keys of {} must be {}.",
            name(source),
            code(keys)
        ),
        Check::DictVersion { source, .. } => format!(
            "The dictionary {} must not have been changed since this was compiled.",
            name(source)
        ),
        Check::DataPtr { source, .. } => format!(
            "The tensor {} must lie at the same address in memory.",
            name(source)
        ),
        Check::DualLevel { level: "-1" } => "Forward-mode autograd must be off.".to_owned(),
        Check::DualLevel { level } => {
            format!("Forward-mode autograd must be at level {}.", code(level))
        }
        Check::IsNan { source, is_nan } => {
            format!("{} must {}be NaN.", name(source), not(*is_nan))
        }
        Check::SavedTensorsHooks { ids: "None" } => {
            "No hooks for saved tensors may be active.".to_owned()
        }
        Check::SavedTensorsHooks { .. } => {
            "The hooks for saved tensors must be those of when this was compiled.".to_owned()
        }
        Check::FunctorchStack { .. } => {
            "The active transforms of torch.func must be those of when this was compiled.".to_owned()
        }
        Check::ShapeGuard { expression } => format!(
            "This must be true of sizes and numbers: {}.",
            code(&normalise_source(expression))
        ),
        Check::Named { class, source, .. } => {
            format!("{} is guarded by {}.", name(source), code(class))
        }
        Check::Metadata => {
            "What describes the tensors within this tensor must be what it was when this was compiled."
                .to_owned()
        }
        Check::Other { code: it } => format!("This must hold: {}.", code(it)),
    }
}

/// What a guard of a tensor fixes: name and value. Nothing for other guards.
#[must_use]
pub fn tensor(check: &Check<'_>) -> Vec<(String, String)> {
    let Check::TensorMatch {
        class,
        dispatch_keys,
        dtype,
        device,
        requires_grad,
        size,
        stride,
        ..
    } = check
    else {
        return Vec::new();
    };
    let order = match is_contiguous(size, stride) {
        Some(true) if !size.is_empty() => " (contiguous)",
        _ => "",
    };
    let rows = [
        ("Class", (*class).to_owned()),
        ("dtype", plain_dtype(dtype).to_owned()),
        (
            "Device",
            device_words(dispatch_keys, *device).unwrap_or_else(|| "not named".to_owned()),
        ),
        ("Shape", numbers(size)),
        ("Strides", format!("{}{order}", numbers(stride))),
        (
            "Gradient",
            match requires_grad {
                Some(true) => "required",
                Some(false) => "not required",
                None => "not known",
            }
            .to_owned(),
        ),
        ("Dispatch keys", dispatch_keys.join(", ")),
    ];
    rows.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A type as people read it: `tuple` for `<class 'tuple'>`.
#[must_use]
pub fn type_name(printed: &str) -> &str {
    printed
        .strip_prefix("<class '")
        .and_then(|name| name.strip_suffix("'>"))
        .unwrap_or(printed)
}

/// A source as people read it: `x` for `L['x']`.
#[must_use]
pub fn source(source: &str) -> String {
    short(&normalise_source(source))
}

/// Code within a sentence.
pub(super) fn code(text: &str) -> String {
    format!("`{}`", short(text))
}

/// Whether a tensor lies in memory row by row; `None` where its sizes and strides do not tell.
pub(super) fn is_contiguous(size: &[Option<i64>], stride: &[Option<i64>]) -> Option<bool> {
    if size.len() != stride.len() {
        return None;
    }
    let mut wanted = Some(1_i64);
    let mut is_known = true;
    for (size, stride) in size.iter().zip(stride).rev() {
        match (wanted, stride) {
            // A dimension of one element may have any stride.
            _ if *size == Some(1) => {}
            (Some(wanted), Some(stride)) if wanted != *stride => return Some(false),
            (Some(_), Some(_)) => {}
            _ => is_known = false,
        }
        wanted = wanted
            .zip(*size)
            .and_then(|(wanted, size)| wanted.checked_mul(size));
    }
    is_known.then_some(true)
}

fn tensor_words(check: &Check<'_>) -> String {
    let Check::TensorMatch {
        class,
        dispatch_keys,
        dtype,
        device,
        requires_grad,
        size,
        stride,
        ..
    } = check
    else {
        return String::new();
    };
    let dtype = short(plain_dtype(dtype));
    let mut words = match *class {
        "Tensor" => format!("a {dtype} tensor"),
        "Parameter" => format!("a {dtype} Parameter"),
        class => format!("a {dtype} tensor of the class {}", code(class)),
    };
    words.push_str(&format!(" of shape {}", short(&numbers(size))));
    if let Some(device) = device_words(dispatch_keys, *device) {
        words.push_str(&format!(" on {device}"));
    }
    match is_contiguous(size, stride) {
        Some(true) if size.is_empty() => {}
        Some(true) => words.push_str(", contiguous"),
        _ => words.push_str(&format!(", with strides {}", short(&numbers(stride)))),
    }
    match requires_grad {
        Some(true) => words.push_str(", with gradient"),
        Some(false) => words.push_str(", without gradient"),
        None => {}
    }
    words
}

/// The device, by the dispatch key that stands for it, and its index.
fn device_words(keys: &[&str], index: Option<&str>) -> Option<String> {
    const KINDS: [&str; 8] = ["CPU", "CUDA", "HIP", "XPU", "MPS", "HPU", "XLA", "Meta"];
    let kind = KINDS.into_iter().find(|kind| keys.contains(kind));
    match (kind, index) {
        (Some("CPU"), _) => Some("the CPU".to_owned()),
        (Some(kind), Some(index)) => Some(format!("{kind} device {}", short(index))),
        (Some(kind), None) => Some(format!("a {kind} device")),
        (None, Some(index)) => Some(format!("device {}", short(index))),
        (None, None) => None,
    }
}

fn plain_dtype(dtype: &str) -> &str {
    dtype.strip_prefix("torch.").unwrap_or(dtype)
}

/// `[4, any]`
fn numbers(all: &[Option<i64>]) -> String {
    let all: Vec<String> = all
        .iter()
        .map(|one| one.map_or_else(|| "any".to_owned(), |one| one.to_string()))
        .collect();
    format!("[{}]", all.join(", "))
}

/// What a program can say of a dimension, by the attribute that holds it.
fn dimension_mark(attribute: &str) -> Option<&'static str> {
    Some(match attribute {
        "_dynamo_dynamic_indices" => "marked as dynamic",
        "_dynamo_weak_dynamic_indices" => "marked as perhaps dynamic",
        "_dynamo_unbacked_indices" => "marked as unbacked",
        "_dynamo_strict_unbacked_indices" => "marked as strictly unbacked",
        "_dynamo_static_indices" => "marked as static",
        _ => return None,
    })
}

fn must_hold(what: &str, length: &str) -> String {
    match length {
        "0" => format!("{what} must be empty."),
        _ => format!("{what} must have {}.", items(length)),
    }
}

fn items(length: &str) -> String {
    match length {
        "1" => "1 item".to_owned(),
        _ => format!("{} items", short(length)),
    }
}

fn not(is: bool) -> &'static str {
    if is { "" } else { "not " }
}

fn python(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// A source within a sentence.
fn name(source: &str) -> String {
    code(&normalise_source(source))
}

/// A piece of a program that is no longer than a sentence bears, without the quotes that mark code.
fn short(text: &str) -> String {
    let mut out: String = text.chars().take(LONGEST).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out.replace('`', "'")
}
