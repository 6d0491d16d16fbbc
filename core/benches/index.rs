//! Speed, as ratios within one run: a newline scan of the text is the reference operation of reading.
//!
//! Reads the file that `DYNASCOPE_BENCH` names, plain or gzip, or a fixture repeated to 256 MB. Each
//! figure is the best of several runs, since a busy machine can only make a run slower.

#[path = "../layout/tests/fx_like/mod.rs"]
mod fx_like;

use dynascope_core::analysis::graph_summary::summarise;
use dynascope_core::analysis::guard_diff::compare;
use dynascope_core::analysis::search::Search;
use dynascope_core::layout::{Diagram, lay_out};
use dynascope_core::payload::find::Case;
use dynascope_core::payload::fx_graph::FxGraph;
use dynascope_core::payload::guard_tree::GuardTree;
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
    console();
    guards();
    layouts();
    graphs();
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

/// A log of `TORCH_LOGS=+dynamo`, repeated: most of its records are a line.
fn console() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/torch-2.15.0/console/+dynamo.rc_shape.txt.gz"
    );
    let text = expanded(std::fs::read(path).unwrap_or_default());
    let text = text.repeat((64_000_000 / text.len().max(1)).max(1));
    let scan = best(|| {
        black_box(memchr::memchr_iter(b'\n', &text).count());
    });
    let indexing = best(|| {
        black_box(index(&text).trace().records);
    });
    line("indexing a console log", &text, indexing, scan);
    let builder = index(&text);
    println!(
        "bench: index of it: {:.2} % of the text; {} records",
        100.0 * builder.trace().memory() as f64 / text.len() as f64,
        builder.trace().records
    );
}

/// Trees of 10,000 guards, as a model with many parameters has them.
#[allow(clippy::expect_used)] // The trees are made here.
fn guards() {
    let tree = |size: usize| {
        let mut text = String::from("\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n");
        for i in 0..5_000 {
            text.push_str(&format!(
                "| +- GuardManager: source=L['self'].w{i}, accessed_by=GetAttrGuardAccessor(w{i}), type=<class 'torch.nn.Parameter'>, tag_safe=(True, False)\n\
                 | | +- TENSOR_MATCH: check_tensor(L['self'].w{i}, Parameter, DispatchKeySet(CPU), torch.float32, device=None, requires_grad=True, size=[{size}, 8], stride=[8, 1])  # return x @ w  # demo.py:{i} in f\n\
                 | | +- NO_HASATTR: hasattr(L['self'].w{i}, '_dynamo_dynamic_indices') == False\n"
            ));
        }
        text
    };
    let (old, new) = (tree(4), tree(5));
    let read = |text: &str| GuardTree::parse(text).expect("a tree of guards");
    let reading = best(|| {
        black_box(read(&old).nodes().len());
    });
    let (before, after) = (read(&old), read(&new));
    let comparing = best(|| {
        black_box(compare(&before, &after).len());
    });
    println!(
        "bench: reading 10,000 guards: {:.1} ms; comparing two such trees {:.1} ms",
        reading * 1e3,
        comparing * 1e3
    );
}

/// Graphs as FX makes them; the reference operation is to parse the same graph as JSON.
#[allow(clippy::expect_used)] // The text is made here.
fn layouts() {
    for size in [1_000, 10_000, 100_000] {
        let diagram = fx_like::graph(fx_like::FAMILIES[1], size, 1);
        let text = json(&diagram);
        let parsing = best(|| {
            let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            black_box(value);
        });
        let placing = best(|| {
            black_box(lay_out(&diagram, None).crossings);
        });
        println!(
            "bench: laying out a graph of {} nodes and {} edges: {:.1} ms, {:.1} × the time to parse it as JSON",
            diagram.nodes.len(),
            diagram.edges.len(),
            placing * 1e3,
            placing / parsing
        );
    }
}

fn json(diagram: &Diagram) -> String {
    let mut inputs = vec![Vec::new(); diagram.nodes.len()];
    for link in &diagram.edges {
        inputs[link.to as usize].push(link.from);
    }
    let nodes = diagram.nodes.iter().zip(inputs).map(|(node, inputs)| {
        format!(
            r#"{{"name":"node_{}","op":"call_function","target":"torch.ops.aten.add.Tensor","width":{},"height":{},"args":{inputs:?}}}"#,
            node.key, node.width, node.height
        )
    });
    format!("[{}]", nodes.collect::<Vec<_>>().join(","))
}

/// A graph of 10,000 nodes.
#[allow(clippy::expect_used)] // The graph is made here.
fn graphs() {
    const TYPE: &str = "f32[8, 512][512, 1]cuda:0";
    let mut text = format!("class G(torch.nn.Module):\n    def forward(self, n0: \"{TYPE}\"):\n");
    for i in 1..=10_000 {
        if i % 4 == 1 {
            text.push_str(
                "\n        # File: /srv/demo/model.py:16 in forward, code: x = l(x).relu()\n",
            );
        }
        let (last, far) = (i - 1, i / 2);
        text.push_str(&format!(
            "        n{i}: \"{TYPE}\" = torch.ops.aten.addmm.default(n{last}, n{far}, [1, 2], beta = n{last});  n{far} = None\n"
        ));
    }
    text.push_str("        return (n10000,)\n");
    let read = |text: &str| FxGraph::parse(text).expect("a graph");
    let reading = best(|| {
        black_box(read(&text).nodes().len());
    });
    let graph = read(&text);
    let counting = best(|| {
        black_box(summarise(&graph, 0).calls);
    });
    println!(
        "bench: reading a graph of 10,000 nodes: {:.1} ms; summing it up {:.1} ms",
        reading * 1e3,
        counting * 1e3
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
