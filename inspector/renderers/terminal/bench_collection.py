"""A collection of models for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.collection_report import (
    COLLECTION_COLUMNS,
    CollectionReport,
    collection_cells,
    collection_lines,
    collection_machine,
)
from inspector.renderers.terminal.page import Page

_GAP = "  "
_NAMES = 2
_FASTER = 4  # of a line without this nothing was measured


def add_collection(page: Page, report: CollectionReport) -> None:
    """Adds what each setting does to many models, and a line for each of them."""
    page.add(_head(page, report))
    page.add(_table(page, report))
    page.add(_notices(page, report))


def _head(page: Page, report: CollectionReport) -> Iterator[Text]:
    yield from page.wrapped(page.safe(collection_machine(report), "dim"))
    for line in collection_lines(report):
        yield from page.wrapped(page.safe(f"{line}.", "bold"), "", _GAP)


def _table(page: Page, report: CollectionReport) -> Iterator[Text]:
    rows = [cells for model in report.models for cells in collection_cells(model)]
    measured = [cells for cells in rows if cells[_FASTER]]
    widths = [
        max(cell_len(cells[at]) for cells in (COLLECTION_COLUMNS, *measured))
        for at in range(len(COLLECTION_COLUMNS))
    ]
    yield page.cropped(_line(page, COLLECTION_COLUMNS, widths, "dim"))
    last = ""
    for cells in rows:
        name = cells[0] if cells[0] != last else ""
        last = cells[0]
        if cells[_FASTER]:
            yield page.cropped(_line(page, (name, *cells[1:]), widths, ""))
            continue
        said = " · ".join(filter(None, cells[1:]))
        yield from page.wrapped(page.safe(f"{cells[0]}: {said}", "red"), _GAP, _GAP * 2)


def _line(page: Page, cells: tuple[str, ...], widths: list[int], style: str) -> Text:
    line = Text(_GAP, style)
    for at, (text, width) in enumerate(zip(cells, widths, strict=True)):
        space = " " * (width - cell_len(text))
        is_name = at < _NAMES  # names stand to the left, numbers to the right
        line.append("" if is_name else space)
        line.append_text(page.safe(text))
        line.append((space if is_name else "") + _GAP)
    line.rstrip()
    return line


def _notices(page: Page, report: CollectionReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
