//! What each guard demands, in a sentence for people who never read one.
//!
//! Start at [`sentence`]. The engine makes the sentences, because it is where guards are read. What stands
//! between back-quotes is code, and shows so.

use dynascope_core::payload::guard_tree::{Check, NoteKind, normalise_source};

use crate::ui::format::{count, counted, seconds};

/// The longest piece of a program within a sentence, in characters.
const LONGEST: usize = 120;

/// What the view of guards is for.
pub const LEAD: &str = "At each call, PyTorch checks these guards from the top down. If one of them fails, this compiled code is not used, and the function is compiled again.";
/// The outermost node.
pub const ROOT: &str = "All guards";
/// What hangs on a node is counted.
pub const ROOT_SENTENCE: &str =
    "Everything below must hold for the compiled code to be used again.";
/// A line of the tree that is not understood.
pub const UNREADABLE: &str =
    "This line could not be read as a guard. It is kept as it stands in the log.";
/// The title of such a line.
pub const UNREADABLE_TITLE: &str = "not understood";
/// The filter leaves nothing.
pub const NO_MATCH: &str = "No guard is left by these filters.";
/// There is nothing to show.
pub const NO_GUARDS: &str = "No guards could be read in this record. Its text shows what it holds.";
/// No guard is chosen.
pub const CHOOSE: &str = "Choose a line to see what it demands, and which line of code caused it.";
/// The address names a node that the tree does not have.
pub const NO_NODE: &str = "The tree has no such line.";
/// The guard that is chosen does not show.
pub const FILTERED: &str = "The filters hide it in the tree.";
/// What the switch does.
pub const ONLY_MINE: &str = "Only what my code caused";
/// The headline of the objects that most guards hang on.
pub const LARGEST: &str = "Most guards hang on:";

/// What the facts of a node are called.
pub mod fact {
    /// The expression that gives an object.
    pub const SOURCE: &str = "Source";
    /// An object's type.
    pub const TYPE: &str = "Type";
    /// How an object is reached from the one above.
    pub const REACHED: &str = "Reached by";
    /// What that takes.
    pub const WITH: &str = "With";
    /// What checks an object.
    pub const CHECKED: &str = "Checked by";
    /// A guard's code.
    pub const GUARD: &str = "Guard";
    /// PyTorch's hint.
    pub const HINT: &str = "Hint";
    /// PyTorch's note.
    pub const NOTE: &str = "Note";
    /// Where a name is looked up.
    pub const SCOPE: &str = "Scope";
    /// The object.
    pub const OBJECT: &str = "Object";
    /// A line as it stands.
    pub const LINE: &str = "Line";
    /// Checks that may be left out.
    pub const TAG_SAFE: (&str, &str) = (
        "Left out",
        "while the tags of dictionaries show that nothing below has changed",
    );
    /// A key of a dictionary.
    pub const KEY: (&str, &str) = ("Role", "the entry's key");
    /// A value of a dictionary.
    pub const VALUE: (&str, &str) = ("Role", "the entry's value");
    /// The line that caused a guard.
    pub const CAUSE: &str = "Caused by";
    /// The same, where it is not PyTorch's.
    pub const CAUSE_MINE: &str = "Caused by your code";
}

/// The headline: how many guards there are, and how many come from the reader's code.
#[must_use]
pub fn headline(leaves: u32, mine: u32) -> String {
    let guards = counted(leaves.into(), "guard holds", "guards hold");
    let mine = match (mine, leaves) {
        (0, _) => "none of them names a line of your code".to_owned(),
        (1, 1) => "it comes from your code".to_owned(),
        (1, _) => "1 of them comes from your code".to_owned(),
        (mine, _) => format!("{} of them come from your code", count(mine.into())),
    };
    format!("This compiled code may be reused while {guards}; {mine}.")
}

/// How long a check of all guards takes.
#[must_use]
pub fn latency(value: f64) -> String {
    format!("Checking all of them once took {}.", seconds(value))
}

/// What could not be read.
#[must_use]
pub fn wrong(lines: u32) -> String {
    format!(
        "{} could not be read:",
        counted(lines.into(), "line", "lines")
    )
}

