//! One box for everything: logs, compilations of the log that is shown, and commands.

use gloo_timers::callback::Timeout;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::commands::{self, COMMANDS, Command};
use super::logs::short_name;
use super::opener::Opener;
use super::workspace::{OpenLog, Workspace};
use crate::engine::client::Ticket;
use crate::engine::protocol::{Answer, CompilationRow, Question};
use crate::route::{Address, DEFAULT_SORT, Place};
use crate::text::paths;
use crate::ui::fuzzy;
use crate::ui::visible::{plain, visible};

/// Logs that are listed, at the most.
const LOGS: usize = 20;

/// Compilations that are listed, at the most.
const COMPILATIONS: u32 = 20;

/// How long the page waits for more typing before it asks the engine, in milliseconds.
const TYPING: u32 = 60;

/// A line of the list.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    group: &'static str,
    words: String,
    beside: String,
    act: Act,
}

#[derive(Debug, Clone, PartialEq)]
enum Act {
    Run(Command),
    Go(String),
}

/// The palette; it shows while the workspace says so.
pub(crate) fn palette(workspace: Workspace, opener: Opener) -> impl IntoView {
    let shown = workspace.palette_shown;
    let dialog = NodeRef::<Dialog>::new();
    let input = NodeRef::<Input>::new();
    let typed = RwSignal::new(String::new());
    let active = RwSignal::new(0usize);
    let found = RwSignal::new(Vec::<CompilationRow>::new());
    Effect::new(move |_| {
        let (Some(dialog), is_shown) = (dialog.get(), shown.get()) else {
            return;
        };
        if is_shown && !dialog.open() {
            typed.set(String::new());
            active.set(0);
            let _ = dialog.show_modal();
            if let Some(input) = input.get_untracked() {
                let _ = input.focus();
            }
        } else if !is_shown && dialog.open() {
            dialog.close();
        }
    });
    ask_compilations(workspace, typed, found);
    let entries = Memo::new(move |_| {
        if shown.get() {
            entries(workspace, &typed.get(), &found.get())
        } else {
            Vec::new()
        }
    });
    let act = move |place: usize| {
        let Some(entry) = entries.with_untracked(|entries| entries.get(place).cloned()) else {
            return;
        };
        shown.set(false);
        match entry.act {
            Act::Run(command) => commands::run(command, workspace, opener),
            Act::Go(address) => workspace.go(&Address::decode(&address)),
        }
    };
    let keys = move |event: KeyboardEvent| {
        let last = entries.with_untracked(Vec::len).saturating_sub(1);
        let now = active.get_untracked();
        let to = match event.key().as_str() {
            "ArrowDown" => {
                if now >= last {
                    0
                } else {
                    now + 1
                }
            }
            "ArrowUp" => now.checked_sub(1).unwrap_or(last),
            "PageDown" => now.saturating_add(8).min(last),
            "PageUp" => now.saturating_sub(8),
            "Enter" => {
                event.prevent_default();
                return act(now);
            }
            _ => return,
        };
        event.prevent_default();
        active.set(to);
        if let Some(entry) = document().get_element_by_id(&format!("palette-{to}")) {
            entry.scroll_into_view_with_bool(to < now);
        }
    };
    let list = move || {
        let mut group = "";
        let entries = entries.get().into_iter().enumerate().map(|(place, entry)| {
            let head = (entry.group != group).then_some(entry.group);
            group = entry.group;
            line(place, entry, head, active, act)
        });
        entries.collect_view()
    };
    view! {
        <dialog
            class="palette"
            aria-label="Go to"
            data-testid="palette"
            node_ref=dialog
            on:close=move |_| shown.set(false)
            on:click=move |event| if is_backdrop(&event) { shown.set(false) }
        >
            <input
                type="text"
                role="combobox"
                aria-label="Go to a log, a compilation or a command"
                aria-expanded="true"
                aria-controls="palette-list"
                aria-activedescendant=move || format!("palette-{}", active.get())
                placeholder="Go to a log, a compilation, a command"
                autocomplete="off"
                spellcheck="false"
                node_ref=input
                prop:value=typed
                on:input=move |event| {
                    typed.set(event_target_value(&event));
                    active.set(0);
                }
                on:keydown=keys
            />
            <ul id="palette-list" role="listbox" aria-label="Matches">{list}</ul>
            <Show when=move || entries.with(Vec::is_empty)>
                <p class="nothing">"Nothing is called so."</p>
            </Show>
        </dialog>
    }
}

