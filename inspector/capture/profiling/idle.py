"""Why the device had nothing to do: what the host did before it launched the next piece of work."""

from __future__ import annotations

import collections
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.capture.profiling.sequence import Launched
from inspector.capture.profiling.trace import HostEvent, Trace

__all__ = ["idle_causes"]

GUARDS = "guards"
LAUNCHING = "launching"
WRAPPERS = "wrappers"
BREAK = "graph-break"
WAITING = "synchronisation"
LATENCY = "launch-latency"
AUTOGRAD = "autograd"
OUTSIDE = "outside"
END = "end"

_LOOKUP = "TorchDynamo Cache Lookup"
_REGION = "Torch-Compiled Region"
_GRAPH = "## Call CompiledFxGraph"
_WAITS = re.compile(
    r"cuda(?:Stream|Device|Event)Synchronize|cudaMemcpy$|cuda(?:Host)?(?:Malloc|Free)\w*"
)
_ENGINE = "autograd::engine"


def idle_causes(
    trace: Trace, window: tuple[int, int], launched: Sequence[Launched]
) -> Mapping[str, int]:
    """The time of a call in which the device did nothing, by what the host did.

    Args:
        trace: What was seen, host and device.
        window: When the call began, and when the device was done with it.
        launched: What the call launched, by start.

    Returns:
        Nanoseconds by cause: ``guards``, ``launching`` (in a compiled graph's code), ``wrappers``
        (around it, in torch), ``graph-break`` (Python between compiled graphs), ``synchronisation``
        (waiting for the device, or for memory), ``autograd``, ``outside`` (the program's own code),
        ``launch-latency`` (launched, and not begun) and ``end`` (done, and not noticed).
    """
    found: collections.Counter[str] = collections.Counter()
    host = _Host(trace, window)
    begun_ns = window[0]
    for item in sorted(launched, key=lambda item: item.event.start_ns):
        start_ns = item.event.start_ns
        if start_ns > begun_ns:
            host.explain(begun_ns, start_ns, item.launch, found)
        begun_ns = max(begun_ns, item.event.end_ns)
    if window[1] > begun_ns:
        found[END] += window[1] - begun_ns
    return dict(found)


class _Host:
    """What the threads did in a call."""

    def __init__(self, trace: Trace, window: tuple[int, int]) -> None:
        self._threads: dict[int, list[HostEvent]] = collections.defaultdict(list)
        for event in trace.host:
            if event.start_ns < window[1] and event.end_ns > window[0]:
                self._threads[event.thread].append(event)
        # Between the forward and the backward pass there is the program's own code.
        graphs = [
            event
            for events in self._threads.values()
            for event in events
            if event.name.startswith(_GRAPH)
            and not self._is_backward([above.name for above in trace.around(event)])
        ]
        self._between = (
            (min(event.end_ns for event in graphs), max(event.start_ns for event in graphs))
            if len(graphs) > 1
            else (0, 0)
        )

    def explain(
        self, start_ns: int, end_ns: int, launch: HostEvent | None, found: dict[str, int]
    ) -> None:
        """Adds the time of a gap to its causes."""
        if launch is None:
            found[OUTSIDE] += end_ns - start_ns
            return
        launched_ns = min(max(launch.end_ns, start_ns), end_ns)
        if end_ns > launched_ns:
            found[LATENCY] += end_ns - launched_ns
        for from_ns, to_ns, inside in self._stretches(launch.thread, start_ns, launched_ns):
            found[self._cause(from_ns, inside)] += to_ns - from_ns

    def _stretches(
        self, thread: int, start_ns: int, end_ns: int
    ) -> Iterator[tuple[int, int, list[HostEvent]]]:
        """Parts of a gap in which a thread does one thing, with the events around it."""
        events = [
            event
            for event in self._threads[thread]
            if event.start_ns < end_ns and event.end_ns > start_ns
        ]
        bounds = {start_ns, end_ns}
        for event in events:
            bounds |= {max(event.start_ns, start_ns), min(event.end_ns, end_ns)}
        ordered = sorted(bounds)
        for from_ns, to_ns in itertools.pairwise(ordered):
            yield (
                from_ns,
                to_ns,
                [event for event in events if event.start_ns <= from_ns and event.end_ns >= to_ns],
            )

    def _cause(self, at_ns: int, inside: Sequence[HostEvent]) -> str:
        names = [event.name for event in inside]
        if any(_WAITS.match(name) for name in names):
            return WAITING
        if any(name == _LOOKUP for name in names):
            return GUARDS
        if any(name.startswith(_GRAPH) for name in names):
            return LAUNCHING
        if self._between[0] <= at_ns < self._between[1] and not self._is_backward(names):
            return BREAK
        if self._is_backward(names):
            return AUTOGRAD
        return WRAPPERS if any(name.startswith(_REGION) for name in names) else OUTSIDE

    def _is_backward(self, names: Sequence[str]) -> bool:
        return any(name.startswith(_ENGINE) for name in names)
