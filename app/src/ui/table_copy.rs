//! A button that copies a table as text that spreadsheets take: a row a line, a tab between cells.
//!
//! Start at [`copy_table`], for rows that lie in the engine, and [`copy_rows`], for those that are here.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::paged::{Source, Stretch};
use super::visible::plain;
use crate::engine::client::{EngineClient, Ticket};
use crate::text;

/// Rows that are asked for at a time: few enough for one slice of the engine's work.
const STRETCH: u32 = 500;

/// A table of more rows is cut.
pub(crate) const MAX_ROWS: u64 = 100_000;

/// How long the button says what it did, in milliseconds.
const SHOWN: u32 = 6000;

/// A row as cells.
pub(crate) type Line<T> = Box<dyn Fn(&T) -> Vec<String>>;

/// A table to copy.
pub(crate) struct Table<T> {
    /// What stands above the columns.
    pub header: Vec<&'static str>,
    /// How its rows are asked for.
    pub source: Source<T, u32>,
    /// A row as cells.
    pub line: Line<T>,
}

/// What was copied so far.
struct Copying<T> {
    table: Table<T>,
    out: String,
    rows: u64,
}

/// A button that copies all rows that `table` asks the engine for; `name` says of what.
pub(crate) fn copy_table<T: 'static>(
    engine: EngineClient,
    name: &'static str,
    table: impl Fn() -> Table<T> + 'static,
) -> impl IntoView {
    let copying = StoredValue::new_local(None::<Copying<T>>);
    let ticket = StoredValue::new_local(None::<Ticket>);
    let said = Said::new();
    let copy = move || {
        let table = table();
        said.say(text::COPYING.to_owned());
        copying.set_value(Some(Copying {
            out: line(table.header.iter().copied()),
            table,
            rows: 0,
        }));
        ask(engine, copying, ticket, said);
    };
    button(name, said, copy)
}

/// A button that copies rows that are on the page.
pub(crate) fn copy_rows(
    name: &'static str,
    header: &'static [&'static str],
    rows: impl Fn() -> Vec<Vec<String>> + 'static,
) -> impl IntoView {
    let said = Said::new();
    let copy = move || {
        let rows = rows();
        let total = rows.len() as u64;
        let shown = rows
            .iter()
            .take(usize::try_from(MAX_ROWS).unwrap_or(usize::MAX));
        let mut out = line(header.iter().copied());
        out.extend(shown.map(|row| line(row.iter().map(String::as_str))));
        finish(out, total.min(MAX_ROWS), total, said);
    };
    button(name, said, copy)
}

fn button(name: &'static str, said: Said, copy: impl Fn() + 'static) -> impl IntoView {
    view! {
        <span class="copy-table">
            <button type="button" data-testid="copy-table" aria-label=name on:click=move |_| copy()>{text::COPY_TABLE}</button>
            <span class="table-count" role="status" data-testid="copy-table-said">{said.words}</span>
        </span>
    }
}

/// What the button says of itself.
#[derive(Clone, Copy)]
struct Said {
    words: RwSignal<String>,
    timer: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Said {
    fn new() -> Self {
        Said {
            words: RwSignal::new(String::new()),
            timer: StoredValue::new_local(None),
        }
    }

    fn say(self, words: String) {
        let _ = self.words.try_set(words);
        let _ = self.timer.try_update_value(Option::take);
    }

    fn say_for_a_while(self, words: String) {
        self.say(words);
        let back = Timeout::new(SHOWN, move || {
            let _ = self.words.try_set(String::new());
        });
        let _ = self.timer.try_update_value(|timer| *timer = Some(back));
    }
}

fn ask<T: 'static>(
    engine: EngineClient,
    copying: StoredValue<Option<Copying<T>>, LocalStorage>,
    ticket: StoredValue<Option<Ticket>, LocalStorage>,
    said: Said,
) {
    let question = copying.try_with_value(|copying| {
        let copying = copying.as_ref()?;
        let first = u32::try_from(copying.rows).ok()?;
        Some((
            (copying.table.source.question)(first, STRETCH),
            copying.table.source.pick,
        ))
    });
    let Some((question, pick)) = question.flatten() else {
        return;
    };
    let asked = engine.ask(question, move |answer| {
        let stretch = answer
            .and_then(|answer| pick(answer).ok_or_else(|| text::ANSWER_UNEXPECTED.to_owned()));
        let stretch = match stretch {
            Ok(stretch) => stretch,
            Err(why) => return said.say_for_a_while(why),
        };
        let done = copying
            .try_update_value(|copying| {
                let is_done = copying
                    .as_mut()
                    .is_none_or(|copying| copying.take(&stretch));
                is_done.then(|| copying.take()).flatten()
            })
            .flatten();
        match done {
            Some(copying) => finish(copying.out, copying.rows, stretch.total, said),
            None => ask(engine, copying, ticket, said),
        }
    });
    let _ = ticket.try_update_value(|ticket| *ticket = Some(asked));
}

impl<T> Copying<T> {
    /// Takes the next rows; says whether they were the last ones.
    fn take(&mut self, stretch: &Stretch<T, u32>) -> bool {
        let room = usize::try_from(MAX_ROWS.saturating_sub(self.rows)).unwrap_or(usize::MAX);
        for row in stretch.rows.iter().take(room) {
            let cells = (self.table.line)(row);
            self.out.push_str(&line(cells.iter().map(String::as_str)));
            self.rows = self.rows.saturating_add(1);
        }
        stretch.rows.is_empty() || self.rows >= stretch.total.min(MAX_ROWS)
    }
}

fn finish(out: String, rows: u64, total: u64, said: Said) {
    let Some(window) = web_sys::window() else {
        return;
    };
    let promise = window.navigator().clipboard().write_text(&out);
    wasm_bindgen_futures::spawn_local(async move {
        said.say_for_a_while(match JsFuture::from(promise).await {
            Ok(_) => text::copied_rows(rows, total),
            Err(_) => text::NOT_COPIED.to_owned(),
        });
    });
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let mut out = cells.map(cell).collect::<Vec<_>>().join("\t");
    out.push('\n');
    out
}

/// A cell's text: without tabs and line ends, which would begin another cell, and not a formula, which a
/// spreadsheet would run: a log is written by whoever likes.
fn cell(text: &str) -> String {
    let text = plain(&text.replace(['\t', '\n', '\r'], " "));
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_neither_tabs_nor_line_ends_nor_formulas() {
        let cells = ["a\tb", "c\nd", "=cmd|' /C calc'!A0", "-3", "@x", "<lambda>"];
        assert_eq!(
            line(cells.into_iter()),
            "a b\tc d\t'=cmd|' /C calc'!A0\t-3\t'@x\t<lambda>\n"
        );
    }

    #[test]
    fn a_table_is_taken_in_stretches_and_cut() {
        let table = Table {
            header: vec!["N"],
            source: Source {
                question: Box::new(|_, _| crate::engine::protocol::Question::Overview { log: 0 }),
                pick: |_| None,
            },
            line: Box::new(|row: &u32| vec![row.to_string()]),
        };
        let mut copying = Copying {
            table,
            out: String::new(),
            rows: 0,
        };
        let stretch = |rows: std::ops::Range<u32>, total| Stretch {
            first: rows.start,
            rows: rows.collect(),
            total,
            head: 0,
        };
        assert!(!copying.take(&stretch(0..2, 3)));
        assert!(copying.take(&stretch(2..3, 3)));
        assert_eq!(copying.out, "0\n1\n2\n");
        assert!(copying.take(&stretch(3..200_000, 300_000)));
        assert_eq!(copying.rows, MAX_ROWS);
    }
}
