//! What differs between two compilations of a frame: why first, then guards, inputs, symbols, numbers, texts.

use leptos::prelude::*;

use super::text_diff::text_diff;
use super::workspace::{OpenLog, Workspace};
use crate::engine::protocol::{
    Answer, CompilationKey, CompilationRow, DiffView, Differing, LogId, Question, RecordIndex,
    TextPair,
};
use crate::route::{DiffPlace, GuardPlace, Place, TextPlace};
use crate::text::differences::{self as words, Cause};
use crate::text::format;
use crate::ui::asked::asked;
use crate::ui::heading::heading;
use crate::ui::trouble::trouble;
use crate::ui::visible::{plain, visible};

/// A property, and its value before and after.
type Difference = (String, Option<String>, Option<String>);

/// Guards that show before the reader asks for more.
const FEW: usize = 40;

/// So many other sources are named.
const MOST_OTHERS: usize = 8;

/// The view.
pub(crate) fn diff(workspace: Workspace, log: &OpenLog) -> impl IntoView + use<> {
    let id = log.id;
    let place = Memo::new(move |before: Option<&DiffPlace>| {
        workspace.address.with(|address| match &address.place {
            Place::Diff(place) => place.clone(),
            _ => before.cloned().unwrap_or_else(nowhere),
        })
    });
    let pair = Memo::new(move |_| place.with(|place| (old_key(place), place.new.clone())));
    let question = Memo::new(move |_| {
        let (old, new) = pair.get();
        Question::Diff { log: id, old, new }
    });
    let answer = asked(
        workspace.engine,
        question,
        log.growth(),
        |answer| match answer {
            Answer::Diff(view) => Some(*view),
            _ => None,
        },
    );
    let shown = Memo::new(move |_| answer.good());
    let part =
        move |take: fn(&DiffView) -> AnyView| move || shown.with(|shown| shown.as_ref().map(take));
    let name = plain(&log.name);
    let labels =
        move || pair.with(|(old, new)| format!("[{}] to [{}]", plain(&old.id), plain(&new.id)));
    let title = move || format!("{} · {name}", labels());
    let content = move || {
        shown.with(|shown| match shown {
            Some(view) => {
                let function = view.new.function.as_deref().map(visible);
                let (old, new) = (visible(&view.old.label), visible(&view.new.label));
                view! { "From " {old} " to " {new} " " <span class="code-font">{function}</span> }
                    .into_any()
            }
            None => format!("From {}", labels()).into_any(),
        })
    };
    let back = workspace.link(id, Place::overview());
    let to_new = move || pair.with(|(_, new)| workspace.link(id, Place::Compilation(new.clone())));
    let label = move || pair.with(|(_, new)| format!("[{}]", plain(&new.id)));
    let choose = move |event| {
        let mut place = place.get_untracked();
        place.old = event_target_value(&event);
        let address = workspace.address.get_untracked();
        workspace.amend(address.to(Place::Diff(place)));
    };
    let others = move || shown.with(|shown| shown.as_ref().map(options));
    let texts = Memo::new(move |_| {
        shown.with(|shown| {
            shown
                .as_ref()
                .map(|view| view.texts.clone())
                .unwrap_or_default()
        })
    });
    view! {
        <div class="page wide" data-testid="diff">
            <nav class="crumbs" aria-label="Where this is"><a href=back>{visible(&log.name)}</a> <a href=to_new>{label}</a></nav>
            {heading(workspace.arrival, title, answer.fresh.into(), content)}
            {move || trouble(answer.wrong())}
            <div class="stacked" class:away=move || shown.with(Option::is_none)>
                <label class="check">
                    "Compare with"
                    <select data-testid="diff-from" on:change=choose>{others}</select>
                </label>
                <section data-testid="diff-why">
                    <h2>"Why it was compiled again"</h2>
                    {move || shown.with(|shown| shown.as_ref().map(|view| causes(workspace, id, view)))}
                </section>
                <section data-testid="diff-inputs">
                    <h2>"Inputs"</h2>
                    {move || shown.with(|shown| shown.as_ref().map(|view| inputs(workspace, id, view)))}
                </section>
                <section data-testid="diff-guards">
                    <h2>"Guards"</h2>
                    <p class="dim">{words::GUARDS_MEANING}</p>
                    {move || shown.with(|shown| shown.as_ref().map(|view| guards(workspace, id, view)))}
                </section>
                <section data-testid="diff-numbers"><h2>"Numbers"</h2>{part(numbers)}</section>
                <section class="diff-texts">
                    <h2>"Graphs and code"</h2>
                    {text_diff(workspace, id, place, texts)}
                </section>
            </div>
        </div>
    }
}

fn nowhere() -> DiffPlace {
    DiffPlace {
        new: CompilationKey {
            process: 0,
            generation: 0,
            id: String::new(),
        },
        old: String::new(),
        text: None,
        is_whole: false,
    }
}

