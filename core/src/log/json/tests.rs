use super::*;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use proptest::prelude::*;

fn read(text: &str) -> Value<'_> {
    let (value, fault) = parse(text.as_bytes());
    assert_eq!(fault, None, "{text}");
    value
}

/// The same value as serde_json sees it.
fn as_serde(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(b) => (*b).into(),
        Value::Number(n) => serde_json::from_str(n).unwrap(),
        Value::String(s) => s.to_string().into(),
        Value::Array(items) => items.iter().map(as_serde).collect::<Vec<_>>().into(),
        Value::Object(members) => serde_json::Value::Object(
            members
                .iter()
                .map(|(k, v)| (k.to_string(), as_serde(v)))
                .collect(),
        ),
    }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        // Numbers that any reader of decimals gets exactly right.
        any::<i32>().prop_map(|n| (f64::from(n) / 4.0).into()),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn reads_what_serde_json_writes(value in any_json()) {
        let text = value.to_string();
        prop_assert_eq!(&as_serde(&read(&text)), &value);
        let pretty = read(&text).pretty();
        prop_assert_eq!(as_serde(&read(&pretty)), value);
    }

    #[test]
    fn accepts_whatever_serde_json_accepts(text in "[ \\[\\]{},:\"\\\\a-fntu0-9.eE+-]{0,24}") {
        if let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) {
            prop_assert_eq!(as_serde(&read(&text)), value);
        }
    }

    #[test]
    fn any_bytes_give_a_value(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (value, _) = parse(&bytes);
        let _ = value.pretty();
    }

    #[test]
    fn a_cut_text_keeps_its_first_members(cut in 0usize..60) {
        let text = r#"{"a": "first", "b": [1, 2, {"c": null}], "d": "last"}"#;
        let cut = cut.min(text.len());
        let (value, fault) = parse(&text.as_bytes()[..cut]);
        prop_assert_eq!(fault.is_none(), cut == text.len());
        if cut > 13 {
            prop_assert_eq!(value.get("a").and_then(Value::as_str), Some("first"));
        }
    }
}

#[test]
fn python_numbers_are_numbers() {
    assert_eq!(
        read("[NaN, Infinity, -Infinity, -1]"),
        Value::Array(vec![
            Value::Number("NaN"),
            Value::Number("Infinity"),
            Value::Number("-Infinity"),
            Value::Number("-1")
        ])
    );
}

#[test]
fn lone_surrogates_and_bad_bytes_cost_one_character() {
    assert_eq!(read(r#""a\ud800b""#), Value::String("a\u{fffd}b".into()));
    assert_eq!(read(r#""\ud83d\ude00""#), Value::String("\u{1f600}".into()));
    assert_eq!(parse(b"\"a\xffb\"").0, Value::String("a\u{fffd}b".into()));
    assert_eq!(read(r#""\q""#), Value::String("\\q".into()));
}

#[test]
fn deep_nesting_is_a_fault_and_no_crash() {
    let (_, fault) = parse("[".repeat(1_000_000).as_bytes());
    assert_eq!(fault.map(|f| f.kind), Some(FaultKind::TooDeep));
    let (_, fault) = parse("{\"a\":".repeat(1_000_000).as_bytes());
    assert_eq!(fault.map(|f| f.kind), Some(FaultKind::TooDeep));
}

#[test]
fn a_fault_names_its_place() {
    assert_eq!(
        parse(b"{\"a\": 1} x").1,
        Some(Fault {
            kind: FaultKind::Trailing,
            offset: 9
        })
    );
    assert_eq!(
        parse(b"{\"a\": ?}").1,
        Some(Fault {
            kind: FaultKind::Unexpected,
            offset: 6
        })
    );
    assert_eq!(
        format!("{}", parse(b"").1.unwrap()),
        "the JSON stops before its end, at its byte 0"
    );
}
