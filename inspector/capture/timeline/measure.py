"""Calls a compiled target again, under torch's profiler, and writes what that shows."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import torch
from torch._dynamo.utils import counters

from inspector.capture.calls.calling import has_device, wait_for_device
from inspector.capture.calls.ranks import agreed
from inspector.capture.calls.state import State
from inspector.capture.target.call import Call, fresh
from inspector.capture.timeline.eager_continuations import marked_eager_continuations
from inspector.capture.timeline.timeline import CALL_MARK, with_timeline
from inspector.capture.timeline.trace import traced
from inspector.capture.versions import compilations
from inspector.capture.writer import emit
from inspector.records.timeline import CallProfile, CopyRate, CopyRates
from inspector.shared.request import Request

if TYPE_CHECKING:
    from inspector.capture.target.target import Target

_SECONDS = 5.0
_LEAST_CALLS = 3
_MOST_UNPROFILED = 10
_MOST_COPIED_BYTES = 1 << 28
_MARKS = 500
# A tensor that fits into a cache is copied much faster than one that does not; the first is small
# enough to be copied by one thread, which is what happens to small tensors.
_COPIED_BYTES = (1 << 16, 1 << 20, 1 << 24, 1 << 27)
_ITEM_BYTES = 4
_REPETITIONS = 9
_LEAST_NS = 200_000


def measure(target: Target, index: int, request: Request, run: Callable[[Call], None]) -> None:
    """Measures warm calls with one input and writes ``inspector_profile``.

    The calls follow each other closely, as in a loop: what is done between them (a file written,
    say) empties the processor's caches and makes the next call slower. The first few are timed
    without the profiler. There are fewer than are asked for where they would take more than 5 s,
    but at least 3. The target's state is the same before each, which `run` makes.
    """
    state = State(target.function, with_attributes=True)
    given, calls = target.calls[index], request.calls
    plain = list(_plain_times_ns(_copies(given, min(calls, _MOST_UNPROFILED)), run, state))
    found = CallProfile(index, plain_ns=_median(plain), plain_times_ns=tuple(plain))
    if not request.guards and agreed(_is_one_graph()):
        emit(found)
        return
    _profile(found, _profiled(_copies(given, calls), run, state))
    if has_device():
        # To watch the device slows the host down: the times of the host come from the other one.
        _profile(found, _profiled(_copies(given, calls), run, state), with_device=True)


def _median(times_ns: Sequence[int]) -> int | None:
    return round(statistics.median(times_ns)) if times_ns else None


def _profile(found: CallProfile, made: Iterator[bool], *, with_device: bool = False) -> None:
    with traced(with_device=with_device) as seen:
        mark_ns = mark_cost_ns()
        with marked_eager_continuations():
            compiled = list(made)
    times = [found.plain_ns]
    if not has_device():
        # A profiled call is never the faster one, but on a machine with other work to do it may be.
        # With a device it ends when the host is done, a plain one when the device is.
        calls = [row for row in seen.trace.host if row.name == CALL_MARK]
        warm = [row for row, again in zip(calls, compiled, strict=False) if not again]
        times.append(_median([row.end_ns - row.start_ns for row in warm]))
    profile = dataclasses.replace(
        found,
        compiled=tuple(number for number, again in enumerate(compiled) if again),
        with_device=with_device,
        plain_ns=min((time_ns for time_ns in times if time_ns is not None), default=None),
        mark_ns=mark_ns,
    )
    emit(with_timeline(profile, seen.trace))


def _is_one_graph() -> bool:
    """Whether everything was compiled without a break: there is nothing to tell apart then.

    torch/_dynamo/utils.py, 2.11 to 2.13; a break is in one of the first two counters.
    """
    broke = any(counters[name] for name in ("graph_break", "unimplemented"))
    frames = counters["frames"]
    return not broke and frames["total"] == frames["ok"] and counters["stats"]["unique_graphs"] > 0


def _plain_times_ns(
    copies: Iterable[Call], run: Callable[[Call], None], state: State
) -> Iterator[int]:
    for arguments in copies:
        wait_for_device()
        before = compilations()
        began_ns = time.perf_counter_ns()
        run(arguments)
        wait_for_device()
        took_ns = time.perf_counter_ns() - began_ns
        if compilations() == before:
            yield took_ns
        state.restore()


def _profiled(copies: Iterable[Call], run: Callable[[Call], None], state: State) -> Iterator[bool]:
    for arguments in copies:
        before = compilations()
        with _mark(CALL_MARK):
            run(arguments)
        wait_for_device()
        yield compilations() != before
        state.restore()


def _copies(given: Call, calls: int) -> Iterator[Call]:
    """Copies of the input as long as there is time; small ones are made before the first call."""
    size_bytes = sum(tensor.nbytes for tensor in given.tensors)
    copies: Iterable[Call] = (fresh(given) for _ in range(calls))
    if size_bytes * calls <= _MOST_COPIED_BYTES:
        copies = list(copies)
    began = time.monotonic()
    for done, copy in enumerate(copies):
        if done >= _LEAST_CALLS and agreed(time.monotonic() - began > _SECONDS / 3):
            return
        yield copy


def mark_cost_ns() -> int:
    """What one mark costs now (under a profiler that runs); the first ones cost more."""
    times = []
    for _ in range(_MARKS):
        began_ns = time.perf_counter_ns()
        with _mark("inspector mark"):
            pass
        times.append(time.perf_counter_ns() - began_ns)
    return round(statistics.median(times))


def write_copy_rates(most_bytes: int | None = None) -> None:
    """Writes what a copy costs on the device that the program uses.

    Each copy goes into new memory, as torch allocates it: so does what crosses a break. The largest
    copy to try can be limited.
    """
    device = "cuda" if has_device() else "cpu"
    sizes = [size for size in _COPIED_BYTES if most_bytes is None or size <= most_bytes]
    emit(CopyRates(device, tuple(_copy_rate(size, device) for size in sizes)))


def _copy_rate(size: int, device: str) -> CopyRate:
    source = torch.ones(size // _ITEM_BYTES, dtype=torch.float32, device=device)
    once_ns = _copy_ns(source, 2)
    repeats = max(1, round(_LEAST_NS / max(once_ns, 1)))
    copy_ns = statistics.median(_copy_ns(source, repeats) for _ in range(_REPETITIONS))
    return CopyRate(size, 2 * size / max(1.0, copy_ns) * 1e9)


def _copy_ns(source: torch.Tensor, repeats: int) -> float:
    wait_for_device()
    began_ns = time.perf_counter_ns()
    for _ in range(repeats):
        source.clone()
    wait_for_device()
    return (time.perf_counter_ns() - began_ns) / repeats


def _mark(name: str) -> AbstractContextManager[object]:
    mark: AbstractContextManager[object] = torch._C._profiler._RecordFunctionFast(name)  # noqa: SLF001
    return mark
