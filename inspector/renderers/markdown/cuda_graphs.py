"""A report on CUDA graphs as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.cuda_graphs_report import CudaGraphsReport
from inspector.findings.cuda_graphs_wording import (
    TITLES,
    cuda_graphs_headline,
    row_cells,
    row_detail,
    row_name,
)
from inspector.findings.overview import recording_line
from inspector.renderers.markdown.finding import finding_lines
from inspector.renderers.markdown.markup import cell, code, fenced, prose


def cuda_graphs_lines(report: CudaGraphsReport) -> Iterator[str]:
    """The lines of a report on CUDA graphs."""
    target = report.run.meta.target
    yield f"# CUDA graphs: {code(target)}" if target else "# CUDA graphs"
    yield ""
    yield prose(" · ".join(recording_line(report.run)))
    yield ""
    yield f"**{prose(cuda_graphs_headline(report))}**"
    yield ""
    for number, finding in enumerate(report.findings, 1):
        yield from finding_lines(number, finding)
    if report.rows:
        yield f"| function | {' | '.join(TITLES)} | |"
        yield f"|:--|{'--:|' * len(TITLES)}:--|"
        for row in report.rows:
            cells = " | ".join(row_cells(row))
            yield f"| {cell(row_name(row))} | {cells} | {cell(row_detail(row))} |"
        yield ""
    yield from (f"- note: {prose(notice)}" for notice in report.notices)
    if report.next_steps:
        yield ""
        yield from fenced("\n".join(report.next_steps), "sh")
