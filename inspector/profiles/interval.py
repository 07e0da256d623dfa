"""The ratio of two medians, and how well it is known."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

__all__ = ["ratio_interval"]


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


def _interval(values: Sequence[int]) -> tuple[float, float, float]:
    ordered = sorted(values)
    half, reach = len(ordered) / 2, 0.98 * len(ordered) ** 0.5
    low = ordered[max(0, int(half - reach))]
    high = ordered[min(len(ordered) - 1, int(half + reach))]
    return float(low), float(statistics.median(ordered)), float(high)
