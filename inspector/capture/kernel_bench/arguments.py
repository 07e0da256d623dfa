"""The arguments of one launch, copied: the same sizes, strides, values and alignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

# What a driver's allocator aligns to; Triton's code depends on 16 bytes, vectors of C++ on 64.
_ALIGNMENT = 512


class NotMeasuredError(Exception):
    """What was asked for cannot be measured, and why."""


class Arguments:
    """Copies of the arguments of one launch; what is no tensor with memory is taken as it is.

    Raises:
        NotMeasuredError: They take more memory than is given.
    """

    def __init__(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], names: Sequence[str], most_bytes: int
    ) -> None:
        self.names = [names[n] if n < len(names) else f"argument {n}" for n in range(len(args))]
        spans = [_span(item) for item in [*args, *kwargs.values()] if _has_memory(item)]
        size = sum(span.nbytes for span in spans)
        if size > most_bytes:
            raise NotMeasuredError("its arguments are too large to copy")
        self.args = tuple(map(_copied, args))
        self.kwargs = {name: _copied(item) for name, item in kwargs.items()}
        self._before: dict[str, Any] = {}

    @property
    def named(self) -> list[tuple[str, Any]]:
        """All of them by parameter."""
        return [*zip(self.names, self.args, strict=True), *self.kwargs.items()]

    @property
    def tensors(self) -> dict[str, Any]:
        """The copied tensors by parameter."""
        return {name: item for name, item in self.named if _has_memory(item)}

    def keep(self, names: Iterable[str]) -> None:
        """Makes `restore` put back what these have now."""
        tensors = self.tensors
        self._before = {name: _span(tensors[name]).clone() for name in names}

    def restore(self) -> None:
        """Puts back what launches changed, of what is kept."""
        tensors = self.tensors
        for name, before in self._before.items():
            _span(tensors[name]).copy_(before)

    def changed_by(self, launch: Callable[[], object]) -> list[str]:
        """Launches once for each tensor, puts everything back, and names those that are written.

        The result of an earlier call with equal inputs can be there already: numbers are set to
        zero first. Integers are not, they can be addresses.
        """
        tensors = self.tensors
        self.keep(tensors)
        changed = []
        for name, item in tensors.items():
            span = _span(item)
            if item.is_floating_point():
                span.zero_()
            before = span.clone()
            launch()
            if not torch.equal(span, before):
                changed.append(name)
            self.restore()
        self._before = {}
        return changed


def _has_memory(item: Any) -> bool:
    return (
        isinstance(item, torch.Tensor)
        and item.layout is torch.strided
        and type(item) in (torch.Tensor, torch.nn.Parameter)
        and item.numel() > 0
        and not item.is_quantized
    )


def _span(item: Any) -> Any:
    """The bytes of a tensor, from its first to its last element."""
    reach = sum((n - 1) * step for n, step in zip(item.shape, item.stride(), strict=True))
    first = item.storage_offset() * item.itemsize
    found = torch.empty(0, dtype=torch.uint8, device=item.device)
    return found.set_(item.untyped_storage(), first, ((reach + 1) * item.itemsize,), (1,))


def _copied(given: Any) -> Any:
    """A tensor with the same bytes, as far from a multiple of the alignment."""
    if not _has_memory(given):
        return given
    span = _span(given)
    made = torch.empty(span.numel() + 2 * _ALIGNMENT, dtype=torch.uint8, device=given.device)
    offset = (span.data_ptr() - made.data_ptr()) % _ALIGNMENT
    made[offset : offset + span.numel()].copy_(span)
    copy = torch.empty(0, dtype=given.dtype, device=given.device)
    return copy.set_(made.untyped_storage(), offset // given.itemsize, given.shape, given.stride())
