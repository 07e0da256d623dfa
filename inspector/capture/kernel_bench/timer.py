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
from inspector.capture.profiling.trace import Trace, traced

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

    def _read(self, trace: Trace | None) -> None:
        if trace is None:
            self.times_ns = list(self._host_ns)
            return
        found = _by_mark(trace)
        self.times_ns = [found.get(number) for number in range(len(self._host_ns))]


@contextlib.contextmanager
def timing() -> Iterator[Timed]:
    """Times what is launched with its `Timed.run`.

    On a GPU it is the time of the kernels, by the clock that `inspect profile` times calls in place
    with; what one launch launches is added up. On the CPU it is the host's time.
    """
    timed = Timed()
    if not uses_cuda():
        yield timed
        timed._read(None)  # noqa: SLF001 - of the same module
        return
    wait()
    with traced(with_device=True) as seen:
        yield timed
        wait()
    timed._read(seen.trace)  # noqa: SLF001


def cold_and_warm_ns(
    launch: Callable[[], object], restore: Callable[[], object], flush: Flush, typical_ns: float
) -> tuple[list[int], list[int]]:
    """Times launches with an empty cache, and with one that has what an earlier launch left.

    Both take turns, so that what changes meanwhile favours neither.

    Args:
        typical_ns: About how long a launch takes: of what takes long there are fewer.
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


def _by_mark(trace: Trace) -> dict[int, int]:
    found: collections.Counter[int] = collections.Counter()
    for event in trace.device:
        for around in trace.around(event.by) if event.by is not None else ():
            if around.name.startswith(_MARK):
                found[int(around.name.removeprefix(_MARK))] += event.end_ns - event.start_ns
    return dict(found)


class Flush:
    """Empties the last cache, by writing a buffer of twice its size (as `triton.testing` does)."""

    def __init__(self) -> None:
        self.cache_bytes = _cache_bytes()
        device = "cuda" if uses_cuda() else "cpu"
        self.bytes_ = 2 * self.cache_bytes
        self._buffer = torch.empty(self.bytes_ // 4, dtype=torch.int32, device=device)

    def __call__(self) -> None:
        """Writes it."""
        self._buffer.zero_()


def _cache_bytes() -> int:
    if uses_cuda():
        found = torch.cuda.get_device_properties(torch.cuda.current_device())
        return int(getattr(found, "L2_cache_size", 0)) or _DEFAULT_CACHE_BYTES
    return min(max(last_cache_bytes(), _DEFAULT_CACHE_BYTES // 2), _MOST_CACHE_BYTES)
