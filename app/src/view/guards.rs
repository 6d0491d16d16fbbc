//! The guards of a compilation as a tree: what must hold, in sentences, and whose line caused it.
//!
//! Start at [`guards`]. Rows lie in the engine; [`super::guard_tree`] draws them, [`super::guard`] the one that
//! is chosen.

use leptos::prelude::*;
use web_sys::MouseEvent;

use super::guard::guard;
use super::guard_tree;
use super::workspace::{OpenLog, Workspace};
use crate::engine::client::Ticket;
use crate::engine::protocol::{
    Answer, GuardFolds, GuardHead, GuardRow, GuardView, GuardsShown, LogId, Question, RecordIndex,
};
use crate::route::{GuardPlace, Place, TextPlace};
use crate::text::format;
use crate::text::guards as text;
use crate::ui::filter_box::{Words, filter_box};
use crate::ui::heading::heading;
use crate::ui::paged::{Paged, Source, Stretch};
use crate::ui::rows::Rows;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// The box that filters.
const FILTER: Words = Words {
    mark: "guards-filter",
    name: "Filter guards",
    hint: "Filter by name, value, file",
};

/// The guards of a log, as the address asks for them.
#[derive(Clone, Copy)]
pub(super) struct Guards {
    /// What all views share.
    pub workspace: Workspace,
    /// The log.
    pub log: LogId,
    /// The record, the filter, the node that is chosen.
    pub place: Memo<GuardPlace>,
    /// Which nodes are folded.
    pub folds: RwSignal<GuardFolds>,
    /// The rows.
    pub paged: Paged<GuardRow, GuardHead>,
    /// The same on the screen.
    pub rows: Rows,
    /// The row that the keys act on.
    pub active: RwSignal<u64>,
}

impl Guards {
    /// Shows the same, but for a change.
    pub(super) fn amend(self, change: impl FnOnce(&mut GuardPlace)) {
        let mut place = self.place.get_untracked();
        change(&mut place);
        let address = self.workspace.address.get_untracked();
        self.workspace.amend(address.to(Place::Guards(place)));
    }

    fn shown_now(self) -> GuardsShown {
        let place = self.place.get_untracked();
        GuardsShown {
            log: self.log,
            record: place.record,
            filter: place.filter,
            folds: self.folds.get_untracked(),
        }
    }

    /// The address of the text, at a line.
    pub(super) fn text_link(self, record: RecordIndex, line: Option<u32>) -> String {
        let lines = line.map(|line| (line, line));
        let place = TextPlace {
            lines,
            ..TextPlace::of(record)
        };
        self.workspace.link(self.log, Place::Text(place))
    }

    fn node_link(self, node: u32) -> String {
        let place = GuardPlace {
            node: Some(node),
            ..GuardPlace::of(self.place.get_untracked().record)
        };
        self.workspace.link(self.log, Place::Guards(place))
    }
}

/// The view.
pub(crate) fn guards(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let place = Memo::new(move |before: Option<&GuardPlace>| {
        workspace.address.with(|address| match &address.place {
            Place::Guards(guards) => guards.clone(),
            _ => before.cloned().unwrap_or(GuardPlace::of(0)),
        })
    });
    let paged = Paged::new(workspace.engine);
    let all = Guards {
        workspace,
        log: log.id,
        place,
        folds: RwSignal::new(GuardFolds::default()),
        paged,
        rows: Rows::new(paged.total.into(), guard_tree::ROW, 0.0),
        active: RwSignal::new(0),
    };
    ask(all, log);
    let answered = RwSignal::new(0_u32);
    let chosen = chosen(all, answered);
    let head = Memo::new(move |_| paged.head.get().and_then(Result::ok));
    // What is said of the whole tree stays when a filter changes.
    let whole = Memo::new(move |_| {
        head.get().map(|head| GuardHead {
            matching: 0,
            ..head
        })
    });
    let fresh = Signal::derive(move || paged.fresh.get().wrapping_add(answered.get()));
    let name = plain(&log.name);
    let label = move || {
        head.with(|head| {
            let compilation = head.as_ref().and_then(|head| head.compilation.clone());
            compilation.map(|(_, label)| label)
        })
    };
    let title = move || format!("Guards {} · {name}", label().unwrap_or_default());
    let content = move || {
        let label =
            label().map(|label| view! { " of " <span class="label">{visible(&label)}</span> });
        view! { "Guards" {label} }
    };
    let back = workspace.link(log.id, Place::overview());
    let log_name = visible(&log.name);
    let crumb = move || {
        let compilation = head.with(|head| head.as_ref().and_then(|head| head.compilation.clone()));
        compilation.map(|(key, label)| {
            let link = workspace.link(all.log, Place::Compilation(key));
            view! { <a href=link>{visible(&label)}</a> }
        })
    };
    let wrong = move || {
        let trouble = move || head.with(|head| head.as_ref().and_then(|head| head.trouble.clone()));
        paged.head.get().and_then(Result::err).or_else(trouble)
    };
    let has_rows = Memo::new(move |_| {
        head.with(|head| {
            head.as_ref()
                .is_some_and(|head| head.leaves > 0 || head.wrong > 0)
        })
    });
    view! {
        <div class="page wide" data-testid="guards">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{log_name}</a> {crumb}</nav>
            {heading(workspace.arrival, title, fresh, content)}
            {move || trouble(wrong())}
            {move || whole.with(|whole| whole.as_ref().map(|head| summary(all, head)))}
            <div class="stacked" class:gone=move || !has_rows.get()>
                {tools(all, head)}
                <div class="guards">
                    {guard_tree::tree(all)}
                    {guard(all, chosen)}
                </div>
            </div>
        </div>
    }
}

