//! What holds of every layout, and layouts of small graphs.

mod groups;
mod properties;
mod related;

use super::*;
use alloc::format;
use alloc::string::String;
use alloc::vec;

/// Rounding of 32-bit sums, in pixels.
const CLOSE: f32 = 0.05;

fn shape(role: Role, key: u64) -> Shape {
    Shape {
        width: 100.0,
        height: 30.0,
        role,
        group: None,
        key,
    }
}

/// Nodes 0 to `nodes`, all steps, with their numbers as keys.
fn diagram(nodes: u32, edges: &[(u32, u32)]) -> Diagram {
    Diagram {
        nodes: (0..nodes)
            .map(|id| shape(Role::Step, u64::from(id) + 1))
            .collect(),
        edges: edges.iter().map(|&(from, to)| Link { from, to }).collect(),
        groups: Vec::new(),
    }
}

fn group(parent: Option<GroupId>, open: bool, key: u64) -> Group {
    Group {
        parent,
        open,
        width: 120.0,
        height: 40.0,
        title: 20.0,
        key,
    }
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x + CLOSE < b.x + b.width
        && b.x + CLOSE < a.x + a.width
        && a.y + CLOSE < b.y + b.height
        && b.y + CLOSE < a.y + a.height
}

fn inside(inner: &Rect, outer: &Rect) -> bool {
    inner.x + CLOSE >= outer.x
        && inner.y + CLOSE >= outer.y
        && inner.x + inner.width <= outer.x + outer.width + CLOSE
        && inner.y + inner.height <= outer.y + outer.height + CLOSE
}

/// Whether a segment runs through the inside of a box, by clipping it on each side.
fn pierces(from: Point, to: Point, rect: &Rect) -> bool {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let (mut enter, mut leave) = (0.0f32, 1.0f32);
    for (direction, distance) in [
        (-dx, from.x - rect.x - CLOSE),
        (dx, rect.x + rect.width - CLOSE - from.x),
        (-dy, from.y - rect.y - CLOSE),
        (dy, rect.y + rect.height - CLOSE - from.y),
    ] {
        if direction == 0.0 {
            if distance <= 0.0 {
                return false;
            }
        } else if direction < 0.0 {
            enter = enter.max(distance / direction);
        } else {
            leave = leave.min(distance / direction);
        }
    }
    enter < leave
}

/// Everything that must be true of a layout; quadratic, for small diagrams.
fn check(diagram: &Diagram, layout: &Layout) {
    assert_eq!(layout.boxes.len(), diagram.nodes.len());
    assert_eq!(layout.groups.len(), diagram.groups.len());
    assert_eq!(layout.edges.len(), diagram.edges.len());
    let whole = Rect {
        x: 0.0,
        y: 0.0,
        width: layout.width,
        height: layout.height,
    };
    check_boxes(diagram, layout, &whole);
    for (link, route) in diagram.edges.iter().zip(&layout.edges) {
        check_route(diagram, layout, &whole, *link, route);
    }
    // Rows hold each box once, from left to right, and each row stands below the one before.
    let mut walked = Vec::new();
    for row in &layout.rows {
        let rects: Vec<Rect> = row.items.iter().map(|&item| rect(layout, item)).collect();
        assert!(
            rects
                .windows(2)
                .all(|pair| pair[0].x + pair[0].width <= pair[1].x + CLOSE)
        );
        walked.extend(row.items.iter().copied());
    }
    let boxes = (0..)
        .zip(&layout.boxes)
        .filter(|(_, rect)| rect.is_some())
        .map(|(id, _)| Item::Node(id));
    let groups = (0..)
        .zip(&layout.groups)
        .filter(|(_, rect)| rect.is_some())
        .map(|(id, _)| Item::Group(id));
    let all: Vec<Item> = boxes.chain(groups).collect();
    assert_eq!(walked.len(), all.len());
    assert!(all.iter().all(|item| walked.contains(item)));
}

fn rect(layout: &Layout, item: Item) -> Rect {
    match item {
        Item::Node(node) => layout.boxes[node as usize].unwrap(),
        Item::Group(group) => layout.groups[group as usize].unwrap(),
    }
}

/// The groups around a group or node from inside out, as far as they exist and do not repeat.
fn ancestors(diagram: &Diagram, group: Option<GroupId>) -> Vec<GroupId> {
    let mut found = Vec::new();
    let mut at = group;
    while let Some(group) = at
        && (group as usize) < diagram.groups.len()
        && !found.contains(&group)
    {
        found.push(group);
        at = diagram.groups[group as usize].parent;
    }
    found
}

