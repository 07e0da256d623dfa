"""A cold start as a file that https://www.speedscope.app opens.

The format is speedscope's own (https://www.speedscope.app/file-format-schema.json), with evented
profiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

import orjson

from inspector.features.compile_time.report import ColdStartReport
from inspector.report.compile_names import SpanNames, lane_names, origin_ns
from inspector.report.escaping import one_line
from inspector.run.lanes import Lane
from inspector.version import __version__

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_AT_ONCE = 4096


def render(report: ColdStartReport, stream: TextIO) -> None:
    """Writes one profile for each process, and one more for what ran beside it in workers.

    Times are in ns since the first span of the recording.
    """
    run = report.run
    frames: dict[bytes, int] = {}
    begin_ns = origin_ns(run)
    head = {
        "$schema": _SCHEMA,
        "exporter": f"torch-inspector {__version__}",
        "name": one_line(run.meta.target or run.meta.name),
        "activeProfileIndex": 0,
    }
    stream.write(_json(head)[:-1] + ',"profiles":[')
    first = True
    for index, process in enumerate(run.processes):
        names = SpanNames(run, process)
        for number, lane in enumerate(process.lanes):
            stream.write("" if first else ",")
            first = False
            _profile(stream, lane_names(run)[index][number], lane, names, frames, begin_ns)
    stream.write('],"shared":{"frames":[' + ",".join(key.decode() for key in frames) + "]}}\n")


def _profile(  # noqa: PLR0913, PLR0917 - what a profile consists of
    stream: TextIO, name: str, lane: Lane, names: SpanNames, frames: dict[bytes, int], begin_ns: int
) -> None:
    last_ns = max(lane.ends_ns) - begin_ns
    head = {"type": "evented", "name": name, "unit": "nanoseconds", "startValue": 0,
            "endValue": last_ns}  # fmt: skip
    stream.write(_json(head)[:-1] + ',"events":[')
    pieces: list[str] = []
    for event in _events(lane, names, frames, begin_ns):
        pieces.append(event)
        if len(pieces) == _AT_ONCE:
            stream.write(",".join(pieces) + ",")
            pieces = []
    # A lane always has a span, so that there is an event after any comma.
    stream.write(",".join(pieces) + "]}")


def _events(lane: Lane, names: SpanNames, frames: dict[bytes, int], begin_ns: int) -> Iterator[str]:
    """Opens and closes in order of time, each span inside of the one that holds it."""
    opened: list[tuple[int, int]] = []  # end and frame
    for span in lane.spans():
        while opened and opened[-1][0] <= span.begin_ns:
            yield _event("C", *opened.pop(), begin_ns)
        frame = frames.setdefault(orjson.dumps(names.frame(span)), len(frames))
        yield _event("O", span.begin_ns, frame, begin_ns)
        opened.append((span.end_ns, frame))
    while opened:
        yield _event("C", *opened.pop(), begin_ns)


def _event(kind: str, at_ns: int, frame: int, begin_ns: int) -> str:
    return f'{{"type":"{kind}","frame":{frame},"at":{at_ns - begin_ns}}}'


def _json(value: object) -> str:
    return orjson.dumps(value).decode()
