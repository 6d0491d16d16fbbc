//! The page of Dynascope and its engine.
//!
//! Two programs are built from this crate: the page (`main.rs`) and the engine in its worker
//! (`bin/engine.rs`). What they say to each other is in [`engine::protocol`]. The page's entry is
//! [`view::start`]; its addresses are in [`route`], its words in [`text`].

// A view's type is as deep as its elements; the page is one view.
#![recursion_limit = "512"]

pub mod engine;
pub mod route;
pub mod text;
mod ui;
pub mod view;
