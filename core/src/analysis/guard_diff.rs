//! What changed between the guards of two compilations: why the second one was needed, and what it holds.
//!
//! Guards are laid side by side by what they are about ([`Key`]); ids, addresses and the numbers of shape
//! symbols are no difference. The time is linear in the guards, but for sorting.

use crate::payload::guard_tree::{Check, Field, GuardTree, Key, NodeIndex};
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::{HashMap, HashSet};

/// A guard that is not the same in both compilations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What is guarded, and by which class of guard.
    pub key: Key,
    /// The leaf of the old tree; `None` for a guard that was added.
    pub old: Option<NodeIndex>,
    /// The leaf of the new tree; `None` for a guard that was removed.
    pub new: Option<NodeIndex>,
    /// What differs, where both have the guard. Otherwise what the one that has it fixes.
    pub differences: Vec<Difference>,
}

/// What a [`Change`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Only the new compilation has the guard.
    Added,
    /// Only the old one has it.
    Removed,
    /// Both have it, with other values.
    Changed,
}

/// A property that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The property.
    pub field: Field,
    /// What the old compilation demands; `any` for a size that may be any.
    pub old: Option<String>,
    /// What the new one demands.
    pub new: Option<String>,
}

impl Change {
    /// Whether the guard was added, removed or changed.
    #[must_use]
    pub fn kind(&self) -> ChangeKind {
        match (self.old, self.new) {
            (None, _) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            (Some(_), Some(_)) => ChangeKind::Changed,
        }
    }
}

/// What ids and addresses tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// Nothing: the compilations are of two processes.
    Ignore,
    /// Which object or type it is: both compilations are of one process. Before 2.8 they are all that tells
    /// `True` from `False`, and before 2.10 often all that tells one type from another.
    Compare,
}

/// Says which guards differ: removed and changed ones in the order of the old tree, then those added in the
/// order of the new one. Ids are no difference.
#[must_use]
pub fn compare(old: &GuardTree, new: &GuardTree) -> Vec<Change> {
    compare_with(old, new, Ids::Ignore)
}

/// As [`compare`], with a choice of what ids tell.
#[must_use]
pub fn compare_with(old: &GuardTree, new: &GuardTree, ids: Ids) -> Vec<Change> {
    let before = Guards::of(old, ids);
    let mut after = Guards::of(new, ids);
    let mut changes = Vec::new();
    // What is the same in both needs no partner. What is left of a key is paired in its order.
    let mut left: Vec<&Guard> = Vec::new();
    for guard in &before.guards {
        if !after.take_same(guard) {
            left.push(guard);
        }
    }
    for guard in left {
        let partner = after.take(&guard.key);
        let fields = match partner.and_then(|index| after.guards.get(index)) {
            Some(partner) => {
                let mut fields = differences(&guard.fields, &partner.fields);
                fields.retain(|difference| !is_of_version(difference));
                fields
            }
            None => differences(&guard.fields, &[]),
        };
        // Nothing but ids, or what only one version prints.
        if partner.is_some() && fields.is_empty() {
            continue;
        }
        changes.push(Change {
            key: guard.key.clone(),
            old: Some(guard.node),
            new: partner.and_then(|index| Some(after.guards.get(index)?.node)),
            differences: fields,
        });
    }
    let added = after
        .guards
        .iter()
        .zip(&after.taken)
        .filter(|(_, taken)| !**taken);
    changes.extend(added.map(|(guard, _)| Change {
        key: guard.key.clone(),
        old: None,
        new: Some(guard.node),
        differences: differences(&[], &guard.fields),
    }));
    changes
}

type Fields = Vec<(Field, String)>;

struct Guard {
    node: NodeIndex,
    key: Key,
    fields: Fields,
}

/// The guards of a tree, and which of them have a partner.
struct Guards {
    guards: Vec<Guard>,
    taken: Vec<bool>,
    by_key: HashMap<Key, VecDeque<usize>>,
    by_content: HashMap<(Key, Fields), VecDeque<usize>>,
}

impl Guards {
    fn of(tree: &GuardTree, ids: Ids) -> Guards {
        let mut guards = Guards {
            guards: Vec::new(),
            taken: Vec::new(),
            by_key: HashMap::new(),
            by_content: HashMap::new(),
        };
        // 2.4 prints a guard of several objects at each of them.
        let mut printed: HashSet<&str> = HashSet::new();
        for node in tree.leaves() {
            let Some(check) = tree.check(node) else {
                continue;
            };
            if matches!(
                check,
                Check::NoAliasing { .. } | Check::ObjectAliasing { .. }
            ) && let Some(code) = tree.code(node)
                && !printed.insert(code)
            {
                continue;
            }
            let mut fields = check.fields();
            if ids == Ids::Compare {
                fields.extend(check.id().map(|id| (Field::Id, id.into())));
            }
            guards.add(Guard {
                node,
                key: check.key(),
                fields,
            });
        }
        guards
    }

    fn add(&mut self, guard: Guard) {
        let index = self.guards.len();
        self.by_key
            .entry(guard.key.clone())
            .or_default()
            .push_back(index);
        let content = (guard.key.clone(), guard.fields.clone());
        self.by_content.entry(content).or_default().push_back(index);
        self.guards.push(guard);
        self.taken.push(false);
    }

    /// Takes a guard that demands the same; says whether there was one.
    fn take_same(&mut self, guard: &Guard) -> bool {
        let content = (guard.key.clone(), guard.fields.clone());
        let same = self
            .by_content
            .get_mut(&content)
            .and_then(VecDeque::pop_front);
        match same.and_then(|index| self.taken.get_mut(index)) {
            Some(taken) => {
                *taken = true;
                true
            }
            None => false,
        }
    }

    /// Takes the first guard about the same thing that has no partner yet.
    fn take(&mut self, key: &Key) -> Option<usize> {
        let candidates = self.by_key.get_mut(key)?;
        loop {
            let index = candidates.pop_front()?;
            let taken = self.taken.get_mut(index)?;
            if !*taken {
                *taken = true;
                return Some(index);
            }
        }
    }
}

/// Whether only one of two versions of torch prints a property, which is then no difference.
fn is_of_version(difference: &Difference) -> bool {
    let one_sided = difference.old.is_none() || difference.new.is_none();
    one_sided
        && matches!(
            difference.field,
            Field::Type | Field::Object | Field::Setting(_)
        )
}

/// The fields that are not the same, in the old ones' order, then those that only the new ones have.
fn differences(old: &[(Field, String)], new: &[(Field, String)]) -> Vec<Difference> {
    let of =
        |fields: &[(Field, String)]| -> HashMap<Field, String> { fields.iter().cloned().collect() };
    let (before, after) = (of(old), of(new));
    let difference = |field: &Field| {
        let (old, new) = (before.get(field), after.get(field));
        (old != new).then(|| Difference {
            field: field.clone(),
            old: old.cloned(),
            new: new.cloned(),
        })
    };
    let only_new = new.iter().filter(|(field, _)| !before.contains_key(field));
    old.iter()
        .chain(only_new)
        .filter_map(|(field, _)| difference(field))
        .collect()
}

#[cfg(test)]
mod tests;
