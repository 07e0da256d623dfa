"""Times what a compiled target does in place: in its own calls, under the profiler.

Calls that nobody watches come first and last in each round: their time is what counts. Between them
calls are made in which the device alone is watched, which slows the host least; and at the end some
in which the host is watched, too, which tell what it did while the device had nothing to do.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import torch

from inspector.capture.profiling.cpu_lines import cpu_calls, significant
from inspector.capture.profiling.device import uses_cuda, wait
from inspector.capture.profiling.idle import idle_causes
from inspector.capture.profiling.sequence import (
    Launched,
    Place,
    calls_of,
    captured_in,
    placed,
)
from inspector.capture.profiling.trace import DeviceEvent, HostEvent, Trace, traced
from inspector.capture.profiling.user_files import is_users
from inspector.capture.profiling.user_lines import marked_user_lines
from inspector.capture.profiling.wrapper_lines import LINE_MARK, marked_lines
from inspector.capture.writer import write_artifact

__all__ = ["Attribution", "Prepared", "attributed", "count_once", "profile_in_place"]

Prepared: TypeAlias = Callable[[], Callable[[], object]]
"""Makes fresh arguments, and what the program's state was; gives the call itself."""

_ROUNDS = 3
_LEAST_CALLS = 20
_MOST_CALLS = 200
_MOST_SECONDS = 12.0
_STABLE = 0.01
_WATCHED_CALLS = 5
_MOST_HOST_EVENTS = 4000


@dataclasses.dataclass(slots=True)
class Attribution:
    """What closely watched calls launched, and from where.

    Attributes:
        launched: What ran on the device.
        captured: What was captured into CUDA graphs meanwhile.
    """

    launched: list[Launched] = dataclasses.field(default_factory=list)
    captured: list[list[tuple[str, Place]]] = dataclasses.field(default_factory=list)


@contextlib.contextmanager
def attributed(found: Attribution) -> Iterator[None]:
    """Watches one call closely: its times count for nothing.

    It must be the second call: with CUDA graphs it is the one that is captured, and a replay says
    nothing of where its kernels come from.
    """
    with_device = uses_cuda()
    with traced(with_device=with_device) as seen, marked_lines(), marked_user_lines(is_users):
        begun_ns = time.time_ns()
        yield
        wait()
        ended_ns = time.time_ns()
    window = (begun_ns, ended_ns)
    if with_device:
        found.launched += calls_of(seen.trace, [window])[0]
        found.captured += captured_in(seen.trace)
    else:
        found.launched += cpu_calls(seen.trace, [window])[0]


@dataclasses.dataclass(slots=True)
class _Measured:
    """What was measured, in nanoseconds a call."""

    plain: list[int] = dataclasses.field(default_factory=list)
    watched: list[int] = dataclasses.field(default_factory=list)
    eager: list[int] = dataclasses.field(default_factory=list)
    windows: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    launched: list[list[Launched]] = dataclasses.field(default_factory=list)
    eager_work: list[tuple[int, int]] = dataclasses.field(default_factory=list)


def profile_in_place(
    index: int,
    run: Prepared,
    eager: Prepared,
    attribution: Attribution,
) -> None:
    """Measures warm calls and writes ``inspector_device_profile``.

    Args:
        index: Number of the input, from 0.
        run: Prepares a call of the compiled target.
        eager: Prepares a call without the compiler.
        attribution: What the second call showed.
    """
    measured = _Measured()
    explained = _Explained()
    try:
        calls = _calls(run)
        for _ in range(_ROUNDS):
            measured.plain += _times_ns(run, calls)
            _watch(run, calls, measured)
            measured.plain += _times_ns(run, calls)
        explained = _explained(run)
        _compare(eager, calls, measured)
    finally:  # out of memory, say: what was measured until then is there
        if measured.launched:
            _write(index, measured, attribution, explained)


