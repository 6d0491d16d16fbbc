//! Pairs of guards.

use super::*;
use alloc::format;
use alloc::string::ToString;

fn tree(lines: &[&str]) -> GuardTree {
    let mut text = String::from("\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n");
    for line in lines {
        text.push_str(&format!("| +- {line}\n"));
    }
    GuardTree::parse(text).unwrap()
}

/// The changes, a line each.
fn check(old: &[&str], new: &[&str], expected: &[&str]) {
    let changes = compare(&tree(old), &tree(new));
    let shown: Vec<String> = changes
        .iter()
        .map(|change| {
            let mut line = format!(
                "{:?} {} {}",
                change.kind(),
                change.key.class,
                change.key.source
            );
            for difference in &change.differences {
                let of = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_string());
                let (old, new) = (of(&difference.old), of(&difference.new));
                line.push_str(&format!("; {} {old} → {new}", difference.field));
            }
            line
        })
        .collect();
    assert_eq!(shown, expected);
}

fn tensor(name: &str, dtype: &str, size: &str) -> String {
    format!(
        "TENSOR_MATCH: check_tensor(L['{name}'], Tensor, DispatchKeySet(CPU), torch.{dtype}, device=None, \
         requires_grad=False, size=[{size}], stride=[1])"
    )
}

#[test]
fn what_differs_in_a_tensor_is_named() {
    let (old, new) = (tensor("x", "float32", "4"), tensor("x", "float64", "None"));
    check(
        &[&old],
        &[&new],
        &["Changed TENSOR_MATCH x; dtype torch.float32 → torch.float64; size at dim 0 4 → any"],
    );
    let new = tensor("x", "float32", "4, 2");
    check(
        &[&old],
        &[&new],
        &["Changed TENSOR_MATCH x; rank 1 → 2; size at dim 1 - → 2"],
    );
}

#[test]
fn values_ids_and_symbols() {
    check(
        &[
            "EQUALS_MATCH: L['lr'] == 0.5",
            "ID_MATCH: ___check_obj_id(G['f'], 1)",
        ],
        &[
            "ID_MATCH: ___check_obj_id(G['f'], 2)",
            "EQUALS_MATCH: L['lr'] == 1.5",
        ],
        &["Changed EQUALS_MATCH lr; value 0.5 → 1.5"],
    );
    check(
        &[
            "LAMBDA_GUARD: 2 <= s0",
            "TYPE_MATCH: ___check_type_id(L['x'], 9)",
        ],
        &[
            "LAMBDA_GUARD: 2 <= s77",
            "TYPE_MATCH: ___check_type_id(L['x'], 7), type=<class 'int'>",
        ],
        &[],
    );
    check(
        &["TYPE_MATCH: ___check_type_id(L['x'], 9), type=<class 'int'>"],
        &["TYPE_MATCH: ___check_type_id(L['x'], 9), type=<class 'float'>"],
        &["Changed TYPE_MATCH x; type int → float"],
    );
}

#[test]
fn what_was_added_and_removed() {
    check(
        &[
            "NONE_MATCH: L['m'] is None",
            "LENGTH_CHECK: len(L['xs']) == 2",
        ],
        &[
            "NOT_NONE: L['m'] is not None",
            "LENGTH_CHECK: len(L['xs']) == 2",
        ],
        &["Removed NONE_MATCH m", "Added NOT_NONE m"],
    );
    // What is the same in both is no partner for another guard of the same object.
    check(
        &["LAMBDA_GUARD: 2 <= L['x'].size()[0]"],
        &[
            "LAMBDA_GUARD: L['x'].size()[0] <= 9",
            "LAMBDA_GUARD: 2 <= L['x'].size()[0]",
        ],
        &["Added SHAPE_ENV x.size()[0]; condition - → x.size()[0] <= 9"],
    );
}

#[test]
fn guards_of_several_objects_count_once() {
    let aliasing = "NO_TENSOR_ALIASING: check_no_aliasing(L['x'], L['y'])";
    check(
        &[aliasing, aliasing],
        &[aliasing, "NO_TENSOR_ALIASING"],
        &[],
    );
    check(
        &[aliasing],
        &["NO_TENSOR_ALIASING: check_no_aliasing(L['x'], L['z'])"],
        &["Changed NO_TENSOR_ALIASING ; tensors x, y → x, z"],
    );
}

#[test]
fn ids_tell_objects_apart_within_a_process() {
    let old = tree(&[
        "ID_MATCH: ___check_obj_id(L['flag'], 1)",
        "TYPE_MATCH: ___check_type_id(L['x'], 9)",
    ]);
    let new = tree(&[
        "ID_MATCH: ___check_obj_id(L['flag'], 2)",
        "TYPE_MATCH: ___check_type_id(L['x'], 9)",
    ]);
    assert_eq!(compare(&old, &new), []);
    let changes = compare_with(&old, &new, Ids::Compare);
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].key.source, "flag");
    assert_eq!(changes[0].differences[0].field, Field::Id);
}
