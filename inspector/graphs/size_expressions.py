"""How long the expressions of symbolic sizes and numbers are that a graph computes."""

from __future__ import annotations

from inspector.model.graph import Graph, Node

_ARITHMETIC = ("_operator.", "torch.sym_", "math.")


def longest_expression(graph: Graph) -> tuple[Node, int] | None:
    """The number that depends on most symbols, counted as often as they are written; or None.

    A graph computes a number once for all that use it. Torch writes it out: ``n = n * n + n`` makes
    an expression three times as long in each step.
    """
    lengths: dict[str, int] = {}
    longest: tuple[Node, int] | None = None
    for node in graph.nodes:
        if node.tensors or node.op == "output":
            continue
        lengths[node.name] = sum(lengths.get(name, 0) for name in node.inputs) or 1
        is_arithmetic = node.target.startswith(_ARITHMETIC) and node.stack
        if is_arithmetic and (longest is None or lengths[node.name] > longest[1]):
            longest = node, lengths[node.name]
    return longest


def is_size_of_new_tensors(graph: Graph, number: Node) -> bool:
    """Whether the line of a number makes tensors: their sizes grow, and nobody can pass them."""
    return any(node.tensors and node.line == number.line for node in graph.nodes)
