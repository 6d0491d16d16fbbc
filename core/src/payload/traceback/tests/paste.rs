//! Tracebacks as people paste them are read as they were printed.

use super::*;
use crate::payload::plain::{BlockKind, Streams, find};
use proptest::prelude::*;

/// What is told of the tracebacks of a text: of each exception its link, type, message, calls with their code,
/// and the program's lines.
fn told(text: &str) -> Vec<String> {
    let mut told = Vec::new();
    for stream in Streams::default().separate(text) {
        for block in find(&stream.text) {
            assert_eq!(block.kind, BlockKind::Traceback, "{text}");
            let content = &stream.text[block.bytes];
            told.extend(read(content).exceptions.iter().map(exception));
        }
    }
    told
}

fn exception(raised: &Raised) -> String {
    let frames = |frames: &[Frame]| {
        let shown: Vec<_> = frames
            .iter()
            .map(|frame| {
                let code: Vec<_> = frame.code.iter().map(|code| code.text.as_str()).collect();
                let place = places(core::slice::from_ref(frame)).concat();
                format!("{place} {}", code.join("/"))
            })
            .collect();
        shown.join(", ")
    };
    let stacks: Vec<_> = raised
        .stacks
        .iter()
        .map(|stack| format!("{:?} {}", stack.kind, frames(&stack.frames)))
        .collect();
    format!(
        "{:?} {}: {:?} [{}] {stacks:?}",
        raised.link,
        raised.kind,
        raised.message,
        frames(&raised.frames)
    )
}

const CHAINED: &str = "Traceback (most recent call last):
  File \"/srv/a.py\", line 3, in f
    g(x)
    ~^^^
  [Previous line repeated 9 more times]
  File \"/srv/b.py\", line 4, in g
    raise ValueError(
        x)
ValueError: no

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File \"/srv/a.py\", line 9, in <module>
    f(x)
torch._dynamo.exc.Unsupported: Call to `print`
  Explanation: it prints

  Developer debug context: x

from user code:
   File \"/srv/c.py\", line 2, in forward
    print(x)

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace
";

const NOTEBOOK: &str = "---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[4], line 3
      1 import torch
----> 3 f(x)

File ~/x.py:12, in f(x)
     10 def f(x):
---> 12     return g(x)

RuntimeError: no
";

