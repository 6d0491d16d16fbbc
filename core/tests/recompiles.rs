//! Why frames were compiled again, and what to do about it: the histories of fixtures held against what
//! was reviewed, and those of the corpus's `rc_*` scripts against what each script does.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;

#[allow(dead_code)]
#[path = "../examples/facts.rs"]
mod facts;

use dynascope_core::analysis::recompiles::{History, frames, history};
use dynascope_core::analysis::remedy::remedies;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The frames of a log that were compiled again, as text.
fn shown(log: &Path) -> String {
    let log = facts::open(log).unwrap();
    let trace = log.builder.trace();
    let mut out = String::new();
    for frame in frames(trace) {
        if frame.recompiles == 0 && frame.limit.is_none() {
            continue;
        }
        let function = frame.function(trace).and_then(|c| c.function.clone());
        let read = history(trace, log.source.as_ref(), frame).unwrap();
        write!(out, "{}", function.as_deref().unwrap_or("?")).unwrap();
        show(&mut out, &read);
    }
    out
}

fn show(out: &mut String, history: &History) {
    let frame = &history.frame;
    write!(out, ": {} recompiles", frame.recompiles).unwrap();
    if let Some(limit) = frame.limit {
        write!(out, ", limit {:?} {:?}", limit.limit, limit.sign).unwrap();
    }
    out.push('\n');
    for step in history.steps.iter().filter(|step| !step.reasons.is_empty()) {
        let id = step.frame_compile_id.unwrap();
        for (i, reason) in step.reasons.iter().enumerate() {
            let entry = reason.entry.and_then(|id| id.frame_compile_id).unwrap();
            let id = if i == 0 {
                id.to_string()
            } else {
                String::new()
            };
            write!(out, "  {id:>2} <{entry}:").unwrap();
            for failure in &reason.parts {
                write!(out, " {}", failure.kind.name()).unwrap();
                for value in [&failure.source, &failure.expected, &failure.actual] {
                    write!(out, " {}", value.as_deref().unwrap_or("-")).unwrap();
                }
                if let Some(index) = failure.index {
                    write!(out, " at {index}").unwrap();
                }
                for state in &failure.state {
                    write!(out, " {state:?}").unwrap();
                }
                if let Some(user) = &failure.user {
                    let file = user.file.rsplit('/').next().unwrap();
                    write!(out, " ({file}:{})", user.line).unwrap();
                }
            }
            out.push('\n');
        }
    }
    for series in &history.series {
        let values: Vec<_> = series
            .values
            .iter()
            .map(|(id, value)| format!("{id}={value}"))
            .collect();
        writeln!(
            out,
            "  saw {} {}: {}",
            series.kind.name(),
            series.source,
            values.join(" ")
        )
        .unwrap();
    }
    for advice in remedies(history) {
        let values = advice.values.join(" ");
        writeln!(
            out,
            "  {:?} {:?} x{} [{values}]",
            advice.certainty, advice.remedy, advice.recompiles
        )
        .unwrap();
    }
}

#[test]
fn histories_of_fixtures_are_those_that_were_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    for log in [
        "torch-2.15.0/rc_shape.log.gz",
        "torch-2.15.0/small_all.log.gz",
        "torch-2.5.1/rc_limit.log",
        "torch-2.3.1/rc_limit.log",
        "torch-2.11.0/console/recompiles,guards.rc_adam_lr.txt.gz",
        "torch-2.14.1/console/recompiles,guards.rc_kinds.txt.gz",
    ] {
        insta::assert_snapshot!(
            format!("history-{}", log.replace('/', "-")),
            shown(&folder.join(log))
        );
    }
}

/// What a script's frame shows: reasons as lines of [`shown`], and remedies among the first three.
struct Case {
    trace: &'static str,
    frame: &'static str,
    reasons: &'static [&'static str],
    remedies: &'static [&'static str],
}

const SIZES: &[&str] = &[
    "1 <0: size x 2 3 at 0",
    "2 <1: size x 3 4 at 0",
    "<0: size x 2 4 at 0",
    "8 <7: size x 9 10 at 0",
];

/// The scripts of the corpus by version, frame by frame: what was changed, and what helps.
/// Remedies among which those that fit stand: the most expensive causes come first, with up to two remedies each.
const FIRST: usize = 5;

