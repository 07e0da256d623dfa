"""What a compiled target does on the CPU: the statements of its generated code, and operators."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from inspector.capture.profiling.places import Places
from inspector.capture.profiling.trace import HostEvent, Launched, Trace
from inspector.capture.profiling.wrapper_lines import LINE_MARK, calling_marks
from inspector.records.device_profile import DeviceLaunch

_LEAST_NS = 2_000  # statements that only name or free something take less


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
