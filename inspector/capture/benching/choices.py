"""Whether a whole number or a truth value is another one because of a rounding before it.

Of two elements that are the same but for rounding ``argmax`` names one or the other, and ``y > 0``
is true or false where ``y`` is 0 but for rounding. Compiled code may have other bits there, as good
as eager PyTorch's. The operator's own result says so when what it gets changes by as little.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import torch
from torch import fx
from torch.utils import _pytree as pytree

__all__ = ["hangs_on_rounding"]

_TRIALS = 16
_ROUNDINGS = 4  # of an element: what a few operators before may differ by
_SEED = 0


def hangs_on_rounding(graph: fx.GraphModule, node: fx.Node, inputs: Any, mine: Any) -> bool:  # noqa: ANN401 - torch is Any
    """Whether all in which a result differs are elements that a rounding decides.

    Args:
        graph: The graph.
        node: The operator whose result differs.
        inputs: What the graph is called with.
        mine: The operator's result in compiled code.
    """
    if not isinstance(mine, torch.Tensor) or mine.is_floating_point() or mine.is_complex():
        return False
    found = [_result(node, value) for value in _nudged_results(graph, node, inputs)]
    if not found or any(not isinstance(each, torch.Tensor) for each in found):
        return False
    first, *others = found
    if first.shape != mine.shape:
        return False
    varies = torch.zeros(first.shape, dtype=torch.bool, device=first.device)
    for other in others:
        varies |= other != first
    return not bool(((mine != first) & ~varies).any())


def _source(node: fx.Node) -> fx.Node:
    """The operator that a result is one of several of."""
    first = node.args[0] if node.target is operator.getitem else None
    return first if isinstance(first, fx.Node) else node


def _result(node: fx.Node, value: Any) -> Any:  # noqa: ANN401 - whatever it gives
    return value if _source(node) is node else operator.getitem(value, node.args[1])


def _nudged_results(graph: fx.GraphModule, node: fx.Node, inputs: Any) -> Iterator[Any]:  # noqa: ANN401 - tensors
    """What eager PyTorch gives for the operator: first as it is, then with nudged inputs."""
    source = _source(node)
    run = _Until(graph, source)
    copies = [item.clone() if isinstance(item, torch.Tensor) else item for item in inputs]
    run.run(*copies)
    if run.given is None:
        return
    random = torch.Generator().manual_seed(_SEED)
    for trial in range(1 + _TRIALS):
        args, kwargs = pytree.tree_map(
            lambda item, trial=trial: _nudged(item, random) if trial else item, run.given
        )
        yield getattr(run, source.op)(source.target, args, kwargs)


def _nudged(item: Any, random: torch.Generator) -> Any:  # noqa: ANN401 - an argument
    if not isinstance(item, torch.Tensor) or not item.is_floating_point():
        return item
    signs = torch.randint(-_ROUNDINGS, _ROUNDINGS + 1, item.shape, generator=random)
    scale = 1 + torch.finfo(item.dtype).eps * signs
    return item * scale.to(item.device, item.dtype)


class _Until(fx.Interpreter):
    """Runs a graph, and keeps what an operator is called with."""

    def __init__(self, graph: fx.GraphModule, node: fx.Node) -> None:
        super().__init__(graph)
        self._node = node
        self.given: tuple[Any, Any] | None = None

    def run_node(self, n: fx.Node) -> Any:  # noqa: ANN401 - whatever it gives
        """A node's value, as an interpreter has it."""
        if n is self._node:
            self.given = self.fetch_args_kwargs_from_env(n)
        return super().run_node(n)
