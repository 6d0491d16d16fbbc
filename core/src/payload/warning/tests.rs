use super::*;
use crate::payload::plain::{BlockKind, find};
use alloc::format;

#[test]
fn what_is_known_from_torch_compile_is_told() {
    let torch = "/opt/lib/python3.11/site-packages/torch/_inductor/compile_fx.py:236";
    for (place, category, message, kind) in [
        (
            torch,
            "UserWarning",
            "TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled. Consider setting `torch.set_float32_matmul_precision('high')` for better performance.",
            WarningKind::TensorFloat32,
        ),
        (
            torch,
            "UserWarning",
            "Torchinductor does not support code generation for complex operators. Performance may be worse than eager.",
            WarningKind::ComplexOperators,
        ),
        (
            "C:\\Python\\Lib\\site-packages\\torch\\_dynamo\\x.py:1",
            "FutureWarning",
            "'torch.x' is new",
            WarningKind::Deprecated,
        ),
        (torch, "UserWarning", "something new", WarningKind::Torch),
        (
            "train.py:12",
            "UserWarning",
            "something of mine",
            WarningKind::Other,
        ),
        (
            "train.py:12",
            "DeprecationWarning",
            "my own",
            WarningKind::Other,
        ),
        (
            "<frozen importlib._bootstrap>:241",
            "RuntimeWarning",
            "size changed",
            WarningKind::Other,
        ),
        (
            torch,
            "UserWarning",
            "Unable to hit fast path of CUDAGraphs because of pending, uninvoked backwards.",
            WarningKind::CudaGraphsPending,
        ),
    ] {
        let text = format!("{place}: {category}: {message}\n  warnings.warn(");
        let warning = read(&text).unwrap();
        assert_eq!(warning.kind, kind, "{message}");
        assert_eq!(format!("{}:{}", warning.file, warning.line.unwrap()), place);
        assert_eq!(
            (warning.message.as_str(), warning.code.as_deref()),
            (message, Some("warnings.warn("))
        );
    }
}

#[test]
fn a_message_of_several_lines_goes_to_the_line_of_the_program() {
    let text = "/x/torch/_inductor/lowering.py:7836: UserWarning: \nOnline softmax is disabled on the fly since Inductor decides to\nsplit the reduction. Cut an issue to PyTorch if this is an\nimportant use case and you want to speed it up with online\nsoftmax.\n\n  warnings.warn(\nepoch 1\n";
    let blocks = find(text);
    assert_eq!((blocks.len(), blocks[0].rows.clone()), (1, 0..7));
    assert_eq!(blocks[0].kind, BlockKind::Warning);
    let warning = read(&text[blocks[0].bytes.clone()]).unwrap();
    assert_eq!(warning.kind, WarningKind::OnlineSoftmax);
    assert!(warning.message.starts_with("Online") && warning.message.ends_with("softmax."));
}

#[test]
fn a_logged_warning_says_whether_its_stack_is_elsewhere() {
    let stack =
        "Graph break: from user code at:\n  File \"/srv/a.py\", line 3, in f\n    x.item()\n";
    let alone = format!("{ITEM}\n    torch._dynamo.config.capture_scalar_outputs = True\n");
    assert!(lacks_stack(&alone) && !is_stack(&alone));
    assert!(is_stack(stack) && !lacks_stack(stack));
    let whole = format!("{alone}\n{stack}");
    assert!(!lacks_stack(&whole) && !is_stack(&whole));
    assert_eq!(read(&whole).unwrap().stack.len(), 1);
    assert!(!lacks_stack("epoch 1") && !is_stack("epoch 1"));
}

#[test]
fn a_warning_without_its_line_is_one_row() {
    let text = "<string>:1: UserWarning: x\nepoch 1\nepoch 2\n";
    assert_eq!(find(text)[0].rows, 0..1);
    assert_eq!(read("Warning: x"), None);
}

#[test]
fn no_piece_is_hidden_behind_another_one() {
    for (at, (piece, kind)) in KNOWN.iter().enumerate() {
        let hides = KNOWN[..at]
            .iter()
            .find(|(before, other)| piece.contains(before) && other != kind);
        assert_eq!(hides, None, "{piece}");
        assert!(
            !KNOWN[..at].iter().any(|(before, _)| before == piece),
            "{piece}"
        );
    }
}
