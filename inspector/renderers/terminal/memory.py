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
from inspector.renderers.terminal.page import Page

_GAP = "  "
_MOST_FACTS = 2
_MOST_ROWS = 3
_MOST_GAINS = 1


def memory_block(page: Page, found: Profiled) -> Iterator[Text]:
    """What a call allocates."""
    use = found.memory
    if use is None:
        return
    yield Text("Memory", style="bold")
    for label, text in [*memory_facts(use)][:_MOST_FACTS]:
        yield from page.wrapped(page.safe(f"{label}: {text}"), _GAP, _GAP * 2)
    rows = memory_lines(use.compiled)
    for row in rows[:_MOST_ROWS]:
        head = Text(f"{_GAP}{row.size:>9} {row.share:>4.0%}  ")
        head.append_text(page.safe(row.what, "cyan"))
        if row.detail:
            head.append(" · ").append_text(page.safe(row.detail))
        for place, code in row.places[:1]:
            head.append(" · ").append_text(page.safe(place)).append(_GAP)
            head.append_text(page.safe(code, "dim"))
        yield page.cropped(head)
    rest = others(rows, _MOST_ROWS)
    if rest:
        yield Text(f"{_GAP}… {rest}", style="dim")
    for bytes_, what, change in [*memory_gains(use)][:_MOST_GAINS]:
        line = Text(f"{bytes_}: ", style="yellow").append_text(page.safe(f"{what}."))
        line.append(" Fix: ", style="green").append_text(page.safe(f"{change}."))
        yield from page.wrapped(line, _GAP, _GAP * 2)
