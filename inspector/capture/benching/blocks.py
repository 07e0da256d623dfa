"""Blocks of calls that are timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import torch

from inspector.capture.call import PreparedCall
from inspector.capture.profiling.device import uses_cuda, wait
from inspector.capture.profiling.plan import is_settled

__all__ = ["block", "burst", "settle", "timed"]

_MOST_SETTLING_NS = 3_000_000_000
_MOST_CALLS = 2_000
_MOST_BURST = 20


def timed(call: PreparedCall) -> int:
    """Wall time of a call, in ns, until the device is done."""
    wait()
    began_ns = time.perf_counter_ns()
    call()
    wait()
    return time.perf_counter_ns() - began_ns


def settle(prepare: Callable[[], PreparedCall]) -> Mapping[str, object]:
    """Calls until the median of the later half is that of the earlier one by 1 %, at most 3 s."""
    began_ns = time.perf_counter_ns()
    times: list[int] = []
    while not is_settled(times) and len(times) < _MOST_CALLS:
        if len(times) > 1 and time.perf_counter_ns() - began_ns > _MOST_SETTLING_NS:
            break
        times.append(timed(prepare()))
    return {
        "settle_ns": time.perf_counter_ns() - began_ns,
        "settle_calls": len(times),
        "is_settled": is_settled(times),
    }


def block(
    prepare: Callable[[], PreparedCall], calls: int, flush: Callable[[], None] | None
) -> Mapping[str, object]:
    """Calls one after the other; the first does not count: others were at work before.

    Args:
        prepare: Prepares a call, outside of its time.
        calls: How many.
        flush: Empties the device's cache before each call, or None.
    """
    prepare()()
    times: list[int] = []
    device: list[int] = []
    for _ in range(calls):
        call = prepare()
        if flush is not None:
            flush()
        if not uses_cuda():
            times.append(timed(call))
            continue
        both = _with_events(call)
        times.append(both[0])
        device.append(both[1])
    return {"times_ns": times, "device_ns": device}


def _with_events(call: PreparedCall) -> tuple[int, int]:
    """Wall time, and the time between two events on the device around the call."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    wait()
    began_ns = time.perf_counter_ns()
    begin.record()
    call()
    end.record()
    wait()
    time_ns = time.perf_counter_ns() - began_ns
    return time_ns, round(1e6 * begin.elapsed_time(end))


def burst(
    prepare: Callable[[], PreparedCall], calls: int, between: Callable[[], None]
) -> Mapping[str, object]:
    """Calls that are given to a GPU without waiting in between: that is its throughput.

    Args:
        prepare: Prepares a call, outside of its time.
        calls: How many fit in a block.
        between: What a program does between two calls.
    """
    count = min(_MOST_BURST, max(2, calls))
    prepared = [prepare() for _ in range(count)]
    wait()
    began_ns = time.perf_counter_ns()
    for call in prepared:
        between()
        call()
    wait()
    return {"burst_calls": count, "burst_ns": time.perf_counter_ns() - began_ns}
