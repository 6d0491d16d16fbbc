//! Prints guards as PyTorch did.

use super::trailer::{HINT, SEPARATOR};
use super::{
    Block, GuardTree, Kind, Leaf, LineEnd, Manager, Node, Remark, RemarkKind, Role, Trailer,
};
use core::fmt::{self, Write};

impl LineEnd {
    fn as_str(self) -> &'static str {
        match self {
            LineEnd::Text => "",
            LineEnd::LineFeed => "\n",
            LineEnd::Both => "\r\n",
        }
    }
}

/// The text that was read, put together from the parts.
impl fmt::Display for GuardTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut remarks = self.remarks.iter().peekable();
        for node in &self.nodes {
            while let Some(remark) = remarks.next_if(|remark| remark.line < node.line) {
                self.print_remark(f, remark)?;
            }
            self.print_node(f, node)?;
        }
        remarks.try_for_each(|remark| self.print_remark(f, remark))
    }
}

impl GuardTree {
    fn print_node(&self, f: &mut fmt::Formatter<'_>, node: &Node) -> fmt::Result {
        if !node.kind.is_of_list() {
            for _ in 0..node.depth {
                f.write_str("| ")?;
            }
            f.write_str("+- ")?;
        }
        match &node.kind {
            Kind::Manager(manager) => self.print_manager(f, manager)?,
            Kind::Pair { index } => {
                write!(f, "KeyValueManager pair at index={}", self.text(*index))?;
            }
            Kind::Leaf(leaf) => self.print_leaf(f, leaf)?,
            Kind::Block(block) => self.print_block(f, block)?,
            Kind::Opaque { text } => f.write_str(self.text(*text))?,
        }
        f.write_str(node.line_end.as_str())
    }

    fn print_manager(&self, f: &mut fmt::Formatter<'_>, manager: &Manager) -> fmt::Result {
        f.write_str(manager.role.as_str())?;
        f.write_str(self.text(manager.class))?;
        if let Some(source) = manager.source {
            write!(f, ": source={}", self.text(source))?;
        }
        if let Some(accessor) = &manager.accessor {
            write!(f, ", accessed_by={}", self.text(accessor.name))?;
            if let Some(argument) = accessor.argument {
                write!(f, "({})", self.text(argument))?;
            }
        }
        if let Some(object) = &manager.object {
            let python = |value: bool| if value { "True" } else { "False" };
            write!(
                f,
                ", type={}, tag_safe=({}, {})",
                self.text(object.pytype),
                python(object.tag_safe),
                python(object.tag_safe_root)
            )?;
        }
        Ok(())
    }

    fn print_leaf(&self, f: &mut fmt::Formatter<'_>, leaf: &Leaf) -> fmt::Result {
        if let Some(class) = leaf.class {
            f.write_str(self.text(class))?;
        }
        let Some(code) = leaf.code else { return Ok(()) };
        if leaf.class.is_some() {
            f.write_str(": ")?;
        }
        f.write_str(self.text(code))?;
        for _ in 0..leaf.padding {
            f.write_char(' ')?;
        }
        if let Some(trailer) = &leaf.trailer {
            self.print_trailer(f, trailer)?;
        }
        match leaf.hint {
            Some(hint) => write!(f, "{HINT}{})", self.text(hint)),
            None => Ok(()),
        }
    }

    fn print_trailer(&self, f: &mut fmt::Formatter<'_>, trailer: &Trailer) -> fmt::Result {
        f.write_str(SEPARATOR)?;
        if let Some(source) = trailer.source {
            write!(f, "{}{SEPARATOR}", self.text(source))?;
        }
        if let Some(frame) = &trailer.frame {
            let (file, function) = (self.text(frame.file), self.text(frame.function));
            write!(f, "{file}:{} in {function}", frame.line)?;
        }
        match trailer.note {
            Some(note) => f.write_str(self.text(note)),
            None => Ok(()),
        }
    }

    fn print_block(&self, f: &mut fmt::Formatter<'_>, block: &Block) -> fmt::Result {
        let end = block.inner_end.as_str();
        let (scope, name) = (self.text(block.scope), self.text(block.name));
        write!(
            f,
            " - {end}{BLOCK_INDENT}{scope} {name} {}{end}",
            self.text(block.create)
        )?;
        write!(f, "{BLOCK_INDENT}{{{end}")?;
        let parts = [block.guard_types, block.code, block.object, block.class];
        for ((before, after), part) in BLOCK_PARTS.into_iter().zip(parts) {
            write!(f, "{before}{}{after}{end}", self.text(part))?;
        }
        write!(f, "{BLOCK_INDENT}}}{end}{BLOCK_INDENT}")
    }

    fn print_remark(&self, f: &mut fmt::Formatter<'_>, remark: &Remark) -> fmt::Result {
        match &remark.kind {
            RemarkKind::Guards => f.write_str(GUARDS)?,
            RemarkKind::Tree => f.write_str(TREE)?,
            RemarkKind::Latency {
                label,
                microseconds,
            } => {
                write!(f, "{} = {} us", self.text(*label), self.text(*microseconds))?;
            }
            RemarkKind::Blank(text)
            | RemarkKind::Opaque(text)
            | RemarkKind::ShapeFunction { text, .. } => f.write_str(self.text(*text))?,
        }
        f.write_str(remark.line_end.as_str())
    }
}

pub(super) const GUARDS: &str = "GUARDS:";
pub(super) const TREE: &str = "TREE_GUARD_MANAGER:";
/// What stands before most lines of a block of 2.0.
pub(super) const BLOCK_INDENT: &str = "            ";
/// What stands around each part of a block of 2.0.
pub(super) const BLOCK_PARTS: [(&str, &str); 4] = [
    ("                'guard_types': ", ","),
    ("                'code': ", ","),
    ("                'obj_weakref': ", ""),
    ("                'guarded_class': ", ""),
];

impl Role {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Role::Object => "",
            Role::Key => "KeyManager: ",
            Role::Value => "ValueManager: ",
        }
    }
}

impl Kind {
    /// Whether its line has no branch of a tree before it.
    fn is_of_list(&self) -> bool {
        matches!(self, Kind::Leaf(Leaf { class: None, .. }) | Kind::Block(_))
    }
}
