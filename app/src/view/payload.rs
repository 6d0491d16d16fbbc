//! A payload as text, however large: coloured, searched, wrapped, laid out anew, copied, saved.

use leptos::prelude::*;

use super::finder::{self, Finder, finder_box};
use super::kept::keep;
use super::text_tools::{Tools, text_tools};
use super::values::{Values, value_bar};
use super::workspace::{OpenLog, Workspace};
use crate::engine::client::Ticket;
use crate::engine::protocol::{
    Answer, Checksum, Class, CompilationKey, Form, Language, Query, Question, TextKey, TextPage,
    TextRow,
};
use crate::route::{GraphPlace, Place, TextPlace};
use crate::text::format;
use crate::text::phases;
use crate::ui::annotations::explained;
use crate::ui::code::{self, Pane};
use crate::ui::heading::heading;
use crate::ui::marks::checksum_mark;
use crate::ui::paged::{Paged, Source, Stretch};
use crate::ui::pieces::merged;
use crate::ui::rows::Rows;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// So many rows, and annotations in them, are explained below the tools.
const NOTED: usize = 8;

/// What stands above the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Head {
    /// The artifact's name.
    pub name: String,
    compilation: Option<(CompilationKey, String)>,
    bytes: u64,
    lines: u64,
    file_line: u64,
    checksum: Checksum,
    /// What it is written in.
    pub language: Language,
    trouble: Option<String>,
}

impl Head {
    /// The compilation's id as it is shown.
    pub(super) fn label(&self) -> Option<&str> {
        self.compilation.as_ref().map(|(_, label)| label.as_str())
    }
}

