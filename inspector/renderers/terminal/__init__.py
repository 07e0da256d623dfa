"""Renders a report for people at a terminal, as a compiler shows its diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.any_report import AnyReport
from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import CollectionReport
from inspector.findings.finding import Finding
from inspector.findings.kernel_bench_report import KernelBenchReport
from inspector.findings.overview import recording_line
from inspector.findings.profile_report import ProfileReport
from inspector.findings.report import Report
from inspector.findings.warmup_report import WarmupReport
from inspector.findings.wording import count
from inspector.pages.page import Page
from inspector.renderers.terminal.any_bench import add_any_bench
from inspector.renderers.terminal.blocks import add_page
from inspector.renderers.terminal.finding import finding_heading, finding_lines
from inspector.renderers.terminal.gate import gate_lines
from inspector.renderers.terminal.kernel_bench import add_kernel_bench
from inspector.renderers.terminal.page import Page as Screen
from inspector.renderers.terminal.profile import add_profiles
from inspector.renderers.terminal.summary import error_lines, further_lines, summary_lines
from inspector.renderers.terminal.tried import tried_lines

__all__ = ["render"]

_MOST_WHOLE = 40


def render(report: Page | AnyReport, stream: TextIO) -> None:
    """Writes a report.

    Colours are left out where the stream is no terminal or ``NO_COLOR`` is set. The width is the
    terminal's, or ``COLUMNS``, or 80. Only what is to be copied (locations, links, commands) can
    make a line longer than that.
    """
    page = Screen(stream)
    match report:
        case Page():
            add_page(page, report)
        case BenchReport() | CollectionReport() | WarmupReport():
            add_any_bench(page, report)
        case KernelBenchReport():
            add_kernel_bench(page, report)
        case ProfileReport():
            add_profiles(page, report)
        case Report():
            _add_report(page, report)
    page.write()


def _add_report(page: Screen, report: Report) -> None:
    _begin(page, report)
    page.add(error_lines(page, report.run.meta))
    page.add(further_lines(page, report.run))
    first = [finding for finding in report.findings if not finding.later]
    later = [finding for finding in report.findings if finding.later]
    _add_findings(page, first, _MOST_WHOLE)
    if later:
        page.add([Text("Only in later calls", style="bold underline")])
    _add_findings(page, later, max(0, _MOST_WHOLE - len(first)))
    page.add(tried_lines(page, report))
    page.add(summary_lines(page, report))
    page.add(gate_lines(page, report))


def _add_findings(page: Screen, findings: Sequence[Finding], most: int) -> None:
    """The first ones, which cost most, as a whole; of hundreds the titles of the others."""
    for finding in findings[:most]:
        page.add(finding_lines(page, finding))
    rest = findings[most:]
    if rest:
        told = f"{count(len(rest), 'more finding')}, by their titles; -o report.md has all of them:"
        page.add(page.wrapped(Text(told, style="bold")))
        page.add(line for finding in rest for line in finding_heading(page, finding))


def _begin(page: Screen, report: Report) -> None:
    """Which recording it is, and at once whether something of it is missing."""
    line = _joined(page, recording_line(report.run))
    partial = report.run.meta.partial
    if partial:
        text = f"partial recording: {partial.rstrip('.')}. What was recorded until then follows."
        line += page.wrapped(page.safe(text, "bold yellow"))
    page.add(line)


def _joined(page: Screen, parts: tuple[str, ...]) -> list[Text]:
    """Parts between dots, broken only at the dots where that is possible."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and cell_len(longer) <= page.prose_width:
            lines[-1] = longer
        else:
            lines.append(part)
    return [text for line in lines for text in page.wrapped(Text(line, style="dim"))]
