//! Where logs are opened: what this is, how to open one, how to record one, why it is private.

use leptos::prelude::*;

use super::opener::Opener;
use super::privacy;
use super::workspace::Workspace;
use crate::text;
use crate::ui::copy::copy_button;
use crate::ui::heading::heading;

/// The view.
pub(crate) fn landing(workspace: Workspace, opener: Opener) -> impl IntoView {
    view! {
        <div class="page landing" data-testid="landing">
            <div class="hero">
                {heading(workspace.arrival, String::new, Signal::stored(0), "What did torch.compile do?")}
                <p class="lead">{text::WHAT_THIS_IS}</p>
            </div>
            {drop_card(opener)}
            <div class="columns">{recording()} {privacy::privacy()}</div>
        </div>
    }
}

/// The place that asks for a log.
pub(crate) fn drop_card(opener: Opener) -> impl IntoView {
    let sample = move || {
        if opener.is_fetching() {
            "Loading the sample…"
        } else {
            "Try a sample"
        }
    };
    view! {
        <section class="drop-card" aria-label="Open a log">
            <p class="drop-words">"Drop a log, several of them, or a whole folder anywhere on this page"</p>
            <p class="drop-buttons">
                <button type="button" class="strong" data-testid="choose-files" on:click=move |_| opener.choose_files()>"Choose files"</button>
                <button type="button" data-testid="choose-folder" on:click=move |_| opener.choose_folder()>"Choose a folder"</button>
                <button type="button" data-testid="paste" aria-expanded=move || opener.shows_paste().to_string() aria-controls="paste-box" on:click=move |_| opener.toggle_paste()>{text::PASTE}</button>
                <button type="button" data-testid="sample" on:click=move |_| opener.try_sample()>{sample}</button>
            </p>
            {opener.paste_box()}
            <p class="promise">{text::PROMISE}</p>
        </section>
    }
}

fn recording() -> impl IntoView {
    let steps = text::RECORDING.iter().map(|step| {
        view! {
            <li>
                <p>{step.what}</p>
                <div class="command">
                    <code>{step.command}</code>
                    {copy_button("Copy", "Copy the command", || step.command.to_owned())}
                </div>
                <p class="then">{step.then}</p>
            </li>
        }
    });
    view! {
        <section aria-labelledby="recording" class="card">
            <h2 id="recording">"Record a log"</h2>
            <ol class="steps">{steps.collect_view()}</ol>
            <p data-testid="console-hint">{text::CONSOLE}</p>
        </section>
    }
}
