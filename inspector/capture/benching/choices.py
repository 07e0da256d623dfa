"""Whether a whole number or a truth value is another one because of a rounding before it.

Of two elements that are the same but for rounding ``argmax`` names one or the other, and ``round``
goes up or down in the middle. Compiled code may have other bits there, as good as eager PyTorch's.
The operator's own result says so when each element that it gets changes by a few roundings of its
own. (The sign of what should be 0 changes by no such rounding, and is called wrong.)
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch.utils import _pytree as pytree

_TRIALS = 16
_ROUNDINGS = 4  # of an element: what a few operators before may differ by
_SEED = 0


def hangs_on_rounding(
    graph: fx.GraphModule,
    node: fx.Node,
    inputs: Sequence[Any],
    mine: object,
    chosen: Mapping[str, Any] | None = None,
) -> bool:
    """Whether all in which a result differs are elements that a rounding decides.

    Args:
        graph: The graph.
        node: The operator whose result differs.
        inputs: What the graph is called with.
        mine: The operator's result in compiled code.
        chosen: Results of operators before, by their names, that eager PyTorch has to take.
    """
    if not isinstance(mine, torch.Tensor) or mine.is_floating_point() or mine.is_complex():
        return False
    found = _eager_results(graph, node, inputs, chosen or {})
    if not found or found[0].shape != mine.shape:
        return False
    first, *others = found
    varies = torch.zeros(first.shape, dtype=torch.bool, device=first.device)
    for other in others:
        varies |= other != first
    return not bool(((mine != first) & ~varies).any())


class Imposing(fx.Interpreter):
    """Runs a graph, some of whose results are given.

    Args:
        graph: The graph.
        chosen: These results, by the names of their nodes.
    """

    def __init__(self, graph: fx.GraphModule, chosen: Mapping[str, Any]) -> None:
        super().__init__(graph)
        self._chosen = chosen

    def run_node(self, n: fx.Node) -> Any:  # noqa: ANN401 - whatever it gives
        """A node's value: what is given, or what it computes."""
        return self._chosen[n.name] if n.name in self._chosen else super().run_node(n)


def _eager_results(
    graph: fx.GraphModule, node: fx.Node, inputs: Sequence[Any], chosen: Mapping[str, Any]
) -> list[Any]:
    """What eager PyTorch gives for an operator: first as it is, then with nudged inputs."""
    # Of an operator with several results it is one of them.
    first = node.args[0] if node.target is operator.getitem else None
    source = first if isinstance(first, fx.Node) else node
    run = _Nudging(graph, source, chosen)
    run.run(*(item.clone() if isinstance(item, torch.Tensor) else item for item in inputs))
    if source is node:
        return run.results
    return [operator.getitem(each, node.args[1]) for each in run.results]


class _Nudging(Imposing):
    """Runs a graph, and one of its operators again and again, with inputs that are nudged."""

    def __init__(self, graph: fx.GraphModule, node: fx.Node, chosen: Mapping[str, Any]) -> None:
        super().__init__(graph, chosen)
        self._node = node
        self._random = torch.Generator().manual_seed(_SEED)
        self.results: list[Any] = []

    def run_node(self, n: fx.Node) -> Any:  # noqa: ANN401 - whatever it gives
        """A node's value, as an interpreter has it."""
        if n is self._node:  # at once: what comes later may change what it gets
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            call = getattr(self, n.op)
            self.results.append(call(n.target, args, kwargs))
            for _ in range(_TRIALS):
                nudged = pytree.tree_map(self._nudged, (args, kwargs))
                self.results.append(call(n.target, *nudged))
        return super().run_node(n)

    def _nudged(self, item: Any) -> Any:  # noqa: ANN401 - an argument
        if not isinstance(item, torch.Tensor) or not item.is_floating_point():
            return item
        signs = torch.randint(-_ROUNDINGS, _ROUNDINGS + 1, item.shape, generator=self._random)
        scale = 1 + torch.finfo(item.dtype).eps * signs
        return item * scale.to(item.device, item.dtype)
