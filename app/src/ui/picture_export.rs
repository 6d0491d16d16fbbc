//! A picture as a file: SVG for documents, DOT for other programs.

use std::fmt::Write;

use super::painting::{Part, parts, stretches};
use crate::engine::protocol::{
    FIRST_BASELINE, NodeChange, OpClass, Picture, PictureBox, PictureLink, SECOND_BASELINE,
    TEXT_INSET, What,
};

/// The colours of a picture, as CSS writes them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Colours {
    /// Of a class of operations.
    pub class: Vec<(OpClass, String)>,
    /// Behind everything.
    pub page: String,
    /// Of text.
    pub text: String,
    /// Of text that matters less.
    pub dim: String,
    /// Of edges and frames.
    pub line: String,
    /// Of what is chosen.
    pub accent: String,
    /// Of what is new, gone, changed.
    pub changes: [String; 3],
}

impl Colours {
    /// The colour of a class.
    pub(crate) fn of(&self, class: OpClass) -> &str {
        let found = self.class.iter().find(|(known, _)| *known == class);
        found.map_or(self.line.as_str(), |(_, colour)| colour)
    }

    /// The colour of a change, where there is one.
    pub(crate) fn of_change(&self, change: NodeChange) -> Option<&str> {
        let at = match change {
            NodeChange::Same => return None,
            NodeChange::Added => 0,
            NodeChange::Removed => 1,
            NodeChange::Changed => 2,
        };
        self.changes.get(at).map(String::as_str)
    }
}

/// The picture as SVG, which holds nothing but shapes and text.
pub(crate) fn svg(picture: &Picture, name: &str, colours: &Colours) -> String {
    let (width, height) = (picture.width, picture.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"12\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        escaped(name),
        colours.page
    );
    // Frames lie below what is in them.
    let is_frame = |one: &&PictureBox| matches!(one.what, What::Frame(_));
    for one in picture.boxes.iter().filter(is_frame) {
        shape(&mut out, one, colours);
    }
    for link in &picture.links {
        let mut path = String::new();
        for part in stretches(link).flat_map(parts) {
            let _ = match part {
                Part::Move([x, y]) => write!(path, "M{x} {y}"),
                Part::Line([x, y]) => write!(path, "L{x} {y}"),
                Part::Bend(x, half, [last, y]) => {
                    write!(path, "C{x} {half} {last} {half} {last} {y}")
                }
            };
        }
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\"/>",
            colours.line
        );
        for (x, y, name) in names_of_ends(picture, link) {
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"10\" fill=\"{}\">{}</text>",
                colours.accent,
                escaped(&name)
            );
        }
    }
    for one in picture.boxes.iter().filter(|one| !is_frame(one)) {
        shape(&mut out, one, colours);
    }
    out.push_str("</svg>\n");
    out
}

/// What stands at the two ends of an edge that is cut: where it leads, and where it comes from.
fn names_of_ends(picture: &Picture, link: &PictureLink) -> Vec<(f32, f32, String)> {
    let end = |point: usize, other: u32, arrow: char, below: f32| {
        let [x, y] = *link.points.get(point)?;
        let label = &picture.boxes.get(other as usize)?.label;
        Some((x + 3.0, y + below, end_name(arrow, label)))
    };
    if !link.is_cut {
        return Vec::new();
    }
    let ends = [end(1, link.to, '↓', 10.0), end(2, link.from, '↑', -3.0)];
    ends.into_iter().flatten().collect()
}

/// What stands at the end of an edge that is cut.
pub(super) fn end_name(arrow: char, label: &str) -> String {
    let label: String = label.chars().take(24).collect();
    format!("{arrow} {label}")
}

fn shape(out: &mut String, one: &PictureBox, colours: &Colours) {
    let [x, y, width, height] = one.at;
    let is_frame = matches!(one.what, What::Frame(_));
    let fill = if is_frame {
        "none"
    } else {
        colours.of(one.class)
    };
    let stroke = colours.of_change(one.change).unwrap_or(&colours.line);
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
    );
    let mut line = |text: &str, below: f32, colour: &str| {
        if !text.is_empty() {
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" fill=\"{colour}\">{}</text>",
                x + TEXT_INSET,
                y + below,
                escaped(text)
            );
        }
    };
    line(&titled(one), FIRST_BASELINE, &colours.text);
    if !is_frame {
        line(&one.detail, SECOND_BASELINE, &colours.dim);
    }
}

/// The box's label, with how often it is repeated.
pub(crate) fn titled(one: &PictureBox) -> String {
    match one.times {
        0 | 1 => one.label.clone(),
        times => format!("{} × {times}", one.label),
    }
}

/// The picture for Graphviz and programs that read its language.
pub(crate) fn dot(picture: &Picture, name: &str) -> String {
    let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(name));
    for (place, one) in picture.boxes.iter().enumerate() {
        if matches!(one.what, What::Frame(_)) {
            continue;
        }
        let label = match one.detail.as_str() {
            "" => titled(one),
            detail => format!("{}\n{detail}", titled(one)),
        };
        let _ = writeln!(out, "  b{place} [label={}];", quoted(&label));
    }
    for link in &picture.links {
        let _ = writeln!(out, "  b{} -> b{};", link.from, link.to);
    }
    out.push_str("}\n");
    out
}

/// Text within XML. Characters that XML does not allow are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            character if character < ' ' => out.push('\u{fffd}'),
            character => out.push(character),
        }
    }
    out
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace(['\n', '\r'], "\\n"))
}

#[cfg(test)]
mod tests {
    use super::super::picture::tests::picture;
    use super::*;

    #[test]
    fn hostile_names_stay_text() {
        let mut picture = picture(&[(0.0, 0.0), (0.0, 50.0)], &[(0, 1)]);
        picture.boxes[0].label = "</text><script>alert(1)</script>\u{1}".to_owned();
        picture.boxes[1].label = "a\"]; b [label=\"x\\".to_owned();
        let svg = svg(&picture, "<&>", &Colours::default());
        assert!(!svg.contains("<script"));
        assert!(svg.contains("<title>&lt;&amp;&gt;</title>"));
        assert!(svg.contains("&lt;script&gt;alert(1)&lt;/script&gt;\u{fffd}"));
        let dot = dot(&picture, "a \"graph\"");
        assert!(dot.starts_with("digraph \"a \\\"graph\\\"\" {"));
        assert!(dot.contains(r#"b1 [label="a\"]; b [label=\"x\\\nf32[4]"];"#));
        assert!(dot.contains("b0 -> b1;"));
    }

    #[test]
    fn repeated_blocks_say_how_often() {
        let mut picture = picture(&[(0.0, 0.0)], &[]);
        picture.boxes[0].times = 24;
        assert!(svg(&picture, "", &Colours::default()).contains(">n0 × 24</text>"));
    }
}
