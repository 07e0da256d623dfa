"""Graphs for Google's Model Explorer, which collapses them by module.

The format is that of `graph_builder.GraphCollection` in ai-edge-model-explorer 0.1.34, which its
page opens as a file.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence

from inspector.graphs.exports import plain, plain_id
from inspector.model.graph import Graph, Node


def model_explorer(graphs: Sequence[Graph], label: str) -> dict[str, object]:
    """A collection of graphs; the modules that a node is in are its namespace."""
    seen: collections.Counter[str] = collections.Counter()
    found = []
    for graph in graphs:
        name = plain_id(graph.name)
        seen[name] += 1
        # Two processes can have graphs of the same name.
        number = f" #{seen[name]}" if seen[name] > 1 else ""
        found.append(_graph(graph, name + number))
    # The page's own default order is by the number of nodes.
    return {"label": plain(label), "graphs": found, "graphSorting": "name_asc"}


def _graph(graph: Graph, name: str) -> dict[str, object]:
    nodes = {node.name: node for node in graph.nodes}
    classes: dict[str, dict[str, str]] = {"": _facts(graph)}
    for node in graph.nodes:
        for number, (_, kind) in enumerate(node.modules):
            classes.setdefault(_namespace(node, number + 1), {"class": plain(kind)})
    return {
        "id": name,
        "nodes": [_node(node, nodes) for node in graph.nodes],
        "groupNodeAttributes": classes,
    }


def _facts(graph: Graph) -> dict[str, str]:
    facts = {
        "compilation": graph.compile_id,
        "stage": graph.stage.value,
        "direction": graph.direction,
        "source": "read out of torch's text" if graph.is_parsed else "recorded",
    }
    return {key: plain(value) for key, value in facts.items() if value}


def _node(node: Node, nodes: dict[str, Node]) -> dict[str, object]:
    return {
        "id": plain_id(node.name),
        "label": plain(node.target if node.is_compute else node.name) or "\\empty",
        "namespace": _namespace(node, len(node.modules)),
        "attrs": [{"key": key, "value": plain(value)} for key, value in _attributes(node)],
        "incomingEdges": [
            {
                "sourceNodeId": plain_id(name),
                "sourceNodeOutputId": _output(node, nodes[name]),
                "targetNodeInputId": str(number),
            }
            for number, name in enumerate(node.inputs)
            if name in nodes
        ],
        "outputsMetadata": list(_outputs(node)),
    }


def _namespace(node: Node, depth: int) -> str:
    """``layers.0/layers.0.norm`` is shown as ``layers.0/norm``, and so it is written."""
    parts: list[str] = []
    outer = ""
    for path, kind in node.modules[:depth]:
        own = path.removeprefix(f"{outer}.") if outer else path
        # Without a path it is the model itself; a slash would nest once more.
        parts.append(plain((own or kind).replace("/", "\u2215")) or "\\empty")
        outer = path
    return "/".join(parts)


def _attributes(node: Node) -> Iterator[tuple[str, str]]:
    line = node.line
    facts = {
        "name": node.name,
        "op": node.op,
        "target": node.target,
        "line": f"{line.file}:{line.line}" if line else "",
        "code": line.code if line else "",
        "module": node.module,
        "class": node.modules[-1][1] if node.modules else "",
        "aten": node.aten,
        "earlier names": ", ".join(node.earlier),
        "pass": "backward" if node.is_backward else "",
        "saved for the backward pass": "yes" if node.is_saved else "",
        "kernels": ", ".join(node.kernels),
        "nested": ", ".join(node.nested),
        "bytes": _number(node.bytes_),
        "flops": _number(node.flops),
    }
    return ((key, value) for key, value in facts.items() if value)


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _output(node: Node, source: Node) -> str:
    """Which result of its input a node takes: what takes one out has the same tensor."""
    takes_one = node.target.rpartition(".")[2] == "getitem" and len(node.tensors) == 1
    places = [place for place, item in enumerate(source.tensors) if item == node.tensors[0]] if (
        takes_one
    ) else []  # fmt: skip
    return str(places[0]) if len(places) == 1 else "0"


def _outputs(node: Node) -> Iterator[dict[str, object]]:
    for number, tensor in enumerate(node.tensors):
        shape = ", ".join(map(str, tensor.shape))
        # The page draws `tensor_shape` on edges.
        attributes = {
            "tensor_shape": f"{tensor.dtype}[{shape}]",
            "stride": ", ".join(map(str, tensor.stride)),
            "device": tensor.device,
        }
        yield {
            "id": str(number),
            "attrs": [{"key": key, "value": plain(value)} for key, value in attributes.items()],
        }
