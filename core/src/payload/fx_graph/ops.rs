//! What kind of work a node does, for colours and for counting.
//!
//! The table goes by the name of the operator alone: `aten.mm.default`, `torch.mm` and the method `mm` are
//! the same work. Names are those of torch/_refs, aten/src/ATen/native/native_functions.yaml and
//! torch/nn/functional.py. What is not in it is [`OpClass::Other`]: an operator of the user's own, mostly.

mod names;

use super::{FxGraph, Node, NodeKind};
use crate::payload::annotation::Annotation;
use names::NAMES;

/// A kind of work.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum OpClass {
    /// An input, a parameter, a constant, a submodule.
    Input,
    /// What is returned.
    Output,
    /// Products of matrices.
    Matmul,
    /// Convolutions.
    Convolution,
    /// Attention.
    Attention,
    /// Normalizations, with the statistics that they need.
    Normalization,
    /// What makes fewer elements of many: sums, maxima, softmax, losses, scans, sorting, pooling.
    Reduction,
    /// What treats each element for itself.
    Pointwise,
    /// Another view of the same memory.
    View,
    /// Copies, casts, and new tensors.
    Memory,
    /// Reads or writes elements by their place.
    Indexing,
    /// Communication between processes.
    Collective,
    /// Random numbers.
    Random,
    /// Calls of other graphs.
    HigherOrder,
    /// Numbers and sizes, items of tuples, checks.
    Scalar,
    /// Anything else.
    Other,
}

impl OpClass {
    /// All of them, in the order in which they are listed.
    pub const ALL: &'static [OpClass] = &[
        OpClass::Input,
        OpClass::Output,
        OpClass::Matmul,
        OpClass::Convolution,
        OpClass::Attention,
        OpClass::Normalization,
        OpClass::Reduction,
        OpClass::Pointwise,
        OpClass::View,
        OpClass::Memory,
        OpClass::Indexing,
        OpClass::Collective,
        OpClass::Random,
        OpClass::HigherOrder,
        OpClass::Scalar,
        OpClass::Other,
    ];

    /// Its name, for style sheets and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OpClass::Input => "input",
            OpClass::Output => "output",
            OpClass::Matmul => "matmul",
            OpClass::Convolution => "convolution",
            OpClass::Attention => "attention",
            OpClass::Normalization => "normalization",
            OpClass::Reduction => "reduction",
            OpClass::Pointwise => "pointwise",
            OpClass::View => "view",
            OpClass::Memory => "memory",
            OpClass::Indexing => "indexing",
            OpClass::Collective => "collective",
            OpClass::Random => "random",
            OpClass::HigherOrder => "higher-order",
            OpClass::Scalar => "scalar",
            OpClass::Other => "other",
        }
    }

    /// The class of a node of this kind and target, as [`FxGraph::target`] gives it.
    #[must_use]
    pub fn of(kind: NodeKind, target: &str) -> OpClass {
        match kind {
            NodeKind::Placeholder | NodeKind::GetAttr | NodeKind::Parameter => OpClass::Input,
            NodeKind::Output => OpClass::Output,
            NodeKind::CallModule | NodeKind::Context | NodeKind::Opaque => OpClass::Other,
            NodeKind::CallFunction | NodeKind::CallMethod => of_target(target),
        }
    }

    /// The class that the annotation of a node's result tells, whatever the target: a call whose result is a
    /// number is about numbers.
    pub(crate) fn of_result(kind: NodeKind, result: Option<&Annotation<'_>>) -> Option<OpClass> {
        let is_number = kind.is_call() && matches!(result, Some(Annotation::Symbol(_)));
        is_number.then_some(OpClass::Scalar)
    }
}

impl FxGraph {
    /// What kind of work a node does. A call whose result is a number by its annotation counts as one that
    /// is about numbers.
    #[must_use]
    pub fn op_class(&self, node: &Node) -> OpClass {
        let of_target = || OpClass::of(node.kind, self.target(node));
        OpClass::of_result(node.kind, self.annotation(node).as_ref()).unwrap_or_else(of_target)
    }
}

/// The operator's name without namespace and overload: `mm` of `aten.mm.default` and of `torch.mm`.
#[must_use]
pub fn base_name(target: &str) -> &str {
    // `aten.mm.default`, but `torch.nn.functional.linear`.
    let mut parts = target.rsplit('.');
    let (last, before) = (parts.next().unwrap_or_default(), parts.next());
    let first = target.split('.').next().unwrap_or_default();
    match before {
        Some(name) if name != first && is_operator_namespace(target, first) => name,
        _ => last,
    }
}

/// Whether the part in front names operators with overloads behind: `aten`, `prims`, a library's own.
fn is_operator_namespace(target: &str, first: &str) -> bool {
    !matches!(
        first,
        "torch" | "operator" | "math" | "builtins" | "_operator"
    ) && target.split('.').count() == 3
}

