"""The memory of a call, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from inspector.findings.memory_wording import (
    memory_facts,
    memory_gains,
    memory_lines,
    others,
)
from inspector.findings.profiled import Profiled
from inspector.findings.wording import count
from inspector.profiles.memory import CallMemory
from inspector.renderers.terminal.page import Page

_GAP = "  "
_MOST_ROWS = 8
_MOST_EAGER_ROWS = 4
_MOST_PLACES = 2


def memory_block(page: Page, found: Profiled) -> Iterator[Text]:
    """What a call allocates."""
    use = found.memory
    if use is None:
        return
    yield Text("Memory of a call", style="bold")
    for label, text in memory_facts(use):
        yield from page.wrapped(page.safe(f"{label}: {text}"), _GAP, _GAP * 2)
    yield from _tensors(page, use.compiled, "At its peak", _MOST_ROWS)
    if use.eager is not None and use.eager.tensors:
        yield from _tensors(page, use.eager, "Without the compiler", _MOST_EAGER_ROWS)
    gains = list(memory_gains(use))
    if gains:
        yield Text(f"{_GAP}What could be saved (estimates; each at most)", style="bold")
    for bytes_, what, change in gains:
        head = Text(f"{bytes_}: ", style="yellow").append_text(page.safe(what))
        yield from page.wrapped(head, _GAP * 2, _GAP * 3)
        head = Text("change: ", style="green").append_text(page.safe(change))
        yield from page.wrapped(head, _GAP * 3, _GAP * 4)


def _tensors(page: Page, call: CallMemory, title: str, most: int) -> Iterator[Text]:
    rows = memory_lines(call)
    if rows:
        yield Text(f"{_GAP}{title}", style="bold")
    for row in rows[:most]:
        head = Text(f"{_GAP}{row.size:>9} {row.share:>4.0%}  ")
        head.append_text(page.safe(row.what, "cyan"))
        if row.detail:
            head.append(" · ").append_text(page.safe(row.detail))
        yield page.cropped(head)
        for place, code in row.places[:_MOST_PLACES]:
            text = Text(_GAP * 9).append_text(page.safe(place)).append(_GAP)
            yield page.cropped(text.append_text(page.safe(code, "dim")))
        if len(row.places) > _MOST_PLACES:
            more = count(len(row.places) - _MOST_PLACES, "more line")
            yield Text(f"{_GAP * 9}+{more}", style="dim")
    rest = others(rows, most)
    if rest:
        yield Text(f"{_GAP}… {rest}, in the JSON report", style="dim")
