"""Copies of a captured graph: for the target, and for the CPU, so that the program can go on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import no_dispatch
from torch.fx.node import map_aggregate
from torch.utils._pytree import tree_leaves, tree_map_only

from inspector.capture.fusion.generating import copied
from inspector.capture.gpu_target.fakes import device_to_cuda, tensor_on_cuda
from inspector.capture.gpu_target.weights import makes_fakes
from inspector.capture.hooks import nothing
from inspector.capture.source_loader import device_to_cpu


def on_cpu(graph: fx.GraphModule, on_backward: Callable[[], None]) -> Callable[..., Any]:
    """A copy of a graph that Dynamo captured, with the CPU wherever it names CUDA.

    As soon as a gradient of what it returns is known, `on_backward` is called.
    """
    copy = copied(graph)
    _change(copy, device_to_cpu)
    for node in copy.graph.nodes:
        # A model that allows one of CUDA's kernels alone would fail here.
        if node.target is torch.nn.attention._sdpa_kernel:  # noqa: SLF001 - what Dynamo writes
            node.target = nothing
    copy.recompile()

    def run(*inputs: Any) -> Any:
        allowed = torch.backends.cuda.math_sdp_enabled()
        torch.backends.cuda.enable_math_sdp(enabled=True)
        try:
            outputs = _Runner(copy).run(*inputs)
        finally:
            torch.backends.cuda.enable_math_sdp(enabled=allowed)
        for output in tree_leaves(outputs):
            if isinstance(output, torch.Tensor) and output.requires_grad:
                output.register_hook(lambda _gradient: on_backward())
        return outputs

    return run


class _Runner(fx.Interpreter):
    """Runs operator by operator; what the CPU cannot do gives zeros of the right shape.

    The values matter only where the program looks at them between two graphs.
    """

    def run_node(self, n: fx.Node) -> Any:
        try:
            return super().run_node(n)
        except (NotImplementedError, RuntimeError):
            fakes = n.meta.get("example_value")
            tensors = [leaf for leaf in tree_leaves(fakes) if isinstance(leaf, torch.Tensor)]
            if fakes is None or any(type(n) is not int for t in tensors for n in t.shape):
                raise
            with contextlib.nullcontext() if makes_fakes() else no_dispatch():
                return tree_map_only(
                    torch.Tensor, lambda t: torch.zeros(tuple(t.shape), dtype=t.dtype), fakes
                )


def on_target(graph: fx.GraphModule) -> fx.GraphModule:
    """The graph with CUDA wherever it names the CPU: a model that names one means where it is."""
    _change(graph, device_to_cuda)
    for node in graph.graph.nodes:
        if node.target is torch.tensor and str(node.kwargs.get("device")).startswith("cuda"):
            node.target = tensor_on_cuda
    graph.recompile()
    return graph


def _change(graph: fx.GraphModule, change: Callable[[Any], Any]) -> None:
    """Changes arguments in place, in the graphs inside of it as well."""
    for module in graph.modules():
        if isinstance(module, fx.GraphModule):
            for node in module.graph.nodes:
                node.args = map_aggregate(node.args, change)
                node.kwargs = map_aggregate(node.kwargs, change)
            module.recompile()
