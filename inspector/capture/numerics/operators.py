"""The ATen operators that a call runs, each with its module, its line and its results.

torch's DebugMode sees neither operators on tensor subclasses nor the paths of modules (they are
``Net.Linear`` there), and its constructor imports torch.distributed.tensor, which takes seconds.
"""

from __future__ import annotations

import collections
import dataclasses
import linecache
import math
import weakref
from collections.abc import Callable
from typing import Any, Self

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

from inspector.capture.frames import at_line, callers
from inspector.capture.roots import recorded_roots
from inspector.shared.roots import Owner
from inspector.shared.stack import StackFrame

OUTPUT = "output"
"""What stands for an operator's name where a module returns."""
_WRITTEN = frozenset({Owner.PROJECT, Owner.LIBRARY})


@dataclasses.dataclass(frozen=True, slots=True)
class Operator:
    """A call of an ATen operator, or a module that returns.

    Attributes:
        module: Path of the innermost module; empty in the model itself.
        number: How many of this name were called in this module before.
        results: The dense tensors that it gives.
        not_finite: ``NaN`` and ``Inf``, where results have some.
        made: Those of them that no argument has.
    """

    name: str
    module: str
    number: int
    results: tuple[Any, ...]
    not_finite: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()
    place: StackFrame | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """What it is found by in another program."""
        return self.module, self.name, self.number

    @property
    def shown(self) -> str:
        """``aten.add.Tensor in blocks.0``."""
        return f"{self.name} in {self.module}" if self.module else self.name


class Observer(TorchDispatchMode):
    """Shows each operator that runs and, of a model, what its modules return.

    Attributes:
        modules: Class and settings of the modules that were called, by path, in order.
    """

    supports_higher_order_operators = True

    def __init__(self, see: Callable[[Operator], object], model: nn.Module | None = None) -> None:
        """Shows operators to `see`; without a model they are all in one module."""
        super().__init__()
        self.modules: dict[str, str] = {}
        self._see = see
        self._tracks_modules = model is not None
        self._paths: weakref.WeakKeyDictionary[nn.Module, str] = weakref.WeakKeyDictionary()
        self._inside = [""]
        self._calls = collections.Counter[tuple[str, str]]()
        self._hooks: list[Any] = []
        if model is not None:
            self._name(model, "")

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, observed whenever it is called."""

        def observed(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return observed

    def __enter__(self) -> Self:
        if self._tracks_modules:
            self._hooks = [
                register_module_forward_pre_hook(lambda module, _: self._begin(module)),
                register_module_forward_hook(lambda *call: self._end(call[2]), always_call=True),
            ]
        super().__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        for hook in self._hooks:
            hook.remove()
        super().__exit__(*error)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        before = _not_finite((args, kwargs))
        results = func(*args, **kwargs)
        name = str(func).removesuffix(".default")
        if "empty" not in name and name != "aten.detach":  # no values, and none of its own
            self._show(name, results, before)
        return results

    def _show(self, name: str, results: Any, before: frozenset[str]) -> None:
        tensors = tuple(item.detach() for item in tree_leaves(results) if _is_dense(item))
        after = _not_finite(tensors)
        # A mask that is made of infinities makes none.
        made = after - before - (frozenset({"Inf"}) if before else frozenset())
        module = self._inside[-1]
        number = self._calls[module, name]
        self._calls[module, name] += 1
        place = None if name == OUTPUT else _place()
        self._see(Operator(name, module, number, tensors, after, made, place))

    def _name(self, module: nn.Module, root: str) -> None:
        for name, each in module.named_modules():
            self._paths.setdefault(each, ".".join(filter(None, (root, name))))

    def _begin(self, module: nn.Module) -> None:
        if module not in self._paths:
            self._name(module, type(module).__name__)
        path = self._paths[module]
        self._inside.append(path)
        settings = "" if any(module.children()) else module.extra_repr()
        self.modules.setdefault(path, f"{type(module).__name__}({settings})")

    def _end(self, outputs: Any) -> None:
        with _disable_current_modes():  # hooks run above them
            self._show(OUTPUT, outputs, frozenset())
        self._inside.pop()


def _is_dense(item: object) -> bool:
    return isinstance(item, torch.Tensor) and item.layout is torch.strided and not item.is_quantized


def _not_finite(values: Any) -> frozenset[str]:
    """``NaN`` and ``Inf``, where tensors or numbers among them have some."""
    found = set()
    for item in tree_leaves(values):
        if type(item) is float:
            found |= {"NaN"} if math.isnan(item) else {"Inf"} if math.isinf(item) else set()
        elif _is_dense(item) and item.is_floating_point() and not bool(item.isfinite().all()):
            found |= {"NaN"} if bool(item.isnan().any()) else set()
            found |= {"Inf"} if bool(item.isinf().any()) else set()
    return frozenset(found)


def _place() -> StackFrame | None:
    """The innermost line of the user's."""
    owner = recorded_roots().owner
    frame = next((item for item in callers() if owner(item.f_code.co_filename) in _WRITTEN), None)
    if frame is None:
        return None
    code = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return dataclasses.replace(at_line(frame), code=code)
