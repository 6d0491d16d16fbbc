//! Questions about a graph: texts, neighbours, and what stands at a place.

use super::{
    Argument, Edge, EdgeId, FxGraph, Location, Mention, Module, ModuleId, Node, NodeId, NodeKind,
    Problem, Span, Target, attribute_path, escapes, statements,
};
use crate::payload::annotation::{self, Annotation};
use alloc::string::String;
use alloc::vec::Vec;

/// A place in the payload as PyTorch wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The row, from 0.
    pub row: u32,
    /// The first byte in the row.
    pub start: u32,
    /// The byte behind the last one in the row, or the row's end.
    pub end: u32,
}

/// A node's name, at some place of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// The node that it stands for.
    pub node: NodeId,
    /// Where it stands.
    pub at: Span,
    /// What it does there.
    pub role: Role,
}

/// What a name does at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It is defined.
    Definition,
    /// It is an input of another node.
    Use(EdgeId),
    /// It is named without being used: `l_x_ = L_x_`.
    Echo,
    /// Python forgets it.
    Delete,
}

/// One of the values that a graph returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returned {
    /// The value as it stands: a node's name, `None`, …
    pub value: Span,
    /// What PyTorch says behind it as a comment: `SavedForBackwardsAOTOutput(idx=0)` (2.12+).
    pub remark: Option<Span>,
}

