//! What a graph does, in numbers: operators, tensors and their bytes, casts and copies.
//!
//! Start at [`summarise`]. All of it comes from what the text says of each node; sizes that are known by a
//! symbol only are counted apart.

use crate::payload::annotation::{Annotation, Tensor};
use crate::payload::fx_graph::ops::{OpClass, base_name};
use crate::payload::fx_graph::{FxGraph, ModuleId, Node, NodeId, NodeKind};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hashbrown::HashMap;

/// How many tensors [`GraphSummary::largest`] names.
pub const LARGEST: usize = 20;

/// What a graph does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphSummary {
    /// Nodes, as FX counts them.
    pub nodes: usize,
    /// Calls among them.
    pub calls: usize,
    /// What is called, most often first.
    pub ops: Vec<OpCount>,
    /// Nodes by the kind of work that they do, in the order of [`OpClass::ALL`], without empty ones.
    pub classes: Vec<(OpClass, usize)>,
    /// Placeholders, parameters and constants that are printed as tensors.
    pub inputs: Bytes,
    /// Results of calls. Views count like others, since only strides tell what shares memory.
    pub results: Bytes,
    /// Placeholders, parameters and constants of which the text does not say what they are: torch up to 2.4
    /// prints most graphs so. They may be tensors of any size, or none.
    pub untold_inputs: usize,
    /// Calls of which the text does not say what they give.
    pub untold_results: usize,
    /// Results by dtype, with the inputs, most bytes first.
    pub dtypes: Vec<(String, Bytes)>,
    /// Tensors by device, most first; empty where the graph was printed without devices.
    pub devices: Vec<(String, usize)>,
    /// The largest tensors whose size is known, largest first.
    pub largest: Vec<(NodeId, u64)>,
    /// Where a tensor is copied, in the order of the text.
    pub copies: Vec<Copied>,
}

/// How often something is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpCount {
    /// What is called, as [`FxGraph::target`] names it.
    pub target: String,
    /// How: a method `sum` is not the function `sum`.
    pub kind: NodeKind,
    /// What kind of work that is.
    pub class: OpClass,
    /// How often.
    pub count: usize,
}

/// Tensors and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bytes {
    /// Number of tensors.
    pub tensors: usize,
    /// Bytes of those whose size is known; at most `u64::MAX`.
    pub bytes: u64,
    /// Number of those whose size is not: it depends on a symbol, or the dtype is not known.
    pub unknown: usize,
}

impl GraphSummary {
    /// The bytes of the inputs; `None` where the text tells of none how large it is, although there are some.
    #[must_use]
    pub fn input_bytes(&self) -> Option<u64> {
        self.inputs.told(self.untold_inputs)
    }

    /// The bytes of the results; `None` where the text tells of none how large it is, although there are some.
    #[must_use]
    pub fn result_bytes(&self) -> Option<u64> {
        self.results.told(self.untold_results)
    }
}

impl Bytes {
    /// The bytes that are known, where any size is, or where there is nothing that could have one.
    fn told(&self, untold: usize) -> Option<u64> {
        let is_told = self.tensors > self.unknown || (self.unknown == 0 && untold == 0);
        is_told.then_some(self.bytes)
    }

    fn add(&mut self, bytes: Option<u64>) {
        self.tensors += 1;
        match bytes {
            Some(bytes) => self.bytes = self.bytes.saturating_add(bytes),
            None => self.unknown += 1,
        }
    }
}

/// A node that copies a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The node.
    pub node: NodeId,
    /// What changes.
    pub change: Change,
}

/// What a copy changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The dtype: from, to.
    Cast(String, String),
    /// The device: from, to.
    Transfer(String, String),
    /// Nothing that the text tells: strides, or nothing at all.
    Same,
}

/// Dtypes and their bytes an element.
const SIZES: &[(&str, u64)] = &[
    ("bfloat16", 2),
    ("float64", 8),
    ("float32", 4),
    ("float16", 2),
    ("float8_e4m3fn", 1),
    ("float8_e5m2", 1),
    ("float8_e4m3fnuz", 1),
    ("float8_e5m2fnuz", 1),
    ("float8_e8m0fnu", 1),
    // Two values in a byte; shapes count bytes.
    ("float4_e2m1fn_x2", 1),
    ("complex32", 4),
    ("complex64", 8),
    ("complex128", 16),
    ("int8", 1),
    ("int16", 2),
    ("int32", 4),
    ("int64", 8),
    ("uint8", 1),
    ("uint16", 2),
    ("uint32", 4),
    ("uint64", 8),
    ("bool", 1),
    ("bits16", 2),
    ("bits1x8", 1),
];

/// Bytes of a tensor's elements; `None` where a size is no number, the dtype is not known, or they are more
/// than fit.
#[must_use]
pub fn tensor_bytes(tensor: &Tensor<'_>) -> Option<u64> {
    let (_, size) = SIZES.iter().find(|(dtype, _)| *dtype == tensor.dtype)?;
    tensor.shape.iter().try_fold(*size, |bytes, length| {
        bytes.checked_mul(length.parse().ok()?)
    })
}

