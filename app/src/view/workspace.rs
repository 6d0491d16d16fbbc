//! What is open and what is shown: the one state that all views share.
//!
//! Start at [`Workspace`]. The address is the truth of what is shown: following a link changes the
//! address, and the address changes the view. Nothing else does.

use std::collections::BTreeMap;

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::kept::Spot;
use super::search::Searched;
use super::theme;
use crate::engine::client::{EngineClient, EngineState, Ticket};
use crate::engine::protocol::{LogId, Progress, Question, ReadState};
use crate::route::{Address, LogName, Place};
use crate::text;
use crate::text::format;
use crate::ui::asked::Growth;
use crate::ui::files::{Found, worth_a_try};
use crate::ui::heading::Arrival;
use crate::ui::visible::plain;

/// How long a sentence is shown that goes away by itself, in milliseconds.
const BRIEF: u32 = 4_000;

/// A log that was opened.
#[derive(Debug, Clone)]
pub(crate) struct OpenLog {
    /// Its name in addresses and messages.
    pub id: LogId,
    /// Its file's name.
    pub name: String,
    /// How far it was read, as it is shown: the end is shown when the views know all of it, too.
    pub progress: ArcRwSignal<Progress>,
    growth: ArcRwSignal<Growth>,
    /// Which files were opened together with it.
    batch: u32,
}

impl OpenLog {
    /// How much of it is known.
    pub(crate) fn growth(&self) -> Memo<Growth> {
        let growth = self.growth.clone();
        Memo::new(move |_| growth.get())
    }

    /// Whether nothing of it is shown.
    pub(crate) fn is_refused(&self) -> bool {
        self.progress
            .with(|progress| matches!(progress.state, ReadState::Refused(_)))
    }

    /// What tells its text from another's, where all of it was read.
    fn print(&self) -> Option<String> {
        self.progress.with(|progress| progress.fingerprint.clone())
    }

    /// The same, without following changes.
    fn print_now(&self) -> Option<String> {
        self.progress
            .with_untracked(|progress| progress.fingerprint.clone())
    }

    /// Whether nothing of it is shown, without following changes.
    fn is_refused_now(&self) -> bool {
        self.progress
            .with_untracked(|progress| matches!(progress.state, ReadState::Refused(_)))
    }
}