def _compare(eager: Prepared, calls: int, measured: _Measured) -> None:
    """Measures the same without the compiler."""
    with torch.compiler.set_stance("force_eager"):
        measured.eager += _times_ns(eager, calls)[calls // 4 :]
        if uses_cuda():
            watched = _Measured()
            _watch(eager, _WATCHED_CALLS, watched)
            measured.eager_work = [_busy(items) for items in watched.launched]


def count_once(run: Prepared) -> None:
    """Makes a warm call between the marks that a profiler outside of the process looks for.

    A profiler of hardware counters (Nsight Compute) runs each kernel several times over, and lets
    none of another call count.
    """
    for _ in range(2):
        run()()
    call = run()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    call()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def _calls(run: Prepared) -> int:
    """How many calls make the median stable to 1 % or take long enough; these warm up as well."""
    began = time.monotonic()
    times: list[int] = []
    while len(times) < _MOST_CALLS and time.monotonic() - began < _MOST_SECONDS / 3:
        times += _times_ns(run, _LEAST_CALLS // 2)
        half = len(times) // 2
        first, last = (statistics.median(part) for part in (times[:half] or [0], times[half:]))
        if len(times) >= _LEAST_CALLS and abs(first - last) <= _STABLE * last:
            break
    # Each round has three times as many calls.
    affordable = round(_MOST_SECONDS * 1e9 / statistics.median(times) / (3 * _ROUNDS))
    return max(_LEAST_CALLS, min(len(times), affordable))


def _watch(run: Prepared, calls: int, measured: _Measured) -> None:
    """Calls under the profiler; of the CPU the lines of the generated code are what is watched."""
    with_device = uses_cuda()
    windows: list[tuple[int, int]] = []
    with contextlib.ExitStack() as stack:
        if not with_device:
            stack.enter_context(marked_lines())
        seen = stack.enter_context(traced(with_device=with_device, with_host=not with_device))
        # The profiler asks for its memory in the first call.
        measured_ns = _times_ns(run, calls + 1, windows)
    found = calls_of(seen.trace, windows) if with_device else cpu_calls(seen.trace, windows)
    measured.watched += measured_ns[1:]
    measured.windows += windows[1:]
    measured.launched += found[1:]


@dataclasses.dataclass(frozen=True, slots=True)
class _Explained:
    """A call in which the host was watched, too: why the device was idle, and who did what when."""

    idle_ns: Mapping[str, int] = dataclasses.field(default_factory=dict)
    host: tuple[tuple[str, int, int, int], ...] = ()
    device: tuple[tuple[str, int, int, int], ...] = ()


def _explained(run: Prepared) -> _Explained:
    """The typical one of a few calls."""
    if not uses_cuda():
        return _Explained()
    windows: list[tuple[int, int]] = []
    with traced(with_device=True) as seen:
        times = _times_ns(run, _WATCHED_CALLS + 1, windows)
    ordered = sorted(range(1, len(times)), key=times.__getitem__)
    typical = ordered[len(ordered) // 2]
    window = windows[typical]
    launched = calls_of(seen.trace, windows)[typical]
    return _Explained(
        idle_causes(seen.trace, window, launched),
        tuple(_host(seen.trace, window)),
        tuple(
            (item.event.name, item.event.stream, *_since(item.event, window[0]))
            for item in launched
        ),
    )


def _host(trace: Trace, window: tuple[int, int]) -> Iterator[tuple[str, int, int, int]]:
    events = [
        event for event in trace.host if window[0] <= event.start_ns and event.end_ns <= window[1]
    ]
    for event in events[:_MOST_HOST_EVENTS]:
        yield event.name, event.thread, *_since(event, window[0])


def _since(event: HostEvent | DeviceEvent, begin_ns: int) -> tuple[int, int]:
    return event.start_ns - begin_ns, event.end_ns - begin_ns


def _times_ns(run: Prepared, calls: int, windows: list[tuple[int, int]] | None = None) -> list[int]:
    """The time of each call until the device is done with it; preparing it does not count."""
    times: list[int] = []
    for _ in range(calls):
        call = run()
        wait()
        begun_ns, at_ns = time.time_ns(), time.perf_counter_ns()
        call()
        wait()
        times.append(time.perf_counter_ns() - at_ns)
        if windows is not None:
            windows.append((begun_ns, begun_ns + times[-1]))
    return times


def _write(
    index: int,
    measured: _Measured,
    attribution: Attribution,
    explained: _Explained,
) -> None:
    if not uses_cuda():
        measured.launched = significant(measured.launched)
    numbers = _typical(measured.launched)
    known = attribution.launched
    first = measured.launched[numbers[0]] if numbers else []
    places = placed(first, known, attribution.captured)
    write_artifact(
        "device_profile",
        {
            "v": 1,
            "input": index,
            "device": _device(),
            "plain_ns": measured.plain,
            "watched_ns": measured.watched,
            "eager_ns": measured.eager,
            "eager_work": [list(item) for item in measured.eager_work],
            "other_calls": len(measured.launched) - len(numbers),
            "launches": [
                _launch(item, place) for item, place in zip(first, places, strict=True)
            ],
            "calls": [
                {
                    "wall_ns": measured.watched[number],
                    "spans_ns": [
                        [item.event.start_ns - measured.windows[number][0],
                         item.event.end_ns - measured.windows[number][0]]
                        for item in measured.launched[number]
                    ],
                }
                for number in numbers
            ],
            "idle_ns": explained.idle_ns,
            "host": explained.host,
            "worked": explained.device,
        },
    )  # fmt: skip


def _busy(launched: Sequence[Launched]) -> tuple[int, int]:
    """How many pieces of work there are, and for how long any of them was done."""
    busy_ns, until_ns = 0, 0
    for item in sorted(launched, key=lambda item: item.event.start_ns):
        busy_ns += max(0, item.event.end_ns - max(item.event.start_ns, until_ns))
        until_ns = max(until_ns, item.event.end_ns)
    return len(launched), busy_ns


def _typical(launched: Sequence[Sequence[Launched]]) -> list[int]:
    """Those calls that launched what most calls launched."""
    shapes = [tuple(item.event.name for item in items) for items in launched]
    if not shapes:
        return []
    shape = collections.Counter(shapes).most_common(1)[0][0]
    return [number for number, found in enumerate(shapes) if found == shape]


def _launch(item: Launched, place: Place) -> dict[str, object]:
    event = item.event
    fields: dict[str, object] = {
        "kind": event.kind,
        "name": "" if event.name.startswith(LINE_MARK) else event.name,
        "stream": event.stream,
        "grid": event.grid,
        "block": event.block,
        "registers": event.registers,
        "shared_bytes": event.shared_bytes,
        "copied_bytes": event.copied_bytes,
        "replayed": item.is_replayed,
        "launched_by": item.launch.name if item.launch else "",
    }
    where = {name: value for name, value in dataclasses.asdict(place).items() if value}
    return fields | {"place": where}


def _device() -> dict[str, object]:
    if not uses_cuda():
        return {"kind": "cpu", "threads": torch.get_num_threads()}
    found = torch.cuda.get_device_properties(torch.cuda.current_device())
    return {
        "kind": "cuda",
        "name": found.name,
        "multiprocessors": found.multi_processor_count,
        "memory_bytes": found.total_memory,
        "l2_bytes": int(getattr(found, "L2_cache_size", 0)),
        "compute_capability": [found.major, found.minor],
    }
