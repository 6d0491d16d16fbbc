use super::*;
use alloc::format;
use alloc::string::String;
use proptest::prelude::*;
use serde_json::Value;

/// The text made readable in pieces of that size.
fn pretty(text: &[u8], size: usize) -> (Vec<u8>, Option<Fault>) {
    let mut pretty = Pretty::new();
    let mut out = Vec::new();
    for piece in text.chunks(size.max(1)) {
        pretty.feed(piece, &mut out);
    }
    let fault = pretty.finish(&mut out);
    (out, fault)
}

fn check(text: &str, expected: &str) {
    let (out, fault) = pretty(text.as_bytes(), 7);
    assert_eq!(String::from_utf8_lossy(&out), expected);
    assert_eq!(fault, None);
}

/// JSON without the white space between its tokens.
fn minify(text: &[u8]) -> Vec<u8> {
    let (mut inside, mut escaped) = (false, false);
    text.iter()
        .copied()
        .filter(|&byte| {
            let kept = inside || !matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
            if escaped {
                escaped = false;
            } else if byte == b'"' {
                inside = !inside;
            } else if byte == b'\\' {
                escaped = inside;
            }
            kept
        })
        .collect()
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |f| f.is_finite())
            .prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        "[\"\\\\\n a]{0,60}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 80, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
            prop::collection::vec(("[a-z\"]{0,6}", inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn only_white_space_changes(value in json(), spread in any::<bool>(), size in 1usize..40) {
        let text = if spread { format!("{value:#}") } else { format!("{value}") };
        let (out, fault) = pretty(text.as_bytes(), size);
        prop_assert_eq!(fault, None);
        prop_assert_eq!(minify(&out), minify(text.as_bytes()));
        // Not `value`: serde_json may read the digits of a float as its neighbour.
        let read = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap();
        prop_assert_eq!(read(&out), read(text.as_bytes()));
        // Readable text is a fixed point: what it gave is what it gives again.
        prop_assert_eq!(&pretty(&out, size + 1).0, &out);
    }

    #[test]
    fn the_size_of_the_pieces_changes_nothing(
        text in "[\\[\\]{}:,\"\\\\ 019.eE+\\-truefalsnNI]{0,60}", size in 1usize..9,
    ) {
        prop_assert_eq!(pretty(text.as_bytes(), size), pretty(text.as_bytes(), 1000));
    }

    #[test]
    fn what_is_no_json_passes_through(value in json(), rubbish in "[\\[\\]{}:,\" a0]{1,20}", at in any::<prop::sample::Index>()) {
        let mut text = format!("{value}").into_bytes();
        text.splice(at.index(text.len())..at.index(text.len()), rubbish.bytes());
        let (out, fault) = pretty(&text, 5);
        match fault {
            None => prop_assert_eq!(minify(&out), minify(&text)),
            Some(fault) => prop_assert!(out.ends_with(&text[fault.offset..])),
        }
        let read = crate::log::json::parse(&text).1;
        prop_assert!(fault.is_some() || read.is_none(), "{:?}", read);
    }

    #[test]
    fn any_bytes_are_taken(text in prop::collection::vec(any::<u8>(), 0..80)) {
        let (out, fault) = pretty(&text, 3);
        if let Some(fault) = fault {
            prop_assert!(fault.offset <= text.len());
            prop_assert!(out.ends_with(&text[fault.offset..]));
        }
    }
}

#[test]
fn members_stand_one_a_line_and_short_arrays_on_one() {
    check(
        r#"{"b":[1,2.50,-3e+1],"a":{},"c":[],"d":[{"x":null}],"e":[[1],["é\"]"]],"f":NaN}"#,
        r#"{
  "b": [1, 2.50, -3e+1],
  "a": {},
  "c": [],
  "d": [
    {
      "x": null
    }
  ],
  "e": [
    [1],
    ["é\"]"]
  ],
  "f": NaN
}"#,
    );
}

#[test]
fn dumps_without_indentation_are_indented() {
    check(
        "{\n\"a\": [\n1,\n2\n],\n\"b\": -Infinity\n}",
        "{\n  \"a\": [1, 2],\n  \"b\": -Infinity\n}",
    );
}

#[test]
fn an_array_wider_than_the_screen_is_one_item_a_line() {
    let items: Vec<String> = (0..40).map(|i| format!("{i}")).collect();
    check(
        &format!("[{}]", items.join(",")),
        &format!("[\n  {}\n]", items.join(",\n  ")),
    );
    let word = format!("\"{}\"", "x".repeat(150));
    check(&format!("[{word}]"), &format!("[\n  {word}\n]"));
    // 98 columns and the brackets fit exactly; one more does not.
    let exact = format!("[{}]", "7".repeat(98));
    check(&exact, &exact);
    check(
        &format!("[{}]", "7".repeat(99)),
        &format!("[\n  {}\n]", "7".repeat(99)),
    );
}

#[test]
fn faults_say_where_and_why() {
    for (text, kind, offset) in [
        ("", FaultKind::Cut, 0),
        ("[1,", FaultKind::Cut, 3),
        ("{\"a\": tru", FaultKind::Cut, 9),
        ("-", FaultKind::Cut, 1),
        ("[1,]", FaultKind::Unexpected, 3),
        ("[1 2]", FaultKind::Unexpected, 3),
        ("{\"a\" 1}", FaultKind::Unexpected, 5),
        ("[1]]", FaultKind::Trailing, 3),
        ("01", FaultKind::Trailing, 1),
        ("[1.x]", FaultKind::Unexpected, 3),
        ("{'a': 1}", FaultKind::Unexpected, 1),
        ("tensor", FaultKind::Unexpected, 1),
    ] {
        let expected = Some(Fault { kind, offset });
        for size in [1, 3, 100] {
            let (out, fault) = pretty(text.as_bytes(), size);
            assert_eq!(fault, expected, "{text}");
            assert!(out.ends_with(&text.as_bytes()[offset..]), "{text}");
        }
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = "[".repeat(100_000);
    let (out, fault) = pretty(deep.as_bytes(), 1000);
    let expected = Fault {
        kind: FaultKind::TooDeep,
        offset: MAX_DEPTH,
    };
    assert_eq!(fault, Some(expected));
    assert!(out.len() < 200_000);
}

#[test]
fn megabytes_pass_in_bounded_memory() {
    let mut pretty = Pretty::new();
    let mut out = Vec::new();
    pretty.feed(b"[", &mut out);
    let long = "y".repeat(5000);
    for i in 0..20_000 {
        let comma = if i == 0 { "" } else { "," };
        let item = format!("{comma}{{\"a\":[1,2,3],\"b\":\"{}\"}}", &long[..i % 700]);
        out.clear();
        pretty.feed(item.as_bytes(), &mut out);
        assert!(out.len() < item.len() + 200);
    }
    pretty.feed(b"]", &mut out);
    assert_eq!(pretty.finish(&mut out), None);
    assert!(pretty.open.capacity() < 16);
}
