//! A list of artifacts: name, what it is, attempt, size, what a cache said; as many as there may be.

use leptos::prelude::*;

use super::workspace::Workspace;
use crate::engine::protocol::{ArtifactRow, LogId};
use crate::route::Place;
use crate::text::phases;
use crate::ui::format;
use crate::ui::marks::cache_mark;
use crate::ui::rows::Rows;
use crate::ui::visible::visible;

/// Height of a row, in pixels; `--table-row` in the style sheet is the same.
const ROW: f64 = 32.0;

/// The list.
pub(crate) fn artifacts(
    workspace: Workspace,
    log: LogId,
    list: Signal<Vec<ArtifactRow>>,
) -> impl IntoView {
    let total = Signal::derive(move || list.with(Vec::len) as u64);
    let rows = Rows::new(total, ROW, ROW);
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
    let text = workspace.link(log, Place::Text { record, row: None });
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
        </div>
        <div role="cell" class="cell dim" data-column="meaning">{meaning}</div>
        <div role="cell" class="cell number" data-column="attempt">{format::count(u64::from(artifact.attempt))}</div>
        <div role="cell" class="cell number" data-column="bytes">{format::bytes(artifact.bytes)}</div>
        <div role="cell" class="cell number" data-column="line">
            <a href=raw title="The record as it stands in the log">{format::count(artifact.line)}</a>
        </div>
    }
}
