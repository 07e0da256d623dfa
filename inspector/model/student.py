"""How well the middle of few values is known: quantiles of Student's t."""

from __future__ import annotations

import enum
import math
import statistics
from collections.abc import Sequence


class Confidence(enum.Enum):
    """How much of a distribution lies in an interval."""

    USUAL = 0.95
    OF_THE_BEST = 0.995
    """For the best of several candidates, each of which has the chance to be it by luck."""


# Two-sided quantiles by degrees of freedom from 1, to four figures (NIST/SEMATECH e-Handbook of
# Statistical Methods, 1.3.6.7.2, has those of 95 %); the test integrates the density to them.
_QUANTILES: dict[Confidence, tuple[float, ...]] = {
    Confidence.USUAL: (12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    Confidence.OF_THE_BEST: (127.3, 14.09, 7.453, 5.598, 4.773, 4.317, 4.029, 3.833, 3.690, 3.581),
}

# The standard error of the median by that of the mean, of 1 to 10 normal values: the variance of
# the order statistic in the middle, or of the mean of the two (David and Nagaraja, Order
# Statistics, chapter 3), which the test integrates. For many values it is the root of pi / 2.
_OF_THE_MEDIAN = (1.0, 1.0, 1.160, 1.092, 1.198, 1.135, 1.214, 1.160, 1.223, 1.176)


def student(degrees: int, confidence: Confidence = Confidence.USUAL) -> float:
    """The two-sided quantile; beyond 10 degrees of freedom that of 10, which is a little wider.

    Args:
        degrees: Degrees of freedom, at least 1.
        confidence: How much of the distribution lies between minus and plus the quantile.
    """
    quantiles = _QUANTILES[confidence]
    return quantiles[min(degrees, len(quantiles)) - 1]


def half_width(values: Sequence[float], confidence: Confidence = Confidence.USUAL) -> float:
    """How far the interval of the mean of independent values reaches to either side of it.

    Args:
        values: Two at least, in any unit.
        confidence: How likely the interval has the mean in it.

    Returns:
        The quantile times the standard error of the mean, in the unit of the values.
    """
    quantile = student(len(values) - 1, confidence)
    return quantile * statistics.stdev(values) / math.sqrt(len(values))


def median_widens(count: int) -> float:
    """How many times as wide the interval of the median is as that of the mean.

    Args:
        count: How many values there are, at least 1; they are taken to be normal.

    Returns:
        1 and more: what it costs that one value in three, which is far off, moves nothing.
    """
    known = len(_OF_THE_MEDIAN)
    return _OF_THE_MEDIAN[count - 1] if count <= known else math.sqrt(math.pi / 2)
