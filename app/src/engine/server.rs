//! The engine's loop in the worker: takes messages, reads logs one after the other, answers questions.
//!
//! Start at [`start`]. Work is cut into slices of at most [`SLICE_MS`]; between them messages are taken,
//! so that a question or a stop never waits for a file. A log's state is borrowed only within a slice.

use super::log::{Log, Store};
use super::protocol::{
    Answer, Case, FromEngine, LogId, MAX_HITS, MAX_MATCHES, Query, Question, ReadState,
    SearchState, TextKey, ToEngine, decode, encode,
};
use super::source::{FileReader, FileSource, bytes_of};
use crate::text::opening;
use dynascope_core::analysis::search;
use dynascope_core::source::Source;
use dynascope_core::source::blocks::Blocks;
use dynascope_core::source::encoding::{Decoder, encoding};
use dynascope_core::source::gunzip::{Gunzip, Limits};
use dynascope_core::source::recognise::{FileKind, HEAD, recognise};
use js_sys::{Array, ArrayBuffer, Promise, Uint8Array};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Read as _;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, DedicatedWorkerGlobalScope, File, MessageChannel, MessageEvent};

/// The longest that the engine works without looking for messages, in milliseconds.
const SLICE_MS: f64 = 10.0;
/// Milliseconds between two reports of progress.
const REPORT_MS: f64 = 100.0;
/// Bytes of a file that are asked for at a time. Larger reads are faster, up to some 16 MiB.
const READ: u64 = 4 << 20;
/// Bytes that are taken between two looks at the clock.
const STEP: usize = 256 << 10;

/// Starts the engine in the worker that runs this.
///
/// # Errors
/// Where this is no worker.
pub fn start() -> Result<(), JsValue> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().dyn_into()?;
    let engine = Rc::new(Engine {
        pauses: Pauses::new()?,
        scope: scope.clone(),
        state: RefCell::default(),
    });
    let on_message = {
        let engine = engine.clone();
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            // A message that cannot be read is a fault of the page, not of a log: it is left out.
            if let Some((message, file)) = read_message(&event.data()) {
                engine.take(message, file);
            }
        })
    };
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The engine lives as long as its worker.
    on_message.forget();
    engine.send(&FromEngine::Ready);
    Ok(())
}

fn read_message(data: &JsValue) -> Option<(ToEngine, Option<File>)> {
    let parts: &Array = data.dyn_ref()?;
    let bytes = Uint8Array::new(parts.get(0).dyn_ref::<ArrayBuffer>()?).to_vec();
    Some((decode(&bytes).ok()?, parts.get(1).dyn_into().ok()))
}

struct Engine {
    scope: DedicatedWorkerGlobalScope,
    pauses: Pauses,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    logs: BTreeMap<LogId, Log>,
    /// Logs that wait to be read.
    waiting: VecDeque<(LogId, Rc<FileSource>)>,
    /// Logs whose payloads wait to be checked.
    unchecked: VecDeque<LogId>,
    /// Whether a task reads and checks.
    running: bool,
    /// The search that goes on.
    search: Option<u32>,
    /// Questions that nobody waits for any longer.
    forgotten: BTreeSet<u32>,
}

impl Engine {
    fn send(&self, message: &FromEngine) {
        let Ok(bytes) = encode(message) else { return };
        let buffer = Uint8Array::from(bytes.as_slice()).buffer();
        // A page that is gone takes no messages, and needs none.
        let _ = self
            .scope
            .post_message_with_transfer(&buffer, &Array::of1(&buffer));
    }

    fn now(&self) -> f64 {
        self.scope.performance().map_or(0.0, |clock| clock.now())
    }

