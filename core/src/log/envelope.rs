//! A record's JSON: kind, metadata, ids, and the checksum of its payload.
//!
//! Written by `trace_structured` in torch/_logging/_internal.py, 2.3 to 2.15. Start at [`Envelope::parse`].

use super::field::{Field, Key};
use super::json::{self, Fault, Value};
use alloc::borrow::Cow;
use core::fmt;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an envelope that are no kind: reserved by torch/_logging/_internal.py.
const RESERVED: [&str; 8] = [
    "rank",
    "compiled_autograd_id",
    "frame_id",
    "frame_compile_id",
    "attempt",
    "has_payload",
    "stack",
    "subgraph_name",
];

/// A record's JSON.
#[derive(Debug, Clone, Default)]
pub struct Envelope<'a> {
    /// The kind, such as `dynamo_start`: the first member that is not reserved. Empty where there is none.
    pub kind: Cow<'a, str>,
    /// The kind's metadata.
    pub metadata: Metadata<'a>,
    /// Rank in torch.distributed.
    pub rank: Field<u32>,
    /// Id of the compiled autograd graph.
    pub compiled_autograd_id: Field<u32>,
    /// Id of the frame.
    pub frame_id: Field<u32>,
    /// Which compilation of the frame.
    pub frame_compile_id: Field<u32>,
    /// Which attempt of the compilation.
    pub attempt: Field<u32>,
    /// MD5 of the payload, in hexadecimal.
    pub has_payload: Field<Cow<'a, str>>,
    /// The stack of a call made outside any compilation, as a [`super::metadata::Stack`].
    pub stack: Metadata<'a>,
    /// What stopped the reader, where something did: what is behind it is lost.
    pub fault: Option<Fault>,
}

/// A record's metadata, not read yet.
#[derive(Debug, Clone, Default)]
pub enum Metadata<'a> {
    /// There is none.
    #[default]
    None,
    /// JSON that serde_json could pass over.
    Raw(&'a RawValue),
    /// What the tolerant reader made of it.
    Tree(Value<'a>),
}

impl<'a> Envelope<'a> {
    /// Reads a record's JSON. Never fails: what cannot be read is named in [`Envelope::fault`] and in
    /// [`Envelope::wrong_members`].
    #[must_use]
    pub fn parse(json: &'a [u8]) -> Envelope<'a> {
        core::str::from_utf8(json)
            .ok()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_else(|| Envelope::tolerant(json))
    }

    /// The same through the tolerant reader alone.
    #[must_use]
    pub fn tolerant(json: &'a [u8]) -> Envelope<'a> {
        let (value, fault) = json::parse(json);
        let mut envelope = Envelope {
            fault,
            ..Envelope::default()
        };
        let Value::Object(members) = value else {
            return envelope;
        };
        // The first member of a name that repeats is the one that serde_json's path keeps too.
        for (key, value) in members {
            if !RESERVED.contains(&key.as_ref()) {
                if envelope.kind.is_empty() {
                    envelope.kind = key;
                    envelope.metadata = Metadata::Tree(value);
                }
                continue;
            }
            match key.as_ref() {
                "rank" => envelope.rank = scalar(&value),
                "compiled_autograd_id" => envelope.compiled_autograd_id = scalar(&value),
                "frame_id" => envelope.frame_id = scalar(&value),
                "frame_compile_id" => envelope.frame_compile_id = scalar(&value),
                "attempt" => envelope.attempt = scalar(&value),
                "has_payload" => {
                    envelope.has_payload = match value {
                        Value::String(text) => Field::Value(text),
                        Value::Null => Field::Null,
                        _ => Field::Wrong,
                    }
                }
                "stack" => envelope.stack = Metadata::Tree(value),
                _ => {}
            }
        }
        envelope
    }

    /// The names of the envelope's own members that were of another type than PyTorch documents.
    pub fn wrong_members(&self) -> impl Iterator<Item = &'static str> {
        let numbers = [
            ("rank", &self.rank),
            ("compiled_autograd_id", &self.compiled_autograd_id),
            ("frame_id", &self.frame_id),
            ("frame_compile_id", &self.frame_compile_id),
            ("attempt", &self.attempt),
        ];
        numbers
            .into_iter()
            .filter_map(|(name, field)| matches!(field, Field::Wrong).then_some(name))
            .chain(matches!(self.has_payload, Field::Wrong).then_some("has_payload"))
    }

    /// Whether a payload follows, as far as the envelope could be read.
    #[must_use]
    pub fn announces_payload(&self) -> bool {
        self.has_payload.is_present() || self.fault.is_some()
    }
}

/// A kind's metadata type, for any lifetime of the line that it borrows from.
pub trait Kind {
    /// The type.
    type Of<'a>: Deserialize<'a> + Default;
}

impl Metadata<'_> {
    /// Reads the metadata as that type, which borrows from the line, and hands it to `take`. Never
    /// fails: a member that does not fit is noted in it.
    pub fn read<K: Kind, R>(&self, take: impl for<'x> FnOnce(K::Of<'x>) -> R) -> R {
        match self {
            Metadata::None => take(K::Of::default()),
            Metadata::Raw(raw) => match serde_json::from_str(raw.get()) {
                Ok(metadata) => take(metadata),
                // Lone surrogates and numbers beyond f64 pass as raw text and fail here.
                Err(_) => {
                    let (value, _) = json::parse(raw.get().as_bytes());
                    take(K::Of::deserialize(&value).unwrap_or_default())
                }
            },
            Metadata::Tree(value) => take(K::Of::deserialize(value).unwrap_or_default()),
        }
    }
}

