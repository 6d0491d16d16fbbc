//! Puts a graph together: modules, nodes, edges, and what names mean at a place of the text.

use super::lexer::Token;
use super::{
    Argument, Edge, Error, ErrorKind, Form, FxGraph, Location, Mention, Module, ModuleId, Node,
    NodeId, NodeKind, Problem, ProblemKind, Span, Target,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashMap;

/// What was read so far.
pub(super) struct Builder<'a> {
    pub(super) text: &'a str,
    rows: Vec<u32>,
    parts: Parts,
    /// What names stand for in the module that is being read.
    scope: HashMap<&'a str, NodeId>,
    /// Where nodes come from, as the comments above say.
    location: Option<u32>,
}

/// A graph without its text.
#[derive(Debug, Default)]
pub(super) struct Parts {
    rows: Vec<u32>,
    title: Option<Span>,
    modules: Vec<Module>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    deletes: Vec<Mention>,
    echoes: Vec<Mention>,
    locations: Vec<Location>,
    targets: Vec<String>,
    problems: Vec<Problem>,
}

/// A node before it has a number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draft {
    pub(super) kind: NodeKind,
    pub(super) name: Span,
    pub(super) text: Span,
    pub(super) args: Option<Span>,
    pub(super) type_text: Option<Span>,
    pub(super) target: Target,
}

impl Draft {
    pub(super) fn new(kind: NodeKind, name: Span, text: Span) -> Draft {
        Draft {
            kind,
            name,
            text,
            args: None,
            type_text: None,
            target: Target::None,
        }
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let mut rows = Vec::from([0]);
        // The caller has seen that the text is shorter than 4 GiB.
        rows.extend(ends.map(|end| end as u32 + 1));
        Builder {
            text,
            rows,
            parts: Parts::default(),
            scope: HashMap::new(),
            location: None,
        }
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    pub(super) fn of(&self, token: &Token) -> &'a str {
        self.slice(token.at)
    }

    pub(super) fn row(&self, at: u32) -> u32 {
        let behind = self.rows.partition_point(|&start| start <= at);
        behind.saturating_sub(1) as u32
    }

    /// The first title counts.
    pub(super) fn title(&mut self, title: Span) {
        self.parts.title.get_or_insert(title);
    }

    pub(super) fn problem(&mut self, at: u32, kind: ProblemKind) {
        let row = self.row(at);
        self.parts.problems.push(Problem { row, kind });
    }

    /// Begins a module; names of the one before are forgotten.
    pub(super) fn module(
        &mut self,
        name: Option<Span>,
        parent: Option<ModuleId>,
        form: Form,
        at: u32,
    ) -> ModuleId {
        self.close();
        let nodes = self.parts.nodes.len() as NodeId;
        let row = self.row(at);
        self.parts.modules.push(Module {
            name,
            parent,
            form,
            nodes: nodes..nodes,
            rows: row..row + 1,
        });
        self.scope.clear();
        self.location = None;
        self.parts.modules.len() as ModuleId - 1
    }

    /// Says of the module that was read last whether it returned something.
    fn close(&mut self) {
        let Some(module) = self.parts.modules.last() else {
            return;
        };
        let nodes = self
            .parts
            .nodes
            .get(module.nodes.start as usize..)
            .unwrap_or_default();
        if module.form != Form::Fragment && !nodes.iter().any(|node| node.kind == NodeKind::Output)
        {
            let row = module.rows.end.saturating_sub(1);
            let kind = ProblemKind::NoOutput;
            self.parts.problems.push(Problem { row, kind });
        }
    }

    /// The module that is being read.
    pub(super) fn current(&self) -> Option<ModuleId> {
        (self.parts.modules.len() as ModuleId).checked_sub(1)
    }

    /// Says that the module being read goes on up to a place.
    pub(super) fn extend(&mut self, at: u32) {
        let row = self.row(at);
        if let Some(module) = self.parts.modules.last_mut() {
            module.rows.end = module.rows.end.max(row + 1);
        }
    }

    /// Whether the module that is being read has no nodes yet.
    pub(super) fn is_fresh(&self) -> bool {
        let last = self.parts.modules.last();
        last.is_some_and(|module| module.nodes.is_empty())
    }

    fn is_empty(&self) -> bool {
        self.parts.modules.is_empty()
    }

    /// Adds a node, whose inputs follow, and which has no name yet.
    pub(super) fn node(&mut self, draft: Draft) -> NodeId {
        let id = self.parts.nodes.len() as NodeId;
        let edges = self.parts.edges.len() as u32;
        let deletes = self.parts.deletes.len() as u32;
        if draft.kind == NodeKind::Opaque {
            self.problem(draft.text.start, ProblemKind::Opaque);
        }
        // FX writes no comment for inputs and what is returned; the one above is of the node above.
        let is_located = draft.kind.is_call()
            || matches!(
                draft.kind,
                NodeKind::GetAttr | NodeKind::Context | NodeKind::Opaque
            );
        self.parts.nodes.push(Node {
            kind: draft.kind,
            module: self.current().unwrap_or(0),
            name: draft.name,
            version: 0,
            row: self.row(draft.name.start.max(draft.text.start)),
            text: draft.text,
            args: draft.args,
            type_text: draft.type_text,
            remark: None,
            edges: edges..edges,
            location: self.location.filter(|_| is_located),
            freed_by: None,
            submodule: None,
            target: draft.target,
            deletes: deletes..deletes,
        });
        if let Some(module) = self.parts.modules.last_mut() {
            module.nodes.end = id + 1;
        }
        self.extend(draft.text.end.saturating_sub(1).max(draft.text.start));
        id
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.parts.nodes.get_mut(id as usize)
    }

    pub(super) fn get(&self, id: NodeId) -> Option<&Node> {
        self.parts.nodes.get(id as usize)
    }

