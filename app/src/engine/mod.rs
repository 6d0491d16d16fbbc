//! The engine: it reads logs in a worker and answers the page's questions.
//!
//! [`protocol`] is what page and engine say to each other. [`client`] is the page's side. On the
//! worker's side [`server`] takes messages, [`log`] holds what is open, [`answers`], [`texts`], [`guards`],
//! [`graphs`], [`frames`], [`breaks`], [`diffs`] and [`failures`] make view models ([`shelf`] keeps parsed payloads
//! ready for them), and [`source`] alone touches files.

pub mod answers;
pub mod breaks;
pub mod client;
pub mod diffs;
mod evidence;
pub mod failures;
#[cfg(test)]
mod fixture;
pub mod frames;
pub mod graphs;
pub mod guards;
pub mod log;
pub mod protocol;
pub mod server;
pub mod shelf;
pub mod source;
pub mod texts;
