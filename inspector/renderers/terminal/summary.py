"""What failed, and the end of the page: the counts, what could not be read, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from inspector.findings.escaping import one_line
from inspector.findings.overview import (
    Row,
    headline,
    notices,
    process_rows,
    summary_rows,
)
from inspector.findings.report import Report
from inspector.findings.wording import count, duration, failure
from inspector.model.compile_time import StageTime
from inspector.model.ended import further_endings
from inspector.model.run import Meta, Run
from inspector.renderers.terminal.bars import bar
from inspector.renderers.terminal.page import Page

_GAP = "  "
_BAR_WIDTH = 32
_MOST_NOTICES = 10
_MOST_PROCESSES = 16
_MOST_TRACEBACK = 30
_STYLES = {"warning": "yellow", "problem": "red", "note": "dim"}


def error_lines(page: Page, meta: Meta) -> Iterator[Text]:
    """What failed in the recorded program, with the user's own traceback."""
    if not meta.error:
        return
    sentence = Text(f"{failure(meta)}: ", style="bold red")
    yield from page.wrapped(sentence.append_text(page.safe(meta.error)), further=_GAP)
    if meta.error_detail.strip():
        yield from page.verbatim(meta.error_detail, _GAP, "dim", _MOST_TRACEBACK)


def further_lines(page: Page, run: Run) -> Iterator[Text]:
    """What else of the program ended with an exception."""
    for sentence in further_endings(run):
        yield from page.wrapped(page.safe(sentence, "yellow"), further=_GAP)


def summary_lines(page: Page, report: Report) -> Iterator[Text]:
    """The counts of the run, compile time by stage, what is missing, and what to do next."""
    yield from page.wrapped(Text(headline(report), style="bold"))
    yield Text()
    yield from _table(page, summary_rows(report), report.summary.compile_time_by_stage)
    yield from _processes(page, process_rows(report))
    yield from _notices(page, report)
    yield from _next(report.next_steps)


def _processes(page: Page, rows: Sequence[Row]) -> Iterator[Text]:
    """The counts of each process; those above are over all of them."""
    if not rows:
        return
    yield Text()
    yield from page.wrapped(
        Text(f"by process; the counts above are over all {len(rows)}", style="bold")
    )
    width = max(cell_len(row.name) for row in rows)
    for row in rows[:_MOST_PROCESSES]:
        name = row.name + " " * (width - cell_len(row.name))
        yield from page.wrapped(Text(row.detail, style="dim"), f"{_GAP}{name}{_GAP}")
    if len(rows) > _MOST_PROCESSES:
        yield Text(f"{_GAP}… {len(rows) - _MOST_PROCESSES:,} more in the JSON report", style="dim")


def _table(page: Page, rows: Sequence[Row], stages: Sequence[StageTime]) -> Iterator[Text]:
    names = [row.name for row in rows] + [f"{_GAP}{stage.stage}" for stage in stages]
    values = [row.value for row in rows] + [duration(stage.time_ns) for stage in stages]
    widths = max(map(cell_len, names)), max(map(cell_len, values))
    for row in rows:
        line = f"{_GAP}{row.name:<{widths[0]}}{_GAP}{row.value:>{widths[1]}}"
        yield from page.wrapped(Text(row.detail, style="dim"), line + _GAP)
        if row.name == "compile time":
            yield from _stages(page, stages, widths)


def _stages(page: Page, stages: Sequence[StageTime], widths: tuple[int, int]) -> Iterator[Text]:
    longest = max((stage.time_ns for stage in stages), default=0)
    room = min(_BAR_WIDTH, page.width - sum(widths) - 3 * len(_GAP))
    for stage in stages:
        name = f"{_GAP}{one_line(stage.stage)}"
        text = Text(f"{_GAP}{name:<{widths[0]}}{_GAP}{duration(stage.time_ns):>{widths[1]}}{_GAP}")
        yield text.append(bar(stage.time_ns, longest, room), style="blue")


def _notices(page: Page, report: Report) -> Iterator[Text]:
    found = list(notices(report))
    if found:
        yield Text()
    for kind, text in found[:_MOST_NOTICES]:
        label = Text(f"{kind}: ", style=_STYLES[kind])
        yield from page.wrapped(label.append(text, style="not bold"), further=_GAP)
    if len(found) > _MOST_NOTICES:
        more = count(len(found) - _MOST_NOTICES, "more warning")
        yield Text(f"… {more} in the JSON report", style="dim")


def _next(steps: Sequence[str]) -> Iterator[Text]:
    if steps:
        yield Text()
    for index, step in enumerate(steps):
        label = Text("      ") if index else Text("next: ", style="bold")
        yield label.append(one_line(step), style="cyan")
