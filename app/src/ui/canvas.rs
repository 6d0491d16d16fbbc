//! A picture that is moved and zoomed, with the mouse, with fingers or with the keyboard alone.
//!
//! Start at [`Canvas::new`]. What leads where is [`super::picture`]'s; how it is drawn, [`super::painting`]'s.

use std::collections::BTreeSet;
use std::sync::Arc;

use gloo_events::{EventListener, EventListenerOptions};
use js_sys::Function;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, CanvasRenderingContext2d, HtmlCanvasElement, KeyboardEvent, MouseEvent, PointerEvent,
    WheelEvent,
};

use super::camera::{Camera, Size};
use super::painting::{Painting, View, draw_chosen};
use super::picture::{Walk, Way, rect};
use super::picture_export::Colours;
use super::resizing::Resizing;
use crate::engine::protocol::{OpClass, What};
use crate::text::graphs as text;

/// The scale at which letters can be read with ease.
const READABLE: f64 = 0.85;

/// How much larger a press on a button, or a key, makes it.
const ZOOM: f64 = 1.3;

/// How far a key moves the picture, in pixels.
const STEP: f64 = 80.0;

/// A pointer that moved no farther than this was pressed, not dragged.
const DRAG: f64 = 4.0;

/// The longest side of a picture that is saved, in pixels.
const LARGEST_PNG: f64 = 8_000.0;

/// The smallest scale at which boxes can be told apart in a picture that is saved.
const SMALLEST_PNG: f64 = 0.08;

/// The largest size of the small picture of the whole.
const MAP: Size = Size {
    width: 150.0,
    height: 240.0,
};

/// A step of zooming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zoom {
    /// Closer.
    In,
    /// Farther away.
    Out,
}

/// A picture on the screen. Copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Canvas {
    /// The picture.
    pub walk: Signal<Option<Arc<Walk>>>,
    /// What is chosen.
    pub chosen: RwSignal<Option<What>>,
    /// Boxes that stand out from the others; none: all are alike.
    pub lit: RwSignal<Arc<BTreeSet<u32>>>,
    /// The box that the pointer is over.
    pub hovered: RwSignal<Option<u32>>,
    /// Whether a press would do something where the pointer is.
    is_over: RwSignal<bool>,
    camera: RwSignal<Camera>,
    window: RwSignal<Size>,
    node: NodeRef<html::Canvas>,
    map: NodeRef<html::Canvas>,
    palette: NodeRef<html::Div>,
    held: StoredValue<Held, LocalStorage>,
}

#[derive(Default)]
struct Held {
    painting: Option<Painting>,
    /// Only what is lit.
    lit: Option<Painting>,
    colours: Colours,
    is_waiting: bool,
    /// Pointers that are down: which, and where.
    pointers: Vec<(i32, f64, f64)>,
    /// How far they were moved since the first came down.
    moved: f64,
    /// What stays where it is on the screen when the next picture comes.
    anchor: Option<(What, f64, f64)>,
    resizing: Option<Resizing>,
    /// Whether the next picture is of something else, and is shown from its beginning.
    is_other: bool,
    wheel: Option<EventListener>,
}

impl Canvas {
    /// A canvas for a picture that comes. `look` changes where colours do.
    pub(crate) fn new(
        walk: Signal<Option<Arc<Walk>>>,
        look: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let nothing = Size {
            width: 0.0,
            height: 0.0,
        };
        let canvas = Canvas {
            walk,
            chosen: RwSignal::new(None),
            lit: RwSignal::new(Arc::new(BTreeSet::new())),
            hovered: RwSignal::new(None),
            is_over: RwSignal::new(false),
            camera: RwSignal::new(Camera {
                scale: 1.0,
                x: 0.0,
                y: 0.0,
            }),
            window: RwSignal::new(nothing),
            node: NodeRef::new(),
            map: NodeRef::new(),
            palette: NodeRef::new(),
            held: StoredValue::new_local(Held::default()),
        };
        Effect::new(move |_| canvas.listen());
        Effect::new(move |_| {
            look();
            canvas.palette.track();
            canvas.take_colours();
            canvas.draw_later();
        });
        Effect::new(move |before: Option<bool>| {
            let walk = walk.get();
            let has_room = canvas.window.with(|window| window.width > 0.0);
            canvas.prepare(walk.as_deref(), before != Some(true));
            walk.is_some() && has_room
        });
        Effect::new(move |_| {
            let (lit, walk) = (canvas.lit.get(), walk.get());
            canvas.held.update_value(|held| {
                let walk = walk.filter(|_| !lit.is_empty());
                held.lit = walk.and_then(|walk| Painting::of(&walk, Some(&lit)));
            });
            canvas.draw_later();
        });
        Effect::new(move |_| {
            canvas.camera.track();
            canvas.chosen.track();
            canvas.window.track();
            canvas.draw_later();
        });
        canvas
    }

