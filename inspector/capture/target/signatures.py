"""The signature that the inputs of a target have to fit."""

import inspect
from collections.abc import Callable
from typing import Any

import torch

from inspector.capture.compiled import uncompiled
from inspector.errors import UsageError
from inspector.shared.units import count

_SHOWN = 6
_POSITIONAL = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function or of a module's ``forward``; None where Python has none."""
    inner = uncompiled(function)
    try:
        return inspect.signature(inner.forward if isinstance(inner, torch.nn.Module) else inner)
    except (TypeError, ValueError):
        return None


def positional_names(function: Callable[..., Any]) -> list[str]:
    """The names of what may be given by its position, in order."""
    signature = signature_of(function)
    parameters = signature.parameters.values() if signature is not None else ()
    return [parameter.name for parameter in parameters if parameter.kind in _POSITIONAL]


def shown_signature(function: Callable[..., Any]) -> str:
    """What is called, with the names of its arguments: ``Net.forward(x, mask=…)``."""
    inner = uncompiled(function)
    name = getattr(inner, "__qualname__", type(inner).__name__)
    if isinstance(inner, torch.nn.Module):
        name = f"{type(inner).__name__}.forward"
    signature = signature_of(function)
    if signature is None:
        return f"{name}(…)"
    bare = [
        parameter.replace(
            annotation=inspect.Parameter.empty,
            default=parameter.empty if parameter.default is parameter.empty else _Elided(),
        )
        for parameter in signature.parameters.values()
    ]
    text = str(inspect.Signature(bare))
    if len(bare) > _SHOWN:
        kept = [p for p in bare if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
        text = f"{str(inspect.Signature(kept or bare[:1])).removesuffix(')')}, …)"
    return f"{name}{text}".replace(" = ", "=")


def check_fits(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], source: str
) -> None:
    """Raises unless the inputs, which `source` (`` `get_inputs()` ``) gives, fit the signature.

    Raises:
        UsageError: There are too many or too few, or one has an unknown name.
    """
    signature = signature_of(function)
    if signature is None:
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        unnamed = [count(len(args), "argument")] if args or not kwargs else []
        given = " and ".join([*unnamed, *(f"`{name}`" for name in kwargs)])
        raise UsageError(
            f"{source} gives {given}, which does not match the signature: {error}.",
            f"The signature is `{shown_signature(function)}`.",
        ) from error


class _Elided:
    """Stands for a default value that is not worth showing."""

    def __repr__(self) -> str:
        return "…"
