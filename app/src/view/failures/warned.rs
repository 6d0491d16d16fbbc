//! Limits, warnings, results of `explain`, tables of compile times.

use leptos::prelude::*;

use super::super::workspace::Workspace;
use super::{call, evidence, https, message, places};
use crate::engine::protocol::{
    ExplainReport, LimitReport, LogId, TimeRow, TimesReport, WarningGroup, WarningReport,
};
use crate::text::failures as words;
use crate::text::format::{count, counted, seconds};
use crate::text::paths;
use crate::text::warnings;
use crate::ui::visible::{plain, visible};

/// Calls that hit the recompile limit.
pub(super) fn limits(workspace: Workspace, id: LogId, limits: &[LimitReport]) -> Option<AnyView> {
    let list = limits
        .iter()
        .map(|limit| limit_report(workspace, id, limit))
        .collect_view();
    (!limits.is_empty()).then(|| {
        view! {
            <section aria-labelledby="limits-title">
                <h2 id="limits-title">{words::LIMITS_TITLE}</h2>
                <p class="dim">{words::LIMIT}</p>
                {list}
            </section>
        }
        .into_any()
    })
}

fn limit_report(workspace: Workspace, id: LogId, limit: &LimitReport) -> impl IntoView + use<> {
    let line = limit.line.map(i64::from);
    let place = paths::place(Some(&limit.file), line);
    let whole = plain(&paths::whole_place(Some(&limit.file), line));
    let value = limit.limit.map(|value| format!(" = {value}"));
    let reason = (!limit.reason.is_empty()).then(|| {
        view! { <h4>{words::LIMIT_REASON}</h4>{message(&limit.reason)} }
    });
    let page = limit.page.as_deref().map(|page| https(page, words::PAGE));
    view! {
        <article class="finding" data-testid="limit-report" data-certainty="warned">
            <h3>
                <span class="code-font">{visible(&limit.function)}</span> " reached "
                <code>{visible(&limit.setting)} {value}</code>
            </h3>
            <p class="code-font" title=whole>{visible(&place)}</p>
            {reason}
            {page}
            {places(workspace, id, &limit.at)}
        </article>
    }
}

/// Warnings, by what they are about.
pub(super) fn warnings(
    workspace: Workspace,
    id: LogId,
    groups: &[WarningGroup],
) -> Option<AnyView> {
    let list = groups
        .iter()
        .map(|group| warning_group(workspace, id, group))
        .collect_view();
    (!groups.is_empty()).then(|| {
        view! {
            <section aria-labelledby="warnings-title">
                <h2 id="warnings-title">"Warnings"</h2>
                {list}
            </section>
        }
        .into_any()
    })
}

fn warning_group(workspace: Workspace, id: LogId, group: &WarningGroup) -> impl IntoView + use<> {
    let (name, meaning) = warnings::warning(group.kind);
    let all = group
        .warnings
        .iter()
        .map(|warning| warning_report(workspace, id, warning))
        .collect_view();
    let more = (group.more > 0).then(|| {
        view! { <p class="dim">{words::more_warnings(&count(u64::from(group.more)))}</p> }
    });
    view! {
        <article class="finding" data-testid="warning-group" data-certainty="warned">
            <h3>{name} " " <span class="dim" data-testid="warning-count">{counted(group.count, "time", "times")}</span></h3>
            <p class="dim">{meaning}</p>
            {all}
            {more}
        </article>
    }
}

fn warning_report(
    workspace: Workspace,
    id: LogId,
    warning: &WarningReport,
) -> impl IntoView + use<> {
    let calls = warning
        .place
        .iter()
        .chain(&warning.stack)
        .map(call)
        .collect_view();
    let has_calls = warning.place.is_some() || !warning.stack.is_empty();
    let category = (!warning.category.is_empty())
        .then(|| view! { <p><strong class="code-font">{visible(&warning.category)}</strong></p> });
    view! {
        <div class="warned" data-testid="warning">
            {category}
            {message(&warning.message)}
            {has_calls.then(|| view! { <ol class="calls">{calls}</ol> })}
            {places(workspace, id, &warning.at)}
        </div>
    }
}

