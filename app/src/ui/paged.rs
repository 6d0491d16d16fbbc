//! Rows that lie in the engine, fetched in stretches as they come into view.
//!
//! Start at [`Paged`]. Rows that were fetched stay on the screen until newer ones are there; a new
//! question (another order, another filter) replaces them all at once when its first rows arrive.

use std::collections::BTreeMap;
use std::ops::Range;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use super::asked::Growth;
use super::rows::Rows;
use crate::engine::client::{EngineClient, Ticket};
use crate::engine::protocol::{Answer, Question};
use crate::text;

/// Rows of one stretch.
const STRETCH: u32 = 128;

/// Stretches that are kept around the screen.
const KEPT: usize = 24;

/// How long the page waits before it asks again while a log is read, in milliseconds.
const PAUSE: u32 = 200;

/// A stretch of rows, as an answer holds it, with what else the answer says.
pub(crate) struct Stretch<T, H> {
    /// The place of the first row.
    pub first: u32,
    /// The rows.
    pub rows: Vec<T>,
    /// How many rows there are in all.
    pub total: u64,
    /// What else the answer says.
    pub head: H,
}

/// How rows are asked for.
pub(crate) struct Source<T, H> {
    /// The question for a stretch: its first row and how many.
    pub question: Box<dyn Fn(u32, u32) -> Question>,
    /// Takes the stretch out of the answer.
    pub pick: fn(Answer) -> Option<Stretch<T, H>>,
}

/// Rows in the engine. Copies are the same rows.
pub(crate) struct Paged<T: Send + Sync + 'static, H: Send + Sync + 'static> {
    engine: EngineClient,
    held: StoredValue<Held<T, H>, LocalStorage>,
    version: RwSignal<u64>,
    /// How many rows there are in all.
    pub total: RwSignal<u64>,
    /// What else the latest answer says, or a sentence that says what is wrong.
    pub head: RwSignal<Option<Result<H, String>>>,
    /// Counts the questions that were answered for the first time: a change is a new view.
    pub fresh: RwSignal<u32>,
}

impl<T: Send + Sync + 'static, H: Send + Sync + 'static> Clone for Paged<T, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static, H: Send + Sync + 'static> Copy for Paged<T, H> {}

struct Held<T, H> {
    source: Option<Source<T, H>>,
    /// Counts the questions: stretches of an older one are replaced.
    question: u32,
    /// The latest question of which a stretch was answered.
    shown: Option<u32>,
    stretches: BTreeMap<u32, Fetched<T>>,
    wanted: Range<u32>,
    timer: Option<Timeout>,
    again: bool,
}

struct Fetched<T> {
    rows: Vec<T>,
    question: u32,
    is_stale: bool,
    ticket: Option<Ticket>,
}

