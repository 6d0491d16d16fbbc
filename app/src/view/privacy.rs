//! How the privacy promise is kept, and what keeps it not.

use leptos::prelude::*;

use crate::text;

/// The section of the landing page.
pub(crate) fn privacy() -> impl IntoView {
    let policy = document()
        .query_selector("meta[http-equiv='Content-Security-Policy']")
        .ok()
        .flatten()
        .and_then(|meta| meta.get_attribute("content"))
        .unwrap_or_default();
    let how = text::HOW_KEPT.iter().enumerate().map(|(place, (what, why))| {
        let policy = (place == 0).then(|| policy.clone());
        view! {
            <li>
                <strong>{*what}</strong>
                " "
                {*why}
                {policy.map(|policy| view! { <pre class="policy" tabindex="0" aria-label="Content-Security-Policy"><code>{policy}</code></pre> })}
            </li>
        }
    });
    let not = text::NOT_STOPPED
        .iter()
        .map(|sentence| view! { <li>{*sentence}</li> });
    view! {
        <section aria-labelledby="privacy" class="card">
            <h2 id="privacy">"Nothing leaves this tab"</h2>
            <ul class="prose">{how.collect_view()}</ul>
            <h3>"What no policy can stop"</h3>
            <ul class="prose">{not.collect_view()}</ul>
        </section>
    }
}
