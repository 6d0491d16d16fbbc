//! What is read of small texts, each of which shows one thing.

mod properties;

use super::*;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A node a line: its row, kind, name, target and inputs, each with its argument.
fn said(text: &str) -> String {
    let graph = match FxGraph::parse(text) {
        Ok(graph) => graph,
        Err(error) => return format!("{error}"),
    };
    let mut out = String::new();
    for (id, module) in (0..).zip(graph.modules()) {
        let parent = module.parent.map(|parent| format!(" in {parent}"));
        let name = graph.module_name(module);
        let parent = parent.unwrap_or_default();
        out += &format!("[{name}{parent}] rows {:?}\n", module.rows);
        for (_, node) in graph.nodes_of(id) {
            out += &said_of(&graph, node);
            out.push('\n');
        }
    }
    for problem in graph.problems() {
        out += &format!("! {} {:?}\n", problem.row, problem.kind);
    }
    out
}

fn said_of(graph: &FxGraph, node: &Node) -> String {
    let called = |node: &Node| match node.version {
        0 => graph.name(node).to_string(),
        version => format!("{}'{version}", graph.name(node)),
    };
    let mut out = format!("{} {:?} {}", node.row, node.kind, called(node));
    let target = graph.target(node);
    if !target.is_empty() && target != graph.name(node) {
        out += &format!(" {target}");
    }
    for edge in graph.inputs(node) {
        let from = called(graph.node(edge.from).unwrap());
        let named = graph.text(edge.at);
        assert!(from.starts_with(named) || named == "b", "{from} {named}");
        match edge.argument {
            Argument::Position(position) => out += &format!(" {position}:{from}"),
            Argument::Keyword(name) => out += &format!(" {}:{from}", graph.text(name)),
        }
    }
    if let Some(module) = node.submodule {
        out += &format!(" -> {module}");
    }
    out
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let said = said(text);
    let lines = |text: &str| text.trim().lines().map(|l| l.trim().to_string()).collect();
    let (said, expected): (Vec<String>, Vec<String>) = (lines(&said), lines(expected));
    assert_eq!(said, expected, "{text}");
}

/// A function with these lines, and what is read of it without its first and last node.
#[track_caller]
fn check_body(lines: &str, expected: &str) {
    let text = format!("def forward(self, x, y):\n    {lines}\n    return x\n");
    let said = said(&text);
    let body: Vec<&str> = said
        .lines()
        .filter(|line| {
            !["[", "0 Placeholder x", "0 Placeholder y"]
                .iter()
                .any(|start| line.starts_with(start))
                && !line.ends_with("Output output 0:x")
        })
        .collect();
    assert_eq!(body.join("\n"), expected, "{lines}");
}

