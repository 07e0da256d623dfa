"""A cold start as data, and what the recording of it lacks."""

import dataclasses
from collections.abc import Iterator

from inspector.report.overview import notices
from inspector.report.report import Report
from inspector.report.wording import count, duration
from inspector.run.compile_time import ColdStart, KeyChange
from inspector.run.run import Run

_UNSEEN = "which has neither Dynamo times by line nor the class names of methods"


@dataclasses.dataclass(frozen=True, slots=True)
class Against:
    """The recording to compare with.

    Attributes:
        only_here: Number of graphs with cache lookups only in this recording.
        only_there: Number of graphs with cache lookups only in the other recording.
    """

    name: str
    time_ns: int
    changes: tuple[KeyChange, ...]
    only_here: int
    only_there: int


@dataclasses.dataclass(frozen=True, slots=True)
class ColdStartReport:
    """The cold start of a run."""

    report: Report
    cold_start: ColdStart
    against: Against | None = None

    @property
    def run(self) -> Run:
        """The run."""
        return self.report.run


def cold_notices(report: ColdStartReport) -> Iterator[tuple[str, str]]:
    """What is to be known about the figures and the recording, as (kind, text) pairs."""
    yield from (("note", text) for text in _of_figures(report))
    yield from notices(report.report, _UNSEEN)


def _of_figures(report: ColdStartReport) -> Iterator[str]:
    cold = report.cold_start
    if any(item.compile_time_ns and not item.has_spans for item in report.run.processes):
        yield "the log has no spans, so times are from torch's metrics and exclude backward graphs"
    if cold.logging_ns:
        yield f"includes {duration(cold.logging_ns)} that torch spent writing the trace"
    backend = str(report.run.meta.settings.get("backend") or "")
    if backend and backend != "inductor":
        yield f"recorded with backend {backend}, so Inductor's stages are missing"
    against = report.against
    if against and against.only_here + against.only_there:
        here, there = count(against.only_here, "graph"), count(against.only_there, "graph")
        yield f"cache lookups only in this recording: {here}; only in {against.name}: {there}"
