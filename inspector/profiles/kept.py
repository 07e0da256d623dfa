"""What a call on a CPU takes where the allocator keeps memory, beside what it takes as it is."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Sequence

from inspector.events.device_profile import DeviceProfile
from inspector.events.kept_memory import InspectorKeptMemory
from inspector.model.fresh_memory import is_kept
from inspector.profiles.rounds import ratio_of_rounds, rounds_of, typical_ns

__all__ = ["KeptCalls", "kept_calls"]

_MOSTLY = 0.8  # of the pages: what is in every process alike is no chance
_NOTICEABLE = 0.02  # of a call: less is in the noise of any


@dataclasses.dataclass(frozen=True, slots=True)
class KeptCalls:
    """Calls with an input, once memory is kept.

    Attributes:
        wall_ns: Time of a call: the geometric mean of the medians of rounds.
        eager_ns: The same of calls without the compiler.
        faster: ``eager_ns / wall_ns`` between the ends of its 95 % interval.
        is_chance: Whether another start of the program may keep that memory by itself, or this one
            have kept it: what is given back lies on top of the heap, and what that is depends on
            all that the process has allocated before. Large blocks are mapped each for itself and
            given back whenever they are freed, in every process.
    """

    wall_ns: float
    eager_ns: float
    faster: tuple[float, float, float]
    is_chance: bool


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
    for _, before, after, _ in sides:
        if not before or not after:
            return None
        if not is_kept(statistics.median(before), statistics.median(after)):
            return None
    each_ns = profile.fresh_page.get("touch_ns", 0) + profile.fresh_page.get("free_ns", 0)
    return KeptCalls(
        wall_ns=typical_ns([plain for _, plain in rounds], ()),
        eager_ns=typical_ns([eager for eager, _ in rounds], ()),
        faster=faster,
        is_chance=any(
            _is_chance(times_ns, before, mapped, each_ns) for times_ns, before, _, mapped in sides
        ),
    )


def _is_chance(
    times_ns: Sequence[int], faults: Sequence[int], mapped: int | None, each_ns: float
) -> bool:
    """Whether most of a call's new memory is what lay on top of the heap, and it is noticed."""
    if mapped is None or not times_ns:
        return False
    new = statistics.median(faults)
    chance = new - mapped
    is_noticeable = chance * each_ns >= _NOTICEABLE * statistics.median(times_ns)
    return is_noticeable and chance >= _MOSTLY * new
