//! What the page and the engine say to each other: the one place that both sides read.
//!
//! Start at [`ToEngine`] and [`FromEngine`]. Every message is one of them, written with postcard into
//! an `ArrayBuffer` that is transferred, never copied. Files cross beside the message, as the
//! browser's own handles. What a view shows comes as plain data from here; a view parses nothing.

mod failure;
mod graph;

pub use dynascope_core::analysis::text_diff::Side;
pub use dynascope_core::payload::colour::{Class, Language, Span};
pub use dynascope_core::payload::find::{Case, Match, Query};
pub use dynascope_core::payload::recompile::{FailureKind, GlobalState};
pub use failure::{
    Certainty, CodeFrame, Component, Evidence, ExplainReport, FailureReport, FaultKind, Findings,
    LimitReport, Link, Occurrences, RaisedView, Run, StackKind, TimeRow, TimesReport, WarningGroup,
    WarningKind, WarningReport,
};
pub use graph::{
    AgainstView, FIRST_BASELINE, GraphNodeRow, GraphNodeView, GraphNodesPage, GraphShown,
    GraphSummary, GraphTrouble, GraphView, LETTER_WIDTH, NodeChange, Occurrence, OpClass, Picture,
    PictureBox, PictureLink, SECOND_BASELINE, TEXT_INSET, TITLE_HEIGHT, UserLine, ValueView, What,
};
use serde::{Deserialize, Serialize};

/// Names a log for as long as the page is open: the order in which logs were opened, from 0.
pub type LogId = u32;

/// Names a record of a log: its place among all segments of the log, in the order of the file, from 0.
pub type RecordIndex = u32;

/// From the page to the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToEngine {
    /// Read this file. Its handle comes with the message.
    Open {
        /// The name that the page gave the log.
        log: LogId,
        /// The file's name, with its folders where a folder was dropped.
        name: String,
    },
    /// Stop reading; what was read until then stays.
    Stop {
        /// The log to stop.
        log: LogId,
    },
    /// Forget the log and all that belongs to it.
    Close {
        /// The log to forget.
        log: LogId,
    },
    /// Answer a question.
    Ask {
        /// Comes back with the answer.
        ticket: u32,
        /// What the page wants to know.
        question: Question,
    },
    /// Nobody waits for this answer any longer.
    Forget {
        /// The question's ticket.
        ticket: u32,
    },
    /// Measure how long only reading the bytes of a file takes, as the floor of a benchmark.
    Measure {
        /// Comes back with the answer.
        ticket: u32,
    },
    /// Look for a text in all open logs. Hits come as they are found ([`FromEngine::Hits`]); a new search
    /// ends the one before, and [`ToEngine::Forget`] with its ticket ends it too.
    Search {
        /// Comes back with the hits.
        ticket: u32,
        /// What to look for, within a line. Nothing is found for an empty text.
        text: String,
        /// Whether `A` and `a` differ.
        case: Case,
    },
    /// Find places within a text. They come as they are found ([`FromEngine::Matches`]), until
    /// [`ToEngine::Forget`] with the ticket.
    Find {
        /// Comes back with the places.
        ticket: u32,
        /// The text.
        text: TextKey,
        /// What to find.
        query: Query,
    },
    /// Give a text, or lines of it, as a blob ([`FromEngine::Saved`]).
    Save {
        /// Comes back with the blob.
        ticket: u32,
        /// The text.
        text: TextKey,
        /// First and last line, from 1; the whole text, byte for byte, where absent.
        lines: Option<(u32, u32)>,
    },
}

/// Names a text: what a record carries, in one of its forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TextKey {
    /// The log.
    pub log: LogId,
    /// The record that carries the payload.
    pub record: RecordIndex,
    /// How it is laid out.
    pub form: Form,
}

/// How a text is laid out in rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Form {
    /// Whether JSON is laid out anew, one item a line.
    pub is_pretty: bool,
    /// Bytes after which a line goes on in the next row, where lines are wrapped; [`MAX_ROW_BYTES`] where
    /// they are not.
    pub width: Option<u16>,
}

/// From the engine to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FromEngine {
    /// The engine runs.
    Ready,
    /// How far a log was read. Comes some ten times a second, and once when reading ends.
    Progress(Progress),
    /// The answer to a question.
    Answer {
        /// The question's ticket.
        ticket: u32,
        /// The answer, or a sentence for the reader that says what is wrong.
        answer: Result<Answer, String>,
    },
    /// More of what a search found.
    Hits {
        /// The search's ticket.
        ticket: u32,
        /// Hits in the order of the logs and of their text.
        hits: Vec<Hit>,
        /// Bytes of text that were searched, of all logs.
        searched_bytes: u64,
        /// Bytes of text of all logs.
        total_bytes: u64,
        /// Whether the search goes on.
        state: SearchState,
    },
    /// More places that were found within a text.
    Matches {
        /// The ticket.
        ticket: u32,
        /// The places, in the order of the text.
        matches: Vec<Match>,
        /// Rows that were searched.
        searched_rows: u32,
        /// Rows of the text.
        total_rows: u32,
        /// Whether it goes on.
        state: SearchState,
    },
    /// What [`ToEngine::Save`] asked for; the blob comes beside the message.
    Saved {
        /// The ticket.
        ticket: u32,
        /// Nothing, or a sentence for the reader.
        outcome: Result<(), String>,
    },
}

