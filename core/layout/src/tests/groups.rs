//! Groups, open and closed.

use super::*;

/// Two layers of attention and feed-forward: four groups of three nodes each, in pairs, in a group of all.
/// Each block's output also goes to the next one but one, and the first node is an input of all.
fn model(open: impl Fn(usize) -> bool) -> Diagram {
    let mut edges: Vec<(u32, u32)> = (0..13).map(|at| (at, at + 1)).collect();
    edges.extend([(3, 7), (6, 10), (0, 11)]);
    let mut diagram = diagram(14, &edges);
    let parents = [None, Some(0), Some(0), Some(1), Some(1), Some(2), Some(2)];
    for (id, parent) in parents.into_iter().enumerate() {
        diagram.groups.push(group(parent, open(id), id as u64 + 1));
    }
    for at in 1..13 {
        diagram.nodes[at].group = Some(3 + (at as u32 - 1) / 3);
    }
    diagram
}

#[test]
fn open_groups_are_frames_in_one_another() {
    let layout = laid_out(&model(|_| true));
    assert!(layout.edges.iter().all(is_line));
    assert!(
        layout
            .groups
            .iter()
            .chain(&layout.boxes)
            .all(Option::is_some)
    );
    for (inner, outer) in [(3, 1), (6, 2), (1, 0), (2, 0)] {
        assert!(inside(
            &layout.groups[inner].unwrap(),
            &layout.groups[outer].unwrap()
        ));
    }
    // There is room for the title.
    let (frame, first) = (layout.groups[3].unwrap(), layout.boxes[1].unwrap());
    assert!(first.y >= frame.y + 20.0);
    insta::assert_snapshot!(shown(&layout));
}

#[test]
fn the_longest_chain_is_straight_through_frames() {
    let layout = laid_out(&model(|_| true));
    let first = middle(layout.boxes[0]);
    for rect in &layout.boxes {
        assert!((middle(*rect) - first).abs() < CLOSE, "{:?}", layout.boxes);
    }
}

#[test]
fn a_closed_group_hides_its_members_and_takes_their_edges() {
    let layout = laid_out(&model(|group| group != 3 && group != 2));
    for hidden in [1, 2, 3, 7, 12] {
        assert_eq!(layout.boxes[hidden], None);
    }
    assert!(layout.boxes[4].is_some());
    assert_eq!(layout.groups[5], None);
    // Within a group; from group 3 to node 4; from node 6 to group 2, and the same again.
    assert_eq!(layout.edges[1], Route::Hidden);
    assert!(is_line(&layout.edges[3]));
    assert!(is_line(&layout.edges[6]));
    assert_eq!(layout.edges[14], Route::Merged(6));
    insta::assert_snapshot!(shown(&layout));
}

#[test]
fn everything_in_one_closed_group_is_one_box() {
    let layout = laid_out(&model(|group| group != 0));
    assert_eq!(layout.rows.len(), 3);
    assert_eq!(layout.boxes.iter().flatten().count(), 2);
}

#[test]
fn groups_that_contain_themselves_or_are_in_nothing_stand_at_the_top() {
    let mut diagram = diagram(4, &[(0, 1), (1, 2), (2, 3)]);
    diagram.groups = vec![
        group(Some(1), true, 1),
        group(Some(0), true, 2),
        group(Some(2), false, 3),
        group(Some(77), true, 4),
    ];
    for (node, group) in diagram.nodes.iter_mut().zip([0, 1, 2, 99]) {
        node.group = Some(group);
    }
    let layout = laid_out(&diagram);
    assert!(layout.groups.iter().all(Option::is_some));
    assert_eq!(layout.boxes[2], None);
}

#[test]
fn groups_may_be_nested_to_any_depth() {
    for open in [true, false] {
        let mut edges: Vec<(u32, u32)> = (0..19_999).map(|at| (at, at + 1)).collect();
        edges.push((0, 19_999));
        let mut diagram = diagram(20_000, &edges);
        for at in 0..20_000u32 {
            diagram
                .groups
                .push(group(at.checked_sub(1), open, u64::from(at)));
            diagram.nodes[at as usize].group = Some(at);
        }
        let layout = lay_out(&diagram, None);
        let shown = if open { 20_000 } else { 0 };
        assert_eq!(layout.boxes.iter().flatten().count(), shown);
        assert_eq!(
            layout.edges.iter().filter(|route| is_line(route)).count(),
            shown.saturating_sub(1)
        );
        assert!(if open {
            is_stubs(&layout.edges[19_999])
        } else {
            layout.edges[19_999] == Route::Hidden
        });
    }
}

#[test]
fn of_very_many_values_that_enter_a_group_some_are_stubs() {
    let edges: Vec<(u32, u32)> = (0..200).map(|at| (at, at + 200)).collect();
    let mut diagram = diagram(400, &edges);
    diagram.groups.push(group(None, true, 1));
    for node in &mut diagram.nodes[200..] {
        node.group = Some(0);
    }
    let layout = laid_out(&diagram);
    let lines = layout.edges.iter().filter(|route| is_line(route)).count();
    assert!((1..=64).contains(&lines), "{lines}");
}
