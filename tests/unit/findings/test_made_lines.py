"""What is said of lines that make layers."""

from __future__ import annotations

import pytest

from inspector.findings.made_lines import lines_of_graphs, made_lines_notices
from inspector.model.graph import Graph, Node, Stage
from inspector.model.kernel import NodeLine, weighed_lines
from inspector.model.stack import StackFrame, made_class, making_name, plain_name

RUNS = StackFrame("/p/model.py", 20, "forward")
MAKES = StackFrame("/p/model.py", 5, making_name("build", "Linear"))


def test_a_frame_s_name_says_what_its_line_makes() -> None:
    assert MAKES.name == "build (makes Linear)"
    assert made_class(MAKES.name) == "Linear"
    assert plain_name(MAKES.name) == "build"
    assert made_class(making_name("<module>", "Half")) == "Half"
    assert [
        made_class(name) for name in ("forward", "<lambda>", "torch_dynamo_resume_in_f_at_3")
    ] == [
        "",
        "",
        "",
    ]


@pytest.mark.parametrize("kind", ["Linear", "Lin[int]", "my-Linear", "\u00dcber", "A (makes B)"])
@pytest.mark.parametrize("function", ["build", "<module>", "<lambda>", "Net.<locals>.make"])
def test_names_come_back_whatever_they_are(function: str, kind: str) -> None:
    name = making_name(function, kind)
    assert (plain_name(name), made_class(name)) == (function, kind)


def test_a_layer_that_code_behind_a_graph_break_makes_is_in_its_function() -> None:
    assert plain_name(making_name("torch_dynamo_resume_in_build_at_3", "Linear")) == "build"


def test_lines_that_make_layers_are_named() -> None:
    also = StackFrame("/p/model.py", 5, making_name("build", "GELU"))
    lines = [NodeLine("h").at(frame) for frame in (RUNS, MAKES, MAKES, also)]
    (said,) = made_lines_notices(lines)
    assert said.startswith("no line of yours runs in some layers (Linear, GELU): ")
    assert said.endswith(" (model.py:5)")
    assert made_lines_notices([NodeLine("h").at(RUNS)]) == ()


def test_of_many_lines_some_are_named_and_files_of_one_name_are_told_apart() -> None:
    name = making_name("build", "Linear")
    lines = [
        NodeLine("h").at(StackFrame(f"/{folder}/model.py", line, name))
        for folder in "ba"
        for line in (30, 2, 1)
    ]
    (said,) = made_lines_notices(lines)
    assert said.endswith(" (a/model.py:1, a/model.py:2, a/model.py:30, \u2026 3 more)")


def test_a_line_has_all_that_it_makes_and_the_heaviest_comes_first() -> None:
    also = StackFrame("/p/model.py", 5, making_name("build", "GELU"))
    makes, runs, more = (NodeLine("h").at(frame) for frame in (MAKES, RUNS, also))
    lines = weighed_lines([(makes, 0.2), (NodeLine("h"), 1.0), (runs, 0.5), (more, 0.2)])
    assert [(line.line, line.makes) for line in lines] == [(20, ()), (5, ("Linear", "GELU"))]
    assert [line.line for line in weighed_lines([(makes, 0.4), (runs, 0.5), (more, 0.2)])] == [
        5,
        20,
    ]


def test_nodes_are_at_their_innermost_line_also_inside_of_others() -> None:
    inner = Node(name="relu", op="call_function", target="relu", stack=(RUNS, MAKES))
    outer = Node(name="cond", op="call_function", target="cond", stack=(RUNS,), inside=(inner,))
    graph = Graph("0/0", Stage.DYNAMO, "", (outer, Node("x", "placeholder", "x")))
    found = [(line.node, line.line, line.makes) for line in lines_of_graphs([graph])]
    assert found == [("cond", 20, ()), ("relu", 5, ("Linear",))]
