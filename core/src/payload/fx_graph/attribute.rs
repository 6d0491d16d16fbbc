//! Which part of the model a name of Dynamo stands for.

use alloc::string::String;

/// The attribute path behind the name that Dynamo gives a module's parameter, buffer or call:
/// `layers.0.weight` for `L_self_modules_layers_modules_0_parameters_weight_` (2.5+, `inline_inbuilt_nn_modules`)
/// and for `l_self_modules_layers_modules_0_parameters_weight_`; `lin` for `L__self___lin`. `None` where the
/// name is no such one. Dynamo writes dots as underscores, so that for the older names a path of several
/// parts cannot be told from a name with underscores, and stays as it is.
#[must_use]
pub fn attribute_path(name: &str) -> Option<String> {
    const MARKS: &[&str] = &["_modules_", "_parameters_", "_buffers_"];
    let folded = name.strip_prefix(['L', 'l', 'G', 'g'])?;
    if let Some(path) = folded.strip_prefix("__self___") {
        return (!path.is_empty()).then(|| path.into());
    }
    let mut rest = folded.strip_suffix('_')?;
    let mut path = String::new();
    let mut is_first = true;
    while !rest.is_empty() {
        let next = MARKS
            .iter()
            .filter_map(|mark| Some((rest.find(mark)?, mark.len())))
            .min();
        let (part, behind) = match next {
            Some((at, length)) => (rest.get(..at)?, rest.get(at + length..)?),
            None if is_first => return None,
            None => (rest, ""),
        };
        // What stands before the first mark is the variable that holds the model.
        if !is_first {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(part);
        }
        is_first = false;
        rest = behind;
    }
    (!path.is_empty()).then_some(path)
}
