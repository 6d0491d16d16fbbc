//! How a picture gets onto a canvas: prepared once as paths, a strip of the picture each, so that a frame
//! costs a few calls for each strip that is seen.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use web_sys::{CanvasRenderingContext2d, Path2d};

use super::camera::{Camera, Rect, Size};
use super::picture::{Walk, rect};
use super::picture_export::{Colours, end_name, titled};
use crate::engine::protocol::{
    FIRST_BASELINE, LETTER_WIDTH, NodeChange, OpClass, PictureBox, PictureLink, SECOND_BASELINE,
    TEXT_INSET, TITLE_HEIGHT, What,
};

/// Height of a strip, in pixels of the picture.
const STRIP: f64 = 1_200.0;

/// Size of the letters, in pixels of the picture.
const LETTERS: f64 = 12.0;

/// Letters that are smaller on the screen are not drawn.
const SMALLEST_LETTERS: f64 = 4.5;

/// Below this scale edges are no more than a haze.
const EDGES_FROM: f64 = 0.03;

/// Labels that are drawn in one frame.
const LABELS: usize = 900;

/// The sizes that the engine measured the boxes with.
const INSIDE: f64 = TEXT_INSET as f64;
const LETTER: f64 = LETTER_WIDTH as f64;
const TITLE: f64 = TITLE_HEIGHT as f64;

/// The baselines of a box's two lines.
const FIRST_LINE: f64 = FIRST_BASELINE as f64;
const SECOND_LINE: f64 = SECOND_BASELINE as f64;

/// Width of a letter at the end of a cut edge, in pixels of the picture.
const SMALL_LETTER: f64 = 6.0;

/// How much of its line's colour fills a frame, and how much is left of what is not lit.
const FRAME: f64 = 0.07;
const DIMMED: f64 = 0.22;

/// How round the corners of boxes are, in pixels of the picture.
const CORNER: f64 = 4.0;

/// How far from a cut edge's end a press still means it, in pixels of the picture.
const NEAR: f64 = 14.0;

/// A picture made ready for drawing.
pub(super) struct Painting {
    /// Frames of open groups.
    frames: Vec<u32>,
    strips: Vec<Strip>,
    /// Cut edges, by the place of their two ends.
    cuts: Vec<Cut>,
}

/// What lies in a strip of the picture.
struct Strip {
    bounds: Rect,
    boxes: Vec<u32>,
    fills: BTreeMap<OpClass, Path2d>,
    outlines: Path2d,
    changes: BTreeMap<NodeChange, Path2d>,
    links: Path2d,
}

/// An end of a cut edge.
struct Cut {
    at: Rect,
    /// The box at its other end.
    leads_to: u32,
    text: String,
    /// Where the text stands.
    place: (f64, f64),
}

/// What is drawn of a painting.
pub(super) struct View<'a> {
    pub walk: &'a Walk,
    pub camera: Camera,
    pub window: Size,
    /// Pixels of the device for one of the screen.
    pub ratio: f64,
    pub colours: &'a Colours,
    pub chosen: Option<u32>,
    /// Whether the rest is dimmed, because some boxes are lit.
    pub is_dimmed: bool,
}

impl View<'_> {
    fn alpha(&self) -> f64 {
        if self.is_dimmed { DIMMED } else { 1.0 }
    }
}

impl Painting {
    /// Makes a picture ready; of the boxes only those in `only`, where that is given.
    pub(super) fn of(walk: &Walk, only: Option<&BTreeSet<u32>>) -> Option<Self> {
        let picture = &walk.picture;
        let is_in = |place: u32| only.is_none_or(|only| only.contains(&place));
        let mut strips: BTreeMap<u32, Strip> = BTreeMap::new();
        let mut frames = Vec::new();
        for (place, one) in (0..).zip(&picture.boxes) {
            if !is_in(place) {
                continue;
            }
            if let What::Frame(_) = one.what {
                frames.push(place);
                continue;
            }
            let at = rect(one);
            let strip = strip_at(&mut strips, at.y)?;
            strip.take_box(place, one, at)?;
        }
        let mut cuts = Vec::new();
        for link in &picture.links {
            if !is_in(link.from) || !is_in(link.to) {
                continue;
            }
            let Some(first) = link.points.first() else {
                continue;
            };
            strip_at(&mut strips, first[1].into())?.take_link(link);
            if link.is_cut {
                cuts.extend(ends(walk, link));
            }
        }
        Some(Painting {
            frames,
            strips: strips.into_values().collect(),
            cuts: arranged(cuts),
        })
    }

