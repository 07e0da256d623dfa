"""Copies of a captured graph: for the target, and for the CPU, so that the program can go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_aggregate

__all__ = ["on_cpu", "on_target"]

_CPU = torch.device("cpu")
_CUDA = torch.device("cuda", 0)


def on_cpu(graph: fx.GraphModule) -> Callable[..., Any]:
    """A copy of a graph that Dynamo captured, with the CPU wherever it names CUDA."""
    copied = _copied(graph)
    _change(copied, _to_cpu)

    def run(*inputs: Any) -> Any:  # noqa: ANN401 - whatever the graph takes and returns
        # A model that allows cuDNN's attention alone would fail here.
        allowed = torch.backends.cuda.math_sdp_enabled()
        torch.backends.cuda.enable_math_sdp(enabled=True)
        try:
            return copied.forward(*inputs)
        finally:
            torch.backends.cuda.enable_math_sdp(enabled=allowed)

    return run


def on_target(graph: fx.GraphModule) -> fx.GraphModule:
    """The graph with CUDA wherever it names the CPU: a model that names one means where it is."""
    _change(graph, _to_cuda)
    return graph


def _copied(graph: fx.GraphModule) -> fx.GraphModule:
    nodes = fx.Graph()
    nodes.output(nodes.graph_copy(graph.graph, val_map={}))
    result = fx.GraphModule(graph, nodes)
    for name, child in list(graph.named_children()):
        if isinstance(child, fx.GraphModule):
            setattr(result, name, _copied(child))
    return result


def _change(graph: fx.GraphModule, change: Callable[[Any], Any]) -> None:
    """Changes arguments in place, in the graphs inside of it as well."""
    for module in graph.modules():
        if isinstance(module, fx.GraphModule):
            for node in module.graph.nodes:
                node.args = map_aggregate(node.args, change)
                node.kwargs = map_aggregate(node.kwargs, change)
            module.recompile()


def _to_cpu(value: Any) -> Any:  # noqa: ANN401 - any argument of a node
    if isinstance(value, torch.device) and value.type == "cuda":
        return _CPU
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


def _to_cuda(value: Any) -> Any:  # noqa: ANN401 - any argument of a node
    if isinstance(value, torch.device) and value.type == "cpu":
        return _CUDA
    return "cuda" if isinstance(value, str) and value in ("cpu", "cpu:0") else value
