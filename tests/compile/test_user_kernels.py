"""Triton kernels that the model brings: compiled, analysed, at the user's lines, not launched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.compile.gpu_kernels import kernels_for

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "samples" / "user_triton_kernel" / "model.py"
ELEMENTS = 4096 * 1024


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return kernels_for("h200", MODEL, tmp_path_factory.mktemp("user_kernels"))


def test_they_stand_at_the_users_lines(report: dict[str, Any]) -> None:
    text = MODEL.read_text().splitlines()
    kernels = {kernel["name"]: kernel for kernel in report["kernels"]}
    assert [name for name, item in kernels.items() if item["is_user_written"]] == [
        "scaled_rows_0", "gated_1",
    ]  # fmt: skip
    for name, call in (("scaled_rows_0", "scale_rows("), ("gated_1", "gated[")):
        definition = kernels[name]["definition"]
        behind = text[definition["line"] - 1 : definition["line"] + 9]
        assert any(line.startswith(f"def {name[:-2]}(") for line in behind)
        assert definition["code"] == f"def {name[:-2]}"
        assert any(call in text[node["line"] - 1] for node in kernels[name]["nodes"])
    assert kernels["triton_poi_fused_add_gelu_0"]["definition"] is None


def test_they_are_compiled_in_each_configuration(report: dict[str, Any]) -> None:
    kernels = {kernel["name"]: kernel["build"] for kernel in report["kernels"]}
    gated, rows = kernels["gated_1"]["configs"], kernels["scaled_rows_0"]["configs"]

    assert [config["values"] for config in gated] == [{"BLOCK": 256}, {"BLOCK": 1024}]
    assert [config["grid"] for config in gated] == [[16384, 1, 1], [4096, 1, 1]]
    assert [config["grid"] for config in rows] == [[4096, 1, 1]]
    # Two tensors are read and one is written, of 4 bytes each; of a row all, and its scales.
    bandwidth = 4284e9
    for config, tensors in (*((config, 3) for config in gated), (rows[0], 2)):
        seconds = config["prediction"]["memory_ns"] / 1e9
        assert seconds == pytest.approx(tensors * ELEMENTS * 4 / bandwidth, rel=0.02)
