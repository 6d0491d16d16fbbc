//! A sentence that says what went wrong.

use leptos::prelude::*;

use super::visible::visible;

/// The sentence, where there is one.
pub(crate) fn trouble(sentence: Option<String>) -> impl IntoView {
    sentence.map(|sentence| {
        view! { <p class="trouble" role="alert" data-testid="notice">{visible(&sentence)}</p> }
    })
}
