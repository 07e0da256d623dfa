"""What is found in kernels for a GPU that is not here, and whether what is advised mends it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.compile.gpu_kernels import kernels_for

pytestmark = [
    pytest.mark.compile,
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs Triton"),
]
MODEL = """
import torch

torch._inductor.config.split_reductions = False


def place(x):
    rows = x.unflatten(-1, (1024, -1))
    best = rows.max(-1)
    row = best.values.argmax(-1, keepdim=True)
    return (row * rows.shape[-1] + best.indices.gather(-1, row)).squeeze(-1)


def model(few, steps, total, parts, rows):
    first = few.argmax()
    second = place(steps)  # steps
    third = total.sum()
    fourth = parts.unflatten(-1, (1024, -1)).sum(-1).sum(-1)  # steps
    return first, second, third, fourth, rows.min(1)


example_inputs = (*(torch.randn(1 << 23) for _ in range(4)), torch.randn(8, 1 << 20))
equal = torch.randint(0, 100, (4, 1 << 20)).float()
assert torch.equal(place(equal), equal.argmax(-1))
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("kernel_findings")
    (folder / "model.py").write_text(MODEL)
    return kernels_for("h100", Path("model.py"), folder)


def _found(report: dict[str, Any], rule: str) -> dict[str, str]:
    """What is said of each line of the model that a rule has found something in."""
    lines = MODEL.splitlines()
    return {
        lines[finding["line"] - 1].strip(): f"{finding['why']} {finding['fix']}"
        for finding in report["findings"]
        if finding["rule"] == rule
    }


def test_few_blocks_are_found_and_two_steps_have_many(report: dict[str, Any]) -> None:
    found = _found(report, "kernel-few-blocks")
    assert set(found) == {
        "first = few.argmax()",
        "third = total.sum()",
        "return first, second, third, fourth, rows.min(1)",
    }
    assert "1 of 132 multiprocessors works" in found["first = few.argmax()"]
    assert "rows.max(-1)" in found["first = few.argmax()"]
    assert "cuts" not in found["third = total.sum()"]
    assert "rows.min(-1)" in found["return first, second, third, fourth, rows.min(1)"]
    bounds = {
        config["prediction"]["blocks"]: config["prediction"]["bound"]
        for kernel in report["kernels"]
        for config in kernel["build"]["configs"]
        if kernel["build"]["predicted_ns"] > 20_000
    }
    assert bounds == {1: "too few blocks for the GPU", 8: "too few blocks for the GPU"}
