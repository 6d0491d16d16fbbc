//! A list of artifacts: name, what it is, attempt, size, what a cache said; as many as there may be.

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::kept::keep;
use super::workspace::Workspace;
use crate::engine::protocol::{ArtifactRow, LogId};
use crate::route::{GraphPlace, GuardPlace, Place, TextPlace};
use crate::text;
use crate::text::format;
use crate::text::phases::{self, Phase};
use crate::text::words;
use crate::ui::grid::ROW;
use crate::ui::marks::cache_mark;
use crate::ui::rows::Rows;
use crate::ui::table_copy::copy_rows;
use crate::ui::visible::visible;

/// The list, with the phases of the compiler above it.
pub(crate) fn artifacts(
    workspace: Workspace,
    log: LogId,
    all: Signal<Vec<ArtifactRow>>,
) -> impl IntoView {
    let chosen = RwSignal::new(None::<Phase>);
    let list = Memo::new(move |_| {
        let chosen = chosen.get();
        let is_wanted = |row: &ArtifactRow| chosen.is_none_or(|phase| phase_of(row) == phase);
        all.with(|all| {
            all.iter()
                .filter(|row| is_wanted(row))
                .cloned()
                .collect::<Vec<_>>()
        })
    });
    let copied = move || list.with_untracked(|list| list.iter().map(copied).collect());
    view! {
        {phases_bar(all, chosen)}
        {grid(workspace, log, list)}
        {copy_rows(text::COPY_ARTIFACTS, &COPIED, copied)}
    }
}

/// What stands above the columns of the list as it is copied.
const COPIED: [&str; 7] = [
    "Phase",
    "Artifact",
    "What it is",
    "Attempt",
    "Cache",
    "Bytes",
    "Line",
];

fn copied(row: &ArtifactRow) -> Vec<String> {
    let (phase, meaning) = phases::artifact(&row.name);
    let cache = row.cache.map(|cache| words::cache(cache).1);
    vec![
        phases::phase(phase).0.to_owned(),
        row.name.clone(),
        row.url.clone().unwrap_or_else(|| meaning.to_owned()),
        row.attempt.to_string(),
        cache.unwrap_or_default().to_owned(),
        row.bytes.to_string(),
        row.line.to_string(),
    ]
}

fn phase_of(row: &ArtifactRow) -> Phase {
    phases::artifact(&row.name).0
}

/// The phases that wrote something, in the order in which they run; a press shows only one's artifacts.
fn phases_bar(all: Signal<Vec<ArtifactRow>>, chosen: RwSignal<Option<Phase>>) -> impl IntoView {
    let counts = Memo::new(move |_| {
        let mut counts = BTreeMap::<Phase, u64>::new();
        all.with(|all| {
            for row in all {
                *counts.entry(phase_of(row)).or_default() += 1;
            }
        });
        counts.into_iter().collect::<Vec<_>>()
    });
    // Another compilation may not have the phase at all.
    Effect::new(move |_| {
        let is_there = |phase| counts.with(|counts| counts.iter().any(|(one, _)| *one == phase));
        if chosen.get_untracked().is_some_and(|phase| !is_there(phase)) {
            chosen.set(None);
        }
        counts.track();
    });
    let one = move |(phase, number): (Phase, u64)| {
        let (name, meaning) = phases::phase(phase);
        let is_chosen = move || chosen.get() == Some(phase);
        let press = move |_| {
            chosen.update(|chosen| {
                *chosen = if *chosen == Some(phase) {
                    None
                } else {
                    Some(phase)
                }
            });
        };
        view! {
            <li>
                <button
                    type="button"
                    class="phase"
                    data-testid="phase"
                    title=meaning
                    aria-pressed=move || is_chosen().to_string()
                    on:click=press
                >
                    {name}
                    " "
                    <span class="dim">{format::count(number)}</span>
                </button>
            </li>
        }
    };
    let words = move || {
        chosen
            .get()
            .map_or(text::PHASES, |phase| phases::phase(phase).1)
    };
    view! {
        <div class="phases">
            <ol aria-label="Phases of the compiler">
                <For each=move || counts.get() key=|(phase, number)| format!("{phase:?} {number}") children=one />
            </ol>
            <p class="dim">{words}</p>
        </div>
    }
}

