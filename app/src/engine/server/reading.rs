//! Reads the files that were opened, and checks their payloads while nothing else is to be done.
//!
//! Start at [`Engine::run`], which takes them one after the other.

use super::Engine;
use super::expanding::{Expand, KeptFile};
use super::slices::{Slice, Watch};
use crate::engine::log::{Log, Store};
use crate::engine::protocol::{Answer, FromEngine, LogId, ReadState};
use crate::engine::source::{FileReader, FileSource, Stretches};
use crate::text::opening;
use dynascope_core::source::Source;
use dynascope_core::source::blocks::Blocks;
use dynascope_core::source::encoding::{Decoder, encoding};
use dynascope_core::source::gunzip::{Gunzip, Limits};
use dynascope_core::source::recognise::{FileKind, HEAD, recognise};
use js_sys::Uint8Array;
use std::rc::Rc;
use web_sys::File;

/// Bytes of a file that are asked for at a time. Larger reads are faster, up to some 16 MiB.
const READ: u64 = 4 << 20;

/// Bytes that are taken between two looks at the clock.
const STEP: usize = 256 << 10;

impl Engine {
    pub(super) async fn run(self: Rc<Self>) {
        loop {
            let next = self.state.borrow_mut().waiting.pop_front();
            if let Some((log, file)) = next {
                self.read(log, file).await;
                self.state.borrow_mut().unchecked.push_back(log);
                continue;
            }
            let next = self.state.borrow_mut().unchecked.pop_front();
            let Some(log) = next else { break };
            self.check(log).await;
        }
        self.state.borrow_mut().running = false;
    }

    /// Only reads a file, as the reading of a plain log does: the floor of a benchmark.
    pub(super) async fn measure(self: Rc<Self>, ticket: u32, file: File) {
        let began = self.now();
        let mut stretches = Stretches::of(Rc::new(FileSource::new(file)), READ);
        let mut buffer = vec![0; STEP];
        while let Some(Ok(bytes)) = stretches.next().await {
            for step in steps(&bytes) {
                if let Some(part) = buffer.get_mut(..step.length() as usize) {
                    step.copy_to(part);
                }
            }
        }
        let seconds = (self.now() - began) / 1000.0;
        self.send(&FromEngine::Answer {
            ticket,
            answer: Ok(Answer::Measured {
                bytes: stretches.taken(),
                seconds,
            }),
        });
    }

    async fn read(&self, log: LogId, file: Rc<FileSource>) {
        self.report(log);
        let mut watch = Watch::begin(self);
        let mut head = vec![0; usize::try_from(file.len()).unwrap_or(HEAD).min(HEAD)];
        let end = match file.read_at(0, &mut head) {
            Err(error) => Some(ReadState::Refused(self.complain(log, &format!("{error}.")))),
            Ok(()) => match recognise(&head) {
                FileKind::Text => {
                    let end = self.read_text(log, file.clone(), &head, &mut watch).await;
                    let is_one_line = |log: &mut Log| log.begin_anew_where_returns_end_lines();
                    if self.while_reading(log, is_one_line) == Some(true) {
                        let file = KeptFile::with_line_feeds(file, Limits::default());
                        self.read_expanded(log, file, &mut watch).await
                    } else {
                        end
                    }
                }
                FileKind::Gzip => {
                    let file = Gunzip::new(FileReader::new(file), Limits::default());
                    self.read_expanded(log, file, &mut watch).await
                }
                FileKind::Utf16 => {
                    let file = KeptFile::utf16(file, Limits::default());
                    self.read_expanded(log, file, &mut watch).await
                }
                other => Some(ReadState::Refused(
                    self.complain(log, &opening::refusal(other)),
                )),
            },
        };
        let Some(end) = end else { return };
        if self
            .while_reading(log, |log| log.builder.finish())
            .is_none()
        {
            return watch.finish(self, log);
        }
        // Plain output is a log where it tells of a failure or the like.
        let mut has_findings = None;
        while has_findings.is_none() {
            let look = |log: &mut Log| log.has_findings().unwrap_or(Some(false));
            match self.while_reading(log, look) {
                Some(found) => has_findings = found,
                None => break,
            }
            watch.look(self, log).await;
        }
        self.while_reading(log, |log| {
            if end == ReadState::Done {
                log.take_fingerprint();
            }
            let is_log = log.builder.trace().records > 0 || has_findings == Some(true);
            log.state = if !is_log {
                without_records(log, end)
            } else {
                end
            };
        });
        watch.finish(self, log);
    }

