//! The keys that work everywhere, and the list of all keys.

use gloo_events::{EventListener, EventListenerOptions};
use leptos::html::Dialog;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use super::commands;
use super::palette::is_backdrop;
use super::workspace::Workspace;
use crate::text;

/// Listens for keys, and draws the list of them while the workspace says so.
pub(crate) fn keys(workspace: Workspace) -> impl IntoView {
    let listener = StoredValue::new_local(None::<EventListener>);
    if let Some(window) = web_sys::window() {
        let options = EventListenerOptions::enable_prevent_default();
        let listen = EventListener::new_with_options(&window, "keydown", options, move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                pressed(workspace, event);
            }
        });
        listener.set_value(Some(listen));
    }
    let shown = workspace.keys_shown;
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        let (Some(dialog), is_shown) = (dialog.get(), shown.get()) else {
            return;
        };
        if is_shown && !dialog.open() {
            let _ = dialog.show_modal();
        } else if !is_shown && dialog.open() {
            dialog.close();
        }
    });
    let rows = text::KEYS.iter().map(|(keys, what)| {
        let keys = keys
            .split(' ')
            .map(|key| view! { <kbd>{key}</kbd> " " })
            .collect_view();
        view! { <div><dt>{keys}</dt><dd>{*what}</dd></div> }
    });
    view! {
        <dialog
            class="keys"
            aria-labelledby="keys-title"
            data-testid="keys"
            node_ref=dialog
            on:close=move |_| shown.set(false)
            on:click=move |event| if is_backdrop(&event) { shown.set(false) }
        >
            <div class="section-head">
                <h2 id="keys-title">"Keys"</h2>
                <button type="button" class="quiet" on:click=move |_| shown.set(false)>"Close"</button>
            </div>
            <dl>{rows.collect_view()}</dl>
        </dialog>
    }
}

fn pressed(workspace: Workspace, event: &KeyboardEvent) {
    let is_palette =
        (event.ctrl_key() || event.meta_key()) && event.key().eq_ignore_ascii_case("k");
    if is_palette {
        event.prevent_default();
        workspace.palette_shown.update(|shown| *shown = !*shown);
        return;
    }
    let types = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|element| {
            element
                .matches("input, select, textarea, dialog *")
                .unwrap_or(false)
        });
    if types || event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented()
    {
        return;
    }
    let is_done = match event.key().as_str() {
        "?" => {
            workspace.keys_shown.set(true);
            true
        }
        "/" => {
            let is_there = act_on("input.filter", |element| element.focus().is_ok());
            if !is_there {
                commands::search(workspace);
            }
            true
        }
        "[" => act_on("[data-testid=\"previous\"]", press),
        "]" => act_on("[data-testid=\"next\"]", press),
        "{" => act_on("[data-testid=\"frame-previous\"]", press),
        "}" => act_on("[data-testid=\"frame-next\"]", press),
        _ => false,
    };
    if is_done {
        event.prevent_default();
    }
}

fn press(element: &HtmlElement) -> bool {
    element.click();
    true
}

fn act_on(selector: &str, act: impl Fn(&HtmlElement) -> bool) -> bool {
    let element = document().query_selector(selector).ok().flatten();
    element
        .and_then(|element| element.dyn_into::<HtmlElement>().ok())
        .is_some_and(|element| act(&element))
}
