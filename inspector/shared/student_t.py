"""How well the middle of few values is known: quantiles of Student's t."""

import math
import statistics
from collections.abc import Sequence

# Two-sided 95 % quantiles by degrees of freedom from 1, to four figures (NIST/SEMATECH e-Handbook
# of Statistical Methods, 1.3.6.7.2).
_QUANTILES = (12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
# The standard error of the median by that of the mean, of 1 to 10 normal values: the variance of
# the order statistic in the middle, or of the mean of the two (David and Nagaraja, Order
# Statistics, chapter 3). For many values it is the root of pi / 2.
_OF_THE_MEDIAN = (1.0, 1.0, 1.160, 1.092, 1.198, 1.135, 1.214, 1.160, 1.223, 1.176)


def t_quantile(degrees: int) -> float:
    """The two-sided 95 % quantile; beyond 10 degrees of freedom that of 10: a little wider."""
    return _QUANTILES[min(degrees, len(_QUANTILES)) - 1]


def half_width(values: Sequence[float]) -> float:
    """How far the 95 % interval of the mean of independent values reaches to either side of it.

    Args:
        values: Two at least, in any unit.

    Returns:
        The quantile times the standard error of the mean, in the unit of the values.
    """
    return t_quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


def median_widens(count: int) -> float:
    """How many times as wide the interval of the median is as that of the mean.

    Returns:
        1 and more: what it costs that one value in three, which is far off, moves nothing.
    """
    known = len(_OF_THE_MEDIAN)
    return _OF_THE_MEDIAN[count - 1] if count <= known else math.sqrt(math.pi / 2)
