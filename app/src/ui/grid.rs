//! A grid of virtual rows that is used with the mouse or with the keyboard alone; a row opens something.

use leptos::prelude::*;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent};

use super::rows::Rows;
use crate::text::format::counted;

/// Height of a row, in pixels; `--table-row` in the style sheet is the same.
pub(crate) const ROW: f64 = 32.0;

/// A grid.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    /// Its name for screen readers.
    pub name: &'static str,
    /// Its mark for tests, and the start of its rows' ids.
    pub mark: &'static str,
    /// The mark of its rows for tests.
    pub row_mark: &'static str,
    /// Its rows.
    pub rows: Rows,
    /// The row that the keys act on.
    pub active: RwSignal<u64>,
}

/// The grid. `row` gives a row where it is there, `cells` draws it, `open` opens it.
pub(crate) fn grid<T: Clone + PartialEq + Send + Sync + 'static>(
    grid: Grid,
    header: impl IntoView + 'static,
    row: impl Fn(u64) -> Option<T> + Copy + Send + Sync + 'static,
    cells: impl Fn(&T) -> AnyView + Copy + Send + Sync + 'static,
    open: impl Fn(&T) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let Grid {
        name,
        mark,
        row_mark,
        rows,
        active,
    } = grid;
    let total = rows.total;
    // A row that is not drawn has no element that could be named.
    let drawn = rows.drawn();
    let keys = move |event: KeyboardEvent| {
        if event.alt_key() || event.ctrl_key() || event.meta_key() {
            return;
        }
        let last = total.get_untracked().saturating_sub(1);
        let now = active.get_untracked();
        let to = match event.key().as_str() {
            "ArrowDown" => now.saturating_add(1),
            "ArrowUp" => now.saturating_sub(1),
            "PageDown" => now.saturating_add(rows.per_page()),
            "PageUp" => now.saturating_sub(rows.per_page()),
            "Home" => 0,
            "End" => last,
            // A control within the grid, such as a heading that sorts, takes Enter itself.
            "Enter" if on_control(event_target(&event)) => return,
            "Enter" => {
                event.prevent_default();
                if let Some(row) = untrack(|| row(now)) {
                    open(&row);
                }
                return;
            }
            _ => return,
        };
        event.prevent_default();
        active.set(to.min(last));
        rows.reveal(to.min(last));
    };
    let one = move |place: u64| {
        let found = Memo::new(move |_| row(place));
        let cells = move || {
            found.with(|row| match row {
                Some(row) => cells(row),
                None => view! { <div role="gridcell" class="cell waiting">"…"</div> }.into_any(),
            })
        };
        let click = move |event: MouseEvent| {
            active.set(place);
            let selects = web_sys::window()
                .and_then(|window| window.get_selection().ok().flatten())
                .is_some_and(|selection| !selection.is_collapsed());
            let modified = event.ctrl_key() || event.meta_key() || event.shift_key();
            // A link in the row follows itself, and with a modifier key into a new tab.
            if !on_control(event_target(&event))
                && !selects
                && !modified
                && let Some(row) = found.get_untracked()
            {
                open(&row);
            }
        };
        view! {
            <div
                role="row"
                class="grid-row"
                data-testid=row_mark
                data-row=place.to_string()
                id=format!("{mark}-{place}")
                aria-rowindex=place.saturating_add(2).to_string()
                aria-selected=move || (active.get() == place).to_string()
                on:click=click
            >
                {cells}
            </div>
        }
    };
    view! {
        <div
            class="grid"
            data-testid=mark
            role="grid"
            aria-label=name
            aria-description=move || counted(total.get(), "row", "rows")
            aria-rowcount=move || total.get().saturating_add(1).to_string()
            aria-activedescendant=move || drawn.get().contains(&active.get()).then(|| format!("{mark}-{}", active.get()))
            tabindex="0"
            node_ref=rows.node
            on:scroll=move |_| rows.on_scroll()
            on:keydown=keys
        >
            {header}
            {rows.body(one)}
        </div>
    }
}

fn on_control(element: HtmlElement) -> bool {
    element.closest("a, button").ok().flatten().is_some()
}
