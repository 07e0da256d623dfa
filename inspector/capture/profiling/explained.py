"""A call whose host is watched, too: why the device had nothing to do in it."""

from __future__ import annotations

import contextlib
import math
import statistics
from collections.abc import Iterator, Sequence

from inspector.capture.profiling.idle import idle_causes
from inspector.capture.profiling.measured import Explained, Measured, Prepared
from inspector.capture.profiling.sequence import calls_of, cpu_calls, significant
from inspector.capture.timeline.trace import HostEvent, Launched, Trace, traced
from inspector.records.device_profile import HostSpan

EXPLAINED_CALLS = 5
"""So many calls there are at most, of which the typical one counts."""
_MOST_HOST_EVENTS = 4000
_STREAMS = 10_000
_PROFILER = "autograd_profiler"


class _Off:
    """Stands for `torch.autograd.profiler` where only this is asked."""

    _is_profiler_enabled = False


@contextlib.contextmanager
def without_kernel_marks() -> Iterator[None]:
    """Launches Triton kernels as without a profiler while it is entered.

    For each mark Inductor gathers what the kernel is launched with, which takes longer than the
    launch (`CachingAutotuner.run` in torch/_inductor/runtime/triton_heuristics.py, 2.11 to 2.13),
    and 2.13 launches in a slower way then. Where the host's time is looked at, that would be
    most of it.
    """
    from torch._inductor.runtime import triton_heuristics

    before = vars(triton_heuristics).get(_PROFILER)
    if before is None:
        yield
        return
    setattr(triton_heuristics, _PROFILER, _Off)
    try:
        yield
    finally:
        setattr(triton_heuristics, _PROFILER, before)


def explain(kind: str, run: Prepared, how: tuple[int, int], measured: Measured) -> Explained:
    """The typical one of a few calls whose host is watched, too."""
    times: list[int] = []
    windows: list[tuple[int, int]] = []
    calls, untimed = how
    with without_kernel_marks(), traced(with_device=True) as seen:
        measured.time(kind, run, calls + untimed, times, windows)
    ordered = sorted(range(untimed, len(times)), key=times.__getitem__)
    typical = ordered[len(ordered) // 2]
    window = windows[typical]
    launched = calls_of(seen.trace, windows)[typical]
    return Explained(
        times[typical],
        idle_causes(seen.trace, window, launched),
        tuple(_host(seen.trace, window)),
        tuple(
            HostSpan(
                item.launch.name,
                item.launch.device * _STREAMS + item.launch.stream,
                *_since(item, window[0]),
            )
            for item in launched
        ),
    )


def explained_on_cpu(
    trace: Trace,
    calls: tuple[Sequence[int], Sequence[tuple[int, int]]],
    unwatched: Sequence[int],
    before: Explained,
    untimed: int = 0,
) -> Explained:
    """The same of the CPU, where the host is seen in all watched calls: the most usual one of all.

    What is left beside statements and operators is what it does then. Where other programs run, one
    call may take ten times as long as another, and waits for what no other waits for.

    Args:
        calls: How long each of some calls took, and when it was made.
        unwatched: How long calls take without the profiler.
        before: What an earlier call showed: it stays, if none of these is more usual.
    """
    times, windows = calls
    usual_ns = statistics.median(unwatched)
    first = max(min(untimed, len(times) - 1), len(times) - EXPLAINED_CALLS)
    last = range(first, len(times))
    nearest = min(last, key=lambda number: _distance(times[number], usual_ns))
    is_usual = _distance(times[nearest], usual_ns) < _distance(before.wall_ns, usual_ns)
    if before.wall_ns and not is_usual:
        return before
    done = significant(cpu_calls(trace, windows))[nearest]
    causes = idle_causes(trace, windows[nearest], done, is_host=True)
    return Explained(times[nearest], causes)


def _distance(time_ns: float, usual_ns: float) -> float:
    return abs(math.log(max(time_ns, 1) / max(usual_ns, 1)))


def _host(trace: Trace, window: tuple[int, int]) -> Iterator[HostSpan]:
    events = [
        event for event in trace.host if window[0] <= event.start_ns and event.end_ns <= window[1]
    ]
    for event in events[:_MOST_HOST_EVENTS]:
        yield HostSpan(event.name, event.thread, *_since(event, window[0]))


def _since(event: HostEvent | Launched, begin_ns: int) -> tuple[int, int]:
    return event.start_ns - begin_ns, event.end_ns - begin_ns
