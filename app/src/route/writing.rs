//! Writes a view, and what it shows, as keys and values of an address, in a fixed order.

use std::fmt::Write as _;

use super::columns::{DEFAULT_SORT, hide_text, sort_text};
use super::escape::escape;
use super::{GraphPlace, GuardPlace, Place, TextPlace};
use crate::engine::protocol::{Case, CompilationKey};

/// Writes a view with its keys.
pub(super) fn put_place(out: &mut String, place: &Place) {
    match place {
        Place::Landing => {}
        Place::Glossary => put(out, "view", "glossary"),
        Place::Overview { sort, filter } => {
            put(out, "view", "overview");
            if *sort != DEFAULT_SORT {
                put(out, "sort", &sort_text(*sort));
            }
            if !filter.is_empty() {
                put(out, "filter", filter);
            }
        }
        Place::Compilation(key) => {
            put(out, "view", "compilation");
            put_key(out, key);
        }
        Place::Diff(diff) => {
            put(out, "view", "diff");
            put_key(out, &diff.new);
            put(out, "from", &diff.old);
            if let Some(text) = &diff.text {
                put(out, "text", text);
            }
            if diff.is_whole {
                put(out, "whole", "yes");
            }
        }
        Place::Frame(key) => {
            put(out, "view", "frame");
            put_generation(out, key.process, key.generation);
            if let Some(autograd) = key.autograd {
                put(out, "autograd", &autograd.to_string());
            }
            put(out, "frame", &key.frame_id.to_string());
        }
        Place::Stacks => put(out, "view", "stacks"),
        Place::Records { filter, text, hide } => {
            put(out, "view", "records");
            if !filter.is_empty() {
                put(out, "filter", filter);
            }
            if !text.is_empty() {
                put(out, "text", text);
            }
            if !hide.is_empty() {
                put(out, "hide", &hide_text(hide));
            }
        }
        Place::Search { text, case } => {
            put(out, "view", "search");
            if !text.is_empty() {
                put(out, "text", text);
            }
            if *case == Case::Matters {
                put(out, "case", "matters");
            }
        }
        Place::Outside => put(out, "view", "outside"),
        Place::Text(text) => put_text(out, text),
        Place::Record(record) => {
            put(out, "view", "record");
            put(out, "record", &record.to_string());
        }
        Place::Guards(guards) => put_guards(out, guards),
        Place::Graph(graph) => put_graph(out, graph),
        Place::Findings => put(out, "view", "failures"),
        Place::Breaks => put(out, "view", "breaks"),
        Place::Problems => put(out, "view", "problems"),
        Place::Unknown(view) => put(out, "view", view),
    }
}

pub(super) fn put(out: &mut String, key: &str, value: &str) {
    out.push('&');
    escape(out, key);
    out.push('=');
    escape(out, value);
}

fn put_key(out: &mut String, key: &CompilationKey) {
    put_generation(out, key.process, key.generation);
    put(out, "id", &key.id);
}

/// The process and the generation, where there may be more than one.
fn put_generation(out: &mut String, process: u32, generation: u32) {
    if process != 0 {
        put(out, "process", &process.to_string());
    }
    if generation != 0 {
        put(out, "generation", &generation.to_string());
    }
}

fn put_text(out: &mut String, text: &TextPlace) {
    put(out, "view", "text");
    put(out, "record", &text.record.to_string());
    if let Some((first, last)) = text.lines {
        let lines = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        put(out, "lines", &lines);
    }
    if text.is_pretty {
        put(out, "form", "pretty");
    }
    if let Some(find) = &text.find {
        put(out, "find", &find.text);
        if find.case == Case::Matters {
            put(out, "case", "matters");
        }
        if find.whole_word {
            put(out, "word", "whole");
        }
        if find.is_regex {
            put(out, "regex", "yes");
        }
    }
}

fn put_guards(out: &mut String, guards: &GuardPlace) {
    put(out, "view", "guards");
    put(out, "record", &guards.record.to_string());
    let filter = &guards.filter;
    if !filter.text.is_empty() {
        put(out, "text", &filter.text);
    }
    if let Some(class) = &filter.class {
        put(out, "class", class);
    }
    if filter.only_mine {
        put(out, "mine", "yes");
    }
    if let Some(node) = guards.node {
        put(out, "node", &node.to_string());
    }
}

fn put_graph(out: &mut String, graph: &GraphPlace) {
    put(out, "view", "graph");
    put(out, "record", &graph.record.to_string());
    if graph.module != 0 {
        put(out, "module", &graph.module.to_string());
    }
    if let Some(open) = &graph.open {
        put(out, "open", &numbers(open));
    }
    if let Some(against) = graph.against {
        put(out, "against", &against.to_string());
    }
    if let Some(node) = graph.node {
        put(out, "node", &node.to_string());
    }
    if !graph.filter.is_empty() {
        put(out, "filter", &graph.filter);
    }
}

/// Numbers between dots; those that follow each other as a stretch: `0-13.17`.
fn numbers(all: &[u32]) -> String {
    let mut out = String::new();
    let mut rest = all;
    while let [first, ..] = rest {
        let stretch = (*first..=u32::MAX)
            .zip(rest)
            .take_while(|(next, one)| next == *one);
        let length = stretch.count();
        let last = first.saturating_add(u32::try_from(length - 1).unwrap_or(u32::MAX));
        let dot = if out.is_empty() { "" } else { "." };
        let _ = match length {
            1 => write!(out, "{dot}{first}"),
            _ => write!(out, "{dot}{first}-{last}"),
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}
