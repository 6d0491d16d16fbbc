//! Small texts of every form, and any text at all.

mod check;
mod hostile;
mod properties;

use super::*;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;

const TREE: &str = "
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- DEFAULT_DEVICE: utils_device.CURRENT_DEVICE == None                           # _dynamo/output_graph.py:1222 in init_ambient_guards
| +- GuardManager: source=L['d'], accessed_by=FrameLocalsGuardAccessor(key='d', framelocals_idx=0), type=<class 'dict'>, tag_safe=(True, False)
| | +- DICT_LENGTH: len(L['d']) == 1                                              # return d['a  # b']  # x.py:5 in f
| | +- KeyValueManager pair at index=0
| | | +- KeyManager: GuardManager: source=list(dict.keys(L['d']))[0]
| | | | +- EQUALS_MATCH: list(dict.keys(L['d']))[0] == 'a  # b'
| | | +- ValueManager: DictGuardManager: source=L['d']['a  # b']
| | | | +- TYPE_MATCH: ___check_type_id(L['d']['a  # b'], 94), type=<class 'dict'>  # <unknown> (HINT: type dict)
| +- GuardManager: source=G, accessed_by=GlobalsGuardAccessor
| | +- NO_TENSOR_ALIASING
+- LAMBDA_GUARD: 2 <= L['x'].size()[0]  # return x + 1  # /a b/x.py:7 in <resume in f> (user code shown is first use of this value--the guard itself is not due user code but due to 0/1 specialization in the framework; to avoid specialization try torch._dynamo.decorators.mark_unbacked(tensor, dim))

Guard latency = 103.25 us";

/// Reads a text, and sees that nothing is lost.
fn read(text: &str) -> GuardTree {
    let tree = GuardTree::parse(text).unwrap();
    assert_eq!(tree.to_string(), text);
    tree
}

