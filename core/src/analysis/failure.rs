//! Which component failed, from a traceback: the type of the exception, what it says, and the frames.
//!
//! Start at [`of_traceback`]; [`of_exception`] has only type and message, as the metrics give them
//! (`fail_type`, `fail_reason`). A type of PyTorch's says for certain what gave up; where the type is a
//! common one, the innermost frame of the compiler is a guess. `types` holds the table of types, `owner`
//! tells whose file a frame is in, `ablation` which run would confirm the answer.

mod ablation;
pub mod owner;
mod types;

use crate::payload::traceback::{self, Frame, Link, Raised, StackKind, Traceback, inner};
pub use ablation::{Ablation, Backend, Dynamic, Mode, Outcome, Run};
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashSet;
use owner::{Owner, Part, owner};
use serde::{Deserialize, Serialize};
use types::Verdict;

/// What failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The component.
    pub component: Component,
    /// What it could not do.
    pub kind: FailureKind,
    /// Whether that is said or concluded.
    pub certainty: Certainty,
    /// The exception of the traceback that shows it, from 0.
    pub exception: usize,
    /// The backend, where the message or the program names it.
    pub backend: Option<String>,
    /// The program's own lines, outermost first: those that Dynamo was tracing, or else those that called.
    pub user: Vec<Frame>,
    /// What to run to confirm it, the most telling first; none that the traceback already answers.
    pub runs: Vec<Run>,
}

/// A part of the way from the program to its kernels.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub enum Component {
    /// The program, or a library that it uses.
    User,
    /// What traces Python: torch/_dynamo.
    Dynamo,
    /// What makes forward and backward graphs: torch/_functorch.
    AotAutograd,
    /// What makes kernels: torch/_inductor and Triton.
    Inductor,
    /// Another backend.
    Backend,
    /// The device, its driver, or its memory.
    Device,
    /// Nothing tells.
    #[default]
    Unknown,
}

/// What a component could not do.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub enum FailureKind {
    /// The program raised an exception of its own.
    Raised,
    /// A setting, such as `TORCH_LOGS`, that PyTorch does not know.
    Setting,
    /// The graph would break where none may (`Unsupported`; `fullgraph=True`, `torch.export`).
    GraphBreak,
    /// Dynamo says how the program is to be changed (`UserError`).
    UserError,
    /// An operation failed on tensors without data (`TorchRuntimeError`): mostly shapes that do not fit.
    FakeTensor,
    /// A size that was marked as dynamic is not (`ConstraintViolationError`).
    ConstraintViolation,
    /// The value of a tensor would decide what is compiled (`GuardOnDataDependentSymNode` and others).
    DataDependent,
    /// A function was compiled as often as it may be.
    RecompileLimit,
    /// A function was compiled again although it may not be (`error_on_recompile`).
    Recompiled,
    /// Another backend without a reset (`ResetRequired`).
    ResetRequired,
    /// A part of the compiler failed within: an error of PyTorch's.
    Internal,
    /// A backend raised an exception.
    BackendRaised,
    /// An operator could not be made a loop or a call (`LoweringException`).
    Lowering,
    /// The C++ compiler refused generated code, or could not run.
    CppCompile,
    /// The assembler or compiler for the GPU refused generated code.
    GpuCompile,
    /// No compiler was found: for C++, or C for Triton's launcher.
    MissingCompiler,
    /// Triton is not there, or the device is too old for it.
    MissingTriton,
    /// Triton refused a kernel.
    TritonCompile,
    /// A kernel needs more registers or shared memory than there are.
    OutOfResources,
    /// Kernels were made, and one of them failed when it ran.
    GeneratedCode,
    /// Compiled and eager results differ (`AccuracyError` of the minifier).
    Accuracy,
    /// The memory of the device, or of the machine, is full.
    OutOfMemory,
    /// The device or its libraries failed.
    DeviceError,
    /// Nothing tells.
    #[default]
    Unknown,
    /// Somebody stopped the program (`KeyboardInterrupt`): nothing failed.
    Interrupted,
    /// The program was ending (`SystemExit`, `GeneratorExit`), or whoever read its output had ended
    /// (`BrokenPipeError`): nothing failed.
    Ended,
}

impl Component {
    /// All of them, from the program to the device.
    pub const ALL: [Component; 7] = [
        Component::User,
        Component::Dynamo,
        Component::AotAutograd,
        Component::Inductor,
        Component::Backend,
        Component::Device,
        Component::Unknown,
    ];
}

