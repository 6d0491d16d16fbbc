//! Console message → kind of record.

use crate::log::console::{AROUND_GUARDS, is_of_shapes};
use crate::trace::names::Kind;
use alloc::borrow::Cow;
use alloc::string::String;

/// What a message is about, by its prefix and its first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::trace) struct Subject<'a> {
    /// The kind of the record that it corresponds to.
    pub(in crate::trace) kind: &'static str,
    /// The name of records of that kind. Ordinary messages are named by their [`logger`].
    pub(in crate::trace) name: Option<&'a str>,
    /// Whether it is something to read, once it is longer than a line.
    pub(in crate::trace) is_artifact: bool,
}

/// The kind of ordinary messages, which are named by their logger.
const MESSAGE: &str = "message";

/// The records of `TORCH_TRACE` that an artifact of `TORCH_LOGS` corresponds to, where its text does not
/// matter (torch/_logging/_registrations.py).
const COUNTERPARTS: &[(&str, &str, Option<&str>)] = &[
    (
        "graph_breaks",
        "artifact",
        Some("dynamo_graph_break_reason"),
    ),
    ("recompiles", "artifact", Some("recompile_reasons")),
    ("recompiles_verbose", "artifact", Some("recompile_reasons")),
    ("side_effects", "artifact", Some("dynamo_side_effects")),
    ("aot_joint_graph", "aot_joint_graph", None),
    ("post_grad_graphs", "inductor_post_grad_graph", None),
    ("pre_grad_graphs", "artifact", Some("before_pre_grad_graph")),
];

/// The record that artifacts correspond to by what their text begins with: artifact, header, kind
/// (torch/_dynamo/output_graph.py, torch/_functorch, torch/_dynamo/compiled_autograd.py, torch/_inductor/graph.py).
const BY_HEADER: &[(&str, &str, &str)] = &[
    ("graph_code", "__compiled_fn", "dynamo_output_graph"),
    ("aot_graphs", "Forward graph", FORWARD),
    ("aot_graphs", "Backward graph", "aot_backward_graph"),
    (
        "compiled_autograd",
        "Compiled autograd graph",
        "compiled_autograd_graph",
    ),
    ("output_code", "Output code:", "inductor_output_code"),
];

const FORWARD: &str = "aot_forward_graph";

/// Where inference is compiled; the graph is called forward graph there, too.
const INFERENCE: [&str; 2] = ["graph_capture.py", "dispatch_and_compile_graph.py"];

/// Guards as text. Lists, too: `dynamo_guards` is JSON.
const GUARDS: &str = "dynamo_cpp_guards_str";

/// Headings of bytecode, and how the names of their records end.
const BYTECODE: [(&str, &str); 2] = [
    (ORIGINAL_BYTECODE, "ORIGINAL_BYTECODE"),
    ("MODIFIED BYTECODE", "MODIFIED_BYTECODE"),
];

/// The heading of the code as it was.
pub(super) const ORIGINAL_BYTECODE: &str = "ORIGINAL BYTECODE";

/// Artifacts of which there is one for each step that Dynamo takes: their records are not listed among what
/// there is to read of a compilation.
const STEPS: &[&str] = &[
    "trace_call",
    "trace_source",
    "trace_bytecode",
    "sym_node",
    "trace_shape_events",
];

/// Events of symbolic shapes: how the message begins, what it must hold, and the record that it corresponds to.
const EVENTS: &[(&str, &str, &str)] = &[
    ("create_symbol ", " for ", "create_symbol"),
    ("create_unbacked_sym", "", "create_unbacked_symbol"),
    ("", " [guard added]", "guard_added"),
    (
        "set_replacement ",
        "range_refined_to_singleton",
        "symbolic_shape_specialization",
    ),
    ("propagate_real_tensors ", "", "propagate_real_tensors"),
];

impl<'a> Subject<'a> {
    /// The subject of a message of that artifact, or else of that logger or source.
    pub(in crate::trace) fn of(artifact: &'a str, origin: &'a str, text: &str) -> Subject<'a> {
        if artifact.is_empty() {
            let shapes = is_of_shapes(origin.as_bytes());
            let event = EVENTS
                .iter()
                .find(|(start, part, _)| shapes && text.starts_with(start) && text.contains(part));
            return Subject {
                kind: event.map_or(MESSAGE, |(_, _, kind)| kind),
                name: None,
                is_artifact: false,
            };
        }
        if let Some((_, kind, name)) = COUNTERPARTS.iter().find(|(name, _, _)| *name == artifact) {
            return Subject {
                kind,
                name: *name,
                is_artifact: true,
            };
        }
        Subject {
            kind: "artifact",
            name: Some(artifact),
            is_artifact: !STEPS.contains(&artifact),
        }
    }
}

