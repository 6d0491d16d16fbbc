//! What guards check: the guards of torch/_dynamo/guards.py and torch/csrc/dynamo/guards.cpp, 2.1 to 2.15.

use serde::{Deserialize, Serialize};

/// What a guard checks.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub enum GuardFailureKind {
    /// The size of a dimension.
    Size,
    /// The stride of a dimension.
    Stride,
    /// A tensor's dtype.
    Dtype,
    /// A tensor's number of dimensions.
    Rank,
    /// Whether gradients are recorded for a tensor.
    RequiresGrad,
    /// The index of a tensor's device.
    Device,
    /// A tensor's dispatch keys: device, autograd, autocast, subclass.
    DispatchKeys,
    /// That it is a tensor at all.
    TensorType,
    /// The type of an object.
    TypeId,
    /// Which object it is. Before 2.8 also `None`, `True` and `False`.
    ObjectId,
    /// That a value equals a constant.
    Value,
    /// A relation between sizes or other symbolic numbers.
    Shape,
    /// The length of a container.
    Length,
    /// The keys of a dict.
    DictKeys,
    /// Whether a container holds a key.
    Contains,
    /// The version of a dict: any change of it (2.2 to 2.6).
    DictVersion,
    /// That it is `None`.
    IsNone,
    /// That it is not `None`.
    NotNone,
    /// State of the whole program: grad mode, autocast and others.
    GlobalState,
    /// Whether an object has an attribute.
    HasAttr,
    /// Two names turned out to be one tensor.
    Aliased,
    /// Two names are no longer one object.
    NotAliased,
    /// An object that the cache entry stood for is gone.
    Deallocated,
    /// The backend is another one.
    Backend,
    /// Guards failed, and passed when the reason was looked for (2.10+).
    Unexpected,
    /// PyTorch found no reason.
    NotFound,
    /// The program was not asked to report reasons (2.1).
    NotReported,
    /// Anything else: shown as it stands.
    #[default]
    Unknown,
    /// What describes the tensors within a tensor of a subclass: nested, quantised, distributed (2.5+).
    Metadata,
}

impl GuardFailureKind {
    /// Its name in `facts`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GuardFailureKind::Size => "size",
            GuardFailureKind::Stride => "stride",
            GuardFailureKind::Dtype => "dtype",
            GuardFailureKind::Rank => "rank",
            GuardFailureKind::RequiresGrad => "requires_grad",
            GuardFailureKind::Device => "device",
            GuardFailureKind::DispatchKeys => "dispatch keys",
            GuardFailureKind::TensorType => "tensor type",
            GuardFailureKind::TypeId => "type",
            GuardFailureKind::ObjectId => "object",
            GuardFailureKind::Value => "value",
            GuardFailureKind::Shape => "shape",
            GuardFailureKind::Length => "length",
            GuardFailureKind::DictKeys => "dict keys",
            GuardFailureKind::Contains => "contains",
            GuardFailureKind::DictVersion => "dict version",
            GuardFailureKind::IsNone => "none",
            GuardFailureKind::NotNone => "not none",
            GuardFailureKind::GlobalState => "global state",
            GuardFailureKind::HasAttr => "attribute",
            GuardFailureKind::Aliased => "aliased",
            GuardFailureKind::NotAliased => "not aliased",
            GuardFailureKind::Deallocated => "deallocated",
            GuardFailureKind::Backend => "backend",
            GuardFailureKind::Unexpected => "unexpected",
            GuardFailureKind::NotFound => "not found",
            GuardFailureKind::NotReported => "not reported",
            GuardFailureKind::Unknown => "unknown",
            GuardFailureKind::Metadata => "metadata",
        }
    }
}

/// State of the whole program that compiled code depends on: `GlobalStateGuard` in
/// torch/csrc/dynamo/guards.cpp, and what older versions guarded apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GlobalState {
    /// Whether gradients are recorded.
    GradMode,
    /// Autocast, its dtype included, on any device.
    Autocast,
    /// Whether autocast caches weights.
    AutocastCache,
    /// `__torch_function__` and the modes that overrule it.
    TorchFunction,
    /// Whether algorithms have to be deterministic.
    Deterministic,
    /// Whether TF32 or a reduction of lower precision is allowed.
    ReducedPrecision,
    /// The number of threads.
    NumThreads,
    /// The default dtype.
    DefaultDtype,
    /// The default device.
    DefaultDevice,
    /// Transforms such as `vmap` and `grad`, and forward-mode differentiation.
    Transforms,
    /// A field that is not known here: see the text.
    Other,
}
