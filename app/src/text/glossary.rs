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
pub const TERMS: [Term; 22] = [
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
        word: "Kernel",
        meaning: "A program that runs on the device and does the work of one or more operations.",
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
        word: "Record",
        meaning: "One entry of the log: a prefix, metadata as JSON, and often a payload.",
    },
    Term {
        word: "Restart",
        meaning: "An attempt that was given up to start again with what it learned, for example that a graph break is needed.",
    },
    Term {
        word: "Specialization",
        meaning: "A size that was dynamic and became fixed, because the program's code depends on its value.",
    },
    Term {
        word: "Symbol",
        meaning: "The name of a dynamic size, such as s0; u0 is one that depends on a tensor's content.",
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
