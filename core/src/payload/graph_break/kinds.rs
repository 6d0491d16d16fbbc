//! What kind a graph break is of, by what PyTorch calls it: the types of 2.7 to 2.15
//! (torch/_dynamo/graph_break_registry.json) and the free text of 2.0 to 2.6.

use super::message::Message;
use serde::{Deserialize, Serialize};

/// What broke a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BreakKind {
    /// The program prints or logs.
    Print,
    /// A Python number is made of a tensor: `.item()`, `int(x)`.
    Item,
    /// The program branches on what a tensor holds.
    Branch,
    /// An operator whose result or its shape depends on what a tensor holds.
    DataDependent,
    /// `torch._dynamo.graph_break()`.
    Intentional,
    /// `torch.compiler.disable` and the like.
    Disabled,
    /// Dynamo has a rule that it does not trace the function, often because it is none of Python.
    Skipped,
    /// The graph broke within a loop, where it cannot go on: the whole frame is skipped.
    Loop,
    /// A function that yields.
    Generator,
    /// Within a `with` or `try`.
    Context,
    /// A tensor becomes an array of NumPy.
    Numpy,
    /// `nn.RNN` and its kin.
    Rnn,
    /// A call of `backward` or `requires_grad_`, or a hook.
    Autograd,
    /// The program raised an exception, or an operator refused its arguments.
    Raised,
    /// The recompile limit was reached.
    RecompileLimit,
    /// Anything else: PyTorch's own hints tell.
    Other,
}

