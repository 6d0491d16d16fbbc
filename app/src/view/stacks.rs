//! How the program reached its compilations: all stacks as one tree, on a page and folded on the overview.
//!
//! Start at [`stacks`]. Which rows there are is reckoned in [`super::trie`].

use std::collections::BTreeSet;

use leptos::prelude::*;
use web_sys::{HtmlElement, KeyboardEvent};

use super::kept::keep;
use super::stack::dumped;
use super::trie::{self, Fold, Frameworks, TrieRow};
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{
    Answer, LogId, Overview, Question, RecordIndex, StackEnd, StackNode, StackTrie,
};
use crate::route::{Address, DEFAULT_SORT, Place};
use crate::text;
use crate::text::format;
use crate::text::paths;
use crate::text::words::{self, STATUSES};
use crate::ui::asked::{Asked, Growth, asked};
use crate::ui::heading::heading;
use crate::ui::marks::status_mark;
use crate::ui::rows::Rows;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// Height of a row, in pixels; `.tree-row` in the style sheet is the same.
const ROW: f64 = 28.0;

/// Compilations that are named in a row; more are counted.
const NAMED: usize = 12;

/// Records that are named in a row; more are counted.
const NAMED_RECORDS: usize = 4;

/// Compilations without a stack that are named; more are counted.
const NAMED_UNKNOWN: usize = 1000;

/// The view.
pub(crate) fn stacks(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let answer = answer(workspace, log);
    let title = format!("Stacks · {}", plain(&log.name));
    view! {
        <div class="page wide" data-testid="stacks">
            {heading(workspace.arrival, move || title.clone(), answer.fresh.into(), "Stacks: how the program reached each compilation")}
            <p class="lead">{text::STACKS}</p>
            {panel(workspace, log.id, answer)}
        </div>
    }
}

/// The same, folded away on another page until the reader opens it.
pub(crate) fn folded(
    workspace: Workspace,
    log: &OpenLog,
    overview: Signal<Option<Overview>>,
) -> impl IntoView + use<> {
    let is_open = RwSignal::new(false);
    let compilations = Memo::new(move |_| {
        overview.with(|overview| overview.as_ref().map(|overview| overview.compilations))
    });
    let number = move || {
        let number = u64::from(compilations.get()?);
        Some(format::counted(number, "compilation", "compilations"))
    };
    let log = log.clone();
    let content = move || {
        is_open
            .get()
            .then(|| panel(workspace, log.id, answer(workspace, &log)))
    };
    let toggled = move |event| {
        let fold = event_target::<HtmlElement>(&event);
        is_open.set(fold.has_attribute("open"));
    };
    view! {
        <details class="kinds stacks-fold" data-testid="stacks-fold" on:toggle=toggled>
            <summary>"Stacks: how the program reached each compilation" <span class="dim">" · " {number}</span></summary>
            {content}
        </details>
    }
}

/// All stacks, asked for once, and again when reading ends: a tree that grows under the reader helps nobody.
fn answer(workspace: Workspace, log: &OpenLog) -> Asked<StackTrie> {
    let id = log.id;
    let growth = log.growth();
    let ended = Memo::new(move |_| Growth {
        records: 0,
        is_complete: growth.get().is_complete,
    });
    let question = Memo::new(move |_| Question::Stacks { log: id });
    asked(workspace.engine, question, ended, |answer| match answer {
        Answer::Stacks(trie) => Some(trie),
        _ => None,
    })
}