/// Where a search stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchState {
    /// It goes on.
    Searching,
    /// All was searched.
    Done,
    /// It stopped at [`MAX_HITS`] or [`MAX_MATCHES`].
    Full,
    /// What was looked for cannot be: a sentence that says why.
    Refused(String),
}

/// Finding within a text stops at so many places.
pub const MAX_MATCHES: usize = 100_000;

/// A search stops at so many hits.
pub const MAX_HITS: usize = 5_000;

/// A line in which a search found its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The log.
    pub log: LogId,
    /// The record in which the line lies.
    pub record: RecordIndex,
    /// The record's name: that of the artifact, or its kind.
    pub name: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// Line in the file, from 1.
    pub file_line: u64,
    /// Line of the payload, from 1; 0 where the hit is in the record's own line.
    pub payload_line: u64,
    /// The line, or what surrounds the hit where it is long.
    pub text: String,
    /// Where the hit starts in `text`, in bytes, and how long it is.
    pub at: (u32, u32),
}

/// How far a log was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The log.
    pub log: LogId,
    /// The file's name, with its folders where a folder was dropped.
    pub name: String,
    /// Reading, done, stopped or failed.
    pub state: ReadState,
    /// Bytes of the file.
    pub total_bytes: u64,
    /// Bytes of the file that were read.
    pub read_bytes: u64,
    /// Bytes of text: more than were read where the file is compressed.
    pub text_bytes: u64,
    /// Seconds since reading began.
    pub seconds: f64,
    /// Records found.
    pub records: u64,
    /// Compilations found.
    pub compilations: u32,
    /// Bytes that the engine's memory takes as a whole.
    pub memory_bytes: u64,
    /// Bytes that this log's index takes.
    pub index_bytes: u64,
    /// What tells its text from another's; known when all of it was read.
    pub fingerprint: Option<String>,
}

/// Where reading stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ReadState {
    /// More is to come.
    Reading,
    /// All of the file was read.
    Done,
    /// A person stopped it; what was read is shown.
    Stopped,
    /// The file cannot be read, or holds no log. Nothing of it is shown.
    Refused(String),
    /// Reading broke off (a cut-off gzip, a limit, a file that vanished); what was read is shown.
    BrokeOff(String),
}

/// What the page asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// The run's facts. Answer: [`Answer::Overview`].
    Overview {
        /// The log.
        log: LogId,
    },
    /// A stretch of the table of compilations. Answer: [`Answer::Compilations`].
    Compilations {
        /// The log.
        log: LogId,
        /// Which column, in which direction.
        sort: Sort,
        /// Words that a row must all hold: in its id, function, file or status. Empty: all rows.
        filter: String,
        /// First row wanted, among those that the filter leaves.
        first: u32,
        /// How many rows at the most.
        count: u32,
    },
    /// One compilation. Answer: [`Answer::Compilation`].
    Compilation {
        /// The log.
        log: LogId,
        /// Which one.
        key: CompilationKey,
    },
    /// What a log holds outside any compilation. Answer: [`Answer::Artifacts`].
    Outside {
        /// The log.
        log: LogId,
    },
    /// A stretch of a record's payload, as rows of text. Answer: [`Answer::Text`].
    Text {
        /// The text.
        text: TextKey,
        /// First row wanted.
        first: u32,
        /// How many rows at the most.
        count: u32,
    },
    /// In which rows lines lie. Answer: [`Answer::Lines`].
    Lines {
        /// The text.
        text: TextKey,
        /// First and last line, from 1.
        lines: (u32, u32),
    },
    /// One record as it stands in the log. Answer: [`Answer::Record`].
    Record {
        /// The log.
        log: LogId,
        /// Which one.
        record: RecordIndex,
    },
    /// What could not be read. Answer: [`Answer::Problems`].
    Problems {
        /// The log.
        log: LogId,
    },
    /// How the program reached each compilation. Answer: [`Answer::Stacks`].
    Stacks {
        /// The log.
        log: LogId,
    },
    /// A stretch of the table of all records. Answer: [`Answer::Records`].
    Records {
        /// The log.
        log: LogId,
        /// Words that a record's kind, name or compile id must all hold. Empty: all records.
        filter: String,
        /// First row wanted, among those that the filters leave.
        first: u32,
        /// How many rows at the most.
        count: u32,
        /// A text that the record's own line, which is its metadata, must hold. Empty: any.
        metadata: String,
    },
    /// What differs between two compilations. Answer: [`Answer::Diff`].
    Diff {
        /// The log.
        log: LogId,
        /// The compilation that is compared with.
        old: CompilationKey,
        /// The compilation that is compared.
        new: CompilationKey,
    },
    /// A stretch of two texts laid side by side. Answer: [`Answer::TextDiff`].
    TextDiff {
        /// The log.
        log: LogId,
        /// The record of the old text.
        old: RecordIndex,
        /// The record of the new text.
        new: RecordIndex,
        /// Whether lines that are alike show, too.
        is_whole: bool,
        /// First row wanted.
        first: u32,
        /// How many rows at the most.
        count: u32,
    },
    /// A stretch of the tree of guards that a record carries. Answer: [`Answer::Guards`].
    Guards {
        /// The tree, and what of it shows.
        tree: GuardsShown,
        /// First row wanted.
        first: u32,
        /// How many rows at the most.
        count: u32,
    },
    /// One node of a tree of guards, and where it stands. Answer: [`Answer::Guard`].
    Guard {
        /// The tree, and what of it shows.
        tree: GuardsShown,
        /// The node.
        node: u32,
    },
    /// Why a frame was compiled again and again. Answer: [`Answer::Frame`].
    Frame {
        /// The log.
        log: LogId,
        /// Which frame.
        key: FrameKey,
        /// Only this compilation of it, by its number within the frame.
        only: Option<u32>,
    },
    /// A stretch of the frames that were compiled again. Answer: [`Answer::Frames`].
    Frames {
        /// The log.
        log: LogId,
        /// In which order.
        order: FrameOrder,
        /// First frame wanted.
        first: u32,
        /// How many at the most.
        count: u32,
    },
    /// A graph with its picture. Answer: [`Answer::Graph`].
    Graph {
        /// Which picture of which graph.
        graph: GraphShown,
    },
    /// A stretch of a graph's nodes. Answer: [`Answer::GraphNodes`].
    GraphNodes {
        /// The graph.
        graph: GraphShown,
        /// Words that a node must all hold: in its name, target, shape, line. Empty: all nodes.
        filter: String,
        /// First row wanted, among those that the filter leaves.
        first: u32,
        /// How many rows at the most.
        count: u32,
    },
    /// One node of a graph. Answer: [`Answer::GraphNode`].
    GraphNode {
        /// The graph.
        graph: GraphShown,
        /// The node.
        node: u32,
    },
    /// What a name in the code of a graph stands for. Answer: [`Answer::Value`].
    Value {
        /// The log.
        log: LogId,
        /// The record that carries the graph.
        record: RecordIndex,
        /// The line, from 1.
        line: u32,
        /// A byte of the line at which the name stands; the first name that the line defines where absent.
        byte: Option<u32>,
    },
    /// What failed and what was warned. Answer: [`Answer::Findings`].
    Findings {
        /// The log.
        log: LogId,
    },
}

