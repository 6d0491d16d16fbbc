//! Which rows a tree of stacks shows: framework frames left out, folded branches closed.
//!
//! Pure arithmetic over [`StackTrie`]; [`super::stacks`] draws it. Nothing here recurses, because a stack
//! may be as deep as a log says.

use std::collections::BTreeSet;

use crate::engine::protocol::{RecordIndex, StackTrie, Status};
use crate::text::paths;

/// A row of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrieRow {
    /// The node.
    pub node: u32,
    /// How far it stands in: grows only where the tree branches.
    pub depth: u32,
    /// How many frames stand above it in the tree, plus one.
    pub level: u32,
    /// Its place among the rows that hang below the same one, from 1, and how many these are.
    pub among: (u32, u32),
    /// Whether rows hang below it.
    pub fold: Fold,
    /// Compilations at it and below.
    pub below: u32,
    /// The worst status at it and below.
    pub worst: Status,
    /// Records outside any compilation that were logged here, or in frames below that are left out.
    pub records: Vec<RecordIndex>,
}

/// Whether rows hang below a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fold {
    /// None do.
    Leaf,
    /// They show.
    Open,
    /// They are folded away.
    Closed,
}

/// Whether frames of PyTorch, Python and installed packages show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frameworks {
    /// Only where a compilation began in them.
    Hidden,
    /// All of them.
    Shown,
}

/// The rows, from top to bottom.
pub(crate) fn rows(
    trie: &StackTrie,
    closed: &BTreeSet<u32>,
    frameworks: Frameworks,
) -> Vec<TrieRow> {
    let count = trie.nodes.len();
    let mut below = vec![0u32; count];
    let mut worst = vec![Status::Ok; count];
    let mut children = vec![Vec::<u32>::new(); count];
    let mut roots = Vec::<u32>::new();
    let mut records = vec![Vec::<RecordIndex>::new(); count];
    let mut is_shown: Vec<bool> = trie
        .nodes
        .iter()
        .map(|node| {
            let is_own = !node.frame.file.as_deref().is_some_and(paths::is_framework);
            frameworks == Frameworks::Shown || is_own || !node.ends.is_empty()
        })
        .collect();
    // The nearest ancestor that shows; a parent stands before its children.
    let mut anchor = vec![None::<u32>; count];
    for (place, node) in trie.nodes.iter().enumerate() {
        let Ok(number) = u32::try_from(place) else {
            break;
        };
        let parent = node.parent.filter(|parent| *parent < number);
        let above = parent.and_then(|parent| {
            if get(&is_shown, parent) {
                Some(parent)
            } else {
                anchor.get(index(parent)).copied().flatten()
            }
        });
        if let Some(slot) = anchor.get_mut(place) {
            *slot = above;
        }
        // A record stands at the nearest frame that shows; where there is none, its own frame shows.
        if !node.records.is_empty()
            && above.is_none()
            && let Some(shown) = is_shown.get_mut(place)
        {
            *shown = true;
        }
        let is_here = get(&is_shown, number);
        let holder = if is_here { Some(number) } else { above };
        if let Some(held) = holder.and_then(|holder| records.get_mut(index(holder))) {
            held.extend_from_slice(&node.records);
        }
        if !is_here {
            continue;
        }
        match above.and_then(|above| children.get_mut(index(above))) {
            Some(siblings) => siblings.push(number),
            None => roots.push(number),
        }
    }
    for (place, node) in trie.nodes.iter().enumerate().rev() {
        let ends = u32::try_from(node.ends.len()).unwrap_or(u32::MAX);
        let own = node
            .ends
            .iter()
            .map(|end| end.status)
            .max_by_key(|status| severity(*status));
        let total = below.get(place).copied().unwrap_or(0).saturating_add(ends);
        let status = [own, worst.get(place).copied()]
            .into_iter()
            .flatten()
            .max_by_key(|status| severity(*status));
        let status = status.unwrap_or(Status::Ok);
        if let (Some(total_here), Some(worst_here)) = (below.get_mut(place), worst.get_mut(place)) {
            (*total_here, *worst_here) = (total, status);
        }
        if let Some(above) = anchor.get(place).copied().flatten() {
            if let Some(sum) = below.get_mut(index(above)) {
                *sum = sum.saturating_add(total);
            }
            if let Some(there) = worst.get_mut(index(above))
                && severity(status) > severity(*there)
            {
                *there = status;
            }
        }
    }
    let mut out = Vec::new();
    let mut waiting = Vec::new();
    hang(&mut waiting, &roots, 0, 1);
    while let Some(Waiting {
        node,
        depth,
        level,
        among,
    }) = waiting.pop()
    {
        let hanging = children.get(index(node)).map_or(&[][..], Vec::as_slice);
        let fold = match (hanging.is_empty(), closed.contains(&node)) {
            (true, _) => Fold::Leaf,
            (false, true) => Fold::Closed,
            (false, false) => Fold::Open,
        };
        out.push(TrieRow {
            node,
            depth,
            level,
            among,
            fold,
            below: get(&below, node),
            worst: worst.get(index(node)).copied().unwrap_or(Status::Ok),
            records: records
                .get_mut(index(node))
                .map(std::mem::take)
                .unwrap_or_default(),
        });
        if fold == Fold::Open {
            let step = u32::from(hanging.len() > 1);
            hang(&mut waiting, hanging, depth + step, level + 1);
        }
    }
    out
}

/// A row that is still to be put out.
struct Waiting {
    node: u32,
    depth: u32,
    level: u32,
    among: (u32, u32),
}

