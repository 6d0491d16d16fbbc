use super::*;
use crate::engine::fixture::{open, read};
use dynascope_core::trace::Builder;

/// A log with one record that carries this payload.
fn with_payload(kind: &str, payload: &str) -> (Builder, Vec<u8>) {
    let payload = payload.replace('\n', "\n\t");
    read(
        format!(
            "V1129 12:00:00.000000 42 torch/_dynamo/guards.py:28] {{\"{kind}\": {{}}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0, \"has_payload\": \"00\"}}\n\t{payload}\n"
        )
        .into_bytes(),
    )
}

/// The records of a kind.
fn records(trace: &Trace, kind: &str) -> Vec<RecordIndex> {
    let is_it = |entry: &dynascope_core::trace::index::Entry| {
        trace.kinds.get(entry.kind).is_some_and(|k| k.kind == kind)
    };
    let all = trace.index.iter().filter(|(_, entry)| is_it(entry));
    all.map(|(index, _)| index).collect()
}

struct Shown {
    guards: Guards,
    builder: Builder,
    shown: GuardsShown,
}

impl Shown {
    fn new((builder, text): (Builder, Vec<u8>), kind: &str, which: usize) -> Shown {
        let record = records(builder.trace(), kind)[which];
        let mut guards = Guards::default();
        while !guards.step(builder.trace(), &text, record).unwrap() {}
        Shown {
            guards,
            builder,
            shown: GuardsShown {
                log: 0,
                record,
                filter: GuardFilter::default(),
                folds: GuardFolds::default(),
            },
        }
    }

    fn page(&mut self) -> GuardPage {
        self.guards
            .page(self.builder.trace(), &self.shown, 0, 1000)
            .unwrap()
    }

    fn node(&mut self, node: u32) -> GuardView {
        self.guards.node(&self.shown, node).unwrap().unwrap()
    }

    fn titles(&mut self) -> Vec<String> {
        self.page().rows.into_iter().map(|row| row.title).collect()
    }
}

#[test]
fn a_tree_of_2_15_is_explained_line_by_line() {
    let log = open("torch-2.15.0/rc_shape.log.gz");
    let mut shown = Shown::new(log, "dynamo_cpp_guards_str", 1);
    let page = shown.page();
    let head = &page.head;
    assert_eq!((head.leaves, head.mine, head.managers), (20, 13, 3));
    assert_eq!((head.matching, head.wrong), (20, 0));
    assert_eq!(
        head.by_class[0],
        ("DIMENSION_DYNAMIC_MARKING_GUARD".to_owned(), 10)
    );
    assert_eq!(head.latency, Some(0.011_978_35));
    assert_eq!(head.compilation.as_ref().unwrap().1, "[0/1]");
    assert_eq!(
        head.largest,
        [(5, "x".to_owned(), 7), (13, "y".to_owned(), 7)]
    );
    assert_eq!(page.total, 23);
    let row = &page.rows[6];
    assert_eq!((row.title.as_str(), row.level), ("TENSOR_MATCH", 3));
    assert_eq!((row.place, row.above, row.is_open), ((1, 7), 5, None));
    assert_eq!(
        row.text,
        "`x` must be a float32 tensor of shape [any, 3] on the CPU, contiguous, without gradient."
    );
    assert_eq!(row.cause, Some(("srv/demo/rc_shape.py".to_owned(), 7)));
    assert!(row.is_mine);
    let holder = &page.rows[5];
    assert_eq!(
        (holder.title.as_str(), holder.text.as_str()),
        ("x", "torch.Tensor")
    );
    assert_eq!((holder.below, holder.is_open), (7, Some(true)));
    let view = shown.node(6);
    assert_eq!((view.row, view.holders.as_slice()), (Some(6), &[0, 5][..]));
    let cause = view.cause.unwrap();
    assert_eq!(cause.source.as_deref(), Some("return (x * 2 + y).relu()"));
    assert_eq!((cause.line, cause.function.as_str()), (Some(7), "f"));
    assert_eq!(view.line, Some(9));
    assert!(
        view.tensor
            .contains(&("Shape".to_owned(), "[any, 3]".to_owned()))
    );
    let named_again = &page.rows[20];
    assert!(
        named_again.text.contains("written out at another object"),
        "{named_again:?}"
    );
    let last = shown.node(22);
    assert!(last.note.unwrap().starts_with("Sizes 0 and 1"));
}

#[test]
fn trees_and_lists_of_older_versions_are_read() {
    let log = open("torch-2.5.1/rc_limit.log");
    let mut tree = Shown::new(log, "dynamo_cpp_guards_str", 1);
    assert_eq!(tree.page().head.leaves, 5);
    assert_eq!(tree.page().head.mine, 0);
    let log = open("torch-2.3.1/rc_limit.log");
    let mut list = Shown::new(log, "dynamo_guards", 1);
    let page = list.page();
    assert_eq!((page.head.leaves, page.head.trouble.as_deref()), (4, None));
    assert_eq!(
        page.rows[3].text,
        "`x` must be a float32 tensor of shape [3] on the CPU, contiguous, without gradient."
    );
    assert_eq!(list.node(3).line, Some(5));
    let cause = list.node(1).cause.unwrap();
    assert!(cause.file.unwrap().ends_with(".py"));
}

const TREE: &str = "
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GuardManager: source=L['a'], accessed_by=DictGetItemGuardAccessor(a)
| | +- EQUALS_MATCH: L['a'] == 1  # return a + b  # my.py:3 in f
| | +- GuardManager: source=L['a'].inner, accessed_by=GetAttrGuardAccessor(inner)
| | | +- TYPE_MATCH: ___check_type_id(L['a'].inner, 94)
| +- GuardManager: source=L['b'], accessed_by=DictGetItemGuardAccessor(b)
| | +- EQUALS_MATCH: L['b'] == '<script>'  # _dynamo/x.py:3 in g
+- LAMBDA_GUARD: 2 <= L['a'].size()[0]  # return A  # my.py:4 in f";