/// A tree of guards, and what of it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardsShown {
    /// The log.
    pub log: LogId,
    /// The record that carries the guards.
    pub record: RecordIndex,
    /// Which guards show.
    pub filter: GuardFilter,
    /// Which nodes are folded.
    pub folds: GuardFolds,
}

/// Which guards of a tree show. What holds them shows, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GuardFilter {
    /// Words that a guard must all hold: in its code, its sentence, its place. Empty: any guard.
    pub text: String,
    /// The class of guard.
    pub class: Option<String>,
    /// Whether only guards show that a file outside PyTorch caused.
    pub only_mine: bool,
}

/// Which nodes of a tree are folded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardFolds {
    /// Whether all nodes are, but the outermost ones.
    pub all: bool,
    /// The nodes that are not as `all` says.
    pub but: Vec<u32>,
}

/// What the engine answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// To [`Question::Overview`].
    Overview(Box<Overview>),
    /// To [`Question::Compilations`].
    Compilations(CompilationPage),
    /// To [`Question::Compilation`].
    Compilation(Box<CompilationView>),
    /// To [`Question::Outside`].
    Artifacts(Vec<ArtifactRow>),
    /// To [`Question::Text`].
    Text(TextPage),
    /// To [`Question::Record`].
    Record(Box<RecordView>),
    /// To [`Question::Problems`].
    Problems(Vec<ProblemRow>),
    /// To [`ToEngine::Measure`]: bytes read and seconds that it took.
    Measured {
        /// Bytes read.
        bytes: u64,
        /// Seconds that reading them took.
        seconds: f64,
    },
    /// To [`Question::Stacks`].
    Stacks(StackTrie),
    /// To [`Question::Records`].
    Records(RecordPage),
    /// To [`Question::Lines`]: the first row, and the one behind the last; `None` where the text has no such
    /// line.
    Lines(Option<(u32, u32)>),
    /// To [`Question::Diff`].
    Diff(Box<DiffView>),
    /// To [`Question::TextDiff`].
    TextDiff(TextDiffPage),
    /// To [`Question::Guards`].
    Guards(Box<GuardPage>),
    /// To [`Question::Guard`]; `None` where the tree has no such node.
    Guard(Option<Box<GuardView>>),
    /// To [`Question::Frame`].
    Frame(Box<FrameHistoryView>),
    /// To [`Question::Frames`].
    Frames(FramePage),
    /// To [`Question::Graph`].
    Graph(Box<GraphView>),
    /// To [`Question::GraphNodes`].
    GraphNodes(GraphNodesPage),
    /// To [`Question::GraphNode`]: nothing where there is no such node.
    GraphNode(Option<Box<GraphNodeView>>),
    /// To [`Question::Value`]: nothing where no name of a node stands there.
    Value(Option<Box<ValueView>>),
    /// To [`Question::Findings`].
    Findings(Box<Findings>),
}

