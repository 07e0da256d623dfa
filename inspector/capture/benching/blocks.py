"""Blocks of calls that are timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import torch

from inspector.capture.benching.loop import Loop
from inspector.capture.profiling.device import uses_cuda, wait, waiting
from inspector.capture.profiling.plan import is_settled

_MOST_CALLS = 2_000
_MOST_BURST = 20
_LEAST_WITH_EVENTS = 2


def timed(call: Callable[[], object], wait: Callable[[], object] = wait) -> int:
    """Wall time of a call, in ns, until the device is done.

    Args:
        call: The call.
        wait: Waits for the device.
    """
    wait()
    began_ns = time.perf_counter_ns()
    call()
    wait()
    return time.perf_counter_ns() - began_ns


def settle(loop: Loop, seconds: float) -> Mapping[str, object]:
    """Calls until the median of the later half is that of the earlier one by 1 %.

    Args:
        loop: Gives the calls.
        seconds: How long that may take.
    """
    began_ns = time.perf_counter_ns()
    times: list[int] = []
    with loop.context():
        while not is_settled(times) and len(times) < _MOST_CALLS:
            if len(times) > 1 and time.perf_counter_ns() - began_ns > seconds * 1e9:
                break
            times.append(timed(loop.next_call()))
    return {
        "settle_ns": time.perf_counter_ns() - began_ns,
        "settle_calls": len(times),
        "is_settled": is_settled(times),
    }


def block(loop: Loop, calls: int, flush: Callable[[], None] | None) -> Mapping[str, object]:
    """Calls one after the other; the first does not count: others were at work before.

    To record events takes the host time: calls with events are others, a quarter as many.

    Args:
        loop: Gives the calls.
        calls: How many.
        flush: Empties the device's cache before each call, or None.
    """

    def ready() -> Callable[[], object]:
        call = loop.next_call()
        if flush is not None:
            flush()
        return call

    with_events = max(_LEAST_WITH_EVENTS, calls // 4) if uses_cuda() else 0
    with loop.context():
        loop.next_call()()
        until_done = waiting()
        times = [timed(ready(), wait=until_done) for _ in range(calls)]
        device = [_between_events(ready()) for _ in range(with_events)]
    return {"times_ns": times, "device_ns": device}


def _between_events(call: Callable[[], object]) -> int:
    """The time between two events on the device around the call."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    wait()
    begin.record()
    call()
    end.record()
    wait()
    elapsed_ms = float(begin.elapsed_time(end))
    return round(1e6 * elapsed_ms)


def burst(loop: Loop, calls: int) -> Mapping[str, object]:
    """Calls that are given to a GPU without waiting in between: that is its throughput.

    Args:
        loop: Gives the calls.
        calls: How many fit in a block.
    """
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
