//! Tells one text from another without reading all of it.

use super::{Source, SourceError};
use alloc::string::String;
use core::fmt::Write as _;
use md5::{Digest, Md5};

/// Bytes of either end that are looked at.
const END: u64 = 64 << 10;

/// Sixteen hexadecimal digits that stand for a text: its size, its first 64 KiB and its last. Two runs of a
/// program differ in the times at both ends; a log and the same log compressed do not differ.
///
/// # Errors
/// What the source gives.
pub fn fingerprint(source: &dyn Source) -> Result<String, SourceError> {
    let length = source.len();
    let mut hash = Md5::new();
    hash.update(length.to_le_bytes());
    let mut end = alloc::vec![0; usize::try_from(length.min(END)).unwrap_or(0)];
    for start in [0, length.saturating_sub(END)] {
        source.read_at(start, &mut end)?;
        hash.update(&end);
    }
    let mut out = String::with_capacity(16);
    for byte in hash.finalize().iter().take(8) {
        // Writing into a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::blocks::Blocks;
    use alloc::vec::Vec;

    fn text(length: u32) -> Vec<u8> {
        (0..length)
            .flat_map(|at| at.wrapping_mul(at).to_le_bytes())
            .collect()
    }

    #[test]
    fn a_change_at_either_end_or_of_the_size_shows() {
        let good = text(100_000);
        let print = fingerprint(&good).unwrap();
        assert_eq!(print.len(), 16);
        for at in [0, 65_535, good.len() - 65_536, good.len() - 1] {
            let mut other = good.clone();
            other[at] ^= 1;
            assert_ne!(fingerprint(&other).unwrap(), print, "byte {at}");
        }
        let mut longer = good;
        longer.insert(200_000, b'x');
        assert_ne!(fingerprint(&longer).unwrap(), print);
        for few in [0, 1, 1000] {
            assert_ne!(fingerprint(&text(few)).unwrap(), print);
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn a_text_and_the_same_text_out_of_gzip_have_one_fingerprint() {
        use crate::source::gunzip::{Gunzip, Limits};
        use flate2::{Compression, write::GzEncoder};
        use std::io::Write as _;
        for length in [0, 10, 40_000] {
            let plain = text(length);
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&plain).unwrap();
            let file = encoder.finish().unwrap();
            let mut gunzip = Gunzip::new(file.as_slice(), Limits::default());
            let mut blocks = Blocks::default();
            let mut buffer = [0; 10_000];
            loop {
                match gunzip.read(&mut buffer).unwrap() {
                    0 => break,
                    taken => blocks.push(&buffer[..taken]),
                }
            }
            assert_eq!(fingerprint(&blocks).unwrap(), fingerprint(&plain).unwrap());
        }
    }
}
