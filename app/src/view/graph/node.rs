//! The node that is chosen: what it does, its line in the program, what it takes and who takes it.

use leptos::prelude::*;

use super::{Graph, Lit};
use crate::engine::protocol::{GraphNodeView, OpClass, What};
use crate::route::GraphPlace;
use crate::text::format;
use crate::text::graphs as text;
use crate::text::paths;
use crate::ui::annotations::explained;
use crate::ui::picture::Reach;
use crate::ui::visible::{plain, visible};

/// Neighbours that show before the reader asks for more.
const SHOWN: usize = 12;

/// The pane.
pub(super) fn node(graph: Graph) -> impl IntoView {
    let content = move || {
        let chosen = graph.chosen.get();
        match (chosen, graph.canvas.chosen.get()) {
            (Some(Some(node)), _) => pane(graph, &node),
            (Some(None), _) => view! { <p class="dim">{text::NO_SUCH_NODE}</p> }.into_any(),
            (None, Some(what @ (What::Closed(_) | What::Frame(_)))) => group(graph, what),
            (None, _) => {
                let sketch = graph
                    .view
                    .with(|view| view.as_ref().is_some_and(|view| view.is_sketch()));
                let sketch = sketch.then(|| view! { <p>{text::SKETCH}</p> });
                view! { <p>{text::LEAD}</p> {sketch} <p class="dim">{text::KEYS}</p> }.into_any()
            }
        }
    };
    view! {
        <section class="guard-pane graph-node" data-testid="graph-node" aria-label="What is chosen" tabindex="0">{content}</section>
    }
}

/// A group: open it, close it.
fn group(graph: Graph, what: What) -> AnyView {
    let found = graph.canvas.walk.with(|walk| {
        let walk = walk.as_ref()?;
        let place = graph.canvas.chosen_box()?;
        walk.get(place).map(|one| {
            (
                one.what,
                crate::ui::picture_export::titled(one),
                one.detail.clone(),
            )
        })
    });
    let (now, title, detail) = found.unwrap_or((what, String::new(), String::new()));
    let word = match now {
        What::Frame(_) => text::CLOSE,
        _ => text::OPEN,
    };
    view! {
        <h2 class="code-font">{visible(&title)}</h2>
        <p>{detail}</p>
        <p><button type="button" data-testid="toggle-group" on:click=move |_| graph.toggle(now)>{word}</button></p>
        {reach(graph)}
    }
    .into_any()
}

fn pane(graph: Graph, node: &GraphNodeView) -> AnyView {
    let (class, meaning) = text::class(node.class);
    let annotation = node.annotation.as_ref().map(|annotation| {
        let said = explained(annotation);
        let bytes = node
            .bytes
            .map(|bytes| format!(" · {}", format::bytes(bytes)));
        view! { <p><code>{visible(annotation)}</code></p> <p class="dim">{said} {bytes}</p> }
    });
    let differences = (!node.differences.is_empty()).then(|| {
        let all = node.differences.iter().map(|one| view! { <li class="code-font">{visible(one)}</li> });
        view! { <h3>{text::CHANGED}</h3> <ul class="prose" data-testid="node-differences">{all.collect_view()}</ul> }
    });
    let meaning_of_input = match node.class {
        OpClass::Input => text::input_meaning(&node.name),
        _ => None,
    };
    let meaning_of_input = meaning_of_input
        .map(|meaning| view! { <p class="dim" data-testid="input-meaning">{meaning}</p> });
    let is_call = !matches!(node.class, OpClass::Input | OpClass::Output);
    let no_line = (node.place.is_none() && is_call)
        .then(|| view! { <p class="dim" data-testid="no-line">{text::NO_LINE}</p> });
    let place = node.place.as_ref().map(|place| {
        let whole = paths::whole_place(Some(&place.file), Some(place.line.into()));
        let function = place.function.as_ref().map(|function| view! { " in " {visible(function)} });
        let code = place.code.as_ref().map(|code| view! { <dd class="code-font" data-testid="node-code">{visible(code)}</dd> });
        view! { <dt>{text::SOURCE_LINE}</dt> {code} <dd class="code-font dim">{visible(&whole)} {function}</dd> }
    });
    let record = graph.place.with_untracked(|place| {
        if node.is_old {
            place.against.unwrap_or(place.record)
        } else {
            place.record
        }
    });
    let line = graph.text_link(record, Some(node.line));
    let calls = node
        .calls
        .iter()
        .map(|(module, name)| {
            let link = graph.graph_link(GraphPlace {
                module: *module,
                ..GraphPlace::of(record)
            });
            view! { <li><a href=link data-testid="called-graph">{visible(name)}</a></li> }
        })
        .collect_view();
    let calls = (!node.calls.is_empty())
        .then(|| view! { <h3>{text::CALLS}</h3> <ul class="prose">{calls}</ul> });
    view! {
        <h2 class="code-font">{visible(&node.name)}</h2>
        <p title=meaning><span class="swatch" data-class=node.class.name() aria-hidden="true"></span> " " {class} ": " <code>{visible(&node.target)}</code></p>
        {annotation}
        {meaning_of_input}
        {differences}
        {no_line}
        <dl class="guard-facts">
            {place}
            <dt>{text::ARGUMENTS}</dt>
            <dd class="code-font">{visible(&node.arguments)}</dd>
        </dl>
        {neighbours(graph, text::TAKES, "node-inputs", &node.inputs)}
        {neighbours(graph, text::TAKEN_BY, "node-users", &node.users)}
        {calls}
        {reach(graph)}
        <p><a href=line data-testid="node-line">"Line " {node.line} " of the text"</a></p>
    }
    .into_any()
}

