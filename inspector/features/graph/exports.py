"""Networks as GraphML.

Names come out of a recording, and so can be anything: control characters, which XML forbids, and
lone surrogates, which no encoding has.
"""

from __future__ import annotations

import re

import networkx as nx
import orjson

from inspector.records.graphs import TensorMeta
from inspector.run.graph import Graph, Node

# All but `Char` of XML 1.0 (section 2.2).
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def plain(text: str) -> str:
    r"""A text with its forbidden characters spelled as Python does: ``\u0000``, ``\udc80``."""
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def plain_id(text: str) -> str:
    r"""The same, of different texts never the same, and never empty: a backslash is doubled."""
    return plain(text.replace("\\", "\\\\")) or "\\empty"


def graphml(network: nx.MultiDiGraph) -> str:
    """A network as GraphML: numbers and truth values as such, tuples as JSON, no unknown values."""
    found = nx.MultiDiGraph(**_flat(network.graph))
    for name, values in network.nodes(data=True):
        found.add_node(plain_id(name), **_flat(values))
    for number, (source, target, values) in enumerate(network.edges(data=True)):
        # The key becomes the edge's id, which GraphML wants to be unique in the graph.
        found.add_edge(plain_id(source), plain_id(target), key=number, **_flat(values))
    text = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return text + "\n".join(nx.generate_graphml(found)) + "\n"


def _flat(values: dict[str, object]) -> dict[str, str | int]:
    found: dict[str, str | int] = {}
    for key, value in values.items():
        if value is None:
            continue
        plain_value = _plain_value(value)
        if isinstance(plain_value, list | dict):
            found[key] = orjson.dumps(plain_value).decode()
        elif isinstance(plain_value, str | int):
            found[key] = plain_value
    return found


def _plain_value(value: object) -> object:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, tuple | list):
        return [_plain_value(item) for item in value]
    if isinstance(value, dict):
        return {plain(str(key)): _plain_value(item) for key, item in value.items()}
    return value


def network(graph: Graph) -> nx.MultiDiGraph:
    """One node for each node, by its name; one edge for each (input, node), as FX counts them.

    An edge has the tensors of the node that it starts at. What is not known is None.
    """
    found = nx.MultiDiGraph(
        name=graph.name,
        compile_id=graph.compile_id,
        stage=graph.stage.value,
        direction=graph.direction,
        parsed=graph.is_parsed,
    )
    for node in graph.nodes:
        found.add_node(node.name, **_of_node(graph, node))
    carried = {node.name: node for node in graph.nodes}
    for node in graph.nodes:
        for name in node.inputs:
            # A damaged recording can name what is not there: it must not become a node.
            if name in carried:
                source = carried[name]
                found.add_edge(name, node.name, **_of_tensors(source.tensors), bytes=source.bytes_)
    return found


def _of_node(graph: Graph, node: Node) -> dict[str, object]:
    line = node.line
    return {
        "id": graph.id_of(node),
        "op": node.op,
        "target": node.target,
        **_of_tensors(node.tensors),
        "strides": tuple(tensor.stride for tensor in node.tensors),
        "devices": tuple(tensor.device for tensor in node.tensors),
        "bytes": node.bytes_,
        "flops": node.flops,
        "file": line.file if line else None,
        "line": line.line if line else None,
        "code": line.code if line else None,
        "module": node.module,
        "module_class": node.modules[-1][1] if node.modules else "",
        "aten": node.aten,
        "earlier": node.earlier,
        "is_backward": node.is_backward,
        "is_saved": node.is_saved,
        "kernels": node.kernels,
    }


def _of_tensors(tensors: tuple[TensorMeta, ...]) -> dict[str, object]:
    return {
        "shapes": tuple(tensor.shape for tensor in tensors),
        "dtypes": tuple(tensor.dtype for tensor in tensors),
    }
