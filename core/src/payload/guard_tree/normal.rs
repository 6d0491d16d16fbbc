//! A normal form of guards, in which what differs from process to process is no difference.

use super::Check;
use crate::log::json::{self, Value};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};
use hashbrown::HashMap;

/// Names what is guarded. Guards of two compilations with the same key are about the same thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// What is guarded, made comparable: `x`, `self.weight`. Empty where it is no single object.
    pub source: String,
    /// The class of the check, as [`Check::class`] names it.
    pub class: String,
    /// What else tells guards of one object apart: an attribute's name, a key, an item.
    pub detail: String,
}

/// A property that a guard fixes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The tensor's Python class.
    Class,
    /// The dtype.
    Dtype,
    /// The device's index.
    Device,
    /// Whether autograd is asked for.
    RequiresGrad,
    /// The number of dimensions.
    Rank,
    /// The size of a dimension, dimensions counted from 0.
    Size(u32),
    /// The stride of a dimension, dimensions counted from 0.
    Stride(u32),
    /// The set of dispatch keys.
    DispatchKeys,
    /// A value.
    Value,
    /// A type.
    Type,
    /// An object, as Python prints it.
    Object,
    /// The address of an object or of a type; only where ids are compared.
    Id,
    /// Whether something must be there.
    Presence,
    /// A number of items.
    Length,
    /// The keys of a mapping.
    Keys,
    /// The tensors that must be different objects.
    Tensors,
    /// A condition on sizes.
    Condition,
    /// A setting of the process, by its name in the state's JSON (`autocast_state.cached_enabled`).
    Setting(String),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Field::Class => "class",
            Field::Dtype => "dtype",
            Field::Device => "device",
            Field::RequiresGrad => "requires_grad",
            Field::Rank => "rank",
            Field::Size(dimension) => return write!(f, "size at dim {dimension}"),
            Field::Stride(dimension) => return write!(f, "stride at dim {dimension}"),
            Field::DispatchKeys => "dispatch keys",
            Field::Value => "value",
            Field::Type => "type",
            Field::Object => "object",
            Field::Id => "id",
            Field::Presence => "presence",
            Field::Length => "length",
            Field::Keys => "keys",
            Field::Tensors => "tensors",
            Field::Condition => "condition",
            Field::Setting(name) => name,
        };
        f.write_str(name)
    }
}

