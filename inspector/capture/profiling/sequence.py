"""What one call launches, in order, and where each launch comes from.

On the CPU it is the statements of the generated code, and operators.
"""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections.abc import Sequence

from inspector.capture.calls.calling import LOSS_MARK
from inspector.capture.profiling.user_lines import CALL_MARK, MODULE_MARK, USER_MARK
from inspector.capture.profiling.wrapper_lines import LINE_MARK, calling_marks
from inspector.capture.timeline.trace import HostEvent, Launched, Trace
from inspector.records.device_profile import DeviceLaunch, LaunchPlace
from inspector.shared.alignment import align_by

_REGION = re.compile(r"Torch-Compiled Region: (?P<id>.+)$")
_ENGINE = "autograd::engine"


def place_around(around: Sequence[HostEvent]) -> LaunchPlace:
    """What the events around a launch say of where it comes from, the outermost first.

    Runs of a statement are told apart by when it began: that stands for their number.
    """
    file, line, region, operator, module = "", 0, "", "", ""
    frames: list[str] = []
    is_backward = is_loss = False
    run_ns = 0
    for event in around:
        name = event.name
        if name.startswith(LINE_MARK):
            file, _, number = name.removeprefix(LINE_MARK).rpartition(":")
            line, operator, run_ns = int(number), "", event.start_ns
        elif (match := _REGION.match(name)) is not None:
            region, operator = match["id"], ""
        elif name.startswith(USER_MARK):
            frame, _, of_node = name.removeprefix(USER_MARK).partition(MODULE_MARK)
            frames.append(frame)
            module = of_node or module
        elif name.startswith(CALL_MARK):
            module = name.removeprefix(CALL_MARK)
        elif name.startswith(_ENGINE):
            is_backward = True
        elif name == LOSS_MARK:
            is_loss = True
        elif "::" in name and not operator:
            operator = name
    return LaunchPlace(
        file, line, region, operator, tuple(frames), module, is_backward, is_loss, run_ns
    )


class Places:
    """Finds the places of one trace.

    What an operator of autograd's backward pass does has the line and the module of the operator of
    the forward pass that it belongs to: both have the same number (``at::RecordFunction``'s
    sequence number). A compiled graph is one operator.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._operators: dict[int, HostEvent] = {}
        for event in trace.host:
            is_forward = "Backward" not in event.name and not event.name.startswith(_ENGINE)
            if event.sequence >= 0 and is_forward:
                self._operators[event.sequence] = event

    def of(self, around: Sequence[HostEvent]) -> LaunchPlace:
        """The place that what is around an event stands for."""
        place = place_around(around)
        names = [event.name for event in around]
        engine = next((n for n, name in enumerate(names) if name.startswith(_ENGINE)), len(names))
        # A backward pass that the program wrote has lines of its own.
        has_line = any(name.startswith(USER_MARK) for name in names[engine:])
        if has_line or not place.is_backward:
            return place
        for event in reversed(around):
            forward = self._operators.get(event.sequence) if event.sequence >= 0 else None
            if forward is not None:
                other = place_around(self._trace.around(forward))
                return dataclasses.replace(place, frames=other.frames, module=other.module)
        return place


_DRIVER_COPY = re.compile(r"memcpy\d+_\w+|Memcpy DtoD .*")
_LEAST_NS = 2_000  # statements that only name or free something take less


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
) -> tuple[list[LaunchPlace], int]:
    """The place of each launch of a call, out of other calls that were looked at more closely.

    And how many were not found there, and say nothing themselves of where they come from.

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
    return places, len(launched) - len(found)


def _shape(item: Launched) -> tuple[object, ...]:
    return item.launch.name, item.launch.grid, item.launch.block


def _name(item: Launched) -> str:
    """Its name; what is copied or filled by a kernel of the driver in a replay is the same work."""
    is_copy = _DRIVER_COPY.fullmatch(item.launch.name) is not None
    return "memcpy" if is_copy else item.launch.name


def cpu_calls(trace: Trace, windows: Sequence[tuple[int, int]]) -> list[list[Launched]]:
    """What each call did, in order: the innermost marked statements, and operators outside."""
    found: list[list[Launched]] = [[] for _ in windows]
    starts = [start_ns for start_ns, _ in windows]
    busy: dict[int, int] = {}
    places = Places(trace)
    for event in trace.host:
        number = bisect.bisect_right(starts, event.start_ns) - 1
        if (
            number < 0
            or event.end_ns > windows[number][1]
            or not (event.name.startswith(LINE_MARK) or "::" in event.name)
        ):
            continue
        if event.start_ns < busy.get(event.thread, 0):
            continue  # a part of what is counted already
        if event.name.startswith("autograd::") or trace.holds(event, LINE_MARK):
            continue  # it calls generated code
        busy[event.thread] = event.end_ns
        place = places.of([*trace.around(event), event])
        launch = DeviceLaunch("cpu", event.name, event.thread)
        found[number].append(Launched(launch, event.start_ns, event.end_ns, place=place))
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
