"""Every private name of torch and Triton that is used: what for, and what is lost without it.

Run as a script it says which of them the interpreter's torch lacks, as JSON: ``inspect doctor
--torch`` prints that, and a test fails on a missing one. Needs the standard library alone.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import sys
from collections.abc import Iterator


@dataclasses.dataclass(frozen=True, slots=True)
class Use:
    """Names that serve one purpose.

    Attributes:
        purpose: What they are used for.
        without: What is lost where one of them is missing.
        names: Modules, and what is imported out of them.
        methods: What is replaced, and put back, in them (`inspector.capture.hooks`): only torch's
            own behaviour is watched.
    """

    purpose: str
    without: str
    names: tuple[str, ...]
    methods: tuple[str, ...] = ()


USES = (
    Use(
        "write our records into torch's trace",
        "nothing is recorded",
        (
            "torch._logging.trace_structured",
            "torch._logging._internal",
            "torch._logging.structured",
        ),
    ),
    Use(
        "compile as a request asks, and reset what that left",
        "settings, backends and `inspector.explain`",
        (
            "torch._dynamo.config",
            "torch._dynamo.list_backends",
            "torch._dynamo.lookup_backend",
            "torch._dynamo.convert_frame",
            "torch._dynamo.pgo",
            "torch._C._dynamo.eval_frame.reset_code",
            "torch._inductor.utils.fresh_cache",
            "torch.fx.experimental._config",
        ),
    ),
    Use(
        "tell a failure of torch's from one of the user's code",
        "the user's line of an exception",
        (
            "torch._dynamo.exc.TorchDynamoException",
            "torch._dynamo.exc.RestartAnalysis",
            "torch._subclasses.fake_tensor.DataDependentOutputException",
            "torch._subclasses.fake_tensor.DynamicOutputShapeException",
        ),
    ),
    Use(
        "know Dynamo's place in the user's code",
        "columns of graph breaks, time by traced line",
        (
            "torch._dynamo.symbolic_convert.InstructionTranslator",
            "torch._dynamo.symbolic_convert.InstructionTranslatorBase",
            "torch._dynamo.output_graph.OutputGraph",
        ),
        ("InstructionTranslatorBase.run", "OutputGraph.call_user_compiler"),
    ),
    Use(
        "values with tensors in them",
        "inputs, outputs and state of calls",
        (
            "torch.utils._pytree",
            "torch.utils._pytree.tree_leaves",
            "torch.utils._pytree.tree_map",
            "torch.utils._pytree.tree_map_only",
            "torch.utils._pytree.tree_unflatten",
            "torch.utils._python_dispatch.TorchDispatchMode",
            "torch.utils._python_dispatch._disable_current_modes",
            "torch.utils._python_dispatch.is_traceable_wrapper_subclass",
        ),
    ),
    Use(
        "costs of graph breaks and guards in warm calls",
        "`cost` of findings; counts stay",
        (
            "torch._dynamo.eval_frame.skip_code",
            "torch._dynamo.utils.counters",
            "torch._C._profiler._ExperimentalConfig",
            "torch.autograd._disable_profiler",
            "torch.autograd._enable_profiler",
            "torch.autograd._prepare_profiler",
        ),
    ),
    Use(
        "graphs as data, and their FLOPs",
        "operators, tensors and FLOPs in `inspect graph` and `inspect profile`",
        (
            "torch._decomp.decomposition_table",
            "torch._guards.detect_fake_mode",
            "torch._subclasses.FakeTensor",
        ),
    ),
    Use(
        "what Inductor fuses, and why not",
        "fusion in `inspect graph`",
        (
            "torch._inductor.scheduler",
            "torch._inductor.dependencies.MemoryDep",
            "torch._inductor.dependencies.StarDep",
            "torch._inductor.ir",
            "torch._inductor.ir.Pointwise",
            "torch._inductor.loop_body.LoopBody",
            "torch._inductor.loop_body.MemoryUsageType",
            "torch._inductor.utils.sympy_index_symbol",
            "torch._inductor.utils.sympy_product",
            "torch._inductor.virtualized.V",
            "torch._higher_order_ops.triton_kernel_wrap.kernel_side_table",
            "torch.utils._sympy.value_ranges.ValueRanges",
            "torch.utils._sympy.value_ranges.bound_sympy",
        ),
        ("Scheduler.fuse_nodes", "Scheduler.codegen", "WhyNoFuse.__call__"),
    ),
    Use(
        "how Inductor makes kernels",
        "bytes, loops and reasons in `inspect kernels`",
        (
            "torch._inductor.codegen.cpp",
            "torch._inductor.config",
            "torch._inductor.cpp_builder",
            "torch._inductor.cpu_vec_isa",
            "torch._inductor.utils.get_kernel_metadata",
            "torch._inductor.utils.parallel_num_threads",
        ),
    ),
    Use(
        "what autotuning tries",
        "configurations and templates in `inspect profile` and `inspect cold-start`",
        (
            "torch._inductor.autotune_process",
            "torch._inductor.select_algorithm",
            "torch._inductor.runtime.triton_heuristics",
            "triton.runtime.autotuner.Autotuner",
        ),
        (
            "AsyncAutotuner.get_results",
            "MultiTemplateBuffer.finalize_as_triton_caller",
            "CachingAutotuner.autotune_to_one_config",
            "CachingAutotuner.bench",
            "Autotuner.prune_configs",
            "Autotuner._bench",
        ),
    ),
    Use(
        "what CUDA graphs capture and replay",
        "`inspect guards --cudagraphs`",
        ("torch._inductor.cudagraph_trees.CheckInvariantStatus",),
        (
            "CUDAGraphTreeManager.run",
            "CUDAGraphTreeManager.record_function",
            "CUDAGraphNode.check_invariants",
        ),
    ),
    Use(
        "time the lines of generated and of the user's code in place",
        "lines in `inspect profile`",
        (
            "torch._C._profiler._RecordFunctionFast",
            "torch._dynamo.compiled_autograd",
            "torch._inductor.codecache.PyCodeCache",
        ),
    ),
    Use(
        "generate code without loading it",
        "`inspect graph` without a C++ compiler, and `--gpu`",
        (
            "torch._functorch.config",
            "torch._inductor.codecache",
            "torch._inductor.compile_fx",
            "torch._inductor.exc.InvalidCxxCompiler",
            "torch._inductor.output_code",
        ),
    ),
    Use(
        "a GPU that is not there (`gpu_target/session.py` patches all of it, for one capture)",
        "`--gpu`",
        (
            "torch._dynamo.codegen",
            "torch._dynamo.device_interface",
            "torch._dynamo.utils",
            "torch._inductor.constant_folding.ConstantFolder",
            "torch._inductor.fx_passes.joint_graph",
            "torch._inductor.fx_passes.pad_mm",
            "torch._inductor.graph.GraphLowering",
            "torch._inductor.graph.getattr_recursive",
            "torch._inductor.lowering",
            "torch._inductor.runtime.benchmarking.benchmarker",
            "torch._inductor.runtime.hints.DeviceProperties",
            "torch._inductor.runtime.triton_helpers",
            "torch._inductor.scheduler.Scheduler",
            "torch._prims_common.suggest_memory_format",
            "torch._subclasses.fake_tensor",
            "torch._subclasses.fake_tensor.FakeTensor",
            "torch._subclasses.fake_tensor.FakeTensorMode",
            "torch._subclasses.fake_tensor.no_dispatch",
            "torch._subclasses.meta_utils",
            "torch._utils_internal",
            "triton.runtime.autotuner.Heuristics",
            "triton.runtime.jit.JITFunction",
        ),
    ),
    Use(
        "compile kernels for any GPU",
        "registers, SASS and predicted times in `inspect kernels --gpu`",
        (
            "torch._inductor.runtime.compile_tasks",
            "torch._inductor.runtime.triton_heuristics.CachingAutotuner",
            "torch._inductor.runtime.triton_heuristics.GridExpr",
            "triton",
            "triton.JITFunction",
            "triton.backends.compiler.GPUTarget",
            "triton.backends.nvidia.compiler",
            "triton.backends.nvidia.compiler.CUDABackend",
            "triton.language",
            "triton.runtime.cache",
        ),
    ),
)


def missing() -> Iterator[str]:
    """The names that the installed torch and Triton lack; importing them imports both."""
    for use in USES:
        yield from (name for name in use.names if not _is_there(name))


def _is_there(name: str) -> bool:
    for parts in range(name.count(".") + 1, 0, -1):
        module, rest = ".".join(name.split(".")[:parts]), name.split(".")[parts:]
        try:
            found = importlib.import_module(module)
        except ImportError:
            continue
        for part in rest:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


if __name__ == "__main__":
    sys.stdout.write(json.dumps([*missing()]))
