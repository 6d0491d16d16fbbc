//! The names of kinds: what a record is, and what the artifact in it is called.

use alloc::string::String;
use alloc::vec::Vec;
use hashbrown::HashMap;

/// Names a kind within a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KindId(u16);

/// Output of other programs.
pub const TEXT: KindId = KindId(0);
/// Lines behind a tab that follow no record which announces a payload.
pub const STRAY: KindId = KindId(1);
/// A record whose JSON could not be read far enough to tell its kind.
pub const DAMAGED: KindId = KindId(2);

/// A kind of segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// The record's kind, such as `artifact`.
    pub kind: String,
    /// The name that records of this kind carry: the artifact's, the dumped file's.
    pub name: Option<String>,
    /// How many there are.
    pub count: u64,
}

impl Kind {
    /// What it is called where it is listed: its name, or its kind.
    #[must_use]
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.kind)
    }
}

/// The kinds of a trace.
#[derive(Debug)]
pub struct Kinds {
    all: Vec<Kind>,
    /// By kind, then by name; a kind without a name has its own id.
    ids: HashMap<String, Named>,
}

#[derive(Debug, Default)]
struct Named {
    unnamed: Option<KindId>,
    named: HashMap<String, KindId>,
}

impl Default for Kinds {
    fn default() -> Self {
        let mut kinds = Kinds {
            all: Vec::new(),
            ids: HashMap::new(),
        };
        for kind in ["other text", "stray payload", "damaged"] {
            kinds.add(kind, None);
        }
        kinds
    }
}

impl Kinds {
    /// The id of a kind, which is new or known. Names beyond 65,535 are left out, their kinds kept.
    pub fn id(&mut self, kind: &str, name: Option<&str>) -> KindId {
        if let Some(known) = self.ids.get(kind) {
            let id = match name {
                None => known.unnamed,
                Some(name) => known.named.get(name).copied(),
            };
            if let Some(id) = id {
                return id;
            }
        }
        if self.all.len() < usize::from(u16::MAX) {
            return self.add(kind, name);
        }
        self.ids
            .get(kind)
            .and_then(|known| known.unnamed)
            .unwrap_or(DAMAGED)
    }

    fn add(&mut self, kind: &str, name: Option<&str>) -> KindId {
        let id = KindId(u16::try_from(self.all.len()).unwrap_or(u16::MAX));
        let known = self.ids.entry_ref(kind).or_default();
        match name {
            None => known.unnamed = Some(id),
            Some(name) => {
                known.named.insert(name.into(), id);
            }
        }
        self.all.push(Kind {
            kind: kind.into(),
            name: name.map(String::from),
            count: 0,
        });
        id
    }

    /// Counts one more of a kind.
    pub fn count(&mut self, id: KindId) {
        if let Some(kind) = self.all.get_mut(usize::from(id.0)) {
            kind.count += 1;
        }
    }

    /// Counts one as of another kind.
    pub fn recount(&mut self, from: KindId, to: KindId) {
        if let Some(kind) = self.all.get_mut(usize::from(from.0)) {
            kind.count = kind.count.saturating_sub(1);
        }
        self.count(to);
    }

    /// A kind.
    #[must_use]
    pub fn get(&self, id: KindId) -> Option<&Kind> {
        self.all.get(usize::from(id.0))
    }

    /// All kinds of records with their ids, those of no record left out.
    pub fn records(&self) -> impl Iterator<Item = &Kind> {
        self.all
            .iter()
            .skip(usize::from(DAMAGED.0))
            .filter(|kind| kind.count > 0)
    }

    /// Bytes of memory that they take, roughly.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.all
            .iter()
            .map(|k| 2 * (k.kind.len() + k.name.as_ref().map_or(0, String::len) + 64))
            .sum()
    }
}

/// Whether a segment of this kind is a record: something that PyTorch wrote, read or damaged.
#[must_use]
pub fn is_record(id: KindId) -> bool {
    id >= DAMAGED
}
