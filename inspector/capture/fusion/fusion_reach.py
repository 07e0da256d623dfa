"""The bytes of each buffer that a scheduler node's indices reach.

``get_read_write_buffer_accesses`` (2.11 to 2.13) counts a buffer as a whole for what is fused, for
a library's call that takes a view, and for what changes a part of a tensor in place: of one row
that goes into a cache, all of the cache, both ways. Of a tensor of which a part was changed, it
counts that part for who reads all of it.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_WHOLE = 1 << 62  # more than any buffer has


@dataclasses.dataclass(frozen=True, slots=True)
class _Access:
    """What one operation reads of a buffer, or writes to it.

    Attributes:
        dependency: Inductor's ``MemoryDep``; anything else is about nothing or all of the buffer.
        by: What an index that is known only when it runs is read from.
    """

    name: str
    bytes_: int
    dependency: Any
    by: tuple[str, ...] = ()

    def key(self) -> object:
        """What it reaches, whatever the order of the loops."""
        dependency = self.dependency
        with contextlib.suppress(Exception):  # an index that has no strides
            dependency = dependency.normalize_with_stride_order()
        return str(dependency.index), str(dependency.size), self.by

    def ends(self) -> tuple[int, int] | None:
        """The first and the last element that it may reach, or None where that is not known."""
        from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

        if self.dependency.is_indirect():
            return None
        ranges = {name: ValueRanges(0, size - 1) for name, size in self.dependency.ranges.items()}
        bounds = bound_sympy(self.dependency.index, ranges)
        return max(0, int(bounds.lower)), int(bounds.upper)


def reached(node: Any, counted: Mapping[str, int | None], *, is_read: bool) -> dict[str, int]:
    """Bytes of those buffers of which something else is reached than Inductor counts.

    Asked while the node's graph is being generated; `counted` are Inductor's bytes by buffer. What
    several operations take through different indices is added up, up to all that there is: it is an
    upper bound.
    """
    accesses: dict[str, list[_Access]] = defaultdict(list)
    for inner in node.get_nodes():
        if inner.is_extern():
            taken = _by_view(inner) if is_read else []  # it writes whole tensors
        else:
            taken = _by_index(inner, is_read)
        for access in taken:
            accesses[access.name].append(access)
    found: dict[str, int] = {}
    for name, before in counted.items():
        if name not in accesses or before is None:
            continue
        limit = _memory_bytes(node, name)
        size = _together(accesses[name], before if limit is None else limit)
        if before != size:
            found[name] = size
    return found


def _together(accesses: Sequence[_Access], limit: int) -> int:
    """The bytes of all of them; what is reached several times counts once."""
    used = [access for access in accesses if access.bytes_]
    most = max((access.bytes_ for access in used), default=0)
    if most >= limit or len(used) <= 1:
        return min(most, limit)
    by_key = {access.key(): access for access in used}
    total = min(sum(access.bytes_ for access in by_key.values()), limit)
    return total if len(by_key) == 1 else min(total, _stretch(list(by_key.values())) or total)


def _stretch(accesses: Sequence[_Access]) -> int | None:
    """Bytes of all that lies between the first and the last element that are reached."""
    from torch._inductor.virtualized import V

    try:
        ends = [access.ends() for access in accesses]
    except (AssertionError, AttributeError, TypeError, ValueError):  # sizes that are symbols
        return None
    known = [end for end in ends if end is not None]
    if len(known) < len(ends):
        return None
    elements = max(last for _, last in known) - min(first for first, _ in known) + 1
    return elements * int(V.graph.get_dtype(accesses[0].name).itemsize)


def _memory_bytes(node: Any, name: str) -> int | None:
    """All of the tensor that a buffer is a changed part of; None of any other."""
    from torch._inductor.dependencies import StarDep
    from torch._inductor.virtualized import V

    root, buffer = name, V.graph.name_to_buffer.get(name)
    while buffer is not None and len(names := list(buffer.get_mutation_names())) == 1:
        root = str(names[0])
        buffer = V.graph.name_to_buffer.get(root)
    return None if root == name else int(node.scheduler.dep_size_hint(StarDep(root)))


def _by_index(node: Any, is_read: bool) -> list[_Access]:  # noqa: FBT001
    chosen = node.read_writes.reads if is_read else node.read_writes.writes
    is_sum = not is_read and _adds(node)
    indices = tuple(sorted(_indices(node))) if any(map(_is_indirect, chosen)) else ()
    return [
        _Access(
            str(item.name),
            _bytes(node, item) * (2 if is_sum and _is_indirect(item) else 1),
            item,
            indices if _is_indirect(item) else (),
        )
        for item in chosen
    ]


def _adds(node: Any) -> bool:
    """Whether it adds to what is there, which is read for it."""
    from torch._inductor.loop_body import LoopBody, MemoryUsageType

    body = getattr(node, "_body", None)
    stores = body.memory_usage[MemoryUsageType.STORE] if isinstance(body, LoopBody) else ()
    return any(entry.mode == "atomic_add" for entry in stores)


def _indices(node: Any) -> Iterator[str]:
    """What whole numbers are read from: two operations can both call theirs ``tmp0``."""
    from torch._inductor.dependencies import MemoryDep
    from torch._inductor.virtualized import V

    for item in node.read_writes.reads:
        if isinstance(item, MemoryDep) and not V.graph.get_dtype(item.name).is_floating_point:
            yield f"{item.name}[{item.index}]"


def _is_indirect(dependency: Any) -> bool:
    from torch._inductor.dependencies import MemoryDep

    return isinstance(dependency, MemoryDep) and dependency.is_indirect()


def _by_view(node: Any) -> list[_Access]:
    """What a library's call takes: views of a buffer name the buffer."""
    from torch._inductor import ir

    named = {str(dependency.name) for dependency in node.read_writes.reads}
    found: list[_Access] = []
    for value in getattr(node.node, "inputs", ()):
        if not isinstance(value, ir.IRNode):  # a list of several
            return []
        dependency = _view(value) if isinstance(value, ir.ReinterpretView) else None
        size = _WHOLE if dependency is None else _size(node, dependency)
        if str(value.get_name()) in named:
            found.append(_Access(str(value.get_name()), size, dependency))
    return found


