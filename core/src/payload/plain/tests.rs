use super::*;
use alloc::string::String;
use alloc::{format, vec};
use proptest::prelude::*;

fn kinds(text: &str) -> Vec<(BlockKind, Range<u32>)> {
    find(text)
        .into_iter()
        .map(|block| (block.kind, block.rows))
        .collect()
}

const SHORT: &str = "Traceback (most recent call last):
  File \"a.py\", line 1, in f
    g()
RuntimeError: no
";

#[test]
fn a_message_ends_at_a_blank_line_or_another_block() {
    let text = format!(
        "epoch 1\n{SHORT}  more of it\n\nepoch 2\n{SHORT}{SHORT}a.py:1: UserWarning: x\n  f()\n"
    );
    assert_eq!(
        kinds(&text),
        [
            (BlockKind::Traceback, 1..6),
            (BlockKind::Traceback, 8..12),
            (BlockKind::Traceback, 12..16),
            (BlockKind::Warning, 16..18),
        ]
    );
}

#[test]
fn what_belongs_behind_blank_lines_is_taken_and_what_the_program_prints_is_not() {
    let chained = format!(
        "{SHORT}\nThe above exception was the direct cause of the following exception:\n\n{SHORT}\nfrom user code:\n   File \"b.py\", line 2, in g\n    h()\n\nSet TORCHDYNAMO_VERBOSE=1 for the internal stack trace\n\nloss 0.5\n  indented\n"
    );
    assert_eq!(kinds(&chained), [(BlockKind::Traceback, 0..17)]);
    let logged = format!("{SHORT}W1129 12:02:43.732000 25010 torch/x.py:1] hello\n");
    assert_eq!(kinds(&logged), [(BlockKind::Traceback, 0..4)]);
}

#[test]
fn ends_of_lines_may_be_those_of_windows() {
    let text = SHORT.replace('\n', "\r\n");
    let blocks = find(&text);
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0].rows, 0..4);
    assert_eq!(&text[blocks[0].bytes.clone()], text.trim_end());
}

#[test]
fn words_of_blocks_in_other_lines_are_no_blocks() {
    for text in [
        "see Traceback (most recent call last): above",
        "Warning: no place",
        "UserWarning: no place",
        "x: 12: UserWarning: no",
        "torch._dynamo did not hit config.cache_size_limit",
        "the Graph Count: 3",
        "Graph Count: many",
        "Function  Runtimes",
        "(['a'], ['b'])",
        "Dynamo produced 2 graphs",
    ] {
        assert_eq!(kinds(text), vec![], "{text}");
    }
}

#[test]
fn what_a_program_prints_right_behind_a_traceback_is_no_part_of_it() {
    for printed in [
        "epoch 2: loss 0.5",
        "step 12 loss=0.3 it/s 4",
        "{\"step\": 3, \"loss\": 0.1}",
        "INFO:root:saved",
        "2026-11-29 12:00:00,123 INFO saved",
        "[rank0]:[W1129 12:00:00.000000000 ProcessGroupNCCL.cpp:1] destroyed",
        " 10%|█         | 2/20 [00:02<00:18,  1.00it/s]",
        ">>> f()",
        "(venv) user@host:~/x$ python a.py",
        "Process finished with exit code 1",
        "done",
        "srun: error: node1: task 0: Exited with exit code 1",
    ] {
        let text = format!("{SHORT}{printed}\n{printed}\n");
        assert_eq!(kinds(&text), [(BlockKind::Traceback, 0..4)], "{printed}");
    }
}

#[test]
fn what_a_message_goes_on_with_is_taken() {
    for message in [
        "RuntimeError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "RuntimeError: Error(s) in loading state_dict for M:\n\tMissing key(s) in state_dict: \"a\". \n\tUnexpected key(s) in state_dict: \"b\". ",
        "torch._dynamo.exc.BackendCompilerFailed: backend='x' raised:\nValueError: no",
        "triton.compiler.errors.CompilationError: at 2:4:\ndef kernel(x):\n    tl.load(x)\n    ^\nTypeError('x')",
        "RuntimeError: \n        An attempt has been made\n\n        This probably means",
        "ValueError: \nInvalid log settings: x, must be a list of fully\nqualified names.\nValid settings:\nall\n",
        "RuntimeError:\nno words\n",
        "RuntimeError: NCCL error in: a.cpp:1, unhandled system error\nncclSystemError: System call failed.\nLast error:\nsocket",
        "RuntimeError: The following operation failed in the TorchScript interpreter.\nTraceback of TorchScript (most recent call last):\n  File \"a.py\", line 1, in f\n    x\n    ~ <--- HERE",
        "ValueError: expected {\n  'a': 1,\n}",
        "torch._dynamo.exc.Unsupported: Call\n  Explanation: x\n  Hint: y\n\n  Developer debug context: z\n\n For more details about this graph break, please visit: https://x\n\nfrom user code:\n   File \"a.py\", line 1, in f\n    x",
    ] {
        let text = format!(
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n{message}\nepoch 2\n"
        );
        // Those that begin below their type end with a blank line.
        let rows = u32::try_from(message.trim_end().lines().count()).unwrap() + 2;
        let expected = [(BlockKind::Traceback, 0..rows)];
        assert_eq!(kinds(&text), expected, "{message}");
    }
}