fn old_key(place: &DiffPlace) -> CompilationKey {
    CompilationKey {
        id: place.old.clone(),
        ..place.new.clone()
    }
}

/// The other compilations of the frame.
fn options(view: &DiffView) -> impl IntoView + use<> {
    let is_listed = view.of_frame.iter().any(|one| one.key == view.old.key);
    // The one that the address names may be far away, or no other at all.
    let own = (!is_listed).then(|| (view.old.key.clone(), view.old.label.clone()));
    let others = view
        .of_frame
        .iter()
        .map(|one| (one.key.clone(), one.label.clone()));
    own.into_iter()
        .chain(others)
        .filter(|(key, _)| *key != view.new.key || *key == view.old.key)
        .map(|(key, label)| {
            let is_chosen = key == view.old.key;
            view! { <option value=key.id selected=is_chosen>{plain(&label)}</option> }
        })
        .collect_view()
}

fn causes(workspace: Workspace, id: LogId, view: &DiffView) -> AnyView {
    let causes = &view.causes;
    if causes.is_empty() {
        return view! { <p class="dim" data-testid="no-cause">{words::NO_CAUSE}</p> }.into_any();
    }
    let list = causes
        .iter()
        .map(|cause| {
            let sentence = words::cause(&Cause {
                kind: cause.kind,
                source: cause.source.as_deref(),
                index: cause.index,
                expected: cause.expected.as_deref(),
                actual: cause.actual.as_deref(),
                guard: &cause.guard,
                symbol: cause.symbol.as_deref(),
            });
            let record = cause.record.map(|record| {
                let link = workspace.link(id, Place::Text(TextPlace::of(record)));
                view! { <a href=link>"the record that says so"</a> }
            });
            view! {
                <li>
                    <p class="cause" data-testid="cause">{visible(&sentence)}</p>
                    <p class="dim"><code class="guard-code">{visible(&cause.guard)}</code> " " {record}</p>
                </li>
            }
        })
        .collect_view();
    let others = words::others(&others(view));
    let first_only = (causes.len() == 1)
        .then(|| view! { <p class="diff-others" data-testid="others">{visible(&others)}</p> });
    view! { <ul class="causes">{list}</ul> {first_only} }.into_any()
}

/// What else of the program's own is guarded otherwise, beside the causes.
fn others(view: &DiffView) -> Vec<&str> {
    let is_cause = |name: &str| {
        view.causes
            .iter()
            .any(|cause| cause.source.as_deref() == Some(name))
    };
    let mut out: Vec<&str> = Vec::new();
    for guard in view
        .guards
        .iter()
        .filter(|guard| guard.is_own && guard.old.is_some())
    {
        let name = guard.name.as_str();
        if !name.is_empty() && !is_cause(name) && !out.contains(&name) && out.len() < MOST_OTHERS {
            out.push(name);
        }
    }
    out
}

fn inputs(workspace: Workspace, id: LogId, view: &DiffView) -> AnyView {
    if view.inputs.is_empty() && view.symbols.is_empty() {
        let sentence = if view.same_inputs == 0 {
            words::NO_INPUTS_KNOWN
        } else {
            words::NO_INPUTS_DIFFER
        };
        return view! { <p class="dim">{sentence}</p> }.into_any();
    }
    let to_record = move |one: &Differing| {
        let record: RecordIndex = one.new.or(one.old)?;
        Some(workspace.link(id, Place::Record(record)))
    };
    let same = (view.same_inputs > 0).then(|| {
        let many = format::counted(u64::from(view.same_inputs), "input is", "inputs are");
        view! { <p class="dim">{many} " the same in both."</p> }
    });
    let tensors = table("Input", &view.inputs, view.inputs.len(), to_record);
    let symbols = table("Symbol", &view.symbols, view.symbols.len(), to_record);
    view! { {tensors} {symbols} {same} }.into_any()
}

fn guards(workspace: Workspace, id: LogId, view: &DiffView) -> AnyView {
    if let Some(why) = &view.guard_trouble {
        return view! { <p class="dim">{visible(why)}</p> }.into_any();
    }
    if view.guards.is_empty() {
        return view! { <p class="dim">{words::NO_GUARDS_DIFFER}</p> }.into_any();
    }
    let link = move |record: Option<RecordIndex>, word: &'static str| {
        record.map(|record| {
            let link = workspace.link(id, Place::Guards(GuardPlace::of(record)));
            view! { <a href=link>{word}</a> }
        })
    };
    let (old, new) = view.guard_records;
    let count = format::counted(
        u64::from(view.differing_guards),
        "guard differs",
        "guards differ",
    );
    let shown = RwSignal::new(FEW);
    let list = view.guards.clone();
    let total = list.len();
    let to_node = move |one: &Differing| {
        let (record, node) = match (one.old, one.new) {
            (_, Some(node)) => (new?, node),
            (old_node, None) => (old?, old_node?),
        };
        let place = GuardPlace {
            node: Some(node),
            ..GuardPlace::of(record)
        };
        Some(workspace.link(id, Place::Guards(place)))
    };
    let rows = move || table("Guarded", &list, shown.get(), to_node);
    view! {
        <p>{count} ". " {link(old, "All guards before")} " " {link(new, "All guards after")}</p>
        {rows}
        <button
            type="button"
            class:away=move || total <= shown.get()
            on:click=move |_| shown.set(usize::MAX)
        >
            {format!("Show all {total}")}
        </button>
    }
    .into_any()
}

