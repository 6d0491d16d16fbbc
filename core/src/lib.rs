//! Reads the logs of `torch.compile`: bytes in, a model of what was compiled out.
//!
//! Nothing here does I/O, knows a clock or a page. Data flows one way: [`source`] gives bytes at an
//! offset, [`log`] finds records in them, [`trace`] makes the model, [`payload`] reads what records
//! carry; [`layout`] places the boxes of a graph. The example `facts` shows the whole way, and prints what the crate knows of a log as JSON.
//!
//! What is here without the feature `std` is `no_std` with `alloc`. Every parser is total: any input
//! gives a value, and problems beside it.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod analysis;
pub mod log;
pub mod payload;
pub mod source;
pub mod trace;

pub use dynascope_layout as layout;
