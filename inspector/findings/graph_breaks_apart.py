"""Graph breaks as what keeps operators apart: no kernel can have some of both sides."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from inspector.findings.graph_report import GraphReport
from inspector.model.cost import Cost
from inspector.model.graph_break import GraphBreak
from inspector.model.run import Run


def with_breaks(report: GraphReport, costs: Mapping[tuple[str, int, str], Cost]) -> GraphReport:
    """The report with those breaks that keep apart what could be one kernel."""
    found = [
        (record, cost)
        for record in _records(report.run)
        if (cost := costs.get(record.key)) is not None and cost.fusible_bytes
    ]
    found.sort(key=lambda item: -(item[1].fusible_bytes or 0))
    return dataclasses.replace(report, breaks=tuple(found))


def _records(run: Run) -> Iterator[GraphBreak]:
    """The first record of each site."""
    seen = set()
    for process in run.processes:
        for frame in process.frames:
            for compilation in frame.compilations:
                for record in compilation.graph_breaks:
                    if record.key not in seen:
                        seen.add(record.key)
                        yield record
