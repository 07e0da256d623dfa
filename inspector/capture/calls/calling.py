"""Makes a call of a target: what it returns is run to its end, and its backward."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch.utils import _pytree

from inspector.capture.quiet import quiet_operators
from inspector.capture.target.call import Call, fresh
from inspector.errors import UsageError
from inspector.shared.request import Request

if TYPE_CHECKING:
    from inspector.capture.target.target import Target

LOSS_MARK = "inspector loss"
"""The mark, in a profile, around what `backward` does before it runs the backward pass."""
_LATER = (types.CoroutineType, types.GeneratorType)


class Ones:
    """The gradients of a sum of outputs, kept from call to call.

    They are ones, whatever the outputs are. With them a call has nothing in it of the sum, which
    is ours and not the model's.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], list[torch.Tensor]] = {}

    def of(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        """A gradient for each; made only when outputs of these shapes were not there before."""
        key = tuple(
            (
                tuple(tensor.shape),
                tuple(tensor.stride()) if tensor.layout is torch.strided else (),
                tensor.dtype,
                tensor.device,
                tensor.layout,
            )
            for tensor in tensors
        )
        if key not in self._kept:
            with torch.no_grad():
                self._kept[key] = [torch.ones_like(tensor) for tensor in tensors]
        return self._kept[key]


def finished(outputs: object) -> object:
    """What a call returned, with coroutines awaited and generators run to their end."""
    if isinstance(outputs, _LATER):  # as `inspect` tells them, in a fifth of the time
        return list(outputs) if isinstance(outputs, types.GeneratorType) else _awaited(outputs)
    return outputs


def _awaited(coroutine: object) -> object:
    import asyncio

    async def wait() -> object:
        return await coroutine  # type: ignore[misc]

    return asyncio.run(wait())


def requiring_grad(outputs: object) -> list[torch.Tensor]:
    """The tensors of what a call returned that require grad."""
    leaves = _pytree.tree_leaves(outputs)
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]


def backward(outputs: object, ones: Ones | None = None) -> None:
    """Backward of the sum of all outputs that require grad.

    Args:
        ones: The gradients of that sum; without them they are made in the call.

    Raises:
        UsageError: None does.
    """
    with torch._C._profiler._RecordFunctionFast(LOSS_MARK):  # noqa: SLF001 - costs 100 ns
        wanted = requiring_grad(outputs)
        gradients = (ones or Ones()).of(wanted)
    if not wanted:
        message = "--train needs an output that requires grad, but none does."
        step = "Drop --train, or use parameters that require grad."
        raise UsageError(message, step)
    torch.autograd.backward(wanted, gradients)


@dataclasses.dataclass(slots=True)
class SeenCall:
    """What is seen of a call: whether its outputs require grad, where that was looked at."""

    requires_grad: bool | None = None


def error_of(  # noqa: PLR0913, PLR0917 - what a call is made with
    target: Target,
    index: int,
    request: Request,
    function: Callable[..., object],
    ones: Ones | None = None,
    seen: SeenCall | None = None,
) -> Exception | None:
    """What a call raised, or None; outside of any other exception's handling.

    `seen` gets whether its outputs require grad, without which `--train` has no meaning.
    """
    try:
        with quiet_operators():
            outputs = call_once(fresh(target.calls[index]), request, function, ones)
        if seen is not None:
            seen.requires_grad = bool(requiring_grad(outputs))
    except Exception as error:  # noqa: BLE001 - whatever the user's model raises
        return error
    return None


def call_once(
    call: Call, request: Request, function: Callable[..., object], ones: Ones | None = None
) -> object:
    """Makes one call, with its backward pass where that is asked for; gives the outputs."""
    if request.no_grad:
        with torch.no_grad():
            return finished_call(call, function)
    outputs = finished_call(call, function)
    if request.train:
        backward(outputs, ones)
    return outputs


def finished_call(call: Call, function: Callable[..., object]) -> object:
    """Makes the call alone; a coroutine or generator runs to its end."""
    return finished(function(*call.args, **call.kwargs))


def has_device() -> bool:
    """Whether the program uses CUDA."""
    return bool(torch.cuda.is_available() and torch.cuda.is_initialized())


def wait_for_device() -> None:
    """Waits until the device, if there is one, is done."""
    if has_device():
        torch.cuda.synchronize()