    fn take(self: &Rc<Self>, message: ToEngine, file: Option<File>) {
        match message {
            ToEngine::Open { log, name } => {
                let Some(file) = file else { return };
                let file = Rc::new(FileSource::new(file));
                let mut state = self.state.borrow_mut();
                state.logs.insert(log, Log::new(name, file.clone()));
                state.waiting.push_back((log, file));
                if !std::mem::replace(&mut state.running, true) {
                    spawn_local(self.clone().run());
                }
            }
            ToEngine::Stop { log } => {
                self.with_log(log, |log| {
                    if log.state == ReadState::Reading {
                        log.builder.finish();
                        log.state = ReadState::Stopped;
                    }
                });
                self.report(log);
            }
            ToEngine::Close { log } => {
                self.state.borrow_mut().logs.remove(&log);
            }
            ToEngine::Ask { ticket, question } => {
                spawn_local(self.clone().answer(ticket, question));
            }
            ToEngine::Forget { ticket } => {
                let mut state = self.state.borrow_mut();
                if state.search == Some(ticket) {
                    state.search = None;
                } else {
                    state.forgotten.insert(ticket);
                }
            }
            ToEngine::Search { ticket, text, case } => {
                self.state.borrow_mut().search = Some(ticket);
                spawn_local(self.clone().search(ticket, text, case));
            }
            ToEngine::Find {
                ticket,
                text,
                query,
            } => spawn_local(self.clone().find(ticket, text, query)),
            ToEngine::Save {
                ticket,
                text,
                lines,
            } => spawn_local(self.clone().save(ticket, text, lines)),
            ToEngine::Measure { ticket } => {
                if let Some(file) = file {
                    spawn_local(self.clone().measure(ticket, file));
                }
            }
        }
    }

    /// Does something with a log; `None` where it is closed.
    fn with_log<R>(&self, log: LogId, act: impl FnOnce(&mut Log) -> R) -> Option<R> {
        self.state.borrow_mut().logs.get_mut(&log).map(act)
    }

    /// Does something with a log that is still to be read on; `None` where it was stopped or closed.
    fn while_reading<R>(&self, log: LogId, act: impl FnOnce(&mut Log) -> R) -> Option<R> {
        self.with_log(log, |log| {
            (log.state == ReadState::Reading).then(|| act(log))
        })
        .flatten()
    }

    fn report(&self, log: LogId) {
        let memory = memory_bytes();
        if let Some(progress) = self.with_log(log, |open| open.progress(log, memory)) {
            self.send(&FromEngine::Progress(progress));
        }
    }