/// The run's facts, as far as they were read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// The torch version that wrote the log, exact where the log says it ("2.15.0+cu132"), else the
    /// range that its records fit ("2.3 or 2.4").
    pub torch_version: Option<String>,
    /// Ranks of torch.distributed that wrote into the log.
    pub ranks: Vec<u32>,
    /// Processes that wrote into the log.
    pub processes: u32,
    /// How often the program reset the compiler, so that ids started again, plus one.
    pub generations: u32,
    /// Functions that were compiled (frames, by generation).
    pub frames: u32,
    /// Compilations.
    pub compilations: u32,
    /// Compilations by status, in the order of [`Status`], those that occur.
    pub by_status: Vec<(Status, u32)>,
    /// Attempts, restarted ones among them.
    pub attempts: u32,
    /// Attempts that were given up to start again.
    pub restarts: u32,
    /// Compilations of a frame that had been compiled before.
    pub recompiles: u32,
    /// Compilations that failed.
    pub failures: u32,
    /// Seconds spent in compiling, as the metrics say; absent where no metrics were logged.
    pub compile_seconds: Option<f64>,
    /// Artifacts that report a cache hit.
    pub cache_hits: u32,
    /// Artifacts that report a cache miss.
    pub cache_misses: u32,
    /// Artifacts that report a bypassed cache.
    pub cache_bypasses: u32,
    /// Events of the compiler's own profiler.
    pub chromium_events: u64,
    /// Records.
    pub records: u64,
    /// Records that are messages of `TORCH_LOGS` on the console.
    pub console_messages: u64,
    /// Records that carry no compile id and are not part of a compilation, with a payload.
    pub outside_artifacts: u32,
    /// Records by kind, most frequent first.
    pub kinds: Vec<(String, u64)>,
    /// How many times each problem occurred, most frequent first.
    pub problems: Vec<ProblemRow>,
    /// Records that say why a graph broke (2.6+, and console output of all versions).
    pub graph_breaks: u64,
}

/// How a compilation ended: that of its last attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Status {
    /// A graph was compiled, with no break.
    Ok,
    /// The graph broke: compiling was started again and ended before the function's end.
    GraphBreak,
    /// Nothing was to be compiled: the graph holds no operation.
    Empty,
    /// Compiling failed.
    Error,
    /// The log holds no metrics of it, so that its end is not known.
    NoMetrics,
}

/// Names a compilation within a log.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CompilationKey {
    /// Which of the log's processes, from 0 in order of appearance.
    pub process: u32,
    /// Which generation of ids, from 0.
    pub generation: u32,
    /// The compile id without brackets and attempt, as PyTorch writes it: `0/1`, `!3/0/0`.
    pub id: String,
}

/// A column to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    /// The column.
    pub column: Column,
    /// The direction.
    pub direction: Direction,
}

/// A column of the table of compilations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Column {
    /// The order in which compilations began.
    Id,
    /// The function's name.
    Function,
    /// File, then line.
    Place,
    /// How it ended.
    Status,
    /// Number of attempts.
    Attempts,
    /// Operations in the graph.
    Ops,
    /// Guards.
    Guards,
    /// Compile time.
    Seconds,
}

/// A direction to sort in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// Smallest first; rows without a value last.
    Ascending,
    /// Largest first; rows without a value last.
    Descending,
}

/// A stretch of the table of compilations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompilationPage {
    /// Compilations of the log.
    pub total: u32,
    /// Those that the filter leaves.
    pub matching: u32,
    /// Place of the first row here among those that match.
    pub first: u32,
    /// The rows.
    pub rows: Vec<CompilationRow>,
}

/// A row of the table of compilations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompilationRow {
    /// Its name within the log.
    pub key: CompilationKey,
    /// The id as it is shown: `[0/1]`, with the generation or process where there is more than one.
    pub label: String,
    /// The function's name, where the log says it.
    pub function: Option<String>,
    /// The file that defines the function.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<i64>,
    /// How it ended.
    pub status: Status,
    /// Number of attempts.
    pub attempts: u32,
    /// Operations in the graph.
    pub ops: Option<i64>,
    /// Guards.
    pub guards: Option<i64>,
    /// Seconds that compiling took.
    pub seconds: Option<f64>,
    /// Whether it is known from console messages, which hold no metrics.
    pub is_console: bool,
}

/// A compilation's page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompilationView {
    /// The same facts as in the table.
    pub row: CompilationRow,
    /// How the program reached the function, outermost first; empty where the log does not say.
    pub stack: Vec<FrameView>,
    /// Why it failed, where it failed.
    pub failures: Vec<FailureView>,
    /// Why attempts were given up, in order.
    pub restart_reasons: Vec<String>,
    /// Its artifacts in the order of the log.
    pub artifacts: Vec<ArtifactRow>,
    /// Other records of it that were read into the facts above: its start, its metrics.
    pub evidence: Vec<EvidenceRow>,
    /// The previous compilation in the order in which they began.
    pub previous: Option<(CompilationKey, String)>,
    /// The next one.
    pub next: Option<(CompilationKey, String)>,
    /// The compilations of the same frame in the order in which they began, this one among them: at most
    /// [`MAX_OF_FRAME`] around it.
    pub of_frame: Vec<FrameCompilation>,
    /// How many compilations of the same frame there are in all.
    pub of_frame_total: u32,
    /// The record of its guards.
    pub guards: Option<RecordIndex>,
}

