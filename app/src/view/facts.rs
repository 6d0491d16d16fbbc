//! The run's facts as tiles, each with a word for newcomers.

use leptos::prelude::*;

use crate::engine::protocol::{Overview, ProblemRow};
use crate::text::format::{count, counted, seconds};
use crate::text::missing::{self, Origin};
use crate::text::words::{FACTS, Fact, FactWords};

/// What a tile shows: a value, a word below it, and whether it asks for attention.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tile {
    value: String,
    below: String,
    tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Plain,
    Warning,
    Bad,
}

/// The tiles. `links` gives the address that a tile leads to, where it leads anywhere.
pub(crate) fn facts(
    overview: Signal<Option<Overview>>,
    links: impl Fn(Fact) -> Option<String> + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let tiles = FACTS
        .iter()
        .map(|words| one(words, overview, links))
        .collect_view();
    view! { <dl class="facts">{tiles}</dl> }
}

fn one(
    words: &'static FactWords,
    overview: Signal<Option<Overview>>,
    links: impl Fn(Fact) -> Option<String> + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let fact = words.fact;
    let tile = Memo::new(move |_| {
        overview.with(|overview| overview.as_ref().map(|overview| tile(fact, overview)))
    });
    let value = move || {
        tile.with(|tile| {
            tile.as_ref()
                .map_or_else(|| "…".to_owned(), |tile| tile.value.clone())
        })
    };
    let below = move || tile.with(|tile| tile.as_ref().map(|tile| tile.below.clone()));
    let tone = move || {
        tile.with(|tile| match tile.as_ref().map(|tile| tile.tone) {
            Some(Tone::Warning) => "warning",
            Some(Tone::Bad) => "bad",
            Some(Tone::Plain) | None => "plain",
        })
    };
    let tip = format!("tip-{}", words.key);
    let shown = move || match links(fact) {
        Some(link) => view! { <a href=link>{value}</a> }.into_any(),
        None => value.into_any(),
    };
    view! {
        <div class="fact" data-testid=format!("fact-{}", words.key) data-tone=tone>
            <dt>
                <button type="button" class="term" aria-describedby=tip.clone()>{words.label}</button>
                <span class="tip" role="tooltip" id=tip>{words.meaning}</span>
            </dt>
            <dd>
                <span class="fact-value" data-testid=format!("value-{}", words.key)>{shown}</span>
                <span class="fact-below">{below}</span>
            </dd>
        </div>
    }
}

fn tile(fact: Fact, overview: &Overview) -> Tile {
    let number = |value: u32| count(u64::from(value));
    let plain = |value: String, below: String| Tile {
        value,
        below,
        tone: Tone::Plain,
    };
    let absent = |otherwise| {
        // Console output never holds it, whatever the version.
        let is_console = overview.records == overview.console_messages;
        let why = missing::below_tile(
            overview.torch_version.as_deref(),
            otherwise,
            Origin::of(is_console && overview.records > 0),
        );
        plain("not logged".to_owned(), why.to_owned())
    };
    let warn_if =
        |is_bad: bool, tone: Tone, tile: Tile| if is_bad { Tile { tone, ..tile } } else { tile };
    match fact {
        Fact::Torch => {
            let version = overview
                .torch_version
                .clone()
                .unwrap_or_else(|| "unknown".to_owned());
            plain(version, writers(overview))
        }
        Fact::Frames => plain(number(overview.frames), String::new()),
        Fact::Compilations => {
            let below = match overview.generations {
                0 | 1 => String::new(),
                many => format!("in {many} generations"),
            };
            plain(number(overview.compilations), below)
        }
        Fact::Attempts => plain(number(overview.attempts), String::new()),
        Fact::Restarts => plain(number(overview.restarts), String::new()),
        Fact::Recompiles => warn_if(
            overview.recompiles > 0,
            Tone::Warning,
            plain(number(overview.recompiles), String::new()),
        ),
        Fact::Failures => warn_if(
            overview.failures > 0,
            Tone::Bad,
            plain(number(overview.failures), String::new()),
        ),
        Fact::CompileTime => match overview.compile_seconds {
            Some(time) => plain(seconds(time), String::new()),
            None => absent(missing::NO_TIME),
        },
        Fact::Cache => {
            let (hits, misses, bypasses) = (
                overview.cache_hits,
                overview.cache_misses,
                overview.cache_bypasses,
            );
            if hits == 0 && misses == 0 && bypasses == 0 {
                return absent(missing::NO_CACHE);
            }
            let below = format!(
                "{}, {}",
                counted(u64::from(misses), "miss", "misses"),
                counted(u64::from(bypasses), "bypass", "bypasses")
            );
            plain(counted(u64::from(hits), "hit", "hits"), below)
        }
        Fact::Health => {
            let problems: u64 = overview
                .problems
                .iter()
                .map(|problem: &ProblemRow| problem.count)
                .sum();
            let records = counted(overview.records, "record", "records");
            match problems {
                0 => plain("all read".to_owned(), records),
                many => Tile {
                    value: counted(many, "problem", "problems"),
                    below: records,
                    tone: Tone::Warning,
                },
            }
        }
    }
}

/// Who wrote the log, where it was more than one process.
fn writers(overview: &Overview) -> String {
    match (overview.ranks.as_slice(), overview.processes) {
        ([rank], _) => format!("rank {rank}"),
        ([_, _, ..], _) => counted(overview.ranks.len() as u64, "rank", "ranks"),
        ([], 0 | 1) => String::new(),
        ([], many) => format!("{many} processes"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::headline::tests::nothing;
    use super::*;

    #[test]
    fn what_was_not_logged_is_said_so() {
        let overview = nothing();
        assert_eq!(tile(Fact::CompileTime, &overview).value, "not logged");
        assert_eq!(tile(Fact::Cache, &overview).value, "not logged");
        assert_eq!(tile(Fact::Torch, &overview).value, "unknown");
        assert_eq!(tile(Fact::Health, &overview).value, "all read");
    }

    #[test]
    fn trouble_has_a_tone() {
        let overview = Overview {
            failures: 1,
            recompiles: 2,
            ..nothing()
        };
        assert_eq!(tile(Fact::Failures, &overview).tone, Tone::Bad);
        assert_eq!(tile(Fact::Recompiles, &overview).tone, Tone::Warning);
        assert_eq!(tile(Fact::Restarts, &overview).tone, Tone::Plain);
    }
}
