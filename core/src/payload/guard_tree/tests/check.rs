//! What guards mean, and which are the same.

use super::super::*;
use alloc::string::ToString;
use alloc::vec;

#[test]
fn every_form_has_its_reading() {
    let source = "L['x']";
    let cases = [
        (
            "EQUALS_MATCH",
            "L['x'] == (1, 2)",
            Check::Equals {
                source,
                value: "(1, 2)",
            },
        ),
        (
            "",
            "L['x'] == 'a == b'",
            Check::Equals {
                source,
                value: "'a == b'",
            },
        ),
        (
            "TYPE_MATCH",
            "___check_type_id(L['x'], 94)",
            Check::Type {
                source,
                id: "94",
                name: None,
                fake_script: false,
            },
        ),
        (
            "FAKE_SCRIPT_TYPE_MATCH",
            "___check_fake_script_type(L['x'], 9), type=<class 'G'>",
            Check::Type {
                source,
                id: "9",
                name: Some("<class 'G'>"),
                fake_script: true,
            },
        ),
        (
            "LENGTH_CHECK",
            "len(L['x']) == 3",
            Check::Length {
                source,
                length: "3",
            },
        ),
        (
            "LENGTH_CHECK",
            "not L['x']",
            Check::Length {
                source,
                length: "0",
            },
        ),
        (
            "DICT_LENGTH",
            "not L['x']",
            Check::DictLength {
                source,
                length: "0",
            },
        ),
        (
            "DICT_CONTAINS",
            "not ___dict_contains('a, b', L['x'])",
            Check::DictContains {
                source,
                key: "'a, b'",
                is_in: false,
            },
        ),
        (
            "SET_CONTAINS",
            "set.__contains__(L['x'], 1)",
            Check::SetContains {
                source,
                item: "1",
                is_in: true,
            },
        ),
        (
            "MAPPING_KEYS_MATCH",
            "list(L['x'].keys()) == ['a']",
            Check::MappingKeys {
                source,
                keys: "['a']",
            },
        ),
        (
            "",
            "list(dict.keys(L['x'])) == ['a']",
            Check::MappingKeys {
                source,
                keys: "['a']",
            },
        ),
        ("NONE_MATCH", "L['x'] is None", Check::None { source }),
        ("NOT_NONE", "L['x'] is not None", Check::NotNone { source }),
        (
            "NOT_NONE",
            "G['w']() is not None",
            Check::WeakrefAlive { source: "G['w']()" },
        ),
        (
            "FALSE_MATCH",
            "L['x'] == False",
            Check::Bool {
                source,
                value: false,
            },
        ),
        (
            "NO_HASATTR",
            "not hasattr(L['x'], 'a')",
            Check::HasAttr {
                source,
                attribute: "a",
                present: false,
            },
        ),
        (
            "NO_HASATTR",
            "hasattr(L['x'], 'a') == False",
            Check::HasAttr {
                source,
                attribute: "a",
                present: false,
            },
        ),
        (
            "",
            "hasattr(L['x'], 'a')",
            Check::HasAttr {
                source,
                attribute: "a",
                present: true,
            },
        ),
        (
            "NO_TENSOR_ALIASING",
            "check_no_aliasing(L['x'], L['y'][0])",
            Check::NoAliasing {
                sources: vec![source, "L['y'][0]"],
            },
        ),
        (
            "OBJECT_ALIASING",
            "L['x'] is L['y']",
            Check::ObjectAliasing {
                a: source,
                b: "L['y']",
            },
        ),
        (
            "LAMBDA_GUARD",
            "L['x'] is L['y']",
            Check::ObjectAliasing {
                a: source,
                b: "L['y']",
            },
        ),
        (
            "GLOBAL_STATE",
            "___check_global_state()",
            Check::GlobalState { against: None },
        ),
        (
            "GLOBAL_STATE",
            "___check_global_state() against {}",
            Check::GlobalState {
                against: Some("{}"),
            },
        ),
        (
            "",
            "not ___are_deterministic_algorithms_enabled()",
            Check::Setting {
                name: "are_deterministic_algorithms_enabled",
                on: false,
            },
        ),
        (
            "",
            "___check_current_backend(14)",
            Check::Backend { id: "14" },
        ),
        (
            "",
            "(___skip_backend_check() or ___current_backend() == ___lookup_backend(14))",
            Check::Backend { id: "14" },
        ),
        (
            "LAMBDA_GUARD",
            "___check_metadata_140138427953408_c15/0",
            Check::Metadata,
        ),
        ("LAMBDA_GUARD", "__dtensor_spec_14", Check::Metadata),
        (
            "TORCH_FUNCTION_MODE_STACK",
            "___check_torch_function_mode_stack()",
            Check::TorchFunctionModeStack,
        ),
        (
            "DEFAULT_DEVICE",
            "utils_device.CURRENT_DEVICE == None",
            Check::DefaultDevice { device: "None" },
        ),
        (
            "DYNAMIC_INDICES",
            "((L['x']._d.issubset({0})) if hasattr(L['x'], '_d') else True)",
            Check::DynamicIndices {
                source,
                attribute: "_d",
                indices: "{0}",
            },
        ),
        (
            "DIMENSION_DYNAMIC_MARKING_GUARD",
            "((getattr(L['x'], '_d', set()).issubset({0})) if hasattr(L['x'], '_d') else True)",
            Check::DynamicIndices {
                source,
                attribute: "_d",
                indices: "{0}",
            },
        ),
        (
            "DIMENSION_DYNAMIC_MARKING_GUARD",
            "((getattr(L['x'], '_r', None) == None) if hasattr(L['x'], '_d') else True)",
            Check::DynamicMark {
                source,
                attribute: "_r",
                value: "None",
            },
        ),
        (
            "RANGE_ITERATOR_MATCH",
            "___normalize_range_iter(L['x']) == (0, 3, 1)",
            Check::RangeIterator {
                source,
                range: "(0, 3, 1)",
            },
        ),
        (
            "TUPLE_ITERATOR_LEN",
            "___tuple_iterator_len(L['x']) == 2",
            Check::TupleIteratorLen {
                source,
                length: "2",
            },
        ),
        (
            "DISPATCH_KEY_SET_MATCH",
            "L['x'].raw_repr() == DispatchKeySet(CPU).raw_repr()",
            Check::DispatchKeySet {
                source,
                keys: "DispatchKeySet(CPU)",
            },
        ),
        (
            "DICT_VERSION",
            "___dict_version(L['x']) == 7",
            Check::DictVersion {
                source,
                version: "7",
            },
        ),
        (
            "DATA_PTR_MATCH",
            "L['x'].data_ptr() == 7",
            Check::DataPtr {
                source,
                address: "7",
            },
        ),
        (
            "DUAL_LEVEL_MATCH",
            "torch.autograd.forward_ad._current_level == -1",
            Check::DualLevel { level: "-1" },
        ),
        (
            "FLOAT_IS_NAN",
            "(type(L['x']) is float and __math_isnan(L['x']))",
            Check::IsNan {
                source,
                is_nan: true,
            },
        ),
        (
            "LAMBDA_GUARD",
            "not math.isnan(L['x'])",
            Check::IsNan {
                source,
                is_nan: false,
            },
        ),
        (
            "LAMBDA_GUARD",
            "Eq(Mod(L['x'].size()[0], 2), 0)",
            Check::ShapeGuard {
                expression: "Eq(Mod(L['x'].size()[0], 2), 0)",
            },
        ),
        (
            "",
            "L['x'].size()[0] == L['y'].size()[0]",
            Check::ShapeGuard {
                expression: "L['x'].size()[0] == L['y'].size()[0]",
            },
        ),
        (
            "LAMBDA_GUARD",
            "__another_check_14",
            Check::Other {
                code: "__another_check_14",
            },
        ),
        ("", "", Check::Other { code: "" }),
    ];
    for (class, code, expected) in cases {
        let class = Some(class).filter(|class| !class.is_empty());
        assert_eq!(Check::read(class, code, None), expected, "{code}");
    }
}

