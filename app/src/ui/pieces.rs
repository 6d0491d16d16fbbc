//! Cuts a row of text where its colours and its marks begin and end.

use crate::engine::protocol::{Class, Span};

/// A part of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    /// Its text.
    pub text: &'a str,
    /// What it is; `None` for what has no colour of its own.
    pub class: Option<Class>,
    /// Whether it was found.
    pub mark: Mark,
}

/// How a part of a row is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// It is not.
    None,
    /// It was found.
    Found,
    /// It was found, and is the place where the reader is.
    Current,
    /// It is where the value that the reader looks at is defined.
    Definition,
    /// It is where that value is used.
    Use,
}

/// A place in a row that is marked: start and end in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// How it is marked.
    pub mark: Mark,
}

/// Places with others beside them, in their order; those of `second` that lie on one of `first` are left out.
pub(crate) fn merged(first: Vec<Found>, second: Vec<Found>) -> Vec<Found> {
    if first.is_empty() {
        return second;
    }
    let is_free = |found: &Found| {
        let lies_on = |other: &Found| other.start < found.end && found.start < other.end;
        !first.iter().any(lies_on)
    };
    let free: Vec<Found> = second.into_iter().filter(is_free).collect();
    let mut all = first;
    all.extend(free);
    all.sort_unstable_by_key(|found| found.start);
    all
}

/// The parts of a row, in order. Spans and places that do not fit the text are left out.
pub(crate) fn pieces<'a>(text: &'a str, spans: &[Span], found: &[Found]) -> Vec<Piece<'a>> {
    let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    let mut cuts: Vec<usize> = [0, text.len()]
        .into_iter()
        .chain(
            spans
                .iter()
                .flat_map(|span| [place(span.start), place(span.end)]),
        )
        .chain(
            found
                .iter()
                .flat_map(|found| [place(found.start), place(found.end)]),
        )
        .filter(|cut| text.is_char_boundary(*cut))
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let (mut spans, mut found) = (spans.iter().peekable(), found.iter().peekable());
    let mut out = Vec::with_capacity(cuts.len());
    for (start, end) in cuts.iter().zip(cuts.iter().skip(1)) {
        while spans.next_if(|span| place(span.end) <= *start).is_some() {}
        while found.next_if(|found| place(found.end) <= *start).is_some() {}
        let Some(text) = text.get(*start..*end) else {
            continue;
        };
        let here = |from: u32, to: u32| place(from) <= *start && *end <= place(to);
        out.push(Piece {
            text,
            class: spans
                .peek()
                .filter(|span| here(span.start, span.end))
                .map(|span| span.class),
            mark: match found.peek() {
                Some(found) if here(found.start, found.end) => found.mark,
                _ => Mark::None,
            },
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(start: u32, end: u32) -> Span {
        Span {
            start,
            end,
            class: Class::Number,
        }
    }

    fn found(start: u32, end: u32) -> Found {
        Found {
            start,
            end,
            mark: if start == 2 {
                Mark::Current
            } else {
                Mark::Found
            },
        }
    }

    #[test]
    fn colours_and_marks_cut_each_other() {
        let parts = pieces("abcdefgh", &[span(1, 4), span(6, 8)], &[found(2, 7)]);
        let shown: Vec<_> = parts
            .iter()
            .map(|piece| (piece.text, piece.class.is_some(), piece.mark))
            .collect();
        assert_eq!(
            shown,
            [
                ("a", false, Mark::None),
                ("b", true, Mark::None),
                ("cd", true, Mark::Current),
                ("ef", false, Mark::Current),
                ("g", true, Mark::Current),
                ("h", true, Mark::None),
            ]
        );
        assert!(pieces("", &[], &[]).is_empty());
    }

    #[test]
    fn what_was_found_hides_other_marks() {
        let used = Found {
            start: 4,
            end: 8,
            mark: Mark::Use,
        };
        let free = Found {
            start: 0,
            end: 1,
            ..used
        };
        assert_eq!(
            merged(vec![found(2, 5)], vec![used, free]),
            [free, found(2, 5)]
        );
        assert_eq!(merged(vec![], vec![used]), [used]);
    }

    proptest! {
        #[test]
        fn no_part_of_the_text_is_lost(
            text in "[aé€]{0,20}",
            cuts in proptest::collection::vec((0u32..70, 0u32..70), 0..6),
            marks in proptest::collection::vec((0u32..70, 0u32..70), 0..6),
        ) {
            let spans: Vec<Span> = cuts.iter().map(|(start, end)| span(*start, *end)).collect();
            let found: Vec<Found> = marks.iter().map(|(start, end)| found(*start, *end)).collect();
            let joined: String = pieces(&text, &spans, &found).iter().map(|piece| piece.text).collect();
            prop_assert_eq!(joined, text);
        }
    }
}
