"""A report on profiles for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from inspector.findings.ceiling_wording import ceiling_lines
from inspector.findings.graph_wording import TIMES
from inspector.findings.overview import recording_line
from inspector.findings.profile_next import next_steps
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
from inspector.findings.wording import count
from inspector.renderers.terminal.autotuning import autotuning_lines
from inspector.renderers.terminal.memory import memory_block
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "
_MOST_WORK = 12
_MOST_LINES = 8
_MOST_PLACES = 2
_LEAST_PART = 0.005
_SHADES = ("█", "▓", "▒", "░", "·", "~", "'", "^", "*", "o", "x", "%", "@", "?")
_COLOURS = ("green", "red", "yellow", "magenta", "blue", "cyan")


def add_profiles(page: Page, report: ProfileReport) -> None:
    """Adds the blocks of a report, the verdict first."""
    line = " · ".join(recording_line(report.run))
    page.add(page.wrapped(Text(line, style="dim")))
    if report.run.meta.partial:
        partial = f"partial recording: {report.run.meta.partial.rstrip('.')}"
        page.add(page.wrapped(page.safe(partial, "bold yellow")))
    for found in report.profiles:
        page.add(_verdict(page, report, found))
        page.add(_where(page, found))
        page.add(_slower(page, found))
        page.add(_gains(page, found))
        page.add(_work(page, found))
        page.add(_lines(page, found))
        page.add(_table(page, "By operator", list(operator_rows(found))))
        page.add(_table(page, "By module", list(module_rows(found))))
        page.add(memory_block(page, found))
    page.add(autotuning_lines(page, report))
    if report.ceilings is not None:
        page.add(_ceilings(page, report))
    page.add(error_lines(page, report.run.meta))
    page.add(_notices(page, report))


def _verdict(page: Page, report: ProfileReport, found: Profiled) -> Iterator[Text]:
    title = headline(found, len(report.profiles))
    yield from page.wrapped(page.safe(title, "bold underline"))
    for line in verdict_lines(found):
        yield from page.wrapped(page.safe(f"{line}.", "bold"), "", _GAP)


def _where(page: Page, found: Profiled) -> Iterator[Text]:
    """One bar: the device's work, and why it is idle."""
    parts = [part for part in idle_parts(found) if part[1] >= _LEAST_PART]
    if not parts:
        return
    bar, legend = Text(_GAP), [Text(_GAP)]
    widths = _widths([share for _, share in parts], page.width - len(_GAP))
    for number, ((name, share), width) in enumerate(zip(parts, widths, strict=True)):
        shade = _SHADES[min(number, len(_SHADES) - 1)]
        colour = _COLOURS[min(number, len(_COLOURS) - 1)]
        bar.append(shade * width, style=colour)
        entry = Text.assemble((f"{shade} ", colour), f"{name} {share:.0%}   ")
        if len(legend[-1].plain) > len(_GAP) and legend[-1].cell_len + len(entry) > page.width:
            legend.append(Text(_GAP))
        legend[-1].append_text(entry)
    yield Text(call_title(found), style="bold")
    yield bar
    for line in legend:
        line.rstrip()
        yield page.cropped(line)


def _widths(shares: Sequence[float], room: int) -> list[int]:
    """How many characters each part of a bar has: one at least, and all together have room."""
    widths = [max(1, round(share * room)) for share in shares]
    while sum(widths) > max(room, len(widths)):
        widths[widths.index(max(widths))] -= 1
    return widths


def _slower(page: Page, found: Profiled) -> Iterator[Text]:
    """What takes longer than without the compiler."""
    rows = slowdown_rows(found)
    if rows:
        yield Text(SLOWDOWN_TITLE, style="bold")
        yield Text(f"{_GAP}{'eager':>9} {'compiled':>9} {'':>9}", style="dim")
    for name, eager, compiled, more in rows:
        head = Text(f"{_GAP}{eager:>9} {compiled:>9} {more:>9}{_GAP}")
        yield page.cropped(head.append_text(page.safe(name)))


def _gains(page: Page, found: Profiled) -> Iterator[Text]:
    gains = list(gain_lines(found))
    if gains:
        yield Text("What could be won (estimates, which may overlap)", style="bold")
    for time, what, change in gains:
        text = Text(f"{time}: ", style="yellow").append_text(page.safe(what))
        yield from page.wrapped(text, _GAP, _GAP * 2)
        text = Text("change: ", style="green").append_text(page.safe(change))
        yield from page.wrapped(text, _GAP * 2, _GAP * 3)
    if more := more_gains(found):
        yield Text(f"{_GAP}{more}", style="dim")


def _work(page: Page, found: Profiled) -> Iterator[Text]:
    rows = work_lines(found)
    if rows:
        yield Text("By kernel", style="bold")
    for row in rows[:_MOST_WORK]:
        times = f"{row.number}{TIMES} " if row.number > 1 else ""
        head = Text(f"{_GAP}{row.time:>9} {row.share:>4.0%}  {times}")
        name = page.shortened(row.name, head)
        yield page.cropped(head.append_text(page.safe(name, "cyan")))
        yield from page.wrapped(page.safe(row.detail), _GAP * 4, _GAP * 5)
        for place, code in row.places[:_MOST_PLACES]:
            text = Text(_GAP * 4).append_text(page.safe(place)).append(_GAP)
            yield page.cropped(text.append_text(page.safe(code, "dim")))
        if len(row.places) > _MOST_PLACES:
            others = count(len(row.places) - _MOST_PLACES, "more line")
            yield Text(f"{_GAP * 4}+{others}", style="dim")
    if len(rows) > _MOST_WORK:
        rest = sum(row.share for row in rows[_MOST_WORK:])
        more = f"{_GAP}… {len(rows) - _MOST_WORK:,} more, {rest:.0%} together, in the JSON report"
        yield Text(more, style="dim")


def _lines(page: Page, found: Profiled) -> Iterator[Text]:
    rows = list(line_rows(found))
    if rows:
        yield Text("By line", style="bold")
    width = max((len(place) for place, *_ in rows[:_MOST_LINES]), default=0)
    for place, time, share, code in rows[:_MOST_LINES]:
        head = Text(f"{_GAP}{time:>9} {share:>4.0%}  ").append_text(page.safe(f"{place:{width}}"))
        yield page.cropped(head.append(_GAP).append_text(page.safe(code, "dim")))
    yield from _more(rows)


def _table(page: Page, title: str, rows: Sequence[tuple[str, str, float]]) -> Iterator[Text]:
    if rows:
        yield Text(title, style="bold")
    for name, time, share in rows[:_MOST_LINES]:
        head = Text(f"{_GAP}{time:>9} {share:>4.0%}  ")
        yield page.cropped(head.append_text(page.safe(name)))
    yield from _more(rows)


def _more(rows: Sequence[tuple[object, ...]]) -> Iterator[Text]:
    if len(rows) > _MOST_LINES:
        yield Text(f"{_GAP}… {len(rows) - _MOST_LINES:,} more in the JSON report", style="dim")


def _ceilings(page: Page, report: ProfileReport) -> Iterator[Text]:
    if report.ceilings is None:
        return
    yield from page.wrapped(page.safe(f"What {report.ceilings.device} can do", "bold"))
    for name, text in ceiling_lines(report.ceilings, report.run.meta.started):
        yield from page.wrapped(page.safe(f"{name}: {text}"), _GAP, _GAP * 2)


def _notices(page: Page, report: ProfileReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
    for step in next_steps(report):
        yield Text("next: ", style="bold").append_text(page.safe(step, "cyan"))