impl<'a> Check<'a> {
    /// What is guarded, as it stands in the code; `None` where it is the process, or no single object.
    #[must_use]
    pub fn source(&self) -> Option<&'a str> {
        Some(match self {
            Check::TensorMatch { source, .. }
            | Check::Equals { source, .. }
            | Check::Type { source, .. }
            | Check::Identity { source, .. }
            | Check::Length { source, .. }
            | Check::DictLength { source, .. }
            | Check::DictContains { source, .. }
            | Check::SetContains { source, .. }
            | Check::MappingKeys { source, .. }
            | Check::None { source }
            | Check::NotNone { source }
            | Check::WeakrefAlive { source }
            | Check::Bool { source, .. }
            | Check::HasAttr { source, .. }
            | Check::DynamicIndices { source, .. }
            | Check::DynamicMark { source, .. }
            | Check::RangeIterator { source, .. }
            | Check::TupleIteratorLen { source, .. }
            | Check::DispatchKeySet { source, .. }
            | Check::DictVersion { source, .. }
            | Check::DataPtr { source, .. }
            | Check::IsNan { source, .. }
            | Check::Named { source, .. }
            | Check::ObjectAliasing { a: source, .. } => source,
            Check::ShapeGuard { expression } => return first_source(expression),
            Check::NoAliasing { .. }
            | Check::GlobalState { .. }
            | Check::Setting { .. }
            | Check::Backend { .. }
            | Check::TorchFunctionModeStack
            | Check::DefaultDevice { .. }
            | Check::DualLevel { .. }
            | Check::SavedTensorsHooks { .. }
            | Check::FunctorchStack { .. }
            | Check::Metadata
            | Check::Other { .. } => return None,
        })
    }

    /// The key by which guards of two compilations are laid side by side.
    #[must_use]
    pub fn key(&self) -> Key {
        let detail = match self {
            Check::HasAttr { attribute, .. }
            | Check::DynamicIndices { attribute, .. }
            | Check::DynamicMark { attribute, .. } => (*attribute).to_owned(),
            Check::DictContains { key, .. } => normalise_value(key),
            Check::SetContains { item, .. } => normalise_value(item),
            Check::ObjectAliasing { b, .. } => normalise_source(b),
            Check::Setting { name, .. } => (*name).to_owned(),
            Check::Other { code } => normalise_source(code),
            _ => String::new(),
        };
        Key {
            source: self.source().map(normalise_source).unwrap_or_default(),
            class: self.class().to_owned(),
            detail,
        }
    }

    /// What the guard fixes, in its normal form. Ids and addresses are left out: they say nothing about
    /// another process.
    #[must_use]
    pub fn fields(&self) -> Vec<(Field, String)> {
        let one = |field: Field, value: String| Vec::from([(field, value)]);
        match self {
            Check::TensorMatch {
                class,
                dispatch_keys,
                dtype,
                device,
                requires_grad,
                size,
                stride,
                ..
            } => {
                let mut fields = Vec::from([
                    (Field::Class, (*class).to_owned()),
                    (Field::Dtype, (*dtype).to_owned()),
                    (Field::Device, device.unwrap_or("None").to_owned()),
                    (Field::DispatchKeys, dispatch_keys.join(", ")),
                    (Field::Rank, size.len().to_string()),
                ]);
                let grad = requires_grad.map(|grad| (Field::RequiresGrad, python(grad).to_owned()));
                fields.extend(grad);
                let any = |n: &Option<i64>| n.map_or("any".to_owned(), |n| n.to_string());
                fields.extend((0..).zip(size).map(|(i, n)| (Field::Size(i), any(n))));
                fields.extend((0..).zip(stride).map(|(i, n)| (Field::Stride(i), any(n))));
                fields
            }
            Check::Equals { value, .. } => one(Field::Value, normalise_value(value)),
            Check::Type { name, .. } => name.map_or(Vec::new(), |name| {
                one(Field::Type, type_name(name).to_owned())
            }),
            Check::Identity { object, .. } => object.map_or(Vec::new(), |object| {
                one(Field::Object, normalise_value(object))
            }),
            Check::Length { length, .. }
            | Check::DictLength { length, .. }
            | Check::TupleIteratorLen { length, .. } => one(Field::Length, (*length).to_owned()),
            Check::DictContains { is_in: is, .. }
            | Check::SetContains { is_in: is, .. }
            | Check::HasAttr { present: is, .. } => one(Field::Presence, python(*is).to_owned()),
            Check::MappingKeys { keys, .. } | Check::DispatchKeySet { keys, .. } => {
                one(Field::Keys, normalise_value(keys))
            }
            Check::Bool { value, .. } | Check::Setting { on: value, .. } => {
                one(Field::Value, python(*value).to_owned())
            }
            Check::IsNan { is_nan, .. } => one(Field::Value, python(*is_nan).to_owned()),
            Check::NoAliasing { sources } => {
                let mut names: Vec<String> = sources.iter().map(|s| normalise_source(s)).collect();
                names.sort_unstable();
                one(Field::Tensors, names.join(", "))
            }
            Check::GlobalState { against } => against.map(settings).unwrap_or_default(),
            Check::DefaultDevice { device: value }
            | Check::DynamicMark { value, .. }
            | Check::DynamicIndices { indices: value, .. }
            | Check::RangeIterator { range: value, .. }
            | Check::DualLevel { level: value } => one(Field::Value, (*value).to_owned()),
            Check::FunctorchStack { states } => one(Field::Value, normalise_value(states)),
            // Addresses, but for `None`.
            Check::SavedTensorsHooks { ids } => {
                one(Field::Presence, python(*ids != "None").to_owned())
            }
            Check::ShapeGuard { expression } => {
                one(Field::Condition, normalise_condition(expression))
            }
            Check::Named { code, .. } => one(Field::Condition, normalise_condition(code)),
            Check::None { .. }
            | Check::NotNone { .. }
            | Check::WeakrefAlive { .. }
            | Check::ObjectAliasing { .. }
            | Check::Backend { .. }
            | Check::TorchFunctionModeStack
            | Check::DictVersion { .. }
            | Check::DataPtr { .. }
            | Check::Metadata
            | Check::Other { .. } => Vec::new(),
        }
    }

    /// The address that the guard compares with. Within one process it tells objects and types apart.
    #[must_use]
    pub fn id(&self) -> Option<&'a str> {
        match self {
            Check::Type { id, .. }
            | Check::Identity { id, .. }
            | Check::Backend { id }
            | Check::DataPtr { address: id, .. } => Some(id),
            _ => None,
        }
    }

    /// Whether both guards demand the same, ids and addresses aside.
    #[must_use]
    pub fn same_as(&self, other: &Check<'_>) -> bool {
        self.key() == other.key() && self.fields() == other.fields()
    }
}

