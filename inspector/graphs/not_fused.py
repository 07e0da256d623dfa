"""What shares data and was not fused: why, and what fusing would save."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from inspector.events.fusion import Apart
from inspector.graphs.between import Between
from inspector.graphs.fusion import Fusion, Step
from inspector.graphs.pair_reasons import TEMPLATES, reason_of
from inspector.graphs.reasons import Reason, formatted
from inspector.graphs.step_names import described, short_name
from inspector.model.dtypes import find_dtype

__all__ = ["TEMPLATES", "Pair", "described", "grouped", "kept_apart", "short_name"]


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """Two steps with data in common.

    Attributes:
        first: Place in `Fusion.steps` of the earlier one.
        second: Place of the later one.
        shared: Names of the buffers that both use.
        saved_bytes: Bytes that one kernel for both would not have to read or write.
        said: Torch's own words, or an empty string where it gave none.
        reason: What they mean, with the two operators in the sentence; None where it is unknown.
    """

    first: int
    second: int
    shared: tuple[str, ...]
    saved_bytes: int
    said: str
    reason: Reason | None


def kept_apart(fusion: Fusion) -> list[Pair]:
    """The pairs, those that would save most first; pairs that share nothing are left out."""
    said = {(item.first, item.second): item for item in fusion.plan.apart}
    users = _users(fusion)
    kept = _kept(fusion, users)
    pairs = []
    for first, second, shared in _sharing(fusion, users):
        one, other = fusion.steps[first], fusion.steps[second]
        apart = _said(said, one, other)
        common = _common(fusion, apart[0]) if apart else {}
        saved = sum(_saved(name, one, other, kept, common) for name in shared)
        if not saved:
            continue
        words = formatted(apart[0].reason, apart[0].arguments) if apart else ""
        reason = reason_of(Between(fusion, one, other, shared, *(apart or ())))
        pairs.append(Pair(first, second, shared, saved, words, reason))
    return sorted(pairs, key=lambda pair: -pair.saved_bytes)


def _users(fusion: Fusion) -> Mapping[str, set[int]]:
    users: dict[str, set[int]] = {}
    for place, step in enumerate(fusion.steps):
        for name in (*step.reads, *step.writes):
            users.setdefault(name, set()).add(place)
    return users


def _sharing(
    fusion: Fusion, users: Mapping[str, set[int]]
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    shared: dict[tuple[int, int], list[str]] = {}
    for name, places in users.items():
        ordered = sorted(places)
        for number, first in enumerate(ordered):
            for second in ordered[number + 1 :]:
                shared.setdefault((first, second), []).append(name)
    for (first, second), names in sorted(shared.items()):
        both = fusion.steps[first], fusion.steps[second]
        if not all(step.is_call for step in both):
            yield first, second, tuple(names)


def _kept(fusion: Fusion, users: Mapping[str, set[int]]) -> set[str]:
    """What has to be in memory even if two of its users were one kernel.

    What a third uses, what is not the compiler's own, and what is changed in place: it is changed
    where it lies. A Triton kernel of the user's is given memory to write to, which nothing else
    has used before.
    """
    kept = {name for name, places in users.items() if len(places) > 2}  # noqa: PLR2004
    for name in users:
        buffer = fusion.buffers.get(name)
        if buffer is None or buffer.kind != "intermediate":
            kept.add(name)
    for operation in fusion.plan.operations:
        if operation.mutates and operation.kind != "user_kernel":
            kept |= {*operation.mutates, *operation.writes}
    return kept


def _common(fusion: Fusion, apart: Apart) -> Mapping[str, int]:
    """Bytes that both use of each buffer, where that is known: of a slice Inductor counts all."""
    found: dict[str, int] = {}
    for use in apart.uses:
        buffer = fusion.buffers.get(use.buffer)
        dtype = find_dtype(buffer.dtype) if buffer else None
        if use.common is not None and dtype is not None:
            found[use.buffer] = use.common * dtype.size_bytes
    return found


def _saved(name: str, first: Step, second: Step, kept: set[str], common: Mapping[str, int]) -> int:
    """What is read twice is read once; what is only passed on is neither written nor read."""
    read = second.reads.get(name, 0)
    read = min(read, common.get(name, read))
    if name not in first.writes:
        return min(first.reads.get(name, 0), read)
    return read if name in kept else read + first.writes[name]


def _said(
    said: Mapping[tuple[int, int], Apart], first: Step, second: Step
) -> tuple[Apart, bool] | None:
    """What torch said of two launches in them, and whether it named the earlier one first."""
    for one in first.launches:
        for other in second.launches:
            if (one, other) in said:
                return said[one, other], True
            if (other, one) in said:
                return said[other, one], False
    return None


def grouped(fusion: Fusion, pairs: Sequence[Pair]) -> list[tuple[Pair, int]]:
    """Pairs that are the same in each of many equal layers, once, with their number.

    The same kernels or operators for the same reason; the first, which saves most, stands for all.
    """
    found: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        sides = (fusion.steps[pair.first], fusion.steps[pair.second])
        words = tuple(described(step) for step in sides)
        found.setdefault((*words, pair.said), []).append(pair)
    return [(same[0], len(same)) for same in found.values()]
