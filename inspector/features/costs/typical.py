"""One call that stands for all that were measured, in which the parts add up to the whole."""

import dataclasses
import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence

from inspector.features.costs.blame import Blame
from inspector.features.costs.calls import CallCosts
from inspector.run.cost import Part

_BLOCKS = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Typical:
    """The typical call with one input.

    A part of one call is disturbed while another is not, so each part has its own median, and the
    call is their sum. It was watched, and is told as a part of calls that were not: where they were
    faster than that sum, all parts are scaled down to them.

    Attributes:
        parts: Time outside of graphs on the host by part, by blame; None is nobody's.
        scale: What all of these were multiplied with, at most 1.
        spread: How far the medians of thirds of the calls differ, the largest by the smallest
            less 1.
    """

    calls: Sequence[CallCosts]
    parts: Mapping[tuple[Blame | None, Part], float]
    scale: float
    spread: float


def typical(calls: Sequence[CallCosts], plain_ns: int | None) -> Typical:
    """The typical one of some warm calls."""

    def median(value: Callable[[CallCosts], float]) -> float:
        return statistics.median(value(call) for call in calls)

    keys = dict.fromkeys(key for call in calls for key in call.parts)
    parts = {key: median(lambda call, key=key: call.parts.get(key, 0)) for key in keys}  # type: ignore[misc]
    whole_ns = median(lambda call: call.graphs_ns) + sum(parts.values())
    scale = min(1.0, plain_ns / whole_ns) if plain_ns and whole_ns else 1.0
    return Typical(
        calls=calls,
        parts={key: time_ns * scale for key, time_ns in parts.items()},
        scale=scale,
        spread=_spread([call.wall_ns for call in calls]),
    )


def _spread(times_ns: Sequence[int]) -> float:
    if len(times_ns) < _BLOCKS:
        return 0.0
    bounds = [len(times_ns) * number // _BLOCKS for number in range(_BLOCKS + 1)]
    medians = [statistics.median(times_ns[start:end]) for start, end in itertools.pairwise(bounds)]
    return max(medians) / min(medians) - 1 if min(medians) else 0.0
