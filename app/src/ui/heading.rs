//! The heading of a view: it names the tab and takes the focus when the reader comes to the view.

use leptos::html::H1;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::visible::plain;

/// Whether the reader has just gone to another view, so that its heading shall take the focus.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    wanted: StoredValue<bool>,
}

impl Arrival {
    /// Nobody arrives yet: the first view does not take the focus.
    pub(crate) fn new() -> Self {
        Self {
            wanted: StoredValue::new(false),
        }
    }

    /// The reader goes to another view.
    pub(crate) fn expect(self) {
        self.wanted.set_value(true);
    }

    fn take(self) -> bool {
        self.wanted
            .try_update_value(std::mem::take)
            .unwrap_or(false)
    }
}

/// The heading. `name` names the tab; `fresh` changes when another view's content is there.
pub(crate) fn heading(
    arrival: Arrival,
    name: impl Fn() -> String + Send + Sync + 'static,
    fresh: Signal<u32>,
    content: impl IntoView,
) -> impl IntoView {
    let node = NodeRef::<H1>::new();
    Effect::new(move |_| {
        let name = plain(&name());
        document().set_title(&if name.is_empty() {
            "Dynascope".to_owned()
        } else {
            format!("{name} · Dynascope")
        });
    });
    Effect::new(move |_| {
        fresh.track();
        if let Some(node) = node.get()
            && arrival.take()
        {
            let node: &HtmlElement = &node;
            let _ = node.focus();
            if let Some(window) = web_sys::window() {
                window.scroll_to_with_x_and_y(0.0, 0.0);
            }
        }
    });
    view! { <h1 tabindex="-1" node_ref=node>{content}</h1> }
}
