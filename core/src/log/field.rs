//! Fields that lose only themselves: a value of another type than PyTorch documents is noted, and the
//! rest of the record is read all the same.
//!
//! [`Field`] holds a scalar, [`List`] a list, and [`record!`] makes a struct of them that reads from
//! serde_json and from [`super::json::Value`] alike.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A member of a record's metadata.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Field<T> {
    /// The record has no such member.
    #[default]
    Absent,
    /// It is `null`.
    Null,
    /// Its value.
    Value(T),
    /// Its value is of another type than PyTorch documents.
    Wrong,
}

impl<T> Field<T> {
    /// The value, where there is one.
    pub fn get(&self) -> Option<&T> {
        match self {
            Field::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the record has the member, of whatever type.
    pub fn is_present(&self) -> bool {
        !matches!(self, Field::Absent)
    }
}

impl<T> Field<T> {
    /// The value itself, where there is one.
    pub fn into_option(self) -> Option<T> {
        match self {
            Field::Value(value) => Some(value),
            _ => None,
        }
    }
}

/// A list whose items of another type are left out and noted.
#[derive(Debug, Clone, PartialEq)]
pub struct List<T> {
    /// The items that could be read.
    pub items: Vec<T>,
    /// Whether it was no list, or an item was of another type.
    pub wrong: bool,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List {
            items: Vec::new(),
            wrong: false,
        }
    }
}

/// Any scalar; containers are read past.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar<'a> {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number that is no integer, or too large for one.
    Float(f64),
    /// A string.
    Str(Cow<'a, str>),
    /// An array or an object.
    Container,
}

impl<'de> Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Scalar<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_unit<E>(self) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Null)
            }
            fn visit_none<E>(self) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Int(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Scalar<'de>, E> {
                Ok(i64::try_from(value).map_or(Scalar::Float(value as f64), Scalar::Int))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Float(value))
            }
            fn visit_str<E>(self, value: &str) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Str(Cow::Owned(value.into())))
            }
            fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Str(Cow::Borrowed(value)))
            }
            fn visit_string<E>(self, value: String) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Str(Cow::Owned(value)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Scalar::Container)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Scalar::Container)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

/// A type that a scalar can be.
pub trait FromScalar<'a>: Sized {
    /// The value, or `None` where the scalar is of another type.
    fn from_scalar(scalar: Scalar<'a>) -> Option<Self>;
}

impl<'a> FromScalar<'a> for bool {
    fn from_scalar(scalar: Scalar<'a>) -> Option<Self> {
        if let Scalar::Bool(value) = scalar {
            Some(value)
        } else {
            None
        }
    }
}

impl<'a> FromScalar<'a> for i64 {
    fn from_scalar(scalar: Scalar<'a>) -> Option<Self> {
        match scalar {
            Scalar::Int(value) => Some(value),
            // A count that Python wrote as 1.0 is still that count.
            #[allow(clippy::cast_possible_truncation)]
            Scalar::Float(value) if value % 1.0 == 0.0 && value.abs() < 9e15 => Some(value as i64),
            _ => None,
        }
    }
}

impl<'a> FromScalar<'a> for u32 {
    fn from_scalar(scalar: Scalar<'a>) -> Option<Self> {
        i64::from_scalar(scalar).and_then(|value| value.try_into().ok())
    }
}

impl<'a> FromScalar<'a> for f64 {
    fn from_scalar(scalar: Scalar<'a>) -> Option<Self> {
        match scalar {
            Scalar::Int(value) => Some(value as f64),
            Scalar::Float(value) => Some(value),
            _ => None,
        }
    }
}

impl<'a> FromScalar<'a> for Cow<'a, str> {
    fn from_scalar(scalar: Scalar<'a>) -> Option<Self> {
        if let Scalar::Str(value) = scalar {
            Some(value)
        } else {
            None
        }
    }
}

/// A size or stride: a number, or a symbol such as `s0`, which PyTorch writes as a string.
#[derive(Debug, Clone, PartialEq)]
pub enum SymInt<'a> {
    /// A number.
    Int(i64),
    /// An expression over symbols.
    Expr(Cow<'a, str>),
}

impl<'a> FromScalar<'a> for SymInt<'a> {
    fn from_scalar(scalar: Scalar<'a>) -> Option<Self> {
        match scalar {
            Scalar::Int(value) => Some(SymInt::Int(value)),
            Scalar::Str(value) => Some(SymInt::Expr(value)),
            _ => None,
        }
    }
}

impl<'de, T: FromScalar<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Scalar::deserialize(deserializer)? {
            Scalar::Null => Field::Null,
            scalar => T::from_scalar(scalar).map_or(Field::Wrong, Field::Value),
        })
    }
}

/// What can be an item of a [`List`].
pub trait Item<'de>: Deserialize<'de> {
    /// What the list keeps.
    type Kept;
    /// The item, or `None` where it is of another type.
    fn keep(self) -> Option<Self::Kept>;
}

