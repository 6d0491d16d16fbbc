//! What PyTorch and Python print without a prefix of the log: tracebacks, warnings, the warning at the
//! recompile limit, the result of `torch._dynamo.explain`, tables of `compile_times`.
//!
//! Start at [`find`], which goes over text once and says where each of them stands; the readers of the
//! kinds take the rows of a block: [`traceback`](super::traceback), [`warning`](super::warning),
//! [`limit_warning`](super::limit_warning), [`explain`](super::explain) and
//! [`compile_times`](super::compile_times). What others put in front of lines is removed before, by
//! [`Streams`].

mod cursor;
mod foreign;
mod streams;

use super::{compile_times, explain, limit_warning, traceback, warning};
use alloc::vec::Vec;
use core::ops::Range;
pub(super) use cursor::{Cursor, line_start};
use memchr::memmem::Finder;
pub use streams::{Stream, Streams};

/// Something that was found in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its rows, from 0.
    pub rows: Range<u32>,
    /// Its bytes in the text, without the last line end.
    pub bytes: Range<usize>,
    /// What it is.
    pub kind: BlockKind,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockKind {
    /// A Python traceback, with all exceptions of its chain.
    Traceback,
    /// A warning of Python's `warnings`, or one that PyTorch logs in its place.
    Warning,
    /// The warning at the recompile limit.
    LimitWarning,
    /// The printed result of `torch._dynamo.explain`.
    Explain,
    /// What `torch._dynamo.utils.compile_times()` gives.
    CompileTimes,
}

/// How a block of a kind is told: pieces one of which its first line holds, whether a line begins one, and
/// where it ends.
struct Reader {
    kind: BlockKind,
    pieces: &'static [&'static str],
    begins: fn(&str) -> bool,
    end: End,
    /// Rows that are looked at behind what belongs to a block so far.
    ahead: u32,
}