impl FailureKind {
    /// All of them.
    pub const ALL: [FailureKind; 26] = [
        FailureKind::Raised,
        FailureKind::Setting,
        FailureKind::GraphBreak,
        FailureKind::UserError,
        FailureKind::FakeTensor,
        FailureKind::ConstraintViolation,
        FailureKind::DataDependent,
        FailureKind::RecompileLimit,
        FailureKind::Recompiled,
        FailureKind::ResetRequired,
        FailureKind::Internal,
        FailureKind::BackendRaised,
        FailureKind::Lowering,
        FailureKind::CppCompile,
        FailureKind::GpuCompile,
        FailureKind::MissingCompiler,
        FailureKind::MissingTriton,
        FailureKind::TritonCompile,
        FailureKind::OutOfResources,
        FailureKind::GeneratedCode,
        FailureKind::Accuracy,
        FailureKind::OutOfMemory,
        FailureKind::DeviceError,
        FailureKind::Unknown,
        FailureKind::Interrupted,
        FailureKind::Ended,
    ];
}

/// How sure an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Certainty {
    /// The exception's type or message says so.
    Certain,
    /// The frames point to it.
    Guessed,
}

/// What failed, from a type and a message, and the traceback as which they were read.
#[must_use]
pub fn of_exception(kind: &str, message: &str) -> (Failure, Traceback) {
    let traceback = traceback::of_exception(kind, message);
    (of_traceback(&traceback), traceback)
}

/// What failed. A traceback without any exception gives [`Component::Unknown`].
#[must_use]
pub fn of_traceback(traceback: &Traceback) -> Failure {
    let backend = backend(traceback);
    let answer = said(traceback, backend.as_deref())
        .or_else(|| by_frames(traceback, backend.as_deref()))
        .unwrap_or(Answer {
            component: Component::Unknown,
            kind: FailureKind::Unknown,
            certainty: Certainty::Guessed,
            exception: traceback.exceptions.len().saturating_sub(1),
        });
    let mut failure = Failure {
        component: answer.component,
        kind: answer.kind,
        certainty: answer.certainty,
        exception: answer.exception,
        backend,
        user: user_frames(traceback),
        runs: Vec::new(),
    };
    failure.runs = ablation::runs(&failure, traceback);
    failure
}

struct Answer {
    component: Component,
    kind: FailureKind,
    certainty: Certainty,
    exception: usize,
}

/// What types and messages say. The exception that came out is asked first, then what it names within its
/// message, then those before it; a wrapper that tells nothing itself leaves it to them.
fn said(traceback: &Traceback, backend: Option<&str>) -> Option<Answer> {
    let mut wrapper = None;
    let is_only_end = traceback.exceptions.iter().all(is_end);
    for (exception, raised) in traceback.exceptions.iter().enumerate().rev() {
        let certain = |verdict: Verdict| Answer {
            component: verdict.component,
            kind: verdict.kind,
            certainty: Certainty::Certain,
            exception,
        };
        let (mut kind, mut message) = (raised.kind.as_str(), raised.message.as_str());
        if is_end(raised) {
            // `sys.exit` where an exception was handled: that one is what failed.
            if !is_only_end {
                continue;
            }
            return Some(certain(types::ENDED));
        }
        // Wrappers within wrappers: `BackendCompilerFailed`, `LoweringException`, `AssertionError`.
        for _ in 0..DEEPEST {
            if let Some(verdict) = types::verdict(kind, message) {
                if verdict.decides {
                    return Some(certain(verdict));
                }
                // What is wrapped says more than what wraps it.
                wrapper = Some(certain(verdict));
            }
            match inner(message) {
                Some(within) => (kind, message) = within,
                None => break,
            }
        }
        // What was being handled when this one was raised need not be its cause.
        if raised.link == Link::Context && wrapper.is_some() {
            break;
        }
    }
    let wrapper = wrapper?;
    if wrapper.component != Component::Backend {
        return Some(wrapper);
    }
    // `BackendCompilerFailed` with a backend of PyTorch's: its parts are told by the frames.
    match backend {
        Some(name) if Backend::is_known(name) => by_frames(traceback, backend).or(Some(wrapper)),
        Some(_) => Some(wrapper),
        None => by_frames(traceback, None)
            .filter(|answer| answer.component != Component::Dynamo)
            .or(Some(wrapper)),
    }
}

/// Whether an exception says that the program was ending. A pipe of the compiler's own workers that breaks is a
/// failure.
fn is_end(raised: &Raised) -> bool {
    let of_compiler = |frame: &Frame| {
        let owner = owner(&frame.file);
        matches!(owner, Owner::Torch(part) if part != Part::Other)
    };
    types::is_end(raised.name())
        && !(raised.name() == types::BROKEN_PIPE && raised.frames.iter().any(of_compiler))
}

/// Exceptions within an exception's message that are looked at.
const DEEPEST: usize = 8;

