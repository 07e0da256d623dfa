"""HLO as a graph; `data/xla/training.log.gz` was recorded with torch 2.9.0 and torch_xla 2.9.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.graphs.exports import network
from inspector.graphs.hlo import hlo_nodes
from inspector.graphs.reading import read_graphs
from inspector.model.graph import Graph, Stage
from inspector.sources.recording import opened, read_run

LOG = Path(__file__).parents[1] / "data/xla/training.log.gz"


@pytest.fixture(scope="module")
def graphs() -> dict[str, Graph]:
    with opened(LOG) as source:
        run = read_run(source)
        (process,) = run.processes
        found, unread = read_graphs(process.graphs.places, run.roots, frozenset({Stage.HLO}))
    assert not unread
    return {graph.name: graph for graph in found}


def test_both_passes_are_there(graphs: dict[str, Graph]) -> None:
    assert list(graphs) == ["0/0 hlo forward", "0/0 hlo backward"]


def test_instructions_know_the_users_lines_and_modules(graphs: dict[str, Graph]) -> None:
    nodes = graphs["0/0 hlo forward"].nodes
    dots = [node for node in nodes if node.target == "dot"]
    assert [node.module for node in dots] == ["first", "second"]
    assert [node.line and node.line.line for node in dots] == [13, 14]
    assert {node.aten for node in dots} == {"aten.addmm.default"}
    assert dots[0].earlier[0] == "addmm"
    assert dots[0].tensors[0].shape == (4, 32)
    assert dots[0].tensors[0].stride == (32, 1)
    assert dots[0].bytes_ == 4 * 4 * 32
    # The residual sum is an operator of Python, which torch_xla names in another way.
    assert any(node.aten == "aten.add.Tensor" and node.target == "add" for node in nodes)


def test_every_instruction_but_inputs_has_a_line(graphs: dict[str, Graph]) -> None:
    for graph in graphs.values():
        without = [node for node in graph.nodes if node.is_compute and node.line is None]
        assert not without


def test_the_graph_is_whole(graphs: dict[str, Graph]) -> None:
    for graph in graphs.values():
        seen: set[str] = set()
        for node in graph.nodes:
            assert set(node.inputs) <= seen
            seen.add(node.name)
        assert [node.name for node in graph.nodes if node.op == "output"] == ["output"]
        found = network(graph)
        assert found.number_of_nodes() == len(graph.nodes)
        assert found.nodes["output"]["op"] == "output"


def test_what_an_instruction_calls_stands_in_it(graphs: dict[str, Graph]) -> None:
    nodes = graphs["0/0 hlo forward"].nodes
    reduce = next(node for node in nodes if node.target == "reduce")
    assert any(name.startswith(("maximum", "add")) for name in reduce.nested)


def test_a_result_that_is_no_tuple_is_returned_and_computed() -> None:
    nodes = hlo_nodes(
        "ENTRY %e (p: pred[2]) -> pred[2] {\n"
        "  %p = pred[2]{0} parameter(0)\n"
        "  ROOT %n = pred[2]{0} not(%p)\n"
        "}\n",
        {},
        "xla:0",
    )
    assert [(node.name, node.op) for node in nodes] == [
        ("p", "placeholder"), ("n", "call_function"), ("output", "output")
    ]  # fmt: skip
    assert nodes[-1].inputs == ("n",)
    assert nodes[0].tensors[0].dtype == "bool"
    assert nodes[0].tensors[0].device == "xla:0"
