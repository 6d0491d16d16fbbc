//! Sentences for the reader: what was refused, what went wrong with the engine, what was left out.

use leptos::prelude::*;

use super::logs::state_key;
use super::workspace::Workspace;
use crate::engine::client::EngineState;
use crate::engine::protocol::ReadState;
use crate::text::format;
use crate::ui::visible::{plain, visible};

/// From this number on, refused files are folded away.
const MANY: usize = 4;

/// All sentences, above the view.
pub(crate) fn notices(workspace: Workspace) -> impl IntoView {
    let broken = move || match workspace.engine.state.get() {
        EngineState::Failed(why) => {
            Some(view! { <p class="trouble" role="alert" data-testid="engine-failed">{why}</p> })
        }
        _ => None,
    };
    let one = move |sentence: String| {
        let put_away = sentence.clone();
        let put_away = move |_| {
            workspace
                .notices
                .update(|notices| notices.retain(|notice| *notice != put_away));
        };
        view! {
            <li data-testid="notice">
                <span>{visible(&sentence)}</span>
                <button type="button" class="close" aria-label="Put this message away" on:click=put_away>"×"</button>
            </li>
        }
    };
    view! {
        <section class="notices" aria-label="Messages">
            {broken}
            <ul aria-live="polite">
                <For each=move || workspace.notices.get() key=Clone::clone children=one />
            </ul>
            {refused(workspace)}
        </section>
    }
}

fn refused(workspace: Workspace) -> impl IntoView {
    let refused = Memo::new(move |_| {
        let logs = workspace.logs.get();
        let refused = logs.into_iter().filter_map(|log| {
            let why = log.progress.with(|progress| match &progress.state {
                ReadState::Refused(why) => Some((why.clone(), state_key(&progress.state))),
                _ => None,
            })?;
            Some((log.id, log.name, why.0, why.1))
        });
        refused.collect::<Vec<_>>()
    });
    let one = move |(id, name, why, state): (u32, String, String, &'static str)| {
        // The engine's sentence should name the file; where it does not, the page does.
        let named = if why.contains(&name)
            || name
                .rsplit('/')
                .next()
                .is_some_and(|file| why.contains(file))
        {
            why
        } else {
            format!("{name}: {why}")
        };
        let close_name = format!("Put the message about {} away", plain(&name));
        view! {
            <li data-testid="refused" data-log=id.to_string() data-state=state>
                <span>{visible(&named)}</span>
                <button type="button" class="close" aria-label=close_name on:click=move |_| workspace.close(id)>"×"</button>
            </li>
        }
    };
    let list = move || view! { <ul class="refused"><For each=move || refused.get() key=|item| item.0 children=one /></ul> };
    let put_all_away = move |_| {
        for (id, ..) in refused.get_untracked() {
            workspace.close(id);
        }
    };
    let is_many = Memo::new(move |_| refused.with(Vec::len) >= MANY);
    move || {
        if is_many.get() {
            view! {
                <details class="refused-fold">
                    <summary>
                        {move || format::counted(refused.with(|refused| refused.len() as u64), "file was not opened", "files were not opened")}
                    </summary>
                    <button type="button" class="quiet" on:click=put_all_away>"Put these messages away"</button>
                    {list()}
                </details>
            }
            .into_any()
        } else {
            list().into_any()
        }
    }
}
