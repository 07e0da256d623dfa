"""Statements are those of the package `graphviz`, byte for byte."""

from __future__ import annotations

import graphviz
import pytest

from inspector.graphs.drawing import labels
from inspector.graphs.drawing.html_table import Cell, table
from inspector.graphs.drawing.stage_dot import add_node, add_plain_edges
from tests.unit.graphs.drawing.drawn import HOSTILE

# Names and keywords of DOT, numbers, HTML, and backslashes in front of the end and of quotes.
_TEXTS = (
    *HOSTILE, "", " ", "n12", "node", "Graph", "-4.2", "name\n", "<>", "<a b>", "a b>", '"',
    'a "b"', '" "', "\\", "a b\\", '\\"', 'a \\"', 'a \\\\"', "\n", " \n", "日本 語",
)  # fmt: skip


@pytest.mark.parametrize("text", _TEXTS)
def test_a_node_is_written_as_the_package_writes_it(text: str) -> None:
    label, tooltip = table([[Cell(text)]]), labels.in_tooltip(text.split("\n"))
    ours, theirs = graphviz.Digraph(), graphviz.Digraph()
    add_node(ours, "n12", label, tooltip)
    theirs.node("n12", label=label, tooltip=tooltip)
    assert ours.source == theirs.source


@pytest.mark.filterwarnings("ignore::graphviz.exceptions.DotSyntaxWarning")
@pytest.mark.parametrize("tooltip", _TEXTS)
def test_so_is_a_tooltip_that_is_not_made_ready(tooltip: str) -> None:
    label = table([[Cell("x")]])
    ours, theirs = graphviz.Digraph(), graphviz.Digraph()
    add_node(ours, "n12", label, tooltip)
    theirs.node("n12", label=label, tooltip=tooltip)
    assert ours.source == theirs.source


def test_an_edge_is_written_as_the_package_writes_it() -> None:
    ours, theirs = graphviz.Digraph(), graphviz.Digraph()
    add_plain_edges(ours, [("n0", "n1"), ("n1", "n12")])
    theirs.edge("n0", "n1")
    theirs.edge("n1", "n12")
    assert ours.source == theirs.source
