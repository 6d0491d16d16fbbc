use super::*;
use alloc::format;
use alloc::vec;
use proptest::prelude::*;

/// A failure as one line: kind, source, index, expected, actual.
fn line(failure: &GuardFailure) -> String {
    let mut line = String::from(failure.kind.name());
    for (name, value) in [
        ("", failure.source.clone()),
        ("at ", failure.index.map(|index| format!("{index}"))),
        ("expected ", failure.expected.clone()),
        ("actual ", failure.actual.clone()),
        ("class ", failure.class.clone()),
    ] {
        if let Some(value) = value {
            line.push_str(&format!(" | {name}{value}"));
        }
    }
    for state in &failure.state {
        line.push_str(&format!(" | {state:?}"));
    }
    line
}

/// One reason's entry and parts.
fn shown(text: &str) -> Vec<String> {
    reasons(text)
        .iter()
        .map(|reason| {
            let parts: Vec<_> = reason.parts.iter().map(line).collect();
            let entry = reason.entry.map(|id| format!("{id}: ")).unwrap_or_default();
            entry + &parts.join(" & ")
        })
        .collect()
}

fn check(guard: &str, expected: &str) {
    assert_eq!(shown(guard), [expected], "{guard}");
}

#[test]
fn messages_of_tensor_checks() {
    check(
        "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5",
        "0/0: size | x | at 0 | expected 4 | actual 5",
    );
    check(
        "tensor 'L['kwargs']['input_ids']' stride mismatch at index 1. expected 4, actual 1",
        "stride | kwargs['input_ids'] | at 1 | expected 4 | actual 1",
    );
    check(
        "2/1: tensor 'L['x']' dtype mismatch. expected Float, actual Double",
        "2/1: dtype | x | expected Float | actual Double",
    );
    check(
        "tensor 'x' rank mismatch. expected 2, actual 3",
        "rank | x | expected 2 | actual 3",
    );
    check(
        "tensor 'x' requires_grad mismatch. expected requires_grad=0",
        "requires_grad | x | expected False | actual True",
    );
    check(
        "tensor 'x' Tensor device index mismatch. Expected device index to be 0, actual 1",
        "device | x | expected 0 | actual 1",
    );
    check(
        "0/1: tensor 'L['x']' dispatch key set mismatch. expected DispatchKeySet(CPU, AutogradCPU), actual DispatchKeySet(CPU, AutocastCPU)",
        "0/1: dispatch keys | x | expected DispatchKeySet(CPU, AutogradCPU) | actual DispatchKeySet(CPU, AutocastCPU)",
    );
    check(
        "expected type of 'L['mask']' to be a tensor type, ' but found <class 'NoneType'>",
        "tensor type | mask | actual NoneType",
    );
    check(
        "26/0: expected type of 'L['x']' to be <class 'torch.Tensor'>, but found <class 'torch.nn.parameter.Parameter'>",
        "26/0: type | x | expected torch.Tensor | actual torch.nn.parameter.Parameter",
    );
    let parameter = "tensor 'self.w' size mismatch at index 0. expected 3, actual 4. Guard failed on a parameter, consider using torch._dynamo.config.force_parameter_static_shapes = False to allow dynamism on parameters.";
    check(parameter, "size | self.w | at 0 | expected 3 | actual 4");
    let hint = reasons(parameter)[0].parts[0].hint.clone().unwrap();
    assert!(hint.starts_with("consider using torch._dynamo.config.force_parameter_static_shapes"));
}

