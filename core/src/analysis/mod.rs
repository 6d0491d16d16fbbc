//! The model → answers that need more than one look-up.

pub mod metadata;
pub mod search;
