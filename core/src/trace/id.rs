//! How PyTorch names compilations: torch/_guards.py, `CompileId` and `TraceId`.

use crate::log::envelope::Envelope;
use core::fmt;

/// A compile id, without the attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CompileId {
    /// Id of the compiled autograd graph, since 2.7.
    pub compiled_autograd_id: Option<u32>,
    /// Id of the frame. Absent for the capture of a compiled autograd graph itself.
    pub frame_id: Option<u32>,
    /// Which compilation of the frame.
    pub frame_compile_id: Option<u32>,
}

/// Frames from this one on have no id in the log. They were numbered to tell them apart: console logs of 2.0
/// hold no ids at all, and `recompiles` of 2.1 to 2.3 none.
const ASSUMED: u32 = 1 << 30;

impl CompileId {
    /// Makes up an id, where the log holds none; it is written with a `?`.
    #[must_use]
    pub fn assumed(frame: u32, frame_compile_id: u32) -> CompileId {
        CompileId {
            compiled_autograd_id: None,
            frame_id: Some(ASSUMED.saturating_add(frame)),
            frame_compile_id: Some(frame_compile_id),
        }
    }

    /// Whether the id was made up.
    #[must_use]
    pub fn is_assumed(&self) -> bool {
        self.frame_id.is_some_and(|id| id >= ASSUMED)
    }

    /// The id that a record carries, if it carries one.
    #[must_use]
    pub fn of(envelope: &Envelope<'_>) -> Option<CompileId> {
        let id = CompileId {
            compiled_autograd_id: envelope.compiled_autograd_id.get().copied(),
            frame_id: envelope.frame_id.get().copied(),
            frame_compile_id: envelope.frame_compile_id.get().copied(),
        };
        (id.compiled_autograd_id.is_some()
            || id.frame_id.is_some()
            || id.frame_compile_id.is_some())
        .then_some(id)
    }

    /// Reads an id as PyTorch writes it, without brackets and attempt: `0/1`, `!3`, `!3/0/0`; or one that was
    /// made up: `?0/1`.
    #[must_use]
    pub fn parse(text: &str) -> Option<CompileId> {
        let part = |text: &str| {
            if text == "-" {
                Some(None)
            } else {
                text.parse().ok().map(Some)
            }
        };
        if let Some((frame, compile)) = text.strip_prefix('?').and_then(|text| text.split_once('/'))
        {
            return Some(CompileId::assumed(
                frame.parse().ok()?,
                compile.parse().ok()?,
            ));
        }
        let (autograd, frame) = match text.strip_prefix('!') {
            None => (None, text),
            Some(rest) => match rest.split_once('/') {
                None => {
                    let id = rest.parse().ok()?;
                    return Some(CompileId {
                        compiled_autograd_id: Some(id),
                        frame_id: None,
                        frame_compile_id: None,
                    });
                }
                Some((id, frame)) => (Some(id.parse().ok()?), frame),
            },
        };
        let (frame, compile) = frame.split_once('/')?;
        let id = CompileId {
            compiled_autograd_id: autograd,
            frame_id: part(frame)?,
            frame_compile_id: part(compile)?,
        };
        (id != CompileId {
            compiled_autograd_id: None,
            frame_id: None,
            frame_compile_id: None,
        })
        .then_some(id)
    }
}

/// As PyTorch writes it, without brackets; what the record lacks is `-`. What was made up begins with `?`.
impl fmt::Display for CompileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.compiled_autograd_id {
            write!(f, "!{id}")?;
            if self.frame_id.is_none() && self.frame_compile_id.is_none() {
                return Ok(());
            }
            f.write_str("/")?;
        }
        let part = |f: &mut fmt::Formatter<'_>, id: Option<u32>| match id {
            Some(id) if id >= ASSUMED => write!(f, "?{}", id - ASSUMED),
            Some(id) => write!(f, "{id}"),
            None => f.write_str("-"),
        };
        part(f, self.frame_id)?;
        f.write_str("/")?;
        part(f, self.frame_compile_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn ids_are_written_and_read_as_pytorch_writes_them() {
        for text in ["0/0", "12/3", "!3", "!3/0/1", "-/4", "7/-", "?0/1"] {
            assert_eq!(CompileId::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "0", "a/b", "!", "!x/0/0", "0/0/0", "-/-", "??0/1", "?0"] {
            assert_eq!(CompileId::parse(text), None, "{text}");
        }
    }
}