/// The view.
pub(crate) fn payload(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let asked = Memo::new(move |before: Option<&TextPlace>| {
        workspace.address.with(|address| match &address.place {
            Place::Text(text) => text.clone(),
            _ => before.cloned().unwrap_or(TextPlace::of(0)),
        })
    });
    let paged: Paged<TextRow, Head> = Paged::new(workspace.engine);
    let rows = Rows::new(paged.total.into(), code::ROW, 0.0);
    let columns = RwSignal::new(None::<u16>);
    let text = Memo::new(move |_| {
        let is_wrapped = workspace.wraps.get();
        let (record, is_pretty) = asked.with(|text| (text.record, text.is_pretty));
        TextKey {
            log: id,
            record,
            form: Form {
                is_pretty,
                width: columns.get().filter(|_| is_wrapped),
            },
        }
    });
    let widest = RwSignal::new(0);
    // Another text, or the same in other rows, is as wide as it is.
    Effect::new(move |_| {
        text.track();
        widest.set(0);
    });
    show(log, text, paged, rows);
    let returned = keep(workspace, "text", rows, None);
    // What the address points at was gone to when the reader first came; the reader who comes back is where
    // he was, until he points at something else.
    let left = StoredValue::new(None::<TextPlace>);
    Effect::new(move |before: Option<u64>| {
        let step = workspace.step.get();
        if before != Some(step) {
            left.set_value(returned.is_so().then(|| asked.get_untracked()));
        }
        step
    });
    let stays = move || left.with_value(|left| left.as_ref() == Some(&asked.get_untracked()));
    paged.follow(rows);
    let lines = Memo::new(move |_| asked.with(|text| text.lines));
    // A record that is still to be read has no lines, and nothing to find, yet.
    let is_ready = Memo::new(move |_| paged.head.with(|head| matches!(head, Some(Ok(_)))));
    let chosen = chosen_rows(workspace, text, lines, is_ready, rows, stays);
    let query = Memo::new(move |_| asked.with(|text| text.find.clone()));
    let finder = Finder::new(workspace.engine, rows, text, query, is_ready, chosen, stays);
    let is_graph = Memo::new(move |_| {
        let is_plain = !asked.with(|text| text.is_pretty);
        is_plain
            && paged
                .head
                .with(|head| matches!(head, Some(Ok(head)) if phases::holds_graph(&head.name)))
    });
    let values = Values::new(
        workspace,
        id,
        rows,
        paged,
        is_graph,
        lines,
        Memo::new(move |_| asked.with(|text| text.record)),
    );
    let amend = move |change: &dyn Fn(&mut TextPlace)| {
        let mut place = asked.get_untracked();
        change(&mut place);
        let address = workspace.address.get_untracked();
        workspace.amend(address.to(Place::Text(place)));
    };
    let choose = move |row: u64, extends: bool| {
        let Some(line) = line_of(paged, row) else {
            return;
        };
        amend(&|place: &mut TextPlace| place.lines = pointed(place.lines, line, extends));
    };
    let head = Memo::new(move |_| paged.head.get().and_then(Result::ok));
    let wrong = move || {
        let trouble = move || head.with(|head| head.as_ref().and_then(|head| head.trouble.clone()));
        paged.head.get().and_then(Result::err).or_else(trouble)
    };
    let count =
        Signal::derive(move || head.with(|head| head.as_ref().map_or(1, |head| head.lines)));
    let pane = Pane {
        rows,
        name: "Text",
        lines: count,
        chosen: chosen.into(),
        columns,
        widest,
    };
    let tools = Tools {
        workspace,
        text,
        lines,
        head,
        is_pretty: Memo::new(move |_| asked.with(|text| text.is_pretty)),
    };
    let name = plain(&log.name);
    let title = move || {
        let what = head.with(|head| {
            head.as_ref().map(|head| match head.label() {
                Some(label) => format!("{} {label}", head.name),
                None => head.name.clone(),
            })
        });
        let record = asked.with(|text| text.record);
        format!(
            "{} · {name}",
            what.unwrap_or_else(|| format!("Record {record}"))
        )
    };
    let content = move || {
        head.with(|head| {
            head.as_ref()
                .map(|head| view! { <span class="code-font">{visible(&head.name)}</span> })
        })
    };
    let back = workspace.link(id, Place::overview());
    let log_name = visible(&log.name);
    let crumb = move || {
        let compilation = head.with(|head| head.as_ref().and_then(|head| head.compilation.clone()));
        compilation.map(|(key, label)| {
            let link = workspace.link(id, Place::Compilation(key));
            view! { <a href=link>{visible(&label)}</a> }
        })
    };
    let facts = move || {
        let record = asked.with(|text| text.record);
        head.with(|head| head.as_ref().map(|head| facts(workspace, id, record, head)))
    };
    let set_lines = move |lines| amend(&|place: &mut TextPlace| place.lines = lines);
    let set_pretty = move |is_pretty| {
        amend(&|place: &mut TextPlace| {
            place.is_pretty = is_pretty;
            // A line of the one form is no line of the other.
            place.lines = None;
        });
    };
    let set_query = move |query: Query| {
        amend(&|place: &mut TextPlace| {
            place.find = Some(query.clone()).filter(|query| *query != finder::nothing());
        });
    };
    view! {
        <div class="page wide fill" data-testid="text">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{log_name}</a> {crumb}</nav>
            {heading(workspace.arrival, title, paged.fresh.into(), content)}
            <p class="text-facts">{facts}</p>
            <div class="text-tools">
                {finder_box(finder, query, set_query)}
                {text_tools(tools, set_lines, set_pretty)}
            </div>
            {move || trouble(wrong())}
            {move || notes(paged, chosen.get())}
            {value_bar(values)}
            <div
                class="text-pane"
                on:click=move |event| values.press(&event)
                on:mousemove=move |event| values.hover(&event)
                on:mouseleave=move |_| values.leave()
            >
                {code::pane(pane, move |row| paged.row(row), move |row| merged(finder.in_row(row), values.in_row(row)), choose)}
            </div>
        </div>
    }
}

/// Shows a text in the rows, from its start, and again when more of the log is there.
fn show(log: &OpenLog, text: Memo<TextKey>, paged: Paged<TextRow, Head>, rows: Rows) {
    Effect::new(move |before: Option<TextKey>| {
        let text = text.get();
        let is_other = before.is_some_and(|before| {
            (before.record, before.form.is_pretty) != (text.record, text.form.is_pretty)
        });
        if is_other {
            rows.go(0.0);
        }
        paged.set_source(Source {
            question: Box::new(move |first, count| Question::Text { text, first, count }),
            pick: |answer| match answer {
                Answer::Text(page) => Some(stretch(page)),
                _ => None,
            },
        });
        text
    });
    paged.retry(log.growth());
}