/// Things that differ: a row for each property, and one for what only one of them has.
fn table(
    head: &'static str,
    list: &[Differing],
    shown: usize,
    link: impl Fn(&Differing) -> Option<String>,
) -> Option<AnyView> {
    let has_class = list.iter().any(|one| !one.class.is_empty());
    let rows: Vec<_> = list
        .iter()
        .take(shown)
        .map(|one| rows(one, has_class, link(one)))
        .collect();
    let class = has_class.then(|| view! { <th scope="col">"Class"</th> });
    (!rows.is_empty()).then(|| {
        view! {
            <div class="scroll-x" tabindex="0" role="region" aria-label=head>
                <table class="plain differing">
                    <thead>
                        <tr>
                            <th scope="col">{head}</th>
                            {class}
                            <th scope="col">"What"</th>
                            <th scope="col">"Before"</th>
                            <th scope="col">"After"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
        .into_any()
    })
}

/// The rows of one thing that differs.
fn rows(one: &Differing, has_class: bool, to: Option<String>) -> impl IntoView + use<> {
    let joined = |side: fn(&Difference) -> &Option<String>| {
        let parts = one.differences.iter().filter_map(|difference| {
            let value = side(difference).as_deref()?;
            Some(format!("{} {value}", difference.0))
        });
        Some(parts.collect::<Vec<_>>().join(", "))
    };
    let rows = match (one.old, one.new) {
        (None, _) => vec![("added".to_owned(), None, joined(|difference| &difference.2))],
        (_, None) => vec![(
            "removed".to_owned(),
            joined(|difference| &difference.1),
            None,
        )],
        _ => one.differences.clone(),
    };
    rows.into_iter()
        .enumerate()
        .map(|(place, (property, old, new))| {
            let is_first = place == 0;
            let name = is_first.then(|| match &to {
                Some(to) => view! { <a href=to.clone()>{visible(&one.name)}</a> }.into_any(),
                None => visible(&one.name),
            });
            let detail = is_first.then(|| visible(&one.detail));
            let own = (is_first && one.is_own)
                .then(|| view! { <span class="mark" data-status="break">"your code"</span> });
            let class = has_class
                .then(|| view! { <td class="dim">{is_first.then(|| plain(&one.class))}</td> });
            view! {
                <tr data-testid="differing">
                    <th scope="row" class="code-font">{name} " " {detail} " " {own}</th>
                    {class}
                    <td>{plain(&property)}</td>
                    <td class="code-font old">{value(old.as_deref())}</td>
                    <td class="code-font new">{value(new.as_deref())}</td>
                </tr>
            }
        })
        .collect_view()
}

fn value(value: Option<&str>) -> AnyView {
    match value {
        Some(value) => visible(value),
        None => view! { <span class="dim">"–"</span> }.into_any(),
    }
}

fn numbers(view: &DiffView) -> AnyView {
    let of = |row: &CompilationRow| {
        [
            Some(format::count(u64::from(row.attempts))),
            row.ops.map(format::signed),
            row.guards.map(format::signed),
            row.seconds.map(format::seconds),
        ]
    };
    let names = ["Attempts", "Operations", "Guards", "Compile time"];
    let rows = names
        .into_iter()
        .zip(of(&view.old).into_iter().zip(of(&view.new)))
        .map(|(name, (old, new))| {
            let cell = |value: Option<String>| value.unwrap_or_else(|| "not logged".to_owned());
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td class="number">{cell(old)}</td>
                    <td class="number">{cell(new)}</td>
                </tr>
            }
        })
        .collect_view();
    let (old, new) = (plain(&view.old.label), plain(&view.new.label));
    view! {
        <table class="plain">
            <thead><tr><th scope="col"><span class="only-read">"Number"</span></th><th scope="col" class="number">{old}</th><th scope="col" class="number">{new}</th></tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

/// The text that is compared: the one that the address names, or the first that differs.
pub(super) fn compared<'a>(texts: &'a [TextPair], name: Option<&str>) -> Option<&'a TextPair> {
    texts
        .iter()
        .find(|pair| Some(pair.name.as_str()) == name)
        .or_else(|| texts.iter().find(|pair| !pair.is_same))
}
