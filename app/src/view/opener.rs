//! The ways in which a log comes in: the whole window as a drop zone, the file dialogs, the clipboard, the
//! sample.

use gloo_events::{EventListener, EventListenerOptions};
use leptos::html::{Input, Textarea};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent, Element, HtmlInputElement};

use super::workspace::Workspace;
use crate::route::Address;
use crate::text;
use crate::ui::files::{self, Dropped};

/// The ways in which a log comes in. Copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Opener {
    workspace: Workspace,
    files: NodeRef<Input>,
    folder: NodeRef<Input>,
    is_over: RwSignal<bool>,
    paste: NodeRef<Textarea>,
    paste_shown: RwSignal<bool>,
    is_fetching: RwSignal<bool>,
    listeners: StoredValue<Vec<EventListener>, LocalStorage>,
}

impl Opener {
    /// Makes the window a drop zone.
    pub(crate) fn start(workspace: Workspace) -> Self {
        let opener = Self {
            workspace,
            files: NodeRef::new(),
            folder: NodeRef::new(),
            is_over: RwSignal::new(false),
            paste: NodeRef::new(),
            paste_shown: RwSignal::new(false),
            is_fetching: RwSignal::new(false),
            listeners: StoredValue::new_local(Vec::new()),
        };
        if let Some(window) = web_sys::window() {
            let listeners = ["dragenter", "dragover", "dragleave", "drop"].map(|kind| {
                let options = EventListenerOptions::enable_prevent_default();
                EventListener::new_with_options(&window, kind, options, move |event| {
                    if let Some(event) = event.dyn_ref::<DragEvent>() {
                        opener.dragged(kind, event);
                    }
                })
            });
            let mut listeners = Vec::from(listeners);
            let options = EventListenerOptions::enable_prevent_default();
            listeners.push(EventListener::new_with_options(
                &window,
                "paste",
                options,
                move |event| {
                    if let Some(event) = event.dyn_ref::<ClipboardEvent>() {
                        opener.pasted(event);
                    }
                },
            ));
            opener.listeners.set_value(listeners);
        }
        opener
    }

    /// Opens the browser's dialog for files.
    pub(crate) fn choose_files(self) {
        if let Some(input) = self.files.get_untracked() {
            input.click();
        }
    }

    /// Opens the browser's dialog for a folder.
    pub(crate) fn choose_folder(self) {
        if let Some(input) = self.folder.get_untracked() {
            input.click();
        }
    }

    /// Whether the box for pasting is shown.
    pub(crate) fn shows_paste(self) -> bool {
        self.paste_shown.get()
    }

    /// Shows or hides the box for pasting.
    pub(crate) fn toggle_paste(self) {
        self.paste_shown.update(|shown| *shown = !*shown);
    }

    /// Shows the box for pasting where logs are opened.
    pub(crate) fn show_paste(self) {
        self.workspace.go(&Address::landing());
        self.paste_shown.set(true);
    }

    /// The box for pasting, for those who would rather see what they paste, or have no key for it.
    pub(crate) fn paste_box(self) -> impl IntoView {
        Effect::new(move |_| {
            if let Some(area) = self.paste.get() {
                let _ = area.focus();
            }
        });
        let read = move |_| {
            if let Some(area) = self.paste.get_untracked() {
                self.read_text(&area.value());
            }
        };
        let content = move || {
            self.paste_shown.get().then(|| {
                view! {
                    <label for="paste-text">{text::PASTE_HERE}</label>
                    <textarea id="paste-text" rows="8" spellcheck="false" autocomplete="off" data-testid="paste-text" node_ref=self.paste></textarea>
                    <button type="button" class="strong" data-testid="paste-read" on:click=read>{text::PASTE_READ}</button>
                }
            })
        };
        view! { <div id="paste-box" class="paste-box">{content}</div> }
    }

