//! Warnings: those of Python's `warnings`, `{file}:{line}: {category}: {message}` with the line of the
//! program below, and the ones that PyTorch logs in their place.
//!
//! What is known from `torch.compile` is told by [`WarningKind`]; the texts are those of 2.0 to 2.15.

use super::plain::Cursor;
use super::traceback::{self, Frame, Frames};
use crate::log::escape;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// How the logged warning about `.item()` begins (torch/_dynamo/variables/tensor.py, 2.4+).
pub(super) const ITEM: &str = "Graph break from `Tensor.item()`, consider setting:";

/// What its stack stands below, in the same message or in the next one (2.4+).
const STACK: &str = "Graph break: from user code at:";

/// Rows in which the line of the program is looked for.
pub(super) const LONGEST: u32 = 40;

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Warning {
    /// The file whose line warned; empty where PyTorch logged the warning itself.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// Its category: `UserWarning`; empty where PyTorch logged it.
    pub category: String,
    /// What it says, of one line or several.
    pub message: String,
    /// The line of the program, where Python could show it.
    pub code: Option<String>,
    /// The program's lines that PyTorch shows, outermost first.
    pub stack: Vec<Frame>,
    /// What it is about.
    pub kind: WarningKind,
}

/// What a warning is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub enum WarningKind {
    /// A tensor became a number of Python, which breaks the graph: `capture_scalar_outputs`.
    CaptureScalarOutputs,
    /// A function that Dynamo cannot trace breaks the graph.
    UntraceableFunction,
    /// TensorFloat32 is available and not in use.
    TensorFloat32,
    /// Buffers that the backward pass may overwrite: it cannot run twice.
    DonatedBuffers,
    /// Complex numbers are not compiled to kernels.
    ComplexOperators,
    /// CUDA graphs wait for a backward pass that was not run.
    CudaGraphsPending,
    /// CUDA graphs were left out.
    CudaGraphsSkipped,
    /// The softmax in one pass was given up, because its reduction is split.
    OnlineSoftmax,
    /// The device computes no bfloat16 by itself.
    Bfloat16,
    /// Half precisions are mixed in one kernel.
    MixedHalfPrecision,
    /// A candidate of the autotuning was left out.
    BenchmarkFailed,
    /// Too few multiprocessors for the autotuning of matrix products.
    NotEnoughMultiprocessors,
    /// No device for which kernels can be built was found.
    NoCpuBackend,
    /// What the C++ compiler needs is missing or misset.
    CppToolchain,
    /// What the assembler for the GPU needs is missing or misset.
    GpuToolchain,
    /// A backend returns a function that takes no list of arguments.
    BoxedArguments,
    /// Options changed without a reset (2.0, 2.1).
    OptionsChanged,
    /// Hooks on all modules fire once more.
    GlobalHooks,
    /// The predicate of `torch.cond` or the index of `torch.switch` is a constant.
    ConstantPredicate,
    /// `torch.compile` within `torch.export`.
    InsideExport,
    /// `forward` changes something beside its result.
    SideEffects,
    /// A custom operator returns one of its inputs.
    OperatorAliasing,
    /// Profiles of sizes are not kept.
    ProfileGuided,
    /// Kernels of the program are read in the slow way (2.3).
    TritonParser,
    /// A large constant took long to write into the compiler's cache.
    LargeConstant,
    /// Guards are slow on this Python.
    SlowGuards,
    /// Checkpointing under `torch.compile`.
    Checkpoint,
    /// A setting that has no effect any longer, or that lacks another one.
    Setting,
    /// A call of `torch` that will go away.
    Deprecated,
    /// Another one of PyTorch.
    Torch,
    /// One of the program or of a library.
    #[default]
    Other,
}

