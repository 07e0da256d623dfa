"""A report on one kernel as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.kernel_bench_report import KernelBenchReport
from inspector.findings.kernel_bench_wording import (
    WHOLE_MODEL,
    argument_texts,
    time_lines,
    title,
    verdict_lines,
)
from inspector.findings.overview import recording_line
from inspector.findings.wording import failure
from inspector.renderers.markdown.markup import cell, fenced, prose


def kernel_bench_lines(report: KernelBenchReport) -> Iterator[str]:
    """The lines of a report."""
    yield f"# {prose(title(report))}"
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
    lines = list(verdict_lines(report))
    for line in lines:
        yield f"- {prose(line)}."
    if lines:
        yield ""
    yield from _table(("", "time", ""), "|:--|--:|:--|", time_lines(report))
    yield from _table(("argument", ""), "|:--|:--|", argument_texts(report))
    for notice in report.notices:
        yield f"> {prose(notice)}"
        yield ""
    if report.next_steps:
        yield f"{WHOLE_MODEL[:1].upper()}{WHOLE_MODEL[1:]}:"
        yield ""
        yield from fenced("\n".join(report.next_steps), "sh")


def _table(heads: tuple[str, ...], below: str, rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    lines = [f"| {' | '.join(map(cell, row))} |" for row in rows]
    if lines:
        yield f"| {' | '.join(heads)} |"
        yield below
        yield from lines
        yield ""
