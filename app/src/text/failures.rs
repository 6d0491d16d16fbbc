//! What failed, and what to do next: for each component and each kind of failure, and for the runs that
//! would confirm it; and what the view of failures and warnings says itself.
//!
//! Start at [`component`] and [`kind`]; [`test`] gives the words for a run. Texts have no gaps: names of
//! functions, backends and files stand beside them on the page.

use crate::engine::protocol::{Link, StackKind};
use crate::text::format::counted;
use dynascope_core::analysis::failure::{
    Ablation, Backend, Certainty, Component, Dynamic, FailureKind, Outcome, Run,
};

/// The words for a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComponentWords {
    /// The component.
    pub component: Component,
    /// Its name.
    pub name: &'static str,
    /// Its name within a sentence.
    pub within: &'static str,
    /// What it does, and so what its failure means.
    pub text: &'static str,
}

/// All components, in the order of [`Component::ALL`].
pub const COMPONENTS: [ComponentWords; 7] = [
    ComponentWords {
        component: Component::User,
        name: "Your program",
        within: "your program",
        text: "The exception comes from the program itself or from a library that it uses. Without torch.compile it would most likely happen too.",
    },
    ComponentWords {
        component: Component::Dynamo,
        name: "Dynamo",
        within: "Dynamo",
        text: "Dynamo reads the program's Python and makes graphs of it. It failed, or refused; what it was reading did not reach a backend.",
    },
    ComponentWords {
        component: Component::AotAutograd,
        name: "AOTAutograd",
        within: "AOTAutograd",
        text: "AOTAutograd takes Dynamo's graph and makes graphs of the forward and the backward pass. Dynamo had succeeded; kernels were not reached.",
    },
    ComponentWords {
        component: Component::Inductor,
        name: "Inductor",
        within: "Inductor",
        text: "Inductor makes kernels of graphs, and calls a C++ compiler or Triton for them. Dynamo and AOTAutograd had succeeded.",
    },
    ComponentWords {
        component: Component::Backend,
        name: "Another backend",
        within: "another backend",
        text: "The backend that was given to torch.compile raised an exception. Dynamo had traced the program; the graph that it handed over can be looked at.",
    },
    ComponentWords {
        component: Component::Device,
        name: "The device",
        within: "the device",
        text: "The device, its driver or its memory failed. What was compiled at that moment need not be the cause.",
    },
    ComponentWords {
        component: Component::Unknown,
        name: "Not told",
        within: "not told",
        text: "Neither the exception's type nor the lines above it say which part failed. The runs below narrow it down.",
    },
];

/// The words for a kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindWords {
    /// The kind.
    pub kind: FailureKind,
    /// What happened, in a line.
    pub title: &'static str,
    /// The same behind the name of a component, or within a sentence.
    pub within: &'static str,
    /// The component that the title names, so that it need not stand before it.
    pub names: Option<Component>,
    /// What to do next.
    pub next: &'static str,
}

