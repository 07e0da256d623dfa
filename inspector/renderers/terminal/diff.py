"""Two runs side by side, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.diff_report import Condition, DiffReport
from inspector.findings.diff_wording import (
    answer,
    change_detail,
    kernel_lines,
    operators_line,
    same_line,
    side_line,
    totals,
)
from inspector.model.kernel_diff import KernelChange
from inspector.renderers.terminal.page import Page

_GAP = "  "
_MOST_ROWS = 40
_TITLES = {"gone": "Gone", "new": "New", "changed": "Changed"}
_STYLES = {"gone": "red", "new": "green", "changed": "yellow"}


def add_diff(page: Page, report: DiffReport) -> None:
    """Adds the blocks of a diff: the answer first."""
    page.add(page.wrapped(Text(answer(report), style="bold")))
    lines: list[Text] = []
    for side in (report.before, report.after):
        lines += page.wrapped(page.safe(side_line(side), "dim"), further=_GAP)
    lines += _conditions(page, report.conditions)
    page.add(lines)
    page.add(_totals(page, report))
    for kind, title in _TITLES.items():
        page.add(_changes(page, kind, title, report.diff.of(kind)))
    page.add(_rest(page, report))


def _conditions(page: Page, conditions: Iterable[Condition]) -> Iterator[Text]:
    """What differs, each in a line; what does not, in one."""
    same = [f"{item.name} {item.after}" for item in conditions if not item.differs]
    for item in conditions:
        if item.differs:
            text = f"{item.name}: {item.before or 'unset'} → {item.after or 'unset'}"
            yield from page.wrapped(page.safe(text, "yellow"), further=_GAP)
    if same:
        yield from page.wrapped(page.safe(f"both: {' · '.join(same)}", "dim"), further=_GAP)


def _totals(page: Page, report: DiffReport) -> Iterator[Text]:
    rows = [("", "A", "B", "")]
    rows += [(item.name, item.before, item.after, item.change) for item in totals(report.diff)]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(4)]
    for index, row in enumerate(rows):
        cells = [row[0].ljust(widths[0])]
        cells += [row[column].rjust(widths[column]) for column in (1, 2, 3)]
        text = Text(_GAP.join(cells), style="dim" if not index else "")
        yield page.cropped(text)


def _changes(
    page: Page, kind: str, title: str, changes: tuple[KernelChange, ...]
) -> Iterator[Text]:
    if not changes:
        return
    yield Text(f"{title} ({len(changes):,})", style="bold underline")
    for change in changes[:_MOST_ROWS]:
        yield from _row(page, kind, change)
    if len(changes) > _MOST_ROWS:
        yield Text(f"{_GAP}… {len(changes) - _MOST_ROWS:,} more in the JSON report", style="dim")


def _row(page: Page, kind: str, change: KernelChange) -> Iterator[Text]:
    before, after = change.before, change.after
    names = [item.kernel.name for item in (before, after) if item is not None]
    yield Text(_GAP).append_text(page.safe(names[0], _STYLES[kind]))
    if len(names) > 1 and names[0] != names[1]:
        yield Text(f"{_GAP}→ ").append_text(page.safe(names[1], _STYLES[kind]))
    for text in (change_detail(change), kernel_lines(change)):
        if text:
            yield from page.wrapped(page.safe(text), _GAP * 2, _GAP * 2)


def _rest(page: Page, report: DiffReport) -> Iterator[Text]:
    if same_line(report.diff):
        yield Text(same_line(report.diff))
    for name, (before, after) in report.diff.libraries.items():
        yield from page.wrapped(page.safe(f"{name}: {before} → {after} calls"), further=_GAP)
    if report.diff.operators:
        yield from page.wrapped(page.safe(operators_line(report.diff)), further=_GAP)
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
