//! Random diagrams, however they lie.

use super::*;
use proptest::prelude::*;

/// Diagrams with cycles, self-loops, ids of nothing, sizes of nothing and groups in one another.
fn any_diagram() -> impl Strategy<Value = Diagram> {
    let size = prop_oneof![
        8 => 1f32..300.0,
        1 => prop::sample::select(vec![0.0, -3.0, f32::NAN, f32::INFINITY, 1e30]),
    ];
    let role = prop::sample::select(vec![Role::Source, Role::Step, Role::Step, Role::Sink]);
    let node = (
        size.clone(),
        size,
        role,
        prop::option::of(0u32..9),
        0u64..100,
    )
        .prop_map(|(width, height, role, group, key)| Shape {
            width,
            height,
            role,
            group,
            key,
        });
    let a_group = (prop::option::of(0u32..9), any::<bool>(), 0u64..50)
        .prop_map(|(parent, open, key)| group(parent, open, key));
    let edge = (0u32..42, 0u32..42).prop_map(|(from, to)| Link { from, to });
    (
        prop::collection::vec(node, 0..40),
        prop::collection::vec(edge, 0..90),
        prop::collection::vec(a_group, 0..8),
    )
        .prop_map(|(nodes, edges, groups)| Diagram {
            nodes,
            edges,
            groups,
        })
}

proptest! {
    #[test]
    fn any_diagram_has_a_layout(diagram in any_diagram()) {
        let layout = lay_out(&diagram, None);
        check(&diagram, &layout);
        prop_assert_eq!(&lay_out(&diagram, None), &layout);
    }
}