/// Puts siblings on the stack, the first one on top.
fn hang(waiting: &mut Vec<Waiting>, siblings: &[u32], depth: u32, level: u32) {
    let count = u32::try_from(siblings.len()).unwrap_or(u32::MAX);
    let numbered = (1..=count).rev().zip(siblings.iter().rev());
    waiting.extend(numbered.map(|(place, node)| Waiting {
        node: *node,
        depth,
        level,
        among: (place, count),
    }));
}

/// The place of the row that a row hangs below; its own where it hangs below none.
pub(crate) fn above(rows: &[TrieRow], place: u64) -> u64 {
    let here = usize::try_from(place).unwrap_or(usize::MAX);
    let before = rows.get(..here).unwrap_or_default();
    let level = rows.get(here).map_or(0, |row| row.level);
    before
        .iter()
        .rposition(|row| row.level < level)
        .map_or(place, |found| found as u64)
}

/// How bad a status is.
fn severity(status: Status) -> u8 {
    match status {
        Status::Ok => 0,
        Status::Empty => 1,
        Status::NoMetrics => 2,
        Status::GraphBreak => 3,
        Status::Error => 4,
    }
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn get<T: Copy + Default>(all: &[T], number: u32) -> T {
    all.get(index(number)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::{CompilationKey, FrameView, StackEnd, StackNode};

    fn node(parent: Option<u32>, file: &str, ends: &[Status]) -> StackNode {
        let end = |status: &Status| StackEnd {
            key: CompilationKey {
                process: 0,
                generation: 0,
                id: "0/0".to_owned(),
            },
            label: "[0/0]".to_owned(),
            status: *status,
        };
        StackNode {
            parent,
            frame: FrameView {
                file: Some(file.to_owned()),
                line: Some(1),
                function: "f".to_owned(),
                source: None,
                dumped: None,
            },
            ends: ends.iter().map(end).collect(),
            records: Vec::new(),
        }
    }

    fn trie() -> StackTrie {
        StackTrie {
            nodes: vec![
                node(None, "train.py", &[]),
                node(Some(0), "/x/site-packages/torch/nn/a.py", &[]),
                node(Some(1), "model.py", &[Status::Ok, Status::Error]),
                node(Some(1), "head.py", &[Status::GraphBreak]),
                node(Some(3), "/x/site-packages/torch/nn/b.py", &[Status::Empty]),
            ],
            unknown: Vec::new(),
        }
    }

    fn shown(closed: &[u32], frameworks: Frameworks) -> Vec<(u32, u32, Fold, u32)> {
        let closed = closed.iter().copied().collect();
        rows(&trie(), &closed, frameworks)
            .iter()
            .map(|row| (row.node, row.depth, row.fold, row.below))
            .collect()
    }

    #[test]
    fn framework_frames_are_left_out_unless_a_compilation_began_there() {
        let wanted = [
            (0, 0, Fold::Open, 4),
            (2, 1, Fold::Leaf, 2),
            (3, 1, Fold::Open, 2),
            (4, 1, Fold::Leaf, 1),
        ];
        assert_eq!(shown(&[], Frameworks::Hidden), wanted);
        assert_eq!(shown(&[], Frameworks::Shown).len(), 5);
    }

    #[test]
    fn a_folded_branch_keeps_its_count_and_its_worst_status() {
        assert_eq!(shown(&[0], Frameworks::Hidden), [(0, 0, Fold::Closed, 4)]);
        assert_eq!(
            rows(&trie(), &BTreeSet::new(), Frameworks::Hidden)[0].worst,
            Status::Error
        );
    }

    #[test]
    fn a_row_knows_its_place_among_its_siblings() {
        let rows = rows(&trie(), &BTreeSet::new(), Frameworks::Hidden);
        let found: Vec<_> = rows.iter().map(|row| (row.level, row.among)).collect();
        assert_eq!(found, [(1, (1, 1)), (2, (1, 2)), (2, (2, 2)), (3, (1, 1))]);
    }

    #[test]
    fn the_row_above_is_the_one_that_called() {
        let rows = rows(&trie(), &BTreeSet::new(), Frameworks::Hidden);
        let found: Vec<u64> = (0..6).map(|place| above(&rows, place)).collect();
        assert_eq!(found, [0, 0, 0, 2, 4, 5]);
    }

    #[test]
    fn a_record_stands_at_the_nearest_frame_that_shows() {
        let mut trie = trie();
        trie.nodes[1].records = vec![7];
        trie.nodes.push(node(None, "/x/site-packages/a.py", &[]));
        trie.nodes.push(node(Some(5), "/x/site-packages/b.py", &[]));
        trie.nodes[6].records = vec![9];
        let held = |frameworks| {
            rows(&trie, &BTreeSet::new(), frameworks)
                .into_iter()
                .filter(|row| !row.records.is_empty())
                .map(|row| (row.node, row.records))
                .collect::<Vec<_>>()
        };
        assert_eq!(held(Frameworks::Hidden), [(0, vec![7]), (6, vec![9])]);
        assert_eq!(held(Frameworks::Shown), [(1, vec![7]), (6, vec![9])]);
    }

    #[test]
    fn a_deep_stack_and_a_wrong_parent_do_no_harm() {
        let deep = (0..100_000u32)
            .map(|at| node(at.checked_sub(1), "a.py", &[]))
            .collect();
        let trie = StackTrie {
            nodes: deep,
            unknown: Vec::new(),
        };
        let all = rows(&trie, &BTreeSet::new(), Frameworks::Hidden);
        assert_eq!(all.len(), 100_000);
        assert!(all.iter().all(|row| row.depth == 0));
        let wrong = StackTrie {
            nodes: vec![node(Some(7), "a.py", &[]), node(Some(1), "b.py", &[])],
            unknown: Vec::new(),
        };
        assert_eq!(rows(&wrong, &BTreeSet::new(), Frameworks::Hidden).len(), 2);
    }
}
