//! Reading speed, as ratios within one run: a newline scan of the text is the reference operation.
//!
//! Reads the file that `DYNASCOPE_BENCH` names, plain or gzip, or a fixture repeated to 256 MB. Each
//! figure is the best of several runs, since a busy machine can only make a run slower.

use dynascope_core::analysis::search::Search;
use dynascope_core::payload::find::Case;
use dynascope_core::source::Source;
use dynascope_core::source::blocks::Blocks;
use dynascope_core::trace::Builder;
use std::hint::black_box;
use std::io::Read;
use std::time::Instant;

const RUNS: usize = 5;
/// Pieces of the size that the engine feeds.
const PIECE: usize = 256 << 10;

fn main() {
    let (name, text) = input();
    println!("{name}: {:.1} MB", megabytes(text.len()));
    let scan = best(|| {
        black_box(memchr::memchr_iter(b'\n', &text).count());
    });
    line("newline scan", &text, scan, scan);
    let indexing = best(|| {
        black_box(index(&text).trace().records);
    });
    line("indexing", &text, indexing, scan);
    let pack = best(|| {
        let mut blocks = Blocks::default();
        text.chunks(PIECE).for_each(|piece| blocks.push(piece));
        black_box(blocks.len());
    });
    line("packing into blocks", &text, pack, scan);
    let builder = index(&text);
    let search = |case| {
        best(|| {
            let mut search = Search::new("torch.ops.aten._softmax", case);
            let mut hits = 0;
            while let Ok(Some(found)) = search.step(builder.trace(), &text) {
                hits += found.len();
            }
            black_box(hits);
        })
    };
    line("searching", &text, search(Case::Matters), scan);
    line("searching in any case", &text, search(Case::Ignored), scan);
    let memory = builder.trace().memory();
    println!(
        "bench: index: {:.2} MB, {:.2} % of the text; {} records, {} compilations",
        megabytes(memory),
        100.0 * memory as f64 / text.len() as f64,
        builder.trace().records,
        builder.trace().compilations.len(),
    );
}

fn input() -> (String, Vec<u8>) {
    if let Some(path) = std::env::var_os("DYNASCOPE_BENCH") {
        let bytes = std::fs::read(&path).unwrap_or_default();
        return (path.to_string_lossy().into_owned(), expanded(bytes));
    }
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/torch-2.15.0/rc_shape.log.gz"
    );
    let text = expanded(std::fs::read(path).unwrap_or_default());
    let times = (256_000_000 / text.len().max(1)).max(1);
    ("rc_shape, repeated".to_owned(), text.repeat(times))
}

fn expanded(bytes: Vec<u8>) -> Vec<u8> {
    let mut text = Vec::new();
    match flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text) {
        Ok(_) => text,
        Err(_) => bytes,
    }
}

fn index(text: &[u8]) -> Builder {
    let mut builder = Builder::default();
    text.chunks(PIECE).for_each(|piece| builder.feed(piece));
    builder.finish();
    builder
}

fn best(mut run: impl FnMut()) -> f64 {
    let times = (0..RUNS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

fn line(what: &str, text: &[u8], seconds: f64, scan: f64) {
    println!(
        "bench: {what}: {:.0} MB/s, {:.1} × the newline scan's time",
        megabytes(text.len()) / seconds,
        seconds / scan
    );
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
