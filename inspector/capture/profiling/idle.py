"""Why the device had nothing to do: what the host did before it launched the next piece of work."""

from __future__ import annotations

import bisect
import collections
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from inspector.capture.calls.calling import LOSS_MARK
from inspector.capture.timeline.trace import HostEvent, Launched, Trace

GUARDS = "guards"
LAUNCHING = "launching"
WRAPPERS = "wrappers"
BREAK = "graph-break"
WAITING = "synchronisation"
LATENCY = "launch-latency"
AUTOGRAD = "autograd"
LOSS = "loss"
OUTSIDE = "outside"
TAIL = "tail"
END = "end"

# Of several threads that do something while the launching one does nothing, what tells most.
_ORDER = (LAUNCHING, GUARDS, WRAPPERS, BREAK, LOSS, AUTOGRAD, WAITING, OUTSIDE)
_LOOKUP = "TorchDynamo Cache Lookup"
_REGION = "Torch-Compiled Region"
_GRAPH = "## Call CompiledFxGraph"
_ENGINE = "autograd::engine"
_SYNCHRONISES = re.compile(r"cu(?:da)?(?:Device|Thread|Ctx|Stream|Event)Synchronize")
# What waits for the device, or for the driver's memory: the names are those of CUPTI's table in
# libkineto's cupti_strings.cpp (some end in _ptsz or _ptds: a default stream for each thread), and
# the driver's, of which libkineto shows some.
_WAITS = re.compile(
    r"cu(?:da)?(?:Device|Thread|Ctx|Stream|Event)Synchronize"
    r"|cu(?:da)?Memcpy(?!\w*Async)"
    r"|cuda(?:Malloc|Free)(?!\w*Async)|cudaHost(?:Alloc|Register|Unregister)"
    r"|cuMem(?:Alloc|Free)(?!\w*Async)|cuMemHost(?:Alloc|Register|Unregister)"
    r"|cuMem(?:Create|Map|Unmap|Release)"
)


def idle_causes(
    trace: Trace, window: tuple[int, int], launched: Sequence[Launched], *, is_host: bool = False
) -> Mapping[str, int]:
    """The time of a call in which the device did nothing, by what the host did.

    What the thread did that launched the next piece of work comes first. Where it did nothing
    that is marked, the other threads count: the backward pass has a thread of its own, and the
    program's waits for it.

    Args:
        window: When the call began, and when the device was done with it.

    Returns:
        Nanoseconds by cause: ``guards``, ``launching`` (in a compiled graph's code), ``wrappers``
        (around it, in torch), ``graph-break`` (Python between compiled graphs), ``synchronisation``
        (waiting for the device, or for memory), ``autograd``, ``loss`` (what ``--train`` sums up),
        ``outside`` (the program's own code), ``launch-latency`` (launched, and not begun), ``tail``
        (the device has done everything, and the program goes on) and ``end`` (done, not noticed).
    """
    found: collections.Counter[str] = collections.Counter()
    host = _Host(trace, window)
    begun_ns = window[0]
    for item in sorted(launched, key=lambda item: item.start_ns):
        start_ns = item.start_ns
        if start_ns > begun_ns:
            host.explain(begun_ns, start_ns, item.by, found)
        begun_ns = max(begun_ns, item.end_ns)
    if window[1] > begun_ns and is_host:
        host.explain(begun_ns, window[1], None, found)
    elif window[1] > begun_ns:
        host.explain_end(begun_ns, window[1], found)
    return {name: time_ns for name, time_ns in found.items() if time_ns}


class _Stretch(NamedTuple):
    start_ns: int
    end_ns: int
    cause: str