/// All kinds, in the order of [`FailureKind::ALL`].
pub const KINDS: [KindWords; 25] = [
    KindWords {
        kind: FailureKind::Raised,
        title: "The program raised an exception",
        within: "the program raised an exception",
        names: Some(Component::User),
        next: "Run the program without torch.compile. If the exception stays, it is the program's own; if it goes, run it with backend=\"eager\" and compare.",
    },
    KindWords {
        kind: FailureKind::Setting,
        title: "PyTorch does not know a setting",
        within: "PyTorch does not know a setting",
        names: None,
        next: "Correct the name that the message shows. Settings of TORCH_LOGS and of the configuration differ between versions; the message lists those of this one.",
    },
    KindWords {
        kind: FailureKind::GraphBreak,
        title: "Dynamo cannot trace a line, and cannot break the graph there",
        within: "Dynamo cannot trace a line, and cannot break the graph there",
        names: Some(Component::Dynamo),
        next: "Look at the line and the hints, and change the line or move it out of the compiled function. With fullgraph=True this ends the program. Otherwise the program goes on, and the whole function runs without being compiled: most often because the graph would break inside a loop or a with block.",
    },
    KindWords {
        kind: FailureKind::UserError,
        title: "Dynamo asks for a change of the program",
        within: "Dynamo asks for a change of the program",
        names: Some(Component::Dynamo),
        next: "Follow the message: it names what is not supported and what to write instead. Without fullgraph=True Dynamo mostly breaks the graph here.",
    },
    KindWords {
        kind: FailureKind::FakeTensor,
        title: "An operation failed on tensors without data",
        within: "an operation failed on tensors without data",
        names: None,
        next: "Dynamo runs operations on shapes alone. Check that the shapes and types in the message fit each other, first by a run without torch.compile. A custom operator needs a fake implementation (torch.library.register_fake).",
    },
    KindWords {
        kind: FailureKind::ConstraintViolation,
        title: "A size that was marked as dynamic is not dynamic",
        within: "a size that was marked as dynamic is not dynamic",
        names: None,
        next: "The code fixes the size at the line shown. Remove mark_dynamic or use maybe_mark_dynamic, or change the line so that it works for any size. TORCH_LOGS=\"+dynamic\" shows where the size was fixed.",
    },
    KindWords {
        kind: FailureKind::DataDependent,
        title: "The value of a tensor would decide what is compiled",
        within: "the value of a tensor would decide what is compiled",
        names: None,
        next: "At compile time the value is not known. Promise what is true of it with torch._check, use torch.cond or torch.where in place of a branch, or let the graph break here.",
    },
    KindWords {
        kind: FailureKind::RecompileLimit,
        title: "A function was compiled as often as it may be",
        within: "a function was compiled as often as it may be",
        names: None,
        next: "Find out why it is compiled again: TORCH_LOGS=\"recompiles\" names a reason for each. Make what changes dynamic or a tensor; raise torch._dynamo.config.recompile_limit only if the number of versions is known and small.",
    },
    KindWords {
        kind: FailureKind::Recompiled,
        title: "A function was compiled again although it may not be",
        within: "a function was compiled again although it may not be",
        names: None,
        next: "torch._dynamo.config.error_on_recompile makes an error of each recompile. The message names the guard that failed: make what changed dynamic, or allow the recompile.",
    },
    KindWords {
        kind: FailureKind::ResetRequired,
        title: "The backend changed without a reset",
        within: "the backend changed without a reset",
        names: Some(Component::Backend),
        next: "Call torch._dynamo.reset() before you compile with another backend or other options.",
    },
    KindWords {
        kind: FailureKind::Internal,
        title: "The compiler failed with an internal error",
        within: "the compiler failed with an internal error",
        names: None,
        next: "Run the line without torch.compile first: an exception that the program raises there, too, can be wrapped like this. If it runs, this is most likely a bug in PyTorch: confirm which part it is with the runs below, try a newer version, and report it with the smallest program that still fails.",
    },
    KindWords {
        kind: FailureKind::BackendRaised,
        title: "The backend raised an exception",
        within: "the backend raised an exception",
        names: Some(Component::Backend),
        next: "Look at the backend's own lines in the traceback. With backend=\"eager\" the same graph runs without it; TORCH_LOGS=\"graph_code\" prints the graph that it was given.",
    },
    KindWords {
        kind: FailureKind::Lowering,
        title: "Inductor could not make code of an operator",
        within: "Inductor could not make code of an operator",
        names: Some(Component::Inductor),
        next: "The message names the operator below “target” and its arguments. Try a newer version, write the operation otherwise, or wrap it in torch.compiler.disable, which breaks the graph around it.",
    },
    KindWords {
        kind: FailureKind::CppCompile,
        title: "The C++ compiler refused generated code",
        within: "the C++ compiler refused generated code",
        names: None,
        next: "Read the compiler's output: an unknown option or a missing header is a matter of the installation, an error in the code itself one of PyTorch's. A newer GCC or Clang (setting CXX) solves most of the first kind.",
    },
    KindWords {
        kind: FailureKind::GpuCompile,
        title: "The compiler for the GPU refused generated code",
        within: "the compiler for the GPU refused generated code",
        names: None,
        next: "Check that the versions of the driver, the CUDA toolkit and Triton fit each other and the device. If they do, report it with the code that the message shows.",
    },
    KindWords {
        kind: FailureKind::MissingCompiler,
        title: "A compiler or its headers were not found",
        within: "a compiler or its headers were not found",
        names: None,
        next: "Install a C++ compiler (on Debian and Ubuntu: g++ and python3-dev; on Windows: the Build Tools of Visual Studio), or name one with CXX and CC. Triton needs a C compiler for its launcher even where all kernels run on the GPU.",
    },
    KindWords {
        kind: FailureKind::MissingTriton,
        title: "Triton is missing, or does not know the device",
        within: "Triton is missing, or does not know the device",
        names: None,
        next: "Install the version of Triton that this version of PyTorch asks for. Devices of CUDA capability below 7.0 are not supported: use backend=\"aot_eager\" there, or do without torch.compile.",
    },
    KindWords {
        kind: FailureKind::TritonCompile,
        title: "Triton refused a kernel",
        within: "Triton refused a kernel",
        names: None,
        next: "If the kernel is the program's own, the message shows the line of it. If Inductor wrote it, try a newer version of PyTorch with its own Triton, and report it with the kernel (TORCH_LOGS=\"output_code\").",
    },
    KindWords {
        kind: FailureKind::OutOfResources,
        title: "A kernel needs more than the device has",
        within: "a kernel needs more than the device has",
        names: None,
        next: "Reduce block sizes or num_stages of a kernel of your own. For kernels of Inductor's, run without autotuning (mode=\"default\"), and report it.",
    },
    KindWords {
        kind: FailureKind::GeneratedCode,
        title: "A compiled graph failed when it ran",
        within: "a compiled graph failed when it ran",
        names: None,
        next: "The code was made, and failed at run time. backend=\"aot_eager_decomp_partition\" runs the same graphs without kernels; CUDA_LAUNCH_BLOCKING=1 makes errors of the GPU show where they happen.",
    },
    KindWords {
        kind: FailureKind::Accuracy,
        title: "Compiled and eager results differ",
        within: "compiled and eager results differ",
        names: None,
        next: "The minifier found a graph whose results differ beyond the tolerance. Its script reproduces it: compare in float64 first, because orders of additions may differ without an error.",
    },
    KindWords {
        kind: FailureKind::OutOfMemory,
        title: "Memory ran out",
        within: "memory ran out",
        names: Some(Component::Device),
        next: "Compare with a run without torch.compile. If only the compiled one fails, leave out CUDA graphs (mode=\"default\") and autotuning, which hold memory of their own; else use smaller batches or activation checkpointing.",
    },
    KindWords {
        kind: FailureKind::DeviceError,
        title: "The device or its library reported an error",
        within: "the device or its library reported an error",
        names: Some(Component::Device),
        next: "Errors of the GPU are reported late: run with CUDA_LAUNCH_BLOCKING=1 to see which call it was. If it goes away with backend=\"aot_eager_decomp_partition\", a generated kernel reads or writes outside its tensors.",
    },
    KindWords {
        kind: FailureKind::Interrupted,
        title: "The program was interrupted",
        within: "the program was interrupted",
        names: Some(Component::User),
        next: "Nothing failed: somebody pressed Ctrl-C, or a notebook's kernel was interrupted. The lines above only say what was running at that moment. If it seemed to hang there, that is where it spent its time.",
    },
    KindWords {
        kind: FailureKind::Ended,
        title: "The program ended itself",
        within: "the program ended itself",
        names: Some(Component::User),
        next: "Nothing failed in the compiler: the program called sys.exit, a generator was closed, or what read the program's output had ended before. Look at what stands before it, if the program should have gone on.",
    },
];

