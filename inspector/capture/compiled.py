"""Whether something is compiled already, and what it was before."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether the user compiles this, or a part of it, with ``torch.compile`` already.

    A model whose parts are compiled one by one is taken as it is, too: compiling all of it would
    be another program than the user's.
    """
    if _is_compiled_function(function):
        return True
    module = module_of(function)
    return module is not None and any(map(_is_compiled_module, module.modules()))


def uncompiled(function: Callable[..., Any]) -> Any:
    """What was compiled (or disabled), or `function` itself if it was neither."""
    if isinstance(function, torch.nn.Module):
        return getattr(function, "_orig_mod", function)
    return getattr(function, "_torchdynamo_orig_callable", function)


def module_of(function: Callable[..., Any]) -> Any:
    """The module that `function` is, or is a method of; or None."""
    if isinstance(function, torch.nn.Module):
        return function
    if isinstance(function, functools.partial):
        return module_of(function.func)
    owner = getattr(function, "__self__", None)
    return owner if isinstance(owner, torch.nn.Module) else None


def _is_compiled_module(module: Any) -> bool:
    if hasattr(module, "_orig_mod") or getattr(module, "_compiled_call_impl", None) is not None:
        return True
    return _is_compiled_function(module.forward)


def _is_compiled_function(function: Any) -> bool:
    """``torch.compiler.disable`` leaves the same attribute as ``torch.compile``, and one more."""
    marks = getattr(function, "__dict__", {})
    return "_torchdynamo_orig_callable" in marks and not marks.get("_torchdynamo_disable")
