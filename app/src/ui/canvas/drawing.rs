//! Draws the picture into its canvas, and into one that is saved.

use js_sys::Function;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement};

use super::Canvas;
use crate::engine::protocol::OpClass;
use crate::ui::camera::{Camera, Size};
use crate::ui::painting::{View, draw_chosen};
use crate::ui::picture_export::Colours;

/// The longest side of a picture that is saved, in pixels.
const LARGEST_PNG: f64 = 8_000.0;

/// The smallest scale at which boxes can be told apart in a picture that is saved.
const SMALLEST_PNG: f64 = 0.08;

impl Canvas {
    /// Gives all of the picture as a PNG, as large as a canvas may be; `None` where the browser cannot, or nothing
    /// could be told in it.
    pub(crate) fn png(self, done: impl FnOnce(Option<Blob>) + 'static) {
        let drawn = self.draw_whole();
        let given = Closure::once_into_js(move |blob: JsValue| done(blob.dyn_into().ok()));
        let asked = drawn.map(|canvas| canvas.to_blob(given.unchecked_ref()));
        if !matches!(asked, Some(Ok(()))) {
            let _ = given.unchecked_ref::<Function>().call0(&JsValue::NULL);
        }
    }

    /// Draws in the next frame.
    pub(super) fn draw_later(self) {
        let is_new = self
            .held
            .try_update_value(|held| !std::mem::replace(&mut held.is_waiting, true));
        if is_new == Some(true) {
            request_animation_frame(move || {
                let _ = self.held.try_update_value(|held| held.is_waiting = false);
                self.draw();
            });
        }
    }

    /// Draws all of the picture at a scale, with nothing chosen; `None` where there is no picture.
    pub(super) fn draw_all(
        self,
        context: &CanvasRenderingContext2d,
        scale: f64,
        window: Size,
        ratio: f64,
    ) -> Option<()> {
        let walk = self.walk.get_untracked()?;
        self.held.with_value(|held| {
            let view = View {
                walk: &walk,
                camera: Camera {
                    scale,
                    x: 0.0,
                    y: 0.0,
                },
                window,
                ratio,
                colours: &held.colours,
                chosen: None,
                is_dimmed: false,
            };
            held.painting
                .as_ref()
                .map(|painting| painting.draw(context, &view))
        })
    }

    pub(super) fn take_colours(self) {
        let Some(palette) = self.palette.get_untracked() else {
            return;
        };
        let colour = |name: &str| {
            let found = palette
                .query_selector(&format!("[data-colour={name}]"))
                .ok()
                .flatten();
            let style = found
                .and_then(|found| web_sys::window()?.get_computed_style(&found).ok().flatten());
            style
                .and_then(|style| style.get_property_value("color").ok())
                .unwrap_or_default()
        };
        let colours = Colours {
            class: OpClass::ALL
                .iter()
                .map(|class| (*class, colour(class.name())))
                .collect(),
            page: colour("page"),
            text: colour("text"),
            dim: colour("dim"),
            line: colour("line"),
            accent: colour("accent"),
            changes: ["added", "removed", "changed"].map(colour),
        };
        self.held.update_value(|held| held.colours = colours);
        self.draw_map();
    }

    fn draw(self) {
        let (Some(node), Some(window)) = (
            self.node.try_get_untracked().flatten(),
            self.window.try_get_untracked(),
        ) else {
            return;
        };
        let Some(context) = context(&node, window, ratio()) else {
            return;
        };
        let Some(walk) = self.walk.get_untracked() else {
            return;
        };
        self.held.with_value(|held| {
            let view = View {
                walk: &walk,
                camera: self.camera.get_untracked(),
                window,
                ratio: ratio(),
                colours: &held.colours,
                chosen: self.chosen_box(),
                is_dimmed: held.lit.is_some(),
            };
            if let Some(painting) = &held.painting {
                painting.draw(&context, &view);
            }
            if let Some(lit) = &held.lit {
                let view = View {
                    is_dimmed: false,
                    ..view
                };
                lit.draw(&context, &view);
                draw_chosen(&context, &view);
            } else {
                draw_chosen(&context, &view);
            }
        });
    }

    fn draw_whole(self) -> Option<HtmlCanvasElement> {
        let size = self.size()?;
        let scale = (LARGEST_PNG / size.width.max(size.height).max(1.0)).min(2.0);
        if scale < SMALLEST_PNG {
            return None;
        }
        let window = Size {
            width: size.width * scale,
            height: size.height * scale,
        };
        let node = document().create_element("canvas").ok()?;
        let node = node.dyn_into::<HtmlCanvasElement>().ok()?;
        let context = context(&node, window, 1.0)?;
        let page = self.held.with_value(|held| held.colours.page.clone());
        context.set_fill_style_str(&page);
        context.fill_rect(0.0, 0.0, window.width, window.height);
        self.draw_all(&context, scale, window, 1.0)?;
        Some(node)
    }
}

/// Elements in each colour: a canvas cannot read the style sheet's colours by their names.
pub(super) fn palette(canvas: Canvas) -> impl IntoView {
    let others = [
        "page", "text", "dim", "line", "accent", "added", "removed", "changed",
    ];
    let names = OpClass::ALL.iter().map(|class| class.name()).chain(others);
    let all = names
        .map(|name| view! { <span data-colour=name></span> })
        .collect_view();
    view! { <div class="canvas-colours" aria-hidden="true" node_ref=canvas.palette>{all}</div> }
}

pub(super) fn ratio() -> f64 {
    web_sys::window().map_or(1.0, |window| window.device_pixel_ratio())
}

/// A canvas' context, cleared, for so many pixels of the screen.
pub(super) fn context(
    node: &HtmlCanvasElement,
    window: Size,
    ratio: f64,
) -> Option<CanvasRenderingContext2d> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Pixels of a screen.
    let pixels = |size: f64| (size * ratio).round().clamp(1.0, 8_192.0) as u32;
    let (width, height) = (pixels(window.width), pixels(window.height));
    if (node.width(), node.height()) != (width, height) {
        node.set_width(width);
        node.set_height(height);
    }
    let context = node
        .get_context("2d")
        .ok()??
        .dyn_into::<CanvasRenderingContext2d>()
        .ok()?;
    let _ = context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, width.into(), height.into());
    Some(context)
}
