//! The run at a glance: a sentence, the facts, the table of compilations.

use leptos::prelude::*;

use super::facts::facts;
use super::headline::headline;
use super::workspace::{OpenLog, Workspace};
use super::{breaks, failures, recompiled, stacks, table};
use crate::engine::protocol::{Answer, Overview, Question};
use crate::route::Place;
use crate::text::format::{count, counted};
use crate::text::words::Fact;
use crate::ui::asked::asked;
use crate::ui::heading::heading;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// The view.
pub(crate) fn overview(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let growth = log.growth();
    let question = Memo::new(move |_| Question::Overview { log: id });
    let answer = asked(workspace.engine, question, growth, |answer| match answer {
        Answer::Overview(overview) => Some(*overview),
        _ => None,
    });
    let facts_now = Signal::derive(move || answer.good());
    let name = plain(&log.name);
    let title = name.clone();
    let reading = format!("Reading {name}");
    let recompiled = recompiled::ask(workspace, log);
    let worst = recompiled.worst();
    let found = failures::ask(workspace, log);
    let found = Memo::new(move |_| found.good());
    // Console logs tell of failures by their tracebacks alone.
    let printed = Memo::new(move |_| {
        found.with(|found| {
            let found = found.as_ref().filter(|found| found.is_complete)?;
            u32::try_from(found.failures.len()).ok()
        })
    });
    let facts_shown = Signal::derive(move || {
        let mut overview = answer.good()?;
        overview.failures = overview.failures.max(printed.get().unwrap_or(0));
        Some(overview)
    });
    let sentence = move || match answer.good() {
        // A log without compilations tells what failed.
        Some(overview) if overview.compilations == 0 && growth.get().is_complete => found
            .with(|found| found.as_ref().and_then(failures::headline))
            .unwrap_or_else(|| headline(&overview, None, None)),
        Some(overview) if overview.compilations > 0 => {
            let printed = printed.get();
            worst.with(|worst| {
                headline(&overview, worst.as_ref().map(|worst| &worst.facts), printed)
            })
        }
        _ => reading.clone(),
    };
    let links = move |fact| match fact {
        Fact::Health => Some(workspace.link(id, Place::Problems)),
        Fact::Failures => {
            let failed = facts_shown.with(|overview| {
                overview
                    .as_ref()
                    .is_some_and(|overview| overview.failures > 0)
            });
            failed.then(|| workspace.link(id, Place::Findings))
        }
        _ => None,
    };
    // Of plain output nothing but what failed can be told.
    let is_plain = Memo::new(move |_| {
        found.with(|found| {
            let found = found.as_ref();
            found.is_some_and(|found| found.records == 0 && !found.is_empty())
        })
    });
    let content = view! { <span data-testid="headline">{sentence}</span> };
    view! {
        <div class="page wide" data-testid="overview">
            <p class="eyebrow">{visible(&name)}</p>
            {heading(workspace.arrival, move || title.clone(), answer.fresh.into(), content)}
            {move || trouble(answer.wrong())}
            {recompiled::worst_line(workspace, id, facts_now, worst)}
            {failures::first_line(workspace, id, found)}
            <div class="stacked" class:gone=is_plain>
            {facts(facts_shown, links)}
            <p class="more-links">
                {move || facts_now.with(|overview| overview.as_ref().map(|overview| {
                    let outside = workspace.link(id, Place::Outside);
                    let outside = (overview.outside_artifacts > 0).then(|| view! {
                        <a href=outside data-testid="outside-link">
                            {counted(u64::from(overview.outside_artifacts), "artifact", "artifacts")}
                            " outside any compilation"
                        </a>
                    });
                    let all = workspace.link(id, Place::records());
                    let breaks = (overview.graph_breaks > 0).then(|| {
                        let breaks = workspace.link(id, Place::Breaks);
                        view! { <a href=breaks data-testid="breaks-link">{counted(overview.graph_breaks, "graph break", "graph breaks")}</a> }
                    });
                    view! {
                        {breaks}
                        " "
                        <a href=all data-testid="records-link">{counted(overview.records, "record", "records")}</a>
                        {outside}
                    }
                }))}
            </p>
            {recompiled::section(workspace, id, recompiled)}
            {breaks::section(workspace, log)}
            {stacks::folded(workspace, log, facts_now)}
            {table::table(workspace, log, facts_now)}
            {kinds(facts_now)}
            </div>
        </div>
    }
}

/// What the log is made of.
fn kinds(overview: Signal<Option<Overview>>) -> impl IntoView {
    let rows = Memo::new(move |_| {
        overview.with(|overview| overview.as_ref().map(|overview| overview.kinds.clone()))
    });
    view! {
        <details class="kinds" data-testid="kinds">
            <summary>"What the log is made of"</summary>
            <table class="plain">
                <thead><tr><th scope="col">"Kind of record"</th><th scope="col" class="number">"Records"</th></tr></thead>
                <tbody>
                    {move || rows.get().unwrap_or_default().into_iter().map(|(kind, number)| view! {
                        <tr><td><code>{visible(&kind)}</code></td><td class="number">{count(number)}</td></tr>
                    }).collect_view()}
                </tbody>
            </table>
        </details>
    }
}
