//! What warnings mean, by what they are about.

use crate::engine::protocol::WarningKind;

/// All kinds of warnings with their names and meanings.
pub const WARNINGS: [(WarningKind, &str, &str); 31] = [
    (
        WarningKind::CaptureScalarOutputs,
        "A tensor became a number of Python",
        "`.item()` and the like break the graph, because the number is only known when the program runs. torch._dynamo.config.capture_scalar_outputs = True keeps it in the graph.",
    ),
    (
        WarningKind::UntraceableFunction,
        "A function that Dynamo cannot trace",
        "The graph breaks at the call. Wrap the function as a custom operator (torch.library.custom_op), or move the call out of the compiled function.",
    ),
    (
        WarningKind::TensorFloat32,
        "TensorFloat32 is not in use",
        "The device can multiply float32 matrices faster with less precision: torch.set_float32_matmul_precision(\"high\").",
    ),
    (
        WarningKind::DonatedBuffers,
        "The backward pass cannot run twice",
        "The compiled backward pass overwrites buffers of the forward pass. With retain_graph=True or create_graph=True set torch._functorch.config.donated_buffer = False.",
    ),
    (
        WarningKind::ComplexOperators,
        "Complex numbers are not compiled",
        "Inductor makes no kernels for complex numbers: these operations run as in eager mode.",
    ),
    (
        WarningKind::CudaGraphsPending,
        "CUDA graphs wait for a backward pass",
        "A forward pass was run without its backward pass, so that memory cannot be used again. Use torch.no_grad() where no backward pass follows, or call torch.compiler.cudagraph_mark_step_begin() before each step.",
    ),
    (
        WarningKind::CudaGraphsSkipped,
        "CUDA graphs were left out",
        "Something in the graph cannot be recorded, such as a tensor on the CPU, a changed input or changing sizes. The kernels run, launched one by one.",
    ),
    (
        WarningKind::OnlineSoftmax,
        "The softmax in one pass was given up",
        "Its reduction is split over several blocks. The softmax runs in the usual way.",
    ),
    (
        WarningKind::Bfloat16,
        "The device computes no bfloat16 by itself",
        "Values are converted to float32 and back, which costs time. float16 or float32 may be faster here.",
    ),
    (
        WarningKind::MixedHalfPrecision,
        "Half precisions are mixed",
        "One kernel holds bfloat16 and float16 values. Results may differ from those of eager mode.",
    ),
    (
        WarningKind::BenchmarkFailed,
        "A candidate of the autotuning was left out",
        "It could not be built or run; the others were compared. It matters only where all of them fail.",
    ),
    (
        WarningKind::NotEnoughMultiprocessors,
        "Too few multiprocessors for autotuned matrix products",
        "mode=\"max-autotune\" does not use Triton for matrix products on this device, because it would hardly be faster.",
    ),
    (
        WarningKind::NoCpuBackend,
        "No device for kernels was found",
        "Triton found neither a GPU nor a backend for the CPU.",
    ),
    (
        WarningKind::CppToolchain,
        "The C++ compiler lacks something",
        "A header such as Python.h, or OpenMP, was not found. Install it (on Debian and Ubuntu: python3-dev, g++), or point to it with CXX and OMP_PREFIX.",
    ),
    (
        WarningKind::GpuToolchain,
        "The compiler for the GPU lacks something",
        "A tool or library for the GPU is missing or is no program. Check what TRITON_PTXAS_PATH and the like point to.",
    ),
    (
        WarningKind::BoxedArguments,
        "A backend takes no boxed arguments",
        "It keeps all inputs until it ends, which costs memory. make_boxed_func of functorch.compile changes that.",
    ),
    (
        WarningKind::OptionsChanged,
        "Options changed without a reset",
        "What was compiled before stays in use. Call torch._dynamo.reset() first.",
    ),
    (
        WarningKind::GlobalHooks,
        "Hooks on all modules",
        "Hooks that are registered for all modules fire once more for the compiled one.",
    ),
    (
        WarningKind::ConstantPredicate,
        "A choice that is always the same",
        "The predicate of torch.cond, or the index of torch.switch, is a constant of Python: only that branch is compiled.",
    ),
    (
        WarningKind::InsideExport,
        "torch.compile within torch.export",
        "torch.export looks through it: the inner call does nothing.",
    ),
    (
        WarningKind::SideEffects,
        "forward changes something beside its result",
        "What it assigns or appends is not part of the exported graph.",
    ),
    (
        WarningKind::OperatorAliasing,
        "A custom operator returns one of its inputs",
        "The compiler assumes that results share no memory with inputs. Return a copy, or declare it in the operator's schema.",
    ),
    (
        WarningKind::ProfileGuided,
        "Profiles of sizes are not kept",
        "Which sizes change is found out anew in each run, by compiling again.",
    ),
    (
        WarningKind::TritonParser,
        "Kernels of the program are read in the slow way",
        "Which arguments a Triton kernel changes could not be found out, so that all are taken as changed.",
    ),
    (
        WarningKind::LargeConstant,
        "A large constant is written into the cache",
        "Writing it took long. Make it a parameter or an input.",
    ),
    (
        WarningKind::SlowGuards,
        "Guards are slow on this Python",
        "Checking whether compiled code may be used takes longer than it could. Another version of Python helps.",
    ),
    (
        WarningKind::Checkpoint,
        "Checkpointing",
        "Activation checkpointing (torch.utils.checkpoint) was asked for in a way that torch.compile does not follow; the message names it.",
    ),
    (
        WarningKind::Setting,
        "A setting",
        "An option of torch.compile or torch._dynamo.config has no effect, or needs another one; the message names both.",
    ),
    (
        WarningKind::Deprecated,
        "A call that will go away",
        "It works in this version of PyTorch. The message says what to call in its place.",
    ),
    (
        WarningKind::Torch,
        "A warning of PyTorch",
        "No explanation is known for it; its own words tell.",
    ),
    (
        WarningKind::Other,
        "A warning of the program or of a library",
        "It is not PyTorch's.",
    ),
];

/// The name and meaning of a kind of warning.
#[must_use]
pub fn warning(kind: WarningKind) -> (&'static str, &'static str) {
    let [.., last] = &WARNINGS;
    let found = WARNINGS.iter().find(|(known, ..)| *known == kind);
    let (_, name, meaning) = found.unwrap_or(last);
    (name, meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_words() {
        let mut names: Vec<&str> = WARNINGS.iter().map(|(_, name, _)| *name).collect();
        for (kind, name, meaning) in WARNINGS {
            assert_eq!(warning(kind), (name, meaning));
            assert!(meaning.ends_with('.') && !name.ends_with('.'), "{name}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), WARNINGS.len());
        // The kinds stand in the order of their type, so that none is left out.
        assert!(WARNINGS.is_sorted_by_key(|(kind, ..)| *kind));
        assert_eq!(WARNINGS[0].0, WarningKind::CaptureScalarOutputs);
        assert_eq!(WARNINGS[30].0 as usize, 30);
    }
}