/// What a module of a graph does, without the modules that it calls.
#[must_use]
pub fn summarise(graph: &FxGraph, module: ModuleId) -> GraphSummary {
    let (nodes, calls) = graph.counts(module);
    let mut summary = GraphSummary {
        nodes,
        calls,
        ..GraphSummary::default()
    };
    let mut ops: HashMap<(NodeKind, &str, OpClass), usize> = HashMap::new();
    let mut classes: HashMap<OpClass, usize> = HashMap::new();
    let mut known: HashMap<&str, OpClass> = HashMap::new();
    let mut dtypes: HashMap<&str, Bytes> = HashMap::new();
    let mut devices: HashMap<&str, usize> = HashMap::new();
    for (id, node) in graph.nodes_of(module) {
        if !node.kind.is_node() {
            continue;
        }
        let annotation = graph.annotation(node);
        let target = graph.target(node);
        let class = match OpClass::of_result(node.kind, annotation.as_ref()) {
            Some(class) => class,
            None if node.kind.is_call() && node.kind != NodeKind::CallModule => *known
                .entry(target)
                .or_insert_with(|| OpClass::of(node.kind, target)),
            None => OpClass::of(node.kind, target),
        };
        *classes.entry(class).or_default() += 1;
        if node.kind.is_call() {
            *ops.entry((node.kind, target, class)).or_default() += 1;
        }
        let tensor = match annotation {
            Some(Annotation::Tensor(tensor)) => tensor,
            Some(_) => continue,
            None => {
                match node.kind {
                    NodeKind::Placeholder | NodeKind::GetAttr if !is_number(graph, node) => {
                        summary.untold_inputs += 1;
                    }
                    kind if kind.is_call() => summary.untold_results += 1,
                    _ => {}
                }
                continue;
            }
        };
        let bytes = tensor_bytes(&tensor);
        match node.kind.is_call() {
            true => summary.results.add(bytes),
            false => summary.inputs.add(bytes),
        }
        dtypes.entry(tensor.dtype).or_default().add(bytes);
        if let Some(device) = tensor.device {
            *devices.entry(device).or_default() += 1;
        }
        if let Some(bytes) = bytes {
            summary.largest.push((id, bytes));
        }
        if let Some(change) = copy(graph, node, class, &tensor) {
            summary.copies.push(Copied { node: id, change });
        }
    }
    summary.ops = ops
        .into_iter()
        .map(|((kind, target, class), count)| OpCount {
            target: target.to_string(),
            kind,
            class,
            count,
        })
        .collect();
    summary
        .ops
        .sort_by(|a, b| (b.count, &a.target, a.kind).cmp(&(a.count, &b.target, b.kind)));
    let count = |class: &OpClass| Some((*class, classes.get(class).copied()?));
    summary.classes = OpClass::ALL.iter().filter_map(count).collect();
    summary.dtypes = named(dtypes, |bytes| (bytes.bytes, bytes.tensors as u64));
    summary.devices = named(devices, |&count| count);
    summary.largest.sort_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
    summary.largest.truncate(LARGEST);
    summary
}

/// Whether an input is a number by its type, which says no more (`s0 : torch.SymInt`, up to 2.4).
fn is_number(graph: &FxGraph, node: &Node) -> bool {
    const NUMBERS: [&str; 6] = ["SymInt", "SymFloat", "SymBool", "int", "float", "bool"];
    let text = node.type_text.map_or("", |text| graph.text(text));
    let text = text.trim_matches(['"', '\'', ' ']);
    NUMBERS.contains(&text.rsplit('.').next().unwrap_or_default())
}

/// The entries of a map, largest first.
fn named<V, O: Ord>(map: HashMap<&str, V>, size: impl Fn(&V) -> O) -> Vec<(String, V)> {
    let mut all: Vec<(String, V)> = map
        .into_iter()
        .map(|(name, value)| (name.to_string(), value))
        .collect();
    all.sort_by(|a, b| size(&b.1).cmp(&size(&a.1)).then_with(|| a.0.cmp(&b.0)));
    all
}

/// Operators that do nothing but copy, where neither dtype nor device changes.
const COPIES: &[&str] = &["clone", "contiguous", "copy", "copy_", "_to_copy"];

/// What a node changes of its first input, where it copies it.
fn copy(graph: &FxGraph, node: &Node, class: OpClass, to: &Tensor<'_>) -> Option<Change> {
    if class != OpClass::Memory {
        return None;
    }
    let name = base_name(graph.target(node));
    let first = graph.inputs(node).first()?;
    let from = match graph.annotation(graph.node(first.from)?) {
        Some(Annotation::Tensor(from)) => from,
        _ => return COPIES.contains(&name).then_some(Change::Same),
    };
    let moves = COPIES.contains(&name) || CASTS.contains(&name);
    if !moves {
        return None;
    }
    if from.dtype != to.dtype {
        return Some(Change::Cast(from.dtype.into(), to.dtype.into()));
    }
    match (from.device, to.device) {
        (Some(from), Some(to)) if from != to => Some(Change::Transfer(from.into(), to.into())),
        _ => COPIES.contains(&name).then_some(Change::Same),
    }
}

