"""Finds the first operator whose compiled result is not that of eager PyTorch.

A beginning of a graph that Dynamo captured is compiled on its own, with all that the rest reads as
its outputs, and compared with the same run by Python; bisection finds the shortest
beginning that is off, and its last operator. A fault that only the whole graph has (a fusion of two
operators that are apart) shows where the beginning has both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from inspector.capture.bench.captured import Captured, Part, operator_name, part_of, place_of
from inspector.capture.numerics import harness
from inspector.records.numerics import Divergence


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
    torch.compiler.reset()
    compiled = compile_(part.graph)
    return bool(
        harness.wrong_result(
            part.graph, compiled, lambda: values_of(item, part), no_grad=True, backward=False
        )
    )


def values_of(item: Captured, part: Part) -> list[Any]:
    """What a part of a graph is called with, copied: operators can change it."""
    nodes = [node for node in item.graph.graph.nodes if node.op == "placeholder"]
    given = dict(zip(nodes, item.inputs, strict=True))
    values = [
        given[node] if node in given else getattr(item.graph, str(node.target))
        for node in part.sources
    ]
    return [value.clone() if isinstance(value, torch.Tensor) else value for value in values]
