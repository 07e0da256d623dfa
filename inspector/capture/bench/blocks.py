"""Blocks of calls that are timed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

from inspector.capture.bench.program import Loop
from inspector.capture.profiling.device import wait
from inspector.capture.profiling.plan import is_settled
from inspector.capture.timeline.trace import traced
from inspector.shared.spans import union_ns

_MOST_CALLS = 2_000
_MOST_BURST = 20
_WATCHED_CALLS = 5
_UNCOUNTED = 2  # with the first calls the profiler has work of its own


def timed(call: Callable[[], object]) -> int:
    """Wall time of a call, in ns, until the device is done."""
    wait()
    began_ns = time.perf_counter_ns()
    call()
    wait()
    return time.perf_counter_ns() - began_ns


def settle(loop: Loop, seconds: float) -> bool:
    """Calls until the median of the later half is that of the earlier one by 1 %, or time is up."""
    began_ns = time.perf_counter_ns()
    times: list[int] = []
    with loop.context():
        while not is_settled(times) and len(times) < _MOST_CALLS:
            if len(times) > 1 and time.perf_counter_ns() - began_ns > seconds * 1e9:
                break
            times.append(timed(loop.next_call()))
    return is_settled(times)


def block(loop: Loop, calls: int) -> tuple[int, ...]:
    """The times of calls one after the other, after one that does not count."""
    with loop.context():
        loop.next_call()()
        return tuple(timed(loop.next_call()) for _ in range(calls))


def burst(loop: Loop, calls: int) -> Mapping[str, int]:
    """Calls that are given to a GPU without waiting in between: that is its throughput."""
    count = min(_MOST_BURST, max(2, calls))
    with loop.context():
        prepared = [loop.next_call() for _ in range(count)]
        wait()
        began_ns = time.perf_counter_ns()
        for call in prepared:
            loop.between()
            call()
        wait()
        return {"burst_calls": count, "burst_ns": time.perf_counter_ns() - began_ns}


def busy_of(loop: Loop) -> Mapping[str, int]:
    """The median time in which any device worked, and of how many pieces of work, of a few calls.

    The profiler makes the host slower and not what runs on the device: the time counts as a part of
    a call without the profiler.
    """
    windows: list[tuple[int, int]] = []
    with traced(with_device=True, with_host=False) as seen, loop.context():
        for _ in range(_UNCOUNTED + _WATCHED_CALLS):
            call = loop.next_call()
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