/// Operators that copy where dtype or device changes, and give back their input where not.
const CASTS: &[&str] = &[
    "to",
    "type",
    "type_as",
    "float",
    "double",
    "half",
    "bfloat16",
    "long",
    "int",
    "short",
    "char",
    "byte",
    "bool",
    "cpu",
    "cuda",
    "convert_element_type",
    "device_put",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::annotation::parse;
    use alloc::format;

    fn bytes(text: &str) -> Option<u64> {
        match parse(text) {
            Some(Annotation::Tensor(tensor)) => tensor_bytes(&tensor),
            _ => None,
        }
    }

    #[test]
    fn bytes_are_elements_times_their_size() {
        for (text, expected) in [
            ("f32[]", Some(4)),
            ("f32[2, 3]", Some(24)),
            ("bf16[4, 8][8, 1]cuda:0", Some(64)),
            ("b8[0]", Some(0)),
            ("c128[2]", Some(32)),
            ("f32[s0, 3]", None),
            ("f6e2m3fn[2]", None),
            ("f32[4294967296, 4294967296]", None),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_told_is_no_zero() {
        let of = |parameters: &str, result: &str| {
            let text = format!(
                "class GraphModule(torch.nn.Module):\n    def forward(self{parameters}):\n        a{result} = torch.ones(2)\n        return (a,)\n"
            );
            let summary = summarise(&FxGraph::parse(text).unwrap(), 0);
            let told = (summary.inputs.tensors, summary.untold_inputs);
            (told, summary.input_bytes(), summary.result_bytes())
        };
        for (parameters, told, bytes) in [
            ("", (0, 0), Some(0)),
            (", x: \"f32[2]\"", (1, 0), Some(8)),
            (", x: \"f32[0]\"", (1, 0), Some(0)),
            (", x: \"f32[s0]\"", (1, 0), None),
            (", x : torch.Tensor, y", (0, 2), None),
            (", x : torch.Tensor, y: \"f32[2]\"", (1, 1), Some(8)),
            (", s0 : torch.SymInt", (0, 0), Some(0)),
            (", s0: \"Sym(s0)\"", (0, 0), Some(0)),
        ] {
            let expected = (told, bytes, None);
            assert_eq!(of(parameters, ""), expected, "{parameters}");
        }
        assert_eq!(of("", ": \"f32[2]\"").2, Some(8));
    }

    #[test]
    fn a_graph_is_counted() {
        let text = "\
class GraphModule(torch.nn.Module):
    def forward(self, s0: \"Sym(s0)\", x: \"f32[4, 8][8, 1]cuda:0\", y: \"f32[s0][1]cpu\"):
        a: \"f16[4, 8][8, 1]cuda:0\" = torch.ops.aten._to_copy.default(x, dtype = torch.float16);  x = None
        b: \"f16[4, 8][8, 1]cpu\" = torch.ops.prims.device_put.default(a, device(type='cpu'));  a = None
        c: \"f16[4, 8][1, 4]cpu\" = torch.ops.aten.clone.default(b);  b = None
        d: \"f16[32][1]cpu\" = torch.ops.aten.view.default(c, [32])
        n: \"Sym(s0 + 1)\" = s0 + 1;  s0 = None
        e: \"f32[s0][1]cpu\" = y.to(torch.float32);  y = None
        f: \"f16[32][1]cpu\" = torch.ops.aten.clone.default(d);  d = None
        return (c, n, e, f)
";
        let graph = FxGraph::parse(text).unwrap();
        let summary = summarise(&graph, 0);
        assert_eq!((summary.nodes, summary.calls), (11, 7));
        let top = &summary.ops[0];
        assert_eq!((top.target.as_str(), top.count), ("aten.clone.default", 2));
        assert_eq!(
            format!("{:?}", summary.classes),
            "[(Input, 3), (Output, 1), (View, 1), (Memory, 5), (Scalar, 1)]"
        );
        let inputs = summary.inputs;
        assert_eq!((inputs.tensors, inputs.bytes, inputs.unknown), (2, 128, 1));
        let results = summary.results;
        assert_eq!(
            (results.tensors, results.bytes, results.unknown),
            (6, 320, 1)
        );
        assert_eq!(summary.dtypes[0].0, "float16");
        assert_eq!(summary.devices, [("cpu".into(), 6), ("cuda:0".into(), 2)]);
        assert_eq!(graph.name(graph.node(summary.largest[0].0).unwrap()), "x");
        let copies: Vec<_> = summary
            .copies
            .iter()
            .map(|copy| {
                format!(
                    "{} {:?}",
                    graph.name(graph.node(copy.node).unwrap()),
                    copy.change
                )
            })
            .collect();
        assert_eq!(
            copies,
            [
                r#"a Cast("float32", "float16")"#,
                r#"b Transfer("cuda:0", "cpu")"#,
                "c Same",
                "f Same"
            ]
        );
    }
}
