"""A call whose host is watched, too: why the device had nothing to do in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.capture.profiling.cpu_lines import cpu_calls, significant
from inspector.capture.profiling.idle import idle_causes
from inspector.capture.profiling.kernel_marks import without_kernel_marks
from inspector.capture.profiling.measured import Explained, Measured, Prepared
from inspector.capture.profiling.sequence import calls_of
from inspector.capture.profiling.trace import DeviceEvent, HostEvent, Trace, traced

__all__ = ["EXPLAINED_CALLS", "explain", "explained_on_cpu"]

EXPLAINED_CALLS = 5
"""So many calls there are at most, of which the typical one counts."""
_MOST_HOST_EVENTS = 4000
_STREAMS = 10_000


def explain(kind: str, run: Prepared, how: tuple[int, int], measured: Measured) -> Explained:
    """The typical one of a few calls whose host is watched, too.

    Args:
        kind: What calls these are, should one fail.
        run: Prepares a call.
        how: How many calls, and how many before them that do not count.
        measured: Times them.
    """
    times: list[int] = []
    windows: list[tuple[int, int]] = []
    calls, untimed = how
    with without_kernel_marks(), traced(with_device=True) as seen:
        measured.time(kind, run, calls + untimed, times, windows)
    typical = _middle(range(untimed, len(times)), times)
    window = windows[typical]
    launched = calls_of(seen.trace, windows)[typical]
    return Explained(
        times[typical],
        tuple(times[untimed:]),
        idle_causes(seen.trace, window, launched),
        tuple(_host(seen.trace, window)),
        tuple(
            (item.event.name, _row(item.event), *_since(item.event, window[0])) for item in launched
        ),
    )


def explained_on_cpu(
    trace: Trace, times: Sequence[int], windows: Sequence[tuple[int, int]]
) -> Explained:
    """The same of the CPU, where the host is seen in all watched calls: of the last few of these.

    What is left beside statements and operators is what it does then.
    """
    last = range(max(0, len(times) - EXPLAINED_CALLS), len(times))
    typical = _middle(last, times)
    done = significant(cpu_calls(trace, windows))[typical]
    causes = idle_causes(trace, windows[typical], done, is_host=True)
    return Explained(times[typical], tuple(times[number] for number in last), causes)


def _middle(numbers: Iterable[int], times: Sequence[int]) -> int:
    """The number of the call that took neither long nor short."""
    ordered = sorted(numbers, key=times.__getitem__)
    return ordered[len(ordered) // 2]


def _row(event: DeviceEvent) -> int:
    """Tells streams of several devices, which have the same numbers, apart."""
    return event.device * _STREAMS + event.stream


def _host(trace: Trace, window: tuple[int, int]) -> Iterator[tuple[str, int, int, int]]:
    events = [
        event for event in trace.host if window[0] <= event.start_ns and event.end_ns <= window[1]
    ]
    for event in events[:_MOST_HOST_EVENTS]:
        yield event.name, event.thread, *_since(event, window[0])


def _since(event: HostEvent | DeviceEvent, begin_ns: int) -> tuple[int, int]:
    return event.start_ns - begin_ns, event.end_ns - begin_ns
