//! What stays around every view: the bar, the logs, the messages; and which view is shown.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::opener::Opener;
use super::workspace::Workspace;
use super::{
    breaks, closed, compilation, diff, failures, frame, glossary, graph, guards, keys, landing,
    logs, notices, outside, overview, palette, payload, problems, progress, record, records,
    search, stacks, theme,
};
use crate::engine::protocol::{Case, LogId};
use crate::route::{Address, Place};
use crate::ui::copy::copy_button;

/// Which view is shown. As long as it stays the same, the view is kept and only its content changes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    Landing,
    Glossary,
    Search,
    /// The address cannot be shown as things are.
    Closed,
    Log(LogId, Kind),
}

/// Which view of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Overview,
    Stacks,
    Records,
    Compilation,
    Frame,
    Outside,
    Text,
    Record,
    Guards,
    Graph,
    Findings,
    Breaks,
    Problems,
    Diff,
}

/// The whole page.
pub(crate) fn shell() -> impl IntoView {
    let workspace = Workspace::start();
    let opener = Opener::start(workspace);
    let shown = Memo::new(move |_| shown(workspace));
    let skip = move |_| {
        let heading = document().query_selector("main h1").ok().flatten();
        if let Some(heading) = heading.and_then(|heading| heading.dyn_into::<HtmlElement>().ok()) {
            let _ = heading.focus();
        }
    };
    let link = || {
        web_sys::window()
            .and_then(|window| window.location().href().ok())
            .unwrap_or_default()
    };
    let landing = Address::landing().encode();
    let search_link = Address::landing()
        .to(Place::Search {
            text: String::new(),
            case: Case::Ignored,
        })
        .encode();
    let glossary = Address {
        place: Place::Glossary,
        ..Address::landing()
    }
    .encode();
    view! {
        <button type="button" class="skip" on:click=skip>"Skip to the content"</button>
        <header class="bar">
            <a class="brand" href=landing>"Dynascope"</a>
            <div class="bar-tools">
                <button type="button" class="quiet" data-testid="add" on:click=move |_| opener.choose_files()>"Open…"</button>
                <button
                    type="button"
                    class="quiet"
                    data-testid="go-to"
                    title="Ctrl K"
                    on:click=move |_| workspace.palette_shown.set(true)
                >
                    "Go to…"
                </button>
                {copy_button("Copy link", "Copy link to this view", link)}
                <a class="quiet" href=search_link data-testid="search-link">"Search"</a>
                <a class="quiet" href=glossary>"Glossary"</a>
                {theme::theme_switch(workspace.theme)}
            </div>
            {logs::log_tabs(workspace)}
        </header>
        {notices::notices(workspace)}
        <main>
            {move || match shown.get() {
                Shown::Landing => landing::landing(workspace, opener).into_any(),
                Shown::Glossary => glossary::glossary(workspace).into_any(),
                Shown::Search => search::search(workspace).into_any(),
                Shown::Closed => closed::closed(workspace, opener).into_any(),
                Shown::Log(log, kind) => log_view(workspace, log, kind),
            }}
        </main>
        <div class="only-read" role="status" aria-live="polite">{workspace.said}</div>
        <div class="brief" aria-hidden="true" class:away=move || workspace.brief.with(String::is_empty)>{workspace.brief}</div>
        {opener.view()}
        {palette::palette(workspace, opener)}
        {keys::keys(workspace)}
    }
}

fn shown(workspace: Workspace) -> Shown {
    workspace.address.with(|address| {
        let log = address.log.as_ref().map(|log| log.order);
        let kind = match &address.place {
            Place::Landing => return Shown::Landing,
            Place::Glossary => return Shown::Glossary,
            Place::Search { .. } => return Shown::Search,
            Place::Unknown(_) => return Shown::Closed,
            Place::Overview { .. } => Kind::Overview,
            Place::Stacks => Kind::Stacks,
            Place::Records { .. } => Kind::Records,
            Place::Compilation(_) => Kind::Compilation,
            Place::Frame(_) => Kind::Frame,
            Place::Outside => Kind::Outside,
            Place::Text(_) => Kind::Text,
            Place::Record(_) => Kind::Record,
            Place::Guards(_) => Kind::Guards,
            Place::Graph(_) => Kind::Graph,
            Place::Findings => Kind::Findings,
            Place::Breaks => Kind::Breaks,
            Place::Problems => Kind::Problems,
            Place::Diff(_) => Kind::Diff,
        };
        match log.and_then(|log| workspace.log(log)) {
            Some(log) if !log.is_refused() => Shown::Log(log.id, kind),
            _ => Shown::Closed,
        }
    })
}

fn log_view(workspace: Workspace, log: LogId, kind: Kind) -> AnyView {
    let Some(log) = workspace
        .logs
        .with_untracked(|logs| logs.iter().find(|open| open.id == log).cloned())
    else {
        return ().into_any();
    };
    let status = progress::progress(workspace, &log);
    let view = match kind {
        Kind::Overview => overview::overview(workspace, &log).into_any(),
        Kind::Stacks => stacks::stacks(workspace, &log).into_any(),
        Kind::Records => records::records(workspace, &log).into_any(),
        Kind::Compilation => compilation::compilation(workspace, &log).into_any(),
        Kind::Frame => frame::frame(workspace, &log).into_any(),
        Kind::Outside => outside::outside(workspace, &log).into_any(),
        Kind::Text => payload::payload(workspace, &log).into_any(),
        Kind::Record => record::record(workspace, &log).into_any(),
        Kind::Guards => guards::guards(workspace, &log).into_any(),
        Kind::Graph => graph::graph(workspace, &log).into_any(),
        Kind::Findings => failures::failures(workspace, &log).into_any(),
        Kind::Breaks => breaks::breaks(workspace, &log).into_any(),
        Kind::Problems => problems::problems(workspace, &log).into_any(),
        Kind::Diff => diff::diff(workspace, &log).into_any(),
    };
    view! { {status} {view} }.into_any()
}
