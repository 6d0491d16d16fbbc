//! Slices of work, between which the engine looks for messages and reports how far it is.

use super::Engine;
use crate::engine::protocol::LogId;
use js_sys::Promise;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, MessageEvent};

/// Milliseconds between two reports of progress.
pub(super) const REPORT_MS: f64 = 100.0;

/// The longest that the engine works without looking for messages, in milliseconds.
const SLICE_MS: f64 = 10.0;

/// Work that goes on without a look for messages.
pub(super) struct Slice {
    began: f64,
}

impl Slice {
    pub(super) fn begin(engine: &Engine) -> Self {
        Slice {
            began: engine.now(),
        }
    }

    fn is_over(&self, engine: &Engine) -> bool {
        engine.now() - self.began >= SLICE_MS
    }

    /// Lets messages in where the slice is over, and begins the next one.
    pub(super) async fn rest(&mut self, engine: &Engine) {
        if self.is_over(engine) {
            engine.pauses.pause().await;
            *self = Slice::begin(engine);
        }
    }
}

/// When to look for messages, and when to report.
pub(super) struct Watch {
    began: f64,
    slice: Slice,
    reported: f64,
}

impl Watch {
    pub(super) fn begin(engine: &Engine) -> Self {
        Watch {
            began: engine.now(),
            slice: Slice::begin(engine),
            reported: engine.now(),
        }
    }

    pub(super) async fn look(&mut self, engine: &Engine, log: LogId) {
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

    pub(super) fn finish(&mut self, engine: &Engine, log: LogId) {
        let now = engine.now();
        self.report(engine, log, now);
    }
}

/// Lets the worker take messages. A timer would wait some milliseconds; a message to oneself does not.
pub(super) struct Pauses {
    sender: web_sys::MessagePort,
    waiting: Rc<RefCell<VecDeque<js_sys::Function>>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

impl Pauses {
    pub(super) fn new() -> Result<Self, JsValue> {
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
