//! The rows of a tree of guards, used with the mouse or with the keyboard alone.

use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent};

use super::guard::said;
use super::guards::Guards;
use crate::engine::protocol::{GuardKind, GuardRow};
use crate::text::format;
use crate::text::guards as text;
use crate::text::paths;
use crate::ui::visible::{plain, visible};

/// Height of a row, in pixels; `.tree-row` in the style sheet is the same.
pub(super) const ROW: f64 = 28.0;

/// Levels that are set in; what hangs deeper stands below each other.
const DEEPEST: u32 = 20;

/// The tree.
pub(super) fn tree(guards: Guards) -> impl IntoView {
    let Guards {
        place,
        folds,
        paged,
        rows,
        active,
        ..
    } = guards;
    let total = rows.total;
    let drawn = rows.drawn();
    let turn = move |node: u32| folds.update(|folds| folds.turn(node));
    let choose = move |node: u32| guards.amend(|place| place.node = Some(node));
    let keys = move |event: KeyboardEvent| {
        if event.alt_key() || event.ctrl_key() || event.meta_key() {
            return;
        }
        let now = active.get_untracked();
        let last = total.get_untracked().saturating_sub(1);
        let row = paged.peek(now);
        let is_open = row.as_ref().and_then(|row| row.is_open);
        let to = match (event.key().as_str(), row) {
            ("ArrowDown", _) => now.saturating_add(1),
            ("ArrowUp", _) => now.saturating_sub(1),
            ("PageDown", _) => now.saturating_add(rows.per_page()),
            ("PageUp", _) => now.saturating_sub(rows.per_page()),
            ("Home", _) => 0,
            ("End", _) => last,
            ("ArrowLeft", Some(row)) if is_open == Some(true) => {
                turn(row.node);
                now
            }
            ("ArrowRight", Some(row)) if is_open == Some(false) => {
                turn(row.node);
                now
            }
            ("ArrowLeft", Some(row)) => u64::from(row.above),
            ("ArrowRight", Some(_)) if is_open == Some(true) => now.saturating_add(1),
            ("Enter" | " ", Some(row)) => {
                choose(row.node);
                now
            }
            _ => return,
        };
        event.prevent_default();
        active.set(to.min(last));
        rows.reveal(to.min(last));
    };
    let chosen = Memo::new(move |_| place.with(|place| place.node));
    let one = move |place: u64| {
        let row = Memo::new(move |_| paged.row(place));
        let part = move |take: fn(&GuardRow) -> Option<String>| {
            move || row.with(|row| row.as_ref().and_then(take))
        };
        let is_chosen = Memo::new(move |_| {
            let node = row.with(|row| row.as_ref().map(|row| row.node));
            node.is_some() && node == chosen.get()
        });
        let click = move |event: MouseEvent| {
            active.set(place);
            let Some(row) = row.get_untracked() else {
                return;
            };
            let on_fold = event_target::<HtmlElement>(&event).closest(".tree-fold");
            if row.is_open.is_some() && matches!(on_fold, Ok(Some(_))) {
                turn(row.node);
            } else {
                choose(row.node);
            }
        };
        let line = move || {
            row.with(|row| match row {
                Some(row) => line(row),
                None => view! { <span class="tree-line waiting">"…"</span> }.into_any(),
            })
        };
        // The macro knows no such attributes of an element.
        let level = custom_attribute("aria-level", part(|row| Some(row.level.to_string())));
        let place_in = custom_attribute("aria-posinset", part(|row| Some(row.place.0.to_string())));
        let places = custom_attribute("aria-setsize", part(|row| Some(row.place.1.to_string())));
        view! {
            <div
                role="treeitem"
                class="tree-row"
                class:chosen=is_chosen
                data-testid="guard-row"
                data-row=place.to_string()
                id=format!("guard-{place}")
                {..level}
                {..place_in}
                {..places}
                aria-expanded=part(|row| row.is_open.map(|is_open| is_open.to_string()))
                aria-selected=move || (active.get() == place).to_string()
                on:click=click
            >
                {line}
            </div>
        }
    };
    view! {
        <div class="guard-tree">
            <div
                class="grid tree"
                role="tree"
                aria-label="Guards"
                tabindex="0"
                data-testid="guard-tree"
                aria-activedescendant=move || drawn.get().contains(&active.get()).then(|| format!("guard-{}", active.get()))
                node_ref=rows.node
                on:scroll=move |_| rows.on_scroll()
                on:keydown=keys
            >
                {rows.body(one)}
            </div>
            <Show when=move || total.get() == 0><p class="nothing">{text::NO_MATCH}</p></Show>
        </div>
    }
}

fn line(row: &GuardRow) -> AnyView {
    let fold = match row.is_open {
        Some(true) => "▾",
        Some(false) => "▸",
        None => "",
    };
    let depth = format!("{}px", row.level.saturating_sub(1).min(DEEPEST) * 12);
    let cause = row.cause.as_ref().map(|(file, line)| {
        let line = Some(i64::from(*line));
        let whole = plain(&paths::whole_place(Some(file), line));
        let short = paths::place(Some(file), line);
        view! { <span class="tree-cause" class:mine=row.is_mine title=whole>{visible(&short)}</span> }
    });
    let content = match row.kind {
        GuardKind::Object => {
            let below = format::counted(row.below.into(), "guard", "guards");
            view! {
                <span class="tree-function">{visible(&row.title)}</span>
                <span class="tree-place">{visible(&row.text)}</span>
                <span class="tree-class">{below}</span>
            }
            .into_any()
        }
        GuardKind::Guard => view! {
            <span class="tree-said">{said(&row.text)}</span>
            {cause}
            <span class="tree-class">{visible(&row.title)}</span>
        }
        .into_any(),
        GuardKind::Unreadable => view! {
            <code class="tree-said">{visible(&row.text)}</code>
            <span class="tree-class bad">{row.title.clone()}</span>
        }
        .into_any(),
    };
    view! {
        <span class="tree-line" style:padding-left=depth>
            <span class="tree-fold" data-testid="guard-fold" aria-hidden="true">{fold}</span>
            {content}
        </span>
    }
    .into_any()
}
