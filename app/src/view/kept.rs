//! Where the reader was in a list, for each step of the browser's history: 'back' shows the same rows.

use leptos::prelude::*;

use super::workspace::Workspace;
use crate::ui::rows::Rows;

/// Where the reader was in a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spot {
    /// The row that the keys act on.
    active: u64,
    /// The top, in pixels.
    top: f64,
    /// How many rows there were.
    total: u64,
}

/// Whether the step of the history that is shown is one that the reader came back to. Copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Returned(StoredValue<bool>);

impl Returned {
    /// Whether it is.
    pub(crate) fn is_so(self) -> bool {
        self.0.try_get_value().unwrap_or(false)
    }
}

/// Remembers where the reader is in a list, and goes there again when its step of the history comes back.
/// `list` tells the lists of a view apart.
pub(crate) fn keep(
    workspace: Workspace,
    list: &'static str,
    rows: Rows,
    active: Option<RwSignal<u64>>,
) -> Returned {
    let returned = Returned(StoredValue::new(false));
    // What is to be restored when the rows are there.
    let pending = StoredValue::new(None::<Spot>);
    Effect::new(move |before: Option<u64>| {
        let step = workspace.step.get();
        let total = rows.total.get();
        if before != Some(step) {
            let spot = workspace.spot(step, list);
            returned.0.set_value(spot.is_some());
            pending.set_value(spot);
        }
        if let Some(spot) = pending.get_value()
            && total > 0
            && total >= spot.total
        {
            pending.set_value(None);
            if let Some(active) = active {
                active.set(spot.active.min(total.saturating_sub(1)));
            }
            rows.go(spot.top);
        }
        step
    });
    Effect::new(move |before: Option<u64>| {
        let step = workspace.step.get();
        let top = rows.follow_top();
        let active = active.map_or(0, |active| active.get());
        let total = rows.total.get();
        // A reader who moves before the rows are there wants to be where he moved.
        let has_moved = before == Some(step) && (top > 0.0 || active > 0);
        if pending.get_value().is_none() || has_moved {
            pending.set_value(None);
            workspace.keep_spot(step, list, Spot { active, top, total });
        }
        step
    });
    returned
}
