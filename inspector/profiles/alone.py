"""One kernel timed alone, beside its launches in the model's own calls."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

from inspector.profiles.kernel_timing import KernelTiming
from inspector.records.kernel_bench import KernelBench

COLD, WARM = "cold", "warm"


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """Times of the same launch.

    Attributes:
        low_ns: The 5th percentile.
        high_ns: The 95th percentile.
    """

    median_ns: float
    low_ns: float
    high_ns: float
    number: int


@dataclasses.dataclass(frozen=True, slots=True)
class InPlace:
    """The same launches in the model's own calls.

    Attributes:
        launches: How many a call has with the arguments that were taken.
        work: One of them, with what it moves and computes.
    """

    times: Measured
    launches: int
    wall_ns: float
    work: KernelTiming


def measured(times_ns: Sequence[int]) -> Measured | None:
    """The median of times, with their spread; None of none."""
    ordered = sorted(times_ns)
    if not ordered:
        return None
    last = len(ordered) - 1
    low, high = (float(ordered[round(last * part)]) for part in (0.05, 0.95))
    return Measured(float(statistics.median(ordered)), low, high, len(ordered))


def in_place_of(bench: KernelBench, work: Sequence[KernelTiming], wall_ns: float) -> InPlace | None:
    """The launches of the calls that were benchmarked, by their statements."""
    places = set(bench.places)
    found = [
        item
        for item in work
        if (item.launches[0].launch.place.file, item.launches[0].launch.place.line) in places
    ]
    times = measured([time_ns for item in found for time_ns in item.times_ns])
    if times is None:
        return None
    return InPlace(times, len(found), wall_ns, found[0])


def regime_of(cold: Measured | None, warm: Measured | None, in_place: InPlace | None) -> str:
    """Whether its time in place is nearer to that with an empty cache, or with a full one."""
    if in_place is None or not in_place.times.median_ns:
        return COLD
    if cold is None or warm is None:
        return COLD if cold is not None else WARM
    there_ns = in_place.times.median_ns
    away = [abs(math.log(item.median_ns / there_ns)) for item in (cold, warm)]
    return COLD if away[0] <= away[1] else WARM
