//! The page's side of the wire: opens logs, asks questions, hears answers and progress.
//!
//! Start at [`EngineClient`]. It may be used before the engine runs: what is said until then waits.
//! A question that nobody waits for any longer is taken back when its [`Ticket`] is dropped.

use std::collections::BTreeMap;
use std::rc::Rc;

use gloo_events::EventListener;
use js_sys::{Array, ArrayBuffer, Promise, Reflect, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ErrorEvent, File, MessageEvent, Worker};

use super::protocol::{
    Answer, Case, FromEngine, Hit, LogId, Match, Progress, Query, Question, SearchState, TextKey,
    ToEngine, decode, encode,
};
use crate::text;

/// How the engine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineState {
    /// It is being loaded.
    Starting,
    /// It runs.
    Ready,
    /// It cannot run, or broke off: a sentence for the reader.
    Failed(String),
}

/// The engine, as the page sees it. Copies are the same engine.
#[derive(Debug, Clone, Copy)]
pub struct EngineClient {
    wire: StoredValue<Wire, LocalStorage>,
    /// How the engine is.
    pub state: RwSignal<EngineState>,
}

/// A question that waits for its answer. Dropping it takes the question back.
#[derive(Debug)]
pub struct Ticket {
    number: u32,
    client: EngineClient,
}

/// More of what a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Hits in the order of the logs and of their text.
    pub hits: Vec<Hit>,
    /// Bytes of text that were searched, of all logs.
    pub searched_bytes: u64,
    /// Bytes of text of all logs.
    pub total_bytes: u64,
    /// Whether the search goes on.
    pub state: SearchState,
}

/// More places that were found within a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// The places in the order of the text.
    pub matches: Vec<Match>,
    /// Rows that were searched.
    pub searched_rows: u32,
    /// Rows of the text.
    pub total_rows: u32,
    /// Whether it goes on.
    pub state: SearchState,
}

impl Matched {
    /// Nothing was found, for a reason.
    fn refused(why: String) -> Self {
        Self {
            matches: Vec::new(),
            searched_rows: 0,
            total_rows: 0,
            state: SearchState::Refused(why),
        }
    }
}

/// What waits for word from the engine.
enum Waiting {
    /// For the answer to a question.
    Answer(Box<dyn FnOnce(Result<Answer, String>)>),
    /// For a blob.
    Blob(Box<dyn FnOnce(Result<Blob, String>)>),
    /// For what a search finds in all logs, as often as it comes.
    Hits(Rc<dyn Fn(Result<Found, String>)>),
    /// For what is found within a text, as often as it comes.
    Matches(Rc<dyn Fn(Matched)>),
}

impl Waiting {
    /// Nothing comes any longer, for a reason.
    fn fail(self, why: String) {
        match self {
            Waiting::Answer(then) => then(Err(why)),
            Waiting::Blob(then) => then(Err(why)),
            Waiting::Hits(hear) => hear(Err(why)),
            Waiting::Matches(hear) => hear(Matched::refused(why)),
        }
    }
}

type Heard = Box<dyn Fn(Progress)>;

struct Wire {
    worker: Option<Worker>,
    outbox: Vec<(ToEngine, Option<File>)>,
    next_ticket: u32,
    waiting: BTreeMap<u32, Waiting>,
    heard: Rc<Heard>,
    listeners: Vec<EventListener>,
}

impl EngineClient {
    /// Reaches for the engine that `init.js` is starting. `heard` is told of every progress.
    ///
    /// Call it under an owner that lives as long as the page.
    pub fn start(heard: impl Fn(Progress) + 'static) -> Self {
        let client = Self {
            wire: StoredValue::new_local(Wire {
                worker: None,
                outbox: Vec::new(),
                next_ticket: 0,
                waiting: BTreeMap::new(),
                heard: Rc::new(Box::new(heard)),
                listeners: Vec::new(),
            }),
            state: RwSignal::new(EngineState::Starting),
        };
        wasm_bindgen_futures::spawn_local(async move {
            match started_worker().await {
                Ok(worker) => client.adopt(worker),
                Err(why) => client.fail(why),
            }
        });
        client
    }

    /// Opens a file as the log `log`.
    pub fn open(self, log: LogId, name: &str, file: &File) {
        self.send(
            ToEngine::Open {
                log,
                name: name.to_owned(),
            },
            Some(file.clone()),
        );
    }

    /// Stops reading a log; what was read stays.
    pub fn stop(self, log: LogId) {
        self.send(ToEngine::Stop { log }, None);
    }

    /// Forgets a log.
    pub fn close(self, log: LogId) {
        self.send(ToEngine::Close { log }, None);
    }

