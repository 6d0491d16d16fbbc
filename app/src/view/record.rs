//! A record as it stands in the log.

use leptos::prelude::*;

use super::kept::keep;
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Answer, MAX_ROW_BYTES, Question, RecordView, TextRow};
use crate::route::{Place, TextPlace};
use crate::text::format;
use crate::ui::asked::asked;
use crate::ui::code::{self, Pane};
use crate::ui::copy::copy_button;
use crate::ui::heading::heading;
use crate::ui::marks::checksum_mark;
use crate::ui::rows::Rows;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// The view.
pub(crate) fn record(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let growth = log.growth();
    let number = Memo::new(move |before: Option<&u32>| {
        workspace.address.with(|address| match &address.place {
            Place::Record(record) => *record,
            _ => before.copied().unwrap_or_default(),
        })
    });
    let question = Memo::new(move |_| Question::Record {
        log: id,
        record: number.get(),
    });
    let answer = asked(workspace.engine, question, growth, |answer| match answer {
        Answer::Record(view) => Some(*view),
        _ => None,
    });
    let shown = Memo::new(move |_| answer.good());
    let metadata = Memo::new(move |_| {
        shown.with(|shown| {
            shown
                .as_ref()
                .map(|view| cut(&view.metadata))
                .unwrap_or_default()
        })
    });
    let total = Signal::derive(move || metadata.with(Vec::len) as u64);
    let lines = Signal::derive(move || {
        metadata.with(|rows| rows.iter().rev().find_map(|row| row.line).unwrap_or(1))
    });
    let rows = Rows::new(total, code::ROW, 0.0);
    keep(workspace, "record", rows, None);
    let row = move |place: u64| {
        metadata.with(|rows| {
            usize::try_from(place)
                .ok()
                .and_then(|place| rows.get(place).cloned())
        })
    };
    let pane = Pane::plain(rows, "Metadata", lines);
    let name = plain(&log.name);
    let title = move || {
        let line = shown.with(|shown| {
            shown
                .as_ref()
                .map(|view| format!("{} at line {}", view.kind, view.line))
        });
        format!(
            "{} · {name}",
            line.unwrap_or_else(|| format!("Record {}", number.get()))
        )
    };
    let content = move || {
        shown.with(|shown| {
            shown.as_ref().map(|view| {
                view! { <span class="code-font">{visible(&view.kind)}</span> " at line " {format::count(view.line)} }
            })
        })
    };
    let back = workspace.link(id, Place::overview());
    let log_name = visible(&log.name);
    let copied = move || {
        shown.with_untracked(|shown| {
            shown
                .as_ref()
                .map(|view| view.metadata.clone())
                .unwrap_or_default()
        })
    };
    view! {
        <div class="page wide" data-testid="record">
            <nav class="crumbs" aria-label="Where this is">
                <a href=back>{log_name}</a>
                {move || shown.with(|shown| shown.as_ref().map(|view| beside(workspace, id, view)))}
            </nav>
            {heading(workspace.arrival, title, answer.fresh.into(), content)}
            {move || trouble(answer.wrong())}
            {move || shown.with(|shown| shown.as_ref().map(|view| facts(workspace, id, number.get(), view)))}
            <section>
                <div class="section-head"><h2>"Metadata"</h2> {copy_button("Copy", "Copy the metadata", copied)}</div>
                {code::pane(pane, row, |_| Vec::new(), |_, _| {})}
            </section>
        </div>
    }
}

fn beside(workspace: Workspace, id: u32, view: &RecordView) -> impl IntoView + use<> {
    let compilation = view.compilation.clone().map(|(key, label)| {
        let link = workspace.link(id, Place::Compilation(key));
        view! { <a href=link>{visible(&label)}</a> }
    });
    let to = |record: Option<u32>, word: &'static str, test: &'static str| {
        record.map(|record| {
            let link = workspace.link(id, Place::Record(record));
            view! { <a href=link data-testid=test>{word}</a> }
        })
    };
    let all = workspace.link(id, Place::records());
    view! {
        {compilation}
        <span class="beside"><a href=all data-testid="records-link">"All records"</a> {to(view.previous, "Previous record", "previous")} {to(view.next, "Next record", "next")}</span>
    }
}

fn facts(workspace: Workspace, id: u32, record: u32, view: &RecordView) -> impl IntoView + use<> {
    let payload = match view.payload_bytes {
        Some(bytes) => {
            let link = workspace.link(id, Place::Text(TextPlace::of(record)));
            view! { <a href=link data-testid="payload-link">{format::bytes(bytes)}</a> " " {checksum_mark(view.checksum)} }.into_any()
        }
        None => "none".into_any(),
    };
    let problems = view
        .problems
        .iter()
        .map(|problem| view! { <li>{visible(problem)}</li> })
        .collect_view();
    let problems = (!view.problems.is_empty())
        .then(|| view! { <ul class="trouble" data-testid="record-problems">{problems}</ul> });
    view! {
        {problems}
        <dl class="numbers record-facts">
            <div class="whole"><dt>"Prefix"</dt><dd class="code-font">{visible(&view.prefix)}</dd></div>
            <div><dt>"Line"</dt><dd>{format::count(view.line)}</dd></div>
            <div><dt>"Byte"</dt><dd>{format::count(view.offset)}</dd></div>
            <div><dt>"Payload"</dt><dd>{payload}</dd></div>
        </dl>
    }
}

/// Cuts text into rows, as the engine does with payloads.
fn cut(text: &str) -> Vec<TextRow> {
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut rest = line;
        let mut line = Some(number);
        loop {
            let mut end = rest.len().min(MAX_ROW_BYTES);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (row, after) = rest.split_at(end);
            rows.push(TextRow {
                line: line.take(),
                text: row.to_owned(),
                spans: Vec::new(),
            });
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_go_on_in_the_next_row() {
        let long = "é".repeat(1500);
        let rows = cut(&format!("a\n{long}\n\nb"));
        let lines: Vec<_> = rows.iter().map(|row| row.line).collect();
        assert_eq!(lines, [Some(1), Some(2), None, Some(3), Some(4)]);
        assert_eq!(rows[1].text.len() + rows[2].text.len(), 3000);
        assert!(cut("").is_empty());
    }
}
