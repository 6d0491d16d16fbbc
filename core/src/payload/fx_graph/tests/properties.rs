//! Any text gives a graph or an error, and what is in a graph fits together.

use super::super::*;
use crate::analysis::graph_summary::summarise;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proptest::prelude::*;

/// Pieces of what PyTorch prints, and what may stand between.
const PIECES: &[&str] = &[
    "\n",
    "\n    ",
    "\n        ",
    "\r\n",
    "class GraphModule(torch.nn.Module):\n",
    "    class cond_true_0(torch.nn.Module):\n",
    " <eval_with_key>.0 class <lambda>(torch.nn.Module):\n",
    "def forward(self, x, y: \"f32[2]\"):\n",
    "    def forward(\n        self,\n        x,  # A(idx=0)\n    ):\n",
    "    # File: a.py:5 in f, code: x\n",
    "    # No stacktrace found for following nodes\n",
    "    a = x\n",
    "    a: \"f32[2]\" = torch.ops.aten.mm.default(x, y);  x = None\n",
    "    x += y;  a = x;  x = y = None\n",
    "    x[y] = a;  setitem = x\n",
    "    p: \"f32[2]\"; q: \"Sym(s0)\";\n",
    "    p, q, = fx_pytree.tree_flatten_spec([x], self._in_spec)\n",
    "    return (a, x)\n",
    "    return pytree.tree_unflatten([a], self._out_spec)\n",
    "graph():\n",
    "    %x : [num_users=1] = placeholder[target=x]\n",
    "%a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {k: %x})\n",
    "opcode  name  target  args  kwargs\n------  ----  ------  ----  ------\n",
    "output  a     a       (x,)  {'a': a}\n",
    "é",
    "\x1b[31m",
    "\x1b[",
    "getattr(self.a, \"0\")",
    "self.a",
    "(",
    ")",
    "[",
    "]",
    "{",
    "'",
    "\"",
    "\\",
    ";",
    ":",
    "=",
    "-",
    "==",
    ",",
    ".",
    "#",
    "x",
    "None",
    " ",
    "=====",
];

/// Asks everything of a graph; sees that its parts fit one another.
pub(super) fn check_graph(text: &str) -> Result<(), TestCaseError> {
    let Ok(graph) = FxGraph::parse(text) else {
        return Ok(());
    };
    let rows = text.split('\n').count() as u32;
    let mut next = 0;
    for (id, module) in (0..).zip(graph.modules()) {
        prop_assert_eq!(module.nodes.start, next);
        next = module.nodes.end;
        prop_assert!(module.parent.is_none_or(|parent| parent < id));
        prop_assert!(module.rows.start < module.rows.end && module.rows.end <= rows);
        prop_assert!(graph.nodes_of(id).all(|(_, node)| node.module == id));
        let summary = summarise(&graph, id);
        prop_assert_eq!((summary.nodes, summary.calls), graph.counts(id));
    }
    prop_assert_eq!(next as usize, graph.nodes().len());
    let (mut edges, mut users) = (0, 0);
    let slice = |span: Span| graph.source().get(span.start as usize..span.end as usize);
    for (id, node) in (0..).zip(graph.nodes()) {
        prop_assert!(slice(node.name).is_some() && slice(node.text).is_some());
        prop_assert!(node.row < rows);
        prop_assert!(node.args.is_none_or(|args| slice(args).is_some()));
        prop_assert!(node.type_text.is_none_or(|text| slice(text).is_some()));
        prop_assert!(
            node.submodule
                .is_none_or(|module| graph.module(module).is_some())
        );
        for edge in graph.inputs(node) {
            edges += 1;
            prop_assert_eq!(edge.to, id);
            prop_assert!(edge.from < id);
            prop_assert_eq!(
                graph.node(edge.from).map(|from| from.module),
                Some(node.module)
            );
            prop_assert!(slice(edge.at).is_some());
        }
        for (edge, of) in graph.users(id) {
            users += 1;
            prop_assert_eq!(of.from, id);
            prop_assert_eq!(graph.edges().get(edge as usize), Some(of));
        }
        let _ = (
            graph.target(node),
            graph.annotation(node),
            graph.op_class(node),
        );
        for occurrence in graph.occurrences(id) {
            let place = graph.place(occurrence.at);
            prop_assert!(place.start <= place.end && place.row < rows);
            let line = text.split('\n').nth(place.row as usize).unwrap_or_default();
            prop_assert!(place.end as usize <= line.len());
        }
    }
    prop_assert_eq!((edges, users), (graph.edges().len(), graph.edges().len()));
    for problem in graph.problems() {
        prop_assert!(problem.row < rows);
    }
    for at in 0..graph.source().len() as u32 + 2 {
        let _ = graph.occurrence(at);
    }
    for byte in 0..4 {
        let _ = graph.at(byte, byte);
    }
    Ok(())
}

