"""From a line to its nodes and kernels, and from a kernel to its lines."""

import dataclasses

import pytest

from inspector.features.graph.line_kernels import Relation
from inspector.features.graph.lookup import around_line, is_same_file, origins
from inspector.run.graph import Graph, Node, Stage
from inspector.shared.stack import StackFrame
from tests.unit.fusions import Kernel, fusion

OUTER = StackFrame("/home/me/src/model.py", 9, "forward", "return self.layer(x)")
INNER = StackFrame("/home/me/src/layers/model.py", 42, "forward", "return x.sin()")
OTHER = StackFrame("/home/me/src/model.py", 42, "forward", "y = x + 1")


def node(
    name: str, target: str, *inputs: str, stack: tuple[StackFrame, ...] = (), **more: object
) -> Node:
    return Node(name, "call_function", target, inputs, stack=stack, **more)  # type: ignore[arg-type]


X = Node("x", "placeholder", "x", stack=(OUTER,))
DYNAMO = Graph(
    "0/0", Stage.DYNAMO, "",
    (
        X,
        node("sin", "torch.sin", "x", stack=(OUTER, INNER)),
        node("y", "_operator.add", "sin", stack=(OTHER,)),
    ),
)  # fmt: skip
FORWARD = Graph(
    "0/0", Stage.POST_GRAD, "forward",
    (
        X,
        node("seed", "prims.inductor_seeds.default"),
        node(
            "sin", "aten.sin.default", "x", "seed",
            stack=(OUTER, INNER), modules=(("layer", "Layer"),),
        ),
        node("copy_", "aten.copy_.default", "x", "sin"),
        node("add", "aten.add.Tensor", "sin", stack=(OTHER,)),
        node("getitem", "_operator.getitem", "add", stack=(OTHER,)),
    ),
)  # fmt: skip
BACKWARD = Graph(
    "0/0", Stage.POST_GRAD, "backward",
    (node("cos", "aten.cos.default", "x", stack=(OUTER, INNER), is_backward=True),),
)  # fmt: skip


FUSIONS = (
    fusion(
        FORWARD,
        Kernel("k0", ("seed",), {}, {}),
        Kernel("k1", ("sin", "add", "copy_"), {}, {}),
        Kernel("", ("getitem",), {}, {}, "extern"),
    ),
    dataclasses.replace(fusion(BACKWARD, Kernel("k1", ("cos",), {}, {})), direction="backward"),
)
GRAPHS = (DYNAMO, FORWARD, BACKWARD)


@pytest.mark.parametrize(
    ("asked", "file", "is_same"),
    [
        ("model.py", "/home/me/src/model.py", True),
        ("src/model.py", "/home/me/src/model.py", True),
        ("./model.py", "/home/me/src/model.py", True),
        ("/home/me/src/model.py", "/home/me/src/model.py", True),
        ("src\\model.py", "C:\\me\\src\\model.py", True),
        ("model.py", "/home/me/src/my_model.py", False),
        ("other/model.py", "/home/me/src/model.py", False),
        ("/src/model.py", "/home/me/src/model.py", False),
        ("", "/home/me/src/model.py", False),
        ("/home/me/home/me/src/model.py", "/home/me/src/model.py", False),
    ],
)
def test_files_by_the_end_of_their_path(asked: str, file: str, is_same: bool) -> None:  # noqa: FBT001
    assert is_same_file(asked, file) is is_same


def test_a_line_leads_to_its_nodes_in_every_stage() -> None:
    found = around_line(GRAPHS, FUSIONS, "layers/model.py", 42)
    assert found.files == (INNER.file,)
    assert [(each.graph.name, each.node.name, each.relation) for each in found.nodes] == [
        ("0/0 dynamo", "sin", Relation.DIRECT),
        ("0/0 post-grad forward", "seed", Relation.DERIVED),
        ("0/0 post-grad forward", "sin", Relation.DIRECT),
        ("0/0 post-grad forward", "copy_", Relation.DERIVED),
        ("0/0 post-grad backward", "cos", Relation.DIRECT),
    ]
    assert [each.is_backward for each in found.nodes] == [False] * 4 + [True]


def test_kernels_of_a_line_forward_and_backward_apart() -> None:
    found = around_line(GRAPHS, FUSIONS, "layers/model.py", 42)
    assert [each.kernel for each in found.forward] == ["k0", "k1"]
    assert list(found.forward[1].nodes) == ["sin", "copy_"]
    assert [each.kernel for each in found.backward] == ["k1"]


def test_neighbours_tell_where_a_pass_put_a_node() -> None:
    found = origins(FORWARD)
    assert found["seed"] == found["copy_"] == ((OUTER, INNER), True)
    assert not found["add"][1]
    alone = Graph("0/0", Stage.JOINT, "", (node("x", "aten.rand.default"),))
    assert origins(alone)["x"] == ((), True)
