"""Products that a pass of Inductor's has made one with what follows them.

Of ``mm`` and ``add`` it makes ``addmm``, and of a frozen ``linear`` and ``relu`` one call of a
library. Such a node has of the operators that it replaces what was known of the last one, its line
and its name alone (`replace_by_example` in torch/_inductor/pattern_matcher.py, 2.11 to 2.13): it is
the product that takes the time.
"""

from __future__ import annotations

import dataclasses

from inspector.features.graph.step_names import short_name
from inspector.run.graph import Graph, Node


def may_have_absorbed(graph: Graph) -> bool:
    """Whether a node of a post-grad graph is called otherwise than what it computes."""
    return any(map(_is_renamed, graph.nodes))


def with_products(graph: Graph, before: Graph) -> Graph:
    """The same graph with the line, module and operator of each product that was absorbed."""
    found = _Products(graph, before)
    nodes = (found.of(node) if _is_renamed(node) else node for node in graph.nodes)
    return dataclasses.replace(graph, nodes=tuple(nodes))


def _is_renamed(node: Node) -> bool:
    return bool(node.flops and node.aten) and short_name(node.aten) != short_name(node.target)


class _Products:
    """Finds products of an earlier graph that are no nodes of the later one any more."""

    def __init__(self, graph: Graph, before: Graph) -> None:
        self._kept = {node.name for node in graph.nodes}
        for node in graph.nodes:
            if node.flops and not _is_renamed(node):  # a product under another name
                self._kept.update(node.earlier)
        self._before = {node.name: node for node in before.nodes}
        self._gone = [node for node in before.nodes if node.flops and node.name not in self._kept]

    def of(self, node: Node) -> Node:
        """A node of the later graph as the product that it computes, if that is one of these."""
        product = self._with_its_inputs(node) or self._behind_its_name(node)
        if product is None:
            return node
        return dataclasses.replace(
            node,
            stack=product.stack,
            modules=product.modules,
            earlier=tuple(dict.fromkeys((*product.earlier, product.name, *node.earlier))),
            aten=product.aten or product.target,
        )

    def _with_its_inputs(self, node: Node) -> Node | None:
        """One that multiplies what this node does.

        In a backward pass that is all there is to know it by: a node there has no earlier names.
        """
        inputs = set(node.inputs)
        return next((item for item in self._gone if inputs.issuperset(item.inputs)), None)

    def _behind_its_name(self, node: Node) -> Node | None:
        """The nearest that goes into what had the node's name."""
        names = (name for name in reversed(node.earlier) if name in self._before)
        last = self._before.get(next(names, ""))
        if last is None or last.flops:
            return None
        behind, seen = [*last.inputs], {last.name}
        for name in behind:
            item = self._before.get(name)
            if item is None or name in seen or name in self._kept:
                continue
            if item.flops:
                return item
            seen.add(name)
            behind.extend(item.inputs)
        return None