/// Lines of which hostile text is made.
fn lines() -> impl Strategy<Value = String> {
    let known = [
        "Traceback (most recent call last):",
        "  + Exception Group Traceback (most recent call last):",
        "  +-+---------------- 1 ----------------",
        "  | ValueError: 1",
        "Unsupported   Traceback (most recent call last)",
        "Unsupported: no",
        "  File \"a.py\", line 1, in f",
        "Cell In[3], line 5",
        "      File \"a.py\", line 1, in f",
        "    RuntimeError: no",
        "E   RuntimeError: no",
        "E",
        "    more",
        "a.py:12: in f",
        "a.py:12: ",
        "a.py:12: RuntimeError",
        ">       f(x)",
        "    def f(x):",
        "____ test_f ____",
        "==== FAILURES ====",
        "torch._dynamo.exc.Unsupported: no",
        "----> 5 f(1)",
        "    g()",
        "    ~^^",
        "RuntimeError: no:",
        "torch._dynamo.exc.BackendCompilerFailed: backend='x' raised:",
        "The above exception was the direct cause of the following exception:",
        "from user code:",
        "Set TORCHDYNAMO_VERBOSE=1 for x",
        "You can suppress this exception and fall back to eager by setting:",
        "a.py:1: UserWarning: x",
        "  warnings.warn(",
        "Graph break from `Tensor.item()`, consider setting:",
        "Graph break: from user code at:",
        "torch._dynamo hit config.recompile_limit (8)",
        "   function: 'f' (a.py:1)",
        "   last reason: 0/0: tensor 'x' size mismatch at index 0. expected 2, actual 3",
        "To diagnose recompilation issues, see https://x",
        "Graph Count: 1",
        "Op Count: 2",
        "Break Reasons:",
        "  Break Reason 1:",
        "    Reason: x",
        "    User Stack:",
        "      <FrameSummary file a.py, line 1 in f>",
        "Ops per Graph:",
        "Out Guards:",
        "Compile Times: TorchDynamo compilation metrics:",
        "TorchDynamo compilation metrics:",
        "Function, Runtimes (s)",
        "_compile.compile_inner, 1.0790, 2.0000",
        "(['a'], ['1.000000'])",
        "Dynamo produced 2 graphs with 1 graph break and 4 ops",
        "('Dynamo produced 2 graphs with 1 graph break and 4 ops', [], 'Dynamo produced 2 graphs with 1 graph break and 4 ops')",
        " Break reasons: ",
        "1. x",
        "",
        "\u{1b}[31mred\u{1b}[0m\u{1b}",
    ];
    prop_oneof![
        8 => prop::sample::select(known.to_vec()).prop_map(String::from),
        1 => any::<String>(),
        1 => "[ -~]{0,40}",
    ]
}

fn check(text: &str) {
    let (mut row, mut byte) = (0, 0);
    for block in find(text) {
        assert!(block.rows.start >= row && block.rows.end > block.rows.start);
        assert!(block.bytes.start >= byte && block.bytes.end >= block.bytes.start);
        // Counted on from the block before, or the test itself would take quadratic time.
        let between = &text[byte..block.bytes.start];
        let rows = between.matches('\n').count() - usize::from(byte > 0);
        assert_eq!(rows, (block.rows.start - row) as usize);
        assert!(block.bytes.start == 0 || between.ends_with('\n'));
        let content = &text[block.bytes.clone()];
        let rows = (block.rows.end - block.rows.start) as usize;
        assert_eq!(content.matches('\n').count() + 1, rows, "{content:?}");
        match block.kind {
            BlockKind::Traceback => {
                let traceback = traceback::read(content);
                assert!(!traceback.exceptions.is_empty());
                let _ = crate::analysis::failure::of_traceback(&traceback);
            }
            BlockKind::Warning => assert!(warning::read(content).is_some(), "{content}"),
            BlockKind::LimitWarning => assert!(limit_warning::read(content).is_some()),
            BlockKind::Explain => assert!(explain::read(content).is_some(), "{content}"),
            BlockKind::CompileTimes => {
                let _ = compile_times::read(content);
            }
        }
        (row, byte) = (block.rows.end, block.bytes.end);
    }
}

proptest! {
    #[test]
    fn blocks_of_any_text_stand_in_order_and_are_read(
        lines in prop::collection::vec(lines(), 0..60),
        windows in any::<bool>(),
    ) {
        check(&lines.join(if windows { "\r\n" } else { "\n" }));
    }

    #[test]
    fn readers_take_any_text(text in any::<String>(), lines in prop::collection::vec(lines(), 0..20)) {
        for text in [text, lines.join("\n")] {
            let _ = crate::analysis::failure::of_traceback(&traceback::read(&text));
            let _ = crate::analysis::failure::of_exception(&text, &text);
            let _ = warning::read(&text);
            let _ = limit_warning::read(&text);
            let _ = explain::read(&text);
            let _ = compile_times::read(&text);
        }
    }
}

#[test]
fn hostile_repetitions_take_time_in_proportion() {
    // Quadratic readers would take minutes over these.
    for line in [
        "Traceback (most recent call last):\n",
        "Traceback (most recent call last):\nE: a\n",
        "Traceback (most recent call last):\nE: a\n\n\n",
        "  File \"a.py\", line 1, in f\n",
        "  File \"a.py\", line 1, in f\n    x\n\n",
        "Cell In[3], line 5\n",
        "Cell In[3], line 5\n\n\n",
        "E   a\n",
        "E   ValueError: a\n",
        "a.py:1: in f\nE   a\n\n",
        "torch._dynamo.exc.Unsupported: no\n",
        "torch._dynamo.exc.Unsupported: no\n\n",
        "Unsupported   Traceback (most recent call last)\n",
        "a.py:1: UserWarning: x\n",
        "torch._dynamo hit config.recompile_limit (8)\n",
        "Graph Count: 1\nBreak Reasons:\n",
        "Dynamo produced 2 graphs with 1 graph break and 4 ops\n Break reasons: \n",
        "('Dynamo produced 2 graphs\n",
        "TorchDynamo compilation metrics:\n",
        "UserWarning: ",
        "x, 1.0, ",
    ] {
        check(&line.repeat((2 << 20) / line.len()));
    }
}
