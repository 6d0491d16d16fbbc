//! Answers questions, and gives texts as blobs. What an answer needs is prepared in slices.

use super::Engine;
use super::slices::Slice;
use crate::engine::log::Log;
use crate::engine::protocol::{FromEngine, LogId, Question, TextKey, encode};
use js_sys::{Array, Uint8Array};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::Blob;

impl Engine {
    pub(super) async fn answer(self: Rc<Self>, ticket: u32, question: Question) {
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

    /// Gives a text as a blob.
    pub(super) async fn save(
        self: Rc<Self>,
        ticket: u32,
        text: TextKey,
        lines: Option<(u32, u32)>,
    ) {
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

    /// Reads a text; says whether somebody still waits for it.
    pub(super) async fn read_whole(&self, ticket: u32, text: TextKey) -> Result<bool, String> {
        self.prepare(ticket, text.log, |log| log.read_text(text, 0))
            .await
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
}
