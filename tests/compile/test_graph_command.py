"""``inspect graph``: what it records is what torch does, and needs no compiler."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inspector.features.graph.report import FUSION, make_graph_report
from inspector.features.kernels.report import make_kernels_report
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]
MODEL = """
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention as attend

class Block(nn.Module):
    def __init__(self, width=64, heads=4):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads = heads

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        x = x + self.out(attend(q, k, v).transpose(1, 2).reshape(b, n, w))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

model = Block()
example_inputs = (torch.randn(2, 32, 64),)
"""


# What torch has no primitives for.
UNDECOMPOSED = {
    "aten.mm.default", "aten.bmm.default", "aten.as_strided.default", "aten.reshape.default",
    "aten.select.int", "aten.full_like.default", "operator.getitem",
    "aten._scaled_dot_product_flash_attention_for_cpu.default",
    "aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
}  # fmt: skip


def inspected(folder: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    result = subprocess.run(
        [*INSPECT, *arguments, "--no-progress"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
    found: dict[str, Any] = json.loads(result.stdout) if "json" in arguments else {}
    return found


def codes(recording: Path) -> list[str]:
    with opened(recording) as found:
        run: Run = read_run(found)
        (process,) = run.processes
        assert process.problems == ()
        return [text.text.text() for text in process.codes.texts if text.text is not None]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A recording for training on this CPU, and what was said of it; the model lies beside it."""
    folder = tmp_path_factory.mktemp("graph")
    (folder / "model.py").write_text(MODEL)
    options = ["--train", "--ops", "--format", "json", "--save", "recording"]
    found = inspected(folder, "graph", "model.py", *options)
    return folder / "recording", found


def test_the_code_is_that_of_a_recording_without_graphs(
    recorded: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    graph, found = recorded
    options = [
        "--train",
        "--backend",
        "inductor",
        "--no-measure",
        "--save",
        str(tmp_path / "plain"),
    ]
    inspected(graph.parent, "explain", "model.py", *options)
    assert codes(graph) == codes(tmp_path / "plain")
    assert len(codes(graph)) == 2
    primitive = [item for item in found["operators"]["graphs"] if item["stage"] == "prims"]
    assert [item["graph"] for item in primitive] == ["0/0 prims forward", "0/0 prims backward"]
    for item in primitive:
        kinds = {row["operator"]: row["kind"] for row in item["operators"]}
        assert "prims.mul.default" in kinds
        left = {name for name, kind in kinds.items() if kind != "prims"}
        assert left <= UNDECOMPOSED


def test_kernels_are_those_of_the_code_with_the_same_operators(tmp_path: Path) -> None:
    """Those of the comment ``Original ATen`` that stands over each kernel."""
    (tmp_path / "model.py").write_text(MODEL)
    options = ["graph", "model.py", "--train", "--gpu", "h200", "--save", "recording"]
    inspected(tmp_path, *options)
    with opened(tmp_path / "recording") as found:
        run = read_run(found)
        graphs = make_kernels_report(run).taken
        fusions = make_graph_report(run, FUSION).fusions
    assert [graph.direction for graph in graphs] == ["forward", "backward"]
    for graph, fusion in zip(graphs, fusions, strict=True):
        steps = {step.name: step for step in fusion.steps if not step.is_call}
        assert list(steps) == list(dict.fromkeys(c.name for c in graph.calls if c.kind == "kernel"))
        for kernel in graph.kernels:
            nodes = steps[kernel.name].operators
            operators = {".".join(node.aten.split(".")[:2]) for node in nodes if node.aten}
            assert operators == set(kernel.aten)


def test_no_compiler_is_needed(recorded: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    graph, _ = recorded
    (tmp_path / "bin").mkdir()
    saved, lacks = str(tmp_path / "without"), {"PATH": str(tmp_path / "bin")}
    lacks["TORCHINDUCTOR_VEC_ISA_OK"] = ""  # Inductor would ask the compiler
    options = ["graph", "model.py", "--train", "--format", "json", "--save", saved]
    without = inspected(graph.parent, *options, **lacks)
    with_it = inspected(graph.parent, "graph", str(graph), "--format", "json")
    assert without["fusions"]
    assert without["fusions"] == with_it["fusions"]
    assert codes(tmp_path / "without") == codes(graph)
