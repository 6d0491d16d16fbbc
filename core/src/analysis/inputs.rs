//! What a compilation was given: its input tensors, and the symbols that stand for sizes and numbers.
//!
//! `describe_tensor` and `describe_source` (torch/_subclasses/meta_utils.py, 2.3 to 2.15) say what a tensor was
//! and where it came from; `create_symbol` (torch/fx/experimental/symbolic_shapes.py, 2.5 to 2.15) names a
//! symbol. All are read again from the log; nothing is kept of them.

use crate::log::json::{self, Value};
use crate::payload::guard_tree::normalise_source;
use crate::source::{Source, SourceError};
use crate::trace::Trace;
use crate::trace::index::SegmentIndex;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// Records that are read of one compilation.
const MOST: usize = 20_000;

/// Bytes of the longest record that is read; they have some hundreds.
const LONGEST: u32 = 1 << 20;

/// Properties of a tensor: their names in PyTorch, and their values as written.
pub type Properties = Vec<(&'static str, String)>;

/// An input tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Where it came from, made comparable: `x`, `self.weight`.
    pub source: String,
    /// What is known of it.
    pub properties: Properties,
    /// The record that describes it.
    pub record: SegmentIndex,
}

/// A symbol that stands for a size or a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name: `s77`.
    pub name: String,
    /// What it stands for, made comparable: `x.size()[0]`.
    pub source: String,
    /// The value that it had when the function was compiled.
    pub value: String,
    /// The values that it may have: `[2, int_oo]`.
    pub range: String,
    /// The record that says so.
    pub record: SegmentIndex,
}

/// What a compilation was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Tensors in the order in which they were described; of each source the last one.
    pub tensors: Vec<Input>,
    /// Symbols in the order in which they were made.
    pub symbols: Vec<Symbol>,
}

/// The properties of a tensor that are compared, as `describe_tensor` names them.
const PROPERTIES: [&str; 6] = [
    "dtype",
    "size",
    "stride",
    "device",
    "requires_grad",
    "layout",
];

/// Reads what a compilation was given; `compilation` is its index in the trace.
///
/// # Errors
/// What the source gives.
pub fn inputs(
    trace: &Trace,
    source: &dyn Source,
    compilation: usize,
) -> Result<Inputs, SourceError> {
    let mut out = Inputs::default();
    let mut described: BTreeMap<(String, String), (SegmentIndex, Properties)> = BTreeMap::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let kinds = trace.index.iter().filter_map(|(record, entry)| {
        let is_own = entry.compilation() == Some(compilation) && entry.head <= LONGEST;
        let kind = trace.kinds.get(entry.kind).filter(|_| is_own)?;
        let name = kind.kind.as_str();
        ["describe_tensor", "describe_source", "create_symbol"]
            .into_iter()
            .find(|known| *known == name)
            .map(|kind| (record, kind))
    });
    for (record, kind) in kinds.take(MOST) {
        let Some(segment) = trace.segment(source, record)? else {
            continue;
        };
        let (value, _) = json::parse(segment.json());
        let Some(body) = value.get(kind) else {
            continue;
        };
        match kind {
            "describe_tensor" => {
                let properties = PROPERTIES
                    .iter()
                    .filter_map(|name| Some((*name, shown(body.get(name)?))))
                    .collect();
                described.insert(tensor_key(body), (record, properties));
            }
            "describe_source" => {
                let Some((record, properties)) = described.get(&tensor_key(body)) else {
                    continue;
                };
                let input = Input {
                    source: source_of(body),
                    properties: properties.clone(),
                    record: *record,
                };
                match places
                    .get(&input.source)
                    .and_then(|at| out.tensors.get_mut(*at))
                {
                    Some(known) => *known = input,
                    None => {
                        places.insert(input.source.clone(), out.tensors.len());
                        out.tensors.push(input);
                    }
                }
            }
            _ => out.symbols.push(Symbol {
                name: member(body, "symbol"),
                source: source_of(body),
                value: member(body, "val"),
                range: member(body, "vr"),
                record,
            }),
        }
    }
    Ok(out)
}

fn tensor_key(body: &Value<'_>) -> (String, String) {
    (member(body, "describer_id"), member(body, "id"))
}

fn source_of(body: &Value<'_>) -> String {
    normalise_source(&member(body, "source"))
}

fn member(body: &Value<'_>, key: &str) -> String {
    body.get(key).map(shown).unwrap_or_default()
}

/// A value as text, in one line.
fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(text) => (*text).into(),
        Value::String(text) => {
            let device = text.strip_prefix("device(type='");
            let device = device.and_then(|text| text.strip_suffix("')"));
            let text = device.unwrap_or(text);
            text.strip_prefix("torch.").unwrap_or(text).into()
        }
        Value::Array(items) => {
            let mut out = String::from("[");
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push_str(", ");
                }
                match item {
                    Value::Array(_) | Value::Object(_) => out.push('…'),
                    item => out.push_str(&shown(item)),
                }
            }
            out.push(']');
            out
        }
        Value::Object(_) => "…".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Builder;
    use alloc::format;

    #[test]
    fn inputs_and_symbols_are_read_from_their_records() {
        let at = "\"frame_id\": 0, \"frame_compile_id\": 1, \"attempt\": 0}";
        let mut text = String::new();
        let mut record = |json: &str| {
            text.push_str(&format!("V1129 11:50:15.398000 7 torch/a.py:1] {json}\n"));
        };
        record(&format!("{{\"dynamo_start\": {{\"stack\": []}}, {at}"));
        for size in [4, 5] {
            record(&format!(
                "{{\"describe_tensor\": {{\"id\": 0, \"dtype\": \"torch.float32\", \"device\": \"device(type='cpu')\", \
                 \"size\": [{size}, 3], \"stride\": [3, 1], \"describer_id\": 6}}, {at}"
            ));
            record(&format!(
                "{{\"describe_source\": {{\"describer_id\": 6, \"id\": 0, \"source\": \"L['x']\"}}, {at}"
            ));
        }
        record(&format!(
            "{{\"describe_source\": {{\"describer_id\": 9, \"id\": 0}}, {at}"
        ));
        record(&format!(
            "{{\"create_symbol\": {{\"symbol\": \"s77\", \"val\": \"5\", \"vr\": \"[2, int_oo]\", \
             \"source\": \"L['x'].size()[0]\"}}, {at}"
        ));
        let mut builder = Builder::default();
        builder.feed(text.as_bytes());
        builder.finish();
        let bytes = text.into_bytes();
        let found = inputs(builder.trace(), &bytes, 0).unwrap();
        assert_eq!(found.tensors.len(), 1);
        assert_eq!(found.tensors[0].source, "x");
        let properties: Vec<_> = found.tensors[0].properties.clone();
        assert_eq!(
            properties,
            [
                ("dtype", "float32".into()),
                ("size", "[5, 3]".into()),
                ("stride", "[3, 1]".into()),
                ("device", "cpu".into()),
            ]
        );
        assert_eq!(found.symbols.len(), 1);
        assert_eq!(found.symbols[0].name, "s77");
        assert_eq!(found.symbols[0].source, "x.size()[0]");
    }
}
