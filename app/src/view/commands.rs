//! What can be done from anywhere, in one table: the palette and the keys both read it.

use leptos::prelude::*;

use super::opener::Opener;
use super::theme;
use super::workspace::Workspace;
use crate::engine::protocol::{Case, LogId};
use crate::route::{Address, Place};

/// Something that can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// Open the dialog for files.
    ChooseFiles,
    /// Open the dialog for a folder.
    ChooseFolder,
    /// Open the sample.
    Sample,
    /// Show where logs are opened.
    Landing,
    /// Show the log's overview.
    Overview,
    /// Show the tree of stacks.
    Stacks,
    /// Show all records.
    Records,
    /// Search all logs.
    Search,
    /// Show what lies outside any compilation.
    Outside,
    /// Show what failed and what was warned.
    Findings,
    /// Show where graphs broke.
    Breaks,
    /// Read a log from the clipboard.
    Paste,
    /// Show what could not be read.
    Problems,
    /// Show what the words mean.
    Glossary,
    /// Copy the address of what is shown.
    CopyLink,
    /// Close the log that is shown.
    CloseLog,
    /// Light colours.
    Light,
    /// Dark colours.
    Dark,
    /// Colours as the system has them.
    System,
    /// Show the keys.
    Keys,
}

/// All commands with their words; the flag says whether a log must be shown.
pub(crate) const COMMANDS: [(Command, &str, bool); 20] = [
    (Command::ChooseFiles, "Open files", false),
    (Command::ChooseFolder, "Open a folder", false),
    (Command::Sample, "Open the sample", false),
    (Command::Paste, "Paste a log", false),
    (Command::Overview, "Go to the overview", true),
    (Command::Stacks, "Go to the stacks", true),
    (Command::Records, "Go to all records", true),
    (Command::Search, "Search all open logs", false),
    (Command::Breaks, "Go to the graph breaks", true),
    (Command::Findings, "Go to failures and warnings", true),
    (Command::Problems, "Go to the log's health", true),
    (
        Command::Outside,
        "Go to what lies outside any compilation",
        true,
    ),
    (Command::Landing, "Go to the start", false),
    (Command::Glossary, "Go to the glossary", false),
    (Command::CopyLink, "Copy a link to this view", false),
    (Command::CloseLog, "Close this log", true),
    (Command::Light, "Use light colours", false),
    (Command::Dark, "Use dark colours", false),
    (Command::System, "Use the system's colours", false),
    (Command::Keys, "Show the keys", false),
];

/// Does it.
pub(crate) fn run(command: Command, workspace: Workspace, opener: Opener) {
    let log = shown_log(workspace);
    let go = |place| {
        if let Some(log) = log {
            workspace.go(&Address::decode(&workspace.link(log, place)));
        }
    };
    match command {
        Command::ChooseFiles => opener.choose_files(),
        Command::ChooseFolder => opener.choose_folder(),
        Command::Sample => opener.try_sample(),
        Command::Landing => workspace.go(&Address::landing()),
        Command::Overview => go(Place::overview()),
        Command::Stacks => go(Place::Stacks),
        Command::Records => go(Place::records()),
        Command::Search => search(workspace),
        Command::Outside => go(Place::Outside),
        Command::Findings => go(Place::Findings),
        Command::Breaks => go(Place::Breaks),
        Command::Paste => opener.show_paste(),
        Command::Problems => go(Place::Problems),
        Command::Glossary => workspace.go(&Address::landing().to(Place::Glossary)),
        Command::CopyLink => workspace.copy_link(),
        Command::CloseLog => {
            if let Some(log) = log {
                workspace.close(log);
            }
        }
        Command::Light => theme::choose(workspace.theme, "light"),
        Command::Dark => theme::choose(workspace.theme, "dark"),
        Command::System => theme::choose(workspace.theme, "system"),
        Command::Keys => workspace.keys_shown.set(true),
    }
}

/// Shows the search.
pub(crate) fn search(workspace: Workspace) {
    workspace.go(&Address::landing().to(Place::Search {
        text: String::new(),
        case: Case::Ignored,
    }));
}

/// The log that is shown, where it is open.
pub(crate) fn shown_log(workspace: Workspace) -> Option<LogId> {
    let log = workspace
        .address
        .with_untracked(|address| address.log.as_ref().map(|log| log.order))?;
    workspace
        .logs
        .with_untracked(|logs| logs.iter().any(|open| open.id == log))
        .then_some(log)
}
