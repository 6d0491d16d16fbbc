//! What stands in and behind an exception's message: stacks, and PyTorch's advice.

use super::{Frames, Raised, Stack, StackKind, lines};
use alloc::string::String;
use alloc::vec::Vec;

/// How the lines begin that a stack stands below.
const STACKS: [(&str, StackKind); 6] = [
    ("from user code:", StackKind::Traced),
    ("User stack:", StackKind::User),
    ("User Stack (most recent call last):", StackKind::User),
    ("User code traceback:", StackKind::User),
    ("The following call raised this error:", StackKind::Call),
    ("Potential framework code culprit", StackKind::Framework),
];

/// What a line behind a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// A setting that prints more.
    Verbose,
    /// `suppress_errors`.
    Suppress,
    Minifier,
    Replay,
    /// The page of a graph break. It ends the message without being advice of its own.
    Page,
}

/// How each advice begins, from `augment_exc_message` and `get_exc_message` in torch/_dynamo/exc.py.
const SIGNS: [(&str, Sign); 7] = [
    ("Set TORCHDYNAMO_VERBOSE=1 for ", Sign::Verbose),
    (
        "Set TORCH_LOGS=\"+dynamo\" and TORCHDYNAMO_VERBOSE=1",
        Sign::Verbose,
    ),
    ("Set torch._dynamo.config.verbose=True", Sign::Verbose),
    (
        "You can suppress this exception and fall back to eager",
        Sign::Suppress,
    ),
    ("Minifier script written to ", Sign::Minifier),
    ("Last frame execution written to ", Sign::Replay),
    (
        "For more details about this graph break, please visit: ",
        Sign::Page,
    ),
];

/// Whether a line belongs to a message for sure, however far behind its first line.
pub(super) fn belongs(line: &str) -> bool {
    let content = line.trim_start();
    stack(content).is_some()
        || sign(content).is_some()
        || (content.len() < line.len()
            && ["Explanation: ", "Hint: ", "Developer debug context: "]
                .iter()
                .any(|start| content.starts_with(start)))
}

/// How lines of messages begin that stand at the margin, with nothing above that announces them: of PyTorch's
/// C++ (c10/cuda/CUDAException.cpp, c10/util/Exception.cpp, torch/csrc/distributed/c10d/NCCLUtils.hpp), of
/// data-dependent sizes (torch/fx/experimental/symbolic_shapes.py), of C++ compilers
/// (torch/_inductor/exc.py), of TorchScript and of Triton (triton/compiler/errors.py).
const NEXT_LINES: [&str; 17] = [
    "CUDA kernel errors might be asynchronously reported",
    "HIP kernel errors might be asynchronously reported",
    "For debugging consider passing ",
    "Compile with `TORCH_USE_",
    "Device-side assertion",
    "Exception raised from ",
    "frame #",
    "ncclSystemError: ",
    "ncclUnhandledCudaError: ",
    "ncclInternalError: ",
    "Last error:",
    "Caused by: ",
    "For more information",
    "For extended logs when we create symbols",
    "If you suspect the guard was triggered from C++",
    "For more debugging help, see ",
    "Traceback of TorchScript",
];

/// Whether a line goes on with a message, whose line before is given, without a blank line between them. A
/// message is one line; PyTorch and Python set others deeper, announce them, or write those of
/// [`NEXT_LINES`]. Any other line at the margin is taken for what the program printed next: who takes too
/// little shows the rest as text, who takes too much shows one failure as many.
pub(super) fn goes_on(previous: &str, line: &str) -> bool {
    let content = line.trim_start();
    if content.len() < line.len() {
        return !is_progress(content);
    }
    is_announced(previous)
        || content.starts_with([')', ']', '}'])
        || NEXT_LINES.iter().any(|start| content.starts_with(start))
        // The mark below a line of code, and what Triton says below it.
        || lines::marks(previous.trim_start()).is_some()
        || lines::marks(content).is_some()
}

