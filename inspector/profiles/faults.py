"""What memory takes that is fresh from the system: pages that are touched first, and freed."""

from __future__ import annotations

import dataclasses

from inspector.profiles.budget import Budget

__all__ = ["Faults", "without_freeing"]

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
