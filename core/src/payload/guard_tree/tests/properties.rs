//! Any text gives a tree that prints as that text, or an error.

use super::super::*;
use alloc::format;
use alloc::string::{String, ToString};
use proptest::prelude::*;

/// Pieces of what PyTorch prints, and what may stand between.
const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\n| +- ",
    "\n| | +- ",
    "+- ",
    "| ",
    "\nGUARDS:\n",
    "\nTREE_GUARD_MANAGER:\n",
    "RootGuardManager",
    "GuardManager: source=L['x'], accessed_by=DictGetItemGuardAccessor('x')",
    ", type=<class 'dict'>, tag_safe=(True, False)",
    "KeyValueManager pair at index=0",
    "KeyManager: ",
    "ValueManager: ",
    "TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CPU), torch.float32, size=[1, None])",
    "NO_TENSOR_ALIASING",
    "ID_MATCH: ___check_obj_id(L['x'], 140), type=Net(",
    "ID_MATCH: ___check_obj_id(L['w'], 140), type=Parameter containing:",
    "EQUALS_MATCH: L['x'] == ",
    "'",
    "\"",
    "(",
    ")",
    "[",
    "]",
    "\\",
    "  # ",
    "   ",
    " in ",
    "x.py:5 in f",
    ":07 in g",
    "<resume in f>",
    " (HINT: type dict)",
    " and ",
    "<unknown>",
    "Guard latency = 3.5 us",
    "Guard latency = x us",
    "Python shape guard function:\n",
    "def f(L):\n",
    "    return 1\n",
    "C++ shape guard function: ",
    " - \n",
    "            ",
    "            local 'x' TENSOR_MATCH\n",
    "            {\n",
    "                'guard_types': None,\n                'code': None,\n",
    "                'obj_weakref': None\n",
    "                'guarded_class': None\n            }\n            \n",
    "s0",
    "L[",
    "___dict_contains(",
    "ä",
    "LAMBDA_GUARD: 2 <= L['x'].size()[0]",
    " == None",
    "0x7f0000000000",
];

fn text_of_pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

/// Asks everything of a tree; sees that nothing is lost and that the nodes fit one another.
fn check_tree(text: &str) -> Result<(), TestCaseError> {
    let Ok(tree) = GuardTree::parse(text) else {
        return Ok(());
    };
    prop_assert_eq!(tree.to_string(), text);
    for (index, node) in (0..).zip(tree.nodes()) {
        prop_assert!(node.end > index && node.end as usize <= tree.nodes().len());
        if let Some(parent) = node.parent {
            let parent_node = tree.node(parent).unwrap();
            prop_assert!(parent < index && parent_node.end >= node.end);
            prop_assert!(parent_node.depth < node.depth);
            prop_assert!(tree.children(parent).any(|child| child == index));
        } else {
            prop_assert!(tree.roots().any(|root| root == index));
        }
        if let Some(check) = tree.check(index) {
            prop_assert!(check.same_as(&check.clone()));
        }
    }
    let statistics = tree.statistics();
    prop_assert_eq!(statistics.leaves as usize, tree.leaves().count());
    prop_assert!(tree.largest(usize::MAX).len() == statistics.managers as usize);
    prop_assert_eq!(crate::analysis::guard_diff::compare(&tree, &tree), []);
    Ok(())
}

/// A line of a random tree, its depth a wish.
fn line() -> impl Strategy<Value = (u32, String)> {
    let name = "[a-z_]{1,8}";
    let source = prop_oneof![
        name.prop_map(|name| format!("L['{name}']")),
        (name, name).prop_map(|(a, b)| format!("L['{a}'].{b}")),
    ];
    let trailer = prop_oneof![
        Just(String::new()),
        Just("  # <unknown>".to_string()),
        (name, 1u32..9999, name)
            .prop_map(|(file, line, f)| format!("  # _dynamo/{file}.py:{line} in {f}")),
        ("[ -~]{0,20}", name, 1u32..9999)
            .prop_map(|(code, f, line)| format!("  # {code}  # x.py:{line} in {f}")),
    ];
    let leaf = ("[A-Z_]{1,12}", "[ -~]{0,70}", trailer)
        .prop_map(|(class, code, trailer)| format!("{class}: {code:<60}{trailer}"));
    let manager =
        (source, name, any::<bool>(), any::<bool>()).prop_map(|(source, key, has_type, safe)| {
            let python = if safe { "True" } else { "False" };
            let object = format!(", type=<class '{key}'>, tag_safe=({python}, False)");
            let object = if has_type { object.as_str() } else { "" };
            format!(
                "GuardManager: source={source}, accessed_by=GetAttrGuardAccessor({key}){object}"
            )
        });
    (0u32..8, prop_oneof![leaf, manager])
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,300}") {
        check_tree(&text)?;
        check_tree(&format!("GUARDS:\n{text}"))?;
        check_tree(&format!("+- RootGuardManager\n| +- EQUALS_MATCH: {text}\n"))?;
    }

    #[test]
    fn pieces_in_any_order_are_read_or_refused(text in text_of_pieces()) {
        check_tree(&text)?;
    }

    #[test]
    fn any_code_has_a_reading(class in "[A-Z_]{0,4}|LAMBDA_GUARD|DICT_LENGTH", code in text_of_pieces()) {
        let check = Check::read(Some(&class), &code, Some(&code));
        let (_, _) = (check.key(), check.fields());
    }

    #[test]
    fn random_trees_keep_their_shape(lines in prop::collection::vec(line(), 0..60)) {
        let mut text = String::from("\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n");
        // The parents as they should be: the nearest line above that stands less deep.
        let mut parents = Vec::from([None]);
        let mut depths = Vec::from([0]);
        for (wish, content) in &lines {
            let depth = (*wish).clamp(1, depths.last().copied().unwrap_or(0) + 1);
            parents.push(depths.iter().rposition(|&above| above < depth).map(|i| i as u32));
            depths.push(depth);
            text.push_str(&"| ".repeat(depth as usize));
            text.push_str(&format!("+- {content}\n"));
        }
        let tree = GuardTree::parse(text.as_str()).unwrap();
        prop_assert_eq!(tree.problems().next(), None);
        let read: Vec<_> = tree.nodes().iter().map(|node| node.parent).collect();
        prop_assert_eq!(read, parents);
        check_tree(&text)?;
    }
}