    /// The box to which the end of a cut edge leads that lies at a point.
    pub(super) fn cut_at(&self, x: f64, y: f64) -> Option<u32> {
        let cut = self.cuts.iter().find(|cut| cut.at.holds(x, y))?;
        Some(cut.leads_to)
    }

    /// Draws what is seen.
    pub(super) fn draw(&self, canvas: &CanvasRenderingContext2d, view: &View<'_>) {
        let View {
            walk,
            camera,
            window,
            ratio,
            colours,
            ..
        } = *view;
        let scale = camera.scale * ratio;
        let _ = canvas.set_transform(scale, 0.0, 0.0, scale, camera.x * ratio, camera.y * ratio);
        let seen = camera.seen(window);
        let thin = (1.0 / camera.scale).max(1.0);
        canvas.set_line_width(thin);
        canvas.set_global_alpha(view.alpha());
        self.frames(canvas, view, seen);
        let strips = || self.strips.iter().filter(|strip| strip.bounds.meets(seen));
        if camera.scale >= EDGES_FROM {
            canvas.set_stroke_style_str(&colours.line);
            strips().for_each(|strip| canvas.stroke_with_path(&strip.links));
        }
        for strip in strips() {
            for (class, path) in &strip.fills {
                canvas.set_fill_style_str(colours.of(*class));
                canvas.fill_with_path_2d(path);
            }
            if camera.scale >= EDGES_FROM {
                canvas.set_stroke_style_str(&colours.line);
                canvas.stroke_with_path(&strip.outlines);
            }
            canvas.set_line_width(thin * 3.0);
            for (change, path) in &strip.changes {
                canvas.set_stroke_style_str(colours.of_change(*change).unwrap_or(&colours.line));
                canvas.stroke_with_path(path);
            }
            canvas.set_line_width(thin);
        }
        if LETTERS * camera.scale >= SMALLEST_LETTERS {
            let places = strips().flat_map(|strip| &strip.boxes);
            self.labels(canvas, walk, colours, seen, places);
            self.titles(canvas, view, seen);
        }
        canvas.set_global_alpha(1.0);
    }

    fn frames(&self, canvas: &CanvasRenderingContext2d, view: &View<'_>, seen: Rect) {
        let colours = view.colours;
        let alpha = view.alpha();
        let faint = alpha * FRAME;
        for place in &self.frames {
            let Some(one) = view.walk.get(*place) else {
                continue;
            };
            let at = rect(one);
            if !at.meets(seen) {
                continue;
            }
            // The deeper, the darker.
            canvas.set_global_alpha(faint);
            canvas.set_fill_style_str(&colours.line);
            canvas.fill_rect(at.x, at.y, at.width, at.height);
            canvas.set_global_alpha(alpha);
            canvas.set_stroke_style_str(colours.of_change(one.change).unwrap_or(&colours.line));
            canvas.stroke_rect(at.x, at.y, at.width, at.height);
        }
    }

    /// The names of frames, above the edges that come in.
    fn titles(&self, canvas: &CanvasRenderingContext2d, view: &View<'_>, seen: Rect) {
        canvas.set_font("600 12px monospace");
        for place in &self.frames {
            let Some(one) = view.walk.get(*place) else {
                continue;
            };
            let at = rect(one);
            // A frame whose top is out of sight is named where it begins to be seen.
            let top = at.y.max(seen.y).min(at.y + at.height - TITLE);
            let left = at.x.max(seen.x).min(at.x + at.width - TITLE);
            if !at.meets(seen) || at.height < 2.0 * TITLE {
                continue;
            }
            let title = titled(one);
            let room = (at.x + at.width - left - 2.0 * INSIDE).max(1.0);
            #[allow(clippy::cast_precision_loss)] // Titles are cut.
            let width = (title.chars().count() as f64 * LETTER).min(room);
            canvas.set_fill_style_str(&view.colours.page);
            canvas.fill_rect(left + INSIDE / 2.0, top + 2.0, width + INSIDE, TITLE - 4.0);
            canvas.set_fill_style_str(
                view.colours
                    .of_change(one.change)
                    .unwrap_or(&view.colours.dim),
            );
            let _ = canvas.fill_text_with_max_width(&title, left + INSIDE, top + FIRST_LINE, room);
        }
    }

