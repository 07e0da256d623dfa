"""The operators of every stage, and what became of a line, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.findings.graph_line_wording import (
    break_sentences,
    kernel_blocks,
    no_line,
    node_blocks,
)
from inspector.findings.graph_report import Operators
from inspector.findings.graph_wording import (
    decomposition_lines,
    operator_lines,
    operators_blocks,
    outside_lines,
)
from inspector.graphs.lookup import Around
from inspector.model.run import Run
from inspector.renderers.markdown.markup import cell, prose

_MOST_ROWS = 200


def operators_lines(operators: Operators) -> Iterator[str]:
    """A table for each graph, then what operators became, and what is left outside."""
    for title, graph in operators_blocks(operators.graphs):
        yield from _table(title, ("kind", "operators"), operator_lines(graph))
    for name, found in operators.decompositions:
        title = f"What operators became in {name}"
        yield from _table(title, ("operator", "became"), decomposition_lines(found))
    for name, calls in operators.outside:
        title = f"Not fused with anything in {name}: Inductor writes no code for it"
        yield from _table(title, ("call", "why"), outside_lines(calls))


def line_lines(run: Run, around: Around) -> Iterator[str]:
    """Graph breaks there, a table for the nodes of each stage, then those of the kernels."""
    sentences = [*break_sentences(run, around), *([] if around.nodes else [no_line(run, around)])]
    for sentence in sentences:
        yield f"**{prose(sentence)}**"
        yield ""
    for title, rows in node_blocks(around):
        yield from _table(title, ("node", "operator"), rows)
    for title, rows in kernel_blocks(around):
        yield from _table(title, ("kernel", "bytes, nodes"), rows)


def _table(title: str, head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    found = list(rows)
    if not found:
        return
    yield f"## {prose(title)}"
    yield ""
    yield f"| {' | '.join(head)} |"
    yield "|:--|:--|"
    for row in found[:_MOST_ROWS]:
        yield "| " + " | ".join(map(cell, row)) + " |"
    if len(found) > _MOST_ROWS:
        yield f"| … {len(found) - _MOST_ROWS:,} more in the JSON report | |"
    yield ""