const CASES: &[Case] = &[
    case(
        "torch-2.15.0/trace/rc_shape",
        "f: 1 recompiles",
        &["1 <0: size x 4 5 at 0", "saw size x: 0=4 1=5"],
        &["Certain MarkDynamic { source: \"x\", dim: 0 }"],
    ),
    case(
        "torch-2.5.1/trace/rc_shape",
        "f: 1 recompiles",
        &["1 <0: size x 4 5 at 0"],
        &["Certain MarkDynamic { source: \"x\", dim: 0 }"],
    ),
    case(
        "torch-2.5.1/trace/rc_dtype",
        "f: 5 recompiles",
        &[
            "1 <0: dtype x Float Double",
            "2 <1: dtype x Double Long",
            "<0: rank x 2 3",
            "<0: stride x 4 1 at 0",
            "5 <4: requires_grad x False True",
            "saw dtype x: 0=Float 1=Double 2=Long 3=Float 4=Float 5=Float",
        ],
        &[
            "Certain StableDtype { source: \"x\" }",
            "Certain StableRank { source: \"x\" }",
        ],
    ),
    case(
        "torch-2.5.1/trace/rc_float",
        "f: 3 recompiles",
        &[
            "1 <0: value alpha 0.1 -",
            "saw value alpha: 0=0.1 1=0.2 2=0.3",
        ],
        &["Certain TensorInsteadOfNumber { source: \"alpha\", number: Float }"],
    ),
    case(
        "torch-2.15.0/trace/rc_float",
        "f: 1 recompiles",
        &["1 <0: value alpha 0.1 - (rc_float.py:7)"],
        &["Certain TensorInsteadOfNumber { source: \"alpha\", number: Float }"],
    ),
    case(
        "torch-2.15.0/trace/rc_float",
        "g: 1 recompiles",
        &["1 <0: value k 1 - (rc_float.py:11)"],
        &["Guess TensorInsteadOfNumber { source: \"k\", number: Int }"],
    ),
    case(
        "torch-2.15.0/trace/rc_float",
        "h: 1 recompiles",
        &["1 <0: value mode 'sin' - (rc_float.py:15)"],
        &["Certain FewVariants { source: \"mode\" }"],
    ),
    case(
        "torch-2.5.1/trace/rc_adam_lr",
        "step: 7 recompiles, limit None NotStarted",
        &[
            "1 <0: value self.param_groups[0]['lr'] 0.01 -",
            "6 <5: object self 140297713882960 -",
        ],
        &[
            "Certain TensorLearningRate { source: \"self.param_groups[0]['lr']\" }",
            "Guess CreateOnce { source: \"self\" }",
        ],
    ),
    case(
        "torch-2.15.0/trace/rc_adam_lr",
        "step: 2 recompiles",
        &["1 <0: value self.param_groups[0]['lr'] 0.01 - (adam.py:230)"],
        &["Certain TensorLearningRate { source: \"self.param_groups[0]['lr']\" }"],
    ),
    case(
        "torch-2.15.0/trace/rc_module_attr",
        "forward: 5 recompiles",
        &[
            "1 <0: value self.count 0 - (rc_module_attr.py:14)",
            "3 <2: value self.flag True - (rc_module_attr.py:16)",
            "saw value self.count: 0=0 1=1 3=3 4=4",
        ],
        &[
            "Certain ModuleCounter { source: \"self.count\" }",
            "Certain FewVariants { source: \"self.flag\" }",
        ],
    ),
    case(
        "torch-2.15.0/trace/rc_module_attr",
        "run: 4 recompiles",
        &["4 <3: value m.layer_idx 3 - (rc_module_attr.py:33)"],
        &["Certain ModuleCounter { source: \"m.layer_idx\" }"],
    ),
    case(
        "torch-2.5.1/trace/rc_module_attr",
        "forward: 4 recompiles",
        &[
            "3 <2: value self.scale 1.0 -",
            "4 <3: object self._modules['drop'].training 140301197143808 -",
        ],
        &[
            "Certain FewVariants { source: \"self.flag\" }",
            "Certain TensorInsteadOfNumber { source: \"self.scale\", number: Float }",
            "Certain TrainEvalFlag { source: \"self._modules['drop'].training\" }",
        ],
    ),
    case(
        "torch-2.5.1/trace/rc_dict",
        "f: 2 recompiles",
        &["1 <0: length d 1 -", "2 <1: dict keys d 'a' - at 0"],
        &[
            "Certain SameLength { source: \"d\" }",
            "Certain SameKeys { source: \"d\" }",
        ],
    ),
    case(
        "torch-2.5.1/trace/rc_dict",
        "g: 2 recompiles",
        &["1 <0: length xs 1 -", "2 <1: type xs 140301197210432 -"],
        &[
            "Certain SameLength { source: \"xs\" }",
            "Certain SameType { source: \"xs\" }",
        ],
    ),
    case(
        "torch-2.5.1/trace/rc_dict",
        "h: 1 recompiles",
        &["1 <0: object mask 140301197229024 -"],
        &["Guess OptionalArgument { source: \"mask\" }"],
    ),
    case(
        "torch-2.5.1/trace/rc_dict",
        "alias: 1 recompiles",
        &["1 <0: aliased a - b"],
        &["Certain Aliasing { source: \"a\" }"],
    ),
    case(
        "torch-2.5.1/trace/rc_dict",
        "dc: 2 recompiles",
        &["1 <0: value cfg.n 2 -", "2 <1: value cfg.name 'm' -"],
        &["Certain FewVariants { source: \"cfg.name\" }"],
    ),
    case(
        "torch-2.15.0/trace/rc_global",
        "f: 4 recompiles",
        &[
            "2 <1: value G['SCALE'] 4 - (rc_global.py:11)",
            "3 <2: value G['MODE'] 'a' - (rc_global.py:10)",
            "4 <3: value G['TABLE']['k'] 1 - (rc_global.py:12)",
        ],
        &[
            "Certain PassAsArgument { source: \"G['SCALE']\" }",
            "Certain FewVariants { source: \"G['MODE']\" }",
        ],
    ),
    case(
        "torch-2.15.0/trace/rc_global",
        "g: 1 recompiles",
        &["1 <0: value fn.__closure__[0].cell_contents 0 - (rc_global.py:23)"],
        &["Certain PassAsArgument { source: \"fn.__closure__[0].cell_contents\" }"],
    ),
    case(
        "torch-2.15.0/trace/rc_gradmode",
        "f: 5 recompiles",
        &[
            "1 <0: global state - - - GradMode",
            "2 <1: global state - - - GradMode Autocast",
            "5 <4: global state - - - NumThreads DefaultDtype",
        ],
        &[
            "Certain StableGradMode",
            "Certain StableAutocast",
            "Certain StableState(Some(Deterministic))",
        ],
    ),
    case(
        "torch-2.5.1/trace/rc_gradmode",
        "f: 5 recompiles",
        &[
            "1 <0: global state - - - GradMode",
            "3 <2: global state - - - Deterministic",
        ],
        &[
            "Certain StableGradMode",
            "Certain StableState(Some(Deterministic))",
        ],
    ),
    case(
        "torch-2.15.0/trace/rc_limit",
        "f: 7 recompiles, limit Some(8) Failure",
        SIZES,
        &[
            "Certain MarkDynamic { source: \"x\", dim: 0 }",
            "Guess DisableCompile",
        ],
    ),
    case(
        "torch-2.5.1/trace/rc_limit",
        "f: 7 recompiles, limit None NotStarted",
        SIZES,
        &["Certain MarkDynamic { source: \"x\", dim: 0 }"],
    ),
    case(
        "torch-2.15.0/trace/rc_mixed",
        "g: 7 recompiles, limit Some(8) Failure",
        SIZES,
        &["Certain MarkDynamic { source: \"x\", dim: 0 }"],
    ),
    case(
        "torch-2.15.0/trace/rc_mixed",
        "torch_dynamo_resume_in_forward_at_12: 4 recompiles",
        &[
            "1 <0: none mask None - (rc_mixed.py:13)",
            "4 <3: global state - - - GradMode",
            "saw size x: 0=2 1=2 2=3 3=3",
        ],
        &[
            "Certain OptionalArgument { source: \"mask\" }",
            "Certain MarkDynamic { source: \"x\", dim: 0 }",
            "Certain StableGradMode",
        ],
    ),
    case(
        "torch-2.15.0/trace/rc_mixed",
        "loss_fn: 2 recompiles",
        &[
            "1 <0: size a 4 5 at 0",
            "2 <1: value w 0.5 - (rc_mixed.py:33)",
        ],
        &["Certain TensorInsteadOfNumber { source: \"w\", number: Float }"],
    ),
];