#[test]
fn messages_of_the_program_as_a_whole() {
    check(
        "0/2: GLOBAL_STATE changed: autocast(cpu)_enabled deterministic_algorithms ",
        "0/2: global state | Autocast | Deterministic",
    );
    check(
        "GLOBAL_STATE changed: grad_mode autocast_cache_enabled torch_function allow_tf32 num_threads default_dtype new_thing",
        "global state | GradMode | AutocastCache | TorchFunction | ReducedPrecision | NumThreads | DefaultDtype | Other",
    );
    check("___check_global_state()", "global state");
    check(
        "not ___is_grad_enabled()",
        "global state | expected False | GradMode",
    );
    check("___guarded_code.valid", "deallocated");
    check(
        "0/0: Cache line invalidated because L['___stack0'] got deallocated",
        "0/0: deallocated | ___stack0",
    );
    check(
        "0/0: BACKEND_MATCH failure: torch.compile detected different backend callables. Cached backend: <f at 1>. New backend: <g at 2>. If this is unexpected, a; b",
        "0/0: backend | expected <f at 1> | actual <g at 2>",
    );
    check(
        "0/0: Unexpected recompilation: runtime guards failed even though they passed during recompilation-reason analysis. Please; report",
        "0/0: unexpected",
    );
    check("Unable to find recompilation reasons", "not found");
}

#[test]
fn objects_that_are_printed_over_several_lines_are_one_guard() {
    // As 2.10 to 2.12 print them.
    let adam = "1/0: ___check_obj_id(args[0], 14), type=Adam (\nParameter Group 0\n    betas: (0.9, 0.999)\n    lr: 0.01\n)  # self = cast(Optimizer, self)  # optim/optimizer.py:508 in wrapper";
    let parameter = "2/1: ___check_obj_id(self.w, 15), type=Parameter containing:\ntensor([[ 0.8, -2.2],\n        [ 1.2, -1.7]], requires_grad=True)\nUser stack trace:\n  File \"/srv/demo/a.py\", line 3, in f\n    x + self.w";
    let shown_both = [
        "1/0: object | args[0] | expected 14 | class Adam",
        "2/1: object | self.w | expected 15 | class Parameter",
    ];
    assert_eq!(shown(&format!("{adam}\n{parameter}")), shown_both);
    let user = |text: &str| reasons(text)[0].parts[0].user.clone().unwrap();
    assert_eq!(user(adam).line, 508);
    assert_eq!(user(parameter).line, 3);
    let listed = serde_json::to_string(&[adam, parameter]).unwrap();
    assert_eq!(shown(&listed), shown_both);
    let message: Vec<String> = format!("{adam}\n{parameter}")
        .lines()
        .map(|line| format!("    - {line}"))
        .collect();
    let message = format!(
        "Recompiling function f in /a.py:3\n    triggered by the following guard failure(s):\n{}",
        message.join("\n")
    );
    assert_eq!(shown(&message), shown_both);
    // An object that takes one line, and one that does not end.
    assert_eq!(
        shown(
            "0/0: ___check_obj_id(a, 1), type=typing.List[int]\nb == 3\n1/0: ___check_obj_id(c, 2), type=Net(\n  (l): Linear(\n2/0: d == 4"
        ),
        [
            "0/0: object | a | expected 1 | class typing.List[int] & value | b | expected 3",
            "1/0: object | c | expected 2 | class Net",
            "2/0: value | d | expected 4",
        ]
    );
}

#[test]
fn marks_of_dimensions_and_shape_guards_in_cpp() {
    for (guard, expected) in [
        (
            "0/0: ((x._dynamo_dynamic_indices.issubset({0})) if hasattr(x, '_dynamo_dynamic_indices') else True)",
            "0/0: attribute | x | expected {0}",
        ),
        (
            "((getattr(L['b']['x'], '_dynamo_dynamic_indices', set()).issubset({0, 1})) if hasattr(L['b']['x'], '_dynamo_dynamic_indices') else True)  # f(x)  # srv/a.py:3 in f",
            "attribute | b['x'] | expected {0, 1}",
        ),
        (
            "((L['x']._dynamo_shape_ids == {0: 'b'}) if hasattr(L['x'], '_dynamo_shape_ids') else True)",
            "attribute | x | expected {0: 'b'}",
        ),
        (
            "0/1: _has_dynamo_dim_marking is present on runtime tensor but was absent at compile time",
            "0/1: attribute | expected False | actual True",
        ),
        (
            "_dynamo_static_indices should be absent but is present on runtime tensor",
            "attribute | expected False | actual True",
        ),
        (
            "_dynamo_unbacked_bounds expected {0: (2, 4)} but attribute is absent on runtime tensor",
            "attribute | expected True | actual False",
        ),
        (
            "_dynamo_dynamic_indices not a subset: runtime {0, 1} is not a subset of compiled {0}",
            "attribute | expected {0} | actual {0, 1}",
        ),
        (
            "Shape guard failed with values: 3,3,3,12",
            "shape | actual 3,3,3,12",
        ),
    ] {
        check(guard, expected);
    }
    let parted = "0/0: _dynamo_dynamic_indices not a subset: runtime {1} is not a subset of compiled {0}; x == 3";
    assert_eq!(reasons(parted)[0].parts.len(), 2);
}

