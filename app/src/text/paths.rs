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

/// Whether a file is Python that torch.fx generated.
pub(crate) fn is_generated(path: &str) -> bool {
    path.starts_with("<eval_with_key>")
}

/// Files of Python's standard library that call other code, by what their paths end in. Only names that no
/// program gives a file of its own; wherever they lie, because build systems move them.
const STANDARD: [&str; 30] = [
    "subprocess.py",
    "asyncio/base_events.py",
    "asyncio/events.py",
    "asyncio/runners.py",
    "asyncio/tasks.py",
    "asyncio/threads.py",
    "asyncio/unix_events.py",
    "bdb.py",
    "cProfile.py",
    "concurrent/futures/_base.py",
    "concurrent/futures/process.py",
    "concurrent/futures/thread.py",
    "contextlib.py",
    "functools.py",
    "importlib/__init__.py",
    "multiprocessing/context.py",
    "multiprocessing/forkserver.py",
    "multiprocessing/pool.py",
    "multiprocessing/popen_fork.py",
    "multiprocessing/popen_spawn_posix.py",
    "multiprocessing/process.py",
    "multiprocessing/spawn.py",
    "pdb.py",
    "runpy.py",
    "socketserver.py",
    "threading.py",
    "unittest/case.py",
    "unittest/main.py",
    "unittest/mock.py",
    "unittest/suite.py",
];

/// Whether a file belongs to PyTorch, Python or an installed package, and not to the reader's program.
pub(crate) fn is_framework(path: &str) -> bool {
    const MARKS: [&str; 10] = [
        "/site-packages/",
        "/dist-packages/",
        "/torch/_",
        "/torch/nn/",
        "/torch/utils/",
        "/torch/fx/",
        "/importlib/",
        "/torch/optim/",
        "/torch/autograd/",
        "/torch/distributed/",
    ];
    let path = path.replace('\\', "/");
    path.starts_with("<frozen")
        || without_build(&path).starts_with("torch/")
        || is_standard(&path)
        || MARKS.iter().any(|mark| path.contains(mark))
}

fn is_standard(path: &str) -> bool {
    // lib/python3.12/threading.py, python312.zip/threading.py, Python312/Lib/threading.py; site-packages is
    // among the marks of frameworks.
    let is_below = |folder: &str| {
        path.rsplit_once(folder)
            .is_some_and(|(_, rest)| rest.contains('/'))
    };
    if is_below("/lib/python3") || is_below("/python3") && path.contains(".zip/") {
        return true;
    }
    if path
        .split_once("/Python3")
        .is_some_and(|(_, rest)| rest.contains("/Lib/"))
    {
        return true;
    }
    STANDARD.iter().any(|end| {
        path.strip_suffix(end)
            .is_some_and(|before| before.is_empty() || before.ends_with('/'))
    })
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
    fn a_place_in_a_build_is_short_and_whole_on_hover() {
        for path in [
            "/data/users/me/buck-out/v2/gen/b9ba/lab/train#link-tree/lab/models/head.py",
            "/mnt/xar/uid-7/0a-seed-nspid4026531836_cgpid123-ns-456/lab/models/head.py",
        ] {
            assert_eq!(place(Some(path), Some(4)), "models/head.py:4");
            assert_eq!(whole_place(Some(path), Some(4)), format!("{path}:4"));
        }
        let top = "/mnt/xar/uid-7/0a-seed-nspid40_cgpid1-ns-4/train.py";
        assert_eq!(place(Some(top), None), "train.py");
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
            "/buck-out/bin/train#link-tree/torch/nn/modules/module.py",
            "/buck-out/bin/train#link-tree/runpy.py",
            "/mnt/xar/0a-seed-nspid40_cgpid1-ns-4/contextlib.py",
            "/opt/app/python312.zip/functools.py",
            "contextlib.py",
            "<frozen runpy>",
            "/build/out/concurrent/futures/thread.py",
            r"C:\Program Files\Python312\Lib\queue.py",
        ] {
            assert!(is_framework(path), "{path}");
        }
        for path in [
            "/srv/demo/train.py",
            "model.py",
            "/home/me/torch/train.py",
            "<eval_with_key>.3",
            "/srv/demo/my_contextlib.py",
            "/srv/futures/thread.py",
            "/srv/python3/train.py",
            "/data/#link-tree/lab/train.py",
            "<stdin>",
        ] {
            assert!(!is_framework(path), "{path}");
        }
    }
}