fn scalar<T: for<'x> super::field::FromScalar<'x>>(value: &Value<'_>) -> Field<T> {
    Field::deserialize(value).unwrap_or(Field::Wrong)
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Envelope<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a record")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(Key(key)) = map.next_key()? {
                    match key.as_ref() {
                        "rank" => envelope.rank = map.next_value()?,
                        "compiled_autograd_id" => {
                            envelope.compiled_autograd_id = map.next_value()?;
                        }
                        "frame_id" => envelope.frame_id = map.next_value()?,
                        "frame_compile_id" => envelope.frame_compile_id = map.next_value()?,
                        "attempt" => envelope.attempt = map.next_value()?,
                        "has_payload" => envelope.has_payload = map.next_value()?,
                        "stack" => envelope.stack = Metadata::Raw(map.next_value()?),
                        "subgraph_name" => {
                            map.next_value::<IgnoredAny>()?;
                        }
                        _ if envelope.kind.is_empty() => {
                            envelope.metadata = Metadata::Raw(map.next_value()?);
                            envelope.kind = key;
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(envelope)
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// A string that was put into the table: `{"str": ["<text>", 7]}`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interned<'a> {
    /// The text.
    pub text: Option<Cow<'a, str>>,
    /// Its id; where PyTorch wrote another type, `None`.
    pub id: Option<i64>,
}

impl<'de> Deserialize<'de> for Interned<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Two scalars of different types: each is read for what it is.
        let list = super::field::list::<D, super::field::Field<OneScalar<'de>>>(deserializer)?;
        let mut items = list.items.into_iter();
        Ok(Interned {
            text: items
                .next()
                .and_then(|item| super::field::FromScalar::from_scalar(item.0)),
            id: items
                .next()
                .and_then(|item| super::field::FromScalar::from_scalar(item.0)),
        })
    }
}

struct OneScalar<'a>(super::field::Scalar<'a>);

impl<'a> super::field::FromScalar<'a> for OneScalar<'a> {
    fn from_scalar(scalar: super::field::Scalar<'a>) -> Option<Self> {
        Some(OneScalar(scalar))
    }
}

impl Kind for Interned<'static> {
    type Of<'a> = Interned<'a>;
}
