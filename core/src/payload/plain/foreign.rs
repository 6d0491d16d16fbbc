//! Lines that a logger or a shell begins: they are no part of what stands above them.

/// Words for levels, as Python's logging and others write them.
const LEVELS: [&str; 9] = [
    "CRITICAL", "DEBUG", "ERROR", "FATAL", "INFO", "NOTICE", "TRACE", "WARN", "WARNING",
];

/// Shapes with which lines of logs begin; `0` stands for a digit, `A` for the letter of a level: PyTorch's two
/// forms, the C++ form of either (c10/util/Logging.cpp), and dates, in brackets or without.
const SHAPES: [&str; 7] = [
    "A0000 00:00:00.",
    "[A0000 00:00:00.",
    "[0000-00-00 00:00:00",
    "[0000-00-00T00:00:00",
    "0000-00-00 00:00:00",
    "0000-00-00T00:00:00",
    "0000/00/00 00:00:00",
];

/// Whether a line begins as those of loggers do, behind the rank that torch.distributed writes or without it, or
/// with the prompt of a shell, of Python or of IPython.
pub(super) fn begins(line: &str) -> bool {
    let own = match line
        .strip_prefix("[rank")
        .and_then(|rest| rest.split_once("]:"))
    {
        Some((rank, own)) if rank.bytes().all(|byte| byte.is_ascii_digit()) => own.trim_start(),
        _ => line,
    };
    SHAPES.iter().any(|shape| has_shape(own, shape)) || has_level(own) || is_prompt(own)
}

fn has_shape(text: &str, shape: &str) -> bool {
    text.len() >= shape.len()
        && text
            .bytes()
            .zip(shape.bytes())
            .all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                b'A' => matches!(byte, b'V' | b'D' | b'I' | b'W' | b'E' | b'C' | b'F'),
                form => byte == form,
            })
}

/// `INFO:name:` as `logging.basicConfig` writes it, and `[INFO]`.
fn has_level(text: &str) -> bool {
    if let Some((level, _)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return LEVELS.contains(&level.trim());
    }
    let mut parts = text.splitn(3, ':');
    let (Some(level), Some(name), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    LEVELS.contains(&level) && !name.is_empty() && !name.contains(' ')
}

/// `>>> `, `In [3]: `, `$ `, `user@host:~/x$ `, `(venv) user@host:~# `, `[user@host x]$ ` and `PS C:\x> `.
fn is_prompt(text: &str) -> bool {
    if text == ">>>"
        || [">>> ", "$ ", "% ", "In ["]
            .iter()
            .any(|start| text.starts_with(start))
    {
        return true;
    }
    if let Some(rest) = text.strip_prefix("PS ") {
        return rest.contains('>') && rest.get(1..3) == Some(":\\");
    }
    let own = match text
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(") "))
    {
        Some((name, own)) if !name.contains(' ') => own,
        _ => text,
    };
    let Some(end) = own.find(['$', '#']) else {
        return false;
    };
    let (place, behind) = own.split_at(end);
    let (is_in_brackets, place) = match place.strip_prefix('[') {
        Some(inside) => (true, inside),
        None => (false, place),
    };
    let is_place = place.split_once('@').is_some_and(|(user, host)| {
        let is_host = host.contains(':') || is_in_brackets && host.ends_with(']');
        !user.is_empty() && !user.contains(' ') && is_host
    });
    let behind = behind.get(1..).unwrap_or_default();
    is_place && (behind.is_empty() || behind.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_loggers_and_shells_begin_is_told() {
        for line in [
            "V1129 12:40:25.430000 7 torch/x.py:1] x",
            "[2026-11-29 12:31:13,032] torch: [WARNING] x",
            "[rank0]:[W1129 12:31:13.032000000 ProcessGroupNCCL.cpp:1] x",
            "[rank3]: W1129 12:40:25.430000 7 torch/x.py:1] x",
            "2026-11-29 12:00:00,123 - root - INFO - x",
            "2026-11-29T12:00:00Z x",
            "INFO:root:x",
            "WARNING:torch.distributed.run:",
            "[INFO] x",
            ">>> ",
            "In [5]: f(x)",
            "$ ls",
            "user@host:~/a b$ ls",
            "(venv) user@host:~#",
            "root@host:/srv# ",
            "[user@host srv]$ ls",
            "PS C:\\Users> dir",
        ] {
            assert!(begins(line), "{line}");
        }
        for line in [
            "",
            "more of it",
            "  indented",
            "ERROR: it failed: why",
            "INFO:a b:c",
            "costs 3$ in a@b.c",
            "matrix@vector costs 5 % more",
            "[rank0]: more of it",
            "ncclSystemError: System call failed.",
            "(a) first",
        ] {
            assert!(!begins(line), "{line}");
        }
    }
}
