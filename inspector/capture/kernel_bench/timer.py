"""Times single launches on the device's own clock, or by the host's on the CPU."""

from __future__ import annotations

import collections
import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from inspector.capture.profiling.device import uses_cuda, wait
from inspector.capture.profiling.machine.cpu import last_cache_bytes
from inspector.capture.timeline.trace import Trace, traced

_MARK = "inspector alone "
_DEFAULT_CACHE_BYTES = 1 << 26
_MOST_CACHE_BYTES = 1 << 29
_ROUNDS = 10
_LAUNCHES = 10  # of each kind in a round
_MOST_ROUND_NS = 2e9
_FLUSHED_PER_NS = 1000  # bytes


class Timed:
    """Launches that were timed, in order; their times are there once `timing` is left."""

    def __init__(self) -> None:
        self.times_ns: list[int | None] = []
        self._host_ns: list[int] = []

    def run(self, launch: Callable[[], Any]) -> Any:
        """Launches, and gives what comes back."""
        name = f"{_MARK}{len(self._host_ns)}"
        begun_ns = time.perf_counter_ns()
        with torch._C._profiler._RecordFunctionFast(name):  # noqa: SLF001 - costs 100 ns
            result = launch()
        self._host_ns.append(time.perf_counter_ns() - begun_ns)
        return result

    def end(self, trace: Trace | None) -> None:
        """Reads the times of the device from a trace, where there is one."""
        device_ns: collections.Counter[int] = collections.Counter()
        for event in trace.device if trace is not None else ():
            for around in trace.around(event.by) if trace and event.by is not None else ():
                if around.name.startswith(_MARK):
                    device_ns[int(around.name.removeprefix(_MARK))] += event.end_ns - event.start_ns
        numbers = range(len(self._host_ns))
        self.times_ns = list(self._host_ns if trace is None else map(device_ns.get, numbers))


@contextlib.contextmanager
def timing() -> Iterator[Timed]:
    """Times what is launched with its `Timed.run`.

    On a GPU it is the time of the kernels, by the clock that `inspect profile` times calls in place
    with; what one launch launches is added up. On the CPU it is the host's time.
    """
    timed = Timed()
    if not uses_cuda():
        yield timed
        timed.end(None)
        return
    wait()
    with traced(with_device=True) as seen:
        yield timed
        wait()
    timed.end(seen.trace)


def cold_and_warm_ns(
    launch: Callable[[], object], restore: Callable[[], object], flush: Flush, typical_ns: float
) -> tuple[list[int], list[int]]:
    """Times launches with an empty cache, and with one that has what an earlier launch left.

    Both take turns, so that what changes meanwhile favours neither. Of launches that take long,
    by what is typical, there are fewer.
    """

    def cold() -> None:
        restore()
        flush()

    def warm() -> None:
        restore()
        launch()
        restore()

    each_ns = 3 * typical_ns + flush.bytes_ / _FLUSHED_PER_NS  # a warm launch has one before it
    number = max(1, min(_LAUNCHES, int(_MOST_ROUND_NS / each_ns)))
    cold_ns: list[int] = []
    warm_ns: list[int] = []
    for _ in range(_ROUNDS):
        for before, found in ((cold, cold_ns), (warm, warm_ns)):
            with timing() as timed:
                for _ in range(number):
                    before()
                    timed.run(launch)
            found += [time_ns for time_ns in timed.times_ns if time_ns is not None]
    return cold_ns, warm_ns


class Flush:
    """Empties the last cache, by writing a buffer of twice its size (as `triton.testing` does)."""

    def __init__(self) -> None:
        device = "cuda" if uses_cuda() else "cpu"
        if device == "cuda":
            properties = torch.cuda.get_device_properties(torch.cuda.current_device())
            cache_bytes = int(getattr(properties, "L2_cache_size", 0)) or _DEFAULT_CACHE_BYTES
        else:
            least_bytes = max(last_cache_bytes(), _DEFAULT_CACHE_BYTES // 2)
            cache_bytes = min(least_bytes, _MOST_CACHE_BYTES)
        self.cache_bytes = cache_bytes
        self.bytes_ = 2 * self.cache_bytes
        self._buffer = torch.empty(self.bytes_ // 4, dtype=torch.int32, device=device)

    def __call__(self) -> None:
        """Writes it."""
        self._buffer.zero_()