/// What the frames point to: the innermost frame of a part of the compiler, in the exception that was
/// raised first.
fn by_frames(traceback: &Traceback, backend: Option<&str>) -> Option<Answer> {
    let (exception, raised) = traceback
        .exceptions
        .iter()
        .enumerate()
        .find(|(_, raised)| !raised.frames.is_empty())?;
    let guess = |component, kind| Answer {
        component,
        kind,
        certainty: Certainty::Guessed,
        exception,
    };
    let mut innermost = None;
    let mut user_within = false;
    for frame in &raised.frames {
        match owner(&frame.file) {
            Owner::Torch(Part::Other) | Owner::Python => {}
            Owner::User | Owner::Library => user_within = true,
            compiler @ (Owner::Torch(_) | Owner::Generated) => {
                innermost = Some(compiler);
                user_within = false;
            }
        }
    }
    let known = backend.is_some_and(Backend::is_known);
    Some(match innermost {
        // The program's own code below the backend's: it is the backend, or a pass of it.
        Some(Owner::Torch(Part::Dynamo)) if user_within && is_in_backend(raised) && !known => {
            guess(Component::Backend, FailureKind::BackendRaised)
        }
        Some(Owner::Torch(Part::Dynamo)) => guess(Component::Dynamo, FailureKind::Internal),
        Some(Owner::Torch(Part::Functorch)) => guess(Component::AotAutograd, FailureKind::Internal),
        Some(Owner::Torch(Part::Inductor)) => guess(Component::Inductor, FailureKind::Internal),
        Some(Owner::Torch(Part::Triton)) => guess(Component::Inductor, FailureKind::TritonCompile),
        Some(Owner::Generated) => guess(Component::Inductor, FailureKind::GeneratedCode),
        _ if is_without_data(raised) => guess(Component::Dynamo, FailureKind::FakeTensor),
        _ if has_program(raised) => guess(Component::User, FailureKind::Raised),
        _ => return None,
    })
}

/// Whether an operation was run on tensors without data, as Dynamo does while it traces.
fn is_without_data(raised: &Raised) -> bool {
    raised.frames.iter().any(|frame| {
        frame
            .file
            .replace('\\', "/")
            .ends_with("torch/_subclasses/fake_tensor.py")
    })
}

/// Whether lines of the program or of a library led to the exception.
fn has_program(raised: &Raised) -> bool {
    let owners = raised.frames.iter().map(|frame| owner(&frame.file));
    owners
        .into_iter()
        .any(|owner| matches!(owner, Owner::User | Owner::Library))
}

/// Whether Dynamo had called a backend.
fn is_in_backend(raised: &Raised) -> bool {
    raised.frames.iter().any(|frame| {
        frame
            .function
            .as_deref()
            .is_some_and(|function| function.ends_with("call_user_compiler"))
    })
}

/// The backend's name: `backend='{name}' raised:` (2.1+), `{name} raised {type}: …` (2.0), or as the program
/// chose it.
fn backend(traceback: &Traceback) -> Option<String> {
    for raised in traceback.exceptions.iter().rev() {
        if raised.name() != "BackendCompilerFailed" {
            continue;
        }
        let named = raised
            .message
            .strip_prefix("backend='")
            .or_else(|| raised.message.strip_prefix("backend=\""))
            .and_then(|rest| rest.split(['\'', '"']).next());
        // What 2.0 names is the innermost wrapper, which is often one of PyTorch's.
        let wrapped = || {
            let (name, _) = raised.message.split_once(" raised ")?;
            Some(match name {
                "compile_fx" => "inductor",
                "debug_wrapper" | "inner" | "wrapper" => return None,
                name => name,
            })
        };
        if let Some(name) = named.or_else(wrapped) {
            return Some(name.into());
        }
    }
    let types = || traceback.exceptions.iter().map(Raised::name);
    if types().any(|name| name == "InductorError") {
        return Some("inductor".into());
    }
    ablation::chosen(traceback, "backend=").map(Into::into)
}

/// Frames of the program that are kept of a traceback.
const MOST_FRAMES: usize = 1_000;

/// The program's lines that tell most: those that Dynamo was tracing; else those that led to the exception,
/// without the frames of PyTorch and Python.
fn user_frames(traceback: &Traceback) -> Vec<Frame> {
    let of_program = |frame: &&Frame| owner(&frame.file) == Owner::User;
    let kinds = [StackKind::Traced, StackKind::User, StackKind::Call];
    for kind in kinds {
        let stack = traceback.exceptions.iter().rev().find_map(|raised| {
            let frames = raised.stack(kind)?.iter().filter(of_program);
            let frames: Vec<Frame> = frames.cloned().collect();
            (!frames.is_empty()).then_some(frames)
        });
        if let Some(stack) = stack {
            return stack;
        }
    }
    // An exception's frames lead on from those of the one that was raised out of it.
    let mut known = HashSet::new();
    let mut frames: Vec<&Frame> = Vec::new();
    for raised in traceback.exceptions.iter().rev() {
        for frame in raised.frames.iter().filter(of_program) {
            if known.insert((frame.file.as_str(), frame.line)) {
                frames.push(frame);
            }
        }
    }
    // The last ones are nearest to where it was raised.
    let far = frames.len().saturating_sub(MOST_FRAMES);
    frames.into_iter().skip(far).cloned().collect()
}

#[cfg(test)]
mod tests;
