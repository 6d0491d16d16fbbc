//! What PyTorch's words mean.

/// A word and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The word, as PyTorch uses it.
    pub word: &'static str,
    /// What it means, in a sentence or two.
    pub meaning: &'static str,
}

/// All words, in alphabetical order.
pub const TERMS: [Term; 31] = [
    Term {
        word: "AOTAutograd",
        meaning: "The part that lowers Dynamo's graph to basic operations and makes the forward and the backward graph ahead of time.",
    },
    Term {
        word: "Artifact",
        meaning: "Something that the compiler wrote into the log to be read: a graph, guards, generated code, a reason.",
    },
    Term {
        word: "Attempt",
        meaning: "One try at a compilation. [0/1_2] is the third attempt of [0/1]; the first has no mark.",
    },
    Term {
        word: "Cache hit, miss, bypass",
        meaning: "Whether an earlier result was used, was not there, or was not asked for.",
    },
    Term {
        word: "Collective",
        meaning: "An operation in which several ranks take part, such as all-reduce. Ranks that compile different collectives wait for each other forever.",
    },
    Term {
        word: "Compilation",
        meaning: "One run of the compiler over one function, for one set of guards.",
    },
    Term {
        word: "Compile id",
        meaning: "[frame/compilation]: [3/1] is the second compilation of the fourth function. [!0/3/1] was compiled within a backward pass.",
    },
    Term {
        word: "Dynamic shape",
        meaning: "A size that the compiled code does not fix. It is called s0, s1 …, and needs no recompile when it changes.",
    },
    Term {
        word: "Dynamo",
        meaning: "The part that reads Python bytecode and records tensor operations as a graph.",
    },
    Term {
        word: "Frame",
        meaning: "A Python function that Dynamo looks at. Functions that it calls are usually inlined into the same frame.",
    },
    Term {
        word: "FX graph",
        meaning: "The form in which graphs go from part to part: a list of operations, shown as Python code.",
    },
    Term {
        word: "Generation",
        meaning: "Ids start again when a program resets the compiler; each such stretch is a generation.",
    },
    Term {
        word: "Graph break",
        meaning: "A place where the graph ends because Dynamo cannot record what comes: the code there runs as plain Python, and a new graph begins after it.",
    },
    Term {
        word: "Guard",
        meaning: "A condition on inputs that compiled code relies on, such as a type, a shape or a value. If it fails at a call, the function is compiled again.",
    },
    Term {
        word: "Inductor",
        meaning: "The part that turns graphs into kernels: Triton for GPUs, C++ for CPUs.",
    },
    Term {
        word: "Joint graph",
        meaning: "Forward and backward in one graph, before they are split into two.",
    },
    Term {
        word: "Kernel",
        meaning: "A program that runs on the device and does the work of one or more operations.",
    },
    Term {
        word: "Pass",
        meaning: "A step of the compiler that changes a graph: it removes, merges or replaces operations. Graphs before and after one can be compared.",
    },
    Term {
        word: "Pointwise",
        meaning: "Work that treats each element for itself, such as an addition. Inductor merges such operations into one kernel.",
    },
    Term {
        word: "Pre-grad, post-grad",
        meaning: "Inductor's passes before, and after, AOTAutograd made forward and backward of the graph.",
    },
    Term {
        word: "primals, tangents",
        meaning: "AOTAutograd's names: primals_1 is the first input of the forward graph (parameters, buffers, arguments), tangents_1 the gradient that comes in for the first output.",
    },
    Term {
        word: "Rank",
        meaning: "One of the processes of a distributed program. Each writes its own log.",
    },
    Term {
        word: "Recompile",
        meaning: "A compilation of a function that had been compiled before, because no earlier result fits the new inputs.",
    },
    Term {
        word: "Recompile limit",
        meaning: "So many versions of one function are compiled (8; 64 up to torch 2.1); then PyTorch gives up on it and runs it as plain Python.",
    },
    Term {
        word: "Record",
        meaning: "One entry of the log: a prefix, metadata as JSON, and often a payload.",
    },
    Term {
        word: "Restart",
        meaning: "An attempt that was given up to start again with what it learned, for example that a graph break is needed.",
    },
    Term {
        word: "Resume function",
        meaning: "What is left of a function behind a graph break, compiled as a function of its own: torch_dynamo_resume_in_forward_at_12 is forward from line 12 on.",
    },
    Term {
        word: "Specialization",
        meaning: "A size that was dynamic and became fixed, because the program's code depends on its value.",
    },
    Term {
        word: "Stride",
        meaning: "How many elements lie between neighbours of a dimension: [8, 1] for rows of 8 that lie one behind another.",
    },
    Term {
        word: "Symbol",
        meaning: "The name of a dynamic size, such as s0; u0 is one that depends on a tensor's content.",
    },
    Term {
        word: "View",
        meaning: "Another way to look at the same memory, such as a transposed matrix. Nothing is copied.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_stand_in_alphabetical_order() {
        assert!(TERMS.is_sorted_by_key(|term| term.word.to_lowercase()));
    }
}
