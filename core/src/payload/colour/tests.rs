use super::*;
use alloc::format;
use alloc::string::String;
use proptest::prelude::*;

const LANGUAGES: [Language; 4] = [
    Language::Python,
    Language::Cpp,
    Language::Json,
    Language::Plain,
];

/// The spans of a text as `class text`, all lines after one another, and the state behind it.
fn spans(language: Language, text: &str) -> (Vec<String>, State) {
    let mut state = State::default();
    let mut out = Vec::new();
    for row in text.split('\n') {
        let mut spans = Vec::new();
        state = line(language, state, row, &mut spans);
        out.extend(spans.iter().map(|span| {
            let text = &row[span.start as usize..span.end as usize];
            format!("{:?} {text}", span.class)
        }));
    }
    // A comment of one line ends with the text, too.
    (out, line(language, state, "", &mut Vec::new()))
}

/// Checks the spans of a text but for its operators; the text leaves nothing open.
fn check(language: Language, text: &str, expected: &[&str]) {
    let (mut found, state) = spans(language, text);
    found.retain(|span| !span.starts_with("Operator"));
    assert_eq!(found, expected, "{text}");
    assert_eq!(state, State::default(), "{text}");
}

#[test]
fn nodes_of_graphs_have_names_and_annotations() {
    check(
        Language::Python,
        "    mul: \"f32[s17, 3][3, 1]cpu\" = torch.ops.aten.mul.Tensor(arg1_1, 2.5e-3);  arg1_1 = None # note",
        &[
            "Name mul",
            "Annotation \"f32[s17, 3][3, 1]cpu\"",
            "Number 2.5e-3",
            "Keyword None",
            "Comment # note",
        ],
    );
    check(
        Language::Python,
        "    def forward(self, x: \"Sym(s0)\", y : torch.Tensor, d={'a': 'f32[1]'}, c: 'device' = True):",
        &[
            "Keyword def",
            "Name forward",
            "Builtin self",
            "Annotation \"Sym(s0)\"",
            "String 'a'",
            "Annotation 'f32[1]'",
            "String 'device'",
            "Keyword True",
        ],
    );
}

#[test]
fn words_of_python_are_told_apart() {
    check(
        Language::Python,
        "@triton.jit\nclass A(B):\nif x == y @ z: x.max(max(1)).float32\nprint(f'a{1}\\'', rb\"c\", type=.5, 0x1F, α)",
        &[
            "Decorator @triton.jit",
            "Keyword class",
            "Name A",
            "Keyword if",
            "Builtin max",
            "Number 1",
            "Type float32",
            "Builtin print",
            "String f'a{1}\\''",
            "String rb\"c\"",
            "Number .5",
            "Number 0x1F",
        ],
    );
}

#[test]
fn kernels_in_strings_are_code() {
    check(
        Language::Python,
        "k = async_compile.triton('k', '''\nimport triton\n\ndef k(x):\n    \"\"\" about\n    k \"\"\"\n    y = tl.load(x)\n''', device_str='cuda')\nx = 1",
        &[
            "Name k",
            "String 'k'",
            "String '''",
            "Keyword import",
            "Keyword def",
            "Name k",
            "String \"\"\" about",
            "String     k \"\"\"",
            "Name y",
            "String '''",
            "String 'cuda'",
            "Name x",
            "Number 1",
        ],
    );
    check(
        Language::Python,
        "k = async_compile.cpp_pybinding(['float*'], r'''\n#include <a.h>\n/* open \"\n''')\ny",
        &[
            "Name k",
            "String 'float*'",
            "String r'''",
            "Decorator #include",
            "String <a.h>",
            "Comment /* open \"",
            "String '''",
        ],
    );
}

#[test]
fn the_wrapper_of_cpp_in_python_is_code() {
    check(
        Language::Python,
        "cpp_wrapper_src = (\nr'''\nint64_t x = 3L;\n'''\n)\ny = '''\nint64_t\n'''",
        &[
            "Name cpp_wrapper_src",
            "String r'''",
            "Type int64_t",
            "Name x",
            "Number 3L",
            "String '''",
            "Name y",
            "String '''",
            "String int64_t",
            "String '''",
        ],
    );
}

