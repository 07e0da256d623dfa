"""Marks what autograd does to keep the gradient of each parameter, with the module that has it.

A gradient that the backward pass gives in another layout than its parameter's is copied
(``accumulateGrad`` in torch/csrc/autograd/functions/accumulate_grad.h), outside of generated code
and of what the program wrote: nothing but the parameter says what that is for.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.autograd.graph import get_gradient_edge

from inspector.capture.profiling.trace import mark_name
from inspector.capture.profiling.user_lines import CALL_MARK, module_name
from inspector.capture.writer import guarded


@contextlib.contextmanager
def marked_gradients(target: Callable[..., Any]) -> Iterator[None]:
    """Marks them while it is entered, as calls of the modules that the parameters belong to.

    Where autograd itself is compiled nothing is marked: hooks would become part of its graph.

    Args:
        target: What is called; of anything but a module nothing is known of its parameters.
    """
    # What keeps a gradient is there for as long as something holds it.
    kept: list[tuple[Any, tuple[Any, Any]]] = []
    if not compiled_autograd.compiled_autograd_enabled:
        marks = ((node, _marked(node, module_name(path))) for node, path in _nodes(target))
        guarded("mark gradients", lambda: kept.extend(marks))
    try:
        yield
    finally:
        for _, handles in kept:
            for handle in handles:
                handle.remove()


def _nodes(target: Callable[..., Any]) -> Iterator[tuple[Any, str]]:
    """Autograd's node of each parameter, with the name of the first module that has it."""
    if not isinstance(target, nn.Module):
        return
    for name, parameter in target.named_parameters():
        if parameter.requires_grad and parameter.is_leaf:
            yield get_gradient_edge(parameter).node, name.rpartition(".")[0]


def _marked(node: Any, module: str) -> tuple[Any, Any]:
    begun: list[Any] = []

    @torch.compiler.disable
    def begin(gradients: object) -> None:  # noqa: ARG001 - what it is called with
        from torch._C._profiler import _RecordFunctionFast

        mark = _RecordFunctionFast(mark_name(CALL_MARK + module))
        mark.__enter__()
        begun.append(mark)

    @torch.compiler.disable
    def end(inputs: object, outputs: object) -> None:  # noqa: ARG001 - what it is called with
        if begun:
            begun.pop().__exit__(None, None, None)

    return node.register_prehook(begin), node.register_hook(end)
