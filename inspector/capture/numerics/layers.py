"""The outputs of modules, in compiled code and in eager PyTorch.

The graph is compiled once more with the outputs of all its modules as outputs of its own, so that
they can be compared. What the compiler fuses over a module's end is then also written to memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import fx

from inspector.capture.bench.captured import Captured, part_of
from inspector.capture.bench.errors import is_off
from inspector.capture.bench.scales import largest_of
from inspector.capture.calls.outputs import difference_of
from inspector.capture.graphs.module_places import module_stack
from inspector.capture.numerics import harness
from inspector.capture.numerics.divergence import values_of
from inspector.records.numerics import NumericError

_SELF = re.compile(r"^L\['self'\]\.?|^self\.?")
_MODULES = re.compile(r"(?:\._modules|\.?_parameters)?\[(?:'(\w+)'|(\d+))\]")


def layer_errors(
    item: Captured, compile_: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Iterator[NumericError]:
    """The error of each module's output, in the order in which the modules return."""
    ends = _ends(item)
    if not ends:
        return
    part = part_of(item.graph, item.operators, tuple(ends))
    how = {"no_grad": True, "backward": False}
    torch.compiler.reset()
    mine = harness.results(compile_(part.graph), values_of(item, part), **how)
    eager = harness.results(part.graph, values_of(item, part), **how)
    exact = harness.in_float64(part.graph, values_of(item, part), how)
    for number, names in enumerate(ends.values()):
        key = f"output {number}"
        values = mine[key], eager[key], exact.get(key)
        for name, kind in names:
            yield error_of(name, values, is_off=is_off(*values), kind=kind)


def _ends(item: Captured) -> dict[fx.Node, list[tuple[str, str]]]:
    """The last tensor that each call of a module computes, and the modules that end there."""
    last: dict[str, tuple[fx.Node, str, str]] = {}
    for node in item.operators:
        if isinstance(node.meta.get("example_value"), torch.Tensor):
            for key, (path, kind) in module_stack(node).items():
                last[key] = (
                    node,
                    _shown(path),
                    getattr(kind, "__name__", str(kind).rpartition(".")[2]),
                )
    ends: dict[fx.Node, list[tuple[str, str]]] = {}
    order = {node: at for at, node in enumerate(item.operators)}
    for node, path, kind in sorted(last.values(), key=lambda each: order[each[0]]):
        ends.setdefault(node, []).append((path or "the model", kind))
    return ends


def _shown(path: str) -> str:
    """``blocks.0.norm`` for ``L['self']._modules['blocks']._modules['0'].norm``."""
    inner = _SELF.sub("", path)
    return _MODULES.sub(lambda found: f".{found[1] or found[2]}", inner).lstrip(".")


def error_of(
    name: str, values: tuple[Any, Any, Any], *, is_off: bool, kind: str = ""
) -> NumericError:
    """The error of one result.

    Args:
        values: Of compiled code, of eager PyTorch and in float64, or None for that.
    """
    mine, eager, exact = values
    if mine.shape != eager.shape or not mine.numel():
        absolute = 0.0 if mine.shape == eager.shape else float("inf")
        return NumericError(name, kind, absolute, is_off=is_off)
    is_known = exact is not None and exact.shape == mine.shape
    largest = largest_of(exact) if is_known else 0.0
    mine_relative, eager_relative = (
        difference_of(item, exact) / largest if largest else None for item in (mine, eager)
    )
    nan = int((mine.isnan() & ~eager.isnan()).sum())
    return NumericError(
        name, kind, difference_of(mine, eager), mine_relative, eager_relative, is_off, nan
    )
