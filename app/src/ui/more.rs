//! A button below rows that shows more of them.

use leptos::prelude::*;

/// The button, as long as rows are left: `label` makes its words of their number, and a press raises `count`.
pub(crate) fn more(
    test: &'static str,
    left: impl Fn() -> u32 + Send + Sync + 'static,
    label: fn(u32) -> String,
    count: RwSignal<u32>,
    step: u32,
) -> impl IntoView {
    let left = Memo::new(move |_| left());
    let press = move |_| count.update(|count| *count = count.saturating_add(step));
    move || {
        let left = left.get();
        (left > 0).then(|| {
            view! { <p><button type="button" class="more" data-testid=test on:click=press>{label(left)}</button></p> }
        })
    }
}
