"""Finds the kernels of one run again in another: by content, by what they compute, by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from inspector.run.kernel import Kernel
from inspector.run.kernel_diff import DiffKernel, KernelChange

_BACKEND_HASH = re.compile(r"""(['"]backend_hash['"]: )['"][^'"]*['"]""")
# Inductor names files of its cache in comments and in `filename=`; nobody compares folders.
_PATH = re.compile(r"""(['"#\s])(?:/[^\s'"/]+)+/([^\s'"/]+)""")
_NUMBER = re.compile(r"_\d+$")
_LEAST_OVERLAP = 0.5


def content(kernel: Kernel) -> str:
    """A kernel's source without its name, paths and ``backend_hash``."""
    text = _BACKEND_HASH.sub(r"\1''", kernel.source)
    return _PATH.sub(r"\1\2", re.sub(rf"\b{re.escape(kernel.name)}\b", "KERNEL", text))


def matched(before: Sequence[DiffKernel], after: Sequence[DiffKernel]) -> Iterator[KernelChange]:
    """All kernels of both sides, each once: those of A in their order, then what is new in B."""
    pairs: dict[int, tuple[int, str]] = {}
    left, right = list(range(len(before))), list(range(len(after)))
    for how, key in (("content", content), ("nodes", _computed), ("name", _name)):
        found = list(_equal(before, after, left, right, key))
        pairs |= {a: (b, how) for a, b in found}
        left, right = _others(found, left, right)
        if how == "nodes":
            similar = list(_similar(before, after, left, right))
            pairs |= {a: (b, how) for a, b in similar}
            left, right = _others(similar, left, right)
    placed = list(_placed(before, after, pairs, (left, right)))
    pairs |= {a: (b, "place") for a, b in placed}
    left, right = _others(placed, left, right)
    for index, kernel in enumerate(before):
        if index in pairs:
            other, how = pairs[index]
            yield _change(kernel, after[other], how)
        else:
            yield KernelChange(kernel, None, part_of=_part_of(kernel, after))
    for index in right:
        yield KernelChange(None, after[index], part_of=_part_of(after[index], before))


def _equal(
    before: Sequence[DiffKernel],
    after: Sequence[DiffKernel],
    left: Sequence[int],
    right: Sequence[int],
    key: Callable[[Kernel], Hashable | None],
) -> Iterator[tuple[int, int]]:
    """Pairs with the same key, in order; a key of None stands for nothing."""
    places: dict[Hashable, list[int]] = {}
    for index in right:
        places.setdefault(key(after[index].kernel), []).append(index)
    for index in left:
        own = key(before[index].kernel)
        if own is not None and places.get(own):
            yield index, places[own].pop(0)


def _similar(
    before: Sequence[DiffKernel],
    after: Sequence[DiffKernel],
    left: Sequence[int],
    right: Sequence[int],
) -> Iterator[tuple[int, int]]:
    """Pairs that share at least half of what they compute, the most similar first."""
    parts = {a: _parts(before[a].kernel) for a in left}
    others = {b: _parts(after[b].kernel) for b in right}
    found = [(_overlap(parts[a], others[b]), a, b) for a in left for b in right]
    used: tuple[set[int], set[int]] = (set(), set())
    for overlap, a, b in sorted(found, key=lambda item: (-item[0], item[1], item[2])):
        if overlap < _LEAST_OVERLAP:
            return
        if a not in used[0] and b not in used[1]:
            used[0].add(a)
            used[1].add(b)
            yield a, b


def _placed(
    before: Sequence[DiffKernel],
    after: Sequence[DiffKernel],
    pairs: Mapping[int, tuple[int, str]],
    rest: tuple[Sequence[int], Sequence[int]],
) -> Iterator[tuple[int, int]]:
    """Pairs of one form that stand between the same kernels: an operator there is another one."""
    gaps: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
    partners = {a: b for a, (b, _) in pairs.items()}
    places = partners, {b: b for b in partners.values()}
    for side, indices in enumerate(rest):
        for index in indices:
            gap = _gap(index, places[side], len(after))
            gaps.setdefault(gap, ([], []))[side].append(index)
    for lefts, rights in gaps.values():
        forms = [_form(before[a].kernel) for a in lefts], [_form(after[b].kernel) for b in rights]
        for a, b in _equal(before, after, lefts, rights, _form):
            if forms[0] == forms[1] or _parts(before[a].kernel) & _parts(after[b].kernel):
                yield a, b


def _gap(index: int, partners: Mapping[int, int], end: int) -> tuple[int, int]:
    """The kernels of B between whose places, or whose partners' places, one of a side stands."""
    previous = max((place for place in partners if place < index), default=None)
    following = min((place for place in partners if place > index), default=None)
    return (
        -1 if previous is None else partners[previous],
        end if following is None else partners[following],
    )


def _form(kernel: Kernel) -> Hashable:
    return kernel.kind, tuple(kernel.size_hints.items())


def _part_of(item: DiffKernel, others: Sequence[DiffKernel]) -> str:
    """The name of a kernel that computes all that one does, and more."""
    parts = _parts(item.kernel)
    found = (other.kernel.name for other in others if parts < _parts(other.kernel))
    return next(found, "") if parts else ""


def _others(
    pairs: Sequence[tuple[int, int]], left: Sequence[int], right: Sequence[int]
) -> tuple[list[int], list[int]]:
    lefts, rights = {a for a, _ in pairs}, {b for _, b in pairs}
    return [a for a in left if a not in lefts], [b for b in right if b not in rights]


def _parts(kernel: Kernel) -> frozenset[tuple[str, str]]:
    """Operators, and the user's lines by their text: their numbers move when a file is edited."""
    lines = {("line", node.code) for node in kernel.nodes if node.code}
    return frozenset({("aten", name) for name in kernel.aten} | lines)


def _overlap(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _computed(kernel: Kernel) -> Hashable | None:
    parts = _parts(kernel)
    names = tuple(sorted(node.node for node in kernel.nodes))
    return (parts, names) if parts else None


def _name(kernel: Kernel) -> Hashable | None:
    return _NUMBER.sub("", kernel.name)


def _change(before: DiffKernel, after: DiffKernel, how: str) -> KernelChange:
    if how == "content":
        return KernelChange(before, after, how, tuple(_of_launches(before, after)))
    old, new = (content(item.kernel).split("\n") for item in (before, after))
    delta = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    return KernelChange(
        before,
        after,
        how,
        tuple(_differences(before, after)),
        added=sum(line.startswith("+") for line in delta),
        removed=sum(line.startswith("-") for line in delta),
    )


def _of_launches(before: DiffKernel, after: DiffKernel) -> Iterator[str]:
    if before.launches != after.launches:
        yield f"launches {before.launches} → {after.launches}"


def _differences(before: DiffKernel, after: DiffKernel) -> Iterator[str]:
    old, new = before.kernel, after.kernel
    if old.kind != new.kind:
        yield f"{old.kind} → {new.kind}"
    for name in dict.fromkeys([*old.size_hints, *new.size_hints]):
        sizes = old.size_hints.get(name, "none"), new.size_hints.get(name, "none")
        if sizes[0] != sizes[1]:
            yield f"{name} {sizes[0]} → {sizes[1]}"
    gone = [name for name in dict.fromkeys(old.aten) if name not in new.aten]
    come = [name for name in dict.fromkeys(new.aten) if name not in old.aten]
    if gone or come:
        names = [f"without {name}" for name in gone] + [f"with {name}" for name in come]
        yield ", ".join(name.replace("aten.", "") for name in names)
    yield from _of_loops(old, new)
    yield from _of_launches(before, after)
    yield "source"


def _of_loops(old: Kernel, new: Kernel) -> Iterator[str]:
    if old.cpp is None or new.cpp is None:
        return
    one, other = (f"{facts.vector_loops} of {facts.loops}" for facts in (old.cpp, new.cpp))
    if one != other:
        yield f"loops with vectors {one} → {other}"
    if old.cpp.is_parallel != new.cpp.is_parallel:
        yield "serial → parallel" if new.cpp.is_parallel else "parallel → serial"