    async fn run(self: Rc<Self>) {
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

    async fn read(&self, log: LogId, file: Rc<FileSource>) {
        self.report(log);
        let mut watch = Watch {
            began: self.now(),
            slice: Slice::begin(self),
            reported: self.now(),
        };
        let mut head = vec![0; usize::try_from(file.len()).unwrap_or(HEAD).min(HEAD)];
        let end = match file.read_at(0, &mut head) {
            Err(error) => Some(ReadState::Refused(self.complain(log, &format!("{error}.")))),
            Ok(()) => match recognise(&head) {
                FileKind::Text => self.read_text(log, file, &head, &mut watch).await,
                FileKind::Gzip => {
                    let file = Gunzip::new(FileReader::new(file), Limits::default());
                    self.read_expanded(log, file, &mut watch).await
                }
                FileKind::Utf16 => {
                    let file = Utf16File::new(FileReader::new(file), Limits::default());
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

    fn complain(&self, log: LogId, what: &str) -> String {
        self.with_log(log, |log| log.complain(what))
            .unwrap_or_default()
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
        let mut at = 0;
        let mut coming = file.begin(at, READ);
        while at < file.len() {
            let Ok(Ok(bytes)) = (match coming {
                Ok(coming) => coming.await.map(bytes_of),
                Err(error) => Err(error),
            }) else {
                return Some(gone());
            };
            if bytes.length() == 0 {
                return Some(gone());
            }
            at += u64::from(bytes.length());
            coming = file.begin(at, READ);
            let mut from = 0;
            while from < bytes.length() {
                let step = bytes.subarray(from, bytes.length().min(from + STEP as u32));
                let taken = step.length() as usize;
                let Some(part) = buffer.get_mut(..taken) else {
                    break;
                };
                step.copy_to(part);
                self.while_reading(log, |log| {
                    log.builder.feed(part);
                    log.read_bytes += taken as u64;
                })?;
                from += step.length();
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

    async fn answer(self: Rc<Self>, ticket: u32, question: Question) {
        let log = question.log();
        self.with_log(log, |log| log.begin(&question));
        match self
            .prepare(ticket, log, |log| log.prepare(&question))
            .await
        {
            Ok(true) => {}
            Ok(false) => return,
            Err(sentence) => {
                let answer = Err(sentence);
                return self.send(&FromEngine::Answer { ticket, answer });
            }
        }
        let answer = self
            .with_log(log, |open| {
                open.answer(&question)
                    .map_err(|sentence| open.complain(&sentence))
            })
            .unwrap_or_else(|| Err("This log is closed.".to_owned()));
        self.state.borrow_mut().forgotten.remove(&ticket);
        self.send(&FromEngine::Answer { ticket, answer });
    }

    /// Takes steps until `step` says that all is ready; says whether somebody still waits for it.
    async fn prepare(
        &self,
        ticket: u32,
        log: LogId,
        step: impl Fn(&mut Log) -> Result<bool, String>,
    ) -> Result<bool, String> {
        let mut slice = Slice::begin(self);
        loop {
            if self.state.borrow_mut().forgotten.remove(&ticket) {
                return Ok(false);
            }
            match self.with_log(log, &step) {
                Some(Ok(false)) => {}
                Some(Err(sentence)) => return Err(self.complain(log, &sentence)),
                Some(Ok(true)) | None => return Ok(true),
            }
            slice.rest(self).await;
        }
    }

    /// Reads a text; says whether somebody still waits for it.
    async fn read_whole(&self, ticket: u32, text: TextKey) -> Result<bool, String> {
        self.prepare(ticket, text.log, |log| log.read_text(text, 0))
            .await
    }

    /// Finds places within a text, and sends them as they come.
    async fn find(self: Rc<Self>, ticket: u32, text: TextKey, query: Query) {
        if let Some(Err(why)) = self.find_all(ticket, text, &query).await.transpose() {
            self.send(&FromEngine::Matches {
                ticket,
                matches: Vec::new(),
                searched_rows: 0,
                total_rows: 0,
                state: SearchState::Refused(why),
            });
        }
    }

    /// `None` where nobody waits any longer.
    async fn find_all(
        &self,
        ticket: u32,
        text: TextKey,
        query: &Query,
    ) -> Result<Option<()>, String> {
        if !self.read_whole(ticket, text).await? {
            return Ok(None);
        }
        let Some(find) = self.with_log(text.log, |log| log.find(text, query)) else {
            return Ok(None);
        };
        let mut find = find?;
        let mut matches = Vec::new();
        let mut sent = 0;
        let (mut slice, mut reported) = (Slice::begin(self), self.now());
        loop {
            let room = MAX_MATCHES - sent;
            // Another text may have taken its place among those that are kept.
            if !self.read_whole(ticket, text).await? {
                return Ok(None);
            }
            let step = self.with_log(text.log, |log| {
                log.find_on(text, &mut find, &mut matches, room)
            });
            let Some(step) = step else { return Ok(None) };
            let (total_rows, is_more) = step?;
            let is_full = matches.len() >= room;
            let now = self.now();
            if !is_more || is_full || now - reported > REPORT_MS {
                reported = now;
                sent += matches.len();
                self.send(&FromEngine::Matches {
                    ticket,
                    matches: std::mem::take(&mut matches),
                    searched_rows: find.searched(),
                    total_rows,
                    state: match (is_full, is_more) {
                        (true, _) => SearchState::Full,
                        (_, true) => SearchState::Searching,
                        _ => SearchState::Done,
                    },
                });
            }
            if !is_more || is_full {
                return Ok(Some(()));
            }
            slice.rest(self).await;
        }
    }

    /// Gives a text as a blob.
    async fn save(self: Rc<Self>, ticket: u32, text: TextKey, lines: Option<(u32, u32)>) {
        let (outcome, blob) = match self.save_all(ticket, text, lines).await {
            Ok(None) => return,
            Ok(Some(blob)) => (Ok(()), Some(blob)),
            Err(sentence) => (Err(sentence), None),
        };
        let Ok(bytes) = encode(&FromEngine::Saved { ticket, outcome }) else {
            return;
        };
        let buffer = Uint8Array::from(bytes.as_slice()).buffer();
        let parts = Array::of2(&buffer, &blob.map_or(JsValue::UNDEFINED, JsValue::from));
        let _ = self
            .scope
            .post_message_with_transfer(&parts, &Array::of1(&buffer));
    }

    async fn save_all(
        &self,
        ticket: u32,
        text: TextKey,
        lines: Option<(u32, u32)>,
    ) -> Result<Option<Blob>, String> {
        if !self.read_whole(ticket, text).await? {
            return Ok(None);
        }
        let parts = Array::new();
        let Some(saving) = self.with_log(text.log, |log| log.save(text, lines)) else {
            return Ok(None);
        };
        let mut saving = saving?;
        let mut slice = Slice::begin(self);
        loop {
            if !self.read_whole(ticket, text).await? {
                return Ok(None);
            }
            match self.with_log(text.log, |log| log.save_on(text, &mut saving)) {
                None => return Ok(None),
                Some(Err(sentence)) => return Err(self.complain(text.log, &sentence)),
                Some(Ok(None)) => break,
                Some(Ok(Some(bytes))) => {
                    parts.push(&Uint8Array::from(bytes.as_slice()));
                }
            }
            slice.rest(self).await;
        }
        Blob::new_with_u8_array_sequence(&parts)
            .map(Some)
            .map_err(|_| "The browser has no room for this text.".to_owned())
    }

    /// Searches all open logs, one after the other, and sends what is found as it comes.
    async fn search(self: Rc<Self>, ticket: u32, text: String, case: Case) {
        let logs: Vec<(LogId, u64)> = self
            .state
            .borrow()
            .logs
            .iter()
            .map(|(id, log)| (*id, log.text_bytes()))
            .collect();
        let total_bytes = logs.iter().map(|(_, bytes)| bytes).sum();
        let send = |hits, searched_bytes, state| {
            self.send(&FromEngine::Hits {
                ticket,
                hits,
                searched_bytes,
                total_bytes,
                state,
            });
        };
        let (mut before, mut count, mut hits) = (0, 0, Vec::new());
        let (mut slice, mut reported) = (Slice::begin(&self), self.now());
        for (log, bytes) in logs {
            let mut search = search::Search::new(&text, case);
            while let Some(Some(found)) = self.with_log(log, |open| open.search(log, &mut search)) {
                // One stretch of text may hold more hits than are shown at all.
                let room = MAX_HITS - count;
                count += found.len().min(room);
                hits.extend(found.into_iter().take(room));
                let searched_bytes = before + search.searched();
                if count >= MAX_HITS {
                    return send(hits, searched_bytes, SearchState::Full);
                }
                let now = self.now();
                if now - reported > REPORT_MS {
                    reported = now;
                    send(
                        std::mem::take(&mut hits),
                        searched_bytes,
                        SearchState::Searching,
                    );
                }
                slice.rest(&self).await;
                if self.state.borrow().search != Some(ticket) {
                    return;
                }
            }
            before += bytes;
        }
        send(hits, before, SearchState::Done);
    }

    /// Only reads a file, as the reading of a plain log does: the floor of a benchmark.
    async fn measure(self: Rc<Self>, ticket: u32, file: File) {
        let began = self.now();
        let file = FileSource::new(file);
        let mut buffer = vec![0; STEP];
        let mut at = 0;
        let mut coming = file.begin(at, READ);
        while at < file.len() {
            let Ok(Ok(bytes)) = (match coming {
                Ok(coming) => coming.await.map(bytes_of),
                Err(error) => Err(error),
            }) else {
                break;
            };
            if bytes.length() == 0 {
                break;
            }
            at += u64::from(bytes.length());
            coming = file.begin(at, READ);
            let mut from = 0;
            while from < bytes.length() {
                let step = bytes.subarray(from, bytes.length().min(from + STEP as u32));
                if let Some(part) = buffer.get_mut(..step.length() as usize) {
                    step.copy_to(part);
                }
                from += step.length();
            }
        }
        let seconds = (self.now() - began) / 1000.0;
        self.send(&FromEngine::Answer {
            ticket,
            answer: Ok(Answer::Measured { bytes: at, seconds }),
        });
    }
}

/// A file whose text comes out of it step by step.
trait Expand {
    /// Puts the next stretch into `out`; gives its length, 0 at the end.
    fn expand(&mut self, out: &mut [u8]) -> Result<usize, String>;

    /// Bytes of the file that were taken so far.
    fn taken(&self) -> u64;
}

impl Expand for Gunzip<FileReader> {
    fn expand(&mut self, out: &mut [u8]) -> Result<usize, String> {
        self.read(out).map_err(|error| error.to_string())
    }

    fn taken(&self) -> u64 {
        Gunzip::taken(self)
    }
}

/// A file in UTF-16, within the limit of what is kept.
struct Utf16File {
    file: FileReader,
    limit: u64,
}

impl Utf16File {
    fn new(file: FileReader, limits: Limits) -> Self {
        // Text of Latin letters becomes half as long.
        let limit = limits.total.saturating_mul(2);
        Utf16File { file, limit }
    }
}

impl Expand for Utf16File {
    fn expand(&mut self, out: &mut [u8]) -> Result<usize, String> {
        if self.file.taken() >= self.limit {
            return Err(opening::utf16_too_large(self.limit));
        }
        self.file.read(out).map_err(|error| error.to_string())
    }

    fn taken(&self) -> u64 {
        self.file.taken()
    }
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

/// Work that goes on without a look for messages.
struct Slice {
    began: f64,
}

impl Slice {
    fn begin(engine: &Engine) -> Self {
        Slice {
            began: engine.now(),
        }
    }

    fn is_over(&self, engine: &Engine) -> bool {
        engine.now() - self.began >= SLICE_MS
    }

    /// Lets messages in where the slice is over, and begins the next one.
    async fn rest(&mut self, engine: &Engine) {
        if self.is_over(engine) {
            engine.pauses.pause().await;
            *self = Slice::begin(engine);
        }
    }
}

/// When to look for messages, and when to report.
struct Watch {
    began: f64,
    slice: Slice,
    reported: f64,
}

impl Watch {
    async fn look(&mut self, engine: &Engine, log: LogId) {
        if !self.slice.is_over(engine) {
            return;
        }
        let now = engine.now();
        if now - self.reported > REPORT_MS {
            self.report(engine, log, now);
        }
        self.slice.rest(engine).await;
    }

    fn report(&mut self, engine: &Engine, log: LogId, now: f64) {
        self.reported = now;
        engine.with_log(log, |log| log.seconds = (now - self.began) / 1000.0);
        engine.report(log);
    }

    fn finish(&mut self, engine: &Engine, log: LogId) {
        let now = engine.now();
        self.report(engine, log, now);
    }
}

fn memory_bytes() -> u64 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    u64::from(
        memory
            .buffer()
            .unchecked_into::<ArrayBuffer>()
            .byte_length(),
    )
}

/// Lets the worker take messages. A timer would wait some milliseconds; a message to oneself does not.
struct Pauses {
    sender: web_sys::MessagePort,
    waiting: Rc<RefCell<VecDeque<js_sys::Function>>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

impl Pauses {
    fn new() -> Result<Self, JsValue> {
        let channel = MessageChannel::new()?;
        let waiting: Rc<RefCell<VecDeque<js_sys::Function>>> = Rc::default();
        let on_message = {
            let waiting = waiting.clone();
            Closure::<dyn FnMut(MessageEvent)>::new(move |_: MessageEvent| {
                let next = waiting.borrow_mut().pop_front();
                if let Some(resolve) = next {
                    let _ = resolve.call0(&JsValue::UNDEFINED);
                }
            })
        };
        channel
            .port1()
            .set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        Ok(Pauses {
            sender: channel.port2(),
            waiting,
            _on_message: on_message,
        })
    }

    async fn pause(&self) {
        let promise = Promise::new(&mut |resolve, _| {
            self.waiting.borrow_mut().push_back(resolve);
            let _ = self.sender.post_message(&JsValue::UNDEFINED);
        });
        let _ = JsFuture::from(promise).await;
    }
}
