"""Which stage of compilation a span of torch's ``dynamo_timed`` belongs to."""

import functools

UNATTRIBUTED = "unattributed"
VECTOR_CHECK = "C++ vector check"
COMPILED_FILE = "compile_file"

# Stages from the outermost to the innermost: where spans overlap, over threads too, the time
# belongs to the last of them in this list. Span names are those of torch 2.11 and 2.13.
_PREFIXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    # These only hold others together: what is theirs alone, torch does not attribute.
    (UNATTRIBUTED, ("dynamo", "entire_frame_compile", "entire_backward_compile")),
    ("Dynamo", ("compile_attempt_", "bytecode_", "fullgraph_capture", "compiler_collective",
                "insert_deferred_runtime_asserts", "invoke_subgraph_", "TranslationValidator.")),
    ("guards", ("build_guards", "precompile_build_guards", "precompile_load_guards",
                "guard_collective")),
    ("backend", ("backend_compile",)),
    ("AOTAutograd", ("create_aot_dispatcher_function", "aot_", "min_cut_")),
    ("Inductor passes", ("inductor_compile", "fx_codegen_and_compile", "compile_fx", "_recursive_",
                         "pass.", "additional_fake_tensor_prop", "compiled_autograd", "fx.",
                         "inductor_import", "convert_conv_weights")),
    ("lowering", ("GraphLowering.run", "CUTLASSGemmTemplate.", "cutlass_utils.")),
    ("code generation", ("code_gen", "GraphLowering.", "PythonWrapperCodegen", "CppWrapper",
                         "Scheduler.codegen", "generate_kernel_code_from_nodes")),
    ("scheduling", ("Scheduler.__init__", "Scheduler.fused_nodes", "Scheduler.")),
    ("caches", ("inductor_codecache_torch_key", "CacheBase.", "TritonBundler", "fx_graph_cache",
                "FxGraphCache", "AOTAutogradCache", "pgo.", "remote_", "GraphPickler.",
                "CompiledArtifact.", "precompile_")),
    # The generated Python is loaded; on a GPU it waits there for Triton's kernels.
    ("loading kernels", ("PyCodeCache", "async_compile.wait", "after_deserialization")),
    ("Triton compilation", ("async_compile.", "triton", "CachingAutotuner", "StaticAutotuner",
                            "reload_kernel_in_parent")),
    ("C++ compilation", ("compile_file", "compile_", "AotCodeCompiler.", "aoti_")),
    # Small files by which Inductor asks what the C++ compiler can do; see `stage_of`.
    (VECTOR_CHECK, ()),
    ("autotuning", ("CachingAutotuner.benchmark", "CachingAutotuner.coordinate_descent_tuning",
                    "CachingAutotuner.combo_sequential_autotune", "benchmark", "autotun",
                    "collective_compute_do_bench")),
    ("CUDA graphs", ("CUDAGraph", "cudagraph")),
)  # fmt: skip
STAGES = tuple(stage for stage, _ in _PREFIXES)
_AUTOTUNING = ("_template_autotuning", "_template_precompiling")
_BACKWARD = frozenset({"entire_backward_compile", "compile_fx.<locals>.bw_compiler"})


@functools.lru_cache(maxsize=4096)
def stage_of(span: str, *, in_code_generation: bool = False) -> str | None:
    """The stage that a span belongs to, or None where it says nothing about the stage.

    The longest matching prefix decides. A file that is compiled while code is generated is none of
    the generated ones: before the first C++ kernel is written, Inductor compiles small files to see
    which vector instructions the compiler can make (torch/_inductor/cpu_vec_isa.py, 2.11 and 2.13).
    """
    if span == COMPILED_FILE and in_code_generation:
        return VECTOR_CHECK
    if span.endswith(_AUTOTUNING):
        return "autotuning"
    matches = (
        (len(prefix), stage)
        for stage, prefixes in _PREFIXES
        for prefix in prefixes
        if span.startswith(prefix)
    )
    return max(matches, default=(0, None))[1]


def is_backward(span: str) -> bool:
    """Whether a span and all in it is about a backward graph."""
    return span in _BACKWARD
