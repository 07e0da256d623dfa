"""How much faster, and how sure that is."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Mapping
from typing import TypeAlias

from inspector.shared.student_t import half_width, median_widens, t_quantile

Times: TypeAlias = Mapping[tuple[int, int], float]
"""Medians of blocks of calls in ns, by session and round."""
_LEAST_ROUNDS = 3
_TWICE = 2


@dataclasses.dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of times with its interval."""

    low: float
    middle: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether it differs from 1 by more than its noise."""
        return self.low > 1 or self.high < 1

    @property
    def is_inconclusive(self) -> bool:
        """Whether it can be 1, and twice or half as much as well."""
        return not self.is_known and (self.low < 1 / _TWICE or self.high > _TWICE)


def middle_of(times_ns: Times) -> float:
    """The median over the sessions of the mean over rounds, these of logarithms."""
    sessions: dict[int, list[float]] = {}
    for (session, _), time_ns in times_ns.items():
        sessions.setdefault(session, []).append(math.log(time_ns))
    return math.exp(statistics.median(map(statistics.fmean, sessions.values())))


def ratio_of(above: Times, below: Times) -> Ratio | None:
    """The ratio of two times that were measured in turns; None where there are too few.

    Each session (processes of their own) gives the mean of the logarithms of the ratios of its
    rounds, and the ratio is the median of the sessions': a process can be slower by a tenth for all
    of its life, and then its session is no part of what is usual. What differs between sessions
    differs between one run of the tool and the next, too. The interval is that in which the ratio
    of another run with as many sessions lies by 95 %: Student's t times the standard error of the
    median times the root of 2, for the other run has an error of its own (a prediction interval:
    Hahn and Meeker, Statistical Intervals). Few sessions may agree by chance: they are not taken to
    differ by less than their rounds let them be known. With one session alone its rounds take the
    place of sessions, and their mean that of the median.
    """
    sessions: dict[int, list[float]] = {}
    for key in sorted(above.keys() & below.keys()):
        sessions.setdefault(key[0], []).append(math.log(above[key] / below[key]))
    logs = list(sessions.values())
    if not logs or (len(logs) == 1 and len(logs[0]) < _LEAST_ROUNDS):
        return None
    if len(logs) == 1:
        middle, reach = statistics.fmean(logs[0]), half_width(logs[0])
    else:
        means = [statistics.fmean(rounds) for rounds in logs]
        squares = [statistics.variance(rounds) / len(rounds) for rounds in logs if len(rounds) > 1]
        by_rounds = math.sqrt(statistics.fmean(squares)) if squares else 0.0
        spread = max(statistics.stdev(means), by_rounds)
        error = median_widens(len(means)) * spread / math.sqrt(len(means))
        middle, reach = statistics.median(means), t_quantile(len(means) - 1) * error
    reach *= math.sqrt(2)
    return Ratio(*(math.exp(value) for value in (middle - reach, middle, middle + reach)))