/// The rows in which the lines lie that the address points at; brings them into the middle when they are new,
/// unless the reader `stays` where he is.
fn chosen_rows(
    workspace: Workspace,
    text: Memo<TextKey>,
    lines: Memo<Option<(u32, u32)>>,
    is_ready: Memo<bool>,
    rows: Rows,
    stays: impl Fn() -> bool + Copy + Send + Sync + 'static,
) -> RwSignal<Option<(u64, u64)>> {
    let chosen = RwSignal::new(None::<(u64, u64)>);
    let waiting = StoredValue::new_local(None::<Ticket>);
    Effect::new(move |_| {
        let (text, lines) = (text.get(), lines.get());
        let Some(lines) = lines.filter(|_| is_ready.get()) else {
            waiting.set_value(None);
            return chosen.set(None);
        };
        let question = Question::Lines { text, lines };
        let ticket = workspace.engine.ask(question, move |answer| {
            let found = match answer {
                Ok(Answer::Lines(found)) => found,
                _ => None,
            };
            let found = found.map(|(first, behind)| (u64::from(first), u64::from(behind)));
            let _ = chosen.try_set(found);
            if let Some((first, _)) = found
                && !stays()
                && !rows.shows(first)
            {
                rows.center(first);
            }
        });
        waiting.set_value(Some(ticket));
    });
    chosen
}

/// What the annotations in the first rows that are pointed at say, for those who cannot hover over them.
fn notes(paged: Paged<TextRow, Head>, chosen: Option<(u64, u64)>) -> Option<impl IntoView + use<>> {
    let (first, behind) = chosen?;
    let rows = (first..behind).take(NOTED).filter_map(|row| paged.row(row));
    let notes: Vec<String> = rows.flat_map(|row| of_row(&row)).take(NOTED).collect();
    let list = notes
        .iter()
        .map(|note| view! { <li>{visible(note)}</li> })
        .collect_view();
    (!notes.is_empty())
        .then(|| view! { <ul class="line-notes" data-testid="line-notes">{list}</ul> })
}

/// The annotations of a row, each with what it says.
fn of_row(row: &TextRow) -> Vec<String> {
    let annotations = row
        .spans
        .iter()
        .filter(|span| span.class == Class::Annotation);
    annotations
        .filter_map(|span| {
            let place = |at: u32| usize::try_from(at).ok();
            let text = row.text.get(place(span.start)?..place(span.end)?)?;
            Some(format!("{text}: {}", explained(text)?))
        })
        .collect()
}

/// The line that a row belongs to: that of the nearest row above which starts one.
pub(super) fn line_of(paged: Paged<TextRow, Head>, row: u64) -> Option<u32> {
    let rows = (0..=row).rev().map_while(|row| paged.peek(row));
    let line = rows.into_iter().find_map(|row| row.line)?;
    u32::try_from(line).ok()
}

/// What is pointed at after a press on a line's number: that line; nothing where it was pointed at alone; the
/// stretch up to it where the shift key was held.
fn pointed(before: Option<(u32, u32)>, line: u32, extends: bool) -> Option<(u32, u32)> {
    match before {
        Some((first, _)) if extends && line >= first => Some((first, line)),
        Some((_, last)) if extends => Some((line, last)),
        Some(lines) if lines == (line, line) => None,
        _ => Some((line, line)),
    }
}

fn facts(workspace: Workspace, id: u32, record: u32, head: &Head) -> impl IntoView + use<> {
    let graph = phases::holds_graph(&head.name).then(|| {
        let link = workspace.link(id, Place::Graph(GraphPlace::of(record)));
        view! { <a href=link data-testid="graph-link">"As a picture"</a> }
    });
    let raw = workspace.link(id, Place::Record(record));
    view! {
        <span>{format::bytes(head.bytes)}</span>
        <span>{format::counted(head.lines, "line", "lines")}</span>
        {checksum_mark(head.checksum)}
        {graph}
        <a href=raw data-testid="raw">"Raw record, line " {format::count(head.file_line)}</a>
        <span class="dim">{phases::artifact(&head.name).1}</span>
    }
}

fn stretch(page: TextPage) -> Stretch<TextRow, Head> {
    let TextPage {
        name,
        compilation,
        bytes,
        lines,
        rows,
        file_line,
        first,
        page,
        checksum,
        language,
        trouble,
    } = page;
    let head = Head {
        name,
        compilation,
        bytes,
        lines,
        file_line,
        checksum,
        language,
        trouble,
    };
    Stretch {
        first,
        rows: page,
        total: u64::from(rows),
        head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_pointed_at_alone_or_as_a_stretch() {
        assert_eq!(pointed(None, 5, false), Some((5, 5)));
        assert_eq!(pointed(Some((5, 5)), 5, false), None);
        assert_eq!(pointed(Some((5, 9)), 5, false), Some((5, 5)));
        assert_eq!(pointed(Some((5, 5)), 8, true), Some((5, 8)));
        assert_eq!(pointed(Some((5, 8)), 2, true), Some((2, 8)));
        assert_eq!(pointed(None, 3, true), Some((3, 3)));
    }
}