/// What `explain` printed.
pub(super) fn explanations(
    workspace: Workspace,
    id: LogId,
    all: &[ExplainReport],
) -> Option<AnyView> {
    let list = all
        .iter()
        .map(|one| explain_report(workspace, id, one))
        .collect_view();
    (!all.is_empty()).then(|| {
        view! {
            <section aria-labelledby="explain-title">
                <h2 id="explain-title">"torch._dynamo.explain"</h2>
                <p class="dim">{words::EXPLAIN}</p>
                {list}
            </section>
        }
        .into_any()
    })
}

fn explain_report(workspace: Workspace, id: LogId, one: &ExplainReport) -> impl IntoView + use<> {
    let head = format!(
        "{}, {}, {}",
        counted(one.graphs, "graph", "graphs"),
        counted(one.breaks, "graph break", "graph breaks"),
        counted(one.ops, "operation", "operations"),
    );
    let reasons = one
        .reasons
        .iter()
        .map(|(reason, stack)| {
            let calls = stack.iter().map(call).collect_view();
            view! { <li data-testid="explain-reason">{message(reason)}<ol class="calls">{calls}</ol></li> }
        })
        .collect_view();
    let reasons = (!one.reasons.is_empty())
        .then(|| view! { <h4>{words::BREAK_REASONS}</h4><ol class="reasons-list">{reasons}</ol> });
    let graphs = one
        .graph_ops
        .iter()
        .zip(1_u32..)
        .map(|(ops, number)| {
            view! { <li data-testid="explain-graph"><strong>"Graph " {number}</strong> " " {names(ops)}</li> }
        })
        .collect_view();
    let graphs = (!one.graph_ops.is_empty()).then(|| {
        view! { <details><summary>{words::GRAPH_OPERATIONS}</summary><ol class="names">{graphs}</ol></details> }
    });
    let guards = (!one.guards.is_empty()).then(|| {
        let total: u64 = one.guards.iter().map(|(_, number)| u64::from(*number)).sum();
        view! { <details><summary>{counted(total, "guard", "guards")}</summary><p class="names">{names(&one.guards)}</p></details> }
    });
    let times = (!one.times.is_empty()).then(|| {
        view! { <details><summary>{words::TIMES_TITLE}</summary>{time_table(&one.times)}</details> }
    });
    view! {
        <article class="finding" data-testid="explain-report" data-certainty="told">
            <h3>{head}</h3>
            {reasons}
            {graphs}
            {guards}
            {times}
            <div class="places"><p>"In the log: " {evidence(workspace, id, &one.at)}</p></div>
        </article>
    }
}

/// Names, with how often each occurs.
fn names(names: &[(String, u32)]) -> impl IntoView + use<> {
    names
        .iter()
        .map(|(name, number)| {
            let times = (*number > 1).then(|| format!(" × {number}"));
            view! { <span class="named"><code>{visible(name)}</code>{times}</span> " " }
        })
        .collect_view()
}

/// Tables of compile times.
pub(super) fn times(workspace: Workspace, id: LogId, all: &[TimesReport]) -> Option<AnyView> {
    let list = all
        .iter()
        .map(|one| {
            view! {
                <article class="finding" data-testid="times-report" data-certainty="told">
                    {time_table(&one.rows)}
                    <div class="places"><p>"In the log: " {evidence(workspace, id, &one.at)}</p></div>
                </article>
            }
        })
        .collect_view();
    (!all.is_empty()).then(|| {
        view! {
            <section aria-labelledby="times-title">
                <h2 id="times-title">{words::TIMES_TITLE}</h2>
                <p class="dim">{words::TIMES}</p>
                {list}
            </section>
        }
        .into_any()
    })
}

fn time_table(rows: &[TimeRow]) -> impl IntoView + use<> {
    let rows = rows
        .iter()
        .map(|row| {
            view! {
                <tr>
                    <td><code>{visible(&row.name)}</code></td>
                    <td class="number">{seconds(row.seconds)}</td>
                    <td class="number">{count(u64::from(row.runs))}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table class="plain">
            <thead><tr>
                <th scope="col">"Part of the compiler"</th>
                <th scope="col" class="number" aria-sort="descending">"Time"</th>
                <th scope="col" class="number">"Runs"</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
}
