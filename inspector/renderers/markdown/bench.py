"""A bench as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.bench_changes import change_lines, comparison_title
from inspector.findings.bench_report import BenchGroup, BenchReport
from inspector.findings.bench_verdict import verdict_lines
from inspector.findings.bench_wording import (
    COLUMNS,
    cells,
    details,
    failed_title,
    group_title,
    head_text,
)
from inspector.findings.varied_wording import (
    VARIED_COLUMNS,
    varied_cells,
    varied_totals,
    varied_verdict,
)
from inspector.renderers.markdown.markup import cell, fenced, prose


def bench_lines(report: BenchReport) -> Iterator[str]:
    """The lines of a report."""
    yield f"# {prose(report.plan.target)}"
    yield ""
    yield prose(head_text(report))
    yield ""
    if report.run.meta.partial:
        yield f"> Partial recording: {prose(report.run.meta.partial.rstrip('.'))}."
        yield ""
    several = len({group.input for group in report.groups}) > 1
    yield from _varied(report)
    for group in report.groups if not report.varied else ():
        yield from _group(group, several=several)
    if report.comparison is not None:
        yield f"## {prose(comparison_title(report.comparison))}"
        yield ""
        for said, worse in change_lines(report.comparison):
            mark = {True: "**worse** ", False: "better ", None: ""}[worse]
            yield f"- {mark}{prose(said)}"
        yield ""
    yield from _failed(report)
    for notice in report.notices:
        yield f"> {prose(notice)}"
        yield ""


def _group(group: BenchGroup, *, several: bool) -> Iterator[str]:
    yield f"## {prose(group_title(group, several=several))}"
    yield ""
    lines = list(verdict_lines(group))
    for line in lines:
        yield f"- {prose(line)}."
    if lines:
        yield ""
    yield f"| {' | '.join((*COLUMNS, ''))} |"
    yield f"|:--|{'--:|' * (len(COLUMNS) - 1)}:--|"
    for row in group.rows:
        yield f"| {' | '.join(map(cell, (*cells(row), details(row))))} |"
    yield ""


def _varied(report: BenchReport) -> Iterator[str]:
    lines = list(varied_verdict(report.varied))
    for line in lines:
        yield f"- {prose(line)}."
    if lines:
        yield ""
    for found in report.varied:
        yield f"## {prose(found.setting.label)}"
        yield ""
        yield f"| {' | '.join(VARIED_COLUMNS)} |"
        yield "|:--|--:|--:|--:|--:|:--|"
        for item in found.inputs:
            yield f"| {' | '.join(map(cell, varied_cells(item)))} |"
        yield ""
        yield f"{prose(varied_totals(found))}."
        yield ""


def _failed(report: BenchReport) -> Iterator[str]:
    shown = set()
    for row in report.rows:
        if row.detail and row.detail not in shown:
            shown.add(row.detail)
            yield f"{prose(failed_title(row, report))}:"
            yield ""
            yield from fenced(row.detail, "")
