//! Values as serde's data, for the same types that serde_json reads.

use super::Value;
use alloc::borrow::Cow;
use core::fmt;
use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor};

/// Why a value does not fit a type. The lenient types of [`crate::log::metadata`] never give it.
#[derive(Debug)]
pub struct Mismatch;

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of another type")
    }
}

impl core::error::Error for Mismatch {}

impl de::Error for Mismatch {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Mismatch
    }
}

impl<'de, 'a: 'de> IntoDeserializer<'de, Mismatch> for &'de Value<'a> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de, 'a: 'de> de::Deserializer<'de> for &'de Value<'a> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Number(n) => {
                if let Ok(n) = n.parse::<u64>() {
                    visitor.visit_u64(n)
                } else if let Ok(n) = n.parse::<i64>() {
                    visitor.visit_i64(n)
                } else {
                    // Rust reads Python's "Infinity" and "NaN" as they are.
                    visitor.visit_f64(n.parse().unwrap_or(f64::NAN))
                }
            }
            Value::String(s) => visitor.visit_borrowed_str(s),
            Value::Array(items) => visitor.visit_seq(Items(items.iter())),
            Value::Object(members) => visitor.visit_map(Members {
                rest: members.iter(),
                value: None,
            }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Value::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Items<'de, 'a>(core::slice::Iter<'de, Value<'a>>);

impl<'de, 'a: 'de> SeqAccess<'de> for Items<'de, 'a> {
    type Error = Mismatch;
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mismatch> {
        self.0
            .next()
            .map(|value| seed.deserialize(value))
            .transpose()
    }
}

struct Members<'de, 'a> {
    rest: core::slice::Iter<'de, (Cow<'a, str>, Value<'a>)>,
    value: Option<&'de Value<'a>>,
}

impl<'de, 'a: 'de> MapAccess<'de> for Members<'de, 'a> {
    type Error = Mismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mismatch> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(de::value::BorrowedStrDeserializer::new(key))
            .map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Mismatch> {
        self.value
            .take()
            .ok_or(Mismatch)
            .and_then(|value| seed.deserialize(value))
    }
}
