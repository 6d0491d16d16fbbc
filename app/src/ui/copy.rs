//! A button that copies text.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// How long the button says that it has copied, in milliseconds.
const SHOWN: u32 = 2000;

/// A button named `label` that copies what `text` gives.
pub(crate) fn copy_button(
    label: &'static str,
    describes: &'static str,
    text: impl Fn() -> String + 'static,
) -> impl IntoView {
    let said = RwSignal::new("");
    let timer = StoredValue::new_local(None::<Timeout>);
    let copy = move |_| {
        let Some(window) = web_sys::window() else {
            return;
        };
        let promise = window.navigator().clipboard().write_text(&text());
        wasm_bindgen_futures::spawn_local(async move {
            let word = if JsFuture::from(promise).await.is_ok() {
                "Copied"
            } else {
                "Not allowed"
            };
            let _ = said.try_set(word);
            let back = Timeout::new(SHOWN, move || {
                let _ = said.try_set("");
            });
            let _ = timer.try_update_value(|timer| *timer = Some(back));
        });
    };
    view! {
        <button type="button" class="quiet copy" on:click=copy aria-label=describes>
            <span class:away=move || !said.get().is_empty()>{label}</span>
            <span class="copied" aria-live="polite">{said}</span>
        </button>
    }
}