/// The words where a kind is not told.
pub const UNTOLD: KindWords = KindWords {
    kind: FailureKind::Unknown,
    title: "An exception whose origin is not told",
    within: "an exception whose origin is not told",
    names: None,
    next: "Try the runs below in their order. The first one that fails in the same way shows the part that failed.",
};

/// What the page shows.
pub const LEAD: &str = "Exceptions, warnings and summaries that the program printed or logged, with what they mean and what to do next.";
/// A traceback whose end is missing.
pub const CUT_OFF: &str = "The text stops before the exception is named.";
/// The page has nothing to show.
pub const NOTHING: &str =
    "No exception, warning or summary of torch.compile was found in this log.";
/// The log is still being read.
pub const NOT_YET: &str = "Failures and warnings are looked for once the whole log is read.";
/// What a limit means.
pub const LIMIT: &str = "The function was compiled as often as it may be. From then on, calls that fit no version run as plain Python. Make what changes dynamic, or a tensor; TORCH_LOGS=\"recompiles\" names the reason of each recompile.";
/// What a sum of times means.
pub const TIMES: &str = "Seconds that each part of the compiler ran, as torch._dynamo.utils.compile_times() gives them. Parts run within each other: sums overlap.";
/// What `explain` tells.
pub const EXPLAIN: &str = "What torch._dynamo.explain found when it traced the function once.";
/// What stands above runs that would confirm what failed.
pub const RUNS: &str =
    "Run it again to be sure: f is what you compile. Change one thing at a time.";
