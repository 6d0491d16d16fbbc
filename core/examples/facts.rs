//! Prints what the core knows of logs as JSON: the API's own example, and the way to check it from a script.
//!
//! `cargo run --release -p dynascope-core --example facts -- FILE|FOLDER…`
//!
//! A folder is searched for files below it; those that hold no record are named with what was found.
//! A list whose reading is not built yet is absent, not empty. Generations and processes count from 0.
//! `kind` is what the log begins as: a `trace`, or messages of the `console`. Either may hold the other, too.
//! `graph_breaks` has an object for each record that tells of one.
//! `recompiles` has an object for each compilation of a frame that was compiled before, in the order in
//! which they began, with the reasons that the log holds; a call that hit the recompile limit has one too.

use dynascope_core::analysis::recompiles::reasons_of;
use dynascope_core::log::recognise::{LogKind, recognise as log_recognise};
use dynascope_core::payload::graph_break;
use dynascope_core::payload::recompile::{GuardFailure, Reason};
use dynascope_core::source::blocks::Blocks;
use dynascope_core::source::encoding::{Decoder, encoding};
use dynascope_core::source::gunzip::{Gunzip, Limits};
use dynascope_core::source::recognise::{FileKind, HEAD, recognise};
use dynascope_core::source::returns::{self, Returns};
use dynascope_core::source::{Source, SourceError, SourceErrorKind};
use dynascope_core::trace::compilation::{Artifact, Cache, Cause, Compilation};
use dynascope_core::trace::names::is_record;
use dynascope_core::trace::{Builder, Checksum, Trace};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

