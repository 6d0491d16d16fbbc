use super::*;

#[test]
fn the_tuple_of_2_0_says_what_its_sentences_say() {
    let text = "('Dynamo produced 2 graphs with 1 graph break and 4 ops', [{...}], [GraphModule()\n\n\ndef forward(self):\n    pass\n], [[<built-in method sin>]], [GraphCompileReason(reason='x')], 'Dynamo produced 2 graphs with 1 graph break and 4 ops\\n Break reasons: \\n\\n1. call_function print\\n  File \"a.py\", line 19, in gb\\n    print(\"hello\")\\n \\nTorchDynamo compilation metrics:\\nFunction    Runtimes (s)\\n----------  --------------\\n_compile    0.0392')";
    let explanation = read(text).unwrap();
    assert_eq!(
        (explanation.graphs, explanation.breaks, explanation.ops),
        (2, 1, 4)
    );
    assert_eq!(explanation.reasons.len(), 1);
    assert_eq!(explanation.reasons[0].reason, "call_function print");
    assert_eq!(
        explanation.reasons[0].stack[0].code[0].text,
        "print(\"hello\")"
    );
    assert_eq!(explanation.compile_times[0].seconds, [0.0392]);
    let mut cursor = Cursor::new(text);
    end(&mut cursor);
    assert_eq!(cursor.row(), 6);
}

#[test]
fn a_result_that_stops_has_what_was_there() {
    let text = "Graph Count: 3\nGraph Break Count: 2\nOp Count: 6\nBreak Reasons:\n  Break Reason 1:\n    Reason: Failed\n  Explanation: x\n\n    User Stack:\n      <FrameSummary file a.py, line 8 in <resume in f>>\nOps per Graph:\n  Ops 1:\n    <built-in";
    let explanation = read(text).unwrap();
    assert_eq!(
        (explanation.graphs, explanation.breaks, explanation.ops),
        (3, 2, 6)
    );
    assert_eq!(explanation.reasons[0].reason, "Failed\n  Explanation: x");
    let frame = &explanation.reasons[0].stack[0];
    assert_eq!(
        (frame.line, frame.function.as_deref()),
        (Some(8), Some("<resume in f>"))
    );
    assert_eq!(explanation.graph_ops, [["<built-in".to_string()]]);
    assert_eq!(read("Op Count: 3"), None);
}
