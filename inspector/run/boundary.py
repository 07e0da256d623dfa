"""What crosses from one graph into the next."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable


@dataclasses.dataclass(frozen=True, slots=True)
class BoundaryTensor:
    """A tensor that a graph takes or returns.

    Attributes:
        dtype: In torch's short spelling.
        is_fusible: Whether its writer or a reader could be fused; a matrix product could not.
    """

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...] | None
    size_bytes: int
    is_fusible: bool

    @property
    def key(self) -> tuple[object, ...]:
        """What a tensor still has in common with itself in the next graph."""
        return self.dtype, self.shape, self.stride


@dataclasses.dataclass(frozen=True, slots=True)
class Boundary:
    """What goes into a graph and what comes out.

    Attributes:
        inputs: Without parameters and buffers, which no graph before it wrote.
        outputs: Without inputs that are handed through.
    """

    inputs: tuple[BoundaryTensor, ...]
    outputs: tuple[BoundaryTensor, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Crossing:
    """What earlier graphs wrote and a graph reads."""

    size_bytes: int = 0
    fusible_bytes: int = 0

    def __add__(self, other: Crossing) -> Crossing:
        """Both."""
        return Crossing(
            self.size_bytes + other.size_bytes, self.fusible_bytes + other.fusible_bytes
        )


def crossing(earlier: Iterable[Boundary], graph: Boundary) -> Crossing:
    """What a graph reads of what others wrote before, told by dtype, shape and stride."""
    written: dict[tuple[object, ...], collections.deque[BoundaryTensor]] = {}
    for boundary in earlier:
        for tensor in boundary.outputs:
            written.setdefault(tensor.key, collections.deque()).appendleft(tensor)
    size_bytes = fusible_bytes = 0
    for tensor in graph.inputs:
        found = written.get(tensor.key)
        if not found:
            continue
        source = found.popleft()  # the newest of that kind
        size_bytes += tensor.size_bytes
        if source.is_fusible and tensor.is_fusible:
            fusible_bytes += tensor.size_bytes
    return Crossing(size_bytes, fusible_bytes)
