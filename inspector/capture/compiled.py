"""Whether something is compiled already, and how it is compiled for a recording."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch

from inspector.capture import versions


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether the user compiles this, or a part of it, with ``torch.compile`` already.

    A model whose parts are compiled one by one is taken as it is, too: compiling all of it would
    be another program than the user's.
    """
    if _is_compiled_function(function):
        return True
    module = module_of(function)
    return module is not None and any(
        hasattr(each, "_orig_mod")
        or getattr(each, "_compiled_call_impl", None) is not None
        or _is_compiled_function(each.forward)
        for each in module.modules()
    )


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


def _is_compiled_function(function: Any) -> bool:
    """``torch.compiler.disable`` leaves the same attribute as ``torch.compile``, and one more."""
    marks = getattr(function, "__dict__", {})
    return "_torchdynamo_orig_callable" in marks and not marks.get("_torchdynamo_disable")


def inductor(
    graph: torch.fx.GraphModule,
    inputs: list[torch.Tensor],
    *,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Compiles a graph with Inductor as ``backend="inductor"`` would: the backend "inspector".

    A backend that is found by its name gets mode and options as keyword arguments alone, and
    ``dynamic`` not at all (torch/__init__.py, ``_TorchCompileWrapper``).
    """
    dynamic = versions.dynamic_of_compile()
    wrapper = torch._TorchCompileInductorWrapper(mode, options, dynamic)  # noqa: SLF001 - see above
    return wrapper(graph, inputs)


@contextlib.contextmanager
def fresh_caches() -> Iterator[None]:
    """Gives Inductor a new cache folder in place of the user's, and deletes it at the end.

    FX graph, AOTAutograd, C++, Triton and autotune caches lie in it, and profile-guided dynamic
    shapes. What is compiled stays loaded.
    """
    from torch._inductor.utils import fresh_cache

    raised: BaseException | None = None
    with fresh_cache():
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - with an error torch warns and keeps the folder
            raised = error
    if raised is not None:
        raise raised