/// Pieces of messages. The first one that a message holds says what it is about.
const KNOWN: [(&str, WarningKind); 62] = [
    ("`Tensor.item()`", WarningKind::CaptureScalarOutputs),
    ("capture_scalar_outputs", WarningKind::CaptureScalarOutputs),
    (
        "Graph break due to unsupported builtin",
        WarningKind::UntraceableFunction,
    ),
    (
        "Dynamo does not know how to trace",
        WarningKind::UntraceableFunction,
    ),
    (
        "Dynamo detected a call to a `functools.lru_cache`",
        WarningKind::UntraceableFunction,
    ),
    ("TensorFloat32 tensor cores", WarningKind::TensorFloat32),
    ("donated buffer", WarningKind::DonatedBuffers),
    ("donated_buffer", WarningKind::DonatedBuffers),
    (
        "code generation for complex operators",
        WarningKind::ComplexOperators,
    ),
    (
        "Casting complex values to real",
        WarningKind::ComplexOperators,
    ),
    (
        "Unable to hit fast path of CUDAGraphs",
        WarningKind::CudaGraphsPending,
    ),
    ("skipping cudagraphs", WarningKind::CudaGraphsSkipped),
    (
        "CUDAGraph supports dynamic shapes by recording",
        WarningKind::CudaGraphsSkipped,
    ),
    ("Online softmax is disabled", WarningKind::OnlineSoftmax),
    (
        "does not support bfloat16 compilation natively",
        WarningKind::Bfloat16,
    ),
    ("bf16 and fp16 are mixed", WarningKind::MixedHalfPrecision),
    ("benchmark choice", WarningKind::BenchmarkFailed),
    ("benchmarking choice", WarningKind::BenchmarkFailed),
    (
        "Not enough SMs to use max_autotune_gemm",
        WarningKind::NotEnoughMultiprocessors,
    ),
    (
        "Could not find an active CPU backend",
        WarningKind::NoCpuBackend,
    ),
    ("Can't find Python.h", WarningKind::CppToolchain),
    ("OMP_PREFIX", WarningKind::CppToolchain),
    ("exists but is not an executable", WarningKind::GpuToolchain),
    ("bundled libdevice", WarningKind::GpuToolchain),
    ("doesn't take boxed arguments", WarningKind::BoxedArguments),
    (
        "changing options to `torch.compile()`",
        WarningKind::OptionsChanged,
    ),
    (
        "when there are global hooks on modules",
        WarningKind::GlobalHooks,
    ),
    ("Pred is a Python constant", WarningKind::ConstantPredicate),
    ("Index is a Python constant", WarningKind::ConstantPredicate),
    ("inside torch.export region", WarningKind::InsideExport),
    ("certain side effects happened", WarningKind::SideEffects),
    ("assigned during export", WarningKind::SideEffects),
    (
        "fake tensors that are still alive after export",
        WarningKind::SideEffects,
    ),
    ("may not alias any inputs", WarningKind::OperatorAliasing),
    ("Aliasing is not supp", WarningKind::OperatorAliasing),
    ("dynamo_pgo force disabled", WarningKind::ProfileGuided),
    (
        "slow path for user-defined Triton kernels",
        WarningKind::TritonParser,
    ),
    ("identify_mutated_tensors", WarningKind::TritonParser),
    ("of a large constant took", WarningKind::LargeConstant),
    ("Guards may run slower", WarningKind::SlowGuards),
    ("torch.utils.checkpoint", WarningKind::Checkpoint),
    (
        "Graph has recomputable ops but no backward",
        WarningKind::Checkpoint,
    ),
    ("unsafely apply AC", WarningKind::Checkpoint),
    (
        "TORCH_COMPILE_OVERRIDE_DYNAMO_CONFIGS is set",
        WarningKind::Setting,
    ),
    (
        "flag is deprecated, it's now always true",
        WarningKind::Setting,
    ),
    ("enable_host_side_tma", WarningKind::Setting),
    ("use_block_ptr", WarningKind::Setting),
    ("CUTLASS backend is not supported", WarningKind::Setting),
    (
        "explain(f, *args, **kwargs) is deprecated",
        WarningKind::Deprecated,
    ),
    (
        "export(f, *args, **kwargs) is deprecated",
        WarningKind::Deprecated,
    ),
    (
        "`constraints` to specify dynamic shapes",
        WarningKind::Deprecated,
    ),
    (
        "The constraints field is deprecated",
        WarningKind::Deprecated,
    ),
    ("'saved_variables' is deprecated", WarningKind::Deprecated),
    ("backend will be deprecated", WarningKind::Deprecated),
    ("torch._functorch.pytree_hacks", WarningKind::Deprecated),
    ("please use 'torch.", WarningKind::Deprecated),
    ("is deprecated, please do not call", WarningKind::Deprecated),
    (
        "This version of file is deprecated",
        WarningKind::Deprecated,
    ),
    ("'torch.", WarningKind::Torch),
    ("torch.compile for Metal", WarningKind::Torch),
    ("TorchInductor", WarningKind::Torch),
    ("torch.compile", WarningKind::Torch),
];

