//! The languages that payloads are written in, one a file.

pub mod annotation;
pub mod colour;
pub mod find;
pub mod fx_graph;
pub mod guard_tree;
pub mod pretty;
pub mod recompile;
pub mod text;
