//! The code in the logs of tests/fixtures, coloured: held against what was reviewed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use dynascope_core::payload::annotation;
use dynascope_core::payload::colour::{Class, Language, Span, State, line};
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A payload and the name of its record or artifact.
struct Payload {
    title: String,
    text: String,
}

/// The payloads of a log, read in the plainest way: what is indented by a tab below a record.
fn payloads(path: &Path) -> Vec<Payload> {
    let bytes = std::fs::read(path).unwrap();
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut gunzip = flate2::read::GzDecoder::new(bytes.as_slice());
        gunzip.read_to_string(&mut text).unwrap();
    } else {
        text = String::from_utf8(bytes).unwrap();
    }
    let mut payloads: Vec<Payload> = Vec::new();
    for line in text.lines() {
        if let Some(content) = line.strip_prefix('\t') {
            let payload = payloads.last_mut().unwrap();
            if !payload.text.is_empty() {
                payload.text.push('\n');
            }
            payload.text.push_str(content);
        } else if let Some(at) = line.find('{') {
            let record: serde_json::Value = serde_json::from_str(&line[at..]).unwrap();
            let kind = |key: &&String| {
                ![
                    "frame_id",
                    "frame_compile_id",
                    "attempt",
                    "has_payload",
                    "rank",
                    "process",
                ]
                .contains(&key.as_str())
            };
            let key = record
                .as_object()
                .unwrap()
                .keys()
                .find(kind)
                .cloned()
                .unwrap_or_default();
            let name = record[&key]["name"].as_str().map(str::to_owned);
            payloads.push(Payload {
                title: name.unwrap_or(key),
                text: String::new(),
            });
        }
    }
    payloads.retain(|payload| !payload.text.is_empty());
    payloads
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/fixtures")
        .join(name)
}

/// Output code for a GPU, which the fixtures have none of: in the form of
/// torch/_inductor/codegen/triton.py, with what is hard to colour.
const TRITON: &str = r#"
triton_poi_fused_add_0 = async_compile.triton('triton_poi_fused_add_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime.hints import DeviceProperties

@triton_heuristics.pointwise(
    size_hints={'x': 1024},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'xnumel': 'i32'}, 'device': DeviceProperties(type='cuda', index=0)},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 64)
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last').to(tl.float32)
    tmp1 = tl.full([1], 1.0e-05, tl.float64)
    tmp2 = triton_helpers.maximum(tmp0, tmp1)
    tl.device_assert((0 <= tmp2) | ~(xmask), "index out of bounds: 0 <= tmp2")
    tl.store(out_ptr0 + (x0), tmp2, xmask)
''', device_str='cuda')

def call(args):
    with torch.cuda._DeviceGuard(0):
        buf0 = empty_strided_cuda((64, ), (1, ), torch.bfloat16)
        # Topologically Sorted Source Nodes: [add], Original ATen: [aten.add]
        stream0 = get_raw_stream(0)
        triton_poi_fused_add_0.run(arg0_1, buf0, 64, stream=stream0)
"#;

#[test]
fn kernels_of_triton_are_coloured_as_it_was_reviewed() {
    insta::assert_snapshot!("triton", marked(Language::Python, TRITON));
}

/// The text with a line of marks under each line that has colours.
fn marked(language: Language, text: &str) -> String {
    let mut out = String::new();
    let mut state = State::default();
    for row in text.split('\n') {
        let mut spans = Vec::new();
        state = line(language, state, row, &mut spans);
        writeln!(out, "{row}").unwrap();
        let mut marks = String::new();
        for Span { start, end, class } in spans {
            let before = row[..start as usize].chars().count();
            marks.extend(std::iter::repeat_n(' ', before - marks.chars().count()));
            let mark = match class {
                Class::Keyword => 'k',
                Class::Name => 'N',
                Class::Builtin => 'b',
                Class::Number => '0',
                Class::String => 's',
                Class::Comment => 'c',
                Class::Operator => '~',
                Class::Type => 'T',
                Class::Decorator => '@',
                Class::Annotation => 'A',
                Class::Key => 'K',
            };
            let width = row[start as usize..end as usize].chars().count();
            marks.extend(std::iter::repeat_n(mark, width));
        }
        if !marks.is_empty() {
            writeln!(out, "{marks}").unwrap();
        }
    }
    out
}

#[test]
fn code_of_the_fixtures_is_coloured_as_it_was_reviewed() {
    for (log, title) in [
        ("torch-2.15.0/rc_shape.log.gz", "aot_inference_graph"),
        ("torch-2.15.0/rc_shape.log.gz", "inductor_output_code"),
        (
            "torch-2.15.0/rc_shape.log.gz",
            "aot_forward_graph_fw_metadata",
        ),
        ("torch-2.15.0/rc_shape.log.gz", "torch_version"),
        ("torch-2.15.0/rc_shape.log.gz", "aotautograd_cache_miss"),
        ("torch-2.3.1/gb_datadep.log", "dynamo_output_graph"),
        ("torch-2.5.1/gb_open.log", "dynamo_output_graph"),
    ] {
        let payloads = payloads(&fixture(log));
        let payload = payloads
            .iter()
            .rfind(|payload| payload.title == title)
            .unwrap_or_else(|| panic!("{log} holds no {title}"));
        let head: String = payload.text.chars().take(400).collect();
        let language = Language::of(title, &head);
        let name = format!("{}-{title}", log.split('/').next().unwrap());
        insta::assert_snapshot!(name, marked(language, &payload.text));
    }
}

#[test]
fn every_payload_of_the_fixtures_ends_with_nothing_open() {
    let mut coloured = 0;
    let mut annotations = 0;
    for path in logs(&fixture("")) {
        for payload in payloads(&path) {
            let head: String = payload.text.chars().take(400).collect();
            let language = Language::of(&payload.title, &head);
            let mut state = State::default();
            for row in payload.text.split('\n') {
                let mut spans = Vec::new();
                state = line(language, state, row, &mut spans);
                for span in spans.iter().filter(|span| span.class == Class::Annotation) {
                    let text = &row[span.start as usize..span.end as usize];
                    assert!(annotation::parse(text).is_some(), "{text}");
                    annotations += 1;
                }
            }
            state = line(language, state, "", &mut Vec::new());
            coloured += usize::from(language != Language::Plain);
            let name = path.display();
            assert!(
                state == State::default(),
                "{name}: {}\n{}",
                payload.title,
                payload.text
            );
        }
    }
    assert!(coloured > 100, "{coloured}");
    assert!(annotations > 100, "{annotations}");
}

/// Every log below a folder.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let mut logs = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            logs.extend(self::logs(&path));
        } else if path.to_string_lossy().contains(".log") {
            logs.push(path);
        }
    }
    logs
}