impl Subject<'_> {
    /// Whether it is an ordinary message, which its logger names.
    pub(in crate::trace) fn is_ordinary(&self) -> bool {
        self.kind == MESSAGE
    }

    /// Whether a kind is one that an artifact of the console corresponds to.
    pub(in crate::trace) fn is_counterpart(kind: &Kind) -> bool {
        COUNTERPARTS
            .iter()
            .any(|(_, of, name)| kind.kind == *of && kind.name.as_deref() == *name)
    }
}

/// The record that an artifact corresponds to, now that its text has come; `None` where it is the artifact itself.
pub(in crate::trace) fn settled(
    artifact: &str,
    origin: &str,
    text: &str,
) -> Option<(&'static str, Option<String>)> {
    match artifact {
        "guards" => (!is_around_guards(text)).then_some((GUARDS, None)),
        "bytecode" => bytecode_name(text).map(|name| ("artifact", Some(name))),
        _ => {
            let (.., kind) = BY_HEADER
                .iter()
                .find(|(of, header, _)| *of == artifact && has_header(text, header))?;
            let is_inference = *kind == FORWARD && INFERENCE.iter().any(|it| origin.ends_with(it));
            Some((
                if is_inference {
                    "aot_inference_graph"
                } else {
                    kind
                },
                None,
            ))
        }
    }
}

/// Whether a text begins with a header: `TRACED GRAPH`, then ` ===== NAME =====`; what a cache gave back begins
/// with the name.
fn has_header(text: &str, header: &str) -> bool {
    text.lines().take(2).any(|line| {
        line.trim_start()
            .trim_start_matches("===== ")
            .starts_with(header)
    })
}

/// `f_ORIGINAL_BYTECODE`, the name of the record that bytecode corresponds to.
fn bytecode_name(text: &str) -> Option<String> {
    let (which, rest) = BYTECODE
        .iter()
        .find_map(|(heading, which)| Some((which, text.strip_prefix(heading)?)))?;
    let (function, _) = bytecode_of(rest)?;
    Some(alloc::format!("{function}_{which}"))
}

/// Parts `FUNCTION FILE line LINE`, the heading of bytecode.
pub(super) fn bytecode_of(heading: &str) -> Option<(&str, &str)> {
    let heading = heading.lines().next()?.trim();
    let blank = name_length(heading)?;
    Some((heading.get(..blank)?, heading.get(blank + 1..)?))
}

/// Bytes of the function's name in front of a blank; `None` where there is no blank behind it.
pub(in crate::trace) fn name_length(text: &str) -> Option<usize> {
    // `<graph break in f>` and `<resume in f>` are names, too.
    let from = text
        .strip_prefix('<')
        .and_then(|name| name.find('>'))
        .map_or(0, |end| end + 2);
    Some(from + text.get(from..)?.find(' ')?)
}

/// Whether a message of the artifact `guards` holds no guards.
fn is_around_guards(text: &str) -> bool {
    text.trim_end() == "GUARDS:" || AROUND_GUARDS.iter().any(|start| text.starts_with(start))
}

/// The logger of a module, by its path: `torch/_dynamo/guards.py` is `torch._dynamo.guards`. Other paths stay
/// as they are.
pub(in crate::trace) fn logger(origin: &str) -> Cow<'_, str> {
    let at = origin.match_indices("torch").map(|(at, _)| at).find(|at| {
        let before = origin.get(..*at).unwrap_or_default();
        let behind = origin.get(at + 5..).unwrap_or_default();
        (before.is_empty() || before.ends_with(['/', '\\'])) && behind.starts_with(['/', '\\'])
    });
    let module = at
        .and_then(|at| origin.get(at..))
        .and_then(|path| path.strip_suffix(".py"));
    match module {
        Some(module) => Cow::Owned(
            module
                .trim_end_matches("/__init__")
                .replace(['/', '\\'], "."),
        ),
        None => Cow::Borrowed(origin),
    }
}