    /// Asks; `then` is called with the answer, unless the ticket is dropped before it comes.
    #[must_use]
    pub fn ask(
        self,
        question: Question,
        then: impl FnOnce(Result<Answer, String>) + 'static,
    ) -> Ticket {
        let message = |ticket| ToEngine::Ask { ticket, question };
        self.ticket(Waiting::Answer(Box::new(then)), message)
    }

    /// Looks for a text in all open logs; `found` is called with hits as they come, until the ticket is
    /// dropped, or with a sentence where the engine broke off.
    #[must_use]
    pub fn search(
        self,
        text: String,
        case: Case,
        found: impl Fn(Result<Found, String>) + 'static,
    ) -> Ticket {
        let message = |ticket| ToEngine::Search { ticket, text, case };
        self.ticket(Waiting::Hits(Rc::new(found)), message)
    }

    /// Finds places within a text; `found` is called with them as they come, until the ticket is dropped.
    #[must_use]
    pub fn find(self, text: TextKey, query: Query, found: impl Fn(Matched) + 'static) -> Ticket {
        let message = |ticket| ToEngine::Find {
            ticket,
            text,
            query,
        };
        self.ticket(Waiting::Matches(Rc::new(found)), message)
    }

    /// Asks for a text, or lines of it, as a blob; `then` is called with it, or with a sentence for the reader.
    pub fn save(
        self,
        text: TextKey,
        lines: Option<(u32, u32)>,
        then: impl FnOnce(Result<Blob, String>) + 'static,
    ) {
        let message = |ticket| ToEngine::Save {
            ticket,
            text,
            lines,
        };
        self.begin(Waiting::Blob(Box::new(then)), message);
    }

    fn ticket(self, waiting: Waiting, message: impl FnOnce(u32) -> ToEngine) -> Ticket {
        Ticket {
            number: self.begin(waiting, message),
            client: self,
        }
    }

    /// Sends a message that something waits for, under the next number.
    fn begin(self, waiting: Waiting, message: impl FnOnce(u32) -> ToEngine) -> u32 {
        let number = self.wire.try_update_value(|wire| {
            let number = wire.next_ticket;
            wire.next_ticket = wire.next_ticket.wrapping_add(1);
            wire.waiting.insert(number, waiting);
            number
        });
        let number = number.unwrap_or_default();
        if let EngineState::Failed(why) = self.state.get_untracked() {
            wasm_bindgen_futures::spawn_local(async move {
                if let Some(waiting) = self.take(number) {
                    waiting.fail(why);
                }
            });
        } else {
            self.send(message(number), None);
        }
        number
    }

    /// What waits under a number, which waits no longer. It may ask again, so it is called when the wire is no
    /// longer borrowed.
    fn take(self, number: u32) -> Option<Waiting> {
        self.wire
            .try_update_value(|wire| wire.waiting.remove(&number))
            .flatten()
    }

    /// What waits under a number; it waits on where more is to come.
    fn hear<T>(
        self,
        number: u32,
        state: &SearchState,
        pick: impl Fn(&Waiting) -> Option<T>,
    ) -> Option<T> {
        let picked = self
            .wire
            .try_with_value(|wire| wire.waiting.get(&number).and_then(pick));
        if *state != SearchState::Searching {
            drop(self.take(number));
        }
        picked.flatten()
    }

    fn adopt(self, worker: Worker) {
        let message = EventListener::new(&worker, "message", move |event| {
            let Some(data) = event.dyn_ref::<MessageEvent>().map(MessageEvent::data) else {
                return;
            };
            // A blob comes beside its message.
            let (data, blob) = match data.dyn_ref::<Array>() {
                Some(parts) => (parts.get(0), parts.get(1).dyn_into::<Blob>().ok()),
                None => (data, None),
            };
            let Ok(buffer) = data.dyn_into::<ArrayBuffer>() else {
                return;
            };
            let bytes = Uint8Array::new(&buffer).to_vec();
            match decode::<FromEngine>(&bytes) {
                Ok(FromEngine::Ready) => self.state.set(EngineState::Ready),
                Ok(FromEngine::Progress(progress)) => {
                    if let Some(heard) = self.wire.try_with_value(|wire| wire.heard.clone()) {
                        heard(progress);
                    }
                }
                Ok(FromEngine::Answer { ticket, answer }) => self.answered(ticket, answer),
                Ok(FromEngine::Hits {
                    ticket,
                    hits,
                    searched_bytes,
                    total_bytes,
                    state,
                }) => self.found(
                    ticket,
                    Found {
                        hits,
                        searched_bytes,
                        total_bytes,
                        state,
                    },
                ),
                Ok(FromEngine::Matches {
                    ticket,
                    matches,
                    searched_rows,
                    total_rows,
                    state,
                }) => self.matched(
                    ticket,
                    Matched {
                        matches,
                        searched_rows,
                        total_rows,
                        state,
                    },
                ),
                Ok(FromEngine::Saved { ticket, outcome }) => {
                    if let Some(Waiting::Blob(then)) = self.take(ticket) {
                        let absent = || text::ANSWER_UNEXPECTED.to_owned();
                        then(outcome.and_then(|()| blob.ok_or_else(absent)));
                    }
                }
                Err(_) => self.fail(text::ENGINE_UNREADABLE.to_owned()),
            }
        });
        let error = EventListener::new(&worker, "error", move |event| {
            let why = event
                .dyn_ref::<ErrorEvent>()
                .map(ErrorEvent::message)
                .unwrap_or_default();
            self.fail(text::engine_broke(&why));
        });
        let outbox = self.wire.try_update_value(|wire| {
            wire.worker = Some(worker);
            wire.listeners = vec![message, error];
            std::mem::take(&mut wire.outbox)
        });
        for (message, file) in outbox.unwrap_or_default() {
            self.send(message, file);
        }
    }

