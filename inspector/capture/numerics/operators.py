"""The ATen operators that a call runs, each with its module, its line and its results.

torch's DebugMode sees neither operators on tensor subclasses nor the paths of modules (they are
``Net.Linear`` there), and its constructor imports torch.distributed.tensor, which takes seconds.
"""

from __future__ import annotations

import collections
import dataclasses
import linecache
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

from inspector.capture.bench.captured import Where, where
from inspector.capture.frames import at_line, callers
from inspector.capture.roots import recorded_roots
from inspector.shared.roots import Owner
from inspector.shared.stack import StackFrame

OPERATORS, OUTPUTS, RESULTS = "operator", "output", "result"
"""What is compared: ATen operators, what modules return, and what the whole call gives."""
Key = tuple[str, str, str, int]
Modules = dict[str, tuple[str, ...]]
"""Modules that were called, by path, in order: the class, and settings as they are printed."""
_WRITTEN = frozenset({Owner.PROJECT, Owner.LIBRARY})


class Operator(NamedTuple):
    """A call of an ATen operator, or something else that gives tensors.

    Attributes:
        key: What it is found by in another program: its kind, the path of the innermost module
            (empty in the model itself) or the name of a result, its name, and how many of this name
            were called in this module before.
        results: The dense tensors that it gives.
        made: ``NaN`` and ``Inf``, where results have some and no argument has.
        place: The user's line.
    """

    key: Key
    results: tuple[Any, ...]
    made: tuple[str, ...] = ()
    place: Where = where(None)

    @property
    def name(self) -> str:
        """``aten.add.Tensor``."""
        return self.key[2]

    @property
    def line(self) -> str:
        """``model.py:7: return x + y``."""
        file, line, code = self.place.values()
        return f"{Path(str(file)).name}:{line}: {code}" if line else "in torch"


def named(key: Key) -> str:
    """``aten.add.Tensor in blocks.0``."""
    return f"{key[2]} in {key[1]}" if key[1] else key[2]


class Observer(TorchDispatchMode):
    """Shows each operator that runs and, of a model, what its modules return.

    Attributes:
        made: The first operators that make a NaN and an infinity, without their results.
    """

    supports_higher_order_operators = True

    def __init__(
        self, see: Callable[[Operator], object] = bool, model: nn.Module | None = None
    ) -> None:
        """Shows operators to `see`; without a model they are all in one module."""
        super().__init__()
        self.made: dict[str, Operator] = {}
        self.modules: Modules = {}
        self._see = see
        self._tracks_modules = model is not None
        self._paths: dict[nn.Module, str] = {}
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
            # A mask that is made of infinities makes none.
            made = _not_finite(results) - before - ({"Inf"} if before else set())
            self._show(OPERATORS, name, results, tuple(sorted(made)), where(_place()))
        return results

    def _show(self, kind: str, name: str, results: Any, *more: Any) -> None:
        tensors = tuple(item.detach() for item in tree_leaves(results) if _is_dense(item))
        module = self._inside[-1]
        number = self._calls[module, name]
        self._calls[module, name] += 1
        operator = Operator((kind, module, name, number), tensors, *more)
        for item in operator.made:
            self.made.setdefault(item, operator._replace(results=()))
        self._see(operator)

    def _name(self, module: nn.Module, root: str) -> None:
        for name, each in module.named_modules():
            self._paths.setdefault(each, ".".join(filter(None, (root, name))))

    def _begin(self, module: nn.Module) -> None:
        if module not in self._paths:
            self._name(module, type(module).__name__)
        path = self._paths[module]
        self._inside.append(path)
        settings = filter(None, module.extra_repr().split(", "))
        self.modules.setdefault(path, (type(module).__name__, *settings))

    def _end(self, outputs: Any) -> None:
        with _disable_current_modes():  # hooks run above them
            self._show(OUTPUTS, OUTPUTS, outputs, (), where(_place()))
        self._inside.pop()


def _is_dense(item: object) -> bool:
    return isinstance(item, torch.Tensor) and item.layout is torch.strided and not item.is_quantized


def _not_finite(values: Any) -> set[str]:
    """``NaN`` and ``Inf``, where tensors or numbers among them have some."""
    found = set[str]()
    for item in tree_leaves(values):
        if type(item) is float:
            found |= {"NaN"} if math.isnan(item) else {"Inf"} if math.isinf(item) else set()
        elif not _is_dense(item) or not item.is_floating_point() or item.element_size() == 1:
            continue  # float8 has no `isfinite`
        elif not bool(item.isfinite().all()):
            found |= {"NaN"} if bool(item.isnan().any()) else set()
            found |= {"Inf"} if bool(item.isinf().any()) else set()
    return found


def _place() -> StackFrame | None:
    """The innermost line of the user's."""
    owner = recorded_roots().owner
    frame = next((item for item in callers() if owner(item.f_code.co_filename) in _WRITTEN), None)
    if frame is None:
        return None
    code = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return dataclasses.replace(at_line(frame), code=code)
