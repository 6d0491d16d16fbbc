//! The strip above each view of a log: its sections, and how far it was read.

use leptos::prelude::*;

use super::logs::state_key;
use super::sections::sections;
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Progress, ReadState};
use crate::text::format;

/// The strip.
pub(crate) fn progress(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let progress = log.progress.clone();
    let state = {
        let progress = progress.clone();
        Memo::new(move |_| progress.with(|progress| state_key(&progress.state)))
    };
    let is_reading = move || state.get() == "reading";
    let sentence = {
        let progress = progress.clone();
        move || progress.with(sentence)
    };
    let trouble = {
        let progress = progress.clone();
        move || {
            progress.with(|progress| match &progress.state {
                ReadState::BrokeOff(why) => Some(why.clone()),
                ReadState::Stopped => {
                    Some("Reading was stopped; what was read until then is shown.".to_owned())
                }
                _ => None,
            })
        }
    };
    let share = move || {
        progress
            .with(|progress| format::percent(progress.read_bytes, progress.total_bytes).to_string())
    };
    view! {
        <div class="log-bar">
        {sections(workspace, id)}
        <div class="progress" data-testid="progress" data-state=state>
            <progress max="100" value=share class:away=move || !is_reading() aria-label="Read so far"></progress>
            <span class="progress-words">{sentence}</span>
            <button
                type="button"
                class="quiet"
                data-testid="cancel"
                class:away=move || !is_reading()
                on:click=move |_| workspace.stop(id)
            >
                "Cancel"
            </button>
        </div>
        </div>
        {move || trouble().map(|why| view! { <p class="trouble" role="alert">{why}</p> })}
    }
}

fn sentence(progress: &Progress) -> String {
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )] // A rate, for people.
    let rate = if progress.seconds > 0.0 {
        (progress.read_bytes as f64 / progress.seconds) as u64
    } else {
        0
    };
    let records = format::counted(progress.records, "record", "records");
    let read = format::bytes(progress.read_bytes);
    let seconds = format::seconds(progress.seconds);
    let rate = format::bytes(rate);
    match progress.state {
        ReadState::Reading => {
            let total = format::bytes(progress.total_bytes);
            let percent = format::percent(progress.read_bytes, progress.total_bytes);
            format!("{percent} % · {read} of {total} · {rate}/s · {records} · {seconds}")
        }
        _ => {
            let text = match progress.text_bytes {
                text if text > progress.read_bytes => format!(" ({} of text)", format::bytes(text)),
                _ => String::new(),
            };
            format!("{read}{text} read in {seconds}, {rate}/s · {records}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strip_says_bytes_speed_records_and_time() {
        let mut progress = Progress {
            log: 0,
            name: String::new(),
            state: ReadState::Reading,
            total_bytes: 100_000_000,
            read_bytes: 50_000_000,
            text_bytes: 50_000_000,
            seconds: 0.25,
            records: 1234,
            compilations: 3,
            memory_bytes: 0,
            index_bytes: 0,
            fingerprint: None,
        };
        assert_eq!(
            sentence(&progress),
            "50 % · 50.0 MB of 100 MB · 200 MB/s · 1,234 records · 250 ms"
        );
        progress.state = ReadState::Done;
        progress.read_bytes = 10_000_000;
        progress.seconds = 0.5;
        assert_eq!(
            sentence(&progress),
            "10.0 MB (50.0 MB of text) read in 500 ms, 20.0 MB/s · 1,234 records"
        );
    }
}