    /// Shows all of the picture.
    pub(crate) fn fit(self) {
        if let Some(size) = self.size() {
            self.camera
                .set(Camera::fit(size, self.window.get_untracked()));
        }
    }

    /// Zooms at the middle of the window.
    pub(crate) fn zoom(self, zoom: Zoom) {
        let window = self.window.get_untracked();
        let factor = match zoom {
            Zoom::In => ZOOM,
            Zoom::Out => 1.0 / ZOOM,
        };
        self.zoom_at(factor, window.width / 2.0, window.height / 2.0);
    }

    /// Brings a box into sight, large enough to be read.
    pub(crate) fn show(self, place: u32) {
        let at = self
            .walk
            .with_untracked(|walk| walk.as_ref().and_then(|walk| walk.get(place)).map(rect));
        if let Some(at) = at {
            let window = self.window.get_untracked();
            self.camera
                .update(|camera| *camera = camera.showing(at, window, READABLE));
        }
    }

    /// The box of what is chosen; that of a group is its frame where it is open.
    pub(crate) fn chosen_box(self) -> Option<u32> {
        let what = self.chosen.get_untracked()?;
        self.walk.with_untracked(|walk| {
            let walk = walk.as_ref()?;
            walk.place(what).or_else(|| walk.place(other_state(what)))
        })
    }

    /// What a box stands for.
    pub(crate) fn what(self, place: u32) -> Option<What> {
        self.walk
            .with_untracked(|walk| walk.as_ref()?.get(place).map(|one| one.what))
    }

    /// The next picture shows this where it is now.
    pub(crate) fn anchor(self, what: What) {
        let camera = self.camera.get_untracked();
        let at = self.walk.with_untracked(|walk| {
            let walk = walk.as_ref()?;
            let place = walk.place(what)?;
            walk.get(place).map(|one| camera.to_screen(rect(one)))
        });
        self.held
            .update_value(|held| held.anchor = at.map(|at| (what, at.x, at.y)));
    }

    /// The next picture is of something else: it is shown from its beginning.
    pub(crate) fn begin_anew(self) {
        self.held.update_value(|held| {
            held.is_other = true;
            held.anchor = None;
        });
    }

    /// The colours by which it is drawn.
    pub(crate) fn colours(self) -> Colours {
        self.held.with_value(|held| held.colours.clone())
    }

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

    fn size(self) -> Option<Size> {
        self.walk.with_untracked(|walk| {
            walk.as_ref().map(|walk| Size {
                width: walk.picture.width.into(),
                height: walk.picture.height.into(),
            })
        })
    }

    fn move_to(self, camera: Camera) {
        if let Some(size) = self.size() {
            self.camera
                .set(camera.within(size, self.window.get_untracked()));
        }
    }

    fn zoom_at(self, factor: f64, x: f64, y: f64) {
        self.move_to(self.camera.get_untracked().zoomed(factor, x, y));
    }

    /// Follows the element's size, and the wheel, which would scroll the page.
    fn listen(self) {
        let Some(node) = self.node.get() else { return };
        let canvas = self;
        let resizing = Resizing::of(&node, move || canvas.measure());
        let options = EventListenerOptions::enable_prevent_default();
        let wheel = EventListener::new_with_options(&node, "wheel", options, move |event| {
            if let Some(event) = event.dyn_ref::<WheelEvent>() {
                canvas.on_wheel(event);
            }
        });
        let old = self.held.try_update_value(|held| {
            (
                std::mem::replace(&mut held.resizing, resizing),
                held.wheel.replace(wheel),
            )
        });
        drop(old);
        self.measure();
    }

    fn measure(self) {
        let Some(node) = self.node.try_get_untracked().flatten() else {
            return;
        };
        let window = Size {
            width: node.client_width().into(),
            height: node.client_height().into(),
        };
        if self.window.try_get_untracked() != Some(window) {
            let _ = self.window.try_set(window);
        }
    }