fn main() -> ExitCode {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        eprintln!("usage: facts FILE|FOLDER…");
        return ExitCode::from(2);
    }
    let mut files = Vec::new();
    for path in &paths {
        collect(path, &mut files);
    }
    let mut all_read = true;
    let logs: Vec<Value> = files
        .iter()
        .map(|(path, chosen)| match facts(path) {
            Ok(facts) => facts,
            Err(error) => {
                // A folder may hold anything; a file that was named was meant.
                all_read &= !chosen;
                json!({ "name": name(path), "error": error })
            }
        })
        .collect();
    println!("{:#}", json!({ "logs": logs }));
    if all_read {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Files below a path in the order of their names, and whether they were named themselves.
fn collect(path: &Path, files: &mut Vec<(PathBuf, bool)>) {
    let Ok(folder) = path.read_dir() else {
        files.push((path.into(), true));
        return;
    };
    let mut below: Vec<PathBuf> = folder
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    below.sort();
    for path in below {
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push((path, false));
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

pub(crate) fn facts(path: &Path) -> Result<Value, String> {
    let Opened {
        mut builder,
        source,
        broke_off,
    } = open(path)?;
    check_payloads(&mut builder, source.as_ref());
    let mut facts = log_facts(builder.trace(), &name(path), broke_off);
    let mut head =
        vec![0; usize::try_from(source.len()).map_or(HEAD_OF_LOG, |l| l.min(HEAD_OF_LOG))];
    source
        .read_at(0, &mut head)
        .map_err(|error| error.to_string())?;
    if let Some(facts) = facts.as_object_mut() {
        let recompiles = recompiles(builder.trace(), source.as_ref());
        facts.insert("recompiles".into(), recompiles);
        let kind = log_recognise(&head).map(|kind| match kind {
            LogKind::Trace => "trace",
            LogKind::Console => "console",
        });
        facts.insert("kind".into(), kind.into());
        let breaks = graph_breaks(builder.trace(), source.as_ref());
        facts.insert("graph_breaks".into(), breaks);
    }
    Ok(facts)
}

/// Bytes by which a log's kind is told.
const HEAD_OF_LOG: usize = 1 << 20;

/// A log that was read to its end.
pub(crate) struct Opened {
    pub(crate) builder: Builder,
    pub(crate) source: Box<dyn Source>,
    /// Why a compressed log could not be read to its end.
    broke_off: Option<String>,
}

/// A file whose text is not as it stands.
enum Expand {
    Gzip(Box<Gunzip<File>>),
    Text(File),
}

impl Expand {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, String> {
        match self {
            Expand::Gzip(gunzip) => gunzip.read(out).map_err(|error| error.to_string()),
            Expand::Text(file) => file.read(out).map_err(|error| error.to_string()),
        }
    }
}

pub(crate) fn open(path: &Path) -> Result<Opened, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let mut head = Vec::new();
    (&mut file)
        .take(HEAD as u64)
        .read_to_end(&mut head)
        .map_err(|error| error.to_string())?;
    file.rewind().map_err(|error| error.to_string())?;
    let mut builder = Builder::default();
    let mut broke_off = None;
    let source: Box<dyn Source> = match recognise(&head) {
        FileKind::Empty => return Err("the file is empty".into()),
        FileKind::Text if encoding(&head).mark == 0 => {
            let mut buffer = vec![0; 1 << 20];
            loop {
                match file.read(&mut buffer).map_err(|error| error.to_string())? {
                    0 => break,
                    length => builder.feed(&buffer[..length]),
                }
            }
            Box::new(FileSource::new(file)?)
        }
        kind @ (FileKind::Gzip | FileKind::Text | FileKind::Utf16) => {
            let mut expand = match kind {
                FileKind::Gzip => Expand::Gzip(Gunzip::new(file, Limits::default()).into()),
                _ => Expand::Text(file),
            };
            let mut blocks = Blocks::default();
            let mut take = |text: &[u8]| {
                blocks.push(text);
                builder.feed(text);
            };
            let (mut decoder, mut decoded) = (Decoder::new(), Vec::new());
            let mut buffer = vec![0; 256 << 10];
            loop {
                match expand.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(length) => take(decoder.decode(&buffer[..length], &mut decoded)),
                    Err(error) => {
                        broke_off = Some(error);
                        break;
                    }
                }
            }
            take(decoder.finish(&mut decoded));
            Box::new(blocks)
        }
        FileKind::Archive(what) | FileKind::Foreign(what) => {
            return Err(format!("the file is a {what}"));
        }
    };
    builder.finish();
    let (builder, source) = with_line_feeds(builder, source)?;
    if builder.trace().records == 0 {
        return Err(broke_off.unwrap_or_else(|| {
            "no record of TORCH_TRACE and no message of TORCH_LOGS is in it".into()
        }));
    }
    Ok(Opened {
        builder,
        source,
        broke_off,
    })
}

/// Reads a text anew that is one line because carriage returns end its lines.
fn with_line_feeds(
    builder: Builder,
    source: Box<dyn Source>,
) -> Result<(Builder, Box<dyn Source>), String> {
    let length = |most: u64| usize::try_from(source.len().min(most)).unwrap_or(0);
    let mut head = vec![0; length(returns::HEAD as u64)];
    let read = source.read_at(0, &mut head);
    read.map_err(|error| error.to_string())?;
    if builder.lines() > 1 || !returns::ends_lines(&head) {
        return Ok((builder, source));
    }
    let (mut builder, mut buffer) = (Builder::default(), vec![0; length(1 << 20)]);
    let source = Returns(source);
    let mut at = 0;
    while at < source.len() {
        let left = usize::try_from(source.len() - at).unwrap_or(usize::MAX);
        let piece = &mut buffer[..left.min(1 << 20)];
        let read = source.read_at(at, piece);
        read.map_err(|error| error.to_string())?;
        builder.feed(piece);
        at += piece.len() as u64;
    }
    builder.finish();
    Ok((builder, Box::new(source)))
}

fn check_payloads(builder: &mut Builder, source: &dyn Source) {
    let all = u32::try_from(builder.trace().index.len()).unwrap_or(u32::MAX);
    for index in 0..all {
        if matches!(builder.trace().check(source, index), Ok(Checksum::Differs)) {
            builder.note_checksum_differs(index);
        }
    }
}

fn log_facts(trace: &Trace, name: &str, broke_off: Option<String>) -> Value {
    let rank = trace
        .processes
        .iter()
        .find_map(|process| process.rank)
        .or_else(|| rank_of(name));
    let (mut by_kind, mut by_artifact) = (Map::new(), Map::new());
    for kind in trace.kinds.records() {
        add(&mut by_kind, &kind.kind, kind.count);
        if let Some(name) = kind.name.as_ref().filter(|_| kind.kind == "artifact") {
            add(&mut by_artifact, name, kind.count);
        }
    }
    let health: Map<String, Value> = trace
        .health
        .found()
        .iter()
        .map(|found| (found.name().into(), found.count.into()))
        .collect();
    let mut facts = json!({
        "name": name,
        "rank": rank,
        "torch_version": trace.torch_version(),
        "bytes": bytes(trace),
        "records": { "total": trace.records, "by_kind": by_kind, "by_artifact": by_artifact },
        "health": health,
        "compilations": trace.compilations.iter().map(|c| compilation(trace, c)).collect::<Vec<_>>(),
        "outside": artifacts(trace, &trace.outside),
        "chromium_events": trace.chromium_events,
        "failures": trace.failures().map(|(compilation, failure)| {
            let (kind, file, line) = match &failure.cause {
                Cause::Exception { kind, file, line } => (kind.as_deref(), file.as_deref(), *line),
                Cause::RecompileLimit => (None, None, None),
            };
            json!({
                "id": format!("[{}]", compilation.key.id),
                "generation": compilation.key.generation,
                "type": kind,
                "reason": failure.reason,
                "file": file,
                "line": line,
            })
        }).collect::<Vec<_>>(),
    });
    if let (Some(reason), Some(facts)) = (broke_off, facts.as_object_mut()) {
        facts.insert("broke_off".into(), reason.into());
    }
    facts
}

fn add(counts: &mut Map<String, Value>, key: &str, count: u64) {
    let before = counts.get(key).and_then(Value::as_u64).unwrap_or(0);
    counts.insert(key.into(), (before + count).into());
}

/// How the bytes of the text divide; together they are all of it.
fn bytes(trace: &Trace) -> Value {
    let (mut records, mut other) = (0, 0);
    for (index, entry) in trace.index.iter() {
        let length = trace
            .index
            .range(index)
            .map_or(0, |range| range.end - range.start);
        *(if is_record(entry.kind) {
            &mut records
        } else {
            &mut other
        }) += length;
    }
    json!({ "total": trace.index.length, "records": records, "other": other })
}

fn compilation(trace: &Trace, compilation: &Compilation) -> Value {
    json!({
        "id": format!("[{}]", compilation.key.id),
        "process": compilation.key.process,
        "generation": compilation.key.generation,
        "function": compilation.function,
        "file": compilation.file,
        "line": compilation.line,
        "status": compilation.status().name(),
        "attempts": compilation.attempts,
        "ops": compilation.metrics.and_then(|metrics| metrics.ops),
        "guards": compilation.metrics.and_then(|metrics| metrics.guards),
        "metrics_records": compilation.metrics_records.len(),
        "artifacts": artifacts(trace, &compilation.artifacts),
    })
}

/// The most that is read of one compilation's reasons.
const LARGEST_REASONS: usize = 16 << 20;

fn recompiles(trace: &Trace, source: &dyn Source) -> Value {
    let again = |c: &&Compilation| c.key.id.frame_compile_id.is_some_and(|id| id > 0);
    let one = |compilation: &Compilation| {
        let reasons = reasons_of(trace, source, compilation, LARGEST_REASONS)
            .ok()?
            .reasons;
        (!reasons.is_empty()).then(|| {
            json!({
                "id": format!("[{}]", compilation.key.id),
                "generation": compilation.key.generation,
                "process": compilation.key.process,
                "function": compilation.function,
                "reasons": reasons.iter().map(reason).collect::<Vec<_>>(),
            })
        })
    };
    trace
        .compilations
        .iter()
        .filter(again)
        .filter_map(one)
        .collect()
}

fn graph_breaks(trace: &Trace, source: &dyn Source) -> Value {
    let one = |record: u32| {
        let kind = trace.kind_of(record)?;
        if kind.name.as_deref() != Some("dynamo_graph_break_reason") {
            return None;
        }
        let segment = trace.segment(source, record).ok()??;
        let text = segment.payload.read(source, LARGEST_REASONS).ok()?;
        let found = graph_break::read(&String::from_utf8_lossy(&text))?;
        let entry = trace.index.get(record)?;
        let compilation = entry.compilation().and_then(|i| trace.compilations.get(i));
        Some(json!({
            "id": compilation.map(|c| format!("[{}]", c.key.id)),
            "generation": compilation.map(|c| c.key.generation),
            "attempt": entry.attempt,
            "file": found.file,
            "line": found.line,
            "function": found.function,
            "reason": found.reason(),
            "skip": found.is_skip,
        }))
    };
    let all = trace.index.iter().map(|(record, _)| record);
    all.filter_map(one).collect()
}

fn reason(reason: &Reason) -> Value {
    json!({
        "entry": reason.entry.map(|id| format!("[{id}]")),
        "parts": reason.parts.iter().map(part).collect::<Vec<_>>(),
    })
}

fn part(failure: &GuardFailure) -> Value {
    json!({
        "kind": failure.kind.name(),
        "source": failure.source,
        "guard": failure.guard,
        "expected": failure.expected,
        "actual": failure.actual,
        "index": failure.index,
        "user": failure.user.as_ref().map(|user| json!({
            "file": user.file,
            "line": user.line,
            "function": user.function,
            "code": user.code,
        })),
    })
}

fn artifacts(trace: &Trace, artifacts: &[Artifact]) -> Value {
    let one = |artifact: &Artifact| {
        let kind = trace
            .index
            .get(artifact.record)
            .and_then(|entry| trace.kinds.get(entry.kind));
        json!({
            "name": kind.map(|kind| kind.title()),
            "bytes": artifact.bytes,
            "cache": artifact.cache.map(Cache::name),
        })
    };
    artifacts.iter().map(one).collect()
}

/// The rank in the name that PyTorch gives a log: `dedicated_log_torch_trace_rank_3_….log`.
fn rank_of(name: &str) -> Option<u32> {
    let digits = name.split_once("rank_")?.1;
    digits
        .split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// A file, read where it is asked for.
struct FileSource {
    file: Mutex<File>,
    length: u64,
}

impl FileSource {
    fn new(file: File) -> Result<Self, String> {
        let length = file.metadata().map_err(|error| error.to_string())?.len();
        Ok(FileSource {
            file: Mutex::new(file),
            length,
        })
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let gone = SourceError {
            kind: SourceErrorKind::Gone,
            offset,
        };
        let mut file = self.file.lock().map_err(|_| gone)?;
        file.seek(SeekFrom::Start(offset)).map_err(|_| gone)?;
        file.read_exact(out).map_err(|_| SourceError {
            kind: SourceErrorKind::Beyond,
            offset,
        })
    }
}
