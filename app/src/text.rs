//! All words that explain something to the reader, in tables and small sentences.
//!
//! The tables are [`words`] (statuses, facts, caches, checksums), [`phases`] (what each artifact is),
//! [`guards`] (what each guard demands), [`graphs`] (kinds of work, differences of nodes), [`frames`] (what guards check), [`remedies`] (what to do against
//! recompiles), [`differences`] (what two compilations differ in), [`missing`] (what a log does not tell),
//! [`opening`] (why a file is not read), [`failures`] and [`warnings`] (what failed, what was warned) and
//! [`glossary`]. `format` and `paths` write numbers and paths. Here stand the sentences of the page itself.

pub mod breaks;
pub mod differences;
pub mod failures;
pub(crate) mod format;
pub mod frames;
pub mod glossary;
pub mod graphs;
pub mod guards;
pub mod missing;
pub mod opening;
pub(crate) mod paths;
pub mod phases;
pub mod remedies;
pub mod warnings;
pub mod words;

/// What the page is, in one sentence.
pub const WHAT_THIS_IS: &str = "Dynascope reads the log that torch.compile writes and shows what was compiled, where it broke, and every product on the way from Python to kernels.";

/// The privacy promise, in one sentence.
pub const PROMISE: &str =
    "The log is read inside this tab. Not one byte of it leaves your machine.";

/// How the promise is kept: what, and how a person can check it.
pub const HOW_KEPT: [(&str, &str); 4] = [
    (
        "The page is not allowed to talk.",
        "Its Content-Security-Policy lets it ask only its own server for its own files; your browser enforces that. This is the policy as your browser has it:",
    ),
    (
        "The reading is fenced in, too.",
        "A worker made inside the page reads the log and inherits the same policy. Its code arrives before you open anything, and it asks for nothing.",
    ),
    (
        "Changed code does not run.",
        "Script, style and WebAssembly are checked against the digests that this page was built with; a file with one changed byte is refused.",
    ),
    (
        "See for yourself.",
        "Open the developer tools of your browser at 'Network', or switch the network off, and open a log: nothing is sent, and everything works.",
    ),
];

/// What no policy can stop.
pub const NOT_STOPPED: [&str; 4] = [
    "A page can send its own tab to another address, and text can travel in that address. This page never does, and its code is open.",
    "In Chromium, WebRTC is outside the policy. This page does not use it, and the worker that holds the log has no access to it.",
    "Browser extensions that you installed see every page, this one too.",
    "What you copy, print or save yourself is yours to look after.",
];

/// A step in recording a log, with the command to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What to do.
    pub what: &'static str,
    /// The command.
    pub command: &'static str,
    /// What comes of it.
    pub then: &'static str,
}

/// How a log is recorded.
pub const RECORDING: [Step; 3] = [
    Step {
        what: "Run your program with TORCH_TRACE set to a folder (PyTorch 2.3 or later).",
        command: "TORCH_TRACE=/tmp/trace python train.py",
        then: "PyTorch writes one file for each process: /tmp/trace/dedicated_log_torch_trace_….log. Choose that file, or drop the whole folder.",
    },
    Step {
        what: "With several ranks, each writes its own file into the same folder.",
        command: "TORCH_TRACE=/tmp/trace torchrun --nproc-per-node 8 train.py",
        then: "Drop the folder: each rank becomes a log of its own here, side by side.",
    },
    Step {
        what: "Logs are large and compress well. A .gz opens as it is.",
        command: "gzip /tmp/trace/*.log",
        then: "On a remote machine, compress first, copy the files, then drop them here.",
    },
];

/// How console output is opened.
pub const CONSOLE: &str = "No trace at hand? What the terminal or a bug report shows works too: the output of TORCH_LOGS, a traceback, warnings, what torch._dynamo.explain printed. Drop the file, or paste the text (Ctrl V).";
/// The name of a log that was pasted.
pub const PASTED: &str = "pasted text";
/// The clipboard holds no text.
pub const NOTHING_PASTED: &str = "There is no text to read: copy the output first, then paste it.";
/// The button and the box for pasting.
pub const PASTE: &str = "Paste a log";
/// What belongs into the box.
pub const PASTE_HERE: &str = "Console output, a traceback, or a trace";
/// Reads what was pasted.
pub const PASTE_READ: &str = "Read this text";

