"""What ``--verify`` tries against recompilations: dynamic sources, and marks on the inputs."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from inspector.capture import versions
from inspector.capture.call import Call
from inspector.capture.target import Target
from inspector.model.request import Request

_LEAST_DYNAMIC = 2  # torch makes 0 and 1 constants, and refuses a mark on them


def apply_dynamism(target: Target, request: Request) -> None:
    """Makes the sources and the inputs' dimensions of a request dynamic, before the first call."""
    if request.dynamic_sources:
        versions.set_dynamic_sources(request.dynamic_sources)
    for call in target.calls if request.marks else ():
        arguments = _named(target, call)
        for mark in request.marks:
            name, _, dimension = mark.rpartition(":")
            for tensor in _tensors(name, arguments):
                index = int(dimension)
                if index < tensor.dim() and tensor.size(index) >= _LEAST_DYNAMIC:
                    torch._dynamo.mark_dynamic(tensor, index)  # noqa: SLF001 - torch's public name


def _named(target: Target, call: Call) -> Mapping[str, Any]:
    """The arguments of a call by the names of the parameters; none where they do not fit."""
    function: Any = versions.original_module(target.function)
    if isinstance(function, torch.nn.Module):
        function = function.forward
    try:
        bound = inspect.signature(function).bind(*call.args, **call.kwargs)
    except (TypeError, ValueError):
        return {}
    return bound.arguments


def _tensors(name: str, arguments: Mapping[str, Any]) -> Iterator[torch.Tensor]:
    """The tensor that a source leads to, if it is one that leads to a tensor of the inputs."""
    try:
        found = _value(ast.parse(name, mode="eval").body, arguments)
    except (SyntaxError, LookupError, TypeError, AttributeError, ValueError):
        return
    if isinstance(found, torch.Tensor):
        yield found


def _value(node: ast.expr, arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any input
    match node:
        case ast.Name():
            return arguments[node.id]
        case ast.Attribute():
            return getattr(_value(node.value, arguments), node.attr)
        case ast.Subscript(slice=ast.Constant(value=key)):
            return _value(node.value, arguments)[key]
    raise ValueError(ast.dump(node))
