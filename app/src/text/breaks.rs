//! What broke a graph, and what to do: for each kind of graph break; and what the view of graph breaks says itself.
//!
//! Start at [`kind`]. Examples are short: the reader's own line stands beside them on the page.

use crate::engine::protocol::{BreakKind, BreakRow};
use crate::text::format::{count, counted, seconds};

/// The words for a kind of graph break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakWords {
    /// The kind.
    pub kind: BreakKind,
    /// What broke the graph, in a line.
    pub title: &'static str,
    /// What to do.
    pub next: &'static str,
    /// The same in code; empty where no code fits all programs.
    pub after: &'static str,
}

/// All kinds, in their order.
pub const BREAKS: [BreakWords; 19] = [
    BreakWords {
        kind: BreakKind::Print,
        title: "The program prints",
        next: "Printing cannot be part of a graph, so the graph ends before it. Print outside the compiled function, only when the function is not compiled, or allow PyTorch to print when the graph has run.",
        after: "if not torch.compiler.is_compiling():   # torch 2.1 and later\n    print(x.shape)\n\n# or once, at the start of the program:\ntorch._dynamo.config.reorderable_logging_functions.add(print)",
    },
    BreakWords {
        kind: BreakKind::Log,
        title: "The program logs or warns",
        next: "Writing to a log cannot be part of a graph, so the graph ends before it. Log outside the compiled function, or only when the function is not compiled. PyTorch can also leave such calls out of compiled code; then nothing is logged there.",
        after: "if not torch.compiler.is_compiling():   # torch 2.1 and later\n    logger.info(\"step\")",
    },
    BreakWords {
        kind: BreakKind::Item,
        title: "A Python number is made of a tensor",
        next: "The number is known only when the graph has run, so the graph ends before it. Keep the value in a tensor, move the call behind the compiled function, or let the graph carry such numbers.",
        after: "# once, at the start of the program:\ntorch._dynamo.config.capture_scalar_outputs = True",
    },
    BreakWords {
        kind: BreakKind::Branch,
        title: "The program branches on what a tensor holds",
        next: "Which way the program goes is known only when the graph has run. Compute both sides and choose with torch.where, use torch.cond, or branch on something that Python knows, such as a shape or a flag.",
        after: "x = torch.where(x.sum() > 0, x.sin(), x.cos())\n\n# or, where one side is costly:\nx = torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))",
    },
    BreakWords {
        kind: BreakKind::Assert,
        title: "The program asserts what a tensor holds",
        next: "Whether it holds is known only when the graph has run. Let the graph check it, or check outside the compiled function.",
        after: "torch._assert(x.sum() > 0, \"x must be positive\")   # a string, not an f-string",
    },
    BreakWords {
        kind: BreakKind::DynamicShape,
        title: "The size of a result depends on what a tensor holds",
        next: "Operations such as nonzero, unique or x[mask] give results whose size is known only when they have run. Keep the size fixed with torch.where or a mask, move the operation out of the compiled function, or let the graph carry such sizes.",
        after: "# once, at the start of the program:\ntorch._dynamo.config.capture_dynamic_output_shape_ops = True",
    },
    BreakWords {
        kind: BreakKind::Content,
        title: "Python needs to know what a tensor holds",
        next: "An operation such as torch.equal gives Python a value, or a tensor stands where Python wants a number, as in a slice. Keep the result in a tensor, slice with Python numbers or x.narrow, or do it outside the compiled function.",
        after: "",
    },
    BreakWords {
        kind: BreakKind::Intentional,
        title: "The program asks for it",
        next: "torch._dynamo.graph_break() ends the graph, and torch._dynamo.skip_frame() leaves the function out, on purpose. Remove the call if it is not needed any longer.",
        after: "",
    },
    BreakWords {
        kind: BreakKind::Disabled,
        title: "A function is excluded from compiling",
        next: "The function is marked with torch.compiler.disable, by the program or by a library, and runs without being compiled. Remove the mark, or call the function before or behind the compiled part, so that it does not cut it in two.",
        after: "",
    },
    BreakWords {
        kind: BreakKind::Skipped,
        title: "A function that Dynamo does not trace",
        next: "The function is not written in Python, or PyTorch leaves it out on purpose (an optimizer's step, a clock, a library in C). Call it outside the compiled function. If it computes with tensors, make it an operator of its own: the graph then holds one call of it.",
        after: "# torch 2.4 and later; for training also work.register_autograd(…)\n@torch.library.custom_op(\"mine::work\", mutates_args=())\ndef work(x: torch.Tensor) -> torch.Tensor:\n    return c_library.work(x)\n\n@work.register_fake\ndef _(x):\n    return torch.empty_like(x)",
    },
    BreakWords {
        kind: BreakKind::Loop,
        title: "The graph broke inside a loop",
        next: "A graph break inside for or while cannot be continued: the whole function runs without being compiled. Remove the break inside the loop, or make the loop's body a function and compile that.",
        after: "step = torch.compile(step)\n\nfor batch in batches:   # the loop itself is not compiled\n    step(batch)",
    },
    BreakWords {
        kind: BreakKind::Generator,
        title: "A generator",
        next: "Dynamo follows generators only in part. Make a list of what it yields before the compiled function is called, or use a plain loop.",
        after: "",
    },
    BreakWords {
        kind: BreakKind::Context,
        title: "Inside a with or try block",
        next: "Behind a graph break inside a with or try block the program cannot always go on compiled. Remove the break inside the block, or put the block around the call of the compiled function.",
        after: "",
    },
    BreakWords {
        kind: BreakKind::Numpy,
        title: "NumPy",
        next: "Dynamo traces many functions of NumPy as functions of PyTorch, but not this one or not with these settings. Use the function of torch, or convert outside the compiled function.",
        after: "",
    },
    BreakWords {
        kind: BreakKind::Rnn,
        title: "nn.RNN, nn.LSTM or nn.GRU",
        next: "PyTorch breaks the graph at these modules on purpose; they run with their own fast code. Nothing need be done, unless the parts around them are small. Newer versions can trace them when allowed to.",
        after: "# once, at the start of the program (torch 2.7 and later):\ntorch._dynamo.config.allow_rnn = True",
    },
    BreakWords {
        kind: BreakKind::Autograd,
        title: "backward(), requires_grad_() or a hook",
        next: "Such calls belong to autograd, which works between graphs. Compile the forward pass and the loss, and call backward() outside; set requires_grad before the compiled function is called.",
        after: "loss = compiled_loss(model, batch)   # no backward() inside\nloss.backward()",
    },
    BreakWords {
        kind: BreakKind::Raised,
        title: "An exception was raised while tracing",
        next: "An operation refused its arguments, or the program raised. Run the function without torch.compile: if it raises there too, the program is at fault. Where the exception is expected and handled, check for its cause in advance.",
        after: "",
    },
    BreakWords {
        kind: BreakKind::RecompileLimit,
        title: "The recompile limit was reached",
        next: "PyTorch compiles no further version of the function: calls that fit none of the versions run as plain Python from then on, in older versions of PyTorch all calls. The overview lists why it was compiled again: that is what to change.",
        after: "",
    },
    BreakWords {
        kind: BreakKind::Other,
        title: "Something that Dynamo does not trace",
        next: "Follow what PyTorch says below. If it says nothing useful, move the line out of the compiled function, or exclude the small function that holds it.",
        after: "",
    },
];

