"""What to do about failed compilations whose cause is known."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.features.graph.reading import captured_graphs
from inspector.features.kernels.report import graph_codes
from inspector.report.failed_frames import CompilerError
from inspector.run.compilation import Compilation, Failure, Frame
from inspector.run.kernel import Kernel
from inspector.run.run import Process, Run
from inspector.shared.stack import StackFrame, user_frame

# torch/_library/custom_ops.py and torch/_subclasses/fake_tensor.py, 2.11 to 2.13.
_NO_FAKE = re.compile(
    r"no fake impl registered for <CustomOpDef\((?P<operator>[^)]+)\)>.*?"
    r"`(?P<function>\w+)\.register_fake`",
    re.DOTALL,
)
_OF_BACKENDS = frozenset({"BackendCompilerFailed", "InductorError", "LoweringException"})
_DEVICES = re.compile(
    r"Expected all tensors to be on the same device|found two different devices [\w:]+, [\w:]+"
)
_LEAST_NAME = 3  # `t`, `mm` and `to` are words
_WORD = re.compile(r"[A-Za-z_]\w*")


def error_fix(said: str) -> str:
    """What to write, or an empty string where nobody knows."""
    missing = _NO_FAKE.search(said)
    if missing:
        function = missing["function"]
        return (
            f"Register a fake kernel for {missing['operator']}: `@{function}.register_fake` on a "
            "function with the same arguments that returns an empty tensor of the right shape, "
            "dtype and device (for example `torch.empty_like(x)`). For gradients, add "
            f"`{function}.register_autograd`."
        )
    if _DEVICES.search(said):
        return (
            "Create tensors on the device of the inputs: `torch.zeros(…, device=x.device)` or "
            "`x.new_zeros(…)`. Register tensors of the module as parameters or buffers "
            "(`register_buffer`), so `.to(device)` moves them. Eager PyTorch fails here, too, on "
            "these devices."
        )
    return ""


def failure_fix(
    frame: Frame,
    item: Compilation,
    failure: Failure,
    error: CompilerError | None,
    *,
    has_line: bool,
) -> str:
    """What avoids a failure of a backend; empty where nobody knows."""
    if failure.in_implementation:
        return (
            "Fix this line or its caller. The compiler runs it on fake tensors (without data), so "
            "it must accept everything that the operator accepts."
        )
    if error is None and failure.type not in _OF_BACKENDS:
        return ""
    if item.is_recompile and any(not other.raised for other in frame.compilations):
        return (
            "Compile with `dynamic=False`: a fixed size compiles, but dynamic sizes fail. Each "
            "size is then compiled once."
        )
    if not has_line:
        return ""
    return (
        "Move this line into a function with `@torch.compiler.disable`. It then runs eagerly, and "
        "the rest is compiled."
    )


def kernel_lines(
    run: Run, process: Process, compile_id: str, reason: str, error: CompilerError
) -> tuple[str, tuple[StackFrame, ...]]:
    """The kernel that does not compile, and the user's lines that it computes, in order."""
    graphs = [
        graph for graph in graph_codes(process, run.roots, []) if graph.compile_id == compile_id
    ]
    kernels = [kernel for graph in graphs[-1:] for kernel in graph.kernels]
    named = [kernel for kernel in kernels if re.search(rf"\b{re.escape(kernel.name)}\b", reason)]
    holding = [kernel for kernel in kernels if error.code and error.code in kernel.source]
    found = next(iter(named or holding or (kernels if len(kernels) == 1 else ())), None)
    return (found.name, tuple(_lines(found))) if found else ("", ())


def _lines(kernel: Kernel) -> Iterator[StackFrame]:
    places = dict.fromkeys(
        (node.file, node.line, node.code) for node in kernel.nodes if node.file and node.line
    )
    for file, line, code in places:
        yield StackFrame(file, line, "", code)


def named_operator(run: Run, process: Process, compile_id: str, said: str) -> StackFrame | None:
    """The line of the first operator of Dynamo's graph that a backend's error names."""
    words = {word.strip("_") for word in _WORD.findall(said)}
    for graph in reversed(captured_graphs(process, run.roots, {compile_id})):
        for node in graph.nodes:
            target = node.target.removesuffix(".default")
            name = target.rpartition(".")[2].strip("_")
            if node.is_compute and len(name) >= _LEAST_NAME and name in words:
                return user_frame(node.stack, run.roots)
    return None
