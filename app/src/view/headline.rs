//! The answer first: what happened in this run, in one sentence.

use crate::engine::protocol::{FrameFacts, Overview, Status};
use crate::text::format::{count, counted, seconds};
use crate::ui::visible::plain;

/// The sentence, such as '14 functions were compiled 20 times: 5 recompiles, most of them of f, 3 failures;
/// 75.6 s compiling'. `worst` is the function that was compiled again most often; `printed` counts the failures
/// that the log prints, once they were looked for.
pub(crate) fn headline(
    overview: &Overview,
    worst: Option<&FrameFacts>,
    printed: Option<u32>,
) -> String {
    if overview.compilations == 0 {
        return "No compilation in this log".to_owned();
    }
    let functions = if overview.frames == 1 {
        "1 function was compiled".to_owned()
    } else {
        format!(
            "{} were compiled",
            counted(u64::from(overview.frames), "function", "functions")
        )
    };
    let times = match overview.compilations {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        many => counted(u64::from(many), "time", "times"),
    };
    let of = |status| {
        overview
            .by_status
            .iter()
            .find(|(found, _)| *found == status)
            .map_or(0, |(_, count)| *count)
    };
    let worst = worst.and_then(|worst| {
        let function = plain(worst.function.as_deref()?);
        Some(match worst.recompiles {
            0 => return None,
            all if all >= overview.recompiles => format!(" of {function}"),
            some => format!(" ({} of {function})", count(u64::from(some))),
        })
    });
    let worst = worst.unwrap_or_default();
    // Metrics count compilations, records the breaks themselves; console output has only these.
    let failures = overview.failures.max(printed.unwrap_or(0));
    let reported = u32::try_from(overview.graph_breaks).unwrap_or(u32::MAX);
    let breaks = of(Status::GraphBreak).max(reported);
    let troubles: Vec<String> = [
        (
            overview.recompiles,
            "recompile",
            "recompiles",
            worst.as_str(),
        ),
        (failures, "failure", "failures", ""),
        (breaks, "graph break", "graph breaks", ""),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many, of)| counted(u64::from(count), one, many) + of)
    .collect();
    let is_console = overview.records > 0 && overview.records == overview.console_messages;
    let troubles = if troubles.is_empty() && is_console && printed.is_none() {
        return format!("{functions} {times}");
    } else if troubles.is_empty() && is_console {
        // What was not asked for is not printed.
        "the log names no recompile, failure or graph break".to_owned()
    } else if troubles.is_empty() {
        "no recompiles, failures or graph breaks".to_owned()
    } else {
        troubles.join(", ")
    };
    let time = overview
        .compile_seconds
        .map(|time| format!("; {} compiling", seconds(time)))
        .unwrap_or_default();
    format!("{functions} {times}: {troubles}{time}")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::engine::protocol::FrameKey;

    /// A run of which nothing is known.
    pub(crate) fn nothing() -> Overview {
        Overview {
            torch_version: None,
            ranks: Vec::new(),
            processes: 1,
            generations: 1,
            frames: 0,
            compilations: 0,
            by_status: Vec::new(),
            attempts: 0,
            restarts: 0,
            recompiles: 0,
            failures: 0,
            compile_seconds: None,
            cache_hits: 0,
            cache_misses: 0,
            cache_bypasses: 0,
            chromium_events: 0,
            records: 0,
            console_messages: 0,
            outside_artifacts: 0,
            graph_breaks: 0,
            kinds: Vec::new(),
            problems: Vec::new(),
        }
    }

    #[test]
    fn the_headline_says_what_went_wrong_and_what_it_cost() {
        let mut overview = nothing();
        assert_eq!(
            headline(&overview, None, None),
            "No compilation in this log"
        );
        (overview.frames, overview.compilations) = (1, 1);
        assert_eq!(
            headline(&overview, None, None),
            "1 function was compiled once: no recompiles, failures or graph breaks"
        );
        (
            overview.frames,
            overview.compilations,
            overview.recompiles,
            overview.failures,
        ) = (14, 20, 5, 1);
        overview.by_status = vec![
            (Status::Ok, 15),
            (Status::GraphBreak, 4),
            (Status::Error, 1),
        ];
        overview.compile_seconds = Some(75.6);
        assert_eq!(
            headline(&overview, None, None),
            "14 functions were compiled 20 times: 5 recompiles, 1 failure, 4 graph breaks; 75.6 s compiling"
        );
        let mut worst = FrameFacts {
            key: FrameKey {
                process: 0,
                generation: 0,
                autograd: None,
                frame_id: 0,
            },
            function: Some("step".to_owned()),
            file: None,
            line: None,
            compilations: 4,
            recompiles: 3,
            restarts: 0,
            seconds: None,
            seconds_again: None,
            limit: None,
        };
        assert!(
            headline(&overview, Some(&worst), None).contains("5 recompiles (3 of step), 1 failure")
        );
        worst.recompiles = 5;
        assert!(
            headline(&overview, Some(&worst), None).contains("5 recompiles of step, 1 failure")
        );
    }

    #[test]
    fn what_a_console_log_reports_is_counted_and_nothing_is_denied_before_it_was_looked_for() {
        let mut overview = Overview {
            compilations: 2,
            frames: 2,
            records: 9,
            console_messages: 9,
            ..nothing()
        };
        assert_eq!(
            headline(&overview, None, None),
            "2 functions were compiled twice"
        );
        assert!(
            headline(&overview, None, Some(0))
                .ends_with("the log names no recompile, failure or graph break")
        );
        assert!(headline(&overview, None, Some(1)).ends_with(": 1 failure"));
        overview.graph_breaks = 2;
        assert!(headline(&overview, None, None).ends_with(": 2 graph breaks"));
    }
}
