"""What a fault is, and whether a part of a graph shows it."""

from __future__ import annotations

import dataclasses
import re
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

from inspector.capture.bench.captured import Captured, Part, part_of
from inspector.capture.numerics import harness
from inspector.capture.quiet import quiet

# What differs from graph to graph in what is raised.
_NAMES = re.compile(r"0x[0-9a-f]+|/\S+|\d+")
_MOST_HEAD = 120
# As torch/_inductor/exc.py prints the operator whose lowering fails.
_TARGET = re.compile(r"^\s*target: (\S+)", re.MULTILINE)
# Where an exception comes from, by the innermost file of the compiler's.
_STAGES = (
    ("/torch/_inductor/codegen/", "code generation"),
    ("/torch/_inductor/fx_passes/pre_grad", "pre-grad passes"),
    ("/torch/_inductor/fx_passes/joint_graph", "joint-graph passes"),
    ("/torch/_inductor/fx_passes/", "post-grad passes"),
    ("/torch/_inductor/scheduler", "scheduler"),
    ("/torch/_inductor/lowering", "lowerings"),
    ("/torch/_inductor/graph", "lowerings"),
    ("/torch/_inductor/decomposition", "decompositions"),
    ("/torch/_decomp/", "decompositions"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong.

    Attributes:
        exception: The type that the compiler raises; empty for a wrong result.
        said: The first line of its message; or the result that is wrong, and by how much.
        stage: The part of the compiler that raised it.
        inside: What it was at there, where it says that.
    """

    said: str
    exception: str = ""
    stage: str = ""
    inside: str = ""

    def is_same(self, other: Fault | None) -> bool:
        """Whether another one is the same, whatever its sizes and names."""
        if other is None or self.exception != other.exception:
            return False
        return not self.exception or _NAMES.sub("", self.said) == _NAMES.sub("", other.said)

    def is_in(self, text: str) -> bool:
        """Whether what a program wrote shows it."""
        if not self.exception:
            return "wrong result: " in text
        head = _NAMES.sub("", self.said)
        return any(
            self.exception in line and head in _NAMES.sub("", line) for line in text.splitlines()
        )


def raised_fault(error: BaseException) -> Fault:
    """The fault that an exception shows: the one that torch puts into its own."""
    inner = getattr(error, "inner_exception", None) or error
    lines = [line.strip() for line in str(inner).splitlines() if line.strip()]
    files = [
        frame.filename.replace("\\", "/")
        for raised in (inner, inner.__cause__)
        for frame in traceback.extract_tb(raised.__traceback__ if raised is not None else None)
    ]
    known = ((file, part, name) for file in reversed(files) for part, name in _STAGES)
    stage = next((name for file, part, name in known if part in file), "")
    target = _TARGET.search(str(inner))
    inside = target[1] if target else ""
    return Fault((lines or [""])[0][:_MOST_HEAD], type(inner).__name__, stage, inside)


@dataclasses.dataclass(frozen=True, slots=True)
class Subject:
    """A captured graph, with how it is compiled and what its tensors are like.

    Attributes:
        compile_with: The arguments of `torch.compile`.
        values: For each node the Python that makes a value like its own, where there is one.
    """

    captured: Captured
    compile_with: Mapping[str, Any]
    no_grad: bool
    backward: bool
    values: Mapping[fx.Node, str]

    def part(self, operators: Sequence[fx.Node]) -> Part:
        """Some of its operators."""
        return part_of(self.captured.graph, operators)

    def inputs_of(self, part: Part) -> list[str]:
        """The inputs of a part, as Python."""
        return [self.values[node] for node in part.sources]

    def fault(
        self, part: Part, *, backend: str = "", settings: Mapping[str, object] | None = None
    ) -> Fault | None:
        """What a part shows, compiled as asked or otherwise; None where all is right.

        Eager PyTorch has to run it: what fails there, too, is no fault of the compiler.
        """
        made_by = f"lambda: [{', '.join(self.inputs_of(part))}]"
        make = eval(made_by, _NAMESPACE)  # noqa: S307 - the text that the file will have

        def inputs() -> list[Any]:
            torch.manual_seed(0)
            made: list[Any] = make()
            return made

        how = {"no_grad": self.no_grad, "backward": self.backward}
        torch.compiler.reset()
        compile_with = {"backend": backend} if backend else dict(self.compile_with)
        try:
            harness.results(part.graph, inputs(), **how)
        except Exception:  # noqa: BLE001 - whatever operators without their neighbours raise
            return None
        with quiet(), harness.settings(settings or {}):
            try:
                compiled = torch.compile(part.graph, **compile_with)
                said = harness.wrong_result(part.graph, compiled, inputs, **how)
            except Exception as error:  # noqa: BLE001 - as above
                return raised_fault(error)
        return Fault(said) if said else None


_NAMESPACE: dict[str, Any] = {
    "torch": torch,
    "random_tensor": harness.random_tensor,
    "inf": float("inf"),
    "nan": float("nan"),
}


def subject_of(
    captured: Captured, compile_with: Mapping[str, Any], *, no_grad: bool, backward: bool
) -> Subject:
    """Runs a graph once without the compiler, to see what its tensors are like."""
    inputs = [
        item.detach().clone().requires_grad_(item.requires_grad)
        if isinstance(item, torch.Tensor)
        else item
        for item in captured.inputs
    ]
    run = _Likenesses(captured.graph)
    with quiet(), torch.no_grad() if no_grad else torch.enable_grad():
        run.run(*inputs)
    return Subject(captured, compile_with, no_grad, backward, run.values)


class _Likenesses(fx.Interpreter):
    """Runs a graph and notes what each value is like, before a later operator changes it."""

    def __init__(self, graph: fx.GraphModule) -> None:
        super().__init__(graph, garbage_collect_values=True)
        self.values: dict[fx.Node, str] = {}

    def run_node(self, n: fx.Node) -> Any:
        value = super().run_node(n)
        self.values[n] = python_of(value)
        return value


def python_of(value: object) -> str:
    """The Python that makes a value like one: tensors are random, and all else is as it is."""
    if isinstance(value, torch.Tensor):
        return _like(value)
    if isinstance(value, tuple | list) and type(value) in {tuple, list}:
        items = "".join(f"{python_of(item)}, " for item in value)
        return f"({items})" if isinstance(value, tuple) else f"[{items}]"
    if type(value) is dict:
        return f"{{{', '.join(f'{key!r}: {python_of(item)}' for key, item in value.items())}}}"
    return repr(value)


def _like(tensor: Any) -> str:
    """The Python that makes a random tensor like one: of no value of its is anything left."""
    what = (
        f"{tuple(tensor.shape)}, {tuple(tensor.stride())}, {tensor.dtype}, {str(tensor.device)!r}"
    )
    with torch.no_grad():
        flat = tensor.detach().reshape(-1)
        known = flat[flat.isfinite()].double() if flat.is_floating_point() else flat
        if not known.numel() or flat.is_complex():
            values: tuple[float, ...] = (0.0, 1.0, 0.0, 1.0)
        elif flat.is_floating_point():
            deviation = float(known.std(correction=0))
            values = (float(known.mean()), deviation, float(known.min()), float(known.max()))
        elif flat.dtype is torch.bool:
            values = (float(known.double().mean()),)
        else:
            values = (int(known.min()), int(known.max()))
    numbers = ", ".join(
        f"{value:.6g}" if isinstance(value, float) else str(value) for value in values
    )
    needs_grad = ", requires_grad=True" if tensor.requires_grad else ""
    return f"random_tensor({what}, ({numbers},){needs_grad})"
