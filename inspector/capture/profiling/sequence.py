"""What one call launches, in order, and where each launch comes from.

On the CPU it is the statements of the generated code, and operators.
"""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections.abc import Sequence

from inspector.capture.profiling.places import Places
from inspector.capture.profiling.trace import HostEvent, Launched, Trace
from inspector.capture.profiling.wrapper_lines import LINE_MARK, calling_marks
from inspector.records.device_profile import DeviceLaunch, LaunchPlace
from inspector.shared.alignment import align_by

_DRIVER_COPY = re.compile(r"memcpy\d+_\w+|Memcpy DtoD .*")
_LEAST_NS = 2_000  # statements that only name or free something take less


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
    launched: Sequence[Launched], known: Sequence[Launched], around_replays: Sequence[Launched] = ()
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
    """Its name; what is copied or filled by a kernel of the driver in a replay is the same work."""
    is_copy = _DRIVER_COPY.fullmatch(item.launch.name) is not None
    return "memcpy" if is_copy else item.launch.name


def cpu_calls(trace: Trace, windows: Sequence[tuple[int, int]]) -> list[list[Launched]]:
    """What each call did, in order: the innermost marked statements, and operators outside of them.

    Args:
        trace: What the profiler saw, with `marked_lines`.
        windows: When each call began and ended, by `time.time_ns`.
    """
    found: list[list[Launched]] = [[] for _ in windows]
    starts = [start_ns for start_ns, _ in windows]
    busy: dict[int, int] = {}
    places = Places(trace)
    for event in trace.host:
        number = bisect.bisect_right(starts, event.start_ns) - 1
        if number < 0 or event.end_ns > windows[number][1] or not _is_work(event):
            continue
        if event.start_ns < busy.get(event.thread, 0):
            continue  # a part of what is counted already
        if _holds_marks(trace, event):
            continue
        busy[event.thread] = event.end_ns
        found[number].append(_done(trace, places, event))
    return found


def significant(calls: Sequence[Sequence[Launched]]) -> list[list[Launched]]:
    """What the calls did, without statements that never take any time: they name or free things.

    Kernels, calls of libraries and operators stay, however short: how many there are is no matter
    of chance, which the longest of a few calls without the compiler is.
    """
    needed = calling_marks() | {
        item.launch.name
        for items in calls
        for item in items
        if not item.launch.name.startswith(LINE_MARK) or item.end_ns - item.start_ns >= _LEAST_NS
    }
    return [[item for item in items if item.launch.name in needed] for items in calls]


def _is_work(event: HostEvent) -> bool:
    return event.name.startswith(LINE_MARK) or "::" in event.name


def _holds_marks(trace: Trace, event: HostEvent) -> bool:
    """Whether generated code is called in it: by autograd, or a branch by a statement."""
    return event.name.startswith("autograd::") or trace.holds(event, LINE_MARK)


def _done(trace: Trace, places: Places, event: HostEvent) -> Launched:
    place = places.of([*trace.around(event), event])
    launch = DeviceLaunch("cpu", event.name, event.thread)
    return Launched(launch, event.start_ns, event.end_ns, place=place)
