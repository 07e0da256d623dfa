"""A report on guards as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.findings.guards_report import GuardsReport
from inspector.findings.guards_wording import (
    cause_line,
    change_text,
    frame_line,
    group_line,
    guards_headline,
    subtree_line,
    subtrees_title,
    time_lines,
)
from inspector.findings.overview import recording_line
from inspector.renderers.markdown.finding import finding_lines
from inspector.renderers.markdown.markup import cell, code, fenced, prose

_MOST_ROWS = 20


def guards_lines(report: GuardsReport) -> Iterator[str]:
    """The lines of a report on guards."""
    target = report.run.meta.target
    yield f"# Guards: {code(target)}" if target else "# Guards"
    yield ""
    yield prose(" · ".join(recording_line(report.run)))
    yield ""
    yield f"**{prose(guards_headline(report))}**"
    yield ""
    for number, finding in enumerate(report.findings, 1):
        yield from finding_lines(number, finding)
    yield from _next(report)
    lines = list(time_lines(report))
    if lines or report.subtrees:
        yield "## What it costs"
        yield ""
        yield from (f"- {prose(line)}" for line in lines)
        yield ""
    if report.subtrees:
        yield f"{prose(subtrees_title(report))}:"
        yield ""
        yield from _table(("part", "", ""), map(subtree_line, report.subtrees))
    yield "## By module"
    yield ""
    yield from _table(("module", "guards", "kinds"), map(group_line, report.groups))
    own = [cause for cause in report.causes if cause.is_user]
    if own:
        yield "## By the line that caused them"
        yield ""
        yield from _table(("line", "guards", "source"), map(cause_line, own))
    yield from (f"- note: {prose(notice)}" for notice in report.notices)
    if report.next_steps:
        yield ""
        yield from fenced("\n".join(report.next_steps), "sh")


def _next(report: GuardsReport) -> Iterator[str]:
    rows = [row for row in report.frames if row.next_changes or row.is_skipped]
    if not rows:
        return
    yield "## What recompiles next"
    yield ""
    for row in rows:
        yield prose(frame_line(row))
        yield ""
        yield from (f"1. {prose(change_text(item))}" for item in row.next_changes[:_MOST_ROWS])
        yield ""


def _table(titles: tuple[str, str, str], rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield "|:--|--:|:--|"
    found = list(rows)
    for name, number, detail in found[:_MOST_ROWS]:
        shown = cell(f"`{detail}`") if titles[2] == "source" and "`" not in detail else cell(detail)
        yield f"| {cell(f'`{name}`') if '`' not in name else cell(name)} | {number} | {shown} |"
    if len(found) > _MOST_ROWS:
        yield f"| … {len(found) - _MOST_ROWS:,} more in the JSON report | | |"
    yield ""