fn is_tree(diagram: &Diagram) -> bool {
    (0..diagram.groups.len() as u32).all(|group| {
        let found = ancestors(diagram, Some(group));
        diagram.groups[*found.last().unwrap() as usize]
            .parent
            .is_none_or(|parent| parent as usize >= diagram.groups.len())
    })
}

/// Boxes keep apart, frames hold what is in them, closed groups hide it.
fn check_boxes(diagram: &Diagram, layout: &Layout, whole: &Rect) {
    let is_tree = is_tree(diagram);
    let mut boxes: Vec<(Rect, Vec<GroupId>)> = Vec::new();
    for (node, rect) in diagram.nodes.iter().zip(&layout.boxes) {
        let around = ancestors(diagram, node.group);
        if is_tree {
            let hidden = around
                .iter()
                .any(|&group| !diagram.groups[group as usize].open);
            assert_eq!(rect.is_none(), hidden);
        }
        if let Some(rect) = rect {
            boxes.push((*rect, around));
        }
    }
    for (id, (group, rect)) in (0..).zip(diagram.groups.iter().zip(&layout.groups)) {
        let around = ancestors(diagram, group.parent);
        if is_tree {
            let hidden = around
                .iter()
                .any(|&group| !diagram.groups[group as usize].open);
            assert_eq!(rect.is_none(), hidden);
        }
        if let Some(rect) = rect {
            let members = boxes.iter().filter(|(_, around)| around.contains(&id));
            if is_tree {
                members.for_each(|(member, _)| assert!(inside(member, rect)));
            }
            if !group.open {
                boxes.push((*rect, around));
            }
        }
    }
    for (at, (a, _)) in boxes.iter().enumerate() {
        assert!(inside(a, whole), "{a:?} in {whole:?}");
        assert!(a.x.is_finite() && a.y.is_finite());
        for (b, _) in &boxes[at + 1..] {
            assert!(!overlap(a, b), "{a:?} {b:?}");
        }
    }
    // Frames are in one another or apart; nodes and closed groups are in a frame or apart from it.
    for (group, frame) in diagram.groups.iter().zip(&layout.groups) {
        let Some(frame) = frame.filter(|_| group.open) else {
            continue;
        };
        assert!(inside(&frame, whole));
        for (other, _) in &boxes {
            assert!(!overlap(&frame, other) || inside(other, &frame));
        }
    }
}

/// The box that stands for a node: its own, or that of the closed group that hides it.
fn stands_for(diagram: &Diagram, layout: &Layout, node: NodeId) -> Option<Rect> {
    let shape = diagram.nodes.get(node as usize)?;
    layout.boxes[node as usize].or_else(|| {
        let mut around = ancestors(diagram, shape.group).into_iter();
        around.find_map(|group| layout.groups[group as usize])
    })
}

fn check_route(diagram: &Diagram, layout: &Layout, whole: &Rect, link: Link, route: &Route) {
    let ends = (
        stands_for(diagram, layout, link.from),
        stands_for(diagram, layout, link.to),
    );
    let (Some(from), Some(to)) = ends else {
        assert_eq!(route, &Route::Hidden);
        return;
    };
    let touches_below = |point: Point, rect: &Rect| {
        (point.y - rect.y - rect.height).abs() < CLOSE
            && point.x + CLOSE >= rect.x
            && point.x <= rect.x + rect.width + CLOSE
    };
    let touches_above = |point: Point, rect: &Rect| {
        (point.y - rect.y).abs() < CLOSE
            && point.x + CLOSE >= rect.x
            && point.x <= rect.x + rect.width + CLOSE
    };
    match route {
        Route::Hidden => {
            assert_eq!(from, to);
            assert!(layout.boxes[link.from as usize].is_none());
        }
        Route::Merged(edge) => {
            let same = diagram.edges[*edge as usize];
            assert_eq!(stands_for(diagram, layout, same.from), Some(from));
            assert_eq!(stands_for(diagram, layout, same.to), Some(to));
            assert!(matches!(
                layout.edges[*edge as usize],
                Route::Line(_) | Route::Stubs { .. }
            ));
        }
        Route::Stubs { leaves, arrives } => {
            assert!(touches_below(leaves[0], &from) && leaves[1].y > leaves[0].y);
            assert!(touches_above(arrives[1], &to) && arrives[0].y < arrives[1].y);
            for pair in [leaves, arrives] {
                check_line(diagram, layout, whole, pair);
            }
        }
        Route::Line(points) => {
            assert!(points.len() >= 2);
            assert!(touches_below(points[0], &from));
            assert!(
                touches_above(*points.last().unwrap(), &to),
                "{points:?} {to:?}"
            );
            assert!(from.y + from.height <= to.y + CLOSE);
            check_line(diagram, layout, whole, points);
        }
    }
}

