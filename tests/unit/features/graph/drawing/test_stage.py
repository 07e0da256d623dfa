"""Pictures of a stage's graph."""

from __future__ import annotations

import dataclasses
import time

import pytest

from inspector.errors import UsageError
from inspector.features.graph.drawing.collapse import group_nodes
from inspector.features.graph.drawing.options import Caption, Collapse, Colour, Drawing, around
from inspector.features.graph.drawing.roles import Roles, make_roles
from inspector.features.graph.drawing.stage_dot import stage_dot
from inspector.run.graph import Stage
from inspector.shared.stack import StackFrame
from tests.unit.features.graph.drawing.drawn import drawn, graph, layers, needs_dot, operator, taken

CAPTION = Caption("bert", "0/0 forward", "NVIDIA H200", "2.13.0")
NONE = Drawing(collapse=Collapse.NONE)


@needs_dot
def test_a_box_has_operator_shape_and_line() -> None:
    found = drawn(stage_dot(layers(1), CAPTION))
    boxes = list(found.nodes.values())
    assert ["relu", "f32[8, 64]", "model.py:31"] in boxes
    assert ["x", "f32[8, 64]"] in boxes
    assert ["output"] in boxes


@needs_dot
def test_frames_are_modules() -> None:
    found = drawn(stage_dot(layers(2), CAPTION))
    said = sorted(texts[0] for texts in found.frames.values())
    assert said == [
        "layers (ModuleList)", "layers.0 (Layer)", "layers.0.linear (Linear)", "layers.1 (Layer)",
        "layers.1.linear (Linear)",
    ]  # fmt: skip


@needs_dot
def test_the_caption_says_what_it_is() -> None:
    found = drawn(stage_dot(layers(1), CAPTION))
    assert {"bert · 0/0 forward", "NVIDIA H200 · torch 2.13.0", "3 operators"} <= set(found.texts)


@needs_dot
def test_the_legend_says_what_colours_and_borders_mean() -> None:
    nodes = [taken("x", 8, 64), operator("relu", "aten.relu.default", "x", is_saved=True)]
    found = drawn(stage_dot(graph(*nodes), CAPTION))
    assert {"f32", "input", "output", "saved for the backward pass"} <= set(found.texts)


@needs_dot
def test_what_is_saved_says_how_much() -> None:
    nodes = [taken("x", 8, 64), operator("relu", "aten.relu.default", "x", is_saved=True)]
    found = drawn(stage_dot(graph(*nodes), CAPTION))
    assert ["relu", "f32[8, 64]", "model.py:31", "saved 2.0 KiB"] in found.nodes.values()


@needs_dot
def test_arrows_bring_shapes_and_details() -> None:
    found = drawn(stage_dot(layers(1), CAPTION))
    assert "f32[8, 64] · 2.0 KiB" in found.texts
    assert any("relu_0 = aten.relu.default\n" in text for text in found.tooltips)
    assert any("model.py:31 in forward: x = f(x)" in text for text in found.tooltips)


@needs_dot
def test_passes_of_a_joint_graph_are_told_apart() -> None:
    module = (("a", "Linear"),)
    nodes = [
        taken("x", 8, 64),
        operator("mm", "aten.mm.default", "x", module=module),
        operator("mm_1", "aten.mm.default", "mm", module=module, is_backward=True),
    ]
    found = drawn(stage_dot(graph(*nodes, stage=Stage.JOINT), CAPTION))
    frames = [texts[0] for texts in found.frames.values()]
    assert {"a (Linear)", "a (Linear), backward"} <= set(frames)


def test_modules_become_one_box() -> None:
    boxes = _boxes(stage_dot(layers(10), CAPTION, Drawing(Collapse.MODULE, most_boxes=10)))
    assert boxes == 10 + 1, "ten layers and the output; inputs are counted"


@needs_dot
def test_a_collapsed_box_counts() -> None:
    found = drawn(stage_dot(layers(9), CAPTION, Drawing(Collapse.MODULE, most_boxes=10)))
    box = next(texts for texts in found.nodes.values() if texts[0] == "layers.1 (Layer)")
    assert box == ["layers.1 (Layer)", "mm, relu, add", "3 operators · 1.0 kFLOP",
                   "+ 1 input, 16 KiB"]  # fmt: skip


@needs_dot
def test_parameters_are_called_so_where_known() -> None:
    roles = Roles(parameters=frozenset({"weight_0", "weight_1"}))
    found = drawn(stage_dot(layers(2), CAPTION, Drawing(Collapse.MODULE), roles))
    assert "+ 1 parameter, 16 KiB" in found.texts


def test_a_picture_stays_small_by_itself() -> None:
    assert _boxes(stage_dot(layers(60), CAPTION)) <= 80 + 2
    assert _boxes(stage_dot(layers(1000), CAPTION)) <= 80 + 2


def test_groups_do_not_wait_for_themselves() -> None:
    a, b = (("a", "A"),), (("b", "B"),)
    nodes = [
        taken("x", 8, 64),
        operator("n1", "aten.relu.default", "x", module=a),
        operator("n2", "aten.relu.default", "n1", module=b),
        operator("n3", "aten.relu.default", "n2", module=a),
    ]
    text = stage_dot(graph(*nodes), CAPTION, Drawing(Collapse.MODULE))
    assert _boxes(text) == 3 + 2, "the module that is called twice is two boxes"