fn leaf(tree: &GuardTree, index: NodeIndex) -> &Leaf {
    match &tree.node(index).unwrap().kind {
        Kind::Leaf(leaf) => leaf,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tree_is_read_with_its_levels() {
    let tree = read(TREE);
    assert_eq!(tree.problems().next(), None);
    assert_eq!(tree.roots().collect::<Vec<_>>(), [0, 11]);
    assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 2, 9]);
    assert_eq!(tree.children(2).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(tree.children(4).collect::<Vec<_>>(), [5, 7]);
    assert_eq!(tree.children(11).count(), 0);
    assert_eq!(tree.node(8).unwrap().parent, Some(7));
    assert_eq!(tree.node(8).unwrap().line, 11);
    assert_eq!(tree.latency(), Some(103.25));
    let Kind::Manager(manager) = &tree.node(2).unwrap().kind else {
        panic!();
    };
    let accessor = manager.accessor.as_ref().unwrap();
    assert_eq!(tree.text(manager.source.unwrap()), "L['d']");
    assert_eq!(tree.text(accessor.name), "FrameLocalsGuardAccessor");
    assert_eq!(
        tree.text(accessor.argument.unwrap()),
        "key='d', framelocals_idx=0"
    );
    let object = manager.object.as_ref().unwrap();
    assert_eq!(tree.text(object.pytype), "<class 'dict'>");
    assert_eq!((object.tag_safe, object.tag_safe_root), (true, false));
    let roles: Vec<Role> = tree
        .nodes()
        .iter()
        .filter_map(|node| match &node.kind {
            Kind::Manager(manager) => Some(manager.role),
            _ => None,
        })
        .collect();
    let other = Role::Object;
    assert_eq!(roles, [other, other, Role::Key, Role::Value, other]);
}

#[test]
fn trailers_are_taken_apart() {
    let tree = read(TREE);
    let trailer = |index| leaf(&tree, index).trailer.as_ref().unwrap();
    let frame = |index| {
        let frame = trailer(index).frame.as_ref().unwrap();
        let (file, function) = (tree.text(frame.file), tree.text(frame.function));
        (file, frame.line, function)
    };
    assert_eq!(
        frame(1),
        ("_dynamo/output_graph.py", 1222, "init_ambient_guards")
    );
    assert_eq!(trailer(1).source, None);
    assert_eq!(tree.origin(1), Origin::Framework);
    // A separator within the program's line.
    assert_eq!(tree.text(trailer(3).source.unwrap()), "return d['a  # b']");
    assert_eq!(frame(3), ("x.py", 5, "f"));
    assert_eq!(tree.origin(3), Origin::User);
    // A separator within the code.
    assert_eq!(leaf(&tree, 6).trailer, None);
    assert_eq!(
        tree.code(6).unwrap(),
        "list(dict.keys(L['d']))[0] == 'a  # b'"
    );
    let note = trailer(8).note.unwrap();
    assert_eq!(tree.note_kind(note), NoteKind::Unknown);
    assert_eq!(tree.text(leaf(&tree, 8).hint.unwrap()), "type dict");
    assert_eq!(tree.origin(8), Origin::Unknown);
    assert_eq!(frame(11), ("/a b/x.py", 7, "<resume in f>"));
    let note = trailer(11).note.unwrap();
    assert_eq!(tree.note_kind(note), NoteKind::ZeroOneSpecialization);
}

#[test]
fn guards_are_counted() {
    let tree = read(TREE);
    let statistics = tree.statistics();
    assert_eq!((statistics.leaves, statistics.managers), (6, 5));
    assert_eq!((statistics.from_user, statistics.depth), (2, 4));
    assert_eq!(statistics.by_class.len(), 6);
    assert_eq!(tree.caused_by_user().collect::<Vec<_>>(), [3, 11]);
    let largest = tree.largest(2);
    assert_eq!(
        largest,
        [
            Subtree { node: 0, leaves: 5 },
            Subtree { node: 2, leaves: 3 }
        ]
    );
}

#[test]
fn a_list_is_read() {
    let tree = read(
        "GUARDS:\n\
         ___check_type_id(L['x'], 94834370481168)                       # return x + y  # x.py:5 in f\n\
         hasattr(L['x'], '_dynamo_dynamic_indices') == False           \n\
         2 <= L['x'].size()[0]\r\n",
    );
    assert_eq!(tree.leaves().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(tree.class(2), Some("SHAPE_ENV"));
    assert_eq!(tree.origin(0), Origin::User);
    // Without its heading, by what the lines look like.
    let tree = read("L['n'] == 2   # return n  # x.py:3 in f\nwho knows\n");
    assert_eq!(tree.leaves().count(), 1);
    assert_eq!(tree.problems().collect::<Vec<_>>(), [(2, "who knows")]);
}

#[test]
fn blocks_of_2_0_are_read() {
    let tree = read(
        "GUARDS:\n - \n            local 'x' TENSOR_MATCH\n            {\n                \
         'guard_types': ['TENSOR_MATCH'],\n                'code': None,\n                \
         'obj_weakref': <weakref at 0x7f65e290ffb0; to 'Tensor' at 0x7f65e28a85e0>\n                \
         'guarded_class': <weakref at 0x7f664873f3d0>\n            }\n            \n",
    );
    assert_eq!(tree.problems().next(), None);
    assert_eq!(tree.leaves().count(), 1);
    assert_eq!(
        tree.check(0),
        Some(Check::Named {
            class: "TENSOR_MATCH",
            source: "x",
            code: "None"
        })
    );
    // One that breaks off is kept as lines.
    let tree = read(" - \n            local 'x' TENSOR_MATCH\nGUARDS:\n");
    assert_eq!(tree.problems().count(), 2);
}

#[test]
fn shape_functions_are_kept() {
    let tree = read(
        "Python shape guard function:\ndef ___make_guard_fn(L):\n    def guard(L):\n        return True\n    \
         return guard\n\nGUARDS:\n\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n\nGuard eval latency = 3.50 us\n",
    );
    assert_eq!(tree.problems().next(), None);
    let RemarkKind::ShapeFunction { is_cpp, text } = tree.remarks()[0].kind else {
        panic!();
    };
    assert!(!is_cpp && tree.text(text).ends_with("    return guard"));
    assert_eq!(tree.latency(), Some(3.5));
    let tree = read("C++ shape guard function: int8_t f() {\n  return 1;\n} [a == b]\nGUARDS:\n");
    assert_eq!(tree.remarks().len(), 2);
}

#[test]
fn objects_may_take_many_lines() {
    let tree = read(
        "+- RootGuardManager\n\
         | +- ID_MATCH: ___check_obj_id(L['m'], 140), type=Net(\n  (lin): Linear(in=1)\n)  # m(x)  # x.py:3 in f\n\
         | +- TYPE_MATCH: ___check_type_id(L['x'], 94\nstray\n| +- GLOBAL_STATE: ___check_global_state()\n",
    );
    assert_eq!(tree.problems().collect::<Vec<_>>(), [(6, "stray")]);
    assert_eq!(
        tree.check(1),
        Some(Check::Identity {
            source: "L['m']",
            id: "140",
            object: Some("Net(\n  (lin): Linear(in=1)\n)"),
            hint: None
        })
    );
    assert_eq!(tree.origin(1), Origin::User);
    assert_eq!(tree.node(2).unwrap().line, 5);
}

#[test]
fn objects_whose_first_line_opens_no_bracket_go_on_to_the_next_guard() {
    let tree = read(
        "+- RootGuardManager\n\
         | +- ID_MATCH: ___check_obj_id(L['w'], 140), type=Parameter containing:\ntensor([[ 0.1,  0.2],\n        [ 0.3,  0.4]], requires_grad=True)  # w + 1  # x.py:3 in f\n\
         | +- ID_MATCH: ___check_obj_id(L['c'], 141), type=Config\n  lr=0.1\n\n\
         | +- ID_MATCH: ___check_obj_id(L['t'], 142), type=typing.Any\n\
         | +- TYPE_MATCH: ___check_type_id(L['x'], 94), type=<class 'int'>\nstray\n",
    );
    assert_eq!(tree.problems().collect::<Vec<_>>(), [(10, "stray")]);
    let object = |node| match tree.check(node) {
        Some(Check::Identity { object, .. }) => object,
        _ => None,
    };
    assert_eq!(
        object(1),
        Some(
            "Parameter containing:\ntensor([[ 0.1,  0.2],\n        [ 0.3,  0.4]], requires_grad=True)"
        )
    );
    assert_eq!(object(2), Some("Config\n  lr=0.1"));
    assert_eq!(object(3), Some("typing.Any"));
    assert_eq!(tree.origin(1), Origin::User);
}

#[test]
fn what_is_not_understood_is_kept_and_counted() {
    let tree = read("+- RootGuardManager\n| +- what is this\n| | +- GuardMan: source=x\n\tnoise\n");
    let problems: Vec<_> = tree.problems().collect();
    assert_eq!(
        problems,
        [
            (2, "what is this"),
            (3, "GuardMan: source=x"),
            (4, "\tnoise")
        ]
    );
    assert_eq!(tree.node(2).unwrap().parent, Some(1));
}

#[test]
fn text_without_guards_is_an_error() {
    let error = |text: &str| GuardTree::parse(text).unwrap_err();
    let no_guards = |offset| Error {
        kind: ErrorKind::NoGuards,
        offset,
    };
    assert_eq!(error(""), no_guards(0));
    assert_eq!(error("\n  hello\n"), no_guards(3));
    assert_eq!(error("+- who knows"), no_guards(0));
    assert_eq!(
        error("nothing").to_string(),
        "no guards in this text, at its byte 0"
    );
    // A heading says that there are none.
    assert_eq!(read("GUARDS:").leaves().count(), 0);
}

#[test]
fn files_are_pytorchs_or_not() {
    let cases = [
        ("_dynamo/output_graph.py", Origin::Framework),
        ("nn/modules/linear.py", Origin::Framework),
        ("utils/_pytree.py", Origin::Framework),
        ("utils/mine.py", Origin::User),
        ("optim/mine.py", Origin::User),
        ("srv/demo/x.py", Origin::User),
        ("transformers/cache_utils.py", Origin::User),
        ("/v/lib/site-packages/torch/x.py", Origin::Framework),
        ("/src/pytorch/torch/_dynamo/guards.py", Origin::Framework),
        ("/home/me/torch/train.py", Origin::User),
        ("<unknown>", Origin::Unknown),
    ];
    for (file, expected) in cases {
        assert_eq!(origin(file), expected, "{file}");
    }
}

#[test]
fn recorded_guards_are_read() {
    let payload = br#"[
{"code": "L['x'] == 1", "stack": [{"line": 3, "name": "g", "filename": 7}], "user_stack": [{"line": 22, "name": "f", "filename": 0, "loc": "return x"}]},
{"code": "___is_grad_enabled()", "stack": [{"line": 430, "name": "init", "filename": 8}], "user_stack": null},
{"code": 3},
{"code": "a\nb", "stack": null, "user_stack": null}
]"#;
    let read = recorded::read(payload);
    assert_eq!((read.guards.len(), read.wrong, read.fault), (3, 1, None));
    let files = |id| match id {
        0 => Some("x.py"),
        8 => Some("/v/site-packages/torch/_dynamo/output_graph.py"),
        _ => None,
    };
    let tree = read.to_tree(files).unwrap();
    let origins: Vec<Origin> = tree.leaves().map(|index| tree.origin(index)).collect();
    assert_eq!(origins, [Origin::User, Origin::Framework, Origin::Unknown]);
    let shown = tree.to_string();
    assert!(shown.contains(&format!(
        "{:<60}  # return x  # x.py:22 in f\n",
        "L['x'] == 1"
    )));
    let cut = recorded::read(&payload[..payload.len() - 20]);
    assert!(cut.fault.is_some() && cut.guards.len() >= 2);
    assert_eq!(recorded::read(b"").guards, vec![]);
}
