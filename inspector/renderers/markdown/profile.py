"""A report on profiles as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.ceiling_wording import ceiling_lines
from inspector.findings.graph_wording import TIMES
from inspector.findings.overview import recording_line
from inspector.findings.profile_report import ProfileReport
from inspector.findings.profile_rows import line_rows, module_rows, operator_rows, work_lines
from inspector.findings.profile_wording import (
    call_title,
    gain_lines,
    headline,
    idle_parts,
    more_gains,
    verdict_lines,
)
from inspector.findings.profiled import Profiled
from inspector.findings.slowdown_wording import SLOWDOWN_TITLE, slowdown_rows
from inspector.findings.wording import failure
from inspector.renderers.markdown.autotuning import autotuning_section
from inspector.renderers.markdown.markup import cell, code, prose
from inspector.renderers.markdown.memory import memory_markdown

_MOST_ROWS = 200


def profile_lines(report: ProfileReport) -> Iterator[str]:
    """The lines of a report."""
    target = report.run.meta.target
    yield f"# Profile of {code(target)}" if target else "# Profile"
    yield ""
    yield prose(" · ".join(recording_line(report.run)))
    yield ""
    meta = report.run.meta
    if meta.partial:
        yield f"> Partial recording: {prose(meta.partial.rstrip('.'))}."
        yield ""
    if meta.error:
        yield f"> {failure(meta).capitalize()}: {prose(meta.error)}"
        yield ""
    for found in report.profiles:
        yield from _profile(report, found)
    yield from autotuning_section(report)
    if report.ceilings is not None:
        yield f"## What {prose(report.ceilings.device)} can do"
        yield ""
        for name, text in ceiling_lines(report.ceilings, report.run.meta.started):
            yield f"- {prose(name)}: {prose(text)}"
        yield ""
    for notice in report.notices:
        yield f"> {prose(notice)}"
        yield ""


def _profile(report: ProfileReport, found: Profiled) -> Iterator[str]:
    yield f"## {prose(headline(found, len(report.profiles)))}"
    yield ""
    for line in verdict_lines(found):
        yield f"- {prose(line)}."
    yield ""
    yield f"| {cell(call_title(found))} | |"
    yield "|:--|--:|"
    for name, share in idle_parts(found):
        yield f"| {cell(name)} | {share:.1%} |"
    yield ""
    rows = slowdown_rows(found)
    if rows:
        yield f"| {cell(SLOWDOWN_TITLE)} | eager | compiled | |"
        yield "|:--|--:|--:|--:|"
        for row in rows:
            yield f"| {' | '.join(map(cell, row))} |"
        yield ""
    gains = list(gain_lines(found))
    if gains:
        yield "| could be won, estimated | because | change |"
        yield "|--:|:--|:--|"
        for gain in gains:
            yield "| " + " | ".join(map(cell, gain)) + " |"
        yield ""
    if more := more_gains(found):
        yield f"{more}\n"
    yield from _work(found)
    yield from _shares(found)
    yield from memory_markdown(found)


def _work(found: Profiled) -> Iterator[str]:
    yield "| kernel | time | share | | lines |"
    yield "|:--|--:|--:|:--|:--|"
    rows = work_lines(found)
    for row in rows[:_MOST_ROWS]:
        times = f"{row.number} {TIMES} " if row.number > 1 else ""
        places = ", ".join(place for place, _ in row.places)
        texts = times + row.name, row.time, f"{row.share:.1%}", row.detail, places
        yield "| " + " | ".join(map(cell, texts)) + " |"
    if len(rows) > _MOST_ROWS:
        yield f"| … {len(rows) - _MOST_ROWS:,} more in the JSON report | | | | |"
    yield ""


def _shares(found: Profiled) -> Iterator[str]:
    """The same time by line, operator and module."""
    yield "| line | time | share | |"
    yield "|:--|--:|--:|:--|"
    for place, time, share, text in list(line_rows(found))[:_MOST_ROWS]:
        source = cell(code(text)) if text else ""
        yield f"| {cell(place)} | {cell(time)} | {share:.1%} | {source} |"
    yield ""
    for title, table in (("operator", operator_rows(found)), ("module", module_rows(found))):
        others = list(table)[:_MOST_ROWS]
        if others:
            yield f"| {title} | time | share |"
            yield "|:--|--:|--:|"
            for name, time, share in others:
                yield f"| {cell(name)} | {cell(time)} | {share:.1%} |"
            yield ""
