//! The model → answers that need more than one look-up.

pub mod failure;
pub mod graph_breaks;
#[cfg(feature = "std")]
pub mod graph_diff;
pub mod graph_groups;
pub mod graph_summary;
pub mod guard_diff;
pub mod inputs;
pub mod metadata;
pub mod recompiles;
pub mod remedy;
mod repeats;
pub mod search;
#[cfg(feature = "std")]
pub mod text_diff;
