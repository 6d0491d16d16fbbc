//! What the page and the engine say to each other: the one place that both sides read.
//!
//! Start at [`ToEngine`] and [`FromEngine`]. Every message is one of them, written with postcard into
//! an `ArrayBuffer` that is transferred, never copied. Files cross beside the message, as the
//! browser's own handles. What a view shows comes as plain data from here; a view parses nothing.

mod compilation;
mod diff;
mod failure;
mod frame;
mod graph;
mod graph_break;
mod guard;
mod overview;
mod record;
mod search;
mod stack;
mod text;

pub use compilation::{
    ArtifactRow, Cache, Column, CompilationKey, CompilationPage, CompilationRow, CompilationView,
    Direction, EvidenceRow, FailureView, FrameCompilation, MAX_OF_FRAME, Sort, Status,
};
pub use diff::{
    CauseView, DiffRow, DiffView, Differing, MAX_DIFFERING, Side, TextDiffPage, TextPair,
};
pub use failure::{
    Certainty, CodeFrame, Component, Evidence, ExplainReport, FailureKind, FailureReport, Findings,
    LimitReport, Link, Occurrences, RaisedView, Run, StackKind, TimeRow, TimesReport, WarningGroup,
    WarningKind, WarningReport,
};
pub use frame::{
    AdviceView, CallerView, FailedGuard, FrameFacts, FrameHistoryView, FrameKey, FrameOrder,
    FramePage, FrameRow, GlobalState, GuardFailureKind, LimitView, ReasonView, RemedyKind,
    SeriesView, StepRole, StepView, Subject,
};
pub use graph::{
    AgainstView, FIRST_BASELINE, GraphNodeRow, GraphNodeView, GraphNodesPage, GraphShown,
    GraphSummary, GraphTrouble, GraphView, LETTER_WIDTH, NodeChange, Occurrence, OpClass, Picture,
    PictureBox, PictureLink, SECOND_BASELINE, TEXT_INSET, TITLE_HEIGHT, UserLine, ValueView, What,
};
pub use graph_break::{BreakKind, BreakMessage, BreakRow, BreaksPage, SkippedFrame};
pub use guard::{
    GuardFilter, GuardFolds, GuardHead, GuardKind, GuardPage, GuardRow, GuardView, GuardsShown,
};
pub use overview::{Overview, ProblemRow, Progress, ReadState};
pub use record::{Checksum, RecordPage, RecordRow, RecordView};
pub use search::{Case, Hit, MAX_HITS, MAX_MATCHES, Match, Query, SearchState};
use serde::{Deserialize, Serialize};
pub use stack::{FrameView, StackEnd, StackNode, StackTrie};
pub use text::{Class, Form, Language, MAX_ROW_BYTES, Span, TextKey, TextPage, TextRow};

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
    /// Where graphs broke. Answer: [`Answer::Breaks`].
    Breaks {
        /// The log.
        log: LogId,
        /// How many places, from the first one on.
        count: u32,
    },
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
    /// To [`Question::Breaks`].
    Breaks(Box<BreaksPage>),
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