/// So many compilations of the same frame are named on a compilation's page.
pub const MAX_OF_FRAME: usize = 200;

/// A compilation of the same frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameCompilation {
    /// Its name within the log.
    pub key: CompilationKey,
    /// Its id as it is shown.
    pub label: String,
    /// How it ended.
    pub status: Status,
}

/// A frame of a stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameView {
    /// File, as the log names it; `None` where the log does not know it.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<i64>,
    /// Function.
    pub function: String,
    /// The line's source, where the log has it.
    pub source: Option<String>,
    /// For Python that torch.fx generated: the record that holds the file, where one does.
    pub dumped: Option<RecordIndex>,
}

/// Why a compilation failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureView {
    /// The exception's type; `None` where the console warned of the recompile limit, and where the metrics
    /// name none.
    pub kind: Option<String>,
    /// What it said.
    pub reason: Option<String>,
    /// The user's file, where the metrics name it.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<i64>,
    /// The record that says so.
    pub record: RecordIndex,
}

/// An artifact: a record with something to read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactRow {
    /// The record.
    pub record: RecordIndex,
    /// Its name: that of the artifact, or its kind.
    pub name: String,
    /// The attempt that wrote it.
    pub attempt: u32,
    /// Bytes of its payload, as PyTorch wrote them.
    pub bytes: u64,
    /// What it says of a cache.
    pub cache: Option<Cache>,
    /// Line in the file, from 1.
    pub line: u64,
    /// For a `link`: where it points. Shown as text; followed only where it is `https:`.
    pub url: Option<String>,
}

/// What an artifact says of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cache {
    /// Found.
    Hit,
    /// Not found, compiled anew.
    Miss,
    /// Not asked.
    Bypass,
}

/// A record that a claim on the page comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRow {
    /// The record.
    pub record: RecordIndex,
    /// Its kind.
    pub kind: String,
    /// The attempt that wrote it.
    pub attempt: u32,
    /// Line in the file, from 1.
    pub line: u64,
}

/// A stretch of a payload's text. A line longer than [`MAX_ROW_BYTES`] is cut into several rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextPage {
    /// The name of the artifact, or its kind.
    pub name: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// Bytes of the payload, as PyTorch wrote them.
    pub bytes: u64,
    /// Lines of the payload.
    pub lines: u64,
    /// Rows that its lines make.
    pub rows: u32,
    /// Line of the record in the file, from 1.
    pub file_line: u64,
    /// The first row here.
    pub first: u32,
    /// The rows.
    pub page: Vec<TextRow>,
    /// Whether the payload is what PyTorch wrote.
    pub checksum: Checksum,
    /// What it is written in.
    pub language: Language,
    /// What is wrong with its form, in a sentence: JSON that is none.
    pub trouble: Option<String>,
}

/// The longest row of text, in bytes; a longer line goes on in the next row.
pub const MAX_ROW_BYTES: usize = 2_000;

/// A row of text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextRow {
    /// Line number from 1; absent where this row goes on with the line of the row before.
    pub line: Option<u64>,
    /// The text. Bytes that are no UTF-8 show as U+FFFD.
    pub text: String,
    /// What its parts are, in order; plain parts are left out.
    pub spans: Vec<Span>,
}

/// Whether a payload is what PyTorch wrote, by the MD5 that the record carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Checksum {
    /// It is.
    Matches,
    /// It is not: bytes were changed, lost or added.
    Differs,
    /// The record carries no checksum that can be read.
    Unknown,
}

/// One record as it stands in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordView {
    /// Its kind; "other text" or "damaged" where it is no record.
    pub kind: String,
    /// Line in the file, from 1.
    pub line: u64,
    /// Byte in the text at which it starts.
    pub offset: u64,
    /// What stands before the JSON: level, time, process and place in PyTorch's source.
    pub prefix: String,
    /// The metadata, one member a line, in its own order. Text as it stands where it is no JSON.
    pub metadata: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// Bytes of the payload; absent where there is none.
    pub payload_bytes: Option<u64>,
    /// Whether the payload is what PyTorch wrote.
    pub checksum: Checksum,
    /// What is wrong with it, in sentences.
    pub problems: Vec<String>,
    /// The record before it in the file.
    pub previous: Option<RecordIndex>,
    /// The record after it.
    pub next: Option<RecordIndex>,
}

/// A problem that reading met, and how often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// Its name in `facts`.
    pub name: String,
    /// What it means, in a sentence.
    pub meaning: String,
    /// How often it occurred.
    pub count: u64,
    /// Where: lines in the file with their record, the first few.
    pub examples: Vec<(u64, RecordIndex)>,
}

/// How the program reached its compilations: the stacks of all of them, put together from their outer ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StackTrie {
    /// The frames. A frame's parent stands before it; children stand in the order in which they were met.
    pub nodes: Vec<StackNode>,
    /// Compilations of which the log says no stack.
    pub unknown: Vec<StackEnd>,
}

/// A frame in the stacks of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StackNode {
    /// The frame that called this one, as an index into [`StackTrie::nodes`].
    pub parent: Option<u32>,
    /// The frame.
    pub frame: FrameView,
    /// Compilations that began here.
    pub ends: Vec<StackEnd>,
    /// Records outside any compilation that were logged here.
    pub records: Vec<RecordIndex>,
}

