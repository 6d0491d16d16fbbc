//! What types of exceptions, and words of messages, say for certain.
//!
//! Types are told by their name without the module, which changed between versions: torch/_dynamo/exc.py,
//! torch/_inductor/exc.py, torch/fx/experimental/symbolic_shapes.py, torch/_subclasses/fake_tensor.py and
//! triton/compiler/errors.py, triton/runtime/errors.py.

use super::{Component, FailureKind as Kind};

/// What a type or a message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) component: Component,
    pub(super) kind: Kind,
    /// Whether it is the answer; else what it wraps may say more.
    pub(super) decides: bool,
}

/// Pieces of messages that say more than the type does. Devices fail under types of every kind.
const MESSAGES: [(&str, Component, Kind); 33] = [
    ("CUDA out of memory", Component::Device, Kind::OutOfMemory),
    ("HIP out of memory", Component::Device, Kind::OutOfMemory),
    ("XPU out of memory", Component::Device, Kind::OutOfMemory),
    (
        "MPS backend out of memory",
        Component::Device,
        Kind::OutOfMemory,
    ),
    (
        "CUDA error: out of memory",
        Component::Device,
        Kind::OutOfMemory,
    ),
    (
        "DefaultCPUAllocator: ",
        Component::Device,
        Kind::OutOfMemory,
    ),
    ("CUDA error:", Component::Device, Kind::DeviceError),
    ("HIP error:", Component::Device, Kind::DeviceError),
    ("CUDA driver error:", Component::Device, Kind::DeviceError),
    (
        "Triton Error [CUDA]: out of memory",
        Component::Device,
        Kind::OutOfMemory,
    ),
    ("Triton Error [CUDA]", Component::Device, Kind::DeviceError),
    ("Triton Error [HIP]", Component::Device, Kind::DeviceError),
    ("CUBLAS_STATUS_", Component::Device, Kind::DeviceError),
    ("CUDNN_STATUS_", Component::Device, Kind::DeviceError),
    ("NCCL error", Component::Device, Kind::DeviceError),
    (
        "Found no NVIDIA driver",
        Component::Device,
        Kind::DeviceError,
    ),
    (
        "out of resource: ",
        Component::Inductor,
        Kind::OutOfResources,
    ),
    (
        "No valid triton configs",
        Component::Inductor,
        Kind::OutOfResources,
    ),
    (
        "No working C++ compiler found",
        Component::Inductor,
        Kind::MissingCompiler,
    ),
    (
        "Failed to find C compiler",
        Component::Inductor,
        Kind::MissingCompiler,
    ),
    (
        "Compiler: cl is not found",
        Component::Inductor,
        Kind::MissingCompiler,
    ),
    (
        "Cannot find a working triton installation",
        Component::Inductor,
        Kind::MissingTriton,
    ),
    ("Found NVIDIA ", Component::Inductor, Kind::MissingTriton),
    ("C++ compile error", Component::Inductor, Kind::CppCompile),
    (
        "fatal error: Python.h",
        Component::Inductor,
        Kind::MissingCompiler,
    ),
    ("ptxas fatal", Component::Inductor, Kind::GpuCompile),
    ("`ptxas` failed", Component::Inductor, Kind::GpuCompile),
    ("Invalid log settings:", Component::User, Kind::Setting),
    // `torch.compile(mode=…)` and `options=…` (torch/__init__.py, torch/_inductor/__init__.py).
    ("Unrecognized mode=", Component::User, Kind::Setting),
    (
        "Unexpected optimization option ",
        Component::User,
        Kind::Setting,
    ),
    ("Unexpected type of attr ", Component::User, Kind::Setting),
    (
        "Could not guard on data-dependent expression",
        Component::Dynamo,
        Kind::DataDependent,
    ),
    (
        "Could not extract specialized integer from data-dependent expression",
        Component::Dynamo,
        Kind::DataDependent,
    ),
];

