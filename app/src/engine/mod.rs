//! The engine: it reads logs in a worker and answers the page's questions.

pub mod client;
pub mod protocol;
