"""The fixture ``compiled`` in a project of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.compile
ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        x = x.sin()
        print("shape", x.shape)
        return x.relu()

class Fixed(torch.nn.Module):
    def forward(self, x):
        return x.sin().relu()

def test_broken(compiled):
    compiled(Net(), torch.ones(2)).has_no_graph_breaks()

def test_fixed(compiled):
    found = compiled(Fixed(), (torch.ones(2),))
    found.has_no_graph_breaks().has_no_recompiles().has_graphs(1).matches_snapshot()

def test_kernels(compiled):
    compiled(Fixed(), torch.ones(2), backend="inductor").has_kernels(at_most=0)
"""


def run(folder: Path, *arguments: str) -> str:
    # Installed or not: the plugin is named, and no other one is loaded.
    autoload = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "inspector.library.pytest_plugin",
         "-p", "no:cacheprovider", "-o", "addopts=", *arguments],
        cwd=folder, env={**os.environ, **autoload, "PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_regression_fails_with_its_line_and_a_readable_diff(tmp_path: Path) -> None:
    program = tmp_path / "test_net.py"
    program.write_text(PROJECT)
    said = run(tmp_path, "--inspect-update")
    assert "2 failed, 1 passed" in said
    assert "1 kernels, at most 0 expected" in said
    assert "cpp_fused_relu_sin_0\n    test_net.py:12: return x.sin().relu()" in said
    assert "test_net.py:7: Failed to trace builtin operator" in said
    assert 'print("shape", x.shape)' in said
    assert "torch.__trace" not in said

    program.write_text(PROJECT.replace("x.sin().relu()", "x.sin().relu() + 1"))
    said = run(tmp_path, "-k", "fixed")
    assert "-operators: 2\n+operators: 3" in said
