"""The graphs of all stages are torch's own, and most of what is in their texts can be read back.

What torch has is noted where it prints a graph, by a method that every stage calls; the recorder
reads a local variable of whoever logs the text.
"""

import collections
import contextlib
import dataclasses
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import fx

import inspector
from inspector.capture.recording.handler import attached_handler
from inspector.features.graph.decompositions import decompositions
from inspector.features.graph.lookup import origins
from inspector.features.graph.operators import computed_inside, shown_operator
from inspector.features.graph.reading import read_graphs
from inspector.run.graph import Graph, Node, Stage
from inspector.run.graph_places import GraphPlace
from inspector.shared.roots import Roots

MODELS = Path(__file__).parent / "stage_models.py"
TRAINED = ("dynamo", "pre_grad", "joint", "forward", "backward", "post_grad", "post_grad")
CALLED = ("dynamo", "pre_grad", "inference", "post_grad")
NAMES = ("attention", "convolution", "dynamic", "branch", "table", "recomputed")
# Without a backward pass the graphs are the forward graphs again: two are enough.
CALLED_TOO = ("attention", "branch")

Nodes = list[tuple[str, str, tuple[str, ...]]]


@dataclasses.dataclass(frozen=True, slots=True)
class Recorded:
    """A model's graphs; the live ones by their text."""

    places: tuple[GraphPlace, ...]
    live: dict[str, Nodes]
    roots: Roots
    is_trained: bool
    is_dynamic: bool


@pytest.fixture(
    scope="module",
    params=[*((name, True) for name in NAMES), *((name, False) for name in CALLED_TOO)],
    ids=lambda case: f"{case[0]}-{'training' if case[1] else 'inference'}",
)
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    name, is_trained = request.param
    folder = tmp_path_factory.mktemp("recordings") / "recording"
    live: dict[str, Nodes] = {}
    with pytest.MonkeyPatch.context() as patch, _without_caches():
        noting = _noting(fx.GraphModule.print_readable, live)
        patch.setattr(fx.GraphModule, "print_readable", noting)
        torch._dynamo.reset()
        with inspector.record(folder, measure=False) as recording:
            attached_handler().keeps_graphs = True
            _call(_cases()[name], is_trained=is_trained)
    run = recording.run()
    (process,) = run.processes
    assert process.problems == ()
    stages = {stage.value.replace("-", "_") for stage in Stage}  # without what passes change
    places = tuple(place for place in process.graphs.places if place.stage in stages)
    return Recorded(places, live, run.roots, is_trained, name == "dynamic")


@contextlib.contextmanager
def _without_caches() -> Iterator[None]:
    """What comes out of a cache was not printed here."""
    with (
        torch._inductor.config.patch(fx_graph_cache=False),
        torch._functorch.config.patch(enable_autograd_cache=False),
    ):
        yield


