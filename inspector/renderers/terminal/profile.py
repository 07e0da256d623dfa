"""A report on profiles for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from inspector.findings.ceiling_wording import ceiling_lines
from inspector.findings.command_line import command_about
from inspector.findings.graph_wording import TIMES
from inspector.findings.overview import recording_line
from inspector.findings.profile_next import next_steps
from inspector.findings.profile_report import ProfileReport
from inspector.findings.profile_rows import line_rows, work_lines
from inspector.findings.profile_wording import (
    call_title,
    gain_lines,
    headline,
    idle_parts,
    verdict_lines,
)
from inspector.findings.profiled import Profiled
from inspector.findings.slowdown_wording import SLOWDOWN_TITLE, slowdown_rows
from inspector.renderers.terminal.autotuning import autotuning_lines
from inspector.renderers.terminal.memory import memory_block
from inspector.renderers.terminal.page import Page
from inspector.renderers.terminal.summary import error_lines

_GAP = "  "
_MOST_ROWS = 5
_INDENTATION = 18
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
    for number, found in enumerate(report.profiles):
        page.add(_verdict(page, report, found))
        if not number:
            page.add(_where(page, found))
            page.add(_slower(page, found))
            page.add(_gains(page, found))
            page.add(_work(page, found))
            page.add(_lines(page, found))
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
    gains = list(gain_lines(found, are_further=True))
    if gains:
        yield Text("Further opportunities (estimates, may overlap)", style="bold")
    for time, what, change in gains:
        text = Text(f"{time}: ", style="yellow").append_text(page.safe(f"{what}."))
        text.append(" Fix: ", style="green").append_text(page.safe(f"{change}."))
        yield from page.wrapped(text, _GAP, _GAP * 2)


def _work(page: Page, found: Profiled) -> Iterator[Text]:
    rows = work_lines(found)
    if rows:
        yield Text("Kernels", style="bold")
    for row in rows[:_MOST_ROWS]:
        times = f"{row.number}{TIMES} " if row.number > 1 else ""
        head = Text(f"{_GAP}{row.time:>9} {row.share:>4.0%}  {times}")
        name = page.shortened(row.name, head)
        yield page.cropped(head.append_text(page.safe(name, "cyan")))
        text = Text(" " * _INDENTATION).append_text(page.safe(row.summary))
        for place, code in row.places[:1]:
            text.append(" · ").append_text(page.safe(place)).append(_GAP)
            text.append_text(page.safe(code, "dim"))
        yield page.cropped(text)
    yield from _more(rows)


def _lines(page: Page, found: Profiled) -> Iterator[Text]:
    rows = list(line_rows(found))
    if rows:
        yield Text("Lines", style="bold")
    width = max((len(place) for place, *_ in rows[:_MOST_ROWS]), default=0)
    for place, time, share, code in rows[:_MOST_ROWS]:
        head = Text(f"{_GAP}{time:>9} {share:>4.0%}  ").append_text(page.safe(f"{place:{width}}"))
        yield page.cropped(head.append(_GAP).append_text(page.safe(code, "dim")))
    yield from _more(rows)


def _more(rows: Sequence[object]) -> Iterator[Text]:
    if len(rows) > _MOST_ROWS:
        yield Text(f"{_GAP}… {len(rows) - _MOST_ROWS:,} more", style="dim")


def _ceilings(page: Page, report: ProfileReport) -> Iterator[Text]:
    if report.ceilings is None:
        return
    lines = dict(ceiling_lines(report.ceilings, report.run.meta.started))
    peaks = [lines[name] for name in ("memory", "matrix products") if name in lines]
    text = f"Peak rates of {report.ceilings.device}: {'; '.join(peaks)}"
    yield from page.wrapped(page.safe(text), "", _GAP)


def _notices(page: Page, report: ProfileReport) -> Iterator[Text]:
    for notice in report.notices:
        label = Text("note: ", style="dim")
        yield from page.wrapped(label.append_text(page.safe(notice)), further=_GAP)
    for step in next_steps(report):
        yield Text("next: ", style="bold").append_text(page.safe(step, "cyan"))
    if report.profiles:
        command = command_about(report.run, "profile", "-o", "profile.md")
        yield Text("all tables: ", style="bold").append_text(page.safe(command, "cyan"))
