//! The small picture of the whole beside a canvas, in which the part that is seen is framed and moved.

use leptos::prelude::*;
use web_sys::PointerEvent;

use super::Canvas;
use super::drawing::{context, ratio};
use crate::ui::camera::{Camera, Size};

/// The largest size of the small picture of the whole.
const MAP: Size = Size {
    width: 150.0,
    height: 240.0,
};

impl Canvas {
    pub(super) fn draw_map(self) {
        let (Some(map), Some(size)) = (self.map.get_untracked(), self.size()) else {
            return;
        };
        let scale = Self::map_scale(size);
        let window = Size {
            width: (size.width * scale).max(1.0),
            height: (size.height * scale).max(1.0),
        };
        if let Some(context) = context(&map, window, ratio()) {
            self.draw_all(&context, scale, window, ratio());
        }
    }

    /// The scale of the small picture of the whole.
    fn map_scale(size: Size) -> f64 {
        let whole = |room: f64, size: f64| room / size.max(1.0);
        whole(MAP.width, size.width).min(whole(MAP.height, size.height))
    }
}

/// The map; it is gone while all of the picture is seen.
pub(super) fn map_view(canvas: Canvas) -> impl IntoView {
    let from_map = move |event: PointerEvent| {
        if event.buttons() & 1 == 0 {
            return;
        }
        let Some(size) = canvas.size() else { return };
        let scale = Canvas::map_scale(size);
        let (x, y) = (
            f64::from(event.offset_x()) / scale,
            f64::from(event.offset_y()) / scale,
        );
        let window = canvas.window.get_untracked();
        let now = canvas.camera.get_untracked();
        canvas.move_to(Camera {
            x: window.width / 2.0 - x * now.scale,
            y: window.height / 2.0 - y * now.scale,
            ..now
        });
    };
    // Where the window is on the map.
    let seen = move || {
        let (camera, window) = (canvas.camera.get(), canvas.window.get());
        canvas.walk.track();
        let size = canvas.size()?;
        let (scale, seen) = (Canvas::map_scale(size), camera.seen(window));
        let left = (seen.x * scale).clamp(0.0, size.width * scale);
        let top = (seen.y * scale).clamp(0.0, size.height * scale);
        let right = ((seen.x + seen.width) * scale).clamp(left, size.width * scale);
        let bottom = ((seen.y + seen.height) * scale).clamp(top, size.height * scale);
        // Of a picture that is seen whole, the map says nothing.
        let is_whole = left <= 0.0
            && top <= 0.0
            && right >= size.width * scale
            && bottom >= size.height * scale;
        (!is_whole).then(|| [left, top, right - left, bottom - top].map(|it| format!("{it:.1}px")))
    };
    let seen = Memo::new(move |_| seen());
    let edge = move |at: usize| {
        seen.with(|seen| {
            seen.as_ref()
                .map(|seen| seen[at].clone())
                .unwrap_or_default()
        })
    };
    view! {
        <div class="canvas-map" class:gone=move || seen.with(Option::is_none) aria-hidden="true">
            <canvas node_ref=canvas.map data-testid="map" on:pointerdown=from_map on:pointermove=from_map></canvas>
            <div
                class="canvas-seen"
                style:left=move || edge(0)
                style:top=move || edge(1)
                style:width=move || edge(2)
                style:height=move || edge(3)
            ></div>
        </div>
    }
}