    /// Opens text as a log.
    fn read_text(self, text: &str) {
        if text.trim().is_empty() {
            self.workspace
                .notice_briefly(text::NOTHING_PASTED.to_owned());
            return;
        }
        if let Some(found) = files::of_text(text::PASTED, text) {
            self.paste_shown.set(false);
            self.workspace.open(vec![found], None);
        }
    }

    /// Opens what the clipboard holds, where the focus is in no field that takes it.
    fn pasted(self, event: &ClipboardEvent) {
        let types = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok())
            .is_some_and(|element| {
                let fields = "input, select, textarea, [contenteditable], dialog *";
                element.matches(fields).unwrap_or(false)
            });
        let Some(data) = event.clipboard_data().filter(|_| !types) else {
            return;
        };
        event.prevent_default();
        let dropped = Dropped::take(&data);
        if !dropped.is_empty() {
            let folder = dropped.folder();
            wasm_bindgen_futures::spawn_local(async move {
                self.workspace
                    .open(dropped.files().await, folder.as_deref());
            });
            return;
        }
        self.read_text(&data.get_data("text/plain").unwrap_or_default());
    }

    /// Whether the sample is on its way.
    pub(crate) fn is_fetching(self) -> bool {
        self.is_fetching.get()
    }

    /// Opens the sample.
    pub(crate) fn try_sample(self) {
        if self.is_fetching.get_untracked() {
            return;
        }
        self.is_fetching.set(true);
        wasm_bindgen_futures::spawn_local(async move {
            match files::sample().await {
                Ok(sample) => self.workspace.open(vec![sample], None),
                Err(why) => self.workspace.notice(why),
            }
            self.is_fetching.set(false);
        });
    }

    /// What stands in the document for all this: two hidden inputs and what shows while something is dragged.
    pub(crate) fn view(self) -> impl IntoView {
        Effect::new(move |_| {
            if let Some(input) = self.folder.get() {
                let _ = input.set_attribute("webkitdirectory", "");
            }
        });
        view! {
            <input
                type="file"
                multiple
                hidden
                aria-label="Files"
                data-testid="choose-files-input"
                node_ref=self.files
                on:change=move |event| self.picked(&event_target::<HtmlInputElement>(&event))
            />
            <input
                type="file"
                hidden
                aria-label="Folder"
                data-testid="choose-folder-input"
                node_ref=self.folder
                on:change=move |event| self.picked(&event_target::<HtmlInputElement>(&event))
            />
            <div class="drop-overlay" data-testid="drop-overlay" class:shown=self.is_over aria-hidden="true">
                <p>"Drop logs or a folder to read them here"</p>
            </div>
        }
    }

    fn picked(self, input: &HtmlInputElement) {
        let Some(list) = input.files() else { return };
        let found = files::chosen(&list);
        // Without this, choosing the same file again would change nothing.
        input.set_value("");
        let folder = found
            .first()
            .and_then(|found| found.name.split_once('/'))
            .map(|(folder, _)| folder.to_owned());
        if !found.is_empty() {
            self.workspace.open(found, folder.as_deref());
        }
    }

    fn dragged(self, kind: &str, event: &DragEvent) {
        let Some(transfer) = event.data_transfer() else {
            return;
        };
        if !transfer
            .types()
            .iter()
            .any(|kind| kind.as_string().as_deref() == Some("Files"))
        {
            return;
        }
        event.prevent_default();
        match kind {
            // The pointer left the window where it went to no other element.
            "dragleave" => self.is_over.set(event.related_target().is_some()),
            "drop" => {
                self.is_over.set(false);
                let dropped = Dropped::take(&transfer);
                let folder = dropped.folder();
                wasm_bindgen_futures::spawn_local(async move {
                    self.workspace
                        .open(dropped.files().await, folder.as_deref());
                });
            }
            _ => {
                transfer.set_drop_effect("copy");
                self.is_over.set(true);
            }
        }
    }
}
