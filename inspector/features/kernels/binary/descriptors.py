"""The memory that tiles of tensor descriptors lie in (TMA), from the TTGIR that makes them.

``ttng.tensormap_create`` has the pointer, the sizes of the tensor (innermost first) and its strides
in bytes; ``ttng.async_tma_copy_…`` the coordinates of a tile (outermost first), in elements.
Descriptors that the host makes are arguments of the kernel: nothing is known of their tensors.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence

from inspector.features.kernels.binary.index_values import MOST_ELEMENTS, Indices
from inspector.features.kernels.binary.ttgir import (
    Module,
    Operation,
    TensorType,
    element_bytes,
    tensor_type,
)

TILE_LOADS = frozenset({"ttng.async_tma_copy_global_to_local"})
TILE_STORES = frozenset({"ttng.async_tma_copy_local_to_global"})
_LISTS_MADE = 3
"""Of what makes a descriptor: sizes of the tile and of the tensor, strides; more may follow."""
_LISTS = re.compile(r"\[([^\]]*)\]")
_VALUE = re.compile(r"%\w+(?:#\d+)?")
_PREDICATE = 2
"""Operands behind the coordinates of a load: where to, the barrier, and whether it is done."""


def tile_of(operation: Operation, module: Module) -> TensorType | None:
    """The shape and the elements of what a copy between memory and shared memory moves."""
    found = re.search(r"!tt\.tensordesc<(?:tensor<)?((?:\d+x)+)(\w+)", operation.text)
    return tensor_type(f"tensor<{found[1]}{found[2]}>", module) if found else None


class Descriptors:
    """Knows the descriptors that a kernel makes."""

    def __init__(self, module: Module) -> None:
        self._module = module
        made = {
            item.operands[0]: item
            for item in module.operations
            if item.name.endswith("tensormap_create") and item.operands
        }
        self._made = {
            item.results[0]: made[item.operands[0]]
            for item in module.operations
            if item.name.endswith("reinterpret_tensor_descriptor")
            and item.results
            and item.operands[0] in made
        }

    def stretches(
        self, copy: Operation, indices: Indices
    ) -> tuple[str, list[tuple[int, int]]] | None:
        """The argument and the bytes that a copy touches: where each row begins, and its end.

        Returns:
            None where a coordinate or the tensor is not known.
        """
        made = self._made.get(copy.operands[0])
        tile = tile_of(copy, self._module)
        if made is None or tile is None:
            return None
        lists = _lists(made)
        if len(lists) < _LISTS_MADE:
            return None
        pointer = indices.value(made.operands[1])
        shape = tile.shape
        at = _numbers(_lists(copy)[0], indices)
        whole, steps = (_numbers(names, indices) for names in lists[1:3])
        if pointer is None or at is None or whole is None or steps is None:
            return None
        if not len(shape) == len(at) == len(whole) == len(steps) + 1:
            return None
        if not self._is_done(copy, len(at), indices):
            return pointer.base, []
        size = element_bytes(tile.element)
        begin = int(pointer.numbers[0]) * size
        return pointer.base, list(_rows(shape, at, whole, steps, size, begin))

    def _is_done(self, copy: Operation, coordinates: int, indices: Indices) -> bool:
        named = copy.operands[1 + coordinates :]
        if copy.name in TILE_STORES or len(named) <= _PREDICATE:
            return True
        found = indices.value(named[_PREDICATE])
        return found is None or bool(found.numbers[0])


def _rows(  # noqa: PLR0913, PLR0917 - a tile is all of it
    shape: Sequence[int],
    at: Sequence[int],
    whole: Sequence[int],
    steps: Sequence[int],
    size: int,
    begin: int,
) -> Iterator[tuple[int, int]]:
    """What is outside of the tensor is not read, and what is there not written."""
    spans = [
        range(max(0, first), min(first + count, end))
        for first, count, end in zip(at, shape, reversed(whole), strict=True)
    ]
    if not spans[-1] or math.prod(map(len, spans[:-1])) > MOST_ELEMENTS:
        return
    for places in itertools.product(*spans[:-1]):
        outer = zip(places, reversed(steps), strict=True)
        row = begin + sum(place * step for place, step in outer)
        yield row + spans[-1].start * size, row + spans[-1].stop * size


def _lists(operation: Operation) -> list[list[str]]:
    return [_VALUE.findall(found) for found in _LISTS.findall(operation.text.partition("{")[0])]


def _numbers(names: Sequence[str], indices: Indices) -> list[int] | None:
    values = [indices.value(name) for name in names]
    found = [int(value.numbers[0]) for value in values if value is not None]
    return found if len(found) == len(names) else None