/// A log that consists of plain output.
pub const ONLY_PLAIN: &str = "This is plain output of a program: it holds no record of what was compiled. TORCH_TRACE=/tmp/trace (PyTorch 2.3 or later) records every graph, guard and break; TORCH_LOGS=\"graph_breaks,recompiles\" prints the most useful part to the console.";

/// What the page is called.
pub const TITLE: &str = "Failures and warnings";
/// Above the failures.
pub const FAILED: &str = "What failed";
/// Above the program's line that led to a failure.
pub const OWN_LINE: &str = "Your line";
/// Above what to do next.
pub const NEXT: &str = "What to do next";
/// A link to what PyTorch's documentation says.
pub const PAGE: &str = "PyTorch's page about it";
/// Before the path of the minifier's script.
pub const MINIFIER: &str = "PyTorch wrote a script that reproduces it: ";
/// Around the exception that came out of the program, where another one tells more.
pub const SURFACED: (&str, &str) = (
    "It came out of the program as ",
    "; the whole traceback is below.",
);
/// Above runs that would confirm what failed.
pub const RUNS_TITLE: &str = "Runs that would confirm it";
/// Above the limits.
pub const LIMITS_TITLE: &str = "Limits that were reached";
/// Above the last reason for which a limit was reached.
pub const LIMIT_REASON: &str = "Why the last call did not fit";
/// Above the reasons for graph breaks that `explain` gives.
pub const BREAK_REASONS: &str = "Why graphs broke";
/// Above what `explain` tells of each graph.
pub const GRAPH_OPERATIONS: &str = "Operations of each graph";
/// Above a table of compile times.
pub const TIMES_TITLE: &str = "Compile times";

/// The words for a component.
#[must_use]
pub fn component(component: Component) -> &'static ComponentWords {
    let [.., last] = &COMPONENTS;
    COMPONENTS
        .iter()
        .find(|words| words.component == component)
        .unwrap_or(last)
}

/// The words for a kind of failure.
#[must_use]
pub fn kind(kind: FailureKind) -> &'static KindWords {
    KINDS
        .iter()
        .find(|words| words.kind == kind)
        .unwrap_or(&UNTOLD)
}

/// Which component failed and how, in a sentence that says how sure that is.
#[must_use]
pub fn sentence(failed: Component, what: FailureKind, sure: Certainty) -> String {
    let (component, kind) = (component(failed), kind(what));
    let is_told = failed != Component::Unknown;
    let is_named = !is_told || kind.names == Some(failed);
    match (sure, is_named) {
        (Certainty::Guessed, false) => {
            format!("Most likely: {}: {}", component.within, kind.within)
        }
        (Certainty::Guessed, true) if is_told => format!("Most likely: {}", kind.within),
        (_, true) => kind.title.to_owned(),
        (Certainty::Certain, false) => format!("{}: {}", component.name, kind.within),
    }
}

