"""What a benchmark of one kernel says: which configuration is faster, and by how much in a call."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

from inspector.events.kernel_bench import BenchedConfig, InspectorKernelBench
from inspector.profiles.interval import ratio_of_batches
from inspector.profiles.work import Work

COLD, WARM = "cold", "warm"


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """Times of the same launch.

    Attributes:
        median_ns: Their median.
        low_ns: The 5th percentile.
        high_ns: The 95th percentile.
        number: How many there are.
    """

    median_ns: float
    low_ns: float
    high_ns: float
    number: int


@dataclasses.dataclass(frozen=True, slots=True)
class InPlace:
    """The same launches in the model's own calls.

    Attributes:
        times: The times of one.
        launches: How many a call has with the arguments that were taken.
        wall_ns: The time of a call.
        work: One of them, with what it moves and computes.
    """

    times: Measured
    launches: int
    wall_ns: float
    work: Work


@dataclasses.dataclass(frozen=True, slots=True)
class BenchGain:
    """What another configuration would change.

    Attributes:
        config: Its place among the configurations.
        ratio: The time of what the program runs by its time: above 1 it is faster.
        interval: Of the ratio; wider than 95 %.
        launch_ns: What one launch would take less, by the ratio.
        call_ns: What a call would take less, an estimate; or None where no call was timed.
        share: The same as a part of the call, or None.
    """

    config: int
    ratio: float
    interval: tuple[float, float]
    launch_ns: float
    call_ns: float | None
    share: float | None

    @property
    def is_real(self) -> bool:
        """Whether it is more than noise."""
        return self.interval[0] > 1

    @property
    def is_loss(self) -> bool:
        """Whether it is slower, by more than noise."""
        return self.interval[1] < 1


def measured(times_ns: Sequence[int]) -> Measured | None:
    """The median of times, with their spread; None of none."""
    ordered = sorted(times_ns)
    if not ordered:
        return None
    last = len(ordered) - 1
    low, high = (float(ordered[round(last * part)]) for part in (0.05, 0.95))
    return Measured(float(statistics.median(ordered)), low, high, len(ordered))


def in_place_of(
    bench: InspectorKernelBench, work: Sequence[Work], wall_ns: float
) -> InPlace | None:
    """The launches of the calls that were benchmarked, by their statements.

    Args:
        bench: The benchmark.
        work: What a call does.
        wall_ns: How long it takes.
    """
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


def times_of(config: BenchedConfig, regime: str, *, final: bool = False) -> tuple[int, ...]:
    """The times of a configuration with an empty (``cold``) or a full cache (``warm``)."""
    if final:
        return config.final_cold_ns if regime == COLD else config.final_warm_ns
    return config.cold_ns if regime == COLD else config.warm_ns


def regime_of(bench: InspectorKernelBench, in_place: InPlace | None) -> str:
    """Whether its time in place is nearer to that with an empty cache, or with a full one."""
    if not bench.configs or in_place is None:
        return COLD
    chosen = bench.configs[bench.chosen]
    final = bool(chosen.final_cold_ns)
    cold, warm = (measured(times_of(chosen, regime, final=final)) for regime in (COLD, WARM))
    there_ns = in_place.times.median_ns
    if cold is None or warm is None or not there_ns:
        return COLD if cold is not None else WARM
    away = [abs(math.log(item.median_ns / there_ns)) for item in (cold, warm)]
    return COLD if away[0] <= away[1] else WARM


def gain_of(
    bench: InspectorKernelBench, number: int, regime: str, in_place: InPlace | None
) -> BenchGain | None:
    """What a configuration would change, by the same run of both; None where it was not timed.

    Args:
        bench: The benchmark.
        number: Its place among the configurations.
        regime: As in `regime_of`.
        in_place: The launches in a call, or None.
    """
    chosen, other = bench.configs[bench.chosen], bench.configs[number]
    final = bool(times_of(other, regime, final=True) and times_of(chosen, regime, final=True))
    before, after = (times_of(item, regime, final=final) for item in (chosen, other))
    found = ratio_of_batches(before, after)
    if found is None:
        return None
    low, ratio, high = found
    launch_ns = statistics.median(before) * (1 - 1 / ratio)
    call_ns = launch_ns * in_place.launches if in_place is not None else None
    whole_ns = in_place.wall_ns if in_place is not None else 0
    share = call_ns / whole_ns if call_ns is not None and whole_ns else None
    return BenchGain(number, ratio, (low, high), launch_ns, call_ns, share)


def best_of(bench: InspectorKernelBench, regime: str) -> int | None:
    """The fastest beyond noise that writes what the program's own does; else what the program runs.

    Of those that were the fastest in the first run the second one decides, in which what the
    program runs takes part: the fastest of many was also lucky, and is often none when it is timed
    again.

    Args:
        bench: The benchmark.
        regime: As in `regime_of`.

    Returns:
        Its place among the configurations, or None where what the program runs was not timed.
    """
    if not bench.configs:
        return None
    right = [
        number
        for number, config in enumerate(bench.configs)
        if not config.error and (config.difference is None or config.difference.is_correct)
    ]
    again = [number for number in right if times_of(bench.configs[number], regime, final=True)]
    gains = [gain_of(bench, number, regime, None) for number in again or right]
    faster = [item for item in gains if item is not None and item.is_real]
    if faster:
        return max(faster, key=lambda item: item.ratio).config
    return bench.chosen if any(times_of(bench.configs[bench.chosen], regime)) else None
