//! Saves what the page made as a file.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Blob, HtmlElement, Url};

/// How long an address of a blob stays good after its file was asked for, in milliseconds.
const SAVED: u32 = 60_000;

/// The longest name of a file, in characters.
const LONGEST_NAME: usize = 120;

/// Lets the browser save a blob under a name.
pub(crate) fn download(blob: &Blob, name: &str) -> Option<()> {
    let address = Url::create_object_url_with_blob(blob).ok()?;
    let link = document().create_element("a").ok()?;
    link.set_attribute("href", &address).ok()?;
    link.set_attribute("download", name).ok()?;
    link.dyn_ref::<HtmlElement>()?.click();
    Timeout::new(SAVED, move || {
        let _ = Url::revoke_object_url(&address);
    })
    .forget();
    Some(())
}

/// A name for a file out of names from a log: letters, digits, `.`, `-` and `_`, never the name of a device or
/// of a hidden file.
pub(crate) fn file_name(label: Option<&str>, name: &str, record: u32, extension: &str) -> String {
    let label = label
        .unwrap_or_default()
        .trim_matches(['[', ']'])
        .replace('/', "-");
    let mut stem = String::new();
    for part in [label.as_str(), name, &record.to_string()] {
        let part: String = part
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "._-".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .take(LONGEST_NAME / 2)
            .collect();
        let part = part.trim_matches(['.', '_', '-']);
        if !part.is_empty() {
            if !stem.is_empty() {
                stem.push('_');
            }
            stem.push_str(part);
        }
    }
    let stem: String = stem.chars().take(LONGEST_NAME).collect();
    let known = stem.strip_suffix(&format!(".{extension}")).unwrap_or(&stem);
    format!("{known}.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_out_of_a_log_become_safe_names_of_files() {
        let name = |label, name| file_name(label, name, 7, "py");
        assert_eq!(
            name(Some("[0/1]"), "inductor_output_code"),
            "0-1_inductor_output_code_7.py"
        );
        assert_eq!(name(None, "../../etc/passwd"), "etc_passwd_7.py");
        assert_eq!(name(Some("[!0]"), "a\u{202e}b\n"), "0_a_b_7.py");
        assert_eq!(name(None, "..."), "7.py");
        assert_eq!(name(None, "CON"), "CON_7.py");
        let long = name(Some(&"9".repeat(500)), &"x".repeat(500));
        assert!(long.len() <= LONGEST_NAME + 3, "{long}");
    }
}
