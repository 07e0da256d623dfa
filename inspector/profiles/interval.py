"""The ratio of two medians, and how well it is known."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from inspector.model.student import Confidence, half_width

_BATCHES = 10


def ratio_interval(above: Sequence[int], below: Sequence[int]) -> tuple[float, float, float] | None:
    """The ratio of two medians between the ends of its interval; None without times.

    The interval of a median is between the order statistics n/2 ± 0.98 √n (the normal approximation
    of the binomial, as in Conover, Practical Nonparametric Statistics); that of the ratio takes the
    far ends of both, and so is wider than 95 %.
    """
    if not above or not below:
        return None
    (low, middle, high), (floor, centre, top) = map(_interval, (above, below))
    return (low / top, middle / centre, high / floor) if floor and top and centre else None


def ratio_of_batches(
    above: Sequence[int], below: Sequence[int]
) -> tuple[float, float, float] | None:
    """The same of times that were taken in turns, in rounds: 99.5 % of the mean of the rounds.

    Launches that follow one another take alike long, and are no independent samples; batches of
    them are nearly (batch means, Schmeiser, "Batch Size Effects in the Analysis of Simulation
    Output", Operations Research 30(3), 1982).
    """
    if min(len(above), len(below)) < 2 * _BATCHES:
        return ratio_interval(above, below)
    ratios = [
        math.log(statistics.median(first) / statistics.median(second))
        for first, second in zip(_batches(above), _batches(below), strict=True)
        if statistics.median(first) and statistics.median(second)
    ]
    if len(ratios) < _BATCHES:
        return None
    mean = statistics.fmean(ratios)
    half = half_width(ratios, Confidence.OF_THE_BEST)
    return math.exp(mean - half), math.exp(mean), math.exp(mean + half)


def _batches(times: Sequence[int]) -> list[Sequence[int]]:
    size = len(times) / _BATCHES
    return [times[round(n * size) : round((n + 1) * size)] for n in range(_BATCHES)]


def _interval(values: Sequence[int]) -> tuple[float, float, float]:
    ordered = sorted(values)
    half, reach = len(ordered) / 2, 0.98 * len(ordered) ** 0.5
    low = ordered[max(0, int(half - reach))]
    high = ordered[min(len(ordered) - 1, int(half + reach))]
    return float(low), float(statistics.median(ordered)), float(high)