/// Moves the cursor, which stands on the first line, behind the block.
enum End {
    /// The first line has told that it is one.
    Sure(fn(&mut Cursor<'_>)),
    /// The lines behind the first one tell whether it is one. Where it is none, the cursor is moved behind lines
    /// that begin nothing.
    Told(fn(&mut Cursor<'_>) -> bool),
    /// Likewise, and the block begins before the line by which it is told: at the byte that the first function
    /// gives of the text, the byte of that line, and the byte behind the block before.
    Within(fn(&str, usize, usize) -> usize, fn(&mut Cursor<'_>) -> bool),
}

/// Where two readers say 'mine' of one line, the first one has it.
const READERS: [Reader; 7] = [
    Reader {
        kind: BlockKind::Traceback,
        pieces: &[traceback::lines::HEADING],
        begins: traceback::begins,
        end: End::Sure(|cursor| traceback::end(cursor, is_other)),
        ahead: traceback::AHEAD,
    },
    Reader {
        kind: BlockKind::LimitWarning,
        pieces: &[limit_warning::START],
        begins: limit_warning::begins,
        end: End::Sure(limit_warning::end),
        ahead: limit_warning::LONGEST,
    },
    Reader {
        kind: BlockKind::Warning,
        pieces: &["Warning:", warning::ITEM],
        begins: warning::begins,
        end: End::Sure(warning::end),
        ahead: warning::LONGEST,
    },
    Reader {
        kind: BlockKind::Explain,
        pieces: &["Graph Count: ", explain::OLD],
        begins: explain::begins,
        end: End::Sure(explain::end),
        ahead: explain::AHEAD,
    },
    Reader {
        kind: BlockKind::CompileTimes,
        pieces: &[
            compile_times::TITLE,
            compile_times::HEADINGS,
            compile_times::CSV,
        ],
        begins: compile_times::begins,
        end: End::Sure(compile_times::end),
        // The first row of another form ends a table.
        ahead: 0,
    },
    Reader {
        kind: BlockKind::Traceback,
        pieces: &traceback::HEADLESS,
        begins: traceback::begins_headless,
        end: End::Told(|cursor| traceback::end_headless(cursor, is_other)),
        ahead: traceback::AHEAD,
    },
    Reader {
        kind: BlockKind::Traceback,
        pieces: &[traceback::PYTEST],
        begins: traceback::begins_pytest,
        end: End::Within(traceback::start_of_pytest, traceback::end_pytest),
        ahead: traceback::AHEAD,
    },
];

/// The first readers, whose blocks stand in messages of the log too. What the others read people paste.
const IN_MESSAGES: usize = 5;

impl BlockKind {
    /// How many rows behind a block may stand between it and more of it. Where no more than these follow in a
    /// text that goes on, [`find`] may find the block longer with what comes.
    #[must_use]
    pub fn ahead(self) -> u32 {
        let reader = READERS.iter().find(|reader| reader.kind == self);
        reader.map_or(0, |reader| reader.ahead)
    }
}

/// Finds all blocks, in the order in which they stand. Each byte is looked at a bounded number of times.
#[must_use]
pub fn find(text: &str) -> Vec<Block> {
    let pieces = READERS.iter().flat_map(|reader| reader.pieces);
    let mut hits: Vec<Hits<'_>> = pieces.map(|piece| Hits::new(text, piece)).collect();
    let mut blocks: Vec<Block> = Vec::new();
    let mut cursor = Cursor::new(text);
    loop {
        for hits in &mut hits {
            hits.skip_to(cursor.at());
        }
        let Some(next) = hits.iter().filter_map(|hits| hits.next).min() else {
            return blocks;
        };
        let start = line_start(text, next);
        let floor = cursor.clone();
        cursor.skip_to(start);
        let line = cursor.peek().unwrap_or_default();
        let Some(reader) = READERS.iter().find(|reader| (reader.begins)(line)) else {
            cursor.next();
            continue;
        };
        let (mut first, mut ahead) = (cursor.clone(), cursor.clone());
        let is_block = match reader.end {
            End::Sure(end) => {
                end(&mut ahead);
                true
            }
            End::Told(end) => end(&mut ahead),
            End::Within(begin, end) => {
                first = floor.clone();
                first.skip_to(begin(text, start, floor.at()));
                ahead = first.clone();
                end(&mut ahead)
            }
        };
        if ahead.row() <= cursor.row() {
            ahead = cursor.clone();
            ahead.next();
        }
        if is_block {
            blocks.push(Block {
                rows: first.row()..ahead.row(),
                bytes: first.at()..ahead.end_of_last(),
                kind: reader.kind,
            });
        }
        cursor = ahead;
    }
}

/// The places of all pieces by which the blocks of a log's messages are told, in their order: a message without
/// any holds no block. Quick, to leave out most of a large log.
#[must_use]
pub fn hints(text: &[u8]) -> Vec<usize> {
    let readers = READERS.iter().take(IN_MESSAGES);
    let mut hints: Vec<usize> = readers
        .flat_map(|reader| reader.pieces)
        .flat_map(|piece| memchr::memmem::find_iter(text, piece).collect::<Vec<_>>())
        .collect();
    hints.sort_unstable();
    hints
}

/// Whether a line begins something that is no part of an exception's message.
fn is_other(line: &str) -> bool {
    READERS
        .iter()
        .any(|reader| reader.kind != BlockKind::Traceback && (reader.begins)(line))
        || foreign::begins(line)
}

/// The places of a piece of text, one after the other.
struct Hits<'a> {
    text: &'a str,
    finder: Finder<'static>,
    next: Option<usize>,
}

impl<'a> Hits<'a> {
    fn new(text: &'a str, piece: &'static str) -> Self {
        let finder = Finder::new(piece);
        let next = finder.find(text.as_bytes());
        Hits { text, finder, next }
    }

    fn skip_to(&mut self, at: usize) {
        if self.next.is_some_and(|next| next < at) {
            let rest = self.text.as_bytes().get(at..).unwrap_or_default();
            self.next = self.finder.find(rest).map(|found| at + found);
        }
    }
}

#[cfg(test)]
mod tests;
