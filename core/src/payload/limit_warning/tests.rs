use super::*;

#[test]
fn the_warning_of_each_version_is_read() {
    for (text, setting, place, reason, page) in [
        (
            "torch._dynamo hit config.cache_size_limit (64)\n   function: 'f' (/x/a b.py:3)\n   reasons:  tensor 'x' size mismatch at index 0. expected 2, actual 3\nto diagnose recompilation issues, see https://pytorch.org/docs/master/dynamo/troubleshooting.html.",
            "cache_size_limit",
            ("f", "/x/a b.py", Some(3)),
            "tensor 'x' size mismatch at index 0. expected 2, actual 3",
            Some("https://pytorch.org/docs/master/dynamo/troubleshooting.html"),
        ),
        (
            "torch._dynamo hit config.cache_size_limit (64)\n   function: '<resume in f>' (C:\\x\\a.py:12)\nto diagnose recompilation issues, set env variable TORCHDYNAMO_REPORT_GUARD_FAILURES=1 and also see https://pytorch.org/docs/master/compile/troubleshooting.html.",
            "cache_size_limit",
            ("<resume in f>", "C:\\x\\a.py", Some(12)),
            "",
            Some("https://pytorch.org/docs/master/compile/troubleshooting.html"),
        ),
        (
            "torch._dynamo hit config.accumulated_recompile_limit (256)\n   function: 'f' (a.py:3)\n   last reason: 0/7: tensor 'x' rank mismatch. expected 2, actual 3\n0/6: n == 2\nTo log all recompilation reasons, use TORCH_LOGS=\"recompiles\".\nTo diagnose recompilation issues, see https://docs.pytorch.org/x.html",
            "accumulated_recompile_limit",
            ("f", "a.py", Some(3)),
            "0/7: tensor 'x' rank mismatch. expected 2, actual 3\n0/6: n == 2",
            Some("https://docs.pytorch.org/x.html"),
        ),
        (
            "torch._dynamo hit config.recompile_limit (8)\n   function: 'f' (a.py",
            "recompile_limit",
            ("f", "a.py", None),
            "",
            None,
        ),
    ] {
        let warning = read(text).unwrap();
        assert_eq!(warning.setting, setting);
        assert_eq!(
            (
                warning.function.as_str(),
                warning.file.as_str(),
                warning.line
            ),
            place
        );
        assert_eq!(warning.reason, reason);
        assert_eq!(warning.reasons.is_empty(), reason.is_empty(), "{warning:?}");
        assert_eq!(warning.page.as_deref(), page);
    }
    assert_eq!(read("torch._dynamo hit nothing"), None);
}
