//! What leads where in a picture: neighbours, ancestors, descendants, what lies between, what is beside.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::camera::Rect;
use crate::engine::protocol::{OpClass, Picture, PictureBox, What};

/// A picture with its neighbours looked up.
#[derive(Debug)]
pub(crate) struct Walk {
    /// The picture.
    pub picture: Picture,
    /// For each box, the links that come into it and those that leave it.
    links: Vec<(Vec<u32>, Vec<u32>)>,
    places: HashMap<What, u32>,
}

/// A way to go from a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Against an edge.
    Up,
    /// Along an edge.
    Down,
    /// To the box at the left in the same row.
    Left,
    /// To the box at the right in the same row.
    Right,
}

/// Which boxes belong to one that is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// What it is made of, however far.
    Ancestors,
    /// What is made of it, however far.
    Descendants,
}

impl Walk {
    /// Looks neighbours up. Links to boxes that are not there are left out.
    pub(crate) fn new(picture: Picture) -> Self {
        let mut links = vec![(Vec::new(), Vec::new()); picture.boxes.len()];
        for (number, link) in (0..).zip(&picture.links) {
            let (from, to) = (link.from as usize, link.to as usize);
            if from < links.len() && to < links.len() {
                links[from].1.push(number);
                links[to].0.push(number);
            }
        }
        let places = (0..)
            .zip(&picture.boxes)
            .map(|(place, one)| (one.what, place))
            .collect();
        Walk {
            picture,
            links,
            places,
        }
    }

    /// The box that stands for a node or group.
    pub(crate) fn place(&self, what: What) -> Option<u32> {
        self.places.get(&what).copied()
    }

    /// A box.
    pub(crate) fn get(&self, place: u32) -> Option<&PictureBox> {
        self.picture.boxes.get(place as usize)
    }

    /// The links of a box: those that come into it, and those that leave it.
    pub(crate) fn links(&self, place: u32) -> (&[u32], &[u32]) {
        self.links
            .get(place as usize)
            .map_or((&[], &[]), |(into, out)| (into, out))
    }

    fn sources(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        let (into, _) = self.links(place);
        into.iter()
            .filter_map(|link| Some(self.picture.links.get(*link as usize)?.from))
    }

    fn targets(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        let (_, out) = self.links(place);
        out.iter()
            .filter_map(|link| Some(self.picture.links.get(*link as usize)?.to))
    }

    /// The boxes within reach of one, that one among them.
    pub(crate) fn reach(&self, place: u32, reach: Reach) -> BTreeSet<u32> {
        let mut found = BTreeSet::from([place]);
        let mut waiting = VecDeque::from([place]);
        while let Some(next) = waiting.pop_front() {
            let mut take = |place| {
                if found.insert(place) {
                    waiting.push_back(place);
                }
            };
            match reach {
                Reach::Ancestors => self.sources(next).for_each(&mut take),
                Reach::Descendants => self.targets(next).for_each(&mut take),
            }
        }
        found
    }

    /// The boxes on any way from one box to another, in whichever direction there is one; both among them where
    /// there is, none where there is not.
    pub(crate) fn between(&self, one: u32, other: u32) -> BTreeSet<u32> {
        let way = |from, to| {
            let below = self.reach(from, Reach::Descendants);
            if !below.contains(&to) {
                return BTreeSet::new();
            }
            &below & &self.reach(to, Reach::Ancestors)
        };
        let down = way(one, other);
        if down.is_empty() {
            way(other, one)
        } else {
            down
        }
    }

    /// The box to which a way leads; of several the nearest one.
    pub(crate) fn step(&self, place: u32, way: Way) -> Option<u32> {
        let from = rect(self.get(place)?);
        let middle = from.x + from.width / 2.0;
        let by = |place: &u32, far: &dyn Fn(Rect) -> f64| {
            self.get(*place).map_or(0.0, |one| far(rect(one)))
        };
        let nearest = |places: &mut dyn Iterator<Item = u32>, far: &dyn Fn(Rect) -> f64| {
            places.min_by(|left, right| by(left, far).total_cmp(&by(right, far)))
        };
        let across =
            |to: Rect| (to.x + to.width / 2.0 - middle).abs() + (to.y - from.y).abs() / 8.0;
        match way {
            Way::Up => nearest(&mut self.sources(place), &across),
            Way::Down => nearest(&mut self.targets(place), &across),
            Way::Left | Way::Right => {
                let is_beside = |other: &u32| {
                    self.get(*other).is_some_and(|one| {
                        let to = rect(one);
                        let side = to.x + to.width / 2.0 - middle;
                        let is_row = to.y < from.y + from.height && from.y < to.y + to.height;
                        is_row
                            && !matches!(one.what, What::Frame(_))
                            && if way == Way::Left {
                                side < 0.0
                            } else {
                                side > 0.0
                            }
                    })
                };
                #[allow(clippy::cast_possible_truncation)] // Boxes are numbered in 32 bits.
                let count = self.picture.boxes.len() as u32;
                nearest(
                    &mut (0..count).filter(|other| *other != place).filter(is_beside),
                    &across,
                )
            }
        }
    }

    /// The box at a point of the picture: the innermost one.
    pub(crate) fn at(&self, x: f64, y: f64) -> Option<u32> {
        let found = self
            .picture
            .boxes
            .iter()
            .rposition(|one| rect(one).holds(x, y));
        found.and_then(|place| u32::try_from(place).ok())
    }

