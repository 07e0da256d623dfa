"""``inspect kernels --gpu`` down to machine code, on a machine without that GPU."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from tests.compile.gpu_kernels import inspected

pytestmark = [
    pytest.mark.compile,
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs Triton"),
]
MODEL = """
import torch

def model(x, weight):
    return torch.softmax(torch.nn.functional.gelu(x) * weight, -1)

example_inputs = (torch.randn(64, 1000), torch.randn(1000))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kernels")
    (path / "model.py").write_text(MODEL)
    return path


def inspect(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    cache = str(folder / "cache")
    return inspected(folder, "kernels", *arguments, COLUMNS="80", XDG_CACHE_HOME=cache)


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    done = inspect(folder, "model.py", "--gpu", "h200", "--save", "r", "--format", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_kernel_has_registers_widths_and_a_prediction(report: dict[str, Any]) -> None:
    schema = schema_of("kernels")
    jsonschema.validate(report, schema)
    (kernel,) = report["kernels"]
    config, *_ = kernel["build"]["configs"]

    assert kernel["kind"] == "persistent_reduction"
    assert 16 <= config["resources"]["registers"] <= 255
    assert config["resources"]["spill_store_bytes"] == 0
    assert 0 < config["analysis"]["occupancy"] <= 1
    assert sum(width["bytes"] for width in config["analysis"]["loads"]) > 0
    assert config["analysis"]["instructions"]["special function"]  # erf and exp
    assert config["prediction"]["bound"] == "too small to matter"
    assert report["findings"] == []


def test_it_is_shown_down_to_machine_code(folder: Path, report: dict[str, Any]) -> None:
    name = report["kernels"][0]["name"]
    marks = {"ttir": "tt.func", "ttgir": "#ttg.", "llir": "define", "ptx": ".target sm_90a"}
    for form, mark in {**marks, "sass": "EXIT"}.items():
        shown = inspect(folder, "r", "--show", name, "--as", form, "--compile")
        assert shown.returncode == 0, shown.stderr
        assert mark in shown.stdout, form
    assert "@triton.jit" in inspect(folder, "r", "--show", name).stdout