/// A break that code of PyTorch or of a library asks for.
const OF_A_LIBRARY: BreakWords = BreakWords {
    kind: BreakKind::Intentional,
    title: "PyTorch or a library asks for it",
    next: "The line is not the program's own, and nothing can be changed there. What can be changed is where the library is called: before or behind the compiled function, so that it does not cut it in two.",
    after: "",
};

/// The words for a break.
pub fn of(row: &BreakRow) -> &'static BreakWords {
    let is_own = row.place.as_ref().is_none_or(|place| place.is_own);
    if row.kind == BreakKind::Intentional && !is_own {
        return &OF_A_LIBRARY;
    }
    kind(row.kind)
}

/// The words for a kind.
fn kind(kind: BreakKind) -> &'static BreakWords {
    let [.., other] = &BREAKS;
    BREAKS
        .iter()
        .find(|words| words.kind == kind)
        .unwrap_or(other)
}

/// Title of the view.
pub const TITLE: &str = "Graph breaks";
/// What the view shows.
pub const LEAD: &str = "Where the compiler had to end a graph and go on with another: each place once, those that broke most often first. Every break costs speed, since the parts cannot be optimised together, and what follows is compiled and guarded on its own.";
/// Above the places.
pub const PLACES: &str = "What broke, and what to do";
/// Nothing broke.
pub const NONE: &str = "The log tells of no graph break. What PyTorch warns of without being asked, such as Tensor.item(), stands under Failures.";
/// As long as the log is being read.
pub const NOT_YET: &str = "Breaks are listed when all of the log is read.";
/// Behind the name of a function that is skipped.
pub const SKIP: &str = "is not compiled: it cannot be continued behind this break, and runs as plain Python; only functions that it calls are compiled.";
/// In the place of a function's name.
pub const UNNAMED: &str = "the function";
/// Below a title: no record tells of it.
pub const INFERRED: &str = "The log does not tell of this break itself (PyTorch does since 2.6, or with TORCH_LOGS=\"graph_breaks\"). It follows from what was compiled behind it, or from an attempt that was given up.";
/// Where no reason is known.
pub const NO_REASON: &str =
    "Why it broke here was not logged. TORCH_LOGS=\"graph_breaks\" prints it.";
