//! The arithmetic of virtual rows: which rows are on the screen, and where.
//!
//! A browser's element has a ceiling to its height (Firefox: 17 million pixels, beyond which it becomes
//! 0), so the element that is scrolled is never higher than [`MAX_HEIGHT`]; beyond that, the scroll
//! bar's position is a fraction of the whole. `top` below is always in pixels of the whole, as if
//! there were no ceiling.

use std::ops::Range;

/// The greatest height of an element that is scrolled, in pixels.
pub(crate) const MAX_HEIGHT: f64 = 10_000_000.0;

/// Rows beyond the screen's edges that are kept ready.
const OVERSCAN: u64 = 6;

/// Rows of one height, seen through a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Geometry {
    /// Number of rows.
    pub total: u64,
    /// Height of a row, in pixels.
    pub row: f64,
    /// Height of the window, in pixels.
    pub window: f64,
}

impl Geometry {
    /// Height of all rows, as if there were no ceiling.
    pub(crate) fn whole(self) -> f64 {
        to_f64(self.total) * self.row
    }

    /// Height of the element that is scrolled.
    pub(crate) fn height(self) -> f64 {
        self.whole().min(MAX_HEIGHT)
    }

    /// Whether the scroll bar shows a fraction instead of pixels.
    pub(crate) fn is_mapped(self) -> bool {
        self.whole() > MAX_HEIGHT
    }

    /// The greatest `top`.
    pub(crate) fn max_top(self) -> f64 {
        (self.whole() - self.window).max(0.0)
    }

    /// `top`, kept within the rows.
    pub(crate) fn clamp(self, top: f64) -> f64 {
        if top.is_finite() {
            top.clamp(0.0, self.max_top())
        } else {
            0.0
        }
    }

    /// The scroll bar's position for `top`.
    pub(crate) fn to_bar(self, top: f64) -> f64 {
        if self.is_mapped() {
            self.clamp(top) / self.max_top() * self.max_bar()
        } else {
            self.clamp(top)
        }
    }

    /// `top` for the scroll bar's position.
    pub(crate) fn top_at(self, bar: f64) -> f64 {
        let top = if self.is_mapped() {
            bar / self.max_bar() * self.max_top()
        } else {
            bar
        };
        self.clamp(top)
    }

    fn max_bar(self) -> f64 {
        (self.height() - self.window).max(1.0)
    }

    /// The rows to draw for `top`, with some beyond both edges.
    pub(crate) fn rows(self, top: f64) -> Range<u64> {
        if self.row <= 0.0 || self.total == 0 {
            return 0..0;
        }
        let top = self.clamp(top);
        let first = to_u64((top / self.row).floor()).saturating_sub(OVERSCAN);
        let last = to_u64(((top + self.window) / self.row).ceil()).saturating_add(OVERSCAN);
        first.min(self.total)..last.min(self.total)
    }

    /// Where the first of the drawn rows lies within the element that is scrolled.
    pub(crate) fn offset(self, top: f64, first: u64) -> f64 {
        let place = to_f64(first) * self.row;
        if self.is_mapped() {
            self.to_bar(top) + (place - self.clamp(top))
        } else {
            place
        }
    }

    /// The nearest `top` at which a row is wholly in the window.
    pub(crate) fn reveal(self, top: f64, row: u64) -> f64 {
        let start = to_f64(row) * self.row;
        let end = start + self.row;
        let top = if start < top {
            start
        } else if end > top + self.window {
            end - self.window
        } else {
            top
        };
        self.clamp(top)
    }

    /// The `top` that puts a row into the middle of the window.
    pub(crate) fn center(self, row: u64) -> f64 {
        self.clamp((to_f64(row) + 0.5) * self.row - self.window / 2.0)
    }

    /// Rows that fit into the window, at least one.
    pub(crate) fn per_page(self) -> u64 {
        if self.row <= 0.0 {
            1
        } else {
            to_u64((self.window / self.row).floor()).max(1)
        }
    }
}

#[allow(clippy::cast_precision_loss)] // Row numbers stay far below 2^53.
fn to_f64(number: u64) -> f64 {
    number as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // `as` saturates, which is what is wanted.
fn to_u64(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn geometry(total: u64) -> Geometry {
        Geometry {
            total,
            row: 20.0,
            window: 400.0,
        }
    }

    #[test]
    fn few_rows_are_all_drawn() {
        assert_eq!(geometry(0).rows(0.0), 0..0);
        assert_eq!(geometry(5).rows(0.0), 0..5);
        assert_eq!(geometry(5).max_top(), 0.0);
        assert_eq!(geometry(5).rows(1e9), 0..5);
    }

    #[test]
    fn below_the_ceiling_the_bar_is_in_pixels() {
        let rows = geometry(1000);
        assert_eq!(rows.to_bar(1234.0), 1234.0);
        assert_eq!(rows.rows(2000.0), 94..126);
        assert_eq!(rows.offset(2000.0, 94), 1880.0);
    }

    #[test]
    fn a_hundred_million_rows_have_a_first_and_a_last() {
        let rows = geometry(100_000_000);
        assert_eq!(rows.height(), MAX_HEIGHT);
        assert_eq!(rows.rows(rows.top_at(0.0)).start, 0);
        let end = rows.top_at(MAX_HEIGHT - 400.0);
        assert_eq!(rows.rows(end).end, 100_000_000);
        // The last row ends where the element ends.
        let first = rows.rows(end).start;
        let height = (100_000_000 - first) as f64 * 20.0;
        assert!((rows.offset(end, first) + height - MAX_HEIGHT).abs() < 0.01);
    }

    #[test]
    fn a_row_is_revealed_with_the_least_movement() {
        let rows = geometry(1000);
        assert_eq!(rows.reveal(0.0, 3), 0.0);
        assert_eq!(rows.reveal(0.0, 20), 20.0);
        assert_eq!(rows.reveal(1000.0, 20), 400.0);
        assert_eq!(rows.reveal(0.0, 999), rows.max_top());
        assert_eq!(rows.per_page(), 20);
    }

    proptest! {
        #[test]
        fn every_row_can_be_reached_and_is_drawn_where_the_window_is(total in 1u64..200_000_000, share in 0.0f64..1.0) {
            let rows = geometry(total);
            let row = to_u64(share * to_f64(total)).min(total - 1);
            let top = rows.reveal(0.0, row);
            let drawn = rows.rows(top);
            prop_assert!(drawn.contains(&row));
            // The row's place, relative to what the browser shows, is inside the window.
            let place = rows.offset(top, drawn.start) + to_f64(row - drawn.start) * rows.row - rows.to_bar(top);
            prop_assert!(place > -0.01 && place + rows.row < rows.window + 0.01 || to_f64(total) * rows.row < rows.window);
            prop_assert!((rows.top_at(rows.to_bar(top)) - top).abs() < 0.5);
        }
    }
}
