//! Which language a payload is written in.

use crate::log::json::FaultKind;
use crate::payload::pretty::Pretty;
use alloc::vec::Vec;

/// A language that can be coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Language {
    /// Python: graphs, Triton's kernels, output code, the representations of objects.
    Python,
    /// C++, CUDA, Metal.
    Cpp,
    /// JSON.
    Json,
    /// Text that is not coloured.
    #[default]
    Plain,
}

/// What the names of Python's payloads hold. The calls of `trace_structured` in PyTorch name them; passes
/// that print a graph before and after themselves are many, so that parts of names are looked for.
const PYTHON: &[&str] = &[
    "_graph",
    "graph_",
    "_grad",
    "aten_pass",
    "autotune_at_compile_time_code",
    "compiled_autograd",
    "decomp_comms",
    "exported_program",
    "fw_metadata",
    "fx_graph_runnable",
    "make_fx_fail",
    "optimize_ddp_split",
    "optimus_",
    "output_code",
    "runtime_wrappers",
    "subclass_metadata",
    "triton",
    "eval_with_key",
];

/// Names that would otherwise be taken for Python's. Their payloads are prose, tables, or JSON, which is
/// told by its text.
const PROSE: &[&str] = &[
    "BYTECODE",
    "break_reason",
    "cache",
    "collectives",
    "compile_reasons",
    "edge_list",
    "guards",
    "mismatch",
    "svg",
];

impl Language {
    /// The language of a payload, told by the name of its artifact or record and by the payload's beginning,
    /// of which a few hundred bytes are enough.
    ///
    /// The text has the last word where it is plain what it is: output code is C++ for AOTInductor and
    /// Python otherwise, and an artifact that is declared as JSON may hold a bare string
    /// (`recompile_reasons`).
    #[must_use]
    pub fn of(artifact_title: &str, head: &str) -> Language {
        let line = first_line(head);
        if starts_with_any(
            line,
            &["#include", "#pragma", "#define", "#if", "extern \"C\""],
        ) {
            return Language::Cpp;
        }
        if is_json(head) {
            return Language::Json;
        }
        let names = |words: &[&str]| words.iter().any(|word| artifact_title.contains(word));
        let code = names(&["_code", "kernel", "cpp"]);
        if code
            && starts_with_any(
                line,
                &["//", "/*", "namespace ", "template", "using ", "typedef "],
            )
        {
            return Language::Cpp;
        }
        if names(PYTHON) && !names(PROSE) || is_python(line) {
            return Language::Python;
        }
        Language::Plain
    }
}

/// The first line that is more than white space or a comment of Python.
fn first_line(head: &str) -> &str {
    let directive = |line: &str| starts_with_any(line, &["#include", "#pragma", "#define", "#if"]);
    head.lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && (!line.starts_with('#') || directive(line)))
        .unwrap_or_default()
}

fn starts_with_any(text: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| text.starts_with(start))
}

/// Whether a line can only be Python's.
fn is_python(line: &str) -> bool {
    let opens = |word: &str, marks: &[char]| {
        line.strip_prefix(word).is_some_and(|rest| {
            rest.find(marks).is_some_and(|at| {
                rest.get(..at)
                    .is_some_and(|name| !name.is_empty() && !name.contains(' '))
            })
        })
    };
    opens("class ", &['(', ':'])
        || opens("def ", &['('])
        || starts_with_any(
            line,
            &["@triton", "import triton", "import torch", "import os"],
        )
        || line
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(' '))
            .is_some_and(|(_, rest)| rest.starts_with("import "))
}

/// Whether a text is the beginning of an object or array of JSON.
fn is_json(head: &str) -> bool {
    let start = head.trim_start();
    if !start.starts_with(['{', '[']) {
        return false;
    }
    let mut pretty = Pretty::new();
    let mut out = Vec::new();
    pretty.feed(start.as_bytes(), &mut out);
    // An opening bracket alone says nothing yet; much depth or text behind the end is still JSON's doing.
    start.len() > 1
        && pretty
            .fault()
            .is_none_or(|fault| matches!(fault.kind, FaultKind::TooDeep))
}