/// A line goes down and through no box.
fn check_line(diagram: &Diagram, layout: &Layout, whole: &Rect, points: &[Point]) {
    let groups = diagram.groups.iter().zip(&layout.groups);
    let closed = groups
        .filter(|(group, _)| !group.open)
        .map(|(_, rect)| rect);
    let boxes: Vec<&Rect> = layout.boxes.iter().chain(closed).flatten().collect();
    for pair in points.windows(2) {
        assert!(pair[0].y <= pair[1].y + CLOSE, "{points:?}");
        for rect in &boxes {
            assert!(!pierces(pair[0], pair[1], rect), "{pair:?} {rect:?}");
        }
    }
    for point in points {
        assert!(point.x >= 0.0 && point.x <= whole.width);
        assert!(point.y >= 0.0 && point.y <= whole.height);
    }
}

fn laid_out(diagram: &Diagram) -> Layout {
    let layout = lay_out(diagram, None);
    check(diagram, &layout);
    layout
}

/// A layout as text: a line for each node and group, then for each edge.
fn shown(layout: &Layout) -> String {
    let mut out = format!(
        "{} × {}, {} crossings\n",
        layout.width, layout.height, layout.crossings
    );
    let rect = |rect: &Option<Rect>| {
        rect.map_or("hidden".into(), |rect| {
            format!(
                "x {} y {} width {} height {}",
                rect.x, rect.y, rect.width, rect.height
            )
        })
    };
    let line = |points: &[Point]| {
        let points = points
            .iter()
            .map(|point| format!("{},{}", point.x, point.y));
        points.collect::<Vec<_>>().join(" ")
    };
    for (id, node) in layout.boxes.iter().enumerate() {
        out.push_str(&format!("node {id}: {}\n", rect(node)));
    }
    for (id, group) in layout.groups.iter().enumerate() {
        out.push_str(&format!("group {id}: {}\n", rect(group)));
    }
    for (id, route) in layout.edges.iter().enumerate() {
        let route = match route {
            Route::Line(points) => format!("line {}", line(points)),
            Route::Stubs { leaves, arrives } => {
                format!("stubs {}; {}", line(leaves), line(arrives))
            }
            Route::Merged(edge) => format!("as edge {edge}"),
            Route::Hidden => "hidden".into(),
        };
        out.push_str(&format!("edge {id}: {route}\n"));
    }
    out
}

#[test]
fn nothing_is_a_layout_too() {
    let layout = laid_out(&Diagram::default());
    assert_eq!(layout.rows, vec![]);
}

fn is_line(route: &Route) -> bool {
    matches!(route, Route::Line(_))
}

fn is_stubs(route: &Route) -> bool {
    matches!(route, Route::Stubs { .. })
}

/// The row of each node.
fn rows(layout: &Layout) -> Vec<usize> {
    let mut rows = vec![0; layout.boxes.len()];
    for (number, row) in layout.rows.iter().enumerate() {
        for item in &row.items {
            if let Item::Node(node) = item {
                rows[*node as usize] = number;
            }
        }
    }
    rows
}

fn middle(rect: Option<Rect>) -> f32 {
    rect.unwrap().x + rect.unwrap().width / 2.0
}

#[test]
fn a_chain_with_a_branch_goes_straight_down() {
    let layout = laid_out(&diagram(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (1, 3)]));
    insta::assert_snapshot!(shown(&layout));
}

#[test]
fn the_longest_chain_is_straight_whatever_hangs_on_it() {
    // 0 to 29 are the chain; a branch of three leaves it at each third node and comes back.
    let mut edges: Vec<(u32, u32)> = (0..29).map(|at| (at, at + 1)).collect();
    for (branch, at) in (0..24).step_by(3).enumerate() {
        let first = 30 + 2 * branch as u32;
        edges.extend([
            (at, first),
            (first, first + 1),
            (first + 1, at + 5),
            (at, at + 4),
        ]);
    }
    let mut diagram = diagram(46, &edges);
    for (at, node) in diagram.nodes.iter_mut().enumerate() {
        node.width = 40.0 + (at * 37 % 90) as f32;
    }
    let layout = laid_out(&diagram);
    let first = middle(layout.boxes[0]);
    for rect in &layout.boxes[..30] {
        assert!((middle(*rect) - first).abs() < 0.01);
    }
    for (link, route) in diagram.edges[..29].iter().zip(&layout.edges) {
        let Route::Line(points) = route else {
            panic!("{link:?} {route:?}");
        };
        assert_eq!(points.len(), 2, "{points:?}");
    }
}