/// A compilation at the end of a stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StackEnd {
    /// The compilation.
    pub key: CompilationKey,
    /// Its id as it is shown.
    pub label: String,
    /// How it ended.
    pub status: Status,
}

/// A stretch of the table of all records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordPage {
    /// Records and stretches of other text in the log.
    pub total: u32,
    /// Those that the filter leaves.
    pub matching: u32,
    /// Place of the first row here among those that match.
    pub first: u32,
    /// The rows, in the order of the file.
    pub rows: Vec<RecordRow>,
}

/// A row of the table of all records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordRow {
    /// The record.
    pub record: RecordIndex,
    /// Line in the file, from 1.
    pub line: u64,
    /// Month, day and time as written: `1129 11:49:56.619000`; empty where it is no record.
    pub time: String,
    /// Its kind.
    pub kind: String,
    /// The name that it carries: the artifact's, the dumped file's.
    pub name: Option<String>,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// The attempt that wrote it.
    pub attempt: u32,
    /// The place in PyTorch's source that wrote it: `torch/_dynamo/utils.py:2473`.
    pub origin: String,
    /// Bytes of the file that it takes, its payload among them.
    pub bytes: u64,
}

/// What differs between two compilations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiffView {
    /// The compilation that is compared with.
    pub old: CompilationRow,
    /// The compilation that is compared.
    pub new: CompilationRow,
    /// The compilations of the new one's frame, to choose others from.
    pub of_frame: Vec<FrameCompilation>,
    /// Why the new one could not use the old one's code, as the log says.
    pub causes: Vec<CauseView>,
    /// Inputs that differ.
    pub inputs: Vec<Differing>,
    /// How many inputs do not.
    pub same_inputs: u32,
    /// Symbols for sizes and numbers that only one has, or that differ.
    pub symbols: Vec<Differing>,
    /// Guards that differ, the first [`MAX_DIFFERING`].
    pub guards: Vec<Differing>,
    /// How many guards differ.
    pub differing_guards: u32,
    /// The records of the guards.
    pub guard_records: (Option<RecordIndex>, Option<RecordIndex>),
    /// What kept the guards from being compared, in a sentence.
    pub guard_trouble: Option<String>,
    /// Texts that both have, in the order of the new one's log.
    pub texts: Vec<TextPair>,
}

/// So many differing inputs, symbols and guards are shown.
pub const MAX_DIFFERING: usize = 500;

/// A guard of the old compilation that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CauseView {
    /// What it checks.
    pub kind: FailureKind,
    /// What is guarded.
    pub source: Option<String>,
    /// The dimension or place.
    pub index: Option<u32>,
    /// What was expected.
    pub expected: Option<String>,
    /// What came.
    pub actual: Option<String>,
    /// The guard as it stands.
    pub guard: String,
    /// The symbol that the new compilation uses in its place.
    pub symbol: Option<String>,
    /// The record that says so.
    pub record: Option<RecordIndex>,
}

/// Something of two compilations that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Differing {
    /// What it is about: a source, a symbol.
    pub name: String,
    /// What of it a guard is about, where that is not all: an attribute, a key.
    pub detail: String,
    /// The class of the guard; empty for inputs and symbols.
    pub class: String,
    /// Where it stands for the old compilation: a record, or the place of a guard in its tree. `None` where
    /// only the new one has it.
    pub old: Option<u32>,
    /// Where it stands for the new one.
    pub new: Option<u32>,
    /// What differs: the property, its old and its new value.
    pub differences: Vec<(String, Option<String>, Option<String>)>,
    /// Whether the program's own code caused it, where that is known.
    pub is_own: bool,
}

/// A text that two compilations have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextPair {
    /// The artifact's name.
    pub name: String,
    /// The old record.
    pub old: RecordIndex,
    /// The new record.
    pub new: RecordIndex,
    /// Whether they are the same, by their checksums.
    pub is_same: bool,
}

/// A stretch of two texts laid side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextDiffPage {
    /// Rows in all.
    pub total: u32,
    /// The first row here.
    pub first: u32,
    /// The rows.
    pub rows: Vec<DiffRow>,
    /// Lines that were removed.
    pub removed: u32,
    /// Lines that were added.
    pub added: u32,
}

/// A row of two texts laid side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiffRow {
    /// In which text the line stands.
    pub side: Side,
    /// Its number in the old text.
    pub old: Option<u32>,
    /// Its number in the new text.
    pub new: Option<u32>,
    /// The line, cut where it is long.
    pub text: String,
    /// What its parts are.
    pub spans: Vec<Span>,
    /// Where the words are that differ: start and end in bytes.
    pub words: Vec<(u32, u32)>,
    /// So many lines that are alike are left out here; 0 for a line.
    pub skipped: u32,
}

/// A stretch of a tree of guards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardPage {
    /// What is said of all of it.
    pub head: GuardHead,
    /// Rows that show with this filter and these folds.
    pub total: u32,
    /// Place of the first row here.
    pub first: u32,
    /// The rows, from top to bottom.
    pub rows: Vec<GuardRow>,
}

