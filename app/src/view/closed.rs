//! An address that cannot be shown as things are: its log is not open, or the view does not exist.

use leptos::prelude::*;

use super::landing::drop_card;
use super::opener::Opener;
use super::workspace::Workspace;
use crate::route::{Address, Place, VERSION};
use crate::text;
use crate::ui::heading::heading;
use crate::ui::visible::{plain, visible};

/// The view.
pub(crate) fn closed(workspace: Workspace, opener: Opener) -> impl IntoView {
    let sentence = Memo::new(move |_| workspace.address.with(sentence));
    view! {
        <div class="page landing" data-testid="closed">
            {heading(workspace.arrival, || "Not open".to_owned(), Signal::stored(0), "This is not open")}
            <p class="lead">{move || sentence.with(|sentence| visible(sentence))}</p>
            {drop_card(opener)}
        </div>
    }
}

fn sentence(address: &Address) -> String {
    if let Place::Unknown(view) = &address.place {
        return text::unknown_view(view, address.version > VERSION);
    }
    let (name, print) = address
        .log
        .as_ref()
        .map(|log| (log.name.as_str(), log.print.as_str()))
        .unwrap_or_default();
    text::closed_log(&what(&address.place), name, print)
}

/// What a place shows, in words.
fn what(place: &Place) -> String {
    match place {
        Place::Compilation(key) => format!("the compilation [{}]", plain(&key.id)),
        Place::Frame(_) => "the history of a function".to_owned(),
        Place::Stacks => "the stacks".to_owned(),
        Place::Records { .. } => "the records".to_owned(),
        Place::Outside => "what lies outside any compilation".to_owned(),
        Place::Text(text) => format!("the text of record {}", text.record),
        Place::Record(record) => format!("record {record}"),
        Place::Diff(diff) => format!(
            "what differs between [{}] and [{}]",
            plain(&diff.old),
            plain(&diff.new.id)
        ),
        Place::Guards(guards) => format!("the guards of record {}", guards.record),
        Place::Graph(graph) => format!("the graph of record {}", graph.record),
        Place::Breaks => "where graphs broke".to_owned(),
        Place::Findings => "what failed and what was warned".to_owned(),
        Place::Problems => "what could not be read".to_owned(),
        Place::Landing
        | Place::Glossary
        | Place::Search { .. }
        | Place::Overview { .. }
        | Place::Unknown(_) => "the overview".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_what_the_address_shows_and_the_log() {
        let address = Address::decode("#v=1&log=0&name=a.log&view=compilation&id=0/1");
        assert!(
            sentence(&address)
                .starts_with("This address shows the compilation [0/1] of the log 'a.log'.")
        );
        let address = Address::decode("#v=1&log=0&name=a.log&print=0a1b&view=stacks");
        assert!(sentence(&address).contains("'a.log' with the fingerprint 0a1b."));
        let address = Address::decode("#v=9&log=0&view=flame");
        assert!(sentence(&address).contains("newer version"));
    }
}