/// How a type is found: by how it begins, or by what stands in it.
#[derive(Debug, Clone, Copy)]
enum Test {
    Begins(&'static str),
    Holds(&'static str),
    /// In the developers' context.
    Context(&'static str),
}

use BreakKind as Kind;
use Test::{Begins, Context, Holds};

/// The first one that applies is taken.
const KINDS: &[(Test, Kind)] = &[
    (Context("builtin print"), Kind::Print),
    (Holds("builtin: print"), Kind::Print),
    (Holds("BuiltinVariable(print)"), Kind::Print),
    (Holds("in skipfiles: Logger."), Kind::Print),
    (Begins("logging.Logger method"), Kind::Print),
    (Begins("Logger not supported"), Kind::Print),
    (Context("warnings.warn"), Kind::Print),
    (Begins("graph break in loop"), Kind::Loop),
    (
        Begins("Skipping frame because there is a graph break in a for/while loop"),
        Kind::Loop,
    ),
    (Begins("Unsupported Tensor.item()"), Kind::Item),
    (Begins("Tensor.item"), Kind::Item),
    (Holds("_local_scalar_dense"), Kind::Item),
    (Context("_local_scalar_dense"), Kind::Item),
    (Begins("Data-dependent branching"), Kind::Branch),
    (Begins("Data-dependent jump"), Kind::Branch),
    (Begins("generic_jump"), Kind::Branch),
    (Begins("Data-dependent assertion"), Kind::Branch),
    (Begins("Data dependent operator"), Kind::DataDependent),
    (Begins("data dependent operator"), Kind::DataDependent),
    (Begins("Dynamic shape operator"), Kind::DataDependent),
    (Begins("dynamic shape operator"), Kind::DataDependent),
    (Holds("data-dependent output shape"), Kind::DataDependent),
    (Begins("Dynamic slicing"), Kind::DataDependent),
    (
        Begins("Call to `torch._dynamo.graph_break()`"),
        Kind::Intentional,
    ),
    (
        Holds("skip function graph_break in file"),
        Kind::Intentional,
    ),
    (
        Begins("call_function graph_break in skip_files"),
        Kind::Intentional,
    ),
    (Context("_dynamo.graph_break"), Kind::Intentional),
    (Begins("ComptimeContext graph break"), Kind::Intentional),
    (Holds("torch.compiler.disable()"), Kind::Disabled),
    (Holds("torch._dynamo.disable()"), Kind::Disabled),
    (Holds("torch._dynamo.skip_frame()"), Kind::Disabled),
    (
        Begins("call torch._dynamo.disable() wrapped function"),
        Kind::Disabled,
    ),
    (Holds("trace_numpy=False"), Kind::Numpy),
    (Holds("numpy"), Kind::Numpy),
    (Begins("Attempted to wrap RNN, GRU, or LSTM"), Kind::Rnn),
    (
        Holds("TorchDynamo purposely graph breaks on RNN"),
        Kind::Rnn,
    ),
    (Holds("RNN, GRU, LSTM"), Kind::Rnn),
    (
        Begins("Attempted to call function marked as skipped"),
        Kind::Skipped,
    ),
    (
        Begins("Attempted to inline function marked as skipped"),
        Kind::Skipped,
    ),
    (Begins("'skip function"), Kind::Skipped),
    (Begins("'inline in skipfiles"), Kind::Skipped),
    (Begins("inline in skipfiles"), Kind::Skipped),
    (Holds("in skip_files"), Kind::Skipped),
    (Holds("in skipfiles"), Kind::Skipped),
    (Begins("Call to a time function"), Kind::Skipped),
    (
        Begins("Graph break due to unsupported builtin"),
        Kind::Skipped,
    ),
    (
        Begins("call_method UserDefinedObjectVariable(time)"),
        Kind::Skipped,
    ),
    (Begins("call_method OptimizerVariable"), Kind::Skipped),
    (
        Begins("Graph break for an optree C/C++ function"),
        Kind::Skipped,
    ),
    (Holds("generator"), Kind::Generator),
    (Holds("Generator"), Kind::Generator),
    (Holds("YIELD_VALUE"), Kind::Generator),
    (Holds("context manager"), Kind::Context),
    (Holds("GenericContextWrappingVariable"), Kind::Context),
    (Begins("BEFORE_WITH"), Kind::Context),
    (Begins("SETUP_WITH"), Kind::Context),
    (Begins("Graph break under"), Kind::Context),
    (Begins("Unsupported Tensor.backward() call"), Kind::Autograd),
    (Begins("Tensor.backward"), Kind::Autograd),
    (Holds("requires_grad"), Kind::Autograd),
    (Holds("hook"), Kind::Autograd),
    (Begins("backward()"), Kind::Autograd),
    (Begins("Observed exception"), Kind::Raised),
    (Begins("Fake tensor propagation exception"), Kind::Raised),
    (
        Begins("TypeError when making fake tensor call"),
        Kind::Raised,
    ),
    (
        Begins("RuntimeError when making fake tensor call"),
        Kind::Raised,
    ),
    (Holds("recompile limit exceeded"), Kind::RecompileLimit),
    (Holds("cache limit exceeded"), Kind::RecompileLimit),
    (Holds("cache_size_limit reached"), Kind::RecompileLimit),
    (Holds("recompile_limit reached"), Kind::RecompileLimit),
];

impl BreakKind {
    /// The kind of a break of which PyTorch says all this. The first message is of what can be changed; those
    /// behind it came of it.
    #[must_use]
    pub fn of_all(messages: &[Message]) -> BreakKind {
        messages.first().map_or(Kind::Other, Self::of)
    }

    /// The kind of a break of which PyTorch says this.
    #[must_use]
    pub fn of(message: &Message) -> BreakKind {
        let context = message.context.as_deref().unwrap_or_default();
        let applies = |test: Test| match test {
            Begins(text) => message.kind.starts_with(text),
            Holds(text) => message.kind.contains(text),
            Context(text) => context.contains(text),
        };
        let found = KINDS.iter().find(|(test, _)| applies(*test));
        found.map_or(Kind::Other, |(_, kind)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[track_caller]
    fn check(kind: &str, context: &str, expected: BreakKind) {
        let message = Message {
            kind: kind.to_string(),
            context: Some(context.to_string()),
            ..Message::default()
        };
        assert_eq!(BreakKind::of(&message), expected, "{kind}");
    }

    #[test]
    fn a_kind_is_found_in_the_words_of_all_versions() {
        let printing = [
            (
                "Failed to trace builtin operator",
                "builtin print [<class 'x'>] False",
            ),
            ("builtin: print [<class 'x'>] False", ""),
            (
                "call_function BuiltinVariable(print) [ConstantVariable(str)] {}",
                "",
            ),
            ("Logger not supported for non-export cases. To avoid", ""),
        ];
        for (kind, context) in printing {
            check(kind, context, Kind::Print);
        }
        check(
            "Failed to trace builtin operator",
            "builtin iter [] False",
            Kind::Other,
        );
        for kind in [
            "Unsupported Tensor.item() call with capture_scalar_outputs=False",
            "Tensor.item",
            "data dependent operator: aten._local_scalar_dense.default",
        ] {
            check(kind, "", Kind::Item);
        }
        for kind in [
            "Data-dependent branching",
            "Data-dependent jump",
            "generic_jump TensorVariable()",
        ] {
            check(kind, "", Kind::Branch);
        }
        check(
            "dynamic shape operator: aten.nonzero.default",
            "",
            Kind::DataDependent,
        );
        check(
            "Call to `torch._dynamo.graph_break()`",
            "",
            Kind::Intentional,
        );
        check(
            "'skip function graph_break in file /torch/_dynamo/decorators.py'",
            "",
            Kind::Intentional,
        );
        check(
            "Skip calling `torch.compiler.disable()`d function",
            "",
            Kind::Disabled,
        );
        check("'skip function f in file /x.py'", "", Kind::Skipped);
        check("graph break in loop", "frame skipped: f", Kind::Loop);
        check("", "", Kind::Other);
    }
}
