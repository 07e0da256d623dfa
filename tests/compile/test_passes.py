"""What each pass changed, with a pass of our own that changes what we know."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import fx

import inspector
from inspector.capture.fusion.generating import generating_only
from inspector.features.graph.passes import GraphPasses, Pass, PassNode, read_passes
from inspector.run.graph_places import GraphPlaces
from inspector.run.run import Process
from inspector.run.sources.recording import opened, read_run
from inspector.shared.roots import Roots

SINE, COSINE = torch.ops.aten.sin.default, torch.ops.aten.cos.default


def swap(graph: fx.Graph) -> None:
    """Makes each sine a cosine, and adds a negation that nothing takes."""
    for node in graph.find_nodes(op="call_function", target=SINE):
        node.target = COSINE
        with graph.inserting_after(node):
            graph.call_function(torch.ops.aten.neg.default, (node,))


def program(x: torch.Tensor) -> torch.Tensor:
    y = torch.sin(x)
    return y.permute(1, 0).permute(1, 0) * 2


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Process, Roots]:
    folder = tmp_path_factory.mktemp("recordings") / "recording"
    options: dict[str, Any] = {"post_grad_custom_post_pass": swap, "force_disable_caches": True}
    with torch._inductor.config.patch(options), generating_only(), torch.no_grad():
        torch._dynamo.reset()
        with inspector.record(folder, measure=False):
            torch.compile(program)(torch.ones(4, 4))
    with opened(folder) as recording:
        run = read_run(recording)
    return run.processes[0], run.roots


def passes(process: Process, roots: Roots) -> dict[str, GraphPasses]:
    found, unread = read_passes(process, roots)
    assert not unread
    return {graph.name: graph for graph in found}


def where(node: PassNode) -> tuple[str, int]:
    assert node.line is not None
    return Path(node.line.file).name, node.line.line - program.__code__.co_firstlineno


def test_every_pass_has_what_it_changed_and_nothing_else(recorded: tuple[Process, Roots]) -> None:
    graphs = passes(*recorded)
    assert list(graphs) == ["0/0 pre-grad", "0/0 joint", "0/0 post-grad inference"]
    (removing,) = graphs["0/0 joint"].passes
    assert [node.target for node in removing.removed] == ["aten.permute.default"] * 2
    assert {where(node) for node in removing.removed} == {("test_passes.py", 2)}
    lowered = graphs["0/0 post-grad inference"]
    planted = next(item for item in lowered.passes if item.name == "post_grad_custom_post_pass")
    (edit,) = planted.changed
    assert (edit.before.target, edit.after.target) == (str(SINE), str(COSINE))
    assert where(edit.after) == ("test_passes.py", 1)
    assert [node.target for node in planted.added] == ["aten.neg.default"]
    assert not planted.removed
    assert lowered.is_whole
    assert lowered.unchanged > len(lowered.passes)


def test_a_plain_trace_has_what_all_passes_of_a_stage_changed(
    recorded: tuple[Process, Roots],
) -> None:
    process, roots = recorded
    places = tuple(place for place in process.graphs.places if place.stage != "passes")
    plain = dataclasses.replace(process, graphs=GraphPlaces(places))
    graphs = passes(plain, roots)
    assert sums(graphs) == sums(passes(process, roots))
    assert not graphs["0/0 joint"].is_whole


def sums(graphs: dict[str, GraphPasses]) -> dict[str, list[set[str]]]:
    def names(item: Pass) -> list[set[str]]:
        edits = {
            edit.after.name for edit in item.changed if edit.before.target != edit.after.target
        }
        return [{node.name for node in item.added}, {node.name for node in item.removed}, edits]

    return {
        name: [set().union(*columns) for columns in zip(*map(names, graph.passes), strict=True)]
        for name, graph in graphs.items()
    }
