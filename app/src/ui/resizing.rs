//! Follows the size of an element for as long as it is kept.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, ResizeObserver};

/// An element whose size is followed.
pub(crate) struct Resizing {
    observer: ResizeObserver,
    /// What the observer calls: it must live as long.
    _changed: Closure<dyn FnMut(JsValue)>,
}

impl Resizing {
    /// Calls `changed` when the element's size changes; `None` where the browser cannot tell.
    pub(crate) fn of(node: &Element, mut changed: impl FnMut() + 'static) -> Option<Self> {
        let changed = Closure::<dyn FnMut(JsValue)>::new(move |_| changed());
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok()?;
        observer.observe(node);
        Some(Self {
            observer,
            _changed: changed,
        })
    }
}

impl Drop for Resizing {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