/// What is said of a tree of guards as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardHead {
    /// The record's name.
    pub name: String,
    /// The compilation that it belongs to.
    pub compilation: Option<(CompilationKey, String)>,
    /// Guards.
    pub leaves: u32,
    /// Guards that a file outside PyTorch caused.
    pub mine: u32,
    /// Guards that the filter leaves.
    pub matching: u32,
    /// Objects that are reached to be checked.
    pub managers: u32,
    /// Guards by class, the most frequent first; rare ones are left out where there are very many.
    pub by_class: Vec<(String, u32)>,
    /// Seconds that one check of all guards takes, where the log says it.
    pub latency: Option<f64>,
    /// The objects that most guards hang on: node, name, guards.
    pub largest: Vec<(u32, String, u32)>,
    /// Lines that are not understood.
    pub wrong: u32,
    /// The first of them: line, from 1, and text.
    pub wrong_lines: Vec<(u32, String)>,
    /// What else is wrong, as a sentence: a payload that holds no guards.
    pub trouble: Option<String>,
}

/// What a node of a tree of guards is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GuardKind {
    /// An object, or a pair of a key and a value, with what hangs on it.
    Object,
    /// A guard.
    Guard,
    /// A line that is not understood.
    Unreadable,
}

/// A row of a tree of guards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardRow {
    /// The node.
    pub node: u32,
    /// How many nodes hold it, plus one.
    pub level: u32,
    /// Its place among its siblings that show, from 1, and how many they are.
    pub place: (u32, u32),
    /// The row that it hangs below; its own where it hangs below none.
    pub above: u32,
    /// Whether rows below it show; `None` where it has none.
    pub is_open: Option<bool>,
    /// What it is.
    pub kind: GuardKind,
    /// The object, or the guard's class.
    pub title: String,
    /// The object's type, or what the guard demands, as a sentence; a line as it stands.
    pub text: String,
    /// Guards below it that the filter leaves.
    pub below: u32,
    /// File and line that caused the guard.
    pub cause: Option<(String, u32)>,
    /// Whether that file is not PyTorch's.
    pub is_mine: bool,
}

/// One node of a tree of guards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardView {
    /// Its row, where the filter leaves it: with what holds it unfolded.
    pub row: Option<u32>,
    /// What holds it, outermost first.
    pub holders: Vec<u32>,
    /// The object, or the guard's class.
    pub title: String,
    /// What is demanded, as a sentence.
    pub sentence: String,
    /// What else PyTorch notes, as a sentence.
    pub note: Option<String>,
    /// The tensor's facts: name and value.
    pub tensor: Vec<(String, String)>,
    /// What else is known: name and value.
    pub facts: Vec<(String, String)>,
    /// The line that caused it.
    pub cause: Option<FrameView>,
    /// Whether that is not in PyTorch.
    pub is_mine: bool,
    /// Its line in the record's text, where it is known.
    pub line: Option<u32>,
}

/// Names a frame within a log: a function of a process, between two resets of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FrameKey {
    /// Which of the log's processes, from 0.
    pub process: u32,
    /// Which generation of ids, from 0.
    pub generation: u32,
    /// The compiled autograd graph that it runs under.
    pub autograd: Option<u32>,
    /// The frame's id.
    pub frame_id: u32,
}

/// In which order frames stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FrameOrder {
    /// Those that were compiled again most often first.
    Recompiles,
    /// Those on which most seconds were spent in compiling again first.
    Seconds,
}

/// A stretch of the frames that were compiled again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FramePage {
    /// Frames that were compiled again.
    pub total: u32,
    /// Place of the first row here.
    pub first: u32,
    /// The rows.
    pub rows: Vec<FrameRow>,
}

/// What is known of a frame without reading its reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameFacts {
    /// Its name within the log.
    pub key: FrameKey,
    /// The function's name, where the log says it.
    pub function: Option<String>,
    /// The file that defines it.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<i64>,
    /// Compilations; a call that hit the limit is none.
    pub compilations: u32,
    /// Compilations that compiled it again.
    pub recompiles: u32,
    /// Attempts that were given up and started again.
    pub restarts: u32,
    /// Seconds spent on all of them; absent where no metrics tell.
    pub seconds: Option<f64>,
    /// Seconds spent on compiling it again.
    pub seconds_again: Option<f64>,
    /// Whether the recompile limit was hit.
    pub limit: Option<LimitView>,
}

/// That the recompile limit was hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitView {
    /// The call that hit it.
    pub key: CompilationKey,
    /// Its id as it is shown.
    pub label: String,
    /// The limit, where PyTorch says it.
    pub limit: Option<u32>,
    /// Whether the log says so. Otherwise it looks like it, and a log that is cut there looks the same.
    pub is_said: bool,
}

/// A frame that was compiled again, in a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameRow {
    /// What is known of it.
    pub facts: FrameFacts,
    /// The failed guard that speaks for the first remedy, or the first one of all, and the values that it saw.
    pub cause: Option<(Subject, Vec<String>)>,
    /// What helps most.
    pub remedy: Option<AdviceView>,
    /// Whether its reasons were read; they are when all of the log is.
    pub is_read: bool,
}

/// What a guard is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// What it checks.
    pub kind: FailureKind,
    /// What is guarded; the guard as it stands where that is no single thing.
    pub source: String,
    /// The dimension or place.
    pub index: Option<u32>,
    /// What changed, where it is the global state.
    pub state: Vec<GlobalState>,
}