fn neighbours(
    graph: Graph,
    title: &'static str,
    mark: &'static str,
    all: &[(u32, String, String)],
) -> Option<AnyView> {
    if all.is_empty() {
        return None;
    }
    let more = RwSignal::new(SHOWN);
    let all = StoredValue::new(all.to_vec());
    let one = move |(node, name, annotation): &(u32, String, String)| {
        let node = *node;
        let link = graph.graph_link(GraphPlace {
            node: Some(node),
            ..graph.place.get_untracked()
        });
        view! { <li><a class="code-font" href=link on:click=graph.chooses(node)>{visible(name)}</a> " " <span class="dim code-font">{visible(annotation)}</span></li> }
    };
    let rows = move || all.with_value(|all| all.iter().take(more.get()).map(one).collect_view());
    let left = move || all.with_value(Vec::len).saturating_sub(more.get());
    let button = move || {
        (left() > 0).then(|| view! { <button type="button" on:click=move |_| more.update(|more| *more += 100)>{format::count(left() as u64)} " more"</button> })
    };
    Some(
        view! { <h3>{title}</h3> <ul class="neighbours" data-testid=mark>{rows}</ul> {button} }
            .into_any(),
    )
}

/// What stands out: what it is made of, what is made of it, what lies between it and another.
fn reach(graph: Graph) -> impl IntoView {
    let button = move |word: &'static str, mark: &'static str, lit: Lit| {
        let is_on = move || graph.lit.get() == lit;
        let press = move |_| {
            let is_on = graph.lit.get_untracked() == lit;
            graph.lit.set(if is_on { Lit::Nothing } else { lit });
        };
        view! { <button type="button" data-testid=mark aria-pressed=move || is_on().to_string() on:click=press>{word}</button> }
    };
    let between = move |_| {
        if let Some(what) = graph.canvas.chosen.get_untracked() {
            let is_same = matches!(graph.lit.get_untracked(), Lit::Between(_));
            graph.lit.set(if is_same {
                Lit::Nothing
            } else {
                Lit::Between(what)
            });
        }
    };
    let name = move || {
        let Lit::Between(other) = graph.lit.get() else {
            return text::BETWEEN.to_owned();
        };
        let label = graph.canvas.walk.with(|walk| {
            let walk = walk.as_ref()?;
            walk.get(walk.place(other)?).map(|one| one.label.clone())
        });
        let is_this = graph.canvas.chosen.get() == Some(other);
        match label {
            Some(label) if is_this => text::other_end(&plain(&label)),
            Some(label) => text::between(&plain(&label)),
            None => text::BETWEEN_UNSEEN.to_owned(),
        }
    };
    view! {
        <p class="button-group" role="group" aria-label="What stands out">
            {button(text::ANCESTORS, "ancestors", Lit::Reach(Reach::Ancestors))}
            {button(text::DESCENDANTS, "descendants", Lit::Reach(Reach::Descendants))}
            <button type="button" data-testid="between" aria-pressed=move || matches!(graph.lit.get(), Lit::Between(_)).to_string() on:click=between>{name}</button>
        </p>
    }
}
