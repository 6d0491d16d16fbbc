//! Holds the reasons of recompiles that the core reads against those that PyTorch counted.

use serde_json::Value;

/// Whether guards that fail come in the order in which PyTorch checked them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Checked,
    /// All that fail are named, in any order.
    Any,
}

/// Sees that each recompile has the reason, of the id and function, that PyTorch's counters name.
pub(crate) fn compare(path: &str, recompiles: &[Value], theirs: &[Value], order: Order) {
    let mut theirs: Vec<[String; 3]> = theirs
        .iter()
        .map(|reason| [0, 1, 2].map(|i| text(&reason[i])))
        .collect();
    let mut ours: Vec<[String; 3]> = recompiles
        .iter()
        .map(|recompile| {
            let reason = &recompile["reasons"][0];
            let entry = text(&reason["entry"]);
            [
                bare(&text(&recompile["id"])).into(),
                text(&recompile["function"]),
                format!("{}: {}", bare(&entry), text(&reason["parts"][0]["guard"])),
            ]
        })
        .collect();
    theirs.sort();
    ours.sort();
    assert_eq!(ours.len(), theirs.len(), "{path}");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours[0], theirs[0], "{path}");
        // The metrics of a call that hit the limit name no function; the frame's other compilations do.
        assert!(
            theirs[1].is_empty() || ours[1] == theirs[1],
            "{path}: {ours:?} {theirs:?}"
        );
        let same = ours[2].starts_with(&theirs[2]) || theirs[2].starts_with(&ours[2]);
        assert!(same || order == Order::Any, "{path}: {ours:?} {theirs:?}");
    }
}

/// An id without its brackets.
fn bare(id: &str) -> &str {
    id.trim_matches(['[', ']'])
}

/// A text; empty where the value is none.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
