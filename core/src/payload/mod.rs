//! The languages that payloads are written in, one a file.

pub mod annotation;
pub mod colour;
pub mod compile_times;
pub mod explain;
pub mod find;
pub mod fx_graph;
pub mod graph_break;
pub mod guard_tree;
pub mod limit_warning;
pub mod plain;
pub mod pretty;
pub mod recompile;
pub mod text;
pub mod traceback;
pub mod warning;
