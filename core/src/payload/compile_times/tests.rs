use super::*;

fn told(text: &str) -> Vec<(String, Vec<f64>)> {
    read(text)
        .into_iter()
        .map(|t| (t.name, t.seconds))
        .collect()
}

#[test]
fn all_three_forms_say_the_same() {
    let drawn = "TorchDynamo compilation metrics:
Function                            Runtimes (s)
--------------------------------  --------------
_compile.<locals>.compile_inner   1.0790, 0.5000
OutputGraph.call_user_compiler            0.0022
";
    let plain = "TorchDynamo compilation metrics:
Function, Runtimes (s)
_compile.<locals>.compile_inner, 1.0790, 0.5000
OutputGraph.call_user_compiler, 0.0022
";
    let csv = "(['_compile.<locals>.compile_inner', 'OutputGraph.call_user_compiler'], ['1.079000, 0.500000', '0.002200'])";
    let expected = [
        (
            "_compile.<locals>.compile_inner".into(),
            [1.079, 0.5].to_vec(),
        ),
        ("OutputGraph.call_user_compiler".into(), [0.0022].to_vec()),
    ];
    for text in [drawn, plain, csv] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn lines_that_are_no_times_are_left_out() {
    for text in [
        "",
        "loss 0.25",
        "a, b",
        "1.0, 2.0",
        "a, 1, 2",
        "a b, 1.5",
        "([], [])",
        "(['a'], [])",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
}
