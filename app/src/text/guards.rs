//! What each guard demands, in a sentence for people who never read one.
//!
//! Start at [`sentence`]. The engine makes the sentences, because it is where guards are read. What stands
//! between back-quotes is code, and shows so.

mod sentence;
#[cfg(test)]
mod tests;

use super::format::{count, counted, seconds};
use dynascope_core::payload::guard_tree::NoteKind;
use sentence::code;
pub use sentence::{sentence, source, tensor, type_name};

/// What the view of guards is for.
pub const LEAD: &str = "At each call, PyTorch checks these guards from the top down. If one of them fails, this compiled code is not used, and the function is compiled again.";

/// The outermost node.
pub const ROOT: &str = "All guards";

/// What hangs on a node is counted.
pub const ROOT_SENTENCE: &str =
    "Everything below must hold for the compiled code to be used again.";

/// A line of the tree that is not understood.
pub const UNREADABLE: &str =
    "This line could not be read as a guard. It is kept as it stands in the log.";

/// The title of such a line.
pub const UNREADABLE_TITLE: &str = "not understood";

/// The filter leaves nothing.
pub const NO_MATCH: &str = "No guard is left by these filters.";

/// There is nothing to show.
pub const NO_GUARDS: &str = "No guards could be read in this record. Its text shows what it holds.";

/// No guard is chosen.
pub const CHOOSE: &str = "Choose a line to see what it demands, and which line of code caused it.";

/// The address names a node that the tree does not have.
pub const NO_NODE: &str = "The tree has no such line.";

/// The guard that is chosen does not show.
pub const FILTERED: &str = "The filters hide it in the tree.";

/// What the switch does.
pub const ONLY_MINE: &str = "Only what my code caused";

/// The headline of the objects that most guards hang on.
pub const LARGEST: &str = "Most guards hang on:";

/// What the facts of a node are called.
pub mod fact {
    /// The expression that gives an object.
    pub const SOURCE: &str = "Source";
    /// An object's type.
    pub const TYPE: &str = "Type";
    /// How an object is reached from the one above.
    pub const REACHED: &str = "Reached by";
    /// What that takes.
    pub const WITH: &str = "With";
    /// What checks an object.
    pub const CHECKED: &str = "Checked by";
    /// A guard's code.
    pub const GUARD: &str = "Guard";
    /// PyTorch's hint.
    pub const HINT: &str = "Hint";
    /// PyTorch's note.
    pub const NOTE: &str = "Note";
    /// Where a name is looked up.
    pub const SCOPE: &str = "Scope";
    /// The object.
    pub const OBJECT: &str = "Object";
    /// A line as it stands.
    pub const LINE: &str = "Line";
    /// Checks that may be left out.
    pub const TAG_SAFE: (&str, &str) = (
        "Left out",
        "while the tags of dictionaries show that nothing below has changed",
    );
    /// A key of a dictionary.
    pub const KEY: (&str, &str) = ("Role", "the entry's key");
    /// A value of a dictionary.
    pub const VALUE: (&str, &str) = ("Role", "the entry's value");
    /// The line that caused a guard.
    pub const CAUSE: &str = "Caused by";
    /// The same, where it is not PyTorch's.
    pub const CAUSE_MINE: &str = "Caused by your code";
}

/// The headline: how many guards there are, and how many come from the reader's code.
#[must_use]
pub fn headline(leaves: u32, mine: u32) -> String {
    let guards = counted(leaves.into(), "guard holds", "guards hold");
    let mine = match (mine, leaves) {
        (0, _) => "none of them names a line of your code".to_owned(),
        (1, 1) => "it comes from your code".to_owned(),
        (1, _) => "1 of them comes from your code".to_owned(),
        (mine, _) => format!("{} of them come from your code", count(mine.into())),
    };
    format!("This compiled code may be reused while {guards}; {mine}.")
}

/// How long a check of all guards takes.
#[must_use]
pub fn latency(value: f64) -> String {
    format!("Checking all of them once took {}.", seconds(value))
}

/// What could not be read.
#[must_use]
pub fn wrong(lines: u32) -> String {
    format!(
        "{} could not be read:",
        counted(lines.into(), "line", "lines")
    )
}

/// The payload is too large to be shown as a tree.
#[must_use]
pub fn too_large(size: &str) -> String {
    format!("This payload has {size}, too much for a tree of guards; its text can be read.")
}

/// Items of a list of guards that are none.
#[must_use]
pub fn wrong_items(items: u32) -> String {
    format!(
        "{} of this list could not be read as a guard.",
        counted(items.into(), "item", "items")
    )
}

/// JSON that could not be read to its end.
#[must_use]
pub fn broken_json(fault: &str) -> String {
    format!("This list of guards is no proper JSON: {fault}. What came before is shown.")
}

/// An object's sentence.
#[must_use]
pub fn object(below: u32) -> String {
    format!(
        "{} on this object and what it holds.",
        counted(below.into(), "guard hangs", "guards hang")
    )
}

/// A pair's name.
#[must_use]
pub fn pair(index: &str) -> String {
    format!("entry {index}")
}

/// A guard of several objects, where it is named again.
#[must_use]
pub fn again(class: &str) -> String {
    format!(
        "The guard {} is written out at another object above; it concerns this object, too.",
        code(class)
    )
}

/// What PyTorch notes beside a guard, for people.
#[must_use]
pub fn note(kind: NoteKind) -> Option<&'static str> {
    Some(match kind {
        NoteKind::ZeroOneSpecialization => {
            "Sizes 0 and 1 are always compiled for themselves. The line of code is only where the size was used first."
        }
        NoteKind::DuckSizing => {
            "Two sizes were equal when this was compiled, so PyTorch took them for one."
        }
        NoteKind::Unknown => "PyTorch does not know which line caused this guard.",
        NoteKind::NanSpecialization => "NaN is always compiled for itself.",
        NoteKind::Other => return None,
    })
}
