//! Opens gzip, in steps of bounded size, within limits that stop archive bombs.

use flate2::bufread::MultiGzDecoder;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

/// Limits on what a file may expand to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text.
    pub total: u64,
    /// Text to compressed bytes, once the text is larger than `free`. Logs reach some 12.
    pub ratio: u64,
    /// Bytes of text up to which the ratio is not asked.
    pub free: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            total: 4 << 30,
            ratio: 200,
            free: 64 << 20,
        }
    }
}

/// Why a gzip stream could not be expanded any further. What came before is good.
#[derive(Debug)]
pub enum GunzipError {
    /// The stream stops before its end.
    Cut,
    /// Its bytes are no gzip, or its checksum does not fit.
    Damaged,
    /// The text would be larger than the limit.
    TooLarge(u64),
    /// The text is that many times as large as the file.
    Bomb(u64),
    /// The file itself could not be read.
    Source(io::Error),
}

impl fmt::Display for GunzipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GunzipError::Cut => f.write_str("the gzip stream stops before its end"),
            GunzipError::Damaged => f.write_str("the gzip stream is damaged"),
            GunzipError::TooLarge(limit) => write!(
                f,
                "its text is larger than {} GB, which is what is kept of a compressed file; \
                 unpack it (gunzip) and open the unpacked file, which is read from disk and not kept",
                limit >> 30
            ),
            GunzipError::Bomb(ratio) => write!(
                f,
                "it expands to more than {ratio} times its size, which no log does; \
                 if it is one all the same, unpack it (gunzip) and open the unpacked file"
            ),
            GunzipError::Source(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for GunzipError {}

/// Expands a gzip file, of one member or several.
pub struct Gunzip<R> {
    decoder: MultiGzDecoder<BufReader<Counted<R>>>,
    limits: Limits,
    text: u64,
}

impl<R: Read> Gunzip<R> {
    /// Expands what `reader` gives.
    pub fn new(reader: R, limits: Limits) -> Self {
        let reader = BufReader::with_capacity(
            256 << 10,
            Counted {
                inner: reader,
                count: 0,
            },
        );
        Gunzip {
            decoder: MultiGzDecoder::new(reader),
            limits,
            text: 0,
        }
    }

    /// Compressed bytes taken so far.
    pub fn taken(&self) -> u64 {
        self.decoder.get_ref().get_ref().count
    }

    /// Expands the next stretch into `out`; gives its length, 0 at the end.
    ///
    /// # Errors
    /// See [`GunzipError`]. Padding with zeros behind the stream, which tar and tapes leave, is none.
    pub fn read(&mut self, out: &mut [u8]) -> Result<usize, GunzipError> {
        let length = match self.decoder.read(out) {
            Ok(length) => length,
            Err(error)
                if error.kind() != io::ErrorKind::UnexpectedEof && self.only_padding_follows() =>
            {
                0
            }
            Err(error) => {
                return Err(match error.kind() {
                    io::ErrorKind::UnexpectedEof => GunzipError::Cut,
                    io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                        GunzipError::Damaged
                    }
                    _ => GunzipError::Source(error),
                });
            }
        };
        self.text += length as u64;
        if self.text > self.limits.total {
            return Err(GunzipError::TooLarge(self.limits.total));
        }
        if self.text > self.limits.free && self.text / self.taken().max(1) > self.limits.ratio {
            return Err(GunzipError::Bomb(self.limits.ratio));
        }
        Ok(length)
    }

    fn only_padding_follows(&mut self) -> bool {
        if self.text == 0 {
            return false;
        }
        let reader = self.decoder.get_mut();
        let mut padding = false;
        loop {
            let length = match reader.fill_buf() {
                // A stream that ends with a wrong checksum has nothing behind it, and is damaged.
                Ok([]) => return padding,
                Ok(bytes) if bytes.iter().all(|b| *b == 0) => bytes.len(),
                _ => return false,
            };
            padding = true;
            reader.consume(length);
        }
    }
}

struct Counted<R> {
    inner: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(out)?;
        self.count += length as u64;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn expand(file: &[u8], limits: Limits) -> (Vec<u8>, Option<GunzipError>) {
        let mut gunzip = Gunzip::new(file, limits);
        let mut out = Vec::new();
        let mut buffer = [0; 1000];
        loop {
            match gunzip.read(&mut buffer) {
                Ok(0) => return (out, None),
                Ok(length) => out.extend_from_slice(&buffer[..length]),
                Err(error) => return (out, Some(error)),
            }
        }
    }

    #[test]
    fn members_one_after_the_other_are_one_text() {
        let file = [gzip(b"one "), gzip(b"two")].concat();
        let (text, error) = expand(&file, Limits::default());
        assert_eq!(text, b"one two");
        assert!(error.is_none());
    }

    #[test]
    fn padding_behind_the_stream_is_no_damage_and_rubbish_is() {
        let (text, error) = expand(
            &[gzip(b"one").as_slice(), &[0; 700]].concat(),
            Limits::default(),
        );
        assert_eq!(text, b"one");
        assert!(error.is_none(), "{error:?}");
        let (text, error) = expand(
            &[gzip(b"one").as_slice(), b"rubbish, and more of it"].concat(),
            Limits::default(),
        );
        assert_eq!(text, b"one");
        assert!(matches!(error, Some(GunzipError::Damaged)), "{error:?}");
    }

    #[test]
    fn a_wrong_checksum_is_damage() {
        let text: Vec<u8> = (0..10_000u32).flat_map(u32::to_le_bytes).collect();
        let good = gzip(&text);
        // The last eight bytes are the checksum and the length of the text.
        for at in good.len() - 8..good.len() {
            let mut file = good.clone();
            file[at] ^= 1;
            let (_, error) = expand(&file, Limits::default());
            assert!(
                matches!(error, Some(GunzipError::Damaged)),
                "byte {at}: {error:?}"
            );
        }
    }

    #[test]
    fn a_cut_stream_gives_what_it_holds() {
        let text: Vec<u8> = (0..100_000u32)
            .flat_map(|i| i.wrapping_mul(i).to_le_bytes())
            .collect();
        let file = gzip(&text);
        for cut in [1, 9, 10, 11, file.len() / 2, file.len() - 1] {
            let (out, error) = expand(&file[..cut], Limits::default());
            assert!(text.starts_with(&out));
            assert!(
                matches!(error, Some(GunzipError::Cut)),
                "cut at {cut}: {error:?}"
            );
        }
    }

    #[test]
    fn limits_stop_bombs() {
        let bomb = gzip(&vec![0; 1 << 20]);
        let limits = Limits {
            total: 1 << 30,
            ratio: 200,
            free: 1 << 16,
        };
        assert!(matches!(
            expand(&bomb, limits).1,
            Some(GunzipError::Bomb(200))
        ));
        let limits = Limits {
            total: 1 << 19,
            ratio: 1 << 40,
            free: 0,
        };
        assert!(matches!(
            expand(&bomb, limits).1,
            Some(GunzipError::TooLarge(_))
        ));
    }
}
