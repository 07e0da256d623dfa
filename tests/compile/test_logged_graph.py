"""The graph that Dynamo captured is recorded as data, with the user's lines and modules."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import fx, nn

import inspector
from inspector.records.graphs import RecordedGraph
from inspector.run.sources.log import LogReader
from inspector.trace.inspector_records import KeptRecord, kept_record
from inspector.trace.registry import read


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(8)
        self.layers = nn.Sequential(nn.Linear(8, 8), nn.GELU())

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = self.layers(self.norm(x)).max(-1)
        return values.sum(), places


def test_nodes_and_edges_are_those_of_the_graph(tmp_path: Path) -> None:
    seen: list[fx.GraphModule] = []

    def backend(graph: fx.GraphModule, _inputs: object) -> object:
        seen.append(graph)
        return graph.forward

    torch._dynamo.reset()
    with inspector.record(tmp_path / "recording", measure=False) as recording:
        torch.compile(Net(), backend=backend, dynamic=True)(torch.randn(4, 8))

    assert recording.run().processes[0].problems == ()
    (graph,), (found,) = seen, [
        kept_record(RecordedGraph, event.text)
        for event in _events(recording.path)
        if event.text is not None
    ]  # fmt: skip
    nodes = found.nodes
    live = {node.name: node for node in graph.graph.nodes}
    assert [node.name for node in nodes] == list(live)
    for node in nodes:
        assert node.op == live[node.name].op
        assert node.inputs == tuple(other.name for other in live[node.name].all_input_nodes)
    named = {node.target.rpartition(".")[2]: node for node in nodes}
    # The user's line, and not only torch's own below it, which is all that the text has.
    files = [
        line
        for line in found.stack_of(named["rms_norm"]).splitlines()
        if line.startswith("  File ")
    ]
    assert files[0].startswith(f'  File "{__file__}"')
    assert files[-1].endswith("in rms_norm")
    assert found.modules_of(named["rms_norm"])[-1][1] == "RMSNorm"
    assert [kind for _, kind in found.modules_of(named["linear"])] == ["Sequential", "Linear"]
    (meta,) = named["linear"].tensors
    assert (meta.dtype, meta.device, meta.stride[-1], meta.shape[-1]) == ("float32", "cpu", 1, 8)
    assert [meta.dtype for meta in named["max"].tensors] == ["float32", "int64"]
    # No symbol was given a value.
    inputs = [node for node in nodes if node.op == "placeholder" and node.target.endswith("_x_")]
    assert isinstance(inputs[0].tensors[0].shape[0], str)


def _events(folder: Path) -> list[KeptRecord]:
    (log,) = folder.glob("*.log")
    found = [read(envelope) for envelope in LogReader(log).read(ended=True)]
    return [event for event in found if isinstance(event, KeptRecord)]
