//! What can be done with a picture: another graph, a comparison, zooming, opening groups, saving.

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag};

use super::Graph;
use crate::engine::protocol::{GraphView, Picture};
use crate::route::GraphPlace;
use crate::text as words;
use crate::text::format;
use crate::text::graphs as text;
use crate::ui::canvas::Zoom;
use crate::ui::picture_export::{Colours, dot, svg};
use crate::ui::save::{download, file_name};
use crate::ui::visible::plain;

/// The tools.
pub(super) fn tools(graph: Graph) -> impl IntoView {
    let canvas = graph.canvas;
    let groups = move || {
        graph.canvas.walk.with(|walk| {
            let boxes = walk.iter().flat_map(|walk| &walk.picture.boxes);
            boxes
                .into_iter()
                .any(|one| !matches!(one.what, crate::engine::protocol::What::Node(_)))
        })
    };
    let has_groups = Memo::new(move |_| groups());
    // A node that is chosen would open what is around it again.
    let set = move |open: Option<Vec<u32>>| {
        graph.amend(|place| {
            place.open = open;
            place.node = None;
        });
    };
    let close_all = move |_| set(Some(Vec::new()));
    let sketch = move |_| set(None);
    view! {
            {modules(graph)}
            {compare(graph)}
            <span class="button-group" role="group" aria-label=text::ZOOM>
                <button type="button" data-testid="zoom-out" title=text::SMALLER.1 aria-label=text::SMALLER.0 on:click=move |_| canvas.zoom(Zoom::Out)>"−"</button>
                <button type="button" data-testid="zoom-in" title=text::LARGER.1 aria-label=text::LARGER.0 on:click=move |_| canvas.zoom(Zoom::In)>"+"</button>
                <button type="button" data-testid="fit" title=text::SHOW_ALL.1 on:click=move |_| canvas.fit()>{text::SHOW_ALL.0}</button>
            </span>
            <span class="button-group" role="group" aria-label=text::GROUPS class:gone=move || !has_groups.get()>
                <button type="button" data-testid="open-all" on:click=move |_| open_all(graph)>{text::OPEN_ALL}</button>
                <button type="button" data-testid="close-all" on:click=close_all>{text::CLOSE_ALL}</button>
                <button type="button" data-testid="sketch" on:click=sketch>{text::AS_AT_FIRST}</button>
            </span>
            <span class="button-group" role="group" aria-label=text::SAVE_PICTURE>
                <button type="button" data-testid="save-svg" on:click=move |_| save_text(graph, Language::Svg)>"SVG"</button>
                <button type="button" data-testid="save-png" on:click=move |_| save_png(graph)>"PNG"</button>
                <button type="button" data-testid="save-dot" on:click=move |_| save_text(graph, Language::Dot)>"DOT"</button>
            </span>
    }
}

/// A button that shows and hides what is foldable; the style sheet says on which screens.
pub(super) fn fold(
    label: &'static str,
    mark: &'static str,
    is_open: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <button type="button" class="fold" data-testid=mark aria-expanded=move || is_open.get().to_string() on:click=move |_| is_open.update(|open| *open = !*open)>
            {label} <span aria-hidden="true">{move || if is_open.get() { " ▴" } else { " ▾" }}</span>
        </button>
    }
}

/// Opens every group that the graph has: the engine leaves out numbers that name none.
fn open_all(graph: Graph) {
    let groups = graph
        .view
        .with_untracked(|view| view.as_ref().map_or(0, |view| view.groups));
    graph.amend(|place| place.open = Some((0..groups).collect()));
}

/// Which of the graphs that the text prints.
fn modules(graph: Graph) -> impl IntoView {
    let modules = Memo::new(move |_| {
        graph.view.with(|view| {
            view.as_ref()
                .map(|view| view.modules.clone())
                .unwrap_or_default()
        })
    });
    let choose = move |event| {
        if let Ok(module) = event_target_value(&event).parse() {
            graph.amend(|place| {
                *place = GraphPlace {
                    module,
                    ..GraphPlace::of(place.record)
                };
            });
        }
    };
    let options = move || {
        let chosen = graph.place.with(|place| place.module);
        modules.with(|modules| {
            let all = (0..).zip(modules).map(|(id, (name, nodes))| {
                let nodes = format::counted(u64::from(*nodes), "node", "nodes");
                let name = format!("{} · {nodes}", plain(name));
                view! { <option value=id.to_string() selected=chosen == id>{name}</option> }
            });
            all.collect_view()
        })
    };
    move || {
        (modules.with(Vec::len) > 1).then(|| {
            view! {
                <label class="choice">"Graph "
                    <select data-testid="module" on:change=choose>{options}</select>
                </label>
            }
        })
    }
}

