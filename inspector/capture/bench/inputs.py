"""Inputs of other sizes, dtypes and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from inspector.capture.target.call import Call
from inspector.capture.target.signatures import positional_names, signature_of
from inspector.errors import UsageError
from inspector.shared.dtypes import parse_dtype
from inspector.shared.variation import Assignment

_MOST_SHAPES = 4


def items_of(call: Call) -> int:
    """The size of the first dimension of the first tensor that has one, or 0."""
    return next((int(tensor.shape[0]) for tensor in call.tensors if tensor.dim()), 0)


def with_batch(call: Call, batch: int) -> Call:
    """The call with that size in the first dimension of all inputs that have the batch in it.

    These are the inputs whose first dimension is as large as that of the first.

    Raises:
        UsageError: No input has a dimension.
    """
    before = items_of(call)
    if not before:
        message = "No input has a batch dimension (a common first dimension)."
        raise UsageError(message, "Drop --batch.")
    memo: dict[int, Any] = {}  # a tensor that is passed twice stays one

    def changed(tensor: Any) -> Any:
        if not tensor.dim() or tensor.shape[0] != before:
            return tensor
        if id(tensor) not in memo:
            memo[id(tensor)] = resized(tensor, 0, batch)
        return memo[id(tensor)]

    return call.mapped(changed)


def resized(tensor: Any, dimension: int, size: int) -> Any:
    """The tensor with another size of a dimension, and with its layout, gradient and marks.

    Its elements are repeated from the beginning, so that indices stay valid; there must be some.
    """
    places = torch.arange(size, device=tensor.device) % int(tensor.shape[dimension])
    with torch.no_grad():
        result = tensor.detach().index_select(dimension, places)
    for layout, dimensions in ((torch.channels_last, 4), (torch.channels_last_3d, 5)):
        if tensor.dim() != dimensions or tensor.is_contiguous():
            continue
        if tensor.is_contiguous(memory_format=layout):
            result = result.contiguous(memory_format=layout)
    result.requires_grad_(tensor.requires_grad)
    result.__dict__.update(tensor.__dict__)
    return result


def shapes_of(call: Call) -> str:
    """``f32[4, 3, 224, 224], i64[4]``, by torch's own names of dtypes."""
    texts = [
        f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}" for tensor in call.tensors
    ]
    rest = len(texts) - _MOST_SHAPES
    return ", ".join([*texts[:_MOST_SHAPES], *([f"… {rest} more"] if rest > 0 else [])])


def varied_call(
    function: Callable[..., Any], call: Call, assignments: Iterable[Assignment]
) -> Call:
    """A call with other sizes, dtypes and values; what is not varied is as given.

    Raises:
        UsageError: There is no such argument, or it is no tensor of that many dimensions.
    """
    args, kwargs = list(call.args), dict(call.kwargs)
    for item in assignments:
        place = place_of(function, item.name, args, kwargs)
        if isinstance(place, int):
            args[place] = _changed(args[place], item)
        else:
            kwargs[place] = _changed(kwargs.get(place), item)
    return Call(tuple(args), kwargs)


def place_of(
    function: Callable[..., Any], name: str, args: Sequence[object], kwargs: dict[str, Any]
) -> int | str:
    """Where an argument is: its position, or its name among the keywords."""
    if name.isdecimal():
        if int(name) < len(args):
            return int(name)
        raise UsageError(f"--vary: there is no argument {name}.", f"The model takes {len(args)}.")
    positional = positional_names(function)[: len(args)]
    if name in positional:
        return positional.index(name)
    signature = signature_of(function)
    names = [*signature.parameters] if signature is not None else []
    if name in kwargs or name in names:
        return name
    raise UsageError(
        f"--vary: there is no argument {name!r}.", f"Its arguments: {', '.join(names) or 'none'}."
    )


def _changed(value: Any, item: Assignment) -> Any:
    if item.dimension is None and not item.is_dtype:
        return item.value
    if not isinstance(value, torch.Tensor):
        raise UsageError(f"--vary {item}: {item.name} is not a tensor.", "Vary its value: n=1,2.")
    if item.is_dtype:
        return value.to(getattr(torch, parse_dtype(str(item.value)).torch_name))
    dimension = item.dimension or 0
    if not -value.dim() <= dimension < value.dim():
        message = f"--vary {item}: {item.name} has {value.dim()} dimensions."
        raise UsageError(message, "Dimensions start at 0.")
    if not value.shape[dimension]:
        raise UsageError("--vary cannot resize a dimension of size 0.", "")
    return resized(value, dimension, int(item.value))
