//! What FX writes behind a node's name: `f32[4, s0][s0, 1]cuda:0`, `Sym(s0)`.
//!
//! Start at [`parse`]. The forms are those of `CodeGen._gen_python_code` in torch/fx/graph.py, the dtypes
//! those of torch/utils/_dtype_abbrs.py (`dtype_abbrs` of torch/fx/graph.py in older versions). Strides and
//! devices are written since 2.4, and only in some graphs.

use alloc::vec::Vec;

/// The dtypes and how FX shortens them.
const DTYPES: &[(&str, &str)] = &[
    ("bf16", "bfloat16"),
    ("f64", "float64"),
    ("f32", "float32"),
    ("f16", "float16"),
    ("f8e4m3fn", "float8_e4m3fn"),
    ("f8e5m2", "float8_e5m2"),
    ("f8e4m3fnuz", "float8_e4m3fnuz"),
    ("f8e5m2fnuz", "float8_e5m2fnuz"),
    ("f8e8m0fnu", "float8_e8m0fnu"),
    ("f4e2m1fnx2", "float4_e2m1fn_x2"),
    ("c32", "complex32"),
    ("c64", "complex64"),
    ("c128", "complex128"),
    ("i8", "int8"),
    ("i16", "int16"),
    ("i32", "int32"),
    ("i64", "int64"),
    ("u8", "uint8"),
    ("u16", "uint16"),
    ("u32", "uint32"),
    ("u64", "uint64"),
    ("b8", "bool"),
    ("b16", "bits16"),
    ("b1x8", "bits1x8"),
];

/// What an annotation says of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Annotation<'a> {
    /// A tensor.
    Tensor(Tensor<'a>),
    /// A number that is known by an expression only, as it was written: `s0`, `Eq(u0 + u1, 3)`.
    Symbol(&'a str),
}

/// A tensor as its annotation describes it. Dimensions and strides are texts: numbers or expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor<'a> {
    /// The tensor's class, where it is not a plain tensor: `DTensor`, `Parameter`, …
    pub class: Option<&'a str>,
    /// How a `DTensor` is spread over its mesh, in PyTorch's words: `S(0)R`.
    pub placement: Option<&'a str>,
    /// The dtype's name in Python without `torch.`: `float32`; as it was written where it is not known.
    pub dtype: &'a str,
    /// The size of each dimension; none for a scalar.
    pub shape: Vec<&'a str>,
    /// Elements from one item to the next in each dimension. Absent where the graph was printed without.
    pub stride: Option<Vec<&'a str>>,
    /// The device: `cuda:0`. Absent where the graph was printed without.
    pub device: Option<&'a str>,
}

/// Reads an annotation, with the quotes that FX puts around it or without. `None` for any other text.
#[must_use]
pub fn parse(text: &str) -> Option<Annotation<'_>> {
    let text = unquote(text.trim());
    if let Some((tensor, "")) = plain(text) {
        return Some(Annotation::Tensor(tensor));
    }
    let (class, inner) = text.strip_suffix(')')?.split_once('(')?;
    if class == "Sym" {
        return (!inner.trim().is_empty()).then(|| Annotation::Symbol(inner.trim()));
    }
    if !is_name(class) {
        return None;
    }
    let (mut tensor, rest) = plain(inner)?;
    tensor.class = Some(class);
    tensor.placement = match rest {
        "" => None,
        rest => Some(rest.strip_prefix(',')?.trim()),
    };
    Some(Annotation::Tensor(tensor))
}

fn unquote(text: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|&quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text)
}

/// The tensor at the start of the text, and what follows it.
fn plain(text: &str) -> Option<(Tensor<'_>, &str)> {
    let (short, rest) = text.split_at_checked(text.find('[')?)?;
    let (shape, rest) = list(rest)?;
    let (stride, rest) = match list(rest) {
        Some((stride, rest)) => (Some(stride), rest),
        None => (None, rest),
    };
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(rest.len());
    let (device, rest) = rest.split_at_checked(end)?;
    let tensor = Tensor {
        class: None,
        placement: None,
        dtype: dtype(short)?,
        shape,
        stride,
        device: match device {
            "" => None,
            device => Some(is_device(device).then_some(device)?),
        },
    };
    Some((tensor, rest))
}

/// The full name of a dtype. One that PyTorch learns later keeps its short name if it looks like one.
fn dtype(short: &str) -> Option<&str> {
    if let Some((_, name)) = DTYPES.iter().find(|(known, _)| *known == short) {
        return Some(name);
    }
    let letters = short.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let known_shape = letters.len() + 2 >= short.len()
        && letters.len() < short.len()
        && letters.starts_with(|c: char| c.is_ascii_digit())
        && letters
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    known_shape.then_some(short)
}

