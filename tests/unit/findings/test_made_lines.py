"""What is said of lines that make layers."""

from __future__ import annotations

from inspector.findings.made_lines import made_by_nodes, made_in_graphs, made_lines_notices
from inspector.model.graph import Graph, Node, Stage
from inspector.model.kernel import NodeLine
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


def test_lines_that_make_layers_are_named() -> None:
    lines = [NodeLine("h").at(frame) for frame in (RUNS, MAKES, MAKES)]
    (said,) = made_lines_notices(made_by_nodes(lines))
    assert said.startswith("no line of yours runs in the layer that model.py:5 makes: ")
    assert made_lines_notices(made_by_nodes([NodeLine("h").at(RUNS)])) == ()


def test_of_many_lines_some_are_named_and_files_of_one_name_are_told_apart() -> None:
    places = [(f"/{folder}/model.py", line) for folder in "ab" for line in (1, 2, 30)]
    (said,) = made_lines_notices(reversed(places))
    assert "a/model.py:1, a/model.py:2, a/model.py:30, … 3 more make: " in said


def test_lines_inside_of_nested_graphs_are_found() -> None:
    inner = Node(name="relu", op="call_function", target="relu", stack=(MAKES,))
    outer = Node(name="cond", op="call_function", target="cond", stack=(RUNS,), inside=(inner,))
    graph = Graph("0/0", Stage.DYNAMO, "", (outer,))
    assert list(made_in_graphs([graph])) == [("/p/model.py", 5)]


def test_a_node_is_at_the_innermost_line() -> None:
    def graph(*stack: StackFrame) -> Graph:
        node = Node(name="h", op="call_function", target="relu", stack=stack)
        return Graph("0/0", Stage.DYNAMO, "", (node,))

    assert list(made_in_graphs([graph(MAKES), graph(MAKES, RUNS), graph()])) == [("/p/model.py", 5)]
