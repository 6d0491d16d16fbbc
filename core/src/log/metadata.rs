//! The metadata of the record kinds that PyTorch documents by writing them.
//!
//! A kind that is read by more than its name has its type here; [`super::envelope::Envelope::read`]
//! gives it. All members may be absent: which ones are written differs from version to version
//! (2.3 to 2.15). Seconds end in `_s`, microseconds in `_us`.

use super::field::{Field, List, SymInt, list, record};
use alloc::borrow::Cow;
use serde::{Deserialize, Deserializer};

type Text<'a> = Cow<'a, str>;

record! {
    /// `artifact`: something with a name, from `trace_structured_artifact` in torch/_logging/_internal.py.
    pub struct Artifact {
        /// Its name, such as `fx_graph_cache_miss`.
        name: Field<Text<'a>>,
        /// `string` or `json`; informational, since some payloads labelled `json` are plain text.
        encoding: Field<Text<'a>>,
    }
}

record! {
    /// The name that `graph_dump`, `dump_file`, `optimize_ddp_split_child` and `link` carry.
    pub struct Named {
        /// The name.
        name: Field<Text<'a>>,
        /// Where a `link` points.
        url: Field<Text<'a>>,
    }
}

record! {
    /// `inductor_output_code`, from torch/_inductor/graph.py.
    pub struct OutputCode {
        /// Path of the file that Inductor wrote.
        filename: Field<Text<'a>>,
        /// The same as an absolute path, since 2.12.
        file_path: Field<Text<'a>>,
    }
}

record! {
    /// A frame of a stack, from torch/_logging/structured.py.
    pub struct Frame {
        /// Line in the file.
        line: Field<i64>,
        /// The function.
        name: Field<Text<'a>>,
        /// The file, as an id of the string table; -1 where Python had none.
        filename: Field<i64>,
        /// The file itself, where it was written in place of an id.
        uninterned_filename: Field<Text<'a>>,
        /// The line's source.
        loc: Field<Text<'a>>,
    }
}

impl<'de> Deserialize<'de> for List<Frame<'de>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        list::<D, Frame<'de>>(deserializer)
    }
}

/// The frames of a stack that stands for itself, outermost first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stack<'a>(pub List<Frame<'a>>);

impl<'de> Deserialize<'de> for Stack<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        List::deserialize(deserializer).map(Stack)
    }
}

impl super::envelope::Kind for Stack<'static> {
    type Of<'a> = Stack<'a>;
}

record! {
    /// `dynamo_start`, from torch/_dynamo/convert_frame.py: a compilation's attempt begins.
    pub struct DynamoStart {
        /// How the program reached the function, outermost first. Since 2.5 the last frame is the
        /// function itself.
        stack: List<Frame<'a>>,
    }
}

record! {
    /// `compilation_metrics`, `bwd_compilation_metrics` and their `_runtime` variants: the members of
    /// `CompilationMetrics` in torch/_dynamo/utils.py that are read here.
    pub struct CompilationMetrics {
        /// The compile id without brackets, since 2.4.
        compile_id: Field<Text<'a>>,
        /// The function's name.
        co_name: Field<Text<'a>>,
        /// The file that defines it.
        co_filename: Field<Text<'a>>,
        /// The line where it begins.
        co_firstlineno: Field<i64>,
        /// Guards of the new cache entry.
        guard_count: Field<i64>,
        /// Operations in the graph.
        graph_op_count: Field<i64>,
        /// Why compiling failed: the exception's type.
        fail_type: Field<Text<'a>>,
        /// What the exception said.
        fail_reason: Field<Text<'a>>,
        /// The user's file that it points to.
        fail_user_frame_filename: Field<Text<'a>>,
        /// The line in that file.
        fail_user_frame_lineno: Field<i64>,
        /// Why attempts before this one were given up.
        restart_reasons: List<Text<'a>>,
        /// Why the frame was compiled again: the newest cache entry's reason, since 2.7.
        recompile_reason: Field<Text<'a>>,
        /// Seconds for the whole frame.
        entire_frame_compile_time_s: Field<f64>,
        /// Microseconds for what the record is about, since 2.6.
        duration_us: Field<f64>,
        /// Seconds in Inductor: all that the backward metrics of 2.4 and 2.5 tell.
        inductor_compile_time_s: Field<f64>,
        /// The exact version, since 2.10.
        pytorch_version: Field<Text<'a>>,
        /// Since 2.9.
        graph_node_shapes: Field<Text<'a>>,
        /// Since 2.8.
        python_version: Field<Text<'a>>,
        /// Since 2.7.
        is_runtime: Field<bool>,
        /// Since 2.6.
        log_format_version: Field<i64>,
        /// In 2.5 only.
        possibly_missed_reinplacing_opportunities: Field<i64>,
    }
}

record! {
    /// `describe_storage`, from torch/_subclasses/meta_utils.py.
    pub struct DescribeStorage {
        /// The storage.
        id: Field<i64>,
        /// The describer that numbered it.
        describer_id: Field<i64>,
        /// Bytes.
        size: Field<SymInt<'a>>,
    }
}

record! {
    /// `describe_tensor`, from torch/_subclasses/meta_utils.py. Members equal to their default are left
    /// out by PyTorch.
    pub struct DescribeTensor {
        /// The tensor.
        id: Field<i64>,
        /// The describer that numbered it.
        describer_id: Field<i64>,
        /// Number of dimensions.
        ndim: Field<i64>,
        /// Such as `torch.float32`.
        dtype: Field<Text<'a>>,
        /// Such as `device(type='cpu')`.
        device: Field<Text<'a>>,
        /// Size of each dimension.
        size: List<SymInt<'a>>,
        /// Stride of each dimension, in elements.
        stride: List<SymInt<'a>>,
        /// The storage that it views.
        storage: Field<i64>,
        /// Whether gradients are recorded.
        requires_grad: Field<bool>,
        /// Whether it is a parameter.
        is_parameter: Field<bool>,
        /// Whether it is a leaf.
        is_leaf: Field<bool>,
    }
}

record! {
    /// `describe_source`, from torch/_subclasses/meta_utils.py: where the program keeps a tensor.
    pub struct DescribeSource {
        /// The tensor.
        id: Field<i64>,
        /// The describer that numbered it.
        describer_id: Field<i64>,
        /// Such as `L['x']`.
        source: Field<Text<'a>>,
    }
}
