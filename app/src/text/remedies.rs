//! What to do against recompiles: for each remedy what happens, what to change, and an example.
//!
//! Start at [`remedy`]. Texts and examples have gaps, which [`fill`] fills with what the log tells:
//! `{source}` is the thing as the program would write it, `{name}` its last name, `{dim}` the dimension,
//! `{value}` and `{other}` two of its values, `{values}` all that are known, `{function}` the function,
//! `{limit}` the setting's name, `{state}` the state of the program.

use crate::engine::protocol::RemedyKind;

/// The words for a remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemedyWords {
    /// The remedy.
    pub remedy: RemedyKind,
    /// What to do, in a line.
    pub title: &'static str,
    /// What happens, and what to change.
    pub text: &'static str,
    /// The program as it may look now; empty where the change is a line more.
    pub before: &'static str,
    /// The program with the change.
    pub after: &'static str,
}

/// All remedies, in the order of [`RemedyKind`].
pub const REMEDIES: [RemedyWords; 33] = [
    RemedyWords {
        remedy: RemedyKind::TensorLearningRate,
        title: "Make the learning rate a tensor",
        text: "The optimizer's learning rate {source} is a Python number, and compiled code is made for exactly one value of it. Each time the scheduler changes it, the step is compiled again. Give the optimizer a tensor instead: its value may change without a new compilation, and schedulers change it in place.",
        before: "opt = torch.optim.Adam(params, lr={value})",
        after: "opt = torch.optim.Adam(params, lr=torch.tensor({value}))\nsched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.9)\n\n@torch.compile\ndef step():\n    opt.step()\n    sched.step()",
    },
    RemedyWords {
        remedy: RemedyKind::TensorInsteadOfInt,
        title: "Pass {source} as a tensor",
        text: "{source} is a Python integer whose value the compiled code took for a constant. PyTorch usually gives up the constant after the first change and compiles one more version for any integer; 0 and 1 stay special. If it goes on recompiling, pass the number as a tensor, because tensors are guarded by shape and type and not by value.",
        before: "{function}(x, {value})\n{function}(x, {other})",
        after: "{function}(x, torch.tensor({value}))\n{function}(x, torch.tensor({other}))",
    },
    RemedyWords {
        remedy: RemedyKind::TensorInsteadOfFloat,
        title: "Pass {source} as a tensor",
        text: "{source} is a Python float, and compiled code is made for one value of it. With another value the function is compiled again. Pass the number as a tensor, which may hold any value. (PyTorch 2.6 and later can do so by themselves for arguments: torch._dynamo.config.specialize_float = False.)",
        before: "{function}(x, {value})\n{function}(x, {other})",
        after: "{function}(x, torch.tensor({value}))\n{function}(x, torch.tensor({other}))",
    },
    RemedyWords {
        remedy: RemedyKind::PassAsArgument,
        title: "Pass {name} as an argument",
        text: "The function reads {name} from outside, as a global or a variable of an enclosing function, and compiled code takes such a number for a constant. Each new value is a new compilation. Pass it as an argument: an integer argument becomes dynamic after its first change, a tensor is never taken for a constant.",
        before: "{name} = {value}\n\n@torch.compile\ndef {function}(x):\n    return x * {name}",
        after: "@torch.compile\ndef {function}(x, {name}):\n    return x * {name}\n\n{function}(x, torch.tensor({value}))",
    },
    RemedyWords {
        remedy: RemedyKind::KeepInTensor,
        title: "Keep the value in its tensor",
        text: "A number was taken out of a tensor, as .item() does, and carried over a graph break as a Python number. What follows the break is compiled for that one value. Keep the number in a tensor, so that neither the break nor the recompile is needed; or let Dynamo capture .item() with capture_scalar_outputs.",
        before: "scale = x.max().item()\nreturn x / scale",
        after: "scale = x.max()\nreturn x / scale\n\n# or, where a Python number is needed:\ntorch._dynamo.config.capture_scalar_outputs = True",
    },
    RemedyWords {
        remedy: RemedyKind::MarkDynamic,
        title: "Mark dimension {dim} of {source} as dynamic",
        text: "The size of dimension {dim} of {source} changes from call to call ({values}), and each compiled version accepts only one. Say before the first call that this size may change: then one version serves all sizes of 2 and more. If the function is compiled with dynamic=False, take that out first, because it forbids exactly this.",
        before: "{function} = torch.compile({function}, dynamic=False)\n{function}({source})",
        after: "{function} = torch.compile({function})\ntorch._dynamo.mark_dynamic({source}, {dim})\n{function}({source})\n\n# or let all sizes be dynamic:\n{function} = torch.compile({function}, dynamic=True)",
    },
    RemedyWords {
        remedy: RemedyKind::MarkUnbacked,
        title: "Mark {dims} of {source} as unbacked, or avoid sizes 0 and 1",
        text: "PyTorch always makes a version of its own for sizes 0 and 1, even where a size is dynamic, because broadcasting and empty tensors behave differently there. Avoid such sizes, for example by dropping or padding the last small batch. Or mark the size as unbacked: then nothing is assumed about it, and the code must not branch on it.",
        before: "{function}({source})   # the size is 0 or 1 at times",
        after: "loader = DataLoader(data, batch_size=32, drop_last=True)\n\n# or\ntorch._dynamo.decorators.mark_unbacked({source}, {dim})\n{function}({source})",
    },
    RemedyWords {
        remedy: RemedyKind::BranchOnSize,
        title: "Do not branch on {dims} of {source}",
        text: "The program, or an operation in it, asks something of a size, such as whether it is larger than a bound, and the compiled version holds only for one answer. A call with the other answer is compiled again. Write the code without the question, or promise the bounds with torch._check, so that there is only one answer.",
        before: "if {source}.shape[{dim}] > 128:\n    y = big(x)\nelse:\n    y = small(x)",
        after: "torch._check({source}.shape[{dim}] <= 128)   # what always holds in your program\ny = small(x)",
    },
    RemedyWords {
        remedy: RemedyKind::DuckSizing,
        title: "Tell equal sizes apart",
        text: "Two sizes were the same number at the first call, and PyTorch took them for one and the same size. A call in which they differ does not fit. Use different sizes at the first call, mark the dimension as dynamic, or switch this assumption off.",
        before: "",
        after: "torch._dynamo.mark_dynamic({source}, {dim})\n\n# or, for the whole program:\ntorch.fx.experimental._config.use_duck_shape = False",
    },
    RemedyWords {
        remedy: RemedyKind::DynamicParameters,
        title: "Allow parameters whose size changes",
        text: "{source} is a parameter or a module's tensor, and PyTorch takes the sizes of those as fixed. Here the size differs from call to call, mostly because one compiled function serves several modules. Allow dynamic sizes for parameters before you compile.",
        before: "",
        after: "torch._dynamo.config.force_parameter_static_shapes = False\n{function} = torch.compile({function})",
    },
    RemedyWords {
        remedy: RemedyKind::MarkConsistently,
        title: "Mark {source} the same way in each call",
        text: "mark_dynamic, mark_unbacked or mark_static was called on {source} for some calls and not for others. The marks are part of what compiled code relies on, so that both kinds of calls need a version. Mark the tensor always, or never, before the first call too.",
        before: "{function}(x)\ntorch._dynamo.mark_dynamic(y, 0)\n{function}(y)",
        after: "for t in batches:\n    torch._dynamo.mark_dynamic(t, 0)   # always\n    {function}(t)",
    },
    RemedyWords {
        remedy: RemedyKind::CreateOnce,
        title: "Create {source} once, outside the compiled function's calls",
        text: "Compiled code holds for one particular object, and {source} was another one, as if a new one were made for each call or each instance were compiled anew. Make the object once and use it again. Where there really are several instances of a module, compile the part that they share, or expect one version for each.",
        before: "for batch in batches:\n    {function}(batch, Config(...))   # a new object in each call",
        after: "config = Config(...)\nfor batch in batches:\n    {function}(batch, config)",
    },
    RemedyWords {
        remedy: RemedyKind::ModuleCounter,
        title: "Make {source} dynamic, or count outside the model",
        text: "{source} is an integer on a module, and PyTorch takes those for constants. It changes ({values}), as a step counter does, and each value is a new compilation. Let PyTorch treat such integers as dynamic; or keep the count in a buffer, which is a tensor; or count outside the compiled function.",
        before: "def forward(self, x):\n    self.{name} += 1",
        after: "torch._dynamo.config.allow_unspec_int_on_nn_module = True\n\n# or keep the count in a tensor:\ndef __init__(self):\n    super().__init__()\n    self.register_buffer(\"{name}\", torch.tensor(0))\n\ndef forward(self, x):\n    self.{name} += 1",
    },
    RemedyWords {
        remedy: RemedyKind::TrainEvalFlag,
        title: "Switch between training and evaluation rarely",
        text: "The module is called in training mode and in evaluation mode. One compiled version for each is right and cannot be avoided. It becomes costly only together with other changes: then each of those is compiled twice. Evaluate in a stretch of its own, and solve the other causes first.",
        before: "",
        after: "model.train()\nfor batch in training:\n    step(model, batch)\n\nmodel.train(False)   # evaluation mode\nwith torch.no_grad():\n    for batch in validation:\n        model(batch)",
    },
    RemedyWords {
        remedy: RemedyKind::FewVariants,
        title: "Expect one version for each value of {source}",
        text: "{source} chooses what the code does, and compiled code holds for one value of it ({values}). With few values this is harmless: each is compiled once. With many, split the function, so that each value has a function of its own, or keep the value outside the compiled part.",
        before: "@torch.compile\ndef {function}(x, mode):\n    return x.sin() if mode == \"sin\" else x.cos()",
        after: "@torch.compile\ndef use_sin(x):\n    return x.sin()\n\n@torch.compile\ndef use_cos(x):\n    return x.cos()",
    },
    RemedyWords {
        remedy: RemedyKind::OptionalArgument,
        title: "Always pass {source}, or expect two versions",
        text: "{source} is None in some calls and a value in others, and each needs a compiled version. Two versions are harmless. If they multiply with other changes, always pass a value, such as a mask of ones.",
        before: "{function}(x)\n{function}(x, mask)",
        after: "{function}(x, torch.ones_like(x))\n{function}(x, mask)",
    },
    RemedyWords {
        remedy: RemedyKind::SameKeys,
        title: "Give {source} the same keys in each call",
        text: "{source} holds other keys than at the time of compiling, or in another order, and compiled code knows the keys. Fill in the missing ones, and put them in one order.",
        before: "{function}({\"a\": x})\n{function}({\"a\": x, \"b\": y})",
        after: "{function}({\"a\": x, \"b\": zeros})\n{function}({\"a\": x, \"b\": y})",
    },
    RemedyWords {
        remedy: RemedyKind::SameLength,
        title: "Give {source} the same length in each call",
        text: "{source} is a list, tuple or dict, and compiled code goes through its items one by one, so that each length needs a version. Pass the same number of items, or one stacked tensor whose first dimension may change.",
        before: "{function}([a, b])\n{function}([a, b, c])",
        after: "{function}(torch.stack([a, b]))\n{function}(torch.stack([a, b, c]))",
    },
    RemedyWords {
        remedy: RemedyKind::SameType,
        title: "Pass {source} with one type",
        text: "{source} has another type than at the time of compiling, such as a list in place of a tuple, or a Python number in place of a tensor. Each type needs a version. Convert before the call.",
        before: "{function}([a, b])\n{function}((a, b))",
        after: "{function}(tuple(items))   # always a tuple",
    },
    RemedyWords {
        remedy: RemedyKind::SameAttributes,
        title: "Set the attributes of {source} once, in __init__",
        text: "{source} has an attribute in some calls that it does not have in others, and compiled code relies on which attributes there are. Give it the attribute from the start, with None as its value where there is none yet.",
        before: "if not hasattr(self, \"cache\"):\n    self.cache = build()",
        after: "def __init__(self):\n    super().__init__()\n    self.cache = build()",
    },
    RemedyWords {
        remedy: RemedyKind::StableDtype,
        title: "Pass {source} with one dtype",
        text: "{source} comes with different dtypes ({values}), and each needs a version. A single float64 or integer batch from NumPy is a frequent cause. Convert before the call.",
        before: "{function}(torch.from_numpy(array))   # float64 at times",
        after: "{function}(torch.from_numpy(array).to(torch.float32))",
    },
    RemedyWords {
        remedy: RemedyKind::StableStrides,
        title: "Pass {source} with one memory layout",
        text: "{source} has the same shape but lies in memory in another way, as after .t(), .permute() or a slice. Compiled code relies on the strides. Make the tensor contiguous before the call.",
        before: "{function}(x.t())",
        after: "{function}(x.t().contiguous())",
    },
    RemedyWords {
        remedy: RemedyKind::StableRank,
        title: "Pass {source} with one number of dimensions",
        text: "{source} has a different number of dimensions in different calls ({values}), and no dynamic shape covers that. Add the missing dimension before the call, or expect one version for each number.",
        before: "{function}(image)      # 3 dimensions\n{function}(images)     # 4 dimensions",
        after: "{function}(image.unsqueeze(0))\n{function}(images)",
    },
    RemedyWords {
        remedy: RemedyKind::StableDevice,
        title: "Keep {source} on one device",
        text: "{source} lies on different devices in different calls, and each device needs a version. Move it before the call. If you use several devices on purpose, one version for each is right.",
        before: "{function}(batch)",
        after: "{function}(batch.to(\"cuda:0\"))",
    },
    RemedyWords {
        remedy: RemedyKind::StableRequiresGrad,
        title: "Pass {source} always with, or always without, gradients",
        text: "{source} requires gradients in some calls and not in others. With gradients a backward graph is compiled too, so that both need a version. Detach the tensor before the call, or leave it attached, in all calls.",
        before: "{function}(x)              # requires_grad=False\n{function}(hidden)         # requires_grad=True",
        after: "{function}(x)\n{function}(hidden.detach())",
    },
    RemedyWords {
        remedy: RemedyKind::StableGradMode,
        title: "Do not switch gradients on and off between calls",
        text: "The function is called with gradients and under torch.no_grad() or inference mode, and compiled code holds for one of them. Two versions are right where you train and evaluate. Otherwise decide once, outside the loop.",
        before: "for batch in batches:\n    with torch.no_grad():\n        {function}(batch)\n    {function}(batch)",
        after: "for batch in training:\n    {function}(batch)\n\nwith torch.no_grad():\n    for batch in validation:\n        {function}(batch)",
    },
    RemedyWords {
        remedy: RemedyKind::StableAutocast,
        title: "Call the function always inside, or always outside, autocast",
        text: "The function is called with different settings of torch.autocast, and compiled code holds for one of them. Put the same autocast block around every call, or into the function itself.",
        before: "{function}(x)\nwith torch.autocast(\"cuda\", dtype=torch.bfloat16):\n    {function}(x)",
        after: "@torch.compile\ndef {function}(x):\n    with torch.autocast(\"cuda\", dtype=torch.bfloat16):\n        return compute(x)",
    },
    RemedyWords {
        remedy: RemedyKind::StableState,
        title: "Set {state} once, before the first call",
        text: "Compiled code relies on settings of the whole program, and {state} changed between calls. Set it once at the start of the program and leave it alone afterwards. If only a part needs another setting, expect one version for each.",
        before: "{function}(x)\ntorch.set_num_threads(1)\n{function}(x)",
        after: "torch.set_num_threads(1)   # at the start of the program\n{function}(x)\n{function}(x)",
    },
    RemedyWords {
        remedy: RemedyKind::Aliasing,
        title: "Do not pass the same tensor twice at times",
        text: "In some calls two inputs are one and the same tensor, in others they are not, and compiled code relies on which. {source} is one of them. Pass a copy where both are the same, or expect two versions.",
        before: "{function}(a, b)\n{function}(a, a)",
        after: "{function}(a, b)\n{function}(a, a.clone())",
    },
    RemedyWords {
        remedy: RemedyKind::StableBackend,
        title: "Compile once, with one backend",
        text: "The same function was compiled with different backends, or with a backend that is a new object each time, as a lambda or a partial made in a loop. Call torch.compile once and keep what it returns.",
        before: "for batch in batches:\n    torch.compile({function}, backend=make_backend())(batch)",
        after: "compiled = torch.compile({function}, backend=make_backend())\nfor batch in batches:\n    compiled(batch)",
    },
    RemedyWords {
        remedy: RemedyKind::RaiseLimit,
        title: "Raise the limit, if all versions are wanted",
        text: "Everything that changes here takes only a few values, so that the number of versions is bounded. If you want a compiled version for each, allow more of them. This does not make compiling cheaper; it only keeps the function from running as plain Python.",
        before: "",
        after: "{limit} = 16   # 8 unless it is set\n",
    },
    RemedyWords {
        remedy: RemedyKind::DisableCompile,
        title: "As a last resort, leave the function out of compilation",
        text: "If none of the above can be changed, take the function out of compilation: it runs as plain Python and no time is spent on compiling it. What it calls, and the code around it, is compiled on its own.",
        before: "def {function}(x):\n    ...",
        after: "@torch.compiler.disable\ndef {function}(x):\n    ...",
    },
    RemedyWords {
        remedy: RemedyKind::SetOnce,
        title: "Set {source} once, before the first call",
        text: "{source} was None when the code was compiled, and had a value later, or the other way round. Often a model fills in such an attribute during its first call, so that the second call needs a version of its own. Give it its final value before the first call.",
        before: "model = build()\n{function}(x)   # {source} is still None here",
        after: "model = build()\nmodel.{name} = value   # where it belongs: {source}\n{function}(x)",
    },
];

