//! The languages that payloads are written in, one a file.

pub mod guard_tree;
pub mod text;
