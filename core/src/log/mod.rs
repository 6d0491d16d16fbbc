//! Bytes → records: lines, prefixes, JSON envelopes, payloads.
//!
//! [`split::Splitter`] is fed the text in pieces of any size and says where records lie;
//! [`envelope::Envelope`] reads a record's JSON; [`payload::Payload`] finds and cleans what belongs to it.

pub mod console;
pub mod envelope;
pub(crate) mod escape;
pub mod field;
pub mod json;
pub mod metadata;
pub mod payload;
pub mod prefix;
pub mod recognise;
pub mod split;
