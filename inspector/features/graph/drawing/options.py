"""What a picture is asked to show."""

import dataclasses

from inspector.errors import UsageError
from inspector.run.graph import Graph, Node
from inspector.shared.near_matches import did_you_mean


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
    down = [(name, node.name) for node in graph.nodes for name in node.inputs]
    near: set[str] = set()
    # Up and down apart: else all that shares a parameter would be near.
    for arrows in (down, [(reader, name) for name, reader in down]):
        reached = set(found)
        for _ in range(min(depth, len(graph.nodes))):
            reached |= {end for start, end in arrows if start in reached}
        near |= reached
    nodes = tuple(
        dataclasses.replace(node, inputs=tuple(name for name in node.inputs if name in near))
        for node in graph.nodes
        if node.name in near
    )
    return dataclasses.replace(graph, nodes=nodes)


def matches(node: Node, pattern: str) -> bool:
    """Whether a pattern is in a node's name or target, or in a module's path or class."""
    wanted = pattern.casefold()
    texts = [node.name, node.target, *(part for pair in node.modules for part in pair)]
    return any(wanted in text.casefold() for text in texts)
