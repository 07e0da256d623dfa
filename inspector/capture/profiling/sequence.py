"""What one call launches, in order, and where each launch comes from."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Sequence

from inspector.capture.profiling.places import Places
from inspector.capture.profiling.trace import Launched, Trace
from inspector.model.alignment import align_by
from inspector.records.device_profile import LaunchPlace


@dataclasses.dataclass(frozen=True, slots=True)
class Placed:
    """Where the launches of a call come from.

    Attributes:
        unmatched: How many launches were not found in the call that was looked at closely, and say
            nothing themselves of where they come from.
    """

    places: list[LaunchPlace]
    unmatched: int


def calls_of(trace: Trace, windows: Sequence[tuple[int, int]]) -> list[list[Launched]]:
    """What each call launched, in that order.

    Args:
        windows: When each call began and when the device was done with it, by `time.time_ns`.
    """
    found: list[list[Launched]] = [[] for _ in windows]
    starts = [start_ns for start_ns, _ in windows]
    places = Places(trace)
    for item in trace.device:
        at_ns = item.by.start_ns if item.by is not None else item.start_ns
        number = bisect.bisect_right(starts, at_ns) - 1
        if number >= 0 and at_ns <= windows[number][1]:
            if item.by is not None:
                item.place = places.of(trace.around(item.by))
            found[number].append(item)
    return [sorted(items, key=lambda item: item.order) for items in found]


def placed(
    launched: Sequence[Launched],
    known: Sequence[Launched],
    around_replays: Sequence[Launched] = (),
) -> Placed:
    """The place of each launch of a call, out of other calls that were looked at more closely.

    Args:
        known: What another call launched that knows more of the places.
        around_replays: What a call launched around the replays of CUDA graphs, where `known` is of
            one without them.
    """
    places = [item.place for item in launched]
    found = {number for number, place in enumerate(places) if place.file}
    for here, there in align_by(launched, known, (_shape, _shape), (_name, _name)):
        place = known[there].place
        # Of a replay the launch's own place is that of the replay.
        if not launched[here].is_replayed or place.file:
            places[here] = place
            found.add(here)
    around = [number for number, item in enumerate(launched) if not item.is_replayed]
    inner = [launched[number] for number in around]
    # The same code launched both: that is surer than an equal kernel of a call without graphs.
    for here, there in align_by(inner, around_replays, (_shape, _shape), (_name, _name)):
        places[around[here]] = around_replays[there].place
        found.add(around[here])
    return Placed(places, len(launched) - len(found))


def _shape(item: Launched) -> tuple[object, ...]:
    return item.launch.name, item.launch.grid, item.launch.block


def _name(item: Launched) -> str:
    return item.launch.name
