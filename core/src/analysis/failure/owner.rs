//! Whose code a file is, by its path.

/// Whose code a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// The program's.
    User,
    /// PyTorch's, or Triton's.
    Torch(Part),
    /// That of another package.
    Library,
    /// Python's own.
    Python,
    /// What the compiler wrote.
    Generated,
}

/// A part of PyTorch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// torch/_dynamo, without what it only lends to others.
    Dynamo,
    /// torch/_functorch.
    Functorch,
    /// torch/_inductor.
    Inductor,
    /// Triton.
    Triton,
    /// The rest, which any part calls.
    Other,
}

/// Files and folders of PyTorch, the longer ones first. What other parts borrow is [`Part::Other`].
const PARTS: [(&str, Part); 16] = [
    // Decorators and records that stand between the frames of every part.
    ("torch/_dynamo/utils.py", Part::Other),
    ("torch/_dynamo/repro/", Part::Other),
    ("torch/_dynamo/backends/", Part::Other),
    ("torch/_dynamo/config_utils.py", Part::Other),
    ("torch/_dynamo/decorators.py", Part::Other),
    ("torch/_dynamo/external_utils.py", Part::Other),
    ("torch/_dynamo/metrics_context.py", Part::Other),
    // What a compiled function calls each time.
    ("torch/_dynamo/eval_frame.py", Part::Other),
    ("torch/_dynamo/", Part::Dynamo),
    // What runs around compiled graphs at each call.
    (
        "torch/_functorch/_aot_autograd/runtime_wrappers.py",
        Part::Other,
    ),
    ("torch/_functorch/_aot_autograd/utils.py", Part::Other),
    ("torch/_functorch/", Part::Functorch),
    ("torch/_inductor/config.py", Part::Other),
    ("torch/_inductor/", Part::Inductor),
    ("triton/", Part::Triton),
    ("torch/", Part::Other),
];

/// Folders of PyTorch that tell it in a checkout, where no `site-packages` stands before.
const CHECKOUT: [&str; 8] = [
    "torch/_dynamo/",
    "torch/_inductor/",
    "torch/_functorch/",
    "torch/_higher_order_ops/",
    "torch/_subclasses/",
    "torch/fx/",
    "torch/nn/modules/",
    "torch/_ops.py",
];

/// Whose code a file is. Separators of Windows are understood.
#[must_use]
pub fn owner(file: &str) -> Owner {
    let path = &*file.replace('\\', "/");
    if let Some(package) = behind(path, "site-packages/").or_else(|| behind(path, "dist-packages/"))
    {
        return match part(package) {
            Some(part) => Owner::Torch(part),
            None if package.starts_with("functorch/") => Owner::Torch(Part::Functorch),
            None if package.starts_with("torch") && package.starts_with("torchgen/") => {
                Owner::Torch(Part::Other)
            }
            None => Owner::Library,
        };
    }
    if path.starts_with('<') {
        return match path {
            _ if path.starts_with("<eval_with_key>") => Owner::Generated,
            _ if path.starts_with("<frozen ") => Owner::Python,
            _ if path.starts_with("<@beartype") => Owner::Library,
            _ => Owner::User,
        };
    }
    if is_generated(path) {
        return Owner::Generated;
    }
    for folder in CHECKOUT {
        if let Some(start) = find_folder(path, folder) {
            let found = path.get(start..).and_then(part);
            return Owner::Torch(found.unwrap_or(Part::Other));
        }
    }
    if is_python(path) {
        return Owner::Python;
    }
    Owner::User
}

fn part(path: &str) -> Option<Part> {
    let found = PARTS.iter().find(|(start, _)| path.starts_with(start));
    found.map(|(_, part)| *part)
}

fn behind<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.rfind(folder)
        .and_then(|at| path.get(at + folder.len()..))
}

/// Where a folder stands as whole names.
fn find_folder(path: &str, folder: &str) -> Option<usize> {
    path.match_indices(folder)
        .map(|(at, _)| at)
        .find(|at| *at == 0 || path.as_bytes().get(at - 1) == Some(&b'/'))
}

/// Files that Inductor wrote: `{cache}/xv/cxv3rc4….py`, below `torchinductor_{user}` where it is not set
/// otherwise. Names are 52 characters of base 32 behind a `c`.
fn is_generated(path: &str) -> bool {
    if path.contains("/torchinductor_") || path.contains("/torch_compile_debug/") {
        return true;
    }
    let mut names = path.rsplit('/');
    let (Some(name), Some(folder)) = (names.next(), names.next()) else {
        return false;
    };
    let stem = name.split('.').next().unwrap_or_default();
    stem.len() > 40
        && folder.len() == 2
        && stem.get(1..3) == Some(folder)
        && stem
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// Python's own library: `lib/python3.11/contextlib.py`, `Python311\Lib\contextlib.py`.
fn is_python(path: &str) -> bool {
    let lower = |at: usize| path.get(at..).unwrap_or_default();
    let unix = path.rfind("/lib/python").is_some_and(|at| {
        let version = lower(at + "/lib/python".len());
        version.starts_with(|c: char| c.is_ascii_digit())
    });
    let windows = path.rfind("/Lib/").is_some_and(|at| {
        path.get(..at)
            .is_some_and(|before| before.contains("ython"))
    });
    unix || windows
}
