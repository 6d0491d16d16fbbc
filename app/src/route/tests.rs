//! Each place has one address, and any text is some address.

use proptest::prelude::*;

use super::*;
use crate::engine::protocol::{Column, Direction};

fn check(address: &Address, text: &str) {
    assert_eq!(address.encode(), text);
    assert_eq!(&Address::decode(text), address);
}

#[test]
fn each_place_has_one_address_and_reads_back() {
    check(&Address::landing(), "#v=1");
    check(
        &Address {
            place: Place::Glossary,
            ..Address::landing()
        },
        "#v=1&view=glossary",
    );
    let overview = Place::Overview {
        sort: DEFAULT_SORT,
        filter: String::new(),
    };
    check(
        &Address::of(0, "a.log", overview),
        "#v=1&log=0&name=a.log&view=overview",
    );
    let sorted = Place::Overview {
        sort: Sort {
            column: Column::Seconds,
            direction: Direction::Descending,
        },
        filter: "a&b = c%".to_owned(),
    };
    check(
        &Address::of(2, "", sorted),
        "#v=1&log=2&view=overview&sort=seconds-down&filter=a%26b%20%3D%20c%25",
    );
    let key = CompilationKey {
        process: 0,
        generation: 3,
        id: "!3/0/0".to_owned(),
    };
    check(
        &Address::of(1, "rank 0/trace.log", Place::Compilation(key)),
        "#v=1&log=1&name=rank%200/trace.log&view=compilation&generation=3&id=!3/0/0",
    );
    let key = FrameKey {
        process: 0,
        generation: 0,
        autograd: None,
        frame_id: 3,
    };
    check(
        &Address::of(0, "a.log", Place::Frame(key)),
        "#v=1&log=0&name=a.log&view=frame&frame=3",
    );
    let key = FrameKey {
        process: 1,
        generation: 2,
        autograd: Some(0),
        ..key
    };
    check(
        &Address::of(0, "", Place::Frame(key)),
        "#v=1&log=0&view=frame&process=1&generation=2&autograd=0&frame=3",
    );
    check(
        &Address::of(0, "", Place::Text(TextPlace::of(7))),
        "#v=1&log=0&view=text&record=7",
    );
    check(
        &Address::of(
            0,
            "",
            Place::Text(TextPlace {
                lines: Some((3, 9)),
                is_pretty: true,
                find: Some(Query {
                    text: "a b".to_owned(),
                    case: Case::Matters,
                    whole_word: true,
                    is_regex: true,
                }),
                ..TextPlace::of(7)
            }),
        ),
        "#v=1&log=0&view=text&record=7&lines=3-9&form=pretty&find=a%20b&case=matters&word=whole&regex=yes",
    );
    check(
        &Address::of(0, "", Place::Guards(GuardPlace::of(7))),
        "#v=1&log=0&view=guards&record=7",
    );
    check(
        &Address::of(
            0,
            "",
            Place::Guards(GuardPlace {
                record: 7,
                filter: GuardFilter {
                    text: "a b".to_owned(),
                    class: Some("TENSOR_MATCH".to_owned()),
                    only_mine: true,
                },
                node: Some(3),
            }),
        ),
        "#v=1&log=0&view=guards&record=7&text=a%20b&class=TENSOR_MATCH&mine=yes&node=3",
    );
    check(
        &Address::of(0, "", Place::Record(u32::MAX)),
        "#v=1&log=0&view=record&record=4294967295",
    );
    check(
        &Address::of(0, "", Place::Outside),
        "#v=1&log=0&view=outside",
    );
    check(
        &Address::of(0, "", Place::Problems),
        "#v=1&log=0&view=problems",
    );
    check(
        &Address::of(0, "", Place::Findings),
        "#v=1&log=0&view=failures",
    );
    check(&Address::of(0, "", Place::Breaks), "#v=1&log=0&view=breaks");
}

#[test]
fn an_address_carries_the_fingerprint_of_its_log_through_all_its_views() {
    let text = "#v=1&log=1&name=a.log&print=0123456789abcdef&view=stacks";
    let address = Address::of(1, "a.log", Place::Stacks).with_print("0123456789abcdef");
    check(&address, text);
    assert_eq!(
        address.to(Place::Problems).encode(),
        "#v=1&log=1&name=a.log&print=0123456789abcdef&view=problems"
    );
    // Without a log there is nothing to tell apart.
    assert_eq!(Address::landing().with_print("01"), Address::landing());
}

