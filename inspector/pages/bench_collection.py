"""The page on a collection of models."""

from __future__ import annotations

from inspector.findings.collection_report import (
    COLLECTION_COLUMNS,
    CollectionReport,
    collection_cells,
    collection_lines,
    collection_machine,
)
from inspector.pages.page import About, Column, Page, Section, Table, as_notes

_MOST_ROWS = 200
_NAMES = 2
_COLUMNS = (
    *(Column(name, "text" if at < _NAMES else "number")
      for at, name in enumerate(COLLECTION_COLUMNS)),
    Column("", "below"),
)  # fmt: skip


def page(report: CollectionReport) -> Page:
    """What each setting does to many models, and a row for each of them."""
    headline, *summary = [*collection_lines(report)] or ["nothing was measured"]
    rows = [cells for model in report.models for cells in collection_cells(model)]
    return Page(
        "Collection",
        headline,
        About(context=[collection_machine(report)]),
        summary=summary,
        sections=[Section("Models", [Table(_COLUMNS, rows, "row", _MOST_ROWS)])],
        notes=as_notes(report.notices),
    )
