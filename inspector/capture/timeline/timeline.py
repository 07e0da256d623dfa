"""Makes a compact timeline of a profile: torch's markers, and what lies between them.

A compiled graph is one span here: what runs inside of it is not what a graph break costs. Outside
of graphs the operators between two markers are one activity.
"""

from __future__ import annotations

import bisect
import collections
import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence

from inspector.capture.timeline.trace import HostEvent, Launched, Trace
from inspector.records.timeline import Activity, CallProfile, MarkedThread, Marker

CALL_MARK = "inspector call"
"""Our own mark around one call of a target."""
EAGER_MARK = "inspector eager"
"""Our own mark around code behind a break that Dynamo left alone; its name follows."""

# Torch's own names, 2.11 to 2.13: the first is in torch/csrc/dynamo/eval_frame.c, then
# torch/_dynamo/convert_frame.py, torch/_dynamo/utils.py, torch/_functorch/_aot_autograd and
# torch/_inductor/output_code.py; the last is what FX generates with enrich_profiler_metadata.
_MARKERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("call", re.compile(f"{CALL_MARK}$")),
    ("eager", re.compile(f"{EAGER_MARK} (?P<label>.+)$")),
    ("lookup", re.compile(r"TorchDynamo Cache Lookup$")),
    ("region", re.compile(r"Torch-Compiled Region: (?P<label>.+)$")),
    ("bytecode", re.compile(r"Pregraph bytecode$")),
    ("prologue", re.compile(r"AOTDispatcher Runtime Wrapper Prologue$")),
    ("function", re.compile(r"CompiledFunction$")),
    ("backward", re.compile(r"autograd::engine::evaluate_function: CompiledFunctionBackward$")),
    ("graph", re.compile(r"## Call CompiledFxGraph (?P<label>\S+) ##$")),
    ("graph", re.compile(r"## (?P<label>fx_generated_\S+) ##$")),
)
_WAITS = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")


def with_timeline(profile: CallProfile, trace: Trace) -> CallProfile:
    """A profile with what torch marked on each thread on which it marked something."""
    zero_ns = trace.host[0].start_ns if trace.host else 0
    host = [
        dataclasses.replace(row, start_ns=row.start_ns - zero_ns, end_ns=row.end_ns - zero_ns)
        for row in trace.host
    ]
    labels: dict[str, int] = {}
    threads = [
        _thread(
            thread,
            [row for row in host if row.thread == thread],
            [item for item in trace.device if item.by is not None and item.by.thread == thread],
            zero_ns,
            labels,
        )
        for thread in sorted({row.thread for row in host})
    ]
    marked = tuple(thread for thread in threads if thread.markers)
    return dataclasses.replace(profile, labels=tuple(labels), threads=marked)


def _thread(
    thread: int,
    rows: Sequence[HostEvent],
    launched: Iterable[Launched],
    zero_ns: int,
    labels: dict[str, int],
) -> MarkedThread:
    markers = list(_markers(rows, labels))
    activities = _Activities(markers)
    for row in _outermost_operators(rows, markers):
        activity = activities.at(row.start_ns)
        activity["operators"] += 1
        activity["operators_ns"] += row.end_ns - row.start_ns
    for row in rows:
        activity = activities.at(row.start_ns)
        activity["events"] += 1
        if row.name.startswith(_WAITS):
            activity["wait_ns"] += row.end_ns - row.start_ns
    for work in launched:
        activity = activities.at((work.by or work).start_ns - zero_ns)
        start_ns, end_ns = work.start_ns - zero_ns, work.end_ns - zero_ns
        activity["device_start_ns"] = min(activity["device_start_ns"] or start_ns, start_ns)
        activity["device_end_ns"] = max(activity["device_end_ns"], end_ns)
        activity["device_busy_ns"] += end_ns - start_ns
    return MarkedThread(thread, tuple(markers), activities.all())


def _markers(rows: Iterable[HostEvent], labels: dict[str, int]) -> Iterator[Marker]:
    graph_until_ns = 0
    for row in rows:
        if row.start_ns < graph_until_ns:
            continue  # a graph inside of a graph is part of it
        for kind, pattern in _MARKERS:
            match = pattern.match(row.name)
            if match:
                label = match.groupdict().get("label", "")
                if kind == "graph":
                    graph_until_ns = row.end_ns
                number = labels.setdefault(label, len(labels))
                yield Marker(kind, number, row.start_ns, row.end_ns, row.sequence)
                break


def _outermost_operators(
    rows: Sequence[HostEvent], markers: Sequence[Marker]
) -> Iterator[HostEvent]:
    """Operators outside of graphs that no other operator calls.

    What contains a marker is no operator here but a part of the program around it.
    """
    starts = [marker.start_ns for marker in markers]
    graphs = [marker for marker in markers if marker.kind == "graph"]
    graph_starts = [graph.start_ns for graph in graphs]
    until_ns = 0
    for row in rows:
        if "::" not in row.name or row.start_ns < until_ns:
            continue
        before = bisect.bisect_right(graph_starts, row.start_ns) - 1
        if before >= 0 and graphs[before].end_ns > row.start_ns:
            continue
        first = bisect.bisect_left(starts, row.start_ns)
        if first < len(starts) and starts[first] < row.end_ns:
            continue
        until_ns = row.end_ns
        yield row


class _Activities:
    """Activities by the stretch between two neighbouring bounds of markers."""

    def __init__(self, markers: Sequence[Marker]) -> None:
        self._bounds = sorted(
            {bound for marker in markers for bound in (marker.start_ns, marker.end_ns)}
        )
        self._found: dict[int, collections.Counter[str]] = {}

    def at(self, time_ns: int) -> collections.Counter[str]:
        """The fields of the activity at a time, to be added to."""
        stretch = bisect.bisect_right(self._bounds, time_ns)
        return self._found.setdefault(stretch, collections.Counter(at_ns=time_ns))

    def all(self) -> tuple[Activity, ...]:
        return tuple(Activity(**self._found[stretch]) for stretch in sorted(self._found))
