//! How the program reached a function: its own lines stand out, a framework's are folded away.

use leptos::prelude::*;

use super::workspace::Workspace;
use crate::engine::protocol::{FrameView, LogId};
use crate::route::{Place, TextPlace};
use crate::text;
use crate::text::format::counted;
use crate::text::missing::{self, Missing, Origin};
use crate::text::paths;
use crate::ui::visible::{plain, visible};

/// Neighbouring frames of one sort.
#[derive(Debug, PartialEq)]
enum Run {
    /// The reader's own frames; the flag is the innermost one of all.
    Own(Vec<(FrameView, bool)>),
    /// Frames of PyTorch, Python or an installed package.
    Framework(Vec<FrameView>),
}

/// The stack, outermost frame first.
pub(crate) fn stack(
    workspace: Workspace,
    log: LogId,
    frames: Vec<FrameView>,
    origin: Origin,
) -> impl IntoView {
    if frames.is_empty() {
        return view! { <p class="dim" data-testid="no-stack">{missing::sentence(Missing::Stack, origin)}</p> }
            .into_any();
    }
    let runs = runs(frames).into_iter().map(|run| match run {
        Run::Own(frames) => {
            frames.into_iter().map(|(one, is_last)| frame(workspace, log, &one, is_last)).collect_view().into_any()
        }
        Run::Framework(frames) => {
            let words = counted(frames.len() as u64, "framework frame", "framework frames");
            let frames = frames.iter().map(|one| frame(workspace, log, one, false)).collect_view();
            view! { <li class="framework"><details><summary>{words}</summary><ol>{frames}</ol></details></li> }.into_any()
        }
    });
    view! { <ol class="stack" data-testid="stack">{runs.collect_view()}</ol> }.into_any()
}

/// The call that caused a compilation, in one line with its source.
pub(crate) fn called_from(frame: &FrameView) -> impl IntoView + use<> {
    let place = paths::place(frame.file.as_deref(), frame.line);
    let whole = plain(&paths::whole_place(frame.file.as_deref(), frame.line));
    let source = frame
        .source
        .as_deref()
        .map(|source| view! { <code class="caller-source">{visible(source.trim())}</code> });
    view! {
        {text::CALLED_FROM} " " <span class="code-font" title=whole>{visible(&place)}</span> " in "
        <span class="code-font">{visible(&frame.function)}</span> " " {source}
    }
}

fn frame(
    workspace: Workspace,
    log: LogId,
    frame: &FrameView,
    is_last: bool,
) -> impl IntoView + use<> {
    let place = paths::place(frame.file.as_deref(), frame.line);
    let whole = plain(&paths::whole_place(frame.file.as_deref(), frame.line));
    let source = frame
        .source
        .as_deref()
        .map(|source| view! { <code class="frame-source">{visible(source.trim())}</code> });
    view! {
        <li class="frame" class:own-last=is_last data-testid="frame">
            <span class="frame-function">{visible(&frame.function)}</span>
            <span class="frame-place" title=whole>{visible(&place)} " " {dumped(workspace, log, frame, "0")}</span>
            {source}
        </li>
    }
}

/// A link to the file that torch.fx generated, at the frame's line, where the log holds it.
pub(crate) fn dumped(
    workspace: Workspace,
    log: LogId,
    frame: &FrameView,
    tab: &'static str,
) -> impl IntoView + use<> {
    let line = frame.line.and_then(|line| u32::try_from(line).ok());
    frame.dumped.map(|record| {
        let place = Place::Text(TextPlace {
            lines: line.filter(|line| *line > 0).map(|line| (line, line)),
            ..TextPlace::of(record)
        });
        let link = workspace.link(log, place);
        view! { <a href=link tabindex=tab data-testid="dumped" title=text::DUMPED_MEANING>{text::DUMPED}</a> }
    })
}

fn runs(frames: Vec<FrameView>) -> Vec<Run> {
    let is_own = |frame: &FrameView| !frame.file.as_deref().is_some_and(paths::is_framework);
    let last_own = frames.iter().rposition(is_own);
    let mut runs = Vec::new();
    for (place, frame) in frames.into_iter().enumerate() {
        match (is_own(&frame), runs.last_mut()) {
            (true, Some(Run::Own(run))) => run.push((frame, Some(place) == last_own)),
            (true, _) => runs.push(Run::Own(vec![(frame, Some(place) == last_own)])),
            (false, Some(Run::Framework(run))) => run.push(frame),
            (false, _) => runs.push(Run::Framework(vec![frame])),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_one_sort_stand_together_and_the_innermost_own_one_is_marked() {
        let frame = |file: &str| FrameView {
            file: Some(file.to_owned()),
            line: Some(1),
            function: "f".to_owned(),
            source: None,
            dumped: None,
        };
        let frames = [
            "/srv/a.py",
            "/x/site-packages/torch/a.py",
            "/x/site-packages/torch/b.py",
            "/srv/b.py",
        ];
        let runs = runs(frames.map(frame).into());
        let [Run::Own(first), Run::Framework(middle), Run::Own(last)] = runs.as_slice() else {
            panic!("three runs: {runs:?}")
        };
        assert_eq!((first.len(), middle.len(), last.len()), (1, 2, 1));
        assert!(!first[0].1 && last[0].1);
    }
}
