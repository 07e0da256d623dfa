"""The first ATen operator that Dynamo's graphs call otherwise than the program itself."""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from inspector.capture.bench.program import Program
from inspector.capture.bench.scales import is_close
from inspector.capture.execution.trial import seed
from inspector.capture.roots import recorded_roots
from inspector.shared.stack import StackFrame, user_frame

_MOST_CALLS = 100_000


@dataclasses.dataclass(frozen=True, slots=True)
class Operator:
    """A call of an ATen operator.

    Attributes:
        numbers: Its arguments that are no tensors, and what its results sum up to.
    """

    name: str
    numbers: tuple[float, ...]
    place: StackFrame | None


class _Calls(TorchDispatchMode):
    def __init__(self, *, with_places: bool) -> None:
        super().__init__()
        self.found: list[Operator] = []
        self._with_places = with_places

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        results = func(*args, **(kwargs or {}))
        if len(self.found) < _MOST_CALLS:
            self.found.append(self._operator(func, (args, kwargs or {}), results))
        return results

    def _operator(self, func: Any, given: Any, results: Any) -> Operator:
        numbers = [float(item) for item in tree_leaves(given) if type(item) in {int, float, bool}]
        for item in tree_leaves(results):
            if isinstance(item, torch.Tensor):
                numbers.append(float(item.numel()))
                numbers.append(float(item.detach().double().sum()) if _is_real(item) else 0.0)
        return Operator(str(func), tuple(numbers), self._place() if self._with_places else None)

    def _place(self) -> StackFrame | None:
        stack = [
            StackFrame(frame.filename, frame.lineno or 0, frame.name, frame.line or "")
            for frame in traceback.extract_stack()
        ]
        return user_frame(stack, recorded_roots())


def _is_real(tensor: Any) -> bool:
    return not tensor.is_complex() and tensor.layout is torch.strided


def first_other(program: Program, index: int) -> Operator | None:
    """The first operator of the program itself that its graphs call otherwise, or do not call."""
    plain, captured = _Calls(with_places=True), _Calls(with_places=False)

    def alone(*args: Any, **kwargs: Any) -> Any:
        with plain:
            return program.plain(*args, **kwargs)

    def backend(graph: fx.GraphModule, _inputs: Sequence[Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            with captured:
                return graph(*args)

        return run

    torch.compiler.reset()
    for function in (alone, torch.compile(program.plain, backend=backend)):
        seed(1 + index)
        program.forward(function, index)
    torch.compiler.reset()
    for number, mine in enumerate(plain.found):
        other = captured.found[number] if number < len(captured.found) else None
        if other is None or mine.name != other.name or not _is_near(mine.numbers, other.numbers):
            return mine
    return None


def _is_near(mine: tuple[float, ...], others: tuple[float, ...]) -> bool:
    one, other = (torch.tensor(item, dtype=torch.float32) for item in (mine, others))
    return one.shape == other.shape and is_close(one, other)
