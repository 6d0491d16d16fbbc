//! How the program reached a function: its own lines stand out, a framework's are folded away.

use leptos::prelude::*;

use super::workspace::Workspace;
use crate::engine::protocol::{CompilationRow, FrameView, LogId};
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

/// The call that caused a compilation: the innermost of the reader's own frames that called the function.
pub(crate) fn caller<'a>(frames: &'a [FrameView], row: &CompilationRow) -> Option<&'a FrameView> {
    // Since 2.5 the function itself stands last, without its source.
    let callers = match frames.split_last() {
        Some((last, callers)) if last.source.is_none() && is_of(last, row) => callers,
        _ => frames,
    };
    callers.iter().rev().find(|frame| {
        frame
            .file
            .as_deref()
            .is_some_and(|file| !paths::is_framework(file) && !paths::is_generated(file))
    })
}

/// Whether a frame is the compiled function itself.
fn is_of(frame: &FrameView, row: &CompilationRow) -> bool {
    row.function.as_ref() == Some(&frame.function) && row.file == frame.file
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
        <p class="caller" data-testid="caller">
            {text::CALLED_FROM} " " <span class="code-font" title=whole>{visible(&place)}</span> " in "
            <span class="code-font">{visible(&frame.function)}</span> " " {source}
        </p>
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
    use crate::engine::protocol::{CompilationKey, Status};

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

    #[test]
    fn the_innermost_own_frame_that_called_the_function_is_its_caller() {
        let frame = |file: &str, line, function: &str, source: Option<&str>| FrameView {
            file: Some(file.to_owned()),
            line: Some(line),
            function: function.to_owned(),
            source: source.map(str::to_owned),
            dumped: None,
        };
        let row = CompilationRow {
            key: CompilationKey {
                process: 0,
                generation: 0,
                id: "0/0".to_owned(),
            },
            label: "[0/0]".to_owned(),
            function: Some("forward".to_owned()),
            file: Some("/srv/model.py".to_owned()),
            line: Some(27),
            status: Status::Ok,
            attempts: 1,
            ops: None,
            guards: None,
            seconds: None,
            is_console: false,
        };
        let main = frame("/srv/train.py", 41, "train_step", Some("loss = net(x)"));
        let torch = frame("/x/site-packages/torch/a.py", 1, "call", Some("f()"));
        let generated = frame("<eval_with_key>.8", 5, "forward", Some("g()"));
        let own = frame("/srv/model.py", 27, "forward", None);
        let stack = [main.clone(), torch.clone(), generated, own.clone()];
        assert_eq!(caller(&stack, &row), Some(&main));
        // Before 2.5 no frame has its source, and Dynamo's own stands last.
        let old = [frame("/srv/train.py", 9, "<module>", None), torch];
        assert_eq!(caller(&old, &row), Some(&old[0]));
        // A function that calls itself is its own caller.
        let again = frame("/srv/model.py", 30, "forward", Some("self(x)"));
        let stack = [main, again.clone(), own];
        assert_eq!(caller(&stack, &row), Some(&again));
        assert_eq!(caller(&[], &row), None);
    }
}
