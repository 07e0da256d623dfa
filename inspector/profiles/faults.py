"""What memory takes that is fresh from the system: pages that are touched first, and freed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from inspector.profiles.budget import Budget
from inspector.profiles.gain import Gain
from inspector.profiles.hot import Hot

KEEPS_MEMORY = (
    "MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=4294967296 MALLOC_TOP_PAD_=268435456 in the "
    "environment (glibc), or jemalloc by LD_PRELOAD"
)
"""What lets an allocator keep memory that is freed, for the next one that asks."""
# Where tensors are freed: by generated code, or by what calls it, once it has the results.
_FREEING = ("launching", "entry", "outside", "wrappers")


@dataclasses.dataclass(frozen=True, slots=True)
class Faults:
    """What a page takes, measured in the profiled process right behind the calls.

    Attributes:
        touch_ns: To touch it first.
        free_ns: To give it back.
        page_bytes: Its size.
    """

    touch_ns: float
    free_ns: float
    page_bytes: int


def without_freeing(budget: Budget, faults: Faults | None) -> Budget:
    """The same without the time in which memory is given back, where tensors are freed.

    It counts for fresh memory: whatever code happens to free a tensor does not take that time.
    """
    if faults is None:
        return budget
    left_ns = budget.page_faults * faults.free_ns
    causes = dict(budget.causes_ns)
    for name in sorted(_FREEING, key=lambda name: -causes.get(name, 0.0)):
        taken_ns = min(left_ns, causes.get(name, 0.0))
        if taken_ns:
            causes[name] -= taken_ns
            left_ns -= taken_ns
    return dataclasses.replace(budget, causes_ns=causes)


def is_fresh(row: Hot, budget: Budget, faults: Faults | None) -> bool:
    """Whether what equal statements write into is fresh memory, which takes most of their time."""
    facts = row.first.launches[0].facts
    if faults is None or facts is None or facts.bytes_ is None:
        return False
    pages = row.number * sum(facts.writes.values()) / faults.page_bytes
    takes_ns = pages * faults.touch_ns
    return pages <= budget.page_faults and takes_ns > row.median_ns / 2


def fault_gains(budget: Budget, faults: Faults | None) -> Iterator[Gain]:
    """Memory that the system gives anew, page by page: it is given back between calls."""
    if faults is None or not budget.page_faults:
        return
    kept, each_ns = budget.kept, faults.touch_ns + faults.free_ns
    if kept is None:
        takes_ns = min(budget.page_faults * each_ns, budget.wall_ns)
        how = f", of some {each_ns:,.0f} ns each"
    elif kept.is_shorter:
        takes_ns = max(0.0, budget.wall_ns - kept.wall_ns)
        how = "; measured with kept memory"
    else:
        return  # calls that get none take as long
    yield Gain(
        f"memory is fresh from the system ({budget.page_faults:,.0f} page faults a call{how})",
        takes_ns,
        f"an allocator that keeps it: {KEEPS_MEMORY}",
    )
