"""A report on kernels for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.command_line import command_about
from inspector.findings.cpp_wording import nest_lines
from inspector.findings.escaping import escaped
from inspector.findings.kernel_build_wording import build_line, total_line
from inspector.findings.kernel_choices_wording import CHOICES_TITLE, choice_lines
from inspector.findings.kernels_report import KernelRow, KernelsReport
from inspector.findings.kernels_wording import (
    TIMES,
    cpp_line,
    gpu_line,
    graph_line,
    kernel_detail,
    kernels_headline,
    lines_of,
    modules_line,
)
from inspector.findings.overview import recording_line
from inspector.findings.wording import count
from inspector.renderers.terminal.finding import finding_lines
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "
_MOST_ROWS = 60
_MOST_LINES = 2
_MOST_NESTS = 4


def add_kernels(page: Page, report: KernelsReport) -> None:
    """Adds the blocks of a report; of one kernel its source alone."""
    if report.shown:
        _add_source(page, report)
        return
    line = " · ".join(recording_line(report.run))
    page.add(page.wrapped(Text(line, style="dim")))
    if report.run.meta.partial:
        partial = f"partial recording: {report.run.meta.partial.rstrip('.')}"
        page.add(page.wrapped(page.safe(partial, "bold yellow")))
    head = page.wrapped(Text(kernels_headline(report), style="bold"))
    if report.gpu is not None:
        head += page.wrapped(Text(gpu_line(report)))
    facts = [row.facts for row in report.rows if row.facts is not None and not row.is_candidate]
    total = total_line(facts)
    if total:
        head += page.wrapped(Text(total))
    if cpp_line(report):
        head += page.wrapped(page.safe(cpp_line(report)))
    page.add(head)
    for finding in report.findings:
        page.add(finding_lines(page, finding))
    for index, graph in enumerate(report.graphs):
        if not graph.alternative:  # much the same, and would be as long again
            page.add(_graph(page, report, index, graph_line(graph)))
    page.add(_choices(page, report))
    page.add(_libraries(page, report))
    page.add(error_lines(page, report.run.meta))
    page.add(_notices(page, report))


def _add_source(page: Page, report: KernelsReport) -> None:
    row = next(row for row in report.rows if row.kernel.name == report.shown)
    # It is to be copied: no line is broken. Lines are spoken of, which count from its first one.
    page.add(Text(line) for line in escaped(row.kernel.source.rstrip("\n")).split("\n"))


def _graph(page: Page, report: KernelsReport, index: int, title: str) -> Iterator[Text]:
    rows = [row for row in report.rows if row.graphs[0] == index]
    if not rows:
        return
    yield from page.wrapped(Text(title, style="bold underline"))
    for row in rows[:_MOST_ROWS]:
        yield from _row(page, row)
    if len(rows) > _MOST_ROWS:
        yield Text(f"{_GAP}… {len(rows) - _MOST_ROWS:,} more in the JSON report", style="dim")


def _row(page: Page, row: KernelRow) -> Iterator[Text]:
    launches = f"{row.launches}{TIMES} " if row.launches != 1 else ""
    yield Text(_GAP).append_text(page.safe(row.kernel.name, "cyan"))
    detail = page.safe(f"{launches}{kernel_detail(row)}")
    yield from page.wrapped(detail, _GAP * 2, _GAP * 2)
    if row.facts is not None:
        yield from page.wrapped(page.safe(build_line(row.facts)), _GAP * 2, _GAP * 3)
    yield from _nests(page, row)
    lines = lines_of(row.kernel)
    for node in lines[:_MOST_LINES]:
        place = f"{node.file.rpartition('/')[2]}:{node.line}"
        room = page.width - cell_len(place) - len(_GAP) * 4
        code = page.safe(node.code, "dim")
        code.truncate(max(room, 0), overflow="ellipsis")
        yield page.cropped(Text(f"{_GAP * 2}{place}{_GAP}").append_text(code))
    if len(lines) > _MOST_LINES:
        more = count(len(lines) - _MOST_LINES, "more line")
        yield Text(f"{_GAP * 2}+{more}", style="dim")
    if modules_line(row.kernel):
        yield page.cropped(Text(_GAP * 2).append_text(page.safe(modules_line(row.kernel), "dim")))


def _nests(page: Page, row: KernelRow) -> Iterator[Text]:
    """What Inductor said of loops in C++ that are serial or without vectors."""
    lines = list(nest_lines(row.kernel.cpp)) if row.kernel.cpp is not None else []
    for line in lines[:_MOST_NESTS]:
        yield from page.wrapped(page.safe(line, "dim"), _GAP * 2, _GAP * 3)
    if len(lines) > _MOST_NESTS:
        more = f"{_GAP * 2}… {len(lines) - _MOST_NESTS:,} more loops in the JSON report"
        yield Text(more, style="dim")


def _choices(page: Page, report: KernelsReport) -> Iterator[Text]:
    lines = list(choice_lines(report))
    if lines:
        yield from page.wrapped(Text(CHOICES_TITLE, style="bold underline"))
    for line in lines:
        yield from page.wrapped(page.safe(line), _GAP, _GAP * 2)


def _libraries(page: Page, report: KernelsReport) -> Iterator[Text]:
    if not report.libraries:
        return
    yield from page.wrapped(Text("Calls of libraries and ATen", style="bold underline"))
    text = ", ".join(f"{name} {number}{TIMES}" for name, number in report.libraries.items())
    yield from page.wrapped(page.safe(text), _GAP, _GAP)


def _notices(page: Page, report: KernelsReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
    if report.rows:
        options = ("--show", report.rows[0].kernel.name, "--as", "source")
        step = command_about(report.run, "kernels", *options)
        yield Text("next: ", style="bold").append_text(page.safe(step, "cyan"))