#[test]
fn each_shape_of_statement_is_read() {
    for (line, expected) in [
        ("a = torch.sin(x)", "1 CallFunction a torch.sin 0:x"),
        (
            "a: \"f32[2]\" = torch.ops.aten.add.Tensor(x, y, alpha = y);  x = y = None",
            "1 CallFunction a aten.add.Tensor 0:x 1:y alpha:y",
        ),
        (
            "a = x.sum(-1, keepdim = y)",
            "1 CallMethod a sum 0:x keepdim:y",
        ),
        ("a = x[0]", "1 CallFunction a operator.getitem 0:x"),
        (
            "a = x[(slice(None, y, None), 0)]",
            "1 CallFunction a operator.getitem 0:x 1:y",
        ),
        ("a = x + y", "1 CallFunction a operator.add 0:x 1:y"),
        ("a = -1 * x", "1 CallFunction a operator.mul 1:x"),
        ("a = x ** -0.5", "1 CallFunction a operator.pow 0:x"),
        ("a = 1e-05 / y", "1 CallFunction a operator.truediv 1:y"),
        (
            "a = (x, y) == y",
            "1 CallFunction a operator.eq 0:x 0:y 1:y",
        ),
        ("a = -x", "1 CallFunction a operator.neg 0:x"),
        ("a = ~x", "1 CallFunction a operator.invert 0:x"),
        ("a = x @ y", "1 CallFunction a operator.matmul 0:x 1:y"),
        ("a = x // 2", "1 CallFunction a operator.floordiv 0:x"),
        ("a = x.is_nested", "1 CallFunction a getattr 0:x"),
        (
            "a = getattr(x, \"0\", None)",
            "1 CallFunction a getattr 0:x",
        ),
        ("a = self.lin.weight", "1 GetAttr a lin.weight"),
        (
            "a = self._tensor_constant0",
            "1 GetAttr a _tensor_constant0",
        ),
        (
            "a = self.L__self___lin(x, y)",
            "1 CallModule a L__self___lin 0:x 1:y",
        ),
        (
            "a = getattr(self.layers, \"0\").weight",
            "1 GetAttr a layers.0.weight",
        ),
        (
            "a = getattr(getattr(self.a, \"0\").b, \"1\")(x)",
            "1 CallModule a a.0.b.1 0:x",
        ),
        (
            "x += y;  a: \"f32[]\" = x;  x = y = None",
            "1 CallFunction a operator.iadd 0:x 1:y",
        ),
        ("x **= 2;  a = x", "1 CallFunction a operator.ipow 0:x"),
        (
            "x[y] = 3;  a = x",
            "1 CallFunction a operator.setitem 0:x 1:y",
        ),
        (
            "x[(0, y)] = x;  a = x;  a = None",
            "1 CallFunction a operator.setitem 0:x 1:y 2:x",
        ),
        (
            "a = torch.cat([x, *y], **{'dim': y})",
            "1 CallFunction a torch.cat 0:x 0:y 1:y",
        ),
        (
            "a = f(x, (y, [x]), g(y = 1, z = y), k = {'y': x})",
            "1 CallFunction a f 0:x 1:y 1:x 2:y k:x",
        ),
        ("a = f()", "1 CallFunction a f"),
        ("with torch.no_grad(x):", "1 Context  0:x"),
        ("pass", ""),
    ] {
        check_body(line, expected);
    }
}

