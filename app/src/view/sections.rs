//! The sections of a log: the views that show all of it.

use leptos::prelude::*;

use super::workspace::Workspace;
use crate::engine::protocol::LogId;
use crate::route::Place;

/// Links to the sections.
pub(crate) fn sections(workspace: Workspace, log: LogId) -> impl IntoView {
    let all = [
        ("Overview", Place::overview()),
        ("Graph breaks", Place::Breaks),
        ("Stacks", Place::Stacks),
        ("Records", Place::records()),
        ("Failures", Place::Findings),
        ("Log health", Place::Problems),
    ];
    let links = all.map(|(words, place)| {
        let link = workspace.link(log, place.clone());
        let is_shown = move || {
            workspace.address.with(|address| std::mem::discriminant(&address.place) == std::mem::discriminant(&place))
        };
        view! { <li><a href=link aria-current=move || is_shown().then_some("page")>{words}</a></li> }
    });
    view! { <nav class="sections" aria-label="Sections of the log"><ul>{links.into_iter().collect_view()}</ul></nav> }
}