/// Reads a warning; `None` where the text begins none.
#[must_use]
pub fn read(text: &str) -> Option<Warning> {
    let mut rows = text.lines();
    let first = rows.next()?;
    let first = &*escape::without(first);
    let mut warning = if first.starts_with(ITEM) {
        Warning {
            message: first.to_owned(),
            ..Warning::default()
        }
    } else {
        let heading = heading(first)?;
        Warning {
            file: heading.file.to_owned(),
            line: Some(heading.line),
            category: heading.category.to_owned(),
            message: heading.message.to_owned(),
            ..Warning::default()
        }
    };
    let mut rest: Vec<&str> = rows.collect();
    if !warning.category.is_empty()
        && let Some(code) = rest.pop_if(|line| is_code(line))
    {
        warning.code = Some(code.trim().to_owned());
    }
    let mut frames: Option<Frames> = None;
    for (row, line) in (1..).zip(rest) {
        match &mut frames {
            Some(frames) => frames.line(row, line),
            None if line.starts_with(STACK) => frames = Some(Frames::default()),
            None => {
                warning.message.push('\n');
                warning.message.push_str(line);
            }
        }
    }
    warning.stack = frames.unwrap_or_default().finish();
    warning.message = warning.message.trim().to_owned();
    warning.kind = kind(&warning);
    Some(warning)
}

fn kind(warning: &Warning) -> WarningKind {
    let known = KNOWN
        .iter()
        .find(|(piece, _)| warning.message.contains(piece));
    let path = warning.file.replace('\\', "/");
    let in_torch = ["/torch/", "/functorch/", "/triton/"]
        .iter()
        .any(|folder| path.contains(folder))
        || path.starts_with("torch/");
    match known {
        Some((_, kind)) if *kind != WarningKind::Torch => *kind,
        _ if in_torch && warning.category.contains("Deprecat") => WarningKind::Deprecated,
        _ if in_torch && warning.category == "FutureWarning" => WarningKind::Deprecated,
        Some((_, kind)) => *kind,
        None if in_torch => WarningKind::Torch,
        None => WarningKind::Other,
    }
}

/// Whether a text is the logged warning about `.item()` without its stack, which PyTorch may log as a
/// message of its own behind it.
#[must_use]
pub fn lacks_stack(text: &str) -> bool {
    text.starts_with(ITEM) && !text.contains(STACK)
}

/// Whether a text is the stack of such a warning.
#[must_use]
pub fn is_stack(text: &str) -> bool {
    text.starts_with(STACK)
}

struct Heading<'a> {
    file: &'a str,
    line: u32,
    category: &'a str,
    message: &'a str,
}

/// `{file}:{line}: {category}: {message}`.
fn heading(line: &str) -> Option<Heading<'_>> {
    let end = line.find("Warning:")? + "Warning".len();
    let (before, message) = (line.get(..end)?, line.get(end + 1..)?);
    let (place, category) = before.rsplit_once(": ")?;
    let (file, number) = place.rsplit_once(':')?;
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (!file.is_empty() && is_number && is_name(category)).then_some(Heading {
        file,
        line: number.parse().ok()?,
        category,
        message: message.strip_prefix(' ').unwrap_or(message),
    })
}

/// Whether a line can be the one that Python shows below a message: it is indented by two.
fn is_code(line: &str) -> bool {
    line.strip_prefix("  ")
        .is_some_and(|rest| rest.starts_with(|c: char| !c.is_whitespace()))
}

/// Whether a line begins a warning.
pub(super) fn begins(line: &str) -> bool {
    let line = escape::without(line);
    line.starts_with(ITEM) || heading(&line).is_some()
}

/// Moves the cursor behind the warning.
pub(super) fn end(cursor: &mut Cursor<'_>) {
    let first = cursor.next().unwrap_or_default();
    if escape::without(first).starts_with(ITEM) {
        return end_of_item(cursor);
    }
    let mut ahead = cursor.clone();
    let start = ahead.row();
    while let Some(line) = ahead.next() {
        let row = ahead.row() - start;
        if row > LONGEST || begins(line) || traceback::begins(line) {
            return;
        }
        // Messages hold lists that are indented too; what warned is a call.
        if is_code(line) && (row == 1 || line.contains("warn")) {
            *cursor = ahead;
            return;
        }
    }
}

fn end_of_item(cursor: &mut Cursor<'_>) {
    let mut ahead = cursor.clone();
    let start = ahead.row();
    let mut in_stack = false;
    while let Some(line) = ahead.next() {
        if ahead.row() - start > LONGEST || begins(line) || traceback::begins(line) {
            return;
        }
        in_stack |= line.starts_with(STACK);
        let belongs = line.starts_with(STACK)
            || !in_stack && !line.trim().is_empty()
            || in_stack && line.starts_with("  ") && !line.trim().is_empty();
        if belongs {
            *cursor = ahead.clone();
        } else if in_stack {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