/// Types that are the answer.
const TYPES: [(&str, Component, Kind); 52] = [
    // Python's own way of saying Ctrl-C, wherever in the compiler it arrives.
    ("KeyboardInterrupt", Component::User, Kind::Interrupted),
    ("Unsupported", Component::Dynamo, Kind::GraphBreak),
    ("StepUnsupported", Component::Dynamo, Kind::GraphBreak),
    (
        "UncapturedHigherOrderOpError",
        Component::Dynamo,
        Kind::GraphBreak,
    ),
    (
        "InfiniteGeneratorError",
        Component::Dynamo,
        Kind::GraphBreak,
    ),
    ("SideEffectsError", Component::Dynamo, Kind::GraphBreak),
    (
        "AttributeMutationError",
        Component::Dynamo,
        Kind::GraphBreak,
    ),
    ("ArgsMismatchError", Component::Dynamo, Kind::GraphBreak),
    (
        "CondOpArgsMismatchError",
        Component::Dynamo,
        Kind::GraphBreak,
    ),
    ("UserError", Component::Dynamo, Kind::UserError),
    ("IncorrectUsage", Component::Dynamo, Kind::UserError),
    ("PackageError", Component::Dynamo, Kind::UserError),
    ("TorchRuntimeError", Component::Dynamo, Kind::FakeTensor),
    (
        "ConstraintViolationError",
        Component::Dynamo,
        Kind::ConstraintViolation,
    ),
    (
        "GuardOnDataDependentSymNode",
        Component::Dynamo,
        Kind::DataDependent,
    ),
    (
        "PendingUnbackedSymbolNotFound",
        Component::Dynamo,
        Kind::DataDependent,
    ),
    (
        "DataDependentOutputException",
        Component::Dynamo,
        Kind::DataDependent,
    ),
    (
        "DynamicOutputShapeException",
        Component::Dynamo,
        Kind::DataDependent,
    ),
    (
        "UnsupportedFakeTensorException",
        Component::Dynamo,
        Kind::FakeTensor,
    ),
    (
        "UnsupportedOperatorException",
        Component::Dynamo,
        Kind::FakeTensor,
    ),
    ("MetadataMismatchError", Component::Dynamo, Kind::FakeTensor),
    (
        "FailOnRecompileLimitHit",
        Component::Dynamo,
        Kind::RecompileLimit,
    ),
    (
        "RecompileLimitExceeded",
        Component::Dynamo,
        Kind::RecompileLimit,
    ),
    (
        "CacheLimitExceeded",
        Component::Dynamo,
        Kind::RecompileLimit,
    ),
    ("RecompileError", Component::Dynamo, Kind::Recompiled),
    ("ResetRequired", Component::Dynamo, Kind::ResetRequired),
    ("RestartAnalysis", Component::Dynamo, Kind::Internal),
    (
        "SpeculationLogDivergence",
        Component::Dynamo,
        Kind::Internal,
    ),
    ("InvalidBackend", Component::User, Kind::Setting),
    ("CppCompileError", Component::Inductor, Kind::CppCompile),
    (
        "CppWrapperCodegenError",
        Component::Inductor,
        Kind::CppCompile,
    ),
    (
        "InvalidCxxCompiler",
        Component::Inductor,
        Kind::MissingCompiler,
    ),
    ("InvalidVecISA", Component::Inductor, Kind::CppCompile),
    ("CUDACompileError", Component::Inductor, Kind::GpuCompile),
    ("SYCLCompileError", Component::Inductor, Kind::GpuCompile),
    ("PTXASError", Component::Inductor, Kind::GpuCompile),
    ("TritonMissing", Component::Inductor, Kind::MissingTriton),
    (
        "GPUTooOldForTriton",
        Component::Inductor,
        Kind::MissingTriton,
    ),
    ("CompilationError", Component::Inductor, Kind::TritonCompile),
    (
        "CompileTimeAssertionFailure",
        Component::Inductor,
        Kind::TritonCompile,
    ),
    (
        "UnsupportedLanguageConstruct",
        Component::Inductor,
        Kind::TritonCompile,
    ),
    ("InterpreterError", Component::Inductor, Kind::TritonCompile),
    (
        "MLIRCompilationError",
        Component::Inductor,
        Kind::TritonCompile,
    ),
    ("OutOfResources", Component::Inductor, Kind::OutOfResources),
    (
        "NoTritonConfigsError",
        Component::Inductor,
        Kind::OutOfResources,
    ),
    (
        "MissingOperatorWithoutDecomp",
        Component::Inductor,
        Kind::Lowering,
    ),
    (
        "MissingOperatorWithDecomp",
        Component::Inductor,
        Kind::Lowering,
    ),
    (
        "SubgraphLoweringException",
        Component::Inductor,
        Kind::Lowering,
    ),
    // The minifier compares the results of whatever backend it was given.
    ("AccuracyError", Component::Unknown, Kind::Accuracy),
    ("OutOfMemoryError", Component::Device, Kind::OutOfMemory),
    ("MemoryError", Component::Device, Kind::OutOfMemory),
    ("AcceleratorError", Component::Device, Kind::DeviceError),
];

