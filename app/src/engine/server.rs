//! The engine's loop in the worker: takes messages, reads logs one after the other, answers questions.
//!
//! Start at [`start`]. Work is cut into slices of some milliseconds ([`slices`]); between them messages are taken,
//! so that a question or a stop never waits for a file. A log's state is borrowed only within a slice.
//! [`reading`] and [`expanding`] make logs of files, [`answering`] and [`searching`] do what the page asks.

mod answering;
mod expanding;
mod reading;
mod searching;
mod slices;

use super::log::Log;
use super::protocol::{FromEngine, LogId, ReadState, ToEngine, decode, encode};
use super::source::FileSource;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use slices::Pauses;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

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

    fn complain(&self, log: LogId, what: &str) -> String {
        self.with_log(log, |log| log.complain(what))
            .unwrap_or_default()
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