#[test]
fn strings_hide_what_stands_in_them() {
    for (line, expected) in [
        (
            "a = f(x, 'y)];  # y = (', y)  # y",
            "1 CallFunction a f 0:x 2:y",
        ),
        (r#"a = f("it's \" y", y)"#, "1 CallFunction a f 1:y"),
        ("a = f('y', y = 'y')", "1 CallFunction a f"),
        // A string ends with its line, whatever happens.
        ("a = f('y)\n    b = f(y)", "! 1 Unclosed\n"),
    ] {
        if expected.starts_with('!') {
            assert!(said(&format!("def forward(self, x, y):\n    {line}\n")).contains("Unclosed"));
        } else {
            check_body(line, expected);
        }
    }
}

#[test]
fn what_is_not_understood_is_kept_with_its_uses() {
    for (line, expected) in [
        ("a = x + y + x", "1 Opaque a 0:x 0:y 0:x\n! 1 Opaque"),
        ("a = lambda: y", "1 Opaque a 0:y\n! 1 Opaque"),
        ("torch.sin(x)", "1 Opaque  0:x\n! 1 Opaque"),
        ("a = 1", "1 Opaque a\n! 1 Opaque"),
        ("??", "1 Opaque \n! 1 Opaque"),
        ("x += y", "1 Opaque  0:x 0:y\n! 1 Opaque"),
    ] {
        check_body(line, expected);
    }
}

#[test]
fn several_names_of_one_statement_stand_for_it() {
    check(
        "def forward(self, x):\n    a, b = x\n    c = f(b, a)\n    return c\n",
        "
[] rows 0..4
0 Placeholder x
1 Opaque a 0:x
2 CallFunction c f 0:a 1:a
3 Output output 0:c
! 1 Opaque
",
    );
}

#[test]
fn a_name_that_is_bound_again_is_another_node() {
    check(
        "\
def forward(self, x):
    a = f(x);  x = None
    a = g(a)
    x = a + a
    a = h(x, k = a);  x = None
    return [a, (x, a)]
",
        "
[] rows 0..6
0 Placeholder x
1 CallFunction a f 0:x
2 CallFunction a'1 g 0:a
3 CallFunction x'1 operator.add 0:a'1 1:a'1
4 CallFunction a'2 h 0:x'1 k:a'1
5 Output output 0:a'2 1:x'1 1:a'2
",
    );
}

#[test]
fn statements_may_take_several_lines() {
    let text = "\
class M(torch.nn.Module):
    def forward(
        self,
        x: \"f32[2]\",  # PlainAOTInput(idx=0)
        y: \"Sym(s0)\" = 3,  # PlainAOTInput(idx=1)
        *args,
    ):
        # File: a.py:1 in f, code: z = (
        a: \"f32[2]\" = f(
            x,  # not y
            [y,
             args],
        );  x = None

        # No stacktrace found for following nodes
        return (
            a,  # PlainAOTOutput(idx=0)
            None,  # None
            y,
        )
";
    check(
        text,
        "
[M] rows 0..20
3 Placeholder x
4 Placeholder y
5 Placeholder args
8 CallFunction a f 0:x 1:y 1:args
15 Output output 0:a 2:y
",
    );
    let graph = FxGraph::parse(text).unwrap();
    let remark = |id| Some(graph.text(graph.node(id)?.remark?));
    assert_eq!(remark(0), Some("PlainAOTInput(idx=0)"));
    assert_eq!(remark(1), Some("PlainAOTInput(idx=1)"));
    assert_eq!(remark(2), None);
    let node = graph.node(1).unwrap();
    assert_eq!(graph.text(node.args.unwrap()), "3");
    assert_eq!(graph.text(node.type_text.unwrap()), "Sym(s0)");
    let returned: Vec<_> = graph
        .returned(graph.node(4).unwrap())
        .iter()
        .map(|value| {
            (
                graph.text(value.value),
                value.remark.map(|text| graph.text(text)),
            )
        })
        .collect();
    assert_eq!(
        returned,
        [
            ("a", Some("PlainAOTOutput(idx=0)")),
            ("None", Some("None")),
            ("y", None)
        ]
    );
    let call = graph.node(3).unwrap();
    let location = graph.location(call).unwrap();
    assert_eq!((graph.text(location.file), location.line), ("a.py", 1));
    assert_eq!(graph.location(graph.node(4).unwrap()), None);
    assert_eq!(graph.freed(call).collect::<Vec<_>>(), [0]);
    assert_eq!(graph.node(0).unwrap().freed_by, Some(3));
}

#[test]
fn declared_placeholders_are_taken_out_of_the_arguments() {
    check(
        "\
 ===== Joint graph 0 =====
 <eval_with_key>.3 class joint_helper(torch.nn.Module):
    def forward(self, primals, x):
        primals_1: \"f32[2]\"; x: \"f32[2]\";

        primals_1, x, z, = fx_pytree.tree_flatten_spec([primals, x], self._in_spec)
        a: \"f32[2]\" = f(primals_1, x)
        return pytree.tree_unflatten([a, None, z], self._out_spec)
",
        "
[joint_helper] rows 1..8
2 Parameter primals
2 Parameter x
3 Placeholder primals_1
3 Placeholder x'1
5 Placeholder z
6 CallFunction a f 0:primals_1 1:x'1
7 Output output 0:a 2:z
",
    );
}