/// Nothing was typed into the search.
pub const SEARCH_HINT: &str = "Looks through every line of every open log.";

/// There is nothing to search.
pub const SEARCH_NO_LOG: &str = "No log is open. Open one, and every line of it can be searched.";
/// The search found nothing.
pub const SEARCH_NOTHING: &str = "No line of any open log holds this text. A text is looked for within one line, as it stands in the file: quotes and line ends within metadata are escaped there.";
/// The search found nothing, and distinguished upper and lower case.
pub const SEARCH_NOTHING_CASE: &str =
    "No line of any open log holds this text in this case. Without 'Match case' it may be found.";

/// The search ended at the largest number of hits.
#[must_use]
pub fn search_full(hits: &str) -> String {
    format!("Stopped at {hits}; a longer text finds less.")
}

/// The filter leaves no record.
pub const NO_RECORD_MATCH: &str = "No record holds all these words in its kind, name or id.";
/// The filters leave no record, one of them a text in metadata.
pub const NO_RECORD_TEXT: &str = "No record holds this text in its own line, as it stands in the file. Payloads are not looked through here; the search does that.";
/// The metadata of records is looked through.
pub const SEARCHING_METADATA: &str = "Looking through the metadata …";
/// What the choice of columns is for.
pub const COLUMNS_SHOWN: &str = "Columns that show";
/// A record that the log does not hold.
#[must_use]
pub fn no_record(record: u32) -> String {
    format!("This log holds no record {record}.")
}

/// A compilation that the log does not hold, such as `0/1`.
#[must_use]
pub fn no_compilation(id: &str) -> String {
    format!("This log holds no compilation [{id}].")
}

/// A frame that the log does not hold.
#[must_use]
pub fn no_frame(frame: u32) -> String {
    format!("This log holds no frame {frame}.")
}

/// The log holds no record yet.
pub const NO_RECORD: &str = "No record yet.";

/// The log holds no record: it is plain output.
pub const NO_RECORD_PLAIN: &str = "This log holds no records, because it is plain output, such as a traceback, without the lines that TORCH_LOGS or TORCH_TRACE write; its text stands here as it is, and what it tells of failures stands under Failures.";

/// Nothing was written outside any compilation.
pub const NO_OUTSIDE: &str = "Nothing to read was written outside any compilation. torch 2.4 and later write settings and versions there, into a trace (TORCH_TRACE=/tmp/trace).";

/// The table is empty.
pub const NO_COMPILATION: &str = "No compilation yet.";
/// The filter leaves nothing.
pub const NO_MATCH: &str = "No compilation holds all these words.";

/// What the tree of stacks shows.
pub const STACKS: &str = "Each line is a call in your program; a mark at its end is a compilation that began there. Frames of PyTorch and installed packages are left out until you ask for them.";
/// The tree is empty.
pub const NO_STACK: &str = "The log does not say how the program reached any compilation. Console output never does; torch 2.3 and later write it into a trace when a compilation begins: set TORCH_TRACE=/tmp/trace for the whole run.";
/// A record outside any compilation, in the tree.
pub const STACK_RECORD: &str = "A record outside any compilation that was logged here";
/// Compilations of which the log says no stack.
pub const UNKNOWN_STACKS: &str = "The log does not say how the program reached these compilations: it is console output, which never says it, or lacks the record that tells it, dynamo_start, or that record names no frame. A log that begins with the program holds it: set TORCH_TRACE=/tmp/trace for the whole run.";

