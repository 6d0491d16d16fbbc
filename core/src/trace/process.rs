//! The processes that write into one log, and the strings that each of them interned.

use super::console::Progress;
use super::id::CompileId;
use super::index::SegmentIndex;
use alloc::boxed::Box;
use alloc::vec::Vec;
use hashbrown::{HashMap, HashSet};

/// Up to torch 2.4 the prefix holds a thread id, which on Linux and macOS is larger than any process id.
pub(super) const LARGEST_PROCESS_ID: u64 = u32::MAX as u64;

/// A process that wrote into the log.
#[derive(Debug, Clone, Default)]
pub struct Process {
    /// The process id; absent up to torch 2.4, which writes the thread's instead.
    pub pid: Option<u64>,
    /// Its rank in torch.distributed.
    pub rank: Option<u32>,
    /// The generation of ids that it has come to, from 0.
    pub generation: u32,
    /// The attempts that began in this generation.
    pub(super) started: HashSet<(CompileId, u32)>,
    /// The latest compilation of each id, whatever its generation.
    pub(super) latest: HashMap<CompileId, usize>,
    /// Records of a compilation that may be about to begin.
    pub(super) lead: Option<Lead>,
    /// What other programs put in front of its lines, by a number; 0 where they put nothing there.
    pub(super) front: u32,
    /// How far its compilations have come, as its console messages tell.
    pub(super) progress: Progress,
}

/// Records since an event that says that Dynamo begins with an id. `dynamo_start`, which tells whether a
/// new compilation begins, comes only after them.
#[derive(Debug, Clone)]
pub(super) struct Lead {
    pub(super) id: CompileId,
    pub(super) records: Vec<SegmentIndex>,
}

/// More records than this do not lie before a `dynamo_start`.
pub(super) const LONGEST_LEAD: usize = 64;

/// Processes of one id, or of none, that are told apart by rank and front, at most.
const MOST_ALIKE: usize = 4096;

/// The process that writes as `number`, with that rank and front; a new one where none is known.
///
/// Processes of several ranks can have the same id, each in a container of its own; until a process has
/// told its rank, it is the one with that id. Where a log holds no process id, what stands in front of the
/// lines tells processes apart.
pub(super) fn find(
    processes: &mut Vec<Process>,
    by_pid: &mut HashMap<Option<u64>, Vec<u32>>,
    number: Option<u64>,
    rank: Option<u32>,
    front: u32,
) -> u32 {
    let pid = number.filter(|number| *number <= LARGEST_PROCESS_ID);
    let known = by_pid.entry(pid).or_default();
    for &index in known.iter().rev() {
        let Some(process) = processes.get_mut(index as usize) else {
            continue;
        };
        let same_front = front == 0 || process.front == 0 || process.front == front;
        let same_rank = rank.is_none() || process.rank.is_none() || process.rank == rank;
        if same_rank && same_front {
            process.rank = process.rank.or(rank);
            process.front = process.front.max(front);
            return index;
        }
    }
    if let Some(last) = known.last().filter(|_| known.len() >= MOST_ALIKE) {
        return *last;
    }
    let index = u32::try_from(processes.len()).unwrap_or(u32::MAX);
    known.push(index);
    processes.push(Process {
        pid,
        rank,
        front,
        ..Process::default()
    });
    index
}

/// The strings that processes interned: `{"str": [text, id]}`.
#[derive(Debug, Default)]
pub(super) struct Strings {
    by_process: HashMap<(u32, i64), Box<str>>,
    /// A process that was forked uses the ids that its parent wrote.
    by_id: HashMap<i64, (u32, i64)>,
    bytes: usize,
}

impl Strings {
    pub(super) fn insert(&mut self, process: u32, id: i64, text: &str) {
        self.bytes += text.len();
        self.by_process.insert((process, id), text.into());
        self.by_id.entry(id).or_insert((process, id));
    }

    pub(super) fn get(&self, process: u32, id: i64) -> Option<&str> {
        let own = self.by_process.get(&(process, id));
        own.or_else(|| self.by_process.get(self.by_id.get(&id)?))
            .map(AsRef::as_ref)
    }

    pub(super) fn memory(&self) -> usize {
        self.bytes + self.by_process.capacity() * 40 + self.by_id.capacity() * 24
    }
}