#[test]
fn words_of_cpp_are_told_apart() {
    check(
        Language::Cpp,
        "#include <torch/x.h> // why \\\nstill\nextern \"C\"  void  kernel(const float* in_ptr0,\n    auto tmp1 = static_cast<float>(2.0f) * 1'000L; /* a\n ** b */ 'x' '\\''\nR\"XY( )\" )XY\" \"a\\\nb\" struct S {}",
        &[
            "Decorator #include",
            "String <torch/x.h>",
            "Comment // why \\",
            "Comment still",
            "Keyword extern",
            "String \"C\"",
            "Type void",
            "Name kernel",
            "Keyword const",
            "Type float",
            "Name in_ptr0",
            "Keyword auto",
            "Name tmp1",
            "Keyword static_cast",
            "Type float",
            "Number 2.0f",
            "Number 1'000L",
            "Comment /* a",
            "Comment  ** b */",
            "String 'x'",
            "String '\\''",
            "String R\"XY( )\" )XY\"",
            "String \"a\\",
            "String b\"",
            "Keyword struct",
            "Name S",
        ],
    );
}

#[test]
fn keys_of_json_differ_from_strings() {
    check(
        Language::Json,
        "{\"a\\\"b\" : [\"c\", -1.5e+3, null, -Infinity, nullable], \"d\": true}",
        &[
            "Key \"a\\\"b\"",
            "String \"c\"",
            "Number -1.5e+3",
            "Keyword null",
            "Keyword -Infinity",
            "Key \"d\"",
            "Keyword true",
        ],
    );
}

#[test]
fn what_a_line_leaves_open_ends_with_it() {
    for (language, text) in [
        (Language::Python, "x = 'open\ny"),
        (Language::Python, "# open\\\ny"),
        (Language::Cpp, "'\n"),
        (Language::Json, "\"open\n1"),
    ] {
        assert_eq!(spans(language, text).1, State::default(), "{text}");
    }
}

#[test]
fn a_string_goes_on_in_the_rows_of_its_line() {
    for (language, pieces) in [
        (Language::Python, &["x = 'a\\", "' b", "' # c", "c"][..]),
        (Language::Python, &["'''a'", "'", "' # c", "c"]),
        (Language::Python, &["'", "''a", "''' # c", "c"]),
        (Language::Python, &["'", "'", "' a", "''' # c", "c"]),
        (Language::Python, &["x = r''", "' a", "''' # c", "c"]),
        (Language::Python, &["''", " # c", "c"]),
        (Language::Python, &["'", "' # c", "c"]),
        (Language::Python, &["'", "a' # c", "c"]),
        (Language::Cpp, &["R\"x(a)", "x", "\" // c", "c"]),
        (Language::Cpp, &["/* *", "/ // c", "c"]),
        (Language::Json, &["\"a", "\\", "\"b", "\""]),
    ] {
        let mut state = State::default();
        let mut last = Vec::new();
        for piece in pieces {
            last.clear();
            state = rest(language, state, piece, &mut last);
        }
        let whole = spans(language, &pieces.concat());
        let class = whole.0.last().unwrap().split(' ').next().unwrap();
        assert_eq!(
            format!("{:?}", last.last().unwrap().class),
            class,
            "{pieces:?}"
        );
        assert_eq!(
            state,
            line(language, State::default(), &pieces.concat(), &mut last)
        );
    }
}

#[test]
fn languages_are_told_by_name_and_text() {
    for (title, head, expected) in [
        (
            "inductor_output_code",
            "# AOT ID: ['0']\nfrom ctypes import c_int\n",
            Language::Python,
        ),
        ("inductor_output_code", "\n#include <x.h>\n", Language::Cpp),
        (
            "inductor_aot_kernel_code",
            "// Triton kernels\n\n#include <x.h>",
            Language::Cpp,
        ),
        (
            "dynamo_output_graph",
            "class GraphModule(torch.nn.Module):\n",
            Language::Python,
        ),
        (
            "aot_forward_graph",
            "class <lambda>(torch.nn.Module):",
            Language::Python,
        ),
        ("before_joint_graph", "class <lambda>(", Language::Python),
        (
            "some_new_artifact",
            "class <lambda>(torch.nn.Module):",
            Language::Python,
        ),
        (
            "aot_forward_graph_fw_metadata",
            "ViewAndMutationMeta(input_info=[",
            Language::Python,
        ),
        (
            "torch._functorch.config",
            "{\n\"TYPE_CHECKING\": false,\n\"_save",
            Language::Json,
        ),
        ("fx_graph_cache_miss", "{\"key\": \"ab", Language::Json),
        ("fx_graph_cache_miss", "the cache", Language::Plain),
        ("recompile_reasons", "[\"0/0: size\"", Language::Json),
        ("recompile_reasons", "[0/0] size mismatch", Language::Plain),
        (
            "dynamo_graph_break_reason",
            "Graph break in user code at",
            Language::Plain,
        ),
        ("f_MODIFIED_BYTECODE", "  7   0 RESUME", Language::Plain),
        (
            "dynamo_cpp_guards_str",
            "\nTREE_GUARD_MANAGER:\n",
            Language::Plain,
        ),
        ("notes", "class of its own", Language::Plain),
        ("", "", Language::Plain),
    ] {
        assert_eq!(Language::of(title, head), expected, "{title}: {head}");
    }
}

