//! Tells PyTorch's own files from the user's.

use super::{GuardTree, Kind, NodeIndex};

/// Whose file a guard comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A file that is not PyTorch's: the user's own, or a library's.
    User,
    /// A file of PyTorch.
    Framework,
    /// The guard does not say.
    Unknown,
}

/// Files and folders of the package `torch`, as `shorten_filename` of `torch/utils/_traceback.py` leaves them.
///
/// It takes away what the file's path and torch's have in common, so that a user's file in a folder of the
/// same name beside the environment looks alike. Names that programs use themselves (`utils/`, `optim/`)
/// are therefore listed with what stands in them. `_` at the end stands for all names that start so.
const FRAMEWORK: &[&str] = &[
    "_C/",
    "_compile.py",
    "_custom_op/",
    "_decomp/",
    "_dispatch/",
    "_dynamo/",
    "_export/",
    "_functorch/",
    "_guards.py",
    "_higher_order_ops/",
    "_inductor/",
    "_jit_internal.py",
    "_lazy/",
    "_library/",
    "_linalg_utils.py",
    "_logging/",
    "_lowrank.py",
    "_meta_registrations.py",
    "_namedtensor_internals.py",
    "_numpy/",
    "_ops.py",
    "_prims/",
    "_prims_common/",
    "_refs/",
    "_storage_docs.py",
    "_strobelight/",
    "_subclasses/",
    "_tensor.py",
    "_tensor_str.py",
    "_utils.py",
    "_utils_internal.py",
    "_vmap_internals.py",
    "_weights_only_unpickler.py",
    "amp/autocast_mode.py",
    "amp/grad_scaler.py",
    "ao/nn/",
    "ao/ns/",
    "ao/pruning/",
    "ao/quantization/",
    "autograd/",
    "backends/cpu/",
    "backends/cuda/",
    "backends/cudnn/",
    "backends/mha/",
    "backends/mkldnn/",
    "backends/mps/",
    "compiler/__init__.py",
    "compiler/_cache.py",
    "compiler/config.py",
    "cuda/__init__.py",
    "cuda/_",
    "cuda/amp/",
    "cuda/graphs.py",
    "cuda/random.py",
    "cuda/streams.py",
    "distributed/_",
    "distributed/algorithms/",
    "distributed/c10d_logger.py",
    "distributed/checkpoint/",
    "distributed/device_mesh.py",
    "distributed/distributed_c10d.py",
    "distributed/fsdp/",
    "distributed/nn/",
    "distributed/pipelining/",
    "distributed/tensor/",
    "distributed/utils.py",
    "distributions/",
    "export/",
    "func/",
    "futures/",
    "fx/",
    "jit/",
    "library.py",
    "masked/",
    "nested/",
    "nn/attention/",
    "nn/backends/",
    "nn/functional.py",
    "nn/grad.py",
    "nn/init.py",
    "nn/intrinsic/",
    "nn/modules/",
    "nn/parallel/",
    "nn/parameter.py",
    "nn/qat/",
    "nn/quantized/",
    "nn/utils/",
    "optim/_",
    "optim/adadelta.py",
    "optim/adagrad.py",
    "optim/adam.py",
    "optim/adamax.py",
    "optim/adamw.py",
    "optim/asgd.py",
    "optim/lbfgs.py",
    "optim/lr_scheduler.py",
    "optim/nadam.py",
    "optim/optimizer.py",
    "optim/radam.py",
    "optim/rmsprop.py",
    "optim/rprop.py",
    "optim/sgd.py",
    "optim/sparse_adam.py",
    "optim/swa_utils.py",
    "overrides.py",
    "signal/windows/",
    "sparse/",
    "special/",
    "testing/_",
    "torch_version.py",
    "utils/_",
    "utils/backend_registration.py",
    "utils/checkpoint.py",
    "utils/data/",
    "utils/dlpack.py",
    "utils/flop_counter.py",
    "utils/hooks.py",
    "utils/weak.py",
    "torch/",
];

/// Whose a file is, named as a guard's trailer or a stack names it.
#[must_use]
pub fn origin(file: &str) -> Origin {
    if file == "<unknown>" {
        return Origin::Unknown;
    }
    let is_torch = |file: &str| FRAMEWORK.iter().any(|name| file.starts_with(name));
    // Stacks name files in full, and so do trailers where paths have nothing in common (Windows).
    let installed = ["/site-packages/torch/", "\\site-packages\\torch\\"];
    let built = file
        .split_once("/torch/")
        .is_some_and(|(_, rest)| is_torch(rest));
    if is_torch(file) || built || installed.into_iter().any(|folder| file.contains(folder)) {
        Origin::Framework
    } else {
        Origin::User
    }
}

impl GuardTree {
    /// Whose code caused a guard, by its trailer. Guards of 2.0 and leaves without a frame do not say.
    #[must_use]
    pub fn origin(&self, index: NodeIndex) -> Origin {
        match self.node(index).map(|node| &node.kind) {
            Some(Kind::Leaf(leaf)) => leaf
                .trailer
                .as_ref()
                .and_then(|trailer| trailer.frame.as_ref())
                .map_or(Origin::Unknown, |frame| origin(self.text(frame.file))),
            _ => Origin::Unknown,
        }
    }
}