/// The items of a list in brackets at the start of the text, and what follows it. Commas within an item's
/// own parentheses do not part it.
fn list(text: &str) -> Option<(Vec<&str>, &str)> {
    let inner = text.strip_prefix('[')?;
    let mut items = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' if depth > 0 => depth -= 1,
            b',' if depth == 0 => {
                items.push(inner.get(start..at)?.trim());
                start = at + 1;
            }
            b']' => {
                let last = inner.get(start..at)?.trim();
                if !last.is_empty() {
                    items.push(last);
                }
                return Some((items, inner.get(at + 1..)?));
            }
            b')' | b'"' => return None,
            _ => {}
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
}

/// `cuda:0`, `cpu`: the string of a `torch.device`.
fn is_device(text: &str) -> bool {
    let (kind, index) = text.split_once(':').unwrap_or((text, "0"));
    kind.starts_with(|c: char| c.is_ascii_lowercase())
        && !kind.contains(':')
        && !index.is_empty()
        && index.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::{String, ToString};
    use proptest::prelude::*;

    /// What an application would say, from the fields alone.
    fn said(text: &str) -> String {
        match parse(text) {
            None => "nothing".to_string(),
            Some(Annotation::Symbol(expression)) => format!("number {expression}"),
            Some(Annotation::Tensor(t)) => format!(
                "{}{}{} {:?}{}{}",
                t.class.map(|c| format!("{c} of ")).unwrap_or_default(),
                t.placement.map(|p| format!("{p} ")).unwrap_or_default(),
                t.dtype,
                t.shape,
                t.stride.map(|s| format!(" by {s:?}")).unwrap_or_default(),
                t.device.map(|d| format!(" on {d}")).unwrap_or_default(),
            ),
        }
    }

    #[test]
    fn the_forms_that_fx_writes_are_read() {
        for (text, expected) in [
            (
                "f32[4, s0][s0, 1]cuda:0",
                r#"float32 ["4", "s0"] by ["s0", "1"] on cuda:0"#,
            ),
            ("\"f32[2,3]\"", r#"float32 ["2", "3"]"#),
            ("'f32[2, 3]'", r#"float32 ["2", "3"]"#),
            ("i64[]", "int64 []"),
            ("f32[][]cpu", "float32 [] by [] on cpu"),
            ("b8[3]cpu", r#"bool ["3"] on cpu"#),
            (
                "bf16[s0, 64][64, 1]privateuseone:1",
                r#"bfloat16 ["s0", "64"] by ["64", "1"] on privateuseone:1"#,
            ),
            (
                "f32[Max(1, s0), (s1//2)][Max(1, s0)*4, 1]cpu",
                r#"float32 ["Max(1, s0)", "(s1//2)"] by ["Max(1, s0)*4", "1"] on cpu"#,
            ),
            ("f32[s77**2]", r#"float32 ["s77**2"]"#),
            ("Sym(s0)", "number s0"),
            ("Sym(Eq(u0 + u1, 3))", "number Eq(u0 + u1, 3)"),
            ("Sym(((-u0)//2))", "number ((-u0)//2)"),
            (
                "DTensor(f32[8, 4][4, 1]cpu, S(0))",
                r#"DTensor of S(0) float32 ["8", "4"] by ["4", "1"] on cpu"#,
            ),
            ("TwoTensor(f32[8])", r#"TwoTensor of float32 ["8"]"#),
            ("f6e2m3fn[8]", r#"f6e2m3fn ["8"]"#),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn every_dtype_has_its_name() {
        for (short, name) in DTYPES {
            let text = format!("{short}[1]");
            assert_eq!(said(&text), format!("{name} [\"1\"]"));
        }
    }

    #[test]
    fn other_texts_are_no_annotations() {
        for text in [
            "",
            "[",
            "]",
            "[1]",
            "f32",
            "f32[",
            "f32[1",
            "f32[1)]",
            "x[0]",
            "abc[0]",
            "f32[1]cuda:",
            "f32[1]:0",
            "f32[1] cuda",
            "Sym()",
            "Sym(",
            "print(x)",
            "args[0]",
            "torch.float32",
            "F32[1]",
            "f32[1][1][1]",
            "DTensor(f32[1]cpu S(0))",
            "input",
        ] {
            assert_eq!(said(text), "nothing", "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}", likely in "[f3i\\[\\](), s0cu:\"]{0,24}") {
            let _ = (parse(&text), parse(&likely));
        }

        #[test]
        fn what_was_written_is_read(
            shape in prop::collection::vec("s[0-9]{1,2}|[0-9]{1,4}|Max\\(1, u[0-9]\\)", 0..5),
            stride in prop::bool::ANY,
            device in prop::option::of("cpu|cuda:[0-9]"),
        ) {
            let list = format!("[{}]", shape.join(", "));
            let text = format!(
                "f16{list}{}{}",
                if stride { list.as_str() } else { "" },
                device.clone().unwrap_or_default()
            );
            let Some(Annotation::Tensor(tensor)) = parse(&text) else {
                return Err(TestCaseError::fail(text));
            };
            prop_assert_eq!(&tensor.shape, &shape);
            prop_assert_eq!(tensor.stride.is_some(), stride);
            prop_assert_eq!(tensor.device, device.as_deref());
        }
    }
}