#[test]
fn what_is_guarded_cannot_be_reached() {
    for (message, expected) in [
        ("14/4: TYPE_MISMATCH(d)", "14/4: type | d"),
        ("TYPE_MISMATCH(L['cfg']['a)'])", "type | cfg['a)']"),
        (
            "11/0: getattr failed on source f.__code__",
            "11/0: attribute | f | expected True",
        ),
        (
            "getattr failed on source L['self']._modules['a.b'].scale",
            "attribute | self._modules['a.b'] | expected True",
        ),
        (
            "KeyError on G['TABLE']['x[1]; y']",
            "contains | G['TABLE'] | expected True",
        ),
        ("KeyError on L['x']", "contains | x | expected True"),
        ("IndexError on L['xs'][2]", "length | xs"),
        ("IndexError TupleIteratorGetItemAccessor(2)", "length"),
        (
            "FuncDefaultsGuardAccessor: Not a function on f.__defaults__",
            "type | f",
        ),
        (
            "14/4: CodeGuardAccessor: Not a function on f.__code__",
            "14/4: type | f",
        ),
        ("null type dict on type(L['x'])", "type | type(x)"),
        ("Not a callable obj G['f']", "type | G['f']"),
        ("not a tensorL['x']", "tensor type | x"),
        (
            "not a tensor - grad field is accessed L['x'].grad",
            "tensor type | x",
        ),
        ("Not a weakref obj G['__w0']", "deallocated | G['__w0']"),
        ("Weakref_GetRef failed G['__w0']", "deallocated | G['__w0']"),
        (
            "expected type of 'x' to be a tensor type, but found a different type",
            "tensor type | x",
        ),
        ("3/0: len(L['d']) != 2", "3/0: length | d | expected 2"),
    ] {
        check(message, expected);
    }
}