/// How sure the answer is, in a word, and why.
#[must_use]
pub fn certainty(certainty: Certainty) -> (&'static str, &'static str) {
    match certainty {
        Certainty::Certain => (
            "certain",
            "The type of the exception or its message says so.",
        ),
        Certainty::Guessed => (
            "likely",
            "Concluded from the innermost lines of the traceback, because the exception's type is a common one.",
        ),
    }
}

/// A run, as the argument of `torch.compile` to set, and what its end shows.
#[must_use]
pub fn run(run: Run) -> (String, &'static str) {
    let argument = match run.ablation {
        Ablation::Backend(backend) => format!("backend=\"{}\"", backend.name()),
        Ablation::Mode(mode) => format!("mode=\"{}\"", mode.name()),
        Ablation::Dynamic(Dynamic::True) => "dynamic=True".to_owned(),
        Ablation::Dynamic(Dynamic::False) => "dynamic=False".to_owned(),
        Ablation::Dynamic(Dynamic::None) => "dynamic=None".to_owned(),
        Ablation::GraphBreaks => "fullgraph=False".to_owned(),
    };
    let shows = match (run.ablation, run.expected) {
        (Ablation::Backend(Backend::Eager), Outcome::Fails) => {
            "Runs the traced graph without any backend. If it still fails, no backend is to blame."
        }
        (Ablation::Backend(Backend::Eager), Outcome::Passes) => {
            "Runs the traced graph without any backend. If the failure goes away, Dynamo is not to blame."
        }
        (Ablation::Backend(Backend::AotEager), Outcome::Fails) => {
            "Adds AOTAutograd, but makes no kernels. If it still fails, AOTAutograd is to blame."
        }
        (Ablation::Backend(Backend::AotEager), Outcome::Passes) => {
            "Adds AOTAutograd, but makes no kernels. If the failure goes away, AOTAutograd is not to blame."
        }
        (Ablation::Backend(Backend::AotEagerDecompPartition), _) => {
            "Does all but make kernels: decompositions and the partitioner of Inductor too. If the failure goes away, Inductor's own code is to blame."
        }
        (Ablation::Backend(Backend::Inductor), _) => {
            "Uses PyTorch's own backend. If the failure goes away, the other backend is to blame."
        }
        (Ablation::Mode(_), _) => {
            "Leaves out CUDA graphs and autotuning. If the failure goes away, one of them is to blame."
        }
        (Ablation::Dynamic(Dynamic::False), _) => {
            "Compiles for fixed sizes. If the failure goes away, it has to do with sizes as symbols."
        }
        (Ablation::Dynamic(_), _) => {
            "Lets sizes change. If the limit is not reached any longer, changing sizes were the cause."
        }
        (Ablation::GraphBreaks, _) => {
            "Allows graph breaks. If the program runs, only the one line cannot be traced."
        }
    };
    (argument, shows)
}

/// How an exception follows from the one above it.
#[must_use]
pub fn link(link: Link) -> &'static str {
    match link {
        Link::First => "",
        Link::Cause => "which was the cause of",
        Link::Context => "and while that was handled",
        Link::Quoted => "which another process reports as",
        Link::Member => "with, as a part of it",
    }
}

/// What a stack within a message shows.
#[must_use]
pub fn stack(kind: StackKind) -> &'static str {
    match kind {
        StackKind::Traced => "The program's lines that were being traced",
        StackKind::User => "The program's lines that need it",
        StackKind::Call => "The call that raised it",
        StackKind::Framework => "The line of PyTorch that may be to blame",
    }
}

/// What is not shown.
#[must_use]
pub fn left_out(number: &str) -> String {
    format!("{number} more were found and are not shown; the search finds their lines.")
}

/// What was not looked through.
#[must_use]
pub fn too_large(number: &str) -> String {
    format!("{number} messages are too large to be looked through.")
}

/// Warnings of a kind beyond those that are shown: how many.
#[must_use]
pub fn more_warnings(number: &str) -> String {
    format!("{number} with other words are not shown.")
}