/// Whether a message whose line before a blank line is given may go on behind it: what is announced, and
/// paragraphs that are all set deeper, such as that of `multiprocessing` on how programs are to start.
pub(super) fn goes_on_behind_blanks(previous: &str) -> bool {
    is_announced(previous) || previous.starts_with([' ', '\t'])
}

/// Whether a line announces the next one.
fn is_announced(previous: &str) -> bool {
    previous.ends_with([':', ',', '(', '[', '{', '\\'])
}

/// Whether a bar of tqdm is drawn in a line.
fn is_progress(content: &str) -> bool {
    let behind = content.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < content.len() && behind.starts_with("%|")
}

fn stack(content: &str) -> Option<StackKind> {
    let found = STACKS.iter().find(|(start, _)| content.starts_with(start));
    found.map(|(_, kind)| *kind)
}

fn sign(content: &str) -> Option<(Sign, &str)> {
    SIGNS
        .iter()
        .find_map(|(start, sign)| Some((*sign, content.strip_prefix(start)?)))
}

/// Takes a message apart.
pub(super) fn split(lines: Vec<(u32, String)>, raised: &mut Raised) {
    let mut message = String::new();
    let mut open: Option<(StackKind, Frames)> = None;
    let mut below_suppress = false;
    for (number, (row, line)) in lines.iter().enumerate() {
        let content = line.trim_start();
        if let Some(kind) = stack(content) {
            close(&mut open, raised);
            open = Some((kind, Frames::default()));
            below_suppress = false;
            continue;
        }
        if let Some((sign, rest)) = sign(content) {
            close(&mut open, raised);
            below_suppress = sign == Sign::Suppress;
            take(sign, rest, raised);
            continue;
        }
        if below_suppress && (line.starts_with("    ") || content.is_empty()) {
            continue;
        }
        below_suppress = false;
        if let Some((_, frames)) = &mut open {
            if line.starts_with([' ', '\t']) {
                frames.line(*row, line);
                continue;
            }
            close(&mut open, raised);
        }
        if number > 0 {
            message.push('\n');
        }
        message.push_str(line);
    }
    close(&mut open, raised);
    if let Some((_, page)) = message.split_once("For more information about this error, see: ") {
        let page = page.split_whitespace().next().unwrap_or_default();
        raised.advice.page = Some(page.into());
    }
    message.truncate(message.trim_end().len());
    raised.message = message;
}

/// Takes an advice, whose line is no part of the message.
fn take(sign: Sign, rest: &str, raised: &mut Raised) {
    let advice = &mut raised.advice;
    // A path ends where the sentence does.
    let path = |end: &str| Some(rest.split(end).next().unwrap_or_default().trim().into());
    match sign {
        Sign::Verbose => advice.verbose = true,
        Sign::Suppress => advice.suppressible = true,
        Sign::Minifier => advice.minifier = path(". Run this script"),
        Sign::Replay => advice.replay = path(". To run only this frame"),
        Sign::Page => advice.page = path(" "),
    }
}

fn close(open: &mut Option<(StackKind, Frames)>, raised: &mut Raised) {
    if let Some((kind, frames)) = open.take() {
        let frames = frames.finish();
        if !frames.is_empty() {
            raised.stacks.push(Stack { kind, frames });
        }
    }
}

/// The type and message of the exception that a message begins with or names: `{Type}: {message}` in
/// `InductorError`, `LoweringException` and `InternalTorchDynamoError`, and below `backend='…' raised:`.
pub(crate) fn inner(message: &str) -> Option<(&str, &str)> {
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    let begins = if first.starts_with("backend=") && first.trim_end().ends_with(" raised:") {
        rest
    } else {
        message
    };
    let line = begins.lines().next()?;
    let (kind, _) = lines::exception(line)?;
    // A word and a colon begin many sentences; a type is written together and with a capital.
    let name = kind.rsplit('.').next()?;
    let is_type =
        name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') && line.contains(':');
    let message = begins.get(kind.len() + 1..)?.trim_start();
    is_type.then_some((kind, message))
}
