//! Which run would confirm what failed: the same program with less of the compiler, or with other shapes.
//!
//! The backends are those of torch/_dynamo/backends/debugging.py. Each stops one step earlier than the next
//! one: `eager` runs the graph that Dynamo traced, `aot_eager` the graphs of AOTAutograd,
//! `aot_eager_decomp_partition` those with Inductor's decompositions and partitioner.

use super::owner::{Owner, Part, owner};
use super::{Certainty, Component, Failure, FailureKind};
use crate::payload::traceback::Traceback;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A change of the call of `torch.compile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Ablation {
    /// `backend=`.
    Backend(Backend),
    /// `mode=`.
    Mode(Mode),
    /// `dynamic=`.
    Dynamic(Dynamic),
    /// `fullgraph=False`.
    GraphBreaks,
}

/// A backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Backend {
    /// `"eager"`: Dynamo alone.
    Eager,
    /// `"aot_eager"`: and AOTAutograd.
    AotEager,
    /// `"aot_eager_decomp_partition"`: and Inductor's decompositions and partitioner.
    AotEagerDecompPartition,
    /// `"inductor"`.
    Inductor,
}

/// A mode of Inductor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Mode {
    /// `"default"`: no CUDA graphs and no autotuning of products.
    Default,
    /// `"reduce-overhead"`: with CUDA graphs.
    ReduceOverhead,
    /// `"max-autotune-no-cudagraphs"`: with autotuning.
    MaxAutotuneNoCudagraphs,
    /// `"max-autotune"`: with both.
    MaxAutotune,
}

/// Whether sizes may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Dynamic {
    /// `True`: all of them.
    True,
    /// `False`: none.
    False,
    /// `None`: those that did.
    None,
}

/// A run, and what it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Run {
    /// What to change.
    pub ablation: Ablation,
    /// How the run ends if the answer is right.
    pub expected: Outcome,
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Outcome {
    /// Without the failure.
    Passes,
    /// With the same failure.
    Fails,
}

impl Backend {
    /// All of them, from the one that does least.
    pub const ALL: [Backend; 4] = [
        Backend::Eager,
        Backend::AotEager,
        Backend::AotEagerDecompPartition,
        Backend::Inductor,
    ];

    /// Its name in `torch.compile`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Backend::Eager => "eager",
            Backend::AotEager => "aot_eager",
            Backend::AotEagerDecompPartition => "aot_eager_decomp_partition",
            Backend::Inductor => "inductor",
        }
    }

    /// The backend of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Backend> {
        Backend::ALL.into_iter().find(|known| known.name() == name)
    }

    /// Whether a name is that of a backend made of PyTorch's own parts.
    pub(super) fn is_known(name: &str) -> bool {
        Backend::named(name).is_some()
    }
}

impl Mode {
    /// Its name in `torch.compile`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::ReduceOverhead => "reduce-overhead",
            Mode::MaxAutotuneNoCudagraphs => "max-autotune-no-cudagraphs",
            Mode::MaxAutotune => "max-autotune",
        }
    }
}

/// What an argument of a call in the program's lines is: `backend=` → `my_backend`.
pub(super) fn chosen<'a>(traceback: &'a Traceback, argument: &str) -> Option<&'a str> {
    let frames = traceback
        .exceptions
        .iter()
        .flat_map(|raised| &raised.frames);
    frames
        .filter(|frame| owner(&frame.file) == Owner::User)
        .flat_map(|frame| &frame.code)
        .filter(|code| code.text.contains("compile"))
        .find_map(|code| {
            let (_, value) = code.text.split_once(argument)?;
            let value = value.trim_start_matches(['"', '\'']);
            let end = value.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
            let value = value.get(..end.unwrap_or(value.len()))?;
            (!value.is_empty()).then_some(value)
        })
}

/// The runs that would confirm a failure.
pub(super) fn runs(failure: &Failure, traceback: &Traceback) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut add = |ablation, expected| runs.push(Run { ablation, expected });
    let passes = Outcome::Passes;
    match (failure.component, failure.kind) {
        // A run says no more than the message does.
        (_, FailureKind::Setting | FailureKind::ResetRequired | FailureKind::MissingCompiler) => {}
        // Nothing failed.
        (_, FailureKind::Interrupted | FailureKind::Ended) => {}
        // A mark on a size is not lifted by any argument.
        (Component::Dynamo, FailureKind::ConstraintViolation) => {}
        (
            Component::Dynamo,
            FailureKind::GraphBreak | FailureKind::UserError | FailureKind::DataDependent,
        ) => add(Ablation::GraphBreaks, passes),
        (Component::Dynamo, FailureKind::RecompileLimit | FailureKind::Recompiled) => {
            add(Ablation::Dynamic(Dynamic::None), passes);
            add(Ablation::Dynamic(Dynamic::True), passes);
        }
        (Component::Dynamo, _) => {
            add(Ablation::Backend(Backend::Eager), Outcome::Fails);
        }
        (Component::AotAutograd, _) => {
            add(Ablation::Backend(Backend::AotEager), Outcome::Fails);
            add(Ablation::Backend(Backend::Eager), passes);
        }
        (Component::Inductor, kind) => {
            add(Ablation::Backend(Backend::AotEagerDecompPartition), passes);
            // Where nothing says that it was Inductor, the steps before it may have been it too.
            if failure.certainty == Certainty::Guessed || kind == FailureKind::Internal {
                add(Ablation::Backend(Backend::AotEager), passes);
                add(Ablation::Backend(Backend::Eager), passes);
            }
        }
        (Component::Backend, _) => {
            add(Ablation::Backend(Backend::Eager), passes);
            add(Ablation::Backend(Backend::Inductor), passes);
        }
        (Component::Device, _) => {
            add(Ablation::Backend(Backend::Eager), Outcome::Fails);
        }
        (Component::User, _) => {
            add(Ablation::Backend(Backend::Eager), Outcome::Fails);
        }
        (Component::Unknown, _) => {
            for backend in [
                Backend::Eager,
                Backend::AotEager,
                Backend::AotEagerDecompPartition,
            ] {
                add(Ablation::Backend(backend), passes);
            }
        }
    }
    let evidence = Evidence::of(failure, traceback);
    if matches!(failure.component, Component::Inductor | Component::Device) && evidence.special_mode
    {
        add(Ablation::Mode(Mode::Default), passes);
    }
    if evidence.symbolic
        && matches!(
            failure.component,
            Component::Inductor | Component::AotAutograd
        )
    {
        add(Ablation::Dynamic(Dynamic::False), passes);
    }
    runs.retain(|run| !evidence.answers(run.ablation));
    runs
}

/// What the traceback shows of the run.
struct Evidence<'a> {
    backend: Option<&'a str>,
    dynamic: Option<&'a str>,
    mode: Option<&'a str>,
    /// Whether CUDA graphs or autotuning took part.
    special_mode: bool,
    /// Whether sizes were symbols.
    symbolic: bool,
    /// Whether compiling took part at all.
    compiled: bool,
}

impl<'a> Evidence<'a> {
    fn of(failure: &'a Failure, traceback: &'a Traceback) -> Self {
        let frames = || {
            traceback
                .exceptions
                .iter()
                .flat_map(|raised| &raised.frames)
        };
        let any = |pieces: &[&str]| {
            frames().any(|frame| pieces.iter().any(|piece| frame.file.contains(piece)))
        };
        let mode = chosen(traceback, "mode=");
        let compiled = failure.component != Component::User
            || frames().any(|frame| {
                frame.file.contains("_dynamo")
                    || matches!(
                        owner(&frame.file),
                        Owner::Torch(Part::Inductor) | Owner::Generated
                    )
            });
        Evidence {
            backend: failure.backend.as_deref(),
            dynamic: chosen(traceback, "dynamic="),
            mode,
            special_mode: any(&["cudagraph", "select_algorithm.py", "autotune_process.py"])
                || mode.is_some_and(|mode| mode != Mode::Default.name()),
            symbolic: any(&["symbolic_shapes.py", "sym_node.py", "sizevars.py"]),
            compiled,
        }
    }

    /// Whether the run that failed was already that one, or says as much.
    fn answers(&self, ablation: Ablation) -> bool {
        if !self.compiled {
            return true;
        }
        match ablation {
            Ablation::Backend(backend) => self.backend.and_then(Backend::named) == Some(backend),
            Ablation::Mode(mode) => {
                self.mode == Some(mode.name()) || self.backend.is_some_and(|b| b != "inductor")
            }
            Ablation::Dynamic(dynamic) => {
                let name = match dynamic {
                    Dynamic::True => "True",
                    Dynamic::False => "False",
                    Dynamic::None => "None",
                };
                // A program that says nothing runs with `None`.
                self.dynamic.unwrap_or("None") == name
            }
            Ablation::GraphBreaks => false,
        }
    }
}
