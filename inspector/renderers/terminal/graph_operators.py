"""The operators of every stage, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text

from inspector.findings.graph_report import Operators
from inspector.findings.graph_wording import (
    decomposition_lines,
    operator_lines,
    operators_blocks,
    outside_lines,
)
from inspector.renderers.terminal.page import Page

_GAP = "  "
_MOST = 60


def add_operators(page: Page, operators: Operators) -> None:
    """Adds a block for each graph, and then what operators became, and what is left outside."""
    for title, graph in operators_blocks(operators.graphs):
        page.add(_block(page, title, operator_lines(graph)))
    for name, found in operators.decompositions:
        page.add(_block(page, f"What operators became in {name}", decomposition_lines(found)))
    for name, calls in operators.outside:
        title = f"Not fused with anything in {name}: Inductor writes no code for it"
        page.add(_block(page, title, outside_lines(calls)))


def _block(page: Page, title: str, rows: Iterable[tuple[str, str]]) -> Iterator[Text]:
    found = list(rows)
    if not found:
        return
    yield from page.wrapped(page.safe(title, "bold underline"))
    for name, text in found[:_MOST]:
        line = page.safe(name, "cyan").append_text(page.safe(f": {text}", "default"))
        yield from page.wrapped(line, _GAP, _GAP * 2)
    if len(found) > _MOST:
        yield Text(f"{_GAP}… {len(found) - _MOST:,} more in the JSON report", style="dim")
