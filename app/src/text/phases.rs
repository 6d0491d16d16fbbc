//! What each artifact is: the phase of the compiler that wrote it, in a sentence for newcomers.

/// A phase of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Python bytecode becomes a graph.
    Dynamo,
    /// The graph becomes forward and backward.
    AotAutograd,
    /// The graphs become kernels.
    Inductor,
    /// What compiling cost and how it ended.
    Measures,
    /// Anything else.
    Other,
}

/// The name of a phase and what happens in it.
#[must_use]
pub fn phase(phase: Phase) -> (&'static str, &'static str) {
    match phase {
        Phase::Dynamo => (
            "Dynamo",
            "Reads the function's Python bytecode and records its tensor operations as a graph, with guards that say when the graph may be used again.",
        ),
        Phase::AotAutograd => (
            "AOTAutograd",
            "Lowers the graph to basic operations and splits it into a forward and a backward graph before it runs.",
        ),
        Phase::Inductor => (
            "Inductor",
            "Fuses the operations and writes the kernels: Triton for GPUs, C++ for CPUs.",
        ),
        Phase::Measures => ("Measures", "What compiling cost, and how it ended."),
        Phase::Other => ("Other", "Written by something else."),
    }
}

/// How an artifact's name is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    /// It is this.
    Is(&'static str),
    /// It starts so.
    Starts(&'static str),
    /// It ends so.
    Ends(&'static str),
}

use Name::{Ends, Is, Starts};
use Phase::{AotAutograd, Dynamo, Inductor, Measures};

/// Names, their phase, and what the artifact holds. The first that fits wins.
const ARTIFACTS: [(Name, Phase, &str); 46] = [
    (
        Is("dynamo_output_graph"),
        Dynamo,
        "The graph that Dynamo recorded, as Python code.",
    ),
    (
        Is("dynamo_guards"),
        Dynamo,
        "The guards: what must hold for this compilation to be used again.",
    ),
    (
        Is("dynamo_cpp_guards_str"),
        Dynamo,
        "The guards as the tree that is checked at each call.",
    ),
    (
        Is(GRAPH_BREAK),
        Dynamo,
        "Why the graph broke, with the stack of your code.",
    ),
    (
        Is("dynamo_error"),
        Dynamo,
        "The error that ended compiling, with its traceback.",
    ),
    (
        Is("dynamo_side_effects"),
        Dynamo,
        "Changes to Python objects that the compiled code makes after the graph ran.",
    ),
    (
        Is("dynamo_start"),
        Dynamo,
        "The start of a compilation and how the program reached it.",
    ),
    (
        Is("recompile_reasons"),
        Dynamo,
        "Which guards failed, so that the function was compiled again.",
    ),
    (
        Ends("_ORIGINAL_BYTECODE"),
        Dynamo,
        "The function's Python bytecode before Dynamo.",
    ),
    (
        Ends("_MODIFIED_BYTECODE"),
        Dynamo,
        "The bytecode that Dynamo put in its place; it calls the compiled graph.",
    ),
    (
        Starts("dynamo_cache"),
        Dynamo,
        "What Dynamo's own cache said.",
    ),
    (
        Starts("precompile_cache"),
        Dynamo,
        "What the cache of precompiled functions said.",
    ),
    (
        Starts("compiled_autograd"),
        Dynamo,
        "The graph of a backward pass that compiled autograd recorded, or why it was recorded.",
    ),
    (
        Starts("optimize_ddp_split"),
        Dynamo,
        "A graph cut into pieces, so that communication of distributed training can begin early.",
    ),
    (
        Is("make_fx_fail_partial"),
        AotAutograd,
        "The graph as far as it came before tracing failed.",
    ),
    (
        Is("aot_joint_graph"),
        AotAutograd,
        "Forward and backward in one graph, before they are split.",
    ),
    (
        Is("aot_forward_graph"),
        AotAutograd,
        "The forward graph that Inductor gets.",
    ),
    (
        Is("aot_backward_graph"),
        AotAutograd,
        "The backward graph that Inductor gets.",
    ),
    (
        Is("aot_inference_graph"),
        AotAutograd,
        "The graph that Inductor gets where no gradient is needed.",
    ),
    (
        Is("aot_forward_graph_fw_metadata"),
        AotAutograd,
        "What AOTAutograd knows of inputs and outputs: aliases, mutations, gradients.",
    ),
    (
        Is("aot_autograd_runtime_wrappers"),
        AotAutograd,
        "The code around the compiled graph that handles aliases and mutations.",
    ),
    (
        Is("torch._functorch.config"),
        AotAutograd,
        "The settings of AOTAutograd in this run.",
    ),
    (
        Is("min_cut_information"),
        AotAutograd,
        "What is kept for the backward pass and what is computed again.",
    ),
    (
        Starts("aotautograd_cache"),
        AotAutograd,
        "What the cache of AOTAutograd said, with the key and the parts that it is made of.",
    ),
    (
        Starts("before_joint_graph"),
        AotAutograd,
        "The joint graph before its passes.",
    ),
    (
        Starts("after_joint_graph"),
        AotAutograd,
        "The joint graph after its passes.",
    ),
    (
        Starts("fx_graph_cache"),
        Inductor,
        "What the cache of compiled graphs said, with the key and the parts that it is made of.",
    ),
    (
        Starts("fx_graph_bundled_cache"),
        Inductor,
        "What the cache of bundled graphs said.",
    ),
    (
        Is("fx_graph_runnable"),
        Inductor,
        "A script that compiles this graph by itself: the way to reproduce a problem.",
    ),
    (
        Starts("before_pre_grad_graph"),
        Inductor,
        "The graph before the passes that come before AOTAutograd.",
    ),
    (
        Starts("after_pre_grad_graph"),
        Inductor,
        "The graph after the passes that come before AOTAutograd.",
    ),
    (
        Starts("before_post_grad_graph"),
        Inductor,
        "The graph before Inductor's own passes.",
    ),
    (
        Starts("after_post_grad_graph"),
        Inductor,
        "The graph after Inductor's own passes.",
    ),
    (
        Starts("inductor_post_grad_graph"),
        Inductor,
        "The graph after Inductor's passes, ready to become kernels.",
    ),
    (
        Starts("inductor_pre_grad_graph"),
        Inductor,
        "The graph before the passes that come before AOTAutograd.",
    ),
    (
        Is("inductor_output_code"),
        Inductor,
        "The code that runs: kernels and the function that calls them.",
    ),
    (
        Starts("inductor_provenance"),
        Inductor,
        "Which operation of which graph each kernel comes from.",
    ),
    (
        Starts("inductor_collective"),
        Inductor,
        "The collective operations, in the order in which they run.",
    ),
    (
        Starts("inductor_runtime"),
        Inductor,
        "Estimated run times and the tensors of each operation.",
    ),
    (Starts("inductor_"), Inductor, "Written by Inductor."),
    (
        Starts("triton_kernel"),
        Inductor,
        "Facts of the Triton kernels.",
    ),
    (Is("graph_dump"), Inductor, "A graph, written on request."),
    (
        Starts("compilation_metrics"),
        Measures,
        "What compiling cost, phase by phase, and how it ended.",
    ),
    (
        Starts("bwd_compilation_metrics"),
        Measures,
        "What compiling the backward graph cost.",
    ),
    (
        Is("chromium_event"),
        Measures,
        "An event of the compiler's own profiler.",
    ),
    (
        Is("torch_version"),
        Measures,
        "The version of PyTorch that wrote the log.",
    ),
];

/// The artifacts that hold guards: as a list, and as a tree.
pub const GUARDS: [&str; 2] = ["dynamo_guards", "dynamo_cpp_guards_str"];

/// Whether an artifact holds guards.
#[must_use]
pub fn holds_guards(name: &str) -> bool {
    GUARDS.contains(&name)
}

/// The artifact that says why a graph broke.
pub const GRAPH_BREAK: &str = "dynamo_graph_break_reason";

/// What the names of artifacts that hold a printed graph have in them; passes that print one are many.
const GRAPHS: &[&str] = &[
    "_graph",
    "_grad",
    "exported_program",
    "graph_dump",
    "make_fx_fail",
    "optimize_ddp_split",
    "_pass",
];

/// Names that have the same in them, and hold something else.
const NO_GRAPHS: &[&str] = &[
    // Its name begins with the function's.
    "BYTECODE",
    "break",
    "cache",
    "cudagraph",
    "decision",
    "metadata",
    "mismatch",
    "reasons",
    "runnable",
    "svg",
];

/// Whether an artifact holds a printed graph.
#[must_use]
pub fn holds_graph(name: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    has(GRAPHS) && !has(NO_GRAPHS)
}

/// The phase that wrote an artifact, and what the artifact holds.
#[must_use]
pub fn artifact(name: &str) -> (Phase, &'static str) {
    ARTIFACTS
        .iter()
        .find(|(known, _, _)| match *known {
            Is(text) => name == text,
            Starts(text) => name.starts_with(text),
            Ends(text) => name.ends_with(text),
        })
        .map_or((Phase::Other, ""), |(_, phase, meaning)| (*phase, meaning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_known_by_name_start_or_end() {
        assert_eq!(artifact("inductor_output_code").0, Inductor);
        assert_eq!(artifact("fx_graph_cache_miss").0, Inductor);
        assert_eq!(
            artifact("torch_dynamo_resume_in_f_at_9_ORIGINAL_BYTECODE").0,
            Dynamo
        );
        assert_eq!(artifact("aotautograd_cache_bypass").0, AotAutograd);
        assert_eq!(artifact("nobody_knows"), (Phase::Other, ""));
    }

    #[test]
    fn no_entry_is_hidden_by_one_before_it() {
        for (index, (name, phase, meaning)) in ARTIFACTS.iter().enumerate() {
            let sample = match name {
                Is(text) | Starts(text) | Ends(text) => text,
            };
            assert_eq!(
                artifact(sample),
                (*phase, *meaning),
                "entry {index}: {sample}"
            );
        }
    }

    #[test]
    fn graphs_are_told_from_what_is_called_alike() {
        for name in [
            "dynamo_output_graph",
            "aot_joint_graph",
            "aot_forward_graph",
            "aot_backward_graph",
            "aot_inference_graph",
            "inductor_post_grad_graph",
            "before_pre_grad_graph",
            "after_post_grad_graph",
            "compiled_autograd_graph",
            "optimize_ddp_split_child",
            "graph_dump",
            "make_fx_fail_partial",
        ] {
            assert!(holds_graph(name), "{name}");
        }
        for name in [
            GRAPH_BREAK,
            "fx_graph_cache_miss",
            "fx_graph_runnable",
            "aot_forward_graph_fw_metadata",
            "inductor_output_code",
            "dynamo_cpp_guards_str",
            "compilation_metrics",
            "inductor_provenance_tracking_node_mappings",
            "forward_pass_ORIGINAL_BYTECODE",
            "torch_dynamo_resume_in_no_grad_at_3_MODIFIED_BYTECODE",
        ] {
            assert!(!holds_graph(name), "{name}");
        }
    }
}
