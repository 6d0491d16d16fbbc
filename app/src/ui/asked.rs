//! One question to the engine, asked again as the log grows.
//!
//! Start at [`asked`]. The answer before stays on the screen until the next one is there, so that
//! nothing flickers.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use crate::engine::client::{EngineClient, Ticket};
use crate::engine::protocol::{Answer, Question};
use crate::text;

/// How long the page waits before it asks again while a log is read, in milliseconds.
const PAUSE: u32 = 200;

/// How much of a log is known: views ask again when it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Growth {
    /// Records found.
    pub records: u64,
    /// Whether reading has ended.
    pub is_complete: bool,
}

/// What the engine answered.
#[derive(Debug)]
pub(crate) struct Asked<T: Send + Sync + 'static> {
    /// The latest answer, or a sentence that says what is wrong; nothing until the first comes.
    pub value: RwSignal<Option<Result<T, String>>>,
    /// Counts the questions that were answered for the first time: a change is a new view.
    pub fresh: RwSignal<u32>,
}

impl<T: Send + Sync + 'static> Clone for Asked<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Asked<T> {}

impl<T: Clone + Send + Sync + 'static> Asked<T> {
    /// The latest good answer.
    pub(crate) fn good(self) -> Option<T> {
        self.value.with(|value| {
            value
                .as_ref()
                .and_then(|value| value.as_ref().ok())
                .cloned()
        })
    }

    /// The sentence that says what is wrong.
    pub(crate) fn wrong(self) -> Option<String> {
        self.value.with(|value| {
            value
                .as_ref()
                .and_then(|value| value.as_ref().err())
                .cloned()
        })
    }
}

#[derive(Default)]
struct Pending {
    ticket: Option<Ticket>,
    timer: Option<Timeout>,
    again: bool,
    /// Whether the answer is the first to its question.
    is_new: bool,
}

struct Asker<T: Send + Sync + 'static> {
    engine: EngineClient,
    question: Memo<Question>,
    pick: fn(Answer) -> Option<T>,
    pending: StoredValue<Pending, LocalStorage>,
    asked: Asked<T>,
}

impl<T: Send + Sync + 'static> Clone for Asker<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Asker<T> {}

/// Asks `question`, again whenever it changes or `growth` does, and takes `T` out of the answer.
pub(crate) fn asked<T>(
    engine: EngineClient,
    question: Memo<Question>,
    growth: Memo<Growth>,
    pick: fn(Answer) -> Option<T>,
) -> Asked<T>
where
    T: PartialEq + Send + Sync + 'static,
{
    let asked = Asked {
        value: RwSignal::new(None),
        fresh: RwSignal::new(0),
    };
    let asker = Asker {
        engine,
        question,
        pick,
        pending: StoredValue::new_local(Pending::default()),
        asked,
    };
    Effect::new(move |_| {
        question.track();
        asker.ask(true);
    });
    Effect::new(move |before: Option<Growth>| {
        let now = growth.get();
        if before.is_some_and(|before| before != now) {
            if now.is_complete {
                asker.ask(false);
            } else {
                asker.refresh();
            }
        }
        now
    });
    asked
}

impl<T: PartialEq + Send + Sync + 'static> Asker<T> {
    fn ask(self, is_new: bool) {
        let Some(question) = self.question.try_get_untracked() else {
            return;
        };
        let old = self.pending.try_update_value(std::mem::take);
        let is_new = is_new || old.as_ref().is_some_and(|old| old.is_new);
        drop(old);
        let ticket = self
            .engine
            .ask(question, move |answer| self.answered(answer));
        let _ = self.pending.try_update_value(|pending| {
            pending.ticket = Some(ticket);
            pending.is_new = is_new;
        });
    }

    fn refresh(self) {
        let _ = self.pending.try_update_value(|pending| {
            if pending.ticket.is_some() || pending.timer.is_some() {
                pending.again = true;
            } else {
                pending.timer = Some(self.timer());
            }
        });
    }

    fn timer(self) -> Timeout {
        Timeout::new(PAUSE, move || {
            // This timer must not be dropped while it runs, so it is put aside first.
            let timer = self
                .pending
                .try_update_value(|pending| pending.timer.take())
                .flatten();
            self.ask(false);
            drop(timer);
        })
    }

    fn answered(self, answer: Result<Answer, String>) {
        let value = answer.and_then(|answer| {
            (self.pick)(answer).ok_or_else(|| text::ANSWER_UNEXPECTED.to_owned())
        });
        let mut is_new = false;
        let ticket = self.pending.try_update_value(|pending| {
            is_new = std::mem::take(&mut pending.is_new);
            if std::mem::take(&mut pending.again) {
                pending.timer = Some(self.timer());
            }
            pending.ticket.take()
        });
        drop(ticket);
        let is_same = self
            .asked
            .value
            .try_with_untracked(|old| old.as_ref() == Some(&value))
            .unwrap_or(true);
        if !is_same {
            let _ = self.asked.value.try_set(Some(value));
        }
        if is_new {
            let _ = self
                .asked
                .fresh
                .try_update(|fresh| *fresh = fresh.wrapping_add(1));
        }
    }
}
