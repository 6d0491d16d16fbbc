//! Words for graphs: what kinds of work nodes do, what differs, what groups are called.

use crate::text::format;
use crate::text::paths;
use dynascope_core::analysis::graph_diff::Difference;
use dynascope_core::analysis::graph_groups::Name;
use dynascope_core::payload::fx_graph::ops::OpClass;
use dynascope_core::payload::fx_graph::{Error, ErrorKind, NodeKind};

/// A graph that is asked for before it was read.
pub const NOT_READ: &str = "This graph is not read yet.";

/// What a picture is, for those who see one for the first time.
pub const LEAD: &str = "Data flows down. Each box is an operation, coloured by the kind of work; inputs stand above their first use. Select a box to see its line in your program.";

/// What a picture of layers is.
pub const SKETCH: &str = "This graph is large, so it begins as a sketch: boxes stand for parts of the model or lines of your program. Open one with a double click or Enter.";

/// What a comparison shows.
pub const COMPARED: &str =
    "Green is new, red is gone, amber is changed. Names and numbers of symbols make no difference.";

/// The list of what a comparison found.
pub const CHANGES: &str = "What differs";

/// What shows and hides the tools of a picture where there is little room.
pub const TOOLS: &str = "Tools";
/// What shows and hides the meaning of its colours there.
pub const COLOURS: &str = "Colours";

/// The keys of a picture.
pub const KEYS: &str = "Arrow keys walk along edges, with Shift they move the picture; + and − zoom, 0 shows all, Enter opens and closes groups. The wheel moves, with Ctrl it zooms.";

/// What a reader of a graph's code can do.
pub const PRESS_A_NAME: &str = "Press a name to see where it is defined and used.";

/// A node that makes a copy as it is.
pub const COPY: &str = "a copy";

/// Nothing in a graph holds what is looked for.
pub const NO_NODE: &str = "No node holds all of these words.";

/// A node that the address names and the graph does not have.
pub const NO_SUCH_NODE: &str = "This graph has no such node.";

/// A picture that the browser cannot make a file of.
pub const NOT_DRAWN: &str = "The browser could not make a file of this picture.";

/// What copying the list of nodes is called.
pub const COPY_NODES: &str = "Copy as table: the nodes of the graph";

/// What screen readers call a picture of which no box is chosen.
pub const PICTURE: &str = "Picture of the graph";

/// What a box is made of.
pub const ANCESTORS: &str = "What it is made of";
/// What is made of a box.
pub const DESCENDANTS: &str = "What is made of it";
/// What lies between a box and another one, before one is selected.
pub const BETWEEN: &str = "What lies between this and …";
/// The same where the picture does not show the box that was selected.
pub const BETWEEN_UNSEEN: &str = "What lies between";
/// Opens a group.
pub const OPEN: &str = "Open";
/// Closes a group.
pub const CLOSE: &str = "Close";

/// What differs in a node that is compared.
pub const CHANGED: &str = "Changed";
/// The graphs that a node calls.
pub const CALLS: &str = "Calls";
/// The line of the program that made a node.
pub const SOURCE_LINE: &str = "Source line";
/// What a node is given.
pub const ARGUMENTS: &str = "Arguments";
/// The nodes that a node takes.
pub const TAKES: &str = "Takes";
/// The nodes that take a node.
pub const TAKEN_BY: &str = "Is taken by";

/// Buttons that zoom, as a group.
pub const ZOOM: &str = "Zoom";
/// Makes the picture smaller: the word, and the word with its key.
pub const SMALLER: (&str, &str) = ("Smaller", "Smaller (−)");
/// Makes the picture larger, in the same way.
pub const LARGER: (&str, &str) = ("Larger", "Larger (+)");
/// Shows all of the picture, in the same way.
pub const SHOW_ALL: (&str, &str) = ("Show all", "Show all (0)");
/// Buttons that open and close groups, as a group.
pub const GROUPS: &str = "Groups";
/// Opens all groups.
pub const OPEN_ALL: &str = "Open all";
/// Closes all groups.
pub const CLOSE_ALL: &str = "Close all";
/// Opens the groups that were open at first.
pub const AS_AT_FIRST: &str = "As at first";
/// Buttons that save the picture, as a group.
pub const SAVE_PICTURE: &str = "Save the picture";
/// Before the choice of the graph that this one is compared with.
pub const COMPARE_WITH: &str = "Compare with";
/// No graph to compare with.
pub const WITH_NOTHING: &str = "nothing";
/// Graphs of the same compilation.
pub const OF_THIS_COMPILATION: &str = "This compilation's";

/// What asks for the other box, where the first one is still selected.
pub fn other_end(first: &str) -> String {
    format!("Now select the other end (from {first})")
}

