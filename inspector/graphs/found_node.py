"""A node that a line led to, and how it belongs there."""

from __future__ import annotations

import dataclasses
import enum

from inspector.model.graph import Graph, Node, Stage


class Relation(enum.Enum):
    """How a node belongs to a line."""

    DIRECT = "direct"
    """The innermost of the user's frames is there."""
    THROUGH = "through"
    """Another frame is there: the line calls what made the node."""
    DERIVED = "derived"
    """A pass of Inductor made the node without a stack; its neighbours' is there."""


@dataclasses.dataclass(frozen=True, slots=True)
class FoundNode:
    """A node that a line led to.

    Attributes:
        relation: How it belongs to the line.
    """

    graph: Graph
    node: Node
    relation: Relation

    @property
    def is_backward(self) -> bool:
        """Whether it runs in the backward pass; what is recomputed there does."""
        return _is_backward(self.graph) or self.node.is_backward


def _is_backward(graph: Graph) -> bool:
    return graph.stage is Stage.BACKWARD or graph.direction == "backward"
