//! What kind a graph break is of, by what PyTorch calls it: the types of 2.7 to 2.15
//! (torch/_dynamo/graph_break_registry.json) and the free text of 2.0 to 2.6.

use super::message::Message;
use serde::{Deserialize, Serialize};

/// What broke a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BreakKind {
    /// The program prints.
    Print,
    /// The program logs or warns.
    Log,
    /// A Python number is made of a tensor: `.item()`, `int(x)`.
    Item,
    /// The program branches on what a tensor holds.
    Branch,
    /// The program asserts what a tensor holds.
    Assert,
    /// An operator whose result has a shape that depends on what a tensor holds.
    DynamicShape,
    /// Python needs a value, other than a number, that a tensor holds: `torch.equal`, a slice by a tensor.
    Content,
    /// `torch._dynamo.graph_break()` or `skip_frame()`.
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
    (Holds("in skipfiles: Logger."), Kind::Log),
    (Begins("logging.Logger method"), Kind::Log),
    (Begins("Logger not supported"), Kind::Log),
    (Context("warnings.warn"), Kind::Log),
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
    (Begins("Data-dependent assertion"), Kind::Assert),
    (Begins("Data dependent operator"), Kind::Content),
    (Begins("data dependent operator"), Kind::Content),
    (Begins("Dynamic slicing"), Kind::Content),
    // Neither is mended by letting the graph carry sizes: the first lacks a rule, the second an argument.
    (
        Begins("Dynamic shape operator (no meta kernel)"),
        Kind::Other,
    ),
    (Holds("one_hot"), Kind::Other),
    (Begins("Dynamic shape operator"), Kind::DynamicShape),
    (Begins("dynamic shape operator"), Kind::DynamicShape),
    (Holds("data-dependent output shape"), Kind::DynamicShape),
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
    (
        Begins("Call to `torch._dynamo.skip_frame()`"),
        Kind::Intentional,
    ),
    // Not a function that is marked, but the call that would mark one.
    (Begins("Call to `torch.compiler.disable()`"), Kind::Other),
    (Begins("Call to `torch._dynamo.disable()`"), Kind::Other),
    (Holds("torch.compiler.disable()"), Kind::Disabled),
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
    (Begins("Attempt to trace generator"), Kind::Generator),
    (Begins("Generator reconstruction"), Kind::Generator),
    (Begins("Unreachable sub-generator"), Kind::Generator),
    (Begins("call_method on generator"), Kind::Generator),
    (Begins("infinite generator"), Kind::Generator),
    (Begins("generator function over"), Kind::Generator),
    (Begins("inlining generator"), Kind::Generator),
    (
        Holds("UserDefinedObjectVariable(generator)"),
        Kind::Generator,
    ),
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
    /// All kinds, in their order.
    pub const ALL: [BreakKind; 19] = [
        Kind::Print,
        Kind::Log,
        Kind::Item,
        Kind::Branch,
        Kind::Assert,
        Kind::DynamicShape,
        Kind::Content,
        Kind::Intentional,
        Kind::Disabled,
        Kind::Skipped,
        Kind::Loop,
        Kind::Generator,
        Kind::Context,
        Kind::Numpy,
        Kind::Rnn,
        Kind::Autograd,
        Kind::Raised,
        Kind::RecompileLimit,
        Kind::Other,
    ];

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

    /// Types and sentences of all versions, with the developers' context where it tells.
    const KNOWN: &[(&str, &str, BreakKind)] = &[
        (
            "Failed to trace builtin operator",
            "builtin print [<class 'x'>] False",
            Kind::Print,
        ),
        ("builtin: print [<class 'x'>] False", "", Kind::Print),
        (
            "call_function BuiltinVariable(print) [ConstantVariable(str)] {}",
            "",
            Kind::Print,
        ),
        (
            "Failed to trace builtin operator",
            "builtin iter [] False",
            Kind::Other,
        ),
        (
            "Logger not supported for non-export cases. To avoid",
            "",
            Kind::Log,
        ),
        (
            "logging.Logger method not supported for non-export cases",
            "",
            Kind::Log,
        ),
        (
            "'inline in skipfiles: Logger.warning | warning /x.py'",
            "",
            Kind::Log,
        ),
        (
            "Unsupported Tensor.item() call with capture_scalar_outputs=False",
            "",
            Kind::Item,
        ),
        ("Tensor.item", "", Kind::Item),
        (
            "data dependent operator: aten._local_scalar_dense.default",
            "",
            Kind::Item,
        ),
        ("Data-dependent branching", "", Kind::Branch),
        ("Data-dependent jump", "", Kind::Branch),
        ("generic_jump TensorVariable()", "", Kind::Branch),
        (
            "Data-dependent assertion failed (cannot compile partial graph)",
            "",
            Kind::Assert,
        ),
        ("Dynamic shape operator", "", Kind::DynamicShape),
        (
            "dynamic shape operator: aten.nonzero.default",
            "",
            Kind::DynamicShape,
        ),
        ("Dynamic shape operator (no meta kernel)", "", Kind::Other),
        (
            "Attempted to use `torch.nn.functional.one_hot` with data-dependent output shape",
            "",
            Kind::Other,
        ),
        (
            "Data dependent operator",
            "aten.equal.default",
            Kind::Content,
        ),
        ("Dynamic slicing with Tensor arguments", "", Kind::Content),
        (
            "Call to `torch._dynamo.graph_break()`",
            "",
            Kind::Intentional,
        ),
        (
            "Call to `torch._dynamo.skip_frame()`",
            "",
            Kind::Intentional,
        ),
        (
            "'skip function graph_break in file /torch/_dynamo/decorators.py'",
            "",
            Kind::Intentional,
        ),
        (
            "call_function graph_break in skip_files /torch/_dynamo/decorators.py",
            "",
            Kind::Intentional,
        ),
        (
            "Skip calling `torch.compiler.disable()`d function",
            "",
            Kind::Disabled,
        ),
        (
            "Skip inlining `torch.compiler.disable()`d function",
            "",
            Kind::Disabled,
        ),
        (
            "call torch._dynamo.disable() wrapped function <function f at 0x1>",
            "",
            Kind::Disabled,
        ),
        ("Call to `torch.compiler.disable()`", "", Kind::Other),
        (
            "Attempted to call function marked as skipped",
            "",
            Kind::Skipped,
        ),
        ("'skip function f in file /x.py'", "", Kind::Skipped),
        (
            "call_method UserDefinedObjectVariable(time) __call__ [] {}",
            "",
            Kind::Skipped,
        ),
        ("graph break in loop", "frame skipped: f", Kind::Loop),
        ("Attempt to trace generator", "", Kind::Generator),
        ("infinite generator detected", "", Kind::Generator),
        ("torch.Generator method", "", Kind::Other),
        ("non-generator contextlib.contextmanager", "", Kind::Other),
        ("Unsupported context manager", "", Kind::Context),
        (
            "Graph break under GenericContextWrappingVariable",
            "",
            Kind::Context,
        ),
        (
            "BEFORE_WITH UserDefinedObjectVariable(TextIOWrapper)",
            "",
            Kind::Context,
        ),
        ("Tensor.numpy() with trace_numpy=False", "", Kind::Numpy),
        ("failed to convert numpy.ndarray to Tensor", "", Kind::Numpy),
        ("Attempted to wrap RNN, GRU, or LSTM", "", Kind::Rnn),
        (
            "TorchDynamo purposely graph breaks on RNN, GRU, LSTMs",
            "",
            Kind::Rnn,
        ),
        ("Unsupported Tensor.backward() call", "", Kind::Autograd),
        ("Tensor.backward", "", Kind::Autograd),
        (
            "Unsupported Tensor.requires_grad_() call",
            "",
            Kind::Autograd,
        ),
        ("Observed exception", "", Kind::Raised),
        ("TypeError when making fake tensor call", "", Kind::Raised),
        ("Dynamo recompile limit exceeded", "", Kind::RecompileLimit),
        ("cache_size_limit reached", "", Kind::RecompileLimit),
        ("", "", Kind::Other),
    ];

    #[test]
    fn a_kind_is_found_in_the_words_of_all_versions() {
        for (kind, context, expected) in KNOWN {
            check(kind, context, *expected);
        }
        for kind in BreakKind::ALL {
            assert!(KNOWN.iter().any(|(_, _, known)| *known == kind), "{kind:?}");
        }
    }
}