/// The payload is too large to be shown as a tree.
#[must_use]
pub fn too_large(size: &str) -> String {
    format!("This payload has {size}, too much for a tree of guards; its text can be read.")
}

/// Items of a list of guards that are none.
#[must_use]
pub fn wrong_items(items: u32) -> String {
    format!(
        "{} of this list could not be read as a guard.",
        counted(items.into(), "item", "items")
    )
}

/// JSON that could not be read to its end.
#[must_use]
pub fn broken_json(fault: &str) -> String {
    format!("This list of guards is no proper JSON: {fault}. What came before is shown.")
}

/// An object's sentence.
#[must_use]
pub fn object(below: u32) -> String {
    format!(
        "{} on this object and what it holds.",
        counted(below.into(), "guard hangs", "guards hang")
    )
}

/// A pair's name.
#[must_use]
pub fn pair(index: &str) -> String {
    format!("entry {index}")
}

/// A guard of several objects, where it is named again.
#[must_use]
pub fn again(class: &str) -> String {
    format!(
        "The guard {} is written out at another object above; it concerns this object, too.",
        code(class)
    )
}

/// What PyTorch notes beside a guard, for people.
#[must_use]
pub fn note(kind: NoteKind) -> Option<&'static str> {
    Some(match kind {
        NoteKind::ZeroOneSpecialization => {
            "Sizes 0 and 1 are always compiled for themselves. The line of code is only where the size was used first."
        }
        NoteKind::DuckSizing => {
            "Two sizes were equal when this was compiled, so PyTorch took them for one."
        }
        NoteKind::Unknown => "PyTorch does not know which line caused this guard.",
        NoteKind::NanSpecialization => "NaN is always compiled for itself.",
        NoteKind::Other => return None,
    })
}

/// A source as people read it: `x` for `L['x']`.
#[must_use]
pub fn source(source: &str) -> String {
    short(&normalise_source(source))
}

/// A type as people read it: `tuple` for `<class 'tuple'>`.
#[must_use]
pub fn type_name(printed: &str) -> &str {
    printed
        .strip_prefix("<class '")
        .and_then(|name| name.strip_suffix("'>"))
        .unwrap_or(printed)
}

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

