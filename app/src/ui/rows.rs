//! Virtual rows: only what is on the screen is in the document, however many rows there are.
//!
//! Start at [`Rows`]. A view makes one, puts its `node` on an element that scrolls, and [`Rows::body`]
//! into it.

use std::ops::Range;

use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, WheelEvent};

use super::resizing::Resizing;
use super::scroll::Geometry;
use super::strip::strip;

/// The height, in pixels, beyond which a window shows no more rows: that of no screen, but of print.
const HIGHEST: f64 = 20_000.0;

/// How many frames the scroll bar waits for an element to become as high as its rows.
const FRAMES: u32 = 3;

/// Rows behind a window that scrolls. Copies are the same window.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    /// The element that scrolls.
    pub node: NodeRef<Div>,
    /// How many rows there are.
    pub total: Signal<u64>,
    /// Height of a row, in pixels.
    row: f64,
    /// Height of what stays above the rows within the window, in pixels.
    head: f64,
    window: RwSignal<f64>,
    /// Width of the window, in pixels; 0 until the browser tells it.
    pub width: RwSignal<f64>,
    top: RwSignal<f64>,
}

/// What must live as long as the window.
#[derive(Default)]
struct Kept {
    resizing: Option<Resizing>,
    wheel: Option<EventListener>,
}

impl Rows {
    /// A window on `total` rows of `row` pixels, below a head of `head` pixels that stays.
    pub(crate) fn new(total: Signal<u64>, row: f64, head: f64) -> Self {
        // Until the browser tells the window's height, a usual one is taken.
        let rows = Self {
            node: NodeRef::new(),
            total,
            row,
            head,
            window: RwSignal::new(640.0),
            width: RwSignal::new(0.0),
            top: RwSignal::new(0.0),
        };
        let kept = StoredValue::new_local(Kept::default());
        Effect::new(move |_| {
            let Some(node) = rows.node.get() else { return };
            let resizing = Resizing::of(&node, move || rows.measure());
            let old = kept.try_update_value(|kept| std::mem::replace(&mut kept.resizing, resizing));
            drop(old);
            rows.measure();
            rows.place_bar();
        });
        // With a mapped scroll bar a turn of the wheel would pass thousands of rows.
        let is_mapped = Memo::new(move |_| rows.geometry().is_mapped());
        Effect::new(move |_| {
            let (Some(node), true) = (rows.node.get(), is_mapped.get()) else {
                return;
            };
            let options = EventListenerOptions::enable_prevent_default();
            let wheel = EventListener::new_with_options(&node, "wheel", options, move |event| {
                if let Some(event) = event.dyn_ref::<WheelEvent>() {
                    rows.on_wheel(event);
                }
            });
            let old = kept.try_update_value(|kept| kept.wheel.replace(wheel));
            drop(old);
        });
        rows
    }

    /// The rows and the window as they are.
    pub(crate) fn geometry(self) -> Geometry {
        Geometry {
            total: self.total.get(),
            row: self.row,
            window: self.window.get(),
        }
    }

    fn geometry_now(self) -> Geometry {
        Geometry {
            total: self.total.try_get_untracked().unwrap_or(0),
            row: self.row,
            window: self.window.try_get_untracked().unwrap_or(0.0),
        }
    }

    /// The rows that are drawn.
    pub(crate) fn drawn(self) -> Memo<Range<u64>> {
        Memo::new(move |_| self.geometry().rows(self.top.get()))
    }

    /// The top, in pixels of the whole.
    pub(crate) fn top(self) -> f64 {
        self.top.try_get_untracked().unwrap_or(0.0)
    }

    /// The top, in pixels of the whole, following its changes.
    pub(crate) fn follow_top(self) -> f64 {
        self.top.get()
    }

    /// Scrolls so that `top` pixels of the whole are above the window.
    pub(crate) fn go(self, top: f64) {
        let _ = self.top.try_set(self.geometry_now().clamp(top));
        self.place_bar();
    }

    /// Goes back to the first row, which the keys act on from now on: the rows are others.
    pub(crate) fn go_first(self, active: RwSignal<u64>) {
        active.set(0);
        self.go(0.0);
    }

    /// Scrolls by pixels.
    pub(crate) fn go_by(self, pixels: f64) {
        self.go(self.top() + pixels);
    }

    /// Scrolls as little as is needed to show a row.
    pub(crate) fn reveal(self, row: u64) {
        self.go(self.geometry_now().reveal(self.top(), row));
    }

    /// Scrolls a row into the middle.
    pub(crate) fn center(self, row: u64) {
        self.go(self.geometry_now().center(row));
    }

    /// Whether all of a row is in the window.
    pub(crate) fn shows(self, row: u64) -> bool {
        self.geometry_now().reveal(self.top(), row) == self.top()
    }

