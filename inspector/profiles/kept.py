"""What a call on a CPU takes where the allocator keeps memory, beside what it takes as it is."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

from inspector.events.device_profile import DeviceProfile, TimedBlock
from inspector.events.kept_memory import InspectorKeptMemory
from inspector.model.fresh_memory import is_by_chance, is_kept
from inspector.model.student import half_width
from inspector.profiles.rounds import (
    LEAST_ROUNDS,
    medians_of,
    ratio_of_rounds,
    rounds_of,
    typical_ns,
)


@dataclasses.dataclass(frozen=True, slots=True)
class KeptCalls:
    """Calls with an input, once memory is kept.

    Attributes:
        wall_ns: Time of a call: the geometric mean of the medians of rounds.
        eager_ns: The same of calls without the compiler.
        faster: ``eager_ns / wall_ns`` between the ends of its 95 % interval.
        is_chance: Whether another start of the program may keep that memory by itself, or this one
            might have, of calls of either kind (`inspector.model.fresh_memory.is_by_chance`).
        is_shorter: Whether calls with the compiler take less by more than rounds differ by.
    """

    wall_ns: float
    eager_ns: float
    faster: tuple[float, float, float]
    is_chance: bool
    is_shorter: bool


def kept_calls(profile: DeviceProfile, kept: InspectorKeptMemory | None) -> KeptCalls | None:
    """What calls take with kept memory.

    Args:
        profile: The calls as they are.
        kept: Those that were made once the allocator was told to keep memory, or None.

    Returns:
        None where there are none, or too few of them, or memory is not kept after all.
    """
    rounds = rounds_of(kept.blocks) if kept is not None else ()
    faster = ratio_of_rounds(rounds)
    if kept is None or faster is None:
        return None
    sides = (
        (profile.plain_ns, profile.page_faults, kept.page_faults, kept.mapped_faults),
        (profile.eager_ns, profile.eager_page_faults, kept.eager_page_faults,
         kept.eager_mapped_faults),
    )  # fmt: skip
    if not all(
        before and after and is_kept(statistics.median(before), statistics.median(after))
        for _, before, after, _ in sides
    ):
        return None
    each_ns = profile.fresh_page.get("touch_ns", 0) + profile.fresh_page.get("free_ns", 0)
    return KeptCalls(
        wall_ns=typical_ns([plain for _, plain in rounds], ()),
        eager_ns=typical_ns([eager for eager, _ in rounds], ()),
        faster=faster,
        is_chance=any(
            is_by_chance(statistics.median(times), statistics.median(before), mapped, each_ns)
            for times, before, _, mapped in sides
            if times and mapped is not None
        ),
        is_shorter=_is_shorter(profile.blocks, kept.blocks),
    )


def _is_shorter(before: Sequence[TimedBlock], after: Sequence[TimedBlock]) -> bool:
    """Whether calls with the compiler take less than before, by the rounds of both."""
    logs = [[math.log(ns) for ns in medians_of(each, "plain").values()] for each in (before, after)]
    if min(map(len, logs)) < LEAST_ROUNDS:
        return False
    reach = math.hypot(*map(half_width, logs))
    return statistics.fmean(logs[0]) - statistics.fmean(logs[1]) > reach
