"""Graphs as networkx has them."""

from __future__ import annotations

import dataclasses

from inspector.features.graph.exports import network
from inspector.records.graphs import TensorMeta
from inspector.run.graph import Graph, Node, Stage
from inspector.shared.stack import StackFrame

TENSOR = TensorMeta("float32", (8, "s0"), ("s0", 1), "cuda:0")
SMALL = TensorMeta("bfloat16", (4,), (1,), "cpu")
LINE = StackFrame("/home/me/model.py", 7, "forward", "return a + a")
GRAPH = Graph(
    "0/0",
    Stage.POST_GRAD,
    "forward",
    (
        Node("x", "placeholder", "x", tensors=(SMALL,)),
        Node(
            "add", "call_function", "aten.add.Tensor", ("x",), (SMALL,), (LINE,),
            (("", "Net"), ("layers.0", "Linear")), ("a",), "aten.add.Tensor", flops=3,
        ),
        Node("mul", "call_function", "aten.mul.Tensor", ("x", "add"), (TENSOR, SMALL)),
        Node("output", "output", "output", ("mul", "add")),
    ),
)  # fmt: skip


def test_nodes_and_edges_are_those_of_the_graph() -> None:
    found = network(GRAPH)
    assert list(found) == ["x", "add", "mul", "output"]
    assert list(found.edges()) == [
        ("x", "add"), ("x", "mul"), ("add", "mul"), ("add", "output"), ("mul", "output"),
    ]  # fmt: skip
    assert found.graph["name"] == "0/0 post-grad forward"


def test_a_node_has_all_that_is_known() -> None:
    values = network(GRAPH).nodes["add"]
    assert values["id"] == "0/0 post-grad forward: add"
    assert (values["file"], values["line"], values["code"]) == (LINE.file, 7, LINE.code)
    assert (values["module"], values["module_class"]) == ("layers.0", "Linear")
    assert (values["shapes"], values["dtypes"], values["strides"]) == (
        ((4,),), ("bfloat16",), ((1,),),
    )  # fmt: skip
    assert (values["bytes"], values["flops"], values["earlier"]) == (8, 3, ("a",))


def test_what_is_not_known_is_none() -> None:
    values = network(GRAPH).nodes["mul"]
    assert (values["bytes"], values["flops"], values["file"], values["line"]) == (None,) * 4


def test_an_edge_has_what_it_carries() -> None:
    (values,) = network(GRAPH).get_edge_data("add", "mul").values()
    assert values == {"shapes": ((4,),), "dtypes": ("bfloat16",), "bytes": 8}


def test_an_input_that_is_not_there_becomes_no_node() -> None:
    node = dataclasses.replace(GRAPH.nodes[1], inputs=("lost", "x"))
    found = network(dataclasses.replace(GRAPH, nodes=(GRAPH.nodes[0], node)))
    assert list(found.edges()) == [("x", "add")]
