use super::ways::in_common;
use super::*;
use alloc::string::ToString;

fn shown(groups: &Groups) -> Vec<String> {
    let depth = |group: &Group| {
        let mut depth = 0;
        let mut next = group.parent;
        while let Some(parent) = next {
            depth += 1;
            next = groups.get(parent).and_then(|group| group.parent);
        }
        depth
    };
    let all = groups.groups.iter().map(|group| {
        let name = match &group.name {
            Name::Module(path) => path.clone(),
            Name::Function {
                file,
                function,
                lines,
            } => {
                let (first, last) = lines.unwrap_or_default();
                format!(
                    "{file}:{first}-{last} {}",
                    function.as_deref().unwrap_or("?")
                )
            }
            Name::Line { line, .. } => format!("line {line}"),
            Name::Repeated(ends) => {
                format!("{:?}", ends.0).chars().take(0).collect::<String>() + "repeated"
            }
        };
        let times = if group.times > 1 {
            format!(" × {}", group.times)
        } else {
            String::new()
        };
        format!(
            "{}{name}{times}: {}",
            "  ".repeat(depth(group)),
            group.nodes.len()
        )
    });
    all.collect()
}

fn groups(text: &str) -> Groups {
    Groups::of(&FxGraph::parse(text).unwrap(), 0)
}

/// A model of layers, each of which takes a weight.
fn layers(count: usize) -> String {
    let mut arguments = "self, L_x_: \"f32[8, 8]\"".to_string();
    let mut body = String::new();
    for layer in 0..count {
        let weight = |name: &str| {
            format!("L_self_modules_layers_modules_{layer}_modules_{name}_parameters_weight_")
        };
        arguments += &format!(
            ", {}: \"f32[8, 8]\", {}: \"f32[8, 8]\"",
            weight("up"),
            weight("down")
        );
        body += &format!(
            "        up_{layer}: \"f32[8, 8]\" = torch._C._nn.linear(x_{layer}, {})\n        act_{layer}: \"f32[8, 8]\" = torch.relu(up_{layer})\n        down_{layer}: \"f32[8, 8]\" = torch._C._nn.linear(act_{layer}, {})\n        x_{}: \"f32[8, 8]\" = x_{layer} + down_{layer}\n",
            weight("up"),
            weight("down"),
            layer + 1
        );
    }
    format!(
        "class GraphModule(torch.nn.Module):\n    def forward({arguments}):\n        x_0: \"f32[8, 8]\" = torch.sin(L_x_)\n{body}        return (x_{count},)\n"
    )
}

#[test]
fn layers_of_a_model_are_one_block_repeated() {
    let groups = groups(&layers(24));
    let shown = shown(&groups);
    assert_eq!(shown[0], "layers: 95");
    assert_eq!(shown[1], "  repeated × 23: 92");
    assert!(shown.iter().any(|line| line == "    0: 4"));
}

