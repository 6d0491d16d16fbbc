//! Layouts beside that of a related diagram.

use super::*;
use proptest::prelude::*;

/// Diagrams without cycles whose nodes have names of their own, some of them in groups.
fn related_diagram() -> impl Strategy<Value = Diagram> {
    let edge = (0u32..40, 1u32..9);
    let groups = prop::collection::vec(any::<bool>(), 3);
    (prop::collection::vec(edge, 0..80), groups, any::<bool>()).prop_map(
        |(edges, open, grouped)| {
            let edges: Vec<(u32, u32)> = edges.iter().map(|&(at, far)| (at, at + far)).collect();
            let mut diagram = diagram(48, &edges);
            for (id, node) in diagram.nodes.iter_mut().enumerate() {
                node.width = 30.0 + (id * 31 % 70) as f32;
                node.group = (grouped && id >= 24).then(|| id as u32 / 8 - 3);
            }
            for (id, open) in open.into_iter().enumerate() {
                diagram
                    .groups
                    .push(group((id == 2).then_some(1), open, id as u64 + 1));
            }
            diagram
        },
    )
}

/// The nodes in their order from left to right, by row, as far as both layouts have them in one row.
fn keep_their_order(
    old: &Layout,
    new: &Layout,
    named: &dyn Fn(NodeId) -> Option<NodeId>,
) -> (usize, usize) {
    let (mut kept, mut all) = (0, 0);
    let place =
        |node: NodeId| old.boxes[node as usize].map(|rect| (rect.y + rect.height / 2.0, rect.x));
    for row in &new.rows {
        let old: Vec<(f32, f32)> = row
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Node(node) => place(named(*node)?),
                Item::Group(_) => None,
            })
            .collect();
        for (at, a) in old.iter().enumerate() {
            for b in &old[at + 1..] {
                if a.0 == b.0 {
                    all += 1;
                    kept += usize::from(a.1 < b.1);
                }
            }
        }
    }
    (kept, all)
}

proptest! {
    #[test]
    fn a_diagram_beside_itself_stays_where_it_is(diagram in related_diagram()) {
        let layout = lay_out(&diagram, None);
        let again = lay_out(&diagram, Some(&Reference::new(&layout)));
        check(&diagram, &again);
        prop_assert_eq!(again, layout);
    }

    #[test]
    fn what_two_diagrams_share_keeps_its_order(diagram in related_diagram(), gone in prop::collection::vec(0usize..48, 1..8)) {
        let mut after = diagram.clone();
        after.groups.clear();
        after.nodes.iter_mut().for_each(|node| node.group = None);
        let mut before = after.clone();
        // Keys that the old diagram does not have.
        for at in gone {
            after.nodes[at].key += 1000;
        }
        before.edges.truncate(diagram.edges.len() * 9 / 10);
        let old = lay_out(&before, None);
        let new = lay_out(&after, Some(&Reference::new(&old)));
        check(&after, &new);
        let named = |node: NodeId| (after.nodes[node as usize].key < 1000).then_some(node);
        let (kept, all) = keep_their_order(&old, &new, &named);
        prop_assert_eq!(kept, all);
    }
}

#[test]
fn one_more_node_moves_nothing_sideways() {
    let chain = |nodes: u32| (0..nodes - 1).map(|at| (at, at + 1)).collect::<Vec<_>>();
    let mut edges = chain(20);
    edges.extend([(2, 20), (20, 5), (2, 21), (21, 5), (7, 22), (22, 9)]);
    let before = diagram(23, &edges);
    edges.extend([(10, 23), (23, 12), (10, 24), (24, 12)]);
    let after = diagram(25, &edges);
    let old = lay_out(&before, None);
    let new = lay_out(&after, Some(&Reference::new(&old)));
    check(&after, &new);
    let moved = middle(new.boxes[0]) - middle(old.boxes[0]);
    for (old, new) in old.boxes.iter().zip(&new.boxes) {
        assert!((middle(*new) - middle(*old) - moved).abs() < CLOSE);
    }
}

#[test]
fn opening_a_group_keeps_what_stands_around_it_in_order() {
    let mut edges: Vec<(u32, u32)> = (0..9).map(|at| (at, at + 1)).collect();
    edges.extend([
        (0, 10),
        (10, 11),
        (11, 5),
        (0, 12),
        (12, 13),
        (13, 5),
        (0, 14),
        (14, 15),
        (15, 5),
    ]);
    edges.extend([(0, 16), (16, 17), (17, 5), (2, 13), (12, 3)]);
    let mut diagram = diagram(18, &edges);
    diagram.groups.push(group(None, false, 1));
    for node in [12, 13] {
        diagram.nodes[node].group = Some(0);
    }
    let closed = lay_out(&diagram, None);
    diagram.groups[0].open = true;
    let open = lay_out(&diagram, Some(&Reference::new(&closed)));
    check(&diagram, &open);
    let from_left = |layout: &Layout| {
        let group = layout.groups[0].unwrap();
        let mut all = vec![(group.x, 0)];
        all.extend([10, 14, 16, 1].map(|node: u32| (layout.boxes[node as usize].unwrap().x, node)));
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.into_iter().map(|(_, node)| node).collect::<Vec<_>>()
    };
    assert_eq!(from_left(&open), from_left(&closed));
}
