"""Renders a report for people at a terminal, as a compiler shows its diagnostics."""

from __future__ import annotations

from typing import TextIO

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.diff_report import DiffReport
from inspector.findings.guards_report import GuardsReport
from inspector.findings.kernels_report import KernelsReport
from inspector.findings.overview import recording_line
from inspector.findings.report import Report
from inspector.renderers.terminal.diff import add_diff
from inspector.renderers.terminal.finding import finding_lines
from inspector.renderers.terminal.gate import gate_lines
from inspector.renderers.terminal.guards import add_guards
from inspector.renderers.terminal.kernels import add_kernels
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines, summary_lines
from inspector.renderers.terminal.tried import tried_lines

__all__ = ["render"]


def render(report: Report | GuardsReport | KernelsReport | DiffReport, stream: TextIO) -> None:
    """Writes a report.

    Colours are left out where the stream is no terminal or ``NO_COLOR`` is set. The width is the
    terminal's, or ``COLUMNS``, or 80. Only what is to be copied (locations, links, commands) can
    make a line longer than that.
    """
    page = Page(stream)
    if isinstance(report, GuardsReport):
        add_guards(page, report)
        page.write()
        return
    if isinstance(report, KernelsReport):
        add_kernels(page, report)
        page.write()
        return
    if isinstance(report, DiffReport):
        add_diff(page, report)
        page.write()
        return
    _begin(page, report)
    first = [finding for finding in report.findings if not finding.later]
    later = [finding for finding in report.findings if finding.later]
    for finding in first:
        page.add(finding_lines(page, finding))
    if later:
        page.add([Text("Only in later calls", style="bold underline")])
    for finding in later:
        page.add(finding_lines(page, finding))
    page.add(error_lines(page, report.run.meta))
    page.add(tried_lines(page, report))
    page.add(summary_lines(page, report))
    page.add(gate_lines(page, report))
    page.write()


def _begin(page: Page, report: Report) -> None:
    """Which recording it is, and at once whether something of it is missing."""
    line = _joined(page, recording_line(report.run))
    partial = report.run.meta.partial
    if partial:
        text = f"partial recording: {partial.rstrip('.')}. What was recorded until then follows."
        line += page.wrapped(page.safe(text, "bold yellow"))
    page.add(line)


def _joined(page: Page, parts: tuple[str, ...]) -> list[Text]:
    """Parts between dots, broken only at the dots where that is possible."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and cell_len(longer) <= page.prose_width:
            lines[-1] = longer
        else:
            lines.append(part)
    return [text for line in lines for text in page.wrapped(Text(line, style="dim"))]