    /// Where to look first: the middle of the stretch of this width in which most of the work stands that is
    /// no deeper than `height`.
    pub(crate) fn middle(&self, width: f64, height: f64) -> f64 {
        let mut boxes: Vec<(f64, f64)> = self
            .picture
            .boxes
            .iter()
            .filter(|one| !matches!(one.what, What::Frame(_)))
            .map(|one| (rect(one), one.class))
            .filter(|(at, _)| at.y < height)
            // Inputs say less than what is made of them.
            .map(|(at, class)| {
                let weight = if class == OpClass::Input { 1.0 } else { 3.0 };
                (at.x + at.width / 2.0, weight)
            })
            .collect();
        boxes.sort_by(|left, right| left.0.total_cmp(&right.0));
        let (mut best, mut middle) = (0.0, width / 2.0);
        let (mut first, mut held) = (0, 0.0);
        for (last, (right, weight)) in boxes.iter().enumerate() {
            held += weight;
            while right - boxes[first].0 > width * 0.8 {
                held -= boxes[first].1;
                first += 1;
            }
            if held > best {
                (best, middle) = (held, f64::midpoint(boxes[first].0, boxes[last].0));
            }
        }
        middle
    }

    /// The first box that is no frame: where the keys begin.
    pub(crate) fn first(&self) -> Option<u32> {
        let first = (0..)
            .zip(&self.picture.boxes)
            .filter(|(_, one)| !matches!(one.what, What::Frame(_)))
            .min_by(|(_, left), (_, right)| left.at[1].total_cmp(&right.at[1]));
        first.map(|(place, _)| place)
    }
}

/// Where a box is.
pub(crate) fn rect(one: &PictureBox) -> Rect {
    let [x, y, width, height] = one.at.map(f64::from);
    Rect {
        x,
        y,
        width,
        height,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::engine::protocol::{NodeChange, PictureLink};

    /// A picture of boxes of 80 × 20 at these places, with these edges.
    pub(crate) fn picture(boxes: &[(f32, f32)], edges: &[(u32, u32)]) -> Picture {
        let boxes = (0..)
            .zip(boxes)
            .map(|(node, (x, y))| PictureBox {
                what: What::Node(node),
                at: [*x, *y, 80.0, 20.0],
                label: format!("n{node}"),
                detail: "f32[4]".to_owned(),
                class: OpClass::Pointwise,
                change: NodeChange::Same,
                times: 1,
            })
            .collect();
        let links = edges
            .iter()
            .map(|(from, to)| PictureLink {
                from: *from,
                to: *to,
                points: vec![[0.0, 0.0], [0.0, 10.0]],
                is_cut: false,
            })
            .collect();
        Picture {
            width: 400.0,
            height: 400.0,
            boxes,
            links,
        }
    }

    /// 0 → 1, 2 → 3, and 4 alone beside 1 and 2.
    fn diamond() -> Walk {
        Walk::new(picture(
            &[
                (100.0, 0.0),
                (0.0, 50.0),
                (200.0, 50.0),
                (100.0, 100.0),
                (300.0, 50.0),
            ],
            &[(0, 1), (0, 2), (1, 3), (2, 3), (9, 1)],
        ))
    }

    #[test]
    fn what_is_within_reach_is_found() {
        let walk = diamond();
        assert_eq!(
            walk.reach(3, Reach::Ancestors),
            BTreeSet::from([0, 1, 2, 3])
        );
        assert_eq!(walk.reach(1, Reach::Descendants), BTreeSet::from([1, 3]));
        assert_eq!(walk.between(3, 0), BTreeSet::from([0, 1, 2, 3]));
        assert_eq!(walk.between(0, 1), BTreeSet::from([0, 1]));
        assert!(walk.between(0, 4).is_empty());
    }

    #[test]
    fn a_ring_has_an_end() {
        let walk = Walk::new(picture(&[(0.0, 0.0), (0.0, 50.0)], &[(0, 1), (1, 0)]));
        assert_eq!(walk.reach(0, Reach::Descendants), BTreeSet::from([0, 1]));
    }

    #[test]
    fn arrows_follow_edges_and_rows() {
        let walk = diamond();
        assert_eq!(walk.step(1, Way::Down), Some(3));
        assert_eq!(walk.step(1, Way::Up), Some(0));
        assert_eq!(walk.step(1, Way::Right), Some(2));
        assert_eq!(walk.step(2, Way::Right), Some(4));
        assert_eq!(walk.step(1, Way::Left), None);
        assert_eq!(walk.step(4, Way::Down), None);
        assert_eq!(walk.at(110.0, 105.0), Some(3));
        assert_eq!(walk.at(399.0, 399.0), None);
        assert_eq!(walk.first(), Some(0));
    }

    #[test]
    fn the_eye_begins_where_most_of_the_work_stands() {
        let mut far: Vec<(f32, f32)> = vec![(0.0, 0.0), (90.0, 0.0), (180.0, 0.0), (270.0, 0.0)];
        far.extend([(5_000.0, 50.0), (5_100.0, 50.0), (90_000.0, 9_000.0)]);
        let mut picture = picture(&far, &[]);
        for one in &mut picture.boxes[..4] {
            one.class = OpClass::Input;
        }
        let walk = Walk::new(picture);
        assert_eq!(walk.middle(1_000.0, 600.0), 5_090.0);
        assert_eq!(Walk::new(Picture::default()).middle(10.0, 10.0), 5.0);
    }
}
