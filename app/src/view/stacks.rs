//! How the program reached its compilations: all stacks as one tree.

use std::collections::BTreeSet;

use leptos::prelude::*;
use web_sys::{HtmlElement, KeyboardEvent};

use super::trie::{self, Fold, Frameworks, TrieRow};
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Answer, LogId, Question, StackEnd, StackNode, StackTrie};
use crate::route::{Address, Place};
use crate::text;
use crate::text::words::{self, STATUSES};
use crate::ui::asked::asked;
use crate::ui::format;
use crate::ui::heading::heading;
use crate::ui::marks::status_mark;
use crate::ui::paths;
use crate::ui::rows::Rows;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// Height of a row, in pixels; `.tree-row` in the style sheet is the same.
const ROW: f64 = 28.0;

/// Compilations that are named in a row; more are counted.
const NAMED: usize = 12;

/// The view.
pub(crate) fn stacks(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let question = Memo::new(move |_| Question::Stacks { log: id });
    let answer = asked(
        workspace.engine,
        question,
        log.growth(),
        |answer| match answer {
            Answer::Stacks(trie) => Some(trie),
            _ => None,
        },
    );
    let trie = Memo::new(move |_| {
        answer.good().unwrap_or(StackTrie {
            nodes: Vec::new(),
            unknown: Vec::new(),
        })
    });
    let closed = RwSignal::new(BTreeSet::<u32>::new());
    let frameworks = RwSignal::new(Frameworks::Hidden);
    let list = Memo::new(move |_| {
        trie.with(|trie| closed.with(|closed| trie::rows(trie, closed, frameworks.get())))
    });
    let switch = move |_| {
        frameworks.update(|shown| {
            *shown = match shown {
                Frameworks::Hidden => Frameworks::Shown,
                Frameworks::Shown => Frameworks::Hidden,
            };
        });
    };
    let legend = STATUSES
        .iter()
        .map(|words| view! { <li>{status_mark(words.status)}</li> })
        .collect_view();
    let unknown = Memo::new(move |_| trie.with(|trie| trie.unknown.clone()));
    let title = format!("Stacks · {}", plain(&log.name));
    view! {
        <div class="page wide" data-testid="stacks">
            {heading(workspace.arrival, move || title.clone(), answer.fresh.into(), "How the program reached its compilations")}
            <p class="lead">{text::STACKS}</p>
            {move || trouble(answer.wrong())}
            <div class="table-tools">
                <button
                    type="button"
                    data-testid="frameworks"
                    aria-pressed=move || (frameworks.get() == Frameworks::Shown).to_string()
                    on:click=switch
                >
                    "Framework frames"
                </button>
                <button type="button" on:click=move |_| closed.set(BTreeSet::new())>"Open all"</button>
                <ul class="legend" aria-label="Legend">{legend}</ul>
            </div>
            {tree(workspace, id, trie, list, closed)}
            {move || unknown_stacks(workspace, id, &unknown.get())}
        </div>
    }
}

fn tree(
    workspace: Workspace,
    id: LogId,
    trie: Memo<StackTrie>,
    list: Memo<Vec<TrieRow>>,
    closed: RwSignal<BTreeSet<u32>>,
) -> impl IntoView {
    let total = Signal::derive(move || list.with(Vec::len) as u64);
    let rows = Rows::new(total, ROW, 0.0);
    let active = RwSignal::new(0u64);
    let at = move |place: u64| {
        list.with(|list| {
            usize::try_from(place)
                .ok()
                .and_then(|place| list.get(place).cloned())
        })
    };
    let node = move |number: u32| {
        trie.with(|trie| {
            usize::try_from(number)
                .ok()
                .and_then(|number| trie.nodes.get(number).cloned())
        })
    };
    let fold = move |number: u32| {
        closed.update(|closed| {
            if !closed.remove(&number) {
                closed.insert(number);
            }
        });
    };
    let keys = move |event: KeyboardEvent| {
        let on_link = event_target::<HtmlElement>(&event)
            .closest("a")
            .ok()
            .flatten()
            .is_some();
        let now = active.get_untracked();
        let last = total.get_untracked().saturating_sub(1);
        let Some(row) = untrack(|| at(now)) else {
            return;
        };
        let to = match (event.key().as_str(), row.fold) {
            ("ArrowDown", _) => now.saturating_add(1),
            ("ArrowUp", _) => now.saturating_sub(1),
            ("PageDown", _) => now.saturating_add(rows.per_page()),
            ("PageUp", _) => now.saturating_sub(rows.per_page()),
            ("Home", _) => 0,
            ("End", _) => last,
            ("ArrowLeft", Fold::Open) | ("ArrowRight", Fold::Closed) => {
                fold(row.node);
                now
            }
            ("Enter", _) if !on_link => {
                if let Some(end) =
                    untrack(|| node(row.node)).and_then(|node| node.ends.first().cloned())
                {
                    workspace.go(&Address::decode(
                        &workspace.link(id, Place::Compilation(end.key)),
                    ));
                } else if row.fold != Fold::Leaf {
                    fold(row.node);
                }
                now
            }
            _ => return,
        };
        event.prevent_default();
        active.set(to.min(last));
        rows.reveal(to.min(last));
    };
    let one = move |place: u64| {
        let row = Memo::new(move |_| at(place));
        let draw = move || {
            let row = row.get()?;
            let node = node(row.node)?;
            Some(line(workspace, id, &row, &node, fold))
        };
        let expanded = move || match row.get()?.fold {
            Fold::Leaf => None,
            Fold::Open => Some("true"),
            Fold::Closed => Some("false"),
        };
        view! {
            <div
                role="treeitem"
                class="tree-row"
                data-testid="tree-row"
                id=format!("stacks-{place}")
                attr:aria-level=move || row.get().map(|row| row.level.to_string())
                aria-expanded=expanded
                aria-selected=move || (active.get() == place).to_string()
                on:click=move |_| active.set(place)
            >
                {draw}
            </div>
        }
    };
    view! {
        <div
            class="grid tree"
            role="tree"
            aria-label="Stacks"
            tabindex="0"
            aria-activedescendant=move || format!("stacks-{}", active.get())
            node_ref=rows.node
            on:scroll=move |_| rows.on_scroll()
            on:keydown=keys
        >
            {rows.body(one)}
        </div>
    }
}