#[test]
fn the_records_name_their_filters_and_the_columns_that_do_not_show() {
    check(
        &Address::of(0, "", Place::records()),
        "#v=1&log=0&view=records",
    );
    check(
        &Address::of(
            0,
            "",
            Place::Records {
                filter: "artifact 0/1".to_owned(),
                text: "\"attempt\": 1".to_owned(),
                hide: vec![RecordColumn::Time, RecordColumn::Origin],
            },
        ),
        "#v=1&log=0&view=records&filter=artifact%200/1&text=%22attempt%22:%201&hide=time,origin",
    );
    let address = Address::decode("#log=0&view=records&hide=kind,size,nonsense,time");
    assert_eq!(address.encode(), "#v=1&log=0&view=records&hide=time,size");
}

#[test]
fn unknown_keys_and_a_newer_version_are_kept_in_order() {
    let text = "#v=7&log=0&view=problems&zoom=2&fold=a%2Cb&zoom=3";
    let address = Address::decode(text);
    assert_eq!(address.version, 7);
    assert_eq!(address.unknown.len(), 3);
    assert_eq!(
        address.encode(),
        "#v=7&log=0&view=problems&zoom=2&fold=a,b&zoom=3"
    );
}

#[test]
fn a_log_without_a_view_is_its_overview_and_nothing_is_the_landing() {
    assert!(matches!(
        Address::decode("#v=1&log=0").place,
        Place::Overview { .. }
    ));
    assert_eq!(Address::decode(""), Address::landing());
    assert_eq!(Address::decode("#"), Address::landing());
    assert_eq!(Address::decode("#main").place, Place::Landing);
}

#[test]
fn a_view_that_lacks_what_it_needs_is_unknown_and_never_a_wrong_one() {
    for text in [
        "view=record",
        "log=0&view=record",
        "log=0&view=record&record=-1",
        "log=0&view=record&record=4294967296",
        "log=0&view=compilation",
        "log=0&view=frame",
        "log=0&view=frame&frame=x",
        "log=x&view=problems",
        "log=0&view=nonsense",
        "view=",
        "log=+1&view=problems",
    ] {
        assert!(
            matches!(Address::decode(text).place, Place::Unknown(_)),
            "{text}"
        );
    }
}

#[test]
fn broken_escapes_stay_as_they_are() {
    assert_eq!(unescape("%"), "%");
    assert_eq!(unescape("%4"), "%4");
    assert_eq!(unescape("%zz%41%"), "%zzA%");
    assert_eq!(unescape("%ff"), "\u{fffd}");
    assert_eq!(unescape("%é"), "%é");
}

fn any_place() -> impl Strategy<Value = Place> {
    let sort = (0..COLUMN_KEYS.len(), any::<bool>()).prop_map(|(column, up)| Sort {
        column: COLUMN_KEYS[column].0,
        direction: if up {
            Direction::Ascending
        } else {
            Direction::Descending
        },
    });
    prop_oneof![
        (sort, any::<String>()).prop_map(|(sort, filter)| Place::Overview { sort, filter }),
        (any::<u32>(), any::<u32>(), any::<String>()).prop_map(|(process, generation, id)| {
            Place::Compilation(CompilationKey {
                process,
                generation,
                id,
            })
        }),
        (any::<[u32; 3]>(), any::<Option<u32>>()).prop_map(
            |([process, generation, frame_id], autograd)| {
                Place::Frame(FrameKey {
                    process,
                    generation,
                    autograd,
                    frame_id,
                })
            }
        ),
        Just(Place::Outside),
        Just(Place::Stacks),
        (any::<String>(), any::<String>(), any::<u8>()).prop_map(|(filter, text, bits)| {
            let is_hidden = |place: &usize| bits & (1 << place) != 0;
            let hide = (0..HIDEABLE.len()).filter(is_hidden);
            Place::Records {
                filter,
                text,
                hide: hide.map(|place| HIDEABLE[place].0).collect(),
            }
        }),
        (any::<String>(), any::<bool>()).prop_map(|(text, matters)| Place::Search {
            text,
            case: if matters {
                Case::Matters
            } else {
                Case::Ignored
            },
        }),
        any_text().prop_map(Place::Text),
        (
            any::<(u32, u32, String)>(),
            any::<String>(),
            any::<Option<String>>(),
            any::<bool>()
        )
            .prop_map(|((process, generation, id), old, text, is_whole)| {
                Place::Diff(DiffPlace {
                    new: CompilationKey {
                        process,
                        generation,
                        id,
                    },
                    old,
                    text,
                    is_whole,
                })
            }),
        any_guards().prop_map(Place::Guards),
        any_graph().prop_map(Place::Graph),
        any::<u32>().prop_map(Place::Record),
        Just(Place::Problems),
        Just(Place::Findings),
    ]
}