#[test]
fn filters_keep_what_matches_and_what_holds_it() {
    let mut tree = Shown::new(
        with_payload("dynamo_cpp_guards_str", TREE),
        "dynamo_cpp_guards_str",
        0,
    );
    let all = [
        "All guards",
        "a",
        "EQUALS_MATCH",
        "a.inner",
        "TYPE_MATCH",
        "b",
        "EQUALS_MATCH",
        "LAMBDA_GUARD",
    ];
    assert_eq!(tree.titles(), all);
    tree.shown.filter.only_mine = true;
    assert_eq!(
        tree.titles(),
        ["All guards", "a", "EQUALS_MATCH", "LAMBDA_GUARD"]
    );
    let page = tree.page();
    assert_eq!((page.head.matching, page.rows[1].below), (2, 1));
    assert_eq!((page.rows[1].place, page.rows[3].place), ((1, 1), (2, 2)));
    tree.shown.filter = GuardFilter {
        class: Some("EQUALS_MATCH".to_owned()),
        ..GuardFilter::default()
    };
    assert_eq!(
        tree.titles(),
        ["All guards", "a", "EQUALS_MATCH", "b", "EQUALS_MATCH"]
    );
    tree.shown.filter.text = "  MUST equal <SCRIPT> ".to_owned();
    assert_eq!(tree.titles(), ["All guards", "b", "EQUALS_MATCH"]);
    tree.shown.filter.text = "nowhere".to_owned();
    assert_eq!(tree.page().rows, []);
    // A node that the filter does not leave is found, but has no row.
    assert_eq!(tree.node(4).row, None);
    assert_eq!(tree.guards.node(&tree.shown, 99), Ok(None));
}

#[test]
fn folded_nodes_hide_what_they_hold_until_a_node_within_is_asked_for() {
    let mut tree = Shown::new(
        with_payload("dynamo_cpp_guards_str", TREE),
        "dynamo_cpp_guards_str",
        0,
    );
    tree.shown.folds.turn(1);
    assert_eq!(
        tree.titles(),
        ["All guards", "a", "b", "EQUALS_MATCH", "LAMBDA_GUARD"]
    );
    let page = tree.page();
    assert_eq!((page.rows[1].is_open, page.rows[1].below), (Some(false), 2));
    assert_eq!((page.rows[3].above, page.rows[2].above), (2, 0));
    let found = tree.node(4);
    assert_eq!((found.row, found.holders), (Some(4), vec![0, 1, 3]));
    tree.shown.folds = GuardFolds {
        all: true,
        but: Vec::new(),
    };
    assert_eq!(tree.titles(), ["All guards", "a", "b", "LAMBDA_GUARD"]);
    assert_eq!(tree.node(4).row, Some(4));
    tree.shown.folds.turn(1);
    assert_eq!(
        tree.titles(),
        [
            "All guards",
            "a",
            "EQUALS_MATCH",
            "a.inner",
            "b",
            "LAMBDA_GUARD"
        ]
    );
}

#[test]
fn what_is_broken_is_shown_and_counted() {
    let broken = "
TREE_GUARD_MANAGER:
+- RootGuardManager
| | | | +- EQUALS_MATCH: L['a'] == 1
| +- ???
| +- GuardManager: source=L['a'], accessed";
    let mut tree = Shown::new(
        with_payload("dynamo_cpp_guards_str", broken),
        "dynamo_cpp_guards_str",
        0,
    );
    let page = tree.page();
    assert!(page.head.wrong > 0, "{page:?}");
    assert_eq!(page.head.wrong as usize, page.head.wrong_lines.len());
    let unreadable = page
        .rows
        .iter()
        .find(|row| row.kind == GuardKind::Unreadable);
    let unreadable = unreadable.unwrap();
    let view = tree.node(unreadable.node);
    assert_eq!(view.sentence, words::UNREADABLE);
    assert!(view.line.is_some());
    assert!(
        page.rows
            .iter()
            .all(|row| row.level >= 1 && row.place.0 <= row.place.1)
    );
    for (kind, payload) in [
        ("dynamo_cpp_guards_str", "nothing of the kind"),
        ("dynamo_guards", "[]"),
        ("dynamo_guards", "[1, {\"code\""),
        ("dynamo_cpp_guards_str", "\u{0}"),
    ] {
        let mut none = Shown::new(with_payload(kind, payload), kind, 0);
        let page = none.page();
        assert_eq!((page.rows.len(), page.total), (0, 0), "{payload}");
        assert!(page.head.trouble.is_some(), "{payload}");
    }
}

#[test]
fn a_deep_and_a_wide_tree_are_one_list_of_rows() {
    let mut text = String::from("\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n");
    for depth in 1..2000 {
        text.push_str(&"| ".repeat(depth));
        text.push_str("+- GuardManager: source=L['a'], accessed_by=A(a)\n");
    }
    for at in 0..10_000 {
        text.push_str(&format!("| +- EQUALS_MATCH: L['a'] == {at}\n"));
    }
    let mut tree = Shown::new(
        with_payload("dynamo_cpp_guards_str", &text),
        "dynamo_cpp_guards_str",
        0,
    );
    let page = tree.page();
    assert_eq!(page.total, 12_000);
    assert_eq!(page.rows[999].level, 1000);
    let last = tree
        .guards
        .page(tree.builder.trace(), &tree.shown, 11_999, 5);
    assert_eq!(last.unwrap().rows[0].text, "`a` must equal `9999`.");
    assert_eq!(tree.node(1999).holders.len(), 1999);
}
