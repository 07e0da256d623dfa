"""What is said of lines that make layers, where no line of the user's calls them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.findings.file_names import short_names
from inspector.findings.wording import listed
from inspector.graphs.operators import computed_inside
from inspector.model.graph import Graph
from inspector.model.kernel import NodeLine
from inspector.model.stack import made_class

__all__ = ["made_by_nodes", "made_in_graphs", "made_lines_notices"]

_MOST = 3


def made_by_nodes(lines: Iterable[NodeLine]) -> Iterable[tuple[str, int]]:
    """Where the lines of some nodes make layers."""
    return ((line.file, line.line) for line in lines if line.makes)


def made_in_graphs(graphs: Iterable[Graph]) -> Iterator[tuple[str, int]]:
    """Where the lines of graphs make layers."""
    for outer in (node for graph in graphs for node in graph.nodes):
        for node in (outer, *computed_inside(outer)):
            for frame in node.stack[-1:]:
                if made_class(frame.name):
                    yield frame.file, frame.line


def made_lines_notices(places: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """That what is told at these places does not run there; nothing where there are none.

    Args:
        places: Files and lines, which may be there several times.
    """
    found = sorted(set(places))
    if not found:
        return ()
    names = short_names({file for file, _ in found})
    where = listed([f"{names[file]}:{line}" for file, line in found], most=_MOST)
    if len(found) == 1:
        layers, told = "the layer that {} makes", "what it computes stands at that line"
    else:
        layers, told = "the layers that {} make", "what they compute stands at these lines"
    return (f"no line of yours runs in {layers.format(where)}: {told}",)
