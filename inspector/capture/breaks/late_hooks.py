"""Observes hooks that are registered on modules which are compiled already: they do not run.

Without hooks at first, a module's hooks are not guarded on (``skip_nnmodule_hook_guards``, torch
2.11 to 2.13), so that a later one needs no recompilation to be left out.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import fx, nn

from inspector.capture import versions
from inspector.capture.graphs.module_places import module_stack
from inspector.capture.hooks import Hooks
from inspector.capture.sources import SourceWriter
from inspector.capture.user_stack import user_stack
from inspector.capture.writer import emit, guarded
from inspector.records.calls import LateHook

_METHODS = {
    "register_forward_hook": "forward hook",
    "register_forward_pre_hook": "forward pre-hook",
    "register_full_backward_hook": "backward hook",
    "register_full_backward_pre_hook": "backward pre-hook",
}


def _mark(_arguments: object) -> None:
    """Does nothing; that it is still registered is the sign."""


class HookObserver:
    """Stands in for the methods that register hooks, from the first compilation on."""

    def __init__(self, sources: SourceWriter) -> None:
        self._sources = sources
        # By `id`, which is what Dynamo puts into `nn_module_stack`.
        self._compiled: dict[int, str] = {}
        self._late: dict[int, list[int]] = {}
        self._numbers = itertools.count()
        self._hooks = Hooks()

    def compiled(self, graph: fx.GraphModule) -> None:
        """Takes a graph that Dynamo has made: the hooks of modules that it calls are in it.

        Those of the module whose own ``forward`` is the frame are not: Python calls them.
        """
        found = {
            int(key): kind.__name__
            for node in graph.graph.nodes
            for number, (_, kind) in module_stack(node).items()
            if (key := str(number).partition("@")[0]).isdigit() and isinstance(kind, type)
        }
        self._take_back(found)
        self._compiled.update(found)
        if not self._hooks:
            for name in _METHODS:
                self._hooks.replace(nn.Module, name, functools.partial(self._standing_in, name))

    def release(self) -> None:
        """Puts torch's own methods back."""
        with contextlib.suppress(ValueError):
            torch._dynamo.callback_handler.remove_start_callback(_mark)  # noqa: SLF001
        self._hooks.release()
        self._compiled = {}
        self._late = {}

    def begins(self) -> None:
        """Takes all back where what was compiled before is gone; to be called as Dynamo begins."""
        if self._was_reset():
            self._compiled = {}
            self._take_back(tuple(self._late))

    def _take_back(self, modules: Iterable[int]) -> None:
        for module in modules:
            for number in self._late.pop(module, ()):
                emit(LateHook(number, is_compiled=True))

    def _was_reset(self) -> bool:
        """Whether ``torch._dynamo.reset()`` was called since: it takes callbacks away."""
        handler = torch._dynamo.callback_handler  # noqa: SLF001 - torch's public callbacks
        try:
            handler.remove_start_callback(_mark)
        except ValueError:
            return True
        finally:
            handler.register_start_callback(_mark)
        return False

    def _standing_in(self, name: str, before: Callable[..., Any]) -> Callable[..., Any]:
        def register(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            # Dynamo knows this answer, and traces torch's own method alone.
            if not torch.compiler.is_compiling():
                guarded("record a late hook", lambda: self._note(module, name))
            return before(module, *args, **kwargs)

        guarded("skip frames of torch-inspector", lambda: versions.skip_frames_of(register))
        return register

    def _note(self, module: nn.Module, method: str) -> None:
        is_compiled = self._compiled.get(id(module)) == type(module).__name__
        is_guarded = not torch._dynamo.config.skip_nnmodule_hook_guards  # noqa: SLF001
        stack = user_stack(self._sources) if is_compiled and not is_guarded else ()
        if not stack:
            return
        number = next(self._numbers)
        self._late.setdefault(id(module), []).append(number)
        hook, kind = _METHODS[method], type(module).__name__
        emit(LateHook(number, hook=hook, module_class=kind, stack=stack))