impl FxGraph {
    /// The text without colours.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.text
    }

    /// What stands in a range.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// What PyTorch calls the graph, where it says so: `Forward graph 0`.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        Some(self.text(self.title?))
    }

    /// The graphs, in the order of the text; the first one is the root.
    #[must_use]
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// A module.
    #[must_use]
    pub fn module(&self, id: ModuleId) -> Option<&Module> {
        self.modules.get(id as usize)
    }

    /// All nodes, in the order of the text.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// The nodes of a module with their numbers.
    pub fn nodes_of(&self, module: ModuleId) -> impl Iterator<Item = (NodeId, &Node)> {
        let range = self
            .module(module)
            .map_or(0..0, |module| module.nodes.clone());
        let nodes = self
            .nodes
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default();
        (range.start..).zip(nodes)
    }

    /// How many nodes a module has as FX counts them (`graph_node_count`), and how many of them are calls
    /// (`graph_op_count`).
    #[must_use]
    pub fn counts(&self, module: ModuleId) -> (usize, usize) {
        self.nodes_of(module)
            .fold((0, 0), |(nodes, calls), (_, node)| {
                let is = |it: bool| usize::from(it);
                (
                    nodes + is(node.kind.is_node()),
                    calls + is(node.kind.is_call()),
                )
            })
    }

    /// Where the program made nodes.
    #[must_use]
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// Where the program made a node.
    #[must_use]
    pub fn location(&self, node: &Node) -> Option<&Location> {
        self.locations.get(node.location? as usize)
    }

    /// What could not be read, in the order of rows.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The name of a module's class; empty where the form has none.
    #[must_use]
    pub fn module_name(&self, module: &Module) -> &str {
        self.text(module.name.unwrap_or_default())
    }

    /// A node's name. What is returned is `output`, as FX calls it; statements have none.
    #[must_use]
    pub fn name(&self, node: &Node) -> &str {
        match self.text(node.name) {
            "" if node.kind == NodeKind::Output => "output",
            name => name,
        }
    }

    /// What a node calls or reads: `aten.mm.default` (without `torch.ops.`), `torch.sin`, `operator.add`
    /// where Python has a sign, a method's name, an attribute path, or the argument of a placeholder.
    /// Empty for what is returned and what is not understood.
    #[must_use]
    pub fn target(&self, node: &Node) -> &str {
        match node.target {
            Target::None => "",
            Target::Text(span) => self.text(span),
            Target::Operator(name) => name,
            Target::Built(index) => self
                .targets
                .get(index as usize)
                .map_or("", |target| target.as_str()),
        }
    }

    /// The part of the model that a node stands for, as far as its name tells: `layers.0.weight`. See
    /// [`attribute_path`].
    #[must_use]
    pub fn model_path(&self, node: &Node) -> Option<String> {
        let target = self.target(node);
        match node.kind {
            NodeKind::Placeholder => attribute_path(target),
            NodeKind::GetAttr | NodeKind::CallModule => {
                Some(attribute_path(target).unwrap_or_else(|| target.into()))
            }
            _ => None,
        }
    }

    /// Dtype, shape, stride and device, or the expression of a number, where the text has them.
    #[must_use]
    pub fn annotation(&self, node: &Node) -> Option<Annotation<'_>> {
        annotation::parse(self.text(node.type_text?))
    }

    /// The inputs of a node, in the order of its text.
    #[must_use]
    pub fn inputs(&self, node: &Node) -> &[Edge] {
        self.edges
            .get(node.edges.start as usize..node.edges.end as usize)
            .unwrap_or_default()
    }

    /// The values that an output returns, in their order, which is what [`Argument::Position`] counts.
    #[must_use]
    pub fn returned(&self, node: &Node) -> Vec<Returned> {
        let Some(args) = node.args.filter(|_| node.kind == NodeKind::Output) else {
            return Vec::new();
        };
        statements::returned_values(&self.text, args)
    }

    /// All edges, in the order of the text.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Where a node is used, in the order of the text: the reverse of [`FxGraph::inputs`].
    pub fn users(&self, node: NodeId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let bound = |at: NodeId| self.starts.get(at as usize).copied().unwrap_or(0) as usize;
        let range = bound(node)..bound(node.saturating_add(1));
        let users = self.users.get(range).unwrap_or_default();
        users
            .iter()
            .filter_map(|&id| Some((id, self.edges.get(id as usize)?)))
    }

    /// The nodes that Python forgets behind a node.
    pub fn freed(&self, node: &Node) -> impl Iterator<Item = NodeId> {
        self.deletes_of(node).iter().map(|delete| delete.node)
    }

    fn deletes_of(&self, node: &Node) -> &[Mention] {
        self.deletes
            .get(node.deletes.start as usize..node.deletes.end as usize)
            .unwrap_or_default()
    }

    /// The modules that a node calls, and those that it is given: the branches of a `cond`, the body of a
    /// `while_loop`, a submodule.
    pub fn submodules(&self, node: &Node) -> impl Iterator<Item = ModuleId> {
        let own = node.submodule;
        let given = self.inputs(node).iter().filter_map(|edge| {
            let from = self.node(edge.from)?;
            from.submodule.filter(|_| from.kind == NodeKind::GetAttr)
        });
        own.into_iter().chain(given)
    }

    /// The place of a range in the payload as PyTorch wrote it, with its colours.
    #[must_use]
    pub fn place(&self, span: Span) -> Place {
        let row = self
            .rows
            .partition_point(|&start| start <= span.start)
            .saturating_sub(1);
        let start = self.rows.get(row).copied().unwrap_or(0);
        let next = self.rows.get(row + 1).map(|&next| next.saturating_sub(1));
        let end = next.unwrap_or(self.text.len() as u32).min(span.end);
        let origin = self.row_origin(start);
        let place = |at: u32| escapes::original(&self.escapes, at).saturating_sub(origin);
        Place {
            row: row as u32,
            start: place(span.start),
            end: match end.checked_sub(1).filter(|_| end > span.start) {
                // The colour behind the last byte is not part of it.
                Some(last) => place(last) + 1,
                None => place(span.start),
            },
        }
    }

    /// The first byte of a row in the payload as PyTorch wrote it.
    fn row_origin(&self, start: u32) -> u32 {
        match start.checked_sub(1) {
            Some(line_end) => escapes::original(&self.escapes, line_end) + 1,
            None => 0,
        }
    }

    /// The name of a node that stands at a byte of a row of the payload.
    #[must_use]
    pub fn at(&self, row: u32, byte: u32) -> Option<Occurrence> {
        let start = self.rows.get(row as usize).copied()?;
        let origin = self.row_origin(start);
        self.occurrence(escapes::clean(&self.escapes, origin.saturating_add(byte)))
    }

    /// The name of a node that stands at a byte of the text.
    #[must_use]
    pub fn occurrence(&self, at: u32) -> Option<Occurrence> {
        let holds = |span: Span| span.start <= at && at < span.end;
        let behind = self.echoes.partition_point(|echo| echo.at.start <= at);
        if let Some(echo) = behind.checked_sub(1).and_then(|last| self.echoes.get(last))
            && holds(echo.at)
        {
            return Some(Occurrence {
                node: echo.node,
                at: echo.at,
                role: Role::Echo,
            });
        }
        let behind = self.nodes.partition_point(|node| node.text.start <= at);
        let id = behind.checked_sub(1)?;
        let node = self.nodes.get(id)?;
        let id = id as NodeId;
        for span in self.definitions(node) {
            if holds(span) {
                let (node, at, role) = (id, span, Role::Definition);
                return Some(Occurrence { node, at, role });
            }
        }
        for (edge_id, edge) in (node.edges.start..).zip(self.inputs(node)) {
            if holds(edge.at) {
                let (node, at, role) = (edge.from, edge.at, Role::Use(edge_id));
                return Some(Occurrence { node, at, role });
            }
        }
        for delete in self.deletes_of(node) {
            if holds(delete.at) {
                let (node, at, role) = (delete.node, delete.at, Role::Delete);
                return Some(Occurrence { node, at, role });
            }
        }
        self.renamed(at)
    }

    /// The line `l_x_ = L_x_` stands far behind the placeholder that it names.
    fn renamed(&self, at: u32) -> Option<Occurrence> {
        let behind = self.nodes.partition_point(|node| node.text.start <= at);
        let module = self.nodes.get(behind.checked_sub(1)?)?.module;
        self.nodes_of(module)
            .find_map(|(id, node)| {
                let found = node.kind == NodeKind::Placeholder
                    && node.name.start <= at
                    && at < node.name.end;
                found.then_some((id, node.name))
            })
            .map(|(node, at)| Occurrence {
                node,
                at,
                role: Role::Definition,
            })
    }

    /// Where a node is defined: its name, and for a placeholder the argument that it stands for.
    fn definitions(&self, node: &Node) -> impl Iterator<Item = Span> {
        let argument = match node.target {
            Target::Text(span) if node.kind == NodeKind::Placeholder => Some(span),
            _ => None,
        };
        let name = Some(node.name).filter(|name| name.start < name.end);
        argument
            .filter(|&argument| Some(argument) != name)
            .into_iter()
            .chain(name)
    }

    /// All places where a node is named, in the order of the text.
    #[must_use]
    pub fn occurrences(&self, id: NodeId) -> Vec<Occurrence> {
        let Some(node) = self.node(id) else {
            return Vec::new();
        };
        let mut all: Vec<(Span, Role)> = self
            .definitions(node)
            .map(|at| (at, Role::Definition))
            .collect();
        all.extend(self.users(id).map(|(edge, of)| (of.at, Role::Use(edge))));
        let echoes = self.echoes.iter().filter(|echo| echo.node == id);
        all.extend(echoes.map(|echo| (echo.at, Role::Echo)));
        if let Some(by) = node.freed_by.and_then(|by| self.node(by)) {
            let deletes = self.deletes_of(by).iter().filter(|by| by.node == id);
            all.extend(deletes.map(|delete| (delete.at, Role::Delete)));
        }
        all.sort_unstable();
        all.iter()
            .map(|&(at, role)| Occurrence { node: id, at, role })
            .collect()
    }

    /// What an input is to the node that uses it, as a word: `0`, `dim`.
    #[must_use]
    pub fn keyword(&self, edge: &Edge) -> Option<&str> {
        match edge.argument {
            Argument::Position(_) => None,
            Argument::Keyword(name) => Some(self.text(name)),
        }
    }
}
