//! A graph in words and numbers: what it holds, what differs, what could not be read.

use leptos::prelude::*;

use super::Graph;
use crate::engine::protocol::{AgainstView, GraphSummary};
use crate::route::GraphPlace;
use crate::text::format;
use crate::text::graphs as text;
use crate::ui::visible::visible;

/// The answer first: how much there is, what differs, and what is wrong.
pub(super) fn head(graph: Graph) -> impl IntoView {
    move || {
        graph.view.get().map(|view| {
            let record = graph.place.with(|place| place.record);
            let text_link = graph.text_link(record, None);
            let trouble = view.trouble.as_ref().map(|trouble| {
                let link = graph.text_link(record, Some(trouble.line));
                view! {
                    <p class="trouble" role="alert" data-testid="graph-trouble">{visible(&trouble.said)}</p>
                    <p><a href=link data-testid="graph-stopped">"Read the text at line " {format::count(trouble.line.into())}</a></p>
                }
            });
            let facts = view.trouble.is_none().then(|| facts(&view.summary));
            let against = view.against.as_ref().map(|against| compared(graph, against));
            let lines = view.wrong_lines.iter().map(|(line, words)| {
                let link = graph.text_link(record, Some(*line));
                view! { <li><a href=link>"line " {format::count((*line).into())}</a> " " <code>{visible(words)}</code></li> }
            });
            let wrong = (view.wrong > 0).then(|| {
                view! {
                    <details data-testid="graph-wrong"><summary>{text::wrong(view.wrong)}</summary><ul class="prose">{lines.collect_view()}</ul></details>
                }
            });
            view! {
                <div class="stacked graph-head">
                    <p class="text-facts">
                        {facts}
                        <a href=text_link data-testid="graph-text">{visible(&view.name)} " as text"</a>
                    </p>
                    {trouble}
                    {against}
                    {wrong}
                </div>
            }
        })
    }
}

/// Where the graph is printed without shapes.
const SIZE_UNKNOWN: &str = "size not told";

fn facts(summary: &GraphSummary) -> impl IntoView + use<> {
    // Where no size is told, there is nothing that some are counted apart from.
    let is_any_told = summary.input_bytes.is_some() || summary.result_bytes.is_some();
    let bytes = |bytes: Option<u64>| bytes.map_or_else(|| SIZE_UNKNOWN.to_owned(), format::bytes);
    let unknown = (summary.unknown_sizes > 0 && is_any_told).then(|| {
        format!(
            " and {} of unknown size",
            format::count(summary.unknown_sizes.into())
        )
    });
    view! {
        <span data-testid="graph-operations">{format::counted(summary.operations.into(), "operation", "operations")}</span>
        <span>{format::counted(summary.inputs.into(), "input", "inputs")} " · " {bytes(summary.input_bytes)}</span>
        <span>"results " {bytes(summary.result_bytes)} {unknown}</span>
    }
}

/// What a comparison found, in one sentence and in the first of its differences.
fn compared(graph: Graph, against: &AgainstView) -> impl IntoView + use<> {
    let other = match &against.compilation {
        Some((_, label)) => format!("{} of {label}", against.name),
        None => against.name.clone(),
    };
    let sentence = text::compared(against.added, against.removed, against.changed);
    let changes = against
        .changes
        .iter()
        .map(|(node, words)| {
            let link = graph.graph_link(GraphPlace {
                node: Some(*node),
                ..graph.place.get_untracked()
            });
            view! { <li><a href=link on:click=graph.chooses(*node)>{visible(words)}</a></li> }
        })
        .collect_view();
    view! {
        <div class="stacked" data-testid="graph-compared">
            <p class="guards-headline" data-testid="graph-sentence">"Against " <span class="code-font">{visible(&other)}</span> ": " {sentence}</p>
            <div class="graph-changes" tabindex="0" role="region" aria-label=text::CHANGES data-testid="graph-changes">
                <ul class="prose code-font">{changes}</ul>
            </div>
            <p class="dim">{text::COMPARED}</p>
        </div>
    }
}