/// Namespaces whose operators do one kind of work.
const NAMESPACES: &[(&str, OpClass)] = &[
    ("higher_order.", OpClass::HigherOrder),
    ("torch._higher_order_ops.", OpClass::HigherOrder),
    ("_c10d_functional", OpClass::Collective),
    ("c10d_functional", OpClass::Collective),
    ("c10d.", OpClass::Collective),
    ("symm_mem.", OpClass::Collective),
    ("torch.distributed.", OpClass::Collective),
    ("torch.sym_", OpClass::Scalar),
    ("math.", OpClass::Scalar),
    ("torch._check", OpClass::Scalar),
    ("torch.random.", OpClass::Random),
];

fn of_target(target: &str) -> OpClass {
    if let Some((_, class)) = NAMESPACES
        .iter()
        .find(|(namespace, _)| target.starts_with(namespace))
    {
        return *class;
    }
    let name = base_name(target);
    let name = name.strip_prefix("_foreach_").unwrap_or(name);
    if let Some(class) = listed(name) {
        return class;
    }
    // `add_` works in place; `convolution_backward` is the same kind of work; `_softmax` and
    // `native_batch_norm` are what the public names end in.
    let mut rest = name;
    loop {
        let shorter = rest
            .strip_suffix('_')
            .or_else(|| rest.strip_suffix("_backward"))
            .or_else(|| rest.strip_suffix("_functional"))
            .or_else(|| rest.strip_suffix("_copy"))
            .or_else(|| rest.strip_prefix('_'))
            .or_else(|| rest.strip_prefix("native_"))
            .or_else(|| rest.strip_prefix("special_"))
            .or_else(|| rest.strip_prefix("cudnn_"))
            .or_else(|| rest.strip_prefix("miopen_"))
            .or_else(|| rest.strip_prefix("mkldnn_"));
        match shorter {
            Some(shorter) if !shorter.is_empty() => rest = shorter,
            _ => return OpClass::Other,
        }
        if let Some(class) = listed(rest) {
            return class;
        }
    }
}

fn listed(name: &str) -> Option<OpClass> {
    NAMES
        .iter()
        .find_map(|(class, names)| names.contains(&name).then_some(*class))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn operators_are_classed_by_what_they_do() {
        for (target, class) in [
            ("aten.mm.default", OpClass::Matmul),
            ("torch.mm", OpClass::Matmul),
            ("torch._C._nn.linear", OpClass::Matmul),
            ("operator.matmul", OpClass::Matmul),
            ("aten.convolution_backward.default", OpClass::Convolution),
            ("torch.conv2d", OpClass::Convolution),
            (
                "aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
                OpClass::Attention,
            ),
            ("aten.native_layer_norm.default", OpClass::Normalization),
            (
                "aten._native_batch_norm_legit_functional.default",
                OpClass::Normalization,
            ),
            ("aten._softmax.default", OpClass::Reduction),
            (
                "aten._log_softmax_backward_data.default",
                OpClass::Reduction,
            ),
            ("aten.sum.dim_IntList", OpClass::Reduction),
            ("aten.add_.Tensor", OpClass::Pointwise),
            ("aten.threshold_backward.default", OpClass::Pointwise),
            ("operator.iadd", OpClass::Pointwise),
            ("torch._foreach_add_", OpClass::Pointwise),
            ("relu", OpClass::Pointwise),
            ("aten._unsafe_view.default", OpClass::View),
            ("aten.permute.default", OpClass::View),
            ("prims.convert_element_type.default", OpClass::Memory),
            ("aten._to_copy.default", OpClass::Memory),
            ("aten.copy_.default", OpClass::Memory),
            ("aten.index_put_.default", OpClass::Indexing),
            ("aten.embedding_dense_backward.default", OpClass::Indexing),
            ("operator.setitem", OpClass::Indexing),
            ("_c10d_functional.all_reduce.default", OpClass::Collective),
            (
                "_c10d_functional_autograd.all_to_all_single.default",
                OpClass::Collective,
            ),
            ("vllm.all_reduce.default", OpClass::Collective),
            ("aten.native_dropout.default", OpClass::Random),
            ("prims.inductor_random.default", OpClass::Random),
            ("higher_order.cond", OpClass::HigherOrder),
            ("higher_order.flex_attention", OpClass::HigherOrder),
            ("operator.getitem", OpClass::Scalar),
            ("aten.sym_size.int", OpClass::Scalar),
            ("aten._assert_scalar.default", OpClass::Scalar),
            ("math.floor", OpClass::Scalar),
            ("demox.nofake.default", OpClass::Other),
            ("_", OpClass::Other),
            ("", OpClass::Other),
            (".", OpClass::Other),
        ] {
            let found = OpClass::of(NodeKind::CallFunction, target);
            assert_eq!(found, class, "{target}");
        }
        let other = OpClass::of(NodeKind::CallModule, "relu");
        assert_eq!(other, OpClass::Other);
        assert_eq!(OpClass::of(NodeKind::GetAttr, "mm"), OpClass::Input);
    }

    #[test]
    fn no_operator_is_in_two_classes() {
        let mut all: Vec<&str> = NAMES
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn every_class_is_listed_under_its_own_name() {
        let mut names: Vec<&str> = OpClass::ALL.iter().map(|class| class.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), OpClass::ALL.len());
        for (class, _) in NAMES {
            assert!(OpClass::ALL.contains(class));
        }
    }
}
