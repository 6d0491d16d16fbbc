//! The page: one module a view, in one shell.
//!
//! Start at [`start`]. [`workspace`] holds what is open and what is shown; [`shell`] draws what stays
//! around every view. A view asks the engine one question and draws the answer.

mod artifacts;
mod breaks;
mod closed;
mod commands;
mod compilation;
mod diff;
mod facts;
mod failures;
mod finder;
mod frame;
mod glossary;
mod graph;
mod guard;
mod guard_tree;
mod guards;
mod headline;
mod kept;
mod keys;
mod landing;
mod logs;
mod notices;
mod opener;
mod outside;
mod overview;
mod palette;
mod payload;
mod privacy;
mod problems;
mod progress;
mod recompiled;
mod record;
mod records;
mod search;
mod sections;
mod shell;
mod stack;
mod stacks;
mod table;
mod text_diff;
mod text_tools;
mod theme;
mod trie;
mod values;
mod workspace;

/// Puts the page into the document.
pub fn start() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(shell::shell);
}