/// Asks for the rows, again when the address or the folds change.
fn ask(all: Guards, log: &OpenLog) {
    let Guards {
        log: id,
        place,
        folds,
        paged,
        rows,
        active,
        ..
    } = all;
    let asked = Memo::new(move |_| place.with(|place| (place.record, place.filter.clone())));
    Effect::new(move |before: Option<(RecordIndex, _)>| {
        let (record, filter) = asked.get();
        let is_other = before
            .as_ref()
            .is_some_and(|before| (before.0, &before.1) != (record, &filter));
        if is_other {
            rows.go_first(active);
        }
        if before.is_some_and(|before| before.0 != record) {
            folds.set(GuardFolds::default());
        }
        let tree = GuardsShown {
            log: id,
            record,
            filter: filter.clone(),
            folds: folds.get(),
        };
        paged.set_source(Source {
            question: Box::new(move |first, count| Question::Guards {
                tree: tree.clone(),
                first,
                count,
            }),
            pick: |answer| match answer {
                Answer::Guards(page) => Some(Stretch {
                    first: page.first,
                    rows: page.rows,
                    total: u64::from(page.total),
                    head: page.head,
                }),
                _ => None,
            },
        });
        (record, filter)
    });
    paged.follow(rows);
    paged.retry(log.growth());
}

/// The node that the address names; brings it into the middle when it is new, with what holds it unfolded.
/// `answered` counts.
fn chosen(all: Guards, answered: RwSignal<u32>) -> RwSignal<Option<Option<GuardView>>> {
    let chosen = RwSignal::new(None::<Option<GuardView>>);
    let waiting = StoredValue::new_local(None::<Ticket>);
    let revealed = StoredValue::new(None::<(RecordIndex, u32)>);
    let asked = Memo::new(move |_| {
        all.place
            .with(|place| (place.record, place.node, place.filter.clone()))
    });
    Effect::new(move |_| {
        all.paged.fresh.track();
        let (record, node, _) = asked.get();
        let Some(node) = node else {
            waiting.set_value(None);
            revealed.set_value(None);
            return chosen.set(None);
        };
        let tree = all.shown_now();
        let question = Question::Guard { tree, node };
        let ticket = all.workspace.engine.ask(question, move |answer| {
            let found = match answer {
                Ok(Answer::Guard(found)) => found.map(|found| *found),
                _ => None,
            };
            let is_new = revealed.try_get_value().flatten() != Some((record, node));
            let row = found.as_ref().and_then(|found| found.row);
            if let (true, Some(row), Some(found)) = (is_new, row, &found) {
                let row = u64::from(row);
                let mut open = all.folds.get_untracked();
                for (level, holder) in (1..).zip(&found.holders) {
                    open.open(*holder, level);
                }
                // The rows come anew then, and this is asked again.
                if all.folds.get_untracked() != open {
                    all.folds.set(open);
                } else if row < all.paged.total.get_untracked() {
                    revealed.set_value(Some((record, node)));
                    all.active.set(row);
                    if !all.rows.shows(row) {
                        all.rows.center(row);
                    }
                }
            }
            let _ = chosen.try_set(Some(found));
            let _ = answered.try_update(|answered| *answered = answered.wrapping_add(1));
        });
        waiting.set_value(Some(ticket));
    });
    chosen
}