fn python(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// `tuple`, of `<class 'tuple'>` too; the hint has no module, so that it is left out.
fn type_name(name: &str) -> &str {
    let name = name
        .strip_prefix("<class '")
        .and_then(|n| n.strip_suffix("'>"))
        .unwrap_or(name);
    // A local class is `f.<locals>.C` in both.
    let path = name.split(".<locals>").next().unwrap_or(name);
    path.rfind('.')
        .and_then(|at| name.get(at + 1..))
        .unwrap_or(name)
}

/// A state's members, nested ones by their path.
fn settings(text: &str) -> Vec<(Field, String)> {
    let (value, _) = json::parse(text.as_bytes());
    let mut fields = Vec::new();
    let Value::Object(members) = value else {
        return fields;
    };
    for (name, value) in members {
        match value {
            Value::Object(inner) => fields.extend(
                inner
                    .iter()
                    .map(|(inner, value)| (Field::Setting(format!("{name}.{inner}")), flat(value))),
            ),
            value => fields.push((Field::Setting(name.into_owned()), flat(&value))),
        }
    }
    fields
}

/// JSON on one line.
fn flat(value: &Value<'_>) -> String {
    value
        .pretty()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// A source that compares: `x` for `L['x']`, as PyTorch 2.7 and later print it in reasons for recompiling;
/// `#` for ids within names and for addresses.
#[must_use]
pub fn normalise_source(source: &str) -> String {
    Normaliser { symbols: None }.run(source)
}

/// A value that compares: addresses (`<f at 0x7f…>`) are no difference.
fn normalise_value(value: &str) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find("0x") {
        let (before, behind) = rest.split_at(at + 2);
        let digits = behind.bytes().take_while(u8::is_ascii_hexdigit).count();
        out.push_str(before);
        // Shorter ones may be numbers of the program.
        let (number, after) = behind.split_at(digits);
        out.push_str(if digits >= 6 { "#" } else { number });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A condition that compares: symbols are numbered in the order in which they appear.
fn normalise_condition(expression: &str) -> String {
    Normaliser {
        symbols: Some(HashMap::new()),
    }
    .run(expression)
}

/// The first `L[…]` or `G[…]` of a condition, with what is taken from it.
fn first_source(expression: &str) -> Option<&str> {
    let start = ["L[", "G["]
        .into_iter()
        .filter_map(|scope| expression.find(scope))
        .min()?;
    let text = expression.get(start..)?;
    text.get(..source_end(text))
}

/// Where a source ends: before the first operator or bracket that is not its own.
fn source_end(text: &str) -> usize {
    let mut depth = 0_i32;
    for (at, byte, _) in super::scan::Walk::new(text) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            b' ' | b',' | b'*' | b'/' | b'+' | b'-' | b'%' | b'<' | b'>' | b'=' if depth == 0 => {
                return at;
            }
            _ => {}
        }
    }
    text.len()
}

struct Normaliser<'a> {
    /// Symbols in the order in which they appeared, where they are to be numbered.
    symbols: Option<HashMap<&'a str, usize>>,
}

