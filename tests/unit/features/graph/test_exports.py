"""What other programs are given to read, with names that are meant to break them."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from inspector.features.graph.exports import graphml, network, plain_id
from inspector.records.graphs import TensorMeta
from inspector.run.graph import Graph, Node, Stage
from inspector.shared.stack import StackFrame

HOSTILE = (
    "", '"><script>', "</svg>", "]]>", "&amp;", "a\x00b", "a\x01b", "\x1b[31m", "\udc80", "\ufffe",
    "a/b", "\\", "\\u0000", "\\empty", "x\ny", "\u202e", "😀", "a b", "-->", "%s{0}",
)  # fmt: skip
TENSOR = TensorMeta("float32", (2, 3), (3, 1), "cuda:0")


def hostile(names: tuple[str, ...]) -> Graph:
    """Each is the name, the target, the module, the code, … of a node that takes all before it."""
    nodes = tuple(
        Node(
            name, "call_function", name, names[:place], (TENSOR,) * (place % 3),
            (StackFrame(name, place, name, name),), ((name, name), (f"{name}.0", name)), (name,),
            name, kernels=(name,),
        )
        for place, name in enumerate(names)
    )  # fmt: skip
    return Graph(names[-1], Stage.JOINT, names[0], nodes)


GRAPH = hostile(HOSTILE)
EDGES = len(HOSTILE) * (len(HOSTILE) - 1) // 2


def test_graphml_is_read_back() -> None:
    text = graphml(network(GRAPH))
    found = nx.parse_graphml(text, force_multigraph=True)
    assert list(found) == [plain_id(name) for name in HOSTILE]
    assert found.number_of_edges() == EDGES
    assert found.nodes["</svg>"]["target"] == "</svg>"
    assert found.nodes["a/b"]["line"] == HOSTILE.index("a/b")
    assert found.nodes["a/b"]["is_saved"] is False
    assert json.loads(found.nodes["\\\\"]["shapes"]) == [[2, 3]] * (HOSTILE.index("\\") % 3)
    assert "flops" not in found.nodes["a/b"]


def test_ids_of_edges_are_unique_in_graphml() -> None:
    document = ET.fromstring(graphml(network(GRAPH)))  # noqa: S314 - we wrote it
    ids = [part.get("id") for part in document.iter() if part.tag.endswith("}edge")]
    assert len(set(ids)) == len(ids) == EDGES


@given(st.lists(st.text(st.characters()), min_size=1, max_size=5, unique=True))
def test_any_names_are_well_formed_and_stay_apart(names: list[str]) -> None:
    graph = hostile(tuple(names))
    text = graphml(network(graph))
    assert len(nx.parse_graphml(text)) == len(names)