/// Whether a tensor lies in memory row by row; `None` where its sizes and strides do not tell.
fn is_contiguous(size: &[Option<i64>], stride: &[Option<i64>]) -> Option<bool> {
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

/// Code within a sentence.
fn code(text: &str) -> String {
    format!("`{}`", short(text))
}

/// A piece of a program that is no longer than a sentence bears, without the quotes that mark code.
fn short(text: &str) -> String {
    let mut out: String = text.chars().take(LONGEST).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out.replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: &str) -> String {
        sentence(&Check::read(None, code, None))
    }

    #[test]
    fn a_tensor_is_described_as_people_do() {
        let keys = "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)";
        let tensor = |rest: &str| {
            said(&format!(
                "check_tensor(L['x'], Tensor, {keys}, torch.float32, device=None, {rest})"
            ))
        };
        assert_eq!(
            tensor("requires_grad=False, size=[None, 4], stride=[4, 1]"),
            "`x` must be a float32 tensor of shape [any, 4] on the CPU, contiguous, without gradient."
        );
        assert_eq!(
            tensor("requires_grad=True, size=[4, None], stride=[None, 1]"),
            "`x` must be a float32 tensor of shape [4, any] on the CPU, with strides [any, 1], with gradient."
        );
        assert_eq!(
            tensor("requires_grad=True, size=[3, 4], stride=[1, 3]"),
            "`x` must be a float32 tensor of shape [3, 4] on the CPU, with strides [1, 3], with gradient."
        );
        assert_eq!(
            tensor("size=[], stride=[]"),
            "`x` must be a float32 tensor of shape [] on the CPU."
        );
        assert_eq!(
            said(
                "check_tensor(L['w'], Parameter, DispatchKeySet(CUDA, AutogradCUDA), torch.bfloat16, device=1, requires_grad=True, size=[2], stride=[1])"
            ),
            "`w` must be a bfloat16 Parameter of shape [2] on CUDA device 1, contiguous, with gradient."
        );
    }

    #[test]
    fn the_facts_of_a_tensor_are_a_table() {
        let check = Check::read(
            None,
            "check_tensor(L['x'], Tensor, DispatchKeySet(CPU), torch.int64, device=None, requires_grad=False, size=[2, 3], stride=[3, 1])",
            None,
        );
        let facts = tensor(&check);
        let value = |name: &str| {
            let fact = facts.iter().find(|(fact, _)| fact == name);
            fact.map(|(_, value)| value.as_str())
        };
        assert_eq!(value("Shape"), Some("[2, 3]"));
        assert_eq!(value("Strides"), Some("[3, 1] (contiguous)"));
        assert_eq!(value("dtype"), Some("int64"));
        assert_eq!(value("Device"), Some("the CPU"));
        assert_eq!(value("Gradient"), Some("not required"));
        assert_eq!(tensor(&Check::None { source: "L['x']" }), []);
    }

    #[test]
    fn contiguity_is_told_where_it_is_known() {
        let of = |size: &[i64], stride: &[i64]| {
            let some = |all: &[i64]| {
                all.iter()
                    .map(|n| (*n >= 0).then_some(*n))
                    .collect::<Vec<_>>()
            };
            is_contiguous(&some(size), &some(stride))
        };
        assert_eq!(of(&[2, 3], &[3, 1]), Some(true));
        assert_eq!(of(&[2, 3], &[1, 2]), Some(false));
        assert_eq!(of(&[2, 1], &[1, 77]), Some(true));
        assert_eq!(of(&[-1, 3], &[3, 1]), Some(true));
        assert_eq!(of(&[2, -1], &[-1, 1]), None);
        assert_eq!(of(&[2], &[]), None);
        assert_eq!(of(&[i64::MAX, i64::MAX, 2], &[1, 1, 1]), Some(false));
    }

    /// A check of each kind, and its sentence.
    #[test]
    fn every_kind_of_check_has_its_sentence() {
        let source = "L['x']";
        let id = "94";
        let all = [
            (Check::Equals { source, value: "2" }, "`x` must equal `2`."),
            (
                Check::Type {
                    source,
                    id,
                    name: Some("<class 'tuple'>"),
                    fake_script: false,
                },
                "`x` must be exactly of the type `tuple`.",
            ),
            (
                Check::Type {
                    source,
                    id,
                    name: None,
                    fake_script: true,
                },
                "`x` must be exactly of the type that it had when this was compiled; fake objects are let through.",
            ),
            (
                Check::Identity {
                    source,
                    id,
                    object: Some("<class 'f'>"),
                    hint: None,
                },
                "`x` must be the same object as when this was compiled, `f`.",
            ),
            (
                Check::Length {
                    source,
                    length: "3",
                },
                "`x` must have 3 items.",
            ),
            (
                Check::Length {
                    source,
                    length: "0",
                },
                "`x` must be empty.",
            ),
            (
                Check::DictLength {
                    source,
                    length: "1",
                },
                "The dictionary `x` must have 1 item.",
            ),
            (
                Check::DictContains {
                    source,
                    key: "'k'",
                    is_in: false,
                },
                "The dictionary `x` must not have the key `'k'`.",
            ),
            (
                Check::SetContains {
                    source,
                    item: "3",
                    is_in: true,
                },
                "The set `x` must hold `3`.",
            ),
            (
                Check::MappingKeys {
                    source,
                    keys: "['a', 'b']",
                },
                "The keys of `x` must be `['a', 'b']`, in this order.",
            ),
            (Check::None { source }, "`x` must be `None`."),
            (Check::NotNone { source }, "`x` must not be `None`."),
            (
                Check::WeakrefAlive { source: "L['x']()" },
                "What `x()` refers to must still exist.",
            ),
            (
                Check::Bool {
                    source,
                    value: true,
                },
                "`x` must be `True`.",
            ),
            (
                Check::HasAttr {
                    source,
                    attribute: "a",
                    present: false,
                },
                "`x` must not have the attribute `a`.",
            ),
            (
                Check::HasAttr {
                    source,
                    attribute: "_dynamo_dynamic_indices",
                    present: false,
                },
                "No dimension of `x` may be marked as dynamic.",
            ),
            (
                Check::NoAliasing {
                    sources: vec!["L['x']", "L['y']"],
                },
                "These must be different tensors: `x`, `y`.",
            ),
            (
                Check::ObjectAliasing {
                    a: source,
                    b: "L['y']",
                },
                "`x` and `y` must be the same object.",
            ),
            (
                Check::Setting {
                    name: "is_grad_enabled",
                    on: true,
                },
                "The setting `is_grad_enabled` of PyTorch must be on.",
            ),
            (
                Check::Backend { id },
                "The backend of torch.compile must be the one that compiled this.",
            ),
            (
                Check::DefaultDevice { device: "None" },
                "No default device may be set for new tensors.",
            ),
            (
                Check::DefaultDevice { device: "cuda" },
                "The default device for new tensors must be `cuda`.",
            ),
            (
                Check::DynamicIndices {
                    source,
                    attribute: "_dynamo_dynamic_indices",
                    indices: "{0}",
                },
                "Of `x`, only the dimensions `{0}` may be marked as dynamic.",
            ),
            (
                Check::DynamicMark {
                    source,
                    attribute: "_dynamo_bounds",
                    value: "None",
                },
                "What the program said of the dimensions of `x` (`_dynamo_bounds`) must be `None`.",
            ),
            (
                Check::RangeIterator {
                    source,
                    range: "(0, 3, 1)",
                },
                "The range iterator `x` must go on with start, stop and step `(0, 3, 1)`.",
            ),
            (
                Check::TupleIteratorLen {
                    source,
                    length: "2",
                },
                "The tuple iterator `x` must have 2 items left.",
            ),
            (
                Check::DispatchKeySet {
                    source,
                    keys: "CPU",
                },
                "The dispatch keys of `x` must be `CPU`.",
            ),
            (
                Check::DictVersion {
                    source,
                    version: "7",
                },
                "The dictionary `x` must not have been changed since this was compiled.",
            ),
            (
                Check::DataPtr {
                    source,
                    address: "7",
                },
                "The tensor `x` must lie at the same address in memory.",
            ),
            (
                Check::DualLevel { level: "-1" },
                "Forward-mode autograd must be off.",
            ),
            (
                Check::DualLevel { level: "1" },
                "Forward-mode autograd must be at level `1`.",
            ),
            (
                Check::IsNan {
                    source,
                    is_nan: false,
                },
                "`x` must not be NaN.",
            ),
            (
                Check::SavedTensorsHooks { ids: "None" },
                "No hooks for saved tensors may be active.",
            ),
            (
                Check::SavedTensorsHooks { ids: "(1, 2)" },
                "The hooks for saved tensors must be those of when this was compiled.",
            ),
            (
                Check::ShapeGuard {
                    expression: "2 <= L['x'].size()[0]",
                },
                "This must be true of sizes and numbers: `2 <= x.size()[0]`.",
            ),
            (
                Check::Named {
                    class: "TENSOR_MATCH",
                    source,
                    code: "None",
                },
                "`x` is guarded by `TENSOR_MATCH`.",
            ),
            (Check::Other { code: "a`b" }, "This must hold: `a'b`."),
        ];
        for (check, expected) in all {
            assert_eq!(sentence(&check), expected);
        }
        for check in [
            Check::GlobalState { against: None },
            Check::TorchFunctionModeStack,
            Check::FunctorchStack { states: "[]" },
        ] {
            let said = sentence(&check);
            assert!(said.contains("when this was compiled"), "{said}");
        }
    }

    #[test]
    fn long_code_is_cut() {
        let long = "é".repeat(1000);
        assert_eq!(
            sentence(&Check::Other { code: &long }),
            format!("This must hold: `{}…`.", "é".repeat(LONGEST))
        );
    }

    #[test]
    fn the_headline_counts() {
        assert_eq!(
            headline(34, 5),
            "This compiled code may be reused while 34 guards hold; 5 of them come from your code."
        );
        assert_eq!(
            headline(1, 1),
            "This compiled code may be reused while 1 guard holds; it comes from your code."
        );
        assert!(headline(7, 0).ends_with("none of them names a line of your code."));
    }
}
