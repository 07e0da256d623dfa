"""The calls that a target is to be run with."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils import _pytree

from inspector.capture.gpu_target.weights import is_weight
from inspector.errors import UsageError
from inspector.records.device_profile import ProfiledArgument
from inspector.shared.units import with_article


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """The arguments of one call."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def leaves(self) -> list[Any]:
        """All that it is made with, the contents of containers in their place."""
        return list(_pytree.tree_leaves((self.args, self.kwargs)))

    @property
    def tensors(self) -> list[Any]:
        """The tensors among them."""
        return [leaf for leaf in self.leaves if isinstance(leaf, torch.Tensor)]

    def mapped(
        self, change: Callable[[Any], Any], other: Callable[[Any], Any] = lambda value: value
    ) -> Call:
        """The call with `change` applied to its tensors, and `other` to what is no container."""
        args, kwargs = (map_tensors(change, item, other) for item in (self.args, self.kwargs))
        return Call(args, kwargs)


@dataclasses.dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call that is ready to be made."""

    arguments: Call
    made_by: Callable[[Call], object]

    def __call__(self) -> object:
        """Makes the call."""
        return self.made_by(self.arguments)


def calls_of(given: object, source: str) -> tuple[Call, ...]:
    """The calls that a file's inputs stand for.

    A tuple or a list has the positional arguments of one call, a dict its keyword arguments, and a
    list of tuples or of dicts is several calls. Anything else (a tensor, a named tuple, a number)
    is the only argument.

    It is the value of ``example_inputs``, or what ``get_inputs()`` returned, as `source` says.

    Raises:
        UsageError: It cannot be passed to a model.
    """
    if given is None or callable(given):
        kind = "nothing" if given is None else with_article(type(given).__name__)
        raise UsageError(
            f"{source} gives {kind}.",
            "Provide a tuple or list of arguments, or a dict of keyword arguments.",
        )
    items = given if type(given) is list else []
    if items and all(type(item) is tuple or _is_keywords(item) for item in items):
        return tuple(map(_call, items))
    return (_call(given),)


def _call(value: Any) -> Call:
    if _is_keywords(value):
        return Call(kwargs=dict(value))
    return Call(tuple(value)) if type(value) in (tuple, list) else Call((value,))


def _is_keywords(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and name.isidentifier() for name in value
    )


def arguments_of(call: Call) -> list[ProfiledArgument]:
    """The tensors and the numbers that a call is made with, in order, those in containers too."""
    found: list[ProfiledArgument] = []

    def tensor(value: Any) -> Any:
        dtype = str(value.dtype).removeprefix("torch.")
        found.append(ProfiledArgument(dtype, tuple(value.shape)))
        return value

    def other(value: Any) -> Any:
        if type(value) in {bool, int, float}:
            found.append(ProfiledArgument(value=str(value)))
        return value

    call.mapped(tensor, other)
    return found


def fresh(call: Call) -> Call:
    """A copy of a call whose tensors can be written to without changing the original's.

    Tensors keep values, strides, ``requires_grad`` and Dynamo's marks (``mark_dynamic``), and those
    that share memory share it in the copy too; gradients and history are left behind. Containers
    and other objects (a cache of keys and values, say) are copied deeply where Python can.
    """
    memo: dict[int, Any] = {}
    return call.mapped(
        lambda tensor: _fresh_tensor(tensor, memo), lambda value: _deep_copied(value, memo)
    )


def map_tensors(
    change: Callable[[Any], Any], value: Any, other: Callable[[Any], Any] = lambda value: value
) -> Any:
    """`value` with `change` applied to the tensors in it, and `other` to what is no container."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(change, item, other) for item in value))
    if type(value) in (list, tuple, set):
        return type(value)(map_tensors(change, item, other) for item in value)
    if type(value) is dict:
        return {key: map_tensors(change, item, other) for key, item in value.items()}
    if not dataclasses.is_dataclass(value) or type(value).__eq__ is object.__eq__:
        return other(value)
    result = copy.copy(value)  # not by its constructor, which may check or count
    for field in dataclasses.fields(value):
        if hasattr(value, field.name):
            item = map_tensors(change, getattr(value, field.name), other)
            object.__setattr__(result, field.name, item)
    return result


def _deep_copied(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, torch.nn.Module):
        return value
    try:
        return copy.deepcopy(value, memo)
    except (TypeError, RuntimeError, copy.Error, NotImplementedError):
        # A generator, a lock, a tensor with history inside: the calls have to share it.
        return value


def _deep_copy(tensor: Any, memo: dict[int, Any]) -> Any:
    """A copy with the memory's layout; of a subclass that cannot be copied so, its values."""
    try:
        return copy.deepcopy(tensor.detach(), memo)
    except (TypeError, RuntimeError, NotImplementedError):
        # One without `new_empty` of its own, say: torch's `__deepcopy__` refuses it.
        with torch._C.DisableTorchFunctionSubclass():  # noqa: SLF001 - torch has no other name
            return tensor.detach().clone().as_subclass(type(tensor))


def _fresh_tensor(tensor: Any, memo: dict[int, Any]) -> Any:
    if id(tensor) in memo:
        return memo[id(tensor)]
    with torch.no_grad():
        if tensor.layout is not torch.strided or tensor.is_inference() or is_weight(tensor):
            result = tensor.detach().clone()
        else:
            result = _deep_copy(tensor, memo)
    if (tensor.is_leaf and tensor.requires_grad) or tensor.grad_fn is not None:
        result.requires_grad_()
    if isinstance(tensor, torch.nn.Parameter):
        result = torch.nn.Parameter(result, requires_grad=tensor.requires_grad)
    result.__dict__.update(tensor.__dict__)
    memo[id(tensor)] = result
    return result
