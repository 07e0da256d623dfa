"""What calls take where the allocator keeps memory, beside what they take as it is."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterable, Mapping, Sequence

from inspector.benches.ratio import Ratio, ratio_of
from inspector.events.bench import BenchBlock, InspectorBench

__all__ = ["KeptMemory", "by_chance", "make_kept", "page_ns", "reaching"]

_LESS = 0.5  # of the page faults, at most: else it is another allocator, which nobody told
_FEW = 64  # pages
_NOTICEABLE = 0.02


@dataclasses.dataclass(frozen=True, slots=True)
class KeptMemory:
    """Calls with an input, of eager PyTorch or of one setting, once memory is kept.

    Attributes:
        medians: The median of each block in ns, by session and round.
        faster: Eager time by this time, both with kept memory; None of eager PyTorch itself.
    """

    medians: Mapping[tuple[int, int], float]
    faster: Ratio | None


def make_kept(mine: Sequence[InspectorBench], eager: Sequence[InspectorBench]) -> KeptMemory | None:
    """What was measured with kept memory; None where nobody did, or the memory is not kept.

    Args:
        mine: What is known of a combination with an input.
        eager: The same of eager PyTorch; nothing for eager PyTorch itself.
    """
    medians = _medians(mine)
    if not medians or not all(_is_kept(events) for events in (mine, eager) if events):
        return None
    return KeptMemory(medians, ratio_of(_medians(eager), medians) if eager else None)


def by_chance(events: Sequence[InspectorBench]) -> bool:
    """Whether it is chance how much of a call is memory that the system gives anew.

    glibc gives back what lies on top of its heap, and what that is depends on all that the process
    has allocated before: it is another thing in the next process. Large blocks are mapped each for
    itself and given back whenever they are freed, in every process.

    Args:
        events: What is known of a combination with an input.
    """
    mapped = [event.mapped_faults for event in events if event.what == "keeps"]
    times = [time_ns for event in events if event.block for time_ns in event.block.times_ns]
    if not mapped or not times:
        return False
    chance = _faults(event.block for event in events) - statistics.median(mapped)
    return chance * page_ns(events) >= _NOTICEABLE * statistics.median(times)


def reaching(faster: Ratio, kept: Ratio) -> Ratio:
    """The interval of a ratio with that where memory is kept: another run can have either.

    Args:
        faster: The ratio as it is.
        kept: The same where memory is kept.
    """
    return Ratio(min(faster.low, kept.low), faster.middle, max(faster.high, kept.high))


def page_ns(events: Iterable[InspectorBench]) -> int:
    """What a page takes that is fresh from the system: to touch it first, and to give it back.

    Args:
        events: What is known of a combination; each session has looked for itself.

    Returns:
        The median in ns; 0 where nobody looked.
    """
    found = [
        event.fresh_page.get("touch_ns", 0) + event.fresh_page.get("free_ns", 0)
        for event in events
        if event.what == "fresh"
    ]
    return round(statistics.median(found)) if found else 0


def _medians(events: Iterable[InspectorBench]) -> dict[tuple[int, int], float]:
    return {
        (event.session, event.kept.round): statistics.median(event.kept.times_ns)
        for event in events
        if event.kept is not None and any(event.kept.times_ns)
    }


def _is_kept(events: Sequence[InspectorBench]) -> bool:
    """Whether fewer pages are new, if any number to speak of was."""
    before = _faults(event.block for event in events)
    return _faults(event.kept for event in events) <= max(_LESS * before, _FEW)


def _faults(blocks: Iterable[BenchBlock | None]) -> float:
    """Pages that the system gives anew in a call, the median over blocks."""
    found = [
        block.page_faults / len(block.times_ns)
        for block in blocks
        if block is not None and block.page_faults is not None and block.times_ns
    ]
    return statistics.median(found) if found else 0.0
