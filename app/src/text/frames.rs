//! Words for why a function was compiled again: what guards check, and the sentences of its page.

use crate::engine::protocol::{GlobalState, GuardFailureKind, StepRole, Subject};
use dynascope_core::analysis::graph_breaks::resumes;

/// What a guard checks, in a word or two, and how what it checks is named: `{}` stands for the source, `#`
/// for the dimension.
const KINDS: [(GuardFailureKind, &str, &str); 29] = [
    (GuardFailureKind::Size, "size", "{}.size()[#]"),
    (GuardFailureKind::Stride, "stride", "{}.stride()[#]"),
    (GuardFailureKind::Dtype, "dtype", "{}.dtype"),
    (GuardFailureKind::Rank, "number of dimensions", "{}.dim()"),
    (
        GuardFailureKind::RequiresGrad,
        "gradients",
        "{}.requires_grad",
    ),
    (GuardFailureKind::Device, "device", "{}.device"),
    (
        GuardFailureKind::DispatchKeys,
        "dispatch keys",
        "the dispatch keys of {}",
    ),
    (
        GuardFailureKind::TensorType,
        "whether it is a tensor",
        "type({})",
    ),
    (GuardFailureKind::TypeId, "type", "type({})"),
    (
        GuardFailureKind::ObjectId,
        "which object it is",
        "the object {}",
    ),
    (GuardFailureKind::Value, "value", "{}"),
    (GuardFailureKind::Shape, "relation of sizes", "a size of {}"),
    (GuardFailureKind::Length, "length", "len({})"),
    (
        GuardFailureKind::DictKeys,
        "keys of a dict",
        "the keys of {}",
    ),
    (
        GuardFailureKind::Contains,
        "whether a key is there",
        "the keys of {}",
    ),
    (
        GuardFailureKind::DictVersion,
        "any change of a dict",
        "the dict {}",
    ),
    (GuardFailureKind::IsNone, "whether it is None", "{}"),
    (GuardFailureKind::NotNone, "whether it is None", "{}"),
    (
        GuardFailureKind::GlobalState,
        "state of the program",
        "the state of the program",
    ),
    (
        GuardFailureKind::HasAttr,
        "whether an attribute is there",
        "the attributes of {}",
    ),
    (
        GuardFailureKind::Aliased,
        "whether inputs are one tensor",
        "which inputs are the same tensor",
    ),
    (
        GuardFailureKind::NotAliased,
        "whether inputs are one object",
        "which inputs are the same object",
    ),
    (
        GuardFailureKind::Deallocated,
        "whether an object still exists",
        "{}",
    ),
    (GuardFailureKind::Backend, "backend", "the backend"),
    (
        GuardFailureKind::Unexpected,
        "passed when it was looked at again",
        "something",
    ),
    (
        GuardFailureKind::NotFound,
        "PyTorch found no reason",
        "something",
    ),
    (
        GuardFailureKind::NotReported,
        "reasons were not asked for",
        "something",
    ),
    (
        GuardFailureKind::Unknown,
        "not known here: shown as PyTorch wrote it",
        "{}",
    ),
    (
        GuardFailureKind::Metadata,
        "metadata of a tensor subclass",
        "the metadata of a tensor subclass",
    ),
];

fn of(kind: GuardFailureKind) -> (&'static str, &'static str) {
    let known = KINDS.iter().find(|(known, _, _)| *known == kind);
    known.map_or(("", "{}"), |(_, word, name)| (*word, *name))
}

/// What a guard checks, in a word or two.
#[must_use]
pub fn checks(kind: GuardFailureKind) -> &'static str {
    of(kind).0
}

