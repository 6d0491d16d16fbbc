//! What a layout keeps of a related one.

use super::rows::mix;
use super::{Diagram, Layout};
use alloc::vec::Vec;
use hashbrown::HashMap;

/// Where something stood in a flat graph, by a name that related diagrams give it, too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mark {
    pub(super) name: u64,
    /// From the graph's own middle.
    pub(super) x: f32,
}

/// The layout of a related diagram: the graph before a pass, or the same one with other groups open.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reference {
    marks: HashMap<u64, f32>,
}

impl Reference {
    /// Remembers a layout.
    #[must_use]
    pub fn new(layout: &Layout) -> Reference {
        let marks = layout.marks.iter().map(|mark| (mark.name, mark.x));
        Reference {
            marks: marks.collect(),
        }
    }
}

/// What a reference says of one flat graph.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks<'a> {
    pub(super) reference: Option<&'a Reference>,
}

impl Marks<'_> {
    /// Where the thing of that name stood; zero is the name of nothing.
    pub(super) fn x(&self, name: u64) -> Option<f32> {
        let marks = &self.reference?.marks;
        (name != 0).then(|| marks.get(&name).copied()).flatten()
    }
}

/// What a name is given to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Named {
    Node,
    Group,
    /// Where a group's graph has its middle, from the left.
    Middle,
    Entry,
    Exit,
}

/// The name of something with that key, apart from those of other things.
pub(super) fn name(key: u64, what: Named) -> u64 {
    mix(key, what as u64 + 1)
}

/// For each node and each group its name; zero where several have the same key.
pub(super) fn names(diagram: &Diagram) -> (Vec<u64>, Vec<u64>) {
    let unique = |keys: &mut dyn Iterator<Item = u64>, what| {
        let mut names: Vec<u64> = Vec::new();
        let mut first: HashMap<u64, usize> = HashMap::new();
        for (at, key) in keys.enumerate() {
            let known = *first.entry(key).or_insert(at);
            names.push(if known == at { name(key, what) } else { 0 });
            if known != at
                && let Some(slot) = names.get_mut(known)
            {
                *slot = 0;
            }
        }
        names
    };
    (
        unique(&mut diagram.nodes.iter().map(|node| node.key), Named::Node),
        unique(
            &mut diagram.groups.iter().map(|group| group.key),
            Named::Group,
        ),
    )
}