/// The tree with what belongs to it.
fn panel(workspace: Workspace, id: LogId, answer: Asked<StackTrie>) -> impl IntoView + use<> {
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
    let lines = move || {
        let shown = list.with(Vec::len) as u64;
        let all = trie.with(|trie| trie.nodes.len()) as u64;
        format!(
            "{} of {}",
            format::count(shown),
            format::counted(all, "frame", "frames")
        )
    };
    let is_empty = Memo::new(move |_| {
        let is_known = answer
            .value
            .with(|value| value.as_ref().is_some_and(Result::is_ok));
        is_known && trie.with(|trie| trie.nodes.is_empty())
    });
    view! {
        {move || trouble(answer.wrong())}
        <section class="stacks">
            <div class="table-tools">
                <button
                    type="button"
                    data-testid="stack-framework"
                    aria-pressed=move || (frameworks.get() == Frameworks::Shown).to_string()
                    on:click=switch
                >
                    "Show framework frames"
                </button>
                <button
                    type="button"
                    data-testid="stack-open-all"
                    disabled=move || closed.with(BTreeSet::is_empty)
                    on:click=move |_| closed.set(BTreeSet::new())
                >
                    "Open all"
                </button>
                <span class="table-count" role="status" data-testid="stack-count">{lines}</span>
                <ul class="legend" aria-label="Legend">{legend}</ul>
            </div>
            {tree(workspace, id, trie, list, closed)}
            <Show when=move || is_empty.get()><p class="nothing">{text::NO_STACK}</p></Show>
        </section>
        {move || unknown_stacks(workspace, id, &unknown.get())}
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
    let drawn = rows.drawn();
    let active = RwSignal::new(0u64);
    keep(workspace, "stacks", rows, Some(active));
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
            ("ArrowLeft", _) => list.with_untracked(|list| trie::above(list, now)),
            ("ArrowRight", Fold::Open) => now.saturating_add(1),
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
    // One effect draws all of a row: rows come and go with each turn of the wheel.
    let one = move |place: u64| {
        let row = Memo::new(move |_| at(place));
        let is_active = Memo::new(move |_| active.get() == place);
        move || {
            let row = row.get()?;
            let node = node(row.node)?;
            let is_active = is_active.get();
            let expanded = match row.fold {
                Fold::Leaf => None,
                Fold::Open => Some("true"),
                Fold::Closed => Some("false"),
            };
            let tab = if is_active { "0" } else { "-1" };
            let drawn = view! {
                <div
                    role="treeitem"
                    class="tree-row"
                    data-testid="stack-row"
                    id=format!("stacks-{place}")
                    aria-posinset=row.among.0.to_string()
                    aria-setsize=row.among.1.to_string()
                    aria-expanded=expanded
                    aria-selected=is_active.to_string()
                    on:click=move |_| active.set(place)
                >
                    {line(workspace, id, &row, &node, tab, fold)}
                </div>
            };
            // Leptos has no word of its own for this one.
            Some(drawn.attr("aria-level", row.level.to_string()))
        }
    };
    view! {
        <div
            class="grid tree"
            role="tree"
            aria-label="Stacks"
            tabindex="0"
            aria-activedescendant=move || drawn.get().contains(&active.get()).then(|| format!("stacks-{}", active.get()))
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
    tab: &'static str,
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
            <span class="tree-fold" data-testid="stack-fold" aria-hidden="true" on:click=move |_| fold(number)>
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
    let records = (!row.records.is_empty()).then(|| records(workspace, id, &row.records, tab));
    let depth = format!("{}px", row.depth.min(60) * 16);
    view! {
        <span class="tree-line" class:dim=is_framework style:padding-left=depth>
            {fold_mark}
            <span class="tree-function">{visible(&frame.function)}</span>
            <span class="tree-place" title=whole>{visible(&place)}</span>
            {dumped(workspace, id, frame, tab)}
            {source}
            <span class="tree-ends">{records} {ends(workspace, id, node, tab)} {hidden}</span>
        </span>
    }
    .into_any()
}

fn ends(
    workspace: Workspace,
    id: LogId,
    node: &StackNode,
    tab: &'static str,
) -> impl IntoView + use<> {
    let named = node
        .ends
        .iter()
        .take(NAMED)
        .map(|end| {
            let (link, title) = end_link(workspace, id, end);
            let key = words::status(end.status).key;
            view! { <a href=link class="mark" tabindex=tab data-testid="stack-end" data-status=key title=title>{visible(&end.label)}</a> }
        })
        .collect_view();
    let rest = node.ends.len().saturating_sub(NAMED) as u64;
    let rest = (rest > 0).then(|| {
        // The table of compilations names them all.
        let all = Place::Overview {
            sort: DEFAULT_SORT,
            filter: node.frame.function.clone(),
        };
        let link = workspace.link(id, all);
        view! { <a href=link tabindex=tab>"and " {format::count(rest)} " more"</a> }
    });
    view! { {named} {rest} }
}

/// Where the mark of a compilation leads, and what it says on hover.
fn end_link(workspace: Workspace, id: LogId, end: &StackEnd) -> (String, String) {
    let words = words::status(end.status);
    (
        workspace.link(id, Place::Compilation(end.key.clone())),
        format!("{}: {}", words.label, words.meaning),
    )
}

/// Records outside any compilation that were logged here.
fn records(
    workspace: Workspace,
    id: LogId,
    records: &[RecordIndex],
    tab: &'static str,
) -> impl IntoView + use<> {
    let named = records
        .iter()
        .take(NAMED_RECORDS)
        .map(|record| {
            let link = workspace.link(id, Place::Record(*record));
            view! { <a href=link tabindex=tab data-testid="stack-record" title=text::STACK_RECORD>"record " {format::count(u64::from(*record))}</a> }
        })
        .collect_view();
    let rest = records.len().saturating_sub(NAMED_RECORDS) as u64;
    let rest =
        (rest > 0).then(|| view! { <span class="dim">"and " {format::count(rest)} " more"</span> });
    view! { {named} {rest} }
}

fn unknown_stacks(workspace: Workspace, id: LogId, unknown: &[StackEnd]) -> impl IntoView + use<> {
    let all = unknown
        .iter()
        .take(NAMED_UNKNOWN)
        .map(|end| {
            let (link, title) = end_link(workspace, id, end);
            let key = words::status(end.status).key;
            view! { <li><a href=link class="mark" data-testid="stack-unknown" data-status=key title=title>{visible(&end.label)}</a></li> }
        })
        .collect_view();
    let rest = unknown.len().saturating_sub(NAMED_UNKNOWN) as u64;
    let rest =
        (rest > 0).then(|| view! { <li class="dim">"and " {format::count(rest)} " more"</li> });
    (!unknown.is_empty()).then(|| {
        view! {
            <section data-testid="unknown-stacks">
                <h2>"Without a stack"</h2>
                <p class="dim">{text::UNKNOWN_STACKS}</p>
                <ul class="examples">{all} {rest}</ul>
            </section>
        }
    })
}