/// What stands before the place from which a compiled function was called.
pub const CALLED_FROM: &str = "Called from";
/// The link from a frame in generated code to that code.
pub const DUMPED: &str = "its source";
/// What lies behind that link.
pub const DUMPED_MEANING: &str = "This Python was generated by torch.fx; the log holds it";
/// The name of the strip of all compilations of a function.
pub const OF_FRAME: &str = "Compilations of the same function";
/// What stands behind the number of compilations of a function.
pub const OF_THIS_FRAME: &str = " of this function";
/// What stands before the compilation of the same function that came before.
pub const PREVIOUS_OF_FRAME: &str = "Before:";
/// What stands before the compilation of the same function that came after.
pub const NEXT_OF_FRAME: &str = "After:";
/// The keys that go to the compilation of the same function before and after.
pub const KEY_OF_FRAME: [&str; 2] = ["{", "}"];

/// Not all compilations of a function are named.
#[must_use]
pub fn part_of_frame(shown: &str) -> String {
    format!(", the {shown} around this one")
}

/// What the phases above a list of artifacts are for.
pub const PHASES: &str =
    "The compiler works in phases, one after the other. Choose one to see only what it wrote.";

/// The keys, and what they do.
pub const KEYS: [(&str, &str); 13] = [
    ("Ctrl V", "Read the text of the clipboard as a log"),
    ("Ctrl K", "Go to a log, a compilation or a command"),
    ("?", "Show these keys"),
    ("/", "Go to the table's filter, or to the search"),
    (
        "Ctrl F",
        "Find in the text that is shown; pressed again, the browser's own search",
    ),
    ("↑ ↓", "Move in a table or a text"),
    ("PageUp PageDown", "Move by a page"),
    ("Home End", "Go to the first or the last row"),
    ("Enter", "Open the row"),
    (
        "[ ]",
        "Go to the previous or the next compilation or record",
    ),
    (
        "{ }",
        "Go to the previous or the next compilation of the same function",
    ),
    (
        "Tab",
        "Go to the next control; the first one skips to the content",
    ),
    ("Esc", "Close a dialog"),
];

/// A link was copied.
pub const LINK_COPIED: &str = "The link is copied.";

/// Leads to what differs from the compilation that is named behind.
pub const COMPARE: &str = "What changed since";

/// Nothing was found within a text.
pub const FIND_NOTHING: &str = "Not found";

/// Finding within a text stopped at its limit.
#[must_use]
pub fn find_full(limit: usize) -> String {
    format!("the first {limit}; there may be more")
}

/// A text, or lines of it, was copied.
#[must_use]
pub fn copied(size: &str, lines: Option<(u32, u32)>) -> String {
    match lines {
        Some((first, last)) if first == last => format!("Line {first} is copied ({size})."),
        Some((first, last)) => format!("Lines {first} to {last} are copied ({size})."),
        None => format!("The text is copied ({size})."),
    }
}

/// A text or a link could not be copied.
pub const NOT_COPIED: &str = "The browser did not allow copying.";

/// A text was handed to the browser to be saved.
#[must_use]
pub fn saved(name: &str) -> String {
    format!("Saved as {name}.")
}

/// A text could not be saved.
pub const NOT_SAVED: &str = "The browser did not allow saving.";

/// The button that copies a table.
pub const COPY_TABLE: &str = "Copy as table";
/// What the button copies, for each table.
pub const COPY_COMPILATIONS: &str = "Copy as table: the compilations that the filter leaves";
/// The same for records.
pub const COPY_RECORDS: &str = "Copy as table: the records that the filters leave";
/// The same for artifacts.
pub const COPY_ARTIFACTS: &str = "Copy as table: the artifacts that show";
/// A table is being put together.
pub const COPYING: &str = "Copying …";

/// A table was copied, or as much of it as is copied at once.
#[must_use]
pub fn copied_rows(rows: u64, total: u64) -> String {
    if rows < total {
        format!(
            "Copied {} of {}; more are not copied at once.",
            format::count(rows),
            format::counted(total, "row", "rows")
        )
    } else {
        format!("Copied {}", format::counted(rows, "row", "rows"))
    }
}

/// A log that comes with the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Where it lies, from the page.
    pub path: &'static str,
    /// The name that it is shown under.
    pub name: &'static str,
}

