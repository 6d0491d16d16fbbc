//! Layouts of graphs of the kind that FX makes: against rust-sugiyama, and of shapes that break engines.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fx_like;

use dynascope_layout::{Diagram, Item, Layout, Rect, Role, Route, lay_out};
use fx_like::{FAMILIES, Family, SHAPES, graph};
use rust_sugiyama::configure::Config;
use std::collections::HashMap;

type Place = (f64, f64);

/// The crossings of straight lines between the middles of boxes.
fn crossings(edges: &[(u32, u32)], place: impl Fn(u32) -> Place) -> usize {
    let side = |a: Place, b: Place, c: Place| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    let mut sum = 0;
    for (at, &(a, b)) in edges.iter().enumerate() {
        for &(c, d) in &edges[at + 1..] {
            if a == c || a == d || b == c || b == d {
                continue;
            }
            let (a, b, c, d) = (place(a), place(b), place(c), place(d));
            if side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0 {
                sum += 1;
            }
        }
    }
    sum
}

/// Both engines get the same graph; counted are edges between steps that are lines in our layout.
fn compare(diagram: &Diagram) -> (usize, usize) {
    let layout = lay_out(diagram, None);
    let is_step = |node: u32| diagram.nodes[node as usize].role == Role::Step;
    let drawn: Vec<(u32, u32)> = diagram
        .edges
        .iter()
        .zip(&layout.edges)
        .filter(|(link, route)| {
            matches!(route, Route::Line(_)) && is_step(link.from) && is_step(link.to)
        })
        .map(|(link, _)| (link.from, link.to))
        .collect();
    let ours = crossings(&drawn, |node| {
        let rect = layout.boxes[node as usize].unwrap();
        (
            f64::from(rect.x + rect.width / 2.0),
            f64::from(rect.y + rect.height / 2.0),
        )
    });
    let vertices: Vec<(u32, (f64, f64))> = (0..)
        .zip(&diagram.nodes)
        .map(|(id, node)| (id, (f64::from(node.width), f64::from(node.height))))
        .collect();
    let edges: Vec<(u32, u32)> = diagram
        .edges
        .iter()
        .map(|link| (link.from, link.to))
        .collect();
    let mut places: HashMap<u32, Place> = HashMap::new();
    for (part, _, _) in
        rust_sugiyama::from_vertices_and_edges(&vertices, &edges, &Config::default())
    {
        places.extend(part.into_iter().map(|(id, place)| (id as u32, place)));
    }
    (ours, crossings(&drawn, |node| places[&node]))
}

#[test]
fn lines_cross_no_more_than_half_as_often_again_as_those_of_rust_sugiyama() {
    let mut all = (0, 0);
    for family in FAMILIES.iter().flat_map(|&family| {
        [
            family,
            Family {
                weight: 0,
                ..family
            },
        ]
    }) {
        for size in [60, 200, 500] {
            let mut sum = (0, 0);
            for seed in 0..6 {
                let (ours, theirs) = compare(&graph(family, size, seed));
                sum = (sum.0 + ours, sum.1 + theirs);
            }
            let (ours, theirs) = sum;
            let what = format!(
                "{} of {size} nodes, {} % with weights",
                family.name, family.weight
            );
            println!("{what}: {ours} crossings, rust-sugiyama {theirs}");
            assert!(
                2 * ours <= 3 * theirs,
                "{what}: {ours} crossings, rust-sugiyama {theirs}"
            );
            all = (all.0 + ours, all.1 + theirs);
        }
    }
    assert!(all.0 <= all.1, "{all:?}");
}

#[test]
fn of_graphs_as_fx_makes_them_nearly_all_edges_between_steps_are_lines() {
    for &family in FAMILIES {
        let diagram = graph(
            Family {
                reach: family.reach.min(8),
                ..family
            },
            2_000,
            1,
        );
        let layout = lay_out(&diagram, None);
        let between = diagram.edges.iter().zip(&layout.edges).filter(|(link, _)| {
            let is_step = |node: u32| diagram.nodes[node as usize].role == Role::Step;
            is_step(link.from) && is_step(link.to)
        });
        let all = between.clone().count();
        let lines = between
            .filter(|(_, route)| matches!(route, Route::Line(_) | Route::Merged(_)))
            .count();
        assert!(100 * lines >= 98 * all, "{}: {lines} of {all}", family.name);
        // Weights stand at the beginning of the code, and right above their only use here.
        for (link, route) in diagram.edges.iter().zip(&layout.edges) {
            if diagram.nodes[link.from as usize].role == Role::Source {
                let Route::Line(points) = route else {
                    panic!("{link:?} {route:?}");
                };
                assert!(points.len() <= 4, "{points:?}");
            }
        }
    }
}

/// What can be checked in linear time: rows go down, their boxes keep apart, and lines go down from and to them.
fn check(diagram: &Diagram, layout: &Layout) {
    let mut above = 0.0;
    let mut boxes = 0;
    for row in &layout.rows {
        let rects: Vec<Rect> = row
            .items
            .iter()
            .map(|item| match item {
                Item::Node(node) => layout.boxes[*node as usize].unwrap(),
                Item::Group(group) => layout.groups[*group as usize].unwrap(),
            })
            .collect();
        boxes += rects.len();
        assert!(
            rects
                .windows(2)
                .all(|pair| pair[0].x + pair[0].width <= pair[1].x)
        );
        assert!(rects.iter().all(|rect| rect.y >= above && rect.x >= 0.0));
        above = rects
            .iter()
            .map(|rect| rect.y + rect.height)
            .fold(above, f32::max);
    }
    assert_eq!(boxes, diagram.nodes.len());
    assert!(above <= layout.height);
    for (link, route) in diagram.edges.iter().zip(&layout.edges) {
        let ends =
            [link.from, link.to].map(|node| layout.boxes.get(node as usize).copied().flatten());
        match (ends, route) {
            ([Some(from), Some(to)], Route::Line(points)) => {
                assert_eq!(points[0].y, from.y + from.height);
                assert_eq!(points[points.len() - 1].y, to.y);
                assert!(points.windows(2).all(|pair| pair[0].y <= pair[1].y));
            }
            ([Some(_), Some(_)], route) => assert!(!matches!(route, Route::Hidden)),
            (_, route) => assert_eq!(route, &Route::Hidden),
        }
    }
}

#[test]
fn shapes_that_break_engines_have_a_layout() {
    for (name, make) in SHAPES {
        for size in [1, 2, 13, 1_000, 50_000] {
            let diagram = make(size);
            println!("{name}, {size}");
            check(&diagram, &lay_out(&diagram, None));
        }
    }
}

#[test]
fn ten_times_the_graph_is_ten_times_the_drawing() {
    let lines = |size| {
        let diagram = graph(FAMILIES[0], size, 3);
        let layout = lay_out(&diagram, None);
        layout
            .edges
            .iter()
            .map(|route| match route {
                Route::Line(points) => points.len(),
                _ => 0,
            })
            .sum::<usize>()
    };
    let (small, large) = (lines(2_000), lines(20_000));
    assert!(large <= 12 * small, "{small} {large}");
}