class _Host:
    def __init__(self, trace: Trace, window: tuple[int, int]) -> None:
        threads: dict[int, list[HostEvent]] = collections.defaultdict(list)
        for event in trace.host:
            if event.start_ns < window[1] and event.end_ns > window[0]:
                threads[event.thread].append(event)
        self._threads = {thread: list(_stretches(events)) for thread, events in threads.items()}
        events = [event for items in threads.values() for event in items]
        self._synchronised = [event for event in events if _SYNCHRONISES.match(event.name)]
        # Between the forward and the backward pass there is the program's own code.
        self._between = _between(
            event
            for event in events
            if event.name.startswith(_GRAPH)
            and not _is_backward(above.name for above in trace.around(event))
        )
        engine = [event for event in events if event.name.startswith(_ENGINE)]
        self._backward = (
            min((event.start_ns for event in engine), default=0),
            max((event.end_ns for event in engine), default=0),
        )

    def explain(
        self, start_ns: int, end_ns: int, launch: HostEvent | None, found: dict[str, int]
    ) -> None:
        launched_ns = end_ns if launch is None else min(max(launch.end_ns, start_ns), end_ns)
        found[LATENCY] += end_ns - launched_ns
        thread = launch.thread if launch is not None else None
        for from_ns, to_ns, cause in self._causes(thread, start_ns, launched_ns):
            found[cause] += to_ns - from_ns

    def explain_end(self, start_ns: int, end_ns: int, found: dict[str, int]) -> None:
        """Adds the time after the last piece of work: until the host asks, and until it knows."""
        waits = sorted(
            (max(event.start_ns, start_ns), event.end_ns)
            for event in self._synchronised
            if event.end_ns > start_ns
        )
        if not waits:
            found[END] += end_ns - start_ns
            return
        at_ns = start_ns
        for from_ns, to_ns in waits:
            self._explain_tail(at_ns, from_ns, found)
            found[END] += max(0, min(to_ns, end_ns) - max(from_ns, at_ns))
            at_ns = max(at_ns, to_ns)
        found[END] += max(0, end_ns - at_ns)

    def _explain_tail(self, start_ns: int, end_ns: int, found: dict[str, int]) -> None:
        for from_ns, to_ns, cause in self._causes(None, start_ns, end_ns):
            found[TAIL if cause == OUTSIDE else cause] += to_ns - from_ns

    def _causes(self, thread: int | None, start_ns: int, end_ns: int) -> Iterator[_Stretch]:
        """Parts of a time with their causes; a thread's own doing comes before that of others."""
        if start_ns >= end_ns:
            return
        parts = {
            number: list(_within(stretches, start_ns, end_ns))
            for number, stretches in self._threads.items()
        }
        bounds = {start_ns, end_ns, *self._between, *self._backward}
        bounds |= {edge for items in parts.values() for item in items for edge in item[:2]}
        ordered = sorted(edge for edge in bounds if start_ns <= edge <= end_ns)
        left = {number: iter(items) for number, items in parts.items()}
        current = {number: next(items, None) for number, items in left.items()}
        for from_ns, to_ns in itertools.pairwise(ordered):
            doing = {}
            for number, item in current.items():
                while item is not None and item.end_ns <= from_ns:
                    item = current[number] = next(left[number], None)  # noqa: PLW2901
                if item is not None and item.start_ns <= from_ns:
                    doing[number] = item.cause
            yield _Stretch(from_ns, to_ns, self._cause(thread, doing, from_ns))

    def _cause(self, thread: int | None, doing: Mapping[int, str], at_ns: int) -> str:
        own = doing.get(thread) if thread is not None else None
        cause = own or next((name for name in _ORDER if name in doing.values()), None)
        if cause is None and self._backward[0] <= at_ns < self._backward[1]:
            return AUTOGRAD  # between two of its nodes
        is_between = self._between[0] <= at_ns < self._between[1]
        if is_between and cause in {None, OUTSIDE}:
            return BREAK
        return cause or OUTSIDE


def _stretches(events: Sequence[HostEvent]) -> Iterator[_Stretch]:
    """What a thread does, one after the other, out of events that lie within each other."""
    edges = sorted({edge for event in events for edge in (event.start_ns, event.end_ns)})
    begun = sorted(events, key=lambda event: event.start_ns)
    graphs = [event for event in begun if event.name.startswith(_GRAPH)]
    active: list[HostEvent] = []
    place = 0
    for from_ns, to_ns in itertools.pairwise(edges):
        active = [event for event in active if event.end_ns > from_ns]
        while place < len(begun) and begun[place].start_ns <= from_ns:
            active.append(begun[place])
            place += 1
        active = [event for event in active if event.end_ns > from_ns]
        if active:
            cause = _doing([event.name for event in active])
            if cause == WRAPPERS and _is_break(active, graphs, (from_ns, to_ns)):
                cause = BREAK
            yield _Stretch(from_ns, to_ns, cause)


def _doing(names: Sequence[str]) -> str:
    if any(_WAITS.match(name) for name in names):
        return WAITING
    if LOSS_MARK in names:
        return LOSS
    if _LOOKUP in names:
        return GUARDS
    if any(name.startswith(_GRAPH) for name in names):
        return LAUNCHING
    if _is_backward(names):
        return AUTOGRAD
    return WRAPPERS if any(name.startswith(_REGION) for name in names) else OUTSIDE


def _is_break(
    active: Sequence[HostEvent], graphs: Sequence[HostEvent], span: tuple[int, int]
) -> bool:
    """Whether Python runs between two graphs of one region, and not torch around a graph.

    A region spans all that a compiled function does: its graph, the Python of its graph break, and
    the functions that go on after it, which have regions and graphs of their own. What is before
    the first graph of the innermost region, and after its last one, is torch's.
    """
    region = max(
        (event for event in active if event.name.startswith(_REGION)),
        key=lambda event: event.start_ns,
    )
    first = bisect.bisect_left(graphs, region.start_ns, key=lambda event: event.start_ns)
    after = bisect.bisect_left(graphs, span[1], key=lambda event: event.start_ns)
    return (
        first < after < len(graphs)
        and graphs[first].end_ns <= span[0]
        and graphs[after].start_ns < region.end_ns
    )


def _is_backward(names: Iterator[str] | Sequence[str]) -> bool:
    return any(name.startswith(_ENGINE) for name in names)


def _between(graphs: Iterator[HostEvent]) -> tuple[int, int]:
    """From the end of the first graph to the beginning of the last one."""
    found = list(graphs)
    if len(found) < 2:  # noqa: PLR2004
        return 0, 0
    return min(event.end_ns for event in found), max(event.start_ns for event in found)


def _within(stretches: Sequence[_Stretch], start_ns: int, end_ns: int) -> Iterator[_Stretch]:
    first = bisect.bisect_right(stretches, start_ns, key=lambda item: item.end_ns)
    for item in itertools.islice(stretches, first, None):
        if item.start_ns >= end_ns:
            return
        yield _Stretch(max(item.start_ns, start_ns), min(item.end_ns, end_ns), item.cause)
