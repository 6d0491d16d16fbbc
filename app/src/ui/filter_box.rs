//! A box that filters while the reader types.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

/// How long the page waits for more typing, in milliseconds.
const TYPING: u32 = 120;

/// What a box is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    /// Its mark for tests.
    pub mark: &'static str,
    /// Its name, for screen readers.
    pub name: &'static str,
    /// What stands in it while it is empty.
    pub hint: &'static str,
}

/// The box: it shows `value`, and tells `set` what was typed.
pub(crate) fn filter_box(
    words: Words,
    value: Signal<String>,
    set: impl Fn(String) + Copy + 'static,
) -> impl IntoView {
    let timer = StoredValue::new_local(None::<Timeout>);
    let typed = move |event| {
        let value = event_target_value(&event);
        timer.set_value(Some(Timeout::new(TYPING, move || set(value))));
    };
    view! {
        <input
            type="search"
            class="filter"
            data-testid=words.mark
            aria-label=words.name
            placeholder=words.hint
            autocomplete="off"
            spellcheck="false"
            prop:value=value
            on:input=typed
        />
    }
}
