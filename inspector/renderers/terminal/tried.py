"""The table of what was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.report import Report
from inspector.findings.tried import (
    TrialRow,
    tried_columns,
    tried_heading,
    tried_notes,
    tried_rows,
    tried_title,
    tried_verdict,
)
from inspector.renderers.terminal.page import Page

_GAP = "  "


def tried_lines(page: Page, report: Report) -> Iterator[Text]:
    """The table, or why there is none, and what else there is to know about it.

    Where settings and numbers do not fit on one line, a setting has a line of its own; where the
    numbers alone do not, they are told one after the other.
    """
    if report.verification is None:
        return
    yield from page.wrapped(Text(tried_title(report.verification), style="bold"))
    verdict = tried_verdict(report.verification, report.findings)
    yield from page.wrapped(Text(verdict, style="bold green")) if verdict else ()
    rows = tried_rows(report.verification)
    if rows:
        yield Text()
        titles = tried_heading(report.verification), *tried_columns(report.verification)
        yield from _table(page, rows, titles)
    notes = tried_notes(report.verification)
    if notes and rows:
        yield Text()
    for note in notes:
        label = Text().append("note: ", style="bold")
        yield from page.wrapped(label.append(note), _GAP, _GAP * 2)


def _table(page: Page, rows: Sequence[TrialRow], titles: Sequence[str]) -> Iterator[Text]:
    heading, *columns = titles
    filled = [row.cells for row in rows if row.cells]
    widths = [max(map(cell_len, column)) for column in zip(columns, *filled, strict=True)]
    numbers = sum(widths) + len(_GAP) * len(widths)
    settings = max(cell_len(row.setting) for row in rows)
    if len(_GAP) + settings + numbers <= page.width:
        yield _line(Text(heading), columns, widths, settings, "dim")
        for row in rows:
            yield from _on_one_line(page, row, widths, settings)
        return
    indentation = 2 * len(_GAP)
    fits = indentation + numbers <= page.width
    if fits:
        yield _line(Text(""), columns, widths, indentation, "dim")
    for row in rows:
        yield from page.wrapped(_setting(row), _GAP, _GAP * 2)
        if row.failure:
            yield from page.wrapped(Text(row.failure, style="red"), _GAP * 3)
        elif fits:
            yield _line(Text(""), row.cells, widths, indentation)
        else:
            yield from page.wrapped(Text(_in_words(row, columns)), _GAP * 3)


def _in_words(row: TrialRow, columns: Sequence[str]) -> str:
    pairs = zip(columns, row.cells, strict=True)
    return " · ".join(f"{title} {cell}".strip() for title, cell in pairs if cell)


def _on_one_line(page: Page, row: TrialRow, widths: Sequence[int], settings: int) -> Iterator[Text]:
    if not row.failure:
        yield _line(_setting(row), row.cells, widths, settings)
        return
    yield from page.wrapped(_setting(row), _GAP)
    yield from page.wrapped(Text(row.failure, style="red"), _GAP * 3)


def _setting(row: TrialRow) -> Text:
    return Text(row.setting, style="green" if row.helps else "")


def _line(
    setting: Text, cells: Sequence[str], widths: Sequence[int], indentation: int, style: str = ""
) -> Text:
    line = Text(_GAP).append_text(setting).append(" " * (indentation - cell_len(setting.plain)))
    *numbers, last = (
        f"{_GAP}{' ' * (width - cell_len(cell))}{cell}"
        for cell, width in zip(cells, widths, strict=True)
    )
    return line.append("".join(numbers) + _GAP + cells[-1], style=style) if last else line
