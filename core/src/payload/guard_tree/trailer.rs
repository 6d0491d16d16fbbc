//! Takes a leaf's line apart: the code, where it comes from, and the hint.

use super::{Frame, GuardTree, Leaf, Span, Trailer, scan};

/// What PyTorch puts before where a guard comes from.
pub(super) const SEPARATOR: &str = "  # ";
/// What PyTorch puts before a hint.
pub(super) const HINT: &str = " (HINT: ";

/// What a [`Trailer::note`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// Sizes 0 and 1 are always compiled for themselves; the line shown is only the first use.
    ZeroOneSpecialization,
    /// Two sizes were equal, so that PyTorch took them for one.
    DuckSizing,
    /// PyTorch does not know where the guard comes from (`<unknown>`, 'unknown source', 'unknown var').
    Unknown,
    /// A float is guarded not to be NaN.
    NanSpecialization,
    /// The frame of the framework behind the user's, and what else comes.
    Other,
}

impl GuardTree {
    /// What a note says.
    #[must_use]
    pub fn note_kind(&self, note: Span) -> NoteKind {
        let text = self.text(note);
        let kinds = [
            ("due to 0/1 specialization", NoteKind::ZeroOneSpecialization),
            ("duck sizing added", NoteKind::DuckSizing),
            ("<unknown>", NoteKind::Unknown),
            ("(unknown source", NoteKind::Unknown),
            ("(unknown var", NoteKind::Unknown),
            ("due to NaN specialization", NoteKind::NanSpecialization),
        ];
        kinds
            .into_iter()
            .find(|(words, _)| text.contains(words))
            .map_or(NoteKind::Other, |(_, kind)| kind)
    }
}

/// Reads what stands behind a leaf's class, or a line of a list. `base` is where the text starts.
pub(super) fn leaf(text: &str, base: usize) -> Leaf {
    // A string may hold anything, the separator too.
    let cut = scan::find_outside_strings(text, SEPARATOR);
    let (code, rest) = text
        .split_at_checked(cut.unwrap_or(text.len()))
        .unwrap_or((text, ""));
    let trailing = cut.is_some();
    let (code, rest, hint) = if trailing {
        let (rest, hint) = split_hint(rest.get(SEPARATOR.len()..).unwrap_or_default());
        (code, rest, hint)
    } else {
        let (code, hint) = split_hint(code);
        (code, "", hint)
    };
    let trimmed = code.trim_end_matches(' ');
    let place = |part: &str| span_in(text, base, part);
    Leaf {
        class: None,
        code: Some(place(trimmed)),
        trailer: trailing.then(|| trailer(rest, &place)),
        hint: hint.map(place),
        padding: u32::try_from(code.len() - trimmed.len()).unwrap_or(0),
    }
}

/// Text before a hint at its end, and the hint.
fn split_hint(text: &str) -> (&str, Option<&str>) {
    match text
        .strip_suffix(')')
        .and_then(|text| text.split_once(HINT))
    {
        Some((before, hint)) => (before, Some(hint)),
        None => (text, None),
    }
}

fn trailer(text: &str, place: &impl Fn(&str) -> Span) -> Trailer {
    let mut start = 0;
    // The program's line may hold separators, too: the frame is behind one of them. The first that fits is
    // it, because shapes append the frames of other guards.
    while let Some(rest) = text.get(start..) {
        let length = rest.find(SEPARATOR);
        let part = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        if let Some((file, line, function)) = frame(part) {
            let source = start
                .checked_sub(SEPARATOR.len())
                .and_then(|end| text.get(..end));
            let after = place(function).end - place(text).start;
            let note = text.get(after as usize..).filter(|note| !note.is_empty());
            return Trailer {
                source: source.map(place),
                frame: Some(Frame {
                    file: place(file),
                    line,
                    function: place(function),
                }),
                note: note.map(place),
            };
        }
        match length {
            Some(length) => start += length + SEPARATOR.len(),
            None => break,
        }
    }
    Trailer {
        source: None,
        frame: None,
        note: Some(place(text)),
    }
}

/// `file:line in function` at the start of a text.
fn frame(text: &str) -> Option<(&str, u32, &str)> {
    let strange = text
        .find(|c| " ()[]{}'\"=,".contains(c))
        .unwrap_or(text.len());
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find(" in ")?;
        let before = text.get(..at)?;
        let digits = before
            .bytes()
            .rev()
            .take(11)
            .take_while(u8::is_ascii_digit)
            .count();
        let (file, number) = before.split_at_checked(at - digits)?;
        if let Some(file) = file.strip_suffix(':')
            && let Ok(line) = number.parse::<u32>()
            && (number == "0" || !number.starts_with('0'))
            && !file.is_empty()
            && (file.ends_with(".py") || file.starts_with('<') || file.len() <= strange)
        {
            let rest = text.get(at + " in ".len()..)?;
            let length = match rest.strip_prefix('<').and_then(|rest| rest.find('>')) {
                // `<resume in forward>` of 2.1 has spaces.
                Some(length) => length + 2,
                None => rest.find(' ').unwrap_or(rest.len()),
            };
            return Some((file, line, rest.get(..length)?));
        }
        // A path that has ` in ` itself.
        from = at + " in ".len();
    }
}

/// The span of a part of `text`, which starts at `base`.
pub(super) fn span_in(text: &str, base: usize, part: &str) -> Span {
    // Both are of one text, so that addresses tell the place; no memory is read by them.
    let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    span(base + offset, part.len())
}

/// The span from `start` on. The text has less than 4 GiB.
pub(super) fn span(start: usize, length: usize) -> Span {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span {
        start: place(start),
        end: place(start + length),
    }
}