/// How a run ends if the page is right.
#[must_use]
pub fn expected(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passes => "If this page is right, it is expected to pass.",
        Outcome::Fails => "If this page is right, it is expected to fail the same way.",
    }
}

/// The line above a whole traceback: how many calls it has.
#[must_use]
pub fn whole_traceback(calls: u64) -> String {
    format!("The whole traceback ({})", counted(calls, "call", "calls"))
}

/// Exceptions before those that are shown: how many.
#[must_use]
pub fn earlier_exceptions(number: u32) -> String {
    let number = counted(u64::from(number), "earlier exception", "earlier exceptions");
    format!("{number} left out")
}

/// Calls between those that are shown: how many.
#[must_use]
pub fn calls_between(number: u32) -> String {
    let number = counted(u64::from(number), "call", "calls");
    format!("{number} in the middle left out")
}

#[cfg(test)]
mod tests {
    use super::*;
    use dynascope_core::analysis::failure::Mode;

    #[test]
    fn every_component_and_kind_has_its_own_words() {
        for (at, of) in Component::ALL.into_iter().enumerate() {
            assert_eq!(component(of), &COMPONENTS[at]);
            assert_eq!(COMPONENTS[at].component, of);
            assert!(COMPONENTS[at].text.ends_with('.'));
        }
        for of in FailureKind::ALL {
            let words = kind(of);
            assert_eq!(words.kind, of);
            assert!(words.title.len() < 80 && !words.title.ends_with('.'));
            assert!(words.next.ends_with('.') && words.next.len() > 80);
        }
        assert_eq!(KINDS.len() + 1, FailureKind::ALL.len());
    }

    /// Whether text within a sentence starts with a small letter, or with a name that keeps its own.
    fn reads_on(text: &str) -> bool {
        let names = ["PyTorch", "Dynamo", "AOTAutograd", "Inductor", "Triton"];
        text.starts_with(char::is_lowercase) || names.iter().any(|name| text.starts_with(name))
    }

    #[test]
    fn a_sentence_names_the_component_once_and_reads_on() {
        for words in &COMPONENTS {
            assert!(words.within.eq_ignore_ascii_case(words.name));
            assert!(reads_on(words.within), "{}", words.within);
            for of in FailureKind::ALL {
                let kind = kind(of);
                assert!(kind.within.eq_ignore_ascii_case(kind.title));
                let certain = sentence(words.component, of, Certainty::Certain);
                let guessed = sentence(words.component, of, Certainty::Guessed);
                for text in [&certain, &guessed] {
                    assert!(text.starts_with(char::is_uppercase), "{text}");
                    assert!(text.split(": ").skip(1).all(reads_on), "{text}");
                    assert!(text.matches(words.name).count() <= 1, "{text}");
                    assert!(text.ends_with(kind.within) || text == kind.title, "{text}");
                }
                let is_told = words.component != Component::Unknown;
                let is_named = kind.names == Some(words.component);
                assert_eq!(certain == kind.title, is_named || !is_told, "{certain}");
                assert_eq!(guessed.starts_with("Most likely: "), is_told, "{guessed}");
            }
        }
    }

    #[test]
    fn every_run_says_what_its_end_shows() {
        let mut ablations: Vec<Ablation> = Backend::ALL.map(Ablation::Backend).into();
        ablations.extend([
            Ablation::Mode(Mode::Default),
            Ablation::Dynamic(Dynamic::True),
            Ablation::Dynamic(Dynamic::False),
            Ablation::Dynamic(Dynamic::None),
            Ablation::GraphBreaks,
        ]);
        let mut arguments = Vec::new();
        for ablation in ablations {
            for expected in [Outcome::Passes, Outcome::Fails] {
                let (argument, shows) = run(Run { ablation, expected });
                assert!(shows.ends_with('.') && shows.contains(" If "), "{shows}");
                arguments.push(argument);
            }
        }
        arguments.dedup();
        assert_eq!(arguments.len(), 9);
    }
}