    fn labels<'a>(
        &self,
        canvas: &CanvasRenderingContext2d,
        walk: &Walk,
        colours: &Colours,
        seen: Rect,
        places: impl Iterator<Item = &'a u32>,
    ) {
        let boxes = places
            .filter_map(|place| walk.get(*place))
            .filter(|one| rect(one).meets(seen))
            .take(LABELS);
        let boxes: Vec<&PictureBox> = boxes.collect();
        // All of one style after the other: changing it costs more than the text.
        canvas.set_font("12px monospace");
        canvas.set_fill_style_str(&colours.text);
        for one in &boxes {
            let at = rect(one);
            let room = (at.width - 2.0 * INSIDE).max(1.0);
            let _ = canvas.fill_text_with_max_width(
                &titled(one),
                at.x + INSIDE,
                at.y + FIRST_LINE,
                room,
            );
        }
        canvas.set_font("11px monospace");
        canvas.set_fill_style_str(&colours.dim);
        for one in boxes.iter().filter(|one| !one.detail.is_empty()) {
            let at = rect(one);
            let room = (at.width - 2.0 * INSIDE).max(1.0);
            let _ = canvas.fill_text_with_max_width(
                &one.detail,
                at.x + INSIDE,
                at.y + SECOND_LINE,
                room,
            );
        }
        canvas.set_font("10px monospace");
        canvas.set_fill_style_str(&colours.accent);
        for cut in self
            .cuts
            .iter()
            .filter(|cut| cut.at.meets(seen))
            .take(LABELS)
        {
            let _ = canvas.fill_text(&cut.text, cut.place.0, cut.place.1);
        }
    }
}

/// Draws the box that is chosen, with its edges.
pub(super) fn draw_chosen(canvas: &CanvasRenderingContext2d, view: &View<'_>) {
    let Some((place, one)) = view
        .chosen
        .and_then(|place| Some((place, view.walk.get(place)?)))
    else {
        return;
    };
    canvas.set_stroke_style_str(&view.colours.accent);
    canvas.set_line_width((2.0 / view.camera.scale).max(2.0));
    let (into, out) = view.walk.links(place);
    canvas.begin_path();
    for link in into.iter().chain(out).take(LABELS) {
        let Some(link) = view.walk.picture.links.get(*link as usize) else {
            continue;
        };
        for part in stretches(link).flat_map(parts) {
            match part {
                Part::Move([x, y]) => canvas.move_to(x, y),
                Part::Line([x, y]) => canvas.line_to(x, y),
                Part::Bend(x, half, [last_x, last_y]) => {
                    canvas.bezier_curve_to(x, half, last_x, half, last_x, last_y);
                }
            }
        }
    }
    canvas.stroke();
    canvas.set_line_width((3.0 / view.camera.scale).max(3.0));
    let at = rect(one);
    canvas.stroke_rect(at.x, at.y, at.width, at.height);
}

/// Puts a box into a path.
fn put(path: &Path2d, at: Rect) {
    if path
        .round_rect_with_f64(at.x, at.y, at.width, at.height, CORNER)
        .is_err()
    {
        path.rect(at.x, at.y, at.width, at.height);
    }
}

/// The parts of an edge that are drawn: the whole, or its two ends.
pub(super) fn stretches(link: &PictureLink) -> impl Iterator<Item = &[[f32; 2]]> {
    let size = if link.is_cut {
        2
    } else {
        link.points.len().max(1)
    };
    link.points.chunks(size)
}

/// A part of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// It begins here.
    Move([f64; 2]),
    /// A straight line down to a point.
    Line([f64; 2]),
    /// From this x to another point: it leaves and arrives straight down, and turns at this height.
    Bend(f64, f64, [f64; 2]),
}