fn any_text() -> impl Strategy<Value = TextPlace> {
    let lines = proptest::option::of((1u32.., 1u32..));
    let find = proptest::option::of((any::<String>(), any::<[bool; 3]>()));
    (any::<u32>(), lines, any::<bool>(), find).prop_map(|(record, lines, is_pretty, find)| {
        TextPlace {
            record,
            lines: lines.map(|(first, last)| (first.min(last), first.max(last))),
            is_pretty,
            find: find.map(|(text, [matters, whole_word, is_regex])| Query {
                text,
                case: if matters {
                    Case::Matters
                } else {
                    Case::Ignored
                },
                whole_word,
                is_regex,
            }),
        }
    })
}

fn any_guards() -> impl Strategy<Value = GuardPlace> {
    let filter = (any::<String>(), any::<Option<String>>(), any::<bool>());
    let filter = filter.prop_map(|(text, class, only_mine)| GuardFilter {
        text,
        class,
        only_mine,
    });
    (any::<u32>(), filter, any::<Option<u32>>()).prop_map(|(record, filter, node)| GuardPlace {
        record,
        filter,
        node,
    })
}

#[test]
fn open_groups_are_written_as_stretches() {
    let opened = |open: Vec<u32>| {
        let graph = GraphPlace {
            open: Some(open),
            ..GraphPlace::of(7)
        };
        Address::of(0, "", Place::Graph(graph))
    };
    let address = |open: &str| format!("#v=1&log=0&view=graph&record=7&open={open}");
    check(&opened((0..300).collect()), &address("0-299"));
    check(&opened(vec![1, 2, 3, 7, 6, 6]), &address("1-3.7.6.6"));
    check(
        &opened(vec![u32::MAX - 1, u32::MAX, 0]),
        &address("4294967294-4294967295.0"),
    );
    check(&opened(vec![]), &address(""));
    // What a person writes may be too much, or nothing.
    let read = |open: &str| match Address::decode(&address(open)).place {
        Place::Graph(graph) => graph.open.map(|open| open.len()),
        _ => None,
    };
    assert_eq!(read("0-4294967295"), Some(1 << 20));
    assert_eq!(read("5-3.x-1.-.2"), Some(1));
}

fn any_graph() -> impl Strategy<Value = GraphPlace> {
    any::<(u32, u32, Option<Vec<u32>>, Option<u32>, Option<u32>, String)>().prop_map(
        |(record, module, open, against, node, filter)| GraphPlace {
            record,
            module,
            open,
            against,
            node,
            filter,
        },
    )
}

#[test]
fn lines_read_as_a_reader_writes_them() {
    assert_eq!(lines_from("12"), Some((12, 12)));
    assert_eq!(lines_from(" 20 - 12 "), Some((12, 20)));
    assert_eq!(lines_from("0"), Some((1, 1)));
    for wrong in ["", "-", "a", "1-b", "1-2-3", "-5"] {
        assert_eq!(lines_from(wrong), None, "{wrong}");
    }
}

proptest! {
    #[test]
    fn every_address_reads_back_as_itself(
        version in any::<u32>(), log in any::<u32>(), name in any::<String>(), print in any::<String>(), place in any_place(),
        unknown in proptest::collection::vec(("x[^\\x00]*", any::<String>()), 0..4),
    ) {
        let address = Address { version, log: Some(LogName { order: log, name, print }), place, unknown };
        prop_assert_eq!(Address::decode(&address.encode()), address);
    }

    #[test]
    fn any_text_is_an_address_that_reads_back(text in any::<String>()) {
        let address = Address::decode(&text);
        prop_assert_eq!(Address::decode(&address.encode()), address);
    }

    #[test]
    fn texts_near_an_address_are_addresses_too(text in "#?(&|=|%|v|log|view|record|id|text|compilation|0|9|é|\\+){0,24}") {
        let address = Address::decode(&text);
        prop_assert_eq!(Address::decode(&address.encode()), address);
    }
}