/// What stands out: what lies between the selected box and the one that was selected first.
pub fn between(first: &str) -> String {
    format!("Between this and {first}")
}

/// One of several graphs of one name: PyTorch gives the forward's and the backward's the same.
pub fn one_of_several(name: &str, place: u32, of: u32) -> String {
    format!("{name} ({place} of {of})")
}

/// A node of which the log does not say from where it comes.
pub const NO_LINE: &str = "This log does not say which line of the program made this node.";

/// What the names of inputs say that AOTAutograd gives.
pub fn input_meaning(name: &str) -> Option<&'static str> {
    const MEANINGS: &[(&str, &str)] = &[
        (
            "primals_",
            "AOTAutograd's name for an input of the forward graph: parameters, buffers and arguments, numbered in their order.",
        ),
        (
            "tangents_",
            "AOTAutograd's name for a gradient that comes into the backward graph, one for each output of the forward.",
        ),
        (
            "fwd_rng_state",
            "The state of the random numbers of the forward, so that the backward draws the same.",
        ),
        (
            "bwd_rng_state",
            "The state of the random numbers of the backward.",
        ),
        ("arg", "An input of the graph, numbered in its order."),
        (
            "L_self_",
            "A parameter, buffer or attribute of the module that was called.",
        ),
        ("L_", "A local variable of the compiled function."),
        ("l_", "A local variable of the compiled function."),
        ("G_", "A global variable of the program."),
        ("g_", "A global variable of the program."),
    ];
    let found = MEANINGS.iter().find(|(start, _)| name.starts_with(start));
    found.map(|(_, meaning)| *meaning)
}

/// Lines that were not understood.
pub fn wrong(lines: u32) -> String {
    match lines {
        1 => "One line was not understood. It stands in the graph as it is.".to_owned(),
        lines => format!(
            "{} lines were not understood. They stand in the graph as they are.",
            format::count(lines.into())
        ),
    }
}

