//! Each guard is said in words.

use super::sentence::{LONGEST, is_contiguous};
use super::*;
use dynascope_core::payload::guard_tree::Check;

fn said(code: &str) -> String {
    sentence(&Check::read(None, code, None))
}

#[test]
fn a_tensor_is_described_as_people_do() {
    let keys = "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)";
    let tensor = |rest: &str| {
        said(&format!(
            "check_tensor(L['x'], Tensor, {keys}, torch.float32, device=None, {rest})"
        ))
    };
    assert_eq!(
        tensor("requires_grad=False, size=[None, 4], stride=[4, 1]"),
        "`x` must be a float32 tensor of shape [any, 4] on the CPU, contiguous, without gradient."
    );
    assert_eq!(
        tensor("requires_grad=True, size=[4, None], stride=[None, 1]"),
        "`x` must be a float32 tensor of shape [4, any] on the CPU, with strides [any, 1], with gradient."
    );
    assert_eq!(
        tensor("requires_grad=True, size=[3, 4], stride=[1, 3]"),
        "`x` must be a float32 tensor of shape [3, 4] on the CPU, with strides [1, 3], with gradient."
    );
    assert_eq!(
        tensor("size=[], stride=[]"),
        "`x` must be a float32 tensor of shape [] on the CPU."
    );
    assert_eq!(
        said(
            "check_tensor(L['w'], Parameter, DispatchKeySet(CUDA, AutogradCUDA), torch.bfloat16, device=1, requires_grad=True, size=[2], stride=[1])"
        ),
        "`w` must be a bfloat16 Parameter of shape [2] on CUDA device 1, contiguous, with gradient."
    );
}

#[test]
fn the_facts_of_a_tensor_are_a_table() {
    let check = Check::read(
        None,
        "check_tensor(L['x'], Tensor, DispatchKeySet(CPU), torch.int64, device=None, requires_grad=False, size=[2, 3], stride=[3, 1])",
        None,
    );
    let facts = tensor(&check);
    let value = |name: &str| {
        let fact = facts.iter().find(|(fact, _)| fact == name);
        fact.map(|(_, value)| value.as_str())
    };
    assert_eq!(value("Shape"), Some("[2, 3]"));
    assert_eq!(value("Strides"), Some("[3, 1] (contiguous)"));
    assert_eq!(value("dtype"), Some("int64"));
    assert_eq!(value("Device"), Some("the CPU"));
    assert_eq!(value("Gradient"), Some("not required"));
    assert_eq!(tensor(&Check::None { source: "L['x']" }), []);
}

#[test]
fn contiguity_is_told_where_it_is_known() {
    let of = |size: &[i64], stride: &[i64]| {
        let some = |all: &[i64]| {
            all.iter()
                .map(|n| (*n >= 0).then_some(*n))
                .collect::<Vec<_>>()
        };
        is_contiguous(&some(size), &some(stride))
    };
    assert_eq!(of(&[2, 3], &[3, 1]), Some(true));
    assert_eq!(of(&[2, 3], &[1, 2]), Some(false));
    assert_eq!(of(&[2, 1], &[1, 77]), Some(true));
    assert_eq!(of(&[-1, 3], &[3, 1]), Some(true));
    assert_eq!(of(&[2, -1], &[-1, 1]), None);
    assert_eq!(of(&[2], &[]), None);
    assert_eq!(of(&[i64::MAX, i64::MAX, 2], &[1, 1, 1]), Some(false));
}