#[test]
fn code_of_guards() {
    for (guard, expected) in [
        ("L['alpha'] == 0.1", "value | alpha | expected 0.1"),
        (
            "G['TABLE']['k'] == 1",
            "value | G['TABLE']['k'] | expected 1",
        ),
        (
            "L['mode'] == 'a == b # c'",
            "value | mode | expected 'a == b # c'",
        ),
        (
            "fn.__closure__[0].cell_contents == 0",
            "value | fn.__closure__[0].cell_contents | expected 0",
        ),
        (
            "___check_obj_id(L['self'].flag, 139)",
            "object | self.flag | expected 139",
        ),
        (
            "___check_obj_id(c, 140), type=<class '__main__.Color'>",
            "object | c | expected 140 | class __main__.Color",
        ),
        ("___check_type_id(L['xs'], 94)", "type | xs | expected 94"),
        (
            "___check_type_id(xs, 94), type=<class 'list'>",
            "type | xs | expected list | class list",
        ),
        ("mask is None", "none | mask | expected None"),
        ("L['mask'] is not None", "not none | mask"),
        ("L['a'] is L['b']", "not aliased | a | expected b"),
        (
            "Duplicate tensors found: [\"L['a']\", \"L['b']\"]",
            "aliased | a | actual b",
        ),
        (
            "Duplicate tensor found where not expected! L['b']should not alias to anything, but is aliased",
            "aliased | b",
        ),
        ("len(L['d']) != 1", "length | d | expected 1"),
        ("len(xs) == 3", "length | xs | expected 3"),
        ("not L['d']", "length | d | expected 0"),
        (
            "list(dict.keys(d))[0] == 'a'",
            "dict keys | d | at 0 | expected 'a'",
        ),
        (
            "list(L['d'].keys())[1] == 'a'",
            "dict keys | d | at 1 | expected 'a'",
        ),
        (
            "set(L['d'].keys()) == {'b', 'a'}",
            "dict keys | d | expected {'b', 'a'}",
        ),
        (
            "___key_to_id(L['self'].state) == [1,2]",
            "dict keys | self.state | expected [1,2]",
        ),
        (
            "not ___dict_contains('a', L['self'].__dict__)",
            "contains | self.__dict__ | expected False",
        ),
        (
            "hasattr(L['x'], '_dynamo_dynamic_indices') == False",
            "attribute | x | expected False",
        ),
        ("2 <= L['x'].size()[1] <= 10", "shape | x | at 1"),
        (
            "b.size()[0] == a.size()[0]",
            "shape | b | at 0 | expected a.size()[0]",
        ),
        ("Eq(Mod(L['x'].size()[0], 2), 0)", "shape | x | at 0"),
        ("L['k'] < 9", "shape | k"),
        (
            "utils_device.CURRENT_DEVICE == None",
            "global state | expected True | DefaultDevice",
        ),
        (
            "___tuple_iterator_len(L['it']) == 3",
            "length | it | expected 3",
        ),
        (
            "set.__contains__(L['s'], 'a')",
            "contains | s | expected True",
        ),
        (
            "not set.__contains__(G['SEEN'], 3)",
            "contains | G['SEEN'] | expected False",
        ),
        ("not math.isnan(L['n'])", "value | n"),
        ("___check_metadata_140138427953408_c15/0", "metadata"),
        ("__dtensor_spec_140138427953408", "metadata"),
        ("something else", "unknown"),
    ] {
        check(guard, expected);
    }
}

#[test]
fn what_stands_behind_a_guard() {
    let failure = &reasons("0/0: self.count == 0      # self.count += 1  # srv/demo/m.py:14 in forward (HINT: make it a tensor (or not).)\nUser stack trace:\n  File \"/srv/demo/m.py\", line 30, in run\n    m(x)\n  File \"/srv/demo/m.py\", line 14, in forward\n    self.count += 1")[0].parts[0];
    assert_eq!(failure.guard, "self.count == 0");
    let own = UserLine {
        file: "/srv/demo/m.py".into(),
        line: 14,
        function: "forward".into(),
        code: Some("self.count += 1".into()),
    };
    assert_eq!(failure.user, Some(own.clone()));
    assert_eq!(failure.stack.len(), 2);
    assert_eq!(failure.stack[1], own);
    assert_eq!(failure.hint.as_deref(), Some("make it a tensor (or not)."));

    let framework =
        &reasons("2 <= L['x'].size()[0]  # _dynamo/output_graph.py:430 in init_ambient_guards")[0]
            .parts[0];
    assert_eq!((&framework.user, &framework.hint), (&None, &None));

    let branch = &reasons("0/0: 4 <= x.size()[0] <= 49  # (_prims_common/__init__.py:484 in __lt__) and if x.shape[0] * 2 < 100:  # srv/d.py:25 in w (_dynamo/variables/tensor.py:3083 in evaluate_expr)")[0].parts[0];
    assert_eq!(
        branch.user.as_ref().unwrap().code.as_deref(),
        Some("if x.shape[0] * 2 < 100:")
    );
    assert_eq!(branch.user.as_ref().unwrap().function, "w");

    let zero_one = &reasons(
        "2 <= x.size()[0] <= 10  # if x.shape[0] > 10:  # srv/d.py:13 in g (user code shown is first use of this value--the guard itself is not due user code but due to 0/1 specialization in the framework; to avoid specialization try torch._dynamo.decorators.mark_unbacked(tensor, dim)) and if x.shape[0] > 10:  # srv/d.py:13 in g (_dynamo/variables/tensor.py:3083 in evaluate_expr)",
    );
    assert_eq!(zero_one[0].parts.len(), 1);
    assert!(
        zero_one[0].parts[0]
            .hint
            .as_ref()
            .unwrap()
            .ends_with("mark_unbacked(tensor, dim)")
    );

    let duck = &reasons("b.size()[0] == a.size()[0]  # duck sizing added this equality because these variables had the same size 8 (to avoid this specialization, set torch.fx.experimental._config.use_duck_shape = False)")[0].parts[0];
    assert!(duck.hint.as_ref().unwrap().starts_with("duck sizing"));
}

