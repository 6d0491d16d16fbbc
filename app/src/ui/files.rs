//! Files that the reader gives: by dropping, by choosing, out of folders, or the sample.
//!
//! Only names and handles pass through here; the engine reads what is in the files.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemDirectoryReader,
    FileSystemEntry, FileSystemFileEntry, Response,
};

use crate::text;

/// Files that are looked at in a folder, at the most.
const MOST_FILES: usize = 20_000;

/// Logs that are opened at once, at the most.
pub(crate) const MOST_LOGS: usize = 1_024;

/// From this number of files on, only those are opened whose names look like a log's.
const MANY: usize = 50;

/// A file, with its name as it is shown: with its folders where it came out of a folder.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The name.
    pub name: String,
    /// The file.
    pub file: File,
}

/// What a drop brings; taken within the event, because the browser forgets it afterwards.
pub(crate) struct Dropped {
    entries: Vec<FileSystemEntry>,
    files: Vec<File>,
}

impl Dropped {
    /// Takes files and folders out of a drop.
    pub(crate) fn take(transfer: &DataTransfer) -> Self {
        let items = transfer.items();
        let mut dropped = Self {
            entries: Vec::new(),
            files: Vec::new(),
        };
        for place in 0..items.length() {
            let Some(item) = items.get(place).filter(|item| item.kind() == "file") else {
                continue;
            };
            match item.webkit_get_as_entry() {
                Ok(Some(entry)) => dropped.entries.push(entry),
                _ => dropped.files.extend(item.get_as_file().ok().flatten()),
            }
        }
        dropped
    }

    /// Whether it brings no file.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.files.is_empty()
    }

    /// The name of the only folder that was dropped, where it is one.
    pub(crate) fn folder(&self) -> Option<String> {
        match (self.entries.as_slice(), self.files.as_slice()) {
            ([entry], []) if entry.is_directory() => Some(entry.name()),
            _ => None,
        }
    }

    /// All files, those in folders too, by name.
    pub(crate) async fn files(self) -> Vec<Found> {
        let mut found: Vec<Found> = self
            .files
            .into_iter()
            .map(|file| Found {
                name: file.name(),
                file,
            })
            .collect();
        let mut waiting = self.entries;
        while let Some(entry) = waiting.pop() {
            if found.len() >= MOST_FILES {
                break;
            }
            // Chromium does not name these classes to scripts, so that a checked cast would fail.
            if entry.is_directory() {
                waiting.extend(children(entry.unchecked_ref()).await);
            } else if let Some(file) = file_of(entry.unchecked_ref()).await {
                let name = entry.full_path().trim_start_matches('/').to_owned();
                found.push(Found { name, file });
            }
        }
        found.sort_by(|left, right| left.name.cmp(&right.name));
        found
    }
}

/// The files that were chosen with the browser's dialog.
pub(crate) fn chosen(list: &FileList) -> Vec<Found> {
    (0..list.length())
        .filter_map(|place| list.get(place))
        .map(|file| {
            let path = js_sys::Reflect::get(&file, &JsValue::from_str("webkitRelativePath"));
            let path = path
                .ok()
                .and_then(|path| path.as_string())
                .filter(|path| !path.is_empty());
            Found {
                name: path.unwrap_or_else(|| file.name()),
                file,
            }
        })
        .collect()
}

/// Text as a file.
pub(crate) fn of_text(name: &str, text: &str) -> Option<Found> {
    let parts = Array::of1(&JsValue::from_str(text));
    let file = File::new_with_str_sequence(&parts, name).ok()?;
    Some(Found {
        name: name.to_owned(),
        file,
    })
}