const fn case(
    trace: &'static str,
    frame: &'static str,
    reasons: &'static [&'static str],
    remedies: &'static [&'static str],
) -> Case {
    Case {
        trace,
        frame,
        reasons,
        remedies,
    }
}

#[test]
fn scripts_of_the_corpus_get_the_reasons_and_remedies_that_fit_them() {
    let Some(corpus) = files::corpus() else {
        return;
    };
    for case in CASES {
        let log = dedicated(&corpus.join(case.trace));
        let all = shown(&log);
        let block: Vec<&str> = all
            .lines()
            .skip_while(|line| *line != case.frame)
            .skip(1)
            .take_while(|line| line.starts_with(' '))
            .map(str::trim)
            .collect();
        let of = || format!("{}, {}:\n{all}", case.trace, case.frame);
        for reason in case.reasons {
            assert!(block.contains(reason), "{reason:?} is missing in {}", of());
        }
        let first: Vec<_> = block
            .iter()
            .filter(|line| line.starts_with("Certain ") || line.starts_with("Guess "))
            .take(FIRST)
            .collect();
        for remedy in case.remedies {
            assert!(
                first.iter().any(|line| line.starts_with(remedy)),
                "{remedy:?} is not among {first:?} in {}",
                of()
            );
        }
    }
}

/// The trace in a folder.
fn dedicated(folder: &Path) -> PathBuf {
    let mut entries = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_log = |path: &PathBuf| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("dedicated_log")
    };
    entries.find(is_log).unwrap()
}
