//! The rows of a window that are in the document: a run without gaps, which grows and shrinks at its ends.
//!
//! Start at [`strip`]. Leptos' own `For` compares keys, for any change of any list; where a run moves up it
//! takes rows out and puts them back, which costs their layout and paint. Here a row that stays is not touched.

use std::collections::VecDeque;
use std::ops::Range;

use leptos::html::Div;
use leptos::prelude::*;
use leptos::tachys::reactive_graph::{OwnedView, OwnedViewState};
use leptos::tachys::view::Mountable;
use leptos::tachys::view::any_view::AnyViewState;
use web_sys::Element;

/// A row in the document. What it made of signals and effects goes with it.
type Row = OwnedViewState<AnyViewState>;

/// The rows in the document; the first one's number is `first`.
#[derive(Default)]
struct Run {
    first: u64,
    rows: VecDeque<Row>,
}

/// Keeps the rows of `range` in `parent`, which holds nothing else, in their order.
pub(crate) fn strip(
    parent: NodeRef<Div>,
    range: Memo<Range<u64>>,
    row: impl Fn(u64) -> AnyView + 'static,
) {
    let run = StoredValue::new_local(Run::default());
    let owner = Owner::current().unwrap_or_default();
    // The next view of the same kind may take over the parent, with what is in it.
    on_cleanup(move || {
        let gone = run.try_update_value(std::mem::take).unwrap_or_default();
        gone.rows.into_iter().for_each(remove);
    });
    Effect::new(move |_| {
        let (Some(parent), range) = (parent.get(), range.get()) else {
            return;
        };
        let build = |number: u64| {
            let owner = owner.with(Owner::new);
            let view = owner.with(|| row(number));
            OwnedView::new_with_owner(view, owner).build()
        };
        untrack(|| {
            // Dropping a row may reach this run again.
            let mut now = run.try_update_value(std::mem::take).unwrap_or_default();
            now.follow(&parent, range, build);
            run.try_update_value(|run| *run = now);
        });
    });
}

impl Run {
    fn end(&self) -> u64 {
        self.first.saturating_add(self.rows.len() as u64)
    }

    /// Becomes the run of `range`.
    fn follow(&mut self, parent: &Element, range: Range<u64>, build: impl Fn(u64) -> Row) {
        if range.start >= self.end() || range.end <= self.first {
            self.rows.drain(..).for_each(remove);
            self.first = range.start;
        }
        let above = usize::try_from(range.start.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.rows
            .drain(..above.min(self.rows.len()))
            .for_each(remove);
        self.first = self.first.max(range.start);
        let within = usize::try_from(range.end.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.rows
            .drain(within.min(self.rows.len())..)
            .for_each(remove);
        while self.first > range.start {
            let mut row = build(self.first - 1);
            let is_in = self
                .rows
                .front()
                .is_some_and(|front| front.insert_before_this(&mut row));
            if !is_in {
                row.mount(parent, None);
            }
            self.rows.push_front(row);
            self.first -= 1;
        }
        while self.end() < range.end {
            let mut row = build(self.end());
            row.mount(parent, None);
            self.rows.push_back(row);
        }
    }
}

fn remove(mut row: Row) {
    row.unmount();
}
