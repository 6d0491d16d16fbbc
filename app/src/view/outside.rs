//! What a log holds outside any compilation.

use leptos::prelude::*;

use super::artifacts::artifacts;
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Answer, Question};
use crate::route::Place;
use crate::text;
use crate::ui::asked::asked;
use crate::ui::heading::heading;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// The view.
pub(crate) fn outside(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let growth = log.growth();
    let question = Memo::new(move |_| Question::Outside { log: id });
    let answer = asked(workspace.engine, question, growth, |answer| match answer {
        Answer::Artifacts(artifacts) => Some(artifacts),
        _ => None,
    });
    let list = Memo::new(move |_| answer.good().unwrap_or_default());
    let back = workspace.link(id, Place::overview());
    let title = format!("Artifacts outside any compilation · {}", plain(&log.name));
    view! {
        <div class="page wide" data-testid="outside">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{visible(&log.name)}</a></nav>
            {heading(workspace.arrival, move || title.clone(), answer.fresh.into(), "Artifacts outside any compilation")}
            <p class="lead">"Records that carry no compile id: settings, versions, and what was written before or between compilations."</p>
            {move || trouble(answer.wrong())}
            {artifacts(workspace, id, list.into())}
            <Show when=move || answer.good().is_some_and(|list| list.is_empty())>
                <p class="dim" data-testid="no-artifacts">{text::NO_OUTSIDE}</p>
            </Show>
        </div>
    }
}
