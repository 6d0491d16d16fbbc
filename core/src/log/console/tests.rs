use super::*;
use alloc::string::String;

/// A prefix in words: rank, level, process, origin, line, id, artifact, then the message.
fn shown(line: &str) -> String {
    let Some(prefix) = Prefix::find(line.as_bytes()) else {
        return "none".into();
    };
    let part = |range: &core::ops::Range<usize>| line.get(range.clone()).unwrap();
    let rank = prefix
        .rank
        .map_or("-".into(), |rank| alloc::format!("{rank}"));
    let process = prefix
        .process
        .map_or("-".into(), |id| alloc::format!("{id}"));
    alloc::format!(
        "{} {rank} {} {process} {} {} {} {}|{}",
        prefix.start,
        part(&prefix.level),
        part(&prefix.origin),
        part(&prefix.lineno),
        part(&prefix.id),
        part(&prefix.artifact),
        line.get(prefix.message..).unwrap()
    )
}

#[track_caller]
fn check(line: &str, expected: &str) {
    assert_eq!(shown(line), expected, "{line}");
}

#[test]
fn every_generation_of_prefixes_is_read() {
    check(
        "[2023-03-20 10:11:12,345] torch._dynamo.convert_frame: [WARNING] torch._dynamo hit config",
        "0 - WARNING - torch._dynamo.convert_frame   |torch._dynamo hit config",
    );
    check(
        "[rank1]:[2023-10-12 17:04:05,123] [0/0] torch._dynamo.output_graph.__graph_code: [DEBUG] TRACED GRAPH",
        "0 1 DEBUG - torch._dynamo.output_graph  0/0 graph_code|TRACED GRAPH",
    );
    check(
        "[2024-02-01 10:00:00,123] [!1/0/0_1] torch._dynamo.symbolic_convert: [DEBUG] ",
        "0 - DEBUG - torch._dynamo.symbolic_convert  !1/0/0_1 |",
    );
    check(
        "V0521 12:00:00.123000 140245677250560 torch/_dynamo/guards.py:1000] [0/0] [__guards] GUARDS:",
        "0 - V 140245677250560 torch/_dynamo/guards.py 1000 0/0 guards|GUARDS:",
    );
    check(
        "[rank12]:W1023 12:00:00.123000 12345 ../my dir/x.py:21] [3/1_2] [a] b",
        "0 12 W 12345 ../my dir/x.py 21 3/1_2 |[a] b",
    );
    check(
        "I1023 12:00:00.123000 7 C:\\a[1:2]\\torch\\_dynamo\\x.py:21]   indented",
        "0 - I 7 C:\\a[1:2]\\torch\\_dynamo\\x.py 21  |  indented",
    );
    check(
        "CODE1023 12:00:00.123000 7 torch/x.py:2] [__output_code] ",
        "0 - CODE 7 torch/x.py 2  output_code|",
    );
    check(
        "V1023 12:00:00.123000 7 x.py:2] [!0] [__compiled_autograd]",
        "0 - V 7 x.py 2 !0 compiled_autograd|",
    );
    check(
        "DEBUG:torch._dynamo.guards.__guards:GUARDS:",
        "0 - DEBUG - torch._dynamo.guards   guards|GUARDS:",
    );
}

#[test]
fn what_others_put_in_front_is_passed_over() {
    let own = "V1023 12:00:00.123000 7 torch/x.py:2] [0/0] [__guards] text";
    for front in [
        "[rank3]: ",
        "[default0]:",
        "0: ",
        "trainer-1  | ",
        "2024-05-01T12:00:00.1234567Z ",
        "2024-05-01T12:00:00.123456789Z stderr F ",
        "(TrainWorker pid=4711, ip=10.0.0.1) ",
        "\u{1b}[36m(EngineCore_DP0 pid=123)\u{1b}[0;0m ",
        "[2025-08-12 03:18:23.088] ",
        "> ",
        "  5%|▌         | 1/20 [00:01<00:19,  1.00it/s]",
        "\r 10%|█         | 2/20 [00:02<00:18,  1.00it/s]\r",
        "DEBUG:torch/not a logger ",
        "epoch 1: 12:00:00 ",
    ] {
        let line = alloc::format!("{front}{own}");
        let prefix = Prefix::find(line.as_bytes()).expect(&line);
        assert_eq!(prefix.start, front.len(), "{line}");
        assert_eq!(line.get(prefix.message..), Some("text"), "{line}");
    }
}

