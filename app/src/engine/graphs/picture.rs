//! The picture of a graph: what is drawn as a box of which size, and where `core::layout` puts it.

use super::super::protocol::{
    LETTER_WIDTH, NodeChange, OpClass, Picture, PictureBox, PictureLink, TEXT_INSET, TITLE_HEIGHT,
    What,
};
use super::nodes::{annotation, is_shown};
use super::{Scene, count, cut};
use crate::text::graphs as words;
use dynascope_core::analysis::graph_diff::Difference;
use dynascope_core::analysis::graph_groups::{GroupId, Name};
use dynascope_core::layout::{self, Diagram, Group, Layout, Link, Reference, Role, Route, Shape};
use dynascope_core::payload::fx_graph::ops::base_name;
use dynascope_core::payload::fx_graph::{FxGraph, Node, NodeId, NodeKind, attribute_path};
use std::collections::{BTreeSet, HashMap};

/// A graph of at most so many nodes is shown with all of its groups open.
const SMALL: usize = 250;

/// A larger one with as many open as make no more boxes than this.
const BOXES: usize = 150;

/// A sketch of fewer boxes opens what is largest in it.
const FEW: usize = 12;

/// A line of no more nodes than this is shown with its nodes.
const SHORT: usize = 4;

/// One of no more boxes than this says nothing by itself.
const NOTHING: usize = 6;

/// Room for text within a box that its widest line does not fill, beside what is kept free at both edges.
const SPARE: f32 = 2.0;

/// Boxes are no narrower and no wider than this.
const WIDTHS: (f32, f32) = (64.0, 300.0);

/// Height of a box with one line of text.
const ONE_LINE: f32 = 26.0;

/// Height of a box with two.
const TWO_LINES: f32 = 40.0;

/// The longest label, in characters.
const LABEL: usize = 38;

/// A picture that was drawn.
pub(super) struct Drawn {
    /// The picture.
    pub picture: Picture,
    /// The groups that are open.
    pub open: Vec<GroupId>,
    /// Where things are, for the next picture.
    pub reference: Reference,
}

/// A node of the picture.
struct Member<'a> {
    number: u32,
    graph: &'a FxGraph,
    node: &'a Node,
    group: Option<GroupId>,
    change: NodeChange,
    label: String,
    detail: String,
}

/// Draws a graph with those groups open; with as many as stay readable where it is not said which.
pub(super) fn draw(
    scene: &Scene<'_>,
    open: Option<&[u32]>,
    reference: Option<&Reference>,
) -> Drawn {
    let members = members(scene);
    let open: BTreeSet<GroupId> = match open {
        Some(open) => open.iter().copied().collect(),
        None => readable(scene, members.len()),
    };
    let titles: Vec<(String, String)> = (0..)
        .zip(&scene.groups.groups)
        .zip(calls(scene, &members))
        .map(|((id, group), calls)| (title(scene, id, &group.name), words::holds(calls)))
        .collect();
    let diagram = diagram(scene, &members, &open, &titles);
    let layout = layout::lay_out(&diagram, reference);
    let picture = picture(scene, &members, &open, &titles, &diagram, &layout);
    Drawn {
        picture,
        open: open.into_iter().collect(),
        reference: Reference::new(&layout),
    }
}

/// The nodes of the new graph in the order of its code, and among them those that only the old one has, each
/// behind what it stood behind.
fn members<'a>(scene: &Scene<'a>) -> Vec<Member<'a>> {
    let mut gone: HashMap<Option<NodeId>, Vec<NodeId>> = HashMap::new();
    if let Some(against) = &scene.against {
        let mut before = None;
        for ((id, node), new) in against
            .graph
            .nodes_of(against.module)
            .zip(&against.diff.new_of)
        {
            match new {
                Some(new) => before = Some(*new),
                None if is_shown(node) => gone.entry(before).or_default().push(id),
                None => {}
            }
        }
    }
    let mut out = Vec::new();
    let removed = |out: &mut Vec<Member<'a>>, behind: Option<NodeId>, group: Option<GroupId>| {
        let Some(against) = &scene.against else {
            return;
        };
        for id in gone.get(&behind).into_iter().flatten() {
            if let Some(node) = against.graph.node(*id) {
                let number = scene.number_of_old(*id);
                out.push(member(
                    against.graph,
                    node,
                    number,
                    group,
                    NodeChange::Removed,
                ));
            }
        }
    };
    removed(&mut out, None, None);
    let first = scene.first();
    for (id, node) in scene.graph.nodes_of(scene.module) {
        let place = id.saturating_sub(first) as usize;
        let group = scene.groups.of.get(place).copied().flatten();
        if is_shown(node) {
            let mut one = member(scene.graph, node, id, group, scene.change(id));
            for difference in scene.differences(id) {
                if let Difference::Annotation(old, new) = difference {
                    one.detail = cut(&words::became(&short(old), &short(new)), LABEL);
                }
            }
            out.push(one);
        }
        removed(&mut out, Some(id), group);
    }
    out
}

