"""What became of one line, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from inspector.findings.graph_line_wording import kernel_blocks, kernel_line, no_line, node_line
from inspector.graphs.lookup import Around, FoundNode, KernelAtLine
from inspector.model.graph import Stage
from inspector.renderers.terminal.page import Page

__all__ = ["add_line"]

_GAP = "  "
_MOST = 12


def add_line(page: Page, around: Around) -> None:
    """Adds the nodes of each stage, then the kernels of forward and of backward."""
    if not around.nodes:
        page.add(page.wrapped(page.safe(no_line(around), "bold yellow")))
        return
    for stage in Stage:
        page.add(_nodes(page, stage, around.of_stage(stage)))
    for title, kernels in kernel_blocks(around):
        page.add(_kernels(page, title, kernels))


def _nodes(page: Page, stage: Stage, nodes: Sequence[FoundNode]) -> Iterator[Text]:
    if not nodes:
        return
    yield Text(stage.value, style="bold underline")
    for found in nodes[:_MOST]:
        yield page.cropped(Text(_GAP).append_text(_line(page, node_line(found))))
    yield from _more(len(nodes) - _MOST)


def _kernels(page: Page, title: str, kernels: Sequence[KernelAtLine]) -> Iterator[Text]:
    if not kernels:
        return
    yield Text(title, style="bold underline")
    for kernel in kernels[:_MOST]:
        yield from page.wrapped(_line(page, kernel_line(kernel)), _GAP, _GAP * 2)
    yield from _more(len(kernels) - _MOST)


def _line(page: Page, parts: tuple[str, str]) -> Text:
    name, text = parts
    return page.safe(name, "cyan").append_text(page.safe(f": {text}", "default"))


def _more(number: int) -> Iterator[Text]:
    if number > 0:
        yield Text(f"{_GAP}… {number:,} more in the JSON report", style="dim")
