"""What other programs are given to read, with names that are meant to break them."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import networkx as nx
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.graphs.exports import graphml, network, node_link, plain_id
from inspector.graphs.model_explorer import model_explorer
from inspector.model.graph import Graph, Node, Stage
from inspector.model.stack import StackFrame
from inspector.records.graphs import TensorMeta

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
            name, kernels=(name,), nested=(name,),
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


def test_node_link_is_read_back() -> None:
    data = node_link(network(GRAPH))
    found = nx.node_link_graph(json.loads(orjson.dumps(data)), edges="edges")
    assert list(found) == [plain_id(name) for name in HOSTILE]
    assert found.number_of_edges() == EDGES
    assert found.nodes["a/b"]["node"] == plain_text(f"{GRAPH.name}: a/b")
    assert found.nodes["a/b"]["flops"] is None


def plain_text(text: str) -> str:
    return plain_id(text).replace("\\\\", "\\")


@given(st.lists(st.text(st.characters()), min_size=1, max_size=5, unique=True))
def test_any_names_are_well_formed_and_stay_apart(names: list[str]) -> None:
    graph = hostile(tuple(names))
    text = graphml(network(graph))
    assert len(nx.parse_graphml(text)) == len(names)
    assert len(orjson.loads(orjson.dumps(node_link(network(graph))))["nodes"]) == len(names)
    explored = orjson.loads(orjson.dumps(model_explorer([graph], names[0])))
    assert len({node["id"] for node in explored["graphs"][0]["nodes"]}) == len(names)


def explored(graph: Graph) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(orjson.dumps(model_explorer([graph], "a recording")))
    return data


def test_modules_are_the_namespace() -> None:
    modules = (("", "Net"), ("layers.0", "Block"), ("layers.0.norm", "LayerNorm"))
    node = Node("x", "call_function", "aten.add.Tensor", modules=modules)
    (graph,) = explored(Graph("0/0", Stage.DYNAMO, "", (node,)))["graphs"]
    assert graph["nodes"][0]["namespace"] == "Net/layers.0/norm"
    assert graph["groupNodeAttributes"]["Net/layers.0"] == {"class": "Block"}
    assert graph["groupNodeAttributes"]["Net/layers.0/norm"] == {"class": "LayerNorm"}


def test_an_edge_starts_at_the_result_that_is_taken() -> None:
    other = TensorMeta("int64", (2,), (1,), "cpu")
    nodes = (
        Node("topk", "call_function", "aten.topk.default", (), (TENSOR, other)),
        Node("getitem", "call_function", "_operator.getitem", ("topk",), (other,)),
        Node("sin", "call_function", "aten.sin.default", ("getitem",), (other,)),
    )
    (graph,) = explored(Graph("0/0", Stage.DYNAMO, "", nodes))["graphs"]
    edges = [edge for node in graph["nodes"] for edge in node["incomingEdges"]]
    assert [edge["sourceNodeOutputId"] for edge in edges] == ["1", "0"]
    assert graph["nodes"][0]["outputsMetadata"][1]["attrs"][0] == {
        "key": "tensor_shape", "value": "int64[2]",
    }  # fmt: skip


def test_graphs_of_two_processes_have_two_ids() -> None:
    found = model_explorer([GRAPH, GRAPH], "both")["graphs"]
    assert isinstance(found, list)
    assert len({graph["id"] for graph in found}) == 2


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    """Model Explorer's own classes; the package's `__init__` would import its server."""
    spec = importlib.util.find_spec("model_explorer")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("ai-edge-model-explorer is not installed")
    file = Path(spec.submodule_search_locations[0], "graph_builder.py")
    found = importlib.util.spec_from_file_location("model_explorer_graph_builder", file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


def test_model_explorer_knows_every_field(builder: ModuleType) -> None:
    dacite = pytest.importorskip("dacite")
    data = explored(GRAPH)
    found = dacite.from_dict(builder.GraphCollection, data, dacite.Config(strict=True))
    assert [node.id for node in found.graphs[0].nodes] == [plain_id(name) for name in HOSTILE]
