"""``inspect profile`` on the CPU: the generated C++ and the operators, timed in place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "profile-1.schema.json").read_text("utf-8"))
MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(256, 512), nn.Linear(512, 256)

    def forward(self, x):
        x = torch.relu(self.first(x))
        if x.sum() > 0:
            x = x * 2
        values = x.unique()
        return torch.softmax(self.second(x), -1) + values.mean()

model = Net()
example_inputs = (torch.randn(512, 256),)
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("profile")
    (folder / "model.py").write_text(MODEL)
    inspected(folder, "model.py", "--no-grad", "--save", "kept")
    return folder


def inspected(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "inspector.commands", "profile", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture(scope="module")
def report(recording: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(inspected(recording, "kept", "--format", "json"))
    return found


def test_the_report_follows_its_schema(report: dict[str, Any]) -> None:
    jsonschema.validate(report, SCHEMA)
    assert report["ceilings"]["values"]["copy_bytes_per_s"] > 1e8
    (profile,) = report["profiles"]
    assert profile["device"]["kind"] == "cpu"
    assert profile["faster_than_eager"] > 0
    low, high = profile["faster_than_eager_interval"]
    assert low <= profile["faster_than_eager"] <= high


def test_calls_of_both_kinds_are_made_in_every_round(report: dict[str, Any]) -> None:
    (profile,) = report["profiles"]
    blocks = profile["blocks"]
    rounds = sorted({block["round"] for block in blocks})
    assert len(rounds) >= 3
    assert [block["kind"] for block in blocks[:4]] == ["compiled", "eager", "eager", "compiled"]
    plain = [len(block["times_ns"]) for block in blocks if block["kind"] == "compiled"]
    assert sum(plain) == profile["calls"]
    assert len(set(plain)) == 1
    assert profile["stable"] is (profile["spread_of_blocks"] <= 0.05)
    assert profile["failed"] is None


def test_every_kernel_and_operator_leads_to_its_line(report: dict[str, Any]) -> None:
    (profile,) = report["profiles"]
    known = sum(work["median_ns"] for work in profile["work"] if work["lines"])
    seen = sum(work["median_ns"] for work in profile["work"])
    assert known > 0.97 * seen
    # What is in no statement is not known either.
    whole = seen + profile["outside_statements_ns"]
    assert profile["attributed"] == pytest.approx(known / whole)
    assert 0 < profile["attributed"] <= 1
    at = {(work["name"], line["line"]) for work in profile["work"] for line in work["lines"]}
    lines = {line for _, line in at}
    texts = MODEL.split("\n")
    for part in ("self.first(x)", "x.unique()", "torch.softmax"):
        number = next(n for n, text in enumerate(texts, 1) if part in text)
        assert number in lines, part
    unique = next(n for n, text in enumerate(texts, 1) if "x.unique()" in text)
    assert ("aten::_unique2", unique) in at


def test_the_parts_of_a_call_add_up(report: dict[str, Any]) -> None:
    (profile,) = report["profiles"]
    assert profile["busy_ns"] + profile["idle_ns"] == pytest.approx(
        max(profile["wall_ns"], profile["busy_ns"])
    )
    assert sum(profile["idle_by_cause_ns"].values()) == pytest.approx(profile["idle_ns"])
    assert sum(line["time_ns"] for line in profile["lines"]) <= 1.001 * sum(
        work["median_ns"] for work in profile["work"]
    )


def test_products_have_operations_and_reach_less_than_can_be(report: dict[str, Any]) -> None:
    (profile,) = report["profiles"]
    products = [work for work in profile["work"] if "mm" in "".join(work["operators"])]
    assert [work["flops"] for work in products] == [2 * 512 * 256 * 512] * 2
    kernels = [work for work in profile["work"] if work["kind"] == "kernel"]
    assert kernels
    assert all(work["bytes"] for work in kernels)


def test_what_a_call_allocates_leads_to_its_lines(report: dict[str, Any]) -> None:
    (profile,) = report["profiles"]
    memory = profile["memory"]
    parameters = 4 * (2 * 256 * 512 + 256 + 512)
    for call in (memory["compiled"], memory["eager"]):
        assert call["peak_known"]
        assert call["before_bytes"] == parameters + 4 * 512 * 256
        assert sum(row["bytes"] for row in call["at_peak"]) == call["peak_bytes"]
        own = [row for row in call["at_peak"] if row["what"] in {"intermediate", "output"}]
        assert all(row["lines"] for row in own if row["bytes"] > 1 << 16)
    assert memory["ratio"] is not None
    assert profile["memory_bytes"] == {}


def test_the_terminal_says_the_verdict_first(recording: Path) -> None:
    text = inspected(recording, "kept")
    blocks = text.split("\n\n")
    assert "eager PyTorch" in blocks[1]
    assert max(map(len, text.splitlines())) <= 80
    for head in ("A call", "By kernel", "By line", "Memory of a call", "What cpu can do"):
        assert f"\n{head}" in text


def test_a_roofline_is_drawn(recording: Path) -> None:
    inspected(recording, "kept", "-o", "roofline.svg")
    drawn = (recording / "roofline.svg").read_text("utf-8")
    assert "operations per second" in drawn
    assert "float32" in drawn
