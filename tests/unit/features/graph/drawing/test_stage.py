"""Pictures of a stage's graph."""

import time

import pytest

from inspector.features.graph.drawing.collapse import group_nodes
from inspector.features.graph.drawing.options import Caption, Drawing, around
from inspector.features.graph.drawing.roles import make_roles
from inspector.features.graph.drawing.stage_dot import stage_dot
from inspector.run.graph import Stage
from inspector.shared.stack import StackFrame
from tests.unit.features.graph.drawing.pictures import graph, layers, operator, taken

CAPTION = Caption("bert", "0/0 forward", "NVIDIA H200", "2.13.0")


def test_a_picture_stays_small_by_itself() -> None:
    assert _boxes(stage_dot(layers(60), CAPTION)) <= 80 + 2
    assert _boxes(stage_dot(layers(1000), CAPTION)) <= 80 + 2
    assert _boxes(stage_dot(layers(600), CAPTION, Drawing(collapses=False))) > 2000


def test_the_part_around_a_module() -> None:
    part = around(layers(5), "layers.2.", 1)
    names = {node.name for node in part.nodes}
    assert names == {"add_1", "weight_2", "mm_2", "relu_2", "add_2"}
    assert part.nodes[0].inputs == (), "what is not in it is not read"


def test_many_groups_take_no_time() -> None:
    stack = [(StackFrame("/m.py", n % 20, "f", ""),) for n in range(20_000)]
    nodes = [
        operator(f"n{n}", "aten.relu.default", f"n{n - 1}", f"n{n - n % 20}", stack=stack[n],
                 modules=((f"m{n // 20}", "M"),))
        for n in range(20_000)
    ]  # fmt: skip
    begin = time.process_time()
    groups = group_nodes(nodes, lambda node: (node.line, node.module))
    assert len(groups) == 20_000
    assert time.process_time() - begin < 3


@pytest.mark.parametrize("collapses", [True, False])
def test_a_damaged_graph_is_drawn(*, collapses: bool) -> None:
    nodes = [
        operator("a", "aten.relu.default", "b"),
        operator("b", "aten.relu.default", "a"),
        operator("c", "aten.relu.default", "c"),
    ]
    assert "digraph" in stage_dot(graph(*nodes), CAPTION, Drawing(collapses))


def test_parameters_are_those_of_dynamos_graph() -> None:
    inputs = ("L_self_modules_a_parameters_weight_", "L_x_")
    dynamo = graph(*(taken(name, 8, 64) for name in inputs), stage=Stage.DYNAMO)
    forward = graph(
        taken("primals_1", 8, 64),
        taken("primals_2", 8, 64),
        operator("mm", "aten.mm.default", "primals_1", "primals_2", is_saved=True),
        operator("relu", "aten.relu.default", "mm"),
        returns=("relu", "mm"),
    )
    roles = make_roles(forward, [dynamo, forward])
    assert roles.parameters == {"primals_1"}
    assert roles.saved == {"mm"}
    assert roles.returned == {"relu"}


def _boxes(dot_text: str) -> int:
    """How many boxes a picture has."""
    lines = (line.strip() for line in dot_text.splitlines())
    return sum(line.startswith("n") and " [label=<" in line and "->" not in line
               and not line.startswith("node") for line in lines)  # fmt: skip
