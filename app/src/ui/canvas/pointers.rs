//! What the mouse and fingers do: they move and zoom the picture, and press what is in it.

use leptos::prelude::*;
use web_sys::{PointerEvent, WheelEvent};

use super::Canvas;
use crate::engine::protocol::What;

/// A pointer that moved no farther than this was pressed, not dragged.
const DRAG: f64 = 4.0;

/// What a press meant.
pub(super) enum Pressed {
    Nothing,
    Box(u32),
    /// The end of a cut edge, which leads to a box.
    Cut(u32),
}

impl Canvas {
    pub(super) fn on_wheel(self, event: &WheelEvent) {
        event.prevent_default();
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => 20.0,
            WheelEvent::DOM_DELTA_PAGE => 400.0,
            _ => 1.0,
        };
        let (across, down) = (event.delta_x() * unit, event.delta_y() * unit);
        if event.ctrl_key() || event.meta_key() {
            let (x, y) = (event.offset_x().into(), event.offset_y().into());
            return self.zoom_at((-down / 300.0).clamp(-1.0, 1.0).exp(), x, y);
        }
        let (across, down) = if event.shift_key() && across == 0.0 {
            (down, 0.0)
        } else {
            (across, down)
        };
        self.move_to(self.camera.get_untracked().panned(-across, -down));
    }

    pub(super) fn on_down(self, event: &PointerEvent) {
        if event.button() != 0 {
            return;
        }
        if let Some(node) = self.node.get_untracked() {
            let _ = node.set_pointer_capture(event.pointer_id());
        }
        let (id, x, y) = (
            event.pointer_id(),
            event.offset_x().into(),
            event.offset_y().into(),
        );
        self.held.update_value(|held| {
            if held.pointers.is_empty() {
                held.moved = 0.0;
            }
            held.pointers.retain(|pointer| pointer.0 != id);
            held.pointers.push((id, x, y));
        });
    }

    pub(super) fn on_move(self, event: &PointerEvent) {
        let (id, x, y): (i32, f64, f64) = (
            event.pointer_id(),
            event.offset_x().into(),
            event.offset_y().into(),
        );
        let before = self.held.with_value(|held| held.pointers.clone());
        let Some(place) = before.iter().position(|pointer| pointer.0 == id) else {
            return self.hover(x, y);
        };
        let (_, old_x, old_y) = before[place];
        self.held.update_value(|held| {
            held.moved += (x - old_x).abs() + (y - old_y).abs();
            if let Some(pointer) = held.pointers.get_mut(place) {
                *pointer = (id, x, y);
            }
        });
        match before.iter().find(|pointer| pointer.0 != id) {
            // Two fingers: their distance is the scale.
            Some((_, other_x, other_y)) => {
                let far = |x: f64, y: f64| (x - other_x).hypot(y - other_y).max(1.0);
                let factor = far(x, y) / far(old_x, old_y);
                self.zoom_at(factor, (x + other_x) / 2.0, (y + other_y) / 2.0);
            }
            None => self.move_to(self.camera.get_untracked().panned(x - old_x, y - old_y)),
        }
    }

    /// A pointer was lifted; gives what it pressed, where it was not dragged.
    pub(super) fn on_up(self, event: &PointerEvent) -> Option<Pressed> {
        let id = event.pointer_id();
        let is_press = self.held.try_update_value(|held| {
            let was_down = held.pointers.iter().any(|pointer| pointer.0 == id);
            held.pointers.retain(|pointer| pointer.0 != id);
            was_down && held.pointers.is_empty() && held.moved <= DRAG
        });
        (is_press == Some(true))
            .then(|| self.pressed(event.offset_x().into(), event.offset_y().into()))
    }

    fn hover(self, x: f64, y: f64) {
        let (x, y) = self.camera.get_untracked().to_picture(x, y);
        let found = self
            .walk
            .with_untracked(|walk| walk.as_ref().and_then(|walk| walk.at(x, y)));
        if self.hovered.get_untracked() != found {
            self.hovered.set(found);
        }
        // Within a frame the picture is moved, as between frames.
        let is_box = |what| !matches!(what, What::Frame(_));
        let is_over = found.and_then(|found| self.what(found)).is_some_and(is_box)
            || self.cut_at(x, y).is_some();
        if self.is_over.get_untracked() != is_over {
            self.is_over.set(is_over);
        }
    }

    fn cut_at(self, x: f64, y: f64) -> Option<u32> {
        self.held
            .with_value(|held| held.painting.as_ref().and_then(|it| it.cut_at(x, y)))
    }

    fn pressed(self, x: f64, y: f64) -> Pressed {
        let (x, y) = self.camera.get_untracked().to_picture(x, y);
        if let Some(leads_to) = self.cut_at(x, y) {
            return Pressed::Cut(leads_to);
        }
        let found = self
            .walk
            .with_untracked(|walk| walk.as_ref().and_then(|walk| walk.at(x, y)));
        found.map_or(Pressed::Nothing, Pressed::Box)
    }
}
