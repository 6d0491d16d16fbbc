//! A payload as text, however large.

use leptos::prelude::*;

use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Answer, Checksum, CompilationKey, Question, TextPage, TextRow};
use crate::route::Place;
use crate::text::phases;
use crate::ui::asked::Growth;
use crate::ui::code::{self, Pane};
use crate::ui::format;
use crate::ui::heading::heading;
use crate::ui::marks::checksum_mark;
use crate::ui::paged::{Paged, Source, Stretch};
use crate::ui::rows::Rows;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// What stands above the text.
#[derive(Debug, Clone, PartialEq)]
struct Head {
    name: String,
    compilation: Option<(CompilationKey, String)>,
    bytes: u64,
    lines: u64,
    file_line: u64,
    checksum: Checksum,
}

/// The view.
pub(crate) fn payload(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let asked = Memo::new(move |before: Option<&(u32, Option<u32>)>| {
        workspace.address.with(|address| match &address.place {
            Place::Text { record, row } => (*record, *row),
            _ => before.copied().unwrap_or_default(),
        })
    });
    let record = Memo::new(move |_| asked.get().0);
    let chosen = Signal::derive(move || asked.get().1.map(u64::from));
    let paged: Paged<TextRow, Head> = Paged::new(workspace.engine);
    let rows = Rows::new(paged.total.into(), code::ROW, 0.0);
    Effect::new(move |before: Option<u32>| {
        let record = record.get();
        if before.is_some_and(|before| before != record) {
            rows.go(0.0);
        }
        paged.set_source(Source {
            question: Box::new(move |first, count| Question::Text {
                log: id,
                record,
                first,
                count,
            }),
            pick: |answer| match answer {
                Answer::Text(page) => Some(stretch(page)),
                _ => None,
            },
        });
        record
    });
    // A record that was not read yet may be there when more of the log is.
    let growth = log.growth();
    Effect::new(move |before: Option<Growth>| {
        let now = growth.get();
        let is_missing = paged
            .head
            .with_untracked(|head| matches!(head, Some(Err(_))));
        if is_missing && before.is_some_and(|before| before != now) {
            paged.refresh(now);
        }
        now
    });
    let drawn = rows.drawn();
    Effect::new(move |_| paged.want(drawn.get()));
    // The row that the address points at comes into the middle when the text is there.
    Effect::new(move |_| {
        paged.fresh.track();
        let total = paged.total.get();
        if let Some(row) = asked
            .get_untracked()
            .1
            .filter(|row| u64::from(*row) < total)
        {
            rows.center(u64::from(row));
        }
    });
    let choose = move |row: u64| {
        let (record, before) = asked.get_untracked();
        let row = u32::try_from(row).ok().filter(|row| Some(*row) != before);
        workspace.amend(
            workspace
                .address
                .get_untracked()
                .to(Place::Text { record, row }),
        );
    };
    let head = Memo::new(move |_| paged.head.get().and_then(Result::ok));
    let wrong = move || paged.head.get().and_then(Result::err);
    let lines =
        Signal::derive(move || head.with(|head| head.as_ref().map_or(1, |head| head.lines)));
    let name = plain(&log.name);
    let title = move || {
        let what = head.with(|head| {
            head.as_ref().map(|head| match &head.compilation {
                Some((_, label)) => format!("{} {label}", head.name),
                None => head.name.clone(),
            })
        });
        format!(
            "{} · {name}",
            what.unwrap_or_else(|| format!("Record {}", record.get()))
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
        head.with(|head| {
            head.as_ref().map(|head| {
                let raw = workspace.link(id, Place::Record(record.get()));
                view! {
                    <span>{format::bytes(head.bytes)}</span>
                    <span>{format::counted(head.lines, "line", "lines")}</span>
                    {checksum_mark(head.checksum)}
                    <a href=raw data-testid="raw">"Raw record, line " {format::count(head.file_line)}</a>
                    <span class="dim">{phases::artifact(&head.name).1}</span>
                }
            })
        })
    };
    let pane = Pane {
        rows,
        name: "Text",
        lines,
        chosen,
    };
    view! {
        <div class="page wide fill" data-testid="text">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{log_name}</a> {crumb}</nav>
            {heading(workspace.arrival, title, paged.fresh.into(), content)}
            <p class="text-facts">{facts}</p>
            {move || trouble(wrong())}
            {code::pane(pane, move |row| paged.row(row), choose)}
        </div>
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
    } = page;
    let head = Head {
        name,
        compilation,
        bytes,
        lines,
        file_line,
        checksum,
    };
    Stretch {
        first,
        rows: page,
        total: u64::from(rows),
        head,
    }
}