/// The answer first: how many guards there are, where most of them hang, what could not be read.
fn summary(all: Guards, head: &GuardHead) -> impl IntoView + use<> {
    let record = all.place.with(|place| place.record);
    let raw = all.workspace.link(all.log, Place::Record(record));
    let lead = (head.leaves > 0).then(|| {
        let headline = text::headline(head.leaves, head.mine);
        view! { <p class="guards-headline" data-testid="guards-headline">{headline}</p> <p class="dim">{text::LEAD}</p> }
    });
    let latency = head
        .latency
        .map(|value| view! { <span data-testid="latency">{text::latency(value)}</span> });
    let largest = head
        .largest
        .iter()
        .map(|(node, name, leaves)| {
            let count = format::count((*leaves).into());
            let node = *node;
            let go = move |event: MouseEvent| {
                // With a modifier key it is a link as any other.
                if event.ctrl_key() || event.meta_key() || event.shift_key() {
                    return;
                }
                event.prevent_default();
                all.amend(|place| {
                    *place = GuardPlace {
                        node: Some(node),
                        ..GuardPlace::of(place.record)
                    };
                });
                if let Some(tree) = all.rows.node.get_untracked() {
                    let _ = tree.focus();
                }
            };
            view! { <li><a href=all.node_link(node) data-testid="largest" on:click=go><code>{visible(name)}</code></a> " " <span class="dim">{count}</span></li> }
        })
        .collect_view();
    let largest = (!head.largest.is_empty()).then(|| {
        view! { <ul class="examples" aria-label=text::LARGEST><li class="dim">{text::LARGEST}</li> {largest}</ul> }
    });
    let lines = head
        .wrong_lines
        .iter()
        .map(|(line, words)| {
            let link = all.text_link(record, Some(*line));
            view! { <li><a href=link>"line " {format::count((*line).into())}</a> " " <code>{visible(words)}</code></li> }
        })
        .collect_view();
    let more = (head.wrong as usize > head.wrong_lines.len()).then(|| view! { <li>"…"</li> });
    let wrong = (head.wrong > 0).then(|| {
        view! { <div data-testid="guards-wrong"><p>{text::wrong(head.wrong)}</p><ul class="prose">{lines} {more}</ul></div> }
    });
    view! {
        <div class="stacked guards-summary">
            {lead}
            <p class="text-facts">
                {latency}
                <a href=all.text_link(record, None) data-testid="guards-text">{visible(&head.name)} " as text"</a>
                <a href=raw>"Raw record"</a>
            </p>
            {largest}
            {wrong}
        </div>
    }
}

/// The filters, and what they leave.
fn tools(all: Guards, head: Memo<Option<GuardHead>>) -> impl IntoView {
    let place = all.place;
    let filter = Memo::new(move |_| place.with(|place| place.filter.text.clone()));
    let class = Memo::new(move |_| place.with(|place| place.filter.class.clone()));
    let only_mine = Memo::new(move |_| place.with(|place| place.filter.only_mine));
    let by_class = Memo::new(move |_| {
        head.with(|head| {
            head.as_ref()
                .map(|head| head.by_class.clone())
                .unwrap_or_default()
        })
    });
    let options = move || {
        let chosen = class.get();
        let mut classes = by_class.get();
        // An address may name any class.
        if let Some(class) = &chosen
            && !classes.iter().any(|(known, _)| known == class)
        {
            classes.push((class.clone(), 0));
        }
        let option = |(class, count): (String, u32)| {
            let words = format!("{} ({})", plain(&class), format::count(count.into()));
            let is_chosen = chosen.as_ref() == Some(&class);
            view! { <option value=format!("={class}") prop:selected=is_chosen>{words}</option> }
        };
        let all = view! { <option value="" prop:selected=chosen.is_none()>"All classes"</option> };
        let classes = classes.into_iter().map(option).collect_view();
        view! { {all} {classes} }
    };
    let choose = move |event| {
        let value = event_target_value(&event);
        let class = value.strip_prefix('=').map(str::to_owned);
        all.amend(|place| place.filter.class = class);
    };
    let left = move || {
        head.with(|head| {
            head.as_ref().map(|head| {
                let leaves = format::counted(head.leaves.into(), "guard", "guards");
                match head.matching == head.leaves {
                    true => leaves,
                    false => format!("{} of {leaves}", format::count(head.matching.into())),
                }
            })
        })
    };
    let fold = move |is_all: bool| {
        all.folds.set(GuardFolds {
            all: is_all,
            but: Vec::new(),
        });
        all.rows.go_first(all.active);
    };
    view! {
        <div class="table-tools">
            <label class="check">
                <input
                    type="checkbox"
                    role="switch"
                    data-testid="guards-mine"
                    prop:checked=only_mine
                    on:change=move |event| {
                        let is_on = event_target_checked(&event);
                        all.amend(|place| place.filter.only_mine = is_on);
                    }
                />
                {text::ONLY_MINE}
            </label>
            {filter_box(FILTER, filter.into(), move |text| all.amend(|place| place.filter.text = text))}
            <select data-testid="guards-class" aria-label="Class of guard" on:change=choose>{options}</select>
            <button type="button" data-testid="fold-all" on:click=move |_| fold(true)>"Fold all"</button>
            <button type="button" data-testid="open-all" on:click=move |_| fold(false)>"Open all"</button>
            <span class="table-count" role="status" data-testid="guards-matching">{left}</span>
        </div>
    }
}
