"""What became of one line, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from inspector.findings.graph_line_wording import (
    break_sentences,
    kernel_blocks,
    no_line,
    node_blocks,
)
from inspector.graphs.lookup import Around
from inspector.model.run import Run
from inspector.renderers.terminal.page import Page

_GAP = "  "
_MOST = 12


def add_line(page: Page, run: Run, around: Around) -> None:
    """Adds graph breaks there, the nodes of each stage, the kernels of forward and of backward."""
    breaks = break_sentences(run, around)
    for sentence in breaks:
        page.add(page.wrapped(page.safe(sentence, "bold yellow")))
    if not around.nodes:
        page.add(page.wrapped(page.safe(no_line(run, around), "" if breaks else "bold yellow")))
    for title, rows in node_blocks(around):
        page.add(_nodes(page, title, rows))
    for title, rows in kernel_blocks(around):
        page.add(_kernels(page, title, rows))


def _nodes(page: Page, title: str, rows: Sequence[tuple[str, str]]) -> Iterator[Text]:
    yield Text(title, style="bold underline")
    for name, text in rows[:_MOST]:
        line = page.safe(name, "cyan").append_text(page.safe(f": {text}", "default"))
        yield from page.wrapped(line, _GAP, _GAP * 2)
    yield from _more(len(rows) - _MOST)


def _kernels(page: Page, title: str, rows: Sequence[tuple[str, str]]) -> Iterator[Text]:
    yield Text(title, style="bold underline")
    for name, text in rows[:_MOST]:
        yield page.cropped(Text(_GAP).append_text(page.safe(name, "cyan")))
        yield from page.wrapped(page.safe(text), _GAP * 2)
    yield from _more(len(rows) - _MOST)


def _more(number: int) -> Iterator[Text]:
    if number > 0:
        yield Text(f"{_GAP}… {number:,} more in the JSON report", style="dim")