#[test]
fn hostile_rows_take_no_longer_than_others() {
    for language in LANGUAGES {
        for piece in [
            "'",
            "\"",
            "\\",
            "'''\\",
            "/*",
            "R\"",
            "@",
            ".",
            "1e",
            "#",
            "*/",
            "\u{e4}",
            "async_compile.triton'''",
            "'''\n",
            "1'",
        ] {
            let text = piece.repeat(1 << 18);
            let mut spans = Vec::new();
            let state = line(language, State::default(), &text, &mut spans);
            rest(language, state, &text, &mut spans);
        }
    }
}

/// Text of the pieces that lexers care for.
fn code() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "'|\"|'''|\"\"\"|\\\\|#|//|/\\*|\\*/|R\"x\\(|\\)x\"|\n|\n| |@|:|=|\\.",
        "def |async_compile\\.triton\\(|async_compile\\.cpp\\(|class |\"f32\\[1\\]\"|r'''|#include <",
        "[a-zé€😀_]{1,4}|[0-9.e]{1,4}|float|\\PC",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn spans_are_in_order_and_between_characters(
        text in code(), cuts in prop::collection::vec(1usize..12, 0..30),
    ) {
        for language in LANGUAGES {
            let mut state = State::default();
            let mut cuts = cuts.iter().copied();
            for whole in text.split('\n') {
                let (mut row, mut starts) = (whole, true);
                loop {
                    let cut = row.floor_char_boundary(cuts.next().unwrap_or(row.len()).max(4));
                    let (head, tail) = row.split_at(cut);
                    let mut spans = Vec::new();
                    state = if starts { line } else { rest }(language, state, head, &mut spans);
                    let mut end = 0;
                    for span in &spans {
                        prop_assert!(span.start >= end && span.start < span.end);
                        prop_assert!(head.get(span.start as usize..span.end as usize).is_some());
                        end = span.end;
                    }
                    (row, starts) = (tail, false);
                    if row.is_empty() {
                        break;
                    }
                }
            }
        }
    }

    /// Within strings and comments a cut changes nothing.
    #[test]
    fn a_cut_within_a_string_or_comment_changes_nothing(text in code(), at in any::<prop::sample::Index>()) {
        for language in LANGUAGES {
            for whole in text.split('\n') {
                let mut spans = Vec::new();
                let state = line(language, State::default(), whole, &mut spans);
                let bodies: Vec<Span> = spans
                    .iter()
                    .copied()
                    // A prefix and three quotes open a string; before them it is none yet. Neighbours that
                    // were joined may hold another opening.
                    .filter(|s| matches!(s.class, Class::String | Class::Comment))
                    .filter(|s| s.end - s.start > 22 || s.class == Class::Comment && s.end - s.start > 3)
                    .collect();
                if bodies.is_empty() {
                    continue;
                }
                let body = bodies[at.index(bodies.len())];
                let inside = &whole[body.start as usize..body.end as usize];
                let quotes = inside.matches(['\'', '"']).count();
                let cut = whole.floor_char_boundary(body.start as usize + if body.class == Class::Comment { 2 } else { 20 });
                if quotes > 2 && body.class == Class::String {
                    continue;
                }
                let mut cut_spans = Vec::new();
                let middle = line(language, State::default(), &whole[..cut], &mut cut_spans);
                let end = rest(language, middle, &whole[cut..], &mut Vec::new());
                prop_assert_eq!(state, end, "{:?} cut at {}", whole, cut);
            }
        }
    }

    /// A line that starts in the default state is coloured alike wherever it stands.
    #[test]
    fn a_line_depends_on_the_state_alone(text in code()) {
        for language in LANGUAGES {
            let mut state = State::default();
            let mut all = Vec::new();
            for row in text.split('\n') {
                let mut alone = Vec::new();
                let next = line(language, state, row, &mut alone);
                let before = all.len();
                // Spans that are there already are left alone, but for one that the row goes on with.
                all.push(Span { start: 0, end: 0, class: Class::Key });
                state = line(language, state, row, &mut all);
                prop_assert_eq!(state, next);
                prop_assert_eq!(&all[before + 1..], alone.as_slice());
            }
        }
    }
}
