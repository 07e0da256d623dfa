"""How two kernels use a tensor that both use: why one loop over it would not do for both."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from inspector.records.fusion import Uses

_MOST = 4
_LONG = 200


def common_uses(first: Any, second: Any, names: Iterable[str]) -> Iterator[Uses]:
    """The difference for each buffer, as ``Scheduler.decide_fusion_fail_reason`` tells them apart.

    That function (torch/_inductor/scheduler.py, 2.11 to 2.13) looks at one use of each buffer,
    which may be any, and gives a text.
    """
    for name in sorted(names)[:_MOST]:
        uses = [
            [use for use in node.read_writes.reads_and_writes() if use.name == name]
            for node in (first, second)
        ]
        if all(uses):
            kind, left, right = min(
                (_difference(one, other) for one in uses[0] for other in uses[1]),
                key=lambda item: _KINDS.index(item[0]),
            )
            elements = [_elements(each) for each in uses]
            most = [number for number in elements if number is not None]
            common = None
            if len(most) == len(uses):
                common = min(*most, sum(itertools.starmap(_common, itertools.product(*uses))))
            if kind == "part" and elements == [common, common]:  # each of several uses is a part
                kind, left, right = "index", _text(uses[0][0]), _text(uses[1][0])
            yield Uses(name, kind, left, right, common)


_KINDS = ("same", "order", "broadcast", "offset", "index", "part", "gather", "whole")


def _difference(first: Any, second: Any) -> tuple[str, str, str]:
    from torch._inductor.dependencies import MemoryDep
    from torch._inductor.utils import sympy_product

    texts = _text(first), _text(second)
    if not isinstance(first, MemoryDep) or not isinstance(second, MemoryDep):
        return "whole", *texts
    numbers = str(first.get_numel()), str(second.get_numel())
    offsets = str(first.get_offset()), str(second.get_offset())
    in_order = [use.normalize_with_stride_order() for use in (first, second)]
    loops = {walk and tuple(walk.loops.items()) for walk in map(_walk, (first, second))}
    is_shifted = None not in loops and len(loops) == 1  # they begin at other places alone
    kinds = (
        ("same", first == second, texts),
        ("gather", first.is_indirect() or second.is_indirect(), texts),
        ("part", first.get_numel() != second.get_numel(), numbers),
        ("broadcast", sympy_product(first.size) != sympy_product(second.size), texts),
        ("offset", offsets[0] != offsets[1] and is_shifted, offsets),
        ("order", in_order[0] == in_order[1], texts),
        ("index", True, texts),
    )
    return next((kind, *said) for kind, is_that, said in kinds if is_that)


def _elements(uses: Iterable[Any]) -> int | None:
    try:
        return sum(int(use.get_numel()) for use in uses)
    except (AttributeError, NotImplementedError, TypeError):  # a symbol, or nothing with a size
        return None


def _common(first: Any, second: Any) -> int:
    walks = _walk(first), _walk(second)
    found = None if None in walks else common_elements(*walks)  # type: ignore[arg-type]
    return min(int(first.get_numel()), int(second.get_numel())) if found is None else found


def _walk(use: Any) -> Walk | None:
    """None for all that is no sum of loops' numbers times strides."""
    from torch._inductor.dependencies import MemoryDep

    if not isinstance(use, MemoryDep) or use.is_indirect():
        return None
    use = use.normalize_with_stride_order()
    strides = {name: use.index.coeff(name) for name in use.var_names}
    rest = use.index - sum(name * stride for name, stride in strides.items())
    sizes = use.ranges
    loops = [(strides[name], sizes[name]) for name in use.var_names if strides[name] != 0]
    numbers = (rest, *(number for loop in loops for number in loop))
    if not all(number.is_Integer and number >= 0 for number in numbers):
        return None
    found = {int(stride): int(size) for stride, size in loops}
    return Walk(int(rest), found) if len(found) == len(loops) else None


def _text(use: Any) -> str:
    """``d1 + 64*d0 for d0 < 8, d1 < 64``; empty for what has no index."""
    from torch._inductor.dependencies import MemoryDep

    if not isinstance(use, MemoryDep):
        return ""
    loops = ", ".join(f"{name} < {size}" for name, size in use.ranges.items())
    return f"{use.index} for {loops}"[:_LONG] if loops else str(use.index)[:_LONG]


@dataclasses.dataclass(frozen=True, slots=True)
class Walk:
    """The elements that nested loops use: ``offset + stride · number`` for each loop.

    Attributes:
        loops: Number of steps by stride; all of them positive.
    """

    offset: int
    loops: Mapping[int, int]


def common_elements(first: Walk, second: Walk) -> int | None:
    """How many elements both use, or None where their loops cannot be compared.

    Both are cut into the same strides. Their elements coincide where the differences of the loops'
    numbers, times the strides, make up the difference of the offsets; an element that a walk used
    twice would count twice, and so that is none to compare.
    """
    strides = sorted({*first.loops, *second.loops})
    cut = [_cut(walk.loops, strides) for walk in (first, second)]
    if any(loops is None or not _is_injective(loops) for loops in cut):
        return None
    left, right = (loops or {} for loops in cut)
    both = [(stride, left.get(stride, 1), right.get(stride, 1)) for stride in reversed(strides)]
    return _count(second.offset - first.offset, both)


def _cut(loops: Mapping[int, int], strides: Sequence[int]) -> dict[int, int] | None:
    """A loop of 8 by stride 1 is one of 2 by stride 4 and one of 4 by stride 1."""
    found = dict(loops)
    for lower, upper in itertools.pairwise(strides):
        number = found.get(lower, 1)
        if lower * number <= upper or upper in loops:
            continue
        inner, rest = divmod(upper, lower)
        if rest or number % inner:
            return None
        found[lower], found[upper] = inner, number // inner
    return found


def _is_injective(loops: Mapping[int, int]) -> bool:
    reached = 0
    for stride, number in sorted(loops.items()):
        if number > 1 and stride <= reached:
            return False
        reached += stride * (number - 1)
    return True


def _count(difference: int, loops: Sequence[tuple[int, int, int]]) -> int:
    """Pairs of elements that are ``difference`` apart, largest stride first."""
    if not loops:
        return int(difference == 0)
    (stride, left, right), inner = loops[0], loops[1:]
    least = sum(step * (1 - number) for step, _, number in inner)
    most = sum(step * (number - 1) for step, number, _ in inner)
    found = 0
    for apart in range(-((most - difference) // stride), (difference - least) // stride + 1):
        pairs = min(left, right + apart) - max(0, apart)
        if pairs > 0:
            found += pairs * _count(difference - apart * stride, inner)
    return found