/// What the graph is compared with.
fn compare(graph: Graph) -> impl IntoView {
    let offered = Memo::new(move |_| {
        graph.view.with(|view| {
            view.as_ref().map(|view: &std::sync::Arc<GraphView>| {
                let record = graph.place.with(|place| place.record);
                let siblings: Vec<_> = view
                    .siblings
                    .iter()
                    .filter(|(other, _)| *other != record)
                    .cloned()
                    .collect();
                (view.others.clone(), siblings, view.name.clone())
            })
        })
    });
    let choose = move |event| {
        let against = event_target_value(&event).parse::<u32>().ok();
        let record = graph.place.with_untracked(|place| place.record);
        match against {
            // What differs is said from the earlier one to the later one.
            Some(later) if later > record => graph.amend(|place| {
                *place = GraphPlace {
                    against: Some(record),
                    ..GraphPlace::of(later)
                };
            }),
            against => graph.amend(|place| {
                place.against = against;
                place.node = None;
            }),
        }
    };
    let options = move || {
        let chosen = graph.place.with(|place| place.against);
        let option = move |(record, name): &(u32, String)| {
            view! { <option value=record.to_string() selected=chosen == Some(*record)>{plain(name)}</option> }
        };
        offered.with(|offered| {
            let (others, siblings, name) = offered.as_ref()?;
            let others = (!others.is_empty()).then(|| {
                let label = format!("{} of", plain(name));
                view! { <optgroup label=label>{others.iter().map(option).collect_view()}</optgroup> }
            });
            let siblings = (!siblings.is_empty()).then(|| {
                view! { <optgroup label=text::OF_THIS_COMPILATION>{siblings.iter().map(option).collect_view()}</optgroup> }
            });
            Some(view! { {others} {siblings} })
        })
    };
    view! {
        <label class="choice">{text::COMPARE_WITH} " "
            <select data-testid="against" on:change=choose>
                <option value="" selected=move || graph.place.with(|place| place.against.is_none())>{text::WITH_NOTHING}</option>
                {options}
            </select>
        </label>
    }
}

fn name(graph: Graph, extension: &str) -> String {
    let record = graph.place.with_untracked(|place| place.record);
    graph.view.with_untracked(|view| match view {
        Some(view) => {
            let label = view.compilation.as_ref().map(|(_, label)| label.as_str());
            file_name(label, &view.name, record, extension)
        }
        None => file_name(None, "graph", record, extension),
    })
}

/// A language that writes a picture as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    /// For browsers and documents.
    Svg,
    /// For Graphviz, which places the boxes anew.
    Dot,
}

impl Language {
    fn write(self, picture: &Picture, title: &str, colours: &Colours) -> String {
        match self {
            Self::Svg => svg(picture, title, colours),
            Self::Dot => dot(picture, title),
        }
    }

    /// The media type of a file in it.
    fn media_type(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Dot => "text/vnd.graphviz",
        }
    }

    /// How the name of such a file ends.
    fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Dot => "dot",
        }
    }
}

fn save_text(graph: Graph, language: Language) {
    let text = graph.canvas.walk.with_untracked(|walk| {
        let picture = &walk.as_ref()?.picture;
        let title = name(graph, "");
        let title = title.trim_end_matches('.');
        Some(language.write(picture, title, &graph.canvas.colours()))
    });
    let Some(text) = text else { return };
    let options = BlobPropertyBag::new();
    options.set_type(language.media_type());
    let parts = js_sys::Array::of1(&JsValue::from_str(&text));
    saved(
        graph,
        Blob::new_with_str_sequence_and_options(&parts, &options).ok(),
        language.extension(),
    );
}

fn save_png(graph: Graph) {
    graph.canvas.png(move |blob| saved(graph, blob, "png"));
}

fn saved(graph: Graph, blob: Option<Blob>, extension: &str) {
    let name = name(graph, extension);
    match blob.and_then(|blob| download(&blob, &name)) {
        Some(()) => graph.workspace.notice_briefly(words::saved(&name)),
        None if extension == "png" => graph.workspace.notice(text::TOO_LONG.to_owned()),
        None => graph.workspace.notice(text::NOT_DRAWN.to_owned()),
    }
}
