"""A report on one kernel for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.file_names import line_texts, short_names
from inspector.findings.kernel_bench_report import KernelBenchReport
from inspector.findings.kernel_bench_wording import (
    WHOLE_MODEL,
    argument_texts,
    time_lines,
    title,
    verdict_lines,
)
from inspector.findings.overview import recording_line
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "
_MOST_ARGUMENTS = 12
_MOST_LINES = 3


def add_kernel_bench(page: Page, report: KernelBenchReport) -> None:
    """Adds the blocks of a report, the verdict first."""
    line = " · ".join(recording_line(report.run))
    page.add(page.wrapped(Text(line, style="dim")))
    page.add(_verdict(page, report))
    page.add(_times(page, report))
    page.add(_arguments(page, report))
    page.add(error_lines(page, report.run.meta))
    page.add(_notices(page, report))
    page.add(_next(page, report))


def _verdict(page: Page, report: KernelBenchReport) -> Iterator[Text]:
    yield from page.wrapped(page.safe(title(report), "bold underline"))
    for line in verdict_lines(report):
        yield from page.wrapped(page.safe(f"{line}.", "bold"), "", _GAP)
    work = report.in_place.work if report.in_place is not None else None
    lines = work.lines if work is not None else ()
    names = short_names(line.file for line in lines)
    for place, code in line_texts(lines, names)[:_MOST_LINES]:
        text = Text(_GAP).append_text(page.safe(place)).append(_GAP)
        yield page.cropped(text.append_text(page.safe(code, "dim")))


def _times(page: Page, report: KernelBenchReport) -> Iterator[Text]:
    lines = list(time_lines(report))
    if lines:
        yield Text("Alone, and in place", style="bold")
    for name, time, detail in lines:
        head = f"{_GAP}{name:<11}{time:>10}{_GAP}"
        yield from page.wrapped(page.safe(detail), head, " " * (cell_len(head) + 2))


def _arguments(page: Page, report: KernelBenchReport) -> Iterator[Text]:
    texts = list(argument_texts(report))
    if texts:
        yield Text("With the arguments of the model's call", style="bold")
    for name, text in texts[:_MOST_ARGUMENTS]:
        yield from page.wrapped(page.safe(f"{name}: {text}"), _GAP, _GAP * 2)
    if len(texts) > _MOST_ARGUMENTS:
        more = f"{_GAP}… {len(texts) - _MOST_ARGUMENTS} more in the JSON report"
        yield Text(more, style="dim")


def _notices(page: Page, report: KernelBenchReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)


def _next(page: Page, report: KernelBenchReport) -> Iterator[Text]:
    for step in report.next_steps:
        text = Text("next: ", style="bold").append_text(page.safe(step, "cyan"))
        yield text.append(f"{_GAP}({WHOLE_MODEL})", "dim")