/// What is open and what is shown. Copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Workspace {
    /// The engine.
    pub engine: EngineClient,
    /// The logs in the order in which they were opened, refused ones too.
    pub logs: RwSignal<Vec<OpenLog>>,
    /// What is shown.
    pub address: RwSignal<Address>,
    /// What screen readers are told.
    pub said: RwSignal<String>,
    /// Sentences for the reader that stay until they are put away.
    pub notices: RwSignal<Vec<String>>,
    /// A sentence that is shown for a moment.
    pub brief: RwSignal<String>,
    /// The colours that the reader chose.
    pub theme: RwSignal<String>,
    /// Whether lines of text are wrapped.
    pub wraps: RwSignal<bool>,
    /// Whether the palette is shown.
    pub palette_shown: RwSignal<bool>,
    /// Whether the list of keys is shown.
    pub keys_shown: RwSignal<bool>,
    /// Whether the next view's heading takes the focus.
    pub arrival: Arrival,
    /// The step of the browser's history that is shown: a number that only it has.
    pub step: RwSignal<u64>,
    /// What the latest search found.
    pub searched: StoredValue<Option<Searched>>,
    spots: StoredValue<BTreeMap<(u64, &'static str), Spot>>,
    tables: StoredValue<BTreeMap<LogId, (u64, f64)>>,
    endings: StoredValue<BTreeMap<LogId, Ticket>, LocalStorage>,
    next_log: StoredValue<LogId>,
    next_batch: StoredValue<u32>,
    listeners: StoredValue<Vec<EventListener>, LocalStorage>,
    fading: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Workspace {
    /// An empty workspace that shows what the address says.
    pub(crate) fn start() -> Self {
        let logs = RwSignal::new(Vec::<OpenLog>::new());
        let heard = StoredValue::new_local(None::<Box<dyn Fn(Progress)>>);
        let workspace = Self {
            engine: EngineClient::start(move |progress| {
                heard.with_value(|heard| {
                    if let Some(heard) = heard {
                        heard(progress);
                    }
                });
            }),
            logs,
            address: RwSignal::new(Address::decode(&fragment())),
            said: RwSignal::new(String::new()),
            notices: RwSignal::new(Vec::new()),
            brief: RwSignal::new(String::new()),
            fading: StoredValue::new_local(None),
            theme: theme::restore(),
            wraps: RwSignal::new(false),
            palette_shown: RwSignal::new(false),
            keys_shown: RwSignal::new(false),
            arrival: Arrival::new(),
            step: RwSignal::new(step_of_history()),
            searched: StoredValue::new(None),
            spots: StoredValue::new(BTreeMap::new()),
            tables: StoredValue::new(BTreeMap::new()),
            endings: StoredValue::new_local(BTreeMap::new()),
            next_log: StoredValue::new(0),
            next_batch: StoredValue::new(0),
            listeners: StoredValue::new_local(Vec::new()),
        };
        heard.set_value(Some(Box::new(move |progress| workspace.hear(progress))));
        Effect::new(move |_| {
            if let EngineState::Failed(why) = workspace.engine.state.get() {
                workspace.lose_all(&why);
            }
        });
        Effect::new(move |_| workspace.compare_print());
        if let Some(window) = web_sys::window() {
            let follow = move |_: &web_sys::Event| workspace.follow();
            // A link, 'back' and 'forward' all come as one of these.
            let listeners =
                ["hashchange", "popstate"].map(|event| EventListener::new(&window, event, follow));
            workspace.listeners.set_value(listeners.into());
        }
        workspace
    }

    /// A log that is open, and not refused.
    pub(crate) fn log(self, id: LogId) -> Option<OpenLog> {
        self.logs
            .with(|logs| logs.iter().find(|log| log.id == id).cloned())
    }

    /// The address of a view of a log.
    pub(crate) fn link(self, log: LogId, place: Place) -> String {
        let (name, print) = self.logs.with_untracked(|logs| {
            logs.iter()
                .find(|open| open.id == log)
                .map(|open| (open.name.clone(), open.print_now().unwrap_or_default()))
                .unwrap_or_default()
        });
        Address::of(log, &name, place).with_print(&print).encode()
    }

    /// Goes to a view, as if a link to it had been followed.
    pub(crate) fn go(self, address: &Address) {
        if let Some(window) = web_sys::window() {
            let _ = window.location().set_hash(&address.encode());
        }
    }

    /// Changes the address of what is shown, without a step in the browser's history.
    pub(crate) fn amend(self, address: Address) {
        if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
            // The step stays the same one.
            let state = history.state().unwrap_or(JsValue::NULL);
            let _ = history.replace_state_with_url(&state, "", Some(&address.encode()));
        }
        if self.address.get_untracked() != address {
            self.address.set(address);
        }
    }

    /// Opens files as logs, and shows the first of them, or what the address asks for.
    pub(crate) fn open(self, found: Vec<Found>, folder: Option<&str>) {
        let (found, sentence) = worth_a_try(found, folder);
        if let Some(sentence) = sentence {
            self.notice(sentence);
        }
        let Some(first) = self.next_log.try_get_value().filter(|_| !found.is_empty()) else {
            return;
        };
        let batch = self.next_batch.try_update_value(|batch| {
            *batch = batch.wrapping_add(1);
            *batch
        });
        let batch = batch.unwrap_or_default();
        let mut opened = Vec::with_capacity(found.len());
        for (id, Found { name, file }) in (first..).zip(found) {
            self.engine.open(id, &name, &file);
            opened.push(OpenLog {
                id,
                progress: ArcRwSignal::new(unread(id, &name, file.size())),
                growth: ArcRwSignal::default(),
                name,
                batch,
            });
        }
        let count = u32::try_from(opened.len()).unwrap_or(u32::MAX);
        self.next_log.set_value(first.saturating_add(count));
        self.say(match opened.as_slice() {
            [only] => format!("Reading {}.", plain(&only.name)),
            all => format!("Reading {} files.", all.len()),
        });
        let asked = self.address.get_untracked();
        let restored = self.restored(&asked, &opened);
        self.logs.update(|logs| logs.extend(opened));
        self.arrival.expect();
        match restored {
            Some(address) => self.amend(address),
            None => self.go(&self.overview_of(first)),
        }
    }

    /// Stops reading a log.
    pub(crate) fn stop(self, log: LogId) {
        self.engine.stop(log);
    }

    /// Closes a log; where it was shown, shows another one.
    pub(crate) fn close(self, log: LogId) {
        self.engine.close(log);
        let shown = self
            .address
            .with_untracked(|address| address.log.as_ref().map(|log| log.order));
        self.logs.update(|logs| logs.retain(|open| open.id != log));
        if shown == Some(log) {
            self.arrival.expect();
            let next = self.logs.with_untracked(|logs| {
                logs.iter()
                    .find(|open| !open.is_refused_now())
                    .map(|open| open.id)
            });
            self.go(&next.map_or_else(Address::landing, |next| self.overview_of(next)));
        }
    }

    /// Copies the address of what is shown.
    pub(crate) fn copy_link(self) {
        let Some(window) = web_sys::window() else {
            return;
        };
        let Ok(address) = window.location().href() else {
            return;
        };
        let promise = window.navigator().clipboard().write_text(&address);
        wasm_bindgen_futures::spawn_local(async move {
            let is_copied = wasm_bindgen_futures::JsFuture::from(promise).await.is_ok();
            self.notice_briefly(
                if is_copied {
                    text::LINK_COPIED
                } else {
                    text::NOT_COPIED
                }
                .to_owned(),
            );
        });
    }

    /// Tells the reader a sentence that stays.
    pub(crate) fn notice(self, sentence: String) {
        self.notices.update(|notices| {
            if !notices.contains(&sentence) {
                notices.push(sentence);
            }
        });
    }

    /// Tells the reader a sentence that goes away by itself.
    pub(crate) fn notice_briefly(self, sentence: String) {
        self.brief.set(sentence.clone());
        self.say(sentence);
        let fade = Timeout::new(BRIEF, move || self.brief.set(String::new()));
        let _ = self.fading.try_update_value(|fading| fading.replace(fade));
    }

    /// Tells screen readers something.
    pub(crate) fn say(self, sentence: String) {
        self.said.set(sentence);
    }

    /// Where the reader was in a log's table: the active row, and the top in pixels.
    pub(crate) fn remembered(self, log: LogId) -> Option<(u64, f64)> {
        self.tables.with_value(|tables| tables.get(&log).copied())
    }

    /// Remembers where the reader is in a log's table.
    pub(crate) fn remember(self, log: LogId, place: (u64, f64)) {
        self.tables.update_value(|tables| {
            tables.insert(log, place);
        });
    }

    /// Where the reader was in a list at a step of the history.
    pub(crate) fn spot(self, step: u64, list: &'static str) -> Option<Spot> {
        self.spots
            .with_value(|spots| spots.get(&(step, list)).copied())
    }

    /// Remembers where the reader is in a list.
    pub(crate) fn keep_spot(self, step: u64, list: &'static str, spot: Spot) {
        self.spots.update_value(|spots| {
            spots.insert((step, list), spot);
        });
    }

    fn overview_of(self, log: LogId) -> Address {
        let place = Place::overview();
        Address::decode(&self.link(log, place))
    }

    /// What the address asked for before its log was open, now that logs are.
    fn restored(self, asked: &Address, opened: &[OpenLog]) -> Option<Address> {
        let wanted = asked.log.as_ref()?;
        let is_open = self
            .logs
            .with_untracked(|logs| logs.iter().any(|log| log.id == wanted.order));
        if is_open {
            return None;
        }
        let same_name = opened.iter().find(|log| log.name == wanted.name);
        let log = same_name.or_else(|| opened.first().filter(|_| opened.len() == 1))?;
        let mut address = asked.clone();
        // The fingerprint that was asked for stays, to be compared when this log is read.
        address.log = Some(LogName {
            order: log.id,
            name: log.name.clone(),
            print: wanted.print.clone(),
        });
        Some(address)
    }

    /// Compares the fingerprint in the address with that of the log that is shown, once all of it is read:
    /// writes it into an address without one, and says so where they differ.
    fn compare_print(self) {
        let Some(asked) = self.address.with(|address| address.log.clone()) else {
            return;
        };
        let Some(log) = self.log(asked.order) else {
            return;
        };
        let Some(print) = log.print() else { return };
        if asked.print == print {
            return;
        }
        let address = self.address.get_untracked();
        let mut named = asked.clone();
        if !asked.print.is_empty() {
            // Logs may have been opened in another order than when the link was made.
            let meant = self.logs.with(|logs| {
                logs.iter()
                    .find(|open| open.print().as_ref() == Some(&asked.print))
                    .cloned()
            });
            if let Some(meant) = meant {
                named.order = meant.id;
                named.name = meant.name;
                self.amend(Address {
                    log: Some(named),
                    ..address
                });
                return;
            }
            self.notice(text::another_log(&plain(&asked.name), &plain(&log.name)));
        }
        named.print = print;
        named.name = log.name;
        self.amend(Address {
            log: Some(named),
            ..address
        });
    }

    fn follow(self) {
        let address = Address::decode(&fragment());
        // A link to what is shown is a step of its own, too.
        let step = step_of_history();
        if self.step.get_untracked() != step {
            self.step.set(step);
        }
        if self.address.get_untracked() != address {
            self.arrival.expect();
            self.address.set(address);
        }
    }

    fn hear(self, progress: Progress) {
        let Some(log) = self
            .logs
            .with_untracked(|logs| logs.iter().find(|log| log.id == progress.log).cloned())
        else {
            return;
        };
        let state = &progress.state;
        let was_reading = log
            .progress
            .with_untracked(|progress| progress.state == ReadState::Reading);
        let growth = Growth {
            records: progress.records,
            is_complete: *state != ReadState::Reading,
        };
        if log.growth.get_untracked() != growth {
            log.growth.set(growth);
        }
        let is_end = matches!(
            state,
            ReadState::Done | ReadState::Stopped | ReadState::BrokeOff(_)
        );
        if is_end && was_reading {
            self.end_later(log, progress);
        } else {
            self.show(&log, progress);
        }
    }

    /// Shows that reading ended when the views, which ask before this does, have their last answers.
    fn end_later(self, log: OpenLog, progress: Progress) {
        let question = Question::Overview { log: log.id };
        let ask = move || {
            let id = log.id;
            let ticket = self.engine.ask(question, move |_| {
                self.show(&log, progress);
                self.endings.update_value(|endings| {
                    endings.remove(&id);
                });
            });
            self.endings.update_value(|endings| {
                endings.insert(id, ticket);
            });
        };
        Timeout::new(0, ask).forget();
    }

    /// The engine is gone, and with it all logs that it was reading.
    fn lose_all(self, why: &str) {
        for log in self.logs.get_untracked() {
            let mut progress = log.progress.get_untracked();
            if progress.state == ReadState::Reading {
                progress.state = ReadState::BrokeOff(why.to_owned());
                log.progress.set(progress);
            }
        }
    }

    fn show(self, log: &OpenLog, progress: Progress) {
        let was_reading = log
            .progress
            .with_untracked(|progress| progress.state == ReadState::Reading);
        let state = progress.state.clone();
        let (records, compilations, seconds) =
            (progress.records, progress.compilations, progress.seconds);
        log.progress.set(progress);
        if !was_reading || state == ReadState::Reading {
            return;
        }
        let name = plain(&log.name);
        let facts = format!(
            "{} and {} in {}",
            format::counted(records, "record", "records"),
            format::counted(u64::from(compilations), "compilation", "compilations"),
            format::seconds(seconds)
        );
        self.say(match state {
            ReadState::Refused(why) => {
                self.leave_refused(log);
                why
            }
            ReadState::BrokeOff(why) => format!("{name}: {why} {facts}."),
            ReadState::Stopped => format!("Stopped reading {name}: {facts}."),
            ReadState::Reading | ReadState::Done => format!("{name} is read: {facts}."),
        });
    }

    /// A refused log has no view: shows another one of those that were opened with it.
    fn leave_refused(self, refused: &OpenLog) {
        let batch: Vec<OpenLog> = self.logs.with_untracked(|logs| {
            logs.iter()
                .filter(|log| log.batch == refused.batch)
                .cloned()
                .collect()
        });
        if batch.len() > 1 && batch.iter().all(OpenLog::is_refused_now) {
            self.notice(text::none_held_a_log(batch.len()));
        }
        let shown = self
            .address
            .with_untracked(|address| address.log.as_ref().map(|log| log.order));
        if shown != Some(refused.id) {
            return;
        }
        self.arrival.expect();
        let other = batch.iter().find(|log| !log.is_refused_now());
        self.amend(other.map_or_else(Address::landing, |log| self.overview_of(log.id)));
    }
}

/// What is known of a log before the engine says anything.
fn unread(log: LogId, name: &str, size: f64) -> Progress {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // A file's size is a whole number below 2^53.
    let total_bytes = size as u64;
    Progress {
        log,
        name: name.to_owned(),
        state: ReadState::Reading,
        total_bytes,
        read_bytes: 0,
        text_bytes: 0,
        seconds: 0.0,
        records: 0,
        compilations: 0,
        memory_bytes: 0,
        index_bytes: 0,
        fingerprint: None,
    }
}

/// The number of the step of the browser's history that is shown; a new step gets one.
fn step_of_history() -> u64 {
    let Some(history) = web_sys::window().and_then(|window| window.history().ok()) else {
        return 0;
    };
    if let Some(known) = history.state().ok().and_then(|state| state.as_f64()) {
        return known.to_bits();
    }
    // Steps from before a reload have numbers, too.
    let step = js_sys::Math::random();
    let _ = history.replace_state_with_url(&JsValue::from_f64(step), "", None);
    step.to_bits()
}

fn fragment() -> String {
    web_sys::window()
        .and_then(|window| window.location().hash().ok())
        .unwrap_or_default()
}
