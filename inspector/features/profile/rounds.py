"""Which calls count: the medians of rounds and their ratio, and the typical watched calls."""

import dataclasses
import math
import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence

from inspector.records.device_profile import DeviceProfile, TimedBlock
from inspector.shared.student_t import half_width

LEAST_ROUNDS = 3
"""Of fewer there is no interval."""


def medians_of(blocks: Iterable[TimedBlock], kind: str) -> Mapping[int, float]:
    """The median of each block of a kind, by its round."""
    medians = {
        block.round: float(statistics.median(block.times_ns))
        for block in blocks
        if block.kind == kind and block.times_ns
    }
    return {number: time_ns for number, time_ns in medians.items() if time_ns > 0}


def rounds_of(
    blocks: Sequence[TimedBlock], left_out: Collection[int] = ()
) -> Sequence[tuple[float, float]]:
    """The medians of eager and of compiled calls of each round that has both; none of too few."""
    eager, plain = (medians_of(blocks, kind) for kind in ("eager", "plain"))
    both = sorted(eager.keys() & plain.keys())
    found = [(eager[number], plain[number]) for number in both if number not in left_out]
    return found if len(found) >= LEAST_ROUNDS else ()


def typical_ns(medians: Sequence[float], times_ns: Sequence[int]) -> float:
    """The geometric mean of the medians of rounds, in whole ns; else the median of all times."""
    if medians:
        return float(round(statistics.geometric_mean(medians)))
    return float(statistics.median(times_ns)) if times_ns else 0.0


def ratio_of_rounds(rounds: Sequence[tuple[float, float]]) -> tuple[float, float, float] | None:
    """The mean of the ratios of the rounds, with its 95 % interval; None without rounds.

    Calls that follow one another take alike long, and so are no independent samples; rounds are,
    nearly, and what changes from one to the next meets both kinds of calls. Each gives the
    logarithm of one ratio of medians, and Student's t of these the interval (batch means:
    Schmeiser, Batch Size Effects in the Analysis of Simulation Output, Operations Research 30,
    1982).
    """
    if len(rounds) < LEAST_ROUNDS:
        return None
    ratios = [math.log(above / below) for above, below in rounds]
    middle = statistics.fmean(ratios)
    reach = half_width(ratios)
    low, ratio, high = (math.exp(value) for value in (middle - reach, middle, middle + reach))
    return low, ratio, high


def of_typical_calls(profile: DeviceProfile, wall_ns: float) -> DeviceProfile:
    """The profile with those watched calls alone that took most nearly what unwatched ones take.

    On the CPU, where another program may make a call several times as long, the nearer half of the
    calls is taken, and the mean of what each thing took in them: means over the same calls add up,
    which medians of things that differ do not. A GPU's times vary little: all of its calls stay.

    Args:
        wall_ns: Time of a call without the profiler, or 0 where there was none.
    """
    if not profile.is_cpu or not profile.calls:
        return profile
    usual_ns = wall_ns or statistics.median(call.wall_ns for call in profile.calls)
    ordered = sorted(
        profile.calls, key=lambda call: abs(math.log(max(call.wall_ns, 1) / max(usual_ns, 1)))
    )
    taken = {id(call) for call in ordered[: math.ceil(len(ordered) / 2)]}
    return dataclasses.replace(
        profile, calls=tuple(call for call in profile.calls if id(call) in taken)
    )
