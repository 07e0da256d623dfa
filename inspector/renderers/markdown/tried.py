"""The table of what was tried."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.report import Report
from inspector.findings.tried import (
    tried_columns,
    tried_heading,
    tried_notes,
    tried_rows,
    tried_title,
    tried_verdict,
)
from inspector.renderers.markdown.markup import cell, code, prose


def tried_lines(report: Report) -> Iterator[str]:
    """The table, or why there is none, and what else there is to know about it."""
    if report.verification is None:
        return
    title = tried_title(report.verification)
    yield f"## {prose(title[0].upper() + title[1:])}"
    yield ""
    verdict = tried_verdict(report.verification, report.findings)
    if verdict:
        yield f"**{prose(verdict)}**"
        yield ""
    rows = tried_rows(report.verification)
    if rows:
        columns = tried_columns(report.verification)
        yield f"| {tried_heading(report.verification)} | {' | '.join(columns)} |"
        yield f"|:--|{'--:|' * (len(columns) - 1)}:--|"
    for row in rows:
        cells = row.cells or (*[""] * (len(tried_columns(report.verification)) - 1), row.failure)
        setting = row.setting if row.setting.startswith("(") else code(row.setting)
        yield f"| {cell(setting)} | {' | '.join(map(cell, cells))} |"
    if rows:
        yield ""
    notes = tried_notes(report.verification)
    yield from (f"- {prose(note)}" for note in notes)
    if notes:
        yield ""