fn member<'a>(
    graph: &'a FxGraph,
    node: &'a Node,
    number: u32,
    group: Option<GroupId>,
    change: NodeChange,
) -> Member<'a> {
    Member {
        number,
        graph,
        node,
        group,
        change,
        label: cut(&label(graph, node), LABEL),
        detail: cut(&short(annotation(graph, node).unwrap_or_default()), LABEL),
    }
}

/// What a node is called in a picture: what it does, or which input it is.
pub(super) fn label(graph: &FxGraph, node: &Node) -> String {
    let target = graph.target(node);
    match node.kind {
        NodeKind::Placeholder | NodeKind::GetAttr => {
            attribute_path(target).unwrap_or_else(|| graph.name(node).to_owned())
        }
        NodeKind::CallFunction => {
            let name = base_name(target);
            match target.split_once('.') {
                // Operators of a library of the user's own keep its name.
                Some((space, rest)) if !KNOWN.contains(&space) && rest.contains('.') => {
                    format!("{space}.{name}")
                }
                _ => name.to_owned(),
            }
        }
        NodeKind::Opaque => graph.text(node.text).trim().to_owned(),
        NodeKind::Output => "output".to_owned(),
        _ => target.to_owned(),
    }
}

/// Namespaces that say nothing in a picture.
const KNOWN: &[&str] = &[
    "aten",
    "prims",
    "torch",
    "operator",
    "math",
    "builtins",
    "_operator",
    "higher_order",
];

/// An annotation without stride and device: `f32[4, 8]`.
fn short(annotation: &str) -> String {
    match annotation.find(']') {
        Some(end) => annotation.get(..=end).unwrap_or(annotation).to_owned(),
        None => annotation.to_owned(),
    }
}

/// The groups that are open at first.
fn readable(scene: &Scene<'_>, nodes: usize) -> BTreeSet<GroupId> {
    let groups = &scene.groups.groups;
    if nodes <= SMALL {
        return (0..count(groups.len())).collect();
    }
    // What is drawn in a group when it is opened: its own nodes and the groups right below it.
    let mut inside = vec![0_usize; groups.len()];
    let mut outside = 0_usize;
    let mut holds_groups = vec![false; groups.len()];
    for parent in groups.iter().filter_map(|group| group.parent) {
        holds_groups[parent as usize] = true;
    }
    let parents = groups.iter().map(|group| group.parent);
    for parent in parents.chain(scene.groups.of.iter().copied()) {
        match parent.and_then(|parent| inside.get_mut(parent as usize)) {
            Some(inside) => *inside += 1,
            None => outside += 1,
        }
    }
    // One level after the other, as long as all of it fits: a picture in which everything is told in the same
    // detail. Repeated blocks stay one box.
    let mut open = BTreeSet::new();
    let mut boxes = outside;
    loop {
        let is_candidate = |id: &GroupId| {
            let group = &groups[*id as usize];
            let is_reached = group.parent.is_none_or(|parent| open.contains(&parent));
            // A line that does much is one box in a sketch.
            let is_part = holds_groups[*id as usize] || inside[*id as usize] <= SHORT;
            is_reached && !open.contains(id) && group.times <= 1 && is_part
        };
        let level: Vec<GroupId> = (0..count(groups.len())).filter(is_candidate).collect();
        let more: usize = level.iter().map(|id| inside[*id as usize]).sum();
        if level.is_empty() || boxes + more > BOXES {
            break;
        }
        boxes += more;
        open.extend(level);
    }
    // Where a few parts are all that shows, the largest ones of them that fit; a repeated block only where there
    // is next to nothing else, and then the first one in it too.
    while boxes < FEW {
        let is_candidate = |id: &GroupId| {
            let group = &groups[*id as usize];
            let is_reached = group.parent.is_none_or(|parent| open.contains(&parent));
            is_reached
                && !open.contains(id)
                && (group.times <= 1 || boxes <= NOTHING)
                && boxes + inside[*id as usize] <= BOXES
        };
        let largest = (0..count(groups.len()))
            .filter(is_candidate)
            .max_by_key(|id| groups[*id as usize].nodes.len());
        let Some(largest) = largest else { break };
        boxes += inside[largest as usize];
        open.insert(largest);
        if groups[largest as usize].times > 1 {
            let first = (0..)
                .zip(groups)
                .find(|(_, group)| group.parent == Some(largest));
            let fits = first.filter(|(id, _)| boxes + inside[*id as usize] <= BOXES);
            open.extend(fits.map(|(id, _): (GroupId, _)| id));
            break;
        }
    }
    open
}

