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
        without: What is lost where one of them is missing.
        imports: Modules, each with a colon, and what is imported out of them.
        methods: What is replaced, and put back, in them (`inspector.capture.hooks`): only torch's
            own behaviour is watched.
    """

    purpose: str
    without: str
    imports: str
    methods: str = ""

    @property
    def names(self) -> Iterator[str]:
        """The names in full."""
        module = ""
        for word in self.imports.split():
            if word.endswith(":"):
                module = word.replace(":", ".")
            else:
                yield f"{module}{word}"


USES = (
    Use(
        "write torch-inspector's records into torch's trace",
        "nothing is recorded",
        "torch._logging: trace_structured _internal structured",
    ),
    Use(
        "compile with the requested settings, and reset torch afterwards",
        "settings, backends and `inspector.explain`",
        """
        torch._dynamo: config list_backends lookup_backend convert_frame pgo
        torch._C._dynamo.eval_frame: reset_code
        torch._inductor.utils: fresh_cache
        torch.fx.experimental: _config
        """,
    ),
    Use(
        "distinguish failures of torch from failures of user code",
        "the line of user code that raised an exception",
        """
        torch._dynamo.exc: TorchDynamoException RestartAnalysis
        torch._subclasses.fake_tensor: DataDependentOutputException
            DynamicOutputShapeException
        """,
    ),
    Use(
        "track Dynamo's position in the user's code",
        "columns of graph breaks, time by traced line",
        """
        torch._dynamo.symbolic_convert: InstructionTranslator InstructionTranslatorBase
        torch._dynamo.output_graph: OutputGraph
        """,
        "InstructionTranslatorBase.run OutputGraph.call_user_compiler",
    ),
    Use(
        "find the part of the compiler that causes a fault",
        "`inspect numerics` and `inspect repro`",
        """
        torch._functorch: config
        torch._inductor.compiler_bisector: CompilerBisector
        """,
    ),
    Use(
        "traverse nested values with tensors",
        "inputs, outputs and state of calls",
        """
        torch.utils: _pytree
        torch.utils._pytree: tree_leaves tree_map_only
        torch.utils._python_dispatch: TorchDispatchMode _disable_current_modes
            is_traceable_wrapper_subclass
        """,
    ),
    Use(
        "measure the cost of graph breaks and guards in warm calls",
        "`cost` of findings (counts remain)",
        """
        torch._dynamo.eval_frame: skip_code
        torch._dynamo.utils: counters
        torch._C._profiler: _ExperimentalConfig
        torch.autograd: _disable_profiler _enable_profiler _prepare_profiler
        """,
    ),
    Use(
        "read graphs and count their FLOPs",
        "operators, tensors and FLOPs in `inspect graph` and `inspect profile`",
        """
        torch._decomp: decomposition_table
        torch._guards: detect_fake_mode
        torch._subclasses: FakeTensor
        """,
    ),
    Use(
        "observe what each pass changes in a graph",
        "passes in `inspect graph --passes` (graphs before and after all passes of a stage remain)",
        "",
        "GraphTransformObserver.__enter__ GraphTransformObserver.__exit__",
    ),
    Use(
        "read which fusions Inductor performs and rejects",
        "fusion in `inspect graph`",
        """
        torch._inductor: scheduler ir
        torch._inductor.dependencies: MemoryDep StarDep
        torch._inductor.ir: Pointwise
        torch._inductor.loop_body: LoopBody MemoryUsageType
        torch._inductor.utils: sympy_index_symbol sympy_product
        torch._inductor.virtualized: V
        torch._higher_order_ops.triton_kernel_wrap: kernel_side_table
        torch.utils._sympy.value_ranges: ValueRanges bound_sympy
        """,
        "Scheduler.fuse_nodes Scheduler.codegen WhyNoFuse.__call__",
    ),
    Use(
        "observe how Inductor generates kernels",
        "bytes, loops and reasons in `inspect kernels`",
        """
        torch._inductor.codegen: cpp
        torch._inductor: config cpp_builder cpu_vec_isa
        torch._inductor.utils: get_kernel_metadata parallel_num_threads
        """,
    ),
    Use(
        "observe autotuning",
        "configurations and templates in `inspect profile` and `inspect cold-start`",
        """
        torch._inductor: autotune_process select_algorithm
        torch._inductor.runtime: triton_heuristics
        triton.runtime.autotuner: Autotuner
        """,
        """
        AsyncAutotuner.get_results MultiTemplateBuffer.finalize_as_triton_caller
        CachingAutotuner.autotune_to_one_config CachingAutotuner.bench
        Autotuner.prune_configs Autotuner._bench
        """,
    ),
    Use(
        "observe captures and replays of CUDA graphs",
        "`inspect guards --cudagraphs`",
        "torch._inductor.cudagraph_trees: CheckInvariantStatus",
        """
        CUDAGraphTreeManager.run CUDAGraphTreeManager.record_function
        CUDAGraphNode.check_invariants
        """,
    ),
    Use(
        "time individual lines of generated code and user code",
        "lines in `inspect profile`",
        """
        torch._C._profiler: _RecordFunctionFast
        torch._inductor.codecache: PyCodeCache
        """,
    ),
    Use(
        "generate code without loading it",
        "`inspect graph` without a C++ compiler, and `--gpu`",
        """
        torch._functorch: config
        torch._inductor: codecache compile_fx output_code
        torch._inductor.exc: InvalidCxxCompiler
        """,
    ),
    Use(
        "simulate an absent GPU (`gpu_target/session.py` patches these names during one capture)",
        "`--gpu`",
        """
        torch._dynamo: codegen device_interface utils
        torch._inductor.constant_folding: ConstantFolder
        torch._inductor.fx_passes: joint_graph pad_mm
        torch._inductor.graph: GraphLowering getattr_recursive
        torch._inductor: lowering
        torch._inductor.runtime.benchmarking: benchmarker
        torch._inductor.runtime.hints: DeviceProperties
        torch._inductor.runtime: triton_helpers
        torch._inductor.scheduler: Scheduler
        torch._prims_common: suggest_memory_format
        torch._subclasses: fake_tensor meta_utils
        torch._subclasses.fake_tensor: FakeTensor FakeTensorMode no_dispatch
        torch: _utils_internal
        triton.runtime.autotuner: Heuristics
        triton.runtime.jit: JITFunction
        """,
    ),
    Use(
        "compile kernels for any GPU",
        "registers, SASS and predicted times in `inspect kernels --gpu`",
        """
        triton
        torch._inductor.runtime: compile_tasks
        torch._inductor.runtime.triton_heuristics: CachingAutotuner GridExpr
        triton: JITFunction language
        triton.backends.compiler: GPUTarget
        triton.backends.nvidia: compiler
        triton.backends.nvidia.compiler: CUDABackend
        triton.runtime: cache
        """,
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
