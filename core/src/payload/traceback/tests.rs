use super::*;
use alloc::format;
use alloc::vec;

mod paste;

fn one(text: &str) -> Raised {
    let mut traceback = read(text);
    assert_eq!(traceback.exceptions.len(), 1, "{traceback:?}");
    traceback.exceptions.remove(0)
}

#[test]
fn a_type_and_a_message_are_read_as_a_traceback_is() {
    let message =
        "Unsupported: item\n\nfrom user code:\n   File \"/srv/a.py\", line 3, in f\n    x.item()\n";
    let kind = "torch._dynamo.exc.Unsupported";
    let traceback = of_exception(kind, message);
    let raised = traceback.surfaced().unwrap();
    assert_eq!(
        (&*raised.kind, &*raised.message),
        (kind, "Unsupported: item")
    );
    let stack = raised.stack(StackKind::Traced).unwrap();
    assert_eq!(places(stack), ["/srv/a.py:3:f"]);
    // What is no type, and a message that quotes another exception's.
    for (kind, message) in [
        ("not a type", "a message"),
        ("", "a message"),
        ("ValueError", ""),
        (
            "ValueError",
            "a\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\nKeyError: 1",
        ),
    ] {
        let traceback = of_exception(kind, message);
        assert_eq!(traceback.surfaced().unwrap().kind, kind, "{message}");
    }
}

fn places(frames: &[Frame]) -> Vec<String> {
    frames
        .iter()
        .map(|f| {
            format!(
                "{}:{}:{}",
                f.file,
                f.line.unwrap_or(0),
                f.function.as_deref().unwrap_or("-")
            )
        })
        .collect()
}