/// What a group is called. Parts of a model are named from the outermost one on.
fn title(scene: &Scene<'_>, group: GroupId, name: &Name) -> String {
    let path = |name: &Name| match name {
        Name::Module(path) => Some(path.clone()),
        _ => None,
    };
    let mut above = Vec::new();
    let mut next = scene.groups.get(group).and_then(|group| group.parent);
    while let Some(id) = next {
        let holder = scene.groups.get(id);
        above.extend(holder.and_then(|holder| path(&holder.name)));
        next = holder.and_then(|holder| holder.parent);
    }
    above.reverse();
    let prefix = above.join(".");
    cut(&words::group(name, &prefix), LABEL)
}

fn diagram(
    scene: &Scene<'_>,
    members: &[Member<'_>],
    open: &BTreeSet<GroupId>,
    titles: &[(String, String)],
) -> Diagram {
    let nodes = members.iter().map(|member| Shape {
        width: width(&[&member.label, &member.detail]),
        height: if member.detail.is_empty() {
            ONE_LINE
        } else {
            TWO_LINES
        },
        role: match member.node.kind {
            NodeKind::Placeholder | NodeKind::GetAttr => Role::Source,
            NodeKind::Output => Role::Sink,
            _ => Role::Step,
        },
        group: member.group,
        key: u64::from(member.number) + 1,
    });
    let groups = (0..)
        .zip(&scene.groups.groups)
        .zip(titles)
        .map(|((id, group), (name, holds))| {
            let times = if group.times > 1 {
                format!("{name} × {}", group.times)
            } else {
                name.clone()
            };
            Group {
                parent: group.parent,
                open: open.contains(&id),
                width: width(&[&times, holds]),
                height: TWO_LINES,
                title: TITLE_HEIGHT,
                key: u64::from(id) + 1,
            }
        });
    Diagram {
        nodes: nodes.collect(),
        edges: edges(scene, members),
        groups: groups.collect(),
    }
}

fn width(lines: &[&str]) -> f32 {
    let longest = lines
        .iter()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    #[allow(clippy::cast_precision_loss)] // Labels are cut.
    let width = longest as f32 * LETTER_WIDTH + 2.0 * TEXT_INSET + SPARE;
    width.clamp(WIDTHS.0, WIDTHS.1)
}

fn edges(scene: &Scene<'_>, members: &[Member<'_>]) -> Vec<Link> {
    let places: HashMap<u32, u32> = (0..)
        .zip(members)
        .map(|(place, member)| (member.number, place))
        .collect();
    let mut out = Vec::new();
    let mut put = |from: u32, to: u32| {
        if let (Some(from), Some(to)) = (places.get(&from), places.get(&to)) {
            out.push(Link {
                from: *from,
                to: *to,
            });
        }
    };
    for member in members
        .iter()
        .filter(|member| member.change != NodeChange::Removed)
    {
        for edge in member.graph.inputs(member.node) {
            put(edge.from, member.number);
        }
    }
    if let Some(against) = &scene.against {
        let first = against
            .graph
            .module(against.module)
            .map_or(0, |module| module.nodes.start);
        let partner = |old: NodeId| {
            let place = old.saturating_sub(first) as usize;
            against.diff.new_of.get(place).copied().flatten()
        };
        let number = |old: NodeId| partner(old).unwrap_or_else(|| scene.number_of_old(old));
        for (_, node) in against.graph.nodes_of(against.module) {
            for edge in against.graph.inputs(node) {
                // What leads to or from a node that is gone is gone with it.
                if partner(edge.from).is_none() || partner(edge.to).is_none() {
                    put(number(edge.from), number(edge.to));
                }
            }
        }
    }
    out
}

