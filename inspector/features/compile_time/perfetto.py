"""A cold start as a file that https://ui.perfetto.dev and chrome://tracing open.

The format is Chrome's: "Trace Event Format" of the Catapult project, JSON object format, complete
events (``X``) and metadata (``M``).
"""

from collections.abc import Iterator
from typing import TextIO

import orjson

from inspector.features.compile_time.report import ColdStartReport
from inspector.report.compile_names import SpanNames, lane_names, origin_ns, process_names
from inspector.report.escaping import one_line
from inspector.run.lanes import Lane
from inspector.version import __version__

_US_NS = 1000


def render(report: ColdStartReport, stream: TextIO) -> None:
    """Writes one process for each process, and a thread for what ran beside it in workers.

    Times are in µs since the first span of the recording, as the format wants it.
    """
    run = report.run
    begin_ns = origin_ns(run)
    head = {
        "displayTimeUnit": "ms",
        "otherData": {
            "exporter": f"torch-inspector {__version__}",
            "recording": one_line(run.meta.name),
            "target": one_line(run.meta.target),
            "first_span_utc_ns": str(begin_ns),
        },
    }
    stream.write(orjson.dumps(head).decode()[:-1] + ',"traceEvents":[\n')
    separator = ""
    for event in _events(report, begin_ns):
        stream.write(separator + event.decode())
        separator = ",\n"
    stream.write("\n]}\n")


def _events(report: ColdStartReport, begin_ns: int) -> Iterator[bytes]:
    run = report.run
    titles = process_names(run)
    for index, process in enumerate(run.processes):
        # Ranks on several hosts can have the same pid, so that ours are numbers of our own.
        pid = index + 1
        yield _metadata("process_name", pid, 0, titles[index])
        yield _metadata("process_sort_index", pid, 0, index)
        names = SpanNames(run, process)
        for tid, lane in enumerate(process.lanes):
            yield _metadata("thread_name", pid, tid, lane_names(run)[index][tid])
            yield from _spans(lane, names, pid, tid, begin_ns)


def _metadata(name: str, pid: int, tid: int, value: str | int) -> bytes:
    key = "sort_index" if isinstance(value, int) else "name"
    return orjson.dumps({"ph": "M", "name": name, "pid": pid, "tid": tid, "args": {key: value}})


def _spans(lane: Lane, names: SpanNames, pid: int, tid: int, begin_ns: int) -> Iterator[bytes]:
    for span in lane.spans():
        yield orjson.dumps(
            {
                "ph": "X",
                "name": names.name(span),
                "cat": span.stage or "unattributed",
                "ts": (span.begin_ns - begin_ns) / _US_NS,
                "dur": (span.end_ns - span.begin_ns) / _US_NS,
                "pid": pid,
                "tid": tid,
                "args": names.arguments(span),
            }
        )
