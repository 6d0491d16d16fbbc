//! Runs among siblings that are written as letters.

use super::*;
use alloc::format;
use alloc::string::String;
use proptest::prelude::*;

/// The runs as text: `A×3` for three times A, `BC` for what repeats nothing.
fn shown(letters: &str) -> String {
    let structures: Vec<u64> = letters.bytes().map(u64::from).collect();
    let shown = repeats(&structures).into_iter().map(|run| {
        let block = &letters[run.start..run.start + run.block];
        match run.times {
            1 => block.into(),
            times => format!("{block}×{times}"),
        }
    });
    shown.collect::<Vec<String>>().join(" ")
}

#[test]
fn blocks_of_one_and_more() {
    for (letters, runs) in [
        ("", ""),
        ("A", "A"),
        ("ABC", "ABC"),
        ("AAAA", "A×4"),
        ("XAAAY", "X A×3 Y"),
        ("ABABAB", "AB×3"),
        ("ABABABA", "AB×3 A"),
        ("EABABABN", "E AB×3 N"),
        ("AAABAAAB", "AAAB×2"),
        ("AABB", "A×2 B×2"),
        ("XYABCABCABCAB", "XY ABC×3 AB"),
    ] {
        assert_eq!(shown(letters), runs, "{letters}");
    }
}

#[test]
fn a_block_longer_than_the_limit_is_not_found_and_one_as_long_is() {
    let letters: String = ('A'..='P').collect();
    assert_eq!(shown(&letters.repeat(3)), format!("{letters}×3"));
    let letters: String = ('A'..='Q').collect();
    assert_eq!(shown(&letters.repeat(3)), letters.repeat(3));
}

proptest! {
    #[test]
    fn runs_are_all_siblings_in_order_and_what_repeats_is_equal(structures in prop::collection::vec(0u64..4, 0..200)) {
        let mut at = 0;
        for run in repeats(&structures) {
            prop_assert_eq!(run.start, at);
            prop_assert!(run.times >= 1 && run.block >= 1);
            at += run.siblings();
            prop_assert!(at <= structures.len());
            let all = &structures[run.start..at];
            prop_assert!(all.chunks(run.block).all(|block| block == &all[..run.block]));
        }
        prop_assert_eq!(at, structures.len());
        // Two equal neighbours are never left in what repeats nothing.
        for run in repeats(&structures).iter().filter(|run| run.times == 1) {
            let all = &structures[run.start..run.start + run.siblings()];
            prop_assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