/// Fetches the sample from the page's own server.
pub(crate) async fn sample() -> Result<Found, String> {
    let window = web_sys::window().ok_or_else(|| text::sample_failed("no window"))?;
    let failed = |error: JsValue| {
        let why = error
            .dyn_ref::<js_sys::Error>()
            .map(|error| String::from(error.message()));
        text::sample_failed(&why.unwrap_or_else(|| "no reason given".to_owned()))
    };
    let answer = JsFuture::from(window.fetch_with_str(text::SAMPLE.path))
        .await
        .map_err(failed)?;
    let answer: Response = answer.dyn_into().map_err(failed)?;
    if !answer.ok() {
        return Err(text::sample_failed(&format!(
            "the server answered {}",
            answer.status()
        )));
    }
    let blob = JsFuture::from(answer.blob().map_err(failed)?)
        .await
        .map_err(failed)?;
    let blob: Blob = blob.dyn_into().map_err(failed)?;
    let file =
        File::new_with_blob_sequence(&Array::of1(&blob), text::SAMPLE.name).map_err(failed)?;
    Ok(Found {
        name: text::SAMPLE.name.to_owned(),
        file,
    })
}

/// Those of the files that are worth a try, and a sentence where some were left out.
pub(crate) fn worth_a_try(found: Vec<Found>, folder: Option<&str>) -> (Vec<Found>, Option<String>) {
    let all = found.len();
    if all == 0 {
        return (
            found,
            Some(folder.map_or_else(|| text::NOTHING_DROPPED.to_owned(), text::folder_empty)),
        );
    }
    let mut kept: Vec<Found> = if all > MANY {
        found
            .into_iter()
            .filter(|found| is_likely(&found.name))
            .collect()
    } else {
        found
    };
    let likely = kept.len();
    if likely > MOST_LOGS {
        kept.truncate(MOST_LOGS);
        return (kept, Some(text::too_many(MOST_LOGS, all)));
    }
    let sentence = match likely {
        0 => Some(text::none_likely(folder.unwrap_or("this selection"), all)),
        _ if likely < all => Some(text::only_likely(likely, all)),
        _ => None,
    };
    (kept, sentence)
}

/// Whether a file's name looks like that of a log.
fn is_likely(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    name.contains("dedicated_log_torch_trace")
        || [".log", ".txt", ".gz"]
            .iter()
            .any(|ending| name.ends_with(ending))
            && !name.starts_with('.')
}

/// What a folder holds. The browser gives it in stretches, and nothing when there is no more.
async fn children(folder: &FileSystemDirectoryEntry) -> Vec<FileSystemEntry> {
    let reader: FileSystemDirectoryReader = folder.create_reader();
    let mut all = Vec::new();
    loop {
        let stretch = promised(|good, bad| {
            let _ = reader.read_entries_with_callback_and_callback(good, bad);
        });
        let stretch = stretch
            .await
            .ok()
            .and_then(|stretch| stretch.dyn_into::<Array>().ok())
            .unwrap_or_default();
        if stretch.length() == 0 || all.len() > MOST_FILES {
            return all;
        }
        all.extend(
            stretch
                .iter()
                .map(JsCast::unchecked_into::<FileSystemEntry>),
        );
    }
}

async fn file_of(entry: &FileSystemFileEntry) -> Option<File> {
    let file = promised(|good, bad| entry.file_with_callback_and_callback(good, bad));
    file.await.ok()?.dyn_into().ok()
}

/// Waits for a function of the browser that takes two callbacks.
async fn promised(mut start: impl FnMut(&Function, &Function)) -> Result<JsValue, JsValue> {
    JsFuture::from(Promise::new(&mut |good, bad| start(&good, &bad))).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_logs_are_told_from_others() {
        for name in [
            "a/dedicated_log_torch_trace_rank_0_x",
            "run/x.LOG",
            "y.txt",
            "z.log.gz",
            "t.tar.gz",
        ] {
            assert!(is_likely(name), "{name}");
        }
        for name in [
            "a.png",
            "x.log/y.bin",
            ".log",
            ".x.txt",
            "model.safetensors",
            "",
        ] {
            assert!(!is_likely(name), "{name}");
        }
    }
}
