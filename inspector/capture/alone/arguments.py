"""The arguments of one launch, kept: the same sizes, strides, values, alignment and overlaps."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

# What a driver's allocator aligns to; Triton's code depends on 16 bytes, vectors of C++ on 64.
_ALIGNMENT = 512


class TooLargeError(Exception):
    """The arguments do not fit beside what the program holds."""


@dataclasses.dataclass(slots=True)
class _Region:
    """A stretch of memory that arguments lie in.

    Attributes:
        copy: The copy's bytes, at the same distance from a multiple of the alignment.
        before: What stood in it, where it has to be put back; or None.
    """

    copy: Any
    before: Any = None


class Arguments:
    """Copies of the arguments of one launch.

    Tensors that overlap in the program overlap here. What is no tensor with memory of its own (a
    number, a tensor of oneDNN) is taken as it is.

    Args:
        names: The parameters' names, as far as they are known.
        most_bytes: How much memory the copies may take.

    Raises:
        TooLargeError: They take more.
    """

    def __init__(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        names: Sequence[str],
        most_bytes: int,
    ) -> None:
        self.names = [names[n] if n < len(names) else f"argument {n}" for n in range(len(args))]
        tensors = [item for item in [*args, *kwargs.values()] if _has_memory(item)]
        spans = _spans(tensors)
        size = sum(high - low for low, high, _ in spans.values())
        if size > most_bytes:
            raise TooLargeError(size)
        self.bytes_ = size
        self._regions = {key: _copied(*span) for key, span in spans.items()}
        self._lows = {key: low for key, (low, _, _) in spans.items()}
        self.args = tuple(map(self._own, args))
        self.kwargs = {name: self._own(item) for name, item in kwargs.items()}
        self._keys = {
            name: _storage(given)
            for name, given in [*zip(self.names, args, strict=True), *kwargs.items()]
            if _has_memory(given)
        }

    @property
    def tensors(self) -> dict[str, Any]:
        """The copied tensors by parameter."""
        named = [*zip(self.names, self.args, strict=True), *self.kwargs.items()]
        return {name: item for name, item in named if name in self._keys}

    def keep(self, names: Sequence[str]) -> None:
        """Makes `restore` put back what these have now, and all that overlaps with them."""
        for name in names:
            region = self._regions[self._keys[name]]
            if region.before is None:
                region.before = region.copy.clone()

    def restore(self) -> None:
        """Puts back what launches changed, of what is kept."""
        for region in self._regions.values():
            if region.before is not None:
                region.copy.copy_(region.before)

    def read_through(self, written: Sequence[str]) -> set[str]:
        """Those of the names whose memory is that of another argument, too."""
        read = {key for name, key in self._keys.items() if name not in written}
        return {name for name in written if self._keys.get(name) in read}

    def changed_by(self, launch: Callable[[], object]) -> list[str]:
        """Launches once, puts everything back, and names what was another value meanwhile."""
        names = list(self.tensors)
        self.keep(names)
        launch()
        changed = [name for name in names if self._is_changed(self._regions[self._keys[name]])]
        self.restore()
        for region in self._regions.values():
            region.before = None
        return changed

    @staticmethod
    def _is_changed(region: _Region) -> bool:
        return not torch.equal(region.before, region.copy)

    def _own(self, given: Any) -> Any:  # noqa: ANN401 - any argument
        if not _has_memory(given):
            return given
        key = _storage(given)
        region = self._regions[key]
        base = region.copy.storage_offset() + given.data_ptr() - key - self._lows[key]
        made = torch.empty(0, dtype=given.dtype, device=given.device)
        made.set_(region.copy.untyped_storage(), base // given.itemsize, given.shape,
                  given.stride())  # fmt: skip
        return made


def _has_memory(item: Any) -> bool:  # noqa: ANN401
    return (
        isinstance(item, torch.Tensor)
        and item.layout is torch.strided
        and type(item) in (torch.Tensor, torch.nn.Parameter)
        and item.numel() > 0
        and not item.is_quantized
    )


def _storage(item: Any) -> int:  # noqa: ANN401
    return int(item.untyped_storage().data_ptr())


def _spans(tensors: Sequence[Any]) -> dict[int, tuple[int, int, Any]]:
    """The bytes of each storage from the first to the last that an argument has."""
    found: dict[int, tuple[int, int, Any]] = {}
    for item in tensors:
        key = _storage(item)
        low = item.data_ptr() - key
        reach = sum((size - 1) * abs(step) for size, step in zip(item.shape, item.stride(),
                                                                 strict=True))  # fmt: skip
        high = low + (reach + 1) * item.itemsize
        first, last, storage = found.get(key, (low, high, item.untyped_storage()))
        found[key] = min(low, first), max(high, last), storage
    return found


def _copied(low: int, high: int, storage: Any) -> _Region:  # noqa: ANN401
    device = storage.device
    source = torch.empty(0, dtype=torch.uint8, device=device)
    source.set_(storage, low, (high - low,), (1,))
    made = torch.empty(high - low + 2 * _ALIGNMENT, dtype=torch.uint8, device=device)
    wanted = (storage.data_ptr() + low) % _ALIGNMENT
    offset = (wanted - made.data_ptr()) % _ALIGNMENT
    copy = made[offset : offset + high - low]
    copy.copy_(source)
    return _Region(copy)