/// A check of each kind, and its sentence.
#[test]
fn every_kind_of_check_has_its_sentence() {
    let source = "L['x']";
    let id = "94";
    let all = [
        (Check::Equals { source, value: "2" }, "`x` must equal `2`."),
        (
            Check::Type {
                source,
                id,
                name: Some("<class 'tuple'>"),
                fake_script: false,
            },
            "`x` must be exactly of the type `tuple`.",
        ),
        (
            Check::Type {
                source,
                id,
                name: None,
                fake_script: true,
            },
            "`x` must be exactly of the type that it had when this was compiled; fake objects are let through.",
        ),
        (
            Check::Identity {
                source,
                id,
                object: Some("<class 'f'>"),
                hint: None,
            },
            "`x` must be the same object as when this was compiled, `f`.",
        ),
        (
            Check::Length {
                source,
                length: "3",
            },
            "`x` must have 3 items.",
        ),
        (
            Check::Length {
                source,
                length: "0",
            },
            "`x` must be empty.",
        ),
        (
            Check::DictLength {
                source,
                length: "1",
            },
            "The dictionary `x` must have 1 item.",
        ),
        (
            Check::DictContains {
                source,
                key: "'k'",
                is_in: false,
            },
            "The dictionary `x` must not have the key `'k'`.",
        ),
        (
            Check::SetContains {
                source,
                item: "3",
                is_in: true,
            },
            "The set `x` must hold `3`.",
        ),
        (
            Check::MappingKeys {
                source,
                keys: "['a', 'b']",
            },
            "The keys of `x` must be `['a', 'b']`, in this order.",
        ),
        (Check::None { source }, "`x` must be `None`."),
        (Check::NotNone { source }, "`x` must not be `None`."),
        (
            Check::WeakrefAlive { source: "L['x']()" },
            "What `x()` refers to must still exist.",
        ),
        (
            Check::Bool {
                source,
                value: true,
            },
            "`x` must be `True`.",
        ),
        (
            Check::HasAttr {
                source,
                attribute: "a",
                present: false,
            },
            "`x` must not have the attribute `a`.",
        ),
        (
            Check::HasAttr {
                source,
                attribute: "_dynamo_dynamic_indices",
                present: false,
            },
            "No dimension of `x` may be marked as dynamic.",
        ),
        (
            Check::NoAliasing {
                sources: vec!["L['x']", "L['y']"],
            },
            "These must be different tensors: `x`, `y`.",
        ),
        (
            Check::ObjectAliasing {
                a: source,
                b: "L['y']",
            },
            "`x` and `y` must be the same object.",
        ),
        (
            Check::Setting {
                name: "is_grad_enabled",
                on: true,
            },
            "The setting `is_grad_enabled` of PyTorch must be on.",
        ),
        (
            Check::Backend { id },
            "The backend of torch.compile must be the one that compiled this.",
        ),
        (
            Check::DefaultDevice { device: "None" },
            "No default device may be set for new tensors.",
        ),
        (
            Check::DefaultDevice { device: "cuda" },
            "The default device for new tensors must be `cuda`.",
        ),
        (
            Check::DynamicIndices {
                source,
                attribute: "_dynamo_dynamic_indices",
                indices: "{0}",
            },
            "Of `x`, only the dimensions `{0}` may be marked as dynamic.",
        ),
        (
            Check::DynamicMark {
                source,
                attribute: "_dynamo_bounds",
                value: "None",
            },
            "What the program said of the dimensions of `x` (`_dynamo_bounds`) must be `None`.",
        ),
        (
            Check::RangeIterator {
                source,
                range: "(0, 3, 1)",
            },
            "The range iterator `x` must go on with start, stop and step `(0, 3, 1)`.",
        ),
        (
            Check::TupleIteratorLen {
                source,
                length: "2",
            },
            "The tuple iterator `x` must have 2 items left.",
        ),
        (
            Check::DispatchKeySet {
                source,
                keys: "CPU",
            },
            "The dispatch keys of `x` must be `CPU`.",
        ),
        (
            Check::DictVersion {
                source,
                version: "7",
            },
            "The dictionary `x` must not have been changed since this was compiled.",
        ),
        (
            Check::DataPtr {
                source,
                address: "7",
            },
            "The tensor `x` must lie at the same address in memory.",
        ),
        (
            Check::DualLevel { level: "-1" },
            "Forward-mode autograd must be off.",
        ),
        (
            Check::DualLevel { level: "1" },
            "Forward-mode autograd must be at level `1`.",
        ),
        (
            Check::IsNan {
                source,
                is_nan: false,
            },
            "`x` must not be NaN.",
        ),
        (
            Check::SavedTensorsHooks { ids: "None" },
            "No hooks for saved tensors may be active.",
        ),
        (
            Check::SavedTensorsHooks { ids: "(1, 2)" },
            "The hooks for saved tensors must be those of when this was compiled.",
        ),
        (
            Check::ShapeGuard {
                expression: "2 <= L['x'].size()[0]",
            },
            "This must be true of sizes and numbers: `2 <= x.size()[0]`.",
        ),
        (
            Check::Named {
                class: "TENSOR_MATCH",
                source,
                code: "None",
            },
            "`x` is guarded by `TENSOR_MATCH`.",
        ),
        (Check::Other { code: "a`b" }, "This must hold: `a'b`."),
    ];
    for (check, expected) in all {
        assert_eq!(sentence(&check), expected);
    }
    for check in [
        Check::GlobalState { against: None },
        Check::TorchFunctionModeStack,
        Check::FunctorchStack { states: "[]" },
    ] {
        let said = sentence(&check);
        assert!(said.contains("when this was compiled"), "{said}");
    }
}

#[test]
fn long_code_is_cut() {
    let long = "é".repeat(1000);
    assert_eq!(
        sentence(&Check::Other { code: &long }),
        format!("This must hold: `{}…`.", "é".repeat(LONGEST))
    );
}

#[test]
fn the_headline_counts() {
    assert_eq!(
        headline(34, 5),
        "This compiled code may be reused while 34 guards hold; 5 of them come from your code."
    );
    assert_eq!(
        headline(1, 1),
        "This compiled code may be reused while 1 guard holds; it comes from your code."
    );
    assert!(headline(7, 0).ends_with("none of them names a line of your code."));
}
