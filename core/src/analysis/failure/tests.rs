use super::*;
use crate::payload::traceback::read;
use alloc::format;
use alloc::vec;

/// A traceback through files, innermost last.
fn through(files: &[(&str, &str)], exception: &str) -> Traceback {
    let mut text = String::from("Traceback (most recent call last):\n");
    for (file, code) in files {
        text.push_str(&format!("  File \"{file}\", line 1, in f\n    {code}\n"));
    }
    text.push_str(exception);
    read(&text)
}

const TORCH: &str = "/opt/lib/python3.11/site-packages/torch";

fn path(part: &str) -> String {
    format!("{TORCH}/{part}")
}

#[test]
fn types_and_messages_say_for_certain_what_failed() {
    for (kind, message, component, expected) in [
        (
            "torch._dynamo.exc.Unsupported",
            "Data-dependent branching\n  Explanation: x",
            Component::Dynamo,
            FailureKind::GraphBreak,
        ),
        (
            "torch._dynamo.exc.Unsupported",
            "Observed exception\n  Explanation: Dynamo found no exception handler",
            Component::User,
            FailureKind::Raised,
        ),
        (
            "torch._dynamo.exc.Unsupported",
            "cache_size_limit reached",
            Component::Dynamo,
            FailureKind::RecompileLimit,
        ),
        (
            "torch._dynamo.exc.Unsupported",
            "Dynamo recompile limit exceeded\n  Explanation: x",
            Component::Dynamo,
            FailureKind::RecompileLimit,
        ),
        (
            "torch._dynamo.exc.InternalTorchDynamoError",
            "KeyError: 'x'",
            Component::Dynamo,
            FailureKind::Internal,
        ),
        (
            "torch._dynamo.exc.InternalTorchDynamoError",
            "OutOfMemoryError: CUDA out of memory. Tried to allocate",
            Component::Device,
            FailureKind::OutOfMemory,
        ),
        (
            "RuntimeError",
            "Unrecognized mode=fast, should be one of: default, reduce-overhead",
            Component::User,
            FailureKind::Setting,
        ),
        (
            "RuntimeError",
            "Unexpected optimization option nope, known options are ['debug']",
            Component::User,
            FailureKind::Setting,
        ),
        (
            "torch._dynamo.exc.TorchRuntimeError",
            "Failed running call_function",
            Component::Dynamo,
            FailureKind::FakeTensor,
        ),
        (
            "torch._dynamo.exc.FailOnRecompileLimitHit",
            "Hard failure due to fullgraph=True",
            Component::Dynamo,
            FailureKind::RecompileLimit,
        ),
        (
            "torch._dynamo.exc.ResetRequired",
            "Must call `torch._dynamo.reset()`",
            Component::Dynamo,
            FailureKind::ResetRequired,
        ),
        (
            "torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode",
            "Could not guard on data-dependent expression u0 > 5",
            Component::Dynamo,
            FailureKind::DataDependent,
        ),
        (
            "torch._dynamo.exc.BackendCompilerFailed",
            "backend='my_backend' raised:\nRuntimeError: no",
            Component::Backend,
            FailureKind::BackendRaised,
        ),
        (
            "torch._dynamo.exc.BackendCompilerFailed",
            "backend='inductor' raised:\nLoweringException: AssertionError: \n  target: aten.mm",
            Component::Inductor,
            FailureKind::Lowering,
        ),
        (
            "torch._dynamo.exc.BackendCompilerFailed",
            "backend='inductor' raised:\nCppCompileError: C++ compile error",
            Component::Inductor,
            FailureKind::CppCompile,
        ),
        (
            "torch._dynamo.exc.BackendCompilerFailed",
            "backend='inductor' raised:\nRuntimeError: Cannot find a working triton installation. More",
            Component::Inductor,
            FailureKind::MissingTriton,
        ),
        (
            "torch._inductor.exc.InductorError",
            "CppCompileError: C++ compile error",
            Component::Inductor,
            FailureKind::CppCompile,
        ),
        (
            "torch._inductor.exc.InductorError",
            "LoweringException: RuntimeError: x",
            Component::Inductor,
            FailureKind::Lowering,
        ),
        (
            "torch._inductor.exc.InductorError",
            "AssertionError: pass failed on purpose",
            Component::Inductor,
            FailureKind::Internal,
        ),
        (
            "torch._inductor.exc.InductorError",
            "RuntimeError: Failed to find C compiler. Please specify via CC",
            Component::Inductor,
            FailureKind::MissingCompiler,
        ),
        (
            "triton.compiler.errors.CompilationError",
            "at 5:11:",
            Component::Inductor,
            FailureKind::TritonCompile,
        ),
        (
            "triton.runtime.errors.OutOfResources",
            "out of resource: shared memory, Required: 1",
            Component::Inductor,
            FailureKind::OutOfResources,
        ),
        (
            "torch.OutOfMemoryError",
            "CUDA out of memory.",
            Component::Device,
            FailureKind::OutOfMemory,
        ),
        (
            "RuntimeError",
            "CUDA error: an illegal memory access was encountered",
            Component::Device,
            FailureKind::DeviceError,
        ),
    ] {
        let (failure, _) = of_exception(kind, message);
        assert_eq!(
            (failure.component, failure.kind),
            (component, expected),
            "{kind}: {message}"
        );
        assert_eq!(failure.certainty, Certainty::Certain, "{kind}: {message}");
    }
    let (failure, _) = of_exception("RuntimeError", "something");
    assert_eq!(
        (failure.component, failure.kind),
        (Component::Unknown, FailureKind::Unknown)
    );
    assert_eq!(
        of_traceback(&Traceback::default()).component,
        Component::Unknown
    );
}