/// A title where no reason is known.
pub const UNKNOWN: &str = "A graph break";
/// In a table, behind the name of a function.
pub const SKIPPED: &str = "is not compiled for it";
/// Before what to do.
pub const NEXT: &str = "What to do";
/// Before what PyTorch says.
pub const SAID: &str = "What PyTorch says";
/// Before PyTorch's hints.
pub const HINTS: &str = "PyTorch's hints";
/// Before a break that came of handling another.
pub const THEN: &str = "While handling this break, another one occurred:";
/// What the developers' context is called.
pub const CONTEXT: &str = "For developers of PyTorch";

/// How much there is, for the heading.
pub fn sum(places: u32, breaks: u64) -> String {
    let places = counted(u64::from(places), "place", "places");
    match breaks {
        0 => format!("Graph breaks at {places}"),
        breaks => format!(
            "{} at {places}",
            counted(breaks, "graph break", "graph breaks")
        ),
    }
}

/// The label of a button that shows more places.
pub fn more(number: u32) -> String {
    format!("Show {} more", count(u64::from(number)))
}

/// Breaks at places that are not told apart.
pub fn left_out(number: u32) -> String {
    let breaks = counted(u64::from(number), "break", "breaks");
    format!("{breaks} at other places are not listed, because there are too many places.")
}

/// Records that could not be read.
pub fn unread(number: u32) -> String {
    let records = counted(u64::from(number), "record", "records");
    format!("{records} of graph breaks could not be read. They stand among all records.")
}

/// How many of the breaks at a place lead to a function that is skipped; before its name.
pub fn skips(times: u32, of: u64) -> String {
    if u64::from(times) >= of {
        String::new()
    } else {
        let of = counted(of, "time", "times");
        format!("In {} of {of}:", count(u64::from(times)))
    }
}

/// Behind the place of a function that is skipped: other functions that are, too.
pub fn and_others(others: u32) -> Option<String> {
    let others = (others > 0).then(|| counted(u64::from(others), "other", "others"))?;
    Some(format!("and {others} "))
}

/// What was compiled behind a break; links to some of it follow.
pub fn behind(resumed: u32, spent: Option<f64>) -> String {
    let times = counted(u64::from(resumed), "compilation", "compilations");
    match spent {
        Some(spent) => format!(
            "What follows behind it took {times} of its own, {}:",
            seconds(spent)
        ),
        None => format!("What follows behind it took {times} of its own:"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_words() {
        for known in BreakKind::ALL {
            let words = kind(known);
            assert_eq!(words.kind, known);
            assert!(!words.title.is_empty() && words.next.ends_with('.'));
        }
    }

    #[test]
    fn sums_read_as_sentences() {
        assert_eq!(sum(1, 1), "1 graph break at 1 place");
        assert_eq!(sum(3, 9), "9 graph breaks at 3 places");
        assert_eq!(sum(2, 0), "Graph breaks at 2 places");
        assert_eq!(
            behind(1, None),
            "What follows behind it took 1 compilation of its own:"
        );
    }
}
