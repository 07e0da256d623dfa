"""Products that a pass of Inductor's has made one with what follows them.

Of ``mm`` and ``add`` it makes ``addmm``, and of a frozen ``linear`` and ``relu`` one call of a
library. Such a node has of the operators that it replaces what was known of the last one, its line
and its name alone (`replace_by_example` in torch/_inductor/pattern_matcher.py, 2.11 to 2.13): it is
the product that takes the time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from inspector.graphs.step_names import short_name
from inspector.model.graph import Graph, Node

__all__ = ["may_have_absorbed", "with_products"]


def may_have_absorbed(graph: Graph) -> bool:
    """Whether a node of a post-grad graph is called otherwise than what it computes."""
    return any(map(_is_renamed, graph.nodes))


def with_products(graph: Graph, before: Graph) -> Graph:
    """The same graph with the line, the module and the operator of each product that was absorbed.

    Args:
        graph: A post-grad graph.
        before: The graph that AOTAutograd gave Inductor.
    """
    known = {node.name: node for node in before.nodes}
    kept = {name for node in graph.nodes for name in (node.name, *node.earlier)}
    nodes = (_as_product(node, known, kept) if _is_renamed(node) else node for node in graph.nodes)
    return dataclasses.replace(graph, nodes=tuple(nodes))


def _is_renamed(node: Node) -> bool:
    return bool(node.flops and node.aten) and short_name(node.aten) != short_name(node.target)


def _as_product(node: Node, known: Mapping[str, Node], kept: set[str]) -> Node:
    """A node as the product that it computes, if that is no node of its own any more."""
    last = next((known[name] for name in reversed(node.earlier) if name in known), None)
    if last is None or last.flops:
        return node
    product = next(_absorbed(last, known, kept), None)
    if product is None:
        return node
    return dataclasses.replace(
        node,
        stack=product.stack,
        modules=product.modules,
        earlier=tuple(dict.fromkeys((*product.earlier, product.name, *node.earlier))),
        aten=product.aten or product.target,
    )


def _absorbed(last: Node, known: Mapping[str, Node], kept: set[str]) -> Iterator[Node]:
    """Products behind an operator, the nearest first, that are none of the later graph."""
    behind, seen = [*last.inputs], {last.name}
    for name in behind:
        node = known.get(name)
        if node is None or name in seen or name in kept or node.op == "placeholder":
            continue
        seen.add(name)
        if node.flops:
            yield node
        behind.extend(node.inputs)