/// The lines and curves through the knots of an edge.
pub(super) fn parts(stretch: &[[f32; 2]]) -> impl Iterator<Item = Part> {
    let mut before: Option<[f64; 2]> = None;
    stretch.iter().map(move |point| {
        let now = point.map(f64::from);
        match before.replace(now) {
            None => Part::Move(now),
            Some([x, y]) if (x - now[0]).abs() >= 1.0 && now[1] > y => {
                Part::Bend(x, f64::midpoint(y, now[1]), now)
            }
            Some(_) => Part::Line(now),
        }
    })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // `as` saturates: the strip of the edge.
fn strip_at(strips: &mut BTreeMap<u32, Strip>, y: f64) -> Option<&mut Strip> {
    let number = (y / STRIP) as u32;
    match strips.entry(number) {
        Entry::Vacant(slot) => Some(slot.insert(Strip::new()?)),
        Entry::Occupied(slot) => Some(slot.into_mut()),
    }
}

impl Strip {
    fn new() -> Option<Self> {
        Some(Strip {
            bounds: Rect {
                x: f64::MAX,
                y: f64::MAX,
                width: -1.0,
                height: -1.0,
            },
            boxes: Vec::new(),
            fills: BTreeMap::new(),
            outlines: Path2d::new().ok()?,
            changes: BTreeMap::new(),
            links: Path2d::new().ok()?,
        })
    }

    fn take_box(&mut self, place: u32, one: &PictureBox, at: Rect) -> Option<()> {
        let fill = match self.fills.entry(one.class) {
            Entry::Vacant(slot) => slot.insert(Path2d::new().ok()?),
            Entry::Occupied(slot) => slot.into_mut(),
        };
        put(fill, at);
        put(&self.outlines, at);
        if one.change != NodeChange::Same {
            let outline = match self.changes.entry(one.change) {
                Entry::Vacant(slot) => slot.insert(Path2d::new().ok()?),
                Entry::Occupied(slot) => slot.into_mut(),
            };
            put(outline, at);
        }
        self.boxes.push(place);
        self.grow(at.x, at.y);
        self.grow(at.x + at.width, at.y + at.height);
        Some(())
    }

    fn take_link(&mut self, link: &PictureLink) {
        for stretch in stretches(link) {
            for part in parts(stretch) {
                match part {
                    Part::Move([x, y]) => self.links.move_to(x, y),
                    Part::Line([x, y]) => self.links.line_to(x, y),
                    Part::Bend(x, half, [last_x, last_y]) => self
                        .links
                        .bezier_curve_to(x, half, last_x, half, last_x, last_y),
                }
            }
            for [x, y] in stretch {
                self.grow((*x).into(), (*y).into());
            }
        }
    }

    fn grow(&mut self, x: f64, y: f64) {
        if self.bounds.width < 0.0 {
            self.bounds = Rect {
                x,
                y,
                width: 0.0,
                height: 0.0,
            };
            return;
        }
        let (right, bottom) = (
            self.bounds.x + self.bounds.width,
            self.bounds.y + self.bounds.height,
        );
        self.bounds.x = self.bounds.x.min(x);
        self.bounds.y = self.bounds.y.min(y);
        self.bounds.width = right.max(x) - self.bounds.x;
        self.bounds.height = bottom.max(y) - self.bounds.y;
    }
}

/// The two ends of a cut edge, each with the name of the box at the other.
fn ends(walk: &Walk, link: &PictureLink) -> Vec<Cut> {
    let end = |point: usize, leads_to: u32, is_leaving: bool| {
        let [x, y] = link.points.get(point)?.map(f64::from);
        let arrow = if is_leaving { '↓' } else { '↑' };
        let below = if is_leaving { 10.0 } else { -3.0 };
        Some(Cut {
            at: Rect {
                x: x - NEAR / 2.0,
                y: y + below - NEAR,
                width: NEAR,
                height: NEAR * 1.5,
            },
            leads_to,
            text: end_name(arrow, &walk.get(leads_to)?.label),
            place: (x + 3.0, y + below),
        })
    };
    [end(1, link.to, true), end(2, link.from, false)]
        .into_iter()
        .flatten()
        .collect()
}

/// Ends at the same place are one, which says how many there are; and none writes over the next one in its row.
fn arranged(mut cuts: Vec<Cut>) -> Vec<Cut> {
    let order = |one: &Cut, other: &Cut| {
        let (left, right) = (one.place, other.place);
        left.1.total_cmp(&right.1).then(left.0.total_cmp(&right.0))
    };
    cuts.sort_by(order);
    let mut out: Vec<Cut> = Vec::with_capacity(cuts.len());
    let mut more = 0;
    for cut in cuts {
        match out.last_mut() {
            Some(last) if last.place == cut.place => more += 1,
            _ => {
                close(&mut out, &mut more, cut.place);
                out.push(cut);
            }
        }
    }
    close(&mut out, &mut more, (f64::MAX, f64::MAX));
    out
}

/// Gives the last end the text that has room before the next one.
fn close(cuts: &mut [Cut], more: &mut u32, next: (f64, f64)) {
    let Some(last) = cuts.last_mut() else { return };
    let is_beside = (next.1 - last.place.1).abs() < NEAR;
    let room = if is_beside {
        next.0 - last.place.0 - SMALL_LETTER
    } else {
        f64::MAX
    };
    let rest = match std::mem::take(more) {
        0 => String::new(),
        more => format!(" +{more}"),
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // `as` saturates.
    let letters = (room / SMALL_LETTER).max(1.0) as usize;
    let fits = letters.saturating_sub(rest.chars().count()).max(1);
    if last.text.chars().count() > fits {
        // Where nothing but the arrow has room, that is what stands there.
        let kept = if fits > 3 { fits - 1 } else { 1 };
        last.text = last.text.chars().take(kept).collect();
        last.text.push_str(if fits > 3 { "…" } else { "" });
    }
    last.text.push_str(&rest);
    #[allow(clippy::cast_precision_loss)] // At most some thirty.
    let width = last.text.chars().count() as f64 * SMALL_LETTER;
    last.at.width = (width + NEAR).min(room.max(NEAR));
}