impl<T, H> Paged<T, H>
where
    T: Clone + PartialEq + Send + Sync + 'static,
    H: Clone + PartialEq + Send + Sync + 'static,
{
    /// No rows yet.
    pub(crate) fn new(engine: EngineClient) -> Self {
        Self {
            engine,
            held: StoredValue::new_local(Held {
                source: None,
                question: 0,
                shown: None,
                stretches: BTreeMap::new(),
                wanted: 0..1,
                timer: None,
                again: false,
            }),
            version: RwSignal::new(0),
            total: RwSignal::new(0),
            head: RwSignal::new(None),
            fresh: RwSignal::new(0),
        }
    }

    /// Asks another question from now on.
    pub(crate) fn set_source(self, source: Source<T, H>) {
        let tickets = self.held.try_update_value(|held| {
            held.source = Some(source);
            held.question = held.question.wrapping_add(1);
            held.stretches
                .values_mut()
                .filter_map(|fetched| fetched.ticket.take())
                .collect::<Vec<_>>()
        });
        drop(tickets);
        self.fetch();
    }

    /// The log grew: asks again for what is on the screen; after a pause, unless no more is to come.
    pub(crate) fn refresh(self, growth: Growth) {
        if growth.is_complete {
            let old = self.held.try_update_value(|held| {
                held.again = false;
                let stretches = held.stretches.values_mut();
                let tickets = stretches.filter_map(|fetched| {
                    fetched.is_stale = true;
                    fetched.ticket.take()
                });
                let tickets: Vec<Ticket> = tickets.collect();
                (held.timer.take(), tickets)
            });
            drop(old);
            return self.fetch();
        }
        let _ = self.held.try_update_value(|held| {
            if held.timer.is_some()
                || held
                    .stretches
                    .values()
                    .any(|fetched| fetched.ticket.is_some())
            {
                held.again = true;
            } else {
                held.timer = Some(self.timer());
            }
        });
    }

    /// Asks again whenever the log grew.
    pub(crate) fn grow(self, growth: Memo<Growth>) {
        Effect::new(move |before: Option<Growth>| {
            let now = growth.get();
            if before.is_some_and(|before| before != now) {
                self.refresh(now);
            }
            now
        });
    }

    /// Asks again whenever the log grew, as long as the answer says that something is wrong: a record that was
    /// not read yet may be there when more of the log is.
    pub(crate) fn retry(self, growth: Memo<Growth>) {
        Effect::new(move |before: Option<Growth>| {
            let now = growth.get();
            let is_missing = self
                .head
                .with_untracked(|head| matches!(head, Some(Err(_))));
            if is_missing && before.is_some_and(|before| before != now) {
                self.refresh(now);
            }
            now
        });
    }

    /// Says which rows are on the screen.
    pub(crate) fn want(self, rows: Range<u64>) {
        let place = |row: u64| u32::try_from(row / u64::from(STRETCH)).unwrap_or(u32::MAX);
        let stretches = place(rows.start)..place(rows.end.saturating_sub(1)).saturating_add(1);
        let unwanted = self.held.try_update_value(|held| {
            held.wanted = stretches;
            let wanted = held.wanted.clone();
            let passed = held
                .stretches
                .iter_mut()
                .filter(|(place, _)| !wanted.contains(place));
            passed
                .filter_map(|(_, fetched)| fetched.ticket.take())
                .collect::<Vec<_>>()
        });
        drop(unwanted);
        self.fetch();
    }

    /// Fetches the rows that are drawn.
    pub(crate) fn follow(self, rows: Rows) {
        let drawn = rows.drawn();
        Effect::new(move |_| self.want(drawn.get()));
    }

    /// A row, where it has been fetched.
    pub(crate) fn row(self, row: u64) -> Option<T> {
        self.version.track();
        self.peek(row)
    }

    /// A row, where it has been fetched, without following its changes.
    pub(crate) fn peek(self, row: u64) -> Option<T> {
        let row = u32::try_from(row).ok()?;
        let place = usize::try_from(row % STRETCH).ok()?;
        self.held
            .try_with_value(|held| {
                held.stretches
                    .get(&(row / STRETCH))?
                    .rows
                    .get(place)
                    .cloned()
            })
            .flatten()
    }

    fn fetch(self) {
        let missing = self.held.try_with_value(|held| {
            let is_missing = |stretch: &u32| {
                held.stretches.get(stretch).is_none_or(|fetched| {
                    fetched.ticket.is_none()
                        && (fetched.is_stale || fetched.question != held.question)
                })
            };
            held.wanted
                .clone()
                .filter(is_missing)
                .take(KEPT)
                .collect::<Vec<_>>()
        });
        for stretch in missing.unwrap_or_default() {
            self.fetch_one(stretch);
        }
    }

    fn fetch_one(self, stretch: u32) {
        let question = self.held.try_with_value(|held| {
            let source = held.source.as_ref()?;
            Some((
                (source.question)(stretch.saturating_mul(STRETCH), STRETCH),
                held.question,
            ))
        });
        let Some((question, number)) = question.flatten() else {
            return;
        };
        let ticket = self.engine.ask(question, move |answer| {
            self.answered(stretch, number, answer);
        });
        let old = self.held.try_update_value(|held| {
            let fetched = held.stretches.entry(stretch).or_insert_with(|| Fetched {
                rows: Vec::new(),
                question: number,
                is_stale: true,
                ticket: None,
            });
            fetched.ticket.replace(ticket)
        });
        drop(old);
    }

    fn answered(self, stretch: u32, number: u32, answer: Result<Answer, String>) {
        let Some(pick) = self
            .held
            .try_with_value(|held| held.source.as_ref().map(|source| source.pick))
            .flatten()
        else {
            return;
        };
        let answer = answer
            .and_then(|answer| pick(answer).ok_or_else(|| text::ANSWER_UNEXPECTED.to_owned()));
        let mut is_first = false;
        let (total, head) = match answer {
            Ok(Stretch {
                first,
                rows,
                total,
                head,
            }) => {
                let dropped = self.held.try_update_value(|held| {
                    is_first = held.shown.replace(number) != Some(number);
                    let mut dropped = Vec::new();
                    if is_first {
                        // Rows of the question before would stand in a wrong order.
                        held.stretches.retain(|_, fetched| fetched.ticket.is_some());
                        held.stretches
                            .values_mut()
                            .for_each(|fetched| fetched.rows.clear());
                    }
                    if let Some(fetched) = held.stretches.get_mut(&stretch) {
                        dropped.extend(fetched.ticket.take());
                        fetched.question = number;
                        fetched.is_stale = false;
                        fetched.rows = if first == stretch.saturating_mul(STRETCH) {
                            rows
                        } else {
                            Vec::new()
                        };
                    }
                    held.trim();
                    held.settle(self);
                    dropped
                });
                drop(dropped);
                (Some(total), Ok(head))
            }
            Err(why) => {
                let ticket = self.held.try_update_value(|held| {
                    is_first = held.shown.replace(number) != Some(number);
                    let fetched = held.stretches.get_mut(&stretch)?;
                    fetched.question = number;
                    fetched.is_stale = false;
                    let ticket = fetched.ticket.take();
                    held.settle(self);
                    ticket
                });
                drop(ticket);
                (None, Err(why))
            }
        };
        if let Some(total) = total
            && self.total.try_get_untracked() != Some(total)
        {
            let _ = self.total.try_set(total);
        }
        let is_same = self
            .head
            .try_with_untracked(|old| old.as_ref() == Some(&head))
            .unwrap_or(true);
        if !is_same {
            let _ = self.head.try_set(Some(head));
        }
        let _ = self
            .version
            .try_update(|version| *version = version.wrapping_add(1));
        if is_first {
            let _ = self
                .fresh
                .try_update(|fresh| *fresh = fresh.wrapping_add(1));
        }
    }

    fn timer(self) -> Timeout {
        Timeout::new(PAUSE, move || {
            let timer = self.held.try_update_value(|held| {
                held.stretches
                    .values_mut()
                    .for_each(|fetched| fetched.is_stale = true);
                held.timer.take()
            });
            self.fetch();
            drop(timer);
        })
    }
}

impl<T, H> Held<T, H> {
    /// Drops stretches far from the screen.
    fn trim(&mut self) {
        let middle = self.wanted.start.midpoint(self.wanted.end);
        while self.stretches.len() > KEPT {
            let farthest = self
                .stretches
                .keys()
                .max_by_key(|place| place.abs_diff(middle))
                .copied();
            let Some(farthest) = farthest else { return };
            if self.wanted.contains(&farthest) {
                return;
            }
            // A ticket of a stretch this far away was answered or taken back long ago.
            self.stretches.remove(&farthest);
        }
    }

    /// Asks again after a pause where the log grew while an answer was on its way.
    fn settle(&mut self, paged: Paged<T, H>)
    where
        T: Clone + PartialEq + Send + Sync + 'static,
        H: Clone + PartialEq + Send + Sync + 'static,
    {
        let is_quiet = self.timer.is_none()
            && self
                .stretches
                .values()
                .all(|fetched| fetched.ticket.is_none());
        if is_quiet && std::mem::take(&mut self.again) {
            self.timer = Some(paged.timer());
        }
    }
}
