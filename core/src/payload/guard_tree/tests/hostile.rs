//! Megabytes of what is worst for a reader: it takes time in proportion, or these tests never end.

use super::super::*;
use crate::analysis::guard_diff::compare;
use alloc::format;
use alloc::string::{String, ToString};

#[test]
fn time_is_linear_in_hostile_text() {
    let size = 1 << 20;
    let leaf = |code: &str| format!("+- RootGuardManager\n| +- LAMBDA_GUARD: {code}\n");
    let fill = |piece: &str| piece.repeat(size / piece.len());
    let texts = [
        fill("| "),
        fill("+- A: (\n"),
        format!("+- A: (\n{}", fill("x\n")),
        fill("+- A: (\nx\n"),
        fill(" - \n"),
        fill("GUARDS:\n"),
        fill("C++ shape guard function: \n"),
        format!("{}+- A", fill("| ")),
        leaf(&fill("  # ")),
        leaf(&format!("x  # {}", fill("a b:1 in "))),
        leaf(&format!("x  # {} {}", "a".repeat(size), fill("b:1 in "))),
        leaf(&fill(" (HINT: ")),
        leaf(&fill("'")),
        leaf(&fill("\\'")),
        leaf(&fill("'\\'")),
        leaf(&fill("L['")),
        leaf(&fill("L[\"x'")),
        leaf(&fill("(")),
        leaf(&fill(")")),
        leaf(&fill(" == ")),
        leaf(&fill("s1 ")),
        leaf(&format!("check_no_aliasing({})", fill("x, "))),
        leaf(&format!("check_tensor({}", fill("size=[1], "))),
        leaf(&format!(
            "___check_global_state() against {}",
            fill("{\"a\":")
        )),
    ];
    for text in texts {
        let Ok(tree) = GuardTree::parse(text.as_str()) else {
            continue;
        };
        assert_eq!(tree.to_string(), text);
        assert!(tree.statistics().leaves as usize <= tree.nodes().len());
        assert_eq!(compare(&tree, &tree), []);
    }
}

#[test]
fn a_hundred_thousand_guards_are_compared() {
    let tree = |start: u32| {
        let mut text = String::from("+- RootGuardManager\n");
        for number in 0..100_000 {
            // Many guards of one key, too.
            let name = number % 1000;
            text.push_str(&format!(
                "| +- EQUALS_MATCH: L['x{name}'] == {}\n",
                number + start
            ));
        }
        GuardTree::parse(text).unwrap()
    };
    let (old, new) = (tree(0), tree(1_000_000));
    assert_eq!(compare(&old, &new).len(), 100_000);
    assert_eq!(
        old.largest(1),
        [Subtree {
            node: 0,
            leaves: 100_000
        }]
    );
}