#[test]
fn joined_parts_are_split_outside_of_quotes_and_source_lines() {
    assert_eq!(
        shown("0/0: L['s'] == 'a; b # c'   ; L['n'] == 2  # f(x); g(x)  # a.py:3 in f; tensor 'L['x; y']' rank mismatch. expected 1, actual 2; len(L['d']) == 1"),
        ["0/0: value | s | expected 'a; b # c' & value | n | expected 2 & rank | x; y | expected 1 | actual 2 & length | d | expected 1"]
            .map(|line| line.replace("x; y", "L['x; y']"))
    );
}

#[test]
fn all_forms_say_the_same() {
    let expected = vec![
        "0/1: size | x | at 0 | expected 3 | actual 4",
        "0/0: value | n | expected 2",
    ];
    let list = r#"["0/1: tensor 'x' size mismatch at index 0. expected 3, actual 4", "0/0: n == 2   # return x*n  # x.py:3 in f\nUser stack trace:\n  File \"/x.py\", line 3, in f\n    return x*n"]"#;
    assert_eq!(shown(list), expected);
    let message = "Recompiling function f in /x.py:2\n    triggered by the following guard failure(s):\n    - 0/1: tensor 'x' size mismatch at index 0. expected 3, actual 4\n    - 0/0: n == 2    # return x*n  # x.py:3 in f\n    - User stack trace:\n    -   File \"/x.py\", line 3, in f\n    -     return x*n";
    assert_eq!(shown(message), expected);
    assert_eq!(reasons(message), reasons(list));
    let verbose = message
        .replace("    - 0/1", "    guard 0 failures:\n    - 0/1")
        .replace("    - 0/0", "\n    guard 1 failures:\n    - 0/0");
    assert_eq!(reasons(&verbose), reasons(list));
    let lone = "0/0: n == 2   # return x*n  # x.py:3 in f\nUser stack trace:\n  File \"/x.py\", line 3, in f\n    return x*n";
    assert_eq!(reasons(lone), reasons(list)[1..]);
    assert_eq!(
        shown(
            "('Recompiling function f in /x.py:2', \"triggered by the following guard failure: L['s'] == 'it\\\\'s'\")"
        ),
        ["value | s | expected 'it\\'s'"]
    );
    assert_eq!(
        shown(
            "('Recompiling function f in /x.py:2', 'set env var TORCHDYNAMO_REPORT_GUARD_FAILURES=1 to debug further')"
        ),
        ["not reported"]
    );
    assert_eq!(
        shown(
            "torch._dynamo hit config.recompile_limit (8)\n   function: 'f' (/x.py:5)\n   last reason: 0/7: tensor 'x' rank mismatch. expected 9, actual 1\nTo log all recompilation reasons, use TORCH_LOGS=\"recompiles\"."
        ),
        ["0/7: rank | x | expected 9 | actual 1"]
    );
}

