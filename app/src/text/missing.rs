//! What a log may not tell, and what would have recorded it.

use crate::engine::protocol::CompilationRow;

/// Something that a log may not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Missing {
    /// The function's name.
    Function,
    /// All numbers of a compilation: operations, guards, time.
    Metrics,
    /// How many operations the graph has.
    Ops,
    /// How many guards there are.
    Guards,
    /// How long compiling took.
    Seconds,
    /// How the program reached a compilation.
    Stack,
    /// Anything to read.
    Artifacts,
}

/// What kind of log lacks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Records of `TORCH_TRACE`.
    Trace,
    /// Messages of `TORCH_LOGS`.
    Console,
}

impl Origin {
    /// The kind of log that something comes from.
    #[must_use]
    pub fn of(is_console: bool) -> Self {
        if is_console {
            Self::Console
        } else {
            Self::Trace
        }
    }
}

/// All of them with their sentences.
pub const MISSING: [(Missing, &str); 7] = [
    (
        Missing::Function,
        "The function's name is not logged: torch 2.5 and later write it when a compilation begins, torch 2.4 when it ends.",
    ),
    (
        Missing::Metrics,
        "Operations, guards and compile time are not logged: torch 2.4 and later write them when a compilation ends.",
    ),
    (
        Missing::Ops,
        "The number of operations is not logged: torch 2.4 and later write it when Dynamo has made a graph.",
    ),
    (
        Missing::Guards,
        "The number of guards is not logged: PyTorch counts them when a compilation ends well.",
    ),
    (
        Missing::Seconds,
        "The compile time is not logged: PyTorch writes it when a compilation ends well.",
    ),
    (
        Missing::Stack,
        "The log does not say how the program came here: it lacks the record that tells it, dynamo_start, or that record names no frame. Set TORCH_TRACE=/tmp/trace for the whole run.",
    ),
    (
        Missing::Artifacts,
        "Nothing to read was written for this compilation: no phase of the compiler came as far, or the log ends before. Set TORCH_TRACE=/tmp/trace with torch 2.3 or later for all graphs and code.",
    ),
];

/// The same for a log of the console: which setting would have printed or recorded it.
pub const CONSOLE: [(Missing, &str); 7] = [
    (
        Missing::Function,
        "The function's name was not printed: TORCH_LOGS=\"+dynamo\" prints it when a compilation begins, TORCH_LOGS=\"recompiles\" when a function is compiled again, and TORCH_TRACE=/tmp/trace records it.",
    ),
    (
        Missing::Metrics,
        "Operations, guards and compile time are never printed on the console: TORCH_TRACE=/tmp/trace records them (torch 2.4 and later).",
    ),
    (
        Missing::Ops,
        "The number of operations is never printed on the console: TORCH_TRACE=/tmp/trace records it (torch 2.4 and later).",
    ),
    (
        Missing::Guards,
        "The number of guards is never printed on the console: TORCH_TRACE=/tmp/trace records it; TORCH_LOGS=\"guards\" prints the guards themselves.",
    ),
    (
        Missing::Seconds,
        "The compile time is never printed on the console: TORCH_TRACE=/tmp/trace records it (torch 2.4 and later).",
    ),
    (
        Missing::Stack,
        "Console output does not say how the program came here: TORCH_TRACE=/tmp/trace records it (torch 2.3 and later).",
    ),
    (
        Missing::Artifacts,
        "Nothing to read was printed for this compilation. TORCH_LOGS=\"graph_breaks,recompiles,guards,graph_code,output_code\" prints the most useful products; TORCH_TRACE=/tmp/trace records all of them (torch 2.3 and later).",
    ),
];

/// How a compilation ended is not known from the console.
pub const CONSOLE_STATUS: &str = "Console output does not say how a compilation ended. TORCH_TRACE=/tmp/trace records it (torch 2.4 and later). What was printed of it is below.";

/// The sentence for something that is missing.
#[must_use]
pub fn sentence(missing: Missing, origin: Origin) -> &'static str {
    let all = match origin {
        Origin::Trace => &MISSING,
        Origin::Console => &CONSOLE,
    };
    all.iter()
        .find(|(known, _)| *known == missing)
        .map_or("", |(_, sentence)| sentence)
}