#[test]
fn submodules_are_found_by_the_attribute_that_holds_them() {
    check(
        "\
TRACED GRAPH
 ===== __compiled_fn_1 =====
 /x/class y.py class GraphModule(torch.nn.Module):
    def forward(self, L_x_: \"f32[4]\"):
        l_x_ = L_x_

        cond_true_0 = self.cond_true_0
        wrap = self.wrap
        cond = torch.ops.higher_order.cond(l_x_, cond_true_0, wrap, (l_x_,));  cond_true_0 = None
        return (cond,)

    class cond_true_0(torch.nn.Module):
        def forward(self, l_x_):
            l_x__1 = l_x_
            inner = self.inner(l_x__1)
            return inner

        class inner(torch.nn.Module):
            def forward(self, p):
                return p

    class wrap(torch.nn.Module):
        def forward(self, l_x_):
            inner = self.inner
            return (l_x_,)

text behind
",
        "
[GraphModule] rows 2..10
3 Placeholder l_x_ L_x_
6 GetAttr cond_true_0 -> 1
7 GetAttr wrap -> 3
8 CallFunction cond higher_order.cond 0:l_x_ 1:cond_true_0 2:wrap 3:l_x_
9 Output output 0:cond
[cond_true_0 in 0] rows 11..16
12 Placeholder l_x__1 l_x_
14 CallModule inner 0:l_x__1 -> 2
15 Output output 0:inner
[inner in 1] rows 17..20
18 Placeholder p
19 Output output 0:p
[wrap in 0] rows 21..25
22 Placeholder l_x_
23 GetAttr inner
24 Output output 0:l_x_
",
    );
}

#[test]
fn submodules_may_stand_beside_the_root() {
    let text = "\
class GraphModule(torch.nn.Module):
    def forward(self, x):
        body = self.body
        return (torch.ops.higher_order.wrap(body, x),)

class body(torch.nn.Module):
    def forward(self, x):
        return x
";
    let graph = FxGraph::parse(text).unwrap();
    assert_eq!(graph.node(1).unwrap().submodule, Some(1));
    let output = graph.node(2).unwrap();
    assert_eq!(graph.submodules(output).collect::<Vec<_>>(), [1]);
}

#[test]
fn text_around_a_graph_is_left_out() {
    check(
        "\
ExportedProgram:
    class GraphModule(torch.nn.Module):
        def forward(self, x: \"i64[]\"):
             # File: t.py:269 in forward, code: a = x.item()
            a: \"Sym(u1)\" = torch.ops.aten.item.default(x);  x = None
            return (a,)

Graph signature:
    # inputs
    x: USER_INPUT
Range constraints: {u0: VR[0, int_oo]}
",
        "
[GraphModule] rows 1..6
2 Placeholder x
4 CallFunction a aten.item.default 0:x
5 Output output 0:a
",
    );
}

#[test]
fn only_forward_is_a_graph() {
    check(
        "\
class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = Module(
  (0): Module()
)

    def forward(self, x) -> torch.Tensor:
        return x

def main():
    return 1
",
        "
[Repro] rows 0..9
7 Placeholder x
8 Output output 0:x
",
    );
}

#[test]
fn a_text_that_is_cut_says_so() {
    check(
        "def forward(self, x):\n    a = f(x)\n    b = g(a, [x",
        "
[] rows 0..3
0 Placeholder x
1 CallFunction a f 0:x
2 Opaque b 0:a 0:x
! 2 Unclosed
! 2 Opaque
! 2 NoOutput
",
    );
    // A bracket that was lost costs its statement only.
    check(
        "def forward(self, x):\n    a = f(x\n    return a\n",
        "
[] rows 0..3
0 Placeholder x
1 Opaque a 0:x
2 Output output 0:a
! 1 Unclosed
! 1 Opaque
",
    );
}

#[test]
fn what_is_no_graph_is_refused() {
    for (text, row, found) in [
        ("", 0, ""),
        ("\n\n  hello  \nworld", 3, "hello"),
        ("def f(x):\n    return x\n", 2, "def f(x):"),
        ("class A:\n    pass\n", 2, "class A:"),
        ("# def forward(self, x):", 0, "# def forward(self, x):"),
    ] {
        let error = FxGraph::parse(text).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NoGraph, "{text}");
        assert_eq!((error.row, error.found.as_str()), (row, found), "{text}");
    }
}

