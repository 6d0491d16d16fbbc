//! Random diagrams of the kind that FX graphs are, and shapes that break engines.

#![allow(dead_code, unreachable_pub)] // Tests and benches take what they need of it.

use dynascope_layout::{Diagram, Link, Role, Shape};

/// A small generator of pseudo-random numbers (xorshift), the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| {
            random.below(2);
        });
        random
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

/// What a family of graphs is like, in percent.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    pub name: &'static str,
    /// Steps that have a second input from some steps before, as a residual connection has.
    pub residual: usize,
    /// Steps that branch off the chain.
    pub branch: usize,
    /// Steps that take a weight, which stands at the graph's beginning.
    pub weight: usize,
    /// How far back a second input comes from, in steps.
    pub reach: usize,
}

pub const FAMILIES: &[Family] = &[
    Family {
        name: "convolutions",
        residual: 10,
        branch: 15,
        weight: 60,
        reach: 8,
    },
    Family {
        name: "attention",
        residual: 25,
        branch: 30,
        weight: 30,
        reach: 12,
    },
    Family {
        name: "backward",
        residual: 35,
        branch: 45,
        weight: 40,
        reach: 30,
    },
    Family {
        name: "pointwise",
        residual: 45,
        branch: 25,
        weight: 5,
        reach: 6,
    },
];

pub fn node(role: Role, number: usize) -> Shape {
    Shape {
        width: 80.0 + (number % 7) as f32 * 10.0,
        height: 30.0,
        role,
        group: None,
        key: number as u64 + 1,
    }
}

/// A graph of some `size` nodes: weights first, then a chain with branches, then the output.
pub fn graph(family: Family, size: usize, seed: u64) -> Diagram {
    let mut random = Random::new(seed);
    let steps = (size * 100 / (100 + family.weight)).max(1);
    let weights: Vec<bool> = (0..steps).map(|_| random.percent(family.weight)).collect();
    let sources = weights.iter().filter(|takes| **takes).count() + 1;
    let mut diagram = Diagram::default();
    for number in 0..sources {
        diagram.nodes.push(node(Role::Source, number));
    }
    let link = |diagram: &mut Diagram, from: usize| {
        let to = diagram.nodes.len() as u32 - 1;
        diagram.edges.push(Link {
            from: from as u32,
            to,
        });
    };
    let mut end = 0;
    let mut next_weight = 1;
    for (step, &takes) in weights.iter().enumerate() {
        let at = diagram.nodes.len();
        diagram.nodes.push(node(Role::Step, at));
        let back =
            |random: &mut Random, reach: usize| at - 1 - random.below(reach.min(step).max(1));
        let from = match step {
            0 => 0,
            _ if random.percent(family.branch) => back(&mut random, 6),
            _ => end,
        };
        link(&mut diagram, from);
        if step > 0 && random.percent(family.residual) {
            let from = back(&mut random, family.reach);
            link(&mut diagram, from);
        }
        if takes {
            link(&mut diagram, next_weight);
            next_weight += 1;
        }
        if step == 0 || random.percent(85) {
            end = at;
        }
    }
    let at = diagram.nodes.len();
    diagram.nodes.push(node(Role::Sink, at));
    link(&mut diagram, end);
    diagram
}

/// Makes a shape of so many nodes.
pub type Make = fn(usize) -> Diagram;

/// Shapes that an engine may be quadratic in, by name.
pub const SHAPES: &[(&str, Make)] = &[
    ("a chain", |size| shape(size, |at| vec![(at, at + 1)])),
    ("a hub that all use", |size| shape(size, |at| vec![(0, at)])),
    ("a step that uses all", |size| {
        shape(size, |at| vec![(at, size - 1)])
    }),
    ("isolated nodes", |size| shape(size, |_| vec![])),
    ("short chains", |size| {
        shape(size, |at| {
            if at % 10 == 9 {
                vec![]
            } else {
                vec![(at, at + 1)]
            }
        })
    }),
    ("a circle", |size| {
        shape(size, |at| vec![(at, (at + 1) % size)])
    }),
    ("circles and loops", |size| {
        shape(size, |at| {
            vec![(at, at), (at, at ^ 1), (at ^ 1, at), (at, at + 2)]
        })
    }),
    ("a ladder of far edges", |size| {
        shape(size, |at| vec![(at, at + 1), (at, at + 11), (at / 2, at)])
    }),
    ("wide layers", |size| {
        let mut random = Random::new(7);
        shape(size, |at| {
            (0..3)
                .map(|_| (at, (at / 300 + 1) * 300 + random.below(300)))
                .collect()
        })
    }),
    ("any edges", |size| {
        let mut random = Random::new(9);
        shape(size, |_| {
            (0..2)
                .map(|_| (random.below(size + 9), random.below(size + 9)))
                .collect()
        })
    }),
];

fn shape(size: usize, mut edges: impl FnMut(usize) -> Vec<(usize, usize)>) -> Diagram {
    let mut diagram = Diagram::default();
    for at in 0..size {
        diagram.nodes.push(node(Role::Step, at));
        let links = edges(at).into_iter().map(|(from, to)| Link {
            from: from as u32,
            to: to as u32,
        });
        diagram.edges.extend(links);
    }
    diagram
}
