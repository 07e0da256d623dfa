"""Finds the first operator whose compiled result is not that of eager PyTorch.

A beginning of a graph that Dynamo captured is compiled on its own, with all that the rest reads as
its outputs, and compared with the same run by an interpreter; bisection finds the shortest
beginning that is off, and its last operator. A fault that only the whole graph has (a fusion of two
operators that are apart) shows where the beginning has both.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx
from torch.utils._pytree import tree_leaves

from inspector.capture.bench.captured import Captured, Part, operator_name, part_of, place_of
from inspector.capture.bench.errors import is_off
from inspector.records.bench import Divergence

_OUTPUT, _INPUT = "output", "input"


def divergence_of(
    item: Captured, compile_: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Divergence | None:
    """The first operator whose result is off, or None where the graph's own result is right."""
    operators = item.operators
    if not operators or not _is_off(item, len(operators), compile_):
        return None
    low, high = 0, len(operators)  # of `low` operators all is right, of `high` something is off
    while high - low > 1:
        middle = (low + high) // 2
        if _is_off(item, middle, compile_):
            high = middle
        else:
            low = middle
    node = operators[high - 1]
    place = place_of(node)
    return Divergence(
        operator=operator_name(item.graph, node),
        operators=len(operators),
        at=high,
        file=place.file,
        line=place.line,
        code=place.code or "",
    )


def _is_off(
    item: Captured, number: int, compile_: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> bool:
    """Whether compiled code of the first operators gives something else."""
    part = part_of(item.graph, item.operators[:number])
    if not part.has_results:
        return False
    inputs = values_of(item, part)
    mine = run(compile_(part.graph), inputs)
    torch.compiler.reset()
    expected = run(fx.Interpreter(part.graph).run, inputs)
    exact = in_float64(part.graph, inputs) or {}
    for kind, place in {**expected, **mine}:
        before = inputs[place] if kind == _INPUT else None
        one, other = (side.get((kind, place), before) for side in (mine, expected))
        are_tensors = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
        if is_off(one, other, exact.get((kind, place))) if are_tensors else one is not other:
            return True
    return False


def values_of(item: Captured, part: Part) -> list[Any]:
    """What a beginning of a graph is called with."""
    nodes = [node for node in item.graph.graph.nodes if node.op == "placeholder"]
    given = dict(zip(nodes, item.inputs, strict=True))
    return [
        given[node] if node in given else getattr(item.graph, str(node.target))
        for node in part.sources
    ]


def run(function: Callable[..., Any], inputs: Sequence[Any]) -> dict[tuple[str, int], Any]:
    """What a function gives, and what it changes of the tensors that it gets, by their numbers."""
    copies = [item.clone() if isinstance(item, torch.Tensor) else item for item in inputs]
    outputs = filter(torch.is_tensor, tree_leaves(function(*copies)))
    given = {(_OUTPUT, number): item for number, item in enumerate(outputs)}
    changed = {
        (_INPUT, number): copy_
        for number, (copy_, item) in enumerate(zip(copies, inputs, strict=True))
        if isinstance(item, torch.Tensor) and not torch.equal(copy_, item)
    }
    return {**given, **changed}


def in_float64(part: fx.GraphModule, inputs: Sequence[Any]) -> dict[tuple[str, int], Any] | None:
    """The same in float64, or None where the graph has dtypes of its own in it."""
    wide = [
        item.double() if isinstance(item, torch.Tensor) and item.is_floating_point() else item
        for item in inputs
    ]
    try:
        return run(copy.deepcopy(part).double(), wide)
    except (RuntimeError, TypeError, ValueError):
        return None
