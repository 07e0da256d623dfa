"""Inputs of another batch size: their first dimension with elements of the given ones."""

from __future__ import annotations

from typing import Any

import torch

from inspector.capture.target.call import Call, map_tensors
from inspector.errors import UsageError

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
        message = "No input has a first dimension that could be the batch."
        raise UsageError(message, "Leave --batch out.")
    memo: dict[int, Any] = {}  # a tensor that is passed twice stays one

    def changed(tensor: Any) -> Any:
        if not tensor.dim() or tensor.shape[0] != before:
            return tensor
        if id(tensor) not in memo:
            memo[id(tensor)] = resized(tensor, 0, batch)
        return memo[id(tensor)]

    return Call(map_tensors(changed, call.args), map_tensors(changed, call.kwargs))


def resized(tensor: Any, dimension: int, size: int) -> Any:
    """The tensor with another size of a dimension, and with its layout, gradient and marks.

    Its elements are repeated from the beginning, so that indices stay valid; there must be some.
    """
    places = torch.arange(size, device=tensor.device) % int(tensor.shape[dimension])
    with torch.no_grad():
        result = tensor.detach().index_select(dimension, places)
    return _like(result, tensor)


def _like(result: Any, tensor: Any) -> Any:
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