impl<'de, T: FromScalar<'de>> Item<'de> for Field<T> {
    type Kept = T;
    fn keep(self) -> Option<T> {
        self.into_option()
    }
}

/// Reads a list of scalars or records; `null` is an empty one.
pub(super) fn list<'de, D, I>(deserializer: D) -> Result<List<I::Kept>, D::Error>
where
    D: Deserializer<'de>,
    I: Item<'de>,
{
    struct Reader<I>(PhantomData<I>);
    impl<'de, I: Item<'de>> Visitor<'de> for Reader<I> {
        type Value = List<I::Kept>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(List::default())
        }
        fn visit_none<E>(self) -> Result<Self::Value, E> {
            Ok(List::default())
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(List {
                items: Vec::new(),
                wrong: true,
            })
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(List {
                items: Vec::new(),
                wrong: true,
            })
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(List {
                items: Vec::new(),
                wrong: true,
            })
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(List {
                items: Vec::new(),
                wrong: true,
            })
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(List {
                items: Vec::new(),
                wrong: true,
            })
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(List {
                items: Vec::new(),
                wrong: true,
            })
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut list = List::default();
            while let Some(item) = seq.next_element::<I>()? {
                match item.keep() {
                    Some(item) => list.items.push(item),
                    None => list.wrong = true,
                }
            }
            Ok(list)
        }
    }
    deserializer.deserialize_any(Reader::<I>(PhantomData))
}

impl<'de, T: FromScalar<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        list::<D, Field<T>>(deserializer)
    }
}

/// Reads a member by its type: how [`record!`] treats all members alike.
pub trait Member<'de>: Deserialize<'de> {
    /// Whether the member was of another type than PyTorch documents.
    fn is_wrong(&self) -> bool;
}

impl<'de, T: FromScalar<'de>> Member<'de> for Field<T> {
    fn is_wrong(&self) -> bool {
        matches!(self, Field::Wrong)
    }
}

impl<'de, T> Member<'de> for List<T>
where
    List<T>: Deserialize<'de>,
{
    fn is_wrong(&self) -> bool {
        self.wrong
    }
}

/// What all metadata types can tell.
pub trait Record {
    /// How many members were of another type than PyTorch documents.
    fn wrong_count(&self) -> usize;
}

/// Makes a struct whose members are read leniently from a JSON object. Other members are passed over,
/// and anything that is no object gives a struct without members, with `no_object` set.
macro_rules! record {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $name<'a> {
            $($(#[$doc])* pub $field: $type,)*
            /// Whether it was no object at all.
            pub no_object: bool,
            #[doc(hidden)]
            pub lifetime: core::marker::PhantomData<&'a ()>,
        }

        impl<'a> $name<'a> {
            /// The names of the members that were of another type than PyTorch documents.
            pub fn wrong_members(&self) -> impl Iterator<Item = &'static str> {
                [$((stringify!($field), $crate::log::field::Member::is_wrong(&self.$field)),)*]
                    .into_iter()
                    .filter_map(|(name, wrong)| wrong.then_some(name))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name<'de> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Reader;
                impl Reader {
                    fn none<'a, E>() -> Result<$name<'a>, E> {
                        Ok($name { no_object: true, ..Default::default() })
                    }
                }
                impl<'de> serde::de::Visitor<'de> for Reader {
                    type Value = $name<'de>;
                    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                        f.write_str("an object")
                    }
                    fn visit_unit<E>(self) -> Result<Self::Value, E> { Self::none() }
                    fn visit_none<E>(self) -> Result<Self::Value, E> { Self::none() }
                    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Self::none() }
                    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Self::none() }
                    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Self::none() }
                    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Self::none() }
                    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Self::none() }
                    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                        Self::none()
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                        let mut out = $name::default();
                        while let Some($crate::log::field::Key(key)) = map.next_key()? {
                            match key.as_ref() {
                                $(stringify!($field) => out.$field = map.next_value()?,)*
                                _ => { map.next_value::<serde::de::IgnoredAny>()?; }
                            }
                        }
                        Ok(out)
                    }
                }
                deserializer.deserialize_any(Reader)
            }
        }

        impl $crate::log::field::Record for $name<'_> {
            fn wrong_count(&self) -> usize {
                self.wrong_members().count() + usize::from(self.no_object)
            }
        }

        impl $crate::log::envelope::Kind for $name<'static> {
            type Of<'a> = $name<'a>;
        }

        impl<'de> $crate::log::field::Item<'de> for $name<'de> {
            type Kept = $name<'de>;
            fn keep(self) -> Option<Self> {
                (!self.no_object).then_some(self)
            }
        }
    };
}
pub(super) use record;

/// A member's name, borrowed where it can be.
pub(super) struct Key<'a>(pub(super) Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }
            fn visit_str<E>(self, value: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(value.into())))
            }
            fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(value)))
            }
        }
        deserializer.deserialize_str(Reader)
    }
}