#[test]
fn tensors_are_read_whole() {
    let code = "check_tensor(L['x'], Parameter, DispatchKeySet(CPU, AutogradCPU), torch.float32, \
                device=0, requires_grad=True, size=[4, None], stride=[None, 1])";
    let expected = Check::TensorMatch {
        source: "L['x']",
        class: "Parameter",
        dispatch_keys: vec!["CPU", "AutogradCPU"],
        dtype: "torch.float32",
        device: Some("0"),
        requires_grad: Some(true),
        size: vec![Some(4), None],
        stride: vec![None, Some(1)],
    };
    assert_eq!(Check::read(Some("TENSOR_MATCH"), code, None), expected);
    let scalar = code
        .replace("[4, None]", "[]")
        .replace("device=0", "device=None");
    assert!(matches!(
        Check::read(None, &scalar, None),
        Check::TensorMatch { device: None, size, .. } if size.is_empty()
    ));
}

#[test]
fn ids_addresses_and_scopes_are_no_difference() {
    let read = |code| Check::read(None, code, None);
    let same = [
        ("___check_type_id(L['x'], 94)", "___check_type_id(x, 95)"),
        (
            "___check_obj_id(L['x'], 140)",
            "___check_obj_id(L[\"x\"], 141)",
        ),
        (
            "___check_obj_id(G['f'], 1), type=<function f at 0x7f65e290ffb0>",
            "___check_obj_id(G['f'], 2), type=<function f at 0x7f65e290aaa0>",
        ),
        ("Ne(s0, 2) and s0 < s1", "Ne(s77, 2) and s77 < s5"),
        (
            "G['__optimizer_140135143880272_140135145614176_c4']() is not None",
            "G['__optimizer_139692772382160_139692772384640_c6']() is not None",
        ),
        (
            "len(G['__builtins_dict___1']) == 3",
            "len(G['__builtins_dict___12']) == 3",
        ),
        (
            "___dict_version(L['x']) == 7",
            "___dict_version(L['x']) == 8",
        ),
    ];
    for (a, b) in same {
        assert!(read(a).same_as(&read(b)), "{a}");
    }
    let different = [
        ("L['x'] == 1", "L['x'] == 1073741824"),
        ("L['x'] == 1", "L['y'] == 1"),
        ("L['s0'].size()[0] == 1", "L['s1'].size()[0] == 1"),
        ("hasattr(L['x'], 'a')", "hasattr(L['x'], 'b')"),
        ("hasattr(L['x'], 'a')", "not hasattr(L['x'], 'a')"),
        ("L['x'] == 140735340871", "L['x'] == 140735340872"),
    ];
    for (a, b) in different {
        assert!(!read(a).same_as(&read(b)), "{a}");
    }
}

