"""What shares data and was not fused: why, and what fusing would save."""

import itertools
from collections.abc import Iterator, Mapping

from inspector.features.graph.fusion import Fusion, Pair, Step
from inspector.features.graph.pair_reasons import reason_of
from inspector.features.graph.reasons import formatted
from inspector.features.graph.step_names import described
from inspector.features.graph.step_pair import StepPair
from inspector.records.fusion import Apart
from inspector.shared.dtypes import find_dtype

_MOST_USERS = 16


def unfused_pairs(fusion: Fusion) -> list[Pair]:
    """The pairs, those that would save most first; pairs that share nothing are left out.

    Of many kernels that use the same tensor only neighbours are pairs: one kernel for all of them
    would read it once, which is what the sum over neighbours says.
    """
    said = {(item.first, item.second): item for item in fusion.plan.apart}
    using = _Using(fusion)
    pairs = []
    for first, second, shared in using.pairs():
        one, other = fusion.steps[first], fusion.steps[second]
        apart = _said(said, one, other)
        common = _common(fusion, apart[0]) if apart else {}
        saved = sum(using.saved(name, first, second, common) for name in shared)
        if not saved:
            continue
        words = formatted(apart[0].reason, apart[0].arguments) if apart else ""
        reason = reason_of(StepPair(fusion, one, other, shared, *(apart or ())))
        pairs.append(Pair(first, second, shared, saved, words, reason))
    return sorted(pairs, key=lambda pair: -pair.saved_bytes)


class _Using:
    """Which step uses which memory; several buffers can be one (`.memory`)."""

    def __init__(self, fusion: Fusion) -> None:
        self._steps = fusion.steps
        self._reads = [fusion.memory.rooted(step.reads) for step in fusion.steps]
        self._writes = [fusion.memory.rooted(step.writes) for step in fusion.steps]
        self._users: dict[str, list[int]] = {}
        for place, (reads, writes) in enumerate(zip(self._reads, self._writes, strict=True)):
            for name in dict.fromkeys((*reads, *writes)):
                self._users.setdefault(name, []).append(place)
        self._kept = self._in_memory(fusion)

    def pairs(self) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Two steps each, of which not both are calls, with what both use."""
        shared: dict[tuple[int, int], list[str]] = {}
        for name, places in self._users.items():
            reach = 1 if len(places) > _MOST_USERS else _MOST_USERS
            for number, first in enumerate(places):
                for second in places[number + 1 : number + 1 + reach]:
                    shared.setdefault((first, second), []).append(name)
        for (first, second), names in sorted(shared.items()):
            both = self._steps[first], self._steps[second]
            if not all(step.is_call for step in both) and not any(step.is_view for step in both):
                yield first, second, tuple(names)

    def saved(self, name: str, first: int, second: int, common: Mapping[str, int]) -> int:
        """What is read twice is read once; what is only passed on is neither written nor read."""
        read = self._reads[second].get(name, 0)
        read = min(read, common.get(name, read))
        written = self._writes[first].get(name)
        if written is None:
            return min(self._reads[first].get(name, 0), read)
        read = min(read, written)
        return read if name in self._kept else read + written

    def _in_memory(self, fusion: Fusion) -> set[str]:
        """What has to be in memory even if two of its users were one kernel.

        What a third uses, what is not the compiler's own, and what is changed in place: it is
        changed where it lies. A Triton kernel of the user's is given memory to write to, which
        nothing else has used before.
        """
        kept = {name for name, places in self._users.items() if len(places) > 2}  # noqa: PLR2004
        names: dict[str, list[str]] = {}
        for step in self._steps:
            for name in (*step.reads, *step.writes):
                names.setdefault(fusion.memory.root(name), []).append(name)
        kept |= {
            root for root in names if fusion.memory.kind(root, names[root]) != "intermediate"
            or root not in fusion.buffers
        }  # fmt: skip
        for operation in fusion.plan.operations:
            if operation.mutates and operation.kind != "user_kernel":
                kept |= {fusion.memory.root(name) for name in operation.mutates}
        return kept


def _common(fusion: Fusion, apart: Apart) -> Mapping[str, int]:
    """Bytes that both use of each memory, where that is known: of a slice Inductor counts all."""
    found: dict[str, int] = {}
    for use in apart.uses:
        dtype = find_dtype(fusion.memory.buffer(use.buffer).dtype)
        if use.common is not None and dtype is not None:
            root = fusion.memory.root(use.buffer)
            found[root] = found.get(root, 0) + use.common * dtype.size_bytes
    return found


def _said(
    said: Mapping[tuple[int, int], Apart], first: Step, second: Step
) -> tuple[Apart, bool] | None:
    """What torch said of two launches in them, and whether it named the earlier one first."""
    for one, other in itertools.product(first.launches, second.launches):
        for pair, is_in_order in (((one, other), True), ((other, one), False)):
            if pair in said:
                return said[pair], is_in_order
    return None


def grouped(fusion: Fusion) -> list[tuple[Pair, int]]:
    """Pairs that are the same in each of many equal layers, once, with their number.

    The same kernels or operators for the same reason; the first, which saves most, stands for all.
    """
    found: dict[tuple[str, ...], list[Pair]] = {}
    for pair in fusion.pairs:
        sides = (fusion.steps[pair.first], fusion.steps[pair.second])
        words = tuple(described(step) for step in sides)
        found.setdefault((*words, pair.torch_reason, str(pair.saved_bytes)), []).append(pair)
    return [(same[0], len(same)) for same in found.values()]
