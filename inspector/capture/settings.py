"""Sets ``torch._dynamo.config`` as a request asks for."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch.compiler import config as compiler_config

from inspector.capture import versions
from inspector.capture.target.signatures import signature_of
from inspector.capture.target.target import Target
from inspector.errors import UsageError
from inspector.shared.edit import Setting
from inspector.shared.near_matches import did_you_mean
from inspector.shared.request import Request


def apply_settings(settings: Iterable[Setting]) -> None:
    """Sets each; functions are added to those that the user's own file put into a set.

    Raises:
        UsageError: This torch has no such setting, or it takes another kind of value.
    """
    from torch._dynamo import config

    known = versions.dynamo_settings()
    for name, value in settings:
        if name not in known:
            message = f"This torch has no setting torch._dynamo.config.{name}."
            raise UsageError(message, did_you_mean(name, known))
        before = getattr(config, name)
        if isinstance(value, bool) and isinstance(before, bool):
            setattr(config, name, value)
        elif isinstance(value, tuple) and isinstance(before, set):
            setattr(config, name, before | {_function(item) for item in value})
        else:
            kind = type(before).__name__
            message = f"torch._dynamo.config.{name} takes a {kind}, not {value!r}."
            raise UsageError(message, "Pass true, false, or a list of functions.")


def _function(name: str) -> Callable[..., object]:
    """The function of a name such as ``logging.Logger.info``."""
    module, _, rest = name.partition(".")
    try:
        found: object = importlib.import_module(module)
        for part in rest.split("."):
            found = getattr(found, part)
    except (AttributeError, ImportError) as error:
        raise UsageError(f"There is no function {name}.", "Use the form module.name.") from error
    if not callable(found):
        raise UsageError(f"{name} is not a function.", "Use the form module.name.")
    return found


_LEAST_DYNAMIC = 2  # torch makes 0 and 1 constants, and refuses a mark on them


def apply_dynamism(target: Target, request: Request) -> None:
    """Makes the sources and the inputs' dimensions of a request dynamic, before the first call."""
    if request.dynamic_sources:
        # As TORCH_COMPILE_DYNAMIC_SOURCES, which torch reads when it is imported.
        compiler_config.dynamic_sources = request.dynamic_sources
    signature = signature_of(target.function) if request.marks else None
    for call in target.calls if request.marks else ():
        try:
            arguments = signature.bind(*call.args, **call.kwargs).arguments if signature else {}
        except TypeError:
            arguments = {}
        for mark in request.marks:
            name, _, dimension = mark.rpartition(":")
            try:
                tensor = _value_at(ast.parse(name, mode="eval").body, arguments)
            except (SyntaxError, LookupError, TypeError, AttributeError, ValueError):
                continue  # no source that leads to a tensor of the inputs
            index = int(dimension)
            is_sized = isinstance(tensor, torch.Tensor) and index < tensor.dim()
            if is_sized and tensor.size(index) >= _LEAST_DYNAMIC:
                torch._dynamo.mark_dynamic(tensor, index)  # noqa: SLF001 - torch's public name


def _value_at(node: ast.expr, arguments: Mapping[str, Any]) -> Any:
    match node:
        case ast.Name():
            return arguments[node.id]
        case ast.Attribute():
            return getattr(_value_at(node.value, arguments), node.attr)
        case ast.Subscript(slice=ast.Constant(value=key)):
            return _value_at(node.value, arguments)[key]
    raise ValueError(ast.dump(node))
