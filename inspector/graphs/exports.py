"""Networks as the files of other programs: GraphML, and networkx's own JSON.

Names come out of a recording, and so can be anything: control characters, which XML forbids, and
lone surrogates, which no encoding has.
"""

from __future__ import annotations

import re

import networkx as nx
import orjson

# All but `Char` of XML 1.0 (section 2.2). JSON can have the control characters, but its UTF-8 no
# surrogates: one spelling serves both.
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


def node_link(network: nx.MultiDiGraph) -> dict[str, object]:
    """A network as ``networkx.node_link_graph(…, edges="edges")`` reads it."""
    found = nx.MultiDiGraph(**_plain_values(network.graph))
    for name, values in network.nodes(data=True):
        # A node's own id is `node`: networkx writes the key as `id`.
        found.add_node(plain_id(name), **_plain_values(_renamed(values)))
    for source, target, values in network.edges(data=True):
        found.add_edge(plain_id(source), plain_id(target), **_plain_values(values))
    data: dict[str, object] = nx.node_link_data(found, edges="edges")
    return data


def _renamed(values: dict[str, object]) -> dict[str, object]:
    return {("node" if key == "id" else key): value for key, value in values.items()}


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


def _plain_values(values: dict[str, object]) -> dict[str, object]:
    return {key: _plain_value(value) for key, value in values.items()}


def _plain_value(value: object) -> object:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, tuple | list):
        return [_plain_value(item) for item in value]
    if isinstance(value, dict):
        return {plain(str(key)): _plain_value(item) for key, item in value.items()}
    return value