/// The words for a remedy.
#[must_use]
pub fn remedy(remedy: RemedyKind) -> &'static RemedyWords {
    let [first, ..] = &REMEDIES;
    REMEDIES.get(remedy as usize).unwrap_or(first)
}

/// A text with its gaps filled: a gap's name stands in braces. Braces around anything else stay.
pub fn fill(text: &str, gap: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let filled = behind
            .split_once('}')
            .and_then(|(name, after)| Some((gap(name)?, after)));
        match filled {
            Some((value, after)) => {
                out.push_str(&value);
                rest = after;
            }
            None => {
                out.push('{');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

/// What becomes of a line of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It stays.
    Stays,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

/// Lines in their order, of which each stays, goes or comes: the longest run of common lines stays. What goes
/// stands before what comes in its place. For examples: the effort is the product of their lengths.
#[must_use]
pub fn changed_lines<'a>(before: &'a str, after: &'a str) -> Vec<(Change, &'a str)> {
    let old: Vec<&str> = before.trim_end().lines().collect();
    let new: Vec<&str> = after.trim_end().lines().collect();
    // By how many lines of each are left: the most that can stay of them.
    let mut stay = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for (i, a) in old.iter().rev().enumerate() {
        for (j, b) in new.iter().rev().enumerate() {
            // An empty line alone holds nothing together.
            stay[i + 1][j + 1] = if a == b && !a.is_empty() {
                stay[i][j] + 1
            } else {
                stay[i][j + 1].max(stay[i + 1][j])
            };
        }
    }
    let mut lines = Vec::with_capacity(old.len() + new.len());
    let (mut olds, mut news) = (old.as_slice(), new.as_slice());
    loop {
        match (olds, news) {
            ([a, rest @ ..], [b, others @ ..]) if a == b && !a.is_empty() => {
                lines.push((Change::Stays, *a));
                (olds, news) = (rest, others);
            }
            ([a, rest @ ..], _) if stay[rest.len()][news.len()] == stay[olds.len()][news.len()] => {
                lines.push((Change::Removed, *a));
                olds = rest;
            }
            (_, [b, others @ ..]) => {
                lines.push((Change::Added, *b));
                news = others;
            }
            _ => return lines,
        }
    }
}

/// What stands above an example, which shows the program before and after the change in one.
pub const EXAMPLE: &str = "In your program (− goes, + comes)";
/// The button that copies the program with the change.
pub const COPY_EXAMPLE: &str = "Copy the code with the change";

/// What PyTorch calls a thing, as the program would write it: `SCALE` for `G['SCALE']`, `x` for `L['x']`.
#[must_use]
pub fn as_written(source: &str, variable: Option<&str>) -> String {
    if let Some(variable) = variable {
        return variable.to_owned();
    }
    if source.starts_with("___stack") {
        return "the value".to_owned();
    }
    for scope in ["G['", "L['"] {
        if let Some((name, rest)) = source
            .strip_prefix(scope)
            .and_then(|rest| rest.split_once("']"))
        {
            return format!("{name}{rest}");
        }
    }
    if source.is_empty() {
        return "x".to_owned();
    }
    source.to_owned()
}

/// The last name in a source: `lr` of `self.param_groups[0]['lr']`.
#[must_use]
pub fn last_name(source: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = source
        .rsplit(|c: char| !is_part(c))
        .find(|part| part.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    name.unwrap_or("value").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remedy_has_its_own_words() {
        for words in &REMEDIES {
            assert_eq!(remedy(words.remedy), words);
            assert!(words.title.len() < 80 && !words.title.ends_with('.'));
            assert!(words.text.ends_with(['.', ')']) && words.text.len() > 100);
            assert!(!words.after.is_empty());
        }
    }

    #[test]
    fn every_gap_is_known() {
        let known = |name: &str| {
            let names = [
                "source", "name", "dim", "dims", "value", "other", "values", "function", "limit",
                "state",
            ];
            names.contains(&name).then(String::new)
        };
        for words in &REMEDIES {
            for text in [words.title, words.text, words.before, words.after] {
                let filled = fill(text, known);
                // What stays are dicts of Python.
                assert!(!filled.contains('{') || filled.contains("{\""), "{filled}");
            }
        }
    }

    #[test]
    fn gaps_are_filled_once_and_other_braces_stay() {
        let gap = |name: &str| (name == "x").then(|| "{x}".to_owned());
        assert_eq!(fill("a {x} {y} {", gap), "a {x} {y} {");
        assert_eq!(fill("{\"a\": {x}}", gap), "{\"a\": {x}}");
    }

    #[test]
    fn an_example_tells_line_for_line_what_changes() {
        use Change::{Added, Removed, Stays};
        assert_eq!(
            changed_lines("def f(x):\n    ...", "@skip\ndef f(x):\n    ...\n"),
            [(Added, "@skip"), (Stays, "def f(x):"), (Stays, "    ...")]
        );
        assert_eq!(
            changed_lines("a\nb\nc", "a\nB\n\nc"),
            [
                (Stays, "a"),
                (Removed, "b"),
                (Added, "B"),
                (Added, ""),
                (Stays, "c")
            ]
        );
        assert_eq!(changed_lines("", "a"), [(Added, "a")]);
        assert_eq!(changed_lines("a", ""), [(Removed, "a")]);
        assert_eq!(changed_lines("", ""), []);
        for words in &REMEDIES {
            let lines = changed_lines(words.before, words.after);
            for (other, text) in [(Added, words.before), (Removed, words.after)] {
                let kept = lines.iter().filter(|(change, _)| *change != other);
                let kept: Vec<&str> = kept.map(|(_, line)| *line).collect();
                assert_eq!(kept.join("\n"), text.trim_end(), "{}", words.title);
            }
        }
    }

    #[test]
    fn sources_are_written_as_the_program_writes_them() {
        assert_eq!(as_written("G['SCALE']", None), "SCALE");
        assert_eq!(as_written("G['TABLE']['k']", None), "TABLE['k']");
        assert_eq!(
            as_written("fn.__closure__[0].cell_contents", Some("n")),
            "n"
        );
        assert_eq!(as_written("self.count", None), "self.count");
        assert_eq!(last_name("self.param_groups[0]['lr']"), "lr");
        assert_eq!(last_name("self.count"), "count");
        assert_eq!(last_name(""), "value");
    }
}
