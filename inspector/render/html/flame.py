"""Spans of compilation, nested, as columns."""

from typing import Any

from inspector.render.html.strings import Strings
from inspector.report.compile_names import SpanNames, lane_names
from inspector.run.lanes import Lane
from inspector.run.run import Run

_MOST_SPANS = 4_000
"""Of a lane; the shortest are left out."""


def flames(run: Run) -> list[dict[str, Any]]:
    """One flame graph for each lane of each process; none where spans were not kept.

    Returns:
        Times are in µs since the first span of the process; ``name``, ``stage`` and ``compile_id``
        are places in ``texts``.
    """
    found = []
    for process, titles in zip(run.processes, lane_names(run), strict=True):
        names = SpanNames(run, process)
        origin_ns = min((lane.begins_ns[0] for lane in process.lanes), default=0)
        found += [
            {"title": title, **_columns(lane, names, origin_ns)}
            for title, lane in zip(titles, process.lanes, strict=True)
        ]
    return found


def _columns(lane: Lane, names: SpanNames, origin_ns: int) -> dict[str, Any]:
    lengths = sorted(map(int.__sub__, lane.ends_ns, lane.begins_ns), reverse=True)
    least_ns = lengths[_MOST_SPANS] if len(lengths) > _MOST_SPANS else -1
    texts = Strings()
    columns: dict[str, Any] = {
        key: [] for key in ("begin", "length", "depth", "name", "stage", "compile_id")
    }
    ends_ns: list[int] = []
    for span in lane.spans():
        if span.end_ns - span.begin_ns <= least_ns:
            continue
        while ends_ns and ends_ns[-1] <= span.begin_ns:
            ends_ns.pop()
        columns["begin"].append((span.begin_ns - origin_ns) // 1000)
        columns["length"].append((span.end_ns - span.begin_ns) // 1000)
        columns["depth"].append(len(ends_ns))
        columns["name"].append(texts.number(names.name(span)))
        columns["stage"].append(texts.number(span.stage))
        columns["compile_id"].append(texts.number(span.compile_id))
        ends_ns.append(span.end_ns)
    return {**columns, "texts": texts.texts(), "left_out": len(lane) - len(columns["begin"])}
