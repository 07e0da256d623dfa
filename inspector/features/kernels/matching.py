"""Finds the kernels of one run again in another: by content, by what they compute, by name."""

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
    left, right = dict(enumerate(before)), dict(enumerate(after))

    def pair(a: int, b: int, how: str) -> None:
        pairs[a] = b, how
        del left[a], right[b]

    def pair_equal(how: str, key: Callable[[Kernel], Hashable | None]) -> None:
        places: dict[Hashable, list[int]] = {}
        for b, item in right.items():
            places.setdefault(key(item.kernel), []).append(b)
        for a, item in list(left.items()):
            own = key(item.kernel)
            if own is not None and places.get(own):
                pair(a, places[own].pop(0), how)

    pair_equal("content", content)
    pair_equal("nodes", _computed)
    for a, b in _similar(left, right):
        if a in left and b in right:
            pair(a, b, "nodes")
    pair_equal("name", lambda kernel: _NUMBER.sub("", kernel.name))
    for index, item in enumerate(before):
        if index in pairs:
            other, how = pairs[index]
            yield _change(item, after[other], how)
        else:
            yield KernelChange(item, None, part_of=_part_of(item, after))
    yield from (KernelChange(None, b, part_of=_part_of(b, before)) for b in right.values())


def _similar(
    left: Mapping[int, DiffKernel], right: Mapping[int, DiffKernel]
) -> list[tuple[int, int]]:
    """Pairs that share at least half of what they compute, the most similar first."""
    overlaps: list[tuple[float, int, int]] = []
    for a, item in left.items():
        for b, other in right.items():
            one, two = _parts(item.kernel), _parts(other.kernel)
            overlaps.append((-len(one & two) / (len(one | two) or 1), a, b))
    return [(a, b) for overlap, a, b in sorted(overlaps) if -overlap >= _LEAST_OVERLAP]


def _part_of(item: DiffKernel, others: Sequence[DiffKernel]) -> str:
    """The name of a kernel that computes all that one does, and more."""
    parts = _parts(item.kernel)
    found = (other.kernel.name for other in others if parts < _parts(other.kernel))
    return next(found, "") if parts else ""


def _parts(kernel: Kernel) -> frozenset[tuple[str, str]]:
    """Operators, and the user's lines by their text: their numbers move when a file is edited."""
    lines = {("line", node.code) for node in kernel.nodes if node.code}
    return frozenset({("aten", name) for name in kernel.aten} | lines)


def _computed(kernel: Kernel) -> Hashable | None:
    parts = _parts(kernel)
    names = tuple(sorted(node.node for node in kernel.nodes))
    return (parts, names) if parts else None


def _change(before: DiffKernel, after: DiffKernel, how: str) -> KernelChange:
    differences = list(_differences(before, after) if how != "content" else ())
    if before.launches != after.launches:
        differences.append(f"launches {before.launches} → {after.launches}")
    if how == "content":
        return KernelChange(before, after, how, tuple(differences))
    old, new = (content(item.kernel).split("\n") for item in (before, after))
    delta = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    return KernelChange(
        before,
        after,
        how,
        (*differences, "source"),
        added=sum(line.startswith("+") for line in delta),
        removed=sum(line.startswith("-") for line in delta),
    )


def _differences(before: DiffKernel, after: DiffKernel) -> Iterator[str]:
    old, new = before.kernel, after.kernel
    if old.kind != new.kind:
        yield f"{old.kind} → {new.kind}"
    for name in dict.fromkeys([*old.size_hints, *new.size_hints]):
        sizes = old.size_hints.get(name, "none"), new.size_hints.get(name, "none")
        if sizes[0] != sizes[1]:
            yield f"{name} {sizes[0]} → {sizes[1]}"
    gone = [f"without {name}" for name in dict.fromkeys(old.aten) if name not in new.aten]
    come = [f"with {name}" for name in dict.fromkeys(new.aten) if name not in old.aten]
    if gone or come:
        yield ", ".join(name.replace("aten.", "") for name in gone + come)
    if old.cpp is None or new.cpp is None:
        return
    one, other = (f"{facts.vector_loops} of {facts.loops}" for facts in (old.cpp, new.cpp))
    if one != other:
        yield f"vectorized loops {one} → {other}"
    if old.cpp.is_parallel != new.cpp.is_parallel:
        yield "serial → parallel" if new.cpp.is_parallel else "parallel → serial"