/// What is guarded, as the program would write it: `x.size()[0]`.
#[must_use]
pub fn named(subject: &Subject) -> String {
    if subject.kind == GuardFailureKind::GlobalState && !subject.state.is_empty() {
        let all: Vec<&str> = subject.state.iter().map(|one| state(Some(*one))).collect();
        return all.join(" and ");
    }
    let (_, name) = of(subject.kind);
    let source = match subject.source.as_str() {
        "" => "something",
        source => source,
    };
    let index = subject
        .index
        .map_or("…".to_owned(), |index| index.to_string());
    // The source is put in last: it may hold the marks itself.
    name.replace('#', &index).replacen("{}", source, 1)
}

/// The same, with a word for a name that only PyTorch knows.
fn explained(subject: &Subject) -> String {
    let name = named(subject);
    match kept_value(&subject.source) {
        Some(_) => format!("{name} (a value kept over a graph break)"),
        None => name,
    }
}

/// What PyTorch's name for a value on Python's stack means, where a source holds such a name: `___stack1`
/// (`ContinueExecutionCache.generate` in torch/_dynamo/resume_execution.py).
#[must_use]
pub fn kept_value(source: &str) -> Option<String> {
    let (_, rest) = source.split_once("___stack")?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let number = rest.get(..end).filter(|number| !number.is_empty())?;
    Some(format!(
        "___stack{number} is PyTorch's name for a value that was on Python's stack when the graph broke: a value kept over a graph break."
    ))
}

/// What the name of a function means that PyTorch made behind a graph break: `torch_dynamo_resume_in_f_at_16`.
#[must_use]
pub fn continued(function: &str) -> Option<String> {
    let resume = resumes(function)?;
    let line = resume
        .line
        .map_or(String::new(), |line| format!(" at line {line}"));
    Some(format!(
        "{}, continued{line} behind a graph break",
        resume.function
    ))
}

/// State of the whole program, in words.
#[must_use]
pub fn state(state: Option<GlobalState>) -> &'static str {
    match state {
        Some(GlobalState::GradMode) => "whether gradients are recorded (grad mode)",
        Some(GlobalState::Autocast) => "autocast",
        Some(GlobalState::AutocastCache) => "the cache of autocast",
        Some(GlobalState::TorchFunction) => "the modes of __torch_function__",
        Some(GlobalState::Deterministic) => "torch.use_deterministic_algorithms",
        Some(GlobalState::ReducedPrecision) => "the precision that matrix products may use",
        Some(GlobalState::NumThreads) => "the number of threads",
        Some(GlobalState::DefaultDtype) => "the default dtype",
        Some(GlobalState::DefaultDevice) => "the default device",
        Some(GlobalState::Transforms) => "transforms such as vmap and grad",
        Some(GlobalState::Other) | None => "a setting of the whole program",
    }
}

/// What a compilation is to its function.
#[must_use]
pub fn role(role: StepRole) -> &'static str {
    match role {
        StepRole::First => "first",
        StepRole::Again => "compiled again",
        StepRole::Limit => "not compiled: recompile limit",
    }
}

/// How often a function was compiled.
#[must_use]
pub fn times(compilations: u32) -> String {
    match compilations {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        many => format!("{many} times"),
    }
}

/// Why, in a few words: `x.size()[0] changes: 4, 5, 6 …`.
#[must_use]
pub fn changes(subject: &Subject, values: &[String]) -> String {
    const NAMED: usize = 3;
    match subject.kind {
        GuardFailureKind::Unknown
        | GuardFailureKind::Unexpected
        | GuardFailureKind::NotFound
        | GuardFailureKind::NotReported => {
            if subject.source.is_empty() {
                return NO_REASON.to_owned();
            }
            return format!("PyTorch says: {}", subject.source);
        }
        GuardFailureKind::IsNone | GuardFailureKind::NotNone => {
            return format!(
                "{} is None at times, and a value at others",
                explained(subject)
            );
        }
        _ => {}
    }
    let mut out = format!("{} changes", explained(subject));
    if values.len() > 1 {
        let shown: Vec<&str> = values.iter().take(NAMED).map(String::as_str).collect();
        out.push_str(": ");
        out.push_str(&shown.join(", "));
        if values.len() > NAMED {
            out.push_str(" …");
        }
    }
    out
}

