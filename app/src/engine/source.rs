//! Files of the browser → bytes at offset. Nothing else of the app touches a file.

use dynascope_core::source::{Source, SourceError, SourceErrorKind};
use js_sys::Uint8Array;
use std::cell::RefCell;
use std::io;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, FileReaderSync};

/// Small reads are answered from a stretch of this many bytes: records lie one behind the other.
const WINDOW: u64 = 1 << 20;

/// A file that the person chose. It is read where it is asked for, and never kept whole.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    /// The byte of the file at which the text starts: behind the mark that may stand in front of UTF-8.
    start: u64,
    length: u64,
    window: RefCell<(u64, Vec<u8>)>,
}

impl FileSource {
    /// The file.
    #[must_use]
    pub fn new(file: File) -> Self {
        // A file's size is a whole number below 2^53.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let length = file.size() as u64;
        FileSource {
            file,
            start: 0,
            length,
            window: RefCell::default(),
        }
    }

    /// The same file without its first bytes.
    #[must_use]
    pub fn behind(&self, bytes: u64) -> Self {
        let bytes = bytes.min(self.length);
        FileSource {
            file: self.file.clone(),
            start: self.start + bytes,
            length: self.length - bytes,
            window: RefCell::default(),
        }
    }

    fn slice(&self, start: u64, end: u64) -> Result<Blob, JsValue> {
        let place = |at: u64| (self.start + at) as f64;
        self.file.slice_with_f64_and_f64(place(start), place(end))
    }

    /// Begins to read a stretch; the engine goes on meanwhile.
    ///
    /// # Errors
    /// Where the browser refuses.
    fn begin(&self, offset: u64, length: u64) -> Result<JsFuture, JsValue> {
        let end = offset.saturating_add(length).min(self.length);
        let blob = self.slice(offset, end)?;
        Ok(JsFuture::from(blob.array_buffer()))
    }

    fn read(&self, offset: u64, length: u64) -> Result<Uint8Array, JsValue> {
        let blob = self.slice(offset, offset + length)?;
        let buffer = FileReaderSync::new()?.read_as_array_buffer(&blob)?;
        Ok(Uint8Array::new(&buffer))
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let error = |kind| SourceError { kind, offset };
        let wanted = out.len() as u64;
        if offset
            .checked_add(wanted)
            .is_none_or(|end| end > self.length)
        {
            return Err(error(SourceErrorKind::Beyond));
        }
        if wanted > WINDOW / 2 {
            let bytes = self
                .read(offset, wanted)
                .map_err(|_| error(SourceErrorKind::Gone))?;
            if u64::from(bytes.length()) != wanted {
                return Err(error(SourceErrorKind::Gone));
            }
            bytes.copy_to(out);
            return Ok(());
        }
        let mut window = self.window.borrow_mut();
        let within = |start: u64, kept: &[u8]| {
            let from = usize::try_from(offset.checked_sub(start)?).ok()?;
            kept.get(from..from.checked_add(out.len())?).map(|_| from)
        };
        if within(window.0, &window.1).is_none() {
            let length = WINDOW.min(self.length - offset);
            let bytes = self
                .read(offset, length)
                .map_err(|_| error(SourceErrorKind::Gone))?;
            *window = (offset, bytes.to_vec());
        }
        let from = within(window.0, &window.1).ok_or(error(SourceErrorKind::Gone))?;
        let bytes = window
            .1
            .get(from..from + out.len())
            .ok_or(error(SourceErrorKind::Gone))?;
        out.copy_from_slice(bytes);
        Ok(())
    }
}

/// Reads a file from start to end, for what expands it.
#[derive(Debug)]
pub struct FileReader<S = std::rc::Rc<FileSource>> {
    source: S,
    at: u64,
}

impl<S: Source> FileReader<S> {
    /// Starts at the first byte.
    #[must_use]
    pub fn new(source: S) -> Self {
        FileReader { source, at: 0 }
    }

    /// Bytes read so far.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.at
    }
}

impl<S: Source> io::Read for FileReader<S> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.source.len() - self.at;
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(out.len());
        let Some(out) = out.get_mut(..length) else {
            return Ok(0);
        };
        if out.is_empty() {
            return Ok(0);
        }
        self.source
            .read_at(self.at, out)
            .map_err(io::Error::other)?;
        self.at += length as u64;
        Ok(length)
    }
}

/// A file in stretches: the next one is on its way while one is taken.
#[derive(Debug)]
pub struct Stretches {
    file: std::rc::Rc<FileSource>,
    length: u64,
    at: u64,
    coming: Result<JsFuture, JsValue>,
}

impl Stretches {
    /// Begins to read a file, so many bytes at a time.
    #[must_use]
    pub fn of(file: std::rc::Rc<FileSource>, length: u64) -> Self {
        let coming = file.begin(0, length);
        Stretches {
            file,
            length,
            at: 0,
            coming,
        }
    }

    /// Bytes that were given so far.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.at
    }

    /// The next stretch; `None` behind the end.
    ///
    /// # Errors
    /// Where the browser refuses, or gives nothing: the file is not as it was.
    pub async fn next(&mut self) -> Option<Result<Uint8Array, JsValue>> {
        if self.at >= self.file.len() {
            return None;
        }
        let bytes = match &mut self.coming {
            Ok(coming) => coming.await.and_then(bytes_of),
            Err(error) => Err(error.clone()),
        };
        let bytes = match bytes {
            Ok(bytes) if bytes.length() > 0 => bytes,
            Ok(_) => return Some(Err(JsValue::NULL)),
            Err(error) => return Some(Err(error)),
        };
        self.at += u64::from(bytes.length());
        self.coming = self.file.begin(self.at, self.length);
        Some(Ok(bytes))
    }
}

/// The bytes of what [`FileSource::begin`] gave.
///
/// # Errors
/// Where the browser gave something else.
fn bytes_of(buffer: JsValue) -> Result<Uint8Array, JsValue> {
    let buffer: js_sys::ArrayBuffer = buffer.dyn_into()?;
    Ok(Uint8Array::new(&buffer))
}
