//! The model → answers that need more than one look-up.

pub mod recompiles;
pub mod remedy;
pub mod search;
