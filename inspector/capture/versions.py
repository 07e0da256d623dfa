"""Every difference between the Python APIs of the torch versions that are supported.

torch 2.11 to 2.15. What is looked for here is internal to torch: whatever is missing is None, and
what depends on it is left out of the recording.
"""

from __future__ import annotations

import contextlib
import dataclasses
import dis
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, TypeAlias
from unittest import mock

from inspector.capture.frames import callers, causes, in_characters
from inspector.records.stack import StackFrame

# torch/_dynamo/convert_frame.py says here, at level DEBUG, that it leaves a frame alone (the same
# message in 2.11 and 2.13), and at level INFO that an exception made it do so.
SKIP_LOGGER = "torch._dynamo.convert_frame"
SKIP_MESSAGE = "skipping: %s (reason: %s, file: %s)"
SOFT_FAILURES = ("Unsupported", "UserError")

# torch/_inductor/cudagraph_utils.py warns here of every CUDA graph that it does not make; what
# graph partitions leave out is said in torch/_inductor/scheduler.py at level DEBUG, in these
# messages (the same in 2.11 and 2.13).
CUDA_GRAPH_LOGGER = "torch._inductor.cudagraph_utils.__cudagraphs"
PARTITION_LOGGER = "torch._inductor.scheduler.__cudagraphs"
PARTITION_HEAD = "Created %d graph partitions: %d cudagraphable, %d non-cudagraphable"
PARTITION_NODE = "    %s: %s"
PARTITION_STACK_LINE = "         %s"

LOGGED_GRAPHS = {
    "dynamo_output_graph": ("dynamo", "gm"),
    "after_pre_grad_graph": ("pre_grad", "model_"),
    "aot_joint_graph": ("joint", "fx_g"),
    "aot_forward_graph": ("forward", "fw_module"),
    "aot_backward_graph": ("backward", "bw_module"),
    "aot_inference_graph": ("inference", "fw_module"),
    "inductor_post_grad_graph": ("post_grad", "gm"),
}
"""The stage, and the local variable, by what torch logs (2.11 to 2.13): torch/_dynamo/
output_graph.py, torch/_inductor/compile_fx.py, torch/_functorch/_aot_autograd/graph_compile.py and
graph_capture.py."""

PASSES_BEGIN = {
    "before_pre_grad_graph": "model_",
    "aot_joint_graph": "fx_g",
    "before_joint_graph": "gm",
    "before_post_grad_graph": "gm",
}
"""Before which passes torch logs a graph, and the local variable that it is (2.11 to 2.15)."""

PASSES_END = frozenset({
    "after_pre_grad_graph", "after_joint_graph", "aot_forward_graph", "inductor_post_grad_graph",
})  # fmt: skip
"""After which; those of the joint graph end where it is split into forward and backward."""

DECOMPOSED = {"aot_forward_graph": False, "aot_backward_graph": True, "aot_inference_graph": None}
"""Those that can be decomposed into primitives; whether one is that of the backward pass, if there
is one."""

_CUDA_GRAPHS = "torch._inductor.cudagraph_trees"
_MOST_FRAMES = 12
_Place: TypeAlias = tuple[str, int]


def interned_strings() -> dict[int, str]:
    """The file names that this process has numbered so far (torch/_logging/structured.py).

    A log that begins later than that, or in a fork, does not have them.
    """
    from torch._logging import structured

    return {number: text for text, number in dict(structured.INTERN_TABLE).items()}


def symbol_values(shape_env: Any) -> Mapping[Any, Any]:
    """What each symbol of a ``ShapeEnv`` was in the example inputs (``var_to_val`` before 2.13)."""
    found = getattr(shape_env, "backed_var_to_val", None)
    values: Mapping[Any, Any] = getattr(shape_env, "var_to_val", {}) if found is None else found
    return values


def graph_being_compiled() -> Sequence[Any]:
    """The nodes of the graph that Dynamo is compiling in this thread, or none.

    A backward pass compiles later, outside of Dynamo (``InstructionTranslator.current_tx``).
    """
    try:
        from torch._dynamo.symbolic_convert import InstructionTranslator

        return list(InstructionTranslator.current_tx().output.graph.nodes)
    except (ImportError, AttributeError):
        return ()


def example_of(node: object) -> object:
    """What Dynamo was given for an input of its graph, as long as it compiles; else the node."""
    found = getattr(node, "meta", {}).get("grapharg")
    return node if found is None else found.example


def compile_id() -> str:
    """The compilation that this thread is in, or an empty string."""
    import torch

    return str(torch._guards.CompileContext.current_compile_id() or "")  # noqa: SLF001