#[test]
fn sources_are_normalised() {
    let cases = [
        ("L['x']", "x"),
        (
            "L['self']._modules['0'].weight",
            "self._modules['0'].weight",
        ),
        ("L['a b']", "a b"),
        ("MODEL['x']", "MODEL['x']"),
        ("G['x']", "G['x']"),
        ("L[0]", "L[0]"),
        ("L['x", "L['x"),
        ("L['it\\'s']", "it\\'s"),
        ("L['ä'].ö", "ä.ö"),
        ("x['k12345678901']", "x['k#']"),
    ];
    for (source, expected) in cases {
        assert_eq!(normalise_source(source), expected);
    }
    let shape = Check::read(None, "8*(L['x'].size()[0]) <= L['y'].stride()[1]", None);
    assert_eq!(shape.source(), Some("L['x'].size()[0]"));
    assert_eq!(Field::Size(1).to_string(), "size at dim 1");
}

#[test]
fn settings_of_the_process_are_fields() {
    let code = "___check_global_state() against {\"grad_mode\":true,\"autocast_state\":{\"dtype\":[1, 2]}}";
    let fields = Check::read(None, code, None).fields();
    let shown: Vec<_> = fields
        .iter()
        .map(|(field, value)| (field.to_string(), value.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            ("grad_mode".to_string(), "true"),
            ("autocast_state.dtype".to_string(), "[1, 2]")
        ]
    );
}
