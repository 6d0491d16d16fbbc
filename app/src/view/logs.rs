//! The switch between the logs that are open.

use leptos::prelude::*;

use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Progress, ReadState};
use crate::route::{Address, Place};
use crate::text::format;
use crate::ui::visible::plain;

/// From this number of logs on, a list to jump to one stands beside the tabs.
const MANY: usize = 6;

/// A tab for each log that is open and not refused.
pub(crate) fn log_tabs(workspace: Workspace) -> impl IntoView {
    let logs = Memo::new(move |_| {
        let logs = workspace.logs.get();
        logs.into_iter()
            .filter(|log| !log.is_refused())
            .map(|log| log.id)
            .collect::<Vec<_>>()
    });
    let one = move |id| {
        let log = workspace
            .logs
            .with_untracked(|logs| logs.iter().find(|log| log.id == id).cloned());
        log.map(|log| tab(workspace, &log))
    };
    view! {
        <Show when=move || logs.with(|logs| !logs.is_empty())>
            <nav class="logs" aria-label="Open logs">
                <Show when=move || { logs.with(Vec::len) > MANY }>{jump(workspace, logs)}</Show>
                <ul>
                    <For each=move || logs.get() key=|id| *id children=one />
                </ul>
            </nav>
        </Show>
    }
}

fn tab(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let name = plain(&log.name);
    let short = short_name(&name);
    let is_shown = Memo::new(move |_| {
        workspace
            .address
            .with(|address| address.log.as_ref().is_some_and(|log| log.order == id))
    });
    let progress = log.progress.clone();
    let at = move |value: fn(&Progress) -> String| {
        let progress = progress.clone();
        move || progress.with(value)
    };
    let link = move || {
        // A switch keeps the order and the filter of the table.
        let place = workspace.address.with(|address| match &address.place {
            place @ Place::Overview { .. } => place.clone(),
            _ => Place::overview(),
        });
        workspace.link(id, place)
    };
    let close_name = format!("Close {name}");
    view! {
        <li
            data-testid="log-tab"
            data-log=id.to_string()
            data-state=at(|progress| state_key(&progress.state).to_owned())
            data-seconds=at(|progress| progress.seconds.to_string())
            data-bytes=at(|progress| progress.read_bytes.to_string())
            data-total=at(|progress| progress.total_bytes.to_string())
            data-text=at(|progress| progress.text_bytes.to_string())
            data-records=at(|progress| progress.records.to_string())
            data-compilations=at(|progress| progress.compilations.to_string())
            data-memory=at(|progress| progress.memory_bytes.to_string())
            data-index=at(|progress| progress.index_bytes.to_string())
            class:shown=is_shown
        >
            <a href=link title=name aria-current=move || is_shown.get().then_some("true")>
                <span class="log-name">{short}</span>
                <span class="log-state" data-testid="log-state">{at(state_word)}</span>
            </a>
            <button type="button" class="close" aria-label=close_name on:click=move |_| workspace.close(id)>"×"</button>
        </li>
    }
}

fn jump(workspace: Workspace, logs: Memo<Vec<u32>>) -> impl IntoView {
    let shown = move || {
        workspace
            .address
            .with(|address| address.log.as_ref().map(|log| log.order))
    };
    let options = move || {
        let open = workspace.logs.get_untracked();
        let named = logs
            .get()
            .into_iter()
            .filter_map(|id| open.iter().find(|log| log.id == id).cloned());
        named
            .map(|log| {
                let id = log.id;
                view! {
                    <option value=id.to_string() selected=move || shown() == Some(id)>
                        {plain(&log.name)} {move || log.progress.with(|progress| match state_word(progress) {
                            word if word.is_empty() => word,
                            word => format!(" · {word}"),
                        })}
                    </option>
                }
            })
            .collect_view()
    };
    let go = move |event| {
        if let Ok(id) = event_target_value(&event).parse() {
            let place = Place::overview();
            workspace.go(&Address::decode(&workspace.link(id, place)));
        }
    };
    view! { <select aria-label="Jump to a log" on:change=go>{options}</select> }
}

/// The word for a state in marks.
pub(crate) fn state_key(state: &ReadState) -> &'static str {
    match state {
        ReadState::Reading => "reading",
        ReadState::Done => "done",
        ReadState::Stopped => "stopped",
        ReadState::Refused(_) => "refused",
        ReadState::BrokeOff(_) => "broke-off",
    }
}

fn state_word(progress: &Progress) -> String {
    match &progress.state {
        ReadState::Reading => format!(
            "{} %",
            format::percent(progress.read_bytes, progress.total_bytes)
        ),
        // What is printed without a prefix, as a traceback, is no record; its page says what it is.
        ReadState::Done if progress.compilations == 0 && progress.records == 0 => String::new(),
        ReadState::Done if progress.compilations == 0 => {
            format::counted(progress.records, "record", "records")
        }
        ReadState::Done => format::counted(
            u64::from(progress.compilations),
            "compilation",
            "compilations",
        ),
        ReadState::Stopped => "stopped".to_owned(),
        ReadState::Refused(_) => "refused".to_owned(),
        ReadState::BrokeOff(_) => "incomplete".to_owned(),
    }
}

/// A log's name on its tab: without folders and without what PyTorch calls every trace, the rank first.
pub(crate) fn short_name(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let Some(rest) = file.strip_prefix("dedicated_log_torch_trace_") else {
        return file.to_owned();
    };
    let rank = rest
        .strip_prefix("rank_")
        .and_then(|rest| rest.split_once('_'));
    match rank
        .filter(|(rank, _)| !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit()))
    {
        Some((rank, rest)) => format!("rank {rank} · {rest}"),
        None => format!("trace_{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_says_what_a_log_has_and_counts_nothing_that_is_not_there() {
        let progress = |records, compilations| Progress {
            log: 0,
            name: String::new(),
            state: ReadState::Done,
            total_bytes: 1,
            read_bytes: 1,
            text_bytes: 1,
            seconds: 0.0,
            records,
            compilations,
            memory_bytes: 0,
            index_bytes: 0,
            fingerprint: None,
        };
        assert_eq!(state_word(&progress(9, 2)), "2 compilations");
        assert_eq!(state_word(&progress(9, 0)), "9 records");
        assert_eq!(state_word(&progress(0, 0)), "");
    }

    #[test]
    fn a_tab_says_what_tells_logs_apart() {
        assert_eq!(
            short_name("run/dedicated_log_torch_trace_rank_3_ab12.log"),
            "rank 3 · ab12.log"
        );
        assert_eq!(
            short_name("dedicated_log_torch_trace_ab_12.log.gz"),
            "trace_ab_12.log.gz"
        );
        assert_eq!(short_name("a/b.log"), "b.log");
        assert_eq!(short_name(""), "");
    }
}
