"""Models without memory (``--fake``): what is large is a fake tensor from its constructor on.

Constructors ask small tensors for values (``torch.linspace(0, rate, depth)``), so these are real,
and what is computed of real ones alone is, too. Nothing of the model is known by value otherwise: a
program that asks for one stops there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from unittest import mock

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from torch.utils._pytree import tree_leaves

MOST_REAL = 100_000
"""Elements of a tensor up to which it is real."""
ASKS_FOR_VALUES = (DataDependentOutputException, DynamicOutputShapeException)
"""What torch raises where a program asks a fake tensor for a value, or for a shape that depends on
one."""

# What one call of `_apply` has changed, by identity, and what keeps that from being used again.
_MEMO: ContextVar[dict[int, tuple[Any, Any]] | None] = ContextVar("memo", default=None)


class Weights(FakeTensorMode):
    """Makes large tensors without memory, and small ones with it.

    On the CPU, as the program says; for what Dynamo traces they are on the GPU, like real ones
    (`inspector.capture.gpu_target.fakes`).
    """

    def __init__(self) -> None:
        super().__init__(allow_non_fake_inputs=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> Weights:
        """Itself: every fake tensor refers to its mode, and modules are copied.

        A copied mode would hold copies of weak references to storages, which free them twice.
        """
        memo[id(self)] = self
        return self

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        given = [item for item in tree_leaves((args, kwargs)) if isinstance(item, torch.Tensor)]
        faked: Callable[..., Any] = super().__torch_dispatch__
        if any(isinstance(item, FakeTensor) for item in given):
            return faked(func, types, args, kwargs)
        if given and func._schema.is_mutable:  # noqa: SLF001 - torch has no public name for it
            return func(*args, **kwargs)
        try:
            result = faked(func, types, args, kwargs)
        except ASKS_FOR_VALUES:
            return func(*args, **kwargs)
        made = [item for item in tree_leaves(result) if isinstance(item, torch.Tensor)]
        is_small = all(item.numel() <= MOST_REAL for item in made)
        return func(*args, **kwargs) if is_small else result


def is_weight(tensor: object) -> bool:
    """Whether it is a tensor that was made without memory, as the program sees it."""
    return isinstance(tensor, FakeTensor) and isinstance(tensor.fake_mode, Weights)


def makes_fakes() -> bool:
    """Whether large tensors are made without memory at this moment."""
    mode = torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE)  # noqa: SLF001
    return isinstance(mode, Weights)


@contextmanager
def fake_weights() -> Iterator[None]:
    """Tensors of more than `MOST_REAL` elements get no memory inside of the ``with``."""
    with (
        mock.patch.object(torch.nn.Module, "_apply", _applied),
        mock.patch.object(torch.nn.init, "_no_grad_trunc_normal_", _trunc_normal),
        Weights(),
    ):
        yield


_REAL_TRUNC_NORMAL: Callable[..., torch.Tensor] = torch.nn.init._no_grad_trunc_normal_


def _trunc_normal(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    """The one initialisation that looks at what it drew, and draws again what is out of bounds."""
    return tensor if is_weight(tensor) else _REAL_TRUNC_NORMAL(tensor, *args, **kwargs)


def _applied(
    self: torch.nn.Module,
    fn: Callable[[torch.Tensor], torch.Tensor],
    recurse: bool = True,  # noqa: FBT001, FBT002 - torch's own
) -> torch.nn.Module:
    """``torch.nn.Module._apply`` (``to``, ``cuda``, ``half``), which swaps fake tensors in place.

    One to which a weak reference leads cannot be swapped, and each of a `FakeTensorMode` has such.
    Here the module gets other tensors; what is shared stays shared.
    """
    memo = _MEMO.get()
    if memo is None:
        token = _MEMO.set({})
        try:
            return _applied(self, fn, recurse)
        finally:
            _MEMO.reset(token)
    for child in self.children() if recurse else ():
        child._apply(fn)  # noqa: SLF001 - what it stands for does so
    for tensors in (self._parameters, self._buffers):
        for name, tensor in tensors.items():
            if tensor is not None:
                known = memo.setdefault(id(tensor), (tensor, _changed(tensor, fn)))
                tensors[name] = known[1]
    return self


def _changed(tensor: Any, fn: Callable[[Any], Any]) -> Any:
    with torch.no_grad():
        changed = fn(tensor)
    if changed is tensor or not isinstance(tensor, torch.nn.Parameter):
        return changed
    return torch.nn.Parameter(changed, tensor.requires_grad)