fn line(
    workspace: Workspace,
    id: LogId,
    row: &TrieRow,
    node: &StackNode,
    fold: impl Fn(u32) + Copy + Send + 'static,
) -> AnyView {
    let number = row.node;
    let frame = &node.frame;
    let whole = plain(&paths::whole_place(frame.file.as_deref(), frame.line));
    let place = paths::place(frame.file.as_deref(), frame.line);
    let source = frame
        .source
        .as_deref()
        .map(|source| view! { <code class="tree-source">{visible(source.trim())}</code> });
    let fold_mark = match row.fold {
        Fold::Leaf => view! { <span class="tree-fold"></span> }.into_any(),
        Fold::Open | Fold::Closed => view! {
            <span class="tree-fold" aria-hidden="true" on:click=move |_| fold(number)>
                {if row.fold == Fold::Open { "▾" } else { "▸" }}
            </span>
        }
        .into_any(),
    };
    let hidden = (row.fold == Fold::Closed).then(|| {
        let words = format::counted(u64::from(row.below), "compilation", "compilations");
        view! { <span class="mark" data-status=words::status(row.worst).key>{words}</span> }
    });
    let is_framework = frame.file.as_deref().is_some_and(paths::is_framework);
    let depth = format!("{}px", row.depth.min(60) * 16);
    view! {
        <span class="tree-line" class:dim=is_framework style:padding-left=depth>
            {fold_mark}
            <span class="tree-function">{visible(&frame.function)}</span>
            <span class="tree-place" title=whole>{visible(&place)}</span>
            {source}
            <span class="tree-ends">{ends(workspace, id, &node.ends)} {hidden}</span>
        </span>
    }
    .into_any()
}

fn ends(workspace: Workspace, id: LogId, ends: &[StackEnd]) -> impl IntoView + use<> {
    let named = ends
        .iter()
        .take(NAMED)
        .map(|end| {
            let link = workspace.link(id, Place::Compilation(end.key.clone()));
            let words = words::status(end.status);
            let title = format!("{}: {}", words.label, words.meaning);
            view! { <a href=link class="mark" tabindex="-1" data-testid="tree-end" data-status=words.key title=title>{visible(&end.label)}</a> }
        })
        .collect_view();
    let rest = ends.len().saturating_sub(NAMED) as u64;
    let rest =
        (rest > 0).then(|| view! { <span class="dim">"and " {format::count(rest)} " more"</span> });
    view! { {named} {rest} }
}

fn unknown_stacks(workspace: Workspace, id: LogId, unknown: &[StackEnd]) -> impl IntoView + use<> {
    let all = unknown
        .iter()
        .take(1000)
        .map(|end| {
            let link = workspace.link(id, Place::Compilation(end.key.clone()));
            view! { <li><a href=link class="mark" data-status=words::status(end.status).key>{visible(&end.label)}</a></li> }
        })
        .collect_view();
    (!unknown.is_empty()).then(|| {
        view! {
            <section data-testid="unknown-stacks">
                <h2>"Without a stack"</h2>
                <p class="dim">{text::UNKNOWN_STACKS}</p>
                <ul class="examples">{all}</ul>
            </section>
        }
    })
}
