"""The parts of a call: running what it returned to its end, and its backward."""

from __future__ import annotations

import inspect

import torch
from torch.utils import _pytree

from inspector.errors import UsageError

__all__ = ["LOSS_MARK", "backward", "finished"]

LOSS_MARK = "inspector loss"
"""The mark, in a profile, around the sum whose backward pass `backward` runs."""


def finished(outputs: object) -> object:
    """What a call returned, with coroutines awaited and generators run to their end."""
    if inspect.iscoroutine(outputs):
        return _awaited(outputs)
    if inspect.isgenerator(outputs):
        return list(outputs)
    return outputs


def _awaited(coroutine: object) -> object:
    import asyncio

    async def wait() -> object:
        return await coroutine  # type: ignore[misc]

    return asyncio.run(wait())


def backward(outputs: object) -> None:
    """Backward of the sum of all outputs that require grad.

    Raises:
        UsageError: None does.
    """
    tensors = [leaf for leaf in _pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor)]
    with torch._C._profiler._RecordFunctionFast(LOSS_MARK):  # noqa: SLF001 - costs 100 ns
        wanted = [tensor.sum() for tensor in tensors if tensor.requires_grad]
        loss = torch.stack([value.float() for value in wanted]).sum() if wanted else None
    if loss is None:
        message = "--train needs an output that requires grad, and none does."
        raise UsageError(
            message, "Leave --train out, or give the model parameters that require grad."
        )
    loss.backward()