const GROUP: &str = "  + Exception Group Traceback (most recent call last):
  |   File \"/srv/a.py\", line 5, in main
  |     raise ExceptionGroup(\"two\", errors)
  | ExceptionGroup: two (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File \"/srv/a.py\", line 2, in one
    |     raise ValueError(1)
    | ValueError: 1
    +------------------------------------
";

/// As Python 3.11 to 3.14 print it: a message's further lines stand outside of the margin.
const GROUP_OF_MESSAGES: &str = "  + Exception Group Traceback (most recent call last):
  |   File \"/srv/a.py\", line 5, in main
  |     raise ExceptionGroup(\"two\", errors)
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File \"/srv/a.py\", line 2, in one
    |     raise Unsupported
    | torch._dynamo.exc.Unsupported: Call
  Explanation: it prints

from user code:
   File \"/srv/b.py\", line 3, in forward
    print(x)

    +---------------- 2 ----------------
    | ValueError: 1
    +------------------------------------
";

#[test]
fn messages_of_a_group_are_taken_out_of_its_margin() {
    let expected = [
        "First ExceptionGroup: \"two (2 sub-exceptions)\" [/srv/a.py:5:main raise ExceptionGroup(\"two\", errors)] []",
        "Member torch._dynamo.exc.Unsupported: \"Call\\n  Explanation: it prints\" [/srv/a.py:2:one raise Unsupported] [\"Traced /srv/b.py:3:forward print(x)\"]",
    ];
    for behind in ["", "done\n", "loss | 3\n"] {
        let text = format!("{GROUP_OF_MESSAGES}{behind}");
        assert_eq!(told(&text), expected);
        assert_eq!(find(&text)[0].rows, 0..18);
    }
}

fn fronted(front: &str, text: &str) -> String {
    let fronted = |line: &str| match line {
        "" => "\n".into(),
        line => format!("{front}{line}\n"),
    };
    text.lines().map(fronted).collect()
}

/// As GitHub and mail quote: empty lines carry the mark, too.
fn quoted(front: &str, text: &str) -> String {
    let quoted = |line: &str| format!("{}\n", format!("{front}{line}").trim_end());
    text.lines().map(quoted).collect()
}

#[test]
fn a_block_of_code_is_read_like_the_text_in_it() {
    for text in [CHAINED, NOTEBOOK, GROUP, GROUP_OF_MESSAGES] {
        let expected = told(text);
        assert!(!expected.is_empty() && expected.iter().all(|raised| !raised.contains(" : ")));
        for front in ["    ", "\t", "  ", "        ", "\t    "] {
            let pasted = fronted(front, text);
            assert_eq!(told(&pasted), expected, "{front:?} {text}");
            assert_eq!(told(&format!("see\n{pasted}\nthanks\n")), expected);
            // The blanks of the first line are easily not marked.
            if text == CHAINED {
                assert_eq!(told(pasted.trim_start()), expected, "{front:?}");
            }
        }
        for front in ["> ", ">     ", "> > ", ">> "] {
            let pasted = quoted(front, text);
            assert_eq!(told(&pasted), expected, "{front:?} {text}");
        }
    }
    assert_eq!(told(CHAINED).len(), 2);
    assert!(told(NOTEBOOK)[0].ends_with("[Cell In[4]:3:- f(x), ~/x.py:12:f return g(x)] []"));
}

#[test]
fn lines_that_lost_their_indentation_are_read() {
    let flat: String = CHAINED
        .lines()
        .map(|line| format!("{}\n", line.trim_start()))
        .collect();
    let read = told(&flat);
    assert_eq!(read.len(), 2, "{read:?}");
    assert_eq!(
        read[0],
        "First ValueError: \"no\" [/srv/a.py:3:f g(x), /srv/b.py:4:g raise ValueError(/x)] []"
    );
    assert!(
        read[1].starts_with("Cause torch._dynamo.exc.Unsupported: \"Call to `print`"),
        "{read:?}"
    );
    assert!(read[1].contains("[/srv/a.py:9:<module> f(x)]"), "{read:?}");
}

#[test]
fn a_heading_may_be_missing() {
    let (_, headless) = CHAINED.split_once('\n').unwrap();
    let expected = told(CHAINED);
    for front in ["", "    ", "\t"] {
        let pasted = fronted(front, headless);
        assert_eq!(told(&pasted), expected, "{front:?}");
        assert_eq!(told(&format!("see\n{pasted}")), expected, "{front:?}");
    }
    assert_eq!(told(&quoted("> ", headless)), expected);
    assert_eq!(told(headless.trim_start()), expected);
    // What a logger writes in front of the heading alone.
    let logged = format!("ERROR:root:{CHAINED}");
    assert_eq!(told(&logged), expected);
    let (_, cell) = NOTEBOOK.split_once("call last)\n").unwrap();
    assert_eq!(told(cell), told(NOTEBOOK));
}

#[test]
fn an_exception_of_pytorch_stands_for_itself() {
    let exception = "torch._dynamo.exc.Unsupported: print\n\nfrom user code:\n   File \"/srv/a.py\", line 1, in f\n    print()\n";
    let expected =
        "First torch._dynamo.exc.Unsupported: \"print\" [] [\"Traced /srv/a.py:1:f print()\"]";
    assert_eq!(told(exception), [expected]);
    assert_eq!(told(&fronted("    ", exception)), [expected]);
}

#[test]
fn stacks_that_no_exception_follows_are_none() {
    for text in [
        "stack:\n  File \"a.py\", line 1, in f\n    g()\n\nRuntimeError: apart\n",
        "  File \"a.py\", line 1, in f\n    g()\nloss: 3\n",
        "  File \"a.py\", line 1, in f\n    Error\n",
        "torch._dynamo.exc.Unsupported\n",
        "see torch._dynamo.exc.Unsupported: x\n",
        "RuntimeError: no\n",
        "E   no type\n\nepoch\n",
        "SIZE   RuntimeError: x\n",
    ] {
        assert_eq!(told(text), Vec::<String>::new(), "{text}");
    }
}

const SHORT_FORM: &str =
    "=================================== FAILURES ===================================
_________________________________ test_compile _________________________________
test_a.py:12: in test_compile
    f(x)
/opt/site-packages/torch/_dynamo/eval_frame.py:655: in _fn
    return fn(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^
E   torch._dynamo.exc.Unsupported: Call to `print`
      Explanation: it prints
    
    from user code:
       File \"/srv/model.py\", line 3, in forward
        print(x)
=========================== short test summary info ============================
FAILED test_a.py::test_compile - torch._dynamo.exc.Unsupported: Call to `print`
";

const LINE_FORM: &str =
    "=================================== FAILURES ===================================
E   KeyError: 2

The above exception was the direct cause of the following exception:
E   torch._dynamo.exc.Unsupported: Call to `print`
      Explanation: it prints
/srv/a.py:9: torch._dynamo.exc.Unsupported: Call to `print`
E   assert [1, 2] == [1, 3]
      
      At index 1 diff: 2 != 3
/srv/a.py:7: assert [1, 2] == [1, 3]
=========================== short test summary info ============================
";

const LONG_FORM: &str =
    "_________________________________ test_compile _________________________________

    def test_compile():
        x = 1
>       f(x)

test_a.py:12: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 
/opt/site-packages/torch/_dynamo/eval_frame.py:655: in _fn
    return fn(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 

msg = 'Call'

    def unimplemented(msg):
>       raise Unsupported(msg)
E       torch._dynamo.exc.Unsupported: Call to `print`
E         Explanation: it prints
E       
E       from user code:
E          File \"/srv/model.py\", line 3, in forward
E           print(x)

/opt/site-packages/torch/_dynamo/exc.py:34: Unsupported
----------------------------- Captured stdout call -----------------------------
hello
";

#[test]
fn pytest_is_read_in_its_forms() {
    let end = "\"Call to `print`\\n  Explanation: it prints\"";
    let traced = "[\"Traced /srv/model.py:3:forward print(x)\"]";
    let torch = "/opt/site-packages/torch/_dynamo/eval_frame.py:655:_fn return fn(*args, **kwargs)";
    let short = format!(
        "First torch._dynamo.exc.Unsupported: {end} [test_a.py:12:test_compile f(x), {torch}] {traced}"
    );
    assert_eq!(told(SHORT_FORM), [short]);
    let long = format!(
        "First torch._dynamo.exc.Unsupported: {end} [test_a.py:12:test_compile f(x), {torch}, /opt/site-packages/torch/_dynamo/exc.py:34:unimplemented raise Unsupported(msg)] {traced}"
    );
    assert_eq!(told(LONG_FORM), core::slice::from_ref(&long));
    assert_eq!(
        told(LINE_FORM),
        [
            "First KeyError: \"2\" [] []".to_owned(),
            format!("Cause torch._dynamo.exc.Unsupported: {end} [/srv/a.py:9:<module> ] []"),
            "First AssertionError: \"assert [1, 2] == [1, 3]\\n  \\n  At index 1 diff: 2 != 3\" [/srv/a.py:7:<module> ] []".to_owned(),
        ]
    );
    // Two tests, and text around them.
    let two = format!("collected 2 items\n\n{LONG_FORM}{LONG_FORM}\n1 failed\n");
    assert_eq!(told(&two), [long.clone(), long]);
    let asserted = "    def test_b():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:3: AssertionError\n";
    assert_eq!(
        told(asserted),
        ["First AssertionError: \"assert 1 == 2\" [test_a.py:3:test_b assert 1 == 2] []"]
    );
    let chained = "    def f():\n>       g()\nE       KeyError: 1\n\na.py:3: KeyError\n\nThe above exception was the direct cause of the following exception:\n\n    def h():\n>       f()\nE       ValueError: 2\n\na.py:9: ValueError\n";
    assert_eq!(
        told(chained),
        [
            "First KeyError: \"1\" [a.py:3:f g()] []",
            "Cause ValueError: \"2\" [a.py:9:h f()] []"
        ]
    );
}

fn tracebacks() -> impl Strategy<Value = String> {
    let frames = prop::collection::vec(
        prop::sample::select(vec![
            "  File \"/srv/a.py\", line 3, in f\n    g(x)\n",
            "  File \"/srv/b.py\", line 4, in <module>\n    g(x)\n    ~^^^\n",
            "  File \"/srv/c.py\", line 5, in h\n",
            "  File \"/srv/d.py\", line 6, in h\n    k(\n        x,\n    )\n",
        ]),
        1..5,
    );
    let messages = prop::sample::select(vec![
        "ValueError: no",
        "KeyboardInterrupt",
        "RuntimeError: \n  deeper",
        "torch._dynamo.exc.Unsupported: no\n  Explanation: x\n\nfrom user code:\n   File \"/srv/e.py\", line 1, in u\n    v()",
        "torch._dynamo.exc.BackendCompilerFailed: backend='x' raised:\nValueError: y",
    ]);
    let links = prop::sample::select(vec![
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause of the following exception:",
    ]);
    prop::collection::vec((frames, messages, links), 1..4).prop_map(|exceptions| {
        let mut text = String::new();
        for (frames, message, link) in exceptions {
            if !text.is_empty() {
                text += &format!("\n{link}\n\n");
            }
            text += &format!("{}:\n{}{message}\n", lines::HEADING, frames.concat());
        }
        text
    })
}

proptest! {
    #[test]
    fn any_traceback_is_the_same_however_it_was_pasted(
        text in tracebacks(),
        front in "[ ]{0,8}|\t{1,2}|(> ){1,2}",
        behind in "(epoch [0-9] loss [0-9]|done|[$] ls)?",
    ) {
        let expected = told(&text);
        prop_assert!(!expected.is_empty());
        let pasted = if front.contains('>') { quoted(&front, &text) } else { fronted(&front, &text) };
        let with_more = format!("epoch 1\n{pasted}{behind}\n");
        prop_assert_eq!(&told(&pasted), &expected);
        prop_assert_eq!(&told(&with_more), &expected);
        let (_, headless) = pasted.split_once('\n').unwrap();
        prop_assert_eq!(&told(headless), &expected);
        let windows = pasted.replace('\n', "\r\n");
        prop_assert_eq!(told(&windows), expected);
    }
}