#[test]
fn the_warning_at_the_limit_has_one_reason_or_none() {
    let hit = "torch._dynamo hit config.cache_size_limit (3)\n   function: 'g' (/wl2.py:35)\n";
    let url = "to diagnose recompilation issues, see https://pytorch.org/docs/master/dynamo/troubleshooting.html.";
    assert_eq!(
        shown(&format!("{hit}   reasons:  s == 's'\n{url}")),
        ["value | s | expected 's'"]
    );
    assert_eq!(shown(&format!("{hit}{url}")), Vec::<String>::new());
}

#[test]
fn before_ids_lines_are_reasons_and_groups_are_parts() {
    let message = "Recompiling function f in /x.py:2\n    triggered by the following guard failure(s):\n    - len(L['d']) == 1        \n    - L['k'] == 2   ";
    assert_eq!(
        shown(message),
        ["length | d | expected 1", "value | k | expected 2"]
    );
    let verbose = message.replace("    - len", "    guard 0 failures:\n    - len");
    assert_eq!(
        shown(&verbose),
        ["length | d | expected 1 & value | k | expected 2"]
    );
}

#[test]
fn lists_that_stop_or_hold_other_things_give_what_is_whole() {
    assert_eq!(
        shown(r#"["0/0: a == 1", "0/1: b ="#),
        ["0/0: value | a | expected 1"]
    );
    assert_eq!(
        shown(r#"["0/0: a == 1", 7, null]"#),
        ["0/0: value | a | expected 1"]
    );
    assert_eq!(shown("[]"), Vec::<String>::new());
    assert_eq!(
        shown("[\"0/0: a == 1\"] rest"),
        ["0/0: value | a | expected 1"]
    );
    assert_eq!(shown("[x] rest"), ["unknown"]);
    assert_eq!(shown(""), Vec::<String>::new());
}

#[test]
fn headings_name_function_and_place() {
    for text in [
        "Recompiling function <resume in forward> in /a in b/x.py:12\n  triggered",
        "('Recompiling function <resume in forward> in /a in b/x.py:12', 'set env')",
    ] {
        let heading = heading(text).unwrap();
        assert_eq!(
            (heading.function, heading.file, heading.line),
            ("<resume in forward>", "/a in b/x.py", 12)
        );
    }
    assert_eq!(heading("Recompiling"), None);
}

proptest! {
    #[test]
    fn any_text_gives_a_value(text in "\\PC*") {
        let _ = (reasons(&text), heading(&text));
    }

    #[test]
    fn texts_of_reasons_give_values_with_their_guards(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "0/1: ", "tensor '", "' size mismatch at index ", ". expected ", ", actual ", "; ", "  # ",
                "L['x']", "L[", "'", "\"", "(", ")", "[", "]", " == ", "not ", "len(", ".size()[", "\n",
                "User stack trace:", "\n  File \"", "\", line 3, in f", "a.py:3 in f", " in ", ":1", "(HINT: ",
                "))", "\\", "- ", "guard 0 failures:", "('Recompiling function f in /x.py:2', ", "[\"", "é",
                "triggered by the following guard failure(s):\n", "GLOBAL_STATE changed: ", "___check_obj_id(",
                "Duplicate tensors found: [", "expected type of '", ".keys()", "{", "}", " is None",
            ]),
            0..24,
        )
    ) {
        let text = words.concat();
        for reason in reasons(&text) {
            for failure in reason.parts {
                prop_assert!(!failure.guard.is_empty() || failure.kind == GuardFailureKind::Unknown);
            }
        }
        let _ = heading(&text);
    }
}

#[test]
fn hostile_texts_take_time_in_proportion_to_their_length() {
    for piece in [
        "; ",
        "  # ",
        " in ",
        "L['",
        "tensor '; ",
        "a  # b; ",
        "('",
        "0/0: ",
        "\n",
        "(",
        "\\'",
        "x  # a:1 in f; ",
    ] {
        let text = piece.repeat((1 << 20) / piece.len());
        assert!(reasons(&text).len() <= text.len());
    }
}
