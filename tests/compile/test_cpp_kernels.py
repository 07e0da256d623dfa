"""C++ kernels as Inductor makes them: its decisions are recorded, and torch is left as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.compile.gpu_kernels import ROOT, inspected

# A kernel each: graph breaks keep Inductor from making one of all.
MODEL = """
import torch

def run(x, image, short):
    a = torch.softmax(x, -1)
    torch._dynamo.graph_break()
    b = torch.nn.functional.max_pool2d(image, 3, 2)
    torch._dynamo.graph_break()
    c = x.to(torch.int16) + 1
    torch._dynamo.graph_break()
    return a, b, c, short[:, :, :2] + 1

# Two numbers of 16 bits are less than a quarter of a vector with AVX2, too.
short = torch.randn(512, 64, 3, dtype=torch.bfloat16)
example_inputs = (torch.randn(256, 512), torch.randn(2, 16, 64, 64), short)
"""
BIASES = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 64), nn.Linear(64, 64)

    def forward(self, x):
        y = self.first(x)
        return self.second(y)

model = Net()
example_inputs = (torch.randn(32, 64),)
"""
LEFT = """
import pathlib, sys, tempfile, torch, inspector
from torch._inductor.codegen import cpp, triton

watched = (
    (cpp.TilingSelect, "select_tiling"), (cpp.CppKernelProxy, "codegen_functions"),
    (cpp.CppKernel, "codegen_loops_impl"), (cpp.CppScheduling, "define_kernel"),
    (triton.TritonScheduling, "define_kernel"),
)
before = [vars(owner)[name] for owner, name in watched]
with inspector.record(pathlib.Path(tempfile.mkdtemp()) / "recording"):
    torch.compile(lambda x: x.relu() + 1)(torch.ones(8))
    during = [vars(owner)[name] for owner, name in watched]
after = [vars(owner)[name] for owner, name in watched]
assert all(one is not other for one, other in zip(before, during)), "nothing was watched"
assert all(one is other for one, other in zip(before, after)), "something stays"
"""

# The function that fails, by its module and name: each is called while Inductor is at work.
BROKEN = """
import importlib, pathlib, sys, tempfile, torch, inspector

torch._inductor.config.fx_graph_cache = False  # else nothing is lowered but the first time

def fails(*_, **__):
    raise RuntimeError("ours")

def computed():
    torch._dynamo.reset()
    return torch.compile(lambda x: torch.softmax(x[:, ::3], 0) + 1)(torch.arange(24.0).view(4, 6))

plain = computed()
for name in sys.argv[1:]:
    module, _, function = name.partition(":")
    owner = importlib.import_module(f"inspector.capture.{module}")
    original = getattr(owner, function)
    setattr(owner, function, fails)
    place = pathlib.Path(tempfile.mkdtemp()) / "recording"
    with inspector.record(place):
        assert torch.equal(computed(), plain), name
    setattr(owner, function, original)
    text = "".join(log.read_text() for log in place.glob("*.log"))
    assert "ours" in text, f"{name} was never called, or nobody says that it failed"
"""


CONSOLE = {"COLUMNS": "100", "OMP_NUM_THREADS": "2"}


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, text=True, capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **CONSOLE},
    )  # fmt: skip


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("cpp")
    (folder / "model.py").write_text(MODEL)
    found = inspected(folder, "kernels", "model.py:run", "--format", "json", **CONSOLE)
    assert found.returncode == 0, found.stderr
    fields: dict[str, Any] = json.loads(found.stdout)
    return fields


def kernel(report: dict[str, Any], aten: str) -> dict[str, Any]:
    (found,) = [item for item in report["kernels"] if any(aten in name for name in item["aten"])]
    return dict(found)


def test_what_inductor_said_is_what_it_wrote(report: dict[str, Any]) -> None:
    """The loops are recorded while they are made, and parsed from the text: they agree."""
    assert report["kernels"]
    for item in report["kernels"]:
        cpp = item["cpp"]
        assert cpp["nests"] is not None, item["name"]
        said = [any(loop["is_vector"] for loop in nest["loops"]) for nest in cpp["nests"]]
        assert (len(said), sum(said)) == (cpp["loops"], cpp["vector_loops"]), item["name"]
        shared = any(loop["parallel"] for nest in cpp["nests"] for loop in nest["loops"])
        assert shared == bool(cpp["parallel_over"]), item["name"]
        assert item["bytes"], item["name"]


@pytest.mark.parametrize(
    ("aten", "kinds"),
    [("softmax", []), ("max_pool2d", ["indexing"]), ("_to_copy", ["dtype"]), ("slice", ["short"])],
)
def test_why_loops_have_no_vectors(report: dict[str, Any], aten: str, kinds: list[str]) -> None:
    nests = kernel(report, aten)["cpp"]["nests"]
    assert [nest["not_vectorised"]["kind"] for nest in nests if nest["not_vectorised"]] == kinds


def test_findings_are_at_the_lines_of_these_loops(report: dict[str, Any]) -> None:
    found = {item["line"]: item["rule"] for item in report["findings"]}
    # The softmax of line 5 is healthy.
    assert found == dict.fromkeys((7, 9, 11), "cpp-not-vectorised")


def test_bytes_are_those_of_the_tensors(report: dict[str, Any]) -> None:
    pool = 2 * 16 * (64 * 64 + 31 * 31) * 4
    assert kernel(report, "max_pool2d")["bytes"] == pool


def test_what_a_backward_pass_computes_has_the_lines_of_its_forward_pass(tmp_path: Path) -> None:
    # The sums for both biases have the same code, so that one kernel computes them.
    (tmp_path / "model.py").write_text(BIASES)
    asked = "kernels", "model.py", "--train", "--format", "json"
    done = inspected(tmp_path, *asked, **CONSOLE)
    assert done.returncode == 0, done.stderr
    kernels = json.loads(done.stdout)["kernels"]
    sums = [kernel for kernel in kernels if kernel["aten"] == ["aten.sum"]]
    assert {node["line"] for kernel in sums for node in kernel["nodes"]} == {11, 12}


def test_what_fails_of_ours_is_said_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    functions = ("cpp_nest", "scheduler_nodes", "traffic_bytes")
    names = [f"kernels.kernel_observer:{name}" for name in functions]
    found = run("broken.py", *names, "kernels.cpp_loops:NotTiled", folder=tmp_path)
    assert found.returncode == 0, found.stderr


def test_nothing_stays_watched(tmp_path: Path) -> None:
    (tmp_path / "left.py").write_text(LEFT)
    found = run("left.py", folder=tmp_path)
    assert found.returncode == 0, found.stderr
