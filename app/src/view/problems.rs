//! What could not be read, and where.

use leptos::prelude::*;

use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{Answer, LogId, ProblemRow, Question};
use crate::route::Place;
use crate::text::format;
use crate::ui::asked::asked;
use crate::ui::heading::heading;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// The view.
pub(crate) fn problems(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let growth = log.growth();
    let question = Memo::new(move |_| Question::Problems { log: id });
    let answer = asked(workspace.engine, question, growth, |answer| match answer {
        Answer::Problems(problems) => Some(problems),
        _ => None,
    });
    let back = workspace.link(id, Place::overview());
    let title = format!("Log health · {}", plain(&log.name));
    let list = move || {
        answer.good().map(|problems| {
            if problems.is_empty() {
                view! { <p>"Every line of what was read so far is accounted for. There are no problems."</p> }.into_any()
            } else {
                problems.iter().map(|problem| one(workspace, id, problem)).collect_view().into_any()
            }
        })
    };
    view! {
        <div class="page" data-testid="problems">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{visible(&log.name)}</a></nav>
            {heading(workspace.arrival, move || title.clone(), answer.fresh.into(), "Log health")}
            <p class="lead">"Nothing of a log is dropped. What could not be read as a record, or not wholly, is kept and listed here."</p>
            {move || trouble(answer.wrong())}
            {list}
        </div>
    }
}

fn one(workspace: Workspace, id: LogId, problem: &ProblemRow) -> impl IntoView + use<> {
    let shown = problem.examples.len() as u64;
    let examples = problem
        .examples
        .iter()
        .map(|(line, record)| {
            let link = workspace.link(id, Place::Record(*record));
            view! { <li><a href=link>"line " {format::count(*line)}</a></li> }
        })
        .collect_view();
    let rest = (shown < problem.count && shown > 0)
        .then(|| view! { <li class="dim">"the first " {format::count(shown)}</li> });
    view! {
        <section class="card problem" data-testid="problem" data-problem=problem.name.clone()>
            <h2>{format::count(problem.count)} " × " <span class="code-font">{visible(&problem.name)}</span></h2>
            <p>{visible(&problem.meaning)}</p>
            <ul class="examples" aria-label="Where">{examples} {rest}</ul>
        </section>
    }
}
