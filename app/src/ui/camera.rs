//! Which part of a picture is seen, and how large: the arithmetic of panning and zooming.

/// The smallest and the largest scale.
const SCALES: (f64, f64) = (0.002, 4.0);

/// Room around a picture that is shown whole, in pixels of the screen.
const MARGIN: f64 = 24.0;

/// A picture is never drawn larger than this when it is shown whole.
const LARGEST_FIT: f64 = 1.25;

/// What is seen of a picture: a point of the screen is `(point of the picture) * scale + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Camera {
    /// Pixels of the screen for one of the picture.
    pub scale: f64,
    /// Where the picture's left edge is, in pixels of the screen.
    pub x: f64,
    /// Where its top is.
    pub y: f64,
}

/// A size in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Size {
    pub width: f64,
    pub height: f64,
}

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// Whether two rectangles have a point in common.
    pub(crate) fn meets(self, other: Rect) -> bool {
        self.x <= other.x + other.width
            && other.x <= self.x + self.width
            && self.y <= other.y + other.height
            && other.y <= self.y + self.height
    }

    /// Whether a point lies in it.
    pub(crate) fn holds(self, x: f64, y: f64) -> bool {
        (self.x..=self.x + self.width).contains(&x) && (self.y..=self.y + self.height).contains(&y)
    }

    fn center(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

impl Camera {
    /// All of a picture, in the middle of a window.
    pub(crate) fn fit(picture: Size, window: Size) -> Self {
        let scale = |room: f64, size: f64| (room - 2.0 * MARGIN).max(1.0) / size.max(1.0);
        let whole = scale(window.width, picture.width).min(scale(window.height, picture.height));
        let scale = whole.clamp(SCALES.0, LARGEST_FIT);
        Camera {
            scale,
            x: (window.width - picture.width * scale) / 2.0,
            y: (window.height - picture.height * scale) / 2.0,
        }
    }

    /// All of a picture where it can be read so, else its beginning: what is seen first of a picture that is too
    /// large to be seen whole. `middle` says what of a stretch at its top is in the middle, given the stretch's
    /// width and height.
    pub(crate) fn begin(
        picture: Size,
        window: Size,
        readable: f64,
        middle: impl FnOnce(f64, f64) -> f64,
    ) -> Self {
        let fit = Self::fit(picture, window);
        if fit.scale >= readable {
            return fit;
        }
        let is_narrow = picture.width * readable <= window.width;
        let middle = if is_narrow {
            picture.width / 2.0
        } else {
            middle(window.width / readable, window.height / readable)
        };
        Camera {
            scale: readable,
            x: window.width / 2.0 - middle * readable,
            y: if picture.height * readable <= window.height {
                (window.height - picture.height * readable) / 2.0
            } else {
                MARGIN / 4.0
            },
        }
        .within(picture, window)
    }

    /// The same, moved by pixels of the screen.
    pub(crate) fn panned(self, x: f64, y: f64) -> Self {
        Camera {
            x: self.x + x,
            y: self.y + y,
            ..self
        }
    }

    /// The same, larger by a factor; the point of the screen stays where it is.
    pub(crate) fn zoomed(self, factor: f64, x: f64, y: f64) -> Self {
        let factor = if factor.is_finite() { factor } else { 1.0 };
        let scale = (self.scale * factor).clamp(SCALES.0, SCALES.1);
        let real = scale / self.scale;
        Camera {
            scale,
            x: x - (x - self.x) * real,
            y: y - (y - self.y) * real,
        }
    }

    /// The same, moved as little as is needed to see some of the picture.
    pub(crate) fn within(self, picture: Size, window: Size) -> Self {
        let keep = |offset: f64, size: f64, room: f64| {
            let least = (room / 4.0).min(size * self.scale);
            offset.clamp(
                least - size * self.scale,
                (room - least).max(least - size * self.scale),
            )
        };
        Camera {
            x: keep(self.x, picture.width, window.width),
            y: keep(self.y, picture.height, window.height),
            ..self
        }
    }

    /// The same, with a rectangle of the picture in the middle where it is not wholly seen, at least as large as
    /// it can be read.
    pub(crate) fn showing(self, rect: Rect, window: Size, readable: f64) -> Self {
        let scale = self.scale.max(readable);
        let there = Camera { scale, ..self }.to_screen(rect);
        let is_seen = scale == self.scale
            && there.x >= 0.0
            && there.y >= 0.0
            && there.x + there.width <= window.width
            && there.y + there.height <= window.height;
        if is_seen {
            return self;
        }
        let (x, y) = rect.center();
        Camera {
            scale,
            x: window.width / 2.0 - x * scale,
            y: window.height / 2.0 - y * scale,
        }
    }

    /// Where a rectangle of the picture is on the screen.
    pub(crate) fn to_screen(self, rect: Rect) -> Rect {
        Rect {
            x: rect.x * self.scale + self.x,
            y: rect.y * self.scale + self.y,
            width: rect.width * self.scale,
            height: rect.height * self.scale,
        }
    }

    /// The point of the picture at a point of the screen.
    pub(crate) fn to_picture(self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.x) / self.scale, (y - self.y) / self.scale)
    }

    /// The part of the picture that a window shows.
    pub(crate) fn seen(self, window: Size) -> Rect {
        let (x, y) = self.to_picture(0.0, 0.0);
        Rect {
            x,
            y,
            width: window.width / self.scale,
            height: window.height / self.scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WINDOW: Size = Size {
        width: 800.0,
        height: 600.0,
    };

    #[test]
    fn a_picture_is_shown_whole_in_the_middle() {
        let size = Size {
            width: 3008.0,
            height: 276.0,
        };
        let fit = Camera::fit(size, WINDOW);
        assert_eq!(fit.scale, 0.25);
        assert_eq!((fit.x, fit.y), (24.0, 265.5));
        let small = Camera::fit(
            Size {
                width: 10.0,
                height: 10.0,
            },
            WINDOW,
        );
        assert_eq!(small.scale, LARGEST_FIT);
    }

    #[test]
    fn a_picture_too_large_to_be_read_begins_at_its_top() {
        let tall = Size {
            width: 400.0,
            height: 90_000.0,
        };
        let begin = Camera::begin(tall, WINDOW, 0.5, |_, _| unreachable!());
        assert_eq!((begin.scale, begin.y), (0.5, MARGIN / 4.0));
        assert_eq!(begin.x, (800.0 - 200.0) / 2.0);
        // Of a wide one the stretch is seen that says most.
        let wide = Size {
            width: 9_000.0,
            height: 400.0,
        };
        let begin = Camera::begin(wide, WINDOW, 0.5, |width, height| {
            assert_eq!((width, height), (1_600.0, 1_200.0));
            2_050.0
        });
        assert_eq!(begin.to_picture(400.0, 300.0), (2_050.0, 200.0));
    }

    #[test]
    fn what_is_seen_stays_and_what_is_not_comes_into_the_middle() {
        let camera = Camera {
            scale: 1.0,
            x: 0.0,
            y: 0.0,
        };
        let near = Rect {
            x: 10.0,
            y: 10.0,
            width: 100.0,
            height: 40.0,
        };
        assert_eq!(camera.showing(near, WINDOW, 0.6), camera);
        let far = Rect { y: 5_000.0, ..near };
        let there = camera.showing(far, WINDOW, 0.6).to_screen(far);
        assert_eq!((there.x, there.y), (350.0, 280.0));
    }

    proptest! {
        #[test]
        fn the_point_below_the_cursor_stays(factor in 0.01_f64..100.0, x in 0.0_f64..800.0, y in 0.0_f64..600.0, scale in 0.01_f64..4.0, dx in -1e5_f64..1e5) {
            let camera = Camera { scale, x: dx, y: -dx };
            let before = camera.to_picture(x, y);
            let after = camera.zoomed(factor, x, y).to_picture(x, y);
            prop_assert!((before.0 - after.0).abs() < 1e-3 * before.0.abs().max(1.0));
            prop_assert!((before.1 - after.1).abs() < 1e-3 * before.1.abs().max(1.0));
        }

        #[test]
        fn some_of_the_picture_is_always_seen(width in 1.0_f64..1e6, height in 1.0_f64..1e6, x in -1e9_f64..1e9, y in -1e9_f64..1e9, scale in 0.002_f64..4.0) {
            let picture = Size { width, height };
            let camera = Camera { scale, x, y }.within(picture, WINDOW);
            let all = Rect { x: 0.0, y: 0.0, width, height };
            prop_assert!(camera.seen(WINDOW).meets(all));
        }
    }
}