impl<'a> Normaliser<'a> {
    fn run(mut self, text: &'a str) -> String {
        let bytes = text.as_bytes();
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        let mut previous = b' ';
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let word = rest
                .bytes()
                .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
                .count();
            if word > 0 {
                let name = rest.get(..word).unwrap_or_default();
                if name == "L"
                    && let Some((local, length)) = local(rest)
                {
                    self.name(&mut out, local, b'L');
                    at += length;
                } else {
                    self.name(&mut out, name, previous);
                    at += word;
                }
            } else if let Some(quoted) = string(rest) {
                self.name(&mut out, quoted, b'\'');
                at += quoted.len();
            } else {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                out.push_str(rest.get(..length).unwrap_or_default());
                at += length;
            }
            previous = at
                .checked_sub(1)
                .and_then(|at| bytes.get(at))
                .copied()
                .unwrap_or(b' ');
        }
        out
    }

    /// Writes a name, a number or a string behind the byte `previous`.
    fn name(&mut self, out: &mut String, name: &'a str, previous: u8) {
        if let Some(symbols) = &mut self.symbols
            && !matches!(previous, b'.' | b'L' | b'\'')
            && is_symbol(name)
        {
            let next = symbols.len();
            let number = *symbols.entry(name).or_insert(next);
            let _ = write!(out, "symbol{number}");
            return;
        }
        if name.bytes().all(|b| b.is_ascii_digit()) {
            return out.push_str(name);
        }
        if name.starts_with("0x") && name.len() > 8 {
            return out.push_str("0x#");
        }
        // Names that PyTorch makes up, and numbers by compilation.
        let bare = name.trim_start_matches(['\'', '"']);
        let numbered = MADE_UP.iter().any(|start| bare.starts_with(start));
        let mut rest = name;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, behind) = rest.split_at(start);
            let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
            let (number, after) = behind.split_at(digits);
            out.push_str(before);
            // Addresses have more digits than what programs number.
            out.push_str(if numbered || digits >= 9 { "#" } else { number });
            rest = after;
        }
        out.push_str(rest);
    }
}

/// How names begin that PyTorch makes up (`install_global` of output_graph.py and its callers).
const MADE_UP: [&str; 5] = [
    "__builtins_dict___",
    "__optimizer_",
    "__compiled_fn_",
    "___check_metadata_",
    "__dtensor_spec_",
];

/// `s0`, `s77`, `u1`, `zuf0`: names that symbolic_shapes.py gives sizes and values.
fn is_symbol(name: &str) -> bool {
    ["s", "u", "f", "zf", "zuf"].into_iter().any(|kind| {
        name.strip_prefix(kind)
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// The name of `L['name']` at the start of a text, and the length of it all.
fn local(text: &str) -> Option<(&str, usize)> {
    let rest = text.strip_prefix("L[")?;
    let quoted = string(rest)?;
    let behind = rest.get(quoted.len()..)?;
    behind
        .starts_with(']')
        .then(|| (super::scan::unquoted(quoted), quoted.len() + 3))
}

/// The string at the start of a text, quotes included; all of the text where the string does not end.
fn string(text: &str) -> Option<&str> {
    let quote = *text
        .as_bytes()
        .first()
        .filter(|b| matches!(b, b'\'' | b'"'))?;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return text.get(..=at),
            _ => {}
        }
    }
    Some(text)
}
