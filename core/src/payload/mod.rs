//! The languages that payloads are written in, one a file.

pub mod recompile;
pub mod text;