#[test]
fn code_over_several_lines_keeps_its_indentation_and_marks() {
    let raised = one("Traceback (most recent call last):
  File \"a.py\", line 3, in f
    g(
    ~^
      1 / 0,
      ~~^~~
    ...<2 lines>...
    )
    ^
ZeroDivisionError: division by zero
");
    let code = &raised.frames[0].code;
    let text: Vec<_> = code
        .iter()
        .map(|c| (c.text.as_str(), c.marked.clone()))
        .collect();
    assert_eq!(
        text,
        [
            ("g(", Some(0..2)),
            ("  1 / 0,", Some(2..7)),
            ("...<2 lines>...", None),
            (")", Some(0..1)),
        ]
    );
    assert_eq!((raised.kind.as_str(), raised.row), ("ZeroDivisionError", 9));
}

#[test]
fn colours_of_python_3_13_are_no_part_of_names() {
    let raised = one("Traceback (most recent call last):
  File \u{1b}[35m\"/x/a.py\"\u{1b}[0m, line \u{1b}[35m9\u{1b}[0m, in \u{1b}[35m<module>\u{1b}[0m
    \u{1b}[31mf\u{1b}[0m\u{1b}[1;31m(1)\u{1b}[0m
    \u{1b}[31m~\u{1b}[0m\u{1b}[1;31m^^^\u{1b}[0m
\u{1b}[1;35mtorch._dynamo.exc.Unsupported\u{1b}[0m: \u{1b}[35mno\u{1b}[0m
");
    assert_eq!(places(&raised.frames), ["/x/a.py:9:<module>"]);
    assert_eq!(raised.frames[0].code[0].text, "f(1)");
    assert_eq!(raised.frames[0].code[0].marked, Some(0..4));
    assert_eq!(
        (raised.name(), raised.message.as_str()),
        ("Unsupported", "no")
    );
}

#[test]
fn repeated_calls_are_counted_and_errors_of_syntax_have_no_function() {
    let raised = one("Traceback (most recent call last):
  File \"a.py\", line 2, in f
    f()
  [Previous line repeated 996 more times]
  File \"b.py\", line 1
    x = = 1
        ^
SyntaxError: invalid syntax
");
    assert_eq!(raised.frames[0].repeated, 996);
    assert_eq!(raised.frames[1].function, None);
    assert_eq!(raised.frames[1].code[0].marked, Some(4..5));
}

#[test]
fn members_of_a_group_follow_it() {
    let text = "  + Exception Group Traceback (most recent call last):
  |   File \"a.py\", line 5, in main
  |     raise ExceptionGroup(\"two\", errors)
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File \"a.py\", line 2, in one
    |     raise ValueError(1)
    | ValueError: 1
    +---------------- 2 ----------------
    | torch._dynamo.exc.ResetRequired: Must call
    | `torch._dynamo.reset()`
    +------------------------------------
";
    let traceback = read(text);
    let told: Vec<_> = traceback
        .exceptions
        .iter()
        .map(|r| (r.link, r.kind.as_str(), r.frames.len()))
        .collect();
    assert_eq!(
        told[..2],
        [
            (Link::First, "ExceptionGroup", 1),
            (Link::Member, "ValueError", 1)
        ]
    );
    let mut cursor = crate::payload::plain::Cursor::new(text);
    end(&mut cursor, |_| false);
    assert_eq!(cursor.row(), 13);
}

#[test]
fn notebooks_name_the_type_first() {
    let raised = one(
        "---------------------------------------------------------------------------
Unsupported                               Traceback (most recent call last)
Cell In[3], line 5
      3 def f(x):
      4     return open(x)
----> 5 f(1)

File /opt/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py:574, in _fn(*args, **kwargs)
    572 try:
--> 574     return fn(*args, **kwargs)

/opt/old/style.py in g(x, y)
     10     pass
---> 11     g(x)

Unsupported: Failed to trace
  Explanation: because

from user code:
   File \"/tmp/x.py\", line 4, in f
    return open(x)
",
    );
    assert_eq!(
        places(&raised.frames),
        [
            "Cell In[3]:5:-",
            "/opt/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py:574:_fn",
            "/opt/old/style.py:11:g"
        ]
    );
    assert_eq!(raised.frames[0].code[0].text, "f(1)");
    assert_eq!(raised.message, "Failed to trace\n  Explanation: because");
    let traced = raised.stack(StackKind::Traced).unwrap();
    assert_eq!(places(traced), ["/tmp/x.py:4:f"]);
}

#[test]
fn another_processes_traceback_is_quoted() {
    let traceback = read(
        "Traceback (most recent call last):
  File \"a.py\", line 1, in <module>
    f()
torch._inductor.exc.InductorError: SubprocException: An exception occurred in a subprocess:

Name=triton_poi_fused_add_0
Traceback (most recent call last):
  File \"/w/triton/compiler/compiler.py\", line 81, in make_ir
    raise
triton.compiler.errors.CompilationError: at 5:11:
    x = tl.load(p)
        ^
",
    );
    let links: Vec<_> = traceback
        .exceptions
        .iter()
        .map(|r| (r.link, r.name()))
        .collect();
    assert_eq!(
        links,
        [
            (Link::First, "InductorError"),
            (Link::Quoted, "CompilationError")
        ]
    );
}

#[test]
fn advice_is_no_part_of_the_message() {
    let raised = one("Traceback (most recent call last):
  File \"a.py\", line 1, in <module>
    f()
torch._dynamo.exc.InternalTorchDynamoError: KeyError: 'x'
a note

from user code:
   File \"a.py\", line 4, in f
    return x

Set TORCH_LOGS=\"+dynamo\" and TORCHDYNAMO_VERBOSE=1 for more information

Last frame execution written to /tmp/r/1. To run only this frame while debugging, run torch._dynamo.replay('/tmp/r/1').

Minifier script written to /a b/minifier_launcher.py. Run this script to find the smallest traced graph which reproduces this error.


You can suppress this exception and fall back to eager by setting:
    import torch._dynamo
    torch._dynamo.config.suppress_errors = True
");
    assert_eq!(raised.message, "KeyError: 'x'\na note");
    assert_eq!(
        raised.advice,
        Advice {
            minifier: Some("/a b/minifier_launcher.py".into()),
            replay: Some("/tmp/r/1".into()),
            page: None,
            suppressible: true,
            verbose: true,
        }
    );
}

#[test]
fn a_traceback_that_stops_has_what_was_there() {
    let raised = one("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g(");
    assert_eq!((raised.kind.as_str(), raised.frames.len()), ("", 1));
    assert_eq!(read("").exceptions, vec![]);
    assert_eq!(read("no heading\nValueError: 1").exceptions, vec![]);
}

#[test]
fn the_exception_within_a_message_is_found() {
    for (message, expected) in [
        (
            "backend='inductor' raised:\nCppCompileError: C++ compile error\n\nCommand:",
            Some(("CppCompileError", "C++ compile error\n\nCommand:")),
        ),
        (
            "LoweringException: AssertionError: x",
            Some(("LoweringException", "AssertionError: x")),
        ),
        ("backend='x' raised:", None),
        ("call_function: no", None),
        ("Data-dependent branching", None),
        ("", None),
    ] {
        assert_eq!(inner(message), expected, "{message}");
    }
}