fn grid(workspace: Workspace, log: LogId, list: Memo<Vec<ArtifactRow>>) -> impl IntoView {
    let total = Signal::derive(move || list.with(Vec::len) as u64);
    let rows = Rows::new(total, ROW, ROW);
    keep(workspace, "artifacts", rows, None);
    let one = move |place: u64| {
        let found = Memo::new(move |_| {
            list.with(|list| {
                usize::try_from(place)
                    .ok()
                    .and_then(|place| list.get(place).cloned())
            })
        });
        let cells = move || found.get().map(|artifact| cells(workspace, log, &artifact));
        view! {
            <div role="row" class="grid-row" data-testid="artifact-row" aria-rowindex=place.saturating_add(2).to_string()>
                {cells}
            </div>
        }
    };
    view! {
        <div
            class="grid artifacts"
            role="table"
            aria-label="Artifacts"
            aria-rowcount=move || total.get().saturating_add(1).to_string()
            tabindex="0"
            node_ref=rows.node
            on:scroll=move |_| rows.on_scroll()
            on:keydown=move |event| {
                rows.on_key(&event);
            }
        >
            <div role="row" class="grid-row grid-head" aria-rowindex="1">
                <div role="columnheader" class="cell" data-column="phase">"Phase"</div>
                <div role="columnheader" class="cell" data-column="name">"Artifact"</div>
                <div role="columnheader" class="cell" data-column="meaning">"What it is"</div>
                <div role="columnheader" class="cell number" data-column="attempt">"Attempt"</div>
                <div role="columnheader" class="cell number" data-column="bytes">"Size"</div>
                <div role="columnheader" class="cell number" data-column="line">"Line"</div>
            </div>
            {rows.body(one)}
        </div>
    }
}

fn cells(workspace: Workspace, log: LogId, artifact: &ArtifactRow) -> impl IntoView + use<> {
    let record = artifact.record;
    let text = workspace.link(log, Place::Text(TextPlace::of(record)));
    let raw = workspace.link(log, Place::Record(record));
    let (phase, meaning) = phases::artifact(&artifact.name);
    let (phase_name, phase_meaning) = phases::phase(phase);
    let url = artifact.url.as_deref().map(|url| {
        // What a log says is followed only where it leads to an ordinary secure page.
        if url.starts_with("https://") {
            view! { <a href=url.to_owned() rel="noopener noreferrer" target="_blank">{visible(url)}</a> }.into_any()
        } else {
            view! { <span class="code-font">{visible(url)}</span> }.into_any()
        }
    });
    let guards = phases::holds_guards(&artifact.name).then(|| {
        let link = workspace.link(log, Place::Guards(GuardPlace::of(record)));
        view! { <a href=link class="beside-name" data-testid="guards-link">"Guards"</a> }
    });
    let graph = phases::holds_graph(&artifact.name).then(|| {
        let link = workspace.link(log, Place::Graph(GraphPlace::of(record)));
        view! { <a href=link class="beside-name" data-testid="graph-link">"Graph"</a> }
    });
    let meaning = match url {
        Some(url) => url,
        None => meaning.into_any(),
    };
    view! {
        <div role="cell" class="cell dim" data-column="phase" title=phase_meaning>{phase_name}</div>
        <div role="cell" class="cell code-font" data-column="name">
            <a href=text>{visible(&artifact.name)}</a>
            " "
            {cache_mark(artifact.cache)}
            {guards}
            {graph}
        </div>
        <div role="cell" class="cell dim" data-column="meaning">{meaning}</div>
        <div role="cell" class="cell number" data-column="attempt">{format::count(u64::from(artifact.attempt))}</div>
        <div role="cell" class="cell number" data-column="bytes">{format::bytes(artifact.bytes)}</div>
        <div role="cell" class="cell number" data-column="line">
            <a href=raw title="The record as it stands in the log">{format::count(artifact.line)}</a>
        </div>
    }
}
