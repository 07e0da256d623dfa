"""Two runs side by side, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.findings.diff_report import DiffReport
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
from inspector.renderers.markdown.markup import cell, code, prose

_TITLES = {"gone": "Gone", "new": "New", "changed": "Changed"}


def diff_lines(report: DiffReport) -> Iterator[str]:
    """The lines of a diff: the answer first."""
    yield f"**{prose(answer(report))}**"
    yield ""
    yield f"- {prose(side_line(report.before))}"
    yield f"- {prose(side_line(report.after))}"
    yield ""
    yield from _table(
        ("", "A", "B"),
        [(item.name, item.before or "–", item.after or "–") for item in report.conditions],  # noqa: RUF001
    )
    yield from _table(
        ("", "A", "B", "change"),
        [(item.name, item.before, item.after, item.change) for item in totals(report.diff)],
    )
    for kind, title in _TITLES.items():
        yield from _changes(title, report.diff.of(kind))
    if same_line(report.diff):
        yield f"- {same_line(report.diff)}"
    libraries = report.diff.libraries.items()
    yield from (f"- {code(name)}: {before} → {after} calls" for name, (before, after) in libraries)
    if report.diff.operators:
        yield f"- {prose(operators_line(report.diff))}"
    yield from (f"- note: {prose(notice)}" for notice in report.notices)


def _changes(title: str, changes: tuple[KernelChange, ...]) -> Iterator[str]:
    if not changes:
        return
    yield f"## {title}"
    yield ""
    rows = [(_name(change), change_detail(change), kernel_lines(change)) for change in changes]
    yield from _table(("kernel", "", "lines"), rows)


def _name(change: KernelChange) -> str:
    names = [item.kernel.name for item in (change.before, change.after) if item is not None]
    return " → ".join(f"`{name}`" for name in dict.fromkeys(names))


def _table(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"|{':--|' * len(titles)}"
    yield from (f"| {' | '.join(map(cell, row))} |" for row in rows)
    yield ""
