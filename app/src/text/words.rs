//! Words for statuses, facts, caches and checksums.

use crate::engine::protocol::{Cache, Checksum, Status};

/// The words for a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusWords {
    /// The status.
    pub status: Status,
    /// A short name, as in style sheets and filters.
    pub key: &'static str,
    /// What the table shows.
    pub label: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What to do next.
    pub next: &'static str,
}

/// All statuses, in the order of [`Status`].
pub const STATUSES: [StatusWords; 5] = [
    StatusWords {
        status: Status::Ok,
        key: "ok",
        label: "ok",
        meaning: "The function was compiled in one graph, without a break.",
        next: "It went well: its graphs and its generated code are below.",
    },
    StatusWords {
        status: Status::GraphBreak,
        key: "break",
        label: "graph break",
        meaning: "Dynamo met something that it cannot put into a graph, so the graph ends there and plain Python goes on.",
        next: "Each break costs speed. Look at the reason and the line in your code, then move or rewrite that operation. fullgraph=True turns breaks into errors while you search.",
    },
    StatusWords {
        status: Status::Empty,
        key: "empty",
        label: "empty",
        meaning: "The function holds no tensor operation, so there was nothing to compile.",
        next: "Usually harmless. If you expected operations here, the function that holds them was compiled apart or not at all.",
    },
    StatusWords {
        status: Status::Error,
        key: "error",
        label: "error",
        meaning: "Compiling failed.",
        next: "Unless your program stopped, the function ran as plain Python. Read the reason below, then the last artifact before it: it shows how far the compiler came.",
    },
    StatusWords {
        status: Status::NoMetrics,
        key: "unknown",
        label: "no metrics",
        meaning: "The log does not say how this compilation ended.",
        next: "The program may have been stopped, the log may be cut off, or this PyTorch does not log it. What was logged until then is below.",
    },
];

/// The words for a status.
#[must_use]
pub fn status(status: Status) -> &'static StatusWords {
    let [ok, graph_break, empty, error, no_metrics] = &STATUSES;
    match status {
        Status::Ok => ok,
        Status::GraphBreak => graph_break,
        Status::Empty => empty,
        Status::Error => error,
        Status::NoMetrics => no_metrics,
    }
}

/// A fact of the overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fact {
    /// The version of torch.
    Torch,
    /// Functions that were compiled.
    Frames,
    /// Compilations.
    Compilations,
    /// Attempts.
    Attempts,
    /// Restarts.
    Restarts,
    /// Recompiles.
    Recompiles,
    /// Failures.
    Failures,
    /// Seconds spent in compiling.
    CompileTime,
    /// What artifacts say of caches.
    Cache,
    /// What could not be read.
    Health,
}

/// The words for a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactWords {
    /// The fact.
    pub fact: Fact,
    /// A short name, as in test marks.
    pub key: &'static str,
    /// What stands above the number.
    pub label: &'static str,
    /// What it means, for people who never saw it.
    pub meaning: &'static str,
}

/// All facts, in the order of the page.
pub const FACTS: [FactWords; 10] = [
    FactWords {
        fact: Fact::Torch,
        key: "torch",
        label: "PyTorch",
        meaning: "The version that wrote this log. A range where the log does not name it.",
    },
    FactWords {
        fact: Fact::Frames,
        key: "frames",
        label: "Functions",
        meaning: "Frames, in PyTorch's words: the Python functions that torch.compile looked at. The first number in [0/1] counts them.",
    },
    FactWords {
        fact: Fact::Compilations,
        key: "compilations",
        label: "Compilations",
        meaning: "How often a function was compiled. The second number in [0/1] counts the compilations of one function.",
    },
    FactWords {
        fact: Fact::Attempts,
        key: "attempts",
        label: "Attempts",
        meaning: "A compilation may give up and start again with what it learned, for example after a graph break. Each start is an attempt.",
    },
    FactWords {
        fact: Fact::Restarts,
        key: "restarts",
        label: "Restarts",
        meaning: "Attempts that were given up to start again. They cost compile time, not run time.",
    },
    FactWords {
        fact: Fact::Recompiles,
        key: "recompiles",
        label: "Recompiles",
        meaning: "Compilations of a function that had been compiled before: a guard failed, because a shape, type or value had changed. Many of them make a program slow.",
    },
    FactWords {
        fact: Fact::Failures,
        key: "failures",
        label: "Failures",
        meaning: "Compilations that ended with an error. The function then runs as plain Python, or the program stops.",
    },
    FactWords {
        fact: Fact::CompileTime,
        key: "compile-time",
        label: "Compile time",
        meaning: "Seconds spent in compiling, summed over all compilations, as PyTorch's own metrics say.",
    },
    FactWords {
        fact: Fact::Cache,
        key: "cache",
        label: "Cache",
        meaning: "What the compile caches said: hit (an earlier result was used), miss (compiled anew), bypass (the cache was not asked).",
    },
    FactWords {
        fact: Fact::Health,
        key: "health",
        label: "Log health",
        meaning: "Whether every byte of the log could be read. Nothing is dropped: what could not be read is listed with its lines.",
    },
];

/// The words for a fact.
#[must_use]
pub fn fact(fact: Fact) -> &'static FactWords {
    let [first, ..] = &FACTS;
    FACTS
        .iter()
        .find(|words| words.fact == fact)
        .unwrap_or(first)
}

/// What a cache said: a short name for style sheets, the word, and what it means.
#[must_use]
pub fn cache(cache: Cache) -> (&'static str, &'static str, &'static str) {
    match cache {
        Cache::Hit => (
            "hit",
            "cache hit",
            "The cache held the result of an earlier compilation, and it was used.",
        ),
        Cache::Miss => (
            "miss",
            "cache miss",
            "The cache did not hold this graph; it was compiled anew.",
        ),
        Cache::Bypass => (
            "bypass",
            "cache bypass",
            "The cache was not asked, because this graph cannot be cached. The artifact says why.",
        ),
    }
}

/// A payload's checksum: a short name for style sheets, the word, and what it means.
#[must_use]
pub fn checksum(checksum: Checksum) -> (&'static str, &'static str, &'static str) {
    match checksum {
        Checksum::Matches => (
            "good",
            "checksum matches",
            "The MD5 in the record is that of this text: it is what PyTorch wrote.",
        ),
        Checksum::Differs => (
            "bad",
            "checksum differs",
            "The MD5 in the record is not that of this text: bytes were changed, lost or added after PyTorch wrote it.",
        ),
        Checksum::Unknown => (
            "none",
            "no checksum",
            "The record carries no MD5 that can be read, so that the text cannot be checked.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_own_words() {
        for words in &STATUSES {
            assert_eq!(status(words.status), words);
        }
    }

    #[test]
    fn every_fact_has_its_own_words() {
        for words in &FACTS {
            assert_eq!(fact(words.fact), words);
        }
    }
}