/// Why a frame was compiled again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameHistoryView {
    /// What is known of it.
    pub facts: FrameFacts,
    /// Its compilations in their order, those whose reasons were read.
    pub steps: Vec<StepView>,
    /// Compilations whose reasons were not read, because there are too many.
    pub unread: u32,
    /// The failed guard that speaks for the first remedy, or the first one of all, and the values that it saw.
    pub cause: Option<(Subject, Vec<String>)>,
    /// What failing guards saw over time.
    pub series: Vec<SeriesView>,
    /// What to do, the most useful first.
    pub advice: Vec<AdviceView>,
    /// Whether this PyTorch calls the limit `recompile_limit` (2.7+) and not `cache_size_limit`; absent
    /// where the version is not known.
    pub is_recompile_limit: Option<bool>,
}

/// A compilation of a frame, and why it came to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    /// The compilation.
    pub key: CompilationKey,
    /// Its id as it is shown.
    pub label: String,
    /// How it ended.
    pub status: Status,
    /// What it is to the frame.
    pub role: StepRole,
    /// Attempts that were given up and started again.
    pub restarts: u32,
    /// Seconds that it took.
    pub seconds: Option<f64>,
    /// What the call brought that no cache entry accepted.
    pub brought: Vec<(Subject, String)>,
    /// Why each cache entry could not be used, in PyTorch's order: the newest first.
    pub reasons: Vec<ReasonView>,
    /// The record that says so.
    pub record: Option<RecordIndex>,
    /// Whether these are all that the log says.
    pub is_whole: bool,
    /// Whether only the metrics tell, which name one cache entry.
    pub is_of_metrics: bool,
}

/// What a compilation is to its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepRole {
    /// The first one.
    First,
    /// It compiled the frame again.
    Again,
    /// The call that hit the limit.
    Limit,
}

/// Why one cache entry could not be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReasonView {
    /// The compilation that made the entry, with its label, where the log names it.
    pub entry: Option<(CompilationKey, String)>,
    /// The guards that failed.
    pub failures: Vec<FailedGuard>,
}

/// A guard that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailedGuard {
    /// What it is about.
    pub subject: Subject,
    /// The guard or PyTorch's message as it stands; long ones are cut.
    pub guard: String,
    /// What the cache entry was compiled for.
    pub expected: Option<String>,
    /// What came instead.
    pub actual: Option<String>,
    /// Whether that is not said with the reason, but by the guards of the compilation that followed.
    pub is_inferred: bool,
    /// The line of the program that the guard is due to.
    pub user: Option<FrameView>,
    /// What PyTorch advises.
    pub hint: Option<String>,
    /// Where the guard stands: the record of the entry's guards, and the node in their tree.
    pub node: Option<(RecordIndex, u32)>,
}

/// What a guard saw over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesView {
    /// What it is about.
    pub subject: Subject,
    /// Values, by the number of the compilation within the frame: the first ones.
    pub values: Vec<(u32, String)>,
    /// Values in all.
    pub total: u32,
    /// The compilation from which on any value is accepted.
    pub free_since: Option<u32>,
}

/// What a person can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdviceView {
    /// What.
    pub remedy: RemedyKind,
    /// What it is about; empty where that is no single thing.
    pub source: String,
    /// PyTorch's own word for it: the name of a variable in a closure.
    pub variable: Option<String>,
    /// The dimension.
    pub dim: Option<u32>,
    /// What state of the program.
    pub state: Option<GlobalState>,
    /// Whether the guard says it, or allows other explanations.
    pub is_certain: bool,
    /// How many compilations have such a reason.
    pub recompiles: u32,
    /// Values that the guards saw.
    pub values: Vec<String>,
    /// Compilations that speak for it, with the record that says so.
    pub evidence: Vec<(String, Option<RecordIndex>)>,
}

/// A way to have fewer recompiles: those of `core::analysis::remedy`, numbers apart by their kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // Each is explained to the reader in text/remedies.rs.
pub enum RemedyKind {
    TensorLearningRate,
    TensorInsteadOfInt,
    TensorInsteadOfFloat,
    PassAsArgument,
    KeepInTensor,
    MarkDynamic,
    MarkUnbacked,
    BranchOnSize,
    DuckSizing,
    DynamicParameters,
    MarkConsistently,
    CreateOnce,
    ModuleCounter,
    TrainEvalFlag,
    FewVariants,
    OptionalArgument,
    SameKeys,
    SameLength,
    SameType,
    SameAttributes,
    StableDtype,
    StableStrides,
    StableRank,
    StableDevice,
    StableRequiresGrad,
    StableGradMode,
    StableAutocast,
    StableState,
    Aliasing,
    StableBackend,
    RaiseLimit,
    DisableCompile,
    /// Set an attribute before the first call.
    SetOnce,
}

/// Writes a message for the wire.
///
/// # Errors
/// None occurs for the types of this module; postcard's own error is handed on.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_allocvec(message)
}

/// Reads a message from the wire.
///
/// # Errors
/// Bytes that are no such message.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, postcard::Error> {
    postcard::from_bytes(bytes)
}