    /// The first row that is in the window as a whole.
    pub(crate) fn first_whole(self) -> u64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // Below the number of rows.
        let row = (self.top() / self.row).ceil() as u64;
        row
    }

    /// Scrolls sideways, once it is drawn, so that the first element of a selector is in the window.
    pub(crate) fn reveal_across(self, selector: &'static str) {
        let find = move || {
            let node = self.node.try_get_untracked().flatten()?;
            let there = node
                .query_selector(selector)
                .ok()??
                .get_bounding_client_rect();
            let window = node.get_bounding_client_rect();
            let room = window.width() / 4.0;
            let beyond = if there.right() > window.right() - 24.0 {
                there.right() - window.right() + room
            } else if there.left() < window.left() + 80.0 {
                there.left() - window.left() - room
            } else {
                return None;
            };
            #[allow(clippy::cast_possible_truncation)] // Pixels of a row.
            node.set_scroll_left(node.scroll_left() + beyond.round() as i32);
            Some(())
        };
        Timeout::new(60, move || {
            let _ = find();
        })
        .forget();
    }

    /// Rows that fit into the window.
    pub(crate) fn per_page(self) -> u64 {
        self.geometry_now().per_page()
    }

    /// Follows the scroll bar; for the element's `scroll` event.
    pub(crate) fn on_scroll(self) {
        let Some(node) = self.node.get_untracked() else {
            return;
        };
        let geometry = self.geometry_now();
        let bar = f64::from(node.scroll_top());
        // A change of less than a pixel is the browser's rounding of what was set here.
        if (geometry.to_bar(self.top()) - bar).abs() >= 1.0 {
            self.top.set(geometry.top_at(bar));
        }
    }

    /// Scrolls with the keys; says whether the key was one of them.
    pub(crate) fn on_key(self, event: &KeyboardEvent) -> bool {
        if event.alt_key() || event.meta_key() {
            return false;
        }
        let page = (self.geometry_now().window - self.row).max(self.row);
        match event.key().as_str() {
            "ArrowDown" => self.go_by(self.row),
            "ArrowUp" => self.go_by(-self.row),
            "PageDown" => self.go_by(page),
            "PageUp" => self.go_by(-page),
            " " if event.shift_key() => self.go_by(-page),
            " " => self.go_by(page),
            "Home" => self.go(0.0),
            "End" => self.go(f64::MAX),
            _ => return false,
        }
        event.prevent_default();
        true
    }

    /// What is inside the element that scrolls, below its head.
    pub(crate) fn body<V: IntoView + 'static>(
        self,
        row: impl Fn(u64) -> V + 'static,
    ) -> impl IntoView {
        let drawn = self.drawn();
        let node = NodeRef::<Div>::new();
        strip(node, drawn, move |number| row(number).into_any());
        let height = move || format!("{}px", self.geometry().height());
        let place = move || {
            format!(
                "translateY({}px)",
                self.geometry().offset(self.top.get(), drawn.get().start)
            )
        };
        view! {
            <div class="rows-space" role="presentation" style:height=height>
                <div class="rows-drawn" role="presentation" style:transform=place node_ref=node></div>
            </div>
        }
    }

    fn on_wheel(self, event: &WheelEvent) {
        if event.ctrl_key() || event.delta_y() == 0.0 {
            return;
        }
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => self.row,
            WheelEvent::DOM_DELTA_PAGE => self.geometry_now().window,
            _ => 1.0,
        };
        event.prevent_default();
        self.go_by(event.delta_y() * unit);
    }

    fn measure(self) {
        let Some(node) = self.node.try_get_untracked().flatten() else {
            return;
        };
        // A page that is printed has no height of its own, and would draw more and more rows.
        let window = (f64::from(node.client_height()) - self.head).clamp(0.0, HIGHEST);
        if self.window.try_get_untracked() != Some(window) {
            let _ = self.window.try_set(window);
        }
        let width = f64::from(node.client_width());
        if self.width.try_get_untracked() != Some(width) {
            let _ = self.width.try_set(width);
        }
    }

    /// Puts the scroll bar where `top` is.
    fn place_bar(self) {
        self.place_bar_within(FRAMES);
    }

    /// The same, and again in the next frames: rows that have just come have not made the element high yet.
    fn place_bar_within(self, frames: u32) {
        let Some(node) = self.node.try_get_untracked().flatten() else {
            return;
        };
        let bar = self.geometry_now().to_bar(self.top());
        if (f64::from(node.scroll_top()) - bar).abs() >= 1.0 {
            #[allow(clippy::cast_possible_truncation)] // At most MAX_HEIGHT.
            node.set_scroll_top(bar.round() as i32);
            if frames > 0 && (f64::from(node.scroll_top()) - bar).abs() >= 1.0 {
                request_animation_frame(move || self.place_bar_within(frames - 1));
            }
        }
    }
}