#[test]
fn frames_tell_what_failed_where_the_type_does_not() {
    let dynamo = path("_dynamo/symbolic_convert.py");
    let caller = path("_dynamo/output_graph.py");
    let aot = path("_functorch/_aot_autograd/traced_function_transforms.py");
    let inductor = path("_inductor/compile_fx.py");
    let shapes = path("fx/experimental/symbolic_shapes.py");
    let run = path("_dynamo/eval_frame.py");
    let fake = path("_subclasses/fake_tensor.py");
    let user = "/srv/demo/a.py";
    for (files, component) in [
        (vec![user, &run, &dynamo, &shapes], Component::Dynamo),
        (
            vec![user, &run, &dynamo, &caller, &inductor, &aot, &shapes],
            Component::AotAutograd,
        ),
        (
            vec![user, &run, &dynamo, &caller, &inductor, &aot, &inductor],
            Component::Inductor,
        ),
        (
            vec![user, &run, "/tmp/torchinductor_me/xv/cxv.py"],
            Component::Inductor,
        ),
        (vec![user, &run, user], Component::User),
        (vec![user], Component::User),
        (vec![user, &fake], Component::Dynamo),
        (
            vec![
                user,
                "C:\\Python311\\Lib\\site-packages\\torch\\_inductor\\ir.py",
            ],
            Component::Inductor,
        ),
        (
            vec![user, "/src/pytorch/torch/_inductor/ir.py"],
            Component::Inductor,
        ),
    ] {
        let files: Vec<_> = files.into_iter().map(|file| (file, "x()")).collect();
        let failure = of_traceback(&through(&files, "AssertionError: x"));
        assert_eq!(failure.component, component, "{files:?}");
        assert_eq!(failure.certainty, Certainty::Guessed);
        assert_eq!(failure.user.first().map(|f| f.file.as_str()), Some(user));
    }
}

#[test]
fn a_backend_of_pytorchs_is_told_by_its_frames() {
    let caller = path("_dynamo/output_graph.py");
    let aot = path("_functorch/aot_autograd.py");
    let failed =
        "torch._dynamo.exc.BackendCompilerFailed: backend='aot_eager' raised:\nRuntimeError: x";
    let failure = of_traceback(&through(
        &[("a.py", "x()"), (&caller, "y()"), (&aot, "z()")],
        failed,
    ));
    assert_eq!(failure.component, Component::AotAutograd);
    assert_eq!(failure.backend.as_deref(), Some("aot_eager"));
    // `aot_eager` itself is what failed.
    let runs: Vec<_> = failure.runs.iter().map(|run| run.ablation).collect();
    assert_eq!(runs, [Ablation::Backend(Backend::Eager)]);
}

#[test]
fn results_that_differ_blame_no_component() {
    let (failure, _) = of_exception(
        "torch._dynamo.debug_utils.AccuracyError",
        "Bad accuracy detected",
    );
    assert_eq!(
        (failure.component, failure.kind, failure.certainty),
        (
            Component::Unknown,
            FailureKind::Accuracy,
            Certainty::Certain
        )
    );
}

#[test]
fn what_the_program_shows_is_not_asked_again() {
    let ablations = |code: &str, exception: &str| -> Vec<Ablation> {
        let failure = of_traceback(&through(&[("a.py", code)], exception));
        failure.runs.into_iter().map(|run| run.ablation).collect()
    };
    let limit = "torch._dynamo.exc.FailOnRecompileLimitHit: x";
    assert_eq!(
        ablations("torch.compile(f, dynamic=False)(x)", limit),
        [
            Ablation::Dynamic(Dynamic::None),
            Ablation::Dynamic(Dynamic::True)
        ]
    );
    assert_eq!(
        ablations("torch.compile(f)(x)", limit),
        [Ablation::Dynamic(Dynamic::True)]
    );
    let fake = "torch._dynamo.exc.TorchRuntimeError: x";
    assert_eq!(
        ablations("torch.compile(f, backend=\"eager\")(x)", fake),
        []
    );
    assert_eq!(
        ablations("torch.compile(f)(x)", fake),
        [Ablation::Backend(Backend::Eager)]
    );
    let lowering = "torch._inductor.exc.InductorError: LoweringException: x: y";
    assert_eq!(
        ablations("torch.compile(f, mode=\"max-autotune\")(x)", lowering),
        [
            Ablation::Backend(Backend::AotEagerDecompPartition),
            Ablation::Mode(Mode::Default)
        ]
    );
    assert_eq!(ablations("f(x)", "ValueError: of the program"), []);
}