fn line(
    place: usize,
    entry: Entry,
    head: Option<&'static str>,
    active: RwSignal<usize>,
    act: impl Fn(usize) + Copy + 'static,
) -> impl IntoView {
    let is_active = move || active.get() == place;
    view! {
        {head.map(|head| view! { <li role="presentation" class="palette-head">{head}</li> })}
        <li
            role="option"
            id=format!("palette-{place}")
            data-testid="palette-entry"
            aria-selected=move || is_active().to_string()
            on:click=move |_| act(place)
            on:mousemove=move |_| active.set(place)
        >
            <span>{visible(&entry.words)}</span>
            <span class="dim">{visible(&entry.beside)}</span>
        </li>
    }
}

/// Asks the engine for compilations that hold all words typed.
fn ask_compilations(
    workspace: Workspace,
    typed: RwSignal<String>,
    found: RwSignal<Vec<CompilationRow>>,
) {
    let pending = StoredValue::new_local((None::<Timeout>, None::<Ticket>));
    Effect::new(move |_| {
        let filter = typed.get();
        let ask = move || {
            let Some(log) = commands::shown_log(workspace).filter(|_| !filter.trim().is_empty())
            else {
                found.set(Vec::new());
                return;
            };
            let question = Question::Compilations {
                log,
                sort: DEFAULT_SORT,
                filter: filter.clone(),
                first: 0,
                count: COMPILATIONS,
            };
            let ticket = workspace.engine.ask(question, move |answer| {
                if let Ok(Answer::Compilations(page)) = answer {
                    found.set(page.rows);
                }
            });
            let old = pending.try_update_value(|pending| pending.1.replace(ticket));
            drop(old);
        };
        let timer = Timeout::new(TYPING, ask);
        let old = pending.try_update_value(|pending| (pending.0.replace(timer), pending.1.take()));
        drop(old);
    });
}

/// Logs and compilations that hold all words, then commands by how well they fit.
fn entries(workspace: Workspace, typed: &str, found: &[CompilationRow]) -> Vec<Entry> {
    let log = commands::shown_log(workspace);
    let logs: Vec<Entry> = workspace.logs.with(|logs| {
        let open = logs.iter().filter(|log| !log.is_refused());
        let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
        let is_meant = |name: &str| {
            let name = name.to_lowercase();
            words.iter().all(|word| name.contains(word.as_str()))
        };
        let meant = open.filter(|log| is_meant(&log.name));
        let entry = |log: &OpenLog| Entry {
            group: "Logs",
            words: plain(&short_name(&log.name)),
            beside: plain(&log.name),
            act: Act::Go(workspace.link(log.id, Place::overview())),
        };
        meant.take(LOGS).map(entry).collect()
    });
    let mut commands: Vec<(i32, Entry)> = COMMANDS
        .iter()
        .filter(|(_, _, needs_log)| log.is_some() || !needs_log)
        .filter_map(|(command, words, _)| {
            let entry = Entry {
                group: "Commands",
                words: (*words).to_owned(),
                beside: String::new(),
                act: Act::Run(*command),
            };
            Some((fuzzy::score(typed, words)?, entry))
        })
        .collect();
    commands.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let compilations = log.into_iter().flat_map(|log| {
        found.iter().map(move |row| Entry {
            group: "Compilations",
            words: format!(
                "{} {}",
                row.label,
                row.function.as_deref().unwrap_or_default()
            ),
            beside: paths::place(row.file.as_deref(), row.line),
            act: Act::Go(workspace.link(log, Place::Compilation(row.key.clone()))),
        })
    });
    let commands = commands.into_iter().map(|(_, entry)| entry);
    logs.into_iter()
        .chain(compilations)
        .chain(commands)
        .collect()
}

/// Whether a click went beside the dialog: the browser then names the dialog itself.
pub(crate) fn is_backdrop(event: &web_sys::MouseEvent) -> bool {
    event_target::<web_sys::Element>(event)
        .tag_name()
        .eq_ignore_ascii_case("dialog")
}
