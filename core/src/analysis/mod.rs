//! The model → answers that need more than one look-up.

pub mod failure;
pub mod guard_diff;
pub mod inputs;
pub mod metadata;
pub mod recompiles;
pub mod remedy;
pub mod search;
#[cfg(feature = "std")]
pub mod text_diff;
