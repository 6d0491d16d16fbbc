//! What the words mean, on one page.

use leptos::prelude::*;

use super::workspace::Workspace;
use crate::text::glossary::TERMS;
use crate::text::words::STATUSES;
use crate::ui::heading::heading;
use crate::ui::marks::status_mark;

/// The view.
pub(crate) fn glossary(workspace: Workspace) -> impl IntoView {
    let terms = TERMS
        .iter()
        .map(|term| view! { <div><dt>{term.word}</dt><dd>{term.meaning}</dd></div> });
    let statuses = STATUSES.iter().map(|words| {
        view! { <div><dt>{status_mark(words.status)}</dt><dd>{words.meaning} " " {words.next}</dd></div> }
    });
    view! {
        <div class="page" data-testid="glossary">
            {heading(workspace.arrival, || "Glossary".to_owned(), Signal::stored(0), "Glossary")}
            <p class="lead">"The words are PyTorch's own."</p>
            <dl class="terms">{terms.collect_view()}</dl>
            <h2>"How a compilation ends"</h2>
            <dl class="terms">{statuses.collect_view()}</dl>
        </div>
    }
}
