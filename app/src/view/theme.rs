//! Light, dark, or as the system says.

use leptos::prelude::*;

/// Where the browser keeps the choice.
const KEY: &str = "dynascope-theme";

/// All themes: the word in the document and the word on the switch.
const THEMES: [(&str, &str); 3] = [("system", "System"), ("light", "Light"), ("dark", "Dark")];

/// Takes up the reader's last choice.
pub(crate) fn restore() -> RwSignal<String> {
    let theme = stored();
    apply(&theme);
    RwSignal::new(theme)
}

/// Takes a theme, and keeps the choice.
pub(crate) fn choose(chosen: RwSignal<String>, theme: &str) {
    apply(theme);
    if let Some(storage) = storage() {
        let _ = storage.set_item(KEY, theme);
    }
    chosen.set(theme.to_owned());
}

/// The switch.
pub(crate) fn theme_switch(chosen: RwSignal<String>) -> impl IntoView {
    let options = THEMES.map(|(key, label)| view! { <option value=key>{label}</option> });
    view! {
        <select
            class="quiet"
            data-testid="theme"
            aria-label="Colours"
            prop:value=chosen
            on:change=move |event| choose(chosen, &event_target_value(&event))
        >
            {options.into_iter().collect_view()}
        </select>
    }
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