/// The same as a sentence.
#[must_use]
pub fn because(subject: &Subject, values: &[String]) -> String {
    let changes = changes(subject, values);
    let end = if changes.ends_with('…') { "" } else { "." };
    format!("Because {changes}{end}")
}

/// Where the reasons are still to be read.
pub const NOT_READ: &str = "the reasons are read when all of the log is";

/// No reason is known at all.
pub const NO_REASON: &str = "the log does not say why";
/// A compilation without reasons in the log.
pub const NO_REASON_HERE: &str = "The log does not say why. PyTorch writes the reasons since 2.5; on the console, TORCH_LOGS=recompiles shows them in every version.";
/// What the overview's section shows.
pub const RECOMPILED: &str = "Functions that had to be compiled more than once, because an assumption about their inputs no longer held. Each leads to the reason and to what you can change.";
/// What the strip shows.
pub const STRIP: &str = "Each box is one compilation of this function, in order. Below it stands what the call brought that no earlier version accepted.";
/// The same, where boxes behind them are no compilations.
pub const STRIP_LIMIT: &str = "The dashed boxes at the end are no compilations: the call for which PyTorch compiled nothing more, and the calls since.";
/// How many of the compilations there are, as a headline.
#[must_use]
pub fn in_order(compilations: u32) -> String {
    match compilations {
        1 => "Its one compilation".to_owned(),
        many => format!("Its {many} compilations, in order"),
    }
}
/// What stands behind how often a function was compiled, where the log says that the limit stopped it.
pub const THEN_LIMIT: &str = ", then hit the recompile limit";
/// What a cause cost.
#[must_use]
pub fn cost(seconds: &str) -> String {
    format!("cost {seconds}")
}
/// What that means.
pub const COST_MEANS: &str = "Compile time of the compilations in which the newest version failed for this reason. A compilation with several reasons counts for each.";
/// What the lines of the program that called a function lead to.
#[must_use]
pub fn whole_stack(label: &str) -> String {
    format!("the whole stack, at {label}")
}
/// Only the first failed guard of an entry is known.
pub const ONLY_FIRST: &str = "PyTorch stops at the first guard that fails in each version: other guards of it may differ, too.";
/// The metrics name one entry.
pub const ONLY_METRICS: &str = "Only the compilation's metrics tell the reason here, and they name one earlier version; there may have been others.";
/// Not all reasons are shown.
pub const NOT_WHOLE: &str =
    "There are more reasons than are shown here. The record holds all of them.";
/// What came is not said.
pub const NOT_SAID: &str = "not said";
/// What came was found in the guards of the compilation that followed.
pub const INFERRED: &str =
    "The reason does not say this; the guards that this compilation left behind do.";
/// How sure a remedy is: the guard says it.
pub const CERTAIN: &str = "certain";
/// What that means.
pub const CERTAIN_MEANS: &str = "The failed guard itself says that this is the cause.";
/// How sure a remedy is: other explanations are possible.
pub const GUESSED: &str = "a guess";
/// What that means.
pub const GUESSED_MEANS: &str = "The failed guard fits this cause, but other explanations are possible. Look at the evidence before you change your program.";
/// There is nothing to advise.
pub const NO_ADVICE: &str = "No known remedy fits the reasons that the log gives. The failed guards below show what changed.";
/// A function that was compiled once.
pub const NOT_AGAIN: &str = "It was compiled once, and no later call needed another version.";
/// What the values over time show.
pub const SERIES: &str = "What each compilation of the function met, by its number. A value is known where a guard names it.";
/// A series that goes up to any value.
#[must_use]
pub fn free_since(label: &str) -> String {
    format!("From {label} on any value is accepted: the constant became a symbol.")
}