#[test]
fn tables_are_read_by_their_columns() {
    check(
        "\
TRACED GRAPH
 __compiled_fn_0 <eval_with_key>.1 opcode         name    target                                                  args               kwargs
-------------  ------  ------------------------------------------------------  -----------------  --------------
placeholder    x       L_x_                                                    ()                 {}
get_attr       w       lin.weight                                              ()                 {}
call_function  sin     <built-in method sin of type object at 0x7f455815c540>  (x,)               {}
call_function  add     <built-in function add>                                 (sin, [w, 'x'])    {'alpha': sin}
call_function  mm      aten.mm.default                                         (add, w)           {}
call_function  relu    <function relu at 0x7f455815c540>                       (mm, 'é', x)       {}
call_method    sum_1   sum                                                     (relu,)            {'dim': 'x'}
call_module    lin     L__self___lin                                           (sum_1,)           {}
output         output  output                                                  (((lin, (x,)),),)  {}

x lin sum_1
",
        "
[] rows 1..12
3 Placeholder x L_x_
4 GetAttr w lin.weight
5 CallFunction sin 0:x
6 CallFunction add operator.add 0:sin 1:w alpha:sin
7 CallFunction mm aten.mm.default 0:add 1:w
8 CallFunction relu 0:mm 2:x
9 CallMethod sum_1 sum 0:relu
10 CallModule lin L__self___lin 0:sum_1
11 Output output 0:lin 0:x
",
    );
}

#[test]
fn lists_are_read() {
    check(
        "\
get_bounds:
graph():
    %x : torch.Tensor [num_users=2] = placeholder[target=x]
    %y : [#users=1] = placeholder[target=y](default=3)
    %w : [num_users=1] = get_attr[target=lin.weight]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, [%y, 2]), kwargs = {})
    %mm : [num_users=0] = call_function[target=torch.ops.aten.mm.default](args = (%add, %w), kwargs = {out: %x, k: x})
    %sum_1 : [num_users=1] = call_method[target=sum](args = (%x, y, (0,)), kwargs = {})
    %get_index : [num_users=1] = call_module[target=get_index](args = (index0,), kwargs = {})
    return (sum_1, None, get_index)
and more
",
        "
[] rows 1..10
2 Placeholder x
3 Placeholder y
4 GetAttr w lin.weight
5 CallFunction add operator.add 0:x 1:y
6 CallFunction mm aten.mm.default 0:add 1:w out:x
7 CallMethod sum_1 sum 0:x
8 CallModule get_index
9 Output output 0:sum_1 2:get_index
",
    );
    let graph = FxGraph::parse("graph(%x : torch.Tensor, %y):\n    return (x, y)\n").unwrap();
    assert_eq!(graph.counts(0), (3, 0));
}

#[test]
fn fragments_in_output_code_are_read() {
    let text = "\
# Graph fragment:
#   %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%mm,), kwargs = {})
#   %neg : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%relu,), kwargs = {})
kernel = 1
# Graph fragment:
#   %arg1_1 : Tensor \"f32[s14, 1][1, 1]cuda:0\" = PlaceHolder[target=arg1_1]
#   %mul : Tensor \"f32[s14, 1][1, 1]cuda:0\"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%arg1_1, 0.1), kwargs = {})
#   return %mul,%arg1_1
";
    check(
        text,
        "
[] rows 1..3
1 CallFunction relu aten.relu.default
2 CallFunction neg aten.neg.default 0:relu
[] rows 5..8
5 Placeholder arg1_1
6 CallFunction mul aten.mul.Tensor 0:arg1_1
7 Output output 0:mul 1:arg1_1
",
    );
    let graph = FxGraph::parse(text).unwrap();
    assert_eq!(graph.modules()[0].form, Form::Fragment);
    assert!(graph.annotation(&graph.nodes()[2]).is_some());
    assert_eq!(
        graph.text(graph.nodes()[3].type_text.unwrap()),
        "f32[s14, 1][1, 1]cuda:0"
    );
}