#[test]
fn sources_stand_right_above_their_first_use() {
    // A chain of 30; node 30 + n is a weight that step 3n uses, and 40 one that steps 5 and 25 use.
    let mut edges: Vec<(u32, u32)> = (0..29).map(|at| (at, at + 1)).collect();
    edges.extend((0..10).map(|n| (30 + n, 3 * n)));
    edges.extend([(40, 25), (40, 5)]);
    let mut diagram = diagram(41, &edges);
    for node in &mut diagram.nodes[30..] {
        node.role = Role::Source;
    }
    let layout = laid_out(&diagram);
    let rows = rows(&layout);
    for n in 0..10 {
        assert_eq!(rows[30 + n] + 1, rows[3 * n]);
        assert!(is_line(&layout.edges[29 + n]));
    }
    assert_eq!(rows[40] + 1, rows[5]);
    assert!(is_stubs(&layout.edges[39]));
    assert!(is_line(&layout.edges[40]));
}

#[test]
fn what_is_made_of_weights_alone_stands_above_its_use_too() {
    // Step 21 transposes the weight 20 for step 19.
    let mut edges: Vec<(u32, u32)> = (0..19).map(|at| (at, at + 1)).collect();
    edges.extend([(20, 21), (21, 19)]);
    let mut diagram = diagram(22, &edges);
    diagram.nodes[20].role = Role::Source;
    let layout = laid_out(&diagram);
    let rows = rows(&layout);
    assert_eq!((rows[20], rows[21]), (17, 18));
}

#[test]
fn far_edges_are_stubs() {
    let mut edges: Vec<(u32, u32)> = (0..29).map(|at| (at, at + 1)).collect();
    edges.extend([(0, 12), (0, 13), (0, 29)]);
    let layout = laid_out(&diagram(30, &edges));
    assert!(layout.edges[..30].iter().all(is_line));
    assert!(layout.edges[30..].iter().all(is_stubs));
}

#[test]
fn edges_against_the_flow_are_stubs_and_ids_of_nothing_are_hidden() {
    let layout = laid_out(&diagram(
        3,
        &[(0, 1), (1, 2), (2, 0), (1, 1), (2, 3), (9, 0), (0, 1)],
    ));
    assert!(layout.edges[..2].iter().all(is_line));
    assert!(layout.edges[2..4].iter().all(is_stubs));
    assert_eq!(
        layout.edges[4..],
        [Route::Hidden, Route::Hidden, Route::Merged(0)]
    );
}

#[test]
fn the_order_of_nodes_need_not_be_that_of_the_flow() {
    let layout = laid_out(&diagram(4, &[(3, 2), (2, 1), (1, 0)]));
    assert!(layout.edges.iter().all(is_line));
}

#[test]
fn the_lines_of_one_value_share_their_way() {
    let mut edges: Vec<(u32, u32)> = (0..9).map(|at| (at, at + 1)).collect();
    edges.extend([(0, 5), (0, 7), (0, 9)]);
    let layout = laid_out(&diagram(10, &edges));
    let ways = layout.edges[9..].iter().map(|route| match route {
        Route::Line(points) => points,
        _ => panic!("{route:?}"),
    });
    let passed: Vec<f32> = ways.map(|points| points[1].x).collect();
    assert!(passed.iter().all(|&x| x == passed[0]), "{passed:?}");
    assert_eq!(layout.crossings, 0);
}

#[test]
fn many_nodes_side_by_side_keep_the_shape_of_a_page() {
    let isolated = diagram(500, &[]);
    let chains: Vec<(u32, u32)> = (0..1000)
        .filter(|at| at % 5 != 4)
        .map(|at| (at, at + 1))
        .collect();
    let fan: Vec<(u32, u32)> = (1..500).map(|at| (0, at)).collect();
    for diagram in [isolated, diagram(1000, &chains), diagram(500, &fan)] {
        let layout = lay_out(&diagram, None);
        let ratio = layout.width / layout.height;
        assert!(
            (0.4..2.5).contains(&ratio),
            "{} × {}",
            layout.width,
            layout.height
        );
        let mut lines = layout.edges.iter().filter(|route| is_line(route));
        assert!(lines.clone().count() >= diagram.edges.len().min(64));
        assert!(lines.all(|route| !matches!(route, Route::Line(points) if points.is_empty())));
    }
}

#[test]
fn an_output_that_takes_everything_stands_at_the_end() {
    let mut edges: Vec<(u32, u32)> = (0..98).map(|at| (at, at + 1)).collect();
    edges.extend((0..98).map(|at| (at, 99)));
    let mut diagram = diagram(100, &edges);
    diagram.nodes[99].role = Role::Sink;
    let layout = laid_out(&diagram);
    let lines = layout.edges[98..]
        .iter()
        .filter(|route| is_line(route))
        .count();
    assert!((1..=16).contains(&lines), "{lines}");
    assert_eq!(rows(&layout)[99], layout.rows.len() - 1);
}