fn picture(
    scene: &Scene<'_>,
    members: &[Member<'_>],
    open: &BTreeSet<GroupId>,
    titles: &[(String, String)],
    diagram: &Diagram,
    layout: &Layout,
) -> Picture {
    let mut boxes = Vec::new();
    let inside = inside(scene, members);
    let mut group_box: Vec<Option<u32>> = vec![None; titles.len()];
    for (id, ((group, at), (label, detail))) in scene
        .groups
        .groups
        .iter()
        .zip(&layout.groups)
        .zip(titles)
        .enumerate()
    {
        let Some(at) = at else { continue };
        let number = count(id);
        let (class, change) = inside
            .get(id)
            .copied()
            .unwrap_or((OpClass::Other, NodeChange::Same));
        let is_open = open.contains(&number);
        if !is_open {
            group_box[id] = Some(count(boxes.len()));
        }
        boxes.push(PictureBox {
            what: if is_open {
                What::Frame(number)
            } else {
                What::Closed(number)
            },
            at: [at.x, at.y, at.width, at.height],
            label: label.clone(),
            detail: detail.clone(),
            class,
            change,
            times: group.times,
        });
    }
    let mut node_box: Vec<Option<u32>> = vec![None; members.len()];
    for (place, (member, at)) in members.iter().zip(&layout.boxes).enumerate() {
        let Some(at) = at else {
            node_box[place] = hidden_in(scene, member.group, &group_box);
            continue;
        };
        node_box[place] = Some(count(boxes.len()));
        boxes.push(PictureBox {
            what: What::Node(member.number),
            at: [at.x, at.y, at.width, at.height],
            label: member.label.clone(),
            detail: member.detail.clone(),
            class: member.graph.op_class(member.node),
            change: member.change,
            times: 1,
        });
    }
    let links = diagram
        .edges
        .iter()
        .zip(&layout.edges)
        .filter_map(|(edge, route)| {
            let at = |place: u32| node_box.get(place as usize).copied().flatten();
            let (from, to) = (at(edge.from)?, at(edge.to)?);
            let (points, is_cut): (Vec<[f32; 2]>, bool) = match route {
                Route::Line(points) => (
                    points.iter().map(|point| [point.x, point.y]).collect(),
                    false,
                ),
                Route::Stubs { leaves, arrives } => {
                    let ends = leaves.iter().chain(arrives);
                    (ends.map(|point| [point.x, point.y]).collect(), true)
                }
                Route::Merged(_) | Route::Hidden => return None,
            };
            Some(PictureLink {
                from,
                to,
                points,
                is_cut,
            })
        });
    Picture {
        width: layout.width,
        height: layout.height,
        links: links.collect(),
        boxes,
    }
}

/// The box of the closed group that hides a node.
fn hidden_in(scene: &Scene<'_>, group: Option<GroupId>, boxes: &[Option<u32>]) -> Option<u32> {
    let mut next = group;
    while let Some(id) = next {
        if let Some(found) = boxes.get(id as usize).copied().flatten() {
            return Some(found);
        }
        next = scene.groups.get(id).and_then(|group| group.parent);
    }
    None
}

/// How many operations each group holds.
fn calls(scene: &Scene<'_>, members: &[Member<'_>]) -> Vec<u32> {
    let mut counts = vec![0; scene.groups.groups.len()];
    for member in members.iter().filter(|member| member.node.kind.is_call()) {
        let mut next = member.group;
        while let Some(id) = next {
            if let Some(count) = counts.get_mut(id as usize) {
                *count += 1;
            }
            next = scene.groups.get(id).and_then(|group| group.parent);
        }
    }
    counts
}

/// What most of the nodes in each group do, and what became of them.
fn inside(scene: &Scene<'_>, members: &[Member<'_>]) -> Vec<(OpClass, NodeChange)> {
    let mut counts: Vec<(HashMap<OpClass, u32>, BTreeSet<u8>, NodeChange)> =
        vec![(HashMap::new(), BTreeSet::new(), NodeChange::Same); scene.groups.groups.len()];
    for member in members {
        let class = member.graph.op_class(member.node);
        let mut next = member.group;
        while let Some(id) = next {
            if let Some((classes, changes, change)) = counts.get_mut(id as usize) {
                *classes.entry(class).or_default() += 1;
                changes.insert(member.change as u8);
                *change = member.change;
            }
            next = scene.groups.get(id).and_then(|group| group.parent);
        }
    }
    let all = counts.into_iter().map(|(classes, changes, change)| {
        // One product of matrices says more of a block than ten views.
        let heavy = HEAVY
            .iter()
            .find(|class| classes.contains_key(class))
            .copied();
        let most = OpClass::ALL
            .iter()
            .max_by_key(|class| classes.get(class).copied().unwrap_or(0));
        let class = heavy.or(most.copied()).unwrap_or(OpClass::Other);
        let change = if changes.len() > 1 {
            NodeChange::Changed
        } else {
            change
        };
        (class, change)
    });
    all.collect()
}

/// The kinds of work that name a group that does some of it.
const HEAVY: &[OpClass] = &[
    OpClass::Attention,
    OpClass::Convolution,
    OpClass::Matmul,
    OpClass::Collective,
];
