//! Vectors that any index may be asked of, so that no step can panic on a graph that lies.

use alloc::vec;
use alloc::vec::Vec;

/// One value for each of a range of ids. What lies outside reads as the default and cannot be set.
#[derive(Debug, Clone, Default)]
pub(super) struct Table<T>(pub(super) Vec<T>);

impl<T: Copy + Default> Table<T> {
    pub(super) fn new(len: usize, value: T) -> Table<T> {
        Table(vec![value; len])
    }

    pub(super) fn at(&self, index: u32) -> T {
        self.0.get(index as usize).copied().unwrap_or_default()
    }

    pub(super) fn set(&mut self, index: u32, value: T) {
        if let Some(slot) = self.0.get_mut(index as usize) {
            *slot = value;
        }
    }

    /// Changes the value by what the function makes of it, and returns the old one.
    pub(super) fn change(&mut self, index: u32, change: impl FnOnce(T) -> T) -> T {
        let old = self.at(index);
        self.set(index, change(old));
        old
    }

    pub(super) fn push(&mut self, value: T) -> u32 {
        self.0.push(value);
        count(self.0.len()) - 1
    }

    pub(super) fn len(&self) -> u32 {
        count(self.0.len())
    }
}

/// A length as an id. Diagrams of more than 2^32 parts fit no memory that this runs in.
pub(super) fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// A list of ids for each of a range of ids, in one vector.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    starts: Vec<u32>,
    values: Vec<u32>,
}

impl Lists {
    /// Lists of the pairs' second parts by their first, each in the order of the pairs.
    pub(super) fn new(len: u32, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut starts = Table::new(len as usize + 1, 0u32);
        for (owner, _) in pairs.clone() {
            if owner < len {
                starts.change(owner + 1, |n| n + 1);
            }
        }
        for owner in 0..len {
            let before = starts.at(owner);
            starts.change(owner + 1, |n| n + before);
        }
        let mut values = Table::new(starts.at(len) as usize, 0);
        let mut next = starts.clone();
        for (owner, value) in pairs {
            if owner < len {
                values.set(next.change(owner, |n| n + 1), value);
            }
        }
        Lists {
            starts: starts.0,
            values: values.0,
        }
    }

    pub(super) fn of(&self, owner: u32) -> &[u32] {
        let bound = |at: usize| self.starts.get(at).copied().unwrap_or(0) as usize;
        self.values
            .get(bound(owner as usize)..bound(owner as usize + 1))
            .unwrap_or(&[])
    }

    pub(super) fn of_mut(&mut self, owner: u32) -> &mut [u32] {
        let bound = |at: usize| self.starts.get(at).copied().unwrap_or(0) as usize;
        let range = bound(owner as usize)..bound(owner as usize + 1);
        self.values.get_mut(range).unwrap_or(&mut [])
    }
}
