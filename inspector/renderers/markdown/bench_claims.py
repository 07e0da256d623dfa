"""Published figures beside measured ones, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.claims_report import (
    CLAIM_COLUMNS,
    ClaimsReport,
    claim_cells,
    claims_line,
    claims_machine,
)
from inspector.renderers.markdown.markup import cell, code, prose


def claims_lines(report: ClaimsReport) -> Iterator[str]:
    """The lines of a report on claims."""
    yield "# Claims"
    yield ""
    yield prose(claims_machine(report))
    yield ""
    if report.claims.published:
        yield f"Published: {prose(report.claims.published)}"
        yield ""
    yield f"{prose(claims_line(report)).capitalize()}."
    yield ""
    for model in report.models:
        yield f"## {prose(model.model.name)}"
        yield ""
        if model.inputs:
            yield f"{code(model.inputs)}"
            yield ""
        yield f"| {' | '.join(CLAIM_COLUMNS)} |"
        yield "|:--|:--|--:|--:|:--|"
        for cells in claim_cells(model):
            yield f"| {' | '.join(map(cell, cells))} |"
        yield ""
    for notice in report.notices:
        yield f"> {prose(notice)}"
        yield ""
