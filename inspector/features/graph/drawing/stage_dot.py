"""The graph of one stage: operators in the frames of their modules."""

from collections.abc import Iterator, Mapping, Sequence

import graphviz

from inspector.features.graph.drawing import labels, style
from inspector.features.graph.drawing.options import Caption
from inspector.features.graph.drawing.picture import Cell, new_picture, table
from inspector.features.graph.drawing.roles import Roles, make_roles
from inspector.run.graph import Graph, Node

_NAME = 40
# More texts at the arrows than these make a picture wide and hide the boxes.
_MOST_TEXTS = 120
_FILLS = ("#fafafa", "#f2f2f2")
_NOTES = ("A frame is a module. An arrow is a tensor, or all results of an operator.",)
_INPUT = style.Look("input", "#666666", "#ffffff", "dashed")
_PARAMETER = style.Look("parameter", "#666666", "#ffffff", "dotted")
_OUTPUT = style.Look("output", "#1a1a1a", "#e4e4e4", width=2)
_OPERATOR = style.Look("operator", "#3b93c4", "#d6ecf9")
_BACKWARD = style.Look("backward operator", "#b87f00", "#fae3b5", "dashed")
_SAVED = style.Look("saved for the backward pass", "#1a1a1a", "#d6ecf9", width=3)
_Path = tuple[tuple[str, str], ...]
_Box = tuple[str, str, str]  # its name, its label, its tooltip


def stage_dot(graph: Graph, caption: Caption, roles: Roles | None = None) -> str:
    """Draws the graph of a stage, each node as a box."""
    roles = roles or make_roles(graph)
    looks = {node.name: _look(node, roles) for node in graph.nodes}
    total = labels.count(sum(node.is_compute for node in graph.nodes), "operator")
    picture = new_picture(caption, (total,), list(dict.fromkeys(looks.values())), _NOTES)
    readers = _readers(graph, roles)
    places = {node.name: f"n{number}" for number, node in enumerate(graph.nodes)}
    frames: dict[_Path, list[_Box]] = {}
    for node in graph.nodes:
        # An input that one operator alone reads, as a parameter is, stands in that one's frame.
        path = node.modules
        if not node.is_compute:
            path = readers[node.name][0].modules if len(readers[node.name]) == 1 else ()
        box = places[node.name], _label(node, looks[node.name]), labels.in_tooltip(_details(node))
        frames.setdefault(path, []).append(box)
    _add_frame(picture, (), frames)
    has_texts = sum(map(len, readers.values())) <= _MOST_TEXTS
    for node in graph.nodes:
        text = " · ".join(filter(None, (_shapes(node), _bytes(node))))
        about = {"tooltip": labels.in_tooltip([" · ".join(filter(None, (node.name, text)))])}
        if text and has_texts:
            about["label"] = table([[Cell(text, size=8, colour=style.MUTED)]])
            about["labeltooltip"] = about["tooltip"]
        for reader in readers[node.name]:
            picture.edge(places[node.name], places[reader.name], **about)
    return str(picture.source)


def _readers(graph: Graph, roles: Roles) -> Mapping[str, Sequence[Node]]:
    """What takes each node's value; of results those that the user asked for alone."""
    readers: dict[str, list[Node]] = {node.name: [] for node in graph.nodes}
    for node in graph.nodes:
        for name in node.inputs:
            is_kept = node.op == "output" and name not in (roles.returned or {name})
            if name in readers and not is_kept:
                readers[name].append(node)
    return readers


def _look(node: Node, roles: Roles) -> style.Look:
    if node.op == "output":
        return _OUTPUT
    if not node.is_compute:
        is_parameter = node.op == "get_attr" or node.name in roles.parameters
        return _PARAMETER if is_parameter else _INPUT
    if node.is_saved or node.name in roles.saved:
        return _SAVED
    return _BACKWARD if node.is_backward else _OPERATOR


def _add_frame(
    picture: graphviz.Digraph,
    path: _Path,
    frames: Mapping[_Path, Sequence[_Box]],
    name: str = "cluster",
) -> None:
    """Draws what is in the frame of a module: all boxes in that of no module."""
    for place, label, tooltip in frames.get(path, ()):
        picture.node(place, label=label, tooltip=tooltip)
    depth = len(path)
    found = (each[: depth + 1] for each in frames if len(each) > depth and each[:depth] == path)
    for number, inner in enumerate(dict.fromkeys(found)):
        title = labels.module(*inner[-1])
        with picture.subgraph(name=f"{name}_{number}") as frame:
            frame.attr(
                label=table([[Cell(title, size=9, colour=style.MUTED)]]),
                tooltip=labels.in_tooltip([title]),
                style="filled,rounded",
                fillcolor=_FILLS[depth % len(_FILLS)],
            )
            _add_frame(frame, inner, frames, f"{name}_{number}")


def _label(node: Node, look: style.Look) -> str:
    title, lines = labels.operator(node), [_shapes(node), labels.line(node.line)]
    if not node.is_compute:
        title, lines = labels.parameter(node.target or node.name), [_shapes(node)]
    rows = [[Cell(labels.elided(title, _NAME), bold=True, size=11, align="center")]]
    rows += [[Cell(text, size=9, align="center")] for text in lines if text]
    return table(rows, look)


def _details(node: Node) -> Iterator[str]:
    """Everything that the box has no room for."""
    yield f"{node.name} = {node.target}"
    for tensor in node.tensors:
        strides = f", strides {list(tensor.stride)}" if tensor.stride else ""
        yield f"{labels.shape(tensor)} on {tensor.device}{strides}"
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


def _bytes(node: Node) -> str:
    return labels.size(node.bytes_) if node.bytes_ else ""