    fn fail(self, why: String) {
        self.state.set(EngineState::Failed(why.clone()));
        let waiting = self
            .wire
            .try_update_value(|wire| std::mem::take(&mut wire.waiting));
        for waiting in waiting.unwrap_or_default().into_values() {
            waiting.fail(why.clone());
        }
    }

    fn answered(self, ticket: u32, answer: Result<Answer, String>) {
        if let Some(Waiting::Answer(then)) = self.take(ticket) {
            then(answer);
        }
    }

    fn found(self, ticket: u32, found: Found) {
        let hear = self.hear(ticket, &found.state, |waiting| match waiting {
            Waiting::Hits(hear) => Some(hear.clone()),
            _ => None,
        });
        if let Some(hear) = hear {
            hear(Ok(found));
        }
    }

    fn matched(self, ticket: u32, matched: Matched) {
        let hear = self.hear(ticket, &matched.state, |waiting| match waiting {
            Waiting::Matches(hear) => Some(hear.clone()),
            _ => None,
        });
        if let Some(hear) = hear {
            hear(matched);
        }
    }

    fn send(self, message: ToEngine, file: Option<File>) {
        let worker = self
            .wire
            .try_with_value(|wire| wire.worker.clone())
            .flatten();
        match worker {
            Some(worker) => {
                if post(&worker, &message, file.as_ref()).is_err() {
                    self.fail(text::ENGINE_UNREACHABLE.to_owned());
                }
            }
            None => {
                let _ = self
                    .wire
                    .try_update_value(|wire| wire.outbox.push((message, file)));
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let number = self.number;
        let waited = self.client.wire.try_update_value(|wire| {
            wire.outbox.retain(
                |(message, _)| !matches!(
                    message,
                    ToEngine::Ask { ticket, .. } | ToEngine::Search { ticket, .. } | ToEngine::Find { ticket, .. }
                        if *ticket == number
                ),
            );
            wire.waiting.remove(&number)
        });
        if waited.flatten().is_some() {
            self.client.send(ToEngine::Forget { ticket: number }, None);
        }
    }
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire")
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}

/// The worker that `init.js` makes, or a sentence that says why there is none.
async fn started_worker() -> Result<Worker, String> {
    let promise = Reflect::get(&js_sys::global(), &JsValue::from_str("dynascopeEngine"))
        .ok()
        .and_then(|value| value.dyn_into::<Promise>().ok())
        .ok_or_else(|| text::ENGINE_ABSENT.to_owned())?;
    let value = JsFuture::from(promise).await.map_err(|error| {
        let why = error
            .dyn_ref::<js_sys::Error>()
            .map(|error| String::from(error.message()));
        why.unwrap_or_else(|| text::ENGINE_ABSENT.to_owned())
    })?;
    value
        .dyn_into::<Worker>()
        .map_err(|_| text::ENGINE_ABSENT.to_owned())
}

/// Sends a message; its bytes are handed over, not copied.
fn post(worker: &Worker, message: &ToEngine, file: Option<&File>) -> Result<(), JsValue> {
    let bytes = encode(message).map_err(|error| JsValue::from_str(&error.to_string()))?;
    let buffer = Uint8Array::from(bytes.as_slice()).buffer();
    let parts = Array::of2(
        &buffer,
        file.map_or(&JsValue::UNDEFINED, |file| file.as_ref()),
    );
    worker.post_message_with_transfer(&parts, &Array::of1(&buffer))
}