/// PyTorch did by itself what a remedy does.
#[must_use]
pub fn by_itself(label: &str) -> String {
    format!(
        "PyTorch did this by itself at {label}: from there on any value is accepted. Doing it before the first call saves that one compilation."
    )
}

/// The limit was reached.
#[must_use]
pub fn limit(label: &str, limit: Option<u32>, setting: &str, is_said: bool) -> String {
    let of = limit.map_or(String::new(), |limit| format!(" of {limit}"));
    if is_said {
        format!(
            "At {label} the recompile limit{of} ({setting}) was reached. PyTorch compiles no further version: calls that fit none of the versions run as plain Python from then on."
        )
    } else {
        format!(
            "At {label} no version fitted, and no compilation began. Most likely the recompile limit ({setting}, 8 unless it is set) was reached, and calls that fit no version run as plain Python from then on; a log that ends there looks the same."
        )
    }
}

/// The setting that holds the limit.
#[must_use]
pub fn setting(is_recompile_limit: Option<bool>) -> &'static str {
    if is_recompile_limit == Some(false) {
        "torch._dynamo.config.cache_size_limit"
    } else {
        "torch._dynamo.config.recompile_limit"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(kind: GuardFailureKind, source: &str, index: Option<u32>) -> Subject {
        Subject {
            kind,
            source: source.to_owned(),
            index,
            state: Vec::new(),
        }
    }

    #[test]
    fn a_cause_is_said_in_one_sentence() {
        let values = ["4", "5", "6", "7"].map(str::to_owned);
        assert_eq!(
            changes(&subject(GuardFailureKind::Size, "x", Some(0)), &values),
            "x.size()[0] changes: 4, 5, 6 …"
        );
        assert!(
            because(&subject(GuardFailureKind::Size, "x", Some(0)), &values).ends_with("5, 6 …")
        );
        assert!(because(&subject(GuardFailureKind::Size, "x", Some(0)), &[]).ends_with("changes."));
        assert_eq!(
            changes(&subject(GuardFailureKind::IsNone, "mask", None), &[]),
            "mask is None at times, and a value at others"
        );
        assert_eq!(
            changes(&subject(GuardFailureKind::Unknown, "# odd {}", None), &[]),
            "PyTorch says: # odd {}"
        );
        assert_eq!(
            changes(
                &subject(GuardFailureKind::Value, "___stack1", None),
                &values
            ),
            "___stack1 (a value kept over a graph break) changes: 4, 5, 6 …"
        );
        let state = Subject {
            state: vec![GlobalState::NumThreads, GlobalState::Autocast],
            ..subject(GuardFailureKind::GlobalState, "", None)
        };
        assert_eq!(
            changes(&state, &[]),
            "the number of threads and autocast changes"
        );
    }

    #[test]
    fn names_that_pytorch_made_are_explained() {
        assert_eq!(
            continued("torch_dynamo_resume_in_f_at_16").as_deref(),
            Some("f, continued at line 16 behind a graph break")
        );
        assert_eq!(
            continued("<resume in f>").as_deref(),
            Some("f, continued behind a graph break")
        );
        assert_eq!(continued("resume"), None);
        for source in ["___stack1", "L['___stack12'].size()[0]"] {
            let said = kept_value(source).expect("a word for it");
            assert!(said.starts_with("___stack1"), "{said}");
        }
        assert!(kept_value("L['___stack12']").is_some_and(|said| said.starts_with("___stack12 ")));
        assert_eq!(kept_value("self.___stack_of_cards"), None);
        assert_eq!(kept_value("x"), None);
    }

    #[test]
    fn every_kind_has_its_words() {
        for (kind, word, _) in KINDS {
            assert_eq!(checks(kind), word);
            assert!(!word.is_empty());
        }
        assert_eq!(
            named(&subject(GuardFailureKind::Size, "{}#", None)),
            "{}#.size()[…]"
        );
    }
}
