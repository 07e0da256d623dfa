"""Where a NaN or an infinity first appears in eager PyTorch."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import fx
from torch.utils._pytree import tree_leaves

from inspector.capture.bench.captured import Captured, operator_name, place_of, where
from inspector.records.numerics import NotFinite


def first_not_finite(item: Captured) -> list[NotFinite]:
    """The first operator that makes a NaN, and the first that makes an infinity, of neither.

    A mask that is made of infinities is no such operator.
    """
    run = _Watched(item.graph)
    run.run(*(each.clone() if isinstance(each, torch.Tensor) else each for each in item.inputs))
    found = []
    for value, node in run.found.items():
        name = operator_name(item.graph, node)
        found.append(NotFinite(value, operator=name, **where(place_of(node))))
    return found


class _Watched(fx.Interpreter):
    def __init__(self, graph: fx.GraphModule) -> None:
        super().__init__(graph)
        self.found: dict[str, fx.Node] = {}

    def run_node(self, n: fx.Node) -> Any:
        given = self.fetch_args_kwargs_from_env(n)
        values = [item for item in tree_leaves(given) if isinstance(item, torch.Tensor | float)]
        before = {"NaN": any(map(_has_nan, values)), "Inf": any(map(_has_infinity, values))}
        result = super().run_node(n)
        if n.op not in {"placeholder", "get_attr", "output"} and isinstance(result, torch.Tensor):
            if _has_nan(result) and not before["NaN"]:
                self.found.setdefault("NaN", n)
            if _has_infinity(result) and not any(before.values()):
                self.found.setdefault("Inf", n)
        return result


def _has_nan(value: Any) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    return value.is_floating_point() and bool(value.isnan().any())


def _has_infinity(value: Any) -> bool:
    if isinstance(value, float):
        return math.isinf(value)
    return value.is_floating_point() and bool(value.isinf().any())
