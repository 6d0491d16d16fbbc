//! Which group is in which, whatever the diagram says.

use crate::table::{Table, count};
use crate::{Group, GroupId};
use alloc::vec::Vec;

/// The tree of groups.
pub(super) struct Groups {
    parents: Table<Option<GroupId>>,
    /// For each group the outermost closed one that it is, or is in.
    covers: Table<Option<GroupId>>,
}

impl Groups {
    pub(super) fn new(groups: &[Group]) -> Groups {
        #[derive(Clone, Copy, Default, PartialEq)]
        enum State {
            #[default]
            New,
            Open,
            Done,
        }
        let mut parents = Table(groups.iter().map(|group| group.parent).collect());
        let mut covers = Table::new(groups.len(), None);
        let mut state = Table::new(groups.len(), State::New);
        let mut path = Vec::new();
        for start in 0..count(groups.len()) {
            let mut at = start;
            while state.at(at) == State::New {
                state.set(at, State::Open);
                path.push(at);
                match parents.at(at) {
                    Some(parent)
                        if (parent as usize) < groups.len() && state.at(parent) != State::Open =>
                    {
                        at = parent;
                    }
                    // No such group, or one that is within this one.
                    _ => parents.set(at, None),
                }
            }
            while let Some(group) = path.pop() {
                let around = parents.at(group).and_then(|parent| covers.at(parent));
                let closed = groups.get(group as usize).is_some_and(|group| !group.open);
                covers.set(group, around.or(closed.then_some(group)));
                state.set(group, State::Done);
            }
        }
        Groups { parents, covers }
    }

    pub(super) fn parent(&self, group: GroupId) -> Option<GroupId> {
        self.parents.at(group)
    }

    /// The closed group that stands for this one, itself if it is closed and shown.
    pub(super) fn cover(&self, group: GroupId) -> Option<GroupId> {
        self.covers.at(group)
    }
}
