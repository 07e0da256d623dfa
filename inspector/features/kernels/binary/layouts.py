"""Which elements of a tensor a thread holds: Triton's distributed layouts.

Formulas from Triton's ``TritonGPUAttrDefs.td`` (BlockedEncodingAttr, SliceEncodingAttr).
"""

import math
import re
from collections.abc import Sequence

_WARP = 32


Lanes = tuple[tuple[int, ...], ...]
"""By thread of the first warp its flat indices, in order, of the layout's first tile."""


def lanes_of(layout: str, shape: Sequence[int]) -> Lanes | None:
    """Elements of the first warp, or None for layouts that are not read here."""
    if layout.startswith("#ttg.blocked"):
        return _blocked(layout, shape)
    # The parent's layout without one dimension.
    part = re.match(r"#ttg\.slice<\{dim = (\d+), parent = (.*)\}>$", layout)
    if part is None:
        return None
    axis = int(part[1])
    return lanes_of(part[2], [*shape[:axis], 1, *shape[axis:]])


def _numbers(layout: str, name: str) -> list[int]:
    found = re.search(rf"{name} = \[([\d, ]*)\]", layout)
    return [int(number) for number in found[1].split(",") if number.strip()] if found else []


def _blocked(layout: str, shape: Sequence[int]) -> Lanes | None:
    per_thread = _numbers(layout, "sizePerThread")
    threads = _numbers(layout, "threadsPerWarp")
    order = _numbers(layout, "order")
    if not len(per_thread) == len(threads) == len(order) == len(shape):
        return None
    count = math.prod(per_thread)
    elements = []
    for lane in range(min(_WARP, math.prod(threads))):
        thread = _split(lane, threads, order)
        own = []
        for register in range(count):
            inner = _split(register, per_thread, order)
            at = [
                (thread[axis] * per_thread[axis] + inner[axis]) % shape[axis]
                for axis in range(len(shape))
            ]
            own.append(_flat(at, shape))
        elements.append(tuple(own))
    return tuple(elements)


def _split(number: int, sizes: Sequence[int], order: Sequence[int]) -> list[int]:
    at = [0] * len(sizes)
    for axis in order:
        at[axis] = number % sizes[axis]
        number //= sizes[axis]
    return at


def _flat(at: Sequence[int], shape: Sequence[int]) -> int:
    flat = 0
    for position, size in zip(at, shape, strict=True):
        flat = flat * size + position
    return flat
