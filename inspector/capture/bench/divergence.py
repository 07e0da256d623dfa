"""Finds the first operator whose compiled result is not that of eager PyTorch.

The graphs that Dynamo captures are kept with what they are called with. Of each, a beginning is
compiled on its own, with all that the rest reads as its outputs, and compared with the same run by
an interpreter; bisection finds the shortest beginning that is off, and its last operator. A fault
that only the whole graph has (a fusion of two operators that are apart) shows where the beginning
has both.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from inspector.capture.bench.errors import is_off
from inspector.records.bench import Divergence

_OUTPUT, _INPUT = "output", "input"
_COMPUTES = ("call_function", "call_method", "call_module")
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in [^\n]*\n\s*([^\n]*)')


@dataclasses.dataclass(frozen=True, slots=True)
class _Captured:
    """A graph that Dynamo captured, with what it was called with."""

    graph: fx.GraphModule
    inputs: tuple[Any, ...]


def first_divergence(
    function: Callable[..., object],
    call: Callable[[Callable[..., object]], object],
    compile_: Callable[[Callable[..., Any]], Callable[..., Any]],
    context: Callable[[], contextlib.AbstractContextManager[object]],
) -> Divergence | None:
    """The first operator whose result is off, or None where every graph's own result is right.

    `call` calls what it gets in the function's place; `compile_` compiles a graph as the function.
    """
    captured = _capture(function, call)
    torch.compiler.reset()
    for number, item in enumerate(captured):
        with context(), torch.no_grad():
            found = _first_of(item, compile_)
        if found is not None:
            return dataclasses.replace(found, graph=number)
    return None


def _capture(
    function: Callable[..., object], call: Callable[[Callable[..., object]], object]
) -> list[_Captured]:
    kept: list[_Captured] = []

    def backend(graph: fx.GraphModule, _inputs: Sequence[Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            inputs = tuple(
                item.detach().clone() if isinstance(item, torch.Tensor) else item for item in args
            )
            kept.append(_Captured(graph, inputs))
            return graph(*args)

        return run

    call(torch.compile(function, backend=backend))
    return kept


def _first_of(
    item: _Captured, compile_: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Divergence | None:
    places = [at for at, node in enumerate(item.graph.graph.nodes) if node.op in _COMPUTES]
    if not places or not _is_off(item, places[-1], compile_):
        return None
    low, high = -1, len(places) - 1  # up to `low` all is right, up to `high` something is off
    while high - low > 1:
        middle = (low + high) // 2
        if _is_off(item, places[middle], compile_):
            high = middle
        else:
            low = middle
    node = list(item.graph.graph.nodes)[places[high]]
    file, line, code = _place(node)
    return Divergence(
        operator=_named(item.graph, node),
        operators=len(places),
        at=high + 1,
        file=file,
        line=line,
        code=code,
    )


def _is_off(
    item: _Captured, last: int, compile_: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> bool:
    """Whether compiled code up to an operator (the number of its node) gives something else."""
    part = _beginning(item.graph, last)
    if part is None:
        return False
    mine = _run(compile_(part), item.inputs)
    torch.compiler.reset()
    expected = _run(fx.Interpreter(part).run, item.inputs)
    exact = _in_float64(part, item.inputs) or {}
    for kind, number in {**expected, **mine}:
        before = item.inputs[number] if kind == _INPUT else None
        one, other = (side.get((kind, number), before) for side in (mine, expected))
        are_tensors = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
        if is_off(one, other, exact.get((kind, number))) if are_tensors else one is not other:
            return True
    return False


def _run(function: Callable[..., Any], inputs: Sequence[Any]) -> dict[tuple[str, int], Any]:
    """What a function gives, and what it changes of the tensors that it gets, by their numbers."""
    copies = [item.clone() if isinstance(item, torch.Tensor) else item for item in inputs]
    given = {(_OUTPUT, number): item for number, item in enumerate(function(*copies))}
    changed = {
        (_INPUT, number): copy_
        for number, (copy_, item) in enumerate(zip(copies, inputs, strict=True))
        if isinstance(item, torch.Tensor) and not torch.equal(copy_, item)
    }
    return {**given, **changed}


def _in_float64(part: fx.GraphModule, inputs: Sequence[Any]) -> dict[tuple[str, int], Any] | None:
    """The same in float64, or None where the graph has dtypes of its own in it."""
    wide = [
        item.double() if isinstance(item, torch.Tensor) and item.is_floating_point() else item
        for item in inputs
    ]
    try:
        return _run(copy.deepcopy(part).double(), wide)
    except (RuntimeError, TypeError, ValueError):
        return None


def _beginning(graph: fx.GraphModule, last: int) -> fx.GraphModule | None:
    """The graph up to an operator; its outputs are the tensors that the rest reads."""
    nodes = list(graph.graph.nodes)
    kept = set(nodes[: last + 1])
    made = fx.Graph()
    values: dict[fx.Node, Any] = {}
    for node in nodes:
        if node in kept or node.op in {"placeholder", "get_attr"}:
            values[node] = made.node_copy(node, lambda item: values[item])
    read = [
        node
        for node in nodes[: last + 1]
        if node.op in _COMPUTES
        and (node is nodes[last] or any(user not in kept for user in node.users))
        and isinstance(node.meta.get("example_value"), torch.Tensor)
    ]
    if not read:
        return None
    made.output(tuple(values[node] for node in read))
    return fx.GraphModule(graph, made)


def _named(graph: fx.GraphModule, node: fx.Node) -> str:
    if node.op == "call_module":
        return type(graph.get_submodule(str(node.target))).__name__
    if isinstance(node.target, str):
        return f"Tensor.{node.target}"
    name = getattr(node.target, "__name__", str(node.target))
    module = str(getattr(node.target, "__module__", "") or "")
    return f"{module}.{name}" if module.startswith("torch") else name


def _place(node: fx.Node) -> tuple[str, int, str]:
    """The innermost line of the stack that Dynamo keeps of a node."""
    frames = _FRAME.findall(str(node.meta.get("stack_trace") or ""))
    return (frames[-1][0], int(frames[-1][1]), frames[-1][2].strip()) if frames else ("", 0, "")