/// The log behind 'Try a sample'.
pub const SAMPLE: Sample = Sample {
    path: "samples/graph_breaks.log.gz",
    name: "graph_breaks.log.gz",
};

/// The engine's worker is not there at all.
pub const ENGINE_ABSENT: &str = "The engine that reads logs could not be started. Reload the page; if that does not help, the browser may be too old or forbid workers.";
/// The engine said something that this page cannot read.
pub const ENGINE_UNREADABLE: &str = "The engine answered in a way that this page does not understand. Reload the page to get matching versions of both.";
/// A message could not be sent.
pub const ENGINE_UNREACHABLE: &str =
    "The engine that reads logs can no longer be reached. Reload the page and open the log again.";
/// The answer is of another kind than the question asked for.
pub const ANSWER_UNEXPECTED: &str = "The engine answered something else than was asked. This is a mistake in Dynascope; please report it.";

/// The engine broke off.
#[must_use]
pub fn engine_broke(why: &str) -> String {
    let why = if why.is_empty() {
        "the browser gave no reason"
    } else {
        why
    };
    format!(
        "The engine that reads logs broke off ({why}). Reload the page and open the log again. If it happens again, the log may need more memory than the browser gives."
    )
}

/// The sample could not be fetched.
#[must_use]
pub fn sample_failed(why: &str) -> String {
    format!("The sample could not be loaded from this site ({why}).")
}

/// A folder held no file at all.
#[must_use]
pub fn folder_empty(name: &str) -> String {
    format!(
        "The folder '{name}' holds no files. Expected were logs that TORCH_TRACE wrote, such as dedicated_log_torch_trace_….log."
    )
}

/// Nothing was dropped that is a file.
pub const NOTHING_DROPPED: &str =
    "What was dropped holds no files. Drop a log, a .gz of one, or a folder of them.";

/// A large folder, from which only likely names were opened.
#[must_use]
pub fn only_likely(opened: usize, all: usize) -> String {
    format!(
        "Of {all} files only the {opened} whose names look like logs were opened (dedicated_log_torch_trace…, .log, .txt, .gz). To open another one, choose it by itself."
    )
}

/// A large folder in which no name looks like a log's.
#[must_use]
pub fn none_likely(name: &str, all: usize) -> String {
    format!(
        "None of the {all} files in '{name}' is named like a log (dedicated_log_torch_trace…, .log, .txt, .gz). To open one anyway, choose it by itself."
    )
}

/// All files of a folder were refused.
#[must_use]
pub fn none_held_a_log(all: usize) -> String {
    format!("None of the {all} files holds a log of torch.compile.")
}

/// More files than are opened at once.
#[must_use]
pub fn too_many(opened: usize, all: usize) -> String {
    format!("{all} files were given; the first {opened} were opened.")
}

/// The address names a log that is not open.
#[must_use]
pub fn closed_log(what: &str, name: &str, print: &str) -> String {
    if !name.is_empty() && !print.is_empty() {
        format!(
            "This address shows {what} of the log '{name}' with the fingerprint {print}. Open the log again to see it, plain or gzip; the address itself holds nothing of it."
        )
    } else if name.is_empty() {
        format!(
            "This address shows {what} of a log that is not open. Open the log again to see it."
        )
    } else {
        format!(
            "This address shows {what} of the log '{name}'. Open the log again to see it; the address itself holds nothing of it."
        )
    }
}

/// A link was made with another log than the one that is shown.
#[must_use]
pub fn another_log(asked: &str, shown: &str) -> String {
    let asked = if asked.is_empty() || asked == shown {
        "one with another content".to_owned()
    } else {
        format!("'{asked}'")
    };
    format!(
        "This link was made with another log: {asked}. What is shown is from '{shown}', where the same numbers may name other things."
    )
}

/// The address is of no view that this page knows.
#[must_use]
pub fn unknown_view(view: &str, newer: bool) -> String {
    if newer {
        format!(
            "This address was made by a newer version of Dynascope, whose view '{view}' this version does not have."
        )
    } else {
        format!(
            "This address names the view '{view}', which does not exist or lacks what it needs."
        )
    }
}