/// What the graph is made of: operations, types, devices, the largest tensors, copies.
pub(super) fn summary(graph: Graph) -> impl IntoView {
    move || {
        graph
            .view
            .get()
            .filter(|view| view.trouble.is_none())
            .map(|view| {
                let summary = &view.summary;
                view! {
                    <section class="graph-summary" data-testid="graph-summary">
                        <h2>"What it is made of"</h2>
                        <div class="graph-tables">
                            {operations(graph, summary)}
                            {counted("Types", "type", &summary.dtypes)}
                            {counted("Devices", "device", &summary.devices)}
                            {largest(graph, summary)}
                            {copies(graph, summary)}
                        </div>
                    </section>
                }
            })
    }
}

fn operations(graph: Graph, summary: &GraphSummary) -> impl IntoView + use<> {
    let rows = summary
        .by_target
        .iter()
        .map(|(target, class, count)| {
            let filter = target.clone();
            let press = move |_| graph.amend(|place| place.filter.clone_from(&filter));
            view! {
                <tr>
                    <th scope="row">
                        <span class="swatch" data-class=class.name() title=text::class(*class).0 aria-hidden="true"></span>
                        " "
                        <button type="button" class="plain-button code-font" title="Find these nodes" on:click=press>{visible(target)}</button>
                    </th>
                    <td class="number">{format::count((*count).into())}</td>
                </tr>
            }
        })
        .collect_view();
    let left = (summary.targets as usize).saturating_sub(summary.by_target.len());
    let more = (left > 0).then(|| view! { <p class="dim">"and " {format::counted(left as u64, "other operation", "other operations")}</p> });
    view! {
        <div>
            <table class="plain" data-testid="operations"><caption>"Operations"</caption><tbody>{rows}</tbody></table>
            {more}
        </div>
    }
}

fn counted(
    title: &'static str,
    mark: &'static str,
    all: &[(String, u32)],
) -> Option<impl IntoView + use<>> {
    let rows = all
        .iter()
        .take(40)
        .map(|(name, count)| view! { <tr><th scope="row" class="code-font">{visible(name)}</th><td class="number">{format::count((*count).into())}</td></tr> })
        .collect_view();
    (!all.is_empty()).then(|| view! { <table class="plain" data-testid=mark><caption>{title}</caption><tbody>{rows}</tbody></table> })
}

fn largest(graph: Graph, summary: &GraphSummary) -> Option<impl IntoView + use<>> {
    let rows = summary
        .largest
        .iter()
        .map(|(node, name, bytes)| {
            let link = graph.graph_link(GraphPlace {
                node: Some(*node),
                ..graph.place.get_untracked()
            });
            view! { <tr><th scope="row"><a class="code-font" href=link on:click=graph.chooses(*node)>{visible(name)}</a></th><td class="number">{format::bytes(*bytes)}</td></tr> }
        })
        .collect_view();
    (!summary.largest.is_empty()).then(|| view! { <table class="plain" data-testid="largest-tensors"><caption>"Largest tensors"</caption><tbody>{rows}</tbody></table> })
}

fn copies(graph: Graph, summary: &GraphSummary) -> Option<impl IntoView + use<>> {
    let rows = summary
        .copies
        .iter()
        .map(|(node, words)| {
            let link = graph.graph_link(GraphPlace {
                node: Some(*node),
                ..graph.place.get_untracked()
            });
            view! { <li><a class="code-font" href=link on:click=graph.chooses(*node)>{visible(words)}</a></li> }
        })
        .collect_view();
    let count = format::counted(
        summary.copies_in_all.into(),
        "cast or copy",
        "casts and copies",
    );
    (summary.copies_in_all > 0).then(
        || view! { <div data-testid="copies"><p>{count}</p><ul class="prose">{rows}</ul></div> },
    )
}