def cuda_graph_classes() -> tuple[Any, Any] | None:
    """The classes that capture and replay: ``CUDAGraphTreeManager`` and ``CUDAGraphNode``.

    None as long as nothing has imported them: Inductor does when it first wraps a function.
    """
    module = sys.modules.get(_CUDA_GRAPHS)
    # Of the two that are needed the manager is defined last.
    manager = getattr(module, "CUDAGraphTreeManager", None)
    return None if manager is None else (manager, module.CUDAGraphNode)  # type: ignore[union-attr]


def cuda_graph_fits() -> object:
    """What ``CUDAGraphNode.check_invariants`` says of a graph that fits."""
    from torch._inductor.cudagraph_trees import CheckInvariantStatus

    return CheckInvariantStatus.SUCCESS


@contextlib.contextmanager
def without_cuda_graphs() -> Iterator[None]:
    """Runs the generated code itself where a CUDA graph would be replayed or captured.

    ``CUDAGraphTreeManager._run`` decides between the three, and calls ``model`` of ``ids_to_funcs``
    itself where no graph is possible (torch/_inductor/cudagraph_trees.py, 2.11 to 2.13); ``run``,
    which graphs hold as a bound method, calls it by its name.
    """
    manager = getattr(sys.modules.get(_CUDA_GRAPHS), "CUDAGraphTreeManager", None)
    if manager is None:
        yield
        return

    def run(self: Any, new_inputs: Any, function_id: Any) -> Any:
        return self.ids_to_funcs[function_id].model(new_inputs)

    with mock.patch.object(manager, "_run", run):
        yield


def _locals_of(function: str) -> Mapping[str, Any]:
    """The local variables of the innermost caller whose qualified name ends so; or none."""
    found = (frame for frame in callers() if frame.f_code.co_qualname.endswith(function))
    return next((frame.f_locals for frame in found), {})


def positions_of_graph_break() -> list[StackFrame]:
    """The user's stack that ``log_graph_break`` is printing, outermost first, with exact positions.

    ``user_stack`` is a local variable of ``InstructionTranslatorBase.log_graph_break``
    (torch/_dynamo/symbolic_convert.py, 2.11 to 2.13). In 2.11 its frames have no columns: these
    come from the instructions at which the translators of the user's functions stand.
    """
    logging = _locals_of("log_graph_break")
    exact = _instruction_positions(logging.get("self")) if logging else {}
    return [_position(item, exact) for item in logging.get("user_stack") or ()]


def higher_order_of_graph_break() -> str:
    """The higher-order operator that the graph break lies in; an empty string elsewhere.

    Torch tags the exception with it (`_hop_name`, torch/_dynamo/variables/higher_order_ops.py,
    2.13), and loses it where a loop around the call wraps the exception in another one.
    """
    errors = causes(_locals_of("log_graph_break").get("exc"))
    return next((str(name) for each in errors if (name := getattr(each, "_hop_name", ""))), "")


def _position(frame: traceback.FrameSummary, exact: Mapping[_Place, dis.Positions]) -> StackFrame:
    line = frame.lineno or 0
    known = exact.get((frame.filename, line))
    # Summaries of data-dependent branches have columns, and no last line (2.13).
    is_partial = frame.end_lineno is None and known and frame.colno == known.col_offset
    if known is not None and (frame.colno is None or is_partial):
        columns = known.col_offset, known.end_col_offset
        return in_characters(frame.filename, line, frame.name, known.end_lineno, *columns)
    # A summary of torch's own has no last line where it is the first one too.
    last = frame.end_lineno or line
    return in_characters(frame.filename, line, frame.name, last, frame.colno, frame.end_colno)


def _instruction_positions(translator: object) -> dict[_Place, dis.Positions]:
    """Where the translator stands, and those of the functions that it inlines, by file and line.

    Only translators are looked at: asking one of Dynamo's lazy variables for an attribute would
    change what is traced.
    """
    from torch._dynamo.symbolic_convert import InstructionTranslatorBase

    found: dict[_Place, dis.Positions] = {}
    step = sys.exc_info()[2]
    translators = [translator]
    while step is not None:
        translators.append(step.tb_frame.f_locals.get("self"))
        step = step.tb_next
    for item in translators:
        if not issubclass(type(item), InstructionTranslatorBase):
            continue
        instruction = getattr(item, "current_instruction", None)
        positions = getattr(instruction, "positions", None)
        code = getattr(item, "f_code", None)
        if positions is not None and positions.lineno and code is not None:
            found[code.co_filename, positions.lineno] = positions
    return found


