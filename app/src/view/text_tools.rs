//! What can be done with a text: wrap it, lay it out anew, go to a line, copy it, save it.

use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, KeyboardEvent};

use super::payload::Head;
use super::workspace::Workspace;
use crate::engine::protocol::{Form, Language, TextKey};
use crate::route::lines_from;
use crate::text;
use crate::text::format;
use crate::ui::save::{download, file_name};

/// The text that the tools work on. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Tools {
    /// The workspace.
    pub workspace: Workspace,
    /// The text that is shown.
    pub text: Memo<TextKey>,
    /// The lines that are pointed at.
    pub lines: Memo<Option<(u32, u32)>>,
    /// What is known of the text.
    pub head: Memo<Option<Head>>,
    /// Whether it is laid out anew.
    pub is_pretty: Memo<bool>,
}

impl Tools {
    /// The text without wrapped lines.
    fn unwrapped(self) -> TextKey {
        let text = self.text.get_untracked();
        TextKey {
            form: Form {
                width: None,
                ..text.form
            },
            ..text
        }
    }

    /// Copies the lines that are pointed at, or the whole text.
    fn copy(self) {
        let lines = self.lines.get_untracked();
        let workspace = self.workspace;
        workspace
            .engine
            .save(self.unwrapped(), lines, move |blob| match blob {
                Ok(blob) => wasm_bindgen_futures::spawn_local(async move {
                    let bytes = blob.size();
                    let sentence = match copied(&blob).await {
                        Some(()) => text::copied(&format::bytes(bytes as u64), lines),
                        None => text::NOT_COPIED.to_owned(),
                    };
                    workspace.notice_briefly(sentence);
                }),
                Err(why) => workspace.notice(why),
            });
    }

    /// Saves the whole text as a file.
    fn save(self) {
        let workspace = self.workspace;
        let name = self.head.with_untracked(|head| {
            head.as_ref().map(|head| {
                let extension = extension(head.language);
                file_name(
                    head.label(),
                    &head.name,
                    self.text.get_untracked().record,
                    extension,
                )
            })
        });
        let name = name.unwrap_or_else(|| "text.txt".to_owned());
        workspace.engine.save(self.unwrapped(), None, move |blob| {
            let outcome = blob
                .and_then(|blob| download(&blob, &name).ok_or_else(|| text::NOT_SAVED.to_owned()));
            match outcome {
                Ok(()) => workspace.notice_briefly(text::saved(&name)),
                Err(why) => workspace.notice(why),
            }
        });
    }
}

/// The tools. `set_lines` points at lines, `set_pretty` lays out anew.
pub(super) fn text_tools(
    tools: Tools,
    set_lines: impl Fn(Option<(u32, u32)>) + Copy + Send + Sync + 'static,
    set_pretty: impl Fn(bool) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let wraps = tools.workspace.wraps;
    let is_json = Memo::new(move |_| {
        tools.head.with(|head| {
            head.as_ref()
                .is_some_and(|head| head.language == Language::Json)
        })
    });
    let go = move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            set_lines(lines_from(&event_target_value(&event)));
        }
    };
    let pointed = move || {
        tools.lines.get().map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        })
    };
    let copy_label = move || {
        if tools.lines.get().is_some() {
            "Copy lines"
        } else {
            "Copy all"
        }
    };
    view! {
        <label class="check">
            <input type="checkbox" data-testid="wrap" prop:checked=wraps on:change=move |event| wraps.set(event_target_checked(&event)) />
            "Wrap lines"
        </label>
        <label class="check" class:away=move || !is_json.get()>
            <input
                type="checkbox"
                data-testid="pretty"
                prop:checked=tools.is_pretty
                on:change=move |event| set_pretty(event_target_checked(&event))
            />
            "Lay out JSON"
        </label>
        <label class="check">
            "Lines"
            <input
                type="text"
                class="line-box"
                data-testid="lines"
                inputmode="numeric"
                autocomplete="off"
                placeholder="12 or 12-20"
                title="Point at a line or a stretch of lines (Enter)"
                prop:value=move || pointed().unwrap_or_default()
                on:keydown=go
            />
        </label>
        <button type="button" data-testid="copy-text" on:click=move |_| tools.copy()>{copy_label}</button>
        <button type="button" data-testid="save-text" on:click=move |_| tools.save()>"Download"</button>
    }
}

async fn copied(blob: &Blob) -> Option<()> {
    let text = JsFuture::from(blob.text()).await.ok()?.as_string()?;
    let clipboard = web_sys::window()?.navigator().clipboard();
    JsFuture::from(clipboard.write_text(&text)).await.ok()?;
    Some(())
}

fn extension(language: Language) -> &'static str {
    match language {
        Language::Python => "py",
        Language::Cpp => "cpp",
        Language::Json => "json",
        Language::Plain => "txt",
    }
}