def _view(value: Any) -> Any:
    from torch._inductor.dependencies import MemoryDep

    sizes = tuple(value.get_size())
    symbols = _symbols(len(sizes))
    # A dimension that is expanded has no symbol in the index, and counts once.
    places = zip(symbols, value.get_stride(), strict=True)
    index = sum((place * stride for place, stride in places), 0 * _symbols(1)[0])
    index += value.layout.offset
    return MemoryDep(value.get_name(), index, symbols, sizes)


def _bytes(node: Any, dependency: Any) -> int:
    from torch._inductor.dependencies import MemoryDep

    if not isinstance(dependency, MemoryDep) and not _is_used(node, str(dependency.name)):
        return 0
    if _is_indirect(dependency):
        # Where it gets to is known when it runs; how often, before: once in each turn of the loops.
        # A dependency has only those loops that its index names itself.
        sizes = tuple(size for part in node.get_ranges() for size in part)
        symbols = _symbols(len(sizes))
        every = sum(symbols, 0 * dependency.index)
        dependency = MemoryDep(dependency.name, every, symbols, sizes)
    return _size(node, dependency)


def _symbols(number: int) -> tuple[Any, ...]:
    from torch._inductor.utils import sympy_index_symbol

    return tuple(sympy_index_symbol(f"d{place}") for place in range(number))


def _size(node: Any, dependency: Any) -> int:
    """What has no size (several values together, one that is found when it runs) is left alone."""
    return int(node.scheduler.dep_size_hint(dependency)) or _WHOLE


def _is_used(node: Any, name: str) -> bool:
    """Whether a buffer that is named as a whole is used, or only has to be written before.

    The scheduler orders what changes a tensor behind what had it before by such a dependency. In
    generated loops only a search in sorted values reads a tensor as a whole.
    """
    from torch._inductor.loop_body import LoopBody, MemoryUsageType

    body = getattr(node, "_body", None)
    if not isinstance(body, LoopBody):
        return True
    searched = body.memory_usage[MemoryUsageType.BUCKETIZE]
    return name in {entry.buffer_name for entry in searched}
