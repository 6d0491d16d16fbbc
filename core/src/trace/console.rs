//! What a console message is: the record that it corresponds to, and what it tells of a compilation.

mod progress;
mod subject;

pub(super) use progress::{FramePlace, Phase, Progress, Step, Unassigned, is_front_end};
pub(super) use subject::{Subject, logger, name_length, settled};