#[test]
fn without_modules_functions_and_lines_are_groups() {
    let groups = groups(
        "class GraphModule(torch.nn.Module):
    def forward(self, x: \"f32[4]\"):
         # File: /srv/a.py:3 in f, code: y = x.sin() + 1
        sin: \"f32[4]\" = torch.ops.aten.sin.default(x)
        add: \"f32[4]\" = torch.ops.aten.add.Tensor(sin, 1)

         # File: /srv/a.py:4 in f, code: z = y.cos() * 2
        cos: \"f32[4]\" = torch.ops.aten.cos.default(add)
        mul: \"f32[4]\" = torch.ops.aten.mul.Tensor(cos, 2)

         # File: /srv/b.py:9 in g, code: return z.exp()
        exp: \"f32[4]\" = torch.ops.aten.exp.default(mul)
        return (exp,)
",
    );
    assert_eq!(
        shown(&groups),
        ["/srv/a.py:3-4 f: 4", "  line 3: 2", "  line 4: 2"]
    );
    assert_eq!(groups.holders(1), [0, 1]);
    assert!(groups.holders(5).is_empty());
}

#[test]
fn calls_of_one_function_are_one_block_repeated() {
    let mut text =
        "class GraphModule(torch.nn.Module):\n    def forward(self, v0: \"f32[4]\"):\n".to_string();
    for call in 0..5 {
        for line in [3, 4, 5] {
            let node = call * 3 + line - 3;
            text += &format!(
                "         # File: /srv/a.py:{line} in f, code: x = x.sin()\n        v{}: \"f32[4]\" = torch.ops.aten.sin.default(v{node})\n\n",
                node + 1
            );
        }
    }
    text += "        return (v15,)\n";
    assert_eq!(
        shown(&groups(&text)),
        [
            "repeated × 5: 15",
            "  /srv/a.py:3-5 f: 3",
            "  /srv/a.py:3-5 f: 3",
            "  /srv/a.py:3-5 f: 3",
            "  /srv/a.py:3-5 f: 3",
            "  /srv/a.py:3-5 f: 3"
        ]
    );
}

#[test]
fn what_is_written_at_the_end_belongs_where_it_was_computed() {
    let groups = groups(
        "class GraphModule(torch.nn.Module):
    def forward(self, mean: \"f32[4]\", x: \"f32[4]\"):
         # File: /srv/a.py:3 in f, code: x = bn(x)
        mul: \"f32[4]\" = torch.ops.aten.mul.Tensor(mean, 0.9)
        sin: \"f32[4]\" = torch.ops.aten.sin.default(x)
        add: \"f32[4]\" = torch.ops.aten.add.Tensor(mul, sin)
         # File: /srv/a.py:4 in f, code: x = relu(x)
        relu: \"f32[4]\" = torch.ops.aten.relu.default(sin)
        cos: \"f32[4]\" = torch.ops.aten.cos.default(relu)
         # File: /srv/a.py:3 in f, code: x = bn(x)
        squeeze: \"f32[4]\" = torch.ops.aten.squeeze.default(sin)
        unsqueeze: \"f32[4]\" = torch.ops.aten.unsqueeze.default(squeeze)
        # No stacktrace found for following nodes
        copy_: \"f32[4]\" = torch.ops.aten.copy_.default(mean, add)
        return (cos, unsqueeze)
",
    );
    assert_eq!(
        shown(&groups),
        ["/srv/a.py:3-4 f: 5", "  line 3: 3", "  line 4: 2"]
    );
    // The mean, the multiplication, both halves of line 3, and what is written back into the mean.
    let line = Some(1);
    assert_eq!(
        groups.of,
        [
            line,
            line,
            line,
            line,
            line,
            Some(2),
            Some(2),
            line,
            line,
            line,
            None
        ]
    );
}

#[test]
fn a_loop_over_one_line_is_no_appendix() {
    let mut text =
        "class GraphModule(torch.nn.Module):\n    def forward(self, v0: \"f32[4]\"):\n".to_string();
    for step in 0..6 {
        text += &format!(
            "         # File: /srv/a.py:3 in f, code: x = x.sin()\n        v{}: \"f32[4]\" = torch.ops.aten.sin.default(v{})\n        u{step}: \"f32[4]\" = torch.ops.aten.cos.default(v{})\n         # File: /srv/a.py:4 in f, code: out.append(x * 2)\n        o{step}: \"f32[4]\" = torch.ops.aten.mul.Tensor(v{}, 2)\n        p{step}: \"f32[4]\" = torch.ops.aten.add.Tensor(o{step}, 2)\n\n",
            step + 1,
            step,
            step + 1,
            step + 1
        );
    }
    text += "        return (u5, p0, p1, p2, p3, p4, p5)\n";
    let groups = groups(&text);
    // The first step takes what the graph is given.
    assert!(shown(&groups).contains(&"repeated × 5: 20".to_string()));
    // Each step holds its own nodes.
    assert_ne!(groups.holders(1).get(1), groups.holders(5).get(1));
}

#[test]
fn what_stands_between_items_belongs_to_the_one_before() {
    assert_eq!(in_common("layer1.0.bn2", "layer1.1.conv1"), "layer1.0");
    assert_eq!(
        in_common("layers.0.attn.q", "layers.0.attn.out"),
        "layers.0.attn"
    );
    assert_eq!(in_common("stem", "head"), "");
}

#[test]
fn groups_are_nested_and_hold_what_they_say() {
    let groups = groups(&layers(6));
    for (id, group) in (0..).zip(&groups.groups) {
        assert!(group.nodes.len() > 1);
        assert!(group.parent.is_none_or(|parent| parent < id));
        let parent = group.parent.and_then(|parent| groups.get(parent));
        assert!(
            parent.is_none_or(|parent| parent.nodes.start <= group.nodes.start
                && group.nodes.end <= parent.nodes.end)
        );
        for place in group.nodes.clone() {
            assert!(groups.holders(place).contains(&id));
        }
    }
}

#[test]
fn inputs_belong_where_all_of_their_users_are() {
    let text = layers(6);
    let graph = FxGraph::parse(text).unwrap();
    let groups = Groups::of(&graph, 0);
    for (place, (_, node)) in (0..).zip(graph.nodes_of(0)) {
        if graph
            .name(node)
            .starts_with("L_self_modules_layers_modules_0")
            || graph
                .target(node)
                .starts_with("L_self_modules_layers_modules_0")
        {
            let user = graph.users(place).next().unwrap().1.to;
            assert_eq!(groups.holders(place), groups.holders(user));
        }
    }
}