#[test]
fn owners_are_told_by_paths() {
    for (file, expected) in [
        ("/srv/demo/a.py", Owner::User),
        ("/srv/triton/a.py", Owner::User),
        ("<ipython-input-3-abc>", Owner::User),
        ("<string>", Owner::User),
        ("Cell In[3]", Owner::User),
        ("<frozen importlib._bootstrap>", Owner::Python),
        ("<eval_with_key>.12", Owner::Generated),
        ("/usr/lib/python3.11/contextlib.py", Owner::Python),
        ("C:\\Python311\\Lib\\contextlib.py", Owner::Python),
        (
            "/x/lib/python3.11/site-packages/transformers/a.py",
            Owner::Library,
        ),
        ("/x/dist-packages/torchvision/a.py", Owner::Library),
        (
            "/x/site-packages/triton/compiler/compiler.py",
            Owner::Torch(Part::Triton),
        ),
        (
            "/x/site-packages/torch/nn/modules/module.py",
            Owner::Torch(Part::Other),
        ),
        (
            "/x/site-packages/torch/_dynamo/guards.py",
            Owner::Torch(Part::Dynamo),
        ),
        (
            "/x/site-packages/torch/_dynamo/utils.py",
            Owner::Torch(Part::Other),
        ),
        ("/home/me/my_torch/_dynamo/a.py", Owner::User),
        ("torch/_inductor/graph.py", Owner::Torch(Part::Inductor)),
        (
            "/var/cache/inductor/xv/cxv3rc4pwzx3zj3x6lbgt2j6tv7mxuwuqacubwe6mijyatgfyorp.py",
            Owner::Generated,
        ),
    ] {
        assert_eq!(owner(file), expected, "{file}");
    }
}

#[test]
fn lists_of_components_and_kinds_hold_each_once() {
    for (at, component) in Component::ALL.into_iter().enumerate() {
        assert_eq!(component as usize, at);
    }
    for (at, kind) in FailureKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, at);
    }
    assert_eq!(Component::default() as usize + 1, Component::ALL.len());
    assert_eq!(FailureKind::Ended as usize + 1, FailureKind::ALL.len());
}

#[test]
fn what_ends_a_program_is_no_failure_of_it() {
    let dynamo = path("_dynamo/symbolic_convert.py");
    let inductor = path("_inductor/compile_worker/subproc_pool.py");
    let frames = [("/home/u/train.py", "step()"), (dynamo.as_str(), "run()")];
    for (exception, expected) in [
        ("KeyboardInterrupt", FailureKind::Interrupted),
        ("KeyboardInterrupt: ", FailureKind::Interrupted),
        ("SystemExit: 1", FailureKind::Ended),
        ("GeneratorExit", FailureKind::Ended),
        (
            "torch._inductor.exc.InductorError: KeyboardInterrupt: ",
            FailureKind::Interrupted,
        ),
    ] {
        let failure = of_traceback(&through(&frames, exception));
        let told = (failure.component, failure.kind, failure.certainty);
        let certain = (Component::User, expected, Certainty::Certain);
        assert_eq!(told, certain, "{exception}");
        assert_eq!(failure.runs, vec![], "{exception}");
        assert_eq!(failure.user[0].file, "/home/u/train.py");
    }
    let pipe = "BrokenPipeError: [Errno 32] Broken pipe";
    let of = |files: &[(&str, &str)]| of_traceback(&through(files, pipe)).kind;
    assert_eq!(of(&frames[..1]), FailureKind::Ended);
    assert_eq!(
        of(&[frames[0], (&inductor, "send()")]),
        FailureKind::Internal
    );
}

#[test]
fn an_exception_before_the_end_is_what_failed() {
    let after = |exception: &str, link: &str, last: &str| {
        let [first, last] = [exception, last].map(|exception| {
            format!("Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in f\n    g()\n{exception}\n")
        });
        of_traceback(&read(&format!("{first}\n{link}\n\n{last}"))).kind
    };
    let context = "During handling of the above exception, another exception occurred:";
    let unsupported = "torch._dynamo.exc.Unsupported: print";
    let kind = after(unsupported, context, "SystemExit: 1");
    assert_eq!(kind, FailureKind::GraphBreak);
    let kind = after("ValueError: 1", context, "SystemExit: 1");
    assert_eq!(kind, FailureKind::Raised);
    let kind = after("KeyboardInterrupt", context, "RuntimeError: worker exited");
    assert_eq!(kind, FailureKind::Interrupted);
}