#[test]
fn lines_that_are_no_messages_of_pytorch_are_refused() {
    for line in [
        "",
        "V1129 11:49:56.619000 7 torch/a.py:12] {\"dynamo_start\": {}}",
        "W1023 12:00:00.000000 12345 ProcessGroupNCCL.cpp:123] text",
        "[W1023 12:00:00.000000000 socket.cpp:123] text",
        "I1023 12:00:00.000000 139 train.py:12] absl writes the same",
        "[2024-05-01 12:00:00,123] [INFO] [real_accelerator.py:158:get_accelerator] text",
        "INFO:root:text",
        "INFO:torchvision:text",
        "Traceback (most recent call last):",
    ] {
        check(line, "none");
    }
}

#[test]
fn a_message_without_text_is_one() {
    check(
        "V1129 11:49:56.619000 7 torch/a.py:12]",
        "0 - V 7 torch/a.py 12  |",
    );
}

#[test]
fn a_front_is_the_same_but_for_timestamps_bars_and_colours() {
    let same = [
        ["2024-05-01T12:00:00.1Z a ", "2024-05-01T12:00:01.234Z a "],
        ["50%|██ | 1/2 [00:01<00:19]x ", "x "],
        ["\u{1b}[36m(pid=1)\u{1b}[0m ", "(pid=1) "],
        ["old\r> ", "> "],
    ];
    for [one, other] in same {
        assert_eq!(
            stable_front(one.as_bytes()),
            stable_front(other.as_bytes()),
            "{one}"
        );
        let line = alloc::format!("{one}text");
        let line = line.rsplit('\r').next().unwrap();
        let stable = stable_front(one.as_bytes());
        if !one.contains('%') {
            let at = front::length(line.as_bytes(), &stable).unwrap();
            assert_eq!(line.get(at..), Some("text"));
        }
    }
    assert_ne!(stable_front(b"[default0]:"), stable_front(b"[default1]:"));
}

/// Which message each line belongs to, by the number of the line that began it; `-` where to none.
fn grouped(text: &str) -> String {
    let mut streams = Streams::default();
    let mut began: alloc::vec::Vec<usize> = alloc::vec::Vec::new();
    let mut current = None;
    let mut shown = alloc::vec::Vec::new();
    for (number, line) in text.lines().enumerate() {
        match streams.decide(line.as_bytes(), current) {
            None => {
                current = None;
                shown.push("-".into());
                continue;
            }
            Some(Decision::GoesOn(i, _)) => current = Some(i),
            Some(Decision::Begins(i, _)) => {
                began.resize(began.len().max(i + 1), 0);
                began[i] = number;
                current = Some(i);
            }
        }
        shown.push(alloc::format!("{}", began[current.unwrap()]));
    }
    shown.join(" ")
}

#[test]
fn a_list_of_guards_is_one_message() {
    let text = "\
[2026-11-29 12:04:39,060] [0/0] torch._dynamo.guards.__guards: [DEBUG] GUARDS:
[2026-11-29 12:04:39,117] [0/0] torch._dynamo.guards.__guards: [DEBUG] hasattr(L['x'], 'a') == False
[2026-11-29 12:04:39,118] [0/0] torch._dynamo.guards.__guards: [DEBUG] hasattr(L['y'], 'a') == False
[2026-11-29 12:04:39,118] [0/0] torch._dynamo.guards.__guards: [DEBUG] ___is_grad_enabled()
[2026-11-29 12:04:39,118] [0/1] torch._dynamo.guards.__guards: [DEBUG] GUARDS:";
    assert_eq!(grouped(text), "0 0 0 0 4");
}