def _cases() -> dict[str, Any]:
    """Loaded as a user's file is: by its path."""
    spec = importlib.util.spec_from_file_location("stage_models", MODELS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found: dict[str, Any] = module.CASES
    return found


def _call(case: Any, *, is_trained: bool) -> None:
    torch.manual_seed(0)
    model = case.make()
    if not is_trained:
        model.eval().requires_grad_(requires_grad=False)
    found = torch.compile(model, dynamic=case.dynamic or None)(case.input())
    if is_trained:
        sum(item.sum() for item in (found if isinstance(found, tuple) else (found,))).backward()


def _noting(original: Callable[..., str], live: dict[str, Nodes]) -> Callable[..., str]:
    def print_readable(self: fx.GraphModule, *args: Any, **options: Any) -> str:
        text = original(self, *args, **options)
        live[text] = [
            (node.name, node.op, tuple(other.name for other in node.all_input_nodes))
            for node in self.graph.nodes
        ]
        return text

    return print_readable


def _graphs(recorded: Recorded) -> Iterator[tuple[Graph, Nodes]]:
    graphs, unread = read_graphs(recorded.places, recorded.roots)
    assert unread == []
    for graph, place in zip(graphs, recorded.places, strict=True):
        assert place.text is not None
        # Torch puts the address of pre-grad graphs below their text.
        text = place.text.text().partition("\n\n # graph id")[0]
        yield graph, recorded.live[text]


def test_every_stage_is_there(recorded: Recorded) -> None:
    stages = tuple(place.stage for place in recorded.places)
    expected = TRAINED if recorded.is_trained else CALLED
    assert collections.Counter(stages) == collections.Counter(expected)
    assert all(place.recorded is not None for place in recorded.places)


def test_nodes_and_edges_are_those_of_the_live_graph(recorded: Recorded) -> None:
    for graph, live in _graphs(recorded):
        assert [(node.name, node.op, node.inputs) for node in graph.nodes] == live, graph.name


def test_a_node_has_its_module_and_its_symbols(recorded: Recorded) -> None:
    (graph, _), *_ = _graphs(recorded)
    linear = [node for node in graph.nodes if node.target.endswith("linear")]
    assert all(node.modules[-1][1] == "Linear" for node in linear if not node.inside)
    if recorded.is_dynamic:  # no symbol was given a value
        inputs = [node for node in graph.nodes if node.target.endswith("_x_")]
        assert isinstance(inputs[0].tensors[0].shape[0], str)


def test_nodes_lead_to_a_line_of_the_user(recorded: Recorded) -> None:
    for graph, _ in _graphs(recorded):
        known = origins(graph)
        compute = [node for node in graph.nodes if node.is_compute and not _is_mode(node)]
        lines = [node for node in compute if known[node.name][0]]
        assert len(lines) >= 0.98 * len(compute), graph.name
        places = {frame.file for node in lines for frame in known[node.name][0]}
        assert str(MODELS) in places


def test_the_text_alone_has_the_same_nodes_and_edges(recorded: Recorded) -> None:
    texts = [dataclasses.replace(place, recorded=None) for place in recorded.places]
    parsed, unread = read_graphs(texts, recorded.roots)
    assert unread == []
    for graph, (other, _) in zip(parsed, _graphs(recorded), strict=True):
        assert graph.is_parsed
        assert graph.name == other.name
        assert _shape(graph) == _shape(other), graph.name


def test_the_text_alone_has_no_wrong_lines(recorded: Recorded) -> None:
    texts = [dataclasses.replace(place, recorded=None) for place in recorded.places]
    parsed, _ = read_graphs(texts, recorded.roots)
    for graph, (other, _) in zip(parsed, _graphs(recorded), strict=True):
        lines = {node.name: node.line for node in other.nodes}
        for node in graph.nodes:
            if node.line is not None:
                line = lines[node.name]
                assert line is not None, (graph.name, node.name)
                assert (node.line.file, node.line.line) == (line.file, line.line)


def test_what_a_nested_graph_computes_is_found_again(recorded: Recorded) -> None:
    graphs = [graph for graph, _ in _graphs(recorded)]
    assert not any("pybind" in node.target for graph in graphs for node in graph.nodes)
    inside = [node for item in graphs[0].nodes for node in computed_inside(item)]
    wanted = {shown_operator(node) for node in inside if not _is_mode(node)}
    later = next(graph for graph in graphs if graph.stage in {Stage.FORWARD, Stage.INFERENCE})
    found = {item.operator: item for item in decompositions(graphs[0], later)}
    assert [name for name in wanted if not found[name].into] == []


def _is_mode(node: Node) -> bool:
    """Whether it enters or leaves a mode: Dynamo gives it no stack, and no data passes through."""
    return shown_operator(node).startswith(("torch.amp.", "torch.set_grad_enabled"))


def _shape(graph: Graph) -> Nodes:
    return [(node.name, node.op, node.inputs) for node in graph.nodes]
