//! How far the compilations of a process have come, as its console messages tell.
//!
//! A console log has no `dynamo_start`, and ids start again where a program resets the compiler. Dynamo
//! compiles one frame at a time, under a lock (torch/_dynamo/convert_frame.py, `compile_lock`), which gives
//! the rule. A generation begins where Dynamo's own front end, from tracing to guards, writes
//!
//! - under an id that it had left for another one,
//! - under an earlier attempt of the id that it is at, unless it is what it says of a frame that it has given
//!   up, which since 2.9 carries the id without the attempt, or
//! - what it writes once, or what comes first, after it has come to the end: guards behind guards, a start of
//!   tracing behind guards.
//!
//! What AOTAutograd and Inductor write tells nothing: a backward graph is compiled long after its forward.

use super::subject::{ORIGINAL_BYTECODE, bytecode_of};
use crate::payload::graph_break::SKIPPED;
use crate::trace::id::CompileId;
use crate::trace::index::SegmentIndex;
use alloc::string::String;
use hashbrown::{HashMap, HashSet};

/// What a message tells of the compilation that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::trace) enum Phase<'a> {
    /// `torchdynamo start compiling FUNCTION FILE:LINE`, once a compilation, 2.3 and later.
    StartCompiling(&'a str),
    /// `torchdynamo start tracing FUNCTION FILE:LINE`, once an attempt; 2.0 names the function only.
    StartTracing(&'a str),
    /// Function, file and line of the code that is compiled.
    Bytecode(&'a str, &'a str, i64),
    /// `create_env`: the symbolic shapes of an attempt.
    Shapes,
    /// The guards, which come last.
    Guards,
    /// Why the frame is compiled again, under its new id.
    Recompile,
    /// Why an attempt was given up.
    Restart(&'a str),
    /// That the recompile limit was hit.
    Limit,
    /// That the frame is skipped, because the graph broke where nothing can be resumed.
    Skip,
    /// Something else.
    Other,
}

/// What a phase is to the order in which they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::trace) enum Step {
    /// Stands at the beginning of an attempt.
    First,
    /// Stands at its end, once.
    Last,
    /// Stands anywhere in it.
    Within,
    /// Stands behind the last attempt, maybe as of the first one.
    Behind,
}

/// How the first line of a message without an artifact begins, and what that tells, given the rest of it.
type Beginning = (&'static str, for<'a> fn(&'a str) -> Phase<'a>);

const BEGINNINGS: &[Beginning] = &[
    ("torchdynamo start tracing ", |rest| {
        Phase::StartTracing(rest)
    }),
    ("torchdynamo start compiling ", |rest| {
        Phase::StartCompiling(rest.split_once(", stack").map_or(rest, |(place, _)| place))
    }),
    ("Restarting analysis due to ", |reason| {
        Phase::Restart(reason)
    }),
    ("torch._dynamo hit config.", |_| Phase::Limit),
];

impl<'a> Phase<'a> {
    /// What the first line of a message without an artifact tells.
    pub(in crate::trace) fn of_message(text: &'a str) -> Phase<'a> {
        if text == "create_env" {
            return Phase::Shapes;
        }
        // `Step 1: torchdynamo start tracing`.
        let step = text
            .strip_prefix("Step ")
            .and_then(|rest| rest.split_once(": "));
        let text = step.map_or(text, |(_, rest)| rest);
        BEGINNINGS
            .iter()
            .find_map(|(start, phase)| Some(phase(text.strip_prefix(start)?)))
            .unwrap_or(Phase::Other)
    }

    /// What a message about a graph break tells: `ConvertFrame` of torch/_dynamo/convert_frame.py writes
    /// `Graph break: skip: from user code at:` (2.10 and later other words) when an attempt has raised.
    pub(in crate::trace) fn of_break(text: &'a str) -> Phase<'a> {
        let of_frame = text.strip_prefix("Graph break: ");
        if of_frame.is_some_and(|text| text.starts_with("skip") || text.starts_with(SKIPPED)) {
            Phase::Skip
        } else {
            Phase::Other
        }
    }

    /// What the heading of original bytecode tells.
    pub(in crate::trace) fn of_bytecode(text: &'a str) -> Phase<'a> {
        let heading = text.strip_prefix(ORIGINAL_BYTECODE);
        let parts = heading.and_then(bytecode_of).and_then(|(function, rest)| {
            let (file, line) = rest.rsplit_once(" line ")?;
            Some((function, file, line.trim().parse().ok()?))
        });
        parts.map_or(Phase::Other, |(function, file, line)| {
            Phase::Bytecode(function, file, line)
        })
    }
}

impl Phase<'_> {
    /// Where the phase stands.
    pub(in crate::trace) fn step(self) -> Step {
        match self {
            Phase::StartCompiling(_)
            | Phase::StartTracing(_)
            | Phase::Shapes
            | Phase::Recompile => Step::First,
            Phase::Guards => Step::Last,
            Phase::Skip => Step::Behind,
            _ => Step::Within,
        }
    }
}

/// A frame by where it is defined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::trace) struct FramePlace {
    /// The function's name.
    pub(in crate::trace) function: String,
    /// The file; empty where the message does not say it (2.0).
    pub(in crate::trace) file: String,
    /// The line where it begins, from 1; 0 where the message does not say it (2.0).
    pub(in crate::trace) line: i64,
}

/// A message that says why a frame is compiled again, and not under which id.
#[derive(Debug, Clone)]
pub(in crate::trace) struct Unassigned {
    pub(in crate::trace) record: SegmentIndex,
    /// Bytes of the message.
    pub(in crate::trace) bytes: u64,
    /// The frame.
    pub(in crate::trace) place: Option<FramePlace>,
}

/// How far the compilations of a process have come.
#[derive(Debug, Clone, Default)]
pub(in crate::trace) struct Progress {
    /// The id and attempt that the front end is at.
    at: Option<(CompileId, u32)>,
    /// Whether it has come to the guards.
    ended: bool,
    /// The ids that it has been at in this generation.
    seen: HashSet<CompileId>,
    /// Why a frame is compiled again, from a message that does not say under which id (2.1 to 2.3).
    pub(in crate::trace) unassigned: Option<Unassigned>,
    /// The frames of messages without ids, and the id of the next compilation of each.
    assumed: HashMap<FramePlace, (u32, u32)>,
    /// The compilation that messages without ids belong to (2.0, and the short form).
    pub(in crate::trace) without_id: Option<usize>,
    /// Whether it has given up an attempt, so that tracing starts again.
    pub(in crate::trace) restarts: bool,
}

impl Progress {
    /// Makes up an id for the next compilation of a frame; the first one of all counts from `first`.
    pub(in crate::trace) fn assume(&mut self, place: &FramePlace, first: u32) -> CompileId {
        let frame = u32::try_from(self.assumed.len()).unwrap_or(u32::MAX);
        let (frame, next) = self.assumed.entry(place.clone()).or_insert((frame, first));
        let id = CompileId::assumed(*frame, *next);
        *next = next.saturating_add(1);
        id
    }

    /// Takes note of a message of the front end; says whether a generation begins with it.
    pub(in crate::trace) fn begins_generation(
        &mut self,
        id: CompileId,
        attempt: u32,
        step: Step,
    ) -> bool {
        let begins = match self.at {
            Some((at, _)) if at != id => self.seen.contains(&id),
            Some((_, before)) if attempt < before => step != Step::Behind,
            Some((_, before)) if attempt == before => {
                self.ended && matches!(step, Step::First | Step::Last)
            }
            _ => false,
        };
        if !begins && step == Step::Behind && self.at.is_some_and(|(at, _)| at == id) {
            return false;
        }
        if begins {
            self.seen.clear();
        }
        if begins || self.at != Some((id, attempt)) {
            self.ended = false;
        }
        self.seen.insert(id);
        self.at = Some((id, attempt));
        self.ended |= step == Step::Last;
        begins
    }
}

/// Places of the front end: modules of torch/_dynamo whose messages come while a frame is compiled, and in
/// the order of its phases.
const FRONT_END: &[&str] = &[
    "symbolic_convert",
    "output_graph",
    "guards",
    "convert_frame",
    "variables",
    "side_effects",
    "bytecode_transformation",
    "resume_execution",
];

/// Whether a logger belongs to Dynamo's front end.
pub(in crate::trace) fn is_front_end(logger: &str) -> bool {
    let Some((_, module)) = logger.split_once("_dynamo") else {
        return false;
    };
    let module = module.trim_start_matches(['/', '\\', '.']);
    let first = module.split(['/', '\\', '.']).next().unwrap_or_default();
    FRONT_END.contains(&first)
}