/// What a compilation's facts lack.
#[must_use]
pub fn of_row(row: &CompilationRow) -> Vec<Missing> {
    let mut missing = Vec::new();
    if row.function.is_none() {
        missing.push(Missing::Function);
    }
    let numbers = [
        (Missing::Ops, row.ops.is_none()),
        (Missing::Guards, row.guards.is_none()),
        (Missing::Seconds, row.seconds.is_none()),
    ];
    if numbers.iter().all(|(_, is_missing)| *is_missing) {
        missing.push(Missing::Metrics);
    } else {
        let lacking = numbers.into_iter().filter(|(_, is_missing)| *is_missing);
        missing.extend(lacking.map(|(what, _)| what));
    }
    missing
}

/// The first version that writes compilation metrics and what caches say.
const METRICS_SINCE: (u32, u32) = (2, 4);

/// Why the overview knows no compile time or no cache: short, below the tile.
#[must_use]
pub fn below_tile(version: Option<&str>, otherwise: &'static str, origin: Origin) -> &'static str {
    if origin == Origin::Console {
        return "The console does not show it: set TORCH_TRACE";
    }
    match version.and_then(minor) {
        Some(version) if version < METRICS_SINCE => "Written by torch 2.4 and later",
        Some(_) => otherwise,
        None => "Set TORCH_TRACE with torch 2.4 or later",
    }
}

/// No compilation ended, so that none says how long it took.
pub const NO_TIME: &str = "no compilation ended well";
/// No artifact says anything of a cache.
pub const NO_CACHE: &str = "no cache was asked";

/// The first two numbers of a version: of `2.15.0+cu132`, of `2.3 or 2.4`.
fn minor(version: &str) -> Option<(u32, u32)> {
    let digits = |text: &str| {
        let end = text
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(text.len());
        text.get(..end)?.parse().ok()
    };
    let (major, rest) = version.split_once('.')?;
    Some((digits(major)?, digits(rest)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::{CompilationKey, Status};

    fn row(function: bool, ops: bool, guards: bool, seconds: bool) -> CompilationRow {
        CompilationRow {
            key: CompilationKey {
                process: 0,
                generation: 0,
                id: "0/0".to_owned(),
            },
            label: "[0/0]".to_owned(),
            function: function.then(|| "f".to_owned()),
            file: None,
            line: None,
            status: Status::NoMetrics,
            attempts: 1,
            ops: ops.then_some(1),
            guards: guards.then_some(1),
            seconds: seconds.then_some(1.0),
            is_console: false,
        }
    }

    #[test]
    fn everything_that_is_missing_has_its_own_sentence() {
        for (missing, words) in MISSING {
            assert_eq!(sentence(missing, Origin::Trace), words);
            assert!(words.ends_with('.'));
        }
        for (missing, words) in CONSOLE {
            assert_eq!(sentence(missing, Origin::Console), words);
            assert!(words.ends_with('.') && words.contains("TORCH_TRACE=/tmp/trace"));
        }
    }

    #[test]
    fn what_is_missing_is_said_once() {
        assert_eq!(of_row(&row(true, true, true, true)), []);
        assert_eq!(of_row(&row(true, true, false, true)), [Missing::Guards]);
        assert_eq!(
            of_row(&row(false, false, false, false)),
            [Missing::Function, Missing::Metrics]
        );
    }

    #[test]
    fn an_old_torch_is_the_reason_only_where_it_is_old() {
        let old = "Written by torch 2.4 and later";
        assert_eq!(below_tile(Some("2.3"), NO_CACHE, Origin::Trace), old);
        assert_eq!(below_tile(Some("2.3 or 2.4"), NO_CACHE, Origin::Trace), old);
        assert_eq!(
            below_tile(Some("2.15.0+cu132"), NO_CACHE, Origin::Trace),
            NO_CACHE
        );
        assert_eq!(
            below_tile(Some("3"), NO_CACHE, Origin::Trace),
            "Set TORCH_TRACE with torch 2.4 or later"
        );
        let console = below_tile(Some("2.3"), NO_CACHE, Origin::Console);
        assert!(console.contains("TORCH_TRACE"));
        assert!(below_tile(None, NO_CACHE, Origin::Trace).contains("TORCH_TRACE"));
    }
}
