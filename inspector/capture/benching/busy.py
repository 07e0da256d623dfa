"""For how long of a call a device works, by torch's profiler."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

from inspector.capture.benching.loop import Loop
from inspector.capture.profiling.device import wait
from inspector.capture.profiling.trace import traced
from inspector.model.spans import union_ns

_CALLS = 5
_UNCOUNTED = 2
"""With the first calls the profiler has work of its own."""


def busy_of(loop: Loop, flush: Callable[[], None] | None) -> Mapping[str, int]:
    """The median time in which any device worked, and of how many pieces of work, of a few calls.

    The profiler makes the host slower and not what runs on the device: the time counts as a part of
    a call that nobody watched.

    Args:
        loop: Gives the calls.
        flush: Empties the device's cache before each call, or None.
    """
    windows: list[tuple[int, int]] = []
    with traced(with_device=True, with_host=False) as seen, loop.context():
        for _ in range(_UNCOUNTED + _CALLS):
            call = loop.next_call()
            if flush is not None:
                flush()
            wait()
            begun_ns = time.time_ns()
            call()
            wait()
            windows.append((begun_ns, time.time_ns()))
    each = [
        [
            (event.start_ns, event.end_ns)
            for event in seen.trace.device
            if begun_ns <= event.start_ns and event.end_ns <= ended_ns
        ]
        for begun_ns, ended_ns in windows[_UNCOUNTED:]
    ]
    return {
        "busy_ns": round(statistics.median(map(union_ns, each))),
        "launches": round(statistics.median(map(len, each))),
    }
