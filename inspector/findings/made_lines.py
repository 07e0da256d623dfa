"""What is said of lines that make layers, where no line of the user's calls them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.findings.file_names import short_names
from inspector.findings.wording import listed
from inspector.graphs.operators import computed_inside
from inspector.model.graph import Graph
from inspector.model.kernel import NodeLine

_MOST = 3


def lines_of_graphs(graphs: Iterable[Graph]) -> Iterator[NodeLine]:
    """The innermost line of each node, with what it makes."""
    for outer in (node for graph in graphs for node in graph.nodes):
        for node in (outer, *computed_inside(outer)):
            if node.stack:
                yield NodeLine(node.name).at(node.stack[-1])


def made_lines_notices(lines: Iterable[NodeLine]) -> tuple[str, ...]:
    """That what some lines have does not run there; nothing where there are none of these."""
    made = [line for line in lines if line.makes]
    if not made:
        return ()
    places = sorted({(line.file, line.line) for line in made})
    names = short_names({file for file, _ in places})
    where = listed([f"{names[file]}:{line}" for file, line in places], most=_MOST)
    layers = listed(list(dict.fromkeys(name for line in made for name in line.makes)), most=_MOST)
    told = "what is computed there stands at the lines that make them, or put them into the model"
    return (f"no line of yours runs in some layers ({layers}): {told} ({where})",)