/// What is raised where whoever read the program's output has ended, as `head` does.
pub(super) const BROKEN_PIPE: &str = "BrokenPipeError";

/// Types with which Python ends programs and generators; none of them says that something failed.
const ENDS: [&str; 3] = ["SystemExit", "GeneratorExit", BROKEN_PIPE];

/// What [`ENDS`] say.
pub(super) const ENDED: Verdict = Verdict {
    component: Component::User,
    kind: Kind::Ended,
    decides: true,
};

/// Whether a type, named without its module, says that the program was ending.
pub(super) fn is_end(name: &str) -> bool {
    ENDS.contains(&name)
}

/// Types that wrap others: what they wrap may say more.
const WRAPPERS: [(&str, Component, Kind); 5] = [
    ("InductorError", Component::Inductor, Kind::Internal),
    ("LoweringException", Component::Inductor, Kind::Lowering),
    ("SubprocException", Component::Inductor, Kind::Internal),
    (
        "InternalTorchDynamoError",
        Component::Dynamo,
        Kind::Internal,
    ),
    (
        "BackendCompilerFailed",
        Component::Backend,
        Kind::BackendRaised,
    ),
];

/// How `Unsupported` says that the program itself raised while it was traced, which it does without being compiled,
/// too (2.7+; before, `Observed exception` alone).
const RAISED: [&str; 2] = ["Observed exception", "raised exception "];

/// The first bytes of a message that are looked at: compilers' output may stand behind.
const LOOKED_AT: usize = 2048;

/// What a type and its message say; `None` where they are common ones.
pub(super) fn verdict(kind: &str, message: &str) -> Option<Verdict> {
    let name = kind.rsplit('.').next().unwrap_or_default();
    let of = |decides| {
        move |(_, component, kind): &(&str, Component, Kind)| Verdict {
            component: *component,
            kind: *kind,
            decides,
        }
    };
    // A wrapper's message is that of what it wraps.
    if let Some(wrapper) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name) {
        return Some(of(false)(wrapper));
    }
    if let Some(found) = TYPES.iter().find(|(known, ..)| *known == name) {
        let mut verdict = of(true)(found);
        if found.2 == Kind::GraphBreak {
            if LIMITS.iter().any(|limit| message.starts_with(limit)) {
                verdict.kind = Kind::RecompileLimit;
            } else if RAISED.iter().any(|raised| message.starts_with(raised)) {
                (verdict.component, verdict.kind) = (Component::User, Kind::Raised);
            }
        }
        return Some(verdict);
    }
    if name == "AttributeError" && is_of_config(message) {
        return Some(Verdict {
            component: Component::User,
            kind: Kind::Setting,
            decides: true,
        });
    }
    let mut end = message.len().min(LOOKED_AT);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    let start = message.get(..end).unwrap_or_default();
    let found = MESSAGES.iter().find(|(piece, ..)| start.contains(piece));
    found.map(of(true))
}

/// `torch._inductor.config.{name} does not exist`, from torch/utils/_config_module.py.
fn is_of_config(message: &str) -> bool {
    let setting = message.trim_end().strip_suffix(" does not exist");
    setting.is_some_and(|name| name.starts_with("torch") && name.contains("config."))
}

/// How `Unsupported` says that the limit was reached: until 2.6, 2.7 to 2.10, 2.11 and later.
const LIMITS: [&str; 6] = [
    "cache_size_limit reached",
    "accumulated_cache_size_limit reached",
    "recompile_limit reached",
    "accumulated_recompile_limit reached",
    "Dynamo cache limit exceeded",
    "Dynamo recompile limit exceeded",
];