def dynamic_of_compile() -> bool | None:
    """``torch.compile``'s ``dynamic``, for a backend that is being called by its name.

    It is an attribute of ``_TorchCompileWrapper`` (torch/__init__.py), whose ``__call__`` calls the
    backend without it.
    """
    wrapper = _locals_of("_TorchCompileWrapper.__call__").get("self")
    dynamic: bool | None = getattr(wrapper, "dynamic", None)
    return dynamic


def frame_of_conversion() -> tuple[CodeType, FrameType] | None:
    """The code object that Dynamo is deciding about, and the Python frame that calls it.

    ``frame`` is a parameter of ``CatchErrorsWrapper.__call__`` and ``ConvertFrame.__call__``
    (torch/_dynamo/convert_frame.py); the first Python frame below them is the caller.
    """
    code: CodeType | None = None
    for depth, frame in enumerate(callers()):
        if frame.f_code.co_filename.endswith("convert_frame.py"):
            converted = frame.f_locals.get("frame")
            code = getattr(converted, "f_code", code)
        elif code is not None:
            return code, frame
        elif depth > _MOST_FRAMES:
            return None
    return None


def caller_of_compiled(code: CodeType) -> FrameType | None:
    """The Python frame that calls what is being compiled, from anywhere in its compilation."""
    found: FrameType | None = None
    for frame in callers():
        is_own = frame.f_code.co_filename.endswith("convert_frame.py")
        if is_own and getattr(frame.f_locals.get("frame"), "f_code", None) is code:
            found = frame.f_back
    return found


def recompiling() -> tuple[Any, list[str]] | None:
    """The frame that Dynamo is about to compile once more, and the reasons that it has just logged.

    Both are local variables of ``get_and_maybe_log_recompilation_reasons``
    (torch/_dynamo/guards.py, 2.11 to 2.13).
    """
    found = _locals_of("get_and_maybe_log_recompilation_reasons")
    return (found["frame"], list(map(str, found["reasons"]))) if found else None


def guards_being_made() -> tuple[CodeType, tuple[Mapping[str, Any], Mapping[str, Any]]] | None:
    """Whose guards the constructor of ``CheckFunctionManager`` is at work on and logs.

    Gives the code, and the local and the global variables that they look at.
    ``f_code`` and ``output_graph`` are parameters of it (torch/_dynamo/guards.py, 2.11 to 2.13).
    """
    found = _locals_of("CheckFunctionManager.__init__")
    if not found:
        return None
    graph = found["output_graph"]
    return found["f_code"], (graph.local_scope, graph.global_scope)


def skip_frames_of(function: Any) -> None:
    """Lets Dynamo leave the frames of a function of ours to Python (2.11 to 2.13)."""
    from torch._dynamo.eval_frame import skip_code

    skip_code(function.__code__)


def compilations() -> int:
    """How many compilations were begun in this process since the last reset.

    What Dynamo calls frames in its counters are looks at frames, too, in which it finds that there
    is nothing to compile: a function that ``torch.compiler.disable(recursive=False)`` leaves out is
    looked at in every call (torch/_dynamo/convert_frame.py, 2.11 to 2.13).
    """
    from torch._dynamo import convert_frame

    return sum(convert_frame.FRAME_COMPILE_COUNTER.values())


def dynamo_settings() -> tuple[str, ...]:
    """The names of the settings of ``torch._dynamo.config`` that do something in this version.

    ``_config`` is what torch makes of the module's variables (torch/utils/_config_module.py, 2.11
    to 2.13); reading the value of a deprecated one would warn.
    """
    from torch._dynamo import config

    entries = config._config.items()  # noqa: SLF001 - as above
    usable = (name for name, entry in entries if not getattr(entry, "deprecated", False))
    return tuple(sorted(name for name in usable if "." not in name))


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """The distributed job that this process is a part of, by its default process group."""

    store: Any
    rank: int
    size: int


def job() -> Job | None:
    """The job, once the default process group is made.

    None where there is no group, or nobody to talk to in it: one of one process, or the ``fake``
    backend, whose other ranks are not there.
    """
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    size = distributed.get_world_size()
    if size == 1 or distributed.get_backend() == "fake":
        return None
    store = distributed.distributed_c10d._get_default_store()  # noqa: SLF001 - no public name
    return Job(store, distributed.get_rank(), size)


def marked_graphs() -> contextlib.AbstractContextManager[object]:
    """Lets graphs that run as FX's own Python code stand in profiles, each as one span.

    The option is in torch/fx/experimental/_config.py, 2.11 to 2.13; only code that is generated
    inside of the ``with`` has the marks, which cost nothing but under a profiler.
    """
    from torch.fx.experimental import _config

    marked: contextlib.AbstractContextManager[object] = _config.patch(enrich_profiler_metadata=True)
    return marked
