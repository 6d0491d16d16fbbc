//! Console message → kind of record.

use super::progress::Phase;
use crate::trace::names::Kind;
use alloc::borrow::Cow;
use alloc::string::String;

/// What a message is about, by its prefix and its first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::trace) struct Subject<'a> {
    /// The kind of the record that it corresponds to.
    pub(in crate::trace) kind: &'static str,
    /// The name of records of that kind.
    pub(in crate::trace) name: Option<Cow<'a, str>>,
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
            let shapes =
                origin.ends_with("symbolic_shapes.py") || origin.ends_with("symbolic_shapes");
            let event = EVENTS
                .iter()
                .find(|(start, part, _)| shapes && text.starts_with(start) && text.contains(part));
            return match event {
                Some((_, _, kind)) => Subject {
                    kind,
                    name: None,
                    is_artifact: false,
                },
                None => Subject {
                    kind: MESSAGE,
                    name: Some(logger(origin)),
                    is_artifact: false,
                },
            };
        }
        if let Some((_, kind, name)) = COUNTERPARTS.iter().find(|(name, _, _)| *name == artifact) {
            return Subject {
                kind,
                name: name.map(Cow::Borrowed),
                is_artifact: true,
            };
        }
        Subject {
            kind: "artifact",
            name: Some(Cow::Borrowed(artifact)),
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
    let graph = |header: &str| {
        // `TRACED GRAPH`, then ` ===== NAME =====`; what a cache gave back begins with the name.
        text.lines().take(2).any(|line| {
            line.trim_start()
                .trim_start_matches("===== ")
                .starts_with(header)
        })
    };
    let kind = match artifact {
        "graph_code" if graph("__compiled_fn") => "dynamo_output_graph",
        // Lists, too: `dynamo_guards` is JSON, this is the record of guards as text.
        "guards" if !is_around_guards(text) => "dynamo_cpp_guards_str",
        // Inference is compiled at these places; the graph is called forward graph there, too.
        "aot_graphs" if graph("Forward graph") => {
            let inference = ["graph_capture.py", "dispatch_and_compile_graph.py"];
            if inference.iter().any(|file| origin.ends_with(file)) {
                "aot_inference_graph"
            } else {
                "aot_forward_graph"
            }
        }
        "aot_graphs" if graph("Backward graph") => "aot_backward_graph",
        "compiled_autograd" if graph("Compiled autograd graph") => "compiled_autograd_graph",
        "output_code" if text.starts_with("Output code:") => "inductor_output_code",
        "bytecode" => {
            let (which, rest) = ["ORIGINAL_BYTECODE", "MODIFIED_BYTECODE"]
                .into_iter()
                .find_map(|which| {
                    Some((which, text.strip_prefix(which.replace('_', " ").as_str())?))
                })?;
            let function = rest.split_whitespace().next()?;
            return Some(("artifact", Some(alloc::format!("{function}_{which}"))));
        }
        _ => return None,
    };
    Some((kind, None))
}

/// Whether a message of the artifact `guards` holds no guards.
fn is_around_guards(text: &str) -> bool {
    text.trim_end() == "GUARDS:"
        || [
            "Guard eval latency",
            "Python shape guard function:",
            "C++ shape guard function:",
        ]
        .iter()
        .any(|start| text.starts_with(start))
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

impl Phase<'_> {
    /// What the first line of a message without an artifact tells.
    pub(in crate::trace) fn of_message(text: &str) -> Phase<'_> {
        let behind_step = text
            .strip_prefix("Step ")
            .and_then(|rest| rest.split_once(": "))
            .map(|(_, rest)| rest);
        if let Some(rest) =
            behind_step.and_then(|rest| rest.strip_prefix("torchdynamo start tracing "))
        {
            return Phase::StartTracing(rest);
        }
        if behind_step.is_some_and(|rest| rest.starts_with("torchdynamo done tracing")) {
            return Phase::DoneTracing;
        }
        if let Some(rest) = text.strip_prefix("torchdynamo start compiling ") {
            return Phase::StartCompiling(
                rest.split_once(", stack").map_or(rest, |(place, _)| place),
            );
        }
        if let Some(reason) = text.strip_prefix("Restarting analysis due to ") {
            return Phase::Restart(reason);
        }
        if text.starts_with("torch._dynamo hit config.") {
            return Phase::Limit;
        }
        if text == "create_env" {
            return Phase::Shapes;
        }
        Phase::Other
    }
}
