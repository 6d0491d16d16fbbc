//! Light, dark, or as the system says.

use leptos::prelude::*;

/// Where the browser keeps the choice.
const KEY: &str = "dynascope-theme";

/// All themes: the word in the document and the word on the switch.
const THEMES: [(&str, &str); 3] = [("system", "System"), ("light", "Light"), ("dark", "Dark")];

/// Takes up the reader's last choice.
pub(crate) fn restore() {
    apply(&stored());
}

/// The switch.
pub(crate) fn theme_switch() -> impl IntoView {
    let theme = RwSignal::new(stored());
    let change = move |event| {
        let value = event_target_value(&event);
        apply(&value);
        if let Some(storage) = storage() {
            let _ = storage.set_item(KEY, &value);
        }
        theme.set(value);
    };
    let options = THEMES.map(|(key, label)| {
        view! { <option value=key selected=move || theme.with(|theme| theme == key)>{label}</option> }
    });
    view! { <select class="quiet" data-testid="theme" aria-label="Colours" on:change=change>{options.into_iter().collect_view()}</select> }
}

fn apply(theme: &str) {
    let Some(root) = document().document_element() else {
        return;
    };
    let _ = match theme {
        "light" | "dark" => root.set_attribute("data-theme", theme),
        _ => root.remove_attribute("data-theme"),
    };
}

fn stored() -> String {
    // The browser may refuse storage altogether; then the system decides.
    let stored = storage().and_then(|storage| storage.get_item(KEY).ok().flatten());
    stored
        .filter(|stored| THEMES.iter().any(|(key, _)| key == stored))
        .unwrap_or_else(|| "system".to_owned())
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window().and_then(|window| window.local_storage().ok().flatten())
}
