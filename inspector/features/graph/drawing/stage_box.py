"""The texts of a box of a stage's graph: an operator, or many that became one box."""

import collections
from collections.abc import Iterable, Iterator, Sequence

from inspector.features.graph.drawing import labels, style
from inspector.features.graph.drawing.collapse import Box
from inspector.features.graph.drawing.picture import Cell, table
from inspector.features.graph.drawing.roles import Roles
from inspector.run.graph import Node

_NAME = 40
_MOST_NODES = 12
_MOST_KINDS = 44


def box_label(box: Box, look: style.Look, roles: Roles) -> str:
    """An HTML-like label."""
    title, *lines = _group_lines(box) if box.is_group else _node_lines(box.nodes[0])
    lines += [] if box.is_group else [labels.elided(box.title, _NAME)]
    lines += _counted(box, roles)
    rows = [[Cell(title, bold=True, size=11, align="center")]]
    rows += [[Cell(text, size=9, align="center")] for text in lines if text]
    return table(rows, look)


def box_tooltip(box: Box) -> Sequence[str]:
    """Everything that the box has no room for."""
    if not box.is_group:
        return list(_details(box.nodes[0]))
    lines = [box.title] if box.title else []
    for node in box.nodes[:_MOST_NODES]:
        parts = f"{node.name} = {node.target}", _shapes(node), labels.line(node.line)
        lines.append(" ".join(filter(None, parts)))
    rest = len(box.nodes) - _MOST_NODES
    return [*lines, f"… and {labels.count(rest, 'more node')}"] if rest > 0 else lines


def arrow_text(nodes: Sequence[Node]) -> str:
    """``f32[8, 64] · 2.0 KiB``, or ``3 tensors · 6.0 KiB``."""
    size = _bytes(nodes)
    if len(nodes) == 1:
        return " · ".join(filter(None, (_shapes(nodes[0]), size)))
    return " · ".join(filter(None, (labels.count(len(nodes), "tensor"), size)))


def arrow_tooltip(nodes: Sequence[Node]) -> Iterator[str]:
    """Each tensor by its name."""
    for node in nodes[:_MOST_NODES]:
        yield " · ".join(filter(None, (node.name, _shapes(node), _bytes([node]))))
    if len(nodes) > _MOST_NODES:
        yield f"… and {labels.count(len(nodes) - _MOST_NODES, 'more tensor')}"


def _node_lines(node: Node) -> list[str]:
    if node.op == "output":
        return ["output", ""]
    if node.op in {"placeholder", "get_attr"}:
        return [labels.elided(labels.parameter(node.target or node.name), _NAME), _shapes(node)]
    return [labels.elided(labels.operator(node), _NAME), _shapes(node), labels.line(node.line)]


def _group_lines(box: Box) -> list[str]:
    kinds = collections.Counter(map(labels.operator, box.nodes))
    # Each as often as it is there: `listed` counts neighbours of one name.
    named = labels.listed([name for name, n in kinds.most_common() for _ in range(n)], _MOST_KINDS)
    flops = sum(node.flops or 0 for node in box.nodes)
    # A box without a name is called by its operators.
    lines = [labels.elided(box.title, _NAME + 8), named] if box.title else [named]
    facts = [labels.count(len(box.nodes), "operator"), labels.flops(flops) if flops else ""]
    return [*lines, " · ".join(filter(None, facts))]


def _counted(box: Box, roles: Roles) -> Iterator[str]:
    if box.folded:
        kept = [node for node in box.folded if node.name in roles.kept]
        others = [node for node in box.folded if node.name not in roles.kept]
        yield from _amount("+ {}", others, "parameter" if roles.folded else "input")
        yield from _amount("+ {} from the forward pass", kept)
    if box.shared:
        yield f"+ {labels.listed([node.name for node in box.shared], _NAME)} from above"
    saved = [node for node in box.nodes if node.is_saved or node.name in roles.saved]
    if box.is_group:
        yield from _amount("saved {}", saved)
    elif saved:
        yield f"saved {_bytes(saved)}".strip()
    yield from _amount("returns {}", box.returned)


def _amount(form: str, nodes: Sequence[Node], noun: str = "tensor") -> Iterator[str]:
    if nodes:
        yield ", ".join(filter(None, (form.format(labels.count(len(nodes), noun)), _bytes(nodes))))


def _details(node: Node) -> Iterator[str]:
    yield f"{node.name} = {node.target}"
    for tensor in node.tensors:
        strides = f", strides {list(tensor.stride)}" if tensor.stride else ""
        yield f"{labels.shape(tensor)} on {tensor.device}{strides}"
    if size := _bytes([node]):
        yield size
    if node.flops:
        yield labels.flops(node.flops)
    if node.line:
        yield f"{labels.line(node.line)} in {node.line.name}: {node.line.code}"
    if node.modules:
        yield labels.module(*node.modules[-1])
    if node.aten:
        yield f"from {node.aten}"
    if node.kernels:
        yield f"computed by {', '.join(node.kernels)}"


def _shapes(node: Node) -> str:
    shapes = list(map(labels.shape, node.tensors))
    return labels.listed(shapes, _NAME) if len(shapes) > 1 else "".join(shapes)


def _bytes(nodes: Iterable[Node]) -> str:
    sizes = [node.bytes_ for node in nodes]
    known = sum(size or 0 for size in sizes)
    return labels.size(known) if known and None not in sizes else ""