/// A real graph of each form.
const REAL: &[&str] = &[
    super::CLICK,
    "\
 ===== Joint graph 0 =====
class joint_helper(torch.nn.Module):
    def forward(self, primals, tangents):
        primals_1: \"f32[4, 8][8, 1]cpu\"; tangents_1: \"f32[4][1]cpu\";

        primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
        # File: /srv/demo/wl2.py:13 in forward, code: y = torch.relu(s.l1(x))
        t: \"f32[8, 4][1, 8]cpu\" = torch.ops.aten.t.default(primals_1);  primals_1 = None
        scalar_tensor: \"f32[][]cpu\" = torch.ops.aten.scalar_tensor.default(0, dtype = torch.float32, device = device(type='cpu'))
        ge: \"Sym(u0 >= 0)\" = tangents_1 >= 0
        _assert = torch.ops.aten._assert_scalar.default(ge, \"u0 >= 0 on node 'ge'\");  ge = _assert = None
        cond_true_0 = self.cond_true_0
        cond = torch.ops.higher_order.cond(t, cond_true_0, cond_true_0, (t,));  t = None
        return pytree.tree_unflatten([cond, None], self._out_spec)

    class cond_true_0(torch.nn.Module):
        def forward(self, x: \"f32[4]\"):
            neg: \"f32[4]\" = -x;  x = None
            return (neg,)
",
    "\
TRACED GRAPH
 __compiled_fn_0 <eval_with_key>.1 opcode         name    target                   args       kwargs
-------------  ------  -----------------------  ---------  --------
placeholder    x       x                        ()         {}
call_function  add     <built-in function add>  (x, 2)     {'a': x}
output         output  output                   ((add,),)  {}
",
    "\
graph():
    %ops : [num_users=4] = placeholder[target=ops]
    %get_index : [num_users=1] = call_module[target=get_index](args = (index1,), kwargs = {})
    %load : [num_users=1] = call_method[target=load](args = (%ops, buf1, %get_index), kwargs = {k: %ops})
    return (load, ops)
",
];

/// What happens to a text.
#[derive(Debug, Clone)]
enum Change {
    Cut(usize),
    Swap(usize, usize),
    Drop(usize),
    Twice(usize),
    Byte(usize, u8),
}

fn change() -> impl Strategy<Value = Change> {
    let place = 0usize..4096;
    prop_oneof![
        place.clone().prop_map(Change::Cut),
        (place.clone(), place.clone()).prop_map(|(a, b)| Change::Swap(a, b)),
        place.clone().prop_map(Change::Drop),
        place.clone().prop_map(Change::Twice),
        (place, any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
    ]
}

fn changed(text: &str, change: &Change) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let count = lines.len().max(1);
    match *change {
        Change::Cut(at) => {
            let at = at % (text.len() + 1);
            return String::from_utf8_lossy(&text.as_bytes()[..at]).into_owned();
        }
        Change::Byte(at, byte) if !text.is_empty() => {
            let mut bytes = text.as_bytes().to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        Change::Swap(a, b) if !lines.is_empty() => lines.swap(a % count, b % count),
        Change::Drop(at) if !lines.is_empty() => {
            lines.remove(at % count);
        }
        Change::Twice(at) if !lines.is_empty() => lines.insert(at % count, lines[at % count]),
        _ => {}
    }
    lines.concat()
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        check_graph(&text)?;
        check_graph(&format!("def forward(self, x):\n    a = {text}\n    return a\n"))?;
        check_graph(&format!("graph():\n    %x : [num_users=1] = call_function[target=f]{text}\n"))?;
    }

    #[test]
    fn pieces_in_any_order_are_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)
    ) {
        check_graph(&pieces.concat())?;
    }

    #[test]
    fn real_graphs_that_were_changed_are_read_or_refused(
        text in prop::sample::select(REAL),
        changes in prop::collection::vec(change(), 0..6),
    ) {
        let text = changes.iter().fold(text.to_string(), |text, change| changed(&text, change));
        check_graph(&text)?;
    }

    /// Each node uses some of those before it; all that is written is read.
    #[test]
    fn random_graphs_keep_their_edges(
        nodes in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..4), 1..30)
    ) {
        let mut text = String::from("class G(torch.nn.Module):\n    def forward(self, n0):\n");
        let mut expected = Vec::new();
        for (at, inputs) in nodes.iter().enumerate() {
            let inputs: Vec<u32> = inputs.iter().map(|index| index.index(at + 1) as u32).collect();
            let names: Vec<String> = inputs.iter().map(|input| format!("n{input}")).collect();
            text += &format!("        n{} = torch.cat([{}], 'n0')\n", at + 1, names.join(", "));
            expected.push(inputs);
        }
        text += &format!("        return (n{},)\n", nodes.len());
        let graph = FxGraph::parse(text.as_str()).unwrap();
        let found: Vec<Vec<u32>> = graph
            .nodes()
            .iter()
            .filter(|node| node.kind.is_call())
            .map(|node| graph.inputs(node).iter().map(|edge| edge.from).collect())
            .collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(graph.problems(), []);
        prop_assert_eq!(graph.counts(0), (nodes.len() + 2, nodes.len()));
        check_graph(&text)?;
    }
}

#[test]
fn real_graphs_are_read_without_problems() {
    for text in REAL {
        assert_eq!(FxGraph::parse(*text).unwrap().problems(), []);
        check_graph(text).unwrap();
    }
}