    /// Reads a plain file, behind the mark that may stand in front of UTF-8. The next stretch is on its way
    /// while this one is indexed.
    async fn read_text(
        &self,
        log: LogId,
        mut file: Rc<FileSource>,
        head: &[u8],
        watch: &mut Watch,
    ) -> Option<ReadState> {
        let mark = encoding(head).mark as u64;
        if mark > 0 {
            file = Rc::new(file.behind(mark));
            self.with_log(log, |log| {
                log.store = Store::File(file.clone());
                log.read_bytes = mark;
            })?;
        }
        let gone = || {
            let what = "it was changed, moved or deleted while it was read. Open it again to read it anew.";
            ReadState::BrokeOff(self.complain(log, what))
        };
        let mut buffer = vec![0; STEP];
        let mut stretches = Stretches::of(file, READ);
        while let Some(bytes) = stretches.next().await {
            let Ok(bytes) = bytes else {
                return Some(gone());
            };
            for step in steps(&bytes) {
                let taken = step.length() as usize;
                let Some(part) = buffer.get_mut(..taken) else {
                    break;
                };
                step.copy_to(part);
                self.while_reading(log, |log| {
                    log.builder.feed(part);
                    log.read_bytes += taken as u64;
                })?;
                watch.look(self, log).await;
            }
        }
        Some(ReadState::Done)
    }

    /// Reads a file whose text is not as it stands: it is made UTF-8, and kept, compressed in blocks.
    async fn read_expanded(
        &self,
        log: LogId,
        mut file: impl Expand,
        watch: &mut Watch,
    ) -> Option<ReadState> {
        self.with_log(log, |log| log.store = Store::Expanded(Blocks::default()))?;
        let (mut decoder, mut decoded) = (Decoder::new(), Vec::new());
        let mut buffer = vec![0; STEP];
        loop {
            let read = file.expand(&mut buffer);
            let text = match read {
                Ok(length) if length > 0 => {
                    decoder.decode(buffer.get(..length).unwrap_or_default(), &mut decoded)
                }
                _ => decoder.finish(&mut decoded),
            };
            let taken = file.taken();
            self.while_reading(log, |log| {
                log.push_expanded(text);
                log.read_bytes = taken;
            })?;
            match read {
                Ok(0) => return Some(ReadState::Done),
                Ok(_) => watch.look(self, log).await,
                Err(error) => {
                    let what = format!("{error}. What came before is shown.");
                    return Some(ReadState::BrokeOff(self.complain(log, &what)));
                }
            }
        }
    }

    /// Checks all payloads of a log, while nothing else is to be done.
    async fn check(&self, log: LogId) {
        let mut index = 0;
        let mut slice = Slice::begin(self);
        loop {
            if !self.state.borrow().waiting.is_empty() {
                self.state.borrow_mut().unchecked.push_back(log);
                return;
            }
            match self.with_log(log, |log| log.check_some(index)) {
                None => return,
                Some(None) => break,
                Some(Some(next)) => index = next,
            }
            slice.rest(self).await;
        }
        // The health may have changed.
        self.report(log);
    }
}

/// The pieces of a stretch that are taken between two looks at the clock.
fn steps(bytes: &Uint8Array) -> impl Iterator<Item = Uint8Array> + '_ {
    let length = bytes.length();
    let starts = (0..length).step_by(STEP);
    starts.map(move |from| bytes.subarray(from, length.min(from + STEP as u32)))
}

/// What a file is refused with in which no record was found.
fn without_records(log: &Log, end: ReadState) -> ReadState {
    match end {
        ReadState::Refused(sentence) => ReadState::Refused(sentence),
        ReadState::BrokeOff(sentence) => {
            ReadState::Refused(opening::broke_off_without_records(&sentence))
        }
        _ => {
            let first = log.builder.trace().first_text.as_deref();
            let what = opening::without_records(log.builder.lines(), first);
            ReadState::Refused(log.complain(&what))
        }
    }
}