#[test]
fn lists_of_ddp_are_named_and_call_one_another() {
    check(
        "\
DDPOptimizer used bucket cap 26214400 and created 1 buckets.
---submod_0 graph---
graph():
    %x : torch.Tensor [num_users=1] = placeholder[target=x]
    return x
---final graph---
graph():
    %x : torch.Tensor [num_users=1] = placeholder[target=x]
    %submod_0 : [num_users=1] = call_module[target=submod_0](args = (%x,), kwargs = {})
    return (submod_0,)
---------------
",
        "
[submod_0] rows 2..5
3 Placeholder x
4 Output output 0:x
[final] rows 6..10
7 Placeholder x
8 CallModule submod_0 0:x -> 0
9 Output output 0:submod_0
",
    );
}

#[test]
fn what_is_returned_is_told_one_by_one() {
    for (line, expected) in [
        ("return (x, None)", "x None"),
        ("return [x, (y, x)]", "x (y, x)"),
        (
            "return pytree.tree_unflatten([x, y], self._out_spec)",
            "x y",
        ),
        ("return x", "x"),
        ("return (x,)", "x"),
        ("return (x)[0]", "(x)[0]"),
        ("return ()", ""),
        ("return", ""),
    ] {
        let graph = FxGraph::parse(format!("def forward(self, x, y):\n    {line}\n")).unwrap();
        let values = graph.returned(graph.nodes().last().unwrap());
        let values: Vec<&str> = values.iter().map(|value| graph.text(value.value)).collect();
        assert_eq!(values.join(" "), expected, "{line}");
        assert!(graph.returned(&graph.nodes()[0]).is_empty());
    }
}

#[test]
fn annotations_are_those_of_the_node() {
    use crate::payload::annotation::Annotation;
    let text = "\
def forward(self, x: \"f32[4, s0][s0, 1]cuda:0\", s0: \"Sym(s0)\", y : torch.Tensor):
    a = f(x)
    return a
";
    let graph = FxGraph::parse(text).unwrap();
    let annotation = |id| graph.annotation(graph.node(id).unwrap());
    let Some(Annotation::Tensor(tensor)) = annotation(0) else {
        panic!();
    };
    assert_eq!((tensor.dtype, tensor.device), ("float32", Some("cuda:0")));
    assert_eq!(annotation(1), Some(Annotation::Symbol("s0")));
    assert_eq!((annotation(2), annotation(3)), (None, None));
    assert_eq!(
        graph.text(graph.nodes()[2].type_text.unwrap()),
        "torch.Tensor"
    );
}

