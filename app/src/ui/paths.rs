//! Paths as people read them: short, with the whole one on hover.

/// A path without what a build system puts in front of it.
pub(crate) fn without_build(path: &str) -> &str {
    if let Some((_, rest)) = path.rsplit_once("#link-tree/") {
        return rest;
    }
    // `/some/hash-seed-nspid4026531836_cgpid123-ns-456/pkg/file.py` → `pkg/file.py`
    if let Some(place) = path.find("-seed-nspid")
        && let Some((_, rest)) = path.get(place..).and_then(|rest| rest.split_once('/'))
    {
        return rest;
    }
    path
}

/// The file's name and the folder that it lies in.
pub(crate) fn short(path: &str) -> &str {
    let path = without_build(path);
    let mut slashes = path.rmatch_indices(['/', '\\']).map(|(place, _)| place);
    match slashes.nth(1) {
        Some(place) => path.get(place + 1..).unwrap_or(path),
        None => path,
    }
}

/// `folder/file.py:12`, or what of it is known.
pub(crate) fn place(file: Option<&str>, line: Option<i64>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{}:{line}", short(file)),
        (Some(file), None) => short(file).to_owned(),
        (None, Some(line)) => format!("line {line}"),
        (None, None) => String::new(),
    }
}

/// `/whole/path/file.py:12`, or what of it is known.
pub(crate) fn whole_place(file: Option<&str>, line: Option<i64>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, Some(line)) => format!("line {line}"),
        (None, None) => String::new(),
    }
}

/// Whether a file belongs to PyTorch, Python or an installed package, and not to the reader's program.
pub(crate) fn is_framework(path: &str) -> bool {
    const MARKS: [&str; 8] = [
        "/site-packages/",
        "/dist-packages/",
        "/torch/_",
        "/torch/nn/",
        "/torch/utils/",
        "/torch/fx/",
        "/importlib/",
        "/torch/optim/",
    ];
    let path = path.replace('\\', "/");
    let is_standard = path.rsplit_once("/lib/python3").is_some_and(|(_, rest)| {
        // lib/python3.12/threading.py; site-packages is among the marks.
        rest.split_once('/').is_some()
    });
    is_standard
        || path.starts_with("<frozen")
        || path.starts_with("torch/")
        || MARKS.iter().any(|mark| path.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_systems_are_cut_off() {
        assert_eq!(without_build("/a/b#link-tree/pkg/x.py"), "pkg/x.py");
        assert_eq!(
            without_build("/mnt/7-seed-nspid40_cgpid1-ns-4/pkg/x.py"),
            "pkg/x.py"
        );
        assert_eq!(without_build("/home/me/x.py"), "/home/me/x.py");
    }

    #[test]
    fn a_place_is_the_file_its_folder_and_the_line() {
        assert_eq!(
            place(Some("/srv/demo/gb_mixed.py"), Some(12)),
            "demo/gb_mixed.py:12"
        );
        assert_eq!(place(Some("x.py"), None), "x.py");
        assert_eq!(place(Some(r"C:\code\demo\x.py"), Some(1)), r"demo\x.py:1");
        assert_eq!(place(None, None), "");
        assert_eq!(whole_place(Some("/a/b/c.py"), Some(3)), "/a/b/c.py:3");
    }

    #[test]
    fn frameworks_are_told_from_the_readers_program() {
        for path in [
            "/opt/torch-2.7/lib/python3.12/site-packages/torch/nn/modules/module.py",
            "/usr/lib/python3.12/threading.py",
            "<frozen importlib._bootstrap>",
            "torch/_dynamo/eval_frame.py",
        ] {
            assert!(is_framework(path), "{path}");
        }
        for path in [
            "/srv/demo/train.py",
            "model.py",
            "/home/me/torch/train.py",
            "<eval_with_key>.3",
        ] {
            assert!(!is_framework(path), "{path}");
        }
    }
}