/// What a comparison found.
pub fn compared(added: u32, removed: u32, changed: u32) -> String {
    if (added, removed, changed) == (0, 0, 0) {
        return "no node differs.".to_owned();
    }
    let nodes = |count: u32, word: &str| {
        (count > 0).then(|| format!("{} {word}", format::counted(count.into(), "node", "nodes")))
    };
    let parts = [
        nodes(added, "new"),
        nodes(removed, "gone"),
        nodes(changed, "changed"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{}.", parts.join(", "))
}

/// A payload that holds no graph, with what was found.
pub fn no_graph(error: &Error) -> String {
    match error.kind {
        ErrorKind::NoGraph => format!(
            "No graph begins in this text. Reading stopped at line {}: {}",
            format::count(u64::from(error.row) + 1),
            error.found
        ),
        ErrorKind::TooLong => {
            "This text is too long to be drawn. It can be read as text.".to_owned()
        }
    }
}

/// A payload that is not drawn.
pub fn too_large(size: &str) -> String {
    format!("This text has {size}, which is too much to be drawn. It can be read as text.")
}

/// A record that a graph cannot be compared with.
pub fn no_comparison(record: u32, why: &str) -> String {
    format!(
        "Record {record}, with which this graph would be compared, cannot be read as a graph. {why}"
    )
}

/// A picture that is too long and narrow to be seen as one image.
pub const TOO_LONG: &str = "This picture is too long for a PNG in which anything could be read. Save it as SVG, or close groups.";

/// A module that the payload does not print.
pub fn no_module(module: u32) -> String {
    format!(
        "This text prints no graph number {}.",
        format::count(module.into())
    )
}

/// How many nodes a group holds.
pub fn holds(nodes: u32) -> String {
    format::counted(nodes.into(), "operation", "operations")
}

/// Something that became something else.
pub fn became(old: &str, new: &str) -> String {
    format!("{old} → {new}")
}

/// What differs between two nodes.
pub fn difference(difference: &Difference) -> String {
    match difference {
        Difference::Target(old, new) => format!("operation {}", became(old, new)),
        Difference::Annotation(old, new) => {
            let said = |text: &str| {
                if text.is_empty() {
                    "not said".to_owned()
                } else {
                    text.to_owned()
                }
            };
            became(&said(old), &said(new))
        }
        Difference::Arguments(old, new) => format!("arguments {}", became(old, new)),
        Difference::Inputs => "takes other inputs".to_owned(),
    }
}

/// What a group is called; `prefix` is the path of the part of the model that holds it.
pub fn group(name: &Name, prefix: &str) -> String {
    match name {
        Name::Module(path) if prefix.is_empty() => path.clone(),
        Name::Module(path) => format!("{prefix}.{path}"),
        Name::Function {
            file,
            function,
            lines,
        } => {
            let file = paths::short(file);
            let file = file.rsplit('/').next().unwrap_or(file);
            let place = match lines {
                Some((first, last)) if first == last => format!("{file}:{first}"),
                Some((first, last)) => format!("{file}:{first}–{last}"),
                None => file.to_owned(),
            };
            match function {
                Some(function) => format!("{function} · {place}"),
                None => place,
            }
        }
        Name::Line { file, line, code } => match code {
            Some(code) => format!("{line}: {}", code.trim()),
            None => format!("{}:{line}", paths::short(file)),
        },
        Name::Repeated(ends) => match (&ends.0, &ends.1) {
            (Name::Module(_), Name::Module(last)) => format!("{} … {last}", group(&ends.0, prefix)),
            (Name::Function { function, .. }, Name::Function { function: last, .. })
                if last != function =>
            {
                let last = last.as_deref().unwrap_or_default();
                format!("{} … {last}", group(&ends.0, prefix))
            }
            (first, _) => group(first, prefix),
        },
    }
}

/// What FX calls a kind of node.
pub fn kind(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Placeholder | NodeKind::Parameter => "placeholder",
        NodeKind::GetAttr => "get_attr",
        NodeKind::CallFunction => "call_function",
        NodeKind::CallMethod => "call_method",
        NodeKind::CallModule => "call_module",
        NodeKind::Output => "output",
        NodeKind::Context => "with",
        NodeKind::Opaque => "not understood",
    }
}

/// What a kind of work is called, and what it means.
pub fn class(class: OpClass) -> (&'static str, &'static str) {
    match class {
        OpClass::Input => (
            "input",
            "Something that the graph is given: an argument, a parameter, a buffer, a constant.",
        ),
        OpClass::Output => ("output", "What the graph returns."),
        OpClass::Matmul => (
            "matrix product",
            "A product of matrices: most of the arithmetic of most models.",
        ),
        OpClass::Convolution => (
            "convolution",
            "A filter that moves over an image or a signal.",
        ),
        OpClass::Attention => (
            "attention",
            "Every position looks at every other one; often the dearest step of a transformer.",
        ),
        OpClass::Normalization => (
            "normalization",
            "Scales values by their own mean and spread.",
        ),
        OpClass::Reduction => (
            "reduction",
            "Makes few values of many: sums, maxima, losses, pooling.",
        ),
        OpClass::Pointwise => (
            "pointwise",
            "Treats each element for itself. Inductor fuses these, so that they cost little.",
        ),
        OpClass::View => (
            "view",
            "Another way to look at the same memory; nothing is copied.",
        ),
        OpClass::Memory => (
            "copy",
            "Makes new tensors, copies, or changes the type or device.",
        ),
        OpClass::Indexing => ("indexing", "Reads or writes elements by their place."),
        OpClass::Collective => ("communication", "Waits for, or sends to, other processes."),
        OpClass::Random => (
            "random",
            "Draws random numbers: dropout and initial values.",
        ),
        OpClass::HigherOrder => (
            "calls a graph",
            "Runs another graph: a condition, a loop, a region that is recomputed.",
        ),
        OpClass::Scalar => (
            "number",
            "Arithmetic on sizes and single numbers, not on tensors.",
        ),
        OpClass::Other => ("other", "Anything else, such as an operator of your own."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_work_has_words() {
        let words: std::collections::BTreeSet<_> =
            OpClass::ALL.iter().map(|it| class(*it).0).collect();
        assert_eq!(words.len(), OpClass::ALL.len());
        assert!(OpClass::ALL.iter().all(|it| class(*it).1.ends_with('.')));
    }

    #[test]
    fn groups_are_called_by_their_path() {
        let module = |path: &str| Name::Module(path.to_owned());
        assert_eq!(group(&module("attn"), "layers.0"), "layers.0.attn");
        let repeated = Name::Repeated(Box::new((module("0"), module("22"))));
        assert_eq!(group(&repeated, "layers"), "layers.0 … 22");
        let line = Name::Line {
            file: "/srv/demo/model.py".to_owned(),
            line: 12,
            code: Some(" x = f(x) ".to_owned()),
        };
        assert_eq!(group(&line, ""), "12: x = f(x)");
        let function = |name: &str| Name::Function {
            file: "/srv/demo/model.py".to_owned(),
            function: Some(name.to_owned()),
            lines: Some((12, 40)),
        };
        assert_eq!(group(&function("forward"), ""), "forward · model.py:12–40");
        let repeated = Name::Repeated(Box::new((function("forward"), function("act"))));
        assert_eq!(group(&repeated, ""), "forward · model.py:12–40 … act");
    }
}