const CLICK: &str = "\
class GraphModule(torch.nn.Module):
    def forward(self, L_x_: \"f32[4]\", n):
        l_x_ = L_x_
        a = f(l_x_, k = l_x_);  l_x_ = None
        a += n;  iadd = a;  a = None
        return (iadd, n)
";

#[test]
fn every_place_of_a_name_leads_to_its_node() {
    let graph = FxGraph::parse(CLICK).unwrap();
    let of = |id: NodeId| -> Vec<(u32, &str, String)> {
        graph
            .occurrences(id)
            .iter()
            .map(|found| {
                let place = graph.place(found.at);
                // What is listed is found again, at each of its bytes.
                for byte in place.start..place.end {
                    assert_eq!(graph.at(place.row, byte), Some(*found));
                }
                let role = format!("{:?}", found.role);
                let role = role.split('(').next().unwrap().to_string();
                (place.row, graph.text(found.at), role)
            })
            .collect()
    };
    let expect = |list: &[(u32, &'static str, &str)]| -> Vec<(u32, &str, String)> {
        list.iter()
            .map(|(row, text, role)| (*row, *text, role.to_string()))
            .collect()
    };
    assert_eq!(
        of(0),
        expect(&[
            (1, "L_x_", "Definition"),
            (2, "l_x_", "Definition"),
            (2, "L_x_", "Echo"),
            (3, "l_x_", "Use"),
            (3, "l_x_", "Use"),
            (3, "l_x_", "Delete"),
        ])
    );
    assert_eq!(
        of(2),
        expect(&[
            (3, "a", "Definition"),
            (4, "a", "Use"),
            (4, "a", "Echo"),
            (4, "a", "Delete"),
        ])
    );
    assert_eq!(graph.users(1).count(), 2);
    assert_eq!(graph.users(99).count(), 0);
    assert_eq!(graph.at(3, 8 + 4), None);
    assert_eq!(graph.at(77, 0), None);
}

#[test]
fn colours_change_nothing_but_the_places() {
    let colour = |text: &str| {
        text.replace("f32", "\x1b[31mf32\x1b[0m")
            .replace("l_x_", "\x1b[2m\x1b[34ml_x_\x1b[0m")
            .replace("iadd", "\x1b[1;34miadd\x1b[0m")
    };
    let coloured = colour(CLICK);
    assert_eq!(said(&coloured), said(CLICK));
    let (plain, graph) = (
        FxGraph::parse(CLICK).unwrap(),
        FxGraph::parse(coloured.as_str()).unwrap(),
    );
    assert_eq!(graph.source(), CLICK);
    for id in 0..graph.nodes().len() as NodeId {
        let found = graph.occurrences(id);
        assert_eq!(found, plain.occurrences(id));
        for occurrence in found {
            let place = graph.place(occurrence.at);
            let row = coloured.split('\n').nth(place.row as usize).unwrap();
            let text = &row[place.start as usize..place.end as usize];
            assert_eq!(text, graph.text(occurrence.at));
            assert_eq!(graph.at(place.row, place.start), Some(occurrence));
        }
    }
    // An escape that is none stays.
    assert!(FxGraph::parse("def forward(self, \x1b[x):").is_ok());
}

#[test]
fn dynamos_names_lead_to_attributes() {
    for (name, path) in [
        (
            "L_self_modules_layers_modules_0_modules_self_attn_modules_o_proj_parameters_weight_",
            Some("layers.0.self_attn.o_proj.weight"),
        ),
        (
            "l_self_modules_bn1_buffers_running_mean_",
            Some("bn1.running_mean"),
        ),
        ("l_self_parameters_cls_token_", Some("cls_token")),
        ("L__self___lin", Some("lin")),
        ("L_x_", None),
        ("primals_1", None),
        ("L", None),
        ("", None),
        ("l__self___", None),
    ] {
        assert_eq!(attribute_path(name).as_deref(), path, "{name}");
    }
}

#[test]
fn nodes_tell_which_part_of_the_model_they_are() {
    let text = "\
def forward(self, L_self_modules_lin_parameters_weight_, L_x_):
    a = self.L__self___lin(L_x_)
    b = getattr(self.layers, \"0\").bias
    c = a + b
    return c
";
    let graph = FxGraph::parse(text).unwrap();
    let paths: Vec<_> = graph
        .nodes()
        .iter()
        .map(|node| graph.model_path(node))
        .collect();
    let expected = [
        Some("lin.weight"),
        None,
        Some("lin"),
        Some("layers.0.bias"),
        None,
        None,
    ];
    assert_eq!(
        paths.iter().map(Option::as_deref).collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn graphs_behind_one_another_are_all_read() {
    check(
        "\
 a b.py class A(torch.nn.Module):
    def forward(self, x):
        return x
TRACED GRAPH
 ===== Backward graph 0 =====
 /my class dir/b.py class B(torch.nn.Module):
    def forward(self, y):
        return y
def forward(self, z):
    return z
",
        "
[A] rows 0..3
1 Placeholder x
2 Output output 0:x
[B] rows 5..8
6 Placeholder y
7 Output output 0:y
[] rows 8..10
8 Placeholder z
9 Output output 0:z
",
    );
}

#[test]
fn the_title_is_what_pytorch_calls_the_graph() {
    for (text, title) in [
        (
            " ===== Forward graph 0 =====\n def forward(self):",
            Some("Forward graph 0"),
        ),
        (
            " __compiled_fn_0 x opcode name target args kwargs\n- - - - -\n",
            Some("__compiled_fn_0"),
        ),
        ("def forward(self):", None),
    ] {
        assert_eq!(FxGraph::parse(text).unwrap().title(), title, "{text}");
    }
}