    fn take_colours(self) {
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

    /// Makes a picture ready. The first one is shown from its beginning; another stays where it is.
    fn prepare(self, walk: Option<&Walk>, is_first: bool) {
        let anchor = self.held.try_update_value(|held| {
            held.painting = walk.and_then(|walk| Painting::of(walk, None));
            held.anchor.take()
        });
        let (Some(walk), Some(size)) = (walk, self.size()) else {
            return self.draw_later();
        };
        self.hovered.set(None);
        let is_other = self
            .held
            .try_update_value(|held| std::mem::take(&mut held.is_other));
        let is_first = is_first || is_other == Some(true);
        let window = self.window.get_untracked();
        let camera = self.camera.get_untracked();
        let stays = anchor.flatten().and_then(|(what, x, y)| {
            let place = walk.place(what).or_else(|| walk.place(other_state(what)))?;
            let now = camera.to_screen(rect(walk.get(place)?));
            Some(camera.panned(x - now.x, y - now.y))
        });
        match stays {
            Some(camera) => self.move_to(camera),
            None if is_first => {
                let begin = Camera::begin(size, window, READABLE, |width, height| {
                    walk.middle(width, height)
                });
                self.camera.set(begin);
                // What the address names may have been chosen before there was room.
                if let Some(chosen) = self.chosen_box() {
                    self.show(chosen);
                }
            }
            None => self.move_to(camera),
        }
        self.draw_map();
        self.draw_later();
    }

    /// Draws in the next frame.
    fn draw_later(self) {
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

    /// The scale of the small picture of the whole.
    fn map_scale(size: Size) -> f64 {
        let whole = |room: f64, size: f64| room / size.max(1.0);
        whole(MAP.width, size.width).min(whole(MAP.height, size.height))
    }

    fn draw_map(self) {
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

    /// Draws all of the picture at a scale, with nothing chosen; `None` where there is no picture.
    fn draw_all(
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

    fn on_wheel(self, event: &WheelEvent) {
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

    fn on_down(self, event: &PointerEvent) {
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

    fn on_move(self, event: &PointerEvent) {
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

    /// A pointer was lifted; gives what it pressed, where it was not dragged.
    fn on_up(self, event: &PointerEvent) -> Option<Pressed> {
        let id = event.pointer_id();
        let is_press = self.held.try_update_value(|held| {
            let was_down = held.pointers.iter().any(|pointer| pointer.0 == id);
            held.pointers.retain(|pointer| pointer.0 != id);
            was_down && held.pointers.is_empty() && held.moved <= DRAG
        });
        (is_press == Some(true))
            .then(|| self.pressed(event.offset_x().into(), event.offset_y().into()))
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

/// What a press meant.
enum Pressed {
    Nothing,
    Box(u32),
    /// The end of a cut edge, which leads to a box.
    Cut(u32),
}

/// A group opened is a frame, and closed a box.
fn other_state(what: What) -> What {
    match what {
        What::Closed(group) => What::Frame(group),
        What::Frame(group) => What::Closed(group),
        What::Node(_) => what,
    }
}

/// The canvas, the map beside it, and the keys. `open` opens or closes what a box stands for; `said` gives what
/// screen readers hear of a box.
pub(crate) fn canvas_view(
    canvas: Canvas,
    open: impl Fn(What) + Copy + Send + Sync + 'static,
    said: impl Fn(u32) -> String + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let choose = move |place: Option<u32>| {
        canvas
            .chosen
            .set(place.and_then(|place| canvas.what(place)));
        if let Some(place) = place {
            canvas.show(place);
        }
    };
    let up = move |event: PointerEvent| match canvas.on_up(&event) {
        Some(Pressed::Box(place)) => canvas.chosen.set(canvas.what(place)),
        Some(Pressed::Cut(place)) => choose(Some(place)),
        Some(Pressed::Nothing) => canvas.chosen.set(None),
        None => {}
    };
    let double = move |_: MouseEvent| {
        if let Some(what) = canvas.chosen_box().and_then(|place| canvas.what(place)) {
            open(what);
        }
    };
    let keys = move |event: KeyboardEvent| {
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
                choose(next);
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
            "Home" => choose(
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
    };
    let label = move || {
        canvas.chosen.track();
        canvas.walk.track();
        let chosen = canvas.chosen_box();
        chosen.map_or_else(|| text::PICTURE.to_owned(), said)
    };
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
        <div class="canvas">
            {palette(canvas)}
            <canvas
                class="canvas-picture"
                class:over=canvas.is_over
                data-testid="picture"
                data-scale=move || format!("{:.4}", canvas.camera.get().scale)
                data-x=move || format!("{:.1}", canvas.camera.get().x)
                data-y=move || format!("{:.1}", canvas.camera.get().y)
                role="application"
                aria-roledescription="picture of a graph"
                aria-label=label
                tabindex="0"
                node_ref=canvas.node
                on:pointerdown=move |event| canvas.on_down(&event)
                on:pointermove=move |event| canvas.on_move(&event)
                on:pointerup=up
                on:pointercancel=move |event| {
                    canvas.on_up(&event);
                }
                on:pointerleave=move |_| canvas.hovered.set(None)
                on:dblclick=double
                on:keydown=keys
            ></canvas>
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
        </div>
    }
}

/// Elements in each colour: a canvas cannot read the style sheet's colours by their names.
fn palette(canvas: Canvas) -> impl IntoView {
    let others = [
        "page", "text", "dim", "line", "accent", "added", "removed", "changed",
    ];
    let names = OpClass::ALL.iter().map(|class| class.name()).chain(others);
    let all = names
        .map(|name| view! { <span data-colour=name></span> })
        .collect_view();
    view! { <div class="canvas-colours" aria-hidden="true" node_ref=canvas.palette>{all}</div> }
}

fn ratio() -> f64 {
    web_sys::window().map_or(1.0, |window| window.device_pixel_ratio())
}

/// A canvas' context, cleared, for so many pixels of the screen.
fn context(node: &HtmlCanvasElement, window: Size, ratio: f64) -> Option<CanvasRenderingContext2d> {
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
