//! A picture that is moved and zoomed, with the mouse, with fingers or with the keyboard alone.
//!
//! Start at [`Canvas::new`]. What leads where is [`super::picture`]'s; how it is painted, [`super::painting`]'s.
//! [`drawing`] says when and where; [`pointers`] and [`keys`] take what the reader does, and [`map`] shows the whole.

mod drawing;
mod keys;
mod map;
mod pointers;

use std::collections::BTreeSet;
use std::sync::Arc;

use gloo_events::{EventListener, EventListenerOptions};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{MouseEvent, PointerEvent, WheelEvent};

use super::camera::{Camera, Size};
use super::painting::Painting;
use super::picture::{Walk, rect};
use super::picture_export::Colours;
use super::resizing::Resizing;
use crate::engine::protocol::What;
use crate::text::graphs as text;
use drawing::palette;
use keys::on_key;
use map::map_view;
use pointers::Pressed;

/// The scale at which letters can be read with ease.
const READABLE: f64 = 0.85;

/// How much larger a press on a button, or a key, makes it.
const ZOOM: f64 = 1.3;

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

    /// Chooses a box, and brings it into sight; nothing is chosen where there is none.
    fn choose(self, place: Option<u32>) {
        self.chosen.set(place.and_then(|place| self.what(place)));
        if let Some(place) = place {
            self.show(place);
        }
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
}

/// The canvas, the map beside it, and the keys. `open` opens or closes what a box stands for; `said` gives what
/// screen readers hear of a box.
pub(crate) fn canvas_view(
    canvas: Canvas,
    open: impl Fn(What) + Copy + Send + Sync + 'static,
    said: impl Fn(u32) -> String + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let up = move |event: PointerEvent| match canvas.on_up(&event) {
        Some(Pressed::Box(place)) => canvas.chosen.set(canvas.what(place)),
        Some(Pressed::Cut(place)) => canvas.choose(Some(place)),
        Some(Pressed::Nothing) => canvas.chosen.set(None),
        None => {}
    };
    let double = move |_: MouseEvent| {
        if let Some(what) = canvas.chosen_box().and_then(|place| canvas.what(place)) {
            open(what);
        }
    };
    let label = move || {
        canvas.chosen.track();
        canvas.walk.track();
        let chosen = canvas.chosen_box();
        chosen.map_or_else(|| text::PICTURE.to_owned(), said)
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
                on:keydown=move |event| on_key(canvas, &event, open)
            ></canvas>
            {map_view(canvas)}
        </div>
    }
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

/// A group opened is a frame, and closed a box.
fn other_state(what: What) -> What {
    match what {
        What::Closed(group) => What::Frame(group),
        What::Frame(group) => What::Closed(group),
        What::Node(_) => what,
    }
}
