"""How many calls are timed, in how many rounds."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

LEAST_CALLS = 20
"""So many calls of each kind there are, unless they take too long."""
_FEWEST = 3  # of each kind, however long they take
_MOST_CALLS = 1_000
_MOST_WATCHED = 600
_ROUNDS = 10
SECONDS = 12.0
"""So long all rounds take together."""
_OF_FEW = 2.5  # times as long at most, to have 20 calls of each kind
SETTLING = 0.25
"""Of that time, at most, until calls of a kind take alike long."""
_AS_OFTEN = 6  # as it took to settle
_WATCHED = 1.2  # a watched call in plain ones, at most about
_SLOW_NS = 500_000_000
_STABLE = 0.01


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """What is done.

    Attributes:
        rounds: Each has a block of plain calls, one of watched calls and one without the compiler.
        untimed: Calls before each block that do not count: what was done before has left the
            caches, and the profiler asks for its memory, in the first.
    """

    rounds: int
    calls: int
    watched: int
    untimed: int


def make_plan(
    compiled_ns: Sequence[int], eager_ns: Sequence[int], seconds: float = SECONDS
) -> Plan:
    """Decides by calls of both kinds that were made until they had settled.

    All rounds together take about so many seconds, more if there are less than 20 calls of each
    kind then, but 2.5 times as many at most unless three calls of each kind take longer. Where no
    eager call can be made there are none of them.
    """
    compiled, eager = (statistics.median(times or [0]) for times in (compiled_ns, eager_ns))
    one_of_each = max(1.0, (1 + _WATCHED) * compiled + eager)
    untimed = 0 if max(compiled, eager) > _SLOW_NS else 1
    wanted = _AS_OFTEN * max(len(compiled_ns), len(eager_ns), LEAST_CALLS)
    affordable = int(seconds * 1e9 / one_of_each)
    least = min(LEAST_CALLS, int(_OF_FEW * seconds * 1e9 / one_of_each))
    each = max(_FEWEST, least, min(wanted, affordable, _MOST_CALLS))
    rounds = min(_ROUNDS, max(_FEWEST, each // 3))
    calls = math.ceil(each / rounds)
    return Plan(rounds, calls, min(calls, _MOST_WATCHED // rounds), untimed)


def is_settled(times_ns: Sequence[int]) -> bool:
    """Whether the median of the later half is that of the earlier one, by 1 %."""
    if len(times_ns) < LEAST_CALLS:
        return False
    half = len(times_ns) // 2
    first, last = (statistics.median(part) for part in (times_ns[:half], times_ns[half:]))
    return abs(first - last) <= _STABLE * last