def test_groups_that_need_each_other_by_different_nodes_are_apart() -> None:
    a, b = (("a", "A"),), (("b", "B"),)
    nodes = [
        taken("x", 8, 64),
        operator("a1", "aten.relu.default", "x", module=a),
        operator("b1", "aten.relu.default", "x", module=b),
        operator("b2", "aten.relu.default", "a1", module=b),
        operator("a2", "aten.relu.default", "b1", module=a),
        operator("end", "aten.add.Tensor", "a2", "b2"),
    ]
    assert _boxes(stage_dot(graph(*nodes), CAPTION, Drawing(Collapse.MODULE))) == 4 + 2


@needs_dot
def test_arrows_between_groups_are_counted() -> None:
    a, b = (("a", "A"),), (("b", "B"),)
    nodes = [
        taken("x", 8, 64),
        operator("n1", "aten.mul.Tensor", "x", module=a),
        operator("n2", "aten.add.Tensor", "x", module=a),
        operator("n3", "aten.sub.Tensor", "n1", "n2", module=b),
    ]
    found = drawn(stage_dot(graph(*nodes), CAPTION, Drawing(Collapse.MODULE)))
    assert "2 tensors · 4.0 KiB" in found.texts


def test_too_many_boxes_are_refused_unless_forced() -> None:
    large = layers(600)
    with pytest.raises(UsageError, match="--collapse none --force"):
        stage_dot(large, CAPTION, NONE)
    assert _boxes(stage_dot(large, CAPTION, dataclasses.replace(NONE, force=True))) > 2000


@needs_dot
@pytest.mark.parametrize(
    ("colour", "said"),
    [(Colour.DTYPE, "f32"), (Colour.BYTES, "up to 2.0 KiB"), (Colour.FLOPS, "up to 1.0 kFLOP")],
)
def test_colours_are_in_the_legend(colour: Colour, said: str) -> None:
    found = drawn(stage_dot(layers(2), CAPTION, Drawing(colour=colour)))
    assert said in found.texts[: found.texts.index("layers (ModuleList)")]


@needs_dot
def test_what_many_boxes_read_has_one_arrow() -> None:
    nodes = [taken("x", 8, 64), operator("mask", "aten.relu.default", "x")]
    for n in range(8):
        module = ((f"m{n}", "M"),)
        nodes.append(operator(f"a{n}", "aten.mul.Tensor", "x", "mask", module=module))
    end = operator("end", "aten.cat.default", *(f"a{n}" for n in range(8)))
    found = drawn(stage_dot(graph(*nodes, end), CAPTION, Drawing(Collapse.MODULE)))
    assert sum("+ mask from above" in texts or "+ x, mask from above" in texts
               for texts in found.nodes.values()) == 7  # fmt: skip


def test_the_part_around_a_module() -> None:
    part = around(layers(5), "layers.2.", 1)
    names = {node.name for node in part.nodes}
    assert names == {"add_1", "weight_2", "mm_2", "relu_2", "add_2"}
    assert part.nodes[0].inputs == (), "what is not in it is not read"


@needs_dot
def test_what_a_part_is_around_is_marked() -> None:
    found = around(layers(5), "RELU_2", 1)
    text = stage_dot(found, CAPTION, Drawing(around="RELU_2"))
    assert "matches RELU_2" in drawn(text).texts
    assert text.count('border="4"') == 2, "the box, and the legend"
    assert 'border="4"' not in stage_dot(found, CAPTION)


def test_many_groups_take_no_time() -> None:
    stack = [(StackFrame("/m.py", n % 20, "f", ""),) for n in range(20_000)]
    nodes = [
        operator(f"n{n}", "aten.relu.default", f"n{n - 1}", f"n{n - n % 20}", stack=stack[n],
                 module=((f"m{n // 20}", "M"),))
        for n in range(20_000)
    ]  # fmt: skip
    begin = time.process_time()
    groups = group_nodes(nodes, lambda node: (node.line, node.module))
    assert len(groups) == 20_000
    assert time.process_time() - begin < 3


def test_groups_that_get_needs_later_hand_them_on() -> None:
    names = {"a": "A", "b": "B", "c": "C", "d": "D", "a2": "A", "d2": "D"}
    inputs = {"b": ["a"], "c": ["b"], "a2": [], "d2": ["c"]}
    nodes = [operator(name, "aten.relu.default", *inputs.get(name, ())) for name in names]
    nodes.append(operator("a3", "aten.relu.default", "d2"))
    groups = group_nodes(nodes, lambda node: {**names, "a3": "A"}[node.name])
    assert [[node.name for node in group] for group in groups] == [
        ["a", "a2"], ["b"], ["c"], ["d", "d2"], ["a3"],
    ]  # fmt: skip


@pytest.mark.parametrize("collapse", list(Collapse))
def test_a_damaged_graph_is_drawn(collapse: Collapse) -> None:
    nodes = [
        operator("a", "aten.relu.default", "b"),
        operator("b", "aten.relu.default", "a"),
        operator("c", "aten.relu.default", "c"),
    ]
    assert "digraph" in stage_dot(graph(*nodes), CAPTION, Drawing(collapse))


def test_the_part_around_nothing() -> None:
    with pytest.raises(UsageError, match="`relu_7`"):
        around(layers(2), "relu_7", 1)


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


def test_a_backward_graph_takes_what_was_kept() -> None:
    backward = graph(
        taken("mm", 8, 64),
        taken("tangents_1", 8, 64),
        operator("mul", "aten.mul.Tensor", "mm", "tangents_1"),
        stage=Stage.BACKWARD,
    )
    assert make_roles(backward).kept == {"mm"}


def _boxes(dot_text: str) -> int:
    """How many boxes a picture has."""
    lines = (line.strip() for line in dot_text.splitlines())
    return sum(line.startswith("n") and " [label=<" in line and "->" not in line
               and not line.startswith("node") for line in lines)  # fmt: skip
