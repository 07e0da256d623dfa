"""What a picture is asked to show."""

from __future__ import annotations

import dataclasses
import enum

from inspector.errors import UsageError
from inspector.run.graph import Graph, Node
from inspector.shared.near_matches import did_you_mean


class Collapse(enum.Enum):
    """What becomes one box; the value is its name on the command line."""

    AUTO = "auto"
    NONE = "none"
    MODULE = "module"


class Colour(enum.Enum):
    """What the colours tell; the value is its name on the command line."""

    DTYPE = "dtype"
    BYTES = "bytes"
    FLOPS = "flops"


@dataclasses.dataclass(frozen=True, slots=True)
class Drawing:
    """How to draw.

    Attributes:
        most_boxes: With more, ``auto`` collapses, and a fusion diagram draws repeated layers once.
    """

    collapse: Collapse = Collapse.AUTO
    colour: Colour = Colour.DTYPE
    force: bool = False
    most_boxes: int = 80
    around: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Caption:
    """What stands over a picture; empty parts are left out."""

    model: str = ""
    stage: str = ""
    device: str = ""
    torch_version: str = ""


def around(graph: Graph, pattern: str, depth: int) -> Graph:
    """The nodes that match a pattern with their neighbours.

    Args:
        pattern: A part of a node's name or target, or of its module's path or class; in any case.

    Raises:
        UsageError: Nothing matches.
    """
    found = [node.name for node in graph.nodes if matches(node, pattern)]
    if not found:
        names = [node.name for node in graph.nodes if node.is_compute]
        raise UsageError(f"No node of the graph matches `{pattern}`.", did_you_mean(pattern, names))
    import networkx as nx  # 0.2 s, for all who import this

    arrows = nx.DiGraph()
    arrows.add_nodes_from(node.name for node in graph.nodes)
    arrows.add_edges_from((name, node.name) for node in graph.nodes for name in node.inputs)
    near: set[str] = set()
    # Up and down apart: else all that shares a parameter would be near.
    for directed in (arrows, arrows.reverse(copy=False)):
        reached = nx.multi_source_dijkstra_path_length(directed, set(found), cutoff=depth)
        near.update(reached)
    nodes = [_within(node, near) for node in graph.nodes if node.name in near]
    return dataclasses.replace(graph, nodes=tuple(nodes))


def matches(node: Node, pattern: str) -> bool:
    """Whether a pattern is in a node's name or target, or in a module's path or class."""
    wanted = pattern.casefold()
    texts = [node.name, node.target, *(part for pair in node.modules for part in pair)]
    return any(wanted in text.casefold() for text in texts)


def _within(node: Node, near: set[str]) -> Node:
    return dataclasses.replace(node, inputs=tuple(name for name in node.inputs if name in near))
