"""A collection of models as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.collection_report import (
    COLLECTION_COLUMNS,
    CollectionReport,
    collection_cells,
    collection_lines,
    collection_machine,
)
from inspector.renderers.markdown.markup import cell, prose


def collection_report_lines(report: CollectionReport) -> Iterator[str]:
    """The lines of a report on several models."""
    yield "# Collection"
    yield ""
    yield prose(collection_machine(report))
    yield ""
    for line in collection_lines(report):
        yield f"- {prose(line)}."
    yield ""
    yield f"| {' | '.join(COLLECTION_COLUMNS)} |"
    yield f"|:--|:--|{'--:|' * (len(COLLECTION_COLUMNS) - 2)}"
    for model in report.models:
        for cells in collection_cells(model):
            yield f"| {' | '.join(map(cell, cells))} |"
    yield ""
    for notice in report.notices:
        yield f"> {prose(notice)}"
        yield ""
