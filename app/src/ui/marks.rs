//! Small marks with a word each: status, cache, checksum.

use leptos::prelude::*;

use crate::engine::protocol::{Cache, Checksum, Status};
use crate::text::words;

/// How a compilation ended.
pub(crate) fn status_mark(status: Status) -> impl IntoView {
    let words = words::status(status);
    view! { <span class="mark" data-status=words.key title=words.meaning>{words.label}</span> }
}

/// What an artifact says of a cache.
pub(crate) fn cache_mark(cache: Option<Cache>) -> impl IntoView {
    cache.map(|cache| {
        let (key, label, meaning) = words::cache(cache);
        view! { <span class="mark" data-cache=key title=meaning>{label}</span> }
    })
}

/// Whether a payload is what PyTorch wrote.
pub(crate) fn checksum_mark(checksum: Checksum) -> impl IntoView {
    let (key, label, meaning) = words::checksum(checksum);
    view! { <span class="mark" data-checksum=key title=meaning>{label}</span> }
}
