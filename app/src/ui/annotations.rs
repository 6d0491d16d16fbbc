//! What a tensor annotation of a graph says, in words.

use dynascope_core::payload::annotation::{Annotation, Tensor, parse};

/// A sentence for an annotation such as `"f32[4, s0][s0, 1]cuda:0"`; nothing where it is none.
pub(crate) fn explained(text: &str) -> Option<String> {
    Some(match parse(text)? {
        Annotation::Symbol(symbol) => format!("a number known as {symbol}"),
        Annotation::Tensor(tensor) => of_tensor(&tensor),
    })
}

fn of_tensor(tensor: &Tensor<'_>) -> String {
    let Tensor {
        class,
        placement,
        dtype,
        shape,
        stride,
        device,
    } = tensor;
    let list = |items: &[&str]| format!("[{}]", items.join(", "));
    let mut out = format!("{} of {dtype}", class.unwrap_or("tensor"));
    if shape.is_empty() {
        out.push_str(", a single value");
    } else {
        out.push_str(&format!(", shape {}", list(shape)));
    }
    if let Some(stride) = stride.as_ref().filter(|stride| !stride.is_empty()) {
        out.push_str(&format!(", stride {}", list(stride)));
    }
    if let Some(device) = device {
        out.push_str(&format!(", on {device}"));
    }
    if let Some(placement) = placement {
        out.push_str(&format!(", placed {placement}"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_said_in_words() {
        let said = |text| explained(text).unwrap_or_default();
        assert_eq!(
            said("\"f32[4, s0][s0, 1]cuda:0\""),
            "tensor of float32, shape [4, s0], stride [s0, 1], on cuda:0"
        );
        assert_eq!(said("i64[]"), "tensor of int64, a single value");
        assert_eq!(said("\"Sym(s77)\""), "a number known as s77");
        assert_eq!(explained("hello"), None);
    }
}
