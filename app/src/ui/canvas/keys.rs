//! What keys do: they walk along the edges, move and zoom the picture.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::{Canvas, Zoom};
use crate::engine::protocol::What;
use crate::ui::picture::Way;

/// How far a key moves the picture, in pixels.
const STEP: f64 = 80.0;

/// Does what a key means. `open` opens or closes what a box stands for.
pub(super) fn on_key(canvas: Canvas, event: &KeyboardEvent, open: impl Fn(What)) {
    if event.alt_key() || event.ctrl_key() || event.meta_key() {
        return;
    }
    let walk_on = |way| {
        let next = canvas.walk.with_untracked(|walk| {
            let walk = walk.as_ref()?;
            match canvas.chosen_box() {
                Some(place) => walk.step(place, way),
                None => walk.first(),
            }
        });
        if next.is_some() {
            canvas.choose(next);
        }
    };
    let pan = |x: f64, y: f64| canvas.move_to(canvas.camera.get_untracked().panned(x, y));
    match event.key().as_str() {
        "ArrowUp" if event.shift_key() => pan(0.0, STEP),
        "ArrowDown" if event.shift_key() => pan(0.0, -STEP),
        "ArrowLeft" if event.shift_key() => pan(STEP, 0.0),
        "ArrowRight" if event.shift_key() => pan(-STEP, 0.0),
        "ArrowUp" => walk_on(Way::Up),
        "ArrowDown" => walk_on(Way::Down),
        "ArrowLeft" => walk_on(Way::Left),
        "ArrowRight" => walk_on(Way::Right),
        "PageDown" => pan(0.0, -canvas.window.get_untracked().height * 0.8),
        "PageUp" => pan(0.0, canvas.window.get_untracked().height * 0.8),
        "Home" => canvas.choose(
            canvas
                .walk
                .with_untracked(|walk| walk.as_ref().and_then(|walk| walk.first())),
        ),
        "+" | "=" => canvas.zoom(Zoom::In),
        "-" => canvas.zoom(Zoom::Out),
        "0" => canvas.fit(),
        "Enter" => match canvas.chosen_box().and_then(|place| canvas.what(place)) {
            Some(what) => open(what),
            None => return,
        },
        "Escape" if canvas.chosen.get_untracked().is_some() => canvas.chosen.set(None),
        _ => return,
    }
    event.prevent_default();
}
