"""A warm-up as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.overview import recording_line
from inspector.findings.warmup_report import WarmupReport
from inspector.findings.warmup_wording import (
    check_lines,
    plan_cells,
    plan_title,
    start_columns,
    start_rows,
    warmup_machine,
    warmup_notices,
    warmup_verdict,
)
from inspector.renderers.markdown.markup import cell, fenced, prose


def warmup_lines(report: WarmupReport) -> Iterator[str]:
    """The lines of a report."""
    yield f"# {prose(report.plan.target)}"
    yield ""
    line = (*recording_line(report.run), warmup_machine(report))
    yield prose(" · ".join(filter(None, line)))
    yield ""
    for said in warmup_verdict(report):
        yield f"- {prose(said)}."
    yield ""
    columns = start_columns(report)
    yield f"| {' | '.join(map(cell, columns))} |"
    yield f"|:--|{'--:|' * (len(columns) - 1)}"
    for row in start_rows(report):
        yield f"| {' | '.join(map(cell, row))} |"
    yield ""
    if report.start("cold") is not None:
        yield from _plan(report)
    for start in report.starts:
        if start.detail:
            yield f"{prose(start.name)} failed:"
            yield ""
            yield from fenced(start.detail, "")
    for notice in warmup_notices(report):
        yield f"> {prose(notice)}"
        yield ""


def _plan(report: WarmupReport) -> Iterator[str]:
    yield f"## {prose(plan_title(report))}"
    yield ""
    for number, label, shapes in plan_cells(report):
        yield f"{number}. {prose(label)}: {prose(shapes)}"
    yield ""
    for line in check_lines(report):
        yield f"- {prose(line)}."
    yield ""