    /// The node that was added last.
    pub(super) fn last(&self) -> Option<NodeId> {
        (self.parts.nodes.len() as NodeId).checked_sub(1)
    }

    fn last_mut(&mut self) -> Option<&mut Node> {
        self.parts.nodes.last_mut()
    }

    /// Gives a node its name from here on.
    pub(super) fn bind(&mut self, name: Span, id: NodeId) {
        let text = self.slice(name);
        let before = self.scope.insert(text, id).filter(|&before| before != id);
        let version = before.and_then(|before| Some(self.get(before)?.version + 1));
        if let (Some(version), Some(node)) = (version, self.node_mut(id))
            && node.name == name
        {
            node.version = version;
        }
    }

    /// The node that a name stands for here.
    pub(super) fn lookup(&self, name: &str) -> Option<NodeId> {
        self.scope.get(name).copied()
    }

    /// Adds an input to the node that was added last.
    pub(super) fn edge(&mut self, from: NodeId, at: Span, argument: Argument) {
        let Some(to) = (self.parts.nodes.len() as NodeId).checked_sub(1) else {
            return;
        };
        self.parts.edges.push(Edge {
            from,
            to,
            at,
            argument,
        });
        let end = self.parts.edges.len() as u32;
        if let Some(node) = self.last_mut() {
            node.edges.end = end;
        }
    }

    /// Says that the node that was added last is the last one to use another.
    pub(super) fn delete(&mut self, node: NodeId, at: Span) {
        self.parts.deletes.push(Mention { node, at });
        let end = self.parts.deletes.len() as u32;
        let Some(last) = (self.parts.nodes.len() as NodeId).checked_sub(1) else {
            return;
        };
        if let Some(by) = self.last_mut() {
            by.deletes.end = end;
        }
        if let Some(freed) = self.node_mut(node) {
            freed.freed_by = Some(last);
        }
    }

    /// Says that a node is named at a place that is neither its definition nor an input of another.
    pub(super) fn echo(&mut self, node: NodeId, at: Span) {
        self.parts.echoes.push(Mention { node, at });
    }

    /// Says that the nodes from here on come from this line of the program; or that nobody knows.
    pub(super) fn locate(&mut self, location: Option<Location>) {
        self.location = location.map(|location| {
            self.parts.locations.push(location);
            self.parts.locations.len() as u32 - 1
        });
    }

    /// Keeps a target that does not stand in the text.
    pub(super) fn target(&mut self, target: String) -> Target {
        self.parts.targets.push(target);
        Target::Built(self.parts.targets.len() as u32 - 1)
    }

    pub(super) fn finish(mut self) -> Result<Parts, Error> {
        if self.is_empty() {
            let first = self.text.lines().find(|line| !line.trim().is_empty());
            return Err(Error {
                kind: ErrorKind::NoGraph,
                row: self.rows.len().saturating_sub(1) as u32,
                found: first.unwrap_or_default().trim().chars().take(80).collect(),
            });
        }
        self.close();
        self.link();
        self.parts.rows = self.rows;
        self.parts.problems.sort_by_key(|problem| problem.row);
        self.parts.echoes.sort_by_key(|echo| echo.at);
        Ok(self.parts)
    }

    /// Finds the modules that nodes read or call: attributes of the module in which they stand, or, where
    /// texts stand side by side, of the root.
    fn link(&mut self) {
        if self.parts.modules.len() < 2 {
            return;
        }
        let text = self.text;
        let of = |span: Span| {
            text.get(span.start as usize..span.end as usize)
                .unwrap_or_default()
        };
        let mut named: HashMap<(Option<ModuleId>, &str), ModuleId> = HashMap::new();
        for (id, module) in (0..).zip(&self.parts.modules) {
            if let Some(name) = module.name {
                named.entry((module.parent, of(name))).or_insert(id);
            }
        }
        let modules = &self.parts.modules;
        let targets = &self.parts.targets;
        for node in &mut self.parts.nodes {
            if !matches!(node.kind, NodeKind::GetAttr | NodeKind::CallModule) {
                continue;
            }
            let path = match node.target {
                Target::Text(span) => of(span),
                Target::Built(index) => targets.get(index as usize).map_or("", |path| path),
                _ => continue,
            };
            let beside = modules
                .get(node.module as usize)
                .and_then(|module| module.parent);
            let mut found = Some(node.module);
            for name in path.split('.') {
                found = found.and_then(|at| named.get(&(Some(at), name)).copied());
            }
            node.submodule = found.or_else(|| {
                let behind = named.get(&(beside, path)).copied();
                behind.filter(|&behind| behind != node.module)
            });
        }
    }
}

impl Parts {
    pub(super) fn into_graph(self, text: Box<str>, escapes: Vec<(u32, u32)>) -> FxGraph {
        // How many edges start at each node, then where its edges end, then where they start.
        let mut starts = alloc::vec![0u32; self.nodes.len() + 1];
        for edge in &self.edges {
            if let Some(count) = starts.get_mut(edge.from as usize) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut users = alloc::vec![0; self.edges.len()];
        for (id, edge) in (0..self.edges.len() as u32).zip(&self.edges).rev() {
            if let Some(start) = starts.get_mut(edge.from as usize) {
                *start = start.saturating_sub(1);
                if let Some(user) = users.get_mut(*start as usize) {
                    *user = id;
                }
            }
        }
        FxGraph {
            text,
            escapes,
            rows: self.rows,
            title: self.title,
            modules: self.modules,
            nodes: self.nodes,
            edges: self.edges,
            deletes: self.deletes,
            echoes: self.echoes,
            locations: self.locations,
            targets: self.targets,
            starts,
            users,
            problems: self.problems,
        }
    }
}
