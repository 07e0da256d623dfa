"""Renders a report as GitHub-flavoured Markdown, for a pull request's comment or a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from inspector.findings.any_report import AnyReport
from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import CollectionReport
from inspector.findings.kernel_bench_report import KernelBenchReport
from inspector.findings.overview import (
    headline,
    notices,
    process_rows,
    recording_line,
    summary_rows,
)
from inspector.findings.profile_report import ProfileReport
from inspector.findings.report import Report
from inspector.findings.warmup_report import WarmupReport
from inspector.findings.wording import duration, failure
from inspector.model.ended import further_endings
from inspector.model.run import Meta
from inspector.pages.page import Page
from inspector.renderers.markdown.any_bench import any_bench_lines
from inspector.renderers.markdown.blocks import page_lines
from inspector.renderers.markdown.finding import finding_lines
from inspector.renderers.markdown.gate import gate_lines
from inspector.renderers.markdown.kernel_bench import kernel_bench_lines
from inspector.renderers.markdown.markup import cell, code, details, fenced, prose
from inspector.renderers.markdown.profile import profile_lines
from inspector.renderers.markdown.tried import tried_lines

__all__ = ["render"]

_MOST_NOTICES = 10


def render(report: Page | AnyReport, stream: TextIO) -> None:
    """Writes a report. Recorded text is escaped: it cannot become markup, HTML or a mention."""
    match report:
        case Page():
            lines = list(page_lines(report))
        case BenchReport() | CollectionReport() | WarmupReport():
            lines = list(any_bench_lines(report))
        case KernelBenchReport():
            lines = list(kernel_bench_lines(report))
        case ProfileReport():
            lines = list(profile_lines(report))
        case Report():
            lines = list(_lines(report))
    # A recorded file name can hold what UTF-8 cannot (a lone surrogate); it is spelled out by then.
    stream.write("\n".join(lines).rstrip("\n") + "\n")


def _lines(report: Report) -> Iterator[str]:
    target = report.run.meta.target
    yield f"# torch.compile: {code(target)}" if target else "# torch.compile"
    yield ""
    yield prose(" · ".join(recording_line(report.run)))
    yield ""
    yield from _incomplete(report.run.meta)
    for sentence in further_endings(report.run):
        yield "> [!WARNING]"
        yield f"> {prose(sentence)}"
        yield ""
    yield f"**{prose(headline(report))}**"
    yield ""
    yield from gate_lines(report)
    yield from _table(report)
    yield from _findings(report)
    yield from tried_lines(report)
    yield from _notices(report)
    yield from _next(report)


def _incomplete(meta: Meta) -> Iterator[str]:
    if meta.partial:
        yield "> [!WARNING]"
        reason = prose(meta.partial.rstrip("."))
        yield f"> Partial recording: {reason}. What was recorded until then follows."
        yield ""
    if meta.error:
        yield "> [!CAUTION]"
        yield f"> {failure(meta).capitalize()}: {prose(meta.error)}"
        yield ""
    if meta.error_detail.strip():
        yield from details("The program's traceback", fenced(meta.error_detail))


def _table(report: Report) -> Iterator[str]:
    yield "| | | |"
    yield "|:--|--:|:--|"
    for row in summary_rows(report):
        yield f"| {cell(row.name)} | {cell(row.value)} | {cell(row.detail)} |"
    yield ""
    processes = process_rows(report)
    if processes:
        table = ["| process | over all of them the counts above |", "|:--|:--|"]
        table += [f"| {cell(row.name)} | {cell(row.detail)} |" for row in processes]
        yield from details(f"By process ({len(processes)})", table)
    stages = report.summary.compile_time_by_stage
    if stages:
        table = ["| stage | compile time |", "|:--|--:|"]
        table += [f"| {cell(stage.stage)} | {duration(stage.time_ns)} |" for stage in stages]
        yield from details("Compile time by stage", table)


def _findings(report: Report) -> Iterator[str]:
    later = False
    for number, finding in enumerate(report.findings, 1):
        if finding.later and not later:
            yield "## Only in later calls"
            yield ""
        elif number == 1:
            yield "## Findings"
            yield ""
        later = finding.later
        yield from finding_lines(number, finding)


def _notices(report: Report) -> Iterator[str]:
    found = list(notices(report))
    if not found:
        return
    yield "## What to know about this recording"
    yield ""
    yield from (f"- {kind}: {prose(text)}" for kind, text in found[:_MOST_NOTICES])
    if len(found) > _MOST_NOTICES:
        yield f"- … {len(found) - _MOST_NOTICES:,} more in the JSON report"
    yield ""


def _next(report: Report) -> Iterator[str]:
    if report.next_steps:
        yield "## Next"
        yield ""
        yield from fenced("\n".join(report.next_steps), "sh")
