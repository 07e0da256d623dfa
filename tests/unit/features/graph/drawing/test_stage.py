"""Pictures of a stage's graph."""

from inspector.features.graph.drawing.options import Caption, around
from inspector.features.graph.drawing.roles import make_roles
from inspector.features.graph.drawing.stage_dot import stage_dot
from inspector.run.graph import Stage
from tests.unit.features.graph.drawing.pictures import graph, layers, operator, taken

CAPTION = Caption("bert", "0/0 forward", "NVIDIA H200", "2.13.0")


def test_the_part_around_a_module() -> None:
    part = around(layers(5), "layers.2.", 1)
    names = {node.name for node in part.nodes}
    assert names == {"add_1", "weight_2", "mm_2", "relu_2", "add_2"}
    assert part.nodes[0].inputs == (), "what is not in it is not read"


def test_a_damaged_graph_is_drawn() -> None:
    nodes = [
        operator("a", "aten.relu.default", "b"),
        operator("b", "aten.relu.default", "a"),
        operator("c", "aten.relu.default", "c"),
    ]
    assert "digraph" in stage_dot(graph(*nodes), CAPTION)


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
